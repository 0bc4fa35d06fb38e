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


def told(error: WorkroomError) -> tuple[object, ...]:
    """All that a refusal says, but for which operation it is of."""
    details = {key: value for key, value in error.details.items() if key not in {"operation", "type"}}
    return error.code, error.message.partition("): ")[2], error.next_step, details


def test_a_refusal_says_which_operation_it_is_of(house):
    error = refused(house, {"type": "mkdir", "path": "d"}, {"type": "rewrite", "path": "f", "content": ""})
    assert (error.code, error.message) == (ErrorCode.NOT_FOUND, "operations[1] (rewrite): f does not exist.")
    assert error.next_step == "Check the path, or create it with type create, or set create_if_missing."
    assert error.details == {"operation": 1, "type": "rewrite", "path": "f"}


CHANGE = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"
CREATE = "--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x\n"
DELETE = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
RENAME = "diff --git a/f b/{0}\nsimilarity index 100%\nrename from f\nrename to {0}\n"
EXECUTABLE = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
PLAIN = "diff --git a/f b/f\nold mode 100755\nnew mode 100644\n"


@pytest.mark.parametrize(
    ("operation", "else_"),
    [
        ({"type": "replace", "path": "f", "search": "x", "replacement": "y"}, "create it with type create"),
        ({"type": "splice", "path": "f", "start_line": 1, "delete_count": 0}, "create it with type create"),
        ({"type": "delete", "path": "f"}, "set ignore_missing if that is fine"),
        ({"type": "copy", "from": "f", "to": "g"}, "name a file that is there"),
        ({"type": "move", "from": "f", "to": "g"}, "name a file that is there"),
        ({"type": "patch", "patch": CHANGE}, "create it with a new file section"),
        ({"type": "patch", "patch": DELETE}, "create it with type create"),
        ({"type": "patch", "patch": RENAME.format("g")}, "name a file that is there"),
    ],
)
def test_what_is_not_there_is_named_with_what_would_do(house, operation, else_):
    error = refused(house, operation)
    assert told(error) == (ErrorCode.NOT_FOUND, "f does not exist.", f"Check the path, or {else_}.", {"path": "f"})


@pytest.mark.parametrize(
    ("operation", "path", "kind", "overwrite"),
    [
        ({"type": "create", "path": "f", "content": "new\n"}, "f", "file", True),
        ({"type": "create", "path": "d", "content": "", "overwrite": True}, "d", "directory", False),
        ({"type": "mkdir", "path": "f"}, "f", "file", False),
        ({"type": "copy", "from": "f", "to": "g"}, "g", "file", True),
        ({"type": "move", "from": "f", "to": "g"}, "g", "file", True),
        ({"type": "copy", "from": "f", "to": "d", "overwrite": True}, "d", "directory", False),
        ({"type": "copy", "from": "d", "to": "f", "overwrite": True}, "f", "file", False),
        ({"type": "copy", "from": "d", "to": "e", "overwrite": True}, "e", "directory", False),
        ({"type": "move", "from": "f", "to": "link", "overwrite": True}, "link", "symlink", False),
        ({"type": "patch", "patch": CREATE.format("f")}, "f", "file", False),
        ({"type": "patch", "patch": CREATE.format("d")}, "d", "directory", False),
        ({"type": "patch", "patch": RENAME.format("g")}, "g", "file", True),
    ],
)
def test_what_is_in_the_way_is_named_with_what_would_do(house, operation, path, kind, overwrite):
    for name in ("f", "g", "d/f", "e/f"):
        house.write(name, "x\n")
    os.symlink("g", house.folder / "link")
    step = "Set overwrite, or edit it with replace." if overwrite else "Choose another path."
    message = f"{path} already exists as a {kind}."
    assert told(refused(house, operation)) == (ErrorCode.EDIT_CONFLICT, message, step, {"path": path})


@pytest.mark.parametrize(
    "operation",
    [
        {"type": "create", "path": "aux.txt", "content": "x\n"},
        {"type": "rewrite", "path": "aux.txt", "content": "x\n", "create_if_missing": True},
        {"type": "mkdir", "path": "aux.txt"},
        {"type": "copy", "from": "f", "to": "aux.txt"},
        {"type": "move", "from": "f", "to": "aux.txt"},
        {"type": "patch", "patch": CREATE.format("aux.txt")},
        {"type": "patch", "patch": RENAME.format("aux.txt")},
    ],
)
def test_no_new_name_is_one_that_windows_can_not_have(house, operation):
    house.write("f", "x\n")
    error = refused(house, operation)
    assert (error.code, "'aux.txt' is a device's" in error.message) == (ErrorCode.INVALID_INPUT, True)


EDITS = (
    {"type": "create", "path": "f", "content": "y\n\n\nold\n", "overwrite": True},
    {"type": "rewrite", "path": "f", "content": "y\n\n\nold\n"},
    {"type": "replace", "path": "f", "search": "x", "replacement": "y"},
    {"type": "splice", "path": "f", "start_line": 1, "delete_count": 1, "content": "y\n"},
    {"type": "patch", "patch": CHANGE},
)
OTHERS = (
    {"type": "copy", "from": "f", "to": "g"},
    {"type": "move", "from": "f", "to": "g"},
    {"type": "delete", "path": "f"},
    {"type": "patch", "patch": EXECUTABLE},
    {"type": "patch", "patch": RENAME.format("g")},
)


@pytest.mark.parametrize("operation", [*EDITS, *OTHERS, {"type": "patch", "patch": DELETE}])
def test_each_operation_takes_only_the_file_that_it_expects(house, operation):
    house.write("f", "x\n")
    expected, actual = sha(b"X"), sha(b"x\n")
    error = refused(house, {**operation, "expected_sha256": expected})
    message = f"f is not what was expected: its SHA-256 is {actual}."
    step = "Read it again and make the edit against what is there."
    details = {"path": "f", "expectedSha256": expected, "actualSha256": actual}
    assert told(error) == (ErrorCode.EDIT_CONFLICT, message, step, details)
    before = house.tree()
    house.edit({**operation, "expected_sha256": "SHA256:" + actual.upper()})
    assert house.tree() != before


@pytest.fixture
def stale(house):
    """The hash of an older version of `f`."""
    old = house.write("f", "x\n\n\nold\n").read_bytes()
    house.edit({"type": "replace", "path": "f", "search": "old", "replacement": "new"})
    return sha(old)


@pytest.mark.parametrize("operation", EDITS)
def test_an_edit_of_text_can_be_made_against_an_older_version(house, stale, operation):
    house.commit(house.plan({**operation, "expected_sha256": stale}, merge=True))
    assert house.tree() == {"f": (b"y\n\n\nnew\n", 0o644)}


@pytest.mark.parametrize("operation", [*OTHERS[:3], *OTHERS[4:], {**EDITS[0], "overwrite": False}])
def test_nothing_else_can(house, stale, operation):
    error = refused(house, {**operation, "expected_sha256": stale}, merge=True)
    assert (error.code, error.details.get("expectedSha256")) == (ErrorCode.EDIT_CONFLICT, stale)


def test_what_is_expected_of_a_file_that_is_not_there(house):
    error = refused(house, {"type": "create", "path": "f", "content": "", "expected_sha256": sha(b"x")})
    assert told(error)[1] == "f is not what was expected: its SHA-256 is none, it is no file."
    assert told(error)[3] == {"path": "f", "expectedSha256": sha(b"x"), "actualSha256": None}


def test_a_plan_tells_what_was_asked_and_what_it_would_do(house):
    house.write("crlf", b"a\r\n")
    planned = house.plan(
        {"type": "rewrite", "path": "./crlf", "content": "b\n", "create_if_missing": False},
        {"type": "create", "path": "x/Makefile", "content": "", "overwrite": True},
        {"type": "create", "path": "x/makefile", "content": ""},
    )
    assert (planned.id, planned.cause, planned.title) == ("tx_000000000001", "edit", "crlf and 2 more")
    assert planned.operations == (
        {"type": "rewrite", "path": "./crlf", "content": "b\n"},
        {"type": "create", "path": "x/Makefile", "content": "", "overwrite": True},
        {"type": "create", "path": "x/makefile", "content": ""},
    )
    assert planned.fingerprint == planned.change_set.fingerprint("edit.commit")
    assert [change.matched for change in planned.change_set.changes] == ["exact"] * 4
    assert planned.dangers == (Danger("rewrite", "crlf", "replace"),)
    first, twins, *labels = planned.warnings
    assert first == "crlf keeps its CRLF line endings."
    assert twins.startswith("x/Makefile and x/makefile differ only in case")
    assert labels == [f"x/{name} can run code when its tool is used." for name in ("Makefile", "makefile")]


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


def test_what_the_transaction_itself_made_is_not_in_danger_but_for_a_move(house):
    make = {"type": "create", "path": "f", "content": "x\n"}
    for operation, dangers in (
        ({**make, "content": "y\n", "overwrite": True}, ()),
        ({"type": "rewrite", "path": "f", "content": "y\n"}, ()),
        ({"type": "copy", "from": "g", "to": "f", "overwrite": True}, ()),
        ({"type": "delete", "path": "f"}, ()),
        ({"type": "patch", "patch": DELETE}, ()),
        ({"type": "move", "from": "f", "to": "h"}, (Danger("move", "f", "copy"),)),
    ):
        assert house.plan({**make, "path": "g"}, make, operation).dangers == dangers, operation


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


@pytest.mark.parametrize(("old", "new"), [(b"1\r\n2\r\n", "3\r\n"), (b"1\r\n", "3"), (b"1\n", "3\r\n"), (b"1", "3\n")])
def test_rewrite_takes_line_endings_as_they_come_but_for_plain_ones_in_a_file_of_crlf(house, old, new):
    house.write("f", old)
    planned = house.plan({"type": "rewrite", "path": "f", "content": new})
    assert planned.warnings == ()
    house.commit(planned)
    assert house.read("f") == new.encode()


def test_an_edit_goes_through_a_link(house):
    house.write("d/f", "one\n")
    os.symlink("d/f", house.folder / "link")
    house.edit({"type": "replace", "path": "link", "search": "one", "replacement": "two"})
    house.edit({"type": "create", "path": "link", "content": "2\n", "overwrite": True})
    assert house.tree() == {"d": None, "d/f": (b"2\n", 0o644), "link": ("link", "d/f")}


def test_rewrite_of_a_binary_file_is_the_text_alone(house):
    house.write("f", b"\0\1\2")
    house.edit({"type": "rewrite", "path": "f", "content": "text\n"})
    assert house.read("f") == b"text\n"


def test_rewrite_of_a_folder_is_refused(house):
    house.write("d/f", "")
    error = refused(house, {"type": "rewrite", "path": "d", "content": ""})
    assert told(error)[:2] == (ErrorCode.INVALID_INPUT, "d is a directory, not a file.")


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
    assert (error.code, error.details["path"]) == (ErrorCode.EDIT_CONFLICT, "f")
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


def test_splice_of_lines_that_are_not_there(house):
    house.write("f", "1\n")
    error = refused(house, {"type": "splice", "path": "f", "start_line": 5, "delete_count": 0, "content": "x\n"})
    assert (error.code, "f has 1 line." in error.message) == (ErrorCode.INVALID_INPUT, True)


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
    assert planned.dangers == (Danger("copy", "g", "copy to a new path"),)
    house.commit(planned)
    assert house.read("g") == b"x\n"


def test_copy_of_a_folder_keeps_its_mode_and_names_the_folders_that_it_makes(house):
    house.write("d/e/f", "x\n")
    (house.folder / "d/e").chmod(0o750)
    planned = house.plan({"type": "copy", "from": "d", "to": "dd"}, {"type": "mkdir", "path": "dd/e"})
    assert [(each.path, each.existed_before) for each in planned.directories] == [("dd", False), ("dd/e", False)]
    house.commit(planned)
    assert (house.folder / "dd/e").stat().st_mode & 0o7777 == 0o750
    assert house.read("dd/e/f") == b"x\n"


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
    house.edit({"type": "move", "from": "d", "to": "de"})
    assert house.tree() == {"de": None, "de/f": (b"", 0o644)}


def test_move_over_a_file(house):
    house.write("f", "x\n")
    house.write("g", "y\n")
    planned = house.plan({"type": "move", "from": "f", "to": "g", "overwrite": True})
    assert planned.dangers == (Danger("move", "f", "copy"),)
    house.commit(planned)
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


def test_a_file_that_moves_twice_is_the_very_file_and_its_copy_is_not(house):
    inode = house.write("a", "a\n").stat().st_ino
    house.edit(
        {"type": "copy", "from": "a", "to": "c"},
        {"type": "move", "from": "c", "to": "copy"},
        {"type": "move", "from": "a", "to": "b"},
        {"type": "move", "from": "b", "to": "moved"},
    )
    assert house.tree() == {"copy": (b"a\n", 0o644), "moved": (b"a\n", 0o644)}
    assert (house.folder / "moved").stat().st_ino == inode


def test_a_file_that_got_another_mode_and_moves_has_both(house):
    house.write("f", "x\n", 0o640)
    house.edit({"type": "patch", "patch": EXECUTABLE}, {"type": "move", "from": "f", "to": "g"})
    assert house.tree() == {"g": (b"x\n", 0o750)}


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
    assert told(error)[:2] == (ErrorCode.EDIT_CONFLICT, "d is a folder and not empty.")
    before = house.tree()
    planned = house.plan({"type": "delete", "path": "d", "recursive": True})
    assert planned.dangers == (Danger("delete", "d"), Danger("delete", "d/e"), Danger("delete", "d/e/f"))
    entry = house.commit(planned)
    assert house.tree() == {}
    house.undo(entry.transaction_id)
    assert house.tree() == before


def test_delete_of_an_empty_folder(house):
    (house.folder / "d").mkdir()
    house.edit({"type": "delete", "path": "d"})
    assert house.tree() == {}


def test_a_fifo_is_left_alone(house):
    house.write("d/f", "x\n")
    os.mkfifo(house.folder / "d/pipe")
    for operation in (
        {"type": "delete", "path": "d/pipe"},
        {"type": "delete", "path": "d", "recursive": True},
        {"type": "move", "from": "d/pipe", "to": "p"},
        {"type": "copy", "from": "d", "to": "e"},
    ):
        message = "d/pipe is a FIFO, socket or device; it is left alone."
        assert told(refused(house, operation))[:2] == (ErrorCode.INVALID_INPUT, message)


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


def test_mkdir_of_what_the_transaction_made_was_not_there_before(house):
    planned = house.plan(
        {"type": "create", "path": "d/f", "content": ""},
        {"type": "mkdir", "path": "d"},
        {"type": "mkdir", "path": "e"},
        {"type": "mkdir", "path": "e"},
    )
    assert [(each.path, each.existed_before) for each in planned.directories] == [("d", False), ("e", False)]


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
    (house.folder / "e").mkdir()
    error = refused(house, {"type": "mkdir", "path": "d"}, {"type": "mkdir", "path": "e"})
    assert (error.code, error.details) == (ErrorCode.INVALID_INPUT, {"directories": ["d", "e"]})
    assert "there already (d, e)" in error.message
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


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        (0o640, EXECUTABLE, 0o750),
        (0o604, EXECUTABLE, 0o705),
        (0o755, PLAIN, 0o644),
        (0o711, PLAIN, 0o600),
        (0o644, PLAIN, 0o644),
    ],
)
def test_patch_makes_a_file_executable_or_not_and_leaves_the_rest_of_its_mode(house, before, patch, after):
    house.write("f", "x\n", before)
    house.edit({"type": "patch", "patch": patch}, {"type": "mkdir", "path": "d"})
    assert house.tree() == {"d": None, "f": (b"x\n", after)}


def test_patch_makes_a_file_with_its_mode(house):
    new = "diff --git a/{0} b/{0}\nnew file mode {1}\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x\n"
    house.edit({"type": "patch", "patch": new.format("run", 100755) + new.format("plain", 100644)})
    assert house.tree() == {"plain": (b"x\n", 0o644), "run": (b"x\n", 0o755)}


def test_patch_renames_a_link_which_has_no_mode(house):
    house.write("x", "x\n")
    os.symlink("x", house.folder / "f")
    house.edit({"type": "patch", "patch": RENAME.format("g").replace("simi", "old mode 100644\nnew mode 100755\nsimi")})
    assert house.tree() == {"g": ("link", "x"), "x": (b"x\n", 0o644)}


def test_patch_deletes_the_link_when_what_it_leads_to_is_what_goes(house):
    house.write("x", "x\n")
    os.symlink("x", house.folder / "f")
    planned = house.plan({"type": "patch", "patch": DELETE})
    assert planned.dangers == (Danger("delete", "f"),)
    house.commit(planned)
    assert house.tree() == {"x": (b"x\n", 0o644)}


def test_patch_renames_to_where_a_link_was(house):
    house.write("f", "x\n")
    house.write("d/target", "x\n")
    os.symlink("target", house.folder / "d/l")
    os.symlink("d", house.folder / "dd")
    patch = RENAME.format("dd/l").replace("100%", "50%") + "--- a/f\n+++ b/dd/l\n@@ -1 +1 @@\n-x\n+y\n"
    house.edit({"type": "delete", "path": "d/l"}, {"type": "patch", "patch": patch})
    assert house.tree() == {"d": None, "d/l": (b"y\n", 0o644), "d/target": (b"x\n", 0o644), "dd": ("link", "d")}


@pytest.mark.parametrize(
    "patch", [CREATE.format("f").replace("+x", " x"), CHANGE.replace("-x", "-z"), DELETE.replace("-x", "-z")]
)
def test_patch_whose_lines_are_not_there_names_the_file(house, patch):
    if "/dev/null\n+++" not in patch:
        house.write("f", "x\n")
    error = refused(house, {"type": "patch", "patch": patch})
    assert (error.code, error.details["path"]) == (ErrorCode.EDIT_CONFLICT, "f")
    assert "matches nothing in f" in error.message


def test_patch_takes_a_prefix_for_one_unless_a_folder_is_called_so(house):
    house.write("f", "x\n")
    house.edit({"type": "patch", "patch": CHANGE})
    house.write("a/f", "x\n")
    house.edit({"type": "patch", "patch": CHANGE.replace("b/f", "a/f")})
    assert house.tree() == {"a": None, "a/f": (b"y\n", 0o644), "f": (b"y\n", 0o644)}


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
    assert (error.code, "leaves 1 of its lines" in error.message) == (ErrorCode.EDIT_CONFLICT, True)
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
        assert told(error)[:2] == (ErrorCode.INVALID_INPUT, "to: x is . itself or below it.")


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
        field = next(field for field, value in operation.items() if value == gutter)
        assert (error.code, error.details["field"]) == (ErrorCode.INVALID_INPUT, field)
        house.write("f", gutter if field == "search" else "one\ntwo\n")
        house.plan({**operation, "allow_line_numbers": True})


def test_files_that_run_code_are_labelled_or_asked_about(house):
    planned = house.plan(
        {"type": "create", "path": "package.json", "content": "{}\n"},
        {"type": "create", "path": "sub/.vscode/settings.json", "content": "{}\n"},
    )
    assert planned.asks == ("sub/.vscode/settings.json can run code",)
    assert planned.warnings == ("package.json can run code when its tool is used.",)


def test_a_file_is_asked_about_by_the_name_that_it_was_asked_for(house):
    (house.folder / "cfg").mkdir()
    (house.folder / "sub").mkdir()
    os.symlink("../cfg", house.folder / "sub/.vscode")
    planned = house.plan({"type": "create", "path": "sub/.vscode/settings.json", "content": "{}\n"})
    assert list(planned.change_set.paths()) == ["cfg/settings.json"]
    assert planned.asks == ("sub/.vscode/settings.json can run code",)


@pytest.mark.parametrize("name", [
    "GNUmakefile", "Makefile", "build.rs", "conftest.py", "justfile", "makefile", "package.json", "setup.py",
])  # fmt: skip
def test_each_file_that_runs_code_by_its_own_tool_is_labelled(house, name):
    planned = house.plan({"type": "create", "path": f"sub/{name}", "content": "x\n"})
    assert (planned.asks, planned.warnings) == ((), (f"sub/{name} can run code when its tool is used.",))


def test_protected_patterns_of_the_person(house):
    house.settings = Settings(
        mode="auto", destructive_edits="allow", protected_patterns=("secret/**", "new/f", "link/**")
    )
    house.write("secret/f", "x\n")
    house.write("open/f", "x\n")
    os.symlink("open", house.folder / "other")
    for operation in (
        {"type": "replace", "path": "secret/f", "search": "x", "replacement": "y"},
        {"type": "move", "from": "open", "to": "secret/open"},
        {"type": "move", "from": "secret", "to": "public"},
        {"type": "delete", "path": "secret", "recursive": True},
        {"type": "copy", "from": "open", "to": "secret/g"},
        {"type": "copy", "from": "open", "to": "new"},
        {"type": "move", "from": "other", "to": "link"},
    ):
        assert refused(house, operation).code is ErrorCode.PROTECTED_PATH, operation


def test_a_protected_name_is_protected_however_it_is_written(house):
    house.settings = Settings(mode="auto", protected_patterns=("deep/secret/**", "vault/**"))
    house.write("vault/f", "x\n")
    os.symlink("vault", house.folder / "way")
    house.write("open/f", "x\n")
    (house.folder / "deep").mkdir()
    os.symlink("../open", house.folder / "deep/secret")
    for path in (
        "deep/secret/f",
        "way/f",
        "./deep/secret/f",
        "deep/x/../secret/f",
        ".git/\a",
        str(house.folder / "deep/secret/f"),
    ):
        error = refused(house, {"type": "rewrite", "path": path, "content": ""})
        assert error.code is ErrorCode.PROTECTED_PATH, path


def test_titles_say_what_is_changed(house):
    house.write("a", "")
    assert house.plan({"type": "mkdir", "path": "d"}).title == "d"
    assert house.plan({"type": "create", "path": "x/b", "content": ""}).title == "x/b"
    two = house.plan({"type": "create", "path": "b", "content": ""}, {"type": "delete", "path": "a"})
    assert two.title == "a and 1 more"
    assert house.plan({"type": "mkdir", "path": "d/e"}).title == "d and 1 more"
    assert house.plan({"type": "mkdir", "path": "d"}, title="Mine").title == "Mine"


def test_a_relative_link_is_not_carried_to_where_it_leads_out(house):
    house.write("x", "x")
    (house.folder / "a/b").mkdir(parents=True)
    os.symlink("../../x", house.folder / "a/b/l")
    for operation in ({"type": "copy", "from": "a/b", "to": "c"}, {"type": "move", "from": "a/b/l", "to": "l"}):
        assert refused(house, operation).code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    house.edit({"type": "copy", "from": "a/b", "to": "a/c"})
    assert house.tree()["a/c/l"] == ("link", "../../x")


def test_a_relative_link_may_move_where_it_stays_within_or_lead_out_as_it_did(house):
    (house.folder / "a/b").mkdir(parents=True)
    for path, target in {"a/b/dots": "../..x", "out": "../x", "absolute": "/x"}.items():
        os.symlink(target, house.folder / path)
    house.edit(
        {"type": "move", "from": "a/b/dots", "to": "a/dots"},
        {"type": "move", "from": "out", "to": "still"},
        {"type": "move", "from": "absolute", "to": "a/absolute"},
    )
    assert house.tree() == {
        "a": None, "a/absolute": ("link", "/x"), "a/b": None, "a/dots": ("link", "../..x"), "still": ("link", "../x"),
    }  # fmt: skip
    error = refused(house, {"type": "move", "from": "a/dots", "to": "dots"})
    message = "The link a/dots -> ../..x would lead out of the workspace from dots."
    assert told(error)[:2] == (ErrorCode.PATH_OUTSIDE_WORKSPACE, message)


def test_a_patchs_prefix_is_not_looked_for_behind_a_link_that_leads_out(house):
    os.symlink("/etc", house.folder / "a")
    patch = "--- a/hosts\n+++ a/hosts\n@@ -1 +1 @@\n-x\n+y\n"
    assert refused(house, {"type": "patch", "patch": patch}).code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    house.write("hosts", "x\n")
    house.edit({"type": "patch", "patch": patch})
    assert house.read("hosts") == b"y\n"


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
