"""A small store with both dialects, every date in the pages themselves, and recall called in process."""

import contextlib
import io
import json
import os
from dataclasses import replace
from datetime import datetime, timezone

from abcd_index.commands import recall as command
from abcd_index.commands.console import Console
from abcd_index.search.dates import read_since

NOW = datetime(2026, 9, 1, 12, tzinfo=timezone.utc).timestamp()

# Which stores are asked: the parameters of ``command.stores``, and what they are by default.
STORES = (("root", None), ("scope", "all"), ("memory_dir", None), ("everywhere", False))

PAGES = {
    "feedback_commits.md": """---
name: commit-style
description: Write git commit messages in the imperative
type: feedback
recall: [commit, git]
updated: 2026-09-01
---

Subjects say what the commit does: "Add", not "Added". Keep a commit small.
A commit that needs an "and" is two commits.
""",
    "project_release.md": """---
name: release-train
description: Releases leave on Thursdays
metadata:
  type: project
  updated: 2026-06-01
recall: [release]
---

The release branch is cut on Tuesday. Tag it with git only after the commit is signed.
""",
    "reference_ports.md": """---
name: service-ports
description: Which port each service listens on
type: reference
updated: 2025-01-01
---

The gateway listens on 8443, the ledger on 9090.
""",
    "user_editor.md": """---
name: editor_setup
description: Prefers vim keys
type: user
updated: 2026-03-01
---

Uses vim keys everywhere, also in the commit editor.
""",
    "pitfall_auth_login.md": """---
source:
  class: session_memory
recall: [auth, login]
updated: 2026-08-01
---

# Auth login redirects

After an expired session the login page redirects twice.
""",
    "index.md": """# Memory

- `pitfall_auth_login.md` — session_memory | auth | Login redirects twice after expiry
- [Commit style](feedback_commits.md) — how to commit
""",
    "log.md": "commit commit commit\n",
    "README.md": "# commit\n",
}


@contextlib.contextmanager
def placed(sandbox, cwd):
    """Within, this process has the sandbox's environment and works in ``cwd``."""
    before, where = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(sandbox.env)
    os.chdir(cwd)
    try:
        yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(before)


def recall(sandbox, cwd, *terms, **options):
    """(exit status, stdout, stderr) of a recall, by default on NOW and without a record."""
    return _run(command.terms, sandbox, cwd, terms, options, {"explain": options.pop("explain", False)})


def audit(sandbox, cwd, **options):
    """(exit status, stdout, stderr) of an audit on NOW."""
    return _run(command.audit, sandbox, cwd, (), options, {})


def results(sandbox, cwd, *terms, **options):
    """The results of a recall as JSON has them."""
    status, out, _ = recall(sandbox, cwd, *terms, as_json=True, **options)
    assert status == 0
    return json.loads(out)["results"]


def names(sandbox, cwd, *terms, **options):
    """The names of the results, best first."""
    return [row["name"] for row in results(sandbox, cwd, *terms, **options)]


def _run(function, sandbox, cwd, terms, options, more):
    stores = command.stores(*[options.pop(name, default) for name, default in STORES])
    now = options.pop("now", NOW)
    more["as_json"] = options.pop("as_json", False)
    more["record"] = not options.pop("no_record", True)
    out, err = io.StringIO(), io.StringIO()
    with placed(sandbox, cwd):
        query = replace(command.query(terms, **options), now=now)
        if options.get("since"):
            query.since = read_since(options["since"], now)
        status = function(query, stores, console=Console(out, err, sandbox.env), **more)
    return status, out.getvalue(), err.getvalue()
