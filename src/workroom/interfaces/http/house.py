"""Whether the server listens for HTTP, and where. What listens is loaded when it is switched on, not before."""

from __future__ import annotations

import errno
import ipaddress
import logging
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings, parse_settings
from workroom.server.hub import Hub

if TYPE_CHECKING:
    from workroom.interfaces.http.serving import Page, Serving

__all__ = ["PORT", "HttpHouse"]

_log = logging.getLogger(__name__)

PORT = 7117
"""Where a server listens unless it is told otherwise."""
_NEXT = 20
"""How many ports from there on are tried."""
_LOOPBACK = ("127.0.0.1", "::1")
_NO_IPV6 = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT})


class HttpHouse:
    """One server's HTTP: off, until `open`."""

    def __init__(self, hub: Hub, page: Page | None = None) -> None:
        """`page` makes what answers below `/page/`."""
        self._hub = hub
        self._page = page
        self._serving: Serving | None = None
        self.port: int | None = None
        """The port, while it listens."""
        self.warning = ""
        """What the person should know of how it listens, or why it doesn't; or empty."""

    @property
    def url(self) -> str | None:
        """The address for clients on this machine; None while it doesn't listen."""
        return None if self.port is None else f"http://127.0.0.1:{self.port}"

    async def open(self, port: int | None) -> None:
        """Listen on `port` (0: any free one); without one on the setting's, else on the usual one or the next free.

        TRANSACTION_STATE when it listens on another port already, IO_ERROR when the port can't be had.
        """
        if self._serving is not None:
            if port in (None, self.port):
                return
            raise WorkroomError(
                ErrorCode.TRANSACTION_STATE,
                f"The server listens on port {self.port} already.",
                next_step="`workroom stop` first; then serve on another port.",
            )
        from workroom.interfaces.http.serving import Serving  # noqa: PLC0415 - Starlette and uvicorn, only for HTTP

        settings = parse_settings(self._hub.state.read_settings(None)[0])
        listeners = _bound(settings.http_port if port is None else port, settings.http_address)
        number = int(listeners[0].getsockname()[1])
        self._serving = Serving(self._hub, _own_hosts(number).union(settings.http_hosts), page=self._page)
        self.port = number
        self.warning = _warning(settings)
        await self._serving.begin(listeners)

    async def try_to_open(self, port: int | None) -> None:
        """The same where nobody sits to be told: what goes wrong becomes the warning."""
        try:
            await self.open(port)
        except WorkroomError as error:
            _log.warning("%s", error)
            self.warning = error.message

    def rest(self) -> None:
        """Take no new request."""
        if self._serving is not None:
            self._serving.rest()

    async def end(self, seconds: float) -> None:
        """Let the answers leave, and close."""
        if self._serving is not None:
            await self._serving.end(seconds)


def _own_hosts(port: int) -> frozenset[str]:
    names = ("127.0.0.1", "localhost", "[::1]")
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def _warning(settings: Settings) -> str:
    if ipaddress.ip_address(settings.http_address).is_loopback:
        return ""
    warning = (
        f"HTTP listens on {settings.http_address}, beyond this machine and unencrypted: whoever can read the traffic "
        "has the tokens, and can do what they allow."
    )
    if not settings.http_hosts:
        warning += " Nobody from there is answered until the setting http_hosts names the address that they use."
    return warning


def _bound(port: int | None, address: str = _LOOPBACK[0]) -> list[socket.socket]:
    """Sockets on one port of each loopback address that the machine has, and on `address`."""
    addresses = _addresses(address)
    for number in range(PORT, PORT + _NEXT) if port is None else (port,):
        listeners = list(_listeners(number, addresses))
        if listeners:
            return listeners
    tried = f"ports {PORT} to {PORT + _NEXT - 1} are" if port is None else f"port {port} is"
    also = "" if address in _LOOPBACK else f", or {address} (http_address) is no address of this machine"
    raise WorkroomError(
        ErrorCode.IO_ERROR,
        f"HTTP can't be served: {tried} taken, or not to be had by you{also}.",
        next_step="Name another with `workroom serve --port N`, or serve without it: `--no-http`.",
    )


def _addresses(address: str) -> tuple[str, ...]:
    """Both loopback addresses and the given one, which may hold one of them already."""
    if address in _LOOPBACK:
        return _LOOPBACK
    covered = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address)  # noqa: S104 - the person has set it so
    return (*(one for one in _LOOPBACK if one != covered), address)


def _listeners(port: int, addresses: tuple[str, ...]) -> Iterator[socket.socket]:
    """Nothing when one of the addresses is somebody else's on this port: a client could reach either."""
    made: list[socket.socket] = []
    for address in addresses:
        try:
            made.append(_listener(address, made[0].getsockname()[1] if made else port))
        except OSError as error:
            if error.errno in _NO_IPV6 and address == "::1":
                continue
            for other in made:
                other.close()
            return
    yield from made


def _listener(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # By this protocol's number asyncio knows that it may send each part of an answer at once.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((address, port))
        made.listen(1)  # two may have bound it; only one listens
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made
