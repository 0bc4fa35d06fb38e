"""editor_tree: what is in a folder, level by level, and which folders are unfolded."""

from __future__ import annotations

from collections import deque
from typing import Annotated, Any

from pydantic import BaseModel, Field

from workroom.base.changes import Kind
from workroom.base.envelope import Envelope
from workroom.core.search.listing import Options, Tally, shown_path, walk
from workroom.system.root import Stat
from workroom.tools.editor.common import mtime_of, place_of, root_of
from workroom.tools.inspect.common import left_out, left_out_words
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["TREE", "grown"]

_DEPTH = 4
_NODES = 20_000
"""Nodes of one answer; what lies above comes first."""

Node = dict[str, Any]


class TreeInput(Arguments):
    path: str | None = None
    """The folder. Not set: the root."""
    max_depth: Annotated[int | None, Field(ge=0, description="levels, default 4")] = None
    """Levels to go down. Not set: 4."""
    expand: Annotated[tuple[str, ...], Field(max_length=1_000, description="folders to unfold")] = ()
    """Folders that are unfolded from now on, for all."""
    collapse: Annotated[tuple[str, ...], Field(max_length=1_000, description="folders to fold")] = ()
    """Folders that are folded, with all below them."""
    include_ignored: bool = False
    """What git would ignore, too."""


class TreeOutput(BaseModel):
    root: str
    """The folder that the caller works in."""
    path: str
    """The listed folder, below `root`."""
    expanded: list[str]
    """Folders that are unfolded, for all."""
    tree: Any
    """The folder as a node: name, kind (file, directory, symlink, other), size, mtime, children. A folder that wasn't
    gone down into has `descended: false`."""
    truncated: bool = False
    """Not all had room: such folders have `descended: false`, or `truncated: true` where only a part is listed."""
    left_out: dict[str, Any] = {}
    """What was passed over: names, and how many were ignored by git."""


def _tree(call: Call, arguments: TreeInput) -> Envelope:
    path = place_of(call, arguments.path or ".")
    expand, collapse = ([place_of(call, each) for each in some] for some in (arguments.expand, arguments.collapse))
    buffers = call.workspace.buffers
    expanded = buffers.unfold(call.actor, expand, collapse) if expand or collapse else buffers.unfolded()
    tally = Tally()
    depth = _DEPTH if arguments.max_depth is None else arguments.max_depth
    tree, truncated = grown(call, path, depth, arguments.include_ignored, tally)
    name = root_of(call)
    data = {
        "root": name,
        "path": name if path == "." else f"{name.rstrip('/')}/{shown_path(path)}",
        "expanded": list(expanded),
        "tree": tree,
        "truncated": truncated,
        "left_out": left_out(tally),
    }
    more = " Not all could be listed." if truncated else ""
    said = f"{shown_path(path)}: {tally.looked_at:,} entries.{more}{left_out_words(tally)}"
    return Envelope(True, "editor_tree", said, data, omit_when_summarizing=("tree",))


def grown(call: Call, path: str, depth: int, ignored: bool, tally: Tally, left: int = _NODES) -> tuple[Node, bool]:
    """The folder's node with up to `left` below, the upper levels first; and whether something was left out."""
    root = call.workspace.root
    top = _node(path, root.stat(path))
    truncated = False
    folders = deque([(path, top, depth)])
    while folders:
        folder, node, levels = folders.popleft()
        if not levels:
            continue
        if not left and truncated:
            continue
        seen_before, tally.cut = tally.looked_at, False
        options = Options(depth=1, ignored=ignored, budget=tally.looked_at + max(left, 1))
        paths = [entry.path for entry in walk(root, folder, options, tally, folders=call.workspace.names.large)]
        if not left and (paths or tally.cut):
            truncated = True
            continue
        seen = root.stats(folder, [below.rpartition("/")[2] for below in paths])
        rows = [(below, _node(below, each)) for below, each in zip(paths, seen, strict=True)]
        left -= min(left, tally.looked_at - seen_before)
        node["children"] = [row for _, row in rows]
        node["descended"] = True
        if tally.cut:
            node["truncated"] = truncated = True
        folders.extend((below, row, levels - 1) for below, row in rows if row["kind"] == Kind.DIRECTORY)
        call.pulse.beat(tally.looked_at)
    return top, truncated


def _node(path: str, seen: Stat | None) -> Node:
    """`seen` None: it has gone since it was listed."""
    kind = Kind.OTHER if seen is None else seen.kind
    node: Node = {
        "name": shown_path(path.rpartition("/")[2]),
        "kind": str(kind),
        "size": 0 if seen is None or kind is Kind.DIRECTORY else seen.size,
        "mtime": 0 if seen is None else mtime_of(seen),
    }
    if kind is Kind.DIRECTORY:
        node |= {"children": [], "descended": False}
    return node


TREE = flat_tool(
    "editor_tree",
    "List a folder",
    "What is in a folder, some levels deep. `descended: false`: ask for that folder by itself.",
    TreeInput,
    TreeOutput,
    answer=_tree,
    annotations={"readOnlyHint": False, "destructiveHint": False},
)
