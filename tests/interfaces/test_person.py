"""The person's side of the socket, from asking to undoing."""

from __future__ import annotations

import pytest
from tests.pictures import png


def stage(client, name="a.txt", content="hello\n"):
    """An edit that waits; its approval's id."""
    operations = [{"type": "create", "path": name, "content": content}]
    answer = client.call("workspace_edit", action="apply", title="Say hello", operations=operations)
    return answer["structuredContent"]["data"]["approval"]["id"]


@pytest.fixture
def both(guest):
    """An agent and the person in one folder, in manual mode."""
    client, person = guest.agent(), guest.person(guest.folder)
    person.get("mode", mode="manual")
    return client, person


def test_an_edit_is_shown_accepted_logged_and_undone(guest, both):
    client, person = both
    approval = stage(client)
    (row,) = person.get("pending")["pending"]
    assert (row["id"], row["asker"]) == (approval, "tester")
    shown = person.get("show", id=approval)
    assert "+hello" in shown["body"]
    assert shown["text"]
    done = person.get("accept", words=f"{approval} fine")
    assert done["approval"]["status"] == "consumed"
    assert done["approval"]["note"] == "fine"
    assert done["envelope"]["ok"] is True
    assert (guest.folder / "a.txt").read_text() == "hello\n"
    (entry,) = person.get("log")["entries"]
    assert entry["paths"] == ["a.txt"]
    assert entry["actor"] == {"kind": "agent", "name": "tester"}
    preview = person.get("undo", preview=True)
    assert preview["paths"] == ["a.txt"]
    undone = person.get("undo", fingerprint=preview["fingerprint"])["entry"]
    assert undone["undoes"] == entry["number"]
    assert undone["actor"]["kind"] == "person"
    assert not (guest.folder / "a.txt").exists()


def test_a_denial_is_told_to_the_agent(both):
    client, person = both
    stage(client)
    assert person.get("deny", words="not now")["approval"]["status"] == "denied"
    operations = [{"type": "create", "path": "a.txt", "content": "hello\n"}]
    again = client.call("workspace_edit", action="apply", title="Say hello", operations=operations)
    assert again["structuredContent"]["error"]["code"] == "APPROVAL_DENIED"
    assert "not now" in again["content"][0]["text"]


def test_holding_approves_without_running(guest, both):
    client, person = both
    stage(client)
    held = person.get("accept", hold=True)
    assert held["approval"]["status"] == "approved"
    assert "envelope" not in held
    assert not (guest.folder / "a.txt").exists()


def test_settings_are_read_and_written(both):
    _, person = both
    names = [one["name"] for one in person.get("settings.list")["settings"]]
    assert {"mode", "destructive_edits"} <= set(names)
    assert person.get("settings.set", key="allowDestructiveEdits", value=True)["value"] == "allow"
    assert person.get("settings.get", key="destructive_edits")["source"] == "workspace"
    assert person.get("settings.unset", key="destructive_edits")["source"] == "default"
    assert person.ask("settings.set", key="mode", value="whatever")["error"]["code"] == "INVALID_INPUT"


def test_wrong_settings_are_told_and_can_be_set_right(room):
    room.agent()
    (room.state / "settings.toml").write_text('mode = "whatever"\n')
    (row,) = room.person(room.folder).get("status")["workspaces"]
    assert row["mode"] is None
    assert "mode" in row["error"]
    room.person(room.folder).get("settings.set", key="mode", value="manual", user=True)
    assert room.person(room.folder).get("mode")["mode"] == "manual"


def test_events_are_followed_from_a_number(both):
    client, person = both
    start = person.get("events")["since"]
    approval = stage(client)
    event = person.receive()["event"]
    assert (event["type"], event["approval_id"]) == ("approval_staged", approval)
    assert event["number"] == start + 1
    person.ask("events", since=start)
    assert person.receive()["event"] == event


def test_folders_are_opened_and_closed(guest):
    other = guest.folder.parent / "other"
    other.mkdir()
    person = guest.person()
    assert person.get("open", path=str(other))["path"] == str(other)
    assert str(other) in [row["path"] for row in person.get("status")["workspaces"]]
    assert person.ask("open", path=str(other), adopt=str(guest.folder))["error"]["code"] == "TRANSACTION_STATE"
    assert person.get("close", path=str(other)) == {"closed": True}
    assert person.get("close", path=str(other)) == {"closed": False}
    assert str(other) in person.get("status")["known"]


def test_a_closed_folder_is_opened_again_for_its_agent(guest, both):
    client, person = both
    guest.person().get("close", path=str(guest.folder))
    assert client.call("workspace_inspect", action="list")["isError"] is False
    with pytest.raises(EOFError):
        person.receive()


def test_closing_ones_own_folder_is_answered(guest):
    person = guest.person(guest.folder)
    assert person.get("close", path=str(guest.folder)) == {"closed": True}
    with pytest.raises(EOFError):
        person.receive()


def test_a_person_stands_somewhere_in_a_workspace(guest, both, tmp_path):
    del both
    deep = guest.folder / "a" / "b"
    deep.mkdir(parents=True)
    assert guest.person(deep, open=False).get("pending") == {"pending": []}
    with pytest.raises(Exception, match="not in a workspace"):
        guest.person(tmp_path, open=False)


@pytest.mark.parametrize(
    "line", [b"garbage\n", b"7\n", b"{}\n", b'{"id": 1, "method": 7}\n', b'{"id": 1, "method": "x", "params": [1]}\n']
)
def test_what_is_no_request_is_answered(guest, line):
    person = guest.person()
    person.connection.sendall(line)
    assert person.receive()["error"]["code"] == "INVALID_INPUT"
    assert person.get("status")["server"]["version"]


def test_what_cannot_be_done_is_told(guest):
    person = guest.person()
    for method, params in (("nothing", {}), ("pending", {}), ("open", {"path": "relative"}), ("log", {"limit": 0})):
        error = person.ask(method, **params)["error"]
        assert error["code"] == "INVALID_INPUT", method
    assert person.ask("status", extra=1)["error"]["code"] == "INVALID_INPUT"


def test_the_person_calls_the_tools_that_agents_have(guest):
    person = guest.person(guest.folder)
    (guest.folder / "a.png").write_bytes(png(6, 4))
    pictures = person.get("tool", name="workspace_inspect", arguments={"action": "read", "path": "a.png"})["pictures"]
    assert [each["mimeType"] for each in pictures] == ["image/png"]
    assert person.get("tool", name="editor_diff", arguments={"before": "a\n", "after": "b\n"})["added"] == 1
    done = person.get("tool", name="workspace_edit", arguments={"action": "apply", "operations": [
        {"type": "create", "path": "p.txt", "content": "mine\n"},
    ]})  # fmt: skip
    assert (done["ok"], done["data"]["status"]) == (True, "applied")
    assert (guest.folder / "p.txt").read_text() == "mine\n"
    (entry,) = person.get("log")["entries"]
    assert entry["actor"]["kind"] == "person"
    error = person.ask("tool", name="workspace_inspect", arguments={"action": "read", "path": "q.txt"})["error"]
    assert error["code"] == "NOT_FOUND"
    assert error["next_step"] == "Did you mean p.txt?"
    assert person.ask("tool", name="nothing")["error"]["code"] == "NOT_FOUND"
