"""Makes what can be made of the docs: ``docs/reference/cli.md``, ``docs/reference/findings.md``, in
``docs/explanation/architecture.md`` the rooms of the package and the arrows between them, and in
``docs/how-to/agents.md`` the table of agents.

``python docs/generate.py`` writes them, ``--check`` only says whether they are up to date (exit 1 when
not); a test runs the same comparison.
"""

import ast
import inspect
import sys
from enum import Enum
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PACKAGE = DOCS.parent / "abcd_index"
AGENTS_BEGIN, AGENTS_END = "<!-- agents: begin, made by docs/generate.py -->\n", "<!-- agents: end -->\n"
ROOMS_BEGIN, ROOMS_END = "<!-- rooms: begin, made by docs/generate.py -->\n", "<!-- rooms: end -->\n"
MADE = "<!-- Made by docs/generate.py; do not edit. -->\n\n"

JSON_KEYS = """\
## The objects that are printed as JSON

Keys stay what they are within a major version; others may be added.

**`build --json`**: `ok`, and `scopes`, a list of `scope`, `state` (`built`, `current`, `switched` or `failed`), `key`,
`path`, `pages`, `recompiled`, `size` (bytes), `seconds`, `left_out` (files of pages that are not in the artefact) and
`findings` as in `verify`. A scope that failed has `error` and `hint` instead.

**`verify --format json`**: `ok`, and `findings`, a list of `code`, `severity` (`error` or `warning`), `scope`, `file`,
`line` (a number or null), `message` and `fix`. When something could not be told, `cannot_tell` lists the reasons.

**`push --json`**: `ok`, and `scopes`, a list of `scope`, `state` (`pushed`, `there` or `failed`), `key`, `place`
(without secrets), `pages`, `size` (bytes), `pruned` (how many older ones were deleted) and `seconds`.
**`fetch --json`** has `state` (`fetched`, `switched`, `current`, `absent` or `failed`), `path`, no `pruned`, and in
`seconds` an object of the steps: `hash`, `download`, `check`, `publish`. A scope that failed
has `error` and `hint` instead.

**`recall --prompt --json`**:

| key | what it is |
|---|---|
| `prompt`, `scopes` | what was asked, and of which scopes |
| `bracket`, `why` | `FRESH`, `MODERATE`, `DEPLETED`, or empty when nothing matched; why that one |
| `text` | what the hook would inject, character by character; empty for nothing |
| `pages` | every page that matched or nearly did, in the hook's order |
| `rules` | the same for the domains of `rules.json` |
| `more` | how many pages share a keyword beyond those that were looked at |
| `stale` | scopes whose pages changed since their artefact was built |
| `problems` | scopes without a usable artefact: `scope` and `error` |

Each of `pages` has `file`, `title`, `scope`, `form` (`full`, `head`, `line` or `none`), `reason`, `words` (each with
`keyword`, `seen` in the prompt, `where` there, `weight`, `pages` that have it, `figure`) and, unless another scope held
it back, `score` = `keywords` + `text`, with the addends of `text` in `terms` (`term`, `text`, `title`), `evidence`
(`keyword`, `words of a phrase`, `another name` or `text`), and what the typed words say of it beside its keywords in
`support`, with the `threshold` that it is held against.
"""


def cli_page():
    """The command line reference, from the definitions in ``abcd_index/cli.py``."""
    from abcd_index.cli import app

    lines = [
        MADE + "# Commands\n",
        app.info.help + "\n",
        "Exit status: **0** fine, **1** findings or no store here, **2** could not run or could not tell.\n"
        "A command that needs a store ends with 1 where there is none, `verify` too: there is nothing to\n"
        "check. `install` has [its own table](../how-to/git.md). Results go to standard output, remarks to\n"
        "standard error. `NO_COLOR` turns colour off, `FORCE_COLOR` on.\n",
        "| command | does |",
        "|---|---|",
    ]
    commands = [
        (info.name or info.callback.__name__.replace("_", "-"), info)
        for info in app.registered_commands
        if not info.hidden
    ]
    lines += [f"| [`abcd-index {name}`](#abcd-index-{name}) | {_cell(info.short_help)} |" for name, info in commands]
    lines += ["", "`abcd-index --version` prints the version; `-h` or `--help` after any command explains it.\n"]
    for name, info in commands:
        lines += _command(name, info.callback)
    lines.append(JSON_KEYS)
    return "\n".join(lines).rstrip() + "\n"


def findings_page():
    """Every finding of ``build`` and ``verify``, from the tables of codes."""
    from abcd_index.verify.codes import tables

    lines = [
        MADE + "# Findings\n",
        "What `abcd-index verify` can report; `abcd-index build` prints those about pages too. An "
        "**error** makes\n"
        "`verify` exit 1: something that was written is lost or wrong. A **warning** does so with `--strict`\n"
        "only: it works, and probably not as meant. Every finding says in which file and line it is and what to\n"
        "do about it.\n",
    ]
    for heading, table in tables():
        lines += [f"## {heading}\n", "| code | | what it means |", "|---|---|---|"]
        for code, (severity, meaning) in table.items():
            lines.append(f'| <a id="{code}"></a>`{code}` | {severity} | {_cell(meaning)} |')
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def architecture_page():
    """The page on the architecture, with the rooms and the arrows as they are in the code."""
    before, _, rest = (DOCS / "explanation/architecture.md").read_text(encoding="utf-8").partition(ROOMS_BEGIN)
    after = rest.partition(ROOMS_END)[2]
    rooms = {path.stem: path for path in PACKAGE.glob("*.py") if not path.stem.startswith("_")}
    rooms.update((path.parent.name, path) for path in PACKAGE.glob("*/__init__.py"))
    needs = {name: _needs(name, path, rooms) for name, path in rooms.items()}
    lines = ["", "| room | what it is for | stands on |", "|---|---|---|"]
    below = _upwards(needs)
    for name, path in ((name, rooms[name]) for name in below):
        purpose = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        shown = f"`{name}/`" if path.name == "__init__.py" else f"`{name}.py`"
        direct = needs[name].difference(*(below[other] for other in needs[name]))
        lines.append(
            f"| {shown} | {_cell(purpose.partition(chr(10) * 2)[0])} | "
            + ", ".join(f"`{other}`" for other in sorted(direct))
            + " |"
        )
    return before + ROOMS_BEGIN + "\n".join(lines) + "\n" + ROOMS_END + after


def agents_page():
    """The page on agents, with the table of them as ``install`` reads it."""
    from abcd_index.install.entries import table

    before, _, rest = (DOCS / "how-to/agents.md").read_text(encoding="utf-8").partition(AGENTS_BEGIN)
    after = rest.partition(AGENTS_END)[2]
    lines = [
        "",
        "| agent | `--agent` | file | how it is recognised | answer | known from |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in table().items():
        file = f"`{row['file'].replace('EVENT', '')}`" if "file" in row else ""
        known = row.get("from") or f"seen in {row['seen in']} on {row['seen on']}"
        named = f"`{name}`" if "file" in row else ""
        lines.append(f"| {row['title']} | {named} | {file} | {row['known by']} | {row['answer']} | {known} |")
    return before + AGENTS_BEGIN + "\n".join(lines) + "\n\n" + AGENTS_END + after


def _needs(name, path, rooms):
    """The other rooms that a room imports from, also later than at its start; not what only a type checker reads."""
    found = set()
    for source in path.parent.rglob("*.py") if path.name == "__init__.py" else [path]:
        todo = [ast.parse(source.read_text(encoding="utf-8"))]
        while todo:
            node = todo.pop()
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE.name:
                found.update(node.module.split(".")[1:2] or [alias.name for alias in node.names])
            if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
                todo += ast.iter_child_nodes(node)
    return {other for other in found if other in rooms and other != name}


def _upwards(needs):
    """{room: every room below it}, each after those that it stands on. Raises ValueError for a circle."""
    below = {}
    while len(below) < len(needs):
        free = sorted(name for name in needs if name not in below and needs[name] <= below.keys())
        if not free:
            raise ValueError(f"a circle of rooms: {sorted(needs.keys() - below.keys())}")
        for name in free:
            below[name] = needs[name].union(*(below[other] for other in needs[name]))
    return below


PAGES = {
    "reference/cli.md": cli_page,
    "reference/findings.md": findings_page,
    "explanation/architecture.md": architecture_page,
    "how-to/agents.md": agents_page,
}


def _command(name, function):
    lines = [f"## abcd-index {name}\n", " ".join(inspect.getdoc(function).split()) + "\n"]
    parameters = [(p.name, p.annotation, p.default) for p in inspect.signature(function).parameters.values()]
    arguments = [p for p in parameters if type(p[2]).__name__ == "ArgumentInfo"]
    options = [p for p in parameters if type(p[2]).__name__ == "OptionInfo" and not p[2].hidden]
    usage = "".join(f" [{info.metavar or word.upper()}...]" for word, _, info in arguments)
    lines.append(f"```\nabcd-index {name}{' [OPTIONS]' if options else ''}{usage}\n```\n")
    rows = [(f"`{info.metavar or word.upper()}`", info.help) for word, _, info in arguments]
    rows += [(_spelling(*option), _help(option[2])) for option in options]
    if rows:
        lines += ["| | |", "|---|---|"] + [f"| {left} | {_cell(right)} |" for left, right in rows] + [""]
    return lines


def _spelling(word, annotation, info):
    names = ", ".join(f"`{name}`" for name in info.param_decls or [f"--{word.replace('_', '-')}"])
    if annotation is bool:
        return names
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return f"{names} `{'|'.join(choice.value for choice in annotation)}`".replace("|", "\\|")
    return f"{names} `{info.metavar or word.upper()}`"


def _help(info):
    default = getattr(info.default, "value", info.default)
    shown = default not in (None, False, "", Ellipsis)
    return (info.help or "") + (f" Default: {default}." if shown else "")


def _cell(text):
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def main(arguments):
    """Write the pages, or with ``--check`` compare them."""
    stale = []
    for name, make in PAGES.items():
        path, text = DOCS / name, make()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
    for name in stale:
        print(f"docs/{name} " + ("is stale: run python docs/generate.py" if "--check" in arguments else "written"))
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
