"""Profile `editor`: system C's functions, a flat tool each, with C's fields.

diff    editor_diff
"""

from workroom.tools.editor.diff import DIFF
from workroom.tools.tool import Tool

__all__ = ["TOOLS"]

TOOLS: tuple[Tool, ...] = (DIFF,)
"""In the order in which a client lists them."""
