"""Diffs: what they say, and that git takes them."""

import itertools
import os
import random
import subprocess
import sys
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workroom.text.diff import Diff, FileSide, Hunk, count_lines, diff_texts, line_blocks, render_file, shown_lines

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "  d\n", "-- x\n", "++ y\n", "@@ z\n", "é\u2028\n"]))
TEXTS = st.builds(lambda lines, last: "".join(lines) + last, LINES, st.sampled_from(["", "end", "-", "\\ No"]))


@pytest.fixture(params=["libgit2", "difflib"])
def engine(request, monkeypatch):
    if request.param == "difflib":
        monkeypatch.setitem(sys.modules, "pygit2", None)  # as where its wheel is missing
    return request.param


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    numbers = itertools.count()

    def make():
        path = tmp_path_factory.mktemp(f"tree{next(numbers)}")
        subprocess.run(["git", "init", "-q"], cwd=path, check=True)
        return path

    return make


def apply(path, patch, *flags):
    argv = ["git", "apply", "--whitespace=nowarn", *flags, "-"]
    done = subprocess.run(argv, check=False, cwd=path, input=patch.encode(), capture_output=True)
    assert done.returncode == 0, (done.stderr.decode(), patch)


class TestDiffTexts:
    def test_equal_texts_have_no_diff(self, engine):
        assert diff_texts("a\n", "a\n") == Diff("", (), 0, 0, identical=True, truncated=False)

    def test_a_diff_names_the_file_and_counts_its_lines(self, engine):
        diff = diff_texts("a\nb\nc\n", "a\nB\nc\nd", path="src/x.py")
        assert diff.patch == (
            "--- a/src/x.py\n+++ b/src/x.py\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n\\ No newline at end of file\n"
        )
        assert diff.hunks == (Hunk(1, 3, 1, 4, 2, 1),)
        assert (diff.added, diff.removed, diff.identical, diff.truncated) == (2, 1, False, False)

    def test_hunks_far_apart_are_separate(self, engine):
        before = "".join(f"{n}\n" for n in range(1, 41))
        after = before.replace("\n5\n", "\nfive\n").replace("\n30\n", "\n")
        assert diff_texts(before, after).hunks == (Hunk(2, 7, 2, 7, 1, 1), Hunk(27, 7, 27, 6, 0, 1))
        assert diff_texts(before, after, context=0).hunks == (Hunk(5, 1, 5, 1, 1, 1), Hunk(30, 1, 29, 0, 0, 1))
        assert "@@ -5 +5 @@\n" in diff_texts(before, after, context=0).patch

    def test_an_empty_side_starts_at_zero(self, engine):
        assert diff_texts("", "a\nb\n").hunks == (Hunk(0, 0, 1, 2, 2, 0),)
        assert diff_texts("a\n", "").hunks == (Hunk(1, 1, 0, 0, 0, 1),)

    def test_a_side_too_large_is_told_and_not_compared(self):
        assert diff_texts("é" * 6, "", max_bytes=11) == Diff("", (), 0, 0, identical=False, truncated=True)
        assert not diff_texts("é" * 6, "", max_bytes=12).truncated

    def test_the_enclosing_function_is_left_out(self, engine):
        before = "def long_name_" + "é" * 60 + "():\n" + "".join(f"    {n}\n" for n in range(20))
        assert "@@ -9,7 +9,7 @@\n" in diff_texts(before, before.replace(" 10\n", " ten\n")).patch

    def test_undecodable_bytes_are_shown_escaped(self, engine):
        diff = diff_texts("x\udcff\n", "y\ud800\n")
        assert "-x\\xff\n+y\\ud800\n" in diff.patch
        diff.patch.encode("utf-8")

    def test_nul_is_text_here(self, engine):
        assert diff_texts("a\0\n", "b\0\n").removed == 1

    def test_two_thousand_diffs_are_never_corrupted(self):
        for n in range(2000):
            assert f"-old {n}\n+new {n}\n" in diff_texts(f"old {n}\n", f"new {n}\n").patch

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(before=TEXTS, after=TEXTS, context=st.integers(1, 4))
    def test_git_applies_every_diff(self, engine, folder, before, after, context):
        diff = diff_texts(before, after, path="a file", context=context)
        if diff.identical:
            return
        path = folder()
        (path / "a file").write_bytes(before.encode())
        apply(path, diff.patch)
        result = path / "a file"
        # git takes a plain diff that empties a file for its deletion where the header may mean that.
        assert (result.read_bytes() if result.exists() else b"") == after.encode()


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        (b"", b"", (0, 0)),
        (b"a\n", b"a\n", (0, 0)),
        (b"", b"a\nb", (2, 0)),
        (b"a\nb\n", b"", (0, 2)),
        (b"a\nb\n", b"b\nc", (1, 1)),
        (b"a", b"a\n", (1, 1)),
        (b"\xff\0\n", b"\xfe\0\n", (1, 1)),
    ],
)
def test_lines_are_counted(engine, before, after, counts):
    assert count_lines(before, after) == counts


def test_large_files_are_counted_by_what_they_hold():
    before = b"".join(b"line %d\n" % n for n in range(200_000))
    assert count_lines(before, before.replace(b"line 77\n", b"x\ny\n") + b"end") == (3, 1)


def of(lines):
    return "".join(f"{line}\n" for line in lines)


def drawn(size, seed, kinds):
    return of(random.Random(seed).choices(range(kinds), k=size))


SIZE = 30_000
HOSTILE = {
    "random numbers of a few": (drawn(SIZE, 1, 100), drawn(SIZE, 2, 100)),
    "random bits": (drawn(SIZE, 3, 2), drawn(SIZE, 4, 2)),
    "alternating": ("a\nb\n" * (SIZE // 2), "b\na\nc\n" * (SIZE // 3)),
    "reversed": (of(range(SIZE)), of(reversed(range(SIZE)))),
    "every other line changed": (of(n % 90 for n in range(SIZE)), of(n % 90 if n % 2 else n % 77 for n in range(SIZE))),
}


class TestTooMuchToCompare:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_it_is_one_hunk_that_git_applies(self, engine, folder, name):
        middle = HOSTILE[name]
        before, after = (f"{of(range(-99, 0))}first\n{side}last\n\n\n" for side in middle)
        diff = diff_texts(before, after, path="f")
        (hunk,) = diff.hunks
        assert not diff.truncated
        marks = "".join(line[0] for line in diff.patch.split("\n")[3:-1])
        removed, added = marks.count("-"), marks.count("+")
        assert marks == "   " + "-" * removed + "+" * added + "   "
        assert (hunk.old_lines, hunk.new_lines) == (removed + 6, added + 6)
        assert shown_lines(before.encode(), after.encode()) == removed + added > SIZE
        path = folder()
        (path / "f").write_text(before)
        apply(path, diff.patch)
        assert (path / "f").read_text() == after
        rendered = render_file(file("f", before.encode()), file("f", after.encode()))
        assert rendered == "diff --git a/f b/f\n" + diff.patch

    @pytest.mark.parametrize("name", HOSTILE)
    def test_lines_are_counted_by_what_the_sides_hold(self, engine, name):
        before, after = HOSTILE[name]
        old, new = Counter(before.split("\n")), Counter(after.split("\n"))
        counts = ((new - old).total(), (old - new).total())
        assert count_lines(before.encode(), after.encode()) == counts
        diff = diff_texts(before, after)
        assert (diff.added, diff.removed) == (diff.hunks[0].added, diff.hunks[0].removed) == counts

    def test_the_bound_is_on_lines_that_differ(self):
        before = drawn(19_900, 1, 100)
        assert len(diff_texts(before, drawn(19_900, 2, 100), context=0).hunks) > 1_000
        assert len(diff_texts(before * 2, drawn(19_900, 2, 100) * 2, context=0).hunks) == 1

    def test_lines_beyond_a_million_are_all_counted(self):
        many, fewer = b"a\n" * 1_000_001, b"a\n" * 999_000
        assert count_lines(many, b"b\n" + many + b"b\n") == (1_000_003, 1_000_001)
        assert count_lines(fewer, b"b\n" + fewer + b"b\n") == (2, 0)

    def test_two_megabytes_hold_nobody_up(self):
        before, after = drawn(650_000, 1, 100), drawn(650_000, 2, 100)
        start = time.perf_counter()
        assert len(diff_texts(before, after).hunks) == 1
        assert sum(count_lines(before.encode(), after.encode())) < 20_000
        assert time.perf_counter() - start < 15


class TestLongFiles:
    RECORDS = "".join(f'  {{\n    "name": "n{n}",\n    "tags": [\n    ]\n  }},\n' for n in range(8_000))

    def test_changes_far_apart_are_separate_hunks(self, engine):
        after = self.RECORDS.replace('"n7"', '"x"').replace('"n4000"', '"y"').replace('    "name": "n7990",\n', "")
        diff = diff_texts(self.RECORDS, after, context=1)
        assert diff.hunks == (
            Hunk(36, 3, 36, 3, 1, 1), Hunk(20_001, 3, 20_001, 3, 1, 1), Hunk(39_951, 3, 39_951, 2, 0, 1)
        )  # fmt: skip
        assert (diff.added, diff.removed) == count_lines(self.RECORDS.encode(), after.encode()) == (2, 3)

    def test_a_record_that_is_added_is_one_piece(self, engine):
        record = '  {\n    "name": "new",\n    "tags": [\n    ]\n  },\n'
        at = self.RECORDS.index('  {\n    "name": "n3000"')
        diff = diff_texts(self.RECORDS, self.RECORDS[:at] + record + self.RECORDS[at:], context=0)
        added = diff.patch.partition("@@\n")[2].splitlines()
        assert sorted(added) == sorted(f"+{line}" for line in record.splitlines())
        assert len(diff.hunks) == 1

    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(seed=st.integers(0, 10_000), context=st.integers(1, 4))
    def test_git_applies_every_diff(self, engine, folder, seed, context):
        rng = random.Random(seed)
        size = 2_500 if engine == "difflib" else 21_000
        before = [str(n) if rng.random() < 0.7 else "}" for n in range(size)]
        after = list(before)
        for _ in range(rng.randrange(1, 40)):
            a, b = (rng.randrange(len(after)) for _ in range(2))
            after[a : a + rng.randrange(5)] = after[b : b + rng.randrange(5)] + ["new"] * rng.randrange(2)
        diff = diff_texts(of(before), of(after) + "end", path="f", context=context)
        path = folder()
        (path / "f").write_text(of(before))
        apply(path, diff.patch)
        assert (path / "f").read_text() == of(after) + "end"
        assert (diff.added, diff.removed) == count_lines(of(before).encode(), (of(after) + "end").encode())


def test_lines_that_are_shown_are_those_of_the_patch(engine):
    assert shown_lines(b"a\n", b"a\n") == 0
    assert shown_lines(b"a\nb\nc", b"a\nx\ny\nc") == 3


def file(path, data, mode=0o644, *, link=False):
    return FileSide(path, data, mode, link)


ABSENT = FileSide("f", None, None)
TEXT = "".join(f"line {n}\n" for n in range(10)).encode()


class TestRenderFile:
    def test_nothing_changed_is_nothing_to_show(self):
        assert render_file(file("f", b"a"), file("f", b"a")) == ""
        assert render_file(ABSENT, ABSENT) == ""

    def test_a_modified_file(self):
        assert render_file(file("f", b"a\n"), file("f", b"b\n")) == (
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
        )

    def test_a_created_file(self):
        assert render_file(ABSENT, file("f", b"a\n", None)) == (
            "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
        )

    def test_a_deleted_program(self):
        assert render_file(file("f", b"a\n", 0o755), ABSENT) == (
            "diff --git a/f b/f\ndeleted file mode 100755\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
        )

    def test_a_changed_mode(self):
        assert render_file(file("f", b"a"), file("f", b"a", 0o700)) == (
            "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
        )
        assert render_file(file("f", b"a"), file("f", b"a", 0o600)) == ""
        assert render_file(file("f", b"a"), file("f", b"a", None)) == ""

    def test_a_renamed_file(self):
        assert render_file(file("f", TEXT), file("g h", TEXT)) == (
            "diff --git a/f b/g h\nsimilarity index 100%\nrename from f\nrename to g h\n"
        )
        patch = render_file(file("f", TEXT), file("g h", TEXT.replace(b"line 3\n", b"three\n")))
        assert "similarity index 90%\nrename from f\nrename to g h\n--- a/f\n+++ b/g h\t\n@@" in patch

    def test_binary_files_are_only_named(self):
        assert render_file(file("f", b"\0\1\2"), file("f", b"text\n")) == (
            "diff --git a/f b/f\nBinary files a/f and b/f differ\n"
        )
        assert "Binary files /dev/null and b/f differ\n" in render_file(ABSENT, file("f", bytes(range(256)) * 2))

    def test_text_in_a_legacy_encoding_is_shown_decoded(self):
        before = "Die Straße ist naß. Ärger über Öl und Übel in Köln.\n" * 5
        patch = render_file(file("f", before.encode("cp1252")), file("f", (before + "Größe\n").encode("cp1252")))
        assert "+Größe\n" in patch

    def test_text_in_utf16_is_shown_decoded(self):
        patch = render_file(file("f", "a\n".encode("utf-16")), file("f", "ä\n".encode("utf-16")))
        assert "@@ -1 +1 @@\n-a\n+ä\n" in patch

    def test_a_change_of_encoding_alone_is_shown_or_named(self):
        text = "Die Straße ist naß. Ärger über Öl und Übel in Köln.\n"
        patch = render_file(file("f", text.encode("cp1252")), file("f", text.encode()))
        assert "-Die Stra\\xdfe ist" in patch
        assert "+Die Straße ist" in patch
        assert "Binary files" in render_file(file("f", b"abc\n"), file("f", "abc\n".encode("utf-16")))

    def test_what_is_too_large_says_so(self):
        patch = render_file(file("f", b"a\n" * 100), file("f", b"b\n"), max_bytes=100)
        assert patch == "diff --git a/f b/f\nFiles too large to compare here: 200 and 2 bytes\n"

    def test_links_are_their_targets(self):
        assert render_file(ABSENT, file("f", b"to", None, link=True)) == (
            "diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+to\n"
            "\\ No newline at end of file\n"
        )

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (None, ("f", b"", 0o644)),
            (None, ("sub/f", b"a\nb", 0o755)),
            (("f", b"", 0o644), None),
            (("f", b"a\n", 0o644), None),
            (("f", b"\xef\xbb\xbfa\n", 0o644), ("f", b"\xef\xbb\xbfb\n", 0o644)),
            (("f", TEXT, 0o755), ("g/h", TEXT + b"x", 0o644)),
            (("f", TEXT, 0o644), ("g", TEXT, 0o644)),
            (('t\tab "q\\', TEXT, 0o644), ("ü \u202e\x01", TEXT[3:], 0o644)),
            (("sp ace", b"a\r\nb\r\n", 0o644), ("sp ace", b"a\nb\r\n", 0o644)),
        ],
    )
    def test_git_applies_it(self, folder, before, after):
        path = folder()
        old = file(*before) if before else FileSide(after[0], None, None)
        new = file(*after) if after else FileSide(before[0], None, None)
        if old.data is not None:
            (path / old.path).write_bytes(old.data)
            os.chmod(path / old.path, old.mode)
        apply(path, render_file(old, new))
        found = [name for name in path.rglob("*") if name.is_file() and ".git" not in name.parts]
        if new.data is None:
            assert found == []
            return
        assert found == [path / new.path]
        assert found[0].read_bytes() == new.data
        assert bool(found[0].stat().st_mode & 0o100) == bool(new.mode & 0o100)

    def test_git_turns_a_file_into_a_link(self, folder):
        path = folder()
        (path / "f").write_bytes(b"text\n")
        apply(path, render_file(file("f", b"text\n"), file("f", b"to", None, link=True)))
        assert os.readlink(path / "f") == "to"


def test_the_blocks_of_a_text_and_itself_are_none_and_of_two_texts_those_that_differ():
    assert line_blocks("a\nb\n", "a\nb\n") == []
    assert line_blocks("a\nb\nc\n", "a\nx\ny\nc\n") == [(1, 2, 1, 3)]
