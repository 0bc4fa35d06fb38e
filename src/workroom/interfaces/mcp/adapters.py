"""What is particular to the clients that were driven, by the name that each gives itself.

An answer is shaped to fit its client: cut by us, with a word on how to go on, before the client cuts it without one.
A call that waits for the person ends before the client gives it up. A client that isn't listed gets what the settings
say.

Whether a client sees structured content isn't a matter of its name: revisions before 2025-06-18 have none, and one that
hands on everything it gets would show the same twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from workroom.tools.tool import Limits

__all__ = ["ADAPTERS", "Adapter", "limits_of"]


@dataclass(frozen=True, slots=True)
class Adapter:
    """One client, as it was found when it was driven."""

    title: str
    version: str
    """The version that was driven."""
    revision: str
    """The newest revision of MCP that it asked for."""
    tool_name: str
    """What it makes of a tool's name; names are at most 64 characters with the models' makers."""
    shows: Literal["structured", "text"]
    """Which form of an answer a model is shown."""
    client_cut: str
    """Words by which it tells a model that it has cut an answer itself."""
    limits: Limits
    """`result_chars` leaves room for what the client wraps an answer in, and escapes."""
    note: str = ""


ADAPTERS: Mapping[str, Adapter] = {
    "codex-mcp-client": Adapter(
        title="Codex",
        version="0.171.0",
        revision="2025-06-18",
        tool_name="TOOL in mcp__SERVER",
        shows="structured",
        client_cut="tokens truncated",
        limits=Limits(result_chars=38_000, call_seconds=300),
        note="Cuts the middle out after 10,000 tokens, and for a model that it doesn't know after 3,000; "
        "`tool_output_token_limit` sets that, `tool_timeout_sec` how long it waits.",
    ),
    "claude-code": Adapter(
        title="Claude Code",
        version="2.1.332",
        revision="2026-07-28",
        tool_name="mcp__SERVER__TOOL",
        shows="structured",
        client_cut="saved to",
        limits=Limits(result_chars=48_000, call_seconds=3_600),
        note="Loads tools when a model looks for them (`ENABLE_TOOL_SEARCH=false`: at once). Puts longer answers into "
        "a file.",
    ),
    "opencode": Adapter(
        title="opencode",
        version="1.18.33",
        revision="2025-11-25",
        tool_name="SERVER_TOOL",
        shows="text",
        client_cut="output was truncated",
        limits=Limits(result_chars=48_000, call_seconds=60),
        note="Puts more than 50 KB into a file. Pictures need `modalities` with `image` in the settings of the model.",
    ),
    "@cline/core": Adapter(
        title="Cline",
        version="3.0.65",
        revision="2024-11-05",
        tool_name="SERVER__TOOL",
        shows="text",
        client_cut="[truncated ",
        limits=Limits(result_chars=6_000, call_seconds=60, pictures=False),
        note="Shows the whole result as JSON and cuts the middle out after 8,000 characters; `timeout` in its settings "
        "is in seconds.",
    ),
}


def limits_of(client: str) -> Limits | None:
    """The limits of the client of this name; None for one that isn't known."""
    adapter = ADAPTERS.get(client)
    return None if adapter is None else adapter.limits
