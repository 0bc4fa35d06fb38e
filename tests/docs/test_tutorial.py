"""The tutorial does what it says: its commands are run, in order, against the real server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
_COMMAND = re.compile(r"^\$ (.+)\n(?:\[(\d+)\]\n)?", re.MULTILINE)


def commands(page: Path) -> list[tuple[str, int]]:
    """The commands of a page, and the exit code that each is to have."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [(command, int(code or 0)) for block in blocks for command, code in _COMMAND.findall(block)]


@pytest.fixture
def sample():
    """The sample project, served; how to run a line of shell in it."""
    base = Path(tempfile.mkdtemp(prefix="wr-"))  # short: a socket's path must be
    folder = base / "sample"
    subprocess.run([sys.executable, HOUSE / "tools" / "make_sample.py", folder], check=True, capture_output=True)
    kept = {name: os.environ[name] for name in ("COVERAGE_PROCESS_CONFIG",) if name in os.environ}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {**kept, "PATH": path, "HOME": str(base), "WORKROOM_STATE": str(base / "state"), "LC_ALL": "C.UTF-8"}

    def run(line: str) -> subprocess.CompletedProcess[str]:
        argv = ["sh", "-c", line]
        return subprocess.run(argv, cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False)

    argv = ["workroom", "serve", str(folder)]
    server = subprocess.Popen(argv, cwd=base, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline().startswith("Serving ")
        yield run
    finally:
        server.terminate()
        server.communicate(timeout=60)
        shutil.rmtree(base)


def test_every_command_of_the_tutorial_ends_as_it_says(sample):
    said = {}
    for command, code in commands(HOUSE / "docs" / "tutorial.md"):
        done = sample(command)
        assert done.returncode == code, (command, done.stdout, done.stderr)
        said[command] = done.stdout
    assert "- soup" in said["cat TODO.md"]
    assert "pancakes" in said["cat TODO.md"]
    assert len(said) > 15
