"""Git hooks that fetch: only where the settings ask for it and a full build is ahead, and never in the way."""

import json

import pytest
from clones import Clones, artefact_of, index_of


class Hooked(Clones):
    """``b`` has our git hooks, and the artefact of another branch, of quite other pages."""

    def __init__(self, sandbox, share):
        super().__init__(sandbox)
        self.key = self.run("push", "--to", "git:origin", cwd=self.a)["key"]
        self.sandbox.git("checkout", "-q", "--orphan", "empty", cwd=self.b)
        self.sandbox.git("rm", "-rqf", ".", cwd=self.b)
        self.sandbox.pages(self.b, {"only.md": "---\nrecall: [only]\n---\n# Only\n"})
        if share is not None:
            self.settings(share)
        self.sandbox.git("add", "-A", cwd=self.b)
        self.sandbox.git("commit", "-qm", "other pages", cwd=self.b)
        self.sandbox.cli("install", "--git-only", cwd=self.b, check=True)
        self.trace = sandbox.tmp / "trace"

    def settings(self, share):
        (self.sandbox.user).mkdir(exist_ok=True)
        (self.sandbox.user / "config.json").write_text(json.dumps({"share": share}))

    def switch(self, *args, **env):
        """``git checkout`` with the hooks; what they said."""
        self.trace.write_text("")
        env = {**self.sandbox.env, "GIT_TRACE": str(self.trace), **env}
        return self.sandbox.git("checkout", "-q", *args, cwd=self.b, env=env).stderr

    def asked(self):
        """Whether git was asked about the remote."""
        return "ls-remote" in self.trace.read_text()

    def sent(self):
        """Whether git fetched an artefact."""
        return "refs/abcd-index/" + self.key in self.trace.read_text() and "fetch -q" in self.trace.read_text()

    def current(self):
        return (index_of(self.b) / "current").read_text().strip()


def test_a_full_build_is_fetched_instead(sandbox):
    clones = Hooked(sandbox, {"place": "git:origin", "fetch": True})
    assert clones.switch("main") == ""
    assert clones.asked() and clones.sent() and clones.current() == clones.key
    assert artefact_of(clones.a) == artefact_of(clones.b)


def test_off_by_default(sandbox):
    clones = Hooked(sandbox, {"place": "git:origin"})
    assert clones.switch("main") == ""
    assert not clones.asked() and clones.current() == clones.key


def test_a_small_change_is_built(sandbox):
    clones = Hooked(sandbox, {"place": "git:origin", "fetch": True})
    clones.switch("main")
    page = clones.b / ".abcd" / "memory" / "note_03.md"
    page.write_text(page.read_text() + "More.\n")
    clones.trace.write_text("")
    sandbox.git("commit", "-qam", "an edit", cwd=clones.b, env={**sandbox.env, "GIT_TRACE": str(clones.trace)})
    assert not clones.asked() and clones.current() != clones.key


def test_a_git_operation_without_changed_pages_starts_nothing(sandbox):
    clones = Hooked(sandbox, {"place": "git:origin", "fetch": True})
    clones.switch("main")
    (clones.b / "README.md").write_text("# edited\n")
    clones.trace.write_text("")
    # An interpreter that fails would be said; a hook that starts none says nothing.
    (sandbox.user / ".index" / "interpreter").write_text("/nonexistent/python\n")
    settings = (sandbox.user / "config.json").stat().st_atime_ns
    env = {**sandbox.env, "GIT_TRACE": str(clones.trace)}
    assert sandbox.git("commit", "-qam", "no page", cwd=clones.b, env=env).stderr == ""
    assert not clones.asked() and (sandbox.user / "config.json").stat().st_atime_ns == settings


def test_what_nobody_pushed_is_built(sandbox):
    clones = Hooked(sandbox, {"place": "git:origin", "fetch": True})
    sandbox.git("update-ref", "-d", "refs/abcd-index/" + clones.key, cwd=clones.bare)
    assert clones.switch("main") == ""
    assert clones.asked() and clones.current() == clones.key


@pytest.mark.parametrize("break_it", ["gone", "damaged", "refused"])
def test_whatever_is_wrong_the_hook_builds(sandbox, break_it):
    clones = Hooked(sandbox, {"place": "git:origin", "fetch": True})
    if break_it == "gone":
        clones.bare.rename(sandbox.tmp / "moved")
    elif break_it == "damaged":
        sandbox.git("update-ref", "refs/abcd-index/" + clones.key, "refs/heads/main", cwd=clones.bare)
    else:
        clones.settings({"place": "git:elsewhere", "fetch": True})
    said = clones.switch("main")
    assert said.count("\n") == 1 and "built, not fetched" in said
    assert clones.current() == clones.key and artefact_of(clones.a) == artefact_of(clones.b)


def test_a_remote_that_hangs_is_waited_for_a_while(sandbox):
    clones = Hooked(sandbox, {"place": "git:origin", "fetch": True, "timeout": 1})
    sandbox.git("remote", "set-url", "origin", "ssh://nobody@host.invalid/x", cwd=clones.b)
    said = clones.switch("main", GIT_SSH_COMMAND="sleep 100 #")
    assert "did not answer within 1 s" in said and clones.current() == clones.key


def with_project_settings(clones, share):
    """A branch whose own settings speak of sharing."""
    sandbox = clones.sandbox
    (clones.a / ".abcd" / "config.json").write_text(json.dumps({"share": share}))
    sandbox.git("add", "-A", cwd=clones.a)
    sandbox.git("commit", "-qm", "settings", cwd=clones.a)
    sandbox.git("push", "-q", "origin", "main", cwd=clones.a)
    sandbox.git("fetch", "-q", cwd=clones.b)
    sandbox.git("branch", "-qf", "main", "origin/main", cwd=clones.b)


def test_a_projects_setting_reaches_the_remote_that_is_configured(sandbox):
    clones = Hooked(sandbox, None)
    with_project_settings(clones, {"place": "git:origin", "fetch": True})
    assert clones.switch("main") == ""
    assert clones.sent() and clones.current() == clones.key


def test_a_projects_setting_reaches_no_other_place(sandbox):
    clones = Hooked(sandbox, None)
    place = sandbox.tmp / "place"
    clones.run("push", "--to", str(place), cwd=clones.a)
    (place / f"{clones.key}.parcel.gz").write_bytes(b"whoever reads this says so")
    with_project_settings(clones, {"place": str(place), "fetch": True})
    said = clones.switch("main")
    assert "nobody on this machine has agreed" in said
    assert clones.current() == clones.key


def test_the_person_agrees_in_the_environment(sandbox):
    clones = Hooked(sandbox, None)
    place = sandbox.tmp / "place"
    clones.run("push", "--to", str(place), cwd=clones.a)
    (place / f"{clones.key}.parcel.gz").write_bytes(b"whoever reads this says so")
    with_project_settings(clones, {"place": str(place), "fetch": True})
    assert "cannot be unpacked" in clones.switch("main", ABCD_SHARE=str(place))
    assert clones.current() == clones.key


def test_hook_managers_get_the_same(sandbox):
    clones = Hooked(sandbox, {"place": "git:origin", "fetch": True})
    clones.switch("main", ABCD_INDEX="0")
    build = ("build", "--scope", "workspace", "--git-hook")
    assert clones.current() != clones.key
    done = sandbox.cli(*build, cwd=clones.b, env={**sandbox.env, "GIT_TRACE": str(clones.trace)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and clones.sent()
    assert clones.current() == clones.key
    clones.bare.rename(sandbox.tmp / "moved")
    (index_of(clones.b) / "current").unlink()
    for path in index_of(clones.b).glob("*.idx"):
        path.unlink()
    done = sandbox.cli(*build, cwd=clones.b)
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and "built, not fetched" in done.stderr
    assert clones.current() == clones.key
