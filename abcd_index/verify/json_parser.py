"""JSON by the letter, and the two ways in which a line can fail its specification.

Nothing here comes from the code that writes artefacts, see ``format``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MODULUS = 2**30 - 35


class Corrupt(Exception):
    """The bytes are not what their own checksums and counts say."""


class Wrong(Exception):
    """Whole, but not as the specification says."""


def checksum(line: bytes) -> int:
    """A line's bytes as one big-endian number, modulo the largest prime below 2**30."""
    return int.from_bytes(line, "big") % MODULUS


def hash_of(text: str) -> int:
    """The same number of a key's or term's UTF-8 bytes."""
    return checksum(text.encode("utf-8", "surrogatepass"))


def fields_of(line: bytes, fields: Mapping[str, type], where: str) -> dict[str, Any]:
    """The object of a line, with these ``fields`` ({name: type})."""
    value = object_of(line, where)
    for name, kind in fields.items():
        require(isinstance(value.get(name), kind), where, f"{name} is missing or of another type")
    return value


def object_of(line: bytes, where: str) -> dict[str, Any]:
    """The object of a line, written as the specification says."""
    value = value_of(line, where)
    if not isinstance(value, dict):
        raise Wrong(f"{where} is not an object")
    require_canonical(value, line, where)
    return value


def text_of(line: bytes, where: str) -> str:
    """The string of a line."""
    value = value_of(line, where)
    if not isinstance(value, str):
        raise Wrong(f"{where} is not a string")
    return value


def value_of(line: bytes, where: str) -> Any:
    """The value of a line. Raises Corrupt."""
    try:
        return parse(line)
    except ValueError:
        raise Corrupt(f"{where} is not JSON in UTF-8") from None


def parse(line: bytes) -> Any:
    """A line's value by the letter of JSON. Raises ValueError, also for what is nested out of all reason."""
    try:
        return _decode(line.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# Made once: json makes a new one for every call that asks for anything of its own.
_decode = json.JSONDecoder(parse_constant=_no_constant).decode
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def require_canonical(value: object, line: bytes, where: str) -> None:
    """Raise Wrong when ``value`` is not written as the specification says."""
    # Also finds a key that stands there twice, which a JSON parser passes over.
    text = _encode(value)
    require(
        text.encode("utf-8", "surrogatepass") == line,
        where,
        "its keys are not sorted or stand twice, or there is white space",
    )


def is_whole(value: object) -> bool:
    """Whether ``value`` is a number, 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def are_wholes(value: object, length: int | None = None) -> bool:
    """Whether ``value`` is a list of such numbers, ``length`` of them."""
    return isinstance(value, list) and all(map(is_whole, value)) and length in (None, len(value))


def require(condition: object, *words: str) -> None:
    """Raise Wrong unless ``condition``. ``words``: where and what is wrong; put together only when it is, for a page
    has forty such conditions."""
    if not condition:
        raise Wrong(": ".join(words))
