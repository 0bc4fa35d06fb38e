"""The folder as it would be: looking, changing, reading off."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import pytest

from workroom.base.changes import Change, Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.overlay import Node, Overlay, count_changed

QUOTA = 1 << 30
LARGEST_COMPARED = 32 << 20


@pytest.fixture
def overlay(house):
    return Overlay(house.workspace.root)


def move(overlay: Overlay, source: str, target: str) -> None:
    """As an operation moves a file."""
    passed = overlay.passed_on(source)
    overlay.remove(source)
    overlay.put_node(target, Node(passed.state, passed.data, origin=source, like=passed.like))


def changes(overlay: Overlay) -> dict[str, Change]:
    return {change.path: change for change in overlay.change_set(QUOTA).changes}


def code_of(act) -> ErrorCode:
    with pytest.raises(WorkroomError) as caught:
        act()
    return caught.value.code


def test_a_transaction_touches_a_limited_number_of_paths(overlay):
    for number in range(20_000):
        overlay.before(f"{number}")
    overlay.before("7")  # looked at already
    with pytest.raises(WorkroomError, match="at most 20,000 paths") as caught:
        overlay.before("one more")
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED


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
    with pytest.raises(WorkroomError) as caught:
        overlay.read("gone", 1)
    assert (caught.value.code, caught.value.details) == (ErrorCode.EDIT_CONFLICT, {"path": "gone"})


def test_a_file_in_a_links_place_is_itself(house, overlay):
    os.symlink("a", house.folder / "link")
    assert (overlay.resolve("link"), overlay.resolve("link", last=False)) == ("a", "link")
    overlay.put("link", b"x\n")
    assert overlay.resolve("link") == "link"


def test_a_folder_in_a_links_place_is_itself_at_any_depth(house, overlay):
    house.write("d/e/f", "x\n")
    os.symlink("e", house.folder / "d/link")
    assert overlay.resolve("d/link/f") == "d/e/f"
    overlay.make_folder("d/link")
    assert overlay.resolve("d/link/f") == "d/link/f"


def test_children_are_those_of_the_disk_and_those_that_were_made_sorted(house, overlay):
    for name in ("b", "d", "e/below"):
        house.write(f"folder/{name}", "x\n")
    overlay.remove("folder/d")
    overlay.put("folder/c", b"x\n")
    overlay.put("folder/b", b"y\n")
    overlay.put("folder/b", b"z\n")
    overlay.put("folder/a", b"x\n")
    assert overlay.children("folder") == ["folder/a", "folder/b", "folder/c", "folder/e"]
    assert list(overlay.tree("folder")) == [
        "folder", "folder/a", "folder/b", "folder/c", "folder/e", "folder/e/below",
    ]  # fmt: skip
    assert overlay.paths() == ["folder/d", "folder/c", "folder/b", "folder/a"]


def test_what_is_too_large_to_be_edited_is_named_with_both_sizes(house, overlay):
    house.write("f", "12345")
    with pytest.raises(WorkroomError, match="f holds 5 bytes; files are edited up to 4 "):
        overlay.read("f", 4)


@pytest.mark.parametrize("how", ["content", "read"])
def test_content_is_what_the_path_would_hold(house, overlay, how):
    for name in ("f", "g"):
        house.write(name, f"{name}\n")
    overlay.put_node("copy", overlay.passed_on("f"))
    move(overlay, "g", "moved")
    overlay.put("new", b"new\n")
    look = overlay.content if how == "content" else lambda path: overlay.read(path, 4)
    assert {path: look(path) for path in ("copy", "moved", "new", "f")} == {
        "copy": b"f\n", "moved": b"g\n", "new": b"new\n", "f": b"f\n",
    }  # fmt: skip


def test_what_is_gone_and_a_folder_have_no_content(house, overlay):
    house.write("f", "x\n")
    (house.folder / "d").mkdir()
    overlay.remove("f")
    assert (overlay.content("f"), overlay.content("d"), overlay.content("nowhere")) == (b"", b"", b"")


def test_new_bytes_keep_the_mode_of_a_file_and_not_of_a_folder(house, overlay):
    house.write("f", "old\n", 0o750)
    (house.folder / "d").mkdir(0o700)
    overlay.put("f", b"new\n")
    overlay.put("d", b"new\n")
    overlay.put("set", b"new\n", mode=0o600)
    assert {path: overlay.node(path).state.mode for path in ("f", "d", "set")} == {"f": 0o750, "d": None, "set": 0o600}


def test_what_a_copy_is_like_is_where_it_came_from_first(house, overlay):
    house.write("f", "x\n")
    overlay.put_node("g", overlay.passed_on("f"))
    overlay.put_node("h", overlay.passed_on("g"))
    overlay.put("h", b"edited\n")
    overlay.put_node("bare", Node(overlay.before("f")))
    overlay.put_node("of bare", overlay.passed_on("bare"))
    overlay.put_node("i", overlay.passed_on("h"))
    overlay.put("j", b"x\n", like="f")
    overlay.put("f", b"y\n")
    overlay.put_node("k", overlay.passed_on("f"))
    overlay.put("new", b"z\n")
    overlay.put_node("l", overlay.passed_on("new"))
    assert {path: change.like for path, change in changes(overlay).items()} == {
        "bare": None, "f": None, "g": "f", "h": "f", "i": "f", "j": "f", "k": "f", "l": None, "new": None,
        "of bare": "bare",
    }  # fmt: skip


def test_a_copy_of_what_moved_did_not_move(house, overlay):
    house.write("f", "x\n")
    os.symlink("f", house.folder / "l")
    for source, target, copy in (("f", "g", "h"), ("l", "m", "n")):
        move(overlay, source, target)
        overlay.put_node(copy, overlay.passed_on(target))
    assert {path: (change.origin, change.like) for path, change in changes(overlay).items()} == {
        "f": (None, None), "g": ("f", None), "h": (None, "f"), "l": (None, None), "m": (None, "l"), "n": (None, "l"),
    }  # fmt: skip


def test_a_file_that_moves_and_gets_another_mode_is_made_anew(house, overlay):
    house.write("f", "x\n", 0o644)
    move(overlay, "f", "g")
    overlay.set_mode("g", 0o755)
    change = changes(overlay)["g"]
    assert (change.origin, change.like, change.after.mode) == (None, "f", 0o755)


def test_a_file_that_moves_with_what_others_changed_in_it_says_so(house, overlay):
    house.write("f", "x\n")
    overlay.put_node("g", replace(overlay.node("f"), origin="f", merged=True))
    overlay.remove("f")
    assert [(change.path, change.origin, change.merged) for change in changes(overlay).values()] == [
        ("f", None, False), ("g", "f", True),
    ]  # fmt: skip


def test_what_is_in_the_way_of_a_parent_is_named(house, overlay):
    house.write("f", "x\n")
    with pytest.raises(WorkroomError) as caught:
        overlay.make_parents("f/a/b")
    error = caught.value
    assert (error.code, error.details, "Choose another path" in error.next_step) == (
        ErrorCode.EDIT_CONFLICT, {"path": "f"}, True,
    )  # fmt: skip
    assert error.message == "f is a file, so f/a/b can't be made below it."
    overlay.make_parents("a/b/c")
    assert overlay.paths() == ["a", "a/b"]


def test_what_is_left_ends_as_it_began(house, overlay):
    house.write("f", "x\n", 0o600)
    found = overlay.node("f")
    overlay.put("f", b"y\n")
    overlay.put("h", b"y\n")
    overlay.put("g", b"y\n")
    assert overlay.ends() == ["f", "g", "h"]
    overlay.leave("f")
    overlay.leave("h")
    assert overlay.ends() == ["g"]
    assert (overlay.node("f"), overlay.content("f")) == (found, b"x\n")
    overlay.set_mode("f", 0o700)
    assert overlay.ends() == ["f", "g"]


def test_the_plan_holds_what_goes_and_what_comes(house, overlay):
    for name in ("edited", "gone", "copied", "moved"):
        house.write(name, f"{name}\n")
    os.symlink("target", house.folder / "link")
    overlay.put("edited", b"new\n", matched="indent", merged=True)
    overlay.put("made", b"made\n")
    overlay.remove("gone")
    overlay.remove("link")
    overlay.put_node("copy", overlay.passed_on("copied"))
    move(overlay, "moved", "there")
    found = changes(overlay)
    assert sorted(overlay.contents.values()) == [
        b"copied\n", b"edited\n", b"gone\n", b"made\n", b"new\n", b"target",
    ]  # fmt: skip
    assert list(found) == ["copy", "edited", "gone", "link", "made", "moved", "there"]
    assert {(c.matched, c.merged) for c in found.values() if c.path != "edited"} == {("exact", False)}
    assert (found["edited"].matched, found["edited"].merged) == ("indent", True)


def test_images_may_hold_as_much_as_the_quota_and_what_moves_is_none(house, overlay):
    house.write("f", "12345")
    house.write("moved", "x" * 100)
    overlay.put("f", b"123")
    move(overlay, "moved", "there")
    assert len(overlay.change_set(8).changes) == 3
    with pytest.raises(WorkroomError) as caught:
        overlay.change_set(7)
    assert (caught.value.code, caught.value.details) == (ErrorCode.LIMIT_EXCEEDED, {"bytes": 8, "limit": 7})
    assert "Split it" in caught.value.next_step


def test_a_file_moves_only_within_its_file_system_and_where_nothing_stood(house, overlay, mount):
    mount("other/disk")
    for name in ("f", "g", "over", "other/disk/h", "other/disk/i"):
        house.write(name, f"{name}\n")
    move(overlay, "f", "other/disk/new/folder/f")
    move(overlay, "g", "over")
    move(overlay, "other/disk/h", "other/disk/new/h")
    move(overlay, "other/disk/i", "other/i")
    found = changes(overlay)
    assert {path: (found[path].origin, found[path].like) for path in found if found[path].after.kind is Kind.FILE} == {
        "other/disk/new/folder/f": (None, "f"), "over": (None, "g"), "other/disk/new/h": ("other/disk/h", None),
        "other/i": (None, "other/disk/i"),
    }  # fmt: skip


def test_lines_of_a_file_that_comes_or_goes_whole_are_all_counted(house, overlay):
    house.write("gone", "1\n2\n3\n")
    overlay.remove("gone")
    overlay.put("new", b"1\n2\n")
    assert [(c.added, c.removed) for c in changes(overlay).values()] == [(0, 3), (2, 0)]


def test_a_file_of_several_pieces_is_read_as_it_stands(house, overlay):
    data = b"123456\n" * 300_000
    house.write("f", data)
    assert overlay.read("f", len(data)) == data
    overlay.put("f", data + b"more\n")
    assert [(c.added, c.removed) for c in changes(overlay).values()] == [(1, 0)]


def test_links_and_folders_have_no_lines(house, overlay):
    os.symlink("a", house.folder / "link")
    (house.folder / "folder").mkdir()
    overlay.remove("link")
    overlay.remove("folder")
    overlay.make_folder("link")
    assert [(c.added, c.removed) for c in changes(overlay).values()] == [(0, 0), (0, 0)]


@pytest.mark.parametrize(("size", "counts"), [(LARGEST_COMPARED, (1, 1)), (LARGEST_COMPARED + 1, (None, None))])
def test_lines_of_a_large_file_are_told_apart_up_to_a_size(house, overlay, size, counts):
    house.write("f", b"x" * size)
    overlay.put("f", b"y")
    assert [(c.added, c.removed) for c in changes(overlay).values()] == [counts]


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [(b"", b"x", 1025), (b"x" * 8192 + b"\0", b"", 1024), (b"x" * 8191 + b"\0", b"", None)],
    ids=["no newline at its end", "NUL later on", "binary"],
)
def test_lines_of_a_larger_file_are_counted_where_it_goes_or_comes_whole(house, overlay, start, end, lines):
    house.write("f", start + (b"x" * (LARGEST_COMPARED // 1024) + b"\n") * 1024 + end)
    overlay.put_node("copy", overlay.passed_on("f"))
    overlay.remove("f")
    assert {path: (c.added, c.removed) for path, c in changes(overlay).items()} == {
        "copy": (None, None) if lines is None else (lines, 0), "f": (None, None) if lines is None else (0, lines),
    }  # fmt: skip


def test_what_has_a_nul_among_its_first_8192_bytes_is_no_text():
    text, binary, late = b"x\n" * 4096, b"x" * 8191 + b"\0", b"x" * 8192 + b"\0"
    assert count_changed(text, b"") == (0, 4096)
    assert count_changed(text, binary) == count_changed(binary, text) == (None, None)
    assert (count_changed(text, late), count_changed(late, text)) == ((1, 4096), (4096, 1))
