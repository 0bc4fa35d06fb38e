"""JSON as it is meant: one value and nothing behind it, each key once, no deeper and no more than a program writes.

The standard library's parser takes the last of two equal keys, `NaN`, and other encodings by a guess; each of these has
been used to show one thing to a checker and another to whoever acts. Here they are errors, and name their place.
"""

from __future__ import annotations

import json
import math
import re
from itertools import islice
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["DEPTH", "MOST", "holds_too_much", "parse"]

DEPTH = 100
"""How deep arrays and objects may stand in each other."""

MOST = 200_000
"""How many values and keys a text may hold: 32 MB of `[],` would be a gigabyte in memory, and seconds in which no other
thread gets a turn."""

_SIGNS = (b",", b":", b"[", b"{")
_SIGN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,:\[{]', re.DOTALL)
"""A string, or a sign beside a value. Possessive: a string may be megabytes long."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}:,]', re.DOTALL)


class _DoubledError(ValueError):
    """A key stands twice in one object."""


def parse(data: bytes, what: str = "The body") -> Any:
    """The value that `data` spells; INVALID_INPUT names the line and column of what is wrong, in characters from 1."""
    if holds_too_much(data):
        raise _wrong(f"{what} holds more than {MOST:,} values")
    text = _decoded(data, what)
    if not text.strip(" \t\r\n"):
        raise _wrong(f"{what} is empty; it is a JSON value", "Send `{}` where there is nothing to say.")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _wrong(f"{what} is not JSON: {error.msg}, line {error.lineno}, column {error.colno}") from None
    except _DoubledError:
        key, place = _second(text)
        raise _wrong(f"{what} has the key {key} twice in one object, {_line(text, place)}") from None
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError as error:  # a number of more digits than Python converts, or NaN
        raise _wrong(f"{what} is not JSON: {error}") from None
    _check(value, what)
    return value


def holds_too_much(data: bytes) -> bool:
    """Whether a JSON text holds far more than `MOST` values and keys; quick for what is long only by its strings."""
    if sum(map(data.count, _SIGNS)) <= MOST:
        return False
    return next(islice(_SIGN.finditer(data), 2 * MOST, None), None) is not None  # each sign has a string at most


def _decoded(data: bytes, what: str) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong(f"{what} is not UTF-8 at byte {error.start:,}") from None
    if text.startswith("\ufeff"):
        raise _wrong(f"{what} begins with a byte order mark, which JSON has none of")
    return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DoubledError
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _check(value: Any, what: str) -> None:
    """No number without a value, nothing too deep; level by level, since a deep value is what this looks for."""
    level, depth = [value], 0
    while level:
        if any(isinstance(one, float) and not math.isfinite(one) for one in level):
            raise _wrong(f"{what} holds a number that is too large")
        holders = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, list | dict)]
        if holders and depth == DEPTH:
            raise _too_deep(what)
        level = [inner for holder in holders for inner in holder]
        depth += 1


def _second(text: str) -> tuple[str, int]:
    """The first key that stands twice, as it is written, and where its second begins; the text is sound so far."""
    open_objects: list[set[str] | None] = []
    key: tuple[str, int] = ("", 0)
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign[0] == '"':
            key = sign, token.start()
        elif sign in "[{":
            open_objects.append(set() if sign == "{" else None)
        elif sign in "]}":
            open_objects.pop()
        elif sign == ":" and (seen := open_objects[-1]) is not None:
            name = json.loads(key[0])
            if name in seen:
                break
            seen.add(name)
    return key


def _line(text: str, place: int) -> str:
    before = text[:place]
    return f"line {before.count(chr(10)) + 1}, column {place - before.rfind(chr(10))}"


def _too_deep(what: str) -> WorkroomError:
    return _wrong(f"{what} is nested deeper than {DEPTH} levels")


def _wrong(message: str, next_step: str = "") -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, f"{message}.", next_step=next_step)
