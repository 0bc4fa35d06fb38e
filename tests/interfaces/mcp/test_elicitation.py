"""What a dialog is asked, and what its answer amounts to."""

from __future__ import annotations

import base64
import json

import pytest

from workroom.interfaces.mcp.elicitation import can_show, form, required, unsealed, verdict
from workroom.interfaces.mcp.eras import Client
from workroom.server.dialogs import Asked

ASKED = Asked("approval_1", "claude", "May it?", "ab" * 32)
SECRET = b"s" * 32
CALL = ("workspace_edit", {"action": "apply"})


@pytest.mark.parametrize(
    ("offered", "revision", "shows"),
    [
        ({"elicitation": {}}, "2025-06-18", True),
        ({"elicitation": {"form": {}}}, "2026-07-28", True),
        ({"elicitation": {"url": {}}}, "2025-11-25", False),
        ({"elicitation": {}}, "2025-03-26", False),
        ({"elicitation": True}, "2025-11-25", False),
        ({}, "2025-11-25", False),
    ],
)
def test_who_shows_dialogs(offered, revision, shows):
    assert can_show(Client("c", revision, offered, modern=False)) is shows


def test_a_form_has_no_default():
    schema = form(ASKED)["requestedSchema"]
    assert schema["required"] == ["decision"]
    assert "default" not in str(schema)


@pytest.mark.parametrize(
    ("result", "meant"),
    [
        ({"action": "accept", "content": {"decision": "accept"}}, True),
        ({"action": "accept", "content": {"decision": "deny"}}, False),
        ({"action": "decline"}, False),
        ({"action": "cancel"}, None),
        ({"action": "accept"}, None),
        ({"action": "accept", "content": {}}, None),
        ({"action": "accept", "content": {"decision": "yes"}}, None),
        ({"action": "accept", "content": {"decision": True}}, None),
        ({"action": "accept", "content": "accept"}, None),
        (None, None),
        ("accept", None),
    ],
)
def test_what_an_answer_means(result, meant):
    assert verdict(result) is meant


def retried(response=None, now=0.0):
    asked = required(SECRET, ASKED, *CALL, now)
    (key,) = asked["inputRequests"]
    return {"requestState": asked["requestState"], "inputResponses": {key: response}}


YES = {"action": "accept", "content": {"decision": "accept"}}


def test_a_retried_call_brings_the_answer_along():
    assert unsealed(SECRET, retried(YES), "claude", *CALL, 10.0) == ("approval_1", "ab" * 32, True)
    assert unsealed(SECRET, {**retried(), "inputResponses": None}, "claude", *CALL, 10.0)[2] is None


@pytest.mark.parametrize(
    "change",
    [
        {"client": "codex"},
        {"call": ("workspace_edit", {"action": "commit"})},
        {"call": ("workspace_plan", {"action": "apply"})},
        {"now": 601.0},
        {"secret": b"t" * 32},
    ],
)
def test_a_state_of_another_client_call_or_time_is_nothing(change):
    at = {"secret": SECRET, "client": "claude", "call": CALL, "now": 10.0, **change}
    assert unsealed(at["secret"], retried(YES), at["client"], *at["call"], at["now"]) is None


def test_a_changed_state_is_nothing():
    payload, _, signature = retried(YES)["requestState"].partition(".")
    told = json.loads(base64.urlsafe_b64decode(payload))
    other = base64.urlsafe_b64encode(json.dumps({**told, "approval": "approval_2"}).encode()).decode()
    for state in (f"{other}.{signature}", f"{payload}.", payload, "", ".", "x.y", "ü.é", "\ud800.\ud800", 7, None):
        assert unsealed(SECRET, {**retried(YES), "requestState": state}, "claude", *CALL, 10.0) is None
