"""Who has what open, at which version, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conftest import AGENT

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, Change, Kind, State
from workroom.base.events import BuffersChanged
from workroom.core.transactions import Entry

OTHER = Actor("agent", "other", "session_2")
ANN = Actor("person", "ann", "session_ann")


@pytest.fixture
def buffers(house):
    return house.workspace.buffers


def paths(buffers, who=AGENT):
    return [each.path for each in buffers.list(who) if each.owner == who]


def told(house):
    found = []
    house.workspace.store.subscribe(lambda _number, event: found.append(event))
    return found


def create(path):
    return {"type": "create", "path": path, "content": f"{path}\n"}


def move(source, target):
    return {"type": "move", "from": source, "to": target}


def test_a_buffer_is_its_clients_own(house, buffers):
    heard = told(house)
    buffers.put(AGENT, "src/a.rs", "v1", 12)
    buffers.put(OTHER, "src/a.rs", "v2", 13, truncated=True)
    mine, theirs = buffers.list(AGENT)
    assert (mine.owner, mine.path, mine.version, mine.mtime) == (AGENT, "src/a.rs", "v1", 12)
    assert (mine.language, mine.truncated, mine.opened_at > 0) == ("rust", False, True)
    assert (theirs.owner, theirs.version, theirs.truncated) == (OTHER, "v2", True)
    assert buffers.own(AGENT, "src/a.rs") == mine
    assert buffers.own(ANN, "src/a.rs") is None
    assert [each.owner for each in buffers.list(OTHER)] == [OTHER, AGENT]
    assert heard[0] == BuffersChanged("opened", ("src/a.rs",), "agent", "tester", "session_1")


def test_a_base_version_moves_with_its_own_client_only(house, buffers):
    for who in (AGENT, OTHER):
        buffers.put(who, "a", "v1", 1)
    heard = told(house)
    buffers.put(AGENT, "a", "v2", 2, saved=True)
    assert (buffers.own(AGENT, "a").version, buffers.own(OTHER, "a").version) == ("v2", "v1")
    assert [event.action for event in heard] == ["saved"]


def test_closing(buffers):
    buffers.put(AGENT, "a", "v1", 1)
    buffers.put(OTHER, "a", "v1", 1)
    assert buffers.close(ANN, "a") is False
    assert buffers.close(AGENT, "a") is True
    assert buffers.close(AGENT, "a") is False
    assert paths(buffers, OTHER) == ["a"]
    assert buffers.close(ANN, "a", everybodys=True) is True
    assert buffers.list(AGENT) == ()


def test_two_sessions_of_one_name_each_have_their_own(buffers):
    one, two = Actor("agent", "tester", "session_a"), Actor("agent", "tester", "session_b")
    buffers.arrive(one.session)
    buffers.arrive(two.session)
    buffers.put(one, "a", "v1", 1)
    buffers.put(two, "a", "v2", 2)
    buffers.put(one, "b", "v3", 3)
    assert buffers.own(one, "a").version == "v1"
    assert paths(buffers, two) == ["a"]
    buffers.leave(one.session)
    assert sorted(paths(buffers, two)) == ["a", "b"]
    assert buffers.own(two, "a").version == "v2"  # what it has itself stands
    assert [each.path for each in buffers.list(Actor("person", "tester", "x"))] == ["a", "b"]


def test_who_comes_again_finds_what_it_had(house, buffers):
    buffers.put(AGENT, "a", "v1", 1)
    buffers.unfold(AGENT, ["src"], [])
    house.reopen()
    back = Actor("agent", "tester", "session_9")
    assert paths(house.workspace.buffers, back) == ["a"]
    assert house.workspace.buffers.unfolded() == ("src",)


def test_folders_are_unfolded_for_all(house, buffers):
    assert buffers.unfold(AGENT, ["src", "src/deep", "docs", "src2"], []) == ("docs", "src", "src/deep", "src2")
    heard = told(house)
    assert buffers.unfold(ANN, ["docs"], []) == ("docs", "src", "src/deep", "src2")
    assert heard == []
    assert buffers.unfold(ANN, ["new"], ["src"]) == ("docs", "new", "src2")
    assert heard == [BuffersChanged("folders", ("new", "src", "src/deep"), "person", "ann", "session_ann")]
    assert buffers.count_at("docs") == 1


def test_a_moved_file_is_renamed_in_every_view(house, buffers):
    house.edit(create("a.py"))
    for who in (AGENT, ANN):
        buffers.put(who, "a.py", "v1", 1)
    heard = told(house)
    house.edit(move("a.py", "lib/b.ts"))
    assert (paths(buffers), paths(buffers, ANN)) == (["lib/b.ts"], ["lib/b.ts"])
    assert buffers.own(ANN, "lib/b.ts").language == "typescript"
    assert heard[-1] == BuffersChanged("followed", ("a.py",), "agent", "tester", "session_1")


def test_a_moved_folder_takes_all_below_with_it(house, buffers):
    house.edit(create("src/a"), create("src/deep/b"), create("srcs"))
    for path in ("src/a", "src/deep/b", "srcs"):
        buffers.put(AGENT, path, "v1", 1)
    buffers.unfold(AGENT, ["src", "src/deep"], [])
    assert buffers.count_at("src") == 4
    house.edit(move("src", "lib/new"))
    assert sorted(paths(buffers)) == ["lib/new/a", "lib/new/deep/b", "srcs"]
    assert buffers.unfolded() == ("lib/new", "lib/new/deep")


def test_what_is_moved_over_another_is_as_if_both_were_written_anew(house, buffers):
    """Then the content of a path is another, and a save that was begun before must not pass."""
    house.edit(create("a"), create("b"), create("d"))
    for path in "abd":
        buffers.put(AGENT, path, f"version of {path}", 1)
    house.edit(move("a", "c"), move("b", "a"), move("c", "b"))
    assert [(each.path, each.version) for each in buffers.list(AGENT)][:2] == [
        ("a", "version of a"),
        ("b", "version of b"),
    ]
    house.edit({**move("d", "b"), "overwrite": True})
    assert paths(buffers) == ["a", "b"]


def test_what_comes_to_a_path_that_was_in_view_takes_its_place(house, buffers):
    house.edit(create("a"))
    buffers.put(AGENT, "a", "version of a", 1)
    buffers.put(AGENT, "b", "of what another program has removed", 1)
    house.edit(move("a", "b"))
    assert [(each.path, each.version) for each in buffers.list(AGENT)] == [("b", "version of a")]


def test_what_is_deleted_is_closed_and_an_undo_opens_nothing(house, buffers):
    house.edit(create("src/a"), create("b"))
    buffers.put(AGENT, "src/a", "v1", 1)
    buffers.put(AGENT, "b", "v1", 1)
    buffers.unfold(AGENT, ["src"], [])
    entry = house.edit({"type": "delete", "path": "src", "recursive": True})
    assert (paths(buffers), buffers.unfolded()) == (["b"], ())
    house.undo(entry.transaction_id)
    assert paths(buffers) == ["b"]
    moved = house.edit(move("b", "c"))
    house.undo(moved.transaction_id)
    assert paths(buffers) == ["b"]


def test_a_folder_whose_files_went_apart_is_folded(house, buffers):
    house.edit(create("src/a"), create("src/b"))
    buffers.unfold(AGENT, ["src"], [])
    house.edit(move("src/a", "one/a"), move("src/b", "two/b"), {"type": "delete", "path": "src"})
    assert buffers.unfolded() == ()


def test_an_opening_follows_what_nobody_followed(house, buffers):
    house.edit(create("a"), create("b"))
    buffers.put(AGENT, "a", "v1", 1)
    house.workspace.store._listeners.clear()  # as by a crash between the commit and what follows it
    house.edit(move("a", "c"))
    house.edit(move("c", "d"))
    assert paths(buffers) == ["a"]
    house.reopen()
    assert paths(house.workspace.buffers) == ["d"]


def test_what_came_into_view_later_is_not_moved_by_what_was_before(house, buffers):
    """Which entries were followed is written down with what comes into view, and not with every entry."""
    house.edit(create("a"))
    house.edit(move("a", "c"))
    house.edit(create("a"))
    buffers.put(AGENT, "a", "v1", 1)
    house.edit(create("src/b"))
    house.edit(move("src", "other"))
    house.edit(create("src/b"))
    buffers.unfold(AGENT, ["src"], [])
    house.reopen()
    assert (paths(house.workspace.buffers), house.workspace.buffers.unfolded()) == (["a"], ("src",))


def test_an_entry_that_touches_nothing_in_view_costs_no_sync(house, buffers):
    """A unit of work that writes nothing isn't synced: none of its pages is in the write-ahead log."""
    buffers.put(AGENT, "a", "v1", 1)
    entry = house.edit(create("b"))
    log = house.workspace.store.folder / "workspace.db-wal"
    size = log.stat().st_size
    buffers.follow(entry)
    assert log.stat().st_size == size
    house.edit(create("a"))
    assert log.stat().st_size > size


def test_a_name_that_is_no_text_is_in_nobodys_view(house, buffers):
    buffers.put(AGENT, "a", "v1", 1)
    file = State(Kind.FILE, "0" * 64, 1)
    changes = (Change("a", file, ABSENT), Change("\udcff", ABSENT, file, origin="a"))
    number = house.edit(create("other")).number
    buffers.follow(Entry(number, "tx_1", 0.0, AGENT, "edit", "", changes))
    assert paths(buffers) == []


def test_what_others_have_in_view_is_behind_once_somebody_changes_it(house, buffers):
    """It keeps its base version: a client with edits of its own is to merge, one without reads it anew."""
    entry = house.edit(create("a"), create("b"))
    version = next(c.after.sha256 for c in entry.changes if c.path == "a")
    for who in (AGENT, OTHER, ANN):
        buffers.put(who, "a", version, 1)
    buffers.put(AGENT, "b", "of b", 1)
    heard = told(house)
    house.edit({"type": "rewrite", "path": "a", "content": "2\n"}, {"type": "rewrite", "path": "b", "content": "2\n"})
    behind = [event for event in heard if isinstance(event, BuffersChanged)]
    assert behind == [BuffersChanged("behind", ("a",), "agent", "tester", "session_1")]
    assert {each.version for each in buffers.list(ANN) if each.path == "a"} == {version}


def test_which_open_files_an_entry_took_away_is_remembered(house):
    buffers = house.workspace.buffers
    for path in ("a", "b", "d/c"):
        house.write(path, "x\n")
    for who in (AGENT, ANN):
        buffers.put(who, "a", "v", 1)
    buffers.put(ANN, "d/c", "v", 1)
    gone = house.edit({"type": "delete", "path": "a"}, {"type": "delete", "path": "b"})
    assert buffers.closed_by(gone.number) == ("a",)
    moved = house.edit({"type": "move", "from": "d", "to": "e"})
    assert buffers.closed_by(moved.number) == ()
    again = house.edit({"type": "delete", "path": "e", "recursive": True})
    assert house.reopen().buffers.closed_by(again.number) == ("e/c",)
    assert house.workspace.buffers.closed_by(gone.number) == ("a",)
    house.workspace.buffers.put(ANN, "a", "v", 1)
    later = replace(gone, number=gone.number + 10_001)
    house.workspace.buffers.follow(later)
    assert house.workspace.buffers.closed_by(later.number) == ("a",)
    assert house.workspace.buffers.closed_by(gone.number) == (), "long past"


def test_what_was_worked_at_lately(house):
    house.write("old", "1\n")
    house.edit(create("a"), create("b"))
    house.edit({"type": "move", "from": "b", "to": "c"})
    house.edit({"type": "delete", "path": "a"})
    buffers = house.reopen().buffers
    assert buffers.lately(AGENT) == ("c",), "what the history has"
    house.edit({"type": "rewrite", "path": "old", "content": "2\n"})
    assert buffers.lately(AGENT) == ("old", "c")
    buffers.put(AGENT, "x", "v", 1)
    buffers.put(AGENT, "c", "v", 1)
    buffers.put(OTHER, "theirs", "v", 1)
    assert buffers.lately(AGENT) == ("c", "x", "old"), "its own first, the last at the beginning"
    assert buffers.lately(AGENT, 2) == ("c", "x")
    house.edit(*(create(f"many/{number}") for number in range(21)))
    assert buffers.lately(ANN) == ("old", "c"), "so many at once are no editing"
    for number in range(101):
        house.edit(create(f"n{number:03}"))
    assert buffers.lately(ANN, 1_000)[::99] == ("n100", "n001")
