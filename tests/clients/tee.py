"""Runs `workroom mcp FOLDER` and writes down what the client says to it: `tee.py RECORD FOLDER`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main(record: str, folder: str) -> int:
    """Pass every byte on as it comes; the server answers the client itself."""
    with (
        Path(record).open("ab", buffering=0) as copy,
        subprocess.Popen([sys.executable, "-m", "workroom", "mcp", folder], stdin=subprocess.PIPE) as server,
    ):
        assert server.stdin is not None
        while data := os.read(0, 1 << 16):
            copy.write(data)
            server.stdin.write(data)
            server.stdin.flush()
        server.stdin.close()
        return server.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
