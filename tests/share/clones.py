"""Two clones of one bare remote, with pages; and artefacts that somebody tampered with."""

import gzip
import json

from abcd_index.artefact import writer
from abcd_index.artefact.format import PARTS
from abcd_index.artefact.reader import Artefact
from abcd_index.build.incremental import Current
from abcd_index.build.manifest import Pages
from abcd_index.build.run import build
from abcd_index.scopes import Places, workspace_at
from abcd_index.share.bundle import write_bundle

LINES = "".join(f"line {n} says what was learned about deploys\n" for n in range(20))
PAGES = {
    "pitfall_auth_login.md": "---\nrecall: [auth, login, redirect loop]\n---\n# Login loops\n\n" + LINES,
    "decision_db_pool.md": "---\nsource: {class: session_memory}\nrecall: [database, pool]\n"
                           "contradicts: [old_db.md]\n---\n# One pool\n\nA pool for each worker.\n",
    "old_db.md": "---\nname: old-db\ndescription: How it was\nrecall: [database]\n---\nA pool for all.\n",
    "интервью.md": "---\nname: interview\nrecall: [интервью]\n---\nТекст.\n",
    "index.md": "# Memory\n\n- [Login loops](pitfall_auth_login.md) — the order of the middleware\n",
}
# Enough pages that one edit is a small part of them.
PAGES.update({f"note_{n:02d}.md": f"---\nname: n{n}\nrecall: [note {n}, deploy]\n---\nNote {n}.\n" + LINES
              for n in range(30)})


class Clones:
    """``sandbox`` with a bare remote ``origin`` and the clones ``a`` (which pushed its pages) and ``b``."""

    def __init__(self, sandbox, pages=PAGES):
        self.sandbox = sandbox
        self.bare = sandbox.tmp / "origin.git"
        sandbox.git("init", "-q", "--bare", str(self.bare), cwd=sandbox.tmp)
        self.a = sandbox.repo("a", pages)
        sandbox.git("remote", "add", "origin", str(self.bare), cwd=self.a)
        sandbox.git("push", "-q", "origin", "main", cwd=self.a)
        self.b = self.clone("b")

    def clone(self, name, *options):
        """Another clone of the remote."""
        self.sandbox.git("clone", "-q", *options, self.bare.as_uri(), name, cwd=self.sandbox.tmp)
        return self.sandbox.tmp / name

    def run(self, command, *args, cwd, code=0, **env):
        """``abcd-index command --json ...``; what it printed, with its notes under 'said'."""
        done = self.sandbox.cli(command, "--json", *args, cwd=cwd, env={**self.sandbox.env, **env})
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        report = json.loads(done.stdout)["scopes"][0]
        report["said"] = done.stderr
        return report

    def refs(self):
        """The refs of the remote."""
        return self.sandbox.git("for-each-ref", "--format=%(refname)", cwd=self.bare).stdout.split()


def index_of(root):
    return root / ".abcd" / ".index"


def artefact_of(root):
    """The bytes of the current artefact."""
    index = index_of(root)
    return (index / ((index / "current").read_text().strip() + ".idx")).read_bytes()


def contents(folder):
    """{name: bytes} of the files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def scope_of(root, sandbox):
    return workspace_at(str(root), Places(sandbox.env))


def bundle_of(scope, path):
    """Build ``scope`` and write its parcel to ``path``. Returns the key."""
    built = build(scope)
    with open(path, "wb") as out:
        write_bundle(built.path, Pages.read(scope.index, built.key).counts(), out)
    return built.key


def pack(folder, key, data):
    """Put ``data`` under ``key`` into a place that is a folder."""
    folder.mkdir(exist_ok=True)
    (folder / f"{key}.parcel.gz").write_bytes(gzip.compress(data, 1))


def forged(scope, key, path):
    """Write to ``path`` the parcel of ``scope`` under another key: sound in itself, of other pages."""
    built = build(scope)
    pages = Pages.read(scope.index, built.key)
    artefact = Artefact.open(built.path)
    header, old = artefact.header, Current(artefact, pages, None)
    at, length, _ = header["newer"]
    old.file.seek(at)
    newer = json.loads(old.file.read(length))
    with open(f"{path}.idx", "wb") as out:
        writer.write(out, key, (header["tokens"], header["records"]), header["settings"], header["lengths"],
                     {part: old.lines(part) for part in PARTS}, old.filter(), newer)
    old.close()
    with open(path, "wb") as out:
        write_bundle(f"{path}.idx", pages.counts(), out)
