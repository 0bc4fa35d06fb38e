"""Which grammar a file is read by: by its name, else by the program that its first line names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workroom.core.search.syntax.table import GRAMMARS
from workroom.text.language import language_of

__all__ = ["grammar_of", "may_have_grammar"]

_BY_ENDING: Mapping[str, str] = {
    "tsx": "tsx", "toml": "toml", "lock": "toml", "vue": "html", "svelte": "html", "mdx": "markdown",
    "cu": "cpp", "cuh": "cpp", "bzl": "python", "star": "python", "mk": "make", "mak": "make", "sql": "sql",
    "zig": "zig", "fish": "", "astro": "", "conf": "", "properties": "", "pyx": "", "ipynb": "",
    "json5": "", "jsonl": "", "ndjson": "", "map": "", "edn": "",
}  # fmt: skip
"""Where the ending says more than the language's name, or the language's grammar doesn't fit; empty: none does."""

_BY_NAME: Mapping[str, str] = {"makefile": "make", "gnumakefile": "make", "kbuild": "make", "pipfile": "toml"}

_BY_LANGUAGE: Mapping[str, str] = {"shell": "bash", "objective-c": "objc"}
"""Where a grammar has another name than the language."""

_PROGRAMS: Mapping[str, str] = {
    "python": "python", "pypy": "python", "node": "javascript", "deno": "typescript", "bun": "typescript",
    "ts-node": "typescript", "sh": "bash", "bash": "bash", "dash": "bash", "ksh": "bash", "zsh": "bash",
    "ruby": "ruby", "php": "php", "lua": "lua", "luajit": "lua", "swift": "swift", "scala": "scala", "make": "make",
}  # fmt: skip

_SHEBANG = re.compile(
    rb"#![ \t]*(?:\S*/)?env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*([^\s/]+)|#![ \t]*\S*?([^\s/]+)(?=\s|\Z)"
)
_CPLUSPLUS = re.compile(
    rb"^[ \t]*(?:class\s+\w|namespace[\s{]|template\s*<|(?:public|private|protected)\s*:|using\s)", re.MULTILINE
)


def grammar_of(path: str, head: bytes = b"") -> str | None:
    """The grammar for the file at a path that begins with `head`; None where none fits."""
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name[1:] else ""
    found = _BY_NAME.get(name, _BY_ENDING.get(ending))
    if found is None:
        language = language_of(path)
        found = _BY_LANGUAGE.get(language, language)
        if found == "plaintext" and not ending:
            found = _of_program(head)
    if found == "c" and ending == "h" and _CPLUSPLUS.search(head):
        return "cpp"
    return found if found in GRAMMARS else None


def may_have_grammar(path: str) -> bool:
    """Whether some file of that name has one, whatever it begins with."""
    return grammar_of(path) is not None or grammar_of(path, b"#!/bin/sh") is not None


def _of_program(head: bytes) -> str:
    shebang = _SHEBANG.match(head)
    if shebang is None:
        return ""
    program = (shebang[1] or shebang[2]).decode("ascii", "replace")
    return _PROGRAMS.get(program, _PROGRAMS.get(program.rstrip("0123456789."), ""))
