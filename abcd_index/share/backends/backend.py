"""What a place of artefacts can do, and how long it may take."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any, BinaryIO, Callable, Protocol, TypeVar

from abcd_index.errors import AbcdError
from abcd_index.share.place import Unreachable, without_secrets

T = TypeVar("T")
# Seconds that a transfer which was given up has to stop at its next piece.
_GRACE = 1.0


class Backend(Protocol):
    """A place. What it cannot do for a reason of the place raises Unreachable."""

    def get(self, key: str, out: BinaryIO, most: int) -> None:
        """Write the bundle of ``key`` to the open file ``out``. ``most``: bytes that it may have.

        Raises NotThere or Damaged.
        """

    def put(self, key: str, path: str) -> bool:
        """Make the file ``path`` the bundle of ``key``. Whether anything had to be sent. Raises Damaged when other
        bytes are there."""

    def prune(self, keep: int, key: str) -> int:
        """Delete all but the ``keep`` artefacts that were pushed last; ``key``, which was ``put``, stays. Returns how
        many went."""

    def close(self) -> None:
        """Let a transfer that is under way stop at its next piece."""


class Deadline:
    """``seconds`` for all that is asked of the place that is ``shown`` so.

    What asks it runs in a thread of its own, which is left behind when the time is over: a store's library may wait
    for ever, and so may a folder that is mounted from elsewhere.
    """

    def __init__(self, shown: str, seconds: float) -> None:
        self.shown = shown
        self.seconds = seconds
        self.until = time.monotonic() + seconds
        self.over = threading.Event()
        self.thread: threading.Thread | None = None

    def ask(self, function: Callable[..., T], *args: Any) -> T:
        """What ``function(*args)`` returns. Raises its AbcdError, and Unreachable for whatever else it raises and when
        the time is over: it is about the place."""
        result: list[Callable[[], T]] = []
        self.thread = threading.Thread(target=_run, args=(function, args, result), daemon=True)
        self.thread.start()
        self.thread.join(min(max(0.0, self.until - time.monotonic()), threading.TIMEOUT_MAX))
        if not result:
            self.over.set()
            raise Unreachable(f"{self.shown} did not answer within {self.seconds:g} s")
        try:
            return result[0]()
        except AbcdError:
            raise
        except BaseException as error:
            said = getattr(error, "strerror", None) or without_secrets(error) or type(error).__name__
            raise Unreachable(f"{self.shown}: {said}") from None

    def check(self) -> None:
        """Raises Unreachable once nobody waits any more: asked between two pieces of a transfer."""
        if self.over.is_set():
            raise Unreachable(f"{self.shown}: given up")

    def close(self) -> None:
        """Let a transfer that is under way stop at its next piece."""
        self.over.set()
        if self.thread is not None:
            self.thread.join(_GRACE)


def _run(function: Callable[..., T], args: tuple[Any, ...], result: list[Callable[[], T]]) -> None:
    try:
        value = function(*args)
        result.append(lambda: value)
    except BaseException as error:
        result.append(partial(_raise, error))


def _raise(error: BaseException) -> Any:
    raise error
