"""Holds the artefact on disk against the one that the pages make, and against the format's specification.

Two independent questions: is every byte what a build of these pages writes, and does a parser that knows
only ``docs/format.md`` find the pages in it?
"""

from __future__ import annotations

import os
from typing import Any, BinaryIO, NamedTuple, cast

from abcd_index import fs
from abcd_index.artefact.format import CURRENT, RECORDS_VERSION, SUFFIX, TRACKED
from abcd_index.artefact.reader import current_key
from abcd_index.artefact.times import Times
from abcd_index.errors import ArtefactMissing, CannotTell
from abcd_index.scopes import Scope
from abcd_index.settings import written_settings
from abcd_index.store.records import Finding
from abcd_index.text.normalise import TOKENS_VERSION
from abcd_index.verify.codes import ARTEFACT
from abcd_index.verify.contents import Contents, Difference, Headlines
from abcd_index.verify.format import decode, peek
from abcd_index.verify.json_parser import Corrupt, Wrong
from abcd_index.verify.recompute import Fresh

REBUILD = "run `abcd-index build`"
FORCE = "find out who changed it, then run `abcd-index build --force`"
# Pages that a stale artefact's finding names; the rest is counted.
NAMED = 3


class Verdict(NamedTuple):
    """How an artefact stands: missing, current, stale, torn or wrong; and what is wrong with it."""

    state: str
    findings: list[Finding]


class _File(NamedTuple):
    """The artefact on disk, open at its start. ``shown``: its name in findings."""

    scope: Scope
    file: BinaryIO
    shown: str
    header: dict[str, Any]

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size


def judge(scope: Scope, fresh: Fresh, require: bool) -> Verdict:
    """How the scope's artefact stands. ``fresh``: what the files say now, with its assembly. ``require``: a missing
    artefact is a finding.

    Raises FormatTooNew and CannotTell when another release wrote it.
    """
    try:
        key = current_key(scope.index)
        file = _open(os.path.join(scope.index, key + SUFFIX))
    except ArtefactMissing:
        # Only on a machine that has built is there a `current`; a fresh clone has neither.
        dangling = os.path.lexists(os.path.join(scope.index, CURRENT))
        code = "artefact-missing" if require else "artefact-dangling"
        found = [_finding(code, ".index/current", _missing(scope), REBUILD)] if require or dangling else []
        return Verdict("missing", found)
    with file:
        shown = f".index/{key}{SUFFIX}"
        try:
            header = peek(file.readline())
            file.seek(0)
            if header.get("key") != key != TRACKED:
                raise Corrupt(f"its key is {header.get('key')!r}, its name says {key}")
            return _judge(fresh, _File(scope, file, shown, header))
        except Corrupt as error:
            return Verdict("torn", [_finding("artefact-torn", shown, f"the artefact is damaged: {error}", REBUILD)])


def _judge(fresh: Fresh, there: _File) -> Verdict:
    if there.header["key"] != fresh.key:
        return _stale(fresh, there)
    at = _first_difference(fresh, there.file)
    there.file.seek(0)
    contents = Contents(fresh)
    try:
        decoded = decode(there.file, there.size, contents)
    except Wrong as error:
        return _wrong(
            "artefact-not-to-format" if at is None else "artefact-not-reproducible",
            there,
            f"the artefact is not as its format says: {error}",
        )
    differences = contents.differences(decoded)
    if at is not None:
        what = differences[0] if differences else f"byte {at:,} is another one"
        return _wrong(
            "artefact-not-reproducible",
            there,
            f"it has the key of these pages but another content than they make: {what}",
        )
    if differences:
        return _wrong(
            "artefact-not-the-pages",
            there,
            *(f"it does not hold what they say: {sentence}" for sentence in differences[:NAMED]),
        )
    return Verdict("current", [])


def _wrong(code: str, there: _File, *messages: str) -> Verdict:
    return Verdict("wrong", [_finding(code, there.shown, message, FORCE) for message in messages])


def _stale(fresh: Fresh, there: _File) -> Verdict:
    scope, header = there.scope, there.header
    for what, mine in (("tokens", TOKENS_VERSION), ("records", RECORDS_VERSION)):
        if header.get(what) != mine:
            # It would be another artefact of the same pages too: that says nothing about the pages.
            raise CannotTell(
                f"{scope.display(there.shown)} was built by another version of abcd-index "
                f"({what} {header.get(what)}, this one has {mine})",
                REBUILD,
            )
    headlines = Headlines(fresh)
    try:
        decode(there.file, there.size, headlines)
    except Wrong as error:
        return Verdict(
            "wrong",
            [
                _finding(
                    "artefact-not-to-format", there.shown, f"the artefact is not as its format says: {error}", REBUILD
                )
            ],
        )
    changed = _changed(scope, fresh, header["key"], headlines)
    if changed:
        file = changed[0].file if changed[0].what != "removed" else ".index/current"
        message = _since(scope, changed)
    elif header["settings"] != written_settings(fresh.settings):
        file, message = "config.json", "it was built with other settings"
    else:
        file, message = ".index/current", "catalogue, rules or settings changed since it was built"
    return Verdict("stale", [_finding("artefact-stale", file, message, REBUILD)])


def _changed(scope: Scope, fresh: Fresh, key: str, headlines: Headlines) -> list[Difference]:
    """The pages that differ, by file name."""
    found = headlines.pages_that_differ()
    times = Times.open(scope.index, key)
    if times is not None:
        # The sidecar knows the content of each file, also where the change shows in no record.
        known = {one.file for one in found}
        for number, name in enumerate(headlines.files):
            row, now = times.row(number), fresh.hashes.get("memory/" + name)
            if row and now and row[-1].strip() != now and "memory/" + name not in known:
                found.append(Difference("changed", "memory/" + name))
        times.close()
    return sorted(found, key=lambda one: one.file)


def _since(scope: Scope, changed: list[Difference]) -> str:
    named = ", ".join(f"{scope.display(file)} {what}" for what, file in changed[:NAMED])
    more = f" and {len(changed) - NAMED:,} more" if len(changed) > NAMED else ""
    return f"the artefact was built from other pages: {named}{more}"


def _missing(scope: Scope) -> str:
    try:
        return f"`current` names {current_key(scope.index)}{SUFFIX}, which is not there"
    except ArtefactMissing:
        return "no artefact of these pages has been built here"


def _open(path: str) -> BinaryIO:
    """The artefact as a binary file. A link could lead anywhere, and a pipe would wait for ever."""
    try:
        return fs.opened(path)
    except (OSError, ValueError):
        raise ArtefactMissing(f"no artefact at {path}") from None


def _first_difference(fresh: Fresh, file: BinaryIO) -> int | None:
    """Where the file differs from what the pages make, or None."""
    comparer = _Comparer(file)
    if fresh.assembly is not None:
        # It is written to like a file, and no more of one is asked for.
        fresh.assembly.write(cast(BinaryIO, comparer), fresh.key, written_settings(fresh.settings))
    return comparer.end()


class _Comparer:
    """Is written to like a file and holds what it gets against another one, so that neither is in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.at = 0
        self.difference: int | None = None

    def write(self, data: bytes) -> None:
        if self.difference is None:
            there = self.file.read(len(data))
            if there != data:
                same = next((n for n, (a, b) in enumerate(zip(there, data)) if a != b), min(len(there), len(data)))
                self.difference = self.at + same
        self.at += len(data)

    def tell(self) -> int:
        return self.at

    def end(self) -> int | None:
        if self.difference is None and self.file.read(1):
            self.difference = self.at
        return self.difference


def _finding(code: str, file: str, message: str, fix: str) -> Finding:
    return Finding(code, ARTEFACT[code].severity, file, None, message, fix)
