"""workspace_inspect read, as a client calls it."""

from __future__ import annotations

import hashlib
import json
import os
import timeit

import pytest

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.tools.dispatch import call
from workroom.tools.tool import Call


@pytest.fixture
def inspect(house):
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(action, **arguments):
        return call(caller, "workspace_inspect", {"action": action, **arguments})

    return ask


def sha(data):
    return hashlib.sha256(data).hexdigest()


def failed(answer, code, said):
    assert answer.error["code"] == code
    assert said in answer.summary


def test_a_file(inspect, house):
    house.write("src/a.py", "one\ntwo\n")
    answer = inspect("read", path="src/a.py")
    assert answer.data == {
        "path": "src/a.py",
        "sha256": sha(b"one\ntwo\n"),
        "bytes": 8,
        "text": "1 | one\n2 | two",
        "startLine": 1,
        "endLine": 2,
        "totalLines": 2,
        "encoding": "utf-8",
        "lineEnding": "lf",
        "truncated": False,
    }
    assert answer.text == "1 | one\n2 | two"
    assert answer.summary == f"src/a.py: lines 1-2 of 2, sha256 {answer.data['sha256']}."
    assert answer.omit_when_summarizing == ("text",)
    assert answer.facts[0].startswith("read src/a.py: lines 1-2")


def test_an_absolute_path_and_a_link(inspect, house):
    house.write("src/a.py", "one\n")
    (house.folder / "link").symlink_to("src/a.py")
    assert inspect("read", path=str(house.folder / "src/a.py")).data["path"] == "src/a.py"
    answer = inspect("read", path="link", numbered=False)
    assert (answer.data["path"], answer.data["resolvedPath"], answer.data["text"]) == ("link", "src/a.py", "one\n")


def test_ranges(inspect, house):
    house.write("f", "".join(f"{n}\n" for n in range(1, 11)))
    assert inspect("read", path="f", start_line=3, end_line=4).data["text"] == "3 | 3\n4 | 4"
    assert inspect("read", path="f", tail_lines=1).data["text"] == "10 | 10"
    assert inspect("read", path="f", start_line=9).data["endLine"] == 10
    failed(inspect("read", path="f", start_line=11), "INVALID_INPUT", "has 10 lines")
    failed(inspect("read", path="f", start_line=4, end_line=3), "INVALID_INPUT", "`end_line` 3 is before")
    failed(inspect("read", path="f", start_line=4, tail_lines=3), "INVALID_INPUT", "`tail_lines` can't")
    failed(inspect("read", path="f", start_line=0), "INVALID_INPUT", "start_line")
    failed(inspect("read"), "INVALID_INPUT", "either `path` or `paths`")


def test_an_empty_file(inspect, house):
    house.write("f", "")
    assert inspect("read", path="f").summary.startswith("f: no lines of 0, sha256 e3b0c442")


def test_unchanged(inspect, house):
    house.write("f", "one\n")
    answer = inspect("read", path="f", known_sha256=sha(b"one\n"))
    assert answer.data == {
        "path": "f", "sha256": sha(b"one\n"), "bytes": 4, "unchanged": True, "truncated": False,
    }  # fmt: skip
    assert answer.summary == "f is unchanged (4 bytes)."
    failed(inspect("read", paths=["f"], known_sha256="x"), "INVALID_INPUT", "`known_sha256` is of one file")


def test_truncated(inspect, house):
    house.write("f", "".join(f"line {n}\n" for n in range(1, 5001)))
    answer = inspect("read", path="f", max_chars=1000)
    following = answer.data["nextStartLine"]
    assert answer.data["truncated"]
    assert following == answer.data["endLine"] + 1
    assert f"Truncated: go on with start_line {following}." in answer.summary
    assert len(answer.text) <= 1000
    answer = inspect("read", path="f")
    assert answer.data["truncated"]
    assert answer.artifacts == ()
    assert len(json.dumps(answer.to_json(), ensure_ascii=False)) < 30_000


def test_a_tail_that_is_too_long_keeps_its_end(inspect, house):
    house.write("f", "".join(f"line {n}\n" for n in range(1, 5001)))
    answer = inspect("read", path="f", tail_lines=1000, max_chars=1000)
    before = answer.data["previousEndLine"]
    assert (answer.data["startLine"], answer.data["endLine"], answer.data["truncated"]) == (before + 1, 5000, True)
    assert f"Truncated: the lines before end with end_line {before}." in answer.summary
    assert "nextStartLine" not in answer.data


def test_a_long_line(inspect, house):
    house.write("f", "x" * 5000 + "\nend\n")
    answer = inspect("read", path="f")
    assert (answer.data["cutLines"], answer.data["truncated"], answer.data["endLine"]) == (1, True, 2)
    assert "1 long lines are cut" in answer.summary
    assert "cutLines" not in inspect("read", path="f", max_chars=6000).data


def test_a_line_that_no_answer_holds_is_folded_into_a_file(inspect, house):
    body = "".join(f"{n:07}" for n in range(10_000))
    house.write("f", f"first\n{body}\nlast\n")
    assert inspect("read", path="f", start_line=2).artifacts == ()
    answer = inspect("read", path="f", start_line=2, end_line=2, max_chars=20_000)
    (artifact,) = answer.artifacts
    assert answer.data["cutLines"] == 1
    assert f"folded after 1,000 characters, is in {artifact.path}" in answer.summary
    folded = (house.folder / artifact.path).read_text()
    assert folded.replace("\n", "") == body
    assert inspect("read", path=artifact.path, start_line=70, end_line=70).text == f"70 | {body[69_000:]}"
    assert inspect("read", paths=["f", "f"], max_chars=20_000).artifacts == ()


def test_bytes_that_are_no_text(inspect, house):
    house.write("broken", "ключ: значение ".encode() + b"\xff\n")
    answer = inspect("read", path="broken")
    assert answer.data["lossy"]
    assert "U+FFFD" in answer.summary
    json.dumps(answer.to_json(), ensure_ascii=False).encode()


def test_an_enormous_file(inspect, house):
    with house.write("f", "one\n" * 40_000).open("ab") as stream:
        stream.truncate(10_000_000_000)
    answer = inspect("read", path="f", end_line=2)
    assert (answer.data["sha256"], answer.data["totalLines"], answer.data["text"]) == (None, None, "1 | one\n2 | one")
    assert "sha256Omitted" in answer.data
    assert "lines 1-2 (10,000,000,000 bytes; lines not counted), sha256 not computed." in answer.summary
    answer = inspect("read", path="f", tail_lines=2)
    assert (answer.data["startLine"], answer.data["truncated"]) == (None, True)
    assert "the last lines" in answer.summary
    assert "Truncated." in answer.summary


def test_several_files(inspect, house):
    house.write("a", "one\n")
    house.write("big", "".join(f"line {n}\n" for n in range(1, 5001)))
    answer = inspect("read", paths=["big", "a", "nothing"])
    rows = answer.data["files"]
    assert [row["path"] for row in rows] == ["big", "a", "nothing"]
    assert rows[0]["truncated"]
    assert len(rows[0]["text"]) > 20_000
    assert rows[1]["text"] == "1 | one"
    assert rows[2]["error"]["code"] == "NOT_FOUND"
    assert (answer.data["total"], answer.data["truncated"], answer.ok) == (3, True, True)
    assert answer.summary == "Read 2 of 3 files."
    assert answer.artifacts == ()
    assert "== a: lines 1-1 of 1" in answer.text
    assert "== nothing: Path 'nothing' does not exist." in answer.text
    assert inspect("read", paths=["a", "a"]).summary == "Read 2 files."


def test_several_files_for_which_there_is_no_room(inspect, house):
    house.settings = house.settings.model_copy(update={"max_tool_result_chars": 4_000})
    for name in "abcdef":
        house.write(name, "one line\n" * 500)
    answer = inspect("read", paths=list("abcdef"))
    assert [row["path"] for row in answer.data["files"]] == ["a", "b", "c"]
    assert (answer.data["unread"], answer.data["total"], answer.data["truncated"]) == (["d", "e", "f"], 6, True)
    assert answer.summary == "Read 3 of 6 files. There was no room for the last 3: read them in another call."
    assert all(len(row["text"]) > 300 for row in answer.data["files"])


def test_several_files_none_of_which_can_be_read(inspect, house):
    (house.folder / "out").symlink_to("/etc")
    failed(inspect("read", paths=["nothing", "../x", "out/passwd"]), "NOT_FOUND", "'nothing'")
    failed(inspect("read", paths=["f"] * 21), "INVALID_INPUT", "at most 20")


def test_what_helps_is_said(inspect, house):
    house.write("src/alpha.py", "")
    house.write("pic.png", b"\x89PNG\0")
    os.mkfifo(house.folder / "pipe")
    failed(inspect("read", path="src/alhpa.py"), "NOT_FOUND", "Did you mean src/alpha.py?")
    failed(inspect("read", path="pic.pgn"), "NOT_FOUND", "Did you mean pic.png?")
    failed(inspect("read", path="src/zzz"), "NOT_FOUND", "Action find")
    failed(inspect("read", path="zzz/zzz"), "NOT_FOUND", "Action find")
    failed(inspect("read", path="src"), "INVALID_INPUT", "Action list")
    failed(inspect("read", path="pic.png"), "INVALID_INPUT", "Action stat")
    failed(inspect("read", path="pipe"), "INVALID_INPUT", "a FIFO")
    failed(inspect("read", path="pic.png", symbol="main"), "UNSUPPORTED", "Action search")


def test_a_read_is_fast(inspect, house):
    """A hang guard, far above the goal of 300 microseconds; benchmarks measure that."""
    house.settings = Settings()
    house.write("f", "".join(f"def function_{n}(value):  # line\n" for n in range(300)))
    assert inspect("read", path="f").ok
    assert min(timeit.repeat(lambda: inspect("read", path="f"), number=20, repeat=5)) / 20 < 1
