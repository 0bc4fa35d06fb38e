"""The next steps of refusals, as the person reads them.

What refuses a call speaks to whoever calls most: an agent, which has tools and can ask a person. The person has the
page and a terminal, and *is* that person. So each sentence that speaks to an agent stands here beside the one for
them; all others go to both as they are. A test looks through the source for sentences that are missing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workroom.base.errors import WorkroomError
from workroom.interfaces.greeting import wire_error

__all__ = ["FOR_PERSON", "person_error"]

_AGAIN = "Look at what is there now, then try again."
_TERMINAL = "Do this in a terminal."

FOR_PERSON: Mapping[str, str] = {
    # git
    "Look at editor_git_status, and make the call again.": _AGAIN,
    "Look at editor_git_status.": "Look at what git says now.",
    "Look at what is staged and changed now (editor_git_status), then commit that.": (
        "Look at what is staged and changed now, then commit that."
    ),
    "Look at editor_git_status and at that commit, then undo it by its own hash if it is meant.": (
        "Look at the last commit, which is another one now; undo it only if it is meant."
    ),
    'Have the person run `git config --global user.name "NAME"` and the same with user.email.': (
        'In a terminal, run `git config --global user.name "NAME"`, and the same with user.email.'
    ),
    "Resolve each, and stage it by editor_git_stage.": "Resolve each, then stage it.",
    "Have the person do this in a terminal.": _TERMINAL,
    "Have the person do this in a terminal, or open the repository's own folder.": (
        "Do this in a terminal, or open the repository's own folder."
    ),
    "Have the person finish or abort it in a terminal.": "Finish or abort it in a terminal.",
    "Compare against head, or have the person push the branch.": "Compare with the last commit, or push the branch.",
    "Have the person add it: git remote add NAME URL.": "In a terminal, run `git remote add NAME URL`.",
    "Have the person set it for themselves (git config --global), or do this in a terminal.": (
        "Set it for yourself (git config --global), or do this in a terminal."
    ),
    "Try again in a moment; where no git is running, have the person delete that file.": (
        "Try again in a moment; where no git is running, delete that file."
    ),
    "Try again, or ask the person to raise the setting or to run it in a terminal.": (
        "Try again, raise the setting, or run it in a terminal."
    ),
    "Ask editor_git_hunks again.": "Open the file's changes anew, and choose again.",
    "Ask editor_git_hunks, or name the file without hunks.": "Open the file's changes anew, or take the whole file.",
    "Have the person bring it back in a terminal, or check out what it was made upon.": (
        "Bring it back in a terminal, or check out what it was made upon."
    ),
    "Have the person pull for the first time in a terminal.": "Pull for the first time in a terminal.",
    "Nothing is prompted for here: have the person do this once in a terminal, so that git or ssh can sign in.": (
        "Nothing is prompted for here: do this once in a terminal, so that git or ssh can sign in."
    ),
    "Push it, which sets its upstream, or have the person set one.": "Push it, which sets its upstream.",
    "Make the call again: it is asked about as it is now.": "Try again: it is done as it is now.",
    # files and history
    "Make the call again to ask anew.": "Try again.",
    "Make the call again, against what is there now.": _AGAIN,
    "See that the disk is well and has room, then make the call again.": (
        "See that the disk is well and has room, then try again."
    ),
    "Make the same call again: it answers with that transaction.": "Look at the changes: it is among them.",
    "Apply it instead of previewing it, split it, or ask the person to raise the quota.": (
        "Do it in smaller parts, or raise the setting."
    ),
    "Split it, or ask the person to raise the quota.": "Do it in smaller parts, or raise the setting.",
    "workspace_edit show gives them as they are now.": "Open it anew, and choose again.",
    "workspace_edit with action list shows them.": "The list of changes has them.",
    "editor_git_undo_commit takes back the newest commit of git.": "*Undo commit* takes back git's newest commit.",
    "Look at what is there; a new change is a new call, without transaction_id.": _AGAIN,
    "Send what `approval.resume` named.": "Try again.",
    "Send what `approval.resume` named, or save anew.": "Save again.",
    "Edit it with workspace_edit, or ask the person to raise the limit and open it again.": (
        "Raise the limit in the settings, and open it again."
    ),
    "editor_tree lists what is in it.": "Unfold it in the tree.",
    "editor_find looks for a file by name.": "Look for it by letters of its path.",
    "editor_workspace_open enters a folder.": "Choose a folder.",
    "Enter a folder with editor_workspace_open; `.` is the one that you came for.": "Choose a folder.",
    "workspace_notes list shows the notes there are.": "The folder `.agentic/notes` has the notes there are.",
    "workspace_plan list shows the plans.": "The folder `.agentic/plans` has the plans there are.",
}
"""By what is said to an agent."""


def person_error(error: WorkroomError) -> dict[str, Any]:
    """An error as it travels to the person's page and terminal."""
    return {**wire_error(error), "next_step": FOR_PERSON.get(error.next_step, error.next_step)}
