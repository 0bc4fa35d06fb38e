"""Three-way merges: what merges, what conflicts, that git thinks the same, and that no byte is lost."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workroom.text import merge
from workroom.text.merge import Merge, Region, merge_files, merge_texts

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d\n", "é\n"]), max_size=12)
ENDS = st.sampled_from(["", "end"])


@st.composite
def edits(draw, base):
    """A few changes of some lines of `base`, as people make them."""
    lines = list(base)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines)))
        until = draw(st.integers(at, min(len(lines), at + 2)))
        lines[at:until] = draw(st.lists(st.sampled_from(["a\n", "x\n", "y\n", "\n"]), max_size=2))
    return lines


@st.composite
def threes(draw):
    base = draw(LINES)
    return tuple("".join(side) + draw(ENDS) for side in (base, draw(edits(base)), draw(edits(base))))


@pytest.fixture(scope="module")
def git(tmp_path_factory):
    """`git merge-file`: the merged bytes, or None for a conflict."""
    folder = tmp_path_factory.mktemp("git")

    def run(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        for name, data in (("base", base), ("ours", ours), ("theirs", theirs)):
            (folder / name).write_bytes(data)
        argv = ["git", "merge-file", "-p", "-q", "ours", "base", "theirs"]
        done = subprocess.run(argv, cwd=folder, capture_output=True, check=False)
        assert done.returncode < 128, done.stderr
        return done.stdout if done.returncode == 0 else None

    return run


def merged(base: str, ours: str, theirs: str) -> str:
    text, conflicts = merge_texts(base, ours, theirs)
    assert text is not None
    assert conflicts == ()
    return text


def conflicts(base: str, ours: str, theirs: str) -> tuple[Region, ...]:
    text, found = merge_texts(base, ours, theirs)
    assert text is None
    return found


class TestMergeTexts:
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(threes())
    def test_git_gives_the_same_verdict_and_the_same_text(self, git, sides):
        text, found = merge_texts(*sides)
        assert text is not None or found
        assert (None if text is None else text.encode()) == git(*(side.encode() for side in sides))

    @settings(max_examples=300, deadline=None)
    @given(threes())
    def test_the_sides_may_change_places(self, sides):
        base, ours, theirs = sides
        there, back = merge_texts(base, ours, theirs), merge_texts(base, theirs, ours)
        assert there[0] == back[0]
        assert [(r.base, r.ours, r.theirs) for r in there[1]] == [(r.base, r.theirs, r.ours) for r in back[1]]

    @settings(max_examples=300, deadline=None)
    @given(threes())
    def test_each_region_is_where_it_says(self, sides):
        for region in merge_texts(*sides)[1]:
            for name, side in zip(("base", "ours", "theirs"), sides, strict=True):
                start, count = getattr(region, f"{name}_start"), getattr(region, f"{name}_lines")
                lines = side.split("\n")
                whole = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
                assert "".join(whole[start - (count > 0) :][:count]) == getattr(region, name)

    def test_changes_apart_are_both_there(self):
        assert merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n") == "A\nb\nC\n"

    def test_the_same_change_is_there_once(self):
        assert merged("a\nb\nc\nd\n", "a\nX\nc\nd\n", "a\nX\nc\nD\n") == "a\nX\nc\nD\n"

    def test_changes_that_touch_conflict(self):
        (region,) = conflicts("a\nb\n", "A\nb\n", "a\nB\n")
        assert region == Region(1, 2, 1, 2, 1, 2, "a\nb\n", "A\nb\n", "a\nB\n")

    def test_a_side_that_deletes_what_the_other_changes_conflicts(self):
        (region,) = conflicts("a\nb\nc\n", "a\nc\n", "a\nB\nc\n")
        assert region == Region(2, 1, 1, 0, 2, 1, "b\n", "", "B\n")

    def test_what_both_put_in_alike_is_no_part_of_the_region(self):
        (region,) = conflicts("x\n", "x\nsame\nmine\nend\n", "x\nsame\nyours\nend\n")
        assert region == Region(1, 0, 3, 1, 3, 1, "", "mine\n", "yours\n")

    def test_every_region_is_told(self):
        found = conflicts("a\n1\n2\nb\n", "A\n1\n2\nB\n", "aa\n1\n2\nbb\n")
        assert [(r.base, r.ours, r.theirs) for r in found] == [("a\n", "A\n", "aa\n"), ("b\n", "B\n", "bb\n")]

    @pytest.mark.parametrize("engine", ["libgit2", "difflib"])
    def test_what_is_too_much_to_compare_is_one_change(self, engine, monkeypatch, git):
        if engine == "difflib":
            monkeypatch.setitem(sys.modules, "pygit2", None)  # as where its wheel is missing
        rng = random.Random(7)
        many = [f"{rng.randrange(40)}\n" for _ in range(60_000)]
        other = [f"{rng.randrange(40)}\n" for _ in range(60_000)]
        base, ours, theirs = ("".join(["top\n", "2\n", "3\n", *side]) for side in (many, other, many))
        theirs = theirs.replace("top", "TOP", 1)
        assert merged(base, ours, theirs) == ours.replace("top", "TOP", 1)
        (region,) = conflicts(
            base, ours, "".join(["top\n", "2\n", "3\n", *many[:30_000], "in between\n", *many[30_000:]])
        )
        assert region.base_lines > 50_000


class TestMergeFiles:
    def test_one_side_unchanged_takes_the_other_whatever_it_is(self):
        binary, other = b"\0\1\2", b"\0\3"
        assert merge_files(binary, binary, other) == Merge(other)
        assert merge_files(binary, other, binary) == Merge(other)
        assert merge_files(binary, other, other) == Merge(other)

    def test_what_is_no_text_is_not_merged(self):
        assert merge_files(b"\0a\nb\n", b"\0A\nb\n", b"\0a\nb\nc\n") == Merge(None, obstacle="binary")

    def test_what_is_too_large_is_not_merged(self, monkeypatch):
        monkeypatch.setattr(merge, "LARGEST_BYTES", 8)
        assert merge_files(b"a\nb\n", b"A\nb\n", b"a\nb\nc\nd\ne\n") == Merge(None, obstacle="too_large")

    def test_bytes_that_nobody_touched_are_kept(self):
        base = b"\xef\xbb\xbfone\r\ntwo\nthree\r\n\xc3\xa9 \xe2\x80\xa8 x\nlast"
        ours = base.replace(b"one", b"ONE")
        theirs = base.replace(b"last", b"last\n")
        assert merge_files(base, ours, theirs) == Merge(ours.replace(b"last", b"last\n"))

    def test_undecodable_bytes_are_kept_and_shown_escaped(self):
        base = b"caf\xe9\nb\nc\nna\xefve \xff\xfe\n"
        assert merge_files(base, base.replace(b"caf", b"Caf"), base.replace(b"\nc\n", b"\nC\n")).data == (
            b"Caf\xe9\nb\nC\nna\xefve \xff\xfe\n"
        )
        found = merge_files(base, base.replace(b"caf", b"Caf"), base.replace(b"caf", b"KAF"))
        assert found.obstacle == "overlap"
        assert (found.conflicts[0].ours, found.conflicts[0].theirs) == ("Caf\\xe9\n", "KAF\\xe9\n")

    @pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_wide_encodings_are_merged_by_their_lines(self, codec):
        def coded(text: str) -> bytes:
            return text.encode(codec)

        base, ours, theirs = "eins\nzwei\ndrei Ċ\n", "EINS\nzwei\ndrei Ċ\n", "eins\nzwei\ndrei Ċ\nvier\n"
        assert merge_files(coded(base), coded(ours), coded(theirs)) == Merge(coded("EINS\nzwei\ndrei Ċ\nvier\n"))
        found = merge_files(coded(base), coded(ours), coded(base.replace("eins", "1")))
        assert [(region.ours, region.theirs) for region in found.conflicts] == [("EINS\n", "1\n")]

    def test_a_mark_comes_and_goes_with_the_side_that_changed_it(self):
        plain, marked = b"a\nb\nc\n", b"\xef\xbb\xbfa\nb\nc\n"
        assert merge_files(plain, marked, b"a\nb\nC\n") == Merge(b"\xef\xbb\xbfa\nb\nC\n")
        assert merge_files(marked, b"\xef\xbb\xbfa\nb\nC\n", plain) == Merge(b"a\nb\nC\n")
        assert merge_files(marked, b"a\nb\nC\n", plain) == Merge(b"a\nb\nC\n")

    def test_sides_in_different_encodings_are_not_mixed(self):
        base = b"plain\n2\n3\n"
        assert merge_files(base, "é\n2\n3\n".encode(), "plain\n2\né\n".encode("cp1252")).obstacle == "encoding"
        assert merge_files(base, "plain\n2\n3\n4\n".encode("utf-16"), b"Plain\n2\n3\n").obstacle == "encoding"

    def test_plain_ascii_goes_with_both(self):
        assert merge_files(b"a\nb\nc\n", "ä\nb\nc\n".encode(), b"a\nb\nC\n") == Merge("ä\nb\nC\n".encode())
        assert merge_files(b"", b"a\n", "ä\n".encode()).obstacle == "overlap"
