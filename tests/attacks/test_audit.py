"""Somebody at the state directory, without the key: each thing that can be done to the log is found.

The workspace is opened and closed as the server does it, and what is done is done to the files.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys

import apsw
import pytest
from tests.conftest import AGENT

from workroom.base.changes import Permit
from workroom.core.audit import Verdict
from workroom.core.transactions.operations import Create
from workroom.server.build import build_workspace, close_workspace
from workroom.system.state import StateDirectory


class Scene:
    """One state directory, and folders that are opened in it."""

    def __init__(self, path):
        self.path = path
        self.state = StateDirectory(path / "state")
        self.state.make()

    def work(self, name, *files):
        """Open the folder, make files in it one by one, and close it; answers what a look over its log found."""
        (self.path / name).mkdir(exist_ok=True)
        workspace = build_workspace(str(self.path / name), self.state)
        try:
            for file in files:
                planned = workspace.transactions.plan([Create(type="create", path=file, content="x\n")])
                workspace.transactions.commit(planned, Permit(planned.fingerprint, "test"), AGENT)
            return workspace.audit.verify()
        finally:
            close_workspace(workspace)

    def store(self, name):
        (found,) = [one.store for one in self.state.workspaces() if one.path == str(self.path / name)]
        return self.state.store_folder(found)

    def head(self, name):
        return self.state.audit_head(self.store(name).name)

    def database(self, name):
        return apsw.Connection(str(self.store(name) / "workspace.db"))


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path)
    assert made.work("ws", "a", "b", "c").good
    return made


def said(verdict: Verdict) -> str:
    return " ".join(fault.what for fault in verdict.faults)


def test_a_log_that_nobody_touched_is_whole_however_often_it_is_opened(scene):
    for _ in range(3):
        assert scene.work("ws", f"{_}").good


def test_a_backup_that_is_put_back_is_found(scene):
    shutil.copytree(scene.store("ws"), scene.path / "backup")
    scene.work("ws", "d")
    shutil.rmtree(scene.store("ws"))
    shutil.copytree(scene.path / "backup", scene.store("ws"))
    assert "or the database was set back to an earlier one" in said(scene.work("ws"))
    assert "or the database was set back to an earlier one" in said(scene.work("ws", "e"))


def test_another_folders_store_in_its_place_is_found(scene):
    scene.work("other", "a", "b", "c")
    mine, other = scene.store("ws"), scene.store("other")
    shutil.rmtree(mine)
    shutil.copytree(other, mine)
    assert "has no valid seal" in said(scene.work("ws"))
    shutil.copyfile(scene.head("other"), scene.head("ws"))
    assert "not of this key and store" in said(scene.work("ws"))


def test_a_whole_chain_that_is_made_anew_without_the_key_is_found(scene):
    """Every hash and every number is right; only the seals can't be made."""
    db = scene.database("ws")
    rows = [json.loads(row[0]) for row in db.execute("SELECT line FROM audit ORDER BY number")]
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    db.execute("DELETE FROM audit")
    before = "0" * 64
    for number, line in enumerate([row for row in rows if row["what"].get("entry") != 2], 1):
        line.update(number=number, previous=before)
        text = json.dumps(line, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256(text.encode()).hexdigest()
        db.execute("INSERT INTO audit VALUES (?, ?, ?, ?)", (number, text, before, before))
    db.execute("DELETE FROM entries WHERE number = 2")
    db.close()
    verdict = scene.work("ws")
    assert "has no valid seal" in said(verdict)


def test_a_head_made_from_a_seal_in_the_database_is_none(scene):
    """Who cuts the log off looks for a head that fits: a line's seal doesn't pass for one."""
    db = scene.database("ws")
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    db.execute("DELETE FROM audit WHERE number > 3; DELETE FROM entries WHERE number > 1")
    number, line_hash, seal = db.execute("SELECT number, hash, seal FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    db.close()
    scene.head("ws").write_text(json.dumps({"lines": number, "hash": line_hash, "mac": seal}))
    assert "not of this key and store" in said(scene.work("ws"))


def test_a_head_or_key_that_is_taken_away_is_found(scene):
    scene.head("ws").unlink()
    assert "the head was gone" in said(scene.work("ws"))
    (scene.state.path / "audit" / "key").unlink()
    assert "has no valid seal" in said(scene.work("ws"))


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.conftest import AGENT
from workroom.base.changes import Permit
from workroom.core.transactions.operations import Create
from workroom.server.build import build_workspace
from workroom.system.state import StateDirectory

state = StateDirectory(Path(sys.argv[1]))
workspace = build_workspace(sys.argv[2], state)
head = workspace.store.head
advance, left = head.advance, int(sys.argv[3])

def killed(*arguments):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    advance(*arguments)

head.advance = killed
for number in range(5):
    planned = workspace.transactions.plan([Create(type="create", path=f"k{number}", content="x")])
    workspace.transactions.commit(planned, Permit(planned.fingerprint, "test"), AGENT)
"""


@pytest.mark.parametrize("when", [1, 3])
def test_a_crash_between_a_commit_and_its_head_is_no_fault(scene, when):
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED, str(scene.state.path), str(scene.path / "ws"), str(when)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False,
    )  # fmt: skip
    assert ended.returncode == -signal.SIGKILL
    verdict = scene.work("ws")
    assert verdict.good, verdict.faults
    db = scene.database("ws")
    opened = [json.loads(row[0])["what"] for row in db.execute("SELECT line FROM audit ORDER BY number")][-1]
    db.close()
    assert opened["head"] == "behind"


def test_a_head_that_a_power_cut_left_old_is_no_fault(scene):
    """It is written without a sync: what a disk kept of it may be an older one."""
    kept = scene.head("ws").read_bytes()
    scene.work("ws", "d", "e")
    scene.head("ws").write_bytes(kept)
    assert scene.work("ws").good
