"""editor_workspace_open and editor_workspace_get."""

from __future__ import annotations

from tests.conftest import AGENT


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
