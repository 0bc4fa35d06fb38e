from __future__ import annotations

import os
import resource
import sqlite3

from workroom.system.machine import check_database, descriptors, free_bytes, system_name


def test_what_the_machine_says_of_itself(tmp_path):
    assert system_name().startswith(os.uname().sysname)
    assert descriptors() == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    found = os.statvfs(tmp_path)
    assert abs(free_bytes(str(tmp_path)) - found.f_bavail * found.f_frsize) < 1 << 30


def test_a_sound_database_has_no_fault_and_a_damaged_one_has(tmp_path):
    file = tmp_path / "workspace.db"
    assert check_database(file) == "", "nothing is there"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE t (a TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 500,) for _ in range(200)])
    connection.close()
    assert check_database(file) == ""
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"\xff" * 4096 + whole[12288:])
    assert check_database(file) != ""
    assert check_database(file) != "ok"
    file.write_bytes(b"no database at all, though it has some length" * 100)
    assert "not a database" in check_database(file)
    file.unlink()
    file.mkdir()
    assert check_database(file) != ""
