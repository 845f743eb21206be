"""A repository to install into, and what is in it before and after."""

# ruff: noqa: F811 - a fixture is imported and then named as an argument

import io
import os
import stat

import pytest
from git_repositories import artefact_state, page, sealed  # noqa: F401

from abcd_index.commands import install
from abcd_index.commands.console import Console
from abcd_index.scopes import Places


class Project:
    """A repository with a store, and install in this very process."""

    def __init__(self, sandbox, root):
        self.sandbox = sandbox
        self.root = root
        self.hooks = root / ".git" / "hooks"
        self.settings = root / ".claude" / "settings.json"

    def install(self, *agents, root=None, **options):
        return self._call(install.run, root, {"choice": install.Choice(agents, **options)})

    def uninstall(self, *agents, root=None, **options):
        return self._call(install.uninstall, root, {"agents": agents, **options})

    def _call(self, function, root, options):
        out = io.StringIO()
        code = function(str(root or self.root), console=Console(out, out, {}), places=Places(), **options)
        return code, out.getvalue()

    def git(self, *args, cwd=None, **kw):
        return self.sandbox.git(*args, cwd=cwd or self.root, **kw)

    def hook(self, name, text, mode=0o755):
        path = self.hooks / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    def edit(self, text="changed"):
        (self.root / ".abcd" / "memory" / "a.md").write_text(page("a", text))

    def commit(self, text="changed"):
        self.edit(text)
        return self.git("commit", "-qam", text)

    def state(self, root=None):
        return artefact_state(root or self.root, self.sandbox.env)


@pytest.fixture
def project(sealed):
    return Project(sealed, sealed.repo(pages={"a.md": page("a")}))


def snapshot(root):
    """Every file, link and folder below ``root`` with its mode and content; git's own bookkeeping aside."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith((".git/objects", ".git/logs")) or name in (".git/index", ".git/COMMIT_EDITMSG"):
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        else:
            found[name] = "folder"
    return found


FOREIGN_SETTINGS = """{
   "permissions": {"allow": ["Bash(ls:*)"],
      "deny": []},
   "hooks": {
      "SessionStart": [
         {"hooks": [{"type": "command", "command": "echo theirs"}]}
      ],
      "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}]
   },
   "model": "x"
}
"""
