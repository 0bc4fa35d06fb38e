"""Definitions, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Definition", "Kind", "Outline"]


class Kind(StrEnum):
    """What a definition is. `declaration`: what is written where the definition isn't, as a C prototype is."""

    MODULE = "module"
    CLASS = "class"
    STRUCT = "struct"
    UNION = "union"
    ENUM = "enum"
    INTERFACE = "interface"
    TRAIT = "trait"
    IMPL = "impl"
    TYPE = "type"
    FUNCTION = "function"
    METHOD = "method"
    DECLARATION = "declaration"
    MACRO = "macro"
    CONSTANT = "constant"
    VARIABLE = "variable"
    FIELD = "field"
    HEADING = "heading"
    KEY = "key"
    RULE = "rule"
    ELEMENT = "element"
    TARGET = "target"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Definition:
    """One of them. Lines count from 1, both ends included; bytes are those of the data that was parsed.

    `first` and `start` are where its decorators, attributes and the comment above it begin; `line` is where its name
    stands. `parent` is the place in the outline of the definition that it stands in. `signature`: how it begins, in
    one line, up to its body.
    """

    name: str
    qualified: str
    kind: Kind
    line: int
    first: int
    last: int
    start: int
    end: int
    parent: int | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions of one file, in its order, each behind the one that it stands in.

    `faulty`: not all of it could be parsed, so that some may be missing. `cut`: there are more.
    """

    definitions: tuple[Definition, ...] = ()
    faulty: bool = False
    cut: bool = False
