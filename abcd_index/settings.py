"""``config.json`` of a scope -> settings with defaults, and what is wrong with the file.

``TABLE`` is the one place that says which settings there are, with their defaults and bounds. The reference page
(``docs/reference/settings.md``) and the prompt path's own defaults (``agenthooks``, which imports nothing from here)
are tested against it. The settings that shape what a prompt gets are written into the artefact's header, so that the
prompt path reads no further file.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple, TypedDict, Union, cast

from abcd_index.store.codes import Code
from abcd_index.store.json_positions import JsonError, Lines, Value, parse
from abcd_index.store.records import Finding

FILE = "config.json"
# Characters of a text.
LONGEST = 1000


class Brackets(TypedDict):
    """Percent of the window that have to be free."""

    fresh: int
    moderate: int


class Limits(TypedDict):
    """Characters of what a prompt gets."""

    context: int
    moderate: int
    depleted: int
    rules: int


class MatchSettings(TypedDict):
    """What brings a page beside a typed keyword, and what a keyword brings that nothing supports."""

    text: str
    generic: str


class ArtefactSettings(TypedDict):
    """Whether the artefact is committed, and how many are kept."""

    track: bool
    keep: int


class ShareSettings(TypedDict):
    """Where artefacts are pushed to and fetched from."""

    place: str
    fetch: bool
    timeout: int


class WrittenSettings(TypedDict):
    """The settings that the artefact's header holds: all that shape what a prompt gets."""

    brackets: Brackets
    limits: Limits
    match: MatchSettings
    refresh_every: int


class Settings(WrittenSettings):
    """All settings of a scope."""

    artefact: ArtefactSettings
    share: ShareSettings
    misses: bool
    stores: list[str]


class Number(NamedTuple):
    """A setting that is a whole number between two bounds, both of them allowed."""

    default: int
    low: int
    high: int

    @property
    def wanted(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def read(self, value: Value) -> int | None:
        number = str(value.scalar)
        if value.kind != "number" or not number.lstrip("-").isdigit() or len(number) > 20:
            return None
        return int(number) if self.low <= int(number) <= self.high else None


class Flag(NamedTuple):
    """A setting that is on or off."""

    default: bool

    @property
    def wanted(self) -> str:
        return "true or false"

    def read(self, value: Value) -> bool | None:
        return value.scalar is True if value.kind == "boolean" else None


class Text(NamedTuple):
    """A setting that is a line of text."""

    default: str

    @property
    def wanted(self) -> str:
        return f"a line of text of at most {LONGEST:,} characters"

    def read(self, value: Value) -> str | None:
        text = value.text
        return text if text is not None and len(text) <= LONGEST and text.isprintable() else None


class Choice(NamedTuple):
    """A setting that is one of some words, the default first."""

    options: tuple[str, ...]

    @property
    def default(self) -> str:
        return self.options[0]

    @property
    def wanted(self) -> str:
        return " or ".join(f'"{option}"' for option in self.options)

    def read(self, value: Value) -> str | None:
        return value.text if value.text in self.options else None


class Paths(NamedTuple):
    """A setting that is a list of folders."""

    default: list[str]

    @property
    def wanted(self) -> str:
        return "a list of absolute paths"

    def read(self, value: Value) -> list[str] | None:
        paths = [item.text for item in value.items if item.text and item.text.startswith("/") and _is_text(item.text)]
        return paths if value.kind == "list" and len(paths) == len(value.items) else None


Setting = Union[Number, Flag, Text, Choice, Paths]

TABLE: dict[str, Setting] = {
    "refresh_every": Number(15, 0, 10000),
    "brackets.fresh": Number(70, 0, 100),
    "brackets.moderate": Number(40, 0, 100),
    "limits.context": Number(9000, 500, 9000),
    "limits.moderate": Number(3000, 200, 9000),
    "limits.depleted": Number(2000, 200, 9000),
    "limits.rules": Number(2500, 0, 9000),
    "match.text": Choice(("line", "off")),
    "match.generic": Choice(("support", "whole")),
    "artefact.track": Flag(False),
    "artefact.keep": Number(5, 1, 100),
    "share.place": Text(""),
    "share.fetch": Flag(False),
    "share.timeout": Number(60, 1, 3600),
    # Whether typed words that brought nothing are counted; only the user's own file counts (``search.misses``).
    "misses": Flag(False),
    # Folders outside of a scope's root in which its store may lie; only the user's own file counts (``scopes``).
    "stores": Paths([]),
}


def _defaults() -> Settings:
    found: dict[str, Any] = {}
    for path, setting in TABLE.items():
        group, _, name = path.rpartition(".")
        (found.setdefault(group, {}) if group else found)[name] = setting.default
    return cast(Settings, found)  # Of the shape that the names of TABLE give, which a test holds against the classes.


DEFAULTS = _defaults()
# Inclusive bounds of every number.
BOUNDS = {path: (setting.low, setting.high) for path, setting in TABLE.items() if isinstance(setting, Number)}


def defaults() -> Settings:
    """A fresh copy of the default settings."""
    return copy.deepcopy(DEFAULTS)


def read_settings(data: bytes | None) -> tuple[Settings, list[Finding]]:
    """The settings that the bytes of a ``config.json`` give, and the findings; None for a file that is not there.

    A value that is not usable is named and its default taken; the other values still count.
    """
    if data is None:
        return defaults(), []
    try:
        text = data.decode("utf-8-sig")
        top = parse(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return defaults(), [_finding("settings-not-json", line, "not UTF-8", "save it as UTF-8")]
    except JsonError as error:
        return defaults(), [
            _finding(
                "settings-not-json",
                Lines(text).of(error.at),
                error.message,
                f"{error.fix}; until then the defaults hold",
            )
        ]
    if top.kind != "object":
        return defaults(), [
            _finding("settings-not-json", 1, "the file is not a JSON object", 'write an object: {"refresh_every": 15}')
        ]
    return _Reader(text).read(top)


class _Reader:
    """Takes over what a file sets, and notes what cannot be used."""

    def __init__(self, text: str) -> None:
        self.lines = Lines(text)
        self.settings = defaults()
        self.findings: list[Finding] = []

    def read(self, top: Value) -> tuple[Settings, list[Finding]]:
        self._object(top, "", cast("dict[str, Any]", self.settings))
        brackets = self.settings["brackets"]
        if brackets["moderate"] > brackets["fresh"]:
            self._add(
                "settings-value",
                top.keys["brackets"],
                "brackets.moderate is above brackets.fresh",
                "give fresh the larger number",
            )
            self.settings["brackets"] = defaults()["brackets"]
        return self.settings, self.findings

    def _object(self, given: Value, prefix: str, settings: dict[str, Any]) -> None:
        for name, value in given.members.items():
            path, at = prefix + name, given.keys[name]
            setting = TABLE.get(path) if name in settings else None
            if setting is not None:
                found = setting.read(value)
                if found is None:
                    self._wrong(path, at, setting.wanted)
                else:
                    settings[name] = found
            elif name not in settings:
                self._add(
                    "settings-unknown",
                    at,
                    f"there is no setting {path!r}",
                    f"the settings here are: {', '.join(sorted(settings))}",
                )
            elif value.kind == "object":
                self._object(value, path + ".", settings[name])
            else:
                self._wrong(path, at, "an object")

    def _wrong(self, path: str, at: int, wanted: str) -> None:
        self._add("settings-value", at, f"{path} is not {wanted}", f"write {wanted}; until then the default holds")

    def _add(self, code: str, at: int, message: str, fix: str) -> None:
        self.findings.append(_finding(code, self.lines.of(at), message, fix))


def written_settings(settings: Settings) -> WrittenSettings:
    """The settings that the artefact's header holds."""
    return {
        "brackets": settings["brackets"],
        "limits": settings["limits"],
        "match": settings["match"],
        "refresh_every": settings["refresh_every"],
    }


def _is_text(text: str) -> bool:
    """Whether ``text`` has no lone surrogates (\\ud800 in JSON), which no file's name holds."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _finding(code: str, line: int, message: str, fix: str) -> Finding:
    return Finding(code, CODES[code].severity, FILE, line, message, fix)


CODES = {
    "settings-not-json": Code("error", "config.json cannot be read as a JSON object."),
    "settings-unknown": Code("error", "config.json holds a name that is no setting."),
    "settings-value": Code("error", "A setting has a value that cannot be used; its default holds."),
}
