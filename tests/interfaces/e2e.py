"""What the main job's tests hold in their hands: a real project, the MCP inspector, and `workroom` in a terminal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.npm import install

__all__ = ["PROJECT", "SECONDS", "Inspector", "checkout", "install_inspector", "tree", "user", "workroom"]

SECONDS = 60
"""A guard against hanging, no measure."""
PROJECT = Path(__file__).parents[2]
_PROGRAMS = Path(sys.executable).parent
_LOCKED = Path(__file__).with_name("inspector")


def user(home: Path) -> dict[str, str]:
    """The environment of somebody who has set nothing: a home, and a path on which Workroom's programs come first."""
    kept = {name: os.environ[name] for name in ("COVERAGE_PROCESS_CONFIG",) if name in os.environ}
    return {**kept, "HOME": str(home), "PATH": f"{_PROGRAMS}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}


def workroom(environ: Mapping[str, str], folder: Path, *arguments: str, code: int = 0) -> str:
    """Type `workroom …` where one stands; what it prints."""
    done = _run([str(_PROGRAMS / "workroom"), *arguments], folder, environ)
    assert done.returncode == code, done
    return done.stdout


def checkout(target: Path, package: str = "typer") -> None:
    """A clone of a project as it is in the world: the sources of a package that is installed here, under git."""
    origin = target.with_name("origin")
    shutil.copytree(
        Path(sysconfig.get_path("purelib"), package), origin / package, ignore=shutil.ignore_patterns("__pycache__")
    )
    (origin / package / "__main__.py").chmod(0o755)
    (origin / "latest").symlink_to(package)
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.invalid")
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        (*who, "commit", "-q", "-m", "First"),
        ("clone", "-q", ".", str(target)),
    ):
        environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        assert _run(["git", *arguments], origin, environ).returncode == 0


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything in a folder, git's own files too, by mode and content; only `.agentic` is left out."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] != ".agentic":
            status = path.lstat()
            content = os.fsencode(path.readlink()) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
            found[name] = status.st_mode, content
    return found


@dataclass(frozen=True)
class Inspector:
    """The MCP inspector's command line, as its own documentation has it: a new process, and client, for each call."""

    installed: Path

    def ask(self, environ: Mapping[str, str], folder: Path, method: str, *arguments: str) -> Any:
        """What the server of `folder` answers to one method."""
        return self._ask(environ, "workroom", "mcp", str(folder), "--method", method, *arguments)

    def ask_over_http(self, environ: Mapping[str, str], url: str, token: str, method: str, *arguments: str) -> Any:
        """What the server at `url` answers to a client with this token."""
        header = f"Authorization: Bearer {token}"
        return self._ask(environ, url, "--transport", "http", "--header", header, "--method", method, *arguments)

    def _ask(self, environ: Mapping[str, str], *arguments: str) -> Any:
        inspector = [str(_PROGRAMS / "npx"), "@modelcontextprotocol/inspector", "--cli", "--format", "json"]
        done = _run([*inspector, *arguments], self.installed, environ)
        answer = json.loads(done.stdout or done.stderr.splitlines()[-1])
        return answer.get("result", answer)

    def call(self, environ: Mapping[str, str], folder: Path, tool: str, *arguments: str) -> Any:
        """The envelope that `tool` answers with; arguments as `name=value`, where a value may be JSON."""
        given = [word for pair in arguments for word in ("--tool-arg", pair)]
        return self.ask(environ, folder, "tools/call", "--tool-name", tool, *given)["structuredContent"]


def install_inspector() -> Inspector:
    """The inspector. Its web page's vite is held at a version whose packages every mirror has."""
    return Inspector(install(_LOCKED, "--omit=optional"))


def _run(
    argv: list[str], folder: Path, environ: Mapping[str, str], *, seconds: int = SECONDS
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=folder,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )
