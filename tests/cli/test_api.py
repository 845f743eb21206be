"""The public API: the functions of the package, whatever was imported before them."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout

import pytest

import abcd_index
from abcd_index import api
from tests.conftest import ROOT
from tests.search.stores import PAGES, placed

PAGE = ROOT / "docs" / "reference" / "python.md"


@pytest.fixture
def root(sandbox):
    return sandbox.repo(pages=PAGES)


def test_the_example_of_the_docs_runs(sandbox, root):
    example, = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    out = io.StringIO()
    with placed(sandbox, root), redirect_stdout(out):
        exec(compile(example, str(PAGE), "exec"), {})
    assert "workspace built 5" in out.getvalue() and "## Auth login redirects" in out.getvalue()
    assert "FRESH ['.abcd/memory/pitfall_auth_login.md']" in out.getvalue()


def test_the_docs_name_every_field_and_parameter():
    text = PAGE.read_text(encoding="utf-8")
    for name in abcd_index.__all__:
        assert name.startswith("__") or f"`{name}" in text
    for record in (api.BuildReport, api.VerifyReport, api.PageRecall, api.PromptRecall, api.SearchResult):
        row, = re.findall(rf"^\| `{record.__name__}` \|.*", text, re.MULTILINE)
        assert all(f"`{field}`" in row for field in record._fields)


def test_what_the_commands_say(sandbox, root):
    with placed(sandbox, root):
        first, = abcd_index.build(str(root))
        again, = abcd_index.build(str(root), "workspace")
        assert (first.state, first.pages, first.ok, again.state) == ("built", 5, True, "current")
        assert abcd_index.verify(str(root)).ok and not abcd_index.verify(str(root)).unsure
        assert [one.name for one in abcd_index.search("vim", str(root))] == ["editor_setup"]
        nothing = abcd_index.recall("hello", str(root))
        assert (nothing.text, nothing.bracket, nothing.why) == ("", "", "no keyword is in the prompt")
        with pytest.raises(abcd_index.AbcdError) as raised:
            abcd_index.build(str(sandbox.tmp))
        assert "abcd-index init" in raised.value.hint


def test_a_scope_that_is_refused_is_named_and_the_other_is_built(sandbox, root):
    (sandbox.tmp / "elsewhere" / "memory").mkdir(parents=True)
    sandbox.user.parent.mkdir(exist_ok=True)
    sandbox.user_pages({"user_a.md": "---\nname: a\nrecall: [tea]\n---\nx\n"})
    memory = root / ".abcd" / "memory"
    memory.rename(sandbox.tmp / "moved")
    memory.symlink_to(sandbox.tmp / "moved")
    with placed(sandbox, root):
        reports = {report.scope: report for report in abcd_index.build(str(root))}
    assert reports["workspace"].state == "refused" and reports["workspace"].error and not reports["workspace"].ok
    assert reports["user"].ok and "error" not in reports["user"].values()


def test_a_room_that_was_imported_is_still_the_function():
    code = ("import abcd_index.build.run, abcd_index.verify.run, abcd_index.search.rank, abcd_index\n"
            "from abcd_index import build, search, verify\n"
            "for function in (build, verify, abcd_index.build):\n"
            "    try: function('/no/such/folder')\n"
            "    except abcd_index.AbcdError as error: print(error)\n"
            "try: abcd_index.nothing\n"
            "except AttributeError as error: print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=str(ROOT))
    assert done.stderr == "" and done.stdout.count("/no/such/folder is not a folder") == 3
    assert "has no attribute 'nothing'" in done.stdout


def test_importing_the_package_imports_nothing():
    code = "import sys; before = set(sys.modules); import abcd_index; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=str(ROOT))
    assert done.stdout == "['abcd_index']\n"


def test_rich_is_imported_on_a_terminal_only(sandbox, root):
    code = ("import sys\nfrom abcd_index import cli\nsys.argv = ['abcd-index', 'verify']\n"
            "try: cli.main()\nfinally: print('rich.console' in sys.modules)")
    done = sandbox.run(sys.executable, "-c", code, cwd=root, check=False)
    assert done.stdout.endswith("False\n")
