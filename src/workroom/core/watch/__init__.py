"""What other programs change in the folder, as entries of the history with what was there before.

baseline   what each path was when it was looked at last, and where its content is
look       paths that may be other than that -> what is, with both states
service    Watch: hints from the system, gathered into bursts; the walk that they can't be trusted without
"""

from workroom.core.watch.baseline import MIGRATIONS
from workroom.core.watch.service import ANOTHER, GIT, Ignored, Repository, Watch

__all__ = ["ANOTHER", "GIT", "MIGRATIONS", "Ignored", "Repository", "Watch"]
