"""Syntax: what is defined in the files of one folder, parsed in a program of its own.

of(path) ──> the file's bytes ──> known by their hash?  ──> the outline
                                      no: worker (killed after its time, begun anew after a crash)
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.syntax import worker
from workroom.core.search.syntax.language import grammar_of, may_have_grammar
from workroom.core.search.syntax.model import Outline
from workroom.system.process import base_env
from workroom.system.root import Root
from workroom.system.worker import Worker
from workroom.text.encoding import decode

__all__ = ["LARGEST", "Parsed", "Syntax", "Unparsed"]

LARGEST = 4 * 1024**2
"""Bytes; larger files aren't parsed."""
_SECONDS = 5.0
"""How long one file may take."""
_KEPT = 200_000
"""So many definitions are remembered."""
_HEAD = 65_536


_NOTHING = Outline()


class Unparsed(StrEnum):
    """Why there is no outline of a file."""

    NO_GRAMMAR = "no grammar"
    BINARY = "binary"
    TOO_LARGE = "too large"
    TOO_SLOW = "too slow"
    FAILED = "parser failed"


_PASSING = frozenset({Unparsed.TOO_SLOW, Unparsed.FAILED})
"""What may be otherwise at the next look."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was found in one file. `sha256` is of its bytes; empty where they weren't looked at."""

    outline: Outline = _NOTHING
    unparsed: Unparsed | None = None
    sha256: str = ""
    grammar: str = ""


class Syntax:
    """Of one root; safe to use from many threads. `grammars` is where grammars are unpacked, never inside the root."""

    def __init__(self, root: Root, grammars: Path, seconds: float = _SECONDS, kept: int = _KEPT) -> None:
        self._root = root
        self._grammars = grammars
        self._seconds = seconds
        self._most = kept
        argv = [sys.executable, "-P", "-m", worker.__name__, str(grammars)]
        self.worker = Worker(argv, cwd=str(grammars), env=base_env())
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], Parsed] = OrderedDict()
        self._count = 0

    def stop(self) -> None:
        """End the program; files are parsed no more."""
        self.worker.stop()

    def of(self, path: str) -> Parsed:
        """What is defined in the file at a canonical path. NOT_FOUND, INVALID_INPUT for what is no file, CANCELLED."""
        if not may_have_grammar(path):
            os.close(self._root.open_file(path))
            return Parsed(unparsed=Unparsed.NO_GRAMMAR)
        try:
            data = self._root.read(path, LARGEST)
        except WorkroomError as error:
            if error.code is not ErrorCode.LIMIT_EXCEEDED:
                raise
            return Parsed(unparsed=Unparsed.TOO_LARGE)
        return self._of_data(path, data)

    def of_text(self, path: str, text: str) -> Parsed:
        """The same of a text that isn't saved yet, as it would be in the file at that path."""
        data = text.encode("utf-8", "surrogateescape")
        return self._of_data(path, data) if len(data) <= LARGEST else Parsed(unparsed=Unparsed.TOO_LARGE)

    def _of_data(self, path: str, data: bytes) -> Parsed:
        sha = hashlib.sha256(data).hexdigest()
        grammar = grammar_of(path, data[:_HEAD])
        if grammar is None:
            return Parsed(unparsed=Unparsed.NO_GRAMMAR, sha256=sha)
        kept = self._kept(grammar, sha)
        if kept is not None:
            return kept
        warm = self.worker.pid is not None
        parsed = self._parse(grammar, sha, data)
        # A program that only begins may be slow, or fail, for reasons that are none of the file's.
        return self._keep(grammar, sha, parsed) if warm or parsed.unparsed not in _PASSING else parsed

    def _parse(self, grammar: str, sha: str, data: bytes) -> Parsed:
        file = decode(data)
        if file is None:
            return Parsed(unparsed=Unparsed.BINARY, sha256=sha)
        source = data if file.encoding == "utf-8" else file.text.encode("utf-8", "surrogateescape")
        request = f"{grammar}\n".encode() + source
        os.makedirs(self._grammars, mode=0o700, exist_ok=True)
        try:
            try:
                answer = self.worker.ask(request, self._seconds)
            except WorkroomError as error:
                if error.code is not ErrorCode.IO_ERROR:
                    raise
                answer = self.worker.ask(request, self._seconds)  # a new one, which can unpack a grammar
        except WorkroomError as error:
            if error.code not in {ErrorCode.IO_ERROR, ErrorCode.TIMEOUT}:
                raise
            failed = Unparsed.TOO_SLOW if error.code is ErrorCode.TIMEOUT else Unparsed.FAILED
            return Parsed(unparsed=failed, sha256=sha, grammar=grammar)
        return Parsed(worker.as_outline(answer), sha256=sha, grammar=grammar)

    def _kept(self, grammar: str, sha: str) -> Parsed | None:
        with self._lock:
            found = self._known.get((grammar, sha))
            if found is not None:
                self._known.move_to_end((grammar, sha))
            return found

    def _keep(self, grammar: str, sha: str, parsed: Parsed) -> Parsed:
        with self._lock:
            if (grammar, sha) not in self._known:
                self._known[grammar, sha] = parsed
                self._count += 1 + len(parsed.outline.definitions)
            while self._count > self._most:
                _, oldest = self._known.popitem(last=False)
                self._count -= 1 + len(oldest.outline.definitions)
        return parsed
