"""One workspace put together: owned by one, recovered, with settings that follow the files."""

from __future__ import annotations

import os
import time
from contextlib import closing

import apsw
import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Mode
from workroom.person.credential import PersonCredential
from workroom.person.settings import set_setting
from workroom.server.build import build_workspace, close_workspace
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")


@pytest.fixture
def workspace(state, folder):
    workspace = build_workspace(str(folder), state)
    yield workspace
    close_workspace(workspace)


def test_a_folder_has_one_owner(workspace, state, folder):
    with pytest.raises(WorkroomError) as caught:
        build_workspace(str(folder), state)
    assert caught.value.code is ErrorCode.UNSUPPORTED
    assert str(folder) in str(caught.value)


def test_a_closed_folder_may_be_opened_again(state, folder):
    first = build_workspace(str(folder), state)
    close_workspace(first)
    second = build_workspace(str(folder), state)
    assert second.store.folder == first.store.folder
    close_workspace(second)


def test_a_crash_that_cannot_be_undone_now_is_told_and_the_folder_is_free(state, folder):
    first = build_workspace(str(folder), state)
    close_workspace(first)
    with closing(apsw.Connection(str(first.store.folder / "workspace.db"))) as db:
        db.execute("ALTER TABLE intents RENAME TO gone")
        with pytest.raises(WorkroomError, match="no such table") as caught:
            build_workspace(str(folder), state)
        assert caught.value.code is ErrorCode.IO_ERROR
        assert str(folder) in caught.value.message
        assert caught.value.next_step
        db.execute("ALTER TABLE gone RENAME TO intents")
    close_workspace(build_workspace(str(folder), state))


def test_settings_follow_the_files(workspace, state):
    assert workspace.settings().mode is Mode.PLAN
    assert workspace.settings() is workspace.settings()
    state.settings_file.write_text('mode = "manual"\n')
    assert workspace.settings().mode is Mode.MANUAL
    own = workspace.store.folder / "settings.toml"
    own.write_text("permissionMode = 2\n")
    assert workspace.settings().mode is Mode.AUTO
    own.write_text('mode = "whatever"\n')
    with pytest.raises(WorkroomError) as caught:
        workspace.settings()
    assert caught.value.code is ErrorCode.INVALID_INPUT
    own.unlink()
    assert workspace.settings().mode is Mode.MANUAL


def test_settings_are_not_parsed_again_while_nothing_changes(workspace, state):
    state.settings_file.write_text('mode = "auto"\n')
    past = time.time() - 60
    os.utime(state.settings_file, (past, past))
    assert workspace.settings() is workspace.settings()


def test_views_follow_the_store(workspace, folder):
    workspace.approvals.stage(
        kind="command", title="Run it", destructive=False, asks=(), fingerprint="f", requests=(), tool="workspace_edit",
        arguments={"action": "list"}, preview={}, actor=Actor("agent", "tester"), profile="workspace",
    )  # fmt: skip
    assert "Run it" in (folder / ".agentic" / "approvals" / "state.json").read_text()
    assert (folder / ".agentic" / ".gitignore").read_text() == "*\n"


def found(workspace):
    return [row["what"] for row in workspace.audit.lines() if row["kind"] == "settings_found"]


def test_what_was_edited_by_hand_is_told_to_the_audit_log_once(state, folder):
    """At the next call, at the next opening, and before the person changes a setting; their own change is told so."""
    state.settings_file.write_text('mode = "manual"\n')
    first = build_workspace(str(folder), state)
    assert found(first) == [{"old": {}, "new": {"user.mode": '"manual"'}}]
    own = first.store.folder / "settings.toml"
    own.write_text("destructive_edits = 'allow'\n")
    caller = Call(first, Actor("agent", "tester", "session_1"))
    for _ in range(2):
        call(caller, "workspace_inspect", {"action": "overview"})
    assert found(first)[1:] == [{"old": {}, "new": {"workspace.destructive_edits": '"allow"'}}]
    own.write_text("destructive_edits = 'ask'\n")
    set_setting(ANN, first, state, "mode", "auto")
    assert found(first)[2:] == [
        {"old": {"workspace.destructive_edits": '"allow"'}, "new": {"workspace.destructive_edits": '"ask"'}}
    ]
    close_workspace(first)
    own.write_text("mode = 'auto'\n")
    second = build_workspace(str(folder), state)
    assert found(second)[3:] == [{"old": {"workspace.destructive_edits": '"ask"'}, "new": {}}]
    own.write_text("no TOML")
    second.audit.notice()
    assert (len(found(second)), second.audit.verify().good) == (4, True)
    close_workspace(second)
