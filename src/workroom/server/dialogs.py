"""Where a client's dialog brings a decision, the interface hands it to here, and `person` is asked."""

from __future__ import annotations

import logging

from workroom.base.errors import WorkroomError
from workroom.person import dialog
from workroom.person.dialog import Asked
from workroom.tools.workspace import Workspace

__all__ = ["Asked", "ask", "decide", "may_ask"]

_log = logging.getLogger(__name__)


def may_ask(workspace: Workspace, client: str) -> bool:
    """Whether the person lets this client's dialog ask anything at all."""
    return client in workspace.settings().elicitation_clients


def ask(workspace: Workspace, client: str, approval_id: str) -> Asked | None:
    """What the dialog shows; None where this one may not be asked there."""
    return dialog.ask(workspace, client, approval_id)


def decide(workspace: Workspace, client: str, approval_id: str, sha256: str, *, accepted: bool) -> None:
    """The person's answer. What can't be decided so stays as it is: the call says how it stands."""
    try:
        dialog.decide(workspace, client, approval_id, sha256, accepted=accepted)
    except WorkroomError as error:
        _log.info("a dialog of %s decided nothing: %s", client, error)
