"""Work on many items in order, on every core when there are enough of them to pay for it."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

# Below this many items the start of the processes costs more than they save.
WORTH_IT = 400
CHUNK = 50
MOST_WORKERS = 8


def mapped(function: Callable[..., Result], items: Iterable[Item], count: int, *rest: Any) -> Iterator[Result]:
    """``function(item, *rest)`` of each of the ``count`` items, in order; a generator.

    ``function`` is a module-level function, and what goes in and out can be pickled. Only a few chunks are
    under way at a time, so memory stays bounded. Falls back to this process where no others can be had.
    """
    workers = min(_cores(), MOST_WORKERS, count // CHUNK)
    pool = _pool(workers) if count >= WORTH_IT and workers > 1 else None
    if pool is None:
        for item in items:
            yield function(item, *rest)
        return
    try:
        waiting: deque[Future[list[Result]]] = deque()
        left = iter(items)
        for chunk in iter(lambda: list(islice(left, CHUNK)), []):
            waiting.append(pool.submit(_chunk, function, chunk, rest))
            if len(waiting) >= 2 * workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True)


def _chunk(function: Callable[..., Result], chunk: list[Item], rest: tuple[Any, ...]) -> list[Result]:
    return [function(item, *rest) for item in chunk]


def _pool(workers: int) -> ProcessPoolExecutor | None:
    try:
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(workers, initializer=_begin)
        pool.submit(int).result()
    except (ImportError, OSError, RuntimeError, ValueError):
        # No semaphores (some sandboxes), no further processes: one core does it too.
        return None
    return pool


def _begin() -> None:
    """In a worker, before anything else."""
    # What the parent holds is no garbage: of a large store it would be looked through again and again, and copied.
    gc.freeze()
    _end_with_parent()


def _end_with_parent() -> None:
    """In a worker: end when the build does, however that was. Each holds the pipes of the others open, so none would
    see that nobody reads any more."""
    from threading import Thread

    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # pragma: no cover - not Linux
        return os.cpu_count() or 1
