"""Git hooks that fetch: only where the settings ask for it and a full build is ahead, and never in the way."""

import json

import pytest
from share_ground import Ground, artefact_of, index_of


class Hooked(Ground):
    """``b`` has our git hooks, and the artefact of another branch, of quite other pages."""

    def __init__(self, box, share):
        super().__init__(box)
        self.key = self.run("push", "--to", "git:origin", cwd=self.a)["key"]
        self.box.git("checkout", "-q", "--orphan", "empty", cwd=self.b)
        self.box.git("rm", "-rqf", ".", cwd=self.b)
        self.box.pages(self.b, {"only.md": "---\nrecall: [only]\n---\n# Only\n"})
        if share is not None:
            self.settings(share)
        self.box.git("add", "-A", cwd=self.b)
        self.box.git("commit", "-qm", "other pages", cwd=self.b)
        self.box.cli("install", "--git-only", cwd=self.b, check=True)
        self.trace = box.tmp / "trace"

    def settings(self, share):
        (self.box.user).mkdir(exist_ok=True)
        (self.box.user / "config.json").write_text(json.dumps({"share": share}))

    def switch(self, *args, **env):
        """``git checkout`` with the hooks; what they said."""
        self.trace.write_text("")
        env = {**self.box.env, "GIT_TRACE": str(self.trace), **env}
        return self.box.git("checkout", "-q", *args, cwd=self.b, env=env).stderr

    def asked(self):
        """Whether git was asked about the remote."""
        return "ls-remote" in self.trace.read_text()

    def sent(self):
        """Whether git fetched an artefact."""
        return "refs/abcd-index/" + self.key in self.trace.read_text() and "fetch -q" in self.trace.read_text()

    def current(self):
        return (index_of(self.b) / "current").read_text().strip()


def test_a_full_build_is_fetched_instead(box):
    ground = Hooked(box, {"place": "git:origin", "fetch": True})
    assert ground.switch("main") == ""
    assert ground.asked() and ground.sent() and ground.current() == ground.key
    assert artefact_of(ground.a) == artefact_of(ground.b)


def test_off_by_default(box):
    ground = Hooked(box, {"place": "git:origin"})
    assert ground.switch("main") == ""
    assert not ground.asked() and ground.current() == ground.key


def test_a_small_change_is_built(box):
    ground = Hooked(box, {"place": "git:origin", "fetch": True})
    ground.switch("main")
    page = ground.b / ".abcd" / "memory" / "note_03.md"
    page.write_text(page.read_text() + "More.\n")
    ground.trace.write_text("")
    box.git("commit", "-qam", "an edit", cwd=ground.b, env={**box.env, "GIT_TRACE": str(ground.trace)})
    assert not ground.asked() and ground.current() != ground.key


def test_a_git_operation_without_changed_pages_starts_nothing(box):
    ground = Hooked(box, {"place": "git:origin", "fetch": True})
    ground.switch("main")
    (ground.b / "README.md").write_text("# edited\n")
    ground.trace.write_text("")
    # An interpreter that fails would be said; a hook that starts none says nothing.
    (box.user / ".index" / "interpreter").write_text("/nonexistent/python\n")
    settings = (box.user / "config.json").stat().st_atime_ns
    env = {**box.env, "GIT_TRACE": str(ground.trace)}
    assert box.git("commit", "-qam", "no page", cwd=ground.b, env=env).stderr == ""
    assert not ground.asked() and (box.user / "config.json").stat().st_atime_ns == settings


def test_what_nobody_pushed_is_built(box):
    ground = Hooked(box, {"place": "git:origin", "fetch": True})
    box.git("update-ref", "-d", "refs/abcd-index/" + ground.key, cwd=ground.bare)
    assert ground.switch("main") == ""
    assert ground.asked() and ground.current() == ground.key


@pytest.mark.parametrize("break_it", ["gone", "damaged", "refused"])
def test_whatever_is_wrong_the_hook_builds(box, break_it):
    ground = Hooked(box, {"place": "git:origin", "fetch": True})
    if break_it == "gone":
        ground.bare.rename(box.tmp / "moved")
    elif break_it == "damaged":
        box.git("update-ref", "refs/abcd-index/" + ground.key, "refs/heads/main", cwd=ground.bare)
    else:
        ground.settings({"place": "git:elsewhere", "fetch": True})
    said = ground.switch("main")
    assert said.count("\n") == 1 and "built, not fetched" in said
    assert ground.current() == ground.key and artefact_of(ground.a) == artefact_of(ground.b)


def test_a_remote_that_hangs_is_waited_for_a_while(box):
    ground = Hooked(box, {"place": "git:origin", "fetch": True, "timeout": 1})
    box.git("remote", "set-url", "origin", "ssh://nobody@host.invalid/x", cwd=ground.b)
    said = ground.switch("main", GIT_SSH_COMMAND="sleep 100 #")
    assert "did not answer within 1 s" in said and ground.current() == ground.key


def with_project_settings(ground, share):
    """A branch whose own settings speak of sharing."""
    box = ground.box
    (ground.a / ".abcd" / "config.json").write_text(json.dumps({"share": share}))
    box.git("add", "-A", cwd=ground.a)
    box.git("commit", "-qm", "settings", cwd=ground.a)
    box.git("push", "-q", "origin", "main", cwd=ground.a)
    box.git("fetch", "-q", cwd=ground.b)
    box.git("branch", "-qf", "main", "origin/main", cwd=ground.b)


def test_a_projects_setting_reaches_the_remote_that_is_configured(box):
    ground = Hooked(box, None)
    with_project_settings(ground, {"place": "git:origin", "fetch": True})
    assert ground.switch("main") == ""
    assert ground.sent() and ground.current() == ground.key


def test_a_projects_setting_reaches_no_other_place(box):
    ground = Hooked(box, None)
    place = box.tmp / "place"
    ground.run("push", "--to", str(place), cwd=ground.a)
    (place / f"{ground.key}.parcel.gz").write_bytes(b"whoever reads this says so")
    with_project_settings(ground, {"place": str(place), "fetch": True})
    said = ground.switch("main")
    assert "nobody on this machine has agreed" in said
    assert ground.current() == ground.key


def test_the_person_agrees_in_the_environment(box):
    ground = Hooked(box, None)
    place = box.tmp / "place"
    ground.run("push", "--to", str(place), cwd=ground.a)
    (place / f"{ground.key}.parcel.gz").write_bytes(b"whoever reads this says so")
    with_project_settings(ground, {"place": str(place), "fetch": True})
    assert "cannot be unpacked" in ground.switch("main", ABCD_SHARE=str(place))
    assert ground.current() == ground.key


def test_hook_managers_get_the_same(box):
    ground = Hooked(box, {"place": "git:origin", "fetch": True})
    ground.switch("main", ABCD_INDEX="0")
    build = ("build", "--scope", "workspace", "--git-hook")
    assert ground.current() != ground.key
    done = box.cli(*build, cwd=ground.b, env={**box.env, "GIT_TRACE": str(ground.trace)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and ground.sent()
    assert ground.current() == ground.key
    ground.bare.rename(box.tmp / "moved")
    (index_of(ground.b) / "current").unlink()
    for path in index_of(ground.b).glob("*.idx"):
        path.unlink()
    done = box.cli(*build, cwd=ground.b)
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and "built, not fetched" in done.stderr
    assert ground.current() == ground.key
