"""A small folder to search in."""

from __future__ import annotations

import pytest

from workroom.system.root import Root


@pytest.fixture
def ws(tmp_path):
    folder = tmp_path / "ws"
    files = {
        "a.txt": "one\ntwo needle\nthree\nneedle four\nfive\n",
        "b/c.py": "Needle = 1\nneedles\n",
        "b.txt": "no\n",
        ".hidden": "needle\n",
        ".git/config": "needle\n",
        ".agentic/notes/n.md": "needle\n",
        ".agentic/.gitignore": "*\n",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def root(ws):
    with Root.open(ws) as opened:
        yield opened
