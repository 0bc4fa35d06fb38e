"""Where each client works: who may go where, two at once in two folders, and what is told when a folder is closed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.repositories import repository

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.clients import Client
from workroom.server.rooms import BoundDoors, Here, KnownDoors, OpenDoors, Rooms, store_named
from workroom.tools.dispatch import call
from workroom.tools.tool import Call


@pytest.fixture
def folders(tmp_path):
    made = [tmp_path / name for name in ("one", "two", "three")]
    for folder in made:
        folder.mkdir()
    return made


def opened(hub, *folders):
    return [hub.open(str(folder)) for folder in folders]


def client(*workspaces):
    return Client("client_1", "ci", tuple(one.store.folder.name for one in workspaces), "editor", 0.0, None, "wrt_1")


def refused(act, *arguments) -> WorkroomError:
    with pytest.raises(WorkroomError) as caught:
        act(*arguments)
    return caught.value


def asked(rooms, name, **arguments):
    """A flat tool's answer, for an agent of these rooms."""
    workspace, closed = rooms.where()
    caller = Call(workspace, Actor("agent", "tester", rooms.session), "editor", rooms=rooms, closed=closed)
    return call(caller, f"editor_{name}", arguments).shown()


def test_two_clients_work_in_two_folders_at_once(hub, folders):
    one, two = opened(hub, *folders[:2])
    for folder in folders[:2]:
        (folder / "a.txt").write_text(folder.name)
    first, second = (Rooms(hub, f"session_{number}", OpenDoors(hub), one) for number in (1, 2))
    view = asked(second, "workspace_open", root=str(folders[1]))
    assert view == {"root": str(folders[1]), "buffers": [], "expanded": []}
    assert (asked(first, "open", path="a.txt")["content"], asked(second, "open", path="a.txt")["content"]) == (
        "one",
        "two",
    )
    assert (first.active(), second.active()) == (one, two)
    assert (first.root, second.root) == ("", str(folders[1]))
    assert asked(second, "workspace_open", root=".")["root"] == str(folders[0])
    assert [row["mine"] for row in asked(second, "workspace_get")["buffers"]] == [False]


def test_what_is_open_and_unfolded_is_remembered_for_each_root(hub, folders):
    one, _two = opened(hub, *folders[:2])
    for folder in folders[:2]:
        (folder / "src").mkdir()
        (folder / "src" / f"{folder.name}.py").write_text("x\n")
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)

    def goes_to(folder):
        view = asked(rooms, "workspace_open", root=str(folder))
        return [row["path"] for row in view["buffers"]], view["expanded"]

    asked(rooms, "open", path="src/one.py")
    asked(rooms, "tree", expand=["src"])
    assert goes_to(folders[1]) == ([], [])
    asked(rooms, "open", path="src/two.py")
    assert goes_to(folders[0]) == (["src/one.py"], ["src"])
    for folder in folders[:2]:
        hub.close(str(folder))
    rooms = Rooms(hub, "session_2", OpenDoors(hub), opened(hub, *folders[:2])[0])
    assert goes_to(folders[1]) == (["src/two.py"], [])
    assert goes_to(folders[0]) == (["src/one.py"], ["src"])


def test_a_folder_of_git_is_of_the_root_where_the_client_works(hub, folders):
    one, _two = opened(hub, *folders[:2])
    for folder in folders[:2]:
        repository(folder, f="1\n")
        (folder / f"only-in-{folder.name}").write_text("")
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)

    def changed(**where):
        return [row["path"] for row in asked(rooms, "git_status", **where)["entries"]]

    assert changed() == ["only-in-one"]
    asked(rooms, "workspace_open", root=str(folders[1]))
    assert changed() == changed(cwd=".") == changed(cwd=str(folders[1])) == ["only-in-two"]
    refused = asked(rooms, "git_status", cwd=str(folders[0]))["error"]
    assert refused["code"] == "PATH_OUTSIDE_WORKSPACE"


def test_a_local_agent_enters_what_is_open_and_opens_nothing(hub, folders, tmp_path):
    one, two = opened(hub, *folders[:2])
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)
    (tmp_path / "link").symlink_to(folders[1])
    assert rooms.enter(str(tmp_path / "link")) is two
    assert rooms.enter(f"{folders[1]}/../two/") is two
    never = refused(rooms.enter, str(folders[2]))
    assert never.code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    assert never.message == f"{str(folders[2])!r} is no folder that the person has opened."
    assert never.next_step.startswith(f"Open now: {folders[0]}, {folders[1]}. The person opens another with")
    assert refused(rooms.enter, str(tmp_path / "missing")).code is never.code
    hub.close(str(folders[1]))
    assert refused(rooms.enter, str(folders[1])).next_step.startswith(f"Open now: {folders[0]}. ")
    assert len(hub.workspaces()) == 1


def test_a_folder_in_an_open_one_is_no_root(hub, folders):
    (one,) = opened(hub, folders[0])
    (folders[0] / "src").mkdir()
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)
    inside = refused(rooms.enter, str(folders[0] / "src"))
    assert (inside.code, inside.next_step) == (
        ErrorCode.PATH_OUTSIDE_WORKSPACE,
        f"Work in {folders[0]}, and write paths from there.",
    )
    for root in ("src", "", "..", "\0", f"{folders[0]}\0"):
        assert refused(rooms.enter, root).code is ErrorCode.PATH_OUTSIDE_WORKSPACE


def test_a_refusal_names_ten_folders_and_how_many_more(hub, tmp_path):
    made = [tmp_path / f"f{number:02}" for number in range(12)]
    for folder in made:
        folder.mkdir()
    opened(hub, *made)
    assert "f09 and 2 more." in refused(OpenDoors(hub).find, "/nowhere").next_step
    hub.stop(10)
    assert "Open now: none." in refused(OpenDoors(hub).find, "/nowhere").next_step


def test_a_token_goes_only_where_it_is_bound_to_and_learns_no_path(hub, folders):
    one, two, three = opened(hub, *folders)
    rooms = Rooms(hub, "client_1", BoundDoors(hub, client(one, two)), one)
    assert rooms.enter(two.store.folder.name) is two
    assert rooms.root == two.store.folder.name
    assert rooms.enter("one") is one
    for root in (three.store.folder.name, str(folders[1]), str(folders[2]), "three", "/etc"):
        error = refused(rooms.enter, root)
        assert error.code is ErrorCode.PATH_OUTSIDE_WORKSPACE
        assert str(Path(folders[0]).parent) not in error.next_step
        assert f"{one.store.folder.name}, {two.store.folder.name}" in error.next_step
    assert rooms.active() is one


def test_a_token_opens_its_folder_again_and_no_other_in_its_place(hub, folders):
    one, two = opened(hub, *folders[:2])
    doors, store = BoundDoors(hub, client(one, two)), two.store.folder.name
    hub.close(str(folders[1]))
    assert doors.find(store).store.folder.name == store
    hub.close(str(folders[1]))
    folders[1].rename(folders[1].with_name("elsewhere"))
    folders[1].mkdir()
    assert refused(doors.find, store).code is ErrorCode.NOT_FOUND


def test_a_name_that_two_folders_have_is_none(hub, tmp_path):
    made = [tmp_path / parent / "same" for parent in ("a", "b")]
    for folder in made:
        folder.mkdir(parents=True)
    one, two = opened(hub, *made)
    assert store_named(hub, client(one), "same") == one.store.folder.name
    assert store_named(hub, client(one, two), "same") == "same"


def test_the_person_goes_wherever_they_have_been(hub, folders):
    one, _ = opened(hub, *folders[:2])
    hub.close(str(folders[1]))
    rooms = Rooms(hub, "session_1", KnownDoors(hub), one)
    assert rooms.enter(str(folders[1])).root.path == str(folders[1])
    assert refused(rooms.enter, str(folders[2])).code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    assert refused(rooms.enter, "relative").code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    assert len(hub.workspaces()) == 2


def test_whose_folder_is_closed_is_nowhere_until_it_enters_another(hub, folders):
    one, _ = opened(hub, *folders[:2])
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)
    rooms.enter(str(folders[1]))
    moves: list[str] = []
    leave = rooms.follow(lambda: moves.append(rooms.where()[1]))
    hub.close(str(folders[1]))
    assert moves == [str(folders[1])]
    assert refused(rooms.active).code is ErrorCode.TRANSACTION_STATE
    failed = asked(rooms, "create", path="lost.txt")["error"]
    assert (failed["code"], failed["message"]) == (
        "TRANSACTION_STATE",
        f"{folders[1]}, where you worked, was closed; nothing was done.",
    )
    assert not list(folders[0].glob("*.txt"))
    assert rooms.root == str(folders[1])
    assert asked(rooms, "workspace_open", root=".")["root"] == str(folders[0])
    assert "error" not in asked(rooms, "tree")
    leave()
    hub.close(str(folders[0]))
    assert moves == [str(folders[1])]


def test_who_came_for_a_folder_that_is_closed_comes_again(hub, folders):
    one, two = opened(hub, *folders[:2])
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)
    hub.close(str(folders[0]))
    assert rooms.where() == (None, "")
    (again,) = opened(hub, folders[0])
    rooms.come(again)
    assert rooms.active() is again
    assert rooms.enter(str(folders[1])) is two
    hub.close(str(folders[0]))
    assert rooms.active() is two
    rooms.come(hub.open(str(folders[0])))
    assert rooms.active() is two
    assert rooms.enter(".").root.path == str(folders[0])


def test_who_has_entered_no_folder_is_told_so(hub, folders):
    rooms = Rooms(hub, "session_1", KnownDoors(hub))
    opened(hub, folders[0])
    assert refused(rooms.active).code is ErrorCode.INVALID_INPUT
    assert refused(rooms.enter, ".").code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    assert rooms.root == ""
    assert rooms.enter(str(folders[0])) is rooms.active()


def test_another_server_goes_on_where_the_client_was(hub, folders):
    one, two = opened(hub, *folders[:2])
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)
    rooms.return_to(str(folders[1]))
    assert rooms.active() is two
    rooms.return_to(str(folders[2]))
    assert rooms.where() == (two, str(folders[2]))
    assert refused(rooms.active).code is ErrorCode.TRANSACTION_STATE
    rooms.return_to(str(folders[2]), hub.open)
    assert rooms.active().root.path == str(folders[2])


def test_a_session_is_there_in_each_folder_until_it_leaves(hub, folders):
    one, two = opened(hub, *folders[:2])
    for folder in folders[:2]:
        (folder / "a.txt").write_text("a")
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one, alone=True)
    asked(rooms, "open", path="a.txt")
    rooms.enter(str(folders[1]))
    asked(rooms, "open", path="a.txt")
    later = Actor("agent", "tester", "session_2")
    assert [buffer.owner.session for each in (one, two) for buffer in each.buffers.list(later)] == ["session_1"] * 2
    rooms.leave()
    rooms.leave()
    rooms.visit(one)
    assert [buffer.owner.session for each in (one, two) for buffer in each.buffers.list(later)] == ["session_2"] * 2
    assert hub.closing == []


def test_a_call_that_names_its_folder_is_made_there(hub, folders):
    one, two = opened(hub, *folders[:2])
    rooms = Rooms(hub, "session_1", OpenDoors(hub), one)
    here = Here(rooms, two)
    assert (here.active(), here.where(), here.name_of(two)) == (two, (two, ""), str(folders[1]))
    assert here.enter(str(folders[0])) is one
    assert here.enter(".") is two
    assert rooms.active() is two
