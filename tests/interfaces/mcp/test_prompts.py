"""Prompts and completion."""

from __future__ import annotations

import pytest

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.interfaces.mcp.jsonrpc import RpcError
from workroom.interfaces.mcp.prompts import PROMPTS, completed, got, listing
from workroom.tools.dispatch import call
from workroom.tools.tool import Call


@pytest.fixture
def caller(house):
    return Call(house.workspace, Actor("agent", "tester", "session_1"))


def said(caller, name, **arguments):
    result = got(caller, {"name": name, "arguments": arguments})
    (message,) = result["messages"]
    assert message["role"] == "user"
    return message["content"]["text"]


def wrong(act, *arguments):
    with pytest.raises(RpcError) as error:
        act(*arguments)
    assert error.value.code == -32602
    return str(error.value)


def test_each_prompt_is_listed_and_can_be_got(caller, house):
    house.edit({"type": "create", "path": "a.txt", "content": "hello\n"})
    given = {"goal": "fewer files", "entry": "1"}
    for row in listing()["prompts"]:
        arguments = {a["name"]: given[a["name"]] for a in row.get("arguments", ()) if a["required"]}
        assert said(caller, row["name"], **arguments)
    assert {prompt.name for prompt in PROMPTS} == {"start", "review", "plan", "explain"}


def test_the_start_tells_what_may_be_done_and_what_is_to_be(caller, house):
    house.settings = Settings(mode="plan")
    text = said(caller, "start", task="Tidy up.")
    assert "Tidy up." in text
    assert "Permission mode plan" in text


def test_the_review_names_what_waits(caller, house):
    house.settings = Settings(mode="manual")
    edit = {"action": "apply", "operations": [{"type": "create", "path": "a.txt", "content": "x\n"}], "title": "Begin"}
    call(caller, "workspace_edit", edit)
    assert "1 waiting for the person" in said(caller, "review")


def test_a_change_is_explained_from_its_diff(caller, house):
    house.edit({"type": "create", "path": "a.txt", "content": "hello\n"})
    assert "+hello" in said(caller, "explain", entry="1")
    assert "no entry 9" in wrong(got, caller, {"name": "explain", "arguments": {"entry": "9"}})


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"name": "nothing"}, "start, review, plan, explain"),
        ({}, "no such prompt"),
        ({"name": "plan"}, "needs goal"),
        ({"name": "plan", "arguments": {"goal": ""}}, "needs goal"),
        ({"name": "plan", "arguments": {"goal": 7}}, "strings"),
        ({"name": "plan", "arguments": ["goal"]}, "strings"),
        ({"name": "plan", "arguments": {"goal": "g", "other": "x"}}, "'other'"),
        ({"name": "explain", "arguments": {"entry": "one"}}, "entry"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_named(caller, params, told):
    assert told in wrong(got, caller, params)


def complete(caller, ref, name, value):
    return completed(caller, {"ref": ref, "argument": {"name": name, "value": value}})["completion"]


def test_arguments_are_completed(caller, house):
    for number in range(12):
        house.edit({"type": "create", "path": f"{number}.txt", "content": "x\n"})
    house.write(".agentic/artifacts/edit.json", "{}")
    history, artifacts = ({"type": "ref/resource", "uri": uri} for uri in
                          ("workroom://history/{number}", "workroom://artifacts/{+path}"))  # fmt: skip
    prompt = {"type": "ref/prompt", "name": "explain"}
    assert complete(caller, prompt, "entry", "1") == {"values": ["12", "11", "10", "1"], "total": 4, "hasMore": False}
    assert complete(caller, history, "number", "12")["values"] == ["12"]
    assert complete(caller, artifacts, "path", "e")["values"] == ["edit.json"]
    assert complete(caller, {"type": "ref/prompt", "name": "plan"}, "goal", "x")["values"] == []
    assert complete(caller, history, "other", "x")["values"] == []


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"argument": {"name": "entry"}, "ref": {"type": "ref/prompt", "name": "explain"}},
        {"argument": {"name": "x", "value": "y"}},
        {"argument": {"name": "x", "value": "y"}, "ref": {"type": "ref/prompt", "name": "nothing"}},
        {"argument": {"name": "x", "value": "y"}, "ref": {"type": "ref/resource", "uri": "file:///x"}},
        {"argument": {"name": "x", "value": "y"}, "ref": {"type": "ref/other"}},
    ],
)
def test_what_is_wrong_with_a_completion_is_refused(caller, params):
    assert wrong(completed, caller, params)
