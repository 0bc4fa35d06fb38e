"""editor_open."""

from __future__ import annotations

import hashlib
import os
import tracemalloc

import pytest
from tests.conftest import AGENT

from workroom.base.settings import Settings
from workroom.tools.tool import Limits


def test_a_file_is_read_and_is_open_then(house, ask):
    file = house.write("src/main.rs", "fn main() {}\r\n")
    opened = ask("open", path="src/main.rs")
    assert opened == {
        "path": "src/main.rs",
        "content": "fn main() {}\r\n",
        "language": "rust",
        "mtime": int(file.stat().st_mtime),
        "size": 14,
        "truncated": False,
        "version": hashlib.sha256(b"fn main() {}\r\n").hexdigest(),
        "encoding": "utf-8",
        "lossy": False,
        "picture": "",
        "start_byte": 0,
        "end_byte": 14,
        "first_line": 1,
        "total_lines": 1,
    }
    buffer = house.workspace.buffers.own(AGENT, "src/main.rs")
    assert (buffer.version, buffer.mtime, buffer.truncated) == (opened["version"], opened["mtime"], False)
    assert ask("open", path=str(file))["path"] == "src/main.rs"


def test_a_link_is_what_it_leads_to(house, ask):
    house.write("real.txt", "x")
    (house.folder / "link.txt").symlink_to("real.txt")
    assert ask("open", path="link.txt")["path"] == "real.txt"
    (house.folder / "out.txt").symlink_to("/etc/hostname")
    assert ask("open", path="out.txt")["error"]["code"] == "PATH_OUTSIDE_WORKSPACE"


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("binary", "INVALID_INPUT", "is binary"), ("folder", "INVALID_INPUT", "editor_tree"),
        ("gone", "NOT_FOUND", "editor_find"), ("../x", "PATH_OUTSIDE_WORKSPACE", ""), ("pipe", "INVALID_INPUT", ""),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused_and_not_open(house, ask, path, code, said):
    house.write("binary", b"\0\1\2\xff")
    (house.folder / "folder").mkdir()
    os.mkfifo(house.folder / "pipe")
    error = ask("open", path=path)["error"]
    assert error["code"] == code
    assert said in f"{error['message']} {error['next_step']}"
    assert house.workspace.buffers.list(AGENT) == ()


def test_a_picture_is_told_by_its_bytes(house, ask):
    house.write("a.txt", b"\x89PNG\r\n\x1a\n\0")
    error = ask("open", path="a.txt")["error"]
    assert error["details"] == {"bytes": 9, "kind": "PNG image", "picture": "image/png"}
    assert "is binary (PNG image, 9 bytes)" in error["message"]
    house.write("b.png", b"\0\1\2\xff")
    assert ask("open", path="b.png")["error"]["details"] == {"bytes": 4, "kind": "", "picture": None}
    house.write("c.txt", "<svg></svg>\n")
    assert ask("open", path="c.txt")["picture"] == "image/svg+xml"


def test_other_encodings_are_text_all_the_same(house, ask):
    house.write("wide.txt", "é\n".encode("utf-16"))
    house.write("latin.txt", "Käse und Brötchen, Straße\n".encode("cp1252"))
    house.write("marked.txt", b"\xef\xbb\xbfx\n")
    assert [ask("open", path=f"{name}.txt")["content"] for name in ("wide", "latin", "marked")] == [
        "é\n", "Käse und Brötchen, Straße\n", "x\n",
    ]  # fmt: skip
    assert ask("open", path="marked.txt")["encoding"] == "utf-8-bom"


def test_bytes_that_are_no_text_are_shown_as_such(house, ask):
    house.write("lossy.txt", b"good \xc3\xa9\xc3\xa9\xc3\xa9\nbad \xff\n")
    opened = ask("open", path="lossy.txt")
    assert (opened["content"], opened["lossy"]) == ("good ééé\nbad \ufffd\n", True)


def test_a_long_file_is_cut_and_said_so(house, ask):
    house.settings = Settings(editor_max_file_bytes=11)
    house.write("long.txt", "ééééé" + "é" * 100)
    opened = ask("open", path="long.txt", whole=True)
    assert (opened.data["content"], opened.data["truncated"], opened.data["size"]) == ("ééééé", True, 210)
    assert opened.data["version"].startswith("part-")
    assert "can't be saved" in opened.summary
    assert house.workspace.buffers.own(AGENT, "long.txt").truncated
    house.write("exact.txt", "x" * 11)
    assert ask("open", path="exact.txt")["truncated"] is False
    house.write("binary", b"\0\1\2\xff" * 20)
    assert "is binary" in ask("open", path="binary")["error"]["message"]


def test_what_a_client_cannot_take_is_cut_by_whole_lines(house, ask):
    house.write("a.txt", "a line\n" * 1_000)
    opened = ask("open", path="a.txt", limits=Limits(4_000, 60))
    assert opened["truncated"] is True
    assert set(opened["content"].split("\n")) == {"a line", ""}
    assert 1_000 < len(opened["content"]) < 2_600
    house.write("one.txt", "x" * 10_000)
    assert len(ask("open", path="one.txt", limits=Limits(4_000, 60))["content"]) == 2_498


def test_any_part_of_a_long_file_is_read_and_none_can_be_saved(house, ask):
    house.settings = Settings(mode="auto", editor_max_file_bytes=30)
    house.write("long.txt", "".join(f"line {n}\n" for n in range(1, 101)))
    opened = ask("open", path="long.txt", whole=True)
    told = ("content", "start_byte", "end_byte", "first_line", "total_lines", "size", "truncated")
    assert [opened.data[name] for name in told] == ["line 1\nline 2\nline 3\nline 4\n", 0, 28, 1, 100, 792, True]
    assert "Only bytes 0 to 28, from line 1; it can't be saved. `start_byte` 28 goes on." in opened.summary
    on = ask("open", path="long.txt", start_byte=28)
    assert [on[name] for name in told[:4]] == ["line 5\nline 6\nline 7\nline 8\n", 28, 56, 5]
    assert on["version"].startswith("part-")
    assert house.workspace.buffers.own(AGENT, "long.txt").truncated
    saved = ask("save", path="long.txt", content="x", expected_version=on["version"])
    assert "only in part" in saved["error"]["message"]
    assert ask("open", path="long.txt", end_byte=28)["start_byte"] == 0
    last = ask("open", path="long.txt", end_byte=10**15, whole=True)
    assert (last.data["content"].splitlines()[-1], last.data["end_byte"]) == ("line 100", 792)
    assert "goes on" not in last.summary
    named = ask("open", path="long.txt", start_line=50)
    assert (named["content"].splitlines()[0], named["first_line"]) == ("line 50", 50)


def test_a_part_of_a_short_file_is_a_part(house, ask):
    house.write("short.txt", "one\ntwo\n")
    assert ask("open", path="short.txt", start_line=2)["content"] == "two\n"
    assert ask("open", path="short.txt", start_byte=0)["truncated"] is True
    assert ask("open", path="short.txt", start_line=3)["error"]["message"] == "short.txt has no line 3; it has 2."


def test_a_part_is_named_once_and_of_a_text(house, ask):
    house.write("a.txt", "one\n")
    error = ask("open", path="a.txt", start_byte=1, end_byte=2)["error"]
    assert (error["code"], error["message"]) == (
        "INVALID_INPUT", "A part is named by one of start_byte, end_byte, not by several.",
    )  # fmt: skip
    house.write("binary", b"\0\1\2\xff")
    assert "is binary" in ask("open", path="binary", start_byte=1)["error"]["message"]
    for path in ("gone", "../x", "folder"):
        (house.folder / "folder").mkdir(exist_ok=True)
        assert ask("open", path=path, start_byte=1)["error"]["code"] == ask("open", path=path)["error"]["code"]


def test_the_middle_of_a_vast_file_comes_at_once_and_little_is_held(house, ask):
    """2 GB with holes: what isn't shown isn't read, and lines are not guessed."""
    file = house.write("vast.log", "begin\n")
    with open(file, "r+b") as vast:
        vast.seek(2_000_000_000)
        vast.write("é\nmiddle\n".encode() * 300_000)
    tracemalloc.start()
    opened = ask("open", path="vast.log", start_byte=2_000_000_001)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (opened["start_byte"], opened["first_line"], opened["total_lines"]) == (2_000_000_000, None, None)
    assert opened["content"].startswith("é\nmiddle\n")
    assert 1_999_980 < len(opened["content"].encode()) <= 2_000_000
    assert peak < 60_000_000
    error = ask("open", path="vast.log", start_line=50)["error"]
    assert (error["code"], "lies beyond its first" in error["message"]) == ("LIMIT_EXCEEDED", True)
