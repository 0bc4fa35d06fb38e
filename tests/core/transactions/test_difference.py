"""What a refused write brings back."""

from __future__ import annotations

import hashlib
import os

import pytest

from workroom.base.changes import ABSENT, Kind, State
from workroom.core.transactions.difference import difference

THEN = b"one\ntwo\n"
EXPECTED = State(Kind.FILE, hashlib.sha256(THEN).hexdigest(), len(THEN), 0o644)


@pytest.fixture
def told(house):
    def make(path: str, expected: State = EXPECTED):
        return difference(house.workspace.root, path, expected, {EXPECTED.sha256: THEN}.get)

    return make


def test_a_changed_file_comes_with_both_hashes_and_the_patch(house, told):
    house.write("f", "one\n2\n")
    row = told("f")
    assert (row["expectedSha256"], row["actualSha256"]) == (EXPECTED.sha256, hashlib.sha256(b"one\n2\n").hexdigest())
    assert "-two\n+2\n" in row["patch"]
    assert not row["patchTruncated"]


def test_a_file_that_is_gone_or_came(house, told):
    assert "deleted file mode" in told("f")["patch"]
    house.write("f", "new\n")
    row = told("f", ABSENT)
    assert (row["expectedSha256"], "new file mode" in row["patch"]) == (None, True)


def test_a_link_and_a_folder_where_a_file_was(house, told):
    os.symlink("target", house.folder / "link")
    assert "+target\n" in told("link")["patch"]
    (house.folder / "folder").mkdir()
    row = told("folder")
    assert (row["actualSha256"], "deleted file mode" in row["patch"]) == (None, True)


def test_a_long_patch_is_cut_and_says_so(house, told):
    house.write("f", "line\n" * 2000)
    row = told("f")
    assert (len(row["patch"]), row["patchTruncated"]) == (4000, True)


def test_what_is_too_large_is_not_compared(house, told):
    with open(house.write("f", ""), "r+b") as stream:
        stream.truncate(2_000_001)
    row = told("f")
    assert row["actualSha256"]
    assert "patch" not in row


def test_what_can_not_be_looked_at_is_told_by_what_was_expected(told):
    name = "x" * 300
    assert told(name) == {"path": name, "expectedSha256": EXPECTED.sha256}
