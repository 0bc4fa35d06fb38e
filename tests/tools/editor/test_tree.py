"""editor_tree."""

from __future__ import annotations

import threading

from tests.conftest import AGENT

from workroom.core.search.listing import Tally
from workroom.tools.editor.tree import grown
from workroom.tools.tool import Call


def shape(node):
    """Names with what is below; a folder that wasn't gone down into is `...`."""
    if node["kind"] != "directory":
        return None
    return {child["name"]: shape(child) for child in node["children"]} if node["descended"] else "..."


def test_some_levels_and_what_lies_deeper_says_so(house, ask):
    house.write("a/b/c/d/e.txt", "x")
    (house.folder / "link").symlink_to("a")
    whole = ask("tree")
    assert shape(whole["tree"]) == {"a": {"b": {"c": {"d": "..."}}}, "link": None}
    assert (whole["path"], whole["root"], whole["truncated"]) == (str(house.folder), str(house.folder), False)
    assert shape(ask("tree", max_depth=1)["tree"]) == {"a": "...", "link": None}
    assert ask("tree", max_depth=0)["tree"]["descended"] is False
    deep = ask("tree", path="a/b", max_depth=9)
    assert (shape(deep["tree"]), deep["path"]) == ({"c": {"d": {"e.txt": None}}}, f"{house.folder}/a/b")
    file = deep["tree"]["children"][0]["children"][0]["children"][0]
    assert (file["name"], file["kind"], file["size"]) == ("e.txt", "file", 1)
    assert file["mtime"] == int((house.folder / "a/b/c/d/e.txt").stat().st_mtime)
    assert ask("tree", path="gone")["error"]["code"] == "NOT_FOUND"


def test_what_is_left_out_is_told(house, ask):
    house.write(".gitignore", "*.log\n")
    house.write("x.log", "x")
    house.write(".git/config", "")
    tree = ask("tree")
    assert shape(tree["tree"]) == {".gitignore": None}
    assert (tree["left_out"]["leftOut"][-1], tree["left_out"]["ignored"]) == (".git", 1)
    assert "x.log" in shape(ask("tree", include_ignored=True)["tree"])


def test_folders_are_unfolded_for_all(house, ask):
    house.write("a/b/c", "x")
    assert ask("tree", expand=["a", "a/b"])["expanded"] == ["a", "a/b"]
    assert ask("tree")["expanded"] == ["a", "a/b"]
    assert ask("tree", collapse=["a"])["expanded"] == []


def test_what_has_no_room_is_said_and_the_upper_levels_come_first(house):
    for path in ("a/1", "a/2", "a/3", "b/4"):
        house.write(path, "x")
    tree, truncated = grown(Call(house.workspace, AGENT, "editor"), ".", 4, False, Tally(), 4)
    assert shape(tree) == {"a": {"1": None, "2": None}, "b": "..."}
    assert truncated is True
    assert tree["children"][0]["truncated"] is True


def test_truncated_means_that_there_was_more(house):
    def cut(room):
        tally = Tally()
        tree, truncated = grown(Call(house.workspace, AGENT, "editor"), ".", 4, False, tally, room)
        return truncated, tree["children"][-1]["descended"]

    house.write(".gitignore", "*.log\n")
    house.write("a/1", "x")
    (house.folder / "z").mkdir()
    assert cut(4) == (False, True)  # z holds nothing: there is no more
    house.write("z/x.log", "ignored")
    assert cut(4) == (False, True)
    house.write("z/y", "x")
    house.write("z/z/z", "x")
    assert cut(4) == (True, False)
    assert cut(8) == (False, True)


def test_a_large_folder_is_not_read_again_while_it_is_the_same(house, ask):
    for number in range(5_000):
        house.write(f"many/{number}", "")
    threading.Event().wait(0.15)  # within one tick a folder can change unseen
    for _ in range(3):
        assert len(ask("tree", path="many")["tree"]["children"]) == 5_000
    assert house.workspace.names.large.read == 1
    house.write("many/new", "")
    assert len(ask("tree", path="many")["tree"]["children"]) == 5_001
