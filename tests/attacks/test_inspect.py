"""Attacks on what may be looked at, through the whole road of a call; what counts is that nothing outside is told."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from workroom.base.actor import Actor
from workroom.system import syscalls
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

SECRET = "marker outside the workspace"
DENIED = {"PATH_OUTSIDE_WORKSPACE", "INVALID_INPUT", "NOT_FOUND"}
HANG = 60
"""Seconds. What takes milliseconds on an idle machine stays below this on any; what hangs doesn't."""
FILES = 210_000
"""More than one window of a folder's names."""
DEPTH = 5_000
LOOKS = ("read", "stat", "list", "overview", "search", "find")


@pytest.fixture
def look(house, tmp_path):
    """A call of workspace_inspect on a workspace `ws` beside an evil twin; nothing it answers may hold the marker."""
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws-evil/x").write_text(SECRET)
    (tmp_path / "x").write_text(SECRET)
    house.write("inside", "inside\n")
    caller = Call(house.workspace, Actor("agent", "evil", "s"))

    def ask(action, path, **more):
        query = {"query": "marker"} if action in ("search", "find") else {}
        where = {} if path is None else {"path": path}
        answer = call(caller, "workspace_inspect", {"action": action, **where, **query, **more})
        assert SECRET not in json.dumps(answer.to_json()) + answer.text
        assert "root:" not in json.dumps(answer.to_json()) + answer.text
        return answer

    return ask


def denied(answer, codes=DENIED):
    assert not answer.ok
    assert answer.error["code"] in codes
    return True


@pytest.mark.parametrize("action", LOOKS)
def test_p01_read_a_siblings_path(look, house, action):
    for path in ("../ws-evil/x", f"{house.folder}-evil/x", "/etc/passwd", "../ws-evil"):
        denied(look(action, path), {"PATH_OUTSIDE_WORKSPACE"})


@pytest.mark.parametrize("action", LOOKS)
def test_p02_read_by_dots_that_leave(look, action):
    for path in ("../", "..", "a/../../", "../ws/inside", "inside/../../x"):
        denied(look(action, path), {"PATH_OUTSIDE_WORKSPACE"})


@pytest.mark.parametrize("action", [a for a in LOOKS if a != "stat"])
def test_p03_read_through_links_that_leave(look, house, tmp_path, action):
    links = {
        "file": tmp_path / "x",
        "folder": tmp_path / "ws-evil",
        "up": "../ws-evil",
        "back": f"../{house.folder.name}/inside",
        "chain": "folder",
    }
    for name, target in links.items():
        (house.folder / name).symlink_to(target)
        denied(look(action, name), {"PATH_OUTSIDE_WORKSPACE"})
    denied(look(action, "folder/x"), {"PATH_OUTSIDE_WORKSPACE"})


def test_p03_read_stat_tells_of_the_link_and_not_of_its_target(look, house, tmp_path):
    (house.folder / "file").symlink_to(tmp_path / "x")
    (house.folder / "folder").symlink_to(tmp_path / "ws-evil")
    assert look("stat", "file").data["leadsTo"] == "outside the workspace"
    assert "sha256" not in look("stat", "file").data
    denied(look("stat", "folder/x"), {"PATH_OUTSIDE_WORKSPACE"})


def test_p03_read_walks_and_searches_pass_by_links(look, house, tmp_path):
    (house.folder / "file").symlink_to(tmp_path / "x")
    (house.folder / "folder").symlink_to(tmp_path / "ws-evil")
    assert look("search", ".", include_ignored=True).data["matches"] == []
    listed = look("list", ".", recursive=True).data["entries"]
    assert {row["path"] for row in listed} == {"inside", "file", "folder"}
    assert look("find", ".", query="x").data["matches"] == []


@pytest.mark.parametrize("path", ["a\0b", "", "a/" * 2048 + "b", "\ud800", "n" * 256, "a\nb"])
@pytest.mark.parametrize("action", LOOKS)
def test_p05_read_what_no_path_can_be(look, path, action):
    denied(look(action, path), {"INVALID_INPUT"})


def test_p05_read_what_no_query_or_glob_can_be(look):
    for more in ({"query": "a\0"}, {"query": "\ud800"}, {"include": ["\0"]}, {"exclude": ["\ud800"]}):
        denied(look("search", ".", **more), {"INVALID_INPUT"})
    denied(look("find", ".", query="\ud800"), {"INVALID_INPUT"})
    denied(look("list", ".", cursor="\ud800"), {"INVALID_INPUT"})


@pytest.mark.parametrize("action", LOOKS)
def test_p07_read_magic_links(look, house, action):
    (house.folder / "magic").symlink_to("/proc/self/root/etc/passwd")
    (house.folder / "root").symlink_to("/proc/self/root")
    (house.folder / "cwd").symlink_to("/proc/self/cwd")
    denied(look(action, "root/etc/passwd"), {"PATH_OUTSIDE_WORKSPACE"})
    if action != "stat":
        for name in ("magic", "root", "cwd"):
            denied(look(action, name), {"PATH_OUTSIDE_WORKSPACE"})


def test_p08_read_and_search_never_hang(look, house):
    os.mkfifo(house.folder / "pipe")
    os.mkfifo(house.folder / "inside-pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"/proc/self/fd/{house.workspace.root.fd}/socket")  # its own path may be too long for one
        for name in ("pipe", "socket"):
            for action in ("read", "search"):
                started = time.monotonic()
                denied(look(action, name), {"INVALID_INPUT"})
                assert time.monotonic() - started < HANG
            assert look("stat", name).data["kind"] == "other"
        started = time.monotonic()
        answer = look("search", ".", query="inside")
        assert time.monotonic() - started < HANG
    assert [row["path"] for row in answer.data["matches"]] == ["inside"]


@contextlib.contextmanager
def swapping(folder, one, other):
    """Meanwhile another program puts each of two names in the other's place, as often as it can."""
    opened, ended = os.open(folder, os.O_RDONLY), threading.Event()

    def swap():
        while not ended.is_set():
            syscalls.rename_exchange(opened, one, opened, other)

    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(swap)
        try:
            yield
        finally:
            ended.set()
    done.result()
    os.close(opened)


@pytest.mark.parametrize("path", [".", "deep", "deep/real", "deep/real/x", "deep/real/sub"])
def test_p14_search_while_a_folder_is_swapped_for_a_link(look, house, tmp_path, path):
    """What a search tells, and what it counts, is never of outside."""
    (tmp_path / "ws-evil/sub").mkdir()
    (tmp_path / "ws-evil/sub/y").write_text(SECRET)
    for name in ("x", "sub/y"):
        house.write(f"deep/real/{name}", "nothing\n")
    (house.folder / "deep/link").symlink_to(tmp_path / "ws-evil")
    with swapping(house.folder / "deep", "real", "link"):
        for output in ("lines", "counts") * 40:
            answer = look("search", path, output=output)
            assert not answer.data.get("matches")
            assert not answer.data.get("files")


def test_d01_a_hostile_expression_answers_or_gives_up(look, house):
    house.write("evil", "a" * 30 + "b\n")
    took = []
    for _ in range(3):
        started = time.monotonic()
        answer = look("search", ".", query="(a+)+$", regex=True)
        took.append(time.monotonic() - started)
        assert (answer.ok, answer.data["matches"]) == (True, [])
    assert min(took) < 2


def test_d01_letters_that_fit_a_name_in_many_ways(look, house):
    house.write("a" * 250, "")
    started = time.monotonic()
    assert look("find", ".", query="a" * 30 + "b").data["matches"] == []
    assert look("find", ".", query="a" * 249).data["total"] == 1
    assert time.monotonic() - started < HANG


@pytest.mark.parametrize(
    ("rules", "path"),
    [
        ("*a*a*a*a*a*a*a*a*a*a*a*a*b", "a" * 250),
        ("?*" * 60 + "b", "a" * 250),
        ("/" + "**/a/" * 20 + "b", "a/" * 100 + "a"),
        ("**/" * 500 + "b", "a/" * 100 + "a"),
        ("x/**" * 500, "x/" * 100 + "a"),
        ("[!b]*" * 60 + "c", "a" * 250),
    ],
)
def test_d02_a_cloned_ignore_file_that_fits_in_many_ways(look, house, rules, path):
    house.write(path, "inside")
    house.write(".gitignore", f"{rules}\n!{rules}\n")
    started = time.monotonic()
    assert path in {row["path"] for row in look("list", ".", recursive=True).data["entries"]}
    assert look("search", path.partition("/")[0], query="inside").data["matches"]
    assert time.monotonic() - started < HANG


SIZE_OF_D03 = 10_000_000_000
WAYS_OF_D03 = (
    {},
    {"tail_lines": 5},
    {"start_line": 2, "end_line": 3},
    {"start_line": 1_000_000_000},
    {"numbered": False},
    {"max_chars": 1_000_000},
    {"known_sha256": "0" * 64},
)


@pytest.mark.parametrize("way", WAYS_OF_D03, ids=lambda way: "-".join(way) or "plain")
@pytest.mark.parametrize(
    "head",
    [b"", b"x" * 200_000, b"one\n" * 40_000, ("one\n" * 40_000).encode("utf-16")],
    ids=["hole", "line", "lines", "wide"],
)
def test_d03_read_a_sparse_file_of_10_gb(look, house, way, head):
    with house.write("f", head).open("ab") as stream:
        stream.truncate(SIZE_OF_D03)
    (house.folder / "link").symlink_to("f")
    started = time.monotonic()
    tracemalloc.start()
    try:
        answers = [look("read", "f", **way), look("read", "link", **way)]
        if "known_sha256" not in way:
            answers.append(look("read", None, paths=["f"] * 20, **way))
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
    assert time.monotonic() - started < HANG
    for answer in answers:
        assert len(json.dumps(answer.to_json())) < 31_000
        if answer.ok:
            everything = b"\n" in head and way == {"start_line": 2, "end_line": 3}
            assert answer.data["truncated"] is not everything
        else:
            assert "start_line" in way
            assert answer.error["code"] == "LIMIT_EXCEEDED"


def test_d03_look_at_a_sparse_file_in_other_ways(look, house):
    with house.write("f", "a line\n" * 20_000).open("ab") as stream:
        stream.truncate(SIZE_OF_D03)
    started = time.monotonic()
    assert look("stat", "f").data["bytes"] == SIZE_OF_D03
    assert look("search", ".", query="a line").data["skipped"]["tooLarge"] == 1
    assert time.monotonic() - started < HANG


def test_d03_read_the_end_of_a_log_that_was_cut_under_its_writer(look, house):
    with house.write("f", b"").open("ab") as stream:
        stream.truncate(SIZE_OF_D03)
        stream.write(b"first\nlast\n")
    assert look("read", "f", tail_lines=1).text == "last\n"
    beginning = look("read", "f")
    assert beginning.text == "1 | … (NUL bytes) …"
    assert beginning.data["truncated"]


@pytest.fixture
def deep(house):
    """Folders within folders, more than a path can name; removed at the end, for pytest couldn't."""
    at = os.open(house.folder, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("deep", dir_fd=at)
        below = os.open("deep", os.O_RDONLY, dir_fd=at)
        os.close(at)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        at = below
    os.close(at)
    yield DEPTH
    subprocess.run(["rm", "-rf", "--", house.folder / "deep"], check=True)


def test_d02_list_of_more_files_than_are_held_at_once(look, house):
    (house.folder / "many").mkdir()
    at = os.open(house.folder / "many", os.O_RDONLY)
    for number in range(FILES):
        os.close(os.open(f"{number:06}", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    began = time.monotonic()
    for more in ({}, {"recursive": True}):
        answer = look("list", "many", **more)
        rows = answer.data["entries"]
        assert [row["path"] for row in rows] == [f"many/{number:06}" for number in range(len(rows))]
        assert answer.data["truncated"]
        assert answer.data["total"] == FILES or answer.data["totalIsMinimum"]
        assert len(json.dumps(answer.to_json())) < 40_000
    seen = [row["path"] for row in look("list", "many", pattern="*999").data["entries"]]
    assert seen == [f"many/{number:06}" for number in range(999, FILES, 1_000)]
    last = look("list", "many", cursor=f"many/{FILES - 3:06}")
    assert [row["path"] for row in last.data["entries"]] == [f"many/{FILES - 2:06}", f"many/{FILES - 1:06}"]
    assert not last.data["truncated"]
    assert time.monotonic() - began < HANG


def test_d02_list_of_a_depth_that_no_path_names(look, house, deep):
    began = time.monotonic()
    answer = look("list", ".", recursive=True)
    assert answer.data["truncated"]
    assert answer.data["totalIsMinimum"]
    assert len(json.dumps(answer.to_json())) < 60_000
    deepest = f"{'/'.join(['deep'] * deep)}/f"
    end = look("list", ".", recursive=True, cursor=deepest)
    assert f"{deepest}ile".startswith(end.data["entries"][0]["path"])
    assert f"{deepest}ile" in house.read(end.artifacts[0].path).decode(), "it is too long for the answer"
    answer = look("list", ".", recursive=True, pattern="deep/" * 4 + "file")
    assert answer.data["truncated"] or len(answer.data["entries"]) == 1
    assert look("find", ".").data["unreadable"] == 1
    assert look("overview", ".").ok
    assert time.monotonic() - began < HANG
