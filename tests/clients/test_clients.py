"""Clients that people use, end to end: a real client, a scripted model, a real server, and a person in a terminal.

With the other tests the quickest is driven; `make clients` drives all and prints what was found.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.clients.drive import CHOSEN, CLIENTS, Client, Scene
from tests.clients.model import Model, Say, Shown, Use
from tests.interfaces.e2e import tree, user, workroom
from tests.pictures import png

from workroom.interfaces.mcp.adapters import ADAPTERS, Adapter

_EDIT = {"type": "replace", "path": "a.py", "search": "x = 1", "replacement": "x = 2"}
_APPLY = Use("workspace_edit", {"action": "apply", "operations": [_EDIT]})
_TEE = Path(__file__).with_name("tee.py")


@pytest.fixture
def home() -> Iterator[Path]:
    """The home of somebody new; a server that was started from it is stopped."""
    folder = Path(tempfile.mkdtemp(prefix="wr-"))  # short enough for a socket
    yield folder
    with suppress(AssertionError):  # none is running
        workroom(user(folder), folder, "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    """A folder in manual mode."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    (folder / "long.txt").write_text("".join(f"line {number:06} of a long file\n" for number in range(9_000)))
    workroom(user(home), folder, "open")
    workroom(user(home), folder, "mode", "manual")
    return folder


def said(record: Path) -> list[Any]:
    """What a client said to the server, message by message."""
    return [json.loads(line) for line in record.read_bytes().splitlines()]


def introduced(params: dict[str, Any]) -> str | None:
    """What a client calls itself in a message: in its handshake, or with each request where there is none."""
    told = params.get("clientInfo") or params.get("_meta", {}).get("io.modelcontextprotocol/clientInfo", {})
    return told.get("name")


def drive(name: str, home: Path, folder: Path, turns: list[Any]) -> tuple[Model, list[Any]]:
    """Run a client through a script; the model with what it was shown, and what the client said to the server."""
    client: Client = CLIENTS[name]
    record = home / "record"
    with Model(turns) as model:
        server = (sys.executable, str(_TEE), str(record), str(folder))
        done = client.run(Scene(home, folder, model.url, server, user(home)))
    assert done.returncode == 0, done
    assert model.faults == [], done
    assert len(model.results) == len(turns) - 1, done
    return model, said(record)


@pytest.mark.parametrize("name", CHOSEN)
def test_a_client_edits_after_the_persons_yes_and_the_person_undoes_it(name, home, folder):
    before = tree(folder)

    def wait(_shown: Shown) -> Use:
        assert tree(folder) == before, "nothing is done before the person's yes"
        workroom(user(home), folder, "accept")
        return _APPLY

    model, messages = drive(
        name,
        home,
        folder,
        [
            lambda _: Use("workspace_inspect", {"action": "read", "path": "a.py"}),
            lambda _: _APPLY,
            wait,
            lambda _: Say("x is 2."),
        ],
    )
    read, staged, applied = model.results
    assert "1 | x = 1" in read, "the model sees what it reads"
    assert "Awaiting approval approval_" in staged
    assert "workroom accept approval_" in staged, "and what it is to tell its user"
    assert "+x = 2" in staged, "with the change that waits"
    assert "Applied tx_" in applied
    assert (folder / "a.py").read_text() == "x = 2\n"
    workroom(user(home), folder, "undo", "--yes")
    assert tree(folder) == before
    assert name in {introduced(message.get("params", {})) for message in messages}, "the adapter is found by this name"


@pytest.mark.parametrize("name", CHOSEN)
def test_an_answer_is_kept_to_what_the_client_shows_a_model(name, home, folder):
    adapter: Adapter = ADAPTERS[name]
    model, _ = drive(
        name,
        home,
        folder,
        [
            lambda _: Use("workspace_inspect", {"action": "read", "path": "long.txt", "max_chars": 200_000}),
            lambda _: Say("Read."),
        ],
    )
    (shown,) = model.results
    assert "truncated" in shown.lower(), "the cut is ours, and told"
    assert "start_line" in shown or "nextStartLine" in shown, "with the way to go on"
    assert adapter.client_cut not in shown, "the client had nothing to cut"
    assert "1 | line 000000" in shown
    assert ('"protocol"' in shown) == (adapter.shows == "structured")


@pytest.mark.parametrize("name", CHOSEN)
def test_a_picture_reaches_the_model_of_a_client_that_shows_them(name, home, folder):
    data = png(6, 4)
    (folder / "a.png").write_bytes(data)
    model, _ = drive(
        name,
        home,
        folder,
        [
            lambda _: Use("workspace_inspect", {"action": "read", "path": "a.png"}),
            lambda _: Say("A grey picture."),
        ],
    )
    (shown,) = model.results
    assert "image/png, 6 x 4 pixels" in shown
    sent = json.dumps(model.requests[-1])
    assert (base64.b64encode(data).decode() in sent) is ADAPTERS[name].limits.pictures
