"""``fetch --verify`` looks at the place and at what is here, and never passes over damage in silence."""

import gzip

import pytest
from clones import Clones, artefact_of, bundle_of, index_of, scope_of

from abcd_index.build import publish


class Watched(Clones):
    """``place``: a folder with the sound artefact, which ``b`` has too."""

    def __init__(self, sandbox):
        super().__init__(sandbox)
        self.key = bundle_of(scope_of(self.a, sandbox), sandbox.tmp / "parcel")
        self.parcel = (sandbox.tmp / "parcel").read_bytes()
        self.place = sandbox.tmp / "place"
        self.place.mkdir()
        self.at = self.place / f"{self.key}.parcel.gz"
        self.at.write_bytes(gzip.compress(self.parcel))
        self.run("fetch", "--from", str(self.place), cwd=self.b)
        self.sound = artefact_of(self.a)

    def verified(self, code=0, place=None):
        return self.run("fetch", "--from", str(place or self.place), "--verify", cwd=self.b, code=code)

    def spoil_here(self):
        """Another byte in a body, in a file that this machine believes to be its own."""
        path = index_of(self.b) / f"{self.key}.idx"
        data = bytearray(self.sound)
        data[data.index(b"Note 3.")] ^= 1
        path.write_bytes(data)
        assert publish.record_provenance(scope_of(self.b, self.sandbox), self.key, path.stat().st_ino)

    def spoil_there(self, how):
        body = bytearray(self.parcel)
        body[body.index(b"Note 3.")] ^= 1
        {"cut": lambda: self.at.write_bytes(self.at.read_bytes()[:-30]),
         "another byte": lambda: self.at.write_bytes(gzip.compress(bytes(body))),
         "other": lambda: self.at.write_bytes(gzip.compress(b"other")),
         "empty": lambda: self.at.write_bytes(b"")}[how]()


@pytest.fixture
def watched(sandbox):
    return Watched(sandbox)


def test_all_is_well(watched):
    assert watched.verified()["state"] == "current"
    assert artefact_of(watched.b) == watched.sound


@pytest.mark.parametrize("how", ["cut", "another byte", "other", "empty"])
def test_a_damaged_place_is_said_though_the_artefact_is_here(watched, how):
    watched.spoil_there(how)
    report = watched.verified(2)
    assert "is not used" in report["error"] and "was checked, and it stands" in report["said"]
    assert artefact_of(watched.b) == watched.sound


def test_what_is_damaged_here_is_replaced(watched):
    watched.spoil_here()
    assert watched.verified()["state"] == "fetched"
    assert artefact_of(watched.b) == watched.sound


def test_both_are_damaged(watched):
    watched.spoil_here()
    watched.spoil_there("another byte")
    report = watched.verified(2)
    assert "is here is damaged too" in report["error"] and "build --force" in report["said"]


def test_nothing_there(watched):
    watched.at.unlink()
    report = watched.verified(1)
    assert "no artefact of these pages" in report["error"] and "was checked, and it stands" in report["said"]


def test_nothing_there_and_damage_here(watched):
    watched.at.unlink()
    watched.spoil_here()
    assert "is here is damaged too" in watched.verified(2)["error"]


def test_out_of_reach(watched):
    report = watched.verified(2, "git:nowhere")
    assert "was checked, and it stands" in report["said"]


def test_damage_here_that_this_machine_does_not_answer_for(watched):
    path = index_of(watched.b) / f"{watched.key}.idx"
    path.write_bytes(watched.sound.replace(b"Note 3.", b"Note 4."))
    assert watched.run("fetch", "--from", str(watched.place), cwd=watched.b)["state"] == "fetched"
    assert artefact_of(watched.b) == watched.sound
