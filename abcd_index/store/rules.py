"""``rules.json`` -> domains: short rules that come when a prompt touches their words.

    {"schema_version": 1, "disabled": false, "domains": {"NAME": {"state": "active", "recall": [...],
     "aliases": [...], "exclude": [...], "rules": [...]}}}

What the fields mean here, after abcd's rules loader (``state``, ``disabled``, ``aliases``, the star) and
CARL's (``exclude``):

* ``disabled: true`` is the switch for all: no domain is compiled, and ``*NAME`` does not help
* ``state``: ``active`` (also when it is missing or empty) - the domain's words bring it; ``dormant`` - only
  ``*NAME`` at a word start brings it
* ``recall``: the words that bring it, matched as a page's keywords are
* ``aliases``: further words of the same kind, kept apart only because abcd's own files do so
* ``exclude``: none of the words bring it when one of these is in the prompt; ``*NAME`` still does
* ``rules``: the texts that come, in their order
* ``NAME``: capital letters, digits and ``_``, starting with a letter

A mistake takes down the smallest thing it can: an item, then a field, then a domain. Only a file that is
no JSON, or has another ``schema_version``, yields no domain at all.
"""

from __future__ import annotations

import re

from abcd_index.store.json_positions import JsonError, Lines, Value, parse
from abcd_index.store.records import Domain, Finding, Notes
from abcd_index.store.text import BIDI, decode, quoted, visible_form

FILE = "rules.json"
MAX_BYTES = 256 * 1024
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
STATES = ("active", "dormant")
TOP = ("schema_version", "disabled", "domains")
WORDS = ("recall", "aliases", "exclude")
DOMAIN = ("state",) + WORDS + ("rules",)


def read_rules(data: bytes) -> tuple[tuple[Domain, ...], list[Finding]]:
    """(the domains sorted by name, the findings) of the bytes of a ``rules.json``. Pure, never raises."""
    notes = Notes(FILE)
    if len(data) > MAX_BYTES:
        notes.add("rules-too-large", None, f"{len(data):,} bytes, more than {MAX_BYTES:,}", "move text to pages")
        return (), notes.found
    if data.startswith(b"\xef\xbb\xbf"):
        notes.add("rules-bom", 1, "the file starts with a byte order mark", "save it as UTF-8 without one")
    text = decode(data, notes)
    if text is None:
        return (), notes.sorted()
    reader = _Reader(notes, text)
    try:
        domains = reader.domains(parse(text))
    except JsonError as error:
        domains = ()
        reader.add("rules-not-json", error.at, f"not valid JSON: {error.message}", error.fix)
    return domains, notes.sorted()


class _Reader:
    """Reads the parsed file, noting what is wrong where."""

    def __init__(self, notes: Notes, text: str) -> None:
        self.notes = notes
        self.lines = Lines(text)

    def add(self, code: str, at: int, message: str, fix: str) -> None:
        """Note a finding at an offset in the file."""
        self.notes.add(code, self.lines.of(at), message, fix)

    def domains(self, top: Value) -> tuple[Domain, ...]:
        if not self._is(top, "object", "the file", '{"schema_version": 1, "domains": {}}'):
            return ()
        self._keys(top, TOP, "the file")
        usable = self._version(top)
        disabled = self._disabled(top)
        found = []
        domains = top.get("domains")
        if domains is not None and self._is(domains, "object", "`domains`", '{"NAME": {"rules": [...]}}'):
            self._twice(domains)
            for name, value in domains.members.items():
                domain = self._domain(name, domains.keys[name], value)
                if domain is not None:
                    found.append(domain)
        if not usable or disabled:
            return ()
        return tuple(sorted(found, key=lambda domain: domain.name))

    def _version(self, top: Value) -> bool:
        value = top.get("schema_version")
        if value is None:
            self.add(
                "rules-unknown-key", top.start, "`schema_version` is missing; 1 is assumed", 'write "schema_version": 1'
            )
            return True
        if value.kind == "number" and value.scalar == "1":
            return True
        self.add(
            "rules-schema-version",
            value.start,
            f"schema_version is {_shown(value)}; this release reads 1",
            "write 1, or upgrade abcd-index",
        )
        return False

    def _disabled(self, top: Value) -> bool:
        """Whether all is switched off; a value that is neither true nor false switches off as well."""
        value = top.get("disabled")
        if value is None:
            return False
        if value.kind != "boolean":
            self.add(
                "rules-wrong-type",
                value.start,
                f"`disabled` is {_shown(value)}, not true or false; no domain is compiled",
                "write true or false",
            )
            return True
        return value.scalar is True

    def _domain(self, name: str, at: int, value: Value) -> Domain | None:
        if not NAME.fullmatch(name):
            self.add(
                "rules-domain-name",
                at,
                f"the domain's name is {quoted(name)!r}",
                "use capital letters, digits and _ (AUTH, GIT_FLOW)",
            )
            return None
        if not self._is(value, "object", f"`{name}`", '{"recall": [...], "rules": [...]}'):
            return None
        self._keys(value, DOMAIN, f"`{name}`")
        state = self._state(name, value)
        if state is None:
            return None
        words = {key: self._texts(name, key, value) for key in WORDS}
        rules = self._texts(name, "rules", value)
        if not rules and state == "active":
            self.add(
                "rules-empty", at, f"`{name}` has no rules, so nothing can come of it", "write its rules, or delete it"
            )
        return Domain(name, state, words["recall"], words["aliases"], words["exclude"], rules)

    def _state(self, name: str, domain: Value) -> str | None:
        value = domain.get("state")
        if value is None or value.text == "":
            return "active"
        if value.text in STATES:
            return value.text
        self.add(
            "rules-domain-state",
            value.start,
            f"the state of `{name}` is {_shown(value)}",
            'write "active" or "dormant"',
        )
        return None

    def _texts(self, name: str, key: str, domain: Value) -> tuple[str, ...]:
        """The texts of a list. Words are cleaned as a page's keywords are; rules are kept as written."""
        value = domain.get(key)
        if value is None or not self._is(value, "list", f"`{key}` of `{name}`", '["..."]'):
            return ()
        found: dict[str, str] = {}
        for item in value.items:
            # An error code is a fine keyword, also without quotes.
            number = item.kind == "number" and key != "rules"
            if not number and not self._is(item, "text", f"an item of `{key}` of `{name}`", '"..."'):
                continue
            text = self._clean(name, key, item)
            if text:
                found.setdefault(text if key == "rules" else text.casefold(), text)
        return tuple(found.values())

    def _clean(self, name: str, key: str, item: Value) -> str:
        # A lone surrogate (\ud800 in JSON) is no character and could not be written anywhere.
        text = str(item.scalar).encode("utf-8", "replace").decode("utf-8")
        if any(char in BIDI for char in text):
            self.add(
                "bidi-character",
                item.start,
                f"an item of `{key}` of `{name}` holds a bidirectional control",
                "delete it",
            )
        text = text.strip() if key == "rules" else visible_form(text)
        if not text:
            self.add("rules-empty", item.start, f"an item of `{key}` of `{name}` is empty", "delete it")
        return text

    def _is(self, value: Value, kind: str, what: str, example: str) -> bool:
        if value.kind == kind:
            return True
        self.add(
            "rules-wrong-type",
            value.start,
            f"{what} is {_shown(value)}, where {'an object' if kind == 'object' else 'a ' + kind} is expected",
            f"write {example}",
        )
        return False

    def _keys(self, value: Value, known: tuple[str, ...], what: str) -> None:
        self._twice(value)
        for key, at in value.keys.items():
            if key not in known and key[:1] not in ("$", "_"):
                self.add(
                    "rules-unknown-key",
                    at,
                    f"`{quoted(key)}` of {what} is not read",
                    f"the keys here are: {', '.join(known)}",
                )

    def _twice(self, value: Value) -> None:
        for key, first, second in value.twice:
            self.add(
                "rules-duplicate-key",
                second,
                f"`{quoted(key)}` is given twice, on lines "
                f"{self.lines.of(first)} and {self.lines.of(second)}; the later counts",
                "keep one of them",
            )


def _shown(value: Value) -> str:
    if value.kind in ("text", "number"):
        return f"{value.kind} {quoted(str(value.scalar))!r}"
    if value.kind == "boolean":
        return str(value.scalar).lower()
    return {"object": "an object", "list": "a list", "null": "null"}[value.kind]
