"""The house's rules that no linter knows: sizes, hidden imports, what stays light, reasons for exclusions.

`python tools/check_house.py [ROOT]` prints each fault as `path:line: what is wrong`, then a summary of what is over
its aim, and ends with 1 if there was a fault.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "workroom"
MODULE_AIM, MODULE_STOP = 150, 600
FUNCTION_AIM, FUNCTION_STOP = 10, 60

# Where an import of our own may stand inside a function, and why. Everywhere else it would hide a cycle.
LATE_IMPORTS = {
    "workroom": "the Python interface: `import workroom` loads nothing heavy, so open_workspace() loads it",
    "workroom.__main__": "`workroom mcp` takes its way to the shim before the rest of the program is loaded",
    "workroom.interfaces.http.house": "Starlette and uvicorn are loaded when HTTP is switched on, not before",
    "workroom.interfaces.page.late": "the same, for the person's way in",
}
# What must start in milliseconds: from these only the standard library may be reached by imports at module level.
LIGHT = {
    "workroom.__main__": "every start of `workroom mcp` would pay for it",
    "workroom.interfaces.mcp.shim": "one runs for each connected client, and joins a server that is up already",
}
# What a room may import besides the standard library and our own.
OUTSIDE = {"base": ({"pydantic"}, "base is the vocabulary of all rooms; whoever imports it pays for all of it")}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One parsed source file. `name` is dotted (`workroom.core.plans`; a package's `__init__` is the package)."""

    name: str
    path: Path
    text: str
    tree: ast.Module


@dataclass(frozen=True)
class Import:
    """One import: the dotted module that is named, and whether it runs when the importing module is loaded."""

    target: str
    line: int
    at_load: bool


def load(path: Path, base: Path) -> Module:
    parts = path.relative_to(base).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    text = path.read_text(encoding="utf-8")
    return Module(name, path, text, ast.parse(text, str(path)))


# Sizes


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(function: Function) -> int:
    """Lines from `def` to the last, the docstring apart: a long explanation is no fault."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function, clean=False) is None:
        return lines
    first = function.body[0]
    return lines - ((first.end_lineno or first.lineno) - first.lineno + 1)


def sizes(module: Module) -> Iterator[tuple[int, int, int, str]]:
    """(lines, aim, stop, `path:line: what`) of the module and of each function in it."""
    yield len(module.text.splitlines()), MODULE_AIM, MODULE_STOP, f"{module.path}:1: module"
    for function in functions(module.tree):
        where = f"{module.path}:{function.lineno}: function {function.name}"
        yield length(function), FUNCTION_AIM, FUNCTION_STOP, where


def check_sizes(module: Module) -> Iterator[str]:
    for lines, _, stop, where in sizes(module):
        if lines > stop:
            yield f"{where} has {lines} lines; the stop is {stop}"


def summary(modules: list[Module]) -> Iterator[str]:
    """What is over its aim: how many, and the longest of each kind."""
    everything = [row for module in modules for row in sizes(module)]
    for aim, what in ((MODULE_AIM, "modules"), (FUNCTION_AIM, "functions")):
        rows = sorted((row for row in everything if row[1] == aim), reverse=True)
        over = [row for row in rows if row[0] > aim]
        yield f"{len(over)} of {len(rows)} {what} are over the aim of {aim} lines"
        yield from (f"  {lines:4} {where}" for lines, _, _, where in over[:5])


# Imports


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def named(node: ast.Import | ast.ImportFrom, module: Module) -> Iterator[str]:
    """The dotted names an import statement names; `from a import b` names `a.b`, which may be a module or not."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        package = module.name.split(".")
        is_package = module.path.name == "__init__.py"
        up = package[: len(package) - node.level + is_package]
        base = ".".join([*up, base] if base else up)
    yield from (f"{base}.{alias.name}" for alias in node.names)


def by_name(node: ast.AST) -> str | None:
    """The module in `import_module("…")` and `__import__("…")`, as far as it is written out."""
    if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
        return None
    called = ast.unparse(node.func).rpartition(".")[2]
    value = node.args[0].value
    return value if called in {"import_module", "__import__"} and isinstance(value, str) else None


def imports(module: Module) -> Iterator[Import]:
    """Every import of a module, wherever it stands; those for type checkers only are left out."""
    stack: list[tuple[ast.AST, bool]] = [(module.tree, True)]
    while stack:
        node, at_load = stack.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (Import(target, node.lineno, at_load) for target in named(node, module))
        elif isinstance(node, ast.Call) and (target := by_name(node)):
            yield Import(target, node.lineno, at_load)
        inside = at_load and not isinstance(node, Function | ast.Lambda)
        children = node.orelse if isinstance(node, ast.If) and is_type_checking(node) else ast.iter_child_nodes(node)
        stack.extend((child, inside) for child in children)


def top(target: str) -> str:
    return target.partition(".")[0]


def is_ours(target: str) -> bool:
    return top(target) == PACKAGE


def check_hidden_imports(module: Module) -> Iterator[str]:
    if module.name in LATE_IMPORTS:
        return
    for found in imports(module):
        if is_ours(found.target) and not found.at_load:
            yield (
                f"{module.path}:{found.line}: imports {found.target} inside a function; "
                "that hides a cycle: import it at the top, or move what both need down"
            )


def check_root_imports(module: Module, names: set[str]) -> Iterator[str]:
    for found in imports(module):
        parent, _, _ = found.target.rpartition(".")
        if found.target == PACKAGE or (parent == PACKAGE and found.target not in names):
            yield (
                f"{module.path}:{found.line}: imports the package's root, which imports from everywhere "
                "and so makes cycles; import the module that defines the name"
            )


def is_outside(target: str) -> bool:
    return not is_ours(target) and top(target) not in sys.stdlib_module_names


def check_outside(module: Module) -> Iterator[str]:
    room = module.name.removeprefix(f"{PACKAGE}.").partition(".")[0]
    allowed, why = OUTSIDE.get(room, (None, ""))
    for found in imports(module):
        if allowed is not None and is_outside(found.target) and top(found.target) not in allowed:
            yield f"{module.path}:{found.line}: {room} may not import {found.target}; {why}"


def loaded_with(target: str, modules: dict[str, Module]) -> Iterator[Module]:
    """What importing a name of ours runs: each package on the way, and the module itself."""
    parts = target.split(".")
    names = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return (modules[name] for name in names if name in modules)


def check_light(start: str, modules: dict[str, Module]) -> Iterator[str]:
    """Follow the imports made while `start` is loaded; each third-party one is a fault."""
    todo, seen = list(loaded_with(start, modules)), set[str]()
    while todo:
        module = todo.pop()
        if module.name in seen:
            continue
        seen.add(module.name)
        for found in imports(module):
            if found.at_load and is_outside(found.target):
                yield (
                    f"{module.path}:{found.line}: loads {found.target}, and {start} reaches it; "
                    f"{start} keeps to the standard library: {LIGHT[start]}"
                )
            elif found.at_load:
                todo.extend(loaded_with(found.target, modules))


# Exclusions from coverage

PRAGMA = re.compile(r"#\s*pragma[:\s]?\s*no\s*cover(?P<rest>.*)", re.IGNORECASE)


def check_pragmas(module: Module) -> Iterator[str]:
    for number, line in enumerate(module.text.splitlines(), 1):
        match = PRAGMA.search(line)
        if match and not re.match(r" - \w", match["rest"]):
            yield (
                f"{module.path}:{number}: leaves a line out of coverage without a reason; "
                "write `# pragma: no cover - why it can't be reached`"
            )


def check(root: Path) -> tuple[list[str], list[str]]:
    """Faults and summary of the project at `root`."""
    ours = [load(path, root / "src") for path in sorted((root / "src").rglob("*.py"))]
    beside = [load(path, root) for name in ("tools", "benchmarks") for path in sorted((root / name).rglob("*.py"))]
    names = {module.name: module for module in ours}
    faults = [fault for module in [*ours, *beside] for fault in check_sizes(module)]
    for module in ours:
        faults += check_hidden_imports(module)
        faults += check_root_imports(module, set(names))
        faults += check_outside(module)
        faults += check_pragmas(module)
    for start in LIGHT:
        faults += check_light(start, names)
    return faults, list(summary([*ours, *beside]))


def main(arguments: list[str]) -> int:
    faults, lines = check(Path(arguments[0] if arguments else "."))
    print("\n".join([*faults, *lines]))
    print(f"house: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
