"""The goals and whether a result meets them. Every figure is a ratio of whole processes that took turns."""

from .figures import OWN, PEERS
from .git_ops import HOOKED, WITHOUT
from .timing import BARE

SIZES = ("140", "2000", "20000", "100000")


class Goal:
    """``value`` is None where the result did not measure it. ``least``: the goal is a lower bound."""

    def __init__(self, what, goal, value, least=False, unit="x"):
        self.what, self.goal, self.value, self.least, self.unit = what, goal, value, least, unit

    @property
    def met(self):
        return self.value >= self.goal if self.least else self.value <= self.goal

    @property
    def bound(self):
        return f"{'≥' if self.least else '≤'} {self.goal:g}{self.unit}"

    @property
    def shown(self):
        return f"{self.value:.2f}{self.unit}" if self.value < 10 else f"{self.value:.0f}{self.unit}"


def goals(result):
    """The goals that ``result`` can answer, in the order of the table."""
    found = [*_hook(result), *_peers(result), *_store(result), *_git(result)]
    return [goal for goal in found if goal.value is not None]


def _hook(result):
    yield Goal(
        "hook, 140 pages of 3 KB, 3 injected, ledger on / bare interpreter",
        1.3,
        result.ratio("hook", "three", "140x3KB", OWN),
    )
    for size in SIZES[2:]:
        yield Goal(
            f"hook, {int(size):,} pages / its own time at 140 pages", 1.15, result.apart("three", size, "three", "140")
        )
    for size in SIZES[2:]:
        yield Goal(f"hook, peak memory at {int(size):,} pages / bare interpreter", 1.3, _peak(result, size))
    largest = _largest(result)
    yield Goal(
        f"hook, a keyword that thousands of pages share / one that 3 share ({int(largest):,} pages)",
        2.0,
        result.ratio("keyword", "shared", largest, "thousands of pages", "three pages"),
    )
    yield Goal("hook, a 200 KB paste in the prompt / bare interpreter", 1.6, result.ratio("hook", "paste", "140", OWN))


def _peers(result):
    for size, least in (("140", 4.5), ("20000", 140.0)):
        yield Goal(
            f"scan with python-frontmatter / hook, {int(size):,} pages",
            least,
            against(result, "frontmatter_scan", size),
            least=True,
        )
    yield Goal(
        "tuned plain-text scan / hook, 140 pages (level is 1)",
        0.95,
        against(result, "plain_scan_tuned", "140"),
        least=True,
    )
    for size in SIZES:
        others = [
            (against(result, name, size), name) for name in PEERS if not (name == "plain_scan_tuned" and size == "140")
        ]
        others = [pair for pair in others if pair[0]]
        if others:
            value, name = min(others)
            yield Goal(f"nearest other peer ({name}) / hook, {int(size):,} pages", 1.0, value, least=True)


def _store(result):
    largest = _largest(result)
    entry = result.store(largest)
    if entry:
        yield Goal(f"artefact / bytes of the pages, {int(largest):,} pages", 1.3, entry["artefact"] / entry["bytes"])
    full = result.timing("build", "full and verify", largest)
    small = result.timing("build", "small", largest)
    if full and small:
        yield Goal(
            f"build after one edit / full build, {int(largest):,} pages",
            3.0,
            100 * small["one edit"].ms / full["full build"].ms,
            unit=" %",
        )
        yield Goal(f"verify / full build, {int(largest):,} pages", 1.2, full["verify"].ratio(full["full build"]))
    before = result.timing("build", "full and verify", "2000")
    if full and before and largest != "2000":
        yield Goal(
            f"full build, time per page at {int(largest):,} / at 2,000 pages",
            1.25,
            (full["full build"].ms / int(largest)) / (before["full build"].ms / 2000),
        )


def _git(result):
    """The worst of the operations that change no page: what is beyond 1.5 times the same without hooks."""
    beyond = []
    for entry in result.data["timings"]:
        found = result.timing("git", entry["case"], entry["store"]) if entry["figure"] == "git" else {}
        if BARE in found and "no page" in entry["case"]:
            beyond.append(((found[HOOKED].ms - 1.5 * found[WITHOUT].ms) / found[BARE].ms, entry["case"]))
    if beyond:
        value, case = max(beyond)
        yield Goal(f"git, {case} (the worst): what is beyond 1.5x of it without hooks", 2.0, value, unit=" starts")


def against(result, peer, size):
    """How many times the peer's wall time is the hook's, round by round."""
    return result.ratio(f"peer {peer}", "three", size, peer, OWN)


def _peak(result, size):
    found = result.timing("hook", "three", size)
    return found[OWN].peak / found[BARE].peak if found else None


def _largest(result):
    measured = [size for size in SIZES if result.store(size)]
    return measured[-1] if measured else SIZES[0]
