"""Operations: what each does, refuses and calls destructive."""

from __future__ import annotations

import hashlib
import os

import pytest

from workroom.base.changes import Danger
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.base.settings import Settings


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def refused(house, *operations, **options) -> WorkroomError:
    """The refusal, and the proof that nothing was changed by it."""
    before = house.tree()
    with pytest.raises(WorkroomError) as caught:
        house.plan(*operations, **options)
    assert house.tree() == before
    return caught.value


def test_create_makes_parents_and_is_not_destructive(house):
    planned = house.plan({"type": "create", "path": "a/b/c.txt", "content": "x\n"})
    assert planned.dangers == ()
    house.commit(planned)
    assert house.tree() == {"a": None, "a/b": None, "a/b/c.txt": (b"x\n", 0o644)}


def test_create_refuses_an_existing_file_unless_told(house):
    house.write("f", "old\n")
    error = refused(house, {"type": "create", "path": "f", "content": "new\n"})
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert error.details["operation"] == 0
    planned = house.plan({"type": "create", "path": "f", "content": "new\n", "overwrite": True})
    assert planned.dangers == (Danger("create", "f", "replace"),)
    house.commit(planned)
    assert house.read("f") == b"new\n"


def test_create_with_overwrite_over_nothing_is_not_destructive(house):
    assert house.plan({"type": "create", "path": "f", "content": "", "overwrite": True}).dangers == ()


def test_create_never_replaces_a_folder(house):
    house.write("d/f", "")
    error = refused(house, {"type": "create", "path": "d", "content": "", "overwrite": True})
    assert error.code is ErrorCode.EDIT_CONFLICT


def test_a_file_in_the_way_of_a_parent(house):
    house.write("f", "x")
    error = refused(house, {"type": "create", "path": "f/g", "content": ""})
    assert (error.code, error.details["path"]) == (ErrorCode.EDIT_CONFLICT, "f")


def test_rewrite(house):
    house.write("f", "old\n", 0o640)
    planned = house.plan({"type": "rewrite", "path": "f", "content": "new\n"})
    assert planned.dangers == (Danger("rewrite", "f", "replace"),)
    house.commit(planned)
    assert house.tree() == {"f": (b"new\n", 0o640)}


def test_rewrite_of_a_missing_file(house):
    assert refused(house, {"type": "rewrite", "path": "f", "content": ""}).code is ErrorCode.NOT_FOUND
    planned = house.plan({"type": "rewrite", "path": "d/f", "content": "x\n", "create_if_missing": True})
    assert planned.dangers == ()
    house.commit(planned)
    assert house.read("d/f") == b"x\n"


def test_rewrite_keeps_encoding_and_line_endings(house):
    house.write("f", b"\xef\xbb\xbfone\r\ntwo\r\n")
    planned = house.plan({"type": "rewrite", "path": "f", "content": "three\nfour\n"})
    assert planned.warnings == ("f keeps its CRLF line endings.",)
    house.commit(planned)
    assert house.read("f") == b"\xef\xbb\xbfthree\r\nfour\r\n"


def test_rewrite_of_a_binary_file_is_the_text_alone(house):
    house.write("f", b"\0\1\2")
    house.edit({"type": "rewrite", "path": "f", "content": "text\n"})
    assert house.read("f") == b"text\n"


def test_rewrite_of_a_folder_is_refused(house):
    house.write("d/f", "")
    assert refused(house, {"type": "rewrite", "path": "d", "content": ""}).code is ErrorCode.INVALID_INPUT


def test_replace_answers_the_rung(house):
    house.write("f", "a\r\n  b  \r\nc\r\n")
    planned = house.plan({"type": "replace", "path": "f", "search": "a\n  b\n", "replacement": "x\ny\n"})
    assert planned.change_set.changes[0].matched == "trailing_blanks"
    assert planned.dangers == ()
    house.commit(planned)
    assert house.read("f") == b"x\r\ny\r\nc\r\n"


def test_replace_of_a_wrong_count(house):
    house.write("f", "a a\n")
    error = refused(house, {"type": "replace", "path": "f", "search": "a", "replacement": "b"})
    assert error.code is ErrorCode.EDIT_CONFLICT
    house.edit({"type": "replace", "path": "f", "search": "a", "replacement": "b", "expected_matches": 2})
    assert house.read("f") == b"b b\n"


def test_replace_in_a_binary_file_is_refused(house):
    house.write("f", b"\0\1")
    error = refused(house, {"type": "replace", "path": "f", "search": "a", "replacement": "b"})
    assert error.code is ErrorCode.INVALID_INPUT


def test_the_loosest_rung_of_several_edits_is_told(house):
    house.write("f", "one\r\ntwo\r\n")
    planned = house.plan(
        {"type": "replace", "path": "f", "search": "one\ntwo", "replacement": "1\n2"},
        {"type": "replace", "path": "f", "search": "2", "replacement": "zwei"},
    )
    assert planned.change_set.changes[0].matched == "line_endings"
    house.commit(planned)
    assert house.read("f") == b"1\r\nzwei\r\n"


def test_splice_guarded_by_the_hash_of_what_was_read(house):
    house.write("f", "1\n2\n3\n")
    operation = {"type": "splice", "path": "f", "start_line": 2, "delete_count": 1, "content": "two\n"}
    error = refused(house, {**operation, "expected_hash": sha(b"other")})
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert error.details["actualSha256"] == sha(b"1\n2\n3\n")
    house.edit({**operation, "expected_hash": sha(b"1\n2\n3\n")})
    assert house.read("f") == b"1\ntwo\n3\n"


def test_the_hash_of_a_missing_file_matches_nothing(house):
    error = refused(house, {"type": "create", "path": "f", "content": "", "expected_sha256": sha(b"x")})
    assert error.code is ErrorCode.EDIT_CONFLICT


def test_copy_of_a_file_keeps_mode_and_source(house):
    house.write("f", "x\n", 0o755)
    planned = house.plan({"type": "copy", "from": "f", "to": "d/g"})
    assert planned.dangers == ()
    house.commit(planned)
    assert house.tree() == {"d": None, "d/g": (b"x\n", 0o755), "f": (b"x\n", 0o755)}


def test_copy_over_a_file(house):
    house.write("f", "x\n")
    house.write("g", "y\n")
    operation = {"type": "copy", "from": "f", "to": "g"}
    assert refused(house, operation).code is ErrorCode.EDIT_CONFLICT
    planned = house.plan({**operation, "overwrite": True})
    assert [danger.path for danger in planned.dangers] == ["g"]
    house.commit(planned)
    assert house.read("g") == b"x\n"


def test_copy_goes_through_a_link_and_keeps_links_within(house):
    house.write("d/f", "x\n")
    os.symlink("f", house.folder / "d/link")
    house.edit({"type": "copy", "from": "d/link", "to": "g"}, {"type": "copy", "from": "d", "to": "e"})
    assert house.read("g") == b"x\n"
    assert house.tree()["e/link"] == ("link", "f")


def test_move_is_destructive_and_keeps_the_very_file(house):
    target = house.write("f", "x\n", 0o600)
    inode = target.stat().st_ino
    planned = house.plan({"type": "move", "from": "f", "to": "d/g"})
    assert planned.dangers == (Danger("move", "f", "copy"),)
    entry = house.commit(planned)
    assert (house.folder / "d/g").stat().st_ino == inode
    house.undo(entry.transaction_id)
    assert (house.folder / "f").stat().st_ino == inode


def test_move_of_a_link_moves_the_link(house):
    house.write("f", "x\n")
    os.symlink("f", house.folder / "link")
    house.edit({"type": "move", "from": "link", "to": "other"})
    assert house.tree() == {"f": (b"x\n", 0o644), "other": ("link", "f")}


def test_move_of_a_folder_with_all_it_holds(house):
    house.write("d/a", "a\n")
    house.write("d/e/b", "b\n", 0o755)
    (house.folder / "d/empty").mkdir()
    before = house.tree()
    entry = house.edit({"type": "move", "from": "d", "to": "x/y"})
    assert house.tree() == {
        "x": None, "x/y": None, "x/y/a": (b"a\n", 0o644), "x/y/e": None, "x/y/e/b": (b"b\n", 0o755),
        "x/y/empty": None,
    }  # fmt: skip
    house.undo(entry.transaction_id)
    assert house.tree() == before | {"x": None}


def test_move_onto_itself_or_below(house):
    house.write("d/f", "")
    assert refused(house, {"type": "move", "from": "d", "to": "d/e"}).code is ErrorCode.INVALID_INPUT
    assert refused(house, {"type": "copy", "from": "d/f", "to": "d/f"}).code is ErrorCode.INVALID_INPUT


def test_move_over_a_file(house):
    house.write("f", "x\n")
    house.write("g", "y\n")
    house.edit({"type": "move", "from": "f", "to": "g", "overwrite": True})
    assert house.tree() == {"g": (b"x\n", 0o644)}


def test_two_files_change_places(house):
    house.write("a", "a\n")
    house.write("b", "b\n", 0o755)
    entry = house.edit(
        {"type": "move", "from": "a", "to": "t"},
        {"type": "move", "from": "b", "to": "a"},
        {"type": "move", "from": "t", "to": "b"},
    )
    assert house.tree() == {"a": (b"b\n", 0o755), "b": (b"a\n", 0o644)}
    house.undo(entry.transaction_id)
    assert house.tree() == {"a": (b"a\n", 0o644), "b": (b"b\n", 0o755)}


def test_move_then_edit_and_edit_then_move(house):
    house.write("a", "one\n", 0o755)
    house.write("b", "two\n", 0o755)
    house.edit(
        {"type": "move", "from": "a", "to": "c"},
        {"type": "replace", "path": "c", "search": "one", "replacement": "1"},
        {"type": "replace", "path": "b", "search": "two", "replacement": "2"},
        {"type": "move", "from": "b", "to": "d"},
    )
    assert house.tree() == {"c": (b"1\n", 0o755), "d": (b"2\n", 0o755)}


def test_moving_nothing(house):
    assert refused(house, {"type": "move", "from": "f", "to": "g"}).code is ErrorCode.NOT_FOUND


def test_delete(house):
    house.write("f", "x\n")
    planned = house.plan({"type": "delete", "path": "f"})
    assert planned.dangers == (Danger("delete", "f"),)
    house.commit(planned)
    assert house.tree() == {}
    assert refused(house, {"type": "delete", "path": "f"}).code is ErrorCode.NOT_FOUND


def test_delete_of_what_may_be_missing(house):
    house.edit({"type": "delete", "path": "f", "ignore_missing": True}, {"type": "mkdir", "path": "d"})
    assert house.tree() == {"d": None}


def test_delete_acts_on_the_link(house):
    house.write("f", "x\n")
    os.symlink("f", house.folder / "link")
    entry = house.edit({"type": "delete", "path": "link"})
    assert house.tree() == {"f": (b"x\n", 0o644)}
    house.undo(entry.transaction_id)
    assert house.tree()["link"] == ("link", "f")


def test_delete_of_a_folder_needs_recursive_when_it_holds_something(house):
    house.write("d/e/f", "x\n")
    error = refused(house, {"type": "delete", "path": "d"})
    assert error.code is ErrorCode.EDIT_CONFLICT
    before = house.tree()
    entry = house.edit({"type": "delete", "path": "d", "recursive": True})
    assert house.tree() == {}
    house.undo(entry.transaction_id)
    assert house.tree() == before


def test_delete_of_an_empty_folder(house):
    (house.folder / "d").mkdir()
    house.edit({"type": "delete", "path": "d"})
    assert house.tree() == {}


def test_a_fifo_is_left_alone(house):
    os.mkfifo(house.folder / "pipe")
    assert refused(house, {"type": "delete", "path": "pipe"}).code is ErrorCode.INVALID_INPUT


def test_a_file_becomes_a_folder_and_back(house):
    house.write("x", "file\n")
    entry = house.edit(
        {"type": "delete", "path": "x"}, {"type": "create", "path": "x/y", "content": "in\n"}
    )  # fmt: skip
    assert house.tree() == {"x": None, "x/y": (b"in\n", 0o644)}
    house.undo(entry.transaction_id)
    assert house.tree() == {"x": (b"file\n", 0o644)}


def test_a_deleted_folder_is_made_anew(house):
    house.write("d/f", "x\n")
    house.edit(
        {"type": "delete", "path": "d", "recursive": True}, {"type": "create", "path": "d/g", "content": "y\n"}
    )  # fmt: skip
    assert house.tree() == {"d": None, "d/g": (b"y\n", 0o644)}


def test_mkdir(house):
    planned = house.plan({"type": "mkdir", "path": ".github/workflows"})
    assert planned.dangers == ()
    assert [(d.path, d.existed_before) for d in planned.directories] == [(".github/workflows", False)]
    house.commit(planned)
    assert house.tree() == {".github": None, ".github/workflows": None}


def test_mkdir_where_a_file_is(house):
    house.write("f", "")
    assert refused(house, {"type": "mkdir", "path": "f"}).code is ErrorCode.EDIT_CONFLICT
    assert refused(house, {"type": "mkdir", "path": "f/g"}).code is ErrorCode.EDIT_CONFLICT


@pytest.mark.parametrize("order", [1, -1])
def test_mkdir_and_a_file_claim_one_path(house, order):
    operations = [{"type": "mkdir", "path": "x"}, {"type": "create", "path": "x", "content": ""}][::order]
    assert refused(house, *operations).code is ErrorCode.EDIT_CONFLICT
    deeper = [{"type": "mkdir", "path": "x/y"}, {"type": "create", "path": "x", "content": ""}][::order]
    assert refused(house, *deeper).code is ErrorCode.EDIT_CONFLICT


def test_mkdir_of_what_is_there_alone_is_refused_with_names(house):
    (house.folder / "d").mkdir()
    error = refused(house, {"type": "mkdir", "path": "d"})
    assert (error.code, error.details["directories"]) == (ErrorCode.INVALID_INPUT, ["d"])
    planned = house.plan({"type": "mkdir", "path": "d"}, {"type": "create", "path": "f", "content": ""})
    assert [(d.path, d.existed_before) for d in planned.directories] == [("d", True)]


def test_undo_of_mkdir_takes_only_what_it_made_and_only_while_empty(house):
    (house.folder / "there").mkdir()
    entry = house.edit(
        {"type": "mkdir", "path": "there"},
        {"type": "mkdir", "path": "new/deep"},
        {"type": "mkdir", "path": "full"},
        {"type": "mkdir", "path": "swapped"},
    )
    house.write("full/mine", "x\n")
    (house.folder / "swapped").rmdir()
    house.write("swapped", "a file now\n")
    undo = house.undo(entry.transaction_id)
    assert house.tree() == {
        "full": None, "full/mine": (b"x\n", 0o644), "new": None, "swapped": (b"a file now\n", 0o644), "there": None,
    }  # fmt: skip
    assert [text.split()[0] for text in undo.warnings] == ["full", "new", "swapped"]


def test_what_changes_nothing_is_refused(house):
    house.write("f", "x\n")
    error = refused(house, {"type": "replace", "path": "f", "search": "x", "replacement": "x"})
    assert error.code is ErrorCode.INVALID_INPUT


def test_patch_of_several_files(house):
    house.write("a", "1\n2\n3\n")
    house.write("old", "x\n")
    house.write("src/m", "m\n", 0o644)
    patch = (
        "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"
        "--- /dev/null\n+++ b/new/n\n@@ -0,0 +1 @@\n+n\n"
        "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/src/m b/src/k\nold mode 100644\nnew mode 100755\nsimilarity index 50%\n"
        "rename from src/m\nrename to src/k\n--- a/src/m\n+++ b/src/k\n@@ -1 +1 @@\n-m\n+k\n"
    )
    planned = house.plan({"type": "patch", "patch": patch})
    assert sorted((d.operation, d.path) for d in planned.dangers) == [("delete", "old"), ("move", "src/m")]
    house.commit(planned)
    assert house.tree() == {
        "a": (b"1\ntwo\n3\n", 0o644), "new": None, "new/n": (b"n\n", 0o644), "src": None, "src/k": (b"k\n", 0o755),
    }  # fmt: skip


def test_patch_that_changes_a_mode_alone(house):
    house.write("f", b"\0binary", 0o644)
    house.edit({"type": "patch", "patch": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"})
    assert house.tree() == {"f": (b"\0binary", 0o755)}


def test_patch_never_clobbers(house):
    house.write("f", "x\n")
    house.write("g", "y\n")
    create = "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n"
    assert refused(house, {"type": "patch", "patch": create}).code is ErrorCode.EDIT_CONFLICT
    rename = "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n"
    assert refused(house, {"type": "patch", "patch": rename}).code is ErrorCode.EDIT_CONFLICT


def test_patch_that_deletes_only_a_part(house):
    house.write("f", "x\ny\n")
    patch = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert refused(house, {"type": "patch", "patch": patch}).code is ErrorCode.EDIT_CONFLICT


def test_patch_that_deletes_a_file_unseen(house):
    house.write("f", "x\n")
    house.write("empty", "")
    header = "diff --git a/{0} b/{0}\ndeleted file mode 100644\n"
    error = refused(house, {"type": "patch", "patch": header.format("f")})
    assert (error.code, "leaves lines" in error.message) == (ErrorCode.EDIT_CONFLICT, True)
    house.edit({"type": "patch", "patch": header.format("empty")})
    assert house.tree() == {"f": (b"x\n", 0o644)}


def test_patch_gives_a_file_that_it_makes_executable_its_mode(house):
    house.edit(
        {"type": "create", "path": "run", "content": "x\n"},
        {"type": "create", "path": "plain", "content": "x\n"},
        {"type": "patch", "patch": "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"},
        {"type": "patch", "patch": "diff --git a/plain b/plain\nold mode 100755\nnew mode 100644\n"},
    )
    assert house.tree() == {"plain": (b"x\n", 0o644), "run": (b"x\n", 0o755)}


def test_patch_whose_path_leads_out(house):
    os.symlink("/etc", house.folder / "out")
    for patch in (
        "--- a/out/passwd\n+++ b/out/passwd\n@@ -1 +1 @@\n-a\n+b\n",
        "--- /dev/null\n+++ b/out/new\n@@ -0,0 +1 @@\n+x\n",
    ):
        assert refused(house, {"type": "patch", "patch": patch}).code is ErrorCode.PATH_OUTSIDE_WORKSPACE


def test_the_root_is_not_copied_into_itself(house):
    house.write("a/f", "x\n")
    os.symlink(".", house.folder / "here")
    for source in (".", "here", str(house.folder)):
        error = refused(house, {"type": "copy", "from": source, "to": "x"})
        assert error.code is ErrorCode.INVALID_INPUT


def test_patch_of_a_path_that_can_be_none(house):
    assert refused(house, {"type": "patch", "patch": "--- a/no\n+++ b/no\n@@ -1 +1 @@\n-a\n+b\n"}).code in {
        ErrorCode.NOT_FOUND, ErrorCode.EDIT_CONFLICT,
    }  # fmt: skip


def test_a_patch_that_expects_one_hash_is_of_one_file(house):
    house.write("a", "1\n")
    house.write("b", "2\n")
    patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-2\n+two\n"
    error = refused(house, {"type": "patch", "patch": patch, "expected_sha256": sha(b"1\n")})
    assert error.code is ErrorCode.INVALID_INPUT
    house.edit({"type": "patch", "patch": patch.split("--- a/b")[0], "expected_sha256": sha(b"1\n")})
    assert house.read("a") == b"one\n"


def test_gutter_text_is_refused_by_field(house):
    house.write("f", "one\ntwo\n")
    gutter = "1 | one\n2 | two\n"
    for operation in (
        {"type": "create", "path": "g", "content": gutter},
        {"type": "rewrite", "path": "f", "content": gutter},
        {"type": "replace", "path": "f", "search": gutter, "replacement": "x"},
        {"type": "replace", "path": "f", "search": "one", "replacement": gutter},
        {"type": "splice", "path": "f", "start_line": 1, "delete_count": 0, "content": gutter},
    ):
        error = refused(house, operation)
        assert error.code is ErrorCode.INVALID_INPUT
        house.plan({**operation, "allow_line_numbers": True}) if operation.get("search") != gutter else None


def test_files_that_run_code_are_labelled_or_asked_about(house):
    planned = house.plan(
        {"type": "create", "path": "package.json", "content": "{}\n"},
        {"type": "create", "path": "sub/.vscode/settings.json", "content": "{}\n"},
    )
    assert planned.asks == ("sub/.vscode/settings.json can run code",)
    assert planned.warnings == ("package.json can run code when its tool is used.",)


def test_protected_patterns_of_the_person(house):
    house.settings = Settings(mode="auto", destructive_edits="allow", protected_patterns=("secret/**",))
    house.write("secret/f", "x\n")
    house.write("open/f", "x\n")
    for operation in (
        {"type": "replace", "path": "secret/f", "search": "x", "replacement": "y"},
        {"type": "move", "from": "open", "to": "secret/open"},
        {"type": "move", "from": "secret", "to": "public"},
        {"type": "delete", "path": "secret", "recursive": True},
        {"type": "copy", "from": "open", "to": "secret/g"},
    ):
        assert refused(house, operation).code is ErrorCode.PROTECTED_PATH, operation


def test_titles_say_what_is_changed(house):
    house.write("a", "")
    assert house.plan({"type": "mkdir", "path": "d"}).title == "d"
    assert house.plan({"type": "create", "path": "x/b", "content": ""}).title == "x/b"
    two = house.plan({"type": "create", "path": "b", "content": ""}, {"type": "delete", "path": "a"})
    assert two.title == "a and 1 more"
    assert house.plan({"type": "mkdir", "path": "d"}, title="Mine").title == "Mine"


def test_a_relative_link_is_not_carried_to_where_it_leads_out(house):
    house.write("x", "x")
    (house.folder / "a/b").mkdir(parents=True)
    os.symlink("../../x", house.folder / "a/b/l")
    for operation in ({"type": "copy", "from": "a/b", "to": "c"}, {"type": "move", "from": "a/b/l", "to": "l"}):
        assert refused(house, operation).code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    house.edit({"type": "copy", "from": "a/b", "to": "a/c"})
    assert house.tree()["a/c/l"] == ("link", "../../x")


def test_a_patchs_prefix_is_not_looked_for_behind_a_link_that_leads_out(house):
    os.symlink("/etc", house.folder / "a")
    patch = "--- a/hosts\n+++ a/hosts\n@@ -1 +1 @@\n-x\n+y\n"
    error = refused(house, {"type": "patch", "patch": patch})
    assert error.code in {ErrorCode.NOT_FOUND, ErrorCode.PATH_OUTSIDE_WORKSPACE}


def creates(count):
    return [{"type": "create", "path": f"{number}.txt", "content": "x\n"} for number in range(count)]


def test_a_plan_tells_how_far_it_is_and_ends_when_nobody_waits(house):
    heard = []
    pulse = Pulse(lambda done, total: heard.append((done, total)))
    house.plan(*creates(25), pulse=pulse)
    assert heard == [(10, 25), (20, 25)]
    pulse.cancel()
    with pytest.raises(WorkroomError) as cancelled:
        house.plan(*creates(2), pulse=pulse)
    assert cancelled.value.code is ErrorCode.CANCELLED
