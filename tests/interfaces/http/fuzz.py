"""Send the JSON API what its own description allows, and what it doesn't: no fault of ours, and answers as described.

    python -m tests.interfaces.http.fuzz [--examples 200]

A server of its own, on a folder of its own, in each permission mode. schemathesis makes the requests from the OpenAPI
document and judges each answer by it. Two of its checks are left out, since they take a schema for the whole truth: a
sound call may be refused (the path isn't there, the mode forbids it), and a field that comes as a JSON string, or as
null, is taken (docs/decisions/0013). The stream of events is left out, as it doesn't end.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.interfaces.conftest import Room
from tests.interfaces.http.conftest import Web, listening

__all__ = ["fuzz"]

_LEFT_OUT = "positive_data_acceptance,negative_data_rejection"


def fuzz(web: Web, folder: Path, examples: int, phases: str) -> str:
    """What schemathesis has to complain of; empty when it has nothing. Its files are put into `folder`."""
    config = folder / "schemathesis.toml"
    config.write_text(f'[parameters]\n"path.workspace" = "{web.workspace}"\n')
    command = [
        str(Path(sys.executable).with_name("st")),
        f"--config-file={config}",
        "run",
        f"http://{web.host}/api/v1/openapi.json",
        f"--url=http://{web.host}",
        f"--header=Authorization: Bearer {web.token}",
        f"--max-examples={examples}",
        f"--phases={phases}",
        f"--exclude-checks={_LEFT_OUT}",
        "--exclude-path-regex=events$",
        "--workers=2",
        "--request-timeout=120",  # a guard against hanging, no measure
        "--generation-deterministic",
        "--warnings=off",
        "--no-color",
    ]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if ended.returncode == 0 else ended.stdout + ended.stderr


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--examples", type=int, default=200, help="of each action, in each mode")
    examples = parser.parse_args(arguments).examples
    base = Path(tempfile.mkdtemp(prefix="wr-"))
    room = Room(base / "ws", base / "state", base / "stderr")
    room.folder.mkdir()
    (room.folder / "a.txt").write_text("hello\nworld\n")
    complaints = 0
    try:
        web = listening(room)
        for mode in ("plan", "manual", "auto"):
            person = room.person(room.folder)
            person.get("settings.set", key="destructive_edits", value="allow")
            person.get("mode", mode=mode)
            said = fuzz(web, base, examples, "coverage,fuzzing,stateful")
            complaints += bool(said)
            sys.stdout.write(f"{mode}: {'complaints' if said else 'nothing to complain of'}\n{said}")
    finally:
        room.stop()
        shutil.rmtree(base)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
