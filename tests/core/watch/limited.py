"""Watches a folder of its own under whatever limit the account has, and prints how, and what it found."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from tests.conftest import House

from workroom.core.watch.service import Pace


def say(value: object) -> None:
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


def main() -> None:
    with tempfile.TemporaryDirectory() as base:
        house = House(Path(base, "ws"), Path(base, "store"), pace=Pace(quiet=0.05, building=0.1, walks=0.2))
        house.folder.mkdir()
        house.write("d/e/f", "one\n")
        house.open()
        house.workspace.watch.start()
        assert house.workspace.watch.settled(30)
        say(house.workspace.watch.describe())
        house.write("d/e/f", "two\n")
        deadline = time.monotonic() + 30
        while not house.tx.history() and time.monotonic() < deadline:
            time.sleep(0.02)
        (entry,) = house.tx.history()
        rows = [[c.path, str(c.before.kind), str(c.after.kind)] for c in entry.changes]
        say({"rows": rows, "notes": entry.warnings})
        house.close()


if __name__ == "__main__":
    main()
