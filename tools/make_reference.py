"""Make docs/reference from the code: tools with their actions and fields, the gate, settings, errors, commands.

`python tools/make_reference.py` writes the pages; with `--check` it writes nothing, names what is out of date, and ends
with 1 if there is any. A field's meaning is the text that stands under it in the code, else the description that a
model is shown.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import typer.main
from pydantic import BaseModel

from workroom.base.errors import ERROR_MEANINGS
from workroom.base.settings import ALIASES, Ceiling, Mode, Settings
from workroom.core.permissions import GATED, Decision, decide
from workroom.interfaces.cli.app import app
from workroom.interfaces.cli.exits import MEANINGS
from workroom.interfaces.http.answers import STATUSES
from workroom.interfaces.http.limits import Limits
from workroom.interfaces.http.openapi import document
from workroom.interfaces.mcp.adapters import ADAPTERS
from workroom.interfaces.mcp.eras import HANDSHAKE, METHODS, MODERN, REVISIONS
from workroom.interfaces.mcp.prompts import PROMPTS
from workroom.interfaces.mcp.resources import TEMPLATES
from workroom.interfaces.mcp.streamable.limits import Limits as StreamLimits
from workroom.tools.catalog import PROFILES
from workroom.tools.tool import Action, Tool

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.schema_words import (  # noqa: E402 - run as a file, it finds its neighbour only so
    alternatives,
    default_of,
    kind_of,
    label,
    meaning_of,
    nested_models,
    texts_in,
    texts_under_fields,
)

FOLDER = ROOT / "docs" / "reference"
_MADE = "<!-- Made from the code by `python tools/make_reference.py`. Change the code, then run that again. -->"

MCP_METHODS = (
    (
        "`POST`",
        "A message; a batch in 2025-03-26. Answered as JSON, or as events where that isn't soon. 202: nothing to say.",
    ),
    ("`GET`", "With a session: its standing stream, or by `Last-Event-ID` the rest of any of its streams."),
    ("`DELETE`", "Ends a session."),
)
UNITS = {"bytes": "bytes", "seconds": "seconds"}

Json = dict[str, Any]


def pages() -> Mapping[str, str]:
    """Every page by its file's name."""
    made = {
        "tools.md": tools_page(),
        "editor.md": editor_page(),
        "gate.md": gate_page(),
        "settings.md": settings_page(),
        "errors.md": errors_page(),
        "commands.md": commands_page(),
        "clients.md": clients_page(),
        "http.md": http_page(),
        "mcp.md": mcp_page(),
    }
    described = json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
    return {
        "openapi.json": described,
        **{name: f"{_MADE}\n\n" + "\n\n".join(parts) + "\n" for name, parts in made.items()},
    }


# Tools


def tools_page() -> Iterator[str]:
    yield "# Tools"
    yield (
        "What a client of profile `workspace` sees; [profile `editor`](editor.md) has its own. Every tool takes "
        "`action`; a field that the action doesn't list is an error that names the nearest right one. A field sent as "
        "null counts as not sent. Paths are relative to the folder, with `/`, or absolute inside it."
    )
    for profile, tools in PROFILES.items():
        if not tools:
            yield f"Profile `{profile}` is not in this version."
    for tool in PROFILES["workspace"]:
        yield from tool_part(tool)


def editor_page() -> Iterator[str]:
    yield "# Tools of profile `editor`"
    yield (
        "What a client of profile `editor` sees: a tool for each function of system C, with its fields, without "
        "`action`. What tools.md says of fields and paths holds here. An answer has these fields at its top; a failure "
        "has `error` alone (`code`, `message`, `next_step`, `details`); a call that waits for the person has `status: "
        "pending_approval` and `approval` beside them. In plan mode there is [`workspace_plan`](tools.md) as well."
    )
    for tool in PROFILES["editor"]:
        if tool.flat:
            yield from flat_part(tool)


def flat_part(tool: Tool) -> Iterator[str]:
    action = tool.actions[0]
    yield f"## {tool.name}"
    yield f"{tool.title}. {gated(tool, action)}"
    yield "What a model is told: " + tool.help
    yield fields_table(action.arguments)
    yield "Answers with:"
    models = {} if tool.output is None else {tool.output.__name__: tool.output} | nested_models(tool.output)
    for model in models.values():
        if model is not tool.output:
            yield f"{label(model)}: {sentence(model.__doc__)}"
        yield fields_table(model)


def tool_part(tool: Tool) -> Iterator[str]:
    yield f"## {tool.name}"
    yield f"{tool.title}. Registered in mode {alternatives(str(mode) for mode in Mode if mode in tool.modes)}."
    yield "What a model is told: " + tool.help
    nested: dict[str, type[BaseModel]] = {}
    for action in tool.actions:
        yield from action_part(tool, action)
        nested |= nested_models(action.arguments)
    for model in nested.values():
        yield f"### {tool.name}: {label(model)}"
        yield sentence(model.__doc__)
        yield fields_table(model)


def action_part(tool: Tool, action: Action) -> Iterator[str]:
    yield f"### {tool.name} {action.name}"
    yield f"{sentence(action.help)} {gated(tool, action)}"
    yield fields_table(action.arguments)


def gated(tool: Tool, action: Action) -> str:
    kind = operation_kind(tool, action)
    return f"**Gated** as `{kind}`." if kind else "Never gated."


def fields_table(model: type[BaseModel]) -> str:
    """One row a field, required ones first, else in the order in which they are declared."""
    schema = model.model_json_schema()
    required = schema.get("required", ())
    texts = texts_under_fields(model)
    meanings = {info.alias or name: texts.get(name, "") for name, info in model.model_fields.items()}
    rows = [
        (f"`{name}`", kind_of(node), default_of(node, name in required), meanings[name] or meaning_of(node))
        for name, node in sorted(schema.get("properties", {}).items(), key=lambda pair: pair[0] not in required)
    ]
    return table(("field", "value", "default", "meaning"), rows) if rows else "Takes no fields."


# The gate


def gate_page() -> Iterator[str]:
    yield "# The gate"
    yield (
        "Every call from every interface takes the same road: parse, plan, gate, run, record, answer. The gate looks "
        "at the permission mode, at whether the call is destructive, and at the setting `destructive_edits`."
    )
    yield table(("mode", "call", "`refuse`", "`ask`", "`allow`"), gate_rows())
    yield (
        "Destructive: it deletes, moves or overwrites what is there, or rolls back by force. To overwrite is to put "
        "other contents in a file's place as a whole: `rewrite`, `overwrite`, a save over a file that is there; an "
        "edit of some of its lines (`replace`, `splice`, `patch`) isn't. Can run code later: it writes a file that "
        "`ask_patterns` names. A call that waits is answered with `status: pending_approval` and "
        "the id that the person decides on."
    )
    yield "## Gated actions"
    rows = [
        (f"`{tool.name}`", f"`{action.name}`", f"`{operation_kind(tool, action)}`")
        for tools in PROFILES.values()
        for tool in tools
        for action in tool.actions
        if action.propose is not None
    ]
    yield table(("tool", "action", "kind"), list(dict.fromkeys(rows)))
    yield "Everything else is never gated."


def gate_rows() -> Iterator[Sequence[str]]:
    locks = (
        ("manual", Mode.MANUAL, False),
        ("plan, none approved", Mode.PLAN, False),
        ("plan, one approved", Mode.PLAN, True),
        ("auto", Mode.AUTO, False),
    )
    calls = (("plain", False, False), ("destructive", True, False), ("can run code later", False, True))
    for lock, mode, approved in locks:
        for call, destructive, asks in calls:
            yield (
                lock,
                call,
                *(
                    outcome(decide(mode=mode, plan_approved=approved, destructive=destructive, ceiling=each, asks=asks))
                    for each in get_args(Ceiling)
                ),
            )


def outcome(decision: Decision) -> str:
    if decision.code is not None:
        return f"`{decision.code}`"
    return {"run": "runs", "stage": "waits"}[str(decision.outcome)]


def operation_kind(tool: Tool, action: Action) -> str:
    return GATED[tool.name, action.name] if action.propose is not None else ""


# Settings, errors, commands


def settings_page() -> Iterator[str]:
    schema = Settings.model_json_schema()
    yield "# Settings"
    yield (
        "`workroom settings` lists them, `workroom settings set KEY VALUE` changes one for the workspace where you "
        "stand, with `--user` for all of yours. They are kept in `settings.toml` in the state directory, and in a file "
        "of that name beside each workspace's store, which wins. A change counts from the next call on. Agents can "
        "change none of them."
    )
    for name, node in schema["properties"].items():
        default = node.get("default")
        aliases = [theirs for theirs, ours in ALIASES.items() if ours == name]
        resolved = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]] if "$ref" in node else node
        facts = [f"Value: {kind_of(resolved)}.", f"Default: {shown(default)}."]
        facts += [f"Also taken as {alternatives(f'`{alias}`' for alias in aliases)}."] if aliases else []
        yield f"## `{name}`"
        yield sentence(node.get("description"))
        yield " ".join(facts)


def shown(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, list | tuple):
        return ", ".join(f"`{each}`" for each in value) or "none"
    return f"`{value}`"


def errors_page() -> Iterator[str]:
    yield "# Error codes"
    yield (
        "The closed list. A refusal is an answer with `ok: false` and `error: {code, message, details}`; its message "
        "names the field or path, and the next step where there is one. On the command line it is one line on standard "
        "error, and a JSON object on standard output with `--json`."
    )
    rows = [(f"`{code}`", str(STATUSES[code]), meaning) for code, meaning in ERROR_MEANINGS.items()]
    yield table(("code", "over HTTP", "meaning"), rows)


def clients_page() -> Iterator[str]:
    yield "# Clients"
    yield (
        "Driven from end to end by `make clients`, each with a scripted model. A client is known by the name that it "
        "gives itself; one that isn't here gets what the settings say. [How to connect them](../how-to/connect.md)."
    )
    rows = (
        (
            f"{client.title} {client.version}",
            f"`{name}`",
            client.revision,
            f"`{client.tool_name}`",
            client.shows,
            "yes" if client.limits.pictures else "no",
            f"{client.limits.result_chars:,}",
            f"{client.limits.call_seconds:,} s",
        )
        for name, client in ADAPTERS.items()
    )
    head = (
        "client",
        "its name",
        "newest revision",
        "a tool's name",
        "shows a model",
        "pictures",
        "characters",
        "waits",
    )
    yield table((*head, "waits"), rows)
    yield (
        "`characters` is what Workroom keeps an answer to, so that the client hands it on whole; `waits` is when the "
        "client gives a call up."
    )
    yield "\n".join(f"- **{client.title}**: {client.note}" for client in ADAPTERS.values())
    yield (
        "The MCP inspector's command line and the official Python SDK are driven by the other tests; they show the "
        "whole result."
    )


def http_page() -> Iterator[str]:
    described = document()
    yield "# HTTP"
    yield (
        "The JSON API, for programs with a token. [openapi.json](openapi.json) is its whole description; a server "
        "answers with the same at `/api/v1/openapi.json`. Each tool's actions stand there one by one, with the schema "
        "of their arguments. [MCP over streamable HTTP](#mcp) is at `/mcp`."
    )
    paths = [(path, methods) for path, methods in described["paths"].items() if "/tools/workspace_" not in path]
    rows = [
        (f"`{method.upper()}`", f"`{path}`", operation["summary"])
        for path, methods in paths
        for method, operation in methods.items()
        if method != "parameters"
    ]
    calls = "The arguments of one action as a JSON object; answers the envelope."
    yield table(("method", "path", "what"), [*rows, ("`POST`", "`…/tools/{tool}/{action}`", calls)])
    yield "## Statuses"
    yield (
        "A call answers 200, or 202 when it waits for the person. Every other answer is an envelope with `ok: false`. "
        "[Error codes](errors.md) has the status of each code; a request can be refused for these as well:"
    )
    refused = described["components"]["responses"].items()
    yield table(
        ("status", "why"), [(name.removeprefix("Refused"), response["description"]) for name, response in refused]
    )
    yield "## Limits"
    yield limits_table(Limits)
    yield from mcp_part()


def limits_table(limits: Any) -> str:
    texts = texts_in(limits)
    rows = [(texts[each.name], f"{each.default:,}", each.name.rpartition("_")[2]) for each in fields(limits)]
    return table(("what", "at most", "unit"), [(what, most, UNITS.get(unit, "")) for what, most, unit in rows])


def mcp_part() -> Iterator[str]:
    """The transport of MCP; the statuses that the endpoint answers with stand in its modules."""
    yield "## MCP"
    yield (
        f"`/mcp` speaks the revisions {', '.join(reversed(REVISIONS))}. It is the token's only workspace; "
        "`/mcp/WORKSPACE` is the one of that id or folder name, and 404 for any that the token isn't bound to, be it "
        "there or not."
    )
    yield table(("method", "what"), MCP_METHODS)
    yield (
        f"Up to {HANDSHAKE[0]} a client introduces itself by `initialize` and gets an `Mcp-Session-Id`, which is worth "
        "nothing with another token or workspace. A lost connection cancels nothing: the client sends `Last-Event-ID` "
        "and gets the rest. A server that stops or is updated hands its sessions to the next one. 404 says that a "
        "session is over: introduce yourself anew."
    )
    yield (
        f"In {MODERN[0]} each request stands alone. `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` must repeat "
        "what the body says, else it is 400 with -32020. Errors have statuses: 404 for a method that isn't there, 400 "
        "for what is wrong with the request. Closing a response cancels its request; `subscriptions/listen` is a "
        "stream of changes, and has no replay."
    )
    yield "A token has at most:"
    yield limits_table(StreamLimits)


SENT = (
    (
        "a result",
        "as its method has it; structured content since 2025-06-18",
        "the same, with `resultType`, the server's name in `_meta`; lists, reads with `ttlMs`, `cacheScope`",
    ),
    ("progress", "`notifications/progress`, with the request", "the same"),
    (
        "the tools have changed",
        "`notifications/tools/list_changed`, to all",
        "the same, on the streams of `subscriptions/listen` that name it",
    ),
    (
        "the resources have changed",
        "`notifications/resources/list_changed`, once after each `resources/list`",
        "the same, on streams that name it",
    ),
    (
        "a resource has changed",
        "`notifications/resources/updated`, after `resources/subscribe`",
        "the same, on streams that name its uri",
    ),
    (
        "a question for the person",
        "a request of its own, `elicitation/create`",
        "the result `input_required`; the client makes the call again with `inputResponses`, `requestState`",
    ),
    ("a resource isn't there", "error -32002", "error -32602"),
    ("a version isn't spoken", "`initialize` agrees on another one", "error -32022 with those that are"),
    (
        "a message that can't be understood",
        "one JSON-RPC error, with its id where that can be read",
        "the same",
    ),
    ("an answer to what was never asked", "nothing", "nothing"),
)
"""What a server sends: in the handshake era, and in the modern one."""


def mcp_page() -> Iterator[str]:
    yield "# The Model Context Protocol"
    yield (
        f"Two eras are spoken on every connection, told apart message by message; nothing is to be set. In the "
        f"handshake era ({', '.join(reversed(HANDSHAKE))}) `initialize` says once what a client is. In the modern era "
        f"({', '.join(MODERN)}) each request says so in `params._meta`, and nothing is remembered between requests."
    )
    yield "## What a client sends"
    named = sorted(METHODS[False].keys() | METHODS[True].keys())
    yield table(
        ("method", "handshake", "modern"),
        [
            (f"`{method}`", *("yes" if method in METHODS[era] else "no such method" for era in (False, True)))
            for method in named
        ],
    )
    yield (
        "`notifications/cancelled` ends a request in both eras; over HTTP, closing the response of a modern one does. "
        "What hasn't begun is dropped, what runs stops where nothing is done yet, never after a commit is prepared. "
        "`logging/setLevel` is acknowledged; nothing is logged to clients."
    )
    yield "## What the server sends"
    yield table(("what", "handshake", "modern"), SENT)
    yield "Dialogs are asked only for clients that the setting [`elicitation_clients`](settings.md) names."
    yield "## Resources"
    yield (
        "Reading one is the call of an action that only looks, with the same permissions. `workroom://changes` (what "
        "happened and what waits) and `workroom://plan/current` are always the same address; these are patterns:"
    )
    yield table(
        ("uri", "what", "mime type"),
        [(f"`{one['uriTemplate']}`", one["description"], one.get("mimeType", "by its suffix")) for one in TEMPLATES],
    )
    yield "## Prompts"
    yield table(
        ("name", "what", "arguments"),
        [
            (
                f"`{prompt.name}`",
                f"{prompt.title}: {prompt.description}",
                ", ".join(f"`{a.name}`{'' if a.required else ' (optional)'}" for a in prompt.arguments) or "none",
            )
            for prompt in PROMPTS
        ],
    )


def commands_page() -> Iterator[str]:
    program = typer.main.get_command(app)
    yield "# Commands"
    yield "Options before the command:"
    yield parameters_table(program)
    for name, command in program.commands.items():  # type: ignore[attr-defined]
        yield from command_part(f"workroom {name}", command)
    yield "## Exit codes"
    yield table(("code", "meaning"), [(f"`{int(code)}`", meaning) for code, meaning in MEANINGS.items()])


def command_part(name: str, command: Any) -> Iterator[str]:
    yield f"## {name}"
    yield f"    {' '.join([name, *map(placeholder, arguments_of(command))])}"
    yield " ".join(command.help.split())
    if command.params:
        yield parameters_table(command)
    for below, part in getattr(command, "commands", {}).items():
        yield from command_part(f"{name} {below}", part)


def parameters_table(command: Any) -> str:
    rows = []
    for each in command.params:
        names = [placeholder(each)] if each.param_type_name == "argument" else each.opts
        metavar = f" {each.metavar or each.name.upper()}" if is_valued(each) else ""
        plain = each.default is None or each.default is False
        default = "required" if each.required else "" if plain else f"`{each.default}`"
        rows.append((", ".join(f"`{name}{metavar}`" for name in names), default, " ".join((each.help or "").split())))
    return table(("argument or option", "default", "meaning"), rows)


def arguments_of(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "argument"]


def placeholder(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required or "[" in name else f"[{name}]"


def is_valued(parameter: Any) -> bool:
    return parameter.param_type_name == "option" and not parameter.is_flag


# Words


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in line) + " |" for line in lines
    )


def sentence(text: str | None) -> str:
    return " ".join((text or "").split())


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    made = pages()
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.*")}
    if "--check" in arguments:
        stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
        print("\n".join(f"docs/reference/{name} is out of date: run tools/make_reference.py" for name in stale))
        return 1 if stale else 0
    for name in there.keys() - made.keys():
        (folder / name).unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
