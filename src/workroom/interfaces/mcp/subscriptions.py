"""What a client wants to be told of, in both eras, and how it is told.

    handshake   tools: always. resources: what it has subscribed to; the list, once it has asked for it
    modern      what each of its `subscriptions/listen` requests names, on that request's own stream

All of it only says "look again": a client that was told of a list is told again once it has looked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workroom.interfaces.mcp.eras import SUBSCRIPTION_ID
from workroom.interfaces.mcp.jsonrpc import INVALID_PARAMS, RpcError, encode, line_of
from workroom.interfaces.mcp.protocol import Peer
from workroom.interfaces.mcp.steps import Request, Send

__all__ = ["Subscriptions"]

_MOST = 1_000
"""How many resources one client may subscribe to, and how many streams it may open, together."""

_LISTS = {"toolsListChanged": "tools", "resourcesListChanged": "resources"}


class Subscriptions:
    """One client's. Belongs to the loop's thread."""

    def __init__(self, peer: Peer, send: Callable[[Send], None], known: Callable[[str], bool]) -> None:
        """`known` tells whether a uri can be one of ours."""
        self._peer = peer
        self._send = send
        self._known = known
        self._uris: set[str] = set()
        self._listens: dict[Request, tuple[frozenset[str], frozenset[str]]] = {}
        """By request: the lists and the resources that it wants to hear of."""
        self._listed = False
        """Whether a client of the handshake era has asked for the resources since it was told that they changed."""

    @property
    def any(self) -> bool:
        """Whether anybody wants to hear of resources; from any thread."""
        return bool(self._uris or self._listens or self._listed)

    def subscribe(self, params: Mapping[str, Any]) -> None:
        """`resources/subscribe`; INVALID_PARAMS for what is no resource of ours, or one too many."""
        uri = params.get("uri")
        if not isinstance(uri, str) or not self._known(uri):
            raise RpcError(INVALID_PARAMS, "uri is that of a resource.", {"uri": uri})
        self._check_room(1)
        self._uris.add(uri)

    def unsubscribe(self, params: Mapping[str, Any]) -> None:
        """`resources/unsubscribe`; what wasn't subscribed to is no error."""
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise RpcError(INVALID_PARAMS, "uri is a string.")
        self._uris.discard(uri)

    def listen(self, request: Request, *, again: bool = False) -> None:
        """`subscriptions/listen`: the request stays open, and is told first what it will hear of.

        `again`: another conversation has told it so.
        """
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise RpcError(INVALID_PARAMS, "notifications is an object.")
        named = wanted.get("resourceSubscriptions") or ()
        if not isinstance(named, list | tuple) or not all(isinstance(uri, str) for uri in named):
            raise RpcError(INVALID_PARAMS, "resourceSubscriptions is a list of strings.")
        self._check_room(1 + len(named))
        lists = {field: True for field in _LISTS if wanted.get(field) is True}
        uris = [uri for uri in named if self._known(uri)]
        self._listens[request] = frozenset(_LISTS[field] for field in lists), frozenset(uris)
        honoured = {**lists, **({"resourceSubscriptions": uris} if uris else {})}
        if not again:
            self._tell(request, "notifications/subscriptions/acknowledged", {"notifications": honoured})

    def listed(self) -> None:
        """The client has looked at the resources."""
        self._listed = True

    def close(self, request: Request) -> bool:
        """A stream has ended; whether it was one."""
        return self._listens.pop(request, None) is not None

    def end(self) -> None:
        """End every stream gracefully: the server goes."""
        for request in list(self._listens):
            del self._listens[request]
            message = self._peer.answer(request, "{}", meta={SUBSCRIPTION_ID: request.id})
            if message is not None:
                self._send(message)

    def changed(self, lists: frozenset[str], touches: Callable[[str], bool]) -> None:
        """Lists have changed, and the resources that `touches` says."""
        if self._peer.agreed is not None:
            self._changed_for_all(lists, touches)
        for request, (wanted, uris) in list(self._listens.items()):
            for name in sorted(wanted & lists):
                self._tell(request, f"notifications/{name}/list_changed", {})
            for uri in filter(touches, sorted(uris)):
                self._tell(request, "notifications/resources/updated", {"uri": uri})

    def told(self) -> tuple[bytes, ...]:
        """The lines by which another conversation knows the same."""
        lines = [
            encode({"jsonrpc": "2.0", "id": f"again-{uri}", "method": "resources/subscribe", "params": {"uri": uri}})
            for uri in sorted(self._uris)
        ]
        lines += [
            encode({"jsonrpc": "2.0", "id": request.id, "method": request.method, "params": request.params})
            for request in self._listens
        ]
        return tuple(map(line_of, lines))

    def _changed_for_all(self, lists: frozenset[str], touches: Callable[[str], bool]) -> None:
        if "tools" in lists:
            self._send(self._peer.notify("notifications/tools/list_changed"))
        if "resources" in lists and self._listed:
            self._listed = False
            self._send(self._peer.notify("notifications/resources/list_changed"))
        for uri in filter(touches, sorted(self._uris)):
            self._send(self._peer.notify("notifications/resources/updated", {"uri": uri}))

    def _tell(self, request: Request, method: str, params: Mapping[str, Any]) -> None:
        meta = {"_meta": {SUBSCRIPTION_ID: request.id}}
        self._send(self._peer.notify(method, {**meta, **params}, request.origin))

    def _check_room(self, more: int) -> None:
        held = len(self._uris) + sum(1 + len(uris) for _, uris in self._listens.values())
        if held + more > _MOST:
            raise RpcError(INVALID_PARAMS, f"A client may hold {_MOST:,} subscriptions.")
