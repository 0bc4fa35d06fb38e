"""The list of tools."""

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Mode
from workroom.tools.catalog import INSPECT, PROFILES, find_tool, tools_for

ALWAYS = ["workspace_inspect", "workspace_edit", "workspace_notes"]


def refused(code, *arguments):
    with pytest.raises(WorkroomError) as caught:
        find_tool(*arguments)
    assert caught.value.code is code
    return str(caught.value)


def test_each_mode_has_its_tools():
    assert [t.name for t in tools_for("workspace", Mode.PLAN)] == [*ALWAYS, "workspace_plan"]
    assert [t.name for t in tools_for("workspace", Mode.MANUAL)] == [*ALWAYS, "workspace_plan"]
    assert [t.name for t in tools_for("workspace", Mode.AUTO)] == ALWAYS


def test_each_action_has_one_way():
    for tool in PROFILES["workspace"]:
        for action in tool.actions:
            assert (action.answer is None) != (action.propose is None)
            assert action.help


def test_finding():
    assert find_tool("workspace_inspect", "workspace", Mode.AUTO) is INSPECT
    assert find_tool("workspace_plan", "workspace", None).name == "workspace_plan"
    said = refused(ErrorCode.NOT_FOUND, "workspace_inspec", "workspace", Mode.AUTO)
    assert said.startswith("There is no tool 'workspace_inspec'. Did you mean workspace_inspect? The tools: ")
    assert "workspace_plan" not in said
    assert "Did you mean" not in refused(ErrorCode.NOT_FOUND, "zzz", "workspace", None)


def test_a_tool_that_is_not_registered_in_this_mode():
    said = refused(ErrorCode.UNSUPPORTED, "workspace_plan", "workspace", Mode.AUTO)
    assert said.startswith("workspace_plan is not registered in permission mode auto; it is in manual or plan.")


@pytest.mark.parametrize("profile", ["files"])
def test_profiles_of_later_versions(profile):
    assert "not in this version" in refused(ErrorCode.UNSUPPORTED, "read_file", profile, Mode.PLAN)
    with pytest.raises(WorkroomError):
        tools_for(profile, Mode.PLAN)
