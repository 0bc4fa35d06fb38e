"""What waits for the person, and what they said.

    pending --approve--> approved --the effect is committed--> consumed
       |  `---deny-----> denied
       |                 approved plan --complete--> completed
       |- a plan, when another is proposed ---------> superseded        (an approved one too)
       `- an edit or undo that another transaction made, changed or replaced -> superseded
    pending, approved, denied --24 hours after staging--> expired

A plan is a record of kind `plan` under the plan's own id. A record is bound to a fingerprint (the SHA-256 of the
normalised operation with its before-hashes) and to who asked: an approval is used by its asker only, and while the
session that asked is there, by that one alone. A denial binds everyone, and is bound to the effect: another way to the
same result is denied too. That a record is consumed is written by core.transactions in the transaction of the effect,
so it is looked up there; that one is expired follows from the clock. Neither is stored here.

service    Approvals: all records of a workspace      model  a record as a value
tables     their rows                                 room   how many are kept, and what makes way
view       what a reader finds in `.agentic/`
"""

from workroom.core.approvals.model import LIFETIME_SECONDS, Amendment, Approval, Denial, Status
from workroom.core.approvals.room import KEPT, KEPT_EACH
from workroom.core.approvals.service import Approvals
from workroom.core.approvals.tables import GUARDS, MIGRATIONS, decided
from workroom.core.approvals.view import VIEW_PATH, brief_row

__all__ = [
    "GUARDS",
    "KEPT",
    "KEPT_EACH",
    "LIFETIME_SECONDS",
    "MIGRATIONS",
    "VIEW_PATH",
    "Amendment",
    "Approval",
    "Approvals",
    "Denial",
    "Status",
    "brief_row",
    "decided",
]
