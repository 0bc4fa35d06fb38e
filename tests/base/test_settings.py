from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import ValidationError

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import ALIASES, USER_ONLY, Mode, Settings, canonical_key, parse_settings


def test_without_layers_the_defaults_stand() -> None:
    settings = parse_settings()
    assert settings == Settings()
    assert settings.mode == Mode.PLAN
    assert settings.protected_patterns == ()
    assert ".mcp.json" in settings.ask_patterns
    assert "*.pth" in settings.ask_patterns


def test_every_setting_is_documented() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_later_layers_win_each_setting_for_itself() -> None:
    user = MappingProxyType({"mode": "auto", "max_tool_result_chars": 5000})
    settings = parse_settings(user, {"mode": "manual", "protected_patterns": ["secrets/**"]})
    assert settings.mode == Mode.MANUAL
    assert settings.max_tool_result_chars == 5000
    assert settings.protected_patterns == ("secrets/**",)


def test_settings_are_a_value() -> None:
    with pytest.raises(ValidationError):
        Settings().mode = Mode.AUTO


def test_modes_have_the_levels_of_the_slider() -> None:
    assert [(str(mode), mode.level) for mode in Mode] == [("manual", 0), ("plan", 1), ("auto", 2)]


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({"permissionMode": 0}, "mode", Mode.MANUAL),
        ({"permissionMode": 2}, "mode", Mode.AUTO),
        ({"permissionMode": "plan"}, "mode", Mode.PLAN),
        ({"mode": 2}, "mode", Mode.AUTO),
        ({"allowDestructiveEdits": False}, "destructive_edits", "refuse"),
        ({"allowDestructiveEdits": True}, "destructive_edits", "allow"),
        ({"allowDestructiveEdits": "ask"}, "destructive_edits", "ask"),
        ({"protectedPatterns": ["a"]}, "protected_patterns", ("a",)),
        ({"maxToolResultChars": 2000}, "max_tool_result_chars", 2000),
    ],
)
def test_the_names_and_values_of_system_a_are_taken(given: Mapping[str, Any], name: str, value: object) -> None:
    assert getattr(parse_settings(given), name) == value


def test_a_name_and_its_alias_are_one_setting_and_the_later_wins() -> None:
    assert parse_settings({"mode": "manual"}, {"permissionMode": 2}).mode == Mode.AUTO
    assert parse_settings({"permissionMode": 2}, {"mode": "manual"}).mode == Mode.MANUAL


@pytest.mark.parametrize("key", ["no_such", "Mode", "", "level", "ceiling"])
def test_an_unknown_setting_is_refused_with_the_known_ones(key: str) -> None:
    with pytest.raises(WorkroomError, match="There is no setting") as caught:
        parse_settings({key: 1})
    assert caught.value.code == ErrorCode.INVALID_INPUT
    assert caught.value.details["known"] == sorted(Settings.model_fields)
    json.dumps(caught.value.details)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"mode": "never"}, r"Setting mode \(permissionMode\): "),
        ({"mode": 3}, r"Setting mode \(permissionMode\): "),
        ({"mode": -1}, r"Setting mode \(permissionMode\): "),
        ({"mode": True}, r"Setting mode \(permissionMode\): "),
        ({"destructive_edits": 1}, r"Setting destructive_edits \(allowDestructiveEdits\): "),
        ({"max_tool_result_chars": 1999}, r"Setting max_tool_result_chars \(maxToolResultChars\): "),
        ({"protected_patterns": "a"}, r"Setting protected_patterns \(protectedPatterns\): "),
        ({"protected_patterns": ["a", 1]}, r"Setting protected_patterns \(protectedPatterns\): "),
        ({"max_edit_bytes": 0}, r"Setting max_edit_bytes: "),
        ({"wait_seconds_files": 3601}, r"Setting wait_seconds_files: "),
    ],
)
def test_a_wrong_value_is_refused_by_both_names(given: Mapping[str, Any], named: str) -> None:
    with pytest.raises(WorkroomError, match=named) as caught:
        parse_settings(given)
    assert caught.value.code == ErrorCode.INVALID_INPUT
    assert "workroom settings get" in caught.value.next_step


def test_aliases_stand_for_settings() -> None:
    assert {canonical_key(alias) for alias in ALIASES} == set(ALIASES.values())
    assert {canonical_key(name) for name in Settings.model_fields} == set(Settings.model_fields)


def test_the_ceiling_depends_on_the_profile_unless_it_is_set() -> None:
    assert [Settings().ceiling(profile) for profile in ("workspace", "files", "editor")] == ["refuse", "ask", "ask"]
    assert [Settings(destructive_edits="allow").ceiling(profile) for profile in ("workspace", "files")] == ["allow"] * 2


def test_each_profile_waits_for_itself() -> None:
    assert [Settings().wait_seconds(profile) for profile in ("workspace", "files", "editor")] == [0, 45, 0]
    assert Settings(wait_seconds_editor=7).wait_seconds("editor") == 7


def test_where_the_server_listens_is_checked() -> None:
    settings = parse_settings({"http_port": 80, "http_address": "::1", "http_hosts": ["Work.Example:7117", "[::2]"]})
    assert (settings.http_port, settings.http_address) == (80, "::1")
    assert settings.http_hosts == ("work.example:7117", "[::2]")
    assert Settings.model_fields.keys() >= USER_ONLY


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("http_port", 0),
        ("http_port", 65_536),
        ("http_address", "localhost"),
        ("http_address", "127.0.0.1:80"),
        ("http_hosts", ["http://work.example"]),
        ("http_hosts", ["work.example/"]),
        ("http_hosts", ["*"]),
        ("http_hosts", [""]),
    ],
)
def test_a_place_that_is_none_is_refused(name: str, value: Any) -> None:
    with pytest.raises(WorkroomError, match=name) as caught:
        parse_settings({name: value})
    assert caught.value.code == ErrorCode.INVALID_INPUT
