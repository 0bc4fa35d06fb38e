"""The hand-written pages hold together: links lead somewhere, commands exist, examples are taken."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from workroom.interfaces.cli.app import app
from workroom.tools.edit import EDIT
from workroom.tools.schema import parse_arguments

HOUSE = Path(__file__).parents[2]
PAGES = sorted([*HOUSE.glob("*.md"), *(HOUSE / "docs").rglob("*.md")])
DECISIONS = sorted((HOUSE / "docs" / "decisions").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|((?:^    .+\n)+)", re.DOTALL | re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(HOUSE).as_posix()


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_that_is_shown_exists(page):
    known = vars(typer.main.get_command(app))["commands"]
    text = page.read_text(encoding="utf-8")
    blocks = [fenced or indented for _, fenced, indented in BLOCK.findall(text)]
    shown = re.findall(r"^ *(?:\$ )?workroom (?:-C \S+ )?([a-z]+)", "\n".join(blocks), re.MULTILINE)
    shown += re.findall(r"`workroom (?:-C \S+ )?([a-z]+)", text)
    assert {word for word in shown if word not in known} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_example_of_json_is_taken(page):
    for kind, fenced, _ in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "json":
            parse_arguments(EDIT, json.loads(fenced))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_names_a_place_of_the_machine_it_was_written_on(page):
    assert not re.search(r"/work/|/root/|/tmp/plan|\bissue \d", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", DECISIONS, ids=name)
def test_a_decision_is_three_paragraphs_under_a_numbered_title(page):
    title, *paragraphs = page.read_text(encoding="utf-8").strip().split("\n\n")
    assert title.startswith(f"# {int(page.name[:4])}. ")
    assert len(paragraphs) == 3


def test_decisions_are_numbered_once_each_and_listed():
    assert len({page.name[:4] for page in DECISIONS}) == len(DECISIONS)
    index = (HOUSE / "docs" / "index.md").read_text(encoding="utf-8")
    for page in DECISIONS:
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        assert f"[{title}](decisions/{page.name})" in index


def test_every_page_is_reached_from_the_index():
    index = (HOUSE / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (HOUSE / "docs").rglob("*.md"):
        assert page.name == "index.md" or f"({page.relative_to(HOUSE / 'docs').as_posix()})" in index, page


def test_every_room_stands_in_the_architecture():
    text = (HOUSE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = [path.name for path in (HOUSE / "src" / "workroom").iterdir() if (path / "__init__.py").exists()]
    for room in rooms:
        assert re.search(rf"^ {room} +\d", text, re.MULTILINE), room


def test_a_line_of_shell_in_the_tutorial_is_whole():
    for command in re.findall(r"^\$ (.+)$", (HOUSE / "docs" / "tutorial.md").read_text(encoding="utf-8"), re.MULTILINE):
        assert shlex.split(command)
