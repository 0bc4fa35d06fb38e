"""Changes put aside and brought back; a pop that would meet a conflict isn't begun."""

from __future__ import annotations

import pytest
from tests.core.git.conftest import authored
from tests.repositories import git, planted, repository

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.stash import pop, prepare_pop, prepare_push, push


def refused(work):
    with pytest.raises(WorkroomError) as caught:
        work()
    return caught.value


def shelve(ws, at):
    shelved = prepare_push(at(ws), patch=True)
    return shelved, push(at(ws), shelved)


def test_changed_new_staged_and_deleted_files_go_and_come_back(ws, at):
    (ws / "g").write_text("g\n")
    git(ws, "add", "g")
    git(ws, "commit", "-qm", "g")
    (ws / "f").write_text("2\n")
    (ws / "g").unlink()
    (ws / "sub").mkdir()
    (ws / "sub/n\n\udcff").write_text("n\n")
    (ws / "s").write_text("s\n")
    git(ws, "add", "s")
    before = git(ws, "status", "--porcelain")
    shelved, sha = shelve(ws, at)
    assert shelved.paths == ("f", "g", "s", "sub/n\n\udcff")
    assert b"+2\n" in shelved.patch
    assert git(ws, "status", "--porcelain") == ""
    assert (ws / "f").read_text() == "1\n"
    assert not (ws / "sub").exists()
    back = prepare_pop(at(ws), patch=True)
    assert (back.sha, back.paths, back.patch) == (sha, shelved.paths, shelved.patch)
    pop(at(ws), back)
    assert git(ws, "status", "--porcelain") == before.replace("M  f", " M f")
    assert git(ws, "stash", "list") == ""


def test_nothing_to_stash_and_nothing_stashed(ws, at, tmp_path):
    assert prepare_push(at(ws)) is None
    assert refused(lambda: prepare_pop(at(ws))).code is ErrorCode.NOT_FOUND
    new = authored(repository(tmp_path / "new"))
    assert refused(lambda: prepare_push(at(new))).code is ErrorCode.TRANSACTION_STATE


def test_a_repository_within_is_left(ws, at):
    repository(ws / "inner", g="1\n")
    (ws / "f").write_text("2\n")
    shelved, _ = shelve(ws, at)
    assert shelved.paths == ("f",)
    assert (ws / "inner/g").exists()


def test_what_was_changed_since_is_not_put_aside(ws, at):
    (ws / "f").write_text("2\n")
    shelved = prepare_push(at(ws))
    (ws / "f").write_text("3\n")
    assert refused(lambda: push(at(ws), shelved)).code is ErrorCode.EDIT_CONFLICT
    assert (ws / "f").read_text() == "3\n"


def test_a_pop_upon_later_commits_is_merged(ws, at):
    (ws / "f").write_text("".join(f"{n}\n" for n in range(20)))
    git(ws, "commit", "-qam", "long")
    (ws / "f").write_text((ws / "f").read_text() + "mine\n")
    shelve(ws, at)
    (ws / "f").write_text("theirs\n" + (ws / "f").read_text())
    git(ws, "commit", "-qam", "theirs")
    pop(at(ws), prepare_pop(at(ws)))
    assert (ws / "f").read_text().splitlines()[::21] == ["theirs", "mine"]


def test_a_pop_that_would_meet_a_conflict_is_not_begun(ws, at):
    (ws / "f").write_text("2\n")
    _, sha = shelve(ws, at)
    (ws / "f").write_text("3\n")
    git(ws, "commit", "-qam", "theirs")
    error = refused(lambda: prepare_pop(at(ws)))
    assert (error.code, error.details["paths"]) == (ErrorCode.EDIT_CONFLICT, ["f"])
    assert (ws / "f").read_text() == "3\n"
    assert git(ws, "rev-parse", "stash") == sha


def test_a_pop_overwrites_no_file_that_is_renamed_and_not_committed(ws, at):
    (ws / "f").write_text("2\n")
    shelve(ws, at)
    git(ws, "mv", "f", "g")
    assert refused(lambda: prepare_pop(at(ws))).details["paths"] == ["f"]


@pytest.mark.parametrize("way", ["changed", "untracked", "ignored"])
def test_a_pop_overwrites_nothing(ws, at, way):
    name = "f" if way == "changed" else "n"
    (ws / name).write_text("2\n")
    shelve(ws, at)
    if way == "ignored":
        (ws / ".git/info/exclude").write_text("n\n")
    (ws / name).write_text("later\n")
    error = refused(lambda: prepare_pop(at(ws)))
    assert (error.code, error.details["paths"]) == (ErrorCode.EDIT_CONFLICT, [name])
    assert (ws / name).read_text() == "later\n"


def test_another_stash_is_not_popped(ws, at):
    (ws / "f").write_text("2\n")
    shelve(ws, at)
    shelved = prepare_pop(at(ws))
    (ws / "f").write_text("3\n")
    git(ws, "stash", "push", "-q")
    assert refused(lambda: pop(at(ws), shelved)).code is ErrorCode.EDIT_CONFLICT
    assert (ws / "f").read_text() == "1\n"


def test_a_part_of_a_larger_repository(ws, at):
    (ws / "part").mkdir()
    (ws / "part/m").write_bytes(b"\0m\n")
    git(ws, "add", "part")
    git(ws, "commit", "-qm", "m")
    (ws / "part/n").write_text("n\n")
    (ws / "part/m").write_bytes(b"\0changed\n")
    (ws / "f").write_text("2\n")
    part = ws / "part"
    assert shelve(part, at)[0].paths == ("m", "n")
    assert git(ws, "status", "--porcelain") == "M f"
    assert (part / "m").read_bytes() == b"\0m\n"
    pop(at(part), prepare_pop(at(part)))
    assert (part / "n").read_text() == "n\n"
    assert (part / "m").read_bytes() == b"\0changed\n"
    git(ws, "stash", "push", "-qu")
    error = refused(lambda: prepare_pop(at(part)))
    assert (error.code, error.details["outside"]) == (ErrorCode.PATH_OUTSIDE_WORKSPACE, 1)


def test_a_stash_without_untracked_files(ws, at):
    (ws / "f").write_text("2\n")
    git(ws, "stash", "push", "-q")
    pop(at(ws), prepare_pop(at(ws)))
    assert (ws / "f").read_text() == "2\n"


def test_an_index_that_another_program_holds(ws, at):
    (ws / "f").write_text("2\n")
    shelved = prepare_push(at(ws))
    (ws / ".git/index.lock").write_text("")
    error = refused(lambda: push(at(ws), shelved))
    assert error.details["lock"].endswith("index.lock")
    assert (ws / "f").read_text() == "2\n"


@pytest.mark.parametrize("kind", ["clean", "smudge", "process"])
def test_a_file_that_needs_a_filter_is_refused(ws, at, tmp_path, kind):
    program, mark = planted(tmp_path, "evil")
    (ws / ".gitattributes").write_text("n filter=x\n")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "attributes")
    (ws / "n").write_text("n\n")
    git(ws, "stash", "push", "-qu")
    git(ws, "config", f"filter.x.{kind}", program)
    assert refused(lambda: prepare_pop(at(ws))).code is ErrorCode.UNSUPPORTED
    (ws / "n").write_text("n\n")
    error = refused(lambda: prepare_push(at(ws)))
    assert (error.code, error.details) == (ErrorCode.UNSUPPORTED, {"filters": ["x"], "paths": ["n"]})
    assert not mark.exists()
