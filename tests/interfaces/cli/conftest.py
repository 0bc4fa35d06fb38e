"""The real program as a subprocess, against a real server, in a folder and a state directory of the test's own."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.conftest import unwatched

from workroom.interfaces.cli.client import call_tool, person

_SECONDS = 60


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Program:
    """`workroom`, run where the person stands."""

    folder: Path
    state: Path

    @property
    def environ(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
        return {**kept, "WORKROOM_STATE": str(self.state), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "workroom", *arguments]

    def run(self, *arguments: str, stdin: str = "", cwd: Path | None = None, **environ: str) -> Done:
        """Run a command in a pipe."""
        ended = subprocess.run(
            self.argv(*arguments),
            cwd=cwd or self.folder,
            env={**self.environ, **environ},
            input=stdin.encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
        return Done(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def at_terminal(self, *arguments: str, typed: str = "", **environ: str) -> Done:
        """Run a command at a terminal that has standard error apart; `typed` is typed at its first question."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            self.argv(*arguments),
            cwd=self.folder,
            env={**self.environ, "COLUMNS": "200", **environ},
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
        ) as process:
            os.close(theirs)
            try:
                out = _talk(ours, typed)
                err = process.stderr.read().decode()
            finally:
                process.kill()  # when it is through already, nothing happens
        os.close(ours)
        return Done(process.returncode, out.replace("\r\n", "\n"), err)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the server as the person, without a process for it."""
        with person(str(self.folder), environ=self.environ) as asking:
            return asking.ask(method, **params)

    def ask_server(self, method: str, **params: Any) -> dict[str, Any]:
        """The same about the server alone."""
        with person(environ=self.environ) as asking:
            return asking.ask(method, **params)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool as an agent, without a process for it; its envelope."""
        return call_tool(str(self.folder), "workspace", f"workspace_{tool}", arguments, environ=self.environ)

    def edit(self, *operations: dict[str, Any], title: str = "A change") -> dict[str, Any]:
        return self.call("edit", action="apply", title=title, operations=list(operations))

    def stage(self, *operations: dict[str, Any], title: str = "A change") -> str:
        """Have an edit wait; its approval's id."""
        found: str = self.edit(*operations, title=title)["data"]["approval"]["id"]
        return found

    def write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def read(self, path: str) -> str:
        return (self.folder / path).read_bytes().decode()


def _talk(descriptor: int, typed: str) -> str:
    """What a program prints at its terminal; `typed` is written when it asks."""
    data = b""
    while select.select([descriptor], [], [], _SECONDS)[0]:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:  # the other side has closed the terminal
            break
        if not chunk:
            break
        data += chunk
        if typed and b"[y/N]" in data:
            os.write(descriptor, typed.encode())
            typed = ""
    return data.decode()


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    """A state directory with a path short enough for a socket; its server is stopped at the end."""
    folder = unwatched(Path(tempfile.mkdtemp(prefix="wr-", dir="/tmp")))
    yield folder
    Program(Path("/"), folder).run("stop")
    shutil.rmtree(folder)


@pytest.fixture
def program(state: Path, tmp_path: Path) -> Program:
    """The program in an empty folder that is no workspace yet; tests of a module share a server."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return Program(folder, state)


@pytest.fixture
def manual(program: Program) -> Program:
    """The program in an open workspace with one file, where each change waits for a yes."""
    program.write("a.txt", "hello\nworld\n")
    with person(environ=program.environ) as asking:
        asking.ask("open", path=str(program.folder))
    program.ask("mode", mode="manual")
    return program


@pytest.fixture
def auto(manual: Program) -> Program:
    """The same where changes run."""
    manual.ask("mode", mode="auto")
    return manual
