"""Reading real repositories."""

from __future__ import annotations

import pytest
from tests.repositories import git, repository

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git import Reading, Row
from workroom.system.root import Root


@pytest.fixture
def ws(tmp_path):
    return repository(tmp_path / "ws")


@pytest.fixture
def read(ws):
    roots = []

    def reading(folder=ws, inside="."):
        roots.append(Root.open(folder))
        return Reading(roots[-1], inside)

    yield reading
    for root in roots:
        root.close()


def test_before_the_first_commit(ws, read):
    (ws / "f").write_text("x\n")
    assert (read().status().commit, read().log(), read().head()) == (None, (), None)
    assert (read().show("f").commit, read().show("f").data) == ("", None)
    assert read().diff("f", "head").untracked
    git(ws, "add", "f")
    assert (read().diff("f", "head").added, read().diff("f", "index").added, read().diff("f").added) == (1, 1, 0)


def test_names_of_every_form(ws, read):
    names = ["-x", "a b\nc", ":(top)", "*", "\udcff", "new -> old", '"q"']
    for name in names:
        (ws / name).write_text("1\n")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "one")
    for name in names:
        (ws / name).write_text("2\n")
    assert sorted(row.path for row in read().status().rows) == sorted(names)
    for name in names:
        assert read().show(name).data == b"1\n"
        assert (read().diff(name).added, len(read().diff(name).hunks)) == (1, 1)


def test_differences_of_each_kind(ws, read):
    (ws / "f").write_text("1\n2\n3\n")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "one")
    (ws / "f").write_text("1\ntwo\n3\n")
    git(ws, "add", ".")
    (ws / "f").write_text("1\ntwo\n3\n4\n")
    counts = [(d.added, d.removed) for d in (read().diff("f", a) for a in ("worktree", "index", "head"))]
    assert counts == [(1, 0), (1, 1), (2, 1)]
    assert read().diff("f", "head", context=3).hunks[0].old_lines == 3
    assert not read().diff("nothing").untracked
    with pytest.raises(WorkroomError) as caught:
        read().diff("f", "upstream")
    assert caught.value.code is ErrorCode.NOT_FOUND


def test_against_the_upstream_and_how_far_apart(ws, read, tmp_path):
    (ws / "f").write_text("1\n")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "one")
    git(tmp_path, "clone", "-q", str(ws), "clone")
    clone = tmp_path / "clone"
    (clone / "f").write_text("2\n")
    git(clone, "commit", "-qam", "two\n\nbody")
    found = read(clone).status()
    assert (found.branch, found.upstream, found.ahead, found.behind) == ("main", "origin/main", 1, 0)
    assert read(clone).diff("f", "upstream").added == 1
    two, one = read(clone).log()
    assert (two.subject, two.parents, two.author, one.parents) == ("two", (one.sha,), "n", ())
    assert read(clone).log(1, "f") == (two,)
    (branch,) = read(clone).branches()
    assert (branch.name, branch.commit, branch.upstream, branch.current) == ("main", two.sha, "origin/main", True)


def test_show_at_revisions(ws, read):
    (ws / "f").write_bytes(b"1 missing\n")
    (ws / "d").mkdir()
    (ws / "d/f").write_text("")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "one")
    git(ws, "tag", "v1")
    assert read().show("f", "v1").data == b"1 missing\n"
    assert read().show("d/f").data == b""
    assert read().show("none").data is None
    assert read().show("d").data is None
    for rev, code in (("none", ErrorCode.NOT_FOUND), ("", ErrorCode.INVALID_INPUT)):
        with pytest.raises(WorkroomError) as caught:
            read().show("f", rev)
        assert caught.value.code is code


@pytest.mark.parametrize("rev", ["--output=x", "-c", "HEAD:f", "a..b", "HEAD\n--x", "@\0", "x" * 1001])
def test_G04_a_revision_that_is_something_else(ws, read, rev):
    with pytest.raises(WorkroomError) as caught:
        read().show("f", rev)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert not (ws / "x").exists()


def test_only_the_workspaces_part_of_a_larger_repository(tmp_path, read):
    top = repository(tmp_path / "top", secret="1")
    (top / "ws").mkdir()
    (top / "ws/f").write_text("1\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "ws")
    (top / "secret").write_text("2")
    (top / "ws/f").write_text("2\n")
    (top / "new").write_text("")
    ours = read(top / "ws")
    assert ours.status().rows == (Row("f", "unchanged", "modified"),)
    assert (ours.show("f").data, ours.diff("f").added) == (b"1\n", 1)
    assert [commit.subject for commit in ours.log()] == ["ws"]


def test_a_repository_below_by_paths_of_the_workspace(ws, read):
    repository(ws / "lib", f="1\n")
    (ws / "lib/f").write_text("2\n")
    assert read(ws, "lib").status().rows == (Row("lib/f", "unchanged", "modified"),)
    assert read(ws, "lib").show("lib/f").data == b"1\n"
