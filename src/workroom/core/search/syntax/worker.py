"""Parses what it is handed: a program of its own, which may be killed, and holds up nobody.

    python -P -m workroom.core.search.syntax.worker FOLDER

A request is a grammar's name, a line feed, and UTF-8; an answer is an outline as JSON. Once it has loaded its first
grammar it can open nothing but what is in FOLDER, where the kernel can see to that: what it parses may be anybody's.
Then it can unpack no other grammar either; so it ends when it should, and the next one begins with that.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import BinaryIO

from workroom.core.search.syntax.model import Definition, Kind, Outline
from workroom.core.search.syntax.parse import definitions, load, unpack_into
from workroom.system.landlock import confined, has_landlock
from workroom.system.memory import take_at_most
from workroom.system.worker import received, serve

__all__ = ["as_outline", "main"]

_MEMORY = 2 * 1024**3
"""Bytes that it may take up; beyond that it ends."""

_row = attrgetter(*(field.name for field in fields(Definition)))


def main(arguments: Sequence[str], requests: BinaryIO, answers: BinaryIO) -> int:
    """Answer requests until there are no more."""
    (folder,) = arguments
    take_at_most(_MEMORY)
    unpack_into(folder)
    first = received(requests)
    if first is not None:
        load(_grammar(first))
    if has_landlock():
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        confined(lambda: serve(_answer, requests, answers, first), [descriptor])
    else:  # pragma: no cover - needs an old kernel
        serve(_answer, requests, answers, first)
    return 0


def as_outline(answer: bytes) -> Outline:
    """An outline as the program answered it."""
    said = json.loads(answer)
    rows = (Definition(name, qualified, Kind(kind), *rest) for name, qualified, kind, *rest in said["definitions"])
    return Outline(tuple(rows), said["faulty"], said["cut"])


def _answer(request: bytes) -> bytes:
    found = definitions(_grammar(request), request.partition(b"\n")[2])
    rows = [_row(each) for each in found.definitions]
    return json.dumps({"definitions": rows, "faulty": found.faulty, "cut": found.cut}).encode()


def _grammar(request: bytes) -> str:
    return request.partition(b"\n")[0].decode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdin.buffer, sys.stdout.buffer))
