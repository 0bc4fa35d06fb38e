"""Reading patches: what is understood, forgiven and refused."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.patch import FilePatch, PatchHunk, parse_patch

MODIFY = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
GIT_CREATE = "diff --git a/b/new b/b/new\nnew file mode 100755\nindex 0000000..1234567\n"


def parse(patch, *existing):
    return parse_patch(patch, set(existing).__contains__)


def only(patch, *existing):
    (file,) = parse(patch, *existing)
    return file


def refused(patch, *words, code=ErrorCode.INVALID_INPUT):
    with pytest.raises(WorkroomError) as caught:
        parse(patch)
    assert caught.value.code == code
    for word in words:
        assert word in str(caught.value)


class TestSections:
    def test_a_plain_section(self):
        assert only(MODIFY) == FilePatch(
            "modify", "x", "x", (PatchHunk(3, 1, 2, (" a\n", "-b\n", "+c\n")),), None, None
        )

    def test_the_patch_of_the_manual(self):
        files = parse(
            "--- a/main.go\n+++ b/main.go\n@@ -1,3 +1,3 @@\n package main\n-var x = 1\n+var x = 2\n func main() {}\n"
            "--- /dev/null\n+++ b/notes/new.txt\n@@ -0,0 +1,2 @@\n+hello\n+world\n"
            "--- a/old.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"
        )
        assert [(f.kind, f.old_path, f.new_path) for f in files] == [
            ("modify", "main.go", "main.go"),
            ("create", None, "notes/new.txt"),
            ("delete", "old.txt", None),
        ]

    def test_plain_and_git_sections_mix(self):
        files = parse(MODIFY + GIT_CREATE + "--- a/y\n+++ b/y\n@@\n-1\n+2\n")
        assert [(f.kind, f.new_path, f.new_mode) for f in files] == [
            ("modify", "x", None),
            ("create", "b/new", 0o755),
            ("modify", "y", None),
        ]

    def test_a_git_section_without_its_plain_header(self):
        assert only("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n").new_path == "x"

    def test_modes(self):
        file = only("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")
        assert (file.kind, file.old_mode, file.new_mode, file.hunks) == ("modify", 0o644, 0o755, ())

    def test_a_rename_with_and_without_hunks(self):
        head = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n"
        assert only(head) == FilePatch("rename", "x", "y", (), None, None)
        file = only(head + "index 1..2 100644\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n")
        assert (file.kind, len(file.hunks)) == ("rename", 1)

    def test_an_empty_file_made_and_deleted(self):
        assert only("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n").kind == "create"
        assert only("diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n").kind == "delete"

    def test_a_plain_patch_without_prefixes_creates_in_a_real_folder(self):
        create = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"
        bare = "--- src/x\n+++ src/x\n@@\n-a\n+b\n"
        assert [f.new_path for f in parse(bare + create)] == ["src/x", "b/new"]
        assert [f.new_path for f in parse(MODIFY + create)] == ["x", "new"]
        assert only(create).new_path == "new"

    @pytest.mark.parametrize(
        "between",
        ["\n\n", "```\n", "Index: y\n==========================\n", "diff -ruN a/y b/y\n", "-- \n2.39.5\n\nprose\n"],
    )
    def test_what_tools_write_between_sections(self, between):
        files = parse(MODIFY + between + MODIFY.replace("/x", "/y"))
        assert [(f.new_path, len(f.hunks[0].lines)) for f in files] == [("x", 3), ("y", 3)]

    def test_prose_and_fences_around_the_patch(self):
        file = only(f"Here is the change:\n\n- it is small\n+ and good\n\n```diff\n{MODIFY}```\n")
        assert file.hunks[0].lines == (" a\n", "-b\n", "+c\n")

    def test_crlf_throughout(self):
        file = only((MODIFY + GIT_CREATE).replace("\n", "\r\n").partition("diff")[0])
        assert file.hunks[0].lines == (" a\r\n", "-b\r\n", "+c\r\n")
        assert len(parse((MODIFY + GIT_CREATE).replace("\n", "\r\n"))) == 2


class TestHunks:
    @pytest.mark.parametrize(
        ("header", "start", "count"),
        [
            ("@@ -5,2 +5,2 @@ def f():", 5, 2),
            ("@@ -5 +5 @@", 5, 1),
            ("@@ -5,99 +7,1 @@", 5, 99),
            ("@@ -5,2 +5,2", 5, 2),
            ("@@-5,2 +5,2@@", 5, 2),
            ("@@", None, None),
            ("@@ ... @@", None, None),
            ("@@ -?,2 +?,2 @@", None, None),
            ("@@ -" + "9" * 5000 + " +1 @@", None, None),
        ],
    )
    def test_headers(self, header, start, count):
        hunk = only(f"--- a/x\n+++ b/x\n{header}\n a\n-b\n+c\n").hunks[0]
        assert (hunk.old_start, hunk.old_count, hunk.lines) == (start, count, (" a\n", "-b\n", "+c\n"))

    def test_blank_context_without_its_space(self):
        assert only("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n").hunks[0].lines == (
            " a\n",
            " \n",
            "-b\n",
            "+c\n",
        )
        assert only("--- a/x\r\n+++ b/x\r\n@@\r\n a\r\n\r\n-b\r\n").hunks[0].lines == (" a\r\n", " \r\n", "-b\r\n")

    def test_blank_lines_at_the_end_count_as_the_header_says(self):
        def lines(header, end="\n\n"):
            return only(f"--- a/x\n+++ b/x\n{header}\n-b\n+c\n{end}").hunks[0].lines

        assert lines("@@ -1,3 +1,3 @@") == ("-b\n", "+c\n", " \n", " \n")
        assert lines("@@ -1,2 +1,2 @@") == ("-b\n", "+c\n", " \n")
        assert lines("@@ -1 +1 @@") == ("-b\n", "+c\n")
        assert lines("@@ -1,9 +1,9 @@") == ("-b\n", "+c\n")
        assert lines("@@") == ("-b\n", "+c\n")

    def test_the_end_without_newline(self):
        no_newline = "\\ No newline at end of file\n"
        assert only(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n{no_newline}+b\n").hunks[0].lines == ("-a", "+b\n")
        assert only(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\r\n{no_newline}").hunks[0].lines == ("-a\n", "+b\r")
        crlf = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n{no_newline}".replace("\n", "\r\n")
        assert only(crlf).hunks[0].lines == ("-a\r\n", "+b")

    def test_a_patch_that_lost_its_final_newline(self):
        assert only(MODIFY[:-1]).hunks[0].lines[-1] == "+c\n"
        assert only(MODIFY.replace("\n", "\r\n")[:-2]).hunks[0].lines[-1] == "+c\r\n"
        assert only(MODIFY.replace("\n", "\r\n")[:-1]).hunks[0].lines[-1] == "+c\r\n"

    def test_removed_and_added_lines_that_look_like_a_header(self):
        body = " a\n--- old\n+++ new\n"
        assert only(f"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n{body}@@ -9 +9 @@\n-b\n+c\n").hunks[0].lines == (
            " a\n", "--- old\n", "+++ new\n",
        )  # fmt: skip
        assert only(f"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n{body} b\n").hunks[0].lines[1:3] == ("--- old\n", "+++ new\n")
        assert only("--- a/x\n+++ b/x\n@@\n a\n--- only removed\n b\n").hunks[0].lines[1] == "--- only removed\n"

    @pytest.mark.parametrize("header", ["@@ -1,9 +1,9 @@", "@@ -1,2 +1,2 @@", "@@ -1 +1 @@", "@@", "@@ -1,9 +1,2 @@"])
    def test_a_header_after_wrong_counts_begins_the_next_file(self, header):
        files = parse(f"--- a/x\n+++ b/x\n{header}\n a\n-b\n+c\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n")
        assert [f.new_path for f in files] == ["x", "y"]

    def test_counts_that_are_too_small(self):
        hunk = only("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n-b\n+c\n d\n").hunks[0]
        assert hunk.lines == (" a\n", "-b\n", "+c\n", " d\n")

    def test_a_line_beyond_the_counts_and_a_blank_is_refused_not_guessed(self):
        refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n\n+ a remark, or a line?\n", "Line 7", "belongs to no hunk")

    def test_a_signature_is_one_only_where_a_version_follows(self):
        hunk = only(f"{MODIFY}-- \n+x\n").hunks[0]
        assert hunk.lines == (" a\n", "-b\n", "+c\n", "-- \n", "+x\n")
        assert only(f"{MODIFY}-- \n").hunks[0].lines == (" a\n", "-b\n", "+c\n")
        assert only(f"{MODIFY}-- \n2.39.5 (Apple Git-154)\n\n").hunks[0].lines == (" a\n", "-b\n", "+c\n")

    def test_blank_lines_between_hunks(self):
        assert len(only(f"{MODIFY}\n\n@@ -9 +9 @@\n-d\n+e\n\n@@\n-f\n").hunks) == 3


class TestRefusals:
    @pytest.mark.parametrize("patch", ["", "\n", "only prose\n", "-old\n+new\n"])
    def test_no_patch(self, patch):
        refused(patch, "names no file", "--- a/PATH")

    @pytest.mark.parametrize("line", ["@@ -1 +1 @@", "*** Begin Patch", "+++ b/x", "--- a/x"])
    def test_parts_of_a_patch_before_any_header(self, line):
        refused(f"{line}\n-a\n+b\n{MODIFY}", "Line 1", "before any file's header")

    def test_a_context_line_without_its_space(self):
        refused("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\nfoo\n-b\n+c\n", "Line 5", "leading space")

    def test_prose_after_a_section(self):
        refused(MODIFY + "That's all.\n", "Line 7")

    @pytest.mark.parametrize(
        "patch",
        [
            "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n",
            "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 1\nA\n",
            "Binary files a/x and b/x differ\n" + MODIFY,
        ],
    )
    def test_binary_files(self, patch):
        refused(patch, "binary")

    def test_merges(self):
        refused("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n++b\n", "merges")
        refused("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n++b\n", "Line 3", "combined diff")

    def test_copies(self):
        refused("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "copies")

    @pytest.mark.parametrize(
        "line",
        ["new file mode 120000", "deleted file mode 120000", "new mode 160000", "index 1..2 120000", "old mode x"],
    )
    def test_links_and_submodules(self, line):
        refused(f"diff --git a/x b/x\n{line}\n@@\n+target\n", "Line 2", "not a regular file's")

    def test_a_path_named_twice(self):
        refused(MODIFY + MODIFY, "'x' more than once")
        refused(MODIFY + "diff --git a/y b/x\nrename from y\nrename to x\n", "'x' more than once")

    def test_a_section_that_does_nothing(self):
        refused("--- a/x\n+++ b/x\n", "no hunk")
        refused("--- /dev/null\n+++ b/x\n", "no hunk")
        refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "Line 3", "empty")

    def test_a_hunk_that_begins_with_the_missing_newline(self):
        refused("--- a/x\n+++ b/x\n@@\n\\ No newline at end of file\n", "Line 4")

    def test_contradictions(self):
        refused("diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ /dev/null\n@@\n-a\n", "Line 1", "at once")

    def test_fifty_files_and_no_more(self):
        def files(count):
            return "".join(MODIFY.replace("/x", f"/{n}") for n in range(count))

        assert len(parse(files(50))) == 50
        refused(files(51), "51 files", "limit is 50", code=ErrorCode.LIMIT_EXCEEDED)


class TestHostilePatches:
    @pytest.mark.parametrize(
        "junk",
        ["x" * 1_000_000, "-\n" * 250_000, "\n" * 500_000, "--- " * 250_000, "--- a\n" * 160_000, "@" * 1_000_000,
         'diff --git "' + "\\" * 1_000_000, "diff --git " + "a " * 500_000, '--- "' + "\\a" * 500_000 + "\n+++ b\n"],
    )  # fmt: skip
    def test_a_megabyte_of_junk(self, junk):
        started = time.monotonic()
        for patch in (junk, MODIFY + junk):
            try:
                parse(patch)
            except WorkroomError:
                continue
        assert time.monotonic() - started < 60

    @given(st.lists(st.sampled_from([
        "--- a/x\n", "+++ b/x\n", "--- /dev/null\n", "+++ b/y\n", "diff --git a/x b/x\n", "@@ -1,2 +1,2 @@\n", "@@\n",
        " a\n", "-b\n", "+c\n", "\n", "\\ No newline at end of file\n", "rename from x\n", "rename to y\n", "x\r\n",
        "new file mode 100644\n", "deleted file mode 100644\n", "-- \n", "\r\n",
    ])))  # fmt: skip
    def test_any_order_of_lines_is_read_or_refused(self, lines):
        try:
            files = parse("".join(lines))
        except WorkroomError:
            return
        for file in files:
            assert file.old_path or file.new_path
            assert all(line[0] in " +-" for hunk in file.hunks for line in hunk.lines)
