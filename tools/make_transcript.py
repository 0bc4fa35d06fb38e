"""Make the transcript in README.md and docs/transcript.md by running the real thing.

`python tools/make_transcript.py` serves a small sample project from a temporary folder, lets the official Python client
of the Model Context Protocol edit it as an agent, decides as the person in a terminal, and undoes the edit. What they
print is written down as it is, but for blanks at line ends, the temporary folder (called /home/you/recipes) and the
account (called you).
With `--check` it writes nothing, and ends with 1 when the stored transcript differs by more than ids and times.
"""

from __future__ import annotations

import asyncio
import json
import os
import pty
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import ClientSession, Implementation, StdioServerParameters
from mcp.client.stdio import stdio_client

HOUSE = Path(__file__).resolve().parent.parent
README, PAGE = HOUSE / "README.md", HOUSE / "docs" / "transcript.md"
BEGIN, END = "<!-- transcript: made by tools/make_transcript.py -->\n```text\n", "```\n<!-- end of the transcript -->"
WORKROOM = [sys.executable, "-m", "workroom"]
PROMPT = {"person": "$ ", "agent": "agent> "}
_SECONDS = 60
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_VARYING = re.compile(r"(?<=tx_)[0-9a-z]{12}|(?<=approval_)[0-9a-z]{12}|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d\.\d+Z)?")

EDIT: dict[str, Any] = {
    "action": "apply",
    "title": "Round what comes out",
    "operations": [
        {
            "type": "replace",
            "path": "recipes/scale.py",
            "search": "amount * people / serves",
            "replacement": "round(amount * people / serves, 2)",
        },
        {"type": "create", "path": "CHANGES.md", "content": "- Amounts are rounded to two places.\n"},
    ],
}


@dataclass(frozen=True)
class Scene:
    """One thing that was said, with its answer; `brief`: the README shows it too."""

    text: str
    brief: bool


class Stage:
    """A sample project, a state directory and a served folder, all of them temporary."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "recipes"
        subprocess.run(
            [sys.executable, HOUSE / "tools" / "make_sample.py", self.folder], check=True, capture_output=True
        )
        kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
        self.environ = {
            **kept,
            "HOME": str(base),
            "WORKROOM_STATE": str(base / "state"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "xterm-256color",
            "COLUMNS": "140",
            "PYTHONPATH": str(HOUSE / "src"),
        }
        self.scenes: list[Scene] = []

    def tell(self, who: str, said: str, answer: str, *, brief: bool = True) -> None:
        """Write down what was said, and what came back; `brief` for what the README shows too."""
        shown = answer.replace(str(self.folder), "/home/you/recipes")
        shown = shown.replace(f"person {pwd.getpwuid(os.geteuid()).pw_name}", "person you")
        lines = [PROMPT[who] + said, *(line.rstrip() for line in shown.strip("\n").split("\n"))]
        self.scenes.append(Scene("\n".join(lines).rstrip("\n") + "\n", brief))

    def person(self, *words: str, brief: bool = True) -> None:
        """Run a command at a terminal, as the person."""
        argv = [*WORKROOM, *words[1:]] if words[0] == "workroom" else list(words)
        self.tell("person", " ".join(words), at_terminal(argv, self.folder, self.environ), brief=brief)

    def agent(self, name: str, arguments: dict[str, Any], *, brief: bool = True) -> dict[str, Any]:
        """Call a tool through `workroom mcp`, as a client does; answers what is structured in it."""
        text, body = asyncio.run(self._call(name, arguments))
        said = json.dumps(arguments).replace("[{", "[\n  {").replace("}, {", "},\n  {")
        self.tell("agent", f"{name} {said}", text, brief=brief)
        return body

    async def _call(self, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        shim = StdioServerParameters(
            command=WORKROOM[0], args=[*WORKROOM[1:], "mcp", str(self.folder)], env=self.environ
        )
        who = Implementation(name="assistant", version="1")
        async with stdio_client(shim) as ends, ClientSession(*ends, client_info=who) as session:
            await session.initialize()
            answer = await session.call_tool(name, arguments)
        text = "".join(each.text for each in answer.content if each.type == "text")
        return text, answer.structured_content or {}


def at_terminal(argv: list[str], folder: Path, environ: dict[str, str]) -> str:
    """What a command prints on a terminal of its own."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(argv, cwd=folder, env=environ, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        said = b"".join(iter(lambda: _read(ours), b""))
        running.wait(_SECONDS)
    os.close(ours)
    return _COLOUR.sub("", said.decode().replace("\r\n", "\n"))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


@contextmanager
def served() -> Iterator[Stage]:
    """The sample project while `workroom serve` runs."""
    base = Path(tempfile.mkdtemp(prefix="wr-"))
    stage = Stage(base)
    argv = [*WORKROOM, "serve", str(stage.folder)]
    try:
        with subprocess.Popen(argv, cwd=base, env=stage.environ, stdout=subprocess.PIPE, text=True) as server:
            stage.tell("person", "workroom serve ~/recipes", first_line(server))
            try:
                yield stage
            finally:
                server.terminate()
    finally:
        shutil.rmtree(base)


def first_line(server: subprocess.Popen[str]) -> str:
    return server.stdout.readline() if server.stdout else ""


def play() -> tuple[Scene, ...]:
    """The whole scene; each step is the one that a reader would take."""
    with served() as stage:
        stage.person("workroom", "mode", "manual")
        answer = stage.agent("workspace_edit", EDIT)
        stage.person("workroom", "show")
        stage.person("workroom", "accept")
        resume = answer["data"]["approval"]["resume"]
        stage.agent(resume["tool"], resume["arguments"], brief=False)
        stage.person("git", "status", "--short")
        stage.person("workroom", "log", brief=False)
        stage.person("workroom", "undo", "--yes")
        stage.person("git", "status", "--short")
        return tuple(stage.scenes)


def masked(text: str) -> str:
    """A transcript without what differs from run to run: ids, times, and the widths of columns that follow them."""
    return " ".join(_VARYING.sub("*", text).split())


def stored(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return text.partition(BEGIN)[2].partition(END)[0]


def store(path: Path, transcript: str) -> None:
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    path.write_text(before + BEGIN + transcript + END + rest.partition(END)[2], encoding="utf-8")


def main(arguments: list[str]) -> int:
    scenes = play()
    made = {
        PAGE: "\n".join(scene.text for scene in scenes),
        README: "\n".join(scene.text for scene in scenes if scene.brief),
    }
    stale = [path for path, transcript in made.items() if masked(stored(path)) != masked(transcript)]
    for path in stale:
        if "--check" not in arguments:
            store(path, made[path])
        print(f"{path.name}: the transcript {'is out of date' if '--check' in arguments else 'is made anew'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
