"""What commands and hooks make is theirs who ran them, whatever the umask is."""

import os
import stat
import sys

import pytest

from tests.conftest import HOOK_COMMAND, ROOT

PAGE = "---\nsource: {class: guide}\nrecall: [deploy]\n---\n# Deploying\n\nThe rollout needs the canary first.\n"
BARE = "---\nsource: {class: guide}\n---\n# Canary releases\n\nThe canary runs for an hour; the canary is watched. Canary releases end at noon.\n"
COMMANDS = """
init
build
init --scope user
build --scope user
catalogue --write
keywords --write
install --status-line
recall deploy
recall --prompt deploy --session s1
recall --audit
verify
status --check
push --to PLACE
fetch --from PLACE --verify
build --force
"""
HOOKS = """
session_hook.py {"hook_event_name": "SessionStart", "source": "startup"}
statusline_hook.py {"context_window": {"used_percentage": 5}}
prompt_router_hook.py {"hook_event_name": "UserPromptSubmit", "prompt": "deploy"}
session_hook.py {"hook_event_name": "PreCompact"}
prompt_router_hook.py {"hook_event_name": "UserPromptSubmit", "prompt": "deploy again"}
"""


def too_open(top, mask=0o022, but=()):
    """[(mode, path)] of the files and folders below ``top`` whose mode has bits of ``mask``."""
    found = []
    for folder, _, names in os.walk(top):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            mode = os.lstat(path).st_mode
            if not stat.S_ISLNK(mode) and stat.S_IMODE(mode) & mask and path not in but:
                found.append((oct(stat.S_IMODE(mode)), path))
    return found


def each(lines):
    return lines.strip().split("\n")


@pytest.mark.parametrize("umask, first", [(0o000, "init"), (0o000, "build"), (0o000, "install"), (0o000, "hook"),
                                          (0o077, "init"), (0o002, "build")])
def test_nothing_is_open_to_others(sandbox, umask, first):
    before = os.umask(0o022)
    try:
        root = sandbox.repo(pages={"guide_ops_deploy.md": PAGE, "guide_ops_canary.md": BARE} if first != "init" else {})
        place = sandbox.tmp / "place"
        place.mkdir()
        os.umask(umask)
        commands = each(COMMANDS)
        if first == "hook":
            ask(sandbox, root, each(HOOKS)[2])
        elif first != "init":
            commands.insert(0, first)
        for command in commands:
            done = sandbox.cli(*[str(place) if word == "PLACE" else word for word in command.split()], cwd=root)
            assert done.returncode in (0, 1), (command, done.stderr)
            user_is_private(sandbox)
        for line in each(HOOKS):
            ask(sandbox, root, line)
            user_is_private(sandbox)
        hooks = [root / ".git" / "hooks" / name for name in ("post-commit", "post-checkout", "post-merge", "post-rewrite")]
        folders = [root / ".abcd" / ".index", root / ".claude", root / ".git" / "abcd-index", place]
        for path in folders + hooks + [root / ".abcd"] * (first == "init"):
            assert os.path.lexists(path), path
            # The place is a person's folder.
            found = too_open(path, but={str(place)}) if path.is_dir() else stat.S_IMODE(path.stat().st_mode) & 0o022
            assert not found, (path, found)
        # What a checkout makes is git's, but for what its hooks do.
        (root / ".abcd" / "memory" / "guide_ops_deploy.md").write_text(PAGE + "More.\n")
        for command in (("add", "-A"), ("commit", "-qm", "two"), ("checkout", "-q", "HEAD~1"), ("checkout", "-q", "main")):
            sandbox.git(*command, cwd=root)
            user_is_private(sandbox)
            assert not too_open(root / ".abcd" / ".index"), command
        assert sandbox.cli("uninstall", cwd=root).returncode == 0
    finally:
        os.umask(before)


def ask(sandbox, root, line):
    name, _, fields = line.partition(" ")
    payload = '{"session_id": "s1", "cwd": %s, %s' % ('"%s"' % root, fields[1:])
    done = sandbox.run(*HOOK_COMMAND, ROOT / "hooks" / name, cwd=root, input=payload)
    assert done.stderr == "", (line, done.stderr)


def user_is_private(sandbox):
    if sandbox.user.exists():
        assert not too_open(sandbox.user, 0o077), too_open(sandbox.user, 0o077)


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_an_edit_keeps_the_mode_that_a_person_gave_but_for_others_writing(sandbox):
    root = sandbox.repo(pages={"guide_ops_canary.md": BARE})
    page = root / ".abcd" / "memory" / "guide_ops_canary.md"
    for mode, after in ((0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o666, 0o644)):
        page.write_text(BARE)
        page.chmod(mode)
        assert "added" in sandbox.cli("keywords", "--write", cwd=root).stdout
        assert stat.S_IMODE(page.stat().st_mode) == after
