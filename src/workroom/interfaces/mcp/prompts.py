"""Beginnings of a talk that a person picks in their client, and what completes the arguments of prompts and resources.

Each prompt says what to do with the tools and carries what they would answer first, looked up by the one road.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workroom.base.errors import ErrorCode
from workroom.interfaces.mcp.answers import readable
from workroom.interfaces.mcp.jsonrpc import INVALID_PARAMS, RpcError
from workroom.interfaces.mcp.resources import TEMPLATES, artifact_paths, entry_numbers
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

__all__ = ["PROMPTS", "completed", "got", "listing"]

_COMPLETIONS = 100
"""The most values that the protocol lets one answer carry."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a prompt, always a string."""

    name: str
    description: str
    required: bool = False
    values: Callable[[Call], list[str]] | None = None
    """What completes it."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A beginning. `text` is filled with the arguments; the answer of `looks` follows it."""

    name: str
    title: str
    description: str
    text: Callable[[Mapping[str, str]], str]
    looks: Callable[[Mapping[str, str]], tuple[str, dict[str, Any]]]
    arguments: tuple[Argument, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As `prompts/list` has it."""
        row: dict[str, Any] = {"name": self.name, "title": self.title, "description": self.description}
        if self.arguments:
            row["arguments"] = [
                {"name": a.name, "description": a.description, "required": a.required} for a in self.arguments
            ]
        return row


def _start(given: Mapping[str, str]) -> str:
    task = f" The task: {given['task']}" if given.get("task") else ""
    return (
        "You work in one folder through Workroom's tools. Below is what you may do there. Keep to it: what waits for "
        "the person is theirs to decide, in their terminal; tell them what waits and go on with something else, or "
        f"stop. Read the memory and the notes before you change anything.{task}"
    )


def _review(_given: Mapping[str, str]) -> str:
    return (
        "Go through what waits for my decision, and what was done lately, below. For each that waits: say in a "
        "sentence what it would do, to which files, whether it destroys anything or can run code later, and what you "
        "would ask before saying yes (look with workspace_edit show). Decide nothing, and change nothing."
    )


def _plan(given: Mapping[str, str]) -> str:
    return (
        f"Goal: {given['goal']}\n\nLook at the folder first, as far as it takes. Then put a plan before me with "
        "workspace_plan propose: a title, the objective, steps that each can be checked. Restate it and stop; change "
        "nothing before I have accepted it. Where the mode is auto there are no plans: show me the steps instead, and "
        "wait for my word. What binds you:"
    )


def _explain(given: Mapping[str, str]) -> str:
    return (
        f"Explain entry {given['entry']} of this folder's history, below: what was changed and, as far as it shows, "
        "why; what could break by it; and how to take it back (`workroom undo` by me, workspace_edit rollback by you)."
    )


_CAPABILITIES = ("workspace_inspect", {"action": "capabilities"})

PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "start",
        "Start here",
        "What the agent may do in this folder, what waits, and where its memory is.",
        _start,
        lambda _given: _CAPABILITIES,
        (Argument("task", "What is to be done."),),
    ),
    Prompt(
        "review",
        "Review what waits for me",
        "Each change that waits for a decision, explained; nothing is decided.",
        _review,
        lambda _given: ("workspace_inspect", {"action": "changes"}),
    ),
    Prompt(
        "plan",
        "Propose a plan",
        "A plan towards a goal, put before the person.",
        _plan,
        lambda _given: _CAPABILITIES,
        (Argument("goal", "What is to be reached.", required=True),),
    ),
    Prompt(
        "explain",
        "Explain a change",
        "What an entry of the history did, and how to take it back.",
        _explain,
        lambda given: ("workspace_inspect", {"action": "changes", "entry": given["entry"]}),
        (Argument("entry", "The number of the entry.", required=True, values=entry_numbers),),
    ),
)


def listing() -> dict[str, Any]:
    """The result of `prompts/list`."""
    return {"prompts": [prompt.to_json() for prompt in PROMPTS]}


def got(caller: Call, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of `prompts/get`; INVALID_PARAMS names what is wrong."""
    prompt = _prompt(params.get("name"))
    given = _given(prompt, params.get("arguments"))
    tool, arguments = prompt.looks(given)
    envelope = call(replace(caller, profile="workspace"), tool, arguments)  # whatever tools the client has itself
    if envelope.error is not None and envelope.error["code"] in {ErrorCode.NOT_FOUND, ErrorCode.INVALID_INPUT}:
        raise RpcError(INVALID_PARAMS, envelope.summary)
    text = f"{prompt.text(given)}\n\n{readable(envelope)}"
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }


def completed(caller: Call, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of `completion/complete`: what begins with what was typed. INVALID_PARAMS names what is wrong."""
    argument = params.get("argument")
    if not isinstance(argument, dict) or not isinstance(typed := argument.get("value"), str):
        raise RpcError(INVALID_PARAMS, "argument has a name and a value, both strings.")
    source = _source(params.get("ref"), argument.get("name"))
    found = [value for value in source(caller) if value.startswith(typed)] if source is not None else []
    return {
        "completion": {
            "values": found[:_COMPLETIONS],
            "total": len(found),
            "hasMore": len(found) > _COMPLETIONS,
        }
    }


def _prompt(name: Any) -> Prompt:
    for prompt in PROMPTS:
        if prompt.name == name:
            return prompt
    names = [prompt.name for prompt in PROMPTS]
    raise RpcError(INVALID_PARAMS, f"There is no such prompt; there are {', '.join(names)}.", {"prompts": names})


def _given(prompt: Prompt, arguments: Any) -> dict[str, str]:
    given = {} if arguments is None else arguments
    known = {argument.name for argument in prompt.arguments}
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise RpcError(INVALID_PARAMS, "arguments is an object of strings.")
    if unknown := sorted(map(str, given.keys() - known)):
        raise RpcError(INVALID_PARAMS, f"{prompt.name} has no argument {unknown[0][:80]!r}.")
    missing = [a.name for a in prompt.arguments if a.required and not given.get(a.name)]
    if missing:
        raise RpcError(INVALID_PARAMS, f"{prompt.name} needs {', '.join(missing)}.", {"missing": missing})
    return given


def _source(ref: Any, name: Any) -> Callable[[Call], list[str]] | None:
    """What completes an argument; None where nothing does."""
    kind = ref.get("type") if isinstance(ref, dict) else None
    if kind == "ref/prompt":
        return next((a.values for a in _prompt(ref.get("name")).arguments if a.name == name), None)
    templates = [template["uriTemplate"] for template in TEMPLATES]
    if kind == "ref/resource" and ref.get("uri") in templates:
        return {"number": entry_numbers, "path": artifact_paths}.get(str(name))
    raise RpcError(INVALID_PARAMS, "ref names a prompt or a resource template of this server.")
