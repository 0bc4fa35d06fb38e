"""What ten everyday looks cost a model: the characters that it is shown, by our tools and by those of two peers.

The tree is a part of Python's standard library in a repository of git, with a log and one change that isn't committed.
All three serve the same folder. Each look names the fact that it is to find, and every server's answers must hold it.
The calls stand below, so that it can be judged whether they are those that a model would make; where a peer has several
ways the thriftiest is taken (Desktop Commander's searches have no context lines, which it adds by itself), and a peer
is spared what it would have to try: the file system server, which can't search in files, is given the right file.

Counted are the characters of all answers, as text, which is what most clients show; what our answers and the file
system server's have in structured content, which some show in its place, is counted by itself. What the calls cost
isn't counted; it is about the same for all. Ours is the longer one where it tells more: numbers of lines and the hash
by which an edit is guarded, sizes in a listing, and who changed what and when.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.client import Client
from benchmarks.measure import Row
from benchmarks.ours import Ours
from benchmarks.peer import command, commander

__all__ = ["measure"]

_PACKAGES = ("asyncio", "concurrent", "email", "http", "json", "logging", "unittest", "urllib", "xml")
_WAIT_SECONDS = 60
_SEARCHED_SECONDS = 10
_FUNCTION = 40
"""Lines that are read of a function of which only the beginning is known."""

Call = tuple[str, Mapping[str, Any]]
"""A tool and its arguments. What begins with `$` a model has from before: `$TREE` is the folder, `$SHA` the hash of a
file, `$ENTRY` what changed; `$BEFORE` is the line before a function, which the call before has told.
"""


@dataclass(frozen=True)
class _Look:
    """One question, the fact that answers it (a regular expression), and the calls by which each finds it."""

    what: str
    fact: str
    ours: Sequence[Call]
    files: Sequence[Call]
    commander: Sequence[Call]


def _inspect(action: str, **arguments: Any) -> Call:
    return "workspace_inspect", {"action": action, **arguments}


def _sought(pattern: str, **arguments: Any) -> Call:
    thrifty = {"searchType": "content", "literalSearch": True, "ignoreCase": False, "contextLines": 0, "maxResults": 50}
    return "start_search", {"path": "$TREE", "pattern": pattern, **thrifty, **arguments}


_DECODER = "json/decoder.py"
_LOOKS = (
    _Look(
        "where a class is defined",
        r"json/decoder\.py",
        [_inspect("search", query="class JSONDecoder(")],
        [
            ("search_files", {"path": "$TREE", "pattern": "**/*decoder*"}),
            ("read_text_file", {"path": f"$TREE/{_DECODER}"}),
        ],
        [_sought("class JSONDecoder(")],
    ),
    _Look(
        "who calls a function",
        r"self\.raw_decode\(s, ",
        [_inspect("search", query="raw_decode", whole_word=True)],
        [("read_text_file", {"path": f"$TREE/{_DECODER}"})],
        [_sought(".*raw_decode.*", literalSearch=False)],
    ),
    _Look(
        "one function of a file",
        r"return values, end",
        [_inspect("read", path=_DECODER, symbol="JSONArray")],
        [("read_text_file", {"path": f"$TREE/{_DECODER}"})],
        [
            _sought("def JSONArray", path=f"$TREE/{_DECODER}"),
            ("read_file", {"path": f"$TREE/{_DECODER}", "offset": "$BEFORE", "length": _FUNCTION}),
        ],
    ),
    _Look(
        "what was changed",
        r"MEASURED = True",
        [_inspect("changes", limit=1), _inspect("changes", entry="$ENTRY")],
        [("read_text_file", {"path": "$TREE/json/scanner.py"})],
        [("start_process", {"command": "git -C $TREE status --short; git -C $TREE diff", "timeout_ms": 5_000})],
    ),
    _Look(
        "what a file defines",
        r"def scanstring|py_scanstring",
        [_inspect("outline", path=_DECODER)],
        [("read_text_file", {"path": f"$TREE/{_DECODER}"})],
        [_sought(r"^\s*(def|class) .*", path=f"$TREE/{_DECODER}", literalSearch=False)],
    ),
    _Look(
        "what is in a folder",
        r"scanner\.py",
        [_inspect("list", path="json")],
        [("list_directory", {"path": "$TREE/json"})],
        [("list_directory", {"path": "$TREE/json", "depth": 1})],
    ),
    _Look(
        "a file by its name",
        r"http/cookies\.py",
        [_inspect("find", query="cookies", limit=5)],
        [("search_files", {"path": "$TREE", "pattern": "**/*cookies*"})],
        [("start_search", {"path": "$TREE", "pattern": "cookies", "searchType": "files"})],
    ),
    _Look(
        "sixty lines in the middle of a long file",
        r"line 1200\b",
        [_inspect("read", path="server.log", start_line=1_200, end_line=1_259)],
        [("read_text_file", {"path": "$TREE/server.log", "head": 1_259})],
        [("read_file", {"path": "$TREE/server.log", "offset": 1_199, "length": 60})],
    ),
    _Look(
        "the end of a log",
        r"line 5000\b",
        [_inspect("read", path="server.log", tail_lines=20)],
        [("read_text_file", {"path": "$TREE/server.log", "tail": 20})],
        [("read_file", {"path": "$TREE/server.log", "offset": -20})],
    ),
    _Look(
        "whether a file is still what was read",
        r"unchanged|class JSONDecoder\b",
        [_inspect("read", path=_DECODER, known_sha256="$SHA")],
        [("read_text_file", {"path": f"$TREE/{_DECODER}"})],
        [("read_file", {"path": f"$TREE/{_DECODER}"})],
    ),
)  # fmt: skip


def measure(scratch: Path) -> Iterator[Row]:
    """Each look beside each peer, and all of them."""
    tree = scratch / "tree"
    _plant(tree)
    house = Ours(tree, scratch / "state")
    try:
        line, environ = commander(scratch / "home")
        with (
            Client(house.command, house.environ) as ours,
            Client(command(tree)) as files,
            Client(line, environ) as other,
        ):
            known = {"$TREE": str(tree), **_known(ours, tree)}
            rows = [_look(look, known, ours, files, other) for look in _LOOKS]
    finally:
        house.stop()
    yield from _told("server-filesystem", rows, 1)
    yield from _told("desktop-commander", rows, 2)
    mine, theirs = (sum(row[which].structured for row in rows) for which in (0, 1))
    yield Row("looks: all ten, structured, beside server-filesystem", mine, theirs, None, "chars")


@dataclass(frozen=True)
class _Shown:
    """How many characters the answers of one look hold."""

    text: int
    structured: int


def _told(peer: str, rows: list[tuple[_Shown, ...]], which: int) -> Iterator[Row]:
    for look, row in zip(_LOOKS, rows, strict=True):
        yield Row(f"looks: {look.what}, beside {peer}", row[0].text, row[which].text, None, "chars")
    mine, theirs = (sum(row[each].text for row in rows) for each in (0, which))
    yield Row(f"looks: all ten, beside {peer}", mine, theirs, 1, "chars")


def _look(look: _Look, known: Mapping[str, str | int], *clients: Client) -> tuple[_Shown, ...]:
    calls = (look.ours, look.files, look.commander)
    return tuple(_asked(client, look, each, known) for client, each in zip(clients, calls, strict=True))


def _asked(client: Client, look: _Look, calls: Sequence[Call], known: Mapping[str, str | int]) -> _Shown:
    """What the answers hold; RuntimeError where the fact isn't in them."""
    texts, structured = [], 0
    for tool, arguments in calls:
        result = client.call(tool, **{name: _filled(value, known) for name, value in arguments.items()})
        texts.append(_text(result))
        structured += len(json.dumps(result.get("structuredContent", {}), ensure_ascii=False))
        if tool == "start_search":
            texts += _rest_of_search(client, texts[-1], look.fact)
    if not any(re.search(look.fact, text) for text in texts):
        raise RuntimeError(f"{look.what}: {calls} doesn't tell {look.fact}, but {texts}")
    return _Shown(sum(map(len, texts)), structured)


def _filled(value: Any, known: Mapping[str, str | int]) -> Any:
    if not isinstance(value, str) or "$" not in value:
        return value
    return known[value] if value in known else value.replace("$TREE", str(known["$TREE"]))


def _text(result: Mapping[str, Any]) -> str:
    return "".join(part["text"] for part in result["content"] if part["type"] == "text")


def _rest_of_search(client: Client, begun: str, fact: str) -> Iterator[str]:
    """A search that goes on is asked for the rest, once it is over, where the fact isn't there already."""
    session = re.search(r"search_\w+", begun)
    if session is None or re.search(fact, begun):
        return
    until = time.monotonic() + _SEARCHED_SECONDS
    while time.monotonic() < until:
        answer = _text(client.call("get_more_search_results", sessionId=session[0], offset=0))
        if "IN PROGRESS" not in answer:
            yield answer
            return
        time.sleep(0.1)
    raise RuntimeError(f"the search doesn't end: {begun}")


def _plant(tree: Path) -> None:
    """The tree, committed, before anything is changed."""
    library = Path(sysconfig.get_path("stdlib"))
    for name in _PACKAGES:
        shutil.copytree(library / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "test*"))
    for source in sorted(library.glob("*.py")):
        shutil.copyfile(source, tree / source.name)
    lines = (f"2026-12-01 12:00:00 worker-{number % 7} line {number} of the log\n" for number in range(1, 5_001))
    (tree / "server.log").write_text("".join(lines))
    who = ["-c", "user.name=t", "-c", "user.email=t@t"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "The library"]):
        subprocess.run(["git", *arguments], cwd=tree, check=True)


def _known(ours: Client, tree: Path) -> dict[str, str | int]:
    """What a model has from before: the hash of a file; and after another program's change the number of its entry."""
    ours.call("workspace_inspect", action="changes", limit=1)
    with (tree / "json/scanner.py").open("a") as source:
        source.write("MEASURED = True\n")
    until = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < until:
        history = ours.call("workspace_inspect", action="changes", limit=1)["structuredContent"]["data"]["history"]
        if history and "json/scanner.py" in str(history[0]):
            return {"$ENTRY": int(history[0]["id"]), **_of_file(tree / _DECODER)}
        time.sleep(0.1)
    raise RuntimeError("the change isn't in the history")


def _of_file(path: Path) -> dict[str, str | int]:
    text = path.read_text()
    sha = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"$SHA": sha, "$BEFORE": text[: text.index("def JSONArray")].count("\n")}
