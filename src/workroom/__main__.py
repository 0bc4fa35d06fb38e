"""The `workroom` command. `mcp` and the server in the background take their own short ways past the command line."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

__all__ = ["main"]


def main() -> int:
    """Run one command; answers its exit code. What is imported depends on it: each way in loads only its own."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["mcp"]:
        from workroom.interfaces.mcp import shim  # noqa: PLC0415 - the standard library only

        return shim.run(arguments[1:])
    if arguments == ["serve", "--background"]:
        gc.disable()  # what is imported stays: looking it over meanwhile is for nothing
        from workroom.interfaces import daemon  # noqa: PLC0415 - no command line library

        gc.freeze()
        gc.enable()
        return daemon.run_in_background()
    from workroom.interfaces.cli import app  # noqa: PLC0415 - the whole command line

    return app.run(_serve, _examine)


def _serve(folder: str | None, say: Callable[[str], None], *, http: bool, port: int | None) -> int:
    """The server in the foreground, loaded for `workroom serve` alone."""
    from workroom.interfaces import daemon, link  # noqa: PLC0415 - the whole server

    return daemon.run_in_foreground(link.Place(os.environ), folder, say, http=http, port=port)


def _examine(folder: str) -> list[dict[str, str]]:
    """What the doctor finds, loaded for `workroom doctor` alone."""
    from workroom.interfaces import link  # noqa: PLC0415
    from workroom.server import doctor  # noqa: PLC0415 - with half of core
    from workroom.system.state import StateDirectory  # noqa: PLC0415

    place = link.Place(os.environ)
    state = StateDirectory(Path(place.state), runtime=Path(place.runtime) if place.runtime else None)
    return [finding.to_json() for finding in doctor.examine(state, folder)]


if __name__ == "__main__":
    sys.exit(main())
