r"""Showing a person text that may try to deceive: what would act, hide or push out of sight is made visible.

Used wherever somebody decides on what they see. A text without a flag is shown as it is; a flag says what was found.
A backslash in the text itself stays as it is: `\x1b` without the flag `control characters` is four plain characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["LONGEST_RUN", "Shown", "flags_of", "show"]

LONGEST_RUN = 200
"""Blanks in a row, in characters, that are shown as they are."""

CONTROL = "control characters"
BIDI = "bidirectional controls"
INVISIBLE = "invisible characters"
BLANK = "unusual blanks"
UNKNOWN = "unassigned characters"
BROKEN = "undecodable bytes"
LONG_RUN = "long run of blanks"

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters without ink that Unicode doesn't count as format characters (Cf)."""
_LONE_SELECTOR = re.compile(
    "(?<![©®\u203c\u2049\u2100-\u214f\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])\ufe0f"
)
"""U+FE0F makes an emoji of the symbol before it, and is left to it there; anywhere else it can carry hidden data."""
_BLANK_CLASS = "[ \t\n\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
_LONG_RUN = re.compile(f"(?<!{_BLANK_CLASS}){_BLANK_CLASS}{{{LONGEST_RUN + 1},}}")
_SHORT = {"\r": r"\r", "\n": r"\n", "\t": r"\t"}
_BY_CATEGORY = {"Cc": CONTROL, "Cf": INVISIBLE, "Zs": BLANK, "Cn": UNKNOWN, "Co": UNKNOWN, "Cs": BROKEN}


@dataclass(frozen=True, slots=True)
class Shown:
    """What may be put before a person, always encodable as UTF-8; `flags` are sorted."""

    text: str
    flags: tuple[str, ...]


def show(text: str, *, multiline: bool = True) -> Shown:
    r"""`text` with everything that acts or hides escaped (`\x1b`, `\u202e`, `\U000e0041`), and what was found.

    Newlines and tabs stay when `multiline`; a CR is always shown, and flagged where it isn't part of a CRLF. A byte
    that could not be decoded (a surrogate of `surrogateescape`) is shown as that byte. More than 200 blanks in a row,
    newlines among them, become a marker that tells how many.
    """
    flags: set[str] = set()
    text = _LONG_RUN.sub(lambda run: _marker(run[0], multiline, flags), text)
    if "\ufe0f" in text:
        text, lone = _LONE_SELECTOR.subn(r"\\ufe0f", text)
        flags |= {INVISIBLE} if lone else set()
    table: dict[int, str] = {}
    for character in set(text) - set("\ufe0f\n\t" if multiline else "\ufe0f"):
        flag = _flag(character)
        if flag is not None:
            table[ord(character)] = _escape(character)
            flags.add(flag)
    if multiline and "\r" in text and _only_crlf(text, table):
        flags.discard(CONTROL)
    return Shown(text.translate(table) if table else text, tuple(sorted(flags)))


def flags_of(*texts: str) -> tuple[str, ...]:
    """What was found in any of these one-line texts, sorted: for a row that shows several of them."""
    return tuple(sorted({flag for text in texts for flag in show(text, multiline=False).flags}))


def _flag(character: str) -> str | None:
    """Why this character can't be shown as it is, or None."""
    if " " <= character <= "~" or character == "\u3000":  # an ideographic space is as plain as a space
        return None
    if character in _BIDI:
        return BIDI
    if _INVISIBLE.match(character):
        return INVISIBLE
    return _BY_CATEGORY.get(unicodedata.category(character))


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _marker(run: str, multiline: bool, flags: set[str]) -> str:
    flags.add(LONG_RUN)
    ends = run.count("\n")
    lines = f", {ends} line ends" if ends else ""
    return f"⟨{len(run)} blanks{lines}⟩" + ("\n" if ends and multiline else "")


def _only_crlf(text: str, table: dict[int, str]) -> bool:
    """Whether CR is the only control character, and each is followed by a newline: an ordinary file of Windows."""
    others = any(code != 13 and (code < 32 or 127 <= code < 160) for code in table)
    return not others and text.count("\r") == text.count("\r\n")
