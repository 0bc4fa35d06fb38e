"""Names of files as git writes them in a patch: C-style quotes where a name could break the line."""

from __future__ import annotations

import re

__all__ = ["quote_name", "unquote_name"]

_LETTERS = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_BYTES = {letter: value for value, letter in _LETTERS.items()}
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)


def quote_name(name: str) -> str:
    """The name as it stands in a patch's header.

    Letters of any script stay readable. Quotes, backslashes, and what doesn't print (control characters, direction
    marks, bytes that aren't UTF-8) are escaped, and the whole is quoted.
    """
    if not any(_needs_escape(char) for char in name):
        return name
    return '"' + "".join(_escaped(char) if _needs_escape(char) else char for char in name) + '"'


def unquote_name(quoted: str) -> tuple[str, str] | None:
    """Read one quoted name from the start of `quoted`: the name, and what follows the closing quote.

    None when there is no quoted name. Bytes that aren't UTF-8 come back as lone surrogates.
    """
    match = re.match(r'"((?:[^"\\]|\\.)*)"', quoted, re.DOTALL)
    if match is None:
        return None
    raw = _ESCAPE.sub(_byte, match[1].encode("utf-8", "surrogatepass"))
    return raw.decode("utf-8", "surrogateescape"), quoted[match.end() :]


def _needs_escape(char: str) -> bool:
    return char in '"\\' or not char.isprintable()


def _escaped(char: str) -> str:
    surrogate = "\ud800" <= char <= "\udfff"
    raw = char.encode("utf-8", "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass")
    if len(raw) == 1 and raw[0] in _LETTERS and not surrogate:
        return "\\" + _LETTERS[raw[0]]
    return "".join(f"\\{byte:03o}" for byte in raw)


def _byte(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if len(code) == 3:
        return bytes([int(code, 8)])
    return bytes([_BYTES.get(code.decode("latin-1"), code[0])])
