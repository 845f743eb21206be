"""``python -m benchmarks.prompts [--set FOLDER] [--keywords author|suggested|none|all]``: does a prompt bring its page?

Runs the hook over a set of notes and prompts, beside a substring hook, BM25 and a small embedding model, and prints
precision, recall, F1 with its 95 % interval, how often the best page came, how often nothing came where nothing was
wanted, and what came wrongly. ``--chats`` runs a set's whole chats, each as one session; there a page that its chat was
given before need not come again. Peers that are not installed are left out, and it is said how to install them.
``--save`` keeps the figures for docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.prompts import peers, table
from benchmarks.prompts.scoring import Answer, Chats, Scores, chats, interval, scores, without_given
from benchmarks.prompts.sets import OWN, Asked, PromptSet, read_set
from benchmarks.prompts.workspace import AUTHOR, KEYWORDS, Workspace

HOOK, SUBSTRING = "hook", "substring"
SYSTEMS = (HOOK, SUBSTRING, *peers.RANKED)
Answers = dict[str, Answer]


class Bench:
    """The stores of a set, built with one kind of keywords below the folder ``root``."""

    def __init__(self, root: Path, given: PromptSet, keywords: str) -> None:
        self.given = given
        self.stores: dict[str, Workspace] = {}
        for number, name in enumerate(given.stores()):
            folder = root / str(number)
            folder.mkdir(parents=True)
            self.stores[name] = Workspace(folder, [note for note in given.notes if note.store == name], keywords)

    def ask(self, prompts: Sequence[Asked], in_processes: bool = False) -> Answers:
        """The hook's answers, asked in this order."""
        return {prompt.id: self.stores[prompt.store].ask(prompt, in_processes) for prompt in prompts}

    def answers(self, system: str) -> Answers:
        """What a system brings for the judged prompts. Raises ImportError where it is not installed."""
        prompts = self.given.prompts
        if system == HOOK:
            return self.ask([prompt._replace(chat="") for prompt in prompts])
        found: Answers = {}
        rankings: dict[str, peers.Ranking] = {}
        for name, store in self.stores.items():
            mine = [prompt for prompt in prompts if prompt.store == name]
            if system == SUBSTRING:
                found.update(peers.substring(store.pages(), mine))
            else:
                rankings.update(peers.RANKED[system](store.pages(), mine))
        return found if system == SUBSTRING else peers.cross_validated(prompts, rankings)


def measure(bench: Bench, systems: Sequence[str]) -> dict[str, Answers]:
    """{system: answers}; a system that is not installed is named on stderr and left out."""
    found = {}
    for system in systems:
        try:
            found[system] = bench.answers(system)
        except ImportError as error:
            print(f"left out {system}: {error} ({peers.INSTALL})", file=sys.stderr)
    return found


def figures(given: PromptSet, answers: Answers) -> dict[str, object]:
    """The Scores and F1's interval as JSON has them, shares to three places."""
    row = {**scores(given.prompts, answers)._asdict(), "f1_interval": interval(given.prompts, answers)}
    return {name: _rounded(value) for name, value in row.items()}


def _rounded(value: object) -> object:
    if isinstance(value, tuple):
        return [_rounded(one) for one in value]
    return round(value, 3) if isinstance(value, float) else value


def run(given: PromptSet, options: argparse.Namespace) -> dict[str, dict[str, dict[str, object]]]:
    """Measure and print; return {keywords: {system: figures}}."""
    found = {}
    for keywords in KEYWORDS if options.keywords == "all" else (options.keywords,):
        with tempfile.TemporaryDirectory(prefix="abcd-prompts-") as root:
            bench = Bench(Path(root), given, keywords)
            if options.chats:
                print(table.of_chats(keywords, *_chats(bench)))
                continue
            answers = measure(bench, options.systems)
        found[keywords] = {system: figures(given, came) for system, came in answers.items()}
        print(table.of_systems(keywords, found[keywords]))
        if options.kinds and HOOK in answers:
            print(table.of_kinds(given.prompts, answers[HOOK]))
    return found


def _chats(bench: Bench) -> tuple[Chats, Scores | None]:
    """The Chats figures of the set's chats, and the Scores of those turns that were judged (None without any)."""
    answers = bench.ask(bench.given.turns)
    judged = [turn for turn in without_given(bench.given.turns, answers) if turn.rel is not None]
    return chats(bench.given.turns, answers), scores(judged, answers) if judged else None


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.prompts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", metavar="FOLDER", type=Path, default=OWN, help="a set (default: the one kept here)")
    parser.add_argument("--keywords", choices=(*KEYWORDS, "all"), default=AUTHOR, help="whose keywords the pages have")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS, help="which systems (default: all)")
    parser.add_argument("--kinds", action="store_true", help="the hook's figures for each kind of prompt too")
    parser.add_argument("--chats", action="store_true", help="each chat of the set as one session, the hook only")
    parser.add_argument("--save", action="store_true", help=f"keep the figures in {table.RESULTS.name}")
    options = parser.parse_args()
    given = read_set(options.set)
    if options.chats and not given.turns:
        parser.error("no prompt of this set has `chat`")
    if options.save and (options.set != OWN or options.chats):
        parser.error("--save keeps the figures of the set that is kept here")
    found = run(given, options)
    if options.save:
        save(given, found)
    return 0


def save(given: PromptSet, found: dict[str, dict[str, dict[str, object]]]) -> None:
    """Keep the figures, with what they were taken with."""
    from benchmarks import machine  # Needs POSIX; the rest does not.

    kinds = Counter(prompt.kind for prompt in given.prompts)
    data = {
        "taken": datetime.date.today().isoformat(),
        "commit": machine.commit(),
        "command": "python -m benchmarks.prompts --keywords all --save",
        "notes": len(given.notes),
        "prompts": len(given.prompts),
        "unwanting": sum(not prompt.rel for prompt in given.prompts),
        "otherwords": kinds["otherwords"],
        "homographs": kinds["none-homograph"],
        "figures": found,
    }
    table.RESULTS.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
