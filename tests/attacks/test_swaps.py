"""A folder and a link that leads out, swapped by another program as fast as it can, while everything is tried.

python tests/attacks/test_swaps.py [ROUNDS]     many more rounds than the tests take (`make race`)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conftest import House
from tests.race.room import program, swaps

from workroom.base.actor import Actor
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

SECRET = "marker outside the workspace"
SWAPS = 100_000
ROUNDS = 12
LOOKS = (
    {"action": "read", "path": "{}/x"},
    {"action": "read", "path": "{}/name-outside"},
    {"action": "stat", "path": "{}/x"},
    {"action": "list", "path": "{}"},
    {"action": "list", "path": ".", "recursive": True},
    {"action": "overview", "path": "{}"},
    {"action": "search", "path": "{}", "query": "marker"},
    {"action": "search", "path": ".", "query": "marker", "output": "counts", "include_ignored": True},
    {"action": "find", "path": "{}", "query": "outside"},
)
EDITS = (
    [{"type": "rewrite", "path": "{}/x", "content": "written {}\n"}],
    [{"type": "create", "path": "{}/made", "content": "made {}\n", "overwrite": True}],
    [{"type": "create", "path": "{}/sub/deep/made", "content": "made {}\n", "overwrite": True}],
    [{"type": "mkdir", "path": "{}/folder"}, {"type": "delete", "path": "{}/folder"}],
    [
        {"type": "copy", "from": "{}/x", "to": "got"},
        {"type": "copy", "from": "{}/x", "to": "{}/twin", "overwrite": True},
    ],
    [{"type": "move", "from": "{}/made", "to": "{}/moved", "overwrite": True}],
    [{"type": "delete", "path": "{}/name-outside"}],
    [{"type": "delete", "path": "{}/sub", "recursive": True}],
    [{"type": "delete", "path": "got", "ignore_missing": True}, {"type": "mkdir", "path": "{}/sub"}],
    [
        {
            "type": "patch",
            "patch": "--- a/{}/name-outside\n+++ b/{}/name-outside\n@@ -1 +1 @@\n-marker outside the workspace\n+x\n",
        }
    ],
)


class Scene:
    """A folder `deep/real` in a repository, a link `deep/link` to a folder outside, and an agent that tries all."""

    def __init__(self, work: Path) -> None:
        self.outside = work / "outside"
        (self.outside / "sub").mkdir(parents=True)
        for name in ("x", "name-outside", "sub/y"):
            (self.outside / name).write_text(SECRET)
        folder = work / "ws"
        (folder / "deep/real/sub").mkdir(parents=True)
        (folder / "deep/real/x").write_text("inside\n")
        (folder / "deep/link").symlink_to(self.outside)
        git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t"]
        for arguments in (["init", "-q"], ["add", "deep/real"], ["commit", "-q", "-m", "x"]):
            subprocess.run([*git, *arguments], check=True)
        self.before = self.tree()
        self.house = House(folder, work / "state")
        self.house.open()
        self.caller = Call(self.house.workspace, Actor("agent", "evil", "session_1"))
        self.tried = self.done = 0

    def tree(self) -> dict[str, object]:
        """All of outside: a file that was read only is the same, one that was written isn't, even if put back."""
        paths = [self.outside, *self.outside.rglob("*")]
        return {str(path): (info.st_mtime_ns, info.st_ino, info.st_mode) for path in paths if (info := path.lstat())}

    def round(self) -> None:
        for name in ("deep/real", "deep/link"):
            for look in LOOKS:
                self.call("workspace_inspect", look, name)
            for operations in EDITS:
                self.call("workspace_edit", {"action": "apply", "operations": operations}, name)

    def call(self, tool: str, fields: object, name: str) -> None:
        self.tried += 1
        filled = json.loads(json.dumps(fields).replace("{}/", f"{name}/").replace('"{}"', f'"{name}"'))
        filled = json.loads(json.dumps(filled).replace("{}", str(self.tried)))
        answer = call(self.caller, tool, filled)
        told = (json.dumps(answer.to_json()) + answer.text).replace(json.dumps(filled)[1:-1], "")
        assert SECRET not in told, (filled, told)
        assert not answer.ok or "name-outside" not in json.dumps(answer.data.get("entries", [])), (filled, told)
        assert answer.ok or answer.to_json()["error"]["code"] not in {"INTERNAL", "IO_ERROR"}, (filled, told)
        self.done += answer.ok

    def run(self, rounds: int) -> int:
        """So many rounds, and at least 100,000 swaps; answers how many swaps there were."""
        log = self.outside.parent / "swaps"
        with program("swap", self.house.folder, "s", log, "deep/real", "deep/link"):
            while rounds > 0 or swaps(log) < SWAPS:
                self.round()
                rounds -= 1
        self.house.close()
        assert self.tree() == self.before
        assert os.listdir(self.house.folder / ".agentic/stage") == []
        return swaps(log)


def test_p14_a_folder_swapped_for_a_link_a_hundred_thousand_times(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("swapping takes Linux")
    scene = Scene(tmp_path)
    assert scene.run(ROUNDS) >= SWAPS
    assert 0 < scene.done < scene.tried  # both were met


def main(rounds: str = "2700") -> None:
    with tempfile.TemporaryDirectory(prefix="workroom-swaps-") as name:
        scene = Scene(Path(name))
        count = scene.run(int(rounds))
        sys.stdout.write(f"{scene.tried:,} calls ({scene.done:,} done) during {count:,} swaps; 0 escapes\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
