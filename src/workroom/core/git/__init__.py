"""A repository of the workspace, through git's own command line.

place      which repository a folder belongs to, found without git
config     what a configuration would run, and what is said to git instead
run        one run of git: environment, limits, errors
status     what git status says, as values
patch      what git diff says of one file
reading    status, diff, show, log, branches
guard      what has to be true before anything is written
index      a copy of the index in which staging is tried out
staging    stage and unstage, by file and by hunk
commit     a commit of exactly what was looked at; the last one taken back
stash      changes put aside and brought back
remote     which remote a branch goes with, and whether it may be reached
sync       fetch, fast-forward, push
"""

from workroom.core.git.commit import Made, Prepared, Undoing, make_commit, plan_undo, prepare_commit, undo
from workroom.core.git.guard import hooks_there
from workroom.core.git.place import Place
from workroom.core.git.reading import Against, Blob, Branch, Commit, FileDiff, Reading
from workroom.core.git.remote import Remote, remote_of, shown_url
from workroom.core.git.staging import Preview, Staging, change_staging, preview_staging, version_of_patch
from workroom.core.git.stash import Shelved, pop, prepare_pop, prepare_push, push
from workroom.core.git.status import Row, Status
from workroom.core.git.sync import (
    FETCH_HOOKS,
    PULL_HOOKS,
    PUSH_HOOKS,
    Forward,
    Push,
    contains,
    fast_forward,
    fetch,
    forward_patch,
    prepare_forward,
    prepare_push_to,
    send,
)

__all__ = [
    "FETCH_HOOKS",
    "PULL_HOOKS",
    "PUSH_HOOKS",
    "Against",
    "Blob",
    "Branch",
    "Commit",
    "FileDiff",
    "Forward",
    "Made",
    "Place",
    "Prepared",
    "Preview",
    "Push",
    "Reading",
    "Remote",
    "Row",
    "Shelved",
    "Staging",
    "Status",
    "Undoing",
    "change_staging",
    "contains",
    "fast_forward",
    "fetch",
    "forward_patch",
    "hooks_there",
    "make_commit",
    "plan_undo",
    "pop",
    "prepare_commit",
    "prepare_forward",
    "prepare_pop",
    "prepare_push",
    "prepare_push_to",
    "preview_staging",
    "push",
    "remote_of",
    "send",
    "shown_url",
    "undo",
    "version_of_patch",
]
