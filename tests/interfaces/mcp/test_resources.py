"""Resources: what is listed, what each reads, and that nothing else can be read."""

from __future__ import annotations

import base64

import pytest
from tests.pictures import png

from workroom.base.actor import Actor
from workroom.base.events import ApprovalDecided, Committed, ModeChanged, PlanChanged, SettingsChanged
from workroom.base.settings import Settings
from workroom.interfaces.mcp.eras import RESOURCE_NOT_FOUND
from workroom.interfaces.mcp.jsonrpc import RpcError
from workroom.interfaces.mcp.resources import TEMPLATES, is_ours, listed, read, touched
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

CREATE = {"type": "create", "path": "a.txt", "content": "hello\n"}


@pytest.fixture
def caller(house):
    return Call(house.workspace, Actor("agent", "tester", "session_1"))


def text_of(caller, uri):
    (contents,) = read(caller, {"uri": uri})["contents"]
    assert contents["uri"] == uri
    return contents["text"]


def uris(caller):
    return [row["uri"] for row in listed(caller, {})["resources"]]


def refused(caller, uri):
    with pytest.raises(RpcError) as error:
        read(caller, {"uri": uri})
    return error.value.code


def test_a_picture_among_the_artifacts_is_read_as_what_it_is(caller, house):
    house.write(".agentic/artifacts/a.png", png(6, 4))
    (contents,) = read(caller, {"uri": "workroom://artifacts/a.png"})["contents"]
    assert contents["mimeType"] == "image/png"
    assert base64.b64decode(contents["blob"]) == png(6, 4)


def test_a_notebook_among_the_artifacts_is_read_as_it_stands(caller, house):
    text = '{"cells": [{"cell_type": "code", "source": "a = 1"}]}\n'
    house.write(".agentic/artifacts/n.ipynb", text)
    assert text_of(caller, "workroom://artifacts/n.ipynb") == text


def test_an_empty_folder_has_what_always_is_there(caller):
    assert uris(caller) == ["workroom://changes"]
    assert "0 entries" in text_of(caller, "workroom://changes")


def test_entries_are_listed_newest_first_and_read_with_their_diff(caller, house):
    house.edit(CREATE)
    house.edit({"type": "rewrite", "path": "a.txt", "content": "bye\n"})
    assert uris(caller)[-2:] == ["workroom://history/2", "workroom://history/1"]
    assert "-hello\n+bye" in text_of(caller, "workroom://history/2")
    assert refused(caller, "workroom://history/3") == RESOURCE_NOT_FOUND


def test_the_open_plan_is_a_resource(caller, house):
    house.settings = Settings(mode="plan")
    assert "workroom://plan/current" not in uris(caller)
    plan = {"action": "propose", "title": "Tidy", "objective": "Less.", "steps": ["one"]}
    call(caller, "workspace_plan", plan)
    assert "workroom://plan/current" in uris(caller)
    (contents,) = read(caller, {"uri": "workroom://plan/current"})["contents"]
    assert contents["mimeType"] == "text/markdown"
    assert "Tidy" in contents["text"]
    house.settings = Settings(mode="auto")
    assert refused(caller, "workroom://plan/current") == RESOURCE_NOT_FOUND


def test_what_an_answer_left_out_is_read_whole(caller, house):
    house.settings = Settings(mode="auto", max_tool_result_chars=2_000)
    house.write("long.txt", ("x" * 60 + "\n") * 1_000)
    diff = {"type": "rewrite", "path": "long.txt", "content": ("y" * 60 + "\n") * 1_000}
    answer = call(caller, "workspace_edit", {"action": "preview", "operations": [diff]})
    (artifact,) = [one for one in answer.artifacts if one.path.startswith(".agentic/artifacts/")]
    name = artifact.path.removeprefix(".agentic/artifacts/")
    rows = {row["uri"]: row for row in listed(caller, {})["resources"]}
    row = rows[f"workroom://artifacts/{name}"]
    assert (row["size"], row["mimeType"]) == (artifact.bytes, "text/plain")
    assert text_of(caller, row["uri"]).encode() == house.read(artifact.path)


def test_a_name_of_any_bytes_is_carried_by_its_uri(caller, house):
    house.write(".agentic/artifacts/a b/ü%.txt", "there")
    (uri,) = [uri for uri in uris(caller) if "artifacts" in uri]
    assert uri == "workroom://artifacts/a%20b/%C3%BC%25.txt"
    assert text_of(caller, uri) == "there"


def test_what_is_too_long_is_cut_and_says_so(caller, house):
    house.write(".agentic/artifacts/huge.txt", ("z" * 99 + "\n") * 20_000)
    (contents,) = read(caller, {"uri": "workroom://artifacts/huge.txt"})["contents"]
    assert len(contents["text"]) < 1_000_001
    assert contents["_meta"] == {"workroom/truncated": True}


@pytest.mark.parametrize(
    "uri",
    [
        "workroom://artifacts/../secret.txt",
        "workroom://artifacts/%2e%2e/%2e%2e/secret.txt",
        "workroom://artifacts/..%2fsecret.txt",
        "workroom://artifacts//etc/passwd",
        "workroom://artifacts/x/./y",
        "workroom://artifacts/",
        "workroom://artifacts/a%00b",
        "workroom://artifacts/" + "a" * 5_000,
        "workroom://artifacts/é",
        "workroom://history/0",
        "workroom://history/-1",
        "workroom://history/1e3",
        "workroom://history/" + "9" * 30,
        "workroom://history/٣",
        "workroom://changes/",
        "workroom://plan/other",
        "file:///etc/passwd",
        "",
    ],
)
def test_what_is_no_resource_can_be_neither_read_nor_subscribed_to(caller, house, uri):
    house.write("secret.txt", "secret")
    assert not is_ours(uri)
    assert refused(caller, uri) == RESOURCE_NOT_FOUND


def test_a_link_leads_to_nothing_outside(caller, house, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    house.write(".agentic/artifacts/real.txt", "real")
    (house.folder / ".agentic/artifacts/link.txt").symlink_to(tmp_path / "secret.txt")
    assert uris(caller) == ["workroom://changes", "workroom://artifacts/real.txt"]
    assert refused(caller, "workroom://artifacts/link.txt") == RESOURCE_NOT_FOUND


def test_what_is_no_text_is_refused(caller, house):
    house.write(".agentic/artifacts/x.bin", b"\0\1\2\3" * 100)
    assert refused(caller, "workroom://artifacts/x.bin") == -32602


@pytest.mark.parametrize("uri", [None, 7, []])
def test_a_uri_is_a_string(caller, uri):
    assert refused(caller, uri) == -32602


def test_a_list_goes_on_where_a_page_ended(caller, house):
    for number in range(60):
        house.edit({"type": "create", "path": f"{number}.txt", "content": "x\n"})
    first = listed(caller, {})
    second = listed(caller, {"cursor": first["nextCursor"]})
    rows = [row["uri"] for row in first["resources"] + second["resources"]]
    assert (len(first["resources"]), "nextCursor" in second) == (50, False)
    assert rows == ["workroom://changes", *(f"workroom://history/{n}" for n in range(60, 0, -1))]
    with pytest.raises(RpcError) as wrong:
        listed(caller, {"cursor": "nonsense"})
    assert wrong.value.code == -32602


def test_what_an_event_touches():
    def seen(event):
        changed, touches = touched(event)
        uris = ("workroom://changes", "workroom://plan/current", "workroom://history/1")
        return changed, [uri for uri in uris if touches(uri)]

    commit = Committed(2, "tx_1", (), 0, "tester", "edit")
    undo = Committed(3, "tx_2", (), 0, "tester", "rollback")
    assert seen(commit) == (True, ["workroom://changes"])
    assert seen(undo) == (True, ["workroom://changes", "workroom://history/1"])
    assert seen(PlanChanged("plan_1", "pending")) == (True, ["workroom://changes", "workroom://plan/current"])
    assert seen(ModeChanged("auto")) == (True, ["workroom://plan/current"])
    assert seen(ApprovalDecided("approval_1", "transaction", "denied")) == (False, ["workroom://changes"])
    assert seen(SettingsChanged(("mode",))) == (False, [])


def test_templates_are_of_what_can_be_read():
    for template in TEMPLATES:
        filled = template["uriTemplate"].replace("{number}", "1").replace("{+path}", "a/b.txt")
        assert is_ours(filled)
