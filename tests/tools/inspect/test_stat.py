"""workspace_inspect stat, as a client calls it."""

from __future__ import annotations

import hashlib
import os
import subprocess

import pytest

from workroom.base.actor import Actor
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


def test_stat_of_a_file(inspect, house):
    house.write("f", "one\r\ntwo\r\n", 0o640)
    answer = inspect("stat", path="f")
    assert answer.data.pop("mtime").endswith("Z")
    assert answer.data == {
        "path": "f",
        "kind": "file",
        "bytes": 10,
        "mode": "0640",
        "sha256": sha(b"one\r\ntwo\r\n"),
        "text": True,
        "lines": 2,
        "encoding": "utf-8",
        "lineEnding": "crlf",
    }
    assert answer.summary == "f: file, 10 bytes, 2 lines, mode 0640."
    assert "lineEnding: crlf" in answer.text


def test_stat_of_other_kinds(inspect, house):
    house.write("d/f", b"\0\1\2\3")
    os.mkfifo(house.folder / "pipe")
    assert inspect("stat", path="d").data["kind"] == "directory"
    assert inspect("stat", path="pipe").data["kind"] == "other"
    data = inspect("stat", path="d/f").data
    assert (data["text"], data["sha256"]) == (False, sha(b"\0\1\2\3"))
    assert "lines" not in data
    failed(inspect("stat", path="d/ff"), "NOT_FOUND", "Did you mean d/f?")


@pytest.mark.parametrize(
    ("target", "leads"),
    [("f", "f (file)"), ("none", "none (absent)"), ("/etc/passwd", "outside the workspace"), ("link", "nowhere")],
)
def test_stat_of_links(inspect, house, target, leads):
    house.write("f", "")
    (house.folder / "link").symlink_to(target)
    data = inspect("stat", path="link").data
    assert (data["kind"], data["target"], data["leadsTo"]) == ("symlink", target, leads)
    assert f"link -> {target}: symlink" in inspect("stat", path="link").summary


def test_stat_of_several(inspect, house):
    house.write("a", "x")
    answer = inspect("stat", paths=["a", "nothing"])
    assert [row["path"] for row in answer.data["entries"]] == ["a", "nothing"]
    assert answer.data["entries"][1]["error"]["code"] == "NOT_FOUND"
    assert answer.text.splitlines()[1].startswith("nothing: Path 'nothing' does not exist.")


def test_stat_says_what_git_knows(inspect, house):
    subprocess.run(["git", "init", "-q", "."], cwd=house.folder, check=True)
    house.write("f", "x")
    assert inspect("stat", path="f").data["git"] == "untracked"
