"""Nothing under ``~/.claude`` or ``$CLAUDE_CONFIG_DIR`` is opened, looked at or listed, by anything we run.

Watched from outside with ``strace -f``; where that is absent, from inside with an audit hook, which sees
opens and listings but not a bare ``stat``.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import BASE_PYTHON, ROOT

STRACE = shutil.which("strace")
PAGE = "---\nsource: {class: session_memory}\nrecall: [auth, login]\n---\n# Auth\n\nBody of the page.\n"
SECRET = "---\nname: secret\nrecall: [auth]\n---\n# Secret of the agent\n"


@pytest.fixture
def watched(sandbox):
    """A sealed home whose agent folders are full, a store with links into them, and a watcher."""
    return Watched(sandbox)


class Watched:
    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.config = sandbox.tmp / "claude-config"
        sandbox.env["CLAUDE_CONFIG_DIR"] = str(self.config)
        self.off_limits = [sandbox.home / ".claude", self.config]
        for folder in self.off_limits:
            memory = folder / "projects" / "x" / "memory"
            memory.mkdir(parents=True)
            (folder / "settings.json").write_text("{}")
            (folder / "CLAUDE.md").write_text("# mine\n")
            (memory / "secret.md").write_text(SECRET)
            (memory / "MEMORY.md").write_text("- [Secret](secret.md) \u2014 auth\n", encoding="utf-8")
            (folder / "transcript.jsonl").write_text("{}\n")
        self.root = sandbox.repo(pages={"pitfall_auth_login.md": PAGE, "index.md": "# Memory\n"})
        store = self.root / ".abcd" / "memory"
        for number, folder in enumerate(self.off_limits):
            (store / f"link{number}.md").symlink_to(folder / "projects" / "x" / "memory" / "secret.md")
        sandbox.user_pages({"user_auth.md": PAGE})
        self.trace = sandbox.tmp / "trace"
        self.runs = 0

    def run(self, *args, cwd=None, data=b""):
        """Run a process under the watcher; assert that it kept out. Returns the CompletedProcess."""
        self.runs += 1
        cwd = str(cwd or self.root)
        args = [str(a) for a in args]
        command = args
        if STRACE:
            command = [STRACE, "-f", "-qq", "-y", "-s", "4096", "-e", "trace=%file,getdents64,fchdir",
                       "-o", str(self.trace), *args]
        elif args[0] in (sys.executable, BASE_PYTHON):
            command = audited(args, str(self.trace))
        done = subprocess.run(command, cwd=cwd, env=self.sandbox.env, input=data, capture_output=True, timeout=120)
        if self.trace.exists():
            seen = self.touched(self.trace.read_text(errors="replace"), cwd)
            assert not seen, f"{' '.join(args)} touched {seen[:3]}"
            self.trace.unlink()
        return done

    def touched(self, trace, cwd):
        return [path for path in paths(trace, cwd) if any(under(path, folder) for folder in self.off_limits)]

    def cli(self, *args, **kw):
        return self.run(sys.executable, "-m", "abcd_index", *args, **kw)

    def hook(self, script, payload, **kw):
        return self.run(BASE_PYTHON, "-I", "-S", ROOT / "hooks" / script, data=json.dumps(payload).encode(), **kw)


def under(path, folder):
    folder = str(folder)
    return path == folder or path.startswith(folder + "/")


QUOTED = re.compile(r'(?:(\d+|AT_FDCWD)(?:<((?:[^>\\]|\\.)*)>)?, )?"((?:[^"\\]|\\.)*)"')


def paths(trace, cwd):
    """Every path that a call of the trace looked at, absolute."""
    for line in trace.splitlines():
        call = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
        if not call:
            continue
        name, rest = call.groups()
        if name == "getdents64":
            folder = re.match(r"\d+<((?:[^>\\]|\\.)*)>", rest)
            if folder:
                yield folder.group(1)
            continue
        found = QUOTED.findall(rest)
        # What readlink prints second is what the link says, and symlink's first is what it shall say.
        if name in ("readlink", "readlinkat", "execve", "getcwd"):
            found = found[:1]
        elif name in ("symlink", "symlinkat"):
            found = found[1:]
        for _, folder, path in found:
            yield os.path.normpath(os.path.join(folder or cwd, path))


def audited(args, log):
    """The same Python process with an audit hook that writes each path it opens or lists in strace's words."""
    hook = (
        "import sys, runpy\n"
        f"log = open({log!r}, 'a')\n"
        "def hear(event, args):\n"
        "    if event in ('open', 'os.listdir', 'os.scandir', 'os.rename', 'os.remove', 'os.mkdir') and args:\n"
        "        if isinstance(args[0], (str, bytes)):\n"
        "            path = args[0] if isinstance(args[0], str) else args[0].decode('utf-8', 'replace')\n"
        "            log.write('open(\"%s\")\\n' % path); log.flush()\n"
        "sys.addaudithook(hear)\n"
    )
    flags = [a for a in args[1:] if a in ("-I", "-S")]
    rest = [a for a in args[1:] if a not in ("-I", "-S")]
    if rest[0] == "-m":
        hook += f"sys.argv = {rest[1:]!r}\nrunpy.run_module({rest[1]!r}, run_name='__main__', alter_sys=True)\n"
    elif rest[0] == "-c":
        hook += f"exec({rest[1]!r})\n"
    else:
        hook += f"sys.argv = {rest!r}\nrunpy.run_path({rest[0]!r}, run_name='__main__')\n"
    return [args[0], *flags, "-c", hook]


def test_the_watcher_sees_what_it_must_see(watched):
    """Without this, a watcher that is blind would pass everything."""
    inside = watched.off_limits[0] / "settings.json"
    for code in (f"open({str(inside)!r})", f"import os; os.listdir({str(watched.config)!r})",
                 f"import os; os.chdir({str(watched.sandbox.home)!r}); os.listdir('.claude')"):
        with pytest.raises(AssertionError, match="touched"):
            watched.run(sys.executable, "-c", code, cwd=watched.sandbox.home)
    if STRACE:
        with pytest.raises(AssertionError, match="touched"):
            watched.run(sys.executable, "-c", f"import os; os.stat({str(inside)!r})")


COMMANDS = [
    ("build",), ("build", "--json", "--force"), ("verify", "--require-artefact"), ("verify", "--format", "sarif"),
    ("catalogue",), ("recall", "--prompt", "why does auth fail?", "--remaining", "90"), ("recall", "auth", "login"),
    ("recall", "auth", "--all", "--json"), ("recall", "--audit"), ("keywords",), ("push", "--to", "./place"), ("fetch", "--from", "./place"),
    ("status",), ("status", "--check"), ("status", "--json"),
    ("install", "--dry-run"), ("install",), ("catalogue", "--write"), ("init",), ("init", "--scope", "user"),
    ("uninstall",), ("--version",), ("recall", "--help"),
]


def test_no_command_touches_it(watched):
    for command in COMMANDS:
        done = watched.cli(*command)
        assert b"Traceback" not in done.stderr, (command, done.stderr.decode())
        assert b"Secret of the agent" not in done.stdout, command
        assert done.returncode in (0, 1), (command, done.stderr.decode())


def test_no_command_touches_it_from_the_home_folder(watched):
    for command in (("build",), ("verify",), ("status",), ("init",), ("install",), ("recall", "--prompt", "auth")):
        done = watched.cli(*command, cwd=watched.sandbox.home)
        assert b"Traceback" not in done.stderr, (command, done.stderr.decode())


def test_a_folder_in_it_is_refused_by_name(watched):
    inside = watched.off_limits[0] / "projects" / "x"
    link = watched.sandbox.tmp / "looks-harmless"
    link.symlink_to(inside)
    for folder in (inside, link, watched.config):
        for command in (("build", "--root"), ("verify", "--root"), ("init", "--root"), ("recall", "x", "--memory-dir")):
            done = watched.cli(*command, folder)
            assert done.returncode == 2, (command, folder, done.stdout, done.stderr)
            assert b"never" in done.stderr and b"Traceback" not in done.stderr


def test_a_store_that_leads_into_it_is_refused_by_commands_and_ignored_by_the_hook(watched):
    memory = watched.off_limits[0] / "projects" / "x" / "memory"
    root = watched.sandbox.tmp / "trap"
    (root / ".abcd").mkdir(parents=True)
    (root / ".abcd" / "memory").symlink_to(memory)
    for command in ("build", "verify", "catalogue"):
        done = watched.cli(command, cwd=root)
        assert done.returncode == 2 and b"never" in done.stderr, (command, done.stderr)
    done = watched.hook("prompt_router_hook.py", prompt(root), cwd=root)
    assert done.returncode == 0 and b"Secret" not in done.stdout


def prompt(root, **fields):
    payload = {"session_id": "s-1", "cwd": str(root), "prompt": "why does auth fail?",
               "hook_event_name": "UserPromptSubmit"}
    payload.update(fields)
    return payload


def test_no_hook_touches_it(watched):
    watched.cli("build")
    transcript = str(watched.off_limits[0] / "transcript.jsonl")
    for cwd in (watched.root, watched.sandbox.home, watched.off_limits[0], watched.config / "projects"):
        done = watched.hook("prompt_router_hook.py", prompt(cwd, transcript_path=transcript))
        assert done.returncode == 0 and not done.stderr, done.stderr
        if cwd == watched.root:
            assert b"Body of the page" in done.stdout
        for source in ("startup", "resume", "compact", "clear"):
            done = watched.hook("session_hook.py", prompt(
                cwd, hook_event_name="SessionStart", source=source, transcript_path=transcript))
            assert done.returncode == 0, done.stderr
        done = watched.hook("statusline_hook.py", prompt(
            cwd, transcript_path=transcript, context_window={"used_percentage": 30}))
        assert done.returncode == 0, done.stderr


def test_no_git_hook_touches_it(watched):
    watched.cli("install")
    root = watched.root
    for command in (["add", "-A"], ["commit", "-qm", "two"], ["checkout", "-qb", "b"], ["commit", "-q", "--amend", "-m", "x"],
                    ["checkout", "-q", "main"], ["merge", "-q", "b"]):
        (root / ".abcd" / "memory" / "more.md").write_text(PAGE + " ".join(command))
        done = watched.run("git", *command)
        assert done.returncode == 0, (command, done.stderr)
