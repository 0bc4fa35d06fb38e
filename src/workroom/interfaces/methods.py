"""What a person can ask, whatever way they come: the methods by name, with the shape of their parameters.

Each is a function of `person/` or of the server itself; whatever an agent wrote is escaped in what it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workroom.base.audit import Token
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.audit import Audit
from workroom.core.clients import Client
from workroom.core.transactions import Strategy
from workroom.interfaces import answers
from workroom.interfaces.editing import bytes_of, proposal_row
from workroom.interfaces.person_rows import (
    client_row,
    decided_row,
    entry_row,
    plain,
    present_row,
    symbol_rows,
    workspace_row,
)
from workroom.person import audit, calls, clients, decisions, settings, symbols
from workroom.person import rewind as rewinding
from workroom.person import undo as history
from workroom.person.credential import PersonCredential
from workroom.server.hub import Hub
from workroom.server.rooms import Here, Rooms
from workroom.server.session import Session
from workroom.server.signin import Key, SignIn, link_of
from workroom.system.clock import iso, now
from workroom.tools.workspace import Workspace

__all__ = ["METHODS", "Asking", "HttpParams", "Server", "SinceParams", "method_of", "parsed"]

_LARGEST = 2**63 - 1
"""The largest number that the database has."""


class Server(Protocol):
    """What the server itself does for the person."""

    hub: Hub
    pages: SignIn

    def describe(self) -> answers.ServerRow: ...

    def stop(self) -> None: ...

    async def open_http(self, port: int | None) -> tuple[str | None, str]: ...


@dataclass(frozen=True, slots=True)
class Asking:
    """One request's surroundings."""

    credential: PersonCredential
    server: Server
    session: Session
    rooms: Rooms | Here

    @property
    def workspace(self) -> Workspace:
        """Where it is done: the folder that the request names, else where its client works."""
        return self.rooms.active()


class _Params(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


P = TypeVar("P", bound=_Params)


class _Nothing(_Params):
    pass


class _Path(_Params):
    path: str = Field(pattern="^/")


class _Open(_Path):
    adopt: str | None = Field(default=None, pattern="^/")
    """The folder whose store this one takes over; it must not be open."""


class _Id(_Params):
    id: str | None = None


class _Words(_Params):
    words: str = ""


class _Accept(_Words):
    hold: bool = False
    files: list[str] = Field(default=[], max_length=1000)
    """Only these paths of it; a folder stands for all below."""
    hunks: list[str] = Field(default=[], max_length=1000)
    """And these hunks, by id."""


class _Base64(_Params):
    base64: str


class _Edited(_Words):
    contents: dict[str, str | _Base64]
    """By path: a text, written in the file's encoding, or bytes."""
    hold: bool = False
    fingerprint: str | None = None
    """Of the proposal that was edited."""


class _Mode(_Params):
    mode: str | None = None


class _Key(_Params):
    key: str


class _Unset(_Key):
    user: bool = False


class _Set(_Unset):
    value: Any


class _Log(_Params):
    limit: int = Field(default=20, ge=1, le=1000)
    before: int | None = Field(default=None, le=_LARGEST)


class _Undo(_Id):
    force: bool = False
    merge: bool = False
    preview: bool = False
    fingerprint: str | None = None


class HttpParams(_Params):
    """Of `http`, which the connection itself answers."""

    port: int | None = Field(default=None, ge=0, le=65_535)
    """0 is any that is free; without one the usual one is taken, or the next that is free."""


class _NewClient(_Params):
    name: str
    folders: list[Annotated[str, Field(pattern="^/")]]
    profile: str = "workspace"
    seconds: float | None = Field(default=None, gt=0)
    """After which the token counts no more."""


class _ClientName(_Params):
    name: str


class _AuditLog(_Params):
    since: int = Field(default=1, ge=1, le=_LARGEST)
    server: bool = False
    """The server's own log, instead of the workspace's."""


class _Verify(_AuditLog):
    expect: tuple[Annotated[int, Field(ge=0, le=_LARGEST)], str] | None = None
    """The number and hash of a line, as they were noted."""


class _Export(_AuditLog):
    limit: int = Field(default=200, ge=1, le=200)


class _Rewind(_Params):
    to: str
    only: tuple[str, ...] = Field(default=(), max_length=1000)
    force: bool = False
    merge: bool = False
    preview: bool = False
    fingerprint: str | None = None


class _Tool(_Params):
    name: str
    arguments: dict[str, Any] = {}


class _Symbols(_Params):
    path: str
    text: str | None = None
    """What was typed there and isn't saved; without it what stands on disk counts."""


class SinceParams(_Params):
    """Of `events`, which the connection itself answers."""

    since: int | None = Field(default=None, le=_LARGEST)


def _status(asking: Asking, _params: _Nothing) -> answers.Status:
    rows = [workspace_row(one) for one in asking.server.hub.workspaces()]
    state = asking.server.hub.state
    known = [one.path for one in state.workspaces()]
    return {"server": asking.server.describe(), "workspaces": rows, "known": known, "warning": state.warning}


def _open(asking: Asking, params: _Open) -> answers.WorkspaceRow:
    workspace = asking.server.hub.open(params.path, params.adopt)
    return workspace_row(workspace)


def _close(asking: Asking, params: _Path) -> answers.Closed:
    return {"closed": asking.server.hub.close(params.path)}


def _pending(asking: Asking, _params: _Nothing) -> answers.Pending:
    waiting = decisions.pending(asking.credential, asking.workspace)
    return {"pending": [cast("answers.WaitingRow", row.to_json()) for row in waiting]}


def _show(asking: Asking, params: _Id) -> answers.Shown:
    presented = decisions.show(asking.credential, asking.workspace, params.id)
    return cast("answers.Shown", {**presented.to_json(), "text": presented.text})


def _accept(asking: Asking, params: _Accept) -> answers.Decided:
    chosen = {"files": params.files, "hunks": params.hunks}
    return decided_row(decisions.accept(asking.credential, asking.workspace, params.words, hold=params.hold, **chosen))


def _proposal(asking: Asking, params: _Words) -> answers.Proposal:
    return proposal_row(decisions.proposal(asking.credential, asking.workspace, params.words))


def _edit(asking: Asking, params: _Edited) -> answers.Decided:
    contents = {
        path: content if isinstance(content, str) else bytes_of(path, content.base64)
        for path, content in params.contents.items()
    }
    return decided_row(
        decisions.accept_edited(
            asking.credential,
            asking.workspace,
            params.words,
            contents,
            hold=params.hold,
            fingerprint=params.fingerprint,
        )
    )


def _deny(asking: Asking, params: _Words) -> answers.Decided:
    return decided_row(decisions.deny(asking.credential, asking.workspace, params.words))


def _mode(asking: Asking, params: _Mode) -> answers.Mode:
    if params.mode is None:
        mode = settings.mode_of(asking.credential, asking.workspace)
    else:
        mode = settings.set_mode(asking.credential, asking.workspace, asking.server.hub.state, params.mode)
    return {"mode": str(mode), "level": mode.level}


def _settings_list(asking: Asking, _params: _Nothing) -> answers.Settings:
    found = settings.list_settings(asking.credential, asking.workspace, asking.server.hub.state)
    return {"settings": [_setting_row(one) for one in found]}


def _settings_get(asking: Asking, params: _Key) -> answers.SettingRow:
    return _setting_row(settings.get_setting(asking.credential, asking.workspace, asking.server.hub.state, params.key))


def _settings_set(asking: Asking, params: _Set) -> answers.SettingRow:
    state = asking.server.hub.state
    changed = settings.set_setting(
        asking.credential, asking.workspace, state, params.key, params.value, user=params.user
    )
    return _setting_row(changed)


def _settings_unset(asking: Asking, params: _Unset) -> answers.SettingRow:
    state = asking.server.hub.state
    unset = settings.unset_setting(asking.credential, asking.workspace, state, params.key, user=params.user)
    return _setting_row(unset)


def _setting_row(setting: settings.Setting) -> answers.SettingRow:
    return cast("answers.SettingRow", asdict(setting))


def _history(asking: Asking, params: _Log) -> answers.Entries:
    entries = history.log(asking.credential, asking.workspace, params.limit, params.before)
    return {"entries": [entry_row(entry) for entry in entries]}


def _undo(asking: Asking, params: _Undo) -> answers.Undone | answers.Previewed:
    strategy: Strategy = "merge" if params.merge else "refuse"
    if not params.preview:
        entry = history.undo(
            asking.credential,
            asking.workspace,
            params.id,
            force=params.force,
            strategy=strategy,
            fingerprint=params.fingerprint,
        )
        return {"entry": entry_row(entry)}
    preview = history.preview_undo(
        asking.credential, asking.workspace, params.id, force=params.force, strategy=strategy
    )
    return {
        "entry": entry_row(preview.entry),
        "paths": [plain(path) for path in preview.paths],
        "text": preview.text,
        "warnings": list(preview.warnings),
        "flags": list(preview.flags),
        "fingerprint": preview.fingerprint,
    }


def _clients_create(asking: Asking, params: _NewClient) -> answers.MadeClient:
    hub = asking.server.hub
    workspaces = [hub.open(folder) for folder in params.folders]
    client, token = clients.create(
        asking.credential, hub.clients, params.name, workspaces, params.profile, seconds=params.seconds, clock=now
    )
    hub.ledger.tell(_token(client, "made"), asking.credential.actor)
    return {
        "client": client_row(asking.server.hub.state, client),
        "token": token,
        "url": asking.server.describe()["http"],
    }


def _clients_list(asking: Asking, _params: _Nothing) -> answers.Clients:
    found = clients.list_clients(asking.credential, asking.server.hub.clients)
    return {"clients": [client_row(asking.server.hub.state, one) for one in found]}


def _clients_revoke(asking: Asking, params: _ClientName) -> answers.OneClient:
    hub = asking.server.hub
    client = clients.revoke(asking.credential, hub.clients, params.name)
    hub.ledger.tell(_token(client, "revoked"), asking.credential.actor)
    return {"client": client_row(asking.server.hub.state, client)}


def _token(client: Client, action: str) -> Token:
    return Token(client.id, action, client.name, client.profile, tuple(client.workspaces))


def _page_code(asking: Asking, _params: _Nothing) -> answers.PageCode:
    """A code that signs one page in, and where; a page can't have one for another."""
    if asking.credential.surface == "page":
        raise WorkroomError(
            ErrorCode.PROTECTED_PATH,
            "A page can't sign another one in.",
            next_step="`workroom page` in a terminal prints a link.",
        )
    url = asking.server.describe()["http"]
    if url is None:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE,
            "The server doesn't listen for HTTP.",
            next_step="`workroom serve` has it listen.",
        )
    code = asking.server.pages.new_code()
    return {"code": code, "url": url, "link": link_of(url, code)}


def _pages_list(asking: Asking, _params: _Nothing) -> answers.Pages:
    return {"pages": [_page_row(key) for key in asking.server.pages.list()]}


def _pages_revoke(asking: Asking, params: _ClientName) -> answers.OnePage:
    key = asking.server.pages.revoke(params.name)
    asking.server.hub.ledger.tell(Token(key.id, "revoked", "page", "page", ()), asking.credential.actor)
    return {"page": _page_row(key)}


def _page_row(key: Key) -> answers.PageRow:
    return {"id": key.id, "createdAt": iso(key.created_at), "browser": plain(key.browser)}


def _presence_list(asking: Asking, _params: _Nothing) -> answers.Presence:
    there = asking.server.hub.presence.list(asking.workspace)
    return {"present": [present_row(each, asking.session.id) for each in there]}


def _symbols(asking: Asking, params: _Symbols) -> answers.Symbols:
    found = symbols.symbols(asking.credential, asking.workspace, params.path, params.text)
    outline = found.outline
    rows = symbol_rows(outline.definitions)
    return {"symbols": rows, "faulty": outline.faulty, "cut": outline.cut, "unparsed": str(found.unparsed or "")}


def _audit_verify(asking: Asking, params: _Verify) -> answers.Verified:
    verdict = audit.verify(asking.credential, _log_of(asking, params), params.since, params.expect)
    return cast("answers.Verified", {**asdict(verdict), "good": verdict.good})


def _audit_export(asking: Asking, params: _Export) -> answers.Exported:
    return {"lines": audit.export(asking.credential, _log_of(asking, params), params.since, params.limit)}


def _log_of(asking: Asking, params: _AuditLog) -> Audit:
    return asking.server.hub.ledger.audit if params.server else asking.workspace.audit


def _rewind(asking: Asking, params: _Rewind) -> answers.Undone | answers.RewindPreviewed:
    strategy: Strategy = "merge" if params.merge else "refuse"
    how: dict[str, Any] = {"force": params.force, "strategy": strategy}
    if not params.preview:
        entry = rewinding.rewind(
            asking.credential, asking.workspace, params.to, params.only, fingerprint=params.fingerprint, **how
        )
        return {"entry": entry_row(entry)}
    preview = rewinding.preview_rewind(asking.credential, asking.workspace, params.to, params.only, **how)
    return {
        "title": preview.title,
        "to": preview.to,
        "taken": list(preview.taken),
        "paths": [plain(path) for path in preview.paths],
        "text": preview.text,
        "warnings": list(preview.warnings),
        "flags": list(preview.flags),
        "fingerprint": preview.fingerprint,
    }


def _tool(asking: Asking, params: _Tool) -> dict[str, Any]:
    """A tool's answer: a flat one's fields, else the envelope; its failure is the request's."""
    workspace, closed = asking.rooms.where()
    envelope = calls.call(
        asking.credential,
        workspace or asking.workspace,
        params.name,
        params.arguments,
        session=asking.session.id,
        rooms=asking.rooms,
        closed=closed,
    )
    if envelope.error is not None:
        error = replace(envelope, form="fields").shown()["error"]
        raise WorkroomError(
            ErrorCode(error["code"]), error["message"], next_step=error["next_step"], details=error.get("details")
        )
    return envelope.carried()


@dataclass(frozen=True, slots=True)
class _Method:
    params: type[_Params]
    run: Callable[[Asking, Any], Mapping[str, Any]]
    """Its return annotation is the answer's shape, which the page's types are made from."""


METHODS: Mapping[str, _Method] = {
    "status": _Method(_Nothing, _status),
    "open": _Method(_Open, _open),
    "close": _Method(_Path, _close),
    "pending": _Method(_Nothing, _pending),
    "show": _Method(_Id, _show),
    "accept": _Method(_Accept, _accept),
    "proposal": _Method(_Words, _proposal),
    "edit": _Method(_Edited, _edit),
    "deny": _Method(_Words, _deny),
    "mode": _Method(_Mode, _mode),
    "settings.list": _Method(_Nothing, _settings_list),
    "settings.get": _Method(_Key, _settings_get),
    "settings.set": _Method(_Set, _settings_set),
    "settings.unset": _Method(_Unset, _settings_unset),
    "log": _Method(_Log, _history),
    "tool": _Method(_Tool, _tool),
    "undo": _Method(_Undo, _undo),
    "rewind": _Method(_Rewind, _rewind),
    "presence.list": _Method(_Nothing, _presence_list),
    "symbols": _Method(_Symbols, _symbols),
    "audit.verify": _Method(_Verify, _audit_verify),
    "audit.export": _Method(_Export, _audit_export),
    "clients.create": _Method(_NewClient, _clients_create),
    "clients.list": _Method(_Nothing, _clients_list),
    "clients.revoke": _Method(_ClientName, _clients_revoke),
    "page.code": _Method(_Nothing, _page_code),
    "pages.list": _Method(_Nothing, _pages_list),
    "pages.revoke": _Method(_ClientName, _pages_revoke),
}
"""What a person's connection can ask, beside `stop`, `http` and `events`, which are for the loop's own thread."""


def method_of(name: str, also: tuple[str, ...] = ()) -> _Method:
    """The method of this name; INVALID_INPUT names those that there are, `also` among them."""
    method = METHODS.get(name)
    if method is None:
        known = ", ".join([*METHODS, *also])
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"There is no method {name!r}.", next_step=f"Known: {known}.")
    return method


def parsed(model: type[P], name: str, params: dict[str, Any]) -> P:
    """The parameters as `model`; INVALID_INPUT names the first that is wrong."""
    try:
        return model.model_validate(params)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"{name}: {where}: {first['msg']}.") from None
