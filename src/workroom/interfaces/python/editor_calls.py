"""Profile `editor` as typed calls. Made by `python tools/make_python.py`; change the tools, not this.

A parameter that is None is not sent, and has the default that the reference tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from workroom.interfaces.python.answer import Answer

__all__ = ["AsksFlat", "Editor"]


class AsksFlat(Protocol):
    """Whoever carries a call to the server."""

    def call_flat(self, tool: str, arguments: dict[str, Any], /) -> Answer: ...


class Editor:
    """The tools of profile `editor`, each without the `editor_` of its name."""

    def __init__(self, asks: AsksFlat) -> None:
        self._asks = asks

    def workspace_open(self, root: str) -> Answer:
        """Go to a folder that the person has opened; from then on paths are relative to it, for you alone."""
        return self._asks.call_flat("editor_workspace_open", {"root": root})

    def workspace_get(self) -> Answer:
        """The folder that paths are relative to, the open files, and the unfolded folders."""
        return self._asks.call_flat("editor_workspace_get", {})

    def tree(
        self,
        path: str | None = None,
        *,
        max_depth: int | None = None,
        expand: Sequence[str] | None = None,
        collapse: Sequence[str] | None = None,
        include_ignored: bool | None = None,
    ) -> Answer:
        """What is in a folder, some levels deep. `descended: false`: ask for that folder by itself."""
        return self._asks.call_flat(
            "editor_tree",
            {
                "path": path,
                "max_depth": max_depth,
                "expand": expand,
                "collapse": collapse,
                "include_ignored": include_ignored,
            },
        )

    def find(self, query: str, *, limit: int | None = None, include_untracked: bool | None = None) -> Answer:
        """Files by letters of their path, the best first."""
        return self._asks.call_flat(
            "editor_find", {"query": query, "limit": limit, "include_untracked": include_untracked}
        )

    def search(
        self,
        pattern: str,
        *,
        ignore_case: bool | None = None,
        include_glob: Sequence[str] | None = None,
        max_matches: int | None = None,
    ) -> Answer:
        """Lines that fit a regular expression, by file."""
        return self._asks.call_flat(
            "editor_search",
            {"pattern": pattern, "ignore_case": ignore_case, "include_glob": include_glob, "max_matches": max_matches},
        )

    def open(
        self, path: str, *, start_byte: int | None = None, end_byte: int | None = None, start_line: int | None = None
    ) -> Answer:
        """Read a text file and have it open, also in the person's view. Keep `version`: editor_save needs it. Of a
        long file a part is read; `start_byte`, `end_byte` or `start_line` names another.
        """
        return self._asks.call_flat(
            "editor_open", {"path": path, "start_byte": start_byte, "end_byte": end_byte, "start_line": start_line}
        )

    def save(
        self, path: str, *, content: str, expected_version: str | None = None, expected_mtime: int | None = None
    ) -> Answer:
        """Write a whole file. Refused with `conflict` and a patch when the file isn't what `expected_version` (of
        editor_open) names. Undoable.
        """
        return self._asks.call_flat(
            "editor_save",
            {"path": path, "content": content, "expected_version": expected_version, "expected_mtime": expected_mtime},
        )

    def create(self, path: str, *, kind: Literal["file", "folder"] | None = None, content: str | None = None) -> Answer:
        """Make a file (with `content`) or a folder, parents included; never over what is there."""
        return self._asks.call_flat("editor_create", {"path": path, "kind": kind, "content": content})

    def move(self, source: str, *, target: str) -> Answer:
        """Move a file or folder; open files follow it in every view. Undoable."""
        return self._asks.call_flat("editor_move", {"from": source, "to": target})

    def delete(self, path: str, *, recursive: bool | None = None) -> Answer:
        """Delete a file, link or (with `recursive`) folder, and close what was open of it. Undoable."""
        return self._asks.call_flat("editor_delete", {"path": path, "recursive": recursive})

    def diff(self, before: str, *, after: str, context_lines: int | None = None, path: str | None = None) -> Answer:
        """Unified diff of two texts; nothing is read or written. Shows what a save would change."""
        return self._asks.call_flat(
            "editor_diff", {"before": before, "after": after, "context_lines": context_lines, "path": path}
        )

    def changes(self, limit: int | None = None, *, entry: int | None = None) -> Answer:
        """Files that changed last, by anyone, newest first, with patches."""
        return self._asks.call_flat("editor_changes", {"limit": limit, "entry": entry})

    def git_status(self, cwd: str | None = None) -> Answer:
        """Branch, upstream, ahead and behind, and one row for each changed path. Fails outside a repository."""
        return self._asks.call_flat("editor_git_status", {"cwd": cwd})

    def git_hunks(
        self,
        path: str,
        *,
        against: Literal["worktree", "index", "head", "upstream"] | None = None,
        context_lines: int | None = None,
        cwd: str | None = None,
    ) -> Answer:
        """What changed in one file since the index, the last commit or the last push: patch and line ranges."""
        return self._asks.call_flat(
            "editor_git_hunks", {"path": path, "against": against, "context_lines": context_lines, "cwd": cwd}
        )

    def git_show(self, path: str, *, rev: str | None = None, cwd: str | None = None) -> Answer:
        """A file's content at a revision, HEAD by default."""
        return self._asks.call_flat("editor_git_show", {"path": path, "rev": rev, "cwd": cwd})

    def git_stage(
        self,
        action: Literal["stage", "unstage"],
        *,
        paths: Sequence[str],
        hunks: Sequence[int] | None = None,
        context_lines: int | None = None,
        patch_version: str | None = None,
        cwd: str | None = None,
    ) -> Answer:
        """Stage or unstage files, or `hunks` of one file. Only the index changes."""
        return self._asks.call_flat(
            "editor_git_stage",
            {
                "action": action,
                "paths": paths,
                "hunks": hunks,
                "context_lines": context_lines,
                "patch_version": patch_version,
                "cwd": cwd,
            },
        )

    def git_commit(
        self,
        message: str,
        *,
        stage_all: bool | None = None,
        expected_version: str | None = None,
        cwd: str | None = None,
    ) -> Answer:
        """Stage every change (`stage_all: false`: what is staged) and commit. No hook is run. `committed: false`
        when there is nothing to commit.
        """
        return self._asks.call_flat(
            "editor_git_commit",
            {"message": message, "stage_all": stage_all, "expected_version": expected_version, "cwd": cwd},
        )

    def git_undo_commit(
        self, cwd: str | None = None, *, force: bool | None = None, expected_sha: str | None = None
    ) -> Answer:
        """Take the last commit back; its changes stay staged, no file is touched. Not one that was pushed, or a
        merge.
        """
        return self._asks.call_flat(
            "editor_git_undo_commit", {"cwd": cwd, "force": force, "expected_sha": expected_sha}
        )

    def git_stash(self, action: Literal["push", "pop"], *, cwd: str | None = None) -> Answer:
        """Put all changes aside, untracked files too (push), or bring the newest stash back (pop) where nothing
        conflicts.
        """
        return self._asks.call_flat("editor_git_stash", {"action": action, "cwd": cwd})

    def git_sync(self, action: Literal["fetch", "pull", "push"], *, cwd: str | None = None) -> Answer:
        """Fetch, pull (fast-forward only) or push (never forced); answers how far the branch is ahead and behind
        then.
        """
        return self._asks.call_flat("editor_git_sync", {"action": action, "cwd": cwd})

    def buffers_list(self) -> Answer:
        """The files open now, and in whose view."""
        return self._asks.call_flat("editor_buffers_list", {})

    def buffers_close(self, path: str) -> Answer:
        """Close a file in your view; the file itself is untouched."""
        return self._asks.call_flat("editor_buffers_close", {"path": path})
