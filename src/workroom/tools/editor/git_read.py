"""editor_git_status, editor_git_hunks and editor_git_show: git read, nothing written, nothing of the repository run."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from workroom.base.changes import Kind
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git import Against, FileDiff, Reading, Status, version_of_patch
from workroom.text.display import show
from workroom.text.encoding import decode
from workroom.tools.editor.diff import HunkRow
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["GIT_HUNKS", "GIT_SHOW", "GIT_STATUS", "Cwd", "repository", "shown_name"]

Cwd = Annotated[str | None, Field(max_length=4_096, description="folder of the repository; the workspace by default")]


class GitStatusInput(Arguments):
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""


class StatusEntry(BaseModel):
    """One changed path. `index` and `worktree`: modified, added, deleted, renamed, copied, untracked, conflicted or
    unchanged."""

    path: str
    """Relative to the workspace, also where the repository is larger or smaller."""
    index: str
    worktree: str
    staged: bool
    renamed_from: str | None = None


class StatusReport(BaseModel):
    branch: str | None = None
    upstream: str | None = None
    ahead: int
    behind: int
    clean: bool
    entries: list[StatusEntry]
    head: str | None = None
    """The commit that it is at; none before the first. `expected_sha` of editor_git_undo_commit."""
    version: str = ""
    """What tells this from another state: `expected_version` of editor_git_commit, where every change is staged."""
    staged_version: str = ""
    """The same of what is staged alone, with its contents: `expected_version` where that is committed."""


class GitHunksInput(Arguments):
    path: Annotated[str, Field(max_length=4_096)]
    """The file, relative to the workspace."""
    against: Against = "worktree"
    """worktree: what isn't staged; index: what is staged; head: since the commit; upstream: since the push."""
    context_lines: Annotated[int | None, Field(ge=0, le=1_000_000, description="unchanged lines around a hunk")] = None
    """Unchanged lines around each hunk; the ranges widen with them. Not set: 0."""
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""


class GitHunksOutput(BaseModel):
    path: str
    against: Against
    patch: str
    hunks: list[HunkRow]
    added: int
    removed: int
    untracked: bool
    """Git doesn't know the file, and nothing was compared."""
    patch_version: str = ""
    """What tells this patch from another: for editor_git_stage, with the numbers of hunks."""
    truncated: bool | None = None
    """The patch is longer than `editor_max_diff_bytes`, and cut after a line; the hunks are all there."""


class GitShowInput(Arguments):
    path: Annotated[str, Field(max_length=4_096)]
    """The file, relative to the workspace."""
    rev: Annotated[str | None, Field(max_length=1_000, description="HEAD by default")] = None
    """A branch, tag or commit. Not set: HEAD."""
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""


class GitShowOutput(BaseModel):
    path: str
    rev: str
    exists: bool
    """Whether the file is in that revision."""
    content: str
    binary: bool | None = None
    """It is no text, and `content` is empty."""
    truncated: bool | None = None
    """The file is longer than `editor_max_file_bytes`, and `content` is empty."""


def repository(call: Call, cwd: str | None) -> Reading:
    """The repository of a call. NOT_FOUND where the folder, or any repository of it, isn't there."""
    root = call.workspace.root
    folder = root.resolve(root.parse(cwd or "."))
    seen = root.stat(folder)
    if seen is None or seen.kind is not Kind.DIRECTORY:
        raise WorkroomError(ErrorCode.NOT_FOUND, f"cwd: there is no folder {folder}.")
    return Reading(root, folder, timeout=call.settings().editor_git_timeout_ms / 1000)


def _status(call: Call, arguments: GitStatusInput) -> Envelope:
    found = repository(call, arguments.cwd).status()
    entries = [
        {
            "path": shown_name(row.path),
            "index": row.index,
            "worktree": row.worktree,
            "staged": row.staged,
            "renamed_from": None if row.came_from is None else shown_name(row.came_from),
        }
        for row in found.rows
    ]
    data = {
        "branch": found.branch,
        "upstream": found.upstream,
        "ahead": found.ahead,
        "behind": found.behind,
        "clean": not entries,
        "entries": entries,
        "head": found.commit,
        "version": found.version,
        "staged_version": found.staged_version,
    }
    return Envelope(True, "editor_git_status", _status_line(found), data)


def _status_line(found: Status) -> str:
    branch = "detached" if found.branch is None else found.branch
    upstream = f", {found.ahead} ahead and {found.behind} behind {found.upstream}" if found.upstream else ""
    return f"On {branch}{upstream}: " + (f"{len(found.rows)} changed paths." if found.rows else "clean.")


def _hunks(call: Call, arguments: GitHunksInput) -> Envelope:
    root = call.workspace.root
    path = root.resolve(root.parse(arguments.path), last=False)
    found = repository(call, arguments.cwd).diff(path, arguments.against, arguments.context_lines or 0)
    patch, cut = _fitting(found, call.settings().editor_max_diff_bytes)
    data: dict[str, Any] = {
        "path": path,
        "against": arguments.against,
        "patch": patch,
        "hunks": [{name: getattr(hunk, name) for name in HunkRow.model_fields} for hunk in found.hunks],
        "added": found.added,
        "removed": found.removed,
        "untracked": found.untracked,
        "patch_version": version_of_patch(found.patch),
    }
    if cut:
        data["truncated"] = True
    said = "Git doesn't know it." if found.untracked else f"+{found.added} -{found.removed} lines."
    return Envelope(True, "editor_git_hunks", f"{path}: {said}", data, text=patch)


def _fitting(found: FileDiff, most: int) -> tuple[str, bool]:
    """The patch up to `most` bytes, cut after a line, and whether it was."""
    patch = found.patch
    if len(patch) > most:
        patch = patch[: patch.rfind(b"\n", 0, most) + 1]
    return patch.decode("utf-8", "backslashreplace"), len(patch) < len(found.patch)


def _show(call: Call, arguments: GitShowInput) -> Envelope:
    root, most = call.workspace.root, call.settings().editor_max_file_bytes
    path = root.resolve(root.parse(arguments.path), last=False)
    rev = "HEAD" if arguments.rev is None else arguments.rev
    found = repository(call, arguments.cwd).show(path, rev)
    data: dict[str, Any] = {"path": path, "rev": rev, "exists": found.data is not None, "content": ""}
    if found.data is None:
        return Envelope(True, "editor_git_show", f"{path} isn't in {rev}.", data)
    text = decode(found.data)
    if len(found.data) > most:
        data["truncated"] = True
    elif text is None:
        data["binary"] = True
    else:
        data["content"] = text.text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Envelope(
        True, "editor_git_show", f"{path} in {rev}: {len(found.data):,} bytes.", data, text=data["content"]
    )  # fmt: skip


def shown_name(path: str) -> str:
    """A path as an answer can carry it: a byte that is no text is shown as such."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return show(path, multiline=False).text
    return path


GIT_STATUS = flat_tool(
    "editor_git_status",
    "Git status",
    "Branch, upstream, ahead and behind, and one row for each changed path. Fails outside a repository.",
    GitStatusInput,
    StatusReport,
    answer=_status,
)
GIT_HUNKS = flat_tool(
    "editor_git_hunks",
    "Changes of a file",
    "What changed in one file since the index, the last commit or the last push: patch and line ranges.",
    GitHunksInput,
    GitHunksOutput,
    answer=_hunks,
)
GIT_SHOW = flat_tool(
    "editor_git_show",
    "File at a revision",
    "A file's content at a revision, HEAD by default.",
    GitShowInput,
    GitShowOutput,
    answer=_show,
)
