import pytest

from abcd_index.scopes import WORKSPACE, Scope


class Home:
    """A scope's home in a temporary folder; writes bytes as they are given."""

    def __init__(self, tmp_path):
        self.path = tmp_path / "repo" / ".abcd"
        self.store = self.path / "memory"
        self.store.mkdir(parents=True)
        self.scope = Scope(WORKSPACE, str(tmp_path / "repo"), str(self.path), str(self.store),
                           str(self.path / ".index"), ".abcd/memory/")

    def page(self, name, data="---\nname: x\nrecall: [x]\n---\nBody.\n"):
        (self.store / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return self.store / name


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path.resolve())
