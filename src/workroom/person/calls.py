"""The person's own calls of the tools: the same parse, the same behaviour, recorded like every other; ungated.

There is no second way to save, create, move or delete: what an agent proposes, and the gate decides about, the person
does at once, by a permit of their own.
"""

from __future__ import annotations

from typing import Any

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.person.credential import PersonCredential
from workroom.tools.catalog import any_tool
from workroom.tools.dispatch import TRIES, propose, told
from workroom.tools.schema import parse_arguments
from workroom.tools.shape import formed
from workroom.tools.tool import Call, Proposal, Rooms, Tool
from workroom.tools.workspace import Workspace

__all__ = ["call"]

_CHARS = 4_000_000
"""What an answer holds at most where a tool has no limit of its own; it is one line of the wire."""


def call(
    credential: PersonCredential,
    workspace: Workspace,
    name: str,
    raw: dict[str, Any],
    *,
    session: str = "",
    rooms: Rooms | None = None,
    closed: str = "",
) -> Envelope:
    """One call of any tool as the person, from parse to answer. Never raises: a refusal is an envelope, `ok: false`.

    `session` tells the person's views apart: each has buffers of its own. `rooms` is where it may go, `closed` where it
    was, if that folder was closed.
    """
    actor = Actor(credential.actor.kind, credential.actor.name, session)
    operation = name[:80]
    tool: Tool | None = None

    def work() -> Envelope:
        nonlocal operation, tool
        tool, profile = any_tool(name)
        action, arguments = parse_arguments(tool, raw)
        operation = tool.operation(action.name)
        chars = None if tool.flat else _CHARS
        caller = Call(workspace, actor, profile, chars=chars, rooms=rooms, closed=closed)
        caller.check_there(tool)
        if action.answer is not None:
            return action.answer(caller, arguments)
        proposal = propose(action, caller, arguments)
        return proposal if isinstance(proposal, Envelope) else _run(credential, proposal)

    envelope = told(lambda: operation, work)
    return formed(envelope, "workspace", tool)


def _run(credential: PersonCredential, proposal: Proposal) -> Envelope:
    """Do it; a proposal that can be made again is, while others commit in between."""
    for _ in range(TRIES):
        try:
            return proposal.run(Permit(proposal.fingerprint, "person", decided_by=credential.name))
        except WorkroomError as error:
            if error.code is not ErrorCode.EDIT_CONFLICT or proposal.again is None:
                raise
            conflict = error
        proposal = proposal.again()
    raise conflict
