"""`workroom token`: made once, listed without itself, taken back."""

from __future__ import annotations

import re

import pytest


@pytest.fixture(autouse=True)
def _nobody(program):
    """The module's tests share a server; each begins without clients."""
    for client in program.ask_server("clients.list")["clients"]:
        program.ask_server("clients.revoke", name=client["id"])


def test_a_token_is_made_listed_and_taken_back(program):
    made = program.run("token", "create", "ci", "--expires", "12h")
    assert re.fullmatch(r"wrt_[0-9a-f]{64}\n", made.out), "in a pipe the token alone"
    assert str(program.folder) in made.err
    token = made.out.strip()
    listed = program.run("token")
    assert listed.code == 0
    name, shown, profile, until, folders = listed.out.strip().split("\t")
    assert (name, shown, profile, folders) == ("ci", f"{token[:12]}…", "workspace", str(program.folder))
    assert until.endswith("Z")
    assert token not in listed.out
    assert token not in program.run("token", "list", "--json").out
    revoked = program.run("token", "revoke", token[:12])
    assert (revoked.code, revoked.out) == (0, "Revoked: ci\n")
    assert program.run("token", "list").code == 3


def test_a_token_for_several_folders(program, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    made = program.run("token", "create", "ci", "--folder", ".", "--folder", str(other), "--json").json
    assert [one["path"] for one in made["client"]["workspaces"]] == [str(program.folder), str(other)]
    assert made["client"]["expiresAt"] is None
    assert made["token"].startswith(made["client"]["token"])
    other.rename(tmp_path / "away")
    assert "(gone: " in program.run("token").out


@pytest.mark.parametrize("time", ["", "12", "h", "-1d", "0d", "1.5h", "12 h", "9999999w"])
def test_a_time_that_is_none_is_a_wrong_command_line(program, time):
    assert program.run("token", "create", "ci", f"--expires={time}").code == 2


def test_what_makes_no_token_is_refused_in_words(program):
    assert program.run("token", "create", "ci").code == 0
    again = program.run("token", "create", "ci")
    assert (again.code, again.out) == (1, "")
    assert "There is a client ci already" in again.err
    assert "profile" in program.run("token", "create", "other", "--profile", "files").err
    assert program.run("token", "create", "no such/name").code == 1
    assert program.run("token", "revoke", "nobody").code == 1
