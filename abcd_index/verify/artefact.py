"""Holds the artefact on disk against the one that the pages make, and against the format's specification.

Two independent questions: is every byte what a build of these pages writes, and does a parser that knows
only ``docs/format.md`` find the pages in it?
"""

import os

from abcd_index import fs
from abcd_index.artefact.format import CURRENT, SUFFIX, TRACKED
from abcd_index.artefact.reader import current_key
from abcd_index.artefact.times import Times
from abcd_index.build.key import RECORDS_VERSION
from abcd_index.errors import ArtefactMissing, CannotTell
from abcd_index.settings import written_settings
from abcd_index.store.records import Finding
from abcd_index.text.normalise import TOKENS_VERSION
from abcd_index.verify.codes import ARTEFACT
from abcd_index.verify.contents import Contents, Headlines
from abcd_index.verify.format import decode, peek
from abcd_index.verify.json_parser import Torn, Wrong

REBUILD = "run `abcd-index build`"
FORCE = "find out who changed it, then run `abcd-index build --force`"
# Pages that a stale artefact's finding names; the rest is counted.
NAMED = 3


def judge(scope, fresh, require):
    """(state, findings) of the scope's artefact. ``fresh``: what the files say now, with its assembly.

    ``state``: missing, current, stale, torn or wrong. ``require``: a missing artefact is a finding.
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
        return "missing", found
    with file:
        shown = f".index/{key}{SUFFIX}"
        try:
            header = peek(file.readline())
            file.seek(0)
            if header.get("key") != key != TRACKED:
                raise Torn(f"its key is {header.get('key')!r}, its name says {key}")
            return _judge(scope, fresh, file, shown, header)
        except Torn as error:
            return "torn", [_finding("artefact-torn", shown, f"the artefact is damaged: {error}", REBUILD)]


def _judge(scope, fresh, file, shown, header):
    size = os.fstat(file.fileno()).st_size
    if header["key"] != fresh.key:
        return _stale(scope, fresh, file, size, shown, header)
    at = _first_difference(fresh, file)
    file.seek(0)
    contents = Contents(fresh)
    try:
        decoded = decode(file, size, contents)
    except Wrong as error:
        message = f"the artefact is not as its format says: {error}"
        code = "artefact-not-to-format" if at is None else "artefact-not-reproducible"
        return "wrong", [_finding(code, shown, message, FORCE)]
    differences = contents.differences(decoded)
    if at is not None:
        what = differences[0] if differences else f"byte {at:,} is another one"
        message = f"it has the key of these pages but another content than they make: {what}"
        return "wrong", [_finding("artefact-not-reproducible", shown, message, FORCE)]
    if differences:
        return "wrong", [_finding("artefact-not-the-pages", shown, f"it does not hold what they say: {sentence}", FORCE)
                         for sentence in differences[:NAMED]]
    return "current", []


def _stale(scope, fresh, file, size, shown, header):
    for what, mine in (("tokens", TOKENS_VERSION), ("records", RECORDS_VERSION)):
        if header.get(what) != mine:
            # It would be another artefact of the same pages too: that says nothing about the pages.
            raise CannotTell(f"{scope.display(shown)} was built by another version of abcd-index "
                             f"({what} {header.get(what)}, this one has {mine})", REBUILD)
    headlines = Headlines(fresh)
    try:
        decode(file, size, headlines)
    except Wrong as error:
        return "wrong", [_finding("artefact-not-to-format", shown,
                                  f"the artefact is not as its format says: {error}", REBUILD)]
    changed = _changed(scope, fresh, header["key"], headlines)
    if not changed and header["settings"] != written_settings(fresh.settings):
        return "stale", [_finding("artefact-stale", "config.json", "it was built with other settings", REBUILD)]
    if not changed:
        return "stale", [_finding("artefact-stale", ".index/current",
                                  "catalogue, rules or settings changed since it was built", REBUILD)]
    first = changed[0][1] if changed[0][0] != "removed" else ".index/current"
    return "stale", [_finding("artefact-stale", first, _since(scope, changed), REBUILD)]


def _changed(scope, fresh, key, headlines):
    """[(what, file)] of pages that differ, by file name: what is changed, added or removed."""
    found = headlines.pages_that_differ()
    times = Times.open(scope.index, key)
    if times is not None:
        # The sidecar knows the content of each file, also where the change shows in no record.
        known = {file for _, file in found}
        for number, name in enumerate(headlines.files):
            row, now = times.row(number), fresh.hashes.get("memory/" + name)
            if row and now and row[-1].strip() != now and "memory/" + name not in known:
                found.append(("changed", "memory/" + name))
        times.close()
    return sorted(found, key=lambda pair: pair[1])


def _since(scope, changed):
    named = ", ".join(f"{scope.display(file)} {what}" for what, file in changed[:NAMED])
    more = f" and {len(changed) - NAMED:,} more" if len(changed) > NAMED else ""
    return f"the artefact was built from other pages: {named}{more}"


def _missing(scope):
    try:
        return f"`current` names {current_key(scope.index)}{SUFFIX}, which is not there"
    except ArtefactMissing:
        return "no artefact of these pages has been built here"


def _open(path):
    """The artefact as a binary file. A link could lead anywhere, and a pipe would wait for ever."""
    try:
        return fs.opened(path)
    except (OSError, ValueError):
        raise ArtefactMissing(f"no artefact at {path}") from None


def _first_difference(fresh, file):
    """Where the file differs from what the pages make, or None."""
    comparer = _Comparer(file)
    fresh.assembly.write(comparer, fresh.key, written_settings(fresh.settings))
    return comparer.end()


class _Comparer:
    """Is written to like a file and holds what it gets against another one, so that neither is in memory."""

    def __init__(self, file):
        self.file = file
        self.at = 0
        self.difference = None

    def write(self, data):
        if self.difference is None:
            there = self.file.read(len(data))
            if there != data:
                same = next((n for n, (a, b) in enumerate(zip(there, data)) if a != b), min(len(there), len(data)))
                self.difference = self.at + same
        self.at += len(data)

    def tell(self):
        return self.at

    def end(self):
        if self.difference is None and self.file.read(1):
            self.difference = self.at
        return self.difference


def _finding(code, file, message, fix):
    return Finding(code, ARTEFACT[code].severity, file, None, message, fix)
