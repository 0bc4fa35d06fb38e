"""One agent's connection over lines: a conversation on a channel, and how another server goes on with it."""

from __future__ import annotations

from workroom.interfaces.channel import LINE_BYTES, Channel
from workroom.interfaces.greeting import Resumed
from workroom.interfaces.mcp.conversation import Conversation
from workroom.interfaces.mcp.jsonrpc import INVALID_REQUEST, RpcError
from workroom.interfaces.mcp.steps import Send
from workroom.server.hub import Hub
from workroom.server.rooms import Rooms
from workroom.server.session import Session
from workroom.tools.workspace import Workspace

__all__ = ["Connection"]


class Connection:
    """Speaks MCP on a channel for one session until either side ends it."""

    def __init__(self, channel: Channel, hub: Hub, session: Session, workspace: Workspace, rooms: Rooms) -> None:
        """`workspace` is the folder that the client came for."""
        self._channel = channel
        self._conversation = Conversation(hub, session, rooms, workspace, self._send)
        self.workspace = workspace
        channel.hear, channel.finished, channel.overrun = self.hear, self.finish, self._overrun
        channel.ended.append(self._conversation.end)

    def hear(self, line: bytes) -> None:
        """Take one line from the client."""
        self._conversation.hear(line)

    def resume(self, resumed: Resumed) -> None:
        """Go on where another server has ended: the client has introduced itself, and doesn't do so again."""
        self._channel.held[:0] = resumed.held.encode("latin-1")
        self._conversation.recall(tuple(line.encode("latin-1") for line in resumed.first))

    def hand_back(self) -> Resumed:
        """Hear nothing more, and tell what has no answer so; answers what another server needs to go on."""
        self._channel.rest()
        lines, held = self._conversation.stop(handing_over=True), bytes(self._channel.held)
        first, root = tuple(line.decode("latin-1") for line in lines), self._conversation.root
        return Resumed(first=first, held=held.decode("latin-1"), root=root)

    def part(self) -> None:
        """End this server's side."""
        self._channel.rest()
        self._conversation.stop()
        self._channel.close()

    def finish(self) -> None:
        """The client says nothing more: end when it has its answers."""
        self._conversation.settled = self._end_if_through
        self._end_if_through()

    def _overrun(self) -> None:
        """The client's line is too long to be heard, and whatever comes behind it can't be told from it."""
        message = f"A message is at most {LINE_BYTES:,} bytes on one line; the connection ends."
        self._conversation.complain(RpcError(INVALID_REQUEST, message))
        self.finish()

    def _send(self, message: Send) -> None:
        if message.line:
            self._channel.send(message.line)

    def _end_if_through(self) -> None:
        if not self._conversation.busy:
            self._channel.close()
