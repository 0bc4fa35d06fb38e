"""The same server and raw clients that the interface's own tests use."""

from tests.interfaces.conftest import guest, room, shared_state
from tests.interfaces.http.conftest import shared_web, visitor, web

__all__ = ["guest", "room", "shared_state", "shared_web", "visitor", "web"]
