"""The one visible list: which tools a client of each profile sees, and in which mode."""

from __future__ import annotations

from collections.abc import Mapping

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Mode, Profile
from workroom.tools.edit import EDIT
from workroom.tools.editor import TOOLS as EDITOR
from workroom.tools.explain import nearest, quoted
from workroom.tools.inspect import inspect_tool
from workroom.tools.notes import NOTES
from workroom.tools.plan import PLAN
from workroom.tools.tool import Tool

__all__ = ["INSPECT", "PROFILES", "any_tool", "find_tool", "tools_for"]

INSPECT = inspect_tool(lambda profile, mode: tuple(tool.name for tool in tools_for(profile, mode)))

PROFILES: Mapping[Profile, tuple[Tool, ...]] = {
    "workspace": (INSPECT, EDIT, NOTES, PLAN),
    "files": (),
    "editor": (*EDITOR, PLAN),
}
"""Every tool, in the order a client lists them. An empty profile is not in this version."""


def tools_for(profile: Profile, mode: Mode) -> tuple[Tool, ...]:
    """The tools registered for a client of this profile while this mode is set; UNSUPPORTED for an empty profile."""
    return tuple(tool for tool in _listed(profile) if mode in tool.modes)


def find_tool(name: str, profile: Profile, mode: Mode | None) -> Tool:
    """The tool of that name. With `mode` None the mode doesn't matter: what was accepted is run in any.

    NOT_FOUND names the nearest tool; UNSUPPORTED says that the tool is not registered in this mode.
    """
    tools = _listed(profile)
    for tool in tools:
        if tool.name == name:
            if mode is not None and mode not in tool.modes:
                raise _unregistered(tool, mode)
            return tool
    names = [tool.name for tool in tools if mode is None or mode in tool.modes]
    near = nearest(name, names)
    raise WorkroomError(
        ErrorCode.NOT_FOUND,
        f"There is no tool {quoted(name)}." + (f" Did you mean {near}?" if near else ""),
        next_step=f"The tools: {', '.join(names)}.",
        details={"tools": names},
    )


def any_tool(name: str) -> tuple[Tool, Profile]:
    """The tool of that name with the first profile that has it; for the person, who has them all. NOT_FOUND."""
    for profile, tools in PROFILES.items():
        for tool in tools:
            if tool.name == name:
                return tool, profile
    near = nearest(name, [tool.name for tools in PROFILES.values() for tool in tools])
    raise WorkroomError(
        ErrorCode.NOT_FOUND, f"There is no tool {quoted(name)}." + (f" Did you mean {near}?" if near else "")
    )


def _listed(profile: Profile) -> tuple[Tool, ...]:
    tools = PROFILES[profile]
    if not tools:
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            f"Profile {profile} is not in this version of Workroom.",
            next_step="Connect with --profile workspace.",
        )
    return tools


def _unregistered(tool: Tool, mode: Mode) -> WorkroomError:
    modes = " or ".join(str(m) for m in Mode if m in tool.modes)
    return WorkroomError(
        ErrorCode.UNSUPPORTED,
        f"{tool.name} is not registered in permission mode {mode}; it is in {modes}.",
        next_step="List the tools again. In auto mode changes run at once and need no plan.",
    )
