"""Dialogs as both eras have them: what a client is asked, and what its answer amounts to. Nothing is decided here.

    handshake   our request `elicitation/create` on the way to the answer; the call waits for its result
    modern      the answer is `input_required`; the client makes the call again, with the person's answer and the state

The state passes through the client, so it is signed: with the approval, what was shown, to whom, for which call
and until when. It decides nothing by itself; an approval is decided once, whatever comes back how often.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from workroom.interfaces.mcp.eras import Client
from workroom.server.dialogs import Asked

__all__ = ["can_show", "form", "required", "unsealed", "verdict"]

_KEY = "decision"
_SECONDS = 600.0
"""How long a dialog's answer counts in the modern era."""
_SINCE = "2025-06-18"
"""The first revision that has dialogs."""


def can_show(client: Client) -> bool:
    """Whether a client has declared that it shows forms. One that declares nothing in particular shows forms."""
    offered = client.capabilities.get("elicitation")
    return isinstance(offered, dict) and (not offered or "form" in offered) and client.revision >= _SINCE


def form(asked: Asked) -> dict[str, Any]:
    """The params of `elicitation/create`. There is no default: no key decides by itself."""
    return {
        "message": asked.message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                _KEY: {
                    "type": "string",
                    "title": "Your decision",
                    "description": "accept lets it be done now; deny blocks it for a day",
                    "enum": ["accept", "deny"],
                }
            },
            "required": [_KEY],
        },
    }


def verdict(result: Any) -> bool | None:
    """What a dialog's result says: yes, no, or nothing (closed, broken off, not understood)."""
    if not isinstance(result, dict):
        return None
    if result.get("action") == "decline":
        return False
    content = result.get("content")
    if result.get("action") != "accept" or not isinstance(content, dict):
        return None
    return {"accept": True, "deny": False}.get(str(content.get(_KEY)))


def required(secret: bytes, asked: Asked, name: str, arguments: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The result that asks a client of the modern era, and comes back with its next try."""
    state = {
        "approval": asked.approval_id,
        "client": asked.client,
        "sha256": asked.sha256,
        "call": _digest(name, arguments),
        "until": now + _SECONDS,
    }
    payload = base64.urlsafe_b64encode(json.dumps(state).encode()).decode()
    return {
        "inputRequests": {asked.approval_id: {"method": "elicitation/create", "params": form(asked)}},
        "requestState": f"{payload}.{_signature(secret, payload)}",
    }


def unsealed(
    secret: bytes, params: Mapping[str, Any], client: str, name: str, arguments: Mapping[str, Any], now: float
) -> tuple[str, str, bool | None] | None:
    """The approval, the hash of what was shown, and the verdict that a retried call brings along.

    None where it brings nothing, or what isn't ours: changed, too old, of another client or another call.
    """
    state = params.get("requestState")
    payload, _, signature = state.partition(".") if isinstance(state, str) else ("", "", "")
    if not payload or not hmac.compare_digest(
        signature.encode("utf-8", "replace"), _signature(secret, payload).encode()
    ):
        return None
    try:
        told = json.loads(base64.urlsafe_b64decode(payload))
    except (ValueError, binascii.Error):  # pragma: no cover - what we have signed, we have written
        return None
    if (told["client"], told["call"]) != (client, _digest(name, arguments)) or told["until"] < now:
        return None
    responses = params.get("inputResponses")
    response = responses.get(told["approval"]) if isinstance(responses, dict) else None
    return told["approval"], told["sha256"], verdict(response)


def _digest(name: str, arguments: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps([name, arguments], sort_keys=True).encode()).hexdigest()


def _signature(secret: bytes, payload: str) -> str:
    return hmac.new(secret, payload.encode("utf-8", "replace"), "sha256").hexdigest()
