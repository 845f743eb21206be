"""What is interrupted: each scene is a state of somebody's project, a command, and how it is run again."""

import json
import os

from .world import SETTLE, World  # noqa: F401 - World is named in docstrings


def page(recall, body, title=""):
    return "---\nsource: {class: session_memory}\nrecall: %s\n---\n# %s\n\n%s\n" % (
        json.dumps(recall), title or recall[0].title(), body)


PAGES = {
    "index.md": "# Catalogue\n\n- `pitfall_auth_login.md` — session_memory | auth | Login redirects twice\n"
                "- `note_deploy.md` — session_memory | ops | How a deploy goes\n",
    "pitfall_auth_login.md": page(["login", "auth token"], "The login redirects twice behind the proxy.", "Auth login"),
    "note_deploy.md": page(["deploy", "rollback"], "A deploy needs two approvals.", "Deploy"),
    "note_cache.md": page(["cache"], "The cache key holds the tenant.", "Cache"),
    "note_queue.md": page(["queue", "dead letters"], "Dead letters go to the other queue.", "Queue"),
}
RULES = json.dumps({"schema_version": 1, "domains": {"GIT": {"recall": ["commit"], "rules": ["Write why."]}}})
ASKED = "why does the login fail after a deploy, and is the cache stale?"
USERS = {"me_style.md": page(["login", "editor"], "I like short answers.", "Style")}
OWN_PYTHON = "#!%s\nopen(%r, 'a').write('python\\n')\n"
OWN_SHELL = "#!/bin/sh\necho shell >>%s\n"
SETTINGS = json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "mine"}]}]},
                       "model": "x"}, indent=4) + "\n"


class Scene:
    """``prepare(world)`` makes the state, ``run(world, fault)`` runs the command and returns a Done, ``again`` runs
    it plainly. ``pages``: whether there is an artefact to compare at the end; ``hooks``: whether somebody's own git
    hooks are there; ``status``: the exit statuses that are right."""

    def __init__(self, name, prepare, run, pages=True, hooks=False, session=False, again=None):
        self.name, self.prepare, self.run = name, prepare, run
        self.pages, self.hooks, self.session = pages, hooks, session
        self.again = again or (lambda world: run(world, None))


def store(world, pages=None, home="work/.abcd"):
    for name, text in (PAGES if pages is None else pages).items():
        world.write(f"{home}/memory/{name}", text)


def settle():
    import time

    time.sleep(SETTLE)


def built(world, *more):
    """A store with rules, and its artefact."""
    store(world)
    world.write("work/.abcd/rules.json", RULES)
    for name, text in more:
        world.write(name, text)
    settle()
    done = world.cli("build", "-q")
    assert done.status == 0, done.err


def edited(world):
    built(world)
    world.write("work/.abcd/memory/note_deploy.md", PAGES["note_deploy.md"].replace("two", "three"))
    settle()


def changed(world):
    edited(world)
    (world.root / ".abcd/memory/note_cache.md").unlink()
    world.write("work/.abcd/memory/note_new.md", page(["cache", "fresh"], "The new cache."))
    world.write("work/.abcd/memory/index.md", PAGES["index.md"].replace("twice", "two times"))
    settle()


def two_scopes(world):
    store(world, USERS, "home/.abcd.noindex")
    edited(world)
    world.write("home/.abcd.noindex/memory/me_more.md", page(["deploy"], "Ask me first."))
    settle()


def first(world):
    store(world)
    world.write("work/.abcd/rules.json", RULES)
    settle()


def back(world):
    """The pages are those of an earlier artefact again."""
    edited(world)
    assert world.cli("build", "-q").status == 0
    store(world)
    settle()


def own_hooks(world):
    log = world.folder / "log"
    import sys

    world.write("work/.git/hooks/post-commit", OWN_PYTHON % (os.path.realpath(sys.executable), str(log)), 0o755)
    world.write("work/.git/hooks/post-checkout", OWN_SHELL % log, 0o755)
    world.write("work/.claude/settings.json", SETTINGS)


def guarded(world):
    """Somebody's own hooks and settings."""
    built(world)
    own_hooks(world)


def installed(world):
    guarded(world)
    assert world.cli("install").status in (0, 1)


def upgraded(world):
    """Hooks of ours that another interpreter is to be put into."""
    installed(world)
    for path in (world.root / ".git/abcd-index").glob("post-*"):
        path.write_bytes(path.read_bytes().replace(b"abcd_python='", b"abcd_python='/old"))
    for path in (world.root / ".git/hooks").glob("post-*"):
        path.write_bytes(path.read_bytes().replace(b"abcd_python='", b"abcd_python='/old"))


def tracked(world):
    built(world, ("work/.abcd/config.json", '{"artefact": {"track": true}}'))
    world.program("git", "add", ".abcd")


def pushed(world):
    edited(world)
    (world.folder / "place").mkdir()
    assert world.cli("push", "--to", str(world.folder / "place")).status == 0
    for path in (world.root / ".abcd/.index").iterdir():
        path.unlink()
    settle()


def git_place(world):
    edited(world)
    world.program("git", "init", "-q", "--bare", "--template=", str(world.folder / "place.git"))
    world.program("git", "remote", "add", "origin", str(world.folder / "place.git"))


def git_pushed(world):
    git_place(world)
    assert world.cli("push", "--to", "git:origin").status == 0
    for path in (world.root / ".abcd/.index").iterdir():
        path.unlink()
    settle()


def asked_before(world):
    built(world)
    assert world.prompt("hello there, what is new?").status == 0
    assert world.prompt(ASKED).status == 0


def cli(*arguments):
    return lambda world, fault: world.cli(*[a.replace("WORLD", str(world.folder)) for a in arguments], fault=fault)


def git_hook(hook):
    def run(world, fault):
        def command():
            from abcd_index.githooks.run import main

            main([hook, ".git", ".git", "", ".abcd", ""])

        return world.call(command, fault)

    return run


def pre_commit(world, fault):
    def command():
        from abcd_index.githooks.tracked import main

        main(["pre-commit"])

    return world.call(command, fault)


def prompt(text, cold=False):
    return lambda world, fault: world.prompt(text, fault=fault, cold=cold)


def session(source, event="SessionStart"):
    return lambda world, fault: world.hook("session_hook.py", {
        "session_id": "s", "cwd": str(world.root), "hook_event_name": event, "source": source}, fault)


def status_line(world, fault):
    return world.hook("statusline_hook.py", {"session_id": "s", "cwd": str(world.root), "context_window": {
        "used_percentage": 41}, "model": {"display_name": "m"}}, fault)


SCENES = [
    Scene("build: first", first, cli("build")),
    Scene("build: a page edited", edited, cli("build")),
    Scene("build: pages came and went", changed, cli("build")),
    Scene("build: two scopes", two_scopes, cli("build")),
    Scene("build: forced", edited, cli("build", "--force")),
    Scene("build: back to an earlier one", back, cli("build")),
    Scene("git hook: post-commit", edited, git_hook("post-commit")),
    Scene("git hook: post-checkout", changed, git_hook("post-checkout")),
    Scene("git hook: pre-commit, tracked", tracked, pre_commit),
    Scene("push: to a folder", edited, cli("push", "--to", "WORLD/place")),
    Scene("push: to a git remote", git_place, cli("push", "--to", "git:origin")),
    Scene("fetch: from a folder", pushed, cli("fetch", "--from", "WORLD/place")),
    Scene("fetch: from a git remote", git_pushed, cli("fetch", "--from", "git:origin")),
    Scene("install", guarded, cli("install"), hooks=True),
    Scene("install: over an older one", upgraded, cli("install"), hooks=True),
    Scene("uninstall", installed, cli("uninstall"), hooks=True),
    Scene("init", lambda world: None, cli("init")),
    Scene("init: user", lambda world: None, cli("init", "--scope", "user")),
    Scene("catalogue --write", first, cli("catalogue", "--write")),
    Scene("keywords --write", first, cli("keywords", "--write")),
    Scene("recall TERMS", built, cli("recall", "login", "deploy")),
    Scene("recall --prompt", built, cli("recall", "--prompt", ASKED, "--session", "s")),
    Scene("hook: status line", built, status_line, session=True),
    Scene("hook: session start", edited, session("startup"), session=True),
    Scene("hook: compaction", asked_before, session("compact"), session=True),
    Scene("hook: first prompt", built, prompt(ASKED), session=True),
    Scene("hook: first prompt, loaded anew", built, prompt(ASKED, cold=True), session=True),
    Scene("hook: a later prompt", asked_before, prompt("and the queue of dead letters?"), session=True),
    Scene("hook: a prompt that matches nothing", asked_before, prompt("hello there"), session=True),
    Scene("hook: a prompt over a stale store", changed, prompt(ASKED), session=True),
]
