"""workspace_inspect overview: what a newcomer to a folder wants to know, in a few thousand characters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from workroom.base.changes import Kind
from workroom.base.envelope import Envelope
from workroom.base.errors import WorkroomError
from workroom.core.git import Reading
from workroom.core.search.landmarks import Landmarks, landmarks
from workroom.core.search.listing import Options, Tally, shown_path, walk
from workroom.core.search.names import Listing
from workroom.core.search.survey import Part, Survey, survey
from workroom.system.clock import iso
from workroom.text.display import show
from workroom.tools.inspect.common import Within, fitting, left_out, left_out_words, resolved, room
from workroom.tools.inspect.state import standing
from workroom.tools.tool import Action, Call

__all__ = ["OVERVIEW"]

_CHARS = 4_000
"""How long an answer is unless more levels are asked for."""
_DEPTH = 2
_SECONDS = 0.12
"""How long it looks for names that aren't kept."""
_BUDGET = 30_000
_WALKED_SECONDS = 0.5
"""How many entries it looks at of what no names are kept of, and for how long."""
_LANDMARK_LEVELS = 3
"""How many levels of folders are looked through for what a newcomer looks for, and how many names."""
_LANDMARK_NAMES = 20_000
_LANGUAGES = 8
_SHARE = 0.005
"""Languages that have less of the bytes aren't named."""
_RECENT = 3
_GIT_SECONDS = 1.0
_WORDS = 80

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Overview(Within):
    depth: Annotated[int, Field(ge=1, le=10)] = _DEPTH
    """Levels of folders that are shown."""


def _overview(call: Call, arguments: Overview) -> Envelope:
    path, target = resolved(call, arguments.path)
    found, links, tally = _surveyed(call, target, max(arguments.depth, _LANDMARK_LEVELS))
    space = room(call) if arguments.depth > _DEPTH else min(_CHARS, room(call))
    data = {"path": path, **_counts(found, tally), **_sections(call, target, found, space // 5)}
    extra = {**left_out(tally), **standing(call)}
    left = max(space - len(_encode(data)) - len(_encode(extra)) - 100, space // 8)
    tree, cut = found.tree(arguments.depth, left, lambda file: "@" if file in links else "")
    data |= {"tree": tree, "truncated": tally.cut or cut, **extra}
    least = "at least " if tally.cut else ""
    return Envelope(
        ok=True,
        operation="inspect.overview",
        summary=f"{path}: {least}{found.files:,} files in {found.directories:,} folders.{left_out_words(tally)}",
        data=data,
        omit_when_summarizing=("tree",),
        text="\n".join(_lines(data)),
    )


# What is there.


def _surveyed(call: Call, target: str, depth: int) -> tuple[Survey, frozenset[str], Tally]:
    """What the folder is made of, its links as far as they may be shown, and what was passed over.

    From the names that quick open keeps, or as many as can be read in a moment, the upper levels first. A folder that
    isn't among them, or perhaps not all of it, is walked: `.git`, `.agentic`, what is ignored, what they are cut in.
    """
    listing = call.workspace.names.listing(call.pulse, _SECONDS if target == "." else _SECONDS / 4, wide=True)
    if target not in listing.folders or (listing.tally.cut and target != "."):
        return _walked(call, target, depth)
    known: tuple[Listing, str, int, Survey] | None = listing.made.get("survey")
    if known is None or known[0] is not listing or known[1:3] != (target, depth):
        prefix = "" if target == "." else f"{target}/"
        parts = [
            Part(path, left.files, left.below)
            for path, left in listing.folders.items()
            if path == target or (path.startswith(prefix) and path != ".")
        ]
        known = listing.made["survey"] = listing, target, depth, survey(parts, target, depth)
    found = known[3]
    links = frozenset(link for path in found.parts for link in listing.folders[path].links)
    return found, links, listing.passed_over(target)


def _walked(call: Call, target: str, depth: int) -> tuple[Survey, frozenset[str], Tally]:
    tally = Tally()
    files: dict[str, list[str]] = {target: []}
    folders: dict[str, list[str]] = {target: []}
    links = set()
    options = Options(depth=None, budget=_BUDGET, seconds=_WALKED_SECONDS)
    for entry in walk(call.workspace.root, target, options, tally, call.pulse):
        parent = entry.path.rpartition("/")[0] or "."
        if entry.kind is Kind.DIRECTORY:
            files[entry.path], folders[entry.path] = [], []
            folders[parent].append(entry.path)
            continue
        files[parent].append(entry.path)
        if entry.kind is Kind.SYMLINK:
            links.add(entry.path)
    parts = [Part(path, files[path], folders[path]) for path in folders]
    return survey(parts, target, depth), frozenset(links), tally


def _counts(found: Survey, tally: Tally) -> dict[str, Any]:
    counts: dict[str, Any] = {"files": found.files, "directories": found.directories}
    return counts | ({"atLeast": True} if tally.cut else {})


# What a newcomer wants.


def _sections(call: Call, target: str, found: Survey, space: int) -> dict[str, Any]:
    """What is told beside the tree, the most useful first; each in as many characters."""
    known = landmarks(call.workspace.root, target, _candidates(found))
    sections = {
        "instructions": _instructions(known),
        "entryPoints": [{"path": shown_path(entry.path), "what": entry.what} for entry in known.entries],
        "languages": _languages(call, found),
        "commits": list(_commits(call, target)),
        "history": _history(call),
    }
    kept: dict[str, Any] = {name: rows[: fitting(rows, space)] for name, rows in sections.items() if rows}
    more = {
        name: len(rows) - len(kept[name]) for name, rows in sections.items() if rows and len(kept[name]) < len(rows)
    }
    tests = _tests(found, known)
    return kept | ({"tests": tests} if tests else {}) | ({"more": more} if more else {})


def _candidates(found: Survey) -> Iterator[str]:
    left = _LANDMARK_NAMES
    for part in sorted(found.parts.values(), key=lambda part: part.path.count("/")):
        yield from part.files[:left]
        left -= len(part.files)
        if left <= 0:
            return


def _instructions(known: Landmarks) -> list[dict[str, Any]]:
    return [{"path": shown_path(i.path), "bytes": i.size, "firstLine": i.first} for i in known.instructions]


def _tests(found: Survey, known: Landmarks) -> dict[str, Any]:
    folders = [{"path": shown_path(path), "files": files} for path, files in found.test_folders[:4]]
    told = {"commands": list(known.tests[:4]), "folders": folders, "files": found.test_files}
    return {name: value for name, value in told.items() if value}


def _languages(call: Call, found: Survey) -> list[dict[str, Any]]:
    def size_of(path: str) -> int:
        seen = call.workspace.root.stat(path)
        return 0 if seen is None else seen.size

    languages = found.languages(size_of)
    total = sum(each.size for each in languages) or 1
    return [
        {"language": each.name, "files": each.files, "bytes": each.size, "share": round(each.size / total, 3)}
        for each in languages[:_LANGUAGES]
        if each.size >= total * _SHARE
    ]


def _history(call: Call) -> list[dict[str, Any]]:
    return [
        {
            "entry": entry.number,
            "at": iso(entry.at),
            "actor": entry.actor.name,
            "cause": entry.cause,
            "title": _cut(entry.title),
            "paths": [shown_path(change.path) for change in entry.changes[:2]],
            "pathCount": len(entry.changes),
        }
        for entry in call.workspace.transactions.history(_RECENT)
    ]


def _commits(call: Call, target: str) -> Iterator[dict[str, Any]]:
    """Git's newest; none where there is no repository, or it can't be read in a moment."""
    try:
        reading = Reading(call.workspace.root, target, timeout=_GIT_SECONDS)
        commits = reading.log(_RECENT, None if target == "." else target)
    except WorkroomError:
        return
    for commit in commits:
        yield {
            "sha": commit.sha[:10],
            "at": iso(commit.at),
            "author": _cut(commit.author),
            "subject": _cut(commit.subject),
        }


def _cut(text: str) -> str:
    shown = show(text, multiline=False).text
    return shown if len(shown) <= _WORDS else f"{shown[:_WORDS]}…"


# The same as text.


def _lines(data: dict[str, Any]) -> Iterator[str]:
    yield from _section("Written for newcomers, first lines quoted:", [
        f"{row['path']} ({row['bytes']:,} bytes): {row['firstLine']!r}" for row in data.get("instructions", ())
    ])  # fmt: skip
    yield from _section("Ways in:", [f"{row['path']}: {row['what']}" for row in data.get("entryPoints", ())])
    yield from _section("Tests:", _test_lines(data.get("tests", {})))
    yield from _section("Languages:", [
        f"{row['language']} {row['share']:.0%} ({row['files']:,} files)" for row in data.get("languages", ())
    ])  # fmt: skip
    yield from _section("Newest commits:", [
        f"{row['sha']} {row['at'][:10]} {row['author']}: {row['subject']}" for row in data.get("commits", ())
    ])  # fmt: skip
    yield from _section("Newest changes:", [
        f"{row['entry']} {row['actor']} {row['cause']}: {row['title'] or ', '.join(row['paths'])}"
        for row in data.get("history", ())
    ])  # fmt: skip
    if data["tree"]:
        yield (
            "Tree:" if data.keys() & {"instructions", "entryPoints", "tests", "languages", "commits", "history"} else ""
        )
        yield data["tree"]


def _test_lines(tests: dict[str, Any]) -> list[str]:
    lines = [", ".join(tests["commands"])] if "commands" in tests else []
    return lines + [f"{row['path']}/ ({row['files']:,} files)" for row in tests.get("folders", ())]


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield title
        yield from (f"  {line}" for line in lines)


OVERVIEW = Action(
    "overview",
    Overview,
    "A first look: instructions, ways in, tests, languages, recent changes, the tree.",
    _overview,
)
