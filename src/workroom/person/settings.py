"""Settings and mode, which the person alone changes: read with their sources, checked, then written.

A setting is set for the workspace unless the user's own file is meant; the workspace's wins over the user's.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workroom.base.audit import SettingChanged
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ModeChanged, SettingsChanged
from workroom.base.settings import ALIASES, USER_ONLY, Mode, Settings, canonical_key, parse_settings
from workroom.person.credential import PersonCredential
from workroom.system.state import StateDirectory
from workroom.tools.workspace import Workspace

__all__ = ["Setting", "get_setting", "list_settings", "mode_of", "set_mode", "set_setting", "unset_setting"]

_FILE = "settings.toml"
"""A workspace's own settings, beside its store."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it stands. Values are JSON values; `aliases` are the names that other systems give it."""

    name: str
    aliases: tuple[str, ...]
    value: Any
    default: Any
    source: Literal["default", "user", "workspace"]
    documentation: str


def list_settings(_credential: PersonCredential, workspace: Workspace, state: StateDirectory) -> tuple[Setting, ...]:
    """Every setting, in the order of the documentation. INVALID_INPUT names what is wrong in a file."""
    user, own = state.read_settings(workspace.store.folder)
    own = {key: value for key, value in own.items() if canonical_key(key) not in USER_ONLY}
    values = _values(parse_settings(user, own))
    defaults = _values(Settings())
    return tuple(
        Setting(
            name=name,
            aliases=_aliases(name),
            value=values[name],
            default=defaults[name],
            source="workspace" if _holds(own, name) else "user" if _holds(user, name) else "default",
            documentation=" ".join((field.description or "").split()),
        )
        for name, field in Settings.model_fields.items()
    )


def get_setting(credential: PersonCredential, workspace: Workspace, state: StateDirectory, key: str) -> Setting:
    """One setting by its name or an alias; INVALID_INPUT for an unknown one."""
    name = canonical_key(key)
    return next(setting for setting in list_settings(credential, workspace, state) if setting.name == name)


def set_setting(
    credential: PersonCredential,
    workspace: Workspace,
    state: StateDirectory,
    key: str,
    value: Any,
    *,
    user: bool = False,
) -> Setting:
    """Set a setting; INVALID_INPUT, and nothing is written, when the settings wouldn't be valid with it.

    `value` is a JSON value, or such a value as text (`true`, `["*.lock"]`, `ask`).
    """
    name = _settable(key, user=user)
    checked = _checked(name, value)
    if checked is None:
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"Setting {name} needs a value.")
    _write(credential, workspace, state, name, checked, user=user)
    return get_setting(credential, workspace, state, name)


def unset_setting(
    credential: PersonCredential, workspace: Workspace, state: StateDirectory, key: str, *, user: bool = False
) -> Setting:
    """Take a setting out of the workspace's file (or the user's), so that what is below it counts again."""
    name = canonical_key(key)
    _write(credential, workspace, state, name, None, user=user)
    return get_setting(credential, workspace, state, name)


def mode_of(_credential: PersonCredential, workspace: Workspace) -> Mode:
    """The permission mode as it stands."""
    return workspace.settings().mode


def set_mode(credential: PersonCredential, workspace: Workspace, state: StateDirectory, word: str) -> Mode:
    """Set the workspace's mode by its name or level (`auto`, `2`)."""
    return Mode(set_setting(credential, workspace, state, "mode", word.strip().lower()).value)


def _settable(key: str, *, user: bool) -> str:
    """The setting's own name; INVALID_INPUT for one that a workspace can't have for itself."""
    name = canonical_key(key)
    if name in USER_ONLY and not user:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"Setting {name} is the server's, for all your workspaces.",
            next_step="Add `--user`.",
        )
    return name


def _checked(name: str, value: Any) -> Any:
    """The value in its own form: a text as itself where that is valid, else as the JSON that it spells."""
    try:
        return _values(parse_settings({name: value}))[name]
    except WorkroomError:
        spelled = _spelled(value) if isinstance(value, str) else None
        if spelled is None:
            raise
        return _values(parse_settings({name: spelled}))[name]


def _spelled(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _write(
    credential: PersonCredential, workspace: Workspace, state: StateDirectory, name: str, value: Any, *, user: bool
) -> None:
    workspace.audit.notice()
    before = _mode(workspace, state)
    old = _in_layer(workspace, state, name, user=user)
    file = state.settings_file if user else workspace.store.folder / _FILE
    line = SettingChanged(name, "user" if user else "workspace", old, None if value is None else json.dumps(value))
    with workspace.store.write() as db:  # whoever notices the file before its line is there would take it for found
        state.write_setting(file, name, value, aliases=_aliases(name))
        after = _mode(workspace, state)
        with contextlib.suppress(WorkroomError):  # the other file is wrong: told once it is right
            workspace.audit.know_settings(db, state.read_settings(workspace.store.folder), told=True)
        workspace.store.record(db, line, credential.actor, workspace.clock())
        workspace.store.emit(db, SettingsChanged((name,)), workspace.clock())
        if after is not None and after is not before:
            workspace.store.emit(db, ModeChanged(str(after)), workspace.clock())


def _mode(workspace: Workspace, state: StateDirectory) -> Mode | None:
    """The mode that the files say, or None while they are wrong: setting a setting right must still be possible."""
    try:
        return parse_settings(*state.read_settings(workspace.store.folder)).mode
    except WorkroomError:
        return None


def _in_layer(workspace: Workspace, state: StateDirectory, name: str, *, user: bool) -> str | None:
    """What a file says of a setting, as JSON text; None where it says nothing, or can't be read."""
    try:
        layer = state.read_settings(workspace.store.folder)[0 if user else 1]
    except WorkroomError:
        return None
    found = [layer[key] for key in (name, *_aliases(name)) if key in layer]
    return json.dumps(found[0], default=str) if found else None


def _holds(layer: Mapping[str, Any], name: str) -> bool:
    return any(key in layer for key in (name, *_aliases(name)))


def _aliases(name: str) -> tuple[str, ...]:
    return tuple(theirs for theirs, ours in ALIASES.items() if ours == name)


def _values(settings: Settings) -> dict[str, Any]:
    return settings.model_dump(mode="json")
