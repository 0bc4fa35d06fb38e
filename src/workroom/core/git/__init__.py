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
"""

from workroom.core.git.commit import Made, Prepared, Undoing, make_commit, plan_undo, prepare_commit, undo
from workroom.core.git.place import Place
from workroom.core.git.reading import Against, Blob, Branch, Commit, FileDiff, Reading
from workroom.core.git.staging import Preview, Staging, change_staging, preview_staging, version_of_patch
from workroom.core.git.stash import Shelved, pop, prepare_pop, prepare_push, push
from workroom.core.git.status import Row, Status

__all__ = [
    "Against",
    "Blob",
    "Branch",
    "Commit",
    "FileDiff",
    "Made",
    "Place",
    "Prepared",
    "Preview",
    "Reading",
    "Row",
    "Shelved",
    "Staging",
    "Status",
    "Undoing",
    "change_staging",
    "make_commit",
    "plan_undo",
    "pop",
    "prepare_commit",
    "prepare_pop",
    "prepare_push",
    "preview_staging",
    "push",
    "undo",
    "version_of_patch",
]
