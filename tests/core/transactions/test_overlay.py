"""The folder as it would be: looking, changing, reading off."""

from __future__ import annotations

import hashlib
import os

import pytest

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.overlay import MAX_PATHS, Overlay


@pytest.fixture
def overlay(house):
    return Overlay(house.workspace.root)


def code_of(act) -> ErrorCode:
    with pytest.raises(WorkroomError) as caught:
        act()
    return caught.value.code


def test_a_transaction_touches_a_limited_number_of_paths(overlay):
    for number in range(MAX_PATHS):
        overlay.before(f"{number}")
    overlay.before("7")  # looked at already
    assert code_of(lambda: overlay.before("one more")) is ErrorCode.LIMIT_EXCEEDED


def test_the_root_is_a_folder_like_others(house, overlay):
    house.write("a/f", "x\n")
    overlay.put("b", b"y\n", matched="exact")
    assert overlay.kind(".") is Kind.DIRECTORY
    assert [path for path in overlay.children(".") if path != ".agentic"] == ["a", "b"]
    overlay.remove("a/f")
    assert overlay.children("a") == []


def test_what_an_operation_made_leads_nowhere_else(house, overlay):
    os.symlink("a", house.folder / "link")
    house.write("a/f", "x\n")
    assert overlay.resolve("link/f") == "a/f"
    overlay.remove("link")
    overlay.make_folder("link")
    assert overlay.resolve("link/f") == "link/f"
    assert overlay.children("link") == []


def test_reading_is_bounded(house, overlay):
    house.write("f", "12345")
    assert overlay.read("f", 5) == b"12345"
    assert code_of(lambda: overlay.read("f", 4)) is ErrorCode.LIMIT_EXCEEDED


def test_reading_what_was_passed_on_loads_it_once(house, overlay):
    house.write("f", "x\n")
    overlay.put_node("g", overlay.passed_on("f"))
    assert overlay.read("g", 10) == b"x\n"
    house.write("f", "changed\n")
    assert overlay.read("g", 10) == b"x\n"


def test_a_file_that_changes_while_it_is_planned_is_a_conflict(house, overlay):
    house.write("f", "x\n")
    overlay.before("f")
    house.write("f", "changed\n")
    assert code_of(lambda: overlay.read("f", 10)) is ErrorCode.EDIT_CONFLICT


def test_images_larger_than_the_quota_are_refused_with_the_figure_before_they_are_read(house, overlay):
    with open(house.write("large", ""), "r+b") as stream:
        stream.truncate(3_000_000)
    overlay.put("large", b"small", matched="exact")
    with pytest.raises(WorkroomError) as caught:
        overlay.change_set(2_000_000)
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED
    assert caught.value.details == {"bytes": 3_000_005, "limit": 2_000_000}
    assert len(overlay.contents) == 1


def test_a_file_that_moves_takes_no_room(house, overlay):
    with open(house.write("large", ""), "r+b") as stream:
        stream.truncate(3_000_000)
    moved = overlay.passed_on("large")
    overlay.remove("large")
    overlay.put_node("other", type(moved)(moved.state, origin="large"))
    changes = overlay.change_set(1000).changes
    assert [(change.path, change.origin) for change in changes] == [("large", None), ("other", "large")]
    assert overlay.contents == {}


def test_lines_are_counted_where_there_are_lines(house, overlay):
    house.write("f", "1\n2\n")
    overlay.put("f", b"1\n3\n4\n", matched="exact")
    overlay.put("g", b"\0\1", matched="exact")
    overlay.make_folder("h")
    assert [(c.added, c.removed) for c in overlay.change_set(1000).changes] == [(2, 1), (None, None), (0, 0)]


def test_what_ends_as_it_began_is_left_out(house, overlay):
    house.write("f", "x\n", 0o755)
    overlay.remove("f")
    overlay.put("f", b"x\n", matched="exact")
    overlay.make_folder("d")
    overlay.remove("d")
    assert overlay.change_set(1000).changes == ()


def test_a_new_file_in_an_old_ones_place_has_its_mode(house):
    house.write("f", "old\n", 0o755)
    house.write("g", "other\n", 0o644)
    house.edit(
        {"type": "move", "from": "f", "to": "kept"},
        {"type": "create", "path": "f", "content": "new\n"},
        {"type": "create", "path": "n", "content": "n\n"},
        {"type": "copy", "from": "n", "to": "g", "overwrite": True},
    )
    assert house.tree() == {
        "f": (b"new\n", 0o755), "g": (b"n\n", 0o644), "kept": (b"old\n", 0o755), "n": (b"n\n", 0o644),
    }  # fmt: skip


def test_a_copy_moves_on_and_a_file_of_another_mode_too(house):
    house.write("f", "x\n")
    house.write("g", "y\n")
    mode = "diff --git a/g b/g\nold mode 100644\nnew mode 100755\n"
    entry = house.edit(
        {"type": "copy", "from": "f", "to": "t"},
        {"type": "move", "from": "t", "to": "copy"},
        {"type": "patch", "patch": mode},
        {"type": "move", "from": "g", "to": "run"},
    )
    assert house.tree() == {"copy": (b"x\n", 0o644), "f": (b"x\n", 0o644), "run": (b"y\n", 0o755)}
    house.undo(entry.transaction_id)
    assert house.tree() == {"f": (b"x\n", 0o644), "g": (b"y\n", 0o644)}


def test_folders_keep_their_mode_where_they_are_copied_moved_and_brought_back(house):
    house.write("d/e/f", "x\n")
    (house.folder / "d").chmod(0o700)
    (house.folder / "d/e").chmod(0o750)

    def modes(*paths: str) -> list[int]:
        return [(house.folder / path).stat().st_mode & 0o777 for path in paths]

    house.edit({"type": "copy", "from": "d", "to": "c"}, {"type": "move", "from": "d", "to": "m"})
    assert modes("c", "c/e", "m", "m/e") == [0o700, 0o750, 0o700, 0o750]
    gone = house.edit({"type": "delete", "path": "c", "recursive": True})
    house.undo(gone.transaction_id)
    assert modes("c", "c/e") == [0o700, 0o750]


def test_the_case_of_a_name_alone_changes(house):
    house.write("readme.md", "x\n")
    entry = house.edit({"type": "move", "from": "readme.md", "to": "README.md"})
    assert house.tree() == {"README.md": (b"x\n", 0o644)}
    house.undo(entry.transaction_id)
    assert house.tree() == {"readme.md": (b"x\n", 0o644)}


def test_a_deep_tree(house):
    deep = "d" + "/d" * 60
    made = house.edit({"type": "create", "path": f"{deep}/f", "content": "x\n"})
    assert len(made.changes) == 62
    before = house.tree()
    moved = house.edit({"type": "move", "from": "d", "to": "e"})
    assert not (house.folder / "d").exists()
    house.undo(moved.transaction_id)
    gone = house.edit({"type": "delete", "path": "d", "recursive": True})
    assert house.tree() == {}
    house.undo(gone.transaction_id)
    assert house.tree() == before


def test_a_tree_deeper_than_python_counts(overlay):
    deep = "d" + "/d" * 1500
    overlay.make_parents(f"{deep}/f")
    overlay.put(f"{deep}/f", b"x\n", matched="exact")
    paths = list(overlay.tree("d"))
    assert (paths[0], paths[-1], len(paths)) == ("d", f"{deep}/f", 1502)
    assert len(overlay.change_set(1000).changes) == 1502


def test_five_hundred_files(house):
    for number in range(175):
        house.write(f"old/{number}", f"{number}\n")
    before = house.tree()
    entry = house.edit(
        *({"type": "create", "path": f"new/{number % 10}/{number}", "content": f"{number}\n"} for number in range(150)),
        {"type": "copy", "from": "old", "to": "copy"},
        {"type": "move", "from": "old", "to": "moved"},
    )
    assert len([c for c in entry.changes if c.after.kind is Kind.FILE]) == 150 + 2 * 175
    assert house.read("moved/77") == house.read("copy/77") == house.read("new/7/77") == b"77\n"
    house.undo(entry.transaction_id)
    parents = {"new": None} | {f"new/{number}": None for number in range(10)}
    assert house.tree() == before | parents


def test_hashes_are_of_the_bytes(house, overlay):
    house.write("f", "x\n")
    os.symlink("f", house.folder / "link")
    assert overlay.before("f").sha256 == hashlib.sha256(b"x\n").hexdigest()
    assert overlay.node("link").state.sha256 == hashlib.sha256(b"f").hexdigest()
    assert overlay.passed_on("link").data == b"f"


def test_a_file_that_is_gone_when_it_is_read(overlay):
    """Another program was quicker: it was there when the operation looked at it."""
    assert code_of(lambda: overlay.read("gone", 1)) is ErrorCode.EDIT_CONFLICT
