"""Entries in order, in pages, within bounds."""

from __future__ import annotations

import os
import subprocess
import threading

import pytest

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.search.folders import Folders
from workroom.core.search.listing import Options, Tally, is_test, page, shown_path, walk
from workroom.system.root import Root

DEEP = Options(depth=None)


@pytest.fixture
def ws(tmp_path):
    folder = tmp_path / "ws"
    for path in ("b.txt", "a/one.py", "a/two.txt", "a/sub/three.py", "c/.hidden", ".git/config", ".agentic/MEMORY.md"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x")
    (folder / "a.txt").write_text("four")
    (folder / "link").symlink_to("a")
    os.mkfifo(folder / "pipe")
    (folder / ".workroom-stage-1").write_text("ours")
    return folder


@pytest.fixture
def root(ws):
    with Root.open(ws) as opened:
        yield opened


def paths(root, path=".", options=DEEP, tally=None):
    return [found.path for found in walk(root, path, options, tally or Tally())]


def refused(code, do, *arguments):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments)
    assert caught.value.code is code
    return caught.value


EVERYTHING = [
    "a", "a/one.py", "a/sub", "a/sub/three.py", "a/two.txt", "a.txt", "b.txt", "c", "c/.hidden", "link", "pipe",
]  # fmt: skip


def test_depth_first_by_name_without_what_is_apart(root):
    tally = Tally()
    assert paths(root, tally=tally) == EVERYTHING
    assert tally.apart == {".git", ".agentic"}
    assert not tally.cut


def test_kinds(root):
    kinds = {found.path: found.kind for found in walk(root, ".", Options(), Tally())}
    assert kinds["a"] is Kind.DIRECTORY
    assert kinds["a.txt"] is Kind.FILE
    assert kinds["link"] is Kind.SYMLINK
    assert kinds["pipe"] is Kind.OTHER


def test_what_is_apart_is_listed_when_it_is_named(root):
    assert paths(root, ".git") == [".git/config"]
    assert paths(root, ".agentic") == [".agentic/MEMORY.md"]


def test_depth_pattern_hidden_kind(root):
    assert paths(root, options=Options()) == ["a", "a.txt", "b.txt", "c", "link", "pipe"]
    assert paths(root, options=Options(depth=2)) == [p for p in EVERYTHING if p.count("/") < 2]
    assert paths(root, options=Options(depth=None, pattern="*.py")) == ["a/one.py", "a/sub/three.py"]
    assert paths(root, options=Options(depth=None, pattern="a/*")) == ["a/one.py", "a/sub", "a/two.txt"]
    assert paths(root, options=Options(depth=None, kind=Kind.DIRECTORY)) == ["a", "a/sub", "c"]
    tally = Tally()
    assert "c/.hidden" not in paths(root, options=Options(depth=None, hidden=False), tally=tally)
    assert tally.hidden == 1


def test_ignored(root, ws):
    (ws / ".gitignore").write_text("*.py\n/c/\n")
    tally = Tally()
    assert paths(root, tally=tally) == [".gitignore", "a", "a/sub", "a/two.txt", "a.txt", "b.txt", "link", "pipe"]
    assert tally.ignored == 3
    assert paths(root, options=Options(depth=None, ignored=True)) == [".gitignore", *EVERYTHING]


def test_a_page_after_another_misses_and_repeats_nothing(root):
    for limit in range(1, len(EVERYTHING) + 1):
        cursor, seen = None, []
        while True:
            got = page(root, ".", Options(depth=None, after=cursor), limit)
            seen += [entry.path for entry in got.entries]
            cursor = got.cursor
            if cursor is None:
                break
        assert seen == EVERYTHING


def test_a_page_below_a_folder(root):
    assert [e.path for e in page(root, "a", Options(depth=None, after="a/one.py"), 9).entries] == EVERYTHING[2:5]
    error = refused(ErrorCode.INVALID_INPUT, page, root, "a", Options(after="b.txt"), 9)
    assert "cursor" in error.message


def test_a_cursor_whose_entry_is_gone(root, ws):
    (ws / "b.txt").unlink()
    got = page(root, ".", Options(after="b.txt"), 9)
    assert [entry.path for entry in got.entries] == ["c", "link", "pipe"]


def test_totals(root):
    got = page(root, ".", DEEP, 2)
    assert (got.total, got.total_is_exact, got.cursor) == (len(EVERYTHING), True, "a/one.py")
    assert got.entries[1].size == 1
    assert page(root, ".", DEEP, 100).cursor is None


def test_counting_is_bounded(root, ws):
    for number in range(30):
        (ws / f"c/{number:02}").write_text("")
    got = page(root, "c", DEEP, 5, counted=10)
    assert (got.total, got.total_is_exact, got.cursor) == (15, False, "c/03")


def test_a_folder_alone_is_counted_whole_where_nothing_is_left_out(root, ws):
    for number in range(30):
        (ws / f"c/{number:02}").write_text("")
    assert (page(root, "c", Options(), 5, counted=0).total, page(root, ".", Options(), 2, counted=0).total) == (31, 6)
    assert page(root, "c", Options(after="c/28"), 5).total == 1
    assert page(root, "c", Options(after="c/29"), 5).cursor is None
    (ws / ".gitignore").write_text("07\n")
    got = page(root, "c", Options(), 5)
    assert (got.total, got.total_is_exact, got.tally.ignored) == (30, True, 1)


def test_a_page_is_over_where_there_is_no_more_room(root):
    got = page(root, ".", DEEP, 9, room=10)
    assert ([entry.path for entry in got.entries], got.cursor, got.total) == (["a", "a/one.py", "a/sub"], "a/sub", 11)


def test_a_folder_of_any_size_is_listed_in_windows(root, ws):
    for number in range(100):
        (ws / f"c/{number:02}").write_text("")
        (ws / f"c/d{number:02}").mkdir()
    expected = [".hidden", *(f"{n:02}" for n in range(100)), *(f"d{n:02}" for n in range(100))]
    folders = Folders(root, most=7)
    found = [each.path for each in walk(root, "c", DEEP, Tally(), folders=folders)]
    assert found == [f"c/{name}" for name in expected]
    options, tally = Options(depth=None, pattern="*9"), Tally()
    found = [each.path for each in walk(root, "c", options, tally, folders=folders)]
    assert found == [f"c/{name}" for name in expected if name.endswith("9")]
    assert tally.looked_at == 201


def test_time_that_is_up_within_a_folder_loses_nothing(root, ws):
    for number in range(100):
        (ws / f"c/{number:02}").write_text("")
    seen, after = [], None
    while True:
        options = Options(depth=None, pattern="*7", seconds=0, after=after)
        got = page(root, "c", options, 9, folders=Folders(root, most=2))
        seen += [entry.path for entry in got.entries]
        if got.cursor is None:
            break
        assert not got.total_is_exact
        after = got.cursor
    assert seen == [f"c/{tens}7" for tens in range(10)]


def test_a_walk_stops_at_its_budget_and_goes_on_from_there(root):
    tally = Tally()
    assert paths(root, options=Options(depth=None, budget=3), tally=tally) == EVERYTHING[:3]
    assert tally.cut
    seen, after = [], None
    while True:
        got = page(root, ".", Options(depth=None, pattern="*.py", budget=3, after=after), 9)
        seen += [entry.path for entry in got.entries]
        if got.cursor is None:
            break
        after = got.cursor
    assert seen == ["a/one.py", "a/sub/three.py"]


def test_a_cursor_leads_nowhere_that_a_listing_doesnt(root, ws):
    (ws / ".gitignore").write_text("/c/\n")
    for after in (".git/a", ".agentic/A", "c/a", "a/two.txt/x", "gone/x", "link/one"):
        found = paths(root, options=Options(depth=None, after=after))
        behind = [path for path in (".gitignore", *EVERYTHING) if path.split("/") > after.split("/") and path[0] != "c"]
        assert found == behind, after
    assert paths(root, options=Options(depth=1, after="a/one.py")) == ["a.txt", "b.txt", "link", "pipe"]
    assert paths(root, options=Options(depth=2, after="a/sub")) == ["a/two.txt", "a.txt", "b.txt", "link", "pipe"]
    assert paths(root, "a", Options(depth=None, after="a/sub")) == ["a/sub/three.py", "a/two.txt"]
    hidden = Options(depth=None, hidden=False, after=".hid/x")
    write(ws / ".hid/y")
    assert paths(root, options=hidden)[0] == "a"


def test_a_pattern_is_no_way_around_ignore_files(root, ws):
    (ws / "a/.gitignore").write_text("one.py\n")
    (ws / "a/sub/.gitignore").write_text("*.py\n")
    assert paths(root, options=Options(depth=None, pattern="*.py")) == []
    assert paths(root, options=Options(depth=None, pattern="a/**/*.py")) == []
    for number in range(9):
        (ws / f"c/!{number}").write_text("")
    (ws / "c/.gitignore").write_text("!*\n/.hidden\n")
    (ws / "c/.gitignore").write_text(".hidden\n")
    found = [each.path for each in walk(root, "c", DEEP, Tally(), folders=Folders(root, most=2))]
    assert "c/.hidden" not in found


def test_a_folder_that_goes_between_two_windows(root, ws):
    for number in range(10):
        (ws / f"c/{number}").write_text("")
    walked = walk(root, ".", DEEP, tally := Tally(), folders=Folders(root, most=4))
    assert next(found.path for found in walked if found.path == "c/0")
    (ws / "c").rename(ws / "d")
    rest = [found.path for found in walked]
    assert rest[:2] == ["c/1", "c/2"]
    assert tally.unreadable == 1


def test_time_that_is_up_among_what_is_left_out(root, ws):
    for number in range(20):
        (ws / f"c/.{number:02}").write_text("")
    (ws / "c/z").write_text("")
    seen, after, turns = [], None, 0
    while True:
        options = Options(depth=None, hidden=False, seconds=0, after=after)
        got = page(root, "c", options, 9, folders=Folders(root, most=4))
        seen += [entry.path for entry in got.entries]
        turns += 1
        if got.cursor is None:
            break
        after = got.cursor
    assert (seen, turns > 2) == (["c/z"], True)


def test_only_folders_that_can_hold_a_match_are_read(root, ws):
    write(ws / "a/sub/deep/er.py")
    folders = Folders(root)
    options = Options(depth=None, pattern="a/sub/**/*.py")
    found = [each.path for each in walk(root, ".", options, Tally(), folders=folders)]
    assert found == ["a/sub/deep/er.py", "a/sub/three.py"]
    assert folders.read == 4
    assert [each.path for each in walk(root, "a/sub", options, Tally(), folders=folders)] == found


def write(path):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("")


def test_going_on_reads_only_what_lies_ahead(root, ws):
    for number in range(50):
        write(ws / f"c/{number:02}/file")
    folders = Folders(root)
    page(root, ".", Options(depth=None, after="c/40/file"), 3, counted=0, folders=folders)
    assert folders.read <= 4


def test_a_walk_stops_when_its_time_is_up_and_goes_on_from_there(root):
    seen, after = [], None
    while True:
        got = page(root, ".", Options(depth=None, seconds=0, after=after), 9)
        seen += [entry.path for entry in got.entries]
        if got.cursor is None:
            break
        after = got.cursor
    assert seen == EVERYTHING


@pytest.fixture
def deep(ws):
    """A folder with more levels than Python's stack has; removed at the end, for pytest couldn't."""
    at = os.open(ws / "c", os.O_RDONLY)
    for _ in range(1_100):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    yield 1_100
    subprocess.run(["rm", "-rf", "--", ws / "c"], check=True)


def test_a_deep_tree_needs_no_recursion(root, deep):
    tally = Tally()
    assert len(paths(root, "c", tally=tally)) == deep + 1
    assert tally.unreadable == 0


def test_what_cant_be_read_is_counted(root, ws):
    walked = walk(root, ".", DEEP, tally := Tally())
    assert next(walked).path == "a"
    for file in (ws / "a/sub/three.py", ws / "a/one.py", ws / "a/two.txt"):
        file.unlink()
    (ws / "a/sub").rmdir()
    (ws / "a").rmdir()  # between its name and its entries
    assert [found.path for found in walked] == EVERYTHING[5:]
    assert tally.unreadable == 1


def test_a_root_that_is_closed(root):
    root.close()
    refused(ErrorCode.IO_ERROR, paths, root)


def test_what_is_no_folder(root):
    refused(ErrorCode.INVALID_INPUT, paths, root, "b.txt")
    refused(ErrorCode.NOT_FOUND, paths, root, "nothing")


def test_two_threads_list_the_root_at_once(root, ws):
    for number in range(300):
        (ws / f"n{number}").write_text("")
    wrong = []

    def look():
        for _ in range(20):
            found = sum(1 for _ in walk(root, ".", Options(), Tally()))
            if found != 306:
                wrong.append(found)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_names_that_are_no_utf8(root, ws):
    name = os.fsdecode(b"caf\xe9")
    (ws / name).write_text("")
    assert name in paths(root, options=Options())
    assert shown_path(name) == "caf\ufffd"
    assert shown_path("plain") == "plain"


def test_a_walk_tells_how_far_it_is_and_ends_when_nobody_waits(root, ws):
    (ws / "many").mkdir()
    for number in range(2_100):
        (ws / "many" / f"{number}").touch()
    heard = []
    pulse = Pulse(lambda done, total: heard.append((done, total)))
    page(root, "many", DEEP, 10, pulse=pulse)
    assert heard == [(1_000, None), (2_000, None)]
    pulse.cancel()
    with pytest.raises(WorkroomError) as cancelled:
        list(walk(root, "many", DEEP, Tally(), pulse))
    assert cancelled.value.code is ErrorCode.CANCELLED


def test_paths_of_tests():
    for path in ("tests/a.py", "src/test_a.py", "a_test.go", "src/__tests__/a.js", "spec/a.rb"):
        assert is_test(path)
    for path in ("src/contest.py", "latest/a.py", "a.py"):
        assert not is_test(path)
