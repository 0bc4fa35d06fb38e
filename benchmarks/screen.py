"""The page in Chromium: an agent's commit until it is on screen, the first load, and a folder of 200,000 files.

On screen is what a frame was drawn with. Times of day are compared, by one clock, to the millisecond. The other pages
follow the folder's events as raw streams, and one more reads nothing at all.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.client import Client
from benchmarks.editor import FILES, generate
from benchmarks.measure import Figure, percentile
from benchmarks.ours import Ours
from benchmarks.pages import Pages, edit
from playwright.sync_api import Browser, Locator, Page, sync_playwright

__all__ = ["measure"]

_COMMITS = 60
_WARM = 5
_LOADS = 15
_GOAL_MS = 100.0
_GOAL_BYTES = 300_000.0
_WORD = "handler_1999"

_SEEN = """() => {
  window.seen = {};
  const look = () => {
    const turn = /turn (\\d+) of/.exec(document.querySelector(".cm-content")?.textContent ?? "")?.[1];
    if (turn === undefined || turn in seen) return;
    seen[turn] = 0;
    requestAnimationFrame(() => drawn(() => (seen[turn] = Date.now())));
  };
  const drawn = (then) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = then;
    port2.postMessage(0);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
"""Notes when each turn of the edit was drawn: behind the frame that follows the change."""

_USABLE = """() => {
  const live = [...document.querySelectorAll("[role=status], .line, body *")].some((one) => one.textContent === "Live");
  return live && document.querySelector("[role=treeitem]") ? performance.now() : 0;
}"""
"""Milliseconds since the load began, once the tree is there and the page follows; 0 before."""

_LOADED = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter(({ name }) => !name.includes("/page/v1/")).reduce((sum, one) => sum + one.transferSize, 0)"""
"""Bytes on the wire of the page itself, compressed and with headers; what it asks of the folder isn't in it."""


def measure(scratch: Path) -> Iterator[Figure]:
    """Commits on screen with 1, 50 and 500 pages; the first load; then the large folder."""
    with _launched() as browser:
        with _served(scratch / "small", _one_file) as house:
            for count in (1, 50, 500):
                yield from _on_screen(browser, house, count)
            yield from _first_load(browser, house)
        with _served(scratch / "large", generate) as house:
            yield from _large(browser, house)


@contextlib.contextmanager
def _served(scratch: Path, fill: Callable[[Path], object]) -> Iterator[Ours]:
    folder = scratch / "ours"
    folder.mkdir(parents=True)
    fill(folder)
    house = Ours(folder, scratch / "state")
    try:
        yield house
    finally:
        house.stop()


def _one_file(folder: Path) -> None:
    (folder / "edit.txt").write_text("turn 0 of the edit\n")


@contextlib.contextmanager
def _launched() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("The page is measured in Chromium: `make packages` installs it where it may.")
    arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@contextlib.contextmanager
def _visited(browser: Browser, house: Ours) -> Iterator[Page]:
    """The page in a context that knows nothing yet, signed in by a link from the terminal."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.goto(house.run("page").split()[0])
        yield page
    finally:
        context.close()


def _on_screen(browser: Browser, house: Ours, count: int) -> Iterator[Figure]:
    with (
        Client(house.command, house.environ) as agent,
        Pages(house, count - 1),
        _visited(browser, house) as page,
    ):
        page.get_by_role("treeitem", name="edit.txt").click()
        page.locator(".cm-content", has_text="turn").wait_for()
        page.evaluate(_SEEN)
        drawn, answered = [], []
        now = int((house.folder / "edit.txt").read_text().split()[1])
        for turn in itertools.islice(itertools.count(now), _WARM + _COMMITS):
            began, ticked = time.time() * 1000, time.perf_counter()
            agent.call("workspace_edit", action="apply", operations=[edit(turn)])
            took = time.perf_counter() - ticked
            seen = page.wait_for_function("turn => window.seen[turn]", arg=str(turn + 1)).json_value()
            if turn >= now + _WARM:
                drawn.append((seen - began) / 1000)
                answered.append(took)
    name = "a commit is on screen, " + ("1 page" if count == 1 else f"{count} pages")
    goal = _GOAL_MS if count == 50 else None
    yield Figure(f"{name}, median", percentile(drawn, 50), percentile(answered, 50), None, "ms")
    yield Figure(f"{name}, 95th percentile", percentile(drawn, 95), percentile(answered, 95), goal, "ms")


def _first_load(browser: Browser, house: Ours) -> Iterator[Figure]:
    """With nothing in the browser's cache; and again with all of it there."""
    cold, warm, size = [], [], 0.0
    for _ in range(_LOADS):
        with _visited(browser, house) as page:
            cold.append(_usable(page))
            size = page.evaluate(_LOADED)
            page.reload()
            warm.append(_usable(page))
    yield Figure("the first load of the page", size, None, _GOAL_BYTES)
    yield Figure("the first load until it is usable, median", percentile(cold, 50), None, None, "ms")
    yield Figure("a later load until it is usable, median", percentile(warm, 50), None, None, "ms")


def _usable(page: Page) -> float:
    """Seconds since the load began."""
    since: float = page.wait_for_function(_USABLE).json_value()
    return since / 1000


def _large(browser: Browser, house: Ours) -> Iterator[Figure]:
    with _visited(browser, house) as page:
        _usable(page)
        loads = []
        for _ in range(_LOADS):
            page.reload()
            loads.append(_usable(page))
        yield Figure(f"{FILES:,} files: the page is usable, median", percentile(loads, 50), None, None, "ms")
        page.get_by_role("treeitem", name="account-02").click()
        folders = page.locator("[role=treeitem][aria-level='2']")
        folders.first.wait_for()
        unfolded = [_unfolded(page, folders.nth(at % folders.count())) for at in range(_LOADS)]
        yield Figure(
            f"{FILES:,} files: a folder of 100 is unfolded, median", percentile(unfolded, 50), None, None, "ms"
        )
        page.keyboard.press("Control+P")
        finder = page.get_by_role("dialog", name="Open a file")
        finder.get_by_role("option").first.wait_for()
        letters = [_typed(finder, _WORD[:end]) for end in range(1, len(_WORD) + 1)]
        yield Figure(f"{FILES:,} files: a letter in quick open, median", percentile(letters, 50), None, None, "ms")


def _unfolded(page: Page, folder: Locator) -> float:
    """Seconds from the click to the frame that has the folder's files."""
    took = _seconds(folder, "element.click()", "document.querySelector('[aria-level=\"3\"]')")
    folder.click()
    page.locator("[role=treeitem][aria-level='3']").first.wait_for(state="detached")
    return took


def _typed(finder: Locator, query: str) -> float:
    """Seconds from the last letter of the query to the frame in which the first path found is marked with all of it."""
    marked = "[...document.querySelectorAll('#pick-0 mark')].map((mark) => mark.textContent).join('')"
    letter = f"document.execCommand('insertText', false, {query[-1]!r})"
    return _seconds(finder.get_by_role("combobox"), letter, f"{marked} === {query!r}")


def _seconds(element: Locator, act: str, done: str) -> float:
    """Until what `act` sets off is drawn, all by the page's own clock."""
    milliseconds: float = element.evaluate(
        f"""element => new Promise((resolve) => {{
          const began = performance.now();
          const look = () => {{
            if (!({done})) return requestAnimationFrame(look);
            const {{ port1, port2 }} = new MessageChannel();
            port1.onmessage = () => resolve(performance.now() - began);
            port2.postMessage(0);
          }};
          {act};
          look();
        }})"""
    )
    return milliseconds / 1000
