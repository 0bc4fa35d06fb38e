"""Profile `editor` in a folder of 200,000 files: the tree, a folder unfolded, a finder's keystroke, a file, git.

The peer is the one of the other figures where it has a tool that does the same; a keystroke's is `find -name`, which
walks all of the folder, too: the own `search_files` of the other looks at each file by itself.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.client import Client
from benchmarks.measure import Figure, Row, Sample, medians
from benchmarks.ours import Ours
from benchmarks.peer import command

__all__ = ["FILES", "generate", "measure"]

FILES = 200_000
_FOLDERS = 2_000
_MOST_MS = {"a folder": 50.0, "a keystroke": 100.0}
"""What a person doesn't wait for, nearly: unfolding a folder, and a letter typed in the finder."""
_WORDS = ("account", "buffer", "cache", "driver", "editor", "filter", "gateway", "handler", "index", "journal")


def measure(scratch: Path) -> Iterator[Row | Figure]:
    """Each in a plain folder, and the finder in a repository as well, where git's index is read."""
    folder = scratch / "ours"
    generate(folder)
    house = Ours(folder, scratch / "state")
    try:
        with Client([*house.command, "--profile", "editor"], house.environ) as ours, Client(command(folder)) as peer:
            yield from _plain(ours, peer, folder)
            _track(folder)
            yield from _keystrokes(ours, folder, "in a repository")
            yield from _one_change(ours, folder)
            yield _saved(house, ours, peer, folder)
    finally:
        house.stop()


def generate(folder: Path, files: int = FILES) -> None:
    """So many files of a few lines each, in folders two deep, by names that a project has."""
    for number in range(min(_FOLDERS, files)):
        below = folder / f"{_WORDS[number % 10]}-{number // 100:02}" / f"{_WORDS[number // 10 % 10]}_{number:04}"
        below.mkdir(parents=True)
        for each in range(number, files, _FOLDERS):
            (below / f"{_WORDS[each // _FOLDERS % 10]}_{each:06}.py").write_text(f'"""File {each}."""\n\nx = {each}\n')


def _plain(ours: Client, peer: Client, folder: Path) -> Iterator[Row | Figure]:
    below = next(folder.glob("index-*/*"))
    file = next(below.iterdir())
    inside, path = (str(each.relative_to(folder)) for each in (below, file))
    mine, theirs = medians(
        _timed(ours, "editor_tree"),
        _timed(peer, "directory_tree", path=str(below.parent)),
        repeats=5, warm=1,
    )  # fmt: skip
    yield Row("the tree, 4 levels (peer: one folder of 20)", mine, theirs, None)
    mine, theirs = medians(
        _timed(ours, "editor_tree", path=inside, max_depth=1), _timed(peer, "list_directory", path=str(below)),
        repeats=15,
    )  # fmt: skip
    yield Figure("a folder of 100 is unfolded", mine, theirs, _MOST_MS["a folder"], "ms")
    mine, theirs = medians(
        _timed(ours, "editor_open", path=path), _timed(peer, "read_text_file", path=str(file)), repeats=15
    )  # fmt: skip
    yield Figure("a file is opened", mine, theirs, _MOST_MS["a folder"], "ms")
    yield from _keystrokes(ours, folder, "in a folder")


def _keystrokes(ours: Client, folder: Path, where: str) -> Iterator[Figure]:
    """The word of a person who types: each letter is a call; the last is the one that is compared."""
    for query in ("h", "hand", "handler_1999"):
        mine, theirs = medians(
            _timed(ours, "editor_find", query=query),
            _run(folder, "find", ".", "-name", f"*{query}*"),
            repeats=3, warm=1,
        )  # fmt: skip
        yield Figure(f"a keystroke, {query!r}, {where}", mine, theirs, _MOST_MS["a keystroke"], "ms")


def _one_change(ours: Client, folder: Path) -> Iterator[Row]:
    """What git says of all files after a change of one, which is another file each time."""
    files = iter(sorted(folder.glob("index-0*/*/*.py")))

    def changed(sample: Sample) -> Sample:
        def once() -> float:
            next(files).write_text("changed = True\n")
            return sample()

        return once

    command = ["git", "status", "--porcelain=v2", "-z", "--branch"]
    mine, theirs = medians(
        changed(_timed(ours, "editor_git_status")), changed(_run(folder, *command)), repeats=7, warm=2
    )
    yield Row("git status after one change (peer: git itself)", mine, theirs, None)


def _saved(house: Ours, ours: Client, peer: Client, folder: Path) -> Row:
    """A file of 1 MB that is open, saved whole with a line changed; the other writes it in place, and syncs nothing."""
    for key, value in (("destructive_edits", "allow"), ("editor_max_file_bytes", "2000000")):
        house.run("-C", str(folder), "settings", "set", key, value)
    lines = ["All of this stands in the file already.\n"] * 25_000
    for name in ("ours.txt", "theirs.txt"):
        (folder / name).write_text("".join(lines))
    version = str(_structured(ours.call("editor_open", path="ours.txt"))["version"])
    turns = itertools.count()

    def text() -> str:
        return "".join([f"Turn {next(turns)}.\n", *lines])

    def save() -> float:
        nonlocal version
        content = text()
        began = time.perf_counter()
        answer = ours.call("editor_save", path="ours.txt", content=content, expected_version=version)
        took = time.perf_counter() - began
        version = str(_structured(answer)["version"])
        return took

    def write() -> float:
        return _timed(peer, "write_file", path=str(folder / "theirs.txt"), content=text())()

    mine, theirs = medians(save, write, repeats=15)
    return Row("a file of 1 MB is saved", mine, theirs, None)


def _structured(answer: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = answer["structuredContent"]
    return fields


def _timed(client: Client, tool: str, **arguments: Any) -> Sample:
    def once() -> float:
        began = time.perf_counter()
        answer = client.call(tool, **arguments)
        took = time.perf_counter() - began
        if not json.dumps(answer["content"]):
            raise RuntimeError(f"{tool} answers nothing")
        return took

    return once


def _run(folder: Path, *command: str) -> Sample:
    def once() -> float:
        began = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return time.perf_counter() - began

    return once


def _track(folder: Path) -> None:
    settings = {"user.name": "Benchmark", "user.email": "benchmark@example.org", "maintenance.auto": "false"}
    said = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "All files")):
        subprocess.run(["git", *said, *arguments], cwd=folder, check=True, capture_output=True)
