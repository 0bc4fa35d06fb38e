"""Programs of npm's that tests drive, as their locks have them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

__all__ = ["install"]

_PROGRAMS = Path(sys.executable).parent
_INSTALL_SECONDS = 600


def install(locked: Path, *options: str) -> Path:
    """The folder in which the packages of `locked/package-lock.json` are installed; no script of theirs is run.

    They are installed once into the environment that runs the tests. Skips where npm can't fetch them.
    """
    named = hashlib.sha256((locked / "package-lock.json").read_bytes()).hexdigest()[:12]
    target = Path(sys.prefix, "npm", locked.name, named)
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other workers want it too
        if not target.exists():
            _install(locked, target, options)
    return target


def _install(locked: Path, target: Path, options: tuple[str, ...]) -> None:
    """Install beside the target, then move it there whole."""
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        work = Path(name, "new")
        shutil.copytree(locked, work)
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        done = subprocess.run(
            [str(_PROGRAMS / "npm"), "ci", *quiet, *options],
            cwd=work,
            env={**os.environ, "PATH": f"{_PROGRAMS}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_INSTALL_SECONDS,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"npm can't install {locked.name}: {done.stderr[:300]}")
        work.rename(target)
