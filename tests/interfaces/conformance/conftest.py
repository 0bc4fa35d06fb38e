"""The suites as their locks have them, and the two servers that they are run against."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.interfaces.conformance.proxy import proxied
from tests.interfaces.conftest import Room
from tests.npm import install

HERE = Path(__file__).parent
SECONDS = 300
"""A guard against hanging, no measure."""
_STAMP = re.compile(r"server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z")


def run_suite(suite: str, revision: str | None, port: int) -> dict[str, dict[str, str]]:
    """Every scenario of a suite: what each of its checks came to, the ones that only tell something left out.

    A check that is made more than once counts by its worst. The suite's own waits are stretched (patient.mjs): what is
    judged is what is answered, not how busy the machine is.
    """
    installed = install(HERE / suite)
    node = Path(sys.executable).with_name("node")
    program = installed / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    with tempfile.TemporaryDirectory() as results:
        command = [
            str(node),
            "--import",
            str(HERE / "patient.mjs"),
            str(program),
            "server",
            "--url",
            f"http://localhost:{port}/mcp",
            "--suite",
            "all",
        ]
        command += ["-o", results, *(["--spec-version", revision] if revision else [])]
        done = subprocess.run(
            command, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        found = {}
        for folder in sorted(Path(results).iterdir()):
            named = _STAMP.fullmatch(folder.name)
            assert named is not None, folder.name
            found[named[1]] = _worst(json.loads((folder / "checks.json").read_text()))
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return found


def _worst(checks: list[dict[str, str]]) -> dict[str, str]:
    order = ("SUCCESS", "SKIPPED", "WARNING", "FAILURE")
    found: dict[str, str] = {}
    for check in checks:
        if check["status"] in order:
            found[check["id"]] = max(found.get(check["id"], "SUCCESS"), check["status"], key=order.index)
    return found


@pytest.fixture
def fixture_port() -> Iterator[int]:
    """The fixture server, running."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.interfaces.conformance.fixture"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def workroom_port(room: Room) -> Iterator[int]:
    """A real server, behind a proxy that shows a token of its."""
    (room.folder / "a.txt").write_text("text\n")
    person = room.person(room.folder)
    person.get("settings.set", key="mode", value="auto")
    port = int(person.get("http", port=0)["url"].rpartition(":")[2])
    token = person.get("clients.create", name="suite", folders=[str(room.folder)])["token"]
    with proxied(port, token) as proxy:
        yield proxy
