"""Plan, guard, commit, recover, undo, the history. One writer a workspace.

operations   what an edit is made of       contents   bytes of a plan, held or left on the disk
overlay      the folder as it would be
plan         operations -> Planned        rollback   an entry turned round -> Planned
names        names that are one to some file systems
merge        one path, three ways         stale      a stale edit, merged
rewind       entries turned round at once -> Planned
marks        which entries are in force
part         some of a plan by itself      hunks      names for what can be taken apart
amend        what the person makes of a plan
service      Transactions: keep, commit, recover      history    its reading half
steps        a change set as renames      stage      after-images on their way
apply        the visible part             unwind     the one way back
wayback      after a failed step          recover    after a crash
settle       a while after a commit
observe      what others have done already  snapshots  contents kept in case they do
standing     what still stands
images       contents under a quota       kept       others' bytes that were met
consumption  an approval is used once     effects  what can't be taken back
views      changes.diff, review.md
tables       the rows
"""

from workroom.core.transactions.amend import Amended, check_editable
from workroom.core.transactions.effects import begin_effect
from workroom.core.transactions.hunks import Named
from workroom.core.transactions.merge import Strategy
from workroom.core.transactions.model import Derivation, Directory, Entry, Part, Planned, Transaction, file_row
from workroom.core.transactions.observe import Observation, Observed
from workroom.core.transactions.operations import Create, Delete, Mkdir, Move, Operation, Rewrite
from workroom.core.transactions.part import Selection
from workroom.core.transactions.policy import Policy
from workroom.core.transactions.rewind import Only
from workroom.core.transactions.service import Transactions
from workroom.core.transactions.snapshots import MIGRATIONS as SNAPSHOTS
from workroom.core.transactions.tables import GUARDS
from workroom.core.transactions.tables import MIGRATIONS as TABLES
from workroom.core.transactions.views import UNNAMED, render_diff, write_views

__all__ = [
    "GUARDS",
    "MIGRATIONS",
    "UNNAMED",
    "Amended",
    "Create",
    "Delete",
    "Derivation",
    "Directory",
    "Entry",
    "Mkdir",
    "Move",
    "Named",
    "Observation",
    "Observed",
    "Only",
    "Operation",
    "Part",
    "Planned",
    "Policy",
    "Rewrite",
    "Selection",
    "Strategy",
    "Transaction",
    "Transactions",
    "begin_effect",
    "check_editable",
    "file_row",
    "render_diff",
    "write_views",
]

MIGRATIONS = (*TABLES, *SNAPSHOTS)
