"""Real repositories for tests, made by git itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

__all__ = ["git", "planted", "repository"]

_ENV = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "n",
    "GIT_AUTHOR_EMAIL": "e@x", "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "e@x", "GIT_ALLOW_PROTOCOL": "file",
}  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    """Run git as another program would; what it wrote."""
    done = subprocess.run(["git", *arguments], cwd=folder, env=_ENV, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def repository(folder: Path, **files: str) -> Path:
    """A repository with one commit of these files; a name's `__` is a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    if files:
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "one")
    return folder


def planted(tmp_path: Path, name: str) -> tuple[str, Path]:
    """A program that leaves a mark when it runs, and where the mark would be."""
    program, mark = tmp_path / f"{name}.sh", tmp_path / f"{name}.ran"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    return str(program), mark
