"""The program as a whole: its options, how it ends, the server's coming and going, an agent's call."""

import json
import os
import re
import signal
import subprocess

import pytest

from workroom.interfaces import link
from workroom.interfaces.cli.app import COMMANDS
from workroom.interfaces.cli.exits import MEANINGS, Exit


def test_help_lists_every_command(program):
    shown = program.run("--help")
    assert shown.code == 0
    for name in (*COMMANDS, "settings"):
        assert re.search(rf"^  {name}  ", shown.out, re.MULTILINE), name
    assert program.run("--version").out == f"workroom {link.VERSION}\n"
    assert set(MEANINGS) == set(Exit)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["-C", "/nowhere/at/all", "status"],
        ["call", "workspace_inspect"],
        ["call", "workspace_inspect", "{nonsense"],
        ["call", "workspace_inspect", "[1]"],
        ["call", "workspace_inspect", '{"a": NaN}'],
        ["undo", "--nonsense"],
    ],
)
def test_a_wrong_command_line(program, arguments):
    done = program.run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Error" in done.err


def test_a_command_loads_neither_the_server_nor_what_a_pipe_does_not_need(program):
    loaded = program.run("status", PYTHONPROFILEIMPORTTIME="1").err
    names = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
    assert "typer" in names
    assert not names & {"workroom.server", "rich", "pygit2", "apsw", "tomlkit", "asyncio", "charset_normalizer"}


def test_a_folder_is_opened_closed_and_opened_again(program):
    opened = program.run("open")
    assert (opened.code, opened.out) == (0, f"Open: {program.folder} (mode plan)\n")
    assert f"workroom mcp {program.folder}" in opened.err
    assert f"{program.folder}\tplan\t0\n" in program.run("status").out
    assert str(program.folder) in program.at_terminal("status").out
    found = program.run("status", "--json").json
    assert {"path": str(program.folder), "mode": "plan", "pending": 0} in found["workspaces"]
    assert program.run("close").out == f"Closed: {program.folder}\n"
    again = program.run("close")
    assert (again.code, again.out) == (3, "")
    assert program.run("close", "--json").json == {"ok": True, "path": str(program.folder), "closed": False}
    assert program.run("log").code == 0
    reopened = program.run("open", ".", "--json").json
    assert (reopened["ok"], reopened["path"], reopened["mode"]) == (True, str(program.folder), "plan")
    missing = program.run("open", "../nowhere", "--json")
    assert (missing.code, missing.json["error"]["code"]) == (1, "NOT_FOUND")


def test_a_copied_folder_takes_over_a_history_when_told(manual):
    manual.ask("mode", mode="auto")
    manual.edit({"type": "create", "path": "b.txt", "content": "b\n"})
    other = manual.folder.with_name("other")
    other.mkdir()
    (other / "b.txt").write_text("b\n")
    assert manual.run("open", str(other), "--adopt", ".").code == 1
    manual.run("close")
    assert manual.run("open", str(other), "--adopt", ".").code == 0
    assert "b.txt" in manual.run("-C", str(other), "log").out


def test_commands_mean_the_workspace_in_which_the_person_stands(manual):
    record = manual.stage({"type": "create", "path": "b.txt", "content": "b\n"})
    below = manual.folder / "deep" / "down"
    below.mkdir(parents=True)
    assert record in manual.run("pending", cwd=below).out
    assert record in manual.run("-C", str(manual.folder), "-C", "deep", "pending", cwd=below.parents[3]).out
    outside = manual.run("pending", "--json", cwd=manual.folder.parent)
    assert (outside.code, outside.json["error"]["code"]) == (1, "NOT_FOUND")
    assert "workroom open FOLDER" in outside.err


def test_an_agents_call_prints_its_answer_alone(auto):
    done = auto.run("call", "workspace_inspect", "-", stdin='{"action": "read", "path": "a.txt"}')
    assert (done.code, done.err) == (0, "")
    assert done.json["protocol"] == "agentic-workspace/v1"
    assert "hello" in done.json["data"]["text"]
    refused = auto.run("call", "workspace_nonsense", "{}")
    assert (refused.code, refused.json["ok"], refused.err) == (5, False, "")
    assert auto.at_terminal("call", "workspace_inspect", '{"action": "capabilities"}').json["ok"] is True
    unknown = auto.run("--profile", "files", "call", "read_file", "{}")
    assert (unknown.code, unknown.json["error"]["code"]) == (1, "UNSUPPORTED")


def test_mcp_behind_an_option(auto):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    done = auto.run("-C", str(auto.folder), "mcp", stdin=request)
    assert done.code == 0
    assert done.json["result"]["serverInfo"]["name"] == "workroom"


def test_without_a_server(program, tmp_path):
    elsewhere = {"WORKROOM_STATE": str(tmp_path / "none")}
    for command in (["status"], ["close"]):
        done = program.run(*command, **elsewhere)
        assert (done.code, done.out) == (4, "")
        assert "No server is running." in done.err
    assert program.run("status", "--json", **elsewhere).json["error"]["code"] == "NOT_FOUND"
    assert program.run("stop", **elsewhere).code == 3
    assert program.run("stop", "--json", **elsewhere).json == {"ok": True, "stopped": False}
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("")
    for command in (["pending"], ["call", "workspace_inspect", "{}"]):
        done = program.run(*command, WORKROOM_STATE=str(tmp_path / "file" / "state"))
        assert done.code == 4, done
        assert done.err.startswith("workroom: ")


def test_a_reader_who_goes_ends_a_command_quietly(auto):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        auto.argv("settings"), cwd=auto.folder, env=auto.environ, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_folder_that_is_gone(program):
    done = subprocess.run(
        ["sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; exec "$@"', "sh", *program.argv("pending")],
        cwd=program.folder,
        env=program.environ,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.decode() == "workroom: IO_ERROR: No such file or directory.\n"


def test_serve_until_ctrl_c(program):
    state = {"WORKROOM_STATE": str(program.state / "own")}
    with subprocess.Popen(
        program.argv("serve", "."), cwd=program.folder, env={**program.environ, **state}, stdout=subprocess.PIPE
    ) as server:
        try:
            first = server.stdout.readline().decode()
            there = program.run("serve", **state)
            status = program.run("status", **state)
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 0
        finally:
            server.kill()
    assert str(program.folder) in first
    assert (there.code, "A server is running already" in there.out) == (0, True)
    assert f"{program.folder}\t" in status.out
    assert program.run("status", **state).code == 4


def test_stop_ends_the_server_and_frees_its_folders(program):
    state = {"WORKROOM_STATE": str(program.state / "stopped")}
    assert program.run("open", **state).code == 0
    assert program.run("stop", **state).out == "Stopped.\n"
    assert program.run("status", **state).code == 4
    assert program.run("open", **state).code == 0
    assert program.run("stop", "--json", **state).json == {"ok": True, "stopped": True}
