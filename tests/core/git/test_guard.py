"""What has to be true before a repository is written. Most of it is shown where it is asked, in the other files."""

from __future__ import annotations

import pytest
from tests.repositories import git

from workroom.base.errors import WorkroomError
from workroom.core.git.guard import check_filters, check_inside, hooks_there, names
from workroom.core.git.index import copied_index


def test_names():
    assert names(b"a\0b\nc\0") == ("a", "b\nc")
    assert names(b"") == ()


def test_filters_that_nobody_has_set_up_count_for_nothing(ws, at):
    (ws / ".gitattributes").write_text("* filter=lfs\n")
    check_filters(at(ws).runner, ["f"], "clean")
    git(ws, "config", "filter.lfs.clean", "true")
    check_filters(at(ws).runner, [], "clean")
    check_filters(at(ws).runner, ["f"], "smudge")
    with pytest.raises(WorkroomError, match=r"filter lfs .* for f;"):
        check_filters(at(ws).runner, ["f"], "clean")


def test_attributes_of_an_index(ws, at):
    git(ws, "config", "filter.x.smudge", "true")
    (ws / ".gitattributes").write_text("* filter=x\n")
    with copied_index(at(ws).runner, keeps=False) as index:
        check_filters(at(ws).runner, ["f"], "smudge", index=index)
        index.run("add", ".gitattributes")
        with pytest.raises(WorkroomError) as caught:
            check_filters(at(ws).runner, [f"f{n}" for n in range(12)], "smudge", index=index)
    assert "f9 and 2 more" in caught.value.message


def test_paths_of_the_workspace(ws, at):
    (ws / "part").mkdir()
    place = at(ws / "part").place
    assert check_inside(place, ["part/a", "part/b"], "It has") == ("a", "b")
    with pytest.raises(WorkroomError) as caught:
        check_inside(place, ["part/a", "b"], "It has")
    assert caught.value.message.startswith("It has 1 paths outside")


def test_hooks(ws, at):
    assert hooks_there(at(ws).runner, "pre-commit") == ()
    (ws / ".git/hooks/pre-commit").write_text("")
    assert hooks_there(at(ws).runner, "pre-commit") == ()
    (ws / ".git/hooks/pre-commit").chmod(0o755)
    assert hooks_there(at(ws).runner, "pre-commit", "pre-push") == ("pre-commit",)
