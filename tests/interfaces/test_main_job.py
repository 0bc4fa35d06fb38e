"""The main job, end to end, with nothing but what its users have: `make serve`, an MCP client, `workroom`.

An agent edits a real folder through Workroom; what it may do depends on the mode; a person decides in the terminal;
every change is all or nothing, and can be undone.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.interfaces.e2e import PROJECT, SECONDS, Inspector, checkout, install_inspector, tree, user, workroom

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link


@pytest.fixture(scope="session")
def inspector() -> Inspector:
    return install_inspector()


@pytest.fixture
def home() -> Iterator[Path]:
    """The home of somebody new; a server that was started from it is stopped."""
    folder = Path(tempfile.mkdtemp(prefix="wr-"))  # short enough for a socket
    yield folder
    with suppress(AssertionError):  # none is running
        workroom(user(folder), folder, "stop")
    workroom(user(folder), folder, "status", code=4)
    shutil.rmtree(folder)


@contextmanager
def make_serve(folder: Path, environ: dict[str, str]) -> Iterator[None]:
    """`make serve FOLDER=…` in a terminal, until Ctrl-C is typed there."""
    with subprocess.Popen(
        ["make", "serve", f"FOLDER={folder}"],
        cwd=PROJECT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as serve:
        try:
            said = next(line for line in serve.stdout if not line.startswith("page: built "))
            assert said == f"Serving {folder}. An agent connects with: workroom mcp {folder}\n", said
            yield
        finally:
            os.killpg(serve.pid, signal.SIGINT)  # a terminal tells all that run in it
        assert "Traceback" not in serve.stdout.read()


def replace(path: str, search: str, replacement: str) -> dict[str, object]:
    return {"type": "replace", "path": path, "search": search, "replacement": replacement}


def edit(client, *operations, action="apply", **more):
    """One call of workspace_edit by a raw client; its envelope."""
    answer = client.call("workspace_edit", action=action, operations=list(operations), **more)
    assert answer["isError"] is not answer["structuredContent"]["ok"]
    return answer["structuredContent"]


def set_mode(room, mode: str) -> None:
    assert room.person(room.folder).get("mode", mode=mode)["mode"] == mode


def waiting(room, *, code: int = 0) -> list[str]:
    """The ids of what waits, newest first; `code` is 3 when nothing does."""
    printed = workroom(room.environ, room.folder, "pending", "--json", code=code)
    return [row["id"] for row in json.loads(printed)["pending"]]


# Manual: every change waits for a yes.


def three_file_edit(folder: Path) -> tuple[list[dict[str, object]], dict[str, tuple[int, bytes]]]:
    """An edit of three files in a checkout of typer, and the tree as it is to be afterwards."""
    after = tree(folder)
    (script, main), (plain, _) = after["typer/__main__.py"], after["typer/core.py"]
    assert script != plain
    core = (folder / "typer/core.py").read_bytes()
    lines = core.splitlines(keepends=True)
    operations: list[dict[str, object]] = [
        replace("typer/__main__.py", "main()\n", "main()  # the way in\n"),
        {
            "type": "splice",
            "path": "latest/core.py",  # through the link
            "start_line": 2,
            "delete_count": 1,
            "content": "# Rewritten: ünï\n",
            "expected_hash": hashlib.sha256(core).hexdigest(),
        },
        {"type": "create", "path": "typer/today.md", "content": "# Today\n"},
    ]
    after["typer/__main__.py"] = script, main.replace(b"main()\n", b"main()  # the way in\n")
    after["typer/core.py"] = plain, b"".join([lines[0], "# Rewritten: ünï\n".encode(), *lines[2:]])
    after["typer/today.md"] = plain, b"# Today\n"
    return operations, after


def test_a_new_user_serves_a_project_accepts_an_edit_and_undoes_it(inspector, home, tmp_path):
    folder, environ = tmp_path / "project", user(home)
    checkout(folder)
    before = tree(folder)
    operations, after = three_file_edit(folder)
    with make_serve(folder, environ):
        assert workroom(environ, folder, "mode", "manual") == "manual\n"

        preview = inspector.ask(  # operations as a JSON string, as some clients send them
            environ, folder, "tools/call", "--tool-name", "workspace_edit",
            "--tool-args-json", json.dumps({"action": "preview", "operations": json.dumps(operations)}),
        )["structuredContent"]  # fmt: skip
        assert (preview["operation"], preview["data"]["status"]) == ("edit.preview", "planned")
        assert "+# Rewritten: ünï" in preview["data"]["diffPreview"]

        apply = ("action=apply", "title=Three files", f"operations={json.dumps(operations)}")
        staged = inspector.call(environ, folder, "workspace_edit", *apply)
        assert staged["ok"] is True
        assert staged["data"]["status"] == "pending_approval"
        assert staged["data"]["committed"] is False
        assert staged["data"]["mode"] == "manual"
        assert staged["data"]["diffPreview"] == preview["data"]["diffPreview"]
        assert staged["retention"]["importance"] == "critical"
        approval = staged["data"]["approval"]
        assert tree(folder) == before

        shown = workroom(environ, folder, "show")
        assert approval["id"] in shown
        assert "+# Rewritten: ünï" in shown
        assert f"Accepted {approval['id']}" in workroom(environ, folder, "accept")
        assert tree(folder) == after

        resume = [f"{name}={value}" for name, value in approval["resume"]["arguments"].items()]
        resumed = inspector.call(environ, folder, approval["resume"]["tool"], *resume)
        assert (resumed["ok"], resumed["data"]["status"]) == (True, "applied")
        changed = [name for name in after if after[name] != before.get(name)]
        assert {row["path"] for row in resumed["data"]["files"]} == set(changed)
        assert tree(folder) == after

        assert "Undone" in workroom(environ, folder, "undo", "--yes")
        assert tree(folder) == before
    assert workroom(environ, folder, "status", code=4) == ""


def test_a_no_with_a_reason_is_told_and_blocks_the_same_call(guest):
    (guest.folder / "a.txt").write_text("one\n")
    client = guest.agent()
    set_mode(guest, "manual")
    operation = replace("a.txt", "one", "two")
    approval = edit(client, operation)["data"]["approval"]["id"]
    workroom(guest.environ, guest.folder, "deny", approval, "not", "now")
    denied = edit(client, operation)
    assert denied["error"]["code"] == "APPROVAL_DENIED"
    assert "not now" in denied["error"]["message"]
    assert approval in denied["error"]["message"]
    assert edit(client, replace("a.txt", "one", "three"))["data"]["status"] == "pending_approval"
    assert (guest.folder / "a.txt").read_text() == "one\n"


def test_what_waits_survives_a_restart_and_is_accepted_after_it(room):
    (room.folder / "a.txt").write_text("one\n")
    client = room.agent()
    set_mode(room, "manual")
    operation = replace("a.txt", "one", "two")
    approval = edit(client, operation)["data"]["approval"]["id"]
    before = room.pid()
    assert "Stopped" in workroom(room.environ, room.folder, "stop")
    workroom(room.environ, room.folder, "status", code=4)
    assert waiting(room) == [approval]
    assert room.pid() != before
    assert edit(client, operation)["data"]["approval"]["id"] == approval  # the client doesn't notice
    workroom(room.environ, room.folder, "accept", approval)
    assert (room.folder / "a.txt").read_text() == "two\n"
    assert edit(client, operation)["data"]["status"] == "applied"


# Plan: changes run while an approved plan is open.


def test_a_plan_opens_the_gate_until_it_is_complete(guest):
    for name in ("a.txt", "b.txt", "c.txt"):
        (guest.folder / name).write_text("one\n")
    client = guest.agent()
    set_mode(guest, "plan")
    assert edit(client, replace("a.txt", "one", "two"))["error"]["code"] == "APPROVAL_REQUIRED"

    steps = ["change a", "change b", "change c"]
    proposed = client.call("workspace_plan", action="propose", title="Ones to twos", objective="Count on", steps=steps)
    plan = proposed["structuredContent"]["data"]["planId"]
    assert plan.startswith("plan_")
    assert edit(client, replace("a.txt", "one", "two"))["error"]["code"] == "APPROVAL_REQUIRED"
    assert f"Accepted {plan}" in workroom(guest.environ, guest.folder, "accept", plan)

    for name in ("a.txt", "b.txt", "c.txt"):
        assert edit(client, replace(name, "one", "two"))["data"]["status"] == "applied"
        assert (guest.folder / name).read_text() == "two\n"

    done = client.call("workspace_plan", action="complete", summary="Done")["structuredContent"]
    assert done["data"]["status"] == "completed"
    locked = edit(client, replace("a.txt", "two", "three"))
    assert locked["error"]["code"] == "APPROVAL_REQUIRED"
    assert "workspace_plan" in locked["error"]["message"]
    assert (guest.folder / "a.txt").read_text() == "two\n"


# Auto: changes run.


def test_auto_runs_at_once_and_a_changed_mode_is_told_to_the_official_client(guest):
    (guest.folder / "a.txt").write_text("one\n")
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "workroom", "mcp", str(guest.folder)], env=guest.environ
    )

    async def use():
        changed = asyncio.Queue()

        async def hear(message):
            changed.put_nowait(message)

        with guest.errors.open("w") as errors:
            async with (
                stdio_client(server, errlog=errors) as (read, write),
                ClientSession(read, write, message_handler=hear) as session,
            ):
                await session.initialize()
                before = [tool.name for tool in (await session.list_tools()).tools]
                await asyncio.to_thread(set_mode, guest, "auto")
                assert "list_changed" in str(await changed.get())
                after = [tool.name for tool in (await session.list_tools()).tools]
                assert [name for name in before if name not in after] == ["workspace_plan"]
                arguments = {"action": "apply", "operations": [replace("a.txt", "one", "two")]}
                answer = await session.call_tool("workspace_edit", arguments)
                assert answer.is_error is False
                assert answer.structured_content["data"]["status"] == "applied"
                assert (guest.folder / "a.txt").read_text() == "two\n"

    asyncio.run(asyncio.wait_for(use(), SECONDS))
    assert waiting(guest, code=3) == []
    workroom(guest.environ, guest.folder, "undo", "--yes")
    assert (guest.folder / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_both_revisions_of_the_protocol_edit(guest, revision):
    (guest.folder / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    client = guest.shim()
    assert client.initialize(revision)["protocolVersion"] == revision
    set_mode(guest, "auto")
    assert client.receive()["method"] == "notifications/tools/list_changed"
    answer = client.call("workspace_edit", action="apply", operations=[replace("a.txt", "one\ntwo", "1\n2\n3")])
    data = answer["structuredContent"]["data"]
    assert (data["status"], data["committed"]) == ("applied", True)
    assert data["files"][0] == {
        "path": "a.txt",
        "change": "modify",
        "beforeSha256": hashlib.sha256(b"one\r\ntwo\r\n").hexdigest(),
        "afterSha256": hashlib.sha256(b"1\r\n2\r\n3\r\n").hexdigest(),
        "added": 3,
        "removed": 2,
        "matched": "line_endings",
    }
    assert answer["content"][0]["type"] == "text"
    assert answer["content"][0]["text"].startswith(answer["structuredContent"]["summary"])
    assert (guest.folder / "a.txt").read_bytes() == b"1\r\n2\r\n3\r\n"
    rolled = client.call("workspace_edit", action="rollback", transaction_id=data["transactionId"])
    assert rolled["structuredContent"]["data"]["status"] == "rolled_back"
    assert (guest.folder / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert client.end() == 0


# The ceiling, and who can decide.


def test_the_ceiling_counts_from_the_next_call_on(guest):
    old = guest.folder / "old.txt"
    old.write_text("old\n")
    (guest.folder / "new.txt").write_text("new\n")
    client = guest.agent()
    set_mode(guest, "auto")
    over = {"type": "create", "path": "new.txt", "content": "newer\n", "overwrite": True}
    delete = {"type": "delete", "path": "old.txt"}

    workroom(guest.environ, guest.folder, "settings", "set", "destructive_edits", "refuse")
    refused = edit(client, delete, over)["error"]
    assert refused["code"] == "PROTECTED_PATH"
    for named in ("delete", "old.txt", "new.txt", "destructive_edits", "allowDestructiveEdits", "instead: replace"):
        assert named in refused["message"], named
    assert refused["details"]["setting"] == "destructive_edits"
    assert [row["path"] for row in refused["details"]["destructive"]] == ["old.txt", "new.txt"]
    assert waiting(guest, code=3) == []

    workroom(guest.environ, guest.folder, "settings", "set", "destructive_edits", "ask")
    staged = edit(client, delete)["data"]
    assert (staged["status"], staged["destructive"]) == ("pending_approval", True)
    assert staged["approval"]["destructive"] is True
    assert old.exists()
    workroom(guest.environ, guest.folder, "deny", staged["approval"]["id"])

    workroom(guest.environ, guest.folder, "settings", "set", "destructive_edits", "allow")
    assert edit(client, over)["data"]["status"] == "applied"
    set_mode(guest, "manual")
    assert edit(client, {**delete, "path": "new.txt"})["data"]["status"] == "pending_approval"
    assert (guest.folder / "new.txt").read_text() == "newer\n"


def test_a_setting_written_into_the_file_counts_from_the_next_call_on(room):
    for name in ("a.txt", "b.txt"):
        (room.folder / name).write_text("one\n")
    client = room.agent()
    (room.state / "settings.toml").write_text('mode = "auto"\n')
    assert edit(client, {"type": "delete", "path": "a.txt"})["error"]["code"] == "PROTECTED_PATH"
    (room.state / "settings.toml").write_text('mode = "auto"\nallowDestructiveEdits = true\n')
    assert edit(client, {"type": "delete", "path": "a.txt"})["data"]["status"] == "applied"
    assert not (room.folder / "a.txt").exists()
    (room.state / "settings.toml").write_text("permissionMode = 0\nallowDestructiveEdits = true\n")
    assert edit(client, {"type": "delete", "path": "b.txt"})["data"]["status"] == "pending_approval"


def test_an_agent_has_no_way_to_decide(guest):
    (guest.folder / "a.txt").write_text("one\n")
    client = guest.agent()
    set_mode(guest, "manual")
    approval = edit(client, replace("a.txt", "one", "two"))["data"]["approval"]["id"]
    for method in ("accept", "mode", "settings.set", "undo", "stop"):
        assert client.request(method, words=approval)["error"]["code"] == -32601
        assert client.call(method, words=approval)["structuredContent"]["error"]["code"] == "NOT_FOUND"
    assert client.call("workspace_edit", action="accept")["structuredContent"]["error"]["code"] == "INVALID_INPUT"
    assert (guest.folder / "a.txt").read_text() == "one\n"
    assert waiting(guest) == [approval]


def test_an_agents_connection_that_shows_the_key_is_still_an_agents(guest):
    guest.agent()
    key = (guest.state / "person.key").read_text()
    joined = link.join(guest.place, link.hello("agent", str(guest.folder), key=key, environ={}), start=False)
    with joined.connection as connection, connection.makefile("rwb") as lines:
        connection.settimeout(SECONDS)
        lines.write(b'{"id": 1, "method": "mode", "params": {"mode": "auto"}}\n')
        lines.flush()
        assert json.loads(lines.readline())["error"]["code"] == -32600
    assert workroom(guest.environ, guest.folder, "mode") == "plan\n"


@pytest.mark.parametrize("key", ["", "0" * 64])
def test_a_person_without_the_key_is_refused(guest, key):
    guest.agent()
    greeting = link.hello("person", str(guest.folder), key=key, environ={})
    with pytest.raises(WorkroomError, match="not the person's") as refused:
        link.join(guest.place, greeting, start=False)
    assert refused.value.code is ErrorCode.PROTECTED_PATH


# Where nothing can be served.


def test_a_folder_that_cannot_be_served_is_explained_to_the_client(inspector, home, tmp_path):
    missing = tmp_path / "missing"
    tools = inspector.ask(user(home), missing, "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["agentic_workspace_status"]
    told = inspector.call(user(home), missing, "agentic_workspace_status")
    assert told["ok"] is True
    assert told["data"]["available"] is False
    assert told["data"]["code"] == "NOT_FOUND"
    assert str(missing) in told["summary"]
