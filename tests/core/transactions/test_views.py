"""changes.diff and review.md, rendered from real images."""

from __future__ import annotations

import hashlib
import os
import subprocess

from workroom.base.changes import ABSENT, Change, ChangeSet, Danger, Kind, State
from workroom.core.transactions.model import Planned
from workroom.core.transactions.views import render_diff, render_review, write_views


def prepared(house):
    """A transaction of every kind of change, and its diff."""
    house.write("edited", "one\ntwo\n")
    house.write("moved", "m\n")
    house.write("gone", "g\n")
    house.write("binary", b"\0\1")
    os.symlink("edited", house.folder / "link")
    planned = house.plan(
        {"type": "replace", "path": "edited", "search": "two", "replacement": "2"},
        {"type": "create", "path": "new/file", "content": "n\n"},
        {"type": "move", "from": "moved", "to": "there"},
        {"type": "delete", "path": "gone"},
        {"type": "delete", "path": "link"},
        {"type": "rewrite", "path": "binary", "content": "text\n"},
        {"type": "create", "path": "package.json", "content": "{}\n"},
        title="All | kinds",
    )
    return planned, render_diff(planned.change_set.changes, planned.contents.get)


def test_the_diff_has_a_section_a_file_and_none_a_folder(house):
    _, diff = prepared(house)
    sections = [line for line in diff.splitlines() if line.startswith("diff --git")]
    assert sections == [
        f"diff --git a/{old} b/{new}"
        for old, new in [
            ("binary", "binary"), ("edited", "edited"), ("gone", "gone"), ("link", "link"), ("new/file", "new/file"),
            ("package.json", "package.json"), ("moved", "there"),
        ]
    ]  # fmt: skip
    assert "rename from moved\nrename to there\n" in diff
    assert "Binary files a/binary and b/binary differ\n" in diff


def test_git_applies_the_diff_of_text(house):
    house.write("f", "one\ntwo\nthree\n", 0o644)
    house.write("m", "m\n")
    os.symlink("f", house.folder / "link")
    planned = house.plan(
        {"type": "splice", "path": "f", "start_line": 2, "delete_count": 1, "content": "zwei"},
        {"type": "patch", "patch": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"},
        {"type": "move", "from": "m", "to": "d/n"},
        {"type": "delete", "path": "link"},
    )
    diff = render_diff(planned.change_set.changes, planned.contents.get)
    subprocess.run(["git", "apply"], cwd=house.folder, input=diff.encode(), check=True)
    by_git = house.tree()
    house.write("f", "one\ntwo\nthree\n", 0o644)
    (house.folder / "d/n").rename(house.folder / "m")
    (house.folder / "d").rmdir()
    os.symlink("f", house.folder / "link")
    house.commit(planned)
    assert house.tree() == by_git


def test_the_review_says_what_why_and_with_which_hashes(house):
    planned, diff = prepared(house)
    review = render_review(planned, diff)
    lines = review.splitlines()
    assert lines[0] == "# All | kinds"
    assert f"Transaction {planned.id}" in lines
    assert "- delete gone (destructive)" in lines
    assert "- package.json can run code when its tool is used." in lines
    two, new = (hashlib.sha256(data).hexdigest() for data in (b"one\ntwo\n", b"one\n2\n"))
    assert f"| edited | modify | 1 | 1 | {two} | {new} |" in lines
    assert any(line.startswith("| binary | modify |  |  |") for line in lines)
    assert review.count("```") == 2
    assert diff.rstrip("\n") in review


def test_a_diff_with_fences_is_fenced_by_longer_ones():
    planned = Planned("tx_1", "edit", "t", (), ChangeSet(()), "f", dangers=(Danger("delete", "a|b\nc"),))
    review = render_review(planned, "+````md\n ```\n")
    assert "`````diff\n+````md\n ```\n`````\n" in review


def test_names_do_not_break_the_table():
    planned = Planned("tx_1", "edit", "t", (), ChangeSet((Change("a|b\nc", ABSENT, State(Kind.DIRECTORY)),)), "f")
    assert "| a\\|b\\nc | mkdir | 0 | 0 |  |  |" in render_review(planned, "")


def test_what_is_no_longer_kept_is_said_and_not_shown_as_nothing(house):
    planned, _ = prepared(house)
    edited = tuple(change for change in planned.change_set.changes if change.path == "edited")
    assert render_diff(edited, lambda _sha: None) == "edited: its content is no longer kept.\n"


def test_both_files_exist_when_it_is_said_that_they_do(house):
    planned, diff = prepared(house)
    changes, review = write_views(house.workspace.agentic, planned, diff)
    assert (changes.kind, review.kind) == ("diff", "review")
    assert changes.path == f".agentic/transactions/{planned.id}/changes.diff"
    for artifact in (changes, review):
        body = house.read(artifact.path)
        assert (len(body), hashlib.sha256(body).hexdigest()) == (artifact.bytes, artifact.sha256)
    assert house.read(changes.path) == diff.encode()


def test_what_comes_or_goes_whole_is_shown_up_to_a_size(house):
    """Of what is edited only the difference is, and a move shows nothing."""
    for name in ("edited", "gone", "moves"):
        house.write(name, "a line\n" * 100)
    planned = house.plan(
        {"type": "splice", "path": "edited", "start_line": 1, "delete_count": 1, "content": "another\n"},
        {"type": "delete", "path": "gone"},
        {"type": "move", "from": "moves", "to": "moved"},
        {"type": "create", "path": "made", "content": "x\n"},
    )
    diff = render_diff(planned.change_set.changes, house.tx.image_of(planned), most=100)
    assert "+another" in diff
    assert "gone: its 700 bytes are too many to be shown.\n" in diff
    assert "rename to moved" in diff
    assert "+x\n" in diff
    assert "-a line\n" * 100 in render_diff(planned.change_set.changes, house.tx.image_of(planned))
