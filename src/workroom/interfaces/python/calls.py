"""Every tool's actions as typed calls. Made by `python tools/make_python.py`; change the tools, not this.

A parameter that is None is not sent, and has the default that the reference tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from workroom.interfaces.python.answer import Answer

__all__ = [
    "Asks",
    "Command",
    "Copy",
    "Create",
    "Delete",
    "Edit",
    "File",
    "Inspect",
    "Mkdir",
    "Move",
    "Notes",
    "Operation",
    "Patch",
    "Plan",
    "Replace",
    "Rewrite",
    "Splice",
    "Step",
]

Copy = TypedDict(
    "Copy",
    {
        "allow_line_numbers": NotRequired[bool],
        "expected_sha256": NotRequired[str],
        "from": str,
        "to": str,
        "overwrite": NotRequired[bool],
        "type": Literal["copy"],
    },
)
"""A file or a folder with all it holds."""


class Create(TypedDict):
    """A new file; parents are made. Over an existing file only with `overwrite`."""

    allow_line_numbers: NotRequired[bool]
    expected_sha256: NotRequired[str]
    type: Literal["create"]
    path: str
    content: str
    overwrite: NotRequired[bool]


class Delete(TypedDict):
    """A file or link, or a folder with `recursive`."""

    allow_line_numbers: NotRequired[bool]
    expected_sha256: NotRequired[str]
    type: Literal["delete"]
    path: str
    ignore_missing: NotRequired[bool]
    recursive: NotRequired[bool]


class Mkdir(TypedDict):
    """An empty folder; parents are made."""

    allow_line_numbers: NotRequired[bool]
    expected_sha256: NotRequired[str]
    type: Literal["mkdir"]
    path: str


Move = TypedDict(
    "Move",
    {
        "allow_line_numbers": NotRequired[bool],
        "expected_sha256": NotRequired[str],
        "from": str,
        "to": str,
        "overwrite": NotRequired[bool],
        "type": Literal["move"],
    },
)
"""A file, link or folder."""


class Patch(TypedDict):
    """A unified diff over up to 50 files, plain or as git writes it."""

    allow_line_numbers: NotRequired[bool]
    expected_sha256: NotRequired[str]
    type: Literal["patch"]
    patch: str


class Replace(TypedDict):
    """Exact text, which occurs `expected_matches` times."""

    allow_line_numbers: NotRequired[bool]
    expected_sha256: NotRequired[str]
    type: Literal["replace"]
    path: str
    search: str
    replacement: str
    expected_matches: NotRequired[int]


class Rewrite(TypedDict):
    """The whole content of an existing file."""

    allow_line_numbers: NotRequired[bool]
    expected_sha256: NotRequired[str]
    type: Literal["rewrite"]
    path: str
    content: str
    create_if_missing: NotRequired[bool]


class Splice(TypedDict):
    """Lines from `start_line` (1-based), guarded by the hash of what was read."""

    allow_line_numbers: NotRequired[bool]
    expected_sha256: NotRequired[str]
    type: Literal["splice"]
    path: str
    start_line: int
    delete_count: int
    content: NotRequired[str]
    expected_hash: NotRequired[str]


class Command(TypedDict):
    """A program that the plan runs, by its bare name; whether it is allowed is decided when it runs."""

    executable: str
    args: NotRequired[Sequence[str]]


class File(TypedDict):
    """A file that the plan touches."""

    path: str
    change: Literal["create", "modify", "delete", "move"]


class Step(TypedDict):
    """One step and what kind of work it is."""

    text: str
    kind: NotRequired[Literal["edit", "command", "vcs", "research", "other"]]


Operation = Copy | Create | Delete | Mkdir | Move | Patch | Replace | Rewrite | Splice


class Asks(Protocol):
    """Whoever carries a call to the server."""

    def call(self, tool: str, action: str, /, **arguments: Any) -> Answer: ...


class Inspect:
    """Look: `workspace_inspect`."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    def capabilities(self) -> Answer:
        """The mode, what waits, where things are, what is guaranteed."""
        return self._asks.call("workspace_inspect", "capabilities")

    def overview(self, path: str | None = None, *, depth: int | None = None) -> Answer:
        """A first look: instructions, ways in, tests, languages, recent changes, the tree."""
        return self._asks.call("workspace_inspect", "overview", path=path, depth=depth)

    def list(
        self,
        path: str | None = None,
        *,
        recursive: bool | None = None,
        depth: int | None = None,
        pattern: str | None = None,
        include_hidden: bool | None = None,
        include_ignored: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Answer:
        """Entries of a folder, in pages."""
        return self._asks.call(
            "workspace_inspect",
            "list",
            path=path,
            recursive=recursive,
            depth=depth,
            pattern=pattern,
            include_hidden=include_hidden,
            include_ignored=include_ignored,
            limit=limit,
            cursor=cursor,
        )

    def read(
        self,
        path: str | None = None,
        *,
        paths: Sequence[str] | None = None,
        start_line: int | None = None,
        end_line: int | None = None,
        tail_lines: int | None = None,
        start_part: int | None = None,
        end_part: int | None = None,
        symbol: str | None = None,
        numbered: bool | None = None,
        known_sha256: str | None = None,
        max_chars: int | None = None,
    ) -> Answer:
        """The lines of a file, or of up to 20, numbered, with the hash of the whole file. A picture; the pages of
        a PDF; the cells of a notebook, whose own lines are answered where lines are asked for.
        """
        return self._asks.call(
            "workspace_inspect",
            "read",
            path=path,
            paths=paths,
            start_line=start_line,
            end_line=end_line,
            tail_lines=tail_lines,
            start_part=start_part,
            end_part=end_part,
            symbol=symbol,
            numbered=numbered,
            known_sha256=known_sha256,
            max_chars=max_chars,
        )

    def outline(
        self,
        path: str | None = None,
        *,
        symbol: str | None = None,
        kind: str | None = None,
        depth: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Answer:
        """What a file or folder defines, with lines; where a symbol is defined."""
        return self._asks.call(
            "workspace_inspect", "outline", path=path, symbol=symbol, kind=kind, depth=depth, limit=limit, cursor=cursor
        )

    def search(
        self,
        query: str,
        *,
        path: str | None = None,
        regex: bool | None = None,
        case_sensitive: bool | None = None,
        whole_word: bool | None = None,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        context_lines: int | None = None,
        output: Literal["lines", "files", "counts"] | None = None,
        include_ignored: bool | None = None,
        include_hidden: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Answer:
        """Lines that hold a text or match a regular expression, in pages."""
        return self._asks.call(
            "workspace_inspect",
            "search",
            query=query,
            path=path,
            regex=regex,
            case_sensitive=case_sensitive,
            whole_word=whole_word,
            include=include,
            exclude=exclude,
            context_lines=context_lines,
            output=output,
            include_ignored=include_ignored,
            include_hidden=include_hidden,
            limit=limit,
            cursor=cursor,
        )

    def semantic_search(self, query: str, *, path: str | None = None, limit: int | None = None) -> Answer:
        """Places that are about what a question says, in other words, too."""
        return self._asks.call("workspace_inspect", "semantic_search", query=query, path=path, limit=limit)

    def find(
        self,
        query: str,
        *,
        path: str | None = None,
        limit: int | None = None,
        kind: Literal["file", "directory", "symlink"] | None = None,
    ) -> Answer:
        """Paths whose names fit some letters, the best first."""
        return self._asks.call("workspace_inspect", "find", query=query, path=path, limit=limit, kind=kind)

    def stat(self, path: str | None = None, *, paths: Sequence[str] | None = None) -> Answer:
        """What stands at a path: kind, size, lines, hash, mode, git's view of it."""
        return self._asks.call("workspace_inspect", "stat", path=path, paths=paths)

    def changes(self, limit: int | None = None, *, since: int | None = None, entry: int | None = None) -> Answer:
        """What was done here by anyone, newest first, and what waits."""
        return self._asks.call("workspace_inspect", "changes", limit=limit, since=since, entry=entry)


class Edit:
    """Edit files: `workspace_edit`."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    def preview(
        self,
        operations: Sequence[Operation],
        *,
        title: str | None = None,
        idempotency_key: str | None = None,
        on_conflict: Literal["refuse", "merge"] | None = None,
    ) -> Answer:
        """Plan operations and show the diff; nothing changes."""
        return self._asks.call(
            "workspace_edit",
            "preview",
            operations=operations,
            title=title,
            idempotency_key=idempotency_key,
            on_conflict=on_conflict,
        )

    def apply(
        self,
        operations: Sequence[Operation],
        *,
        title: str | None = None,
        idempotency_key: str | None = None,
        on_conflict: Literal["refuse", "merge"] | None = None,
    ) -> Answer:
        """Plan and commit in one call."""
        return self._asks.call(
            "workspace_edit",
            "apply",
            operations=operations,
            title=title,
            idempotency_key=idempotency_key,
            on_conflict=on_conflict,
        )

    def commit(
        self,
        transaction_id: str,
        *,
        files: Sequence[str] | None = None,
        hunks: Sequence[str] | None = None,
        on_conflict: Literal["refuse", "merge"] | None = None,
    ) -> Answer:
        """Commit a planned transaction, whole or in part."""
        return self._asks.call(
            "workspace_edit", "commit", transaction_id=transaction_id, files=files, hunks=hunks, on_conflict=on_conflict
        )

    def rollback(
        self, transaction_id: str, *, force: bool | None = None, strategy: Literal["refuse", "merge"] | None = None
    ) -> Answer:
        """Take an applied transaction back."""
        return self._asks.call(
            "workspace_edit", "rollback", transaction_id=transaction_id, force=force, strategy=strategy
        )

    def show(self, transaction_id: str) -> Answer:
        """One transaction with its diff."""
        return self._asks.call("workspace_edit", "show", transaction_id=transaction_id)

    def list(
        self,
        limit: int | None = None,
        *,
        status: Literal["planned", "applied", "rolled_back", "superseded", "failed"] | None = None,
        cursor: str | None = None,
    ) -> Answer:
        """Transactions, newest first."""
        return self._asks.call("workspace_edit", "list", limit=limit, status=status, cursor=cursor)


class Notes:
    """Notes and memory: `workspace_notes`."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    def write(self, content: str, *, name: str | None = None, memory: bool | None = None) -> Answer:
        """Write a note whole."""
        return self._asks.call("workspace_notes", "write", content=content, name=name, memory=memory)

    def append(self, content: str, *, name: str | None = None, memory: bool | None = None) -> Answer:
        """Add to a note after a blank line."""
        return self._asks.call("workspace_notes", "append", content=content, name=name, memory=memory)

    def read(self, name: str | None = None, *, memory: bool | None = None) -> Answer:
        """A note's text."""
        return self._asks.call("workspace_notes", "read", name=name, memory=memory)

    def list(self, limit: int | None = None) -> Answer:
        """The notes by name, and whether there is a memory."""
        return self._asks.call("workspace_notes", "list", limit=limit)

    def delete(self, name: str | None = None, *, memory: bool | None = None) -> Answer:
        """Remove a note; the memory stays."""
        return self._asks.call("workspace_notes", "delete", name=name, memory=memory)


class Plan:
    """Plans: `workspace_plan`."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    def propose(
        self,
        title: str,
        *,
        objective: str,
        steps: Sequence[str | Step],
        files: Sequence[File] | None = None,
        commands: Sequence[Command] | None = None,
        risks: Sequence[str] | None = None,
        questions: Sequence[str] | None = None,
    ) -> Answer:
        """Ask for a plan's approval."""
        return self._asks.call(
            "workspace_plan",
            "propose",
            title=title,
            objective=objective,
            steps=steps,
            files=files,
            commands=commands,
            risks=risks,
            questions=questions,
        )

    def current(self) -> Answer:
        """The pending plan, else the approved one."""
        return self._asks.call("workspace_plan", "current")

    def show(self, plan_id: str) -> Answer:
        """One plan."""
        return self._asks.call("workspace_plan", "show", plan_id=plan_id)

    def complete(self, plan_id: str | None = None, *, summary: str | None = None) -> Answer:
        """End the approved plan."""
        return self._asks.call("workspace_plan", "complete", plan_id=plan_id, summary=summary)

    def list(self, limit: int | None = None) -> Answer:
        """Plans, newest first."""
        return self._asks.call("workspace_plan", "list", limit=limit)
