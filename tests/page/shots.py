"""Pictures of the page's main states into docs/page: `python -m tests.page.shots`, or `make shots`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser
from tests.interfaces.conftest import Room, leave
from tests.page.browsing import launched, visiting
from tests.page.conftest import port_of
from tests.page.scenes import play

from tools import build_page

TARGET = Path(__file__).parents[2] / "docs" / "page"
COLOURS = ("light", "dark")
BOTH = {"review", "destructive", "phone-review"}
"""What is kept in both colours; all else is light."""


def shoot(browser: Browser, colours: str) -> None:
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory(prefix="wr-") as state:
        folder = Path(name, "recipes")
        folder.mkdir()
        room = Room(folder, Path(state), Path(name, "stderr"))
        try:
            with visiting(browser, room, port_of(room, {}), color_scheme=colours) as visit:
                for scene in play(visit):
                    if colours == "light" or scene in BOTH:
                        visit.page.screenshot(path=TARGET / f"{scene}-{colours}.png")
        finally:
            room.stop()
            leave(room)


def main() -> int:
    build_page.build()
    TARGET.mkdir(exist_ok=True)
    with launched() as browser:
        for colours in COLOURS:
            shoot(browser, colours)
    return 0


if __name__ == "__main__":
    sys.exit(main())
