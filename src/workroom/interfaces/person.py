"""The person's side of the socket: JSON lines, each a method of `person/` or of the server itself.

    {"id": 1, "method": "accept", "params": {"words": "approval_7k3 fine by me"}}
    {"id": 1, "result": {...}}      or      {"id": 1, "error": {"code", "message", "next_step", "details"}}

`events` is answered, and then followed by `{"event": {...}}` lines from the number asked for until the connection ends;
a client that has fallen far behind gets `{"resync": NUMBER}` and is to take a new look. Whatever an agent wrote is
escaped before it leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workroom.base.audit import Token
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import Event
from workroom.core.audit import Audit
from workroom.core.clients import Client
from workroom.core.transactions import Strategy
from workroom.interfaces.channel import LINE_BYTES, Channel
from workroom.interfaces.editing import bytes_of, proposal_row
from workroom.interfaces.greeting import wire_error
from workroom.interfaces.person_rows import client_row, decided_row, entry_row, plain, workspace_row
from workroom.person import audit, calls, clients, decisions, settings
from workroom.person import rewind as rewinding
from workroom.person import undo as history
from workroom.person.credential import PersonCredential
from workroom.server.hub import Hub
from workroom.server.session import Session
from workroom.system.clock import now
from workroom.tools.workspace import Workspace

__all__ = ["METHODS", "PersonConnection", "Server"]

_log = logging.getLogger(__name__)

_EVENTS_AT_ONCE = 500
_FAR_BEHIND = 20_000
_LARGEST = 2**63 - 1
"""The largest number that the database has."""


class Server(Protocol):
    """What the server itself does for the person."""

    hub: Hub

    def describe(self) -> dict[str, Any]: ...

    def stop(self) -> None: ...

    async def open_http(self, port: int | None) -> tuple[str | None, str]: ...


@dataclass(frozen=True, slots=True)
class _Asking:
    """One request's surroundings."""

    credential: PersonCredential
    server: Server
    session: Session

    @property
    def workspace(self) -> Workspace:
        if self.session.workspace is None:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                "This connection names no workspace.",
                next_step="Name a folder, with -C FOLDER or by standing in it.",
            )
        return self.session.workspace


class _Params(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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


class _Http(_Params):
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


class _Since(_Params):
    since: int | None = Field(default=None, le=_LARGEST)


def _status(asking: _Asking, _params: _Nothing) -> dict[str, Any]:
    rows = [workspace_row(one) for one in asking.server.hub.workspaces()]
    state = asking.server.hub.state
    known = [one.path for one in state.workspaces()]
    return {"server": asking.server.describe(), "workspaces": rows, "known": known, "warning": state.warning}


def _open(asking: _Asking, params: _Open) -> dict[str, Any]:
    workspace = asking.server.hub.open(params.path, params.adopt)
    return workspace_row(workspace)


def _close(asking: _Asking, params: _Path) -> dict[str, Any]:
    return {"closed": asking.server.hub.close(params.path)}


def _pending(asking: _Asking, _params: _Nothing) -> dict[str, Any]:
    return {"pending": [row.to_json() for row in decisions.pending(asking.credential, asking.workspace)]}


def _show(asking: _Asking, params: _Id) -> dict[str, Any]:
    presented = decisions.show(asking.credential, asking.workspace, params.id)
    return {**presented.to_json(), "text": presented.text}


def _accept(asking: _Asking, params: _Accept) -> dict[str, Any]:
    chosen = {"files": params.files, "hunks": params.hunks}
    return decided_row(decisions.accept(asking.credential, asking.workspace, params.words, hold=params.hold, **chosen))


def _proposal(asking: _Asking, params: _Words) -> dict[str, Any]:
    return proposal_row(decisions.proposal(asking.credential, asking.workspace, params.words))


def _edit(asking: _Asking, params: _Edited) -> dict[str, Any]:
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


def _deny(asking: _Asking, params: _Words) -> dict[str, Any]:
    return decided_row(decisions.deny(asking.credential, asking.workspace, params.words))


def _mode(asking: _Asking, params: _Mode) -> dict[str, Any]:
    if params.mode is None:
        mode = settings.mode_of(asking.credential, asking.workspace)
    else:
        mode = settings.set_mode(asking.credential, asking.workspace, asking.server.hub.state, params.mode)
    return {"mode": str(mode), "level": mode.level}


def _settings_list(asking: _Asking, _params: _Nothing) -> dict[str, Any]:
    found = settings.list_settings(asking.credential, asking.workspace, asking.server.hub.state)
    return {"settings": [asdict(one) for one in found]}


def _settings_get(asking: _Asking, params: _Key) -> dict[str, Any]:
    return asdict(settings.get_setting(asking.credential, asking.workspace, asking.server.hub.state, params.key))


def _settings_set(asking: _Asking, params: _Set) -> dict[str, Any]:
    state = asking.server.hub.state
    changed = settings.set_setting(
        asking.credential, asking.workspace, state, params.key, params.value, user=params.user
    )
    return asdict(changed)


def _settings_unset(asking: _Asking, params: _Unset) -> dict[str, Any]:
    state = asking.server.hub.state
    return asdict(settings.unset_setting(asking.credential, asking.workspace, state, params.key, user=params.user))


def _history(asking: _Asking, params: _Log) -> dict[str, Any]:
    entries = history.log(asking.credential, asking.workspace, params.limit, params.before)
    return {"entries": [entry_row(entry) for entry in entries]}


def _undo(asking: _Asking, params: _Undo) -> dict[str, Any]:
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


def _clients_create(asking: _Asking, params: _NewClient) -> dict[str, Any]:
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


def _clients_list(asking: _Asking, _params: _Nothing) -> dict[str, Any]:
    found = clients.list_clients(asking.credential, asking.server.hub.clients)
    return {"clients": [client_row(asking.server.hub.state, one) for one in found]}


def _clients_revoke(asking: _Asking, params: _ClientName) -> dict[str, Any]:
    hub = asking.server.hub
    client = clients.revoke(asking.credential, hub.clients, params.name)
    hub.ledger.tell(_token(client, "revoked"), asking.credential.actor)
    return {"client": client_row(asking.server.hub.state, client)}


def _token(client: Client, action: str) -> Token:
    return Token(client.id, action, client.name, client.profile, tuple(client.workspaces))


def _audit_verify(asking: _Asking, params: _Verify) -> dict[str, Any]:
    verdict = audit.verify(asking.credential, _log_of(asking, params), params.since, params.expect)
    return {**asdict(verdict), "good": verdict.good}


def _audit_export(asking: _Asking, params: _Export) -> dict[str, Any]:
    return {"lines": audit.export(asking.credential, _log_of(asking, params), params.since, params.limit)}


def _log_of(asking: _Asking, params: _AuditLog) -> Audit:
    return asking.server.hub.ledger.audit if params.server else asking.workspace.audit


def _rewind(asking: _Asking, params: _Rewind) -> dict[str, Any]:
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


def _tool(asking: _Asking, params: _Tool) -> dict[str, Any]:
    """A tool's answer: a flat one's fields, else the envelope; its failure is the request's."""
    session = asking.session.id
    envelope = calls.call(asking.credential, asking.workspace, params.name, params.arguments, session=session)
    if envelope.error is not None:
        error = replace(envelope, form="fields").shown()["error"]
        raise WorkroomError(
            ErrorCode(error["code"]), error["message"], next_step=error["next_step"], details=error.get("details")
        )
    return envelope.shown()


@dataclass(frozen=True, slots=True)
class _Method:
    params: type[_Params]
    run: Callable[[_Asking, Any], dict[str, Any]]


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
    "audit.verify": _Method(_Verify, _audit_verify),
    "audit.export": _Method(_Export, _audit_export),
    "clients.create": _Method(_NewClient, _clients_create),
    "clients.list": _Method(_Nothing, _clients_list),
    "clients.revoke": _Method(_ClientName, _clients_revoke),
}
"""What a person's connection can ask, beside `stop`, `http` and `events`, which are for the loop's own thread."""


class PersonConnection:
    """Answers one person's connection; requests run side by side, and each is answered when it is done."""

    def __init__(self, channel: Channel, server: Server, session: Session, credential: PersonCredential) -> None:
        self.workspace = session.workspace
        self._asking = _Asking(credential, server, session)
        self._channel = channel
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._calls: set[asyncio.Task[None]] = set()
        self._stream: asyncio.Task[None] | None = None
        self._over = False
        channel.hear, channel.finished, channel.overrun = self.hear, self.finish, self._overrun
        channel.ended.append(self._ended)
        if self.workspace is not None:
            self.workspace.buffers.arrive(session.id)
            channel.ended.append(partial(self.workspace.buffers.leave, session.id))

    def hear(self, line: bytes) -> None:
        """Take one request."""
        task = self._loop.create_task(self._answer(line))
        self._calls.add(task)
        task.add_done_callback(self._done)

    def part(self) -> None:
        """Hear nothing more, and end when all is answered."""
        self._channel.rest()
        self.finish()

    def finish(self) -> None:
        """Nothing more is asked: end when all is answered, and follow no events."""
        self._over = True
        if self._stream is not None:
            self._stream.cancel()
        self._end_if_through()

    def _overrun(self) -> None:
        error = WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"A request is at most {LINE_BYTES:,} bytes.")
        self._send({"id": None, "error": wire_error(error)})
        self.finish()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._calls.discard(task)
        self._end_if_through()

    def _end_if_through(self) -> None:
        if self._over and not self._calls:
            self._channel.close()

    def _ended(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    async def _answer(self, line: bytes) -> None:
        number: Any = None
        try:
            number, name, params = _request(line)
            result = await self._run(name, params)
            self._send({"id": number, "result": result})
        except WorkroomError as error:
            self._send({"id": number, "error": wire_error(error)})
        except Exception:  # noqa: BLE001 - a fault of ours is told as one, and the connection lives
            _log.exception("a request of the person's failed")
            fault = WorkroomError(ErrorCode.INTERNAL, "The server met a fault; its log tells more.")
            self._send({"id": number, "error": wire_error(fault)})

    async def _run(self, name: str, params: dict[str, Any]) -> dict[str, Any]:
        if name == "stop":
            self._loop.call_soon(self._server.stop)
            return {"stopping": True}
        if name == "http":
            url, warning = await self._server.open_http(_parsed(_Http, name, params).port)
            return {"url": url, "warning": warning}
        if name == "events":
            return await self._follow(_parsed(_Since, name, params).since)
        method = METHODS.get(name)
        if method is None:
            known = ", ".join([*METHODS, "stop", "http", "events"])
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"There is no method {name!r}.", next_step=f"Known: {known}.")
        parsed = _parsed(method.params, name, params)
        return await self._loop.run_in_executor(self._server.hub.pool, method.run, self._asking, parsed)

    async def _follow(self, since: int | None) -> dict[str, Any]:
        """Begin to send events after `since` (None: from now on); a second asking begins anew."""
        start = since
        if start is None:
            store = self._asking.workspace.store
            start = await self._loop.run_in_executor(self._server.hub.pool, store.last_event)
        if self._over:
            return {"since": start}
        if self._stream is not None:
            self._stream.cancel()
        self._stream = self._loop.create_task(self._send_events(self._asking.workspace, start))
        return {"since": start}

    async def _send_events(self, workspace: Workspace, sent: int) -> None:
        news = asyncio.Event()

        def hear(_number: int, _event: Event) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is over
                self._loop.call_soon_threadsafe(news.set)

        pool = self._server.hub.pool
        leave = workspace.store.subscribe(hear)
        try:
            while True:
                news.clear()
                last = await self._loop.run_in_executor(pool, workspace.store.last_event)
                if last - sent > _FAR_BEHIND:
                    self._send({"resync": last})
                    sent = last
                rows = await self._loop.run_in_executor(pool, workspace.store.events_since, sent, _EVENTS_AT_ONCE)
                for row in rows:
                    self._send({"event": row})
                    sent = row["number"]
                await self._channel.writable.wait()
                if not rows:
                    await news.wait()
        finally:
            leave()

    def _send(self, body: dict[str, Any]) -> None:
        self._channel.send(json.dumps(body, separators=(",", ":")).encode("ascii") + b"\n")


def _request(line: bytes) -> tuple[Any, str, dict[str, Any]]:
    try:
        body = json.loads(line)
        number, name, params = body["id"], body["method"], body.get("params") or {}
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise WorkroomError(ErrorCode.INVALID_INPUT, "A request is a JSON object with id and method.") from None
    if not isinstance(name, str) or not isinstance(params, dict):
        raise WorkroomError(ErrorCode.INVALID_INPUT, "method is a string, params an object.")
    return number, name, params


def _parsed(model: type[P], name: str, params: dict[str, Any]) -> P:
    try:
        return model.model_validate(params)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"{name}: {where}: {first['msg']}.") from None
