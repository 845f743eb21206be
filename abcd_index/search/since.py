"""``--since``: a date as people write it -> seconds since 1970."""

import re
from datetime import datetime, timedelta, timezone

from abcd_index.errors import AbcdError

_SPAN = re.compile(r"(\d{1,5})\s*(d|days?|w|weeks?|m|months?|y|years?)", re.IGNORECASE)
_DAYS = {"d": 1.0, "w": 7.0, "m": 365.25 / 12, "y": 365.25}


def read_since(text, now):
    """``2026-07-01``, ``2026-07-01T12:00+02:00``, or a span before ``now``: ``30d``, ``2 weeks``, ``6 months``, ``1y``.

    Raises AbcdError for anything else. A date without a zone is UTC, as the dates in pages are.
    """
    text = text.strip()
    span = _SPAN.fullmatch(text)
    if span:
        return now - timedelta(days=int(span[1]) * _DAYS[span[2][0].lower()]).total_seconds()
    try:
        date = datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    except ValueError:
        raise AbcdError(f"--since does not understand {text!r}",
                        "write a date (2026-07-01) or a span (30d, 2 weeks, 6 months, 1y)") from None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return date.timestamp()
