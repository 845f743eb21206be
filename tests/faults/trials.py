"""One fault in one scene: what stands right after it, and after the next plain run."""

import copy
import json
import os

from . import inject
from .scenes import ASKED, SCENES, guarded, settle
from .world import HANGS, may_be, of_the_moment

FRESH = "fresh session "
KILLS = ("kill", "half")


class Trial:
    """``scene`` (its name), ``fault`` (kind, at, lasting), ``second``: the call at which the run after it is killed
    too, or 0."""

    def __init__(self, scene, kind, at, lasting=False, second=0):
        self.scene, self.kind, self.at, self.lasting, self.second = scene, kind, at, lasting, second

    @property
    def is_kill(self):
        return self.kind in KILLS

    def label(self):
        return "%s|%s|%d|%s|%d" % (self.scene, self.kind, self.at, "lasting" if self.lasting else "once", self.second)

    @classmethod
    def of(cls, label):
        scene, kind, at, lasting, second = label.split("|")
        return cls(scene, kind, int(at), lasting == "lasting", int(second))


class Base:
    """What a scene is like without a fault: ``before`` and ``after`` the command, and at the ``final`` look, as
    snapshots; ``lines``: every line that the prompt hook rightly says in one of these states."""

    def __init__(self, world, scene):
        self.lines = set()
        self.plain = set()
        self.said = {}
        problems = []
        begin(world, scene)
        self.before = world.snapshot()
        # Asking writes a ledger, so it is done on a state of its own.
        self.said["before"] = self._ask(world)
        begin(world, scene)
        done = scene.run(world, None)
        assert done.status in (0, 1), (scene.name, done.status, done.out, done.err)
        self.after = world.snapshot()
        if scene.name.startswith("hook: ") and "prompt" in scene.name:
            self._learn(context_of(done, []))
        self.said["after"] = self._ask(world)
        begin(world, scene)
        scene.run(world, None)
        self.final, context = finish(world, scene, problems, None)
        self._learn(context)
        self.said["final"] = context
        assert not problems, (scene.name, problems)
        for found in (self.before, self.after, self.final):
            self._learn_pages(found)
        self.plain.update(plain_line(line) for line in self.lines)
        self.original = {}
        if scene.hooks:
            world.begin()
            guarded(world)
            self.original = world.snapshot()
        self.person = {name: found for name, found in self.before.items() if is_persons(name, found)}

    def with_catalogue(self, found, catalogue):
        """The same with the catalogue's lines in the order in which they are in a snapshot, and its artefact."""
        other = copy.copy(self)
        other.final = {name: known for name, known in self.final.items()
                       if not (name.startswith("/work") and is_artefacts(name)) and "/.index/current" not in name}
        other.final.update({name: known for name, known in found.items()
                            if name.startswith("/work") and (is_artefacts(name) or "/.index/current" in name)})
        other.final[catalogue] = found[catalogue]
        return other

    def current(self):
        """The keys of the artefacts that are current in the end."""
        return {found[2].decode().strip() for name, found in self.final.items() if name.endswith("/.index/current")}

    def _ask(self, world):
        done = world.prompt(ASKED, session="a")
        return self._learn(context_of(done, []))

    def _learn(self, context):
        self.lines.update(context.split("\n"))
        return context

    def right(self, context):
        """The lines of ``context`` that are not the right text of any state."""
        return [line for line in context.split("\n")
                if line not in self.lines and plain_line(line) not in self.plain]

    def _learn_pages(self, found):
        """Take note of what may be said of the pages in a snapshot, in whatever form: which form depends on what else
        came, and a catalogue that could not be read gives no line."""
        for name, (kind, _, data) in found.items():
            if kind != "file" or "/memory/" not in name or not name.endswith(".md") or name.endswith("/index.md"):
                continue
            text = data.decode()
            body = text.split("---\n", 2)[-1]
            title = next((line[2:] for line in body.split("\n") if line.startswith("# ")), "")
            file = name.rpartition("/")[2]
            shown, scope = (".abcd/memory/", "workspace") if name.startswith("/work") else (
                "~/.abcd.noindex/memory/", "user")
            self.lines.update(body.split("\n"))
            self.plain.add("## %s  (%s%s · %s" % (title, shown, file, scope))
            self.plain.add("- `%s` — session_memory | (no domain) | %s" % (file, title))


def plain_line(line):
    """A line without what depends on how much matched: the words, remarks, a count of those left out."""
    if line.startswith("## "):
        return line.partition(" · matched:")[0]
    if line.startswith("- `"):
        return line.partition("  (")[0]
    if line.startswith("(") and line.endswith(("match)", "matches)")):
        return ""
    return line


def is_persons(name, found):
    """Whether somebody wrote this file: pages, settings, hooks of their own."""
    return found[0] == "file" and ("/memory/" in name or name.endswith((
        "/rules.json", "/config.json", ".claude/settings.json", "/README.md", "/.gitconfig"))) and "/.index/" not in name


def begin(world, scene):
    world.begin()
    scene.prepare(world)


def context_of(done, problems, when=""):
    """The text in a hook's answer; what is not an answer is a problem."""
    if done.status != 0:
        problems.append("wrong: %sthe prompt hook ended with %d: %s" % (when, done.status, done.err[-300:]))
        return ""
    if done.err:
        problems.append("wrong: %sthe prompt hook wrote to stderr: %s" % (when, done.err[-300:]))
    if not done.out:
        return ""
    try:
        return json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        problems.append("wrong: %sthe prompt hook printed %r" % (when, done.out[:200]))
        return ""


def attempt(world, scene, base, trial):
    """The list of problems that a Trial shows; [] when all is well. None: the call was not reached."""
    problems = []
    begin(world, scene)
    done = scene.run(world, inject.Fault(trial.kind, trial.at, trial.lasting))
    if len(done.calls) < trial.at:
        return None
    if trial.is_kill:
        if done.status != -9:
            problems.append("wrong: it was to be killed and ended with %d" % done.status)
    else:
        problems += clean_end(scene, base, done)
    problems += right_after(world, scene, base)
    if trial.second:
        settle()
        scene.run(world, inject.Fault("kill", trial.second))
        problems += right_after(world, scene, base)
    found, context = finish(world, scene, problems, base)
    problems += compared(base, found, context)
    return problems


def clean_end(scene, base, done):
    """Under an error a command says what is wrong, or does its work; a hook says one object or nothing."""
    problems = []
    if done.status < 0:
        return ["wrong: it hung for %d s" % HANGS if done.status == -14 else "wrong: it died of signal %d" % -done.status]
    if "Traceback" in done.err or "Exception ignored" in done.err:
        problems.append("wrong: a traceback: " + done.err[-600:])
    elif scene.name.startswith(("hook", "git hook")):
        if done.status:
            problems.append("wrong: a hook ended with %d: %s" % (done.status, done.err[-200:]))
        if scene.name.startswith("hook: ") and "prompt" in scene.name:
            strange = base.right(context_of(done, problems))
            if strange:
                problems.append("wrong: text that no page holds: %r" % strange[:3])
    elif done.status not in (0, 1, 2):
        problems.append("wrong: ended with %d: %s" % (done.status, done.err[-300:]))
    elif done.status and not (done.err.strip() or done.out.strip()):
        problems.append("wrong: ended with %d and said nothing" % done.status)
    return problems


def right_after(world, scene, base):
    """Nothing that somebody wrote is lost, no file is torn, the prompt hook says what is right or nothing."""
    problems = []
    found = world.snapshot()
    for name, known in base.person.items():
        if name not in found:
            if name in base.after:
                problems.append("lost: %s is gone" % name)
        elif only_lines_added(name, known[2], found[name][2], base.final.get(name, known)[2]):
            continue
        elif found[name][2] not in (known[2], base.after.get(name, known)[2], base.final.get(name, known)[2]):
            problems.append("lost: %s is neither old nor new" % name)
    for name, (kind, _, data) in found.items():
        if kind == "file" and not of_the_moment(name) and not may_be(name) and name not in base.person:
            states = [known[name][2] for known in (base.before, base.after, base.final) if name in known]
            if states and data not in states and not (name.endswith("/.index/current") and is_key(data)):
                problems.append("wrong: %s is torn" % name)
    if scene.hooks:
        problems += own_hooks_run(world, "right after, ")
    strange = base.right(context_of(world.prompt(ASKED, session="right after"), problems, "right after, "))
    if strange:
        problems.append("wrong: right after, text that no page holds: %r" % strange[:3])
    return problems


def own_hooks_run(world, when):
    """A real commit runs somebody's own hooks once each."""
    log = world.folder / "log"
    if log.exists():
        log.unlink()
    done = world.program("git", "commit", "-q", "--allow-empty", "-m", "x", check=False, ABCD_INDEX="0")
    said = log.read_text() if log.exists() else ""
    problems = []
    if done.returncode or said != "python\n":
        problems.append("lost: %stheir post-commit hook ran %d times; git: %d %s" % (
            when, said.count("python"), done.returncode, done.stderr[:200]))
    if log.exists():
        log.unlink()
    done = world.program("git", "checkout", "-q", "HEAD", check=False, ABCD_INDEX="0")
    said = log.read_text() if log.exists() else ""
    if done.returncode or said != "shell\n":
        problems.append("lost: %stheir post-checkout hook ran %d times; git: %d %s" % (
            when, said.count("shell"), done.returncode, done.stderr[:200]))
    if log.exists():
        log.unlink()
    return problems


def finish(world, scene, problems, base):
    """Run the command again and a build; then look: (snapshot, what the prompt hook says)."""
    if base is not None:
        world.age(set(base.final) | set(base.before))
    settle()
    again = scene.again(world)
    if again.status not in (0, 1):
        problems.append("wrong: run again it ended with %d: %s" % (again.status, again.err[-300:]))
    if scene.hooks:
        problems += own_hooks_run(world, "run again, ")
    checked = world.cli("build", "-q", then=("verify",))
    if checked.status:
        problems.append("wrong: the next build, and verify, ended with %d: %s" % (
            checked.status, (checked.err + checked.out)[-500:]))
    context = context_of(world.prompt(ASKED, session=FRESH), problems, "at last, ")
    found = world.snapshot()
    if scene.hooks and base is not None:
        world.cli("uninstall")
        gone = world.snapshot()
        for name in ("/work/.git/hooks/post-commit", "/work/.git/hooks/post-checkout", "/work/.claude/settings.json"):
            if gone.get(name) != base.original[name]:
                problems.append("lost: %s after uninstall is not what it was" % name)
    return found, context


def compared(base, found, context):
    """How the final state differs from that of a run without a fault."""
    problems = []
    catalogue = "/work/.abcd/memory/index.md"
    if catalogue in found and catalogue in base.final and found[catalogue] != base.final[catalogue] and sorted(
            found[catalogue][2].split(b"\n")) == sorted(base.final[catalogue][2].split(b"\n")):
        # A page that could not be read has its line behind the others' then. It is another key; `verify` has judged it.
        base = base.with_catalogue(found, catalogue)
    if context != base.said["final"]:
        problems.append("wrong: at last the prompt hook says %r" % context[:300])
    current = base.current()
    for name in base.final.keys() - found.keys():
        # Older artefacts help to be fast and may go.
        if not may_be(name) and (not is_artefacts(name) or os.path.basename(name)[:40] in current):
            problems.append("%s: at last %s is not there" % ("lost" if name in base.person else "wrong", name))
    for name, (kind, mode, data) in found.items():
        if may_be(name):
            continue
        if name not in base.final:
            if not is_artefacts(name):
                problems.append("wrong: litter: %s" % name)
            continue
        known = base.final[name]
        if (kind, mode) != known[:2]:
            problems.append("wrong: at last %s is a %s of mode %o, not a %s of %o" % (name, kind, mode, *known[:2]))
        elif data != known[2] and not of_the_moment(name):
            problems.append("%s: at last %s has other bytes" % ("lost" if name in base.person else "wrong", name))
    return problems


def only_lines_added(name, before, now, final):
    """Whether a catalogue holds all its lines and, besides, some of those that it is to get."""
    if not name.endswith("/memory/index.md"):
        return False
    old, lines = before.split(b"\n"), now.split(b"\n")
    return all(line in lines for line in old) and all(line in old or line in final.split(b"\n") for line in lines)


def is_key(data):
    """Whether ``current`` holds a whole key: one of a state in between, as when a page could not be read."""
    return len(data) == 41 and all(byte in b"0123456789abcdef" for byte in data[:40])


def is_artefacts(name):
    """An artefact of a state in between (a page could not be read) is kept like any other, with its sidecars; in a
    place as well."""
    leaf = os.path.basename(name)
    return ("/.index/" in name or name.startswith("/place/")) and len(leaf) > 40 and all(c in "0123456789abcdef" for c in leaf[:40])


def counts(world, scene):
    """{kind of fault: how many calls it has to choose from}."""
    begin(world, scene)
    names = scene.run(world, inject.Fault("all")).calls
    return {kind: sum(inject.hits(kind, name) for name in names) for kind in (*KILLS, *inject.ERRORS)}


def all_kills(counts):
    for scene in SCENES:
        for kind in KILLS:
            for at in range(1, counts[scene.name][kind] + 1):
                yield Trial(scene.name, kind, at)


def second_kills(counts):
    """The first run killed, and the one that follows as well."""
    number = 0
    while True:
        for scene in SCENES:
            most = counts[scene.name]["kill"]
            if most:
                number += 1
                yield Trial(scene.name, "kill", 1 + number * 7 % most, second=1 + number * 3 // 2 % most)


def all_errors(counts):
    for scene in SCENES:
        for kind in inject.ERRORS:
            for at in range(1, counts[scene.name][kind] + 1):
                for lasting in (False, True):
                    yield Trial(scene.name, kind, at, lasting)


__all__ = ["Base", "Trial", "all_errors", "all_kills", "attempt", "counts", "second_kills"]
