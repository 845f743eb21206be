"""How long a place may take: what asks it runs in a thread of its own, which is left behind when the time is over.

A store's library may wait for ever, and so may a folder that is mounted from elsewhere. Only who does not ask
itself can give up then.
"""

import threading
import time

from abcd_index.errors import AbcdError
from abcd_index.share.errors import Unreachable, plain

# Seconds that a transfer which was given up has to stop at its next piece.
_GRACE = 1.0


class Patience:
    """``seconds`` for all that is asked of the place that is ``shown`` so."""

    def __init__(self, shown, seconds):
        self.shown = shown
        self.seconds = seconds
        self.until = time.monotonic() + seconds
        self.over = threading.Event()
        self.thread = None

    def ask(self, function, *args):
        """What ``function(*args)`` returns. Raises its AbcdError, and Unreachable for whatever else it raises and when
        the time is over: it is about the place."""
        result = []
        self.thread = threading.Thread(target=_run, args=(function, args, result), daemon=True)
        self.thread.start()
        self.thread.join(min(max(0.0, self.until - time.monotonic()), threading.TIMEOUT_MAX))
        if not result:
            self.over.set()
            raise Unreachable(f"{self.shown} did not answer within {self.seconds:g} s")
        value, error = result[0]
        if error is None:
            return value
        if isinstance(error, AbcdError):
            raise error
        said = getattr(error, "strerror", None) or plain(error) or type(error).__name__
        raise Unreachable(f"{self.shown}: {said}") from None

    def going(self):
        """Raises Unreachable once nobody waits any more: asked between two pieces of a transfer."""
        if self.over.is_set():
            raise Unreachable(f"{self.shown}: given up")

    def close(self):
        """Let a transfer that is under way stop at its next piece."""
        self.over.set()
        if self.thread is not None:
            self.thread.join(_GRACE)


def _run(function, args, result):
    try:
        result.append((function(*args), None))
    except BaseException as error:
        result.append((None, error))
