from __future__ import annotations


def test_doctor_looks_and_starts_nothing(program):
    program.run("stop")
    done = program.run("doctor")
    assert (done.code, done.err) == (0, "")
    assert f"ok      folder: {program.folder}" in done.out
    assert "server: None runs" in done.out
    assert program.run("status").code == 4, "no server was started"


def test_doctor_says_what_is_broken_and_ends_with_1(program):
    program.run("open")
    (program.state / "settings.toml").write_text("no_such = 1\n")
    try:
        done = program.run("doctor", "--json")
        assert done.code == 1
        assert not done.json["ok"]
        rows = {row["name"]: row for row in done.json["findings"]}
        assert rows["settings"]["level"] == "broken"
        assert "no_such" in rows["settings"]["found"]
        assert rows["server"]["level"] == "fine"
        said = program.run("doctor").out
        assert "BROKEN  settings:" in said
        assert "`workroom settings list`" in said, "and what helps"
    finally:
        (program.state / "settings.toml").unlink()


def test_doctor_tells_of_a_server_that_does_not_let_it_in(program):
    program.run("open")
    key = program.state / "person.key"
    kept = key.read_bytes()
    key.write_bytes(b"0" * 64)
    try:
        done = program.run("doctor")
        assert done.code == 1
        assert "BROKEN  server:" in done.out
    finally:
        key.write_bytes(kept)
