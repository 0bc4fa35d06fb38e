"""editor_buffers_list and editor_buffers_close."""

from __future__ import annotations

from tests.tools.editor.conftest import ANN, OTHER

from workroom.person import calls


def test_the_list_tells_whose_each_buffer_is(house, ask):
    house.write("a.py", "x\n")
    house.write("b.py", "y\n")
    ask("open", path="a.py", who=OTHER)
    ask("open", path="b.py")
    listed = ask("buffers_list")
    assert listed["root"] == str(house.folder)
    assert [(row["path"], row["owner"], row["owner_kind"], row["mine"]) for row in listed["buffers"]] == [
        ("b.py", "tester", "agent", True), ("a.py", "other", "agent", False),
    ]  # fmt: skip
    assert "a.py (other)" in ask("buffers_list", whole=True).text


def test_an_agent_closes_only_its_own(house, ask):
    house.write("a.py", "x\n")
    ask("open", path="a.py", who=OTHER)
    closed = ask("buffers_close", path="a.py")
    assert (closed["closed"], len(closed["buffers"])) == (False, 1)
    ask("open", path="a.py")
    closed = ask("buffers_close", path="./a.py")
    assert (closed["closed"], [row["owner"] for row in closed["buffers"]]) == (True, ["other"])
    assert house.read("a.py") == b"x\n"


def test_the_person_closes_their_own_then_what_agents_left(house, ask):
    def do(tool, **raw):
        return calls.call(ANN, house.workspace, f"editor_{tool}", raw, session="tab").shown()

    house.write("a.py", "x\n")
    ask("open", path="a.py", who=OTHER)
    do("open", path="a.py")
    assert [row["owner"] for row in do("buffers_close", path="a.py")["buffers"]] == ["other"]
    assert do("buffers_close", path="a.py")["buffers"] == []
    assert do("buffers_close", path="a.py")["closed"] is False
