"""A repository of the workspace, through git's own command line.

place      which repository a folder belongs to, found without git
config     what a configuration would run, and what is said to git instead
run        one run of git: environment, limits, errors
status     what git status says, as values
patch      what git diff says of one file
reading    status, diff, show, log, branches
"""

from workroom.core.git.place import Place
from workroom.core.git.reading import Against, Blob, Branch, Commit, FileDiff, Reading
from workroom.core.git.status import Row, Status

__all__ = ["Against", "Blob", "Branch", "Commit", "FileDiff", "Place", "Reading", "Row", "Status"]
