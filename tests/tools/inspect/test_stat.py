"""workspace_inspect stat, as a client calls it."""

from __future__ import annotations

import hashlib
import os
import subprocess

import pytest
from tests.documents import pdf
from tests.limits import few_descriptors

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


@pytest.mark.parametrize("more", [b"", b"% more\n" * 2_500_000])
def test_stat_of_a_pdf_is_of_no_text(inspect, house, more):
    """Also where its bytes can be read as text in some encoding."""
    house.write("f.pdf", pdf("One") + more)
    data = inspect("stat", path="f.pdf").data
    assert (data["text"], data["sha256"]) == (False, sha(pdf("One") + more))
    assert not {"lines", "encoding", "lineEnding"} & data.keys()
    house.write("f.txt", "A file that begins with %PDF- is a PDF.\n")
    assert inspect("stat", path="f.txt").data["text"]


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


def test_stat_of_a_folder_counts_its_entries(inspect, house):
    for number in range(7):
        house.write(f"d/{number}", "")
    house.write("d/.workroom-stage-1", "")
    answer = inspect("stat", path="d")
    assert (answer.data["entries"], "entriesAtLeast" in answer.data) == (7, False)
    assert ", 7 entries, mode 0755." in answer.summary
    (house.folder / "many").mkdir()
    at = os.open(house.folder / "many", os.O_RDONLY)
    for number in range(100_001):
        os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    answer = inspect("stat", path="many")
    assert (answer.data["entries"], answer.data["entriesAtLeast"]) == (100_000, True)
    assert "at least 100,000 entries" in answer.summary


def test_stat_says_what_it_did_not_read(inspect, house):
    with house.write("huge", b"one\n" * 20_000).open("ab") as stream:
        stream.truncate(10_000_000_000)
    answer = inspect("stat", path="huge")
    assert (answer.data["sha256"], answer.data["lines"]) == (None, None)
    assert "too large to be read for a stat" in answer.summary
    for number in range(3):
        house.write(f"{number}", b"a line\n" * 4_000_000)
    rows = inspect("stat", paths=["huge", "0", "1", "2"]).data["entries"]
    assert [row.get("lines") for row in rows] == [None, 4_000_000, 4_000_000, None]
    assert [row["sha256"] is None for row in rows] == [True, False, False, True]
    assert "were enough" in rows[3]["omitted"]


@pytest.mark.parametrize("more", [0, 1])
def test_stat_of_a_folder_that_cant_be_looked_into(inspect, house, more):
    (house.folder / "closed").mkdir()
    inspect("stat", path="closed")
    with few_descriptors(more):
        answer = inspect("stat", path="closed")
    assert (answer.data["kind"], answer.data["unreadable"]) == ("directory", True)


def test_stat_of_several_says_what_git_knows_of_each(inspect, house):
    subprocess.run(["git", "init", "-q", house.folder], check=True)
    house.write(".gitignore", "*.log\n")
    for path in ("f", "x.log", "d/g"):
        house.write(path, "x")
    (house.folder / "link").symlink_to("f")
    rows = inspect("stat", paths=["f", "x.log", "d", "link", "gone", "f"]).data["entries"]
    assert [row.get("git") for row in rows] == ["untracked", "ignored", None, "untracked", None, "untracked"]
    assert inspect("stat", path="x.log").summary.endswith("mode 0644, git: ignored.")
