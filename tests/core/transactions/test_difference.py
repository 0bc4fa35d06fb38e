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
        return difference(house.workspace.root, path, expected, {EXPECTED.sha256: THEN}.__getitem__)

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


def test_a_mode_that_was_set_is_in_the_patch(house, told):
    house.write("f", THEN, 0o755)
    assert told("f")["patch"].endswith("old mode 100644\nnew mode 100755\n")


def test_a_link_and_a_folder_where_a_file_was(house, told):
    os.symlink("target", house.folder / "link")
    patch = told("link")["patch"]
    assert "+target\n" in patch
    assert [line for line in patch.splitlines() if "mode" in line] == [
        "deleted file mode 100644", "new file mode 120000",
    ]  # fmt: skip
    (house.folder / "folder").mkdir()
    row = told("folder")
    assert (row["actualSha256"], "deleted file mode" in row["patch"]) == (None, True)


@pytest.mark.parametrize("over", [0, 1])
def test_a_patch_is_cut_after_4000_characters_and_says_so(house, told, over):
    house.write("f", "x\n")
    around = len(told("f", ABSENT)["patch"]) - 1
    house.write("f", "x" * (4000 - around + over) + "\n")
    row = told("f", ABSENT)
    assert (len(row["patch"]), row["patch"].endswith("\n"), row["patchTruncated"]) == (4000, not over, bool(over))


@pytest.mark.parametrize(("size", "compared"), [(2_000_000, True), (2_000_001, False)])
def test_what_is_too_large_is_not_compared(house, told, size, compared):
    with open(house.write("f", ""), "r+b") as stream:
        stream.truncate(size)
    row = told("f")
    assert row["actualSha256"]
    assert ("patch" in row) is compared


def test_what_can_not_be_looked_at_is_told_by_what_was_expected(told):
    name = "x" * 300
    assert told(name) == {"path": name, "expectedSha256": EXPECTED.sha256}
