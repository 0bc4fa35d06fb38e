"""Whatever is looked at, and however short an answer may be: it fits, says what it left out, and how to have that."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import House
from tests.documents import pdf

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.interfaces.mcp.answers import readable
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "markdown", "source": "needle " * 400}] * 30, "nbformat": 4, "metadata": {}}, indent=1
)
FILES = {
    "big": "".join(f'{n}\tneedle "quoted" \\ line\n' for n in range(20_000)),
    "long": ("needle " + 'x\t"\\' * 2_000 + "\n") * 200,
    "control": "a\x1b[31m needle\x01\x02\n" * 5_000,
    "beyond": "😀 needle é\n" * 3_000,
    "one line": "needle " * 20_000,
    "notebook.ipynb": NOTEBOOK,
}
WAYS = ("cursor", "nextStartLine", "previousEndLine", "nextStartPart", "unread", "cutLines")


@pytest.fixture(scope="module")
def crowded(tmp_path_factory, grammars):
    """A workspace with many things in it, all of them awkward."""
    folder = tmp_path_factory.mktemp("crowded")
    (folder / "ws").mkdir()
    (folder / "store").mkdir()
    house = House(folder / "ws", folder / "store", Settings(mode="auto", watch=False, search_index=False))
    house.grammars = grammars
    for name, text in FILES.items():
        (house.folder / name).write_text(text)
    (house.folder / "pages.pdf").write_bytes(pdf(*["needle\n" * 40] * 50))
    for number in range(200):
        house.write(f'src/pkg{number % 7}/module_{number}_with_a_"long" name.py', f"def needle_{number}():\n" * 3)
    house.write("/".join(["deep" * 4] * 25) + "/f", "needle\n")
    methods = "".join(f'    def method_{n % 900}(self, a="\\\\", b: str = "quoted"): pass\n' for n in range(3_000))
    house.write("crowded.py", f"class Crowd:\n    x: int = 1\n{methods}")
    house.open()
    for number in range(15):
        names = [f"made/{number}-{'n' * 100}.txt", f"made/{number}"]
        house.edit(*({"type": "create", "path": name, "content": 'x "y"\n' * 500} for name in names))
    yield house
    house.close()


names = st.sampled_from([*FILES, "pages.pdf", "src", "nothing " * 20, "/".join(["deep" * 4] * 25) + "/f"])
lines = st.fixed_dictionaries({}, optional={"start_line": st.integers(1, 30_000), "numbered": st.booleans()})
tails = st.fixed_dictionaries({"tail_lines": st.integers(1, 30_000)})
parts = st.fixed_dictionaries({}, optional={"start_part": st.integers(1, 40), "max_chars": st.integers(100, 10**6)})
one = st.builds(lambda name, how: {"action": "read", "path": name, **how}, names, st.one_of(lines, tails, parts))
several = st.builds(
    lambda paths, how: {"action": "read", "paths": paths, **how}, st.lists(names, min_size=2, max_size=20), lines
)
stats = st.builds(lambda paths: {"action": "stat", "paths": paths}, st.lists(names, min_size=1, max_size=20))
searches = st.fixed_dictionaries(
    {"action": st.just("search"), "query": st.sampled_from(["needle", "x", "def", "q" * 1_500])},
    optional={
        "output": st.sampled_from(["lines", "files", "counts"]),
        "context_lines": st.integers(0, 10),
        "path": names,
        "limit": st.integers(1, 500),
    },
)
finds = st.fixed_dictionaries(
    {"action": st.just("find"), "query": st.sampled_from(["m", "deep", "zz"]), "limit": st.integers(1, 500)}
)
lists = st.fixed_dictionaries(
    {"action": st.sampled_from(["list", "overview"])}, optional={"depth": st.integers(1, 8), "path": names}
)
places = st.sampled_from([".", "src", "src/pkg1", "crowded.py", "big"])
outlines = st.fixed_dictionaries(
    {"action": st.just("outline"), "path": places},
    optional={
        "depth": st.integers(1, 3),
        "limit": st.integers(1, 5_000),
        "kind": st.sampled_from(["function", "field"]),
    },
)
symbols = st.fixed_dictionaries(
    {"action": st.sampled_from(["outline", "read"]), "path": places},
    optional={"symbol": st.sampled_from(["needle_7", "Crowd", "Crowd.method_9", "method_9", "nothing " * 200, "x"])},
).filter(lambda look: "symbol" in look)
changes = st.fixed_dictionaries({"action": st.just("changes")}, optional={"entry": st.integers(1, 16)})
others = st.one_of(changes, st.just({"action": "capabilities"}), st.just({"action": "list", "recursive": True}))
looks = st.one_of(one, several, stats, searches, finds, lists, outlines, symbols, others)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(looks, st.one_of(st.just(2_000), st.just(10_000), st.integers(2_000, 40_000)))
def test_every_look_fits_and_says_how_to_go_on(crowded, look, limit):
    crowded.settings = crowded.settings.model_copy(update={"max_tool_result_chars": limit})
    answer = call(Call(crowded.workspace, Actor("agent", "tester", "s")), "workspace_inspect", look)
    assert len(json.dumps(answer.to_json(), ensure_ascii=False, separators=(",", ":"))) <= limit
    assert len(readable(answer)) <= limit
    if (
        answer.ok
        and answer.data.get("truncated")
        and look["action"] not in {"find", "overview"}
        and look.get("symbol") is None
    ):
        rows = answer.data.get("files", []) if look["action"] == "read" else []
        told = [way for row in (answer.data, *rows) for way in WAYS if way in row]
        assert told or answer.artifacts or rows
    for artifact in answer.artifacts:
        assert (crowded.folder / artifact.path).stat().st_size == artifact.bytes
