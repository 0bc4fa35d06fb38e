"""A Jupyter notebook as text that can be read: its cells, with what they gave, cut short.

    cells(text) -> list[str] | None      None: it is no notebook (of format 4, which has been written since 2014)

A cell begins with a line that says its number, its kind, and which lines of the file hold it: what is changed in a
notebook is changed there, and nothing here has a number that could be taken for one of the file's.

    -- cell 2, code [3], file lines 13-40
    print(6 * 7)
    -- output, stdout
    42
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["cells"]

_OUTPUT_CHARS = 1_500
"""What is kept of one output: most of it from its beginning, of an error from its end."""
_OUTPUTS = 20
"""How many outputs of one cell are shown."""

_BLANK = re.compile(r"[ \t\r\n]*")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_decode = json.JSONDecoder().raw_decode


def cells(text: str) -> list[str] | None:
    """The text of each cell."""
    try:
        found = list(_cells(text))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None  # no JSON, or JSON of something else
    return found or None


def _cells(text: str) -> Iterator[str]:
    ending = "\n" if "\n" in text else "\r"
    line, seen = 1, 0
    for number, (start, end, cell) in enumerate(_spans(text), 1):
        first = line + text.count(ending, seen, start)
        line, seen = first + text.count(ending, start, end), end
        shown = "\n".join([_head(number, cell, first, line), *_source(cell), *_outputs(cell)])
        yield shown.encode("utf-8", "replace").decode()  # halves of surrogate pairs, which JSON can name


def _spans(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Where in the text each cell stands, and the cell."""
    at = _past(text, _skip(text, 0), "{")
    while True:
        name, at = _decode(text, at)
        at = _past(text, _skip(text, at), ":")
        if name == "cells":
            break
        _, at = _decode(text, at)
        at = _past(text, _skip(text, at), ",")
    at = _past(text, at, "[")
    while text[at] != "]":
        cell, end = _decode(text, at)
        yield at, end, cell
        at = _skip(text, end)
        if text[at] != "]":
            at = _past(text, at, ",")


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _past(text: str, at: int, mark: str) -> int:
    if text[at] != mark:
        raise ValueError(f"no {mark} at {at}")
    return _skip(text, at + 1)


def _head(number: int, cell: dict[str, Any], first: int, last: int) -> str:
    count = cell.get("execution_count")
    run = f" [{count}]" if isinstance(count, int) else ""
    return f"-- cell {number}, {cell['cell_type']}{run}, file lines {first}-{last}"


def _source(cell: dict[str, Any]) -> Iterator[str]:
    source = _joined(cell["source"]).rstrip("\n")
    if source:
        yield source
    for name, bundle in cell.get("attachments", {}).items():
        yield f"-- attachment {name}, {', '.join(_sizes(bundle))}"


def _outputs(cell: dict[str, Any]) -> Iterator[str]:
    outputs = cell.get("outputs", [])
    for output in outputs[:_OUTPUTS]:
        yield from _output(output)
    if len(outputs) > _OUTPUTS:
        yield f"-- {len(outputs) - _OUTPUTS} more outputs"


def _output(output: dict[str, Any]) -> Iterator[str]:
    kind = output["output_type"]
    if kind == "stream":
        yield f"-- output, {output.get('name', 'stdout')}"
        yield _shortened(_as_printed(_joined(output["text"])))
    elif kind == "error":
        yield "-- output, error"
        trace = _COLOURS.sub("", "\n".join(output.get("traceback", [])))
        yield _shortened(trace or f"{output.get('ename')}: {output.get('evalue')}", from_end=True)
    else:
        bundle = output.get("data", {})
        plain = bundle.get("text/plain", bundle.get("text/markdown"))
        yield f"-- output, {', '.join(_sizes(bundle))}"
        if plain is not None:
            yield _shortened(_joined(plain))


def _sizes(bundle: dict[str, Any]) -> list[str]:
    """What forms an output has, each with its length; what is in base64 is counted in bytes."""
    rows = []
    for kind, value in bundle.items():
        body = _joined(value) if isinstance(value, str | list) else json.dumps(value)
        binary = kind.startswith(("image/", "audio/", "video/", "application/pdf")) and kind != "image/svg+xml"
        size = f"{len(body.strip()) * 3 // 4:,} bytes" if binary else f"{len(body):,} characters"
        rows.append(f"{kind} ({size})")
    return rows


def _joined(value: str | list[str]) -> str:
    """A text of a notebook, which may be written line by line."""
    return value if isinstance(value, str) else "".join(value)


def _as_printed(text: str) -> str:
    """What a terminal would be left with: no colours, and of a line that was written over and over its last form."""
    lines = _COLOURS.sub("", text).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def _shortened(text: str, *, from_end: bool = False) -> str:
    text = text.rstrip("\n")
    if len(text) <= _OUTPUT_CHARS:
        return text
    left = f"… {len(text) - _OUTPUT_CHARS:,} characters left out …"
    kept = _OUTPUT_CHARS // 5
    if from_end:
        return f"{text[:kept]}\n{left}\n{text[kept - _OUTPUT_CHARS :]}"
    return f"{text[: _OUTPUT_CHARS - kept]}\n{left}\n{text[-kept:]}"
