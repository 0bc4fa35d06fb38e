"""What the doctor finds, on real folders that are well or not."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

from workroom.server import doctor
from workroom.server.doctor import examine
from workroom.system.root import Root
from workroom.system.state import StateDirectory


@pytest.fixture
def state(tmp_path: Path) -> StateDirectory:
    return StateDirectory(tmp_path / "state")


def found(state: StateDirectory, folder: Path | None = None) -> dict[str, tuple[str, str, str]]:
    findings = examine(state, None if folder is None else str(folder))
    assert all(finding.mend for finding in findings if finding.level != "fine"), "each fault has its remedy"
    return {finding.name: (finding.level, finding.found, finding.mend) for finding in findings}


def test_a_machine_that_is_well_is_said_to_be(state, folder):
    before = sorted(os.listdir(folder))
    rows = found(state, folder)
    assert {name for name, row in rows.items() if row[0] == "broken"} == set()
    assert {"system", "searching", "git", "state directory", "folder", "paths", "replacing", "other writers"} <= set(
        rows
    )
    assert sorted(os.listdir(folder)) == before, "nothing is left behind"
    assert not (state.path / "bindings.json").exists(), "and no workspace was made"
    finding = examine(state, None)[0]
    assert finding.to_json() == {"name": "system", "level": "fine", "found": finding.found, "mend": ""}


def test_a_state_directory_that_others_can_write_is_broken(state):
    state.make()
    os.chmod(state.path, 0o777)
    level, words, mend = found(state)["state directory"]
    assert level == "broken"
    assert str(state.path) in words
    assert mend


def test_a_state_directory_in_memory_is_weaker(tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"1 1 0:1 / {tmp_path} rw - tmpfs tmpfs rw\n")
    level, words, _ = found(StateDirectory(tmp_path / "state", mounts=mounts))["state directory"]
    assert level == "weaker"
    assert "restart" in words


def test_settings_that_cannot_be_read_are_broken(state):
    state.make()
    state.settings_file.write_text('mode = "mannual"\n')
    level, words, mend = found(state)["settings"]
    assert level == "broken"
    assert "mode" in words
    assert "settings" in mend


def test_a_damaged_store_is_told_with_its_folder(state, folder):
    state.make()
    info = folder.stat()
    store = state.bind(str(folder), info.st_dev, info.st_ino)
    store.mkdir(parents=True, exist_ok=True)
    (store / "workspace.db").write_bytes(b"scribbled over" * 1_000)
    rows = found(state, folder)
    level, words, _ = rows[f"store of {folder}"]
    assert level == "broken"
    assert store.name in words
    assert rows["settings of the folder"][0] == "fine"


def test_a_folder_that_is_not_there_is_broken(state, folder):
    level, words, _ = found(state, folder / "none")["folder"]
    assert level == "broken"
    assert "none" in words


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to mount")
def test_a_full_disk_and_a_weak_file_system_are_told(state, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=True)
    try:
        level, words, mend = found(state, disk)["room in the folder"]
        assert level == "broken"
        assert "none is left half done" in words
        assert mend == "Make room."
        subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
        assert found(state, disk)["room in the folder"][0] == "weaker"
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert found(state, disk)["writing"][0] == "broken"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_what_the_platform_lacks_is_told_with_what_helps(state, folder, monkeypatch):
    lacking = {"confinement": "walk", "confinement_reason": "slower", "atomic_replace": "rename",
               "atomic_replace_reason": "weaker replace", "lease": "no leases"}  # fmt: skip
    monkeypatch.setattr(Root, "capabilities", lambda _root: lacking)
    monkeypatch.setattr(doctor.text, "search_confinement", lambda: "can leak")
    monkeypatch.setattr(doctor, "find_program", lambda _name: None)
    rows = found(state, folder)
    for name in ("paths", "replacing", "other writers", "searching", "git"):
        assert rows[name][0] == "weaker", name
    assert rows["other writers"][1] == "no leases"


def test_too_few_descriptors_are_told(state):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        assert found(state)["open files"][0] == "weaker"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
