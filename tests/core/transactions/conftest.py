"""A transaction that goes as far as a test wants, as if the process had been killed there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.conftest import AGENT, House

from workroom.core.transactions import Planned, tables
from workroom.core.transactions.apply import perform
from workroom.core.transactions.contents import pieces_of
from workroom.core.transactions.images import Images
from workroom.core.transactions.stage import stage_all
from workroom.core.transactions.steps import Folders, Step, build_steps, step_to_json
from workroom.core.transactions.unwind import Unwound, unwind


class Half:
    """A planned transaction, staged and prepared; `do` carries out steps, `undo` takes back whatever was done."""

    def __init__(self, house: House, planned: Planned, *, exchange: bool | None = None) -> None:
        self.house = house
        self.planned = planned
        self.root, self.store = house.workspace.root, house.workspace.store
        self.done: list[Step] = []
        steps = build_steps(
            self.root, planned.change_set, planned.id, house.workspace.agentic.stage(), exchange=exchange
        )
        with Folders(self.root) as folders:
            self.steps = stage_all(self.root, folders, steps, partial(pieces_of, planned.contents))
        with self.store.write() as db:
            tables.add_transaction(db, planned, AGENT, 0.0)
            Images(self.store).keep(db, planned, 1 << 30, commits=True)
            tables.put_intent(db, planned.id, {"steps": [step_to_json(step) for step in self.steps]}, 0.0)

    def do(self, count: int | None = None) -> Half:
        """Carry out the first `count` steps, or all; those that were carried out before are left."""
        with Folders(self.root) as folders:
            perform(folders, self.steps[len(self.done) : count], self.done)
        return self

    def step(self, path: str, action: str | None = None) -> Step:
        return next(step for step in self.steps if step.path == path and action in {None, step.action})

    def slot(self, path: str, action: str | None = None) -> Path:
        """Where the step's slot is on the disk."""
        step = self.step(path, action)
        return self.house.folder / step.slot_folder / step.slot

    def undo(self, image: Callable[[str], bytes | None] | None = None, *, known: bool = False) -> Unwound:
        """As after a crash; `known`: as after a step that failed, when it is known which were carried out."""
        done = self.done if known else None
        with Folders(self.root) as folders:
            return unwind(self.root, folders, self.steps, image or Images(self.store).get, self.planned.id, done)

    def staged(self) -> list[str]:
        return sorted(os.listdir(self.house.folder / ".agentic" / "stage"))


@pytest.fixture
def half(house):
    def make(*operations, exchange=None):
        return Half(house, house.plan(*operations), exchange=exchange)

    return make


@pytest.fixture
def mount(house):
    """Mounts a file system of its own below the folder."""
    mounted: list[Path] = []

    def make(path: str) -> Path:
        target = house.folder / path
        target.mkdir(parents=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "none", target], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("mounting a file system takes root")
        mounted.append(target)
        return target

    yield make
    for target in reversed(mounted):
        subprocess.run(["umount", "-l", target], check=True)
