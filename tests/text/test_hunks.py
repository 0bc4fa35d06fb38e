"""Hunks applied to texts: what is forgiven, what is refused, and that git and we agree."""

import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.diff import diff_texts
from workroom.text.hunks import Patched, apply_hunks
from workroom.text.patch import FilePatch, PatchHunk, parse_patch

NUMBERS = "".join(f"line {n}\n" for n in range(1, 41))


def patched(text, *hunks, path="f"):
    (file,) = parse_patch(f"--- a/{path}\n+++ b/{path}\n" + "".join(hunks), lambda _: True)
    return apply_hunks(path, file, text)


def refused(text, *hunks, code=ErrorCode.EDIT_CONFLICT):
    with pytest.raises(WorkroomError) as caught:
        patched(text, *hunks)
    assert caught.value.code == code
    return caught.value


class TestWhereAHunkGoes:
    def test_where_its_line_number_says(self):
        text = "a\nx\nb\n" * 3
        result = patched(text, "@@ -4,3 +4,3 @@\n a\n-x\n+y\n b\n")
        assert result.text == "a\nx\nb\na\ny\nb\na\nx\nb\n"
        assert result.rung == "exact"

    @pytest.mark.parametrize(
        "header", ["@@ -1,3 +1,3 @@", "@@ -900,7 +900,1 @@ def f():", "@@", "@@ ... @@", "@@ def f(): @@"]
    )
    def test_wrong_numbers_are_forgiven_where_the_context_is_unique(self, header):
        result = patched(NUMBERS, f"{header}\n line 19\n-line 20\n+twenty\n line 21\n")
        assert result.text == NUMBERS.replace("line 20\n", "twenty\n")

    def test_an_ambiguous_hunk_is_refused_with_its_places(self):
        error = refused("a\nx\nb\n" * 3, "@@ -2,3 +2,3 @@\n a\n-x\n+y\n b\n")
        assert "at lines 1, 4, 7, and its line number, 2, is none of them" in error.message
        assert "nothing was changed" in error.message
        assert "Don't write the whole file" in error.next_step
        assert error.details == {"path": "f", "lines": [1, 4, 7], "matched": "exact", "patchLine": 3}

    def test_many_places_are_cut_short(self):
        error = refused("x\n" * 50, "@@\n-x\n+y\n")
        assert "at lines 1, 2, 3, 4, 5, …, and it gives no line number" in error.message

    def test_overlapping_places_are_ambiguous(self):
        assert refused("x\n" * 3, "@@\n x\n-x\n+y\n").details["lines"] == [1, 2]

    def test_a_stale_hunk_is_refused_with_what_stands_there_now(self):
        error = refused(NUMBERS, "@@ -19,3 +19,3 @@\n line 19\n-line twenty\n+20\n line 21\n")
        assert "stale" in error.message
        assert "line 19" in error.details["closest"]["text"]
        assert error.details["patchLine"] == 3

    def test_a_change_that_is_already_there_is_told(self):
        error = refused("a\nnew\nb\n", "@@ -1,3 +1,3 @@\n a\n-old\n+new\n b\n")
        assert error.details["alreadyThere"] == {"startLine": 1, "endLine": 3}

    def test_hunks_may_come_in_any_order_and_share_context(self):
        result = patched(NUMBERS, "@@\n line 3\n-line 4\n+four\n line 5\n", "@@\n line 1\n-line 2\n+two\n line 3\n")
        assert result.text == NUMBERS.replace("line 2\n", "two\n").replace("line 4\n", "four\n")

    def test_hunks_that_change_the_same_lines_are_refused(self):
        error = refused(NUMBERS, "@@\n line 3\n-line 4\n+four\n line 5\n", "@@\n-line 4\n+IV\n line 5\n")
        assert "lines 3 and 8 of the patch change the same lines" in error.message

    def test_the_same_insertion_twice_is_refused(self):
        hunk = "@@\n line 3\n+new\n line 4\n"
        assert "change the same lines" in refused(NUMBERS, hunk, hunk).message

    def test_neighbouring_changes_are_fine(self):
        result = patched("a\nb\nc\n", "@@\n a\n+between\n b\n", "@@\n-b\n+B\n c\n")
        assert result.text == "a\nbetween\nB\nc\n"

    def test_a_hunk_of_context_alone_is_checked_and_changes_nothing(self):
        assert patched("a\nb\n", "@@\n a\n b\n").text == "a\nb\n"
        refused("a\nb\n", "@@\n a\n c\n")


class TestInsertionsWithoutContext:
    def test_they_go_after_the_line_they_name(self):
        assert patched("a\nb\n", "@@ -1,0 +2 @@\n+x\n").text == "a\nx\nb\n"
        assert patched("a\nb\n", "@@ -2,0 +3 @@\n+x\n").text == "a\nb\nx\n"

    def test_they_take_the_files_line_ending(self):
        assert patched("a\r\nb\r\n", "@@ -1,0 +2 @@\n+x\n").text == "a\r\nx\r\nb\r\n"

    @pytest.mark.parametrize("header", ["@@ -0,0 +1 @@", "@@", "@@ -3,0 +4 @@", "@@ -1 +1,2 @@"])
    def test_they_are_refused_where_the_number_tells_nothing(self, header):
        assert "no context" in refused("a\nb\n", f"{header}\n+x\n").message

    def test_an_empty_file_has_only_one_place(self):
        assert patched("", "@@ -0,0 +1 @@\n+x\r\n").text == "x\r\n"
        assert patched("", "@@\n+x\n").text == "x\n"


class TestTheLadder:
    def test_lf_for_a_crlf_file(self):
        result = patched("a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n")
        assert (result.text, result.rung) == ("a\r\nB\r\nBB\r\nc\r\n", "line_endings")

    def test_a_crlf_patch_for_an_lf_file(self):
        patch = "--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n"
        (file,) = parse_patch(patch, lambda _: True)
        assert apply_hunks("f", file, "a\nb\nc\n").text == "a\nB\nc\n"

    def test_what_matches_exactly_is_taken_byte_for_byte(self):
        result = patched("a\r\nb\nc\r\n", "@@ -1,3 +1,3 @@\n a\r\n-b\n+B\n c\r\n")
        assert (result.text, result.rung) == ("a\r\nB\nc\r\n", "exact")
        assert patched("a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n").text == "a\r\nb\n"

    def test_a_file_of_lone_crs(self):
        result = patched("a\rb\rc", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")
        assert (result.text, result.rung) == ("a\rB\rc", "line_endings")

    def test_a_final_newline_that_the_patch_took_for_granted_stays_missing(self):
        assert patched("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n").text == "a\nB"
        assert patched("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n").text == "a\nb\nc"
        assert patched("a\nb", "@@ -1,2 +1,1 @@\n a\n-b\n").text == "a\n"

    def test_a_final_newline_is_made_and_removed_where_the_patch_says_so(self):
        no_newline = "\\ No newline at end of file\n"
        assert patched("a\nb", f"@@ -1,2 +1,2 @@\n a\n-b\n{no_newline}+b\n").text == "a\nb\n"
        assert patched("a\nb\n", f"@@ -1,2 +1,2 @@\n a\n-b\n+b\n{no_newline}").text == "a\nb"
        assert patched("a\r\nb\r\n", f"@@ -1,2 +1,2 @@\n a\n-b\n+B\n{no_newline}").text == "a\r\nB"

    def test_lines_after_one_without_newline_never_run_into_it(self):
        no_newline = "\\ No newline at end of file\n"
        assert patched("a\nb", f"@@ -1,2 +1,3 @@\n a\n b\n{no_newline}+\n+c\n").text == "a\nb\n\nc\n"
        assert patched("a\nb\n", f"@@ -1,2 +1,3 @@\n a\n+x\n{no_newline} b\n").text == "a\nx\nb\n"
        assert patched("a", f"@@ -1 +1,2 @@\n a\n{no_newline}@@ -1,0 +2 @@\n+b\n").text == "a\nb\n"

    def test_trailing_blanks_are_forgiven_and_kept(self):
        result = patched("a  \nb\t\nc\n", "@@ -1,3 +1,3 @@\n a\n b\n-c\n+C\n")
        assert (result.text, result.rung) == ("a  \nb\t\nC\n", "trailing_blanks")

    def test_another_indent_shifts_the_new_lines(self):
        text = "class A:\n    def f():\n        return 1\n"
        result = patched(text, "@@ -1,2 +1,3 @@\n def f():\n-    return 1\n+    x = 2\n+    return x\n")
        assert (result.text, result.rung) == (
            "class A:\n    def f():\n        x = 2\n        return x\n",
            "indent",
        )

    def test_spaces_for_tabs(self):
        result = patched(
            "f() {\n\tif (x)\n\t\ty();\n}\n", "@@\n f() {\n     if (x)\n-        y();\n+        z();\n }\n"
        )
        assert (result.text, result.rung) == ("f() {\n\tif (x)\n\t\tz();\n}\n", "indent")

    def test_indents_must_shift_as_one(self):
        assert "stale" in refused("a:\n  b\n    c\n", "@@\n a:\n     b\n     c\n-    d\n").message
        assert "stale" in refused("  b\n    c\n", "@@\n-b\n-c\n").message

    def test_places_with_another_shape_are_bounded(self):
        text = "  a\nb\n" * 2_000 + "a\n  b\n"
        assert "stale" in refused(text, "@@\n-    a\n-      b\n+x\n").message

    def test_unicode_punctuation_is_forgiven_and_kept(self):
        text = "say \u201chi\u201d\nit\u2019s\nend\n"
        result = patched(text, '@@ -1,3 +1,3 @@\n say "hi"\n it\'s\n-end\n+END\n')
        assert (result.text, result.rung) == ("say \u201chi\u201d\nit\u2019s\nEND\n", "unicode")
        shifted = patched("    it\u2019s\n    end\n", "@@\n it's\n-end\n+END\n")
        assert (shifted.text, shifted.rung) == ("    it\u2019s\n    END\n", "unicode")

    def test_the_loosest_rung_of_all_hunks_is_told(self):
        result = patched(NUMBERS.replace("line 30\n", "line 30 \n"), "@@\n-line 3\n+3\n", "@@\n-line 30\n+30\n")
        assert result.rung == "trailing_blanks"

    def test_the_first_rung_with_a_match_decides(self):
        result = patched("x \ny\nx\ny\n", "@@ -1,2 +1,2 @@\n-x\n+z\n y\n")
        assert (result.text, result.rung) == ("x \ny\nz\ny\n", "exact")

    def test_blank_lines_alone_are_not_searched_loosely(self):
        assert "stale" in refused("a\n  \n", "@@\n-\n+b\n").message

    def test_a_byte_order_mark_that_only_the_patch_shows(self):
        hunk = "@@ -1,2 +1,2 @@\n-\ufeffa\n+\ufeffA\n b\n"
        assert patched("a\nb\n", hunk) == Patched("A\nb\n", "exact")
        assert patched("\ufeffa\nb\n", hunk).text == "\ufeffA\nb\n"
        refused("a\nb\n", "@@ -1,2 +1,2 @@\n-\ufeffa\n+a\n b\n")

    def test_lines_that_hold_a_lone_cr_must_match_exactly(self):
        no_newline = "\\ No newline at end of file\n"
        assert patched("a\nb\rc", f"@@\n-b\rc\n{no_newline}+B\n").text == "a\nB\n"
        refused("a\nb\rc \n", f"@@\n-b\rc\n{no_newline}+B\n")


def file_patch(kind, patch):
    (file,) = parse_patch(patch, lambda _: False)
    assert file.kind == kind
    return file


def test_a_created_file_is_its_added_lines():
    file = file_patch("create", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n")
    assert apply_hunks("f", file, "").text == "a\nb"
    with pytest.raises(WorkroomError, match="stale"):
        apply_hunks("f", file_patch("create", "--- /dev/null\n+++ b/f\n@@ -1 +1,2 @@\n a\n+b\n"), "")


def test_a_delete_must_remove_every_line():
    file = file_patch("delete", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n")
    assert apply_hunks("f", file, "a\nb\n").text == ""
    with pytest.raises(WorkroomError, match="leaves 1 of its lines") as caught:
        apply_hunks("f", file, "a\nb\nc\n")
    assert caught.value.code == ErrorCode.EDIT_CONFLICT


def test_a_rename_without_hunks_keeps_the_text():
    assert apply_hunks("f", FilePatch("rename", "f", "g", (), None, None), "a\n").text == "a\n"


class TestHostilePatches:
    def test_a_hundred_thousand_hunks_in_place(self):
        count = 100_000
        text = "".join(f"{n}\n" for n in range(count))
        hunks = "".join(f"@@ -{n + 1} +{n + 1} @@\n-{n}\n+x\n" for n in range(count))
        started = time.monotonic()
        assert patched(text, hunks).text == "x\n" * count
        assert time.monotonic() - started < 60

    def test_many_hunks_that_must_be_searched_for(self):
        count = 20_000
        text = "".join(f"{n}\n" for n in range(count))
        started = time.monotonic()
        error = refused(text, "".join(f"@@\n-{n}\n+x\n" for n in range(count)), code=ErrorCode.LIMIT_EXCEEDED)
        assert "1,000 hunks of f" in error.message
        assert time.monotonic() - started < 60

    def test_a_million_lines(self):
        hunk = PatchHunk(1, None, None, (" a\n",) * 1_000_001)
        with pytest.raises(WorkroomError, match="1,000,000 lines"):
            apply_hunks("f", FilePatch("modify", "f", "f", (hunk,), None, None), "a\n")

    def test_repeated_lines(self):
        started = time.monotonic()
        refused("x\ny\n" * 10_000, "@@\n" + " x\n y\n" * 5_000 + "-z\n")
        refused("x\ny\n" * 10_000, "@@\n" + " x\n y\n" * 5_000 + " x\n-x\n")
        assert time.monotonic() - started < 60


LINES = st.sampled_from(
    ["a\n", "b\n", "c\r\n", "\n", "  d\n", "-- x\n", "++ y\n", "@@ z\n", "\\ q\n", "é\u2028\n", "r\rs\n"]
)
TEXTS = st.builds(
    lambda lines, last: "".join(lines) + last, st.lists(LINES, max_size=12), st.sampled_from(["", "end", "x\r"])
)


@settings(max_examples=300, deadline=None)
@given(before=TEXTS, after=TEXTS, context=st.integers(1, 4), path=st.sampled_from(["f", "a/b", "sp ace", 'q"ü']))
def test_a_diff_applied_to_its_before_is_its_after(before, after, context, path):
    diff = diff_texts(before, after, path=path, context=context)
    if diff.identical:
        return
    (file,) = parse_patch(diff.patch, lambda name: name == path)
    assert (file.kind, file.old_path, file.new_path) == ("modify", path, path)
    assert apply_hunks(path, file, before).text == after


@settings(max_examples=60, deadline=None)
@given(before=st.text("a\r\n", max_size=12), after=st.text("a\r\n", max_size=12))
def test_the_same_holds_for_any_mix_of_line_endings(before, after):
    diff = diff_texts(before, after)
    if not diff.identical:
        (file,) = parse_patch(diff.patch, lambda _: True)
        assert apply_hunks("file", file, before).text == after


@settings(max_examples=300, deadline=None)
@given(
    text=st.text("ab \t\r\n\u2019'", max_size=30),
    lines=st.lists(st.builds(str.__add__, st.sampled_from(" +-"), st.text("ab \t\r\u2019'", max_size=6)), min_size=1),
)
def test_a_hunk_is_applied_or_refused_and_never_a_fault(text, lines):
    hunk = "@@\n" + "".join(f"{line}\n" for line in lines)
    try:
        result = patched(text, hunk)
    except WorkroomError:
        return
    assert result.text.count("a") - text.count("a") == sum(
        (line[0] == "+") * line.count("a") - (line[0] == "-") * line.count("a") for line in lines
    )


def git(path, *argv, data=None):
    done = subprocess.run(["git", *argv], cwd=path, input=data, capture_output=True, check=True)
    return done.stdout


TREES = [
    ("", "a\nb\n"),
    (NUMBERS, NUMBERS.replace("line 3\n", "").replace("line 30\n", "thirty\n30\n")),
    (NUMBERS.replace("\n", "\r\n"), NUMBERS.replace("\n", "\r\n").replace("line 5\r\n", "five\r\n")),
    (NUMBERS, NUMBERS.replace("\n", "\r\n")),
    ("a\nb", "a\nb\n"),
    ("a\nb\n", "a\nb"),
    ("a\nb\n", ""),
    ("\ufeffa\nb\n", "\ufeffa\nc\n"),
    ("-- sql\n++ inc\n@@ at\n", "-- SQL\n++ INC\n@@ AT\n"),
    ("a\r\nb\nc", "a\nb\r\nc\r"),
]


@pytest.mark.parametrize(
    "flags", [(), ("--no-prefix",), ("-U1",), ("--minimal", "-U10"), ("--src-prefix=i/", "--dst-prefix=w/")]
)
def test_what_git_diff_writes_gives_what_git_has(tmp_path, flags):
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.autocrlf", "false")
    names = [f"{folder}{name}" for folder in ("", "a/", "b/") for name in ("plain", "sp ace", "ü", 'q"\\')]
    before = {f"{name}{n}": pair[0] for name in names for n, pair in enumerate(TREES)}
    after = {f"{name}{n}": pair[1] for name in names for n, pair in enumerate(TREES)}
    _write(tmp_path, before)
    git(tmp_path, "add", "-A")
    _write(tmp_path, after)
    chunks = [list(before)[at : at + 40] for at in range(0, len(before), 40)]
    for chunk in chunks:
        patch = git(tmp_path, "diff", *flags, "--", *chunk).decode()
        files = parse_patch(patch, before.__contains__)
        assert [file.new_path for file in files] == sorted(chunk)
        for file in files:
            result = apply_hunks(file.old_path, file, before[file.old_path])
            assert (result.text, result.rung) == (after[file.new_path], "exact")


@pytest.mark.parametrize("flags", [(), ("--no-prefix",)])
def test_git_renames_modes_creates_and_deletes(tmp_path, flags):
    git(tmp_path, "init", "-q")
    before = {"old name": NUMBERS, "same": NUMBERS + "same\n", "gone": "x\ny", "script": "run\n", "empty": ""}
    after = {
        "a/new ü": NUMBERS.replace("line 2\n", "2\n"),
        "b/same": NUMBERS + "same\n",
        "script": "run\n",
        "b/new": "n\n",
        "e": "",
    }
    _write(tmp_path, before)
    git(tmp_path, "add", "-A")
    git(tmp_path, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "x")
    for name in before:
        (tmp_path / name).unlink()
    _write(tmp_path, after)
    (tmp_path / "script").chmod(0o755)
    git(tmp_path, "add", "-A")
    patch = git(tmp_path, "diff", "--cached", "-M", *flags).decode()
    files = {(f.kind, f.old_path, f.new_path): f for f in parse_patch(patch, before.__contains__)}
    texts = {}
    for (_, old, new), file in files.items():
        text = apply_hunks(old or new, file, before[old] if old else "").text
        if new:
            texts[new] = text
    assert texts == after
    assert files["modify", "script", "script"].new_mode == 0o755
    assert files["create", None, "b/new"].new_mode == 0o644
    assert files["delete", "gone", None].old_mode == 0o644
    assert ("rename", "old name", "a/new ü") in files


def _write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())


def test_git_format_patch_mails_are_read(tmp_path):
    git(tmp_path, "init", "-q")
    who = ("-c", "user.name=n", "-c", "user.email=e")
    for n, text in enumerate(["a\n", "a\nb\n-- \nc\n"]):
        _write(tmp_path, {"f": text, f"g{n}": text})
        git(tmp_path, "add", "-A")
        git(tmp_path, *who, "commit", "-qm", f"step {n}\n\n- a list\n+ of things\n")
    mail = git(tmp_path, "format-patch", "-1", "--stdout").decode()
    files = parse_patch(mail, lambda _: False)
    assert [(f.kind, f.new_path) for f in files] == [("modify", "f"), ("create", "g1")]
    assert apply_hunks("f", files[0], "a\n").text == "a\nb\n-- \nc\n"


class TestLargeTexts:
    TEXT = "".join(f"line {n}, which is one of many\n" for n in range(130_000))

    def test_exact_and_line_endings_match(self):
        hunk = "@@ -5,2 +5,2 @@\n line 77777, which is one of many\n-line 77778, which is one of many\n+new\n"
        after = self.TEXT.replace("line 77778, which is one of many", "new")
        assert patched(self.TEXT, hunk) == Patched(after, "exact")
        crlf = self.TEXT.replace("\n", "\r\n")
        assert patched(crlf, hunk) == Patched(after.replace("\n", "\r\n"), "line_endings")

    def test_nothing_looser_does_and_it_is_said(self):
        hunk = "@@ -5,2 +5,2 @@\n   line 777, which is one of many\n-  line 778, which is one of many\n+new\n"
        assert "only exact and line-ending matches were tried" in refused(self.TEXT, hunk).message
        assert patched(self.TEXT[:3_000_000], hunk).rung == "indent"

    def test_lone_carriage_returns_are_kept_apart(self):
        assert patched("a\r\r\na\r\nb\n", "@@\n-a\n+c\n").text == "a\r\r\nc\r\nb\n"
        assert patched("x\na\r", "@@\n x\n-a\n+c\n").text.startswith("x\nc")
