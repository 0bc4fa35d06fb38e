"""Profile `editor`: system C's functions, a flat tool each, with C's fields.

workspace   editor_workspace_open, editor_workspace_get
buffers     editor_buffers_list, editor_buffers_close
open        editor_open
save        editor_save
files       editor_create, editor_move, editor_delete
tree        editor_tree
find        editor_find
search      editor_search
diff        editor_diff
changes     editor_changes
git_read    editor_git_status, editor_git_hunks, editor_git_show
git_write   editor_git_commit, editor_git_undo_commit, editor_git_stash, editor_git_stage
git_sync    editor_git_sync
git_effect  what the tools share that write a repository
common      roots, versions, rows of buffers, proposals
"""

from workroom.tools.editor.buffers import BUFFERS_CLOSE, BUFFERS_LIST
from workroom.tools.editor.changes import CHANGES
from workroom.tools.editor.diff import DIFF
from workroom.tools.editor.files import CREATE, DELETE, MOVE
from workroom.tools.editor.find import FIND
from workroom.tools.editor.git_read import GIT_HUNKS, GIT_SHOW, GIT_STATUS
from workroom.tools.editor.git_sync import GIT_SYNC
from workroom.tools.editor.git_write import GIT_COMMIT, GIT_STAGE, GIT_STASH, GIT_UNDO_COMMIT
from workroom.tools.editor.open import OPEN
from workroom.tools.editor.save import SAVE
from workroom.tools.editor.search import SEARCH
from workroom.tools.editor.tree import TREE
from workroom.tools.editor.workspace import WORKSPACE_GET, WORKSPACE_OPEN
from workroom.tools.tool import Tool

__all__ = ["TOOLS"]

TOOLS: tuple[Tool, ...] = (
    WORKSPACE_OPEN,
    WORKSPACE_GET,
    TREE,
    FIND,
    SEARCH,
    OPEN,
    SAVE,
    CREATE,
    MOVE,
    DELETE,
    DIFF,
    CHANGES,
    GIT_STATUS,
    GIT_HUNKS,
    GIT_SHOW,
    GIT_STAGE,
    GIT_COMMIT,
    GIT_UNDO_COMMIT,
    GIT_STASH,
    GIT_SYNC,
    BUFFERS_LIST,
    BUFFERS_CLOSE,
)
"""In the order in which a client lists them."""
