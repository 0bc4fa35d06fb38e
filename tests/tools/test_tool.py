"""The contract between tools, the gate and the one road."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from workroom.base.settings import Mode
from workroom.core.permissions import GATED
from workroom.tools.catalog import tools_for
from workroom.tools.tool import Action, Arguments, Tool


def test_the_gate_table_and_the_tools_agree():
    """Every action that proposes is in the table of gated actions, and none that answers."""
    for tool in (*tools_for("workspace", Mode.MANUAL), *tools_for("editor", Mode.MANUAL)):
        for action in tool.actions:
            assert (action.propose is None) != (action.answer is None), (tool.name, action.name)
            assert ((tool.name, action.name) in GATED) == (action.propose is not None), (tool.name, action.name)


def test_a_tool_names_its_operations():
    tool = Tool("workspace_edit", "t", "h", (Action("apply", Arguments, "h"),))
    assert tool.operation("apply") == "edit.apply"


def test_a_flat_tool_has_one_action_of_its_own_name():
    for tool in tools_for("editor", Mode.AUTO):
        assert tool.flat
        assert [action.name for action in tool.actions] == [tool.name]
        assert tool.operation(tool.name) == tool.name
        assert tool.actions[0].propose is None or not tool.annotations.get("readOnlyHint")


def test_arguments_are_strict_and_do_not_change():
    with pytest.raises(ValidationError):
        Arguments(unknown=1)
    assert Arguments.unrepeated == {"title", "idempotency_key"}
