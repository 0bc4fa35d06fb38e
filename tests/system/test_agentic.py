"""Views below `.agentic/`: written whole, through no link, and made again when somebody cleaned them away."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess

import pytest
from tests.moments import just_before

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.agentic import STAGE, Agentic
from workroom.system.root import Root


@pytest.fixture
def agentic(tmp_path):
    with Root.open(tmp_path) as root:
        yield Agentic(root)


@contextlib.contextmanager
def refused(code: ErrorCode, match: str):
    with pytest.raises(WorkroomError, match=match) as caught:
        yield
    assert caught.value.code is code


def test_write_and_read(agentic, tmp_path):
    artifact = agentic.write("plans/plan_x/plan.md", b"# Plan\n", "plan", "The plan.")
    assert (artifact.kind, artifact.path, artifact.bytes) == ("plan", ".agentic/plans/plan_x/plan.md", 7)
    assert artifact.sha256 == hashlib.sha256(b"# Plan\n").hexdigest()
    assert artifact.description == "The plan."
    assert (tmp_path / artifact.path).read_bytes() == b"# Plan\n"
    assert agentic.read("plans/plan_x/plan.md") == b"# Plan\n"
    agentic.write("plans/plan_x/plan.md", b"new", "plan")
    assert agentic.read("plans/plan_x/plan.md") == b"new"
    assert os.listdir(tmp_path / ".agentic/plans/plan_x") == ["plan.md"]
    assert agentic.read("plans/none") is None
    assert agentic.read("none/at/all") is None


def test_git_ignores_it(agentic, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    agentic.write("notes/a.md", b"", "note")
    assert (tmp_path / ".agentic/.gitignore").read_bytes() == b"*\n"
    assert subprocess.run(["git", "-C", tmp_path, "status", "-s"], capture_output=True, check=True).stdout == b""


def test_a_cloned_folder_is_made_to_ignore_itself(agentic, tmp_path):
    (tmp_path / ".agentic/notes").mkdir(parents=True)
    agentic.write("notes/a.md", b"", "note")
    assert (tmp_path / ".agentic/.gitignore").read_bytes() == b"*\n"


def test_delete(agentic, tmp_path):
    agentic.write("notes/a.md", b"", "note")
    assert agentic.delete("notes/a.md")
    assert not agentic.delete("notes/a.md")
    assert not agentic.delete("none/a.md")
    with refused(ErrorCode.EDIT_CONFLICT, "notes"):
        agentic.delete("notes")
    assert (tmp_path / ".agentic/notes").is_dir()


def test_list(agentic):
    agentic.write("notes/b.md", b"", "note")
    agentic.write("notes/a.md", b"12", "note")
    assert [(s.path, s.size, s.kind) for s in agentic.list("notes")] == [
        (".agentic/notes/a.md", 2, Kind.FILE),
        (".agentic/notes/b.md", 0, Kind.FILE),
    ]
    assert agentic.list("none") == []


def test_stage(agentic, tmp_path):
    assert agentic.stage() == STAGE == ".agentic/stage"
    assert (tmp_path / STAGE).is_dir()
    assert agentic.stage() == STAGE
    assert (tmp_path / ".agentic/.gitignore").exists()


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x"])
def test_no_path_leaves_it(agentic, path):
    with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE, "outside"):
        agentic.write(path, b"", "note")


def test_nothing_is_written_or_read_through_a_link(agentic, tmp_path):
    outside = tmp_path.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "secret").write_bytes(b"secret")
    (tmp_path / ".agentic").symlink_to(outside)
    with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE, "link"):
        agentic.write("notes/a.md", b"x", "note")
    with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE, "link"):
        agentic.stage()
    assert agentic.read("secret") is None
    assert not agentic.delete("secret")
    (tmp_path / ".agentic").unlink()
    (tmp_path / ".agentic").mkdir()
    (tmp_path / ".agentic/notes").symlink_to(outside)
    with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE, "Remove the link"):
        agentic.write("notes/a.md", b"x", "note")
    assert agentic.list("notes/x") == []
    assert os.listdir(outside) == ["secret"]


def test_a_link_in_a_files_place_is_replaced_not_followed(agentic, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"untouched")
    (tmp_path / ".agentic").mkdir()
    (tmp_path / ".agentic/MEMORY.md").symlink_to(victim)
    with refused(ErrorCode.INVALID_INPUT, "link"):
        agentic.read("MEMORY.md")
    agentic.write("MEMORY.md", b"ours", "memory")
    assert (victim.read_bytes(), agentic.read("MEMORY.md")) == (b"untouched", b"ours")


def test_what_stands_in_the_way_is_told(agentic, tmp_path):
    (tmp_path / ".agentic").write_bytes(b"a file")
    with refused(ErrorCode.EDIT_CONFLICT, "Move '.agentic' away"):
        agentic.write("a.md", b"", "note")
    (tmp_path / ".agentic").unlink()
    (tmp_path / ".agentic/a.md").mkdir(parents=True)
    with refused(ErrorCode.EDIT_CONFLICT, "a.md"):
        agentic.write("a.md", b"", "note")
    assert sorted(os.listdir(tmp_path / ".agentic")) == [".gitignore", "a.md", "stage"]


def test_a_folder_that_another_made_meanwhile_will_do(agentic, tmp_path):
    with just_before("os.mkdir", ".agentic", (tmp_path / ".agentic").mkdir):
        agentic.write("a.md", b"x", "note")
    assert agentic.read("a.md") == b"x"


def test_cleaned_away_in_between_it_is_made_again(agentic, tmp_path):
    agentic.write("notes/a.md", b"1", "note")
    with just_before("open", ".workroom-stage-", lambda: shutil.rmtree(tmp_path / ".agentic")):
        agentic.write("notes/a.md", b"2", "note")
    assert agentic.read("notes/a.md") == b"2"


def test_cleaned_away_while_its_folders_are_made_it_is_made_again(agentic, tmp_path):
    agentic.write("a.md", b"1", "note")
    with just_before("os.mkdir", "notes", lambda: shutil.rmtree(tmp_path / ".agentic")):
        agentic.write("notes/b.md", b"2", "note")
    assert agentic.read("notes/b.md") == b"2"


def lay(tmp_path, name, *, age, size=1):
    """A file that is so many seconds old, and holds so many MiB without taking room on the disk."""
    path = tmp_path / ".agentic/artifacts" / name
    with path.open("wb") as file:
        file.truncate(size << 20)
    os.utime(path, (1_800_000_000 - age, 1_800_000_000 - age))


def test_a_folder_is_kept_small(agentic, tmp_path):
    """By age and by size, oldest first; the newest stays whatever it holds."""
    agentic.write("artifacts/first", b"", "answer")
    (tmp_path / ".agentic/artifacts/first").unlink()
    (tmp_path / ".agentic/artifacts/folder").mkdir()
    agentic.trim("artifacts")
    for name, age, size in (
        ("newest", 0, 600),
        ("last week", 8 * 24 * 3600, 0),
        ("an hour ago", 3600, 1),
    ):
        lay(tmp_path, name, age=age, size=size)
    agentic.trim("artifacts")
    assert sorted(os.listdir(tmp_path / ".agentic/artifacts")) == ["folder", "newest"]
    (tmp_path / ".agentic/artifacts/newest").unlink()
    for number in range(8):
        lay(tmp_path, f"{number}", age=3600 * number, size=12)
    agentic.trim("artifacts")
    assert sorted(os.listdir(tmp_path / ".agentic/artifacts")) == ["0", "1", "2", "3", "4", "folder"]


def test_what_an_answer_named_a_moment_ago_stays(agentic, tmp_path):
    agentic.write("artifacts/first", b"", "answer")
    for number in range(8):
        lay(tmp_path, f"{number}", age=60 * number, size=100)
    (tmp_path / ".agentic/artifacts/first").unlink()
    agentic.trim("artifacts")
    assert sorted(os.listdir(tmp_path / ".agentic/artifacts")) == ["0", "1", "2", "3", "4"]
    agentic.trim("none")
