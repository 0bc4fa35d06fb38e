"""Workroom as a client starts it, with a state directory of its own and the server that belongs to it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["Ours"]

_NOTHING_TO_DO = 3


class Ours:
    """A folder served in automatic mode."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder = folder
        self.environ = {**os.environ, "WORKROOM_STATE": str(state)}
        self._program = str(Path(sys.executable).with_name("workroom"))
        self.command = [self._program, "mcp", str(folder)]
        self.run("open", str(folder))
        self.run("-C", str(folder), "mode", "auto")

    def run(self, *arguments: str, may_answer: tuple[int, ...] = (0,)) -> str:
        """What a command printed that was run as the person."""
        done = subprocess.run(
            [self._program, *arguments], env=self.environ, capture_output=True, text=True, check=False
        )
        if done.returncode not in may_answer:
            raise RuntimeError(f"workroom {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def stop(self) -> None:
        """Stop the server, if one is running; the next client starts another."""
        self.run("stop", may_answer=(0, _NOTHING_TO_DO))
