"""workspace_inspect: look at the workspace and change nothing. Never gated, always registered.

read     read: lines, or what is shown instead (picture, parts)
outline  outline; what it shares with read (symbols)
stat     stat
overview overview
folder   list
find     search, find
meaning  semantic_search
state    capabilities, changes
common   places, room, rows
"""

from workroom.tools.inspect.find import FIND, SEARCH
from workroom.tools.inspect.folder import LIST
from workroom.tools.inspect.meaning import SEMANTIC_SEARCH
from workroom.tools.inspect.outline import OUTLINE
from workroom.tools.inspect.overview import OVERVIEW
from workroom.tools.inspect.read import READ
from workroom.tools.inspect.stat import STAT
from workroom.tools.inspect.state import CHANGES, Registered, capabilities_action
from workroom.tools.tool import Tool

__all__ = ["inspect_tool"]


def inspect_tool(registered: Registered) -> Tool:
    """The tool; `registered` tells which tools a caller sees, which its capabilities name."""
    return Tool(
        name="workspace_inspect",
        title="Look",
        help="Read-only. capabilities (call it first): mode, what waits, notes. read: numbered lines or a symbol's, "
        "sha256; pictures, PDFs, notebooks. outline: definitions. search: text or regex in files. semantic_search: "
        "places by meaning. find: files by name. changes: history. Ignored files, .git and .agentic only when asked "
        "for by path.",
        actions=(
            capabilities_action(registered),
            OVERVIEW,
            LIST,
            READ,
            OUTLINE,
            SEARCH,
            SEMANTIC_SEARCH,
            FIND,
            STAT,
            CHANGES,
        ),
        annotations={"readOnlyHint": True, "openWorldHint": False},
        pictures=True,
    )
