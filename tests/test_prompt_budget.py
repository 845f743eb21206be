"""What a prompt may cost, in figures that no busy machine changes: modules, files, bytes read, system calls.

The real hook runs under the bare interpreter, at 140 pages and at several thousand. Times are measured elsewhere
(``make bench``); these bounds keep a change from spending what the design saved.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import BASE_PYTHON, ROOT, Sandbox

HOOK = ROOT / "hooks" / "prompt_router_hook.py"
SMALL, LARGE = 140, 3000

# What the prompt path may import besides its own modules. Two more come only when they are needed: `math`, a shared
# object on many builds, when there is something to rank; `unicodedata` when the prompt is not plain ASCII.
ALLOWED = {"sys", "time", "errno", "marshal", "posix", "_json", "builtins", "gc", "_blake2"}
RANKING, FOLDING = {"math"}, {"unicodedata"}
if os.name == "nt":
    ALLOWED |= {"os", "nt", "ntpath", "stat", "_stat", "_collections_abc", "genericpath", "abc", "_abc", "os.path"}


def page(i):
    """Page ``i``: its own keyword, one that ten pages share, one that every fourth page has."""
    body = f"Sentence {i} of a page that says something about area {i % 90} and part {i // 7}.\n\n" * 28
    recall = f"own{i}, group{i // 10}" + (", common" if i % 4 == 0 else "")
    return f"---\nrecall: [{recall}]\n---\n# Page {i}\n\n{body}"


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """{pages: (sandbox, root)}: a built workspace of each size, with a user scope beside it."""
    made = {}
    for pages in (SMALL, LARGE):
        sandbox = Sandbox(tmp_path_factory.mktemp(f"pages{pages}"))
        root = sandbox.tmp / "work"
        root.mkdir()
        sandbox.git("init", "-q", cwd=root)
        texts = {f"note_core_{i}.md": page(i) for i in range(pages)}
        for i in (5, 6, 7):
            texts[f"note_core_{i}.md"] = page(i).replace("recall: [", "recall: [target, ")
        sandbox.pages(root, texts)
        sandbox.user_pages({"user_way_of_working.md": "---\nrecall: [target, working]\n---\n# Way of working\n\nShort.\n"})
        # With a secret of its own each session might be the one in sixteen that sweeps up after the others.
        (sandbox.user / ".index").mkdir(mode=0o700)
        (sandbox.user / ".index" / "key").write_bytes(b"k" * 32)
        (sandbox.user / ".index" / "key").chmod(0o600)
        done = sandbox.cli("build", cwd=root)
        assert done.returncode == 0, done.stderr
        made[pages] = sandbox, root
    return made


def payload(root, prompt="Please look at the target once more and say what is odd there.", session="s1"):
    return json.dumps({"session_id": session, "cwd": str(root), "hook_event_name": "UserPromptSubmit",
                       "prompt": prompt}).encode()


def run(sandbox, root, argv, prompt=None, session="s1"):
    """Run ``argv`` with a prompt on stdin, after one run that leaves every .pyc cached; return the process."""
    data = payload(root, **({"prompt": prompt} if prompt else {}), session=session)
    subprocess.run([BASE_PYTHON, "-I", "-S", str(HOOK)], input=payload(root, session="warm"), env=sandbox.env,
                   capture_output=True, check=True)
    done = subprocess.run([str(a) for a in argv], input=data, env=sandbox.env, cwd=root, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done


def imported(stderr):
    """The modules that ``-X importtime`` listed."""
    return {line.rsplit("|", 1)[1].strip() for line in stderr.decode().split("\n")
            if line.startswith("import time:") and "imported package" not in line}


def bare_imports(sandbox):
    done = subprocess.run([BASE_PYTHON, "-I", "-S", "-X", "importtime", "-c", "pass"], env=sandbox.env, capture_output=True)
    return imported(done.stderr)


def own(modules):
    return {name for name in modules if name.partition(".")[0] == "abcd_index"}


def test_a_prompt_imports_only_what_it_may(stores):
    sandbox, root = stores[SMALL]
    done = run(sandbox, root, [BASE_PYTHON, "-I", "-S", "-X", "importtime", HOOK])
    assert b"Page 5" in done.stdout
    extra = imported(done.stderr) - bare_imports(sandbox)
    assert extra - own(extra) <= ALLOWED | RANKING, sorted(extra - own(extra) - ALLOWED)


def test_a_prompt_in_another_script_adds_unicodedata_alone(stores):
    sandbox, root = stores[SMALL]
    done = run(sandbox, root, [BASE_PYTHON, "-I", "-S", "-X", "importtime", HOOK], prompt="Was ist größer: target, Café?",
               session="s2")
    assert b"Page 5" in done.stdout
    extra = imported(done.stderr) - bare_imports(sandbox)
    assert extra - own(extra) <= ALLOWED | RANKING | FOLDING, sorted(extra - own(extra))


def test_a_prompt_that_matches_nothing_imports_less(stores):
    sandbox, root = stores[SMALL]
    done = run(sandbox, root, [BASE_PYTHON, "-I", "-S", "-X", "importtime", HOOK], prompt="Nothing here is about anything.")
    assert not done.stdout
    extra = imported(done.stderr) - bare_imports(sandbox)
    assert extra - own(extra) <= ALLOWED, sorted(extra - own(extra) - ALLOWED)


# The hook leaves without unwinding, so what is seen is written out at once.
WATCH = """
import os, sys
def see(event, args):
    if event in ("open", "os.listdir", "os.scandir"):
        os.write(2, b"seen " + os.fsencode(str(args[0])) + b"\\n")
sys.addaudithook(see)
sys.argv = [{hook!r}]
loader = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", {hook!r})
exec(compile(open({hook!r}).read(), {hook!r}, "exec"), {{"__name__": "__main__", "__file__": {hook!r}, "__loader__": loader}})
"""


def watched(sandbox, root, **kw):
    """The paths that the hook opened or listed."""
    done = run(sandbox, root, [BASE_PYTHON, "-I", "-S", "-c", WATCH.format(hook=str(HOOK))], **kw)
    return [line[5:] for line in done.stderr.decode().split("\n") if line.startswith("seen ")]


def opened(sandbox, root, **kw):
    """The same without its own code."""
    return [path for path in watched(sandbox, root, **kw)
            if not path.endswith((".py", ".pyc", ".so", ".pyd")) and str(ROOT) not in path]


def test_a_prompt_loads_its_code_from_one_file_for_each_step(stores):
    code = [path for path in watched(*stores[SMALL], session="s5") if path.startswith(str(ROOT))]
    names = [path.rpartition("/")[2].partition(".")[0] for path in code if "/__pycache__/" in path]
    assert names == ["abcd_loader", "prompt_hook", "lookup", "matched"], code
    assert not [path for path in code if path.endswith(".py") and not path.endswith("_hook.py")], code


def test_the_files_opened_do_not_grow_with_the_store(stores):
    few = opened(*stores[SMALL], session="s6")
    many = opened(*stores[LARGE], session="s6")
    assert len([path for path in many if path.endswith(".idx")]) == 2, many
    assert len(few) == len(many) <= 14, "\n".join(["", *few, "--", *many])
    assert not [path for path in many if path.endswith(".md")], "pages are not opened: the artefact holds them"
    assert not [path for path in many if path.rstrip("/").endswith("memory")], "the store is not listed"


def test_a_prompt_that_matches_nothing_opens_no_more_than_the_artefacts(stores):
    sandbox, root = stores[LARGE]
    seen = opened(sandbox, root, prompt="Nothing here is about anything.", session="s3")
    assert len([path for path in seen if path.endswith(".idx")]) == 2, seen
    assert not [path for path in seen if path.endswith(".md")]


def traced(sandbox, root, argv, session):
    """(system calls, bytes read) of a process."""
    log = sandbox.tmp / "trace"
    run(sandbox, root, ["strace", "-f", "-qq", "-o", log, *argv], session=session)
    calls = re.findall(r"^(?:\d+ +)?(\w+)\(.*\) += (-?\d+)", log.read_text(errors="replace"), flags=re.M)
    return len(calls), sum(int(got) for name, got in calls if name in ("read", "pread64", "preadv") and int(got) > 0)


def can_trace():
    if sys.platform != "linux" or not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def costs(stores):
    """{pages: (system calls, bytes read)} of a prompt beyond those of the bare interpreter."""
    if not can_trace():
        pytest.skip("strace is not there or may not trace")
    found = {}
    for pages, (sandbox, root) in stores.items():
        calls, read = traced(sandbox, root, [BASE_PYTHON, "-I", "-S", HOOK], session="s4")
        bare_calls, bare_read = traced(sandbox, root, [BASE_PYTHON, "-I", "-S", "-c", "pass"], session="s4")
        found[pages] = calls - bare_calls, read - bare_read
    return found


def test_the_bytes_read_do_not_grow_with_the_store(costs):
    (_, small), (_, large) = costs[SMALL], costs[LARGE]
    assert large <= 1.15 * small + 8192, costs
    assert large < 380_000, costs


def test_the_system_calls_are_few_and_do_not_grow_with_the_store(costs):
    (small, _), (large, _) = costs[SMALL], costs[LARGE]
    assert large <= small + 40, costs
    assert large < 420, costs
