"""What git has of files that it finds unchanged, and what its own log says that it did."""

from __future__ import annotations

import pytest
from tests.repositories import git, planted, repository

from workroom.core.git.objects import find_objects
from workroom.system.root import Root


@pytest.fixture
def ws(tmp_path):
    return repository(tmp_path / "ws", a="a\n", b="b\n")


@pytest.fixture
def find():
    roots = []

    def objects(folder):
        roots.append(Root.open(folder))
        return find_objects(roots[-1])

    yield objects
    for root in roots:
        root.close()


def test_there_is_none_without_a_repository(tmp_path, find):
    assert find(tmp_path) is None


def test_it_has_what_stands_there_as_in_the_index(ws, find):
    (ws / "dirty").write_text("1\n")
    (ws / "odd \udcff\n").write_text("odd\n")
    (ws / "hidden").write_text("1\n")
    (ws / "sub").mkdir()
    (ws / "sub/c").write_text("c\n")
    (ws / "link").symlink_to("a")
    git(ws, "add", ".")
    git(ws, "update-index", "--assume-unchanged", "hidden")
    (ws / "dirty").write_text("22\n")
    (ws / "untracked").write_text("x\n")
    objects = find(ws)
    clean = objects.clean()
    assert sorted(clean) == ["a", "b", "odd \udcff\n", "sub/c"]
    assert dict(objects.contents([(clean["a"], 2), (clean["odd \udcff\n"], 4)])) == {
        clean["a"]: b"a\n", clean["odd \udcff\n"]: b"odd\n",
    }  # fmt: skip
    assert find(ws / "sub").clean() == {"c": clean["sub/c"]}


def test_what_is_gone_or_of_another_size_is_not_it(ws, find):
    objects = find(ws)
    clean = objects.clean()
    tree = git(ws, "rev-parse", "HEAD^{tree}")
    asked = [(clean["a"], 3), ("0" * 40, 2), (tree, 58), (clean["b"], 2)]
    assert list(objects.contents(asked)) == [(clean["b"], b"b\n")]
    assert list(objects.contents([])) == []


def test_large_ones_are_asked_for_a_few_at_a_time(ws, find):
    large = b"x" * (20 << 20)
    for name in "cd":
        (ws / name).write_bytes(large + name.encode())
    git(ws, "add", ".")
    objects = find(ws)
    clean = objects.clean()
    found = {name: len(data) for name, data in objects.contents([(clean[name], len(large) + 1) for name in "cd"])}
    assert found == {clean["c"]: len(large) + 1, clean["d"]: len(large) + 1}


def test_a_filter_could_have_made_something_else_of_it_and_is_not_run(ws, find, tmp_path):
    program, mark = planted(tmp_path, "filter")
    git(ws, "config", "filter.x.smudge", program)
    assert find(ws).clean() == {}
    assert not mark.exists()


def test_it_is_busy_while_its_index_is_held(ws, find):
    objects = find(ws)
    assert not objects.busy()
    (ws / ".git/index.lock").write_text("")
    assert objects.busy()
    assert objects.folder == str(ws / ".git")


def test_its_log_says_what_it_did_and_where(ws, find):
    objects = find(ws)
    start = objects.position()
    (ws / "a").write_text("2\n")
    git(ws, "rm", "-q", "b")
    git(ws, "commit", "-qam", "two")
    moves = objects.moves(start)
    assert (moves.said, moves.paths) == ((), frozenset())
    git(ws, "checkout", "-q", "HEAD~1")
    git(ws, "checkout", "-q", "main")
    again = objects.moves(moves.position)
    assert [said.split(" ")[0] for said in again.said] == ["checkout:", "checkout:"]
    assert again.paths == {"a", "b"}
    assert again.clean == {"a"}
    assert objects.moves(again.position).said == ()


def test_there_may_be_no_log(ws, find):
    (ws / ".git/logs/HEAD").unlink()
    objects = find(ws)
    assert objects.position() == 0
    assert objects.moves(0).said == ()
