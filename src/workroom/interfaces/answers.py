"""What the person's methods answer, as the shapes of their JSON: the page's types are made from these.

Texts that an agent or a file has a part in are escaped already, but for those that say so. Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from typing import (
    Any,
    Literal,
    NotRequired,  # pydantic reads the typing module's only from Python 3.12 on
)

from typing_extensions import TypedDict

__all__ = [
    "ActorRow",
    "ApprovalRow",
    "ClientFolder",
    "ClientRow",
    "Clients",
    "Closed",
    "Decided",
    "Entries",
    "EntryRow",
    "Exported",
    "MadeClient",
    "Mode",
    "OneClient",
    "OnePage",
    "PageCode",
    "Pages",
    "Pending",
    "Presence",
    "PresentRow",
    "Previewed",
    "Proposal",
    "RewindPreviewed",
    "SettingRow",
    "Settings",
    "Shown",
    "Status",
    "SymbolRow",
    "Symbols",
    "Undone",
    "Verified",
    "WaitingRow",
    "WorkspaceRow",
]


class WorkspaceRow(TypedDict):
    """One open folder."""

    path: str
    mode: str | None
    pending: int
    error: NotRequired[str]
    """What is wrong with its settings; `mode` is null then."""


class ServerRow(TypedDict):
    """The server; `started` in seconds since 1970."""

    version: str
    pid: int
    state: str
    started: float
    http: str | None
    http_warning: str


class Status(TypedDict):
    """The server and its folders; `known` are all that the person has opened, open or not."""

    server: ServerRow
    workspaces: list[WorkspaceRow]
    known: list[str]
    warning: str


class Closed(TypedDict):
    """Whether the folder was open."""

    closed: bool


class WaitingRow(TypedDict):
    """One line of what waits."""

    id: str
    kind: str
    title: str
    asker: str
    destructive: bool
    asks: list[str]
    flags: list[str]
    createdAt: str
    expiresAt: str


class Pending(TypedDict):
    """What waits, newest first."""

    pending: list[WaitingRow]


class HunkRow(TypedDict):
    """The hunks of one path that can be accepted by themselves."""

    path: str
    ids: list[str]


class ChangeRow(TypedDict):
    """What would happen to one path; sizes in bytes. `path` is the real one, `shown` and `origin` may be shown.

    `added` and `removed` count lines, and are null where it is no text.
    """

    path: str
    shown: str
    origin: str | None
    change: str
    folder: bool
    added: int | None
    removed: int | None
    before: int
    after: int


class Shown(TypedDict):
    """A record as the person is shown it: `text` is the whole, and what a yes is bound to."""

    id: str
    kind: str
    status: str
    destructive: bool
    title: str
    facts: list[str]
    body: str
    words: str
    flags: list[str]
    obstacle: str
    sha256: str
    editable: bool
    hunks: list[HunkRow]
    changes: list[ChangeRow]
    text: str


class ApprovalRow(TypedDict):
    """A record after a decision. `note` is the person's own."""

    id: str
    kind: str
    status: str
    title: str
    note: str
    decidedBy: str | None
    amended: dict[str, Any] | None


class Decided(TypedDict):
    """A decision; with what the call answered, if it ran."""

    approval: ApprovalRow
    envelope: NotRequired[dict[str, Any]]
    """What the accepted call answered, unescaped."""
    summary: NotRequired[str]


class EditableRow(TypedDict):
    """A file of a proposal. `path` and the content are the real ones, `shown` is the path to be shown."""

    path: str
    shown: str
    obstacle: NotRequired[str]
    """Why it can't be edited; then there is no content."""
    base64: NotRequired[str]
    encoding: NotRequired[str | None]
    flags: NotRequired[list[str]]


class Proposal(TypedDict):
    """The contents that a request would leave."""

    id: str
    fingerprint: str
    files: list[EditableRow]


class Mode(TypedDict):
    """The permission mode; `level` is 0 for manual, 1 for plan, 2 for auto."""

    mode: str
    level: int


class SettingRow(TypedDict):
    """One setting as it stands."""

    name: str
    aliases: list[str]
    value: Any
    default: Any
    source: Literal["default", "user", "workspace"]
    documentation: str


class Settings(TypedDict):
    """Every setting."""

    settings: list[SettingRow]


class ActorRow(TypedDict):
    """Who did something: `kind` is agent, person or program."""

    kind: str
    name: str


class EntryRow(TypedDict):
    """One line of the history, with up to 20 of its paths; `total` counts them."""

    number: int
    transactionId: str
    at: str
    actor: ActorRow
    session: str
    cause: str
    title: str
    paths: list[str]
    total: int
    added: int
    removed: int
    undoes: int | None
    undoneBy: int | None
    approvalId: str | None
    decidedBy: str | None
    forgotten: bool
    warnings: list[str]
    flags: list[str]


class Entries(TypedDict):
    """Lines of the history, newest first."""

    entries: list[EntryRow]


class Undone(TypedDict):
    """The entry that took something back."""

    entry: EntryRow


class Previewed(Undone):
    """What an undo of `entry` would do."""

    paths: list[str]
    text: str
    warnings: list[str]
    flags: list[str]
    fingerprint: str


class RewindPreviewed(TypedDict):
    """What a rewind would do; `taken` are the numbers of the entries that it takes back."""

    title: str
    to: int
    taken: list[int]
    paths: list[str]
    text: str
    warnings: list[str]
    flags: list[str]
    fingerprint: str


class ClientFolder(TypedDict):
    """A folder that a client is bound to; `path` is null when it is gone."""

    id: str
    path: str | None


class ClientRow(TypedDict):
    """One client with a token; `token` is its beginning."""

    id: str
    name: str
    token: str
    profile: str
    workspaces: list[ClientFolder]
    createdAt: str
    expiresAt: str | None
    expired: bool


class OneClient(TypedDict):
    """One client."""

    client: ClientRow


class MadeClient(OneClient):
    """A new client, with its token: this once."""

    token: str
    url: str | None


class Clients(TypedDict):
    """Every client with a token."""

    clients: list[ClientRow]


class PageCode(TypedDict):
    """A code that signs one page in, and the link that brings it."""

    code: str
    url: str
    link: str


class PageRow(TypedDict):
    """A page that is signed in."""

    id: str
    createdAt: str
    browser: str


class OnePage(TypedDict):
    """One page."""

    page: PageRow


class Pages(TypedDict):
    """Every page that is signed in, oldest first."""

    pages: list[PageRow]


class PresentRow(TypedDict):
    """One session that works in the folder: whose, since when, where, and what it did last."""

    actor: ActorRow
    session: str
    mine: bool
    """Whether it is the one that asks."""
    since: str
    at: str
    """When it did something last; `since` before it has."""
    path: str
    """What it opened or changed last; empty before."""
    did: str
    """opened, saved, closed, or the kind of its entry (`edit`, `rollback` …); empty before."""


class Presence(TypedDict):
    """Who works in the folder, in the order in which they came."""

    present: list[PresentRow]


class SymbolRow(TypedDict):
    """One definition in a file."""

    name: str
    kind: str
    line: int
    """Where its name stands, from 1."""
    level: int
    """In how many others it stands."""
    signature: str
    """How it begins, on one line."""


class Symbols(TypedDict):
    """What is defined in a file, in its order."""

    symbols: list[SymbolRow]
    faulty: bool
    """Whether not all of it could be parsed, so that some may be missing."""
    cut: bool
    """Whether there are more."""
    unparsed: str
    """Why it isn't parsed at all, in words; empty where it is."""


class Verified(TypedDict):
    """What a look over the audit log found."""

    lines: int
    hash: str
    checked: int
    entries: int
    head: dict[str, Any]
    faults: list[dict[str, Any]]
    total: int
    good: bool


class Exported(TypedDict):
    """Lines of the audit log."""

    lines: list[dict[str, Any]]
