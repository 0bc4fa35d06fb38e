"""The API's description is complete, sound, and true."""

from __future__ import annotations

import json

import pytest
from jsonschema_rs import validator_for
from tests.interfaces.http.fuzz import fuzz

from workroom.base.errors import ErrorCode
from workroom.interfaces.http.answers import STATUSES
from workroom.interfaces.http.openapi import document
from workroom.tools.catalog import PROFILES

ACTIONS = [
    (tool.name, action)
    for tool in {tool.name: tool for tools in PROFILES.values() for tool in tools}.values()
    for action in tool.actions
]


def operation(tool, action):
    below = tool if action.name == tool else f"{tool}/{action.name}"  # a flat tool's path names it once
    return document()["paths"][f"/api/v1/workspaces/{{workspace}}/tools/{below}"]["post"]


@pytest.mark.parametrize(("tool", "action"), ACTIONS, ids=lambda one: getattr(one, "name", one))
def test_every_action_is_described_with_every_status(tool, action):
    described = operation(tool, action)
    assert described["summary"] == action.help
    assert ("202" in described["responses"]) == (action.propose is not None)
    statuses = {str(STATUSES[code]) for code in ErrorCode} | {"200", "401", "413", "415"}
    assert statuses <= described["responses"].keys()


def test_every_reference_leads_somewhere_and_no_schema_is_unused():
    text = json.dumps(document())
    for name in document()["components"]["schemas"]:
        if name != "Event":  # the stream's events are text to OpenAPI
            assert f'"#/components/schemas/{name}"' in text, name
    validator_for({"$ref": "#/components/schemas/Refusal", "components": document()["components"]})


def test_only_the_description_itself_needs_no_token():
    free = [
        path
        for path, methods in document()["paths"].items()
        for one in methods.values()
        if isinstance(one, dict) and one.get("security") == []
    ]
    assert free == ["/api/v1/openapi.json"]
    assert document()["security"] == [{"token": []}]


def test_the_description_is_served_as_it_is(visitor):
    assert visitor.get("/openapi.json", authorization=None).json == document()


def test_the_examples_of_events_are_of_their_schema(visitor):
    schema = {"$ref": "#/components/schemas/Event", "components": document()["components"]}
    assert validator_for(schema).is_valid({"number": 3, "at": 1.5, "type": "committed", "paths": []})
    assert not validator_for(schema).is_valid({"number": 3, "at": 1.5, "type": "settings_changed"})


def test_what_is_sent_by_the_description_is_answered_by_it(web, tmp_path):
    (web.room.folder / "a.txt").write_text("hello\nworld\n")
    web.room.person(web.room.folder).get("mode", mode="auto")
    assert fuzz(web, tmp_path, 2, "fuzzing") == ""
