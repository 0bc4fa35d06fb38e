"""What a project's own files say of how it is started and tested: their names and what they declare, never run.

    offers("package.json", text)   ("scripts start, build, test", "bin tool = cli.js"), ("npm test",)

Read as data, by the parsers of the standard library or by lines; a file that can't be parsed declares nothing.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["MANIFESTS", "Offer", "offers"]

_MOST = 12
"""Names of one kind that are told."""
_DOTS = 500
"""In one line; a key of more parts takes the parser of TOML seconds."""
_TARGET = re.compile(r"^([A-Za-z0-9][\w./-]*)(?:[ \t]+[\w./-]+)*[ \t]*+::?+(?!=)", re.MULTILINE)
_RECIPE = re.compile(r"^@?([a-z][\w-]*)(?:[ \t][^:\n]*+)?:(?!=)", re.MULTILINE)
_STARTED = re.compile(r"^(?:ENTRYPOINT|CMD)[ \t]+(.+)$", re.MULTILINE | re.IGNORECASE)
_MODULE = re.compile(r"^module[ \t]+(\S+)", re.MULTILINE)
_KNOWN = frozenset(
    (
        "all", "help", "setup", "install", "build", "dev", "run", "start", "serve", "test", "tests", "check", "lint",
        "format", "docs", "clean", "deploy", "release",
    )
)  # fmt: skip
"""Targets that are told first."""
_TESTING = ("test", "tests", "check")


@dataclass(frozen=True, slots=True)
class Offer:
    """What one file declares: ways in, and commands that test."""

    ways: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


def offers(name: str, text: str) -> Offer:
    """What the file of that name declares; nothing for one that isn't known, or can't be parsed."""
    parse = MANIFESTS.get(name)
    if parse is None:
        return Offer()
    if max((line.count(".") for line in text.splitlines()), default=0) > _DOTS:
        return Offer()
    try:
        return parse(text)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Offer()


def _listed(word: str, names: Iterable[object]) -> tuple[str, ...]:
    found = [str(name) for name in dict.fromkeys(names)]
    if not found:
        return ()
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return (f"{word} {', '.join(found[:_MOST])}{more}",)


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {target}" for name, target in table.items()]


def _python(text: str) -> Offer:
    data = tomllib.loads(text)
    project, tool = data.get("project", {}), data.get("tool", {})
    scripts = {**tool.get("poetry", {}).get("scripts", {}), **project.get("gui-scripts", {})}
    scripts |= project.get("scripts", {})
    return Offer(_listed("script", _pairs(scripts)), tuple(name for name in ("pytest", "tox", "nox") if name in tool))


def _node(text: str) -> Offer:
    data = json.loads(text)
    scripts, binary, main = data.get("scripts", {}), data.get("bin", {}), data.get("main")
    binaries = [binary] if isinstance(binary, str) else _pairs(binary)
    ways = (*_listed("script", scripts), *_listed("bin", binaries), *(("main " + str(main),) if main else ()))
    return Offer(ways, ("npm test",) if "test" in scripts else ())


def _rust(text: str) -> Offer:
    data = tomllib.loads(text)
    binaries = [each.get("name", "") for each in data.get("bin", [])]
    package = [data["package"]["name"]] if "package" in data else []
    members = data.get("workspace", {}).get("members", [])
    return Offer(
        (*_listed("package", package), *_listed("binary", binaries), *_listed("members", members)), ("cargo test",)
    )


def _go(text: str) -> Offer:
    return Offer(_listed("module", _MODULE.findall(text)), ("go test ./...",))


def _make(text: str) -> Offer:
    targets = list(dict.fromkeys(_TARGET.findall(text)))
    targets.sort(key=lambda name: name not in _KNOWN)
    return Offer(_listed("target", targets), tuple(f"make {name}" for name in _TESTING if name in targets))


def _just(text: str) -> Offer:
    recipes = list(dict.fromkeys(_RECIPE.findall(text)))
    return Offer(_listed("recipe", recipes), tuple(f"just {name}" for name in _TESTING if name in recipes))


def _docker(text: str) -> Offer:
    return Offer(tuple(f"starts {command.strip()}" for command in _STARTED.findall(text)[-1:]))


def _tested_by(command: str) -> Callable[[str], Offer]:
    return lambda _text: Offer((), (command,))


MANIFESTS: Mapping[str, Callable[[str], Offer]] = {
    "pyproject.toml": _python,
    "package.json": _node,
    "Cargo.toml": _rust,
    "go.mod": _go,
    "Makefile": _make,
    "GNUmakefile": _make,
    "makefile": _make,
    "justfile": _just,
    "Dockerfile": _docker,
    "pytest.ini": _tested_by("pytest"),
    "conftest.py": _tested_by("pytest"),
    "tox.ini": _tested_by("tox"),
    "noxfile.py": _tested_by("nox"),
    "pom.xml": _tested_by("mvn test"),
    "build.gradle": _tested_by("gradle test"),
    "build.gradle.kts": _tested_by("gradle test"),
    "mix.exs": _tested_by("mix test"),
    "CMakeLists.txt": _tested_by("ctest"),
    "Rakefile": _tested_by("rake test"),
    "composer.json": _tested_by("composer test"),
}
"""The files that are known, the most telling first."""
