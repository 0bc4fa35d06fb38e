"""The MCP inspector as a peer: it finds and reads resources and prompts."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from tests.interfaces.e2e import install_inspector, user, workroom


@pytest.fixture
def home():
    """A home of somebody's own: the inspector hands a server little more of the environment."""
    folder = Path(tempfile.mkdtemp(prefix="wr-"))  # short enough for a socket
    yield folder
    workroom(user(folder), folder, "stop")
    shutil.rmtree(folder)


def test_the_inspector_reads_resources_and_gets_prompts(home, tmp_path):
    inspector, environ = install_inspector(), user(home)
    folder = tmp_path / "ws"
    folder.mkdir()
    workroom(environ, folder, "open")
    workroom(environ, folder, "mode", "auto")
    operations = json.dumps([{"type": "create", "path": "a.txt", "content": "one\n"}])
    assert inspector.call(environ, folder, "workspace_edit", "action=apply", f"operations={operations}")["ok"]

    def ask(method, *arguments):
        return inspector.ask(environ, folder, method, *arguments)

    uris = [row["uri"] for row in ask("resources/list")["resources"]]
    assert uris == ["workroom://changes", "workroom://history/1"]
    (contents,) = ask("resources/read", "--uri", "workroom://history/1")["contents"]
    assert "+one" in contents["text"]
    got = ask("prompts/get", "--prompt-name", "explain", "--prompt-args", "entry=1")
    assert "+one" in got["messages"][0]["content"]["text"]
