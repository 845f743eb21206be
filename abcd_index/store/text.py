"""Bytes -> text with LF line ends, and how text is quoted in a finding."""

from __future__ import annotations

import hashlib
import unicodedata

from abcd_index.store.records import Notes

BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
JOINERS = frozenset("\u200c\u200d")
QUOTED = 80


def decode(data: bytes, notes: Notes) -> str | None:
    """The text of a file, without its byte order mark and with LF line ends; None (and a finding) if it is
    not UTF-8 text. No encoding is guessed: a wrong guess is indexed as nonsense and nobody sees it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
        hint = "save it as UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            hint = "it looks like UTF-16; save it as UTF-8"
        notes.add("not-utf8", _line_of_byte(data, at), f"not UTF-8: byte 0x{data[at]:02x} at byte offset {at}", hint)
        return None
    if "\0" in text:
        at = data.index(b"\0")
        notes.add(
            "not-text",
            _line_of_byte(data, at),
            f"NUL byte at byte offset {at}",
            "save it as UTF-8 text (UTF-16 without a byte order mark looks like this), or rename it",
        )
        return None
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def content_hash(data: bytes) -> str:
    """sha256 (64 hex digits) of a source file's bytes with LF line ends: a checkout's CRLF is no change."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return hashlib.sha256(data).hexdigest()


def _line_of_byte(data: bytes, at: int) -> int:
    return data[:at].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1


def quoted(text: str, at: int = 0) -> str:
    """``text`` on one line, shortened to what is around offset ``at`` and with what cannot be seen made
    visible, for a finding."""
    if len(text) > 20 * QUOTED:
        start = max(at - 10 * QUOTED, 0)
        text, at = text[start : start + 20 * QUOTED], at - start
    at -= len(text) - len(text.lstrip())
    text = text.strip()
    if len(text) > QUOTED and at > QUOTED * 3 // 4:
        text = "..." + text[at - QUOTED // 2 :].lstrip()
    if len(text) > QUOTED:
        text = text[: QUOTED - 3].rstrip() + "..."
    return "".join(char if _shows(char) else f"\\u{ord(char):04x}" for char in text)


def _shows(char: str) -> bool:
    return char == " " or ("!" <= char <= "~") or (char > "\x7f" and unicodedata.category(char)[0] not in "CZ")


def invisible(text: str) -> str:
    """The first character of ``text`` that is not seen as it is (format, control, odd space), or ''."""
    if text.isascii() and text.isprintable():
        return ""
    for char in text:
        if char != " " and not _shows(char):
            return char
    return ""


def control(text: str, allowed: str = "") -> str:
    """The first control character of ``text`` that is not in ``allowed``, or ''."""
    if text.isprintable():
        return ""
    for char in text:
        if (char < " " or "\x7f" <= char <= "\x9f") and char not in allowed:
            return char
    return ""


def visible_form(text: str) -> str:
    """``text`` in NFKC without format characters, odd spaces made plain and runs of them made one.

    Zero-width joiners stay between characters of scripts that need them (Arabic and Indic letters,
    emoji), because there they make another word.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(char for at, char in enumerate(text) if _kept(text, at, char))
    return " ".join(text.split())


def _kept(text: str, at: int, char: str) -> bool:
    if char in JOINERS:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        return (
            before > "\u05ff"
            and after > "\u05ff"
            and "Cf" not in (unicodedata.category(before), unicodedata.category(after))
        )
    return unicodedata.category(char) != "Cf"


def one_line(text: str, limit: int) -> str:
    """``text`` with white space runs made one blank, what cannot be seen dropped, and cut at a word."""
    text = "".join(char for char in " ".join(text.split()) if char == " " or _shows(char) or char in JOINERS)
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    head, blank, _ = cut.rpartition(" ")
    return (head if blank and len(head) > limit // 2 else cut).rstrip(" ,;:.-") + "\u2026"
