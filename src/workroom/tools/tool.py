"""The Tool contract: what one tool file hands to the catalog, and the call that reaches it.

    Tool       a name, help, and its actions
    `- Action  a name, its argument model, help, and one of
         answer(call, arguments) -> Envelope              for what changes nothing
         propose(call, arguments) -> Proposal | Envelope  for what the gate decides about

A flat tool has exactly one action, which a call doesn't name: `flat_tool` makes it. Its answer is shown as the fields
of `output` at the top (dispatch does it, by `shape`): its functions answer envelopes whose `data` has those fields.

A `Proposal` says what would be done and changes nothing yet. dispatch asks the gate, then calls `run` with a permit,
or `stage` to make the plan durable while the person thinks. Where `propose` answers an Envelope there is nothing to
gate: the call would change nothing (a commit of what is applied already).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

from workroom.base.actor import Actor
from workroom.base.changes import Danger, Permit
from workroom.base.envelope import Artifact, Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.base.settings import Mode, Profile, Settings
from workroom.tools.workspace import Workspace

__all__ = ["Action", "Arguments", "Call", "Limits", "Proposal", "Rooms", "Staged", "Tool", "flat_tool"]

_WAITS = ("wait_seconds_workspace", "wait_seconds_files", "wait_seconds_editor")
_ANSWERING_SECONDS = 5
"""What a call needs beside its wait for the person."""


class Arguments(BaseModel):
    """One action's arguments. A field's description is what a model reads; unlisted fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # a server starts in half of the time

    unrepeated: ClassVar[frozenset[str]] = frozenset({"title", "idempotency_key"})
    """Fields that don't count when two calls are compared."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a client shows of an answer, and how long it waits for one."""

    result_chars: int
    """Characters of a result that it hands on whole."""
    call_seconds: int
    """After this long it gives a call up."""
    pictures: bool = True
    """Whether it shows a model the pictures of an answer."""

    def narrow(self, settings: Settings) -> Settings:
        """The same settings, with lengths and waits that fit the client."""
        wait = max(0, self.call_seconds - _ANSWERING_SECONDS)
        narrowed = {name: min(getattr(settings, name), wait) for name in _WAITS}
        chars = min(settings.max_tool_result_chars, self.result_chars)
        return settings.model_copy(update={**narrowed, "max_tool_result_chars": chars})


class Rooms(Protocol):
    """The folders that a client may work in: its own, and those that the person opened; and which is its active one."""

    def active(self) -> Workspace:
        """Where the client works now."""

    def enter(self, root: str) -> Workspace:
        """Go to the folder that `root` names, for this client alone; PATH_OUTSIDE_WORKSPACE for any other."""

    def name_of(self, workspace: Workspace) -> str:
        """What the client calls that folder: its absolute path, or an id where that isn't the client's to know."""

    def others(self, workspace: Workspace) -> tuple[str, ...]:
        """The names of who else works there."""


@dataclass(frozen=True, slots=True)
class Call:
    """Who calls, where, and through which profile."""

    workspace: Workspace
    actor: Actor
    profile: Profile = "workspace"
    limits: Limits | None = None
    """What the client can take; None: whatever the settings say."""
    pulse: Pulse = STILL
    """Tells the caller how far a long call is, and the call whether anybody waits for it."""
    chars: int | None = None
    """How long the answer may be, where no model reads it; None: as the settings and the limits say."""
    rooms: Rooms | None = None
    """Where else the client may work; None: nowhere."""
    closed: str = ""
    """What the client calls the folder where it worked, if that was closed: `workspace` isn't what it means then."""

    def check_there(self, tool: Tool) -> None:
        """TRANSACTION_STATE where the client's folder was closed, and the tool isn't one that leads elsewhere."""
        if self.closed and not tool.anywhere:
            raise WorkroomError(
                ErrorCode.TRANSACTION_STATE,
                f"{self.closed}, where you worked, was closed; nothing was done.",
                next_step="Enter a folder with editor_workspace_open; `.` is the one that you came for.",
            )

    def room(self) -> int | None:
        """How many characters of a flat tool's answer the caller can take; None: as many as there are.

        Flat tools have limits of their own, and `max_tool_result_chars` isn't one of them.
        """
        if self.chars is not None:
            return self.chars
        return None if self.limits is None else self.limits.result_chars

    def settings(self) -> Settings:
        """The settings that bind this call: the workspace's, and the client's limits where they are narrower."""
        settings = self.workspace.settings()
        if self.chars is not None:
            return settings.model_copy(update={"max_tool_result_chars": self.chars})
        return settings if self.limits is None else self.limits.narrow(settings)


@dataclass(frozen=True, slots=True)
class Staged:
    """A proposal made durable: the call that resumes it, and what the answer and the person are shown."""

    arguments: dict[str, Any]
    """Arguments of the same tool, or of `tool`; `action` among them. This is what an accept runs."""
    data: dict[str, Any] = field(default_factory=dict)
    artifacts: tuple[Artifact, ...] = ()
    text: str = ""
    tool: str = ""
    """The tool that an accept runs, where it is another than the one that was called: `Action.retell` then answers."""
    shown: str = ""
    """What the person is shown beside the call itself: the diff of what would be done, from the real bytes."""
    resume: dict[str, Any] | None = None
    """Arguments by which the caller collects the result, where they aren't those that an accept runs."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a gated call would do."""

    kind: str
    """transaction, command, vcs, browser, web or agent."""
    title: str
    fingerprint: str
    """SHA-256 of the normalised operation with its before-hashes; what an approval is bound to."""
    stage: Callable[[], Staged]
    run: Callable[[Permit], Envelope]
    dangers: tuple[Danger, ...] = ()
    effect: str = ""
    """SHA-256 of what would stand before and after, by whatever operation; what a denial is bound to. Empty: the
    fingerprint."""
    asks: tuple[str, ...] = ()
    """Reasons to ask in every mode, for the person to read: `.mcp.json can run code`."""
    again: Callable[[], Proposal] | None = None
    """The same over what is there now, where `run` met an EDIT_CONFLICT: another proposal, gated anew."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a tool; exactly one of `answer` and `propose` is set."""

    name: str
    arguments: type[Arguments]
    help: str
    answer: Callable[[Call, Any], Envelope] | None = None
    propose: Callable[[Call, Any], Proposal | Envelope] | None = None
    retell: Callable[[Call, Any, Envelope], Envelope] | None = None
    """Tells what became of an accepted call that was run as another tool's (`Staged.tool`) as this one answers."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `help` is written for a model that sees nothing else."""

    name: str
    title: str
    help: str
    actions: tuple[Action, ...]
    modes: frozenset[Mode] = frozenset(Mode)
    """The modes in which it is registered."""
    annotations: Mapping[str, bool] = field(default_factory=dict)
    """MCP's hints, where they differ from its defaults (destructive, of an open world)."""
    flat: bool = False
    """Whether its one action isn't named by a call, and its answer is shown as fields."""
    output: type[BaseModel] | None = None
    """The fields that a flat tool answers with; more may come with them. Not of a failure, which has `error` alone."""
    anywhere: bool = False
    """Whether it is called as well where the caller's folder was closed: it leads to another."""
    pictures: bool = False
    """Whether an answer may show pictures; then no structured content is promised, which would hide them."""

    def operation(self, action: str) -> str:
        """`workspace_edit` and `apply` give `edit.apply`, as envelopes name it; a flat tool's name is enough."""
        if self.flat:
            return self.name
        return f"{self.name.removeprefix('workspace_')}.{action}"


def flat_tool(
    name: str,
    title: str,
    help: str,  # noqa: A002 - the field's name
    arguments: type[Arguments],
    output: type[BaseModel],
    *,
    answer: Callable[[Call, Any], Envelope] | None = None,
    propose: Callable[[Call, Any], Proposal | Envelope] | None = None,
    retell: Callable[[Call, Any, Envelope], Envelope] | None = None,
    annotations: Mapping[str, bool] | None = None,
    anywhere: bool = False,
) -> Tool:
    """A tool of one action, which has the tool's name; exactly one of `answer` and `propose` is given."""
    action = Action(name, arguments, help, answer, propose, retell)
    hints = {"readOnlyHint": True} if propose is None else {}
    return Tool(
        name, title, help, (action,), annotations={"openWorldHint": False, **hints, **(annotations or {})},
        flat=True, output=output, anywhere=anywhere,
    )  # fmt: skip
