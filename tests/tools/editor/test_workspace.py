"""editor_workspace_open and editor_workspace_get."""

from __future__ import annotations

from tests.conftest import AGENT

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.tools.dispatch import call
from workroom.tools.tool import Call


def test_what_is_open_and_unfolded(house, ask):
    house.write("a.py", "x\n")
    ask("open", path="a.py")
    house.workspace.buffers.unfold(AGENT, ["src"], [])
    view = ask("workspace_get")
    assert (view["root"], [row["path"] for row in view["buffers"]], view["expanded"]) == (
        str(house.folder), ["a.py"], ["src"],
    )  # fmt: skip
    assert ask("workspace_open", root=".") == view
    assert ask("workspace_open", root=str(house.folder)) == view


def test_a_client_of_one_folder_goes_to_no_other(house, ask):
    (house.folder / "sub").mkdir()
    assert ask("workspace_open", root="sub")["error"]["code"] == "INVALID_INPUT"
    assert ask("workspace_open", root="/etc")["error"]["code"] == "PATH_OUTSIDE_WORKSPACE"


def test_what_the_client_calls_the_folder_is_the_servers_word(house):
    class Rooms:
        def active(self):
            return house.workspace

        def enter(self, root):
            if root != "other":
                raise WorkroomError(ErrorCode.PATH_OUTSIDE_WORKSPACE, "no")
            return house.workspace

        def name_of(self, workspace):
            return "0123456789abcdef"

    caller = Call(house.workspace, AGENT, "editor", rooms=Rooms())
    assert call(caller, "editor_workspace_get", {}).data["root"] == "0123456789abcdef"
    assert call(caller, "editor_workspace_open", {"root": "other"}).ok
    assert call(caller, "editor_workspace_open", {"root": "x"}).error["code"] == "PATH_OUTSIDE_WORKSPACE"
