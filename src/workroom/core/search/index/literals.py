r"""What a line must hold for a query to find it, as far as that is certain, in ripgrep's (Rust's) dialect.

    (?i)foo(bar|baz+)?[0-9]qux   ->   "foo" and "qux"
    ^(import|from)\s             ->   "import" or "from"

Only what can't be otherwise is taken: runs of plain characters outside of classes, of what is optional, and of flags
that change what they mean. What isn't understood gives up the whole query, which is then looked for in all files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["Needs", "needs"]

_DEPTH = 50
_ONE_OF_A_KIND = frozenset("dDwWsSbBAz")
_PLAIN_ESCAPES = frozenset("\\.+*?()|[]{}^$#&-~/ '\"`%@!,:;=_")
_QUANTIFIER = re.compile(r"\*|\+|\?|\{(?P<least>[0-9]+)(?:,[0-9]*)?\}")
_FLAGS = re.compile(r"[imsU]*(?:-[imsU]+)?")
_NAMED = re.compile(r"P?<[A-Za-z_][A-Za-z0-9_]*>")


@dataclass(slots=True)
class Needs:
    """All `texts` (UTF-8, at least three bytes each), and for each of `choices` one of its members."""

    texts: list[bytes] = field(default_factory=list)
    choices: list[list[Needs]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.texts or self.choices)


class _GivenUp(Exception):  # noqa: N818 - no error: nothing is certain
    """Nothing is known of what is needed."""


def needs(text: str, *, regex: bool, exact_case: bool) -> Needs:
    """What a match of `text` needs; empty where nothing is certain. `exact_case`: its letters match no other case.

    Where they do, only ASCII counts: which other letters match one of those is told by `signature.ODD_CASE`.
    """
    if "\n" in text or "\r" in text or "\0" in text:
        return Needs()  # refused by ripgrep, or understood in a way of its own
    try:
        return _Reader(text, exact_case).read() if regex else _needed([text], [], exact_case)
    except (_GivenUp, UnicodeEncodeError):
        return Needs()


def _needed(runs: list[str], choices: list[list[Needs]], exact_case: bool) -> Needs:
    pieces = [run.encode() for run in runs]
    if not exact_case:
        pieces = [piece for run in pieces for piece in re.split(rb"[\x80-\xff]+", run)]
    return Needs([piece for piece in pieces if len(piece) >= 3], choices)


class _Reader:
    """Reads one expression from the left to the right."""

    def __init__(self, text: str, exact_case: bool) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._exact_case = exact_case and not re.search(r"\(\?[a-zA-Z]*i", text)

    def read(self) -> Needs:
        found = self._alternatives()
        if self._at != len(self._text):
            raise _GivenUp  # a parenthesis too many
        return found

    def _alternatives(self) -> Needs:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        return Needs(choices=[branches]) if all(branches) else Needs()

    def _sequence(self) -> Needs:
        """What stands one behind the other, up to `|`, `)` or the end."""
        runs, choices = [""], []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            atom = self._atom()
            optional, repeated = self._quantified()
            if isinstance(atom, str) and not repeated:
                runs[-1] += atom
                continue
            if isinstance(atom, str):
                runs += [""] if optional else [atom, ""]
            else:
                runs.append("")
                if atom is not None and atom and not optional:
                    choices.append([atom])
        return _needed(runs, choices, self._exact_case)

    def _atom(self) -> str | Needs | None:
        """A plain character, a group, or None for what isn't one certain character."""
        char = self._next()
        if char == "\\":
            return self._escape()
        if char == "[":
            self._skip_class()
            return None
        if char == "(":
            return self._group()
        if char in ".^$":
            return None
        if char in "*+?{":
            raise _GivenUp  # what it repeats isn't there
        return char

    def _escape(self) -> str | None:
        char = self._next()
        if char in _ONE_OF_A_KIND and not (char in "bB" and self._peek() == "{"):
            return None
        if char in _PLAIN_ESCAPES:
            return char
        raise _GivenUp

    def _skip_class(self) -> None:
        """Skip a class, with those inside it."""
        depth, first = 1, True
        while depth:
            if first:
                self._take("^")
            char = self._next()
            if char == "]" and not first:
                depth -= 1
                continue
            first = char == "["
            depth += first
            if char == "\\":
                self._next()

    def _group(self) -> Needs | None:
        if self._take("?"):
            named = _NAMED.match(self._text, self._at)
            if named is not None:
                self._at = named.end()
            else:
                self._at = _FLAGS.match(self._text, self._at).end()  # type: ignore[union-attr]
                if self._take(")"):
                    return None  # flags for what follows
                if not self._take(":"):
                    raise _GivenUp
        self._depth += 1
        if self._depth > _DEPTH:
            raise _GivenUp
        found = self._alternatives()
        self._depth -= 1
        if not self._take(")"):
            raise _GivenUp
        return found

    def _quantified(self) -> tuple[bool, bool]:
        """Whether what was read may be missing, and whether anything says how often it comes."""
        optional = repeated = False
        while (found := _QUANTIFIER.match(self._text, self._at)) is not None:
            self._at = found.end()
            repeated = True
            optional |= found[0] in "*?" or (found["least"] is not None and not int(found["least"]))
        if self._peek() == "{":
            raise _GivenUp
        return optional, repeated

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise _GivenUp
        self._at += 1
        return self._text[self._at - 1]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, char: str) -> bool:
        taken = self._peek() == char
        self._at += taken
        return taken
