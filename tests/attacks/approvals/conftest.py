"""A real server and raw clients by any name, for the rows about who may decide and who may use a decision."""

from __future__ import annotations

from typing import Any

import pytest
from tests.interfaces.conftest import Client, Person, Room, guest, room, shared_state

__all__ = ["guest", "room", "shared_state"]


class Road:
    """The whole road: agents over MCP, the person over their socket, at one folder in manual mode."""

    def __init__(self, served: Room) -> None:
        self.room = served
        self.person: Person = served.person(served.folder)
        self.person.get("mode", mode="manual")
        self.person.get("settings.set", key="destructive_edits", value="ask")

    def agent(self, name: str) -> Client:
        client = self.room.shim()
        info = {"name": name, "version": "1"}
        client.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
        client.send(method="notifications/initialized")
        return client

    def leave(self, client: Client) -> None:
        """End a client, and wait until the server has noticed."""
        self.room.clients.remove(client)
        assert client.end() == 0

    def history(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.person.get("log")["entries"]
        return entries

    def pending(self) -> list[str]:
        return [one["id"] for one in self.person.get("pending")["pending"]]

    def status(self, approval_id: str) -> str:
        return str(self.person.get("show", id=approval_id)["status"])


def edit(client: Client, *operations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The envelope of an apply."""
    return envelope(client, action="apply", operations=list(operations), **more)


def envelope(client: Client, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.call("workspace_edit", **arguments)["structuredContent"]
    return found


@pytest.fixture
def road(room: Room) -> Road:
    client = room.agent()  # opens the folder
    room.clients.remove(client)
    client.end()
    return Road(room)
