"""Profile `editor` over MCP: flat tools, their schemas and answers, as a client has them."""

from __future__ import annotations

import json

import pytest
from jsonschema_rs import validator_for


@pytest.fixture
def editor(guest):
    return guest.agent("--profile", "editor", str(guest.folder))


def test_the_tools_have_no_action_and_schemas_of_their_own(editor):
    tools = {tool["name"]: tool for tool in editor.request("tools/list")["result"]["tools"]}
    diff = tools["editor_diff"]
    assert sorted(diff["inputSchema"]["properties"]) == ["after", "before", "context_lines", "path"]
    assert diff["inputSchema"]["required"] == ["before", "after"]
    assert diff["annotations"]["readOnlyHint"] is True
    assert "workspace_plan" in tools
    assert "workspace_inspect" not in tools


def test_an_answer_has_its_fields_at_the_top_and_the_same_as_text(editor):
    (schema,) = (
        tool["outputSchema"]
        for tool in editor.request("tools/list")["result"]["tools"]
        if tool["name"] == "editor_diff"
    )
    answer = editor.call("editor_diff", before="a\n", after="b\n")
    assert answer["isError"] is False
    assert answer["structuredContent"]["added"] == 1
    assert answer["structuredContent"]["patch"] in answer["content"][0]["text"]
    assert validator_for(schema).is_valid(answer["structuredContent"])


def test_a_failure_is_an_error_alone_which_the_schema_allows(editor):
    answer = editor.call("editor_diff", before="a\n", action="x")
    assert answer["isError"] is True
    error = answer["structuredContent"].pop("error")
    assert answer["structuredContent"] == {}
    assert error["code"] == "INVALID_INPUT"
    assert error["next_step"].startswith("Fields of editor_diff: before, after")
    assert editor.call("no_such_tool")["structuredContent"]["error"]["code"] == "NOT_FOUND"


def test_what_reads_along_is_there_for_every_profile(editor):
    answer = editor.request("resources/read", uri="workroom://changes")
    assert "0 entries" in json.dumps(answer["result"])
    told = editor.request("prompts/get", name="review")
    assert "entries" in json.dumps(told["result"])
    assert "editor_open" in editor.initialize()["instructions"]
