"""What outline and read share about a symbol: where it is defined, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.listing import is_test, shown_path
from workroom.core.search.syntax.service import Unparsed
from workroom.core.search.syntax.symbols import Place, Places, defined
from workroom.tools.inspect.common import with_help
from workroom.tools.tool import Call

__all__ = ["found_at", "place_line", "place_row", "the_only", "unparsed_words"]

_LISTED = 20
"""How many places a refusal names."""
_BESIDE = 5
"""How many others are told of beside the one that is meant."""


def found_at(call: Call, path: str, symbol: str) -> Places:
    """Where a symbol is defined in the file, or below the folder, at a canonical path."""
    workspace = call.workspace
    try:
        return defined(workspace.root, workspace.syntax, path, symbol, index=workspace.index, pulse=call.pulse)
    except WorkroomError as error:
        raise with_help(call, path, error) from None


def the_only(call: Call, path: str, symbol: str) -> tuple[Place, list[Place], bool]:
    """The one definition that a symbol means, others that only stand for it, and whether there may be more, for not
    everything was looked into. NOT_FOUND; INVALID_INPUT, with the list, where there are several."""
    places = found_at(call, path, symbol)
    meant = places.meant()
    if not meant:
        raise _missing(path, symbol, places)
    if len(meant) > 1:
        meant = sorted(meant, key=lambda place: (place.definition.qualified != symbol, is_test(place.path)))
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{len(meant)} definitions of {symbol!r}: {'; '.join(map(place_line, meant[:_LISTED]))}"
            f"{'; …' if len(meant) > _LISTED or places.cut else '.'}",
            next_step="Send the `path` of one of them, a longer name, or its lines as start_line and end_line.",
            details={"field": "symbol", "definitions": [_where(place) for place in meant[:_LISTED]]},
        )
    return meant[0], [place for place in places.found if place is not meant[0]][:_BESIDE], places.cut


def place_row(place: Place) -> dict[str, Any]:
    """One place as data."""
    return _where(place) | {"signature": place.definition.signature}


def place_line(place: Place) -> str:
    """The same as a line."""
    each = place.definition
    return f"{shown_path(place.path)}:{each.first}-{each.last} {each.kind} {each.qualified}"


def unparsed_words(unparsed: Mapping[Unparsed, int]) -> str:
    """What wasn't parsed, as a sentence; empty where there was nothing."""
    return f" Not parsed: {', '.join(f'{n} {why}' for why, n in unparsed.items())}." if unparsed else ""


def _where(place: Place) -> dict[str, Any]:
    each = place.definition
    row = {"path": shown_path(place.path), "name": each.qualified, "kind": str(each.kind)}
    return row | {"startLine": each.first, "endLine": each.last, "line": each.line}


def _missing(path: str, symbol: str, places: Places) -> WorkroomError:
    said = f"No definition of {symbol!r} in {path!r}."
    if places.unparsed:
        said += unparsed_words(places.unparsed)
    if places.cut:
        said += " Not everything was looked into: a narrower path is."
    step = "Action search finds where it is named."
    if places.near:
        step = f"Did you mean {', '.join(places.near)}? Action outline lists what is there."
    unparsed = places.named is None and places.unparsed  # the very file that was named
    return WorkroomError(
        ErrorCode.UNSUPPORTED if unparsed else ErrorCode.NOT_FOUND,
        said,
        next_step=step,
        details={"field": "symbol", "near": list(places.near)},
    )
