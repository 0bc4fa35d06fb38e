"""Other programs at work in the same folder: each a process of its own that writes down what it did, and when.

    python writers.py {edit | append | git | swap} FOLDER SEED LOG PATH…

It works until its standard input ends. `edit` saves, writes in place, deletes, makes anew, changes modes and holds
open; `append` adds lines; `git` checks two branches out by turns; `swap` puts two names in each other's place as fast
as it can. The standard library only, and none of Workroom's code.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import select
import subprocess
import sys
import time
from collections.abc import Callable
from typing import IO

_EXCHANGE = 2


class Writer:
    """Does things to its own paths, one at a time.

    Each is one line of the log: path, value, and in nanoseconds when it began, ended, and opened the file.
    """

    def __init__(self, folder: str, seed: str, log: IO[str], paths: list[str]) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.seed = seed
        self.log = log
        self.paths = paths
        self.count = 0

    def run(self, act: Callable[[], None], pause: float) -> None:
        while not select.select([sys.stdin], [], [], self.chance.random() * pause)[0]:
            act()
        self.log.flush()

    def told(self, path: str, value: str | None, start: int, opened: int | None = None) -> None:
        self.log.write(json.dumps([path, value, start, time.monotonic_ns(), opened or start]) + "\n")

    def value(self) -> str:
        self.count += 1
        return f"{self.seed} {self.count}\n"

    def full(self, path: str) -> str:
        return os.path.join(self.folder, path)

    # What an editor, a script, a person does.

    def edit(self) -> None:
        path = self.chance.choice(self.paths)
        acts = (
            self.save,
            self.save,
            self.in_place,
            self.in_place,
            self.hold,
            self.delete,
            self.make,
            self.make,
            self.mode,
        )
        with contextlib.suppress(FileNotFoundError, FileExistsError):
            self.chance.choice(acts)(path)

    def save(self, path: str) -> None:
        value, passing = self.value(), self.full(f".saving-{self.seed}")
        with open(passing, "w") as file:
            file.write(value)
        start = time.monotonic_ns()
        os.rename(passing, self.full(path))
        self.told(path, value, start)

    def in_place(self, path: str, *, holds: float = 0.0) -> None:
        value = self.value().encode()
        opened = time.monotonic_ns()
        descriptor = os.open(self.full(path), os.O_WRONLY | os.O_TRUNC)
        self.told(path, "", opened)
        time.sleep(holds)
        start = time.monotonic_ns()
        os.write(descriptor, value)
        self.told(path, value.decode(), start, opened)
        time.sleep(holds)
        os.close(descriptor)

    def hold(self, path: str) -> None:
        self.in_place(path, holds=self.chance.random() / 200)

    def delete(self, path: str) -> None:
        start = time.monotonic_ns()
        os.unlink(self.full(path))
        self.told(path, None, start)

    def make(self, path: str) -> None:
        value = self.value().encode()
        opened = time.monotonic_ns()
        descriptor = os.open(self.full(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        self.told(path, "", opened)
        start = time.monotonic_ns()
        os.write(descriptor, value)
        self.told(path, value.decode(), start, opened)
        os.close(descriptor)

    def mode(self, path: str) -> None:
        os.chmod(self.full(path), self.chance.choice((0o600, 0o644, 0o755)))

    # Others.

    def append(self) -> None:
        path, line = self.chance.choice(self.paths), self.value()
        start = time.monotonic_ns()
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(self.full(path), os.O_WRONLY | os.O_APPEND)
            time.sleep(self.chance.choice((0, 0, 0.001)))
            os.write(descriptor, line.encode())
            os.close(descriptor)
            self.told(path, line, start)

    def git(self) -> None:
        """Each branch has values of its own; git removes a file and makes it anew, then writes it."""
        branch = ("one", "two")[self.count % 2]
        self.count += 1
        start = time.monotonic_ns()
        command = ["git", "-C", self.folder, "checkout", "-q", "-f", branch]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        for path in self.paths:
            for value in (None, "", f"{branch} {path}\n"):
                self.told(path, value, start)
        if done.returncode and not any(word in done.stderr for word in ("unlink", "lock", "File exists")):
            sys.stderr.write(done.stderr)

    def swap(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        one, other = (os.fsencode(self.full(path)) for path in self.paths)
        while not select.select([sys.stdin], [], [], 0)[0]:
            for _ in range(100):
                if libc.renameat2(-100, one, -100, other, _EXCHANGE):
                    raise OSError(ctypes.get_errno(), "renameat2")
            self.count += 100
            if self.count % 10_000 == 0:
                self.log.write(f"{self.count}\n")
                self.log.flush()


def main(kind: str, folder: str, seed: str, log: str, *paths: str) -> None:
    with open(log, "w") as file:
        writer = Writer(folder, seed, file, list(paths))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        if kind == "swap":
            writer.swap()
        else:
            writer.run(getattr(writer, kind), {"edit": 0.002, "append": 0.002, "git": 0.02}[kind])


if __name__ == "__main__":
    main(*sys.argv[1:])
