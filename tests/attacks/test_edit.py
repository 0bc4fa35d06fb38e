"""Rows of the attack table that write, by the one road of every client. The outcome is looked at on the disk."""

from __future__ import annotations

import os

import pytest

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

AGENT = Actor("agent", "tester", "session_1")


@pytest.fixture
def edit(house):
    """Applies operations by the one road; answers the error's code, None when it went through."""

    def run(*operations, action="apply", **arguments):
        fields = {"action": action, **arguments}
        if operations:
            fields["operations"] = list(operations)
        answer = call(Call(house.workspace, AGENT), "workspace_edit", fields).to_json()
        return answer["error"]["code"] if not answer["ok"] else None

    return run


def create(path):
    return {"type": "create", "path": path, "content": "planted\n"}


def every_write(path):
    """Each operation that can write at a path."""
    return (
        create(path),
        {"type": "rewrite", "path": path, "content": "planted\n", "create_if_missing": True},
        {"type": "mkdir", "path": path},
        {"type": "copy", "from": "mine", "to": path},
        {"type": "move", "from": "mine", "to": path},
        {"type": "delete", "path": path, "ignore_missing": True, "recursive": True},
    )


def outside(house):
    folder = house.folder.parent / "outside"
    folder.mkdir()
    (folder / "secret").write_text("secret\n")
    return folder


def untouched(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} == {"secret": b"secret\n"}


def test_p01_sibling_with_the_roots_name_in_front(house, edit):
    house.write("mine", "x\n")
    evil = house.folder.parent / "ws-evil"
    evil.mkdir()
    for path in ("../ws-evil/x", str(evil / "x")):
        for operation in every_write(path):
            assert edit(operation) == "PATH_OUTSIDE_WORKSPACE", operation
        assert edit({"type": "copy", "from": path, "to": "got"}) == "PATH_OUTSIDE_WORKSPACE"
    assert list(evil.iterdir()) == []


def test_p02_paths_that_climb(house, edit):
    house.write("mine", "x\n")
    for path in ("../", "..", "a/../../x", f"../{house.folder.name}/../x"):
        for operation in every_write(path):
            assert edit(operation) in {"PATH_OUTSIDE_WORKSPACE", "INVALID_INPUT"}, operation
    assert sorted(p.name for p in house.folder.parent.iterdir()) == ["state", "ws"]


def test_p03_links_that_leave(house, edit):
    house.write("mine", "x\n")
    folder = outside(house)
    os.symlink(folder / "secret", house.folder / "link")
    os.symlink(f"../outside/../{house.folder.name}/mine", house.folder / "round")
    for path in ("link", "round"):
        assert edit({"type": "replace", "path": path, "search": "e", "replacement": "E"}) == "PATH_OUTSIDE_WORKSPACE"
        assert edit({"type": "copy", "from": path, "to": "got"}) == "PATH_OUTSIDE_WORKSPACE"
    assert untouched(folder)
    assert not (house.folder / "got").exists()


def test_p04_a_parent_that_is_a_link_outside_and_a_dangling_link(house, edit):
    house.write("mine", "x\n")
    folder = outside(house)
    os.symlink(folder, house.folder / "dir")
    os.symlink(folder / "absent", house.folder / "dangling")
    for path in ("dir/new", "dir/secret", "dir/deep/new"):
        for operation in every_write(path):
            assert edit(operation) == "PATH_OUTSIDE_WORKSPACE", operation
    assert edit(create("dangling")) == "PATH_OUTSIDE_WORKSPACE"
    patch = "--- /dev/null\n+++ b/dir/new\n@@ -0,0 +1 @@\n+x\n"
    assert edit({"type": "patch", "patch": patch}) == "PATH_OUTSIDE_WORKSPACE"
    assert untouched(folder)


def test_p05_paths_that_are_none(house, edit):
    house.write("mine", "x\n")
    before = house.tree()
    for path in ("a\0b", "", "x" * 4097, "/".join(["d"] * 2049), "bad\udcff"):
        for operation in every_write(path):
            assert edit(operation) == "INVALID_INPUT", operation
    assert house.tree() == before


def test_p06_a_file_with_a_slash_behind(house, edit):
    house.write("f", "x\n")
    os.symlink("f", house.folder / "link")
    before = house.tree()
    for path in ("f/", "f/.", "link/", "new/"):
        assert edit(create(path)) == "INVALID_INPUT"
        assert edit({"type": "rewrite", "path": path, "content": ""}) == "INVALID_INPUT"
    assert house.tree() == before


def test_p07_a_link_through_proc(house, edit):
    os.symlink("/proc/self/root/etc/passwd", house.folder / "link")
    os.symlink("/proc/self/cwd", house.folder / "dir")
    assert edit({"type": "copy", "from": "link", "to": "got"}) == "PATH_OUTSIDE_WORKSPACE"
    assert edit(create("dir/planted")) == "PATH_OUTSIDE_WORKSPACE"
    assert not os.path.exists("planted")


def test_p08_special_files_are_refused_and_never_hang(house, edit):
    os.mkfifo(house.folder / "pipe")
    for operation in (
        {"type": "replace", "path": "pipe", "search": "a", "replacement": "b"},
        {"type": "rewrite", "path": "pipe", "content": "x"},
        {"type": "copy", "from": "pipe", "to": "got"},
        {"type": "move", "from": "pipe", "to": "got"},
        {"type": "delete", "path": "pipe"},
    ):
        assert edit(operation) == "INVALID_INPUT", operation
    assert house.tree() == {"pipe": "special"}


def test_p09_a_second_hard_link_outside_is_left_as_it_is(house, edit):
    folder = outside(house)
    os.link(folder / "secret", house.folder / "f")
    assert edit({"type": "replace", "path": "f", "search": "secret", "replacement": "open"}) is None
    assert house.read("f") == b"open\n"
    assert untouched(folder)


PROTECTED = (".git/x", ".GIT/x", ".g\u200cit/x", ".git./x", ".git /x", "git~1/x", ".git::$INDEX_ALLOCATION",
             "sub/.git/config", ".agentic/MEMORY.md", ".AGENTIC/x", "\uff0egit/x")  # fmt: skip


@pytest.mark.parametrize("path", PROTECTED)
def test_p10_protected_names_in_disguise(house, edit, path):
    house.write("mine", "x\n")
    before = house.tree()
    for operation in every_write(path):
        assert edit(operation) == "PROTECTED_PATH", operation
    assert house.tree() == before


def test_p11_a_link_into_git_and_a_folder_moved_onto_it(house, edit):
    house.write(".git/config", "[core]\n")
    house.write("d/hooks/pre-commit", "#!/bin/sh\n")
    os.symlink(".git/config", house.folder / "ok")
    before = house.tree()
    assert edit(create("ok")) == "PROTECTED_PATH"
    assert edit({"type": "replace", "path": "ok", "search": "core", "replacement": "x"}) == "PROTECTED_PATH"
    assert edit({"type": "move", "from": "d", "to": ".git", "overwrite": True}) == "PROTECTED_PATH"
    assert edit({"type": "move", "from": ".git", "to": "away"}) == "PROTECTED_PATH"
    assert edit({"type": "delete", "path": ".git", "recursive": True}) == "PROTECTED_PATH"
    assert house.tree() == before


def test_p11_a_folder_that_holds_a_repository(house, edit):
    house.write("sub/.git/config", "[core]\n")
    house.write("sub/f", "x\n")
    before = house.tree()
    assert edit({"type": "move", "from": "sub", "to": "away"}) == "PROTECTED_PATH"
    assert edit({"type": "delete", "path": "sub", "recursive": True}) == "PROTECTED_PATH"
    assert edit({"type": "copy", "from": "sub", "to": "twin"}) == "PROTECTED_PATH"
    assert house.tree() == before


RUNS_CODE = (".vscode/settings.json", ".mcp.json", ".npmrc", ".envrc", ".github/workflows/ci.yml", "pkg/.npmrc",
             ".VSCODE/settings.json")  # fmt: skip


@pytest.mark.parametrize("path", RUNS_CODE)
@pytest.mark.parametrize("present", [False, True])
@pytest.mark.parametrize("mode", ["auto", "plan", "manual"])
def test_p12_what_can_run_code_is_asked_about_in_every_mode(house, path, present, mode):
    house.settings = Settings(mode=mode, destructive_edits="allow")
    if mode == "plan":
        approve_a_plan(house)
    if present:
        house.write(path, "old\n")
    operation = {"type": "rewrite", "path": path, "content": "new\n", "create_if_missing": True}
    fields = {"action": "apply", "operations": [operation]}
    answer = call(Call(house.workspace, AGENT), "workspace_edit", fields).to_json()
    assert answer["data"]["status"] == "pending_approval"
    assert answer["data"]["approval"]["asks"] == [f"{path} can run code"]
    assert not present or house.read(path) == b"old\n"
    assert present or not (house.folder / path).exists()


def approve_a_plan(house):
    """The person says yes to a plan, as the store keeps it."""
    caller = Call(house.workspace, AGENT)
    fields = {"action": "propose", "title": "t", "objective": "o", "steps": ["edit"]}
    plan = call(caller, "workspace_plan", fields).to_json()["data"]["planId"]
    house.workspace.approvals.approve(plan, "tester")


@pytest.mark.parametrize("path", ["CON", "con.txt", "d/NUL", "a:b", "x.", "x ", "C:\\x", "a\\b", "COM1.log"])
def test_p13_names_that_windows_cannot_keep(house, edit, path):
    house.write("mine", "x\n")
    for operation in every_write(path)[:-1]:
        assert edit(operation) == "INVALID_INPUT", operation
    assert house.tree() == {"mine": (b"x\n", 0o644)}


def test_p13_such_a_file_that_is_there_already_is_edited(house, edit):
    house.write("aux", "x\n")
    assert edit({"type": "replace", "path": "aux", "search": "x", "replacement": "y"}) is None
    assert house.read("aux") == b"y\n"


def test_c01_a_touched_file_is_edited_after_the_preview(house):
    house.write("a", "1\n")
    house.write("b", "2\n")
    caller = Call(house.workspace, AGENT)
    operations = [
        {"type": "replace", "path": "a", "search": "1", "replacement": "one"},
        {"type": "replace", "path": "b", "search": "2", "replacement": "two"},
        create("c"),
    ]
    fields = {"action": "preview", "operations": operations}
    planned = call(caller, "workspace_edit", fields).data["transactionId"]
    house.write("b", "2 and mine\n")
    answer = call(caller, "workspace_edit", {"action": "commit", "transaction_id": planned}).to_json()
    assert answer["error"]["code"] == "EDIT_CONFLICT"
    assert house.tree() == {"a": (b"1\n", 0o644), "b": (b"2 and mine\n", 0o644)}


def test_c08_what_an_edit_does_not_touch_is_kept(house, edit):
    latin = b"caf\xe9\r\nold\r\nno newline at the end \xff"
    target = house.write("latin", latin, 0o755)
    os.setxattr(target, "user.note", b"mine")
    house.write("bom", b"\xef\xbb\xbfone\r\nold\r\n", 0o600)
    house.write("wide", b"\xff\xfe" + "one\nold\n".encode("utf-16-le"))
    for path in ("latin", "bom", "wide"):
        assert edit({"type": "replace", "path": path, "search": "old", "replacement": "new"}) is None
    assert house.read("latin") == latin.replace(b"old", b"new")
    assert house.read("bom") == b"\xef\xbb\xbfone\r\nnew\r\n"
    assert house.read("wide") == b"\xff\xfe" + "one\nnew\n".encode("utf-16-le")
    assert os.getxattr(target, "user.note") == b"mine"
    assert [(house.folder / p).stat().st_mode & 0o777 for p in ("latin", "bom")] == [0o755, 0o600]
    assert edit({"type": "splice", "path": "latin", "start_line": 2, "delete_count": 1, "content": "x"}) is None
    assert house.read("latin") == latin.replace(b"old", b"x")


def test_c10_the_same_key_again_after_a_lost_reply(house):
    caller = Call(house.workspace, AGENT)
    house.write("f", "a\n")
    fields = {
        "action": "apply",
        "operations": [{"type": "replace", "path": "f", "search": "a", "replacement": "aa"}],
        "idempotency_key": "once",
    }
    first = call(caller, "workspace_edit", fields).to_json()
    for again in (call(caller, "workspace_edit", fields).to_json() for _ in range(3)):
        assert again["data"] == first["data"]
        assert again["ok"]
    house.reopen()
    again = call(Call(house.workspace, AGENT), "workspace_edit", fields).to_json()
    assert again["data"] == first["data"]
    assert house.read("f") == b"aa\n"
    assert len(house.tx.history()) == 1


def test_c13_git_clean_while_serving(house, edit):
    for number in range(3):
        assert edit(create(f"f{number}")) is None
    os.system(f"git -C '{house.folder}' init -q && git -C '{house.folder}' add f0 f1 f2")
    for number in range(3, 6):
        os.system(f"git -C '{house.folder}' clean -fdxq")
        assert not (house.folder / ".agentic").exists()
        assert edit(create(f"f{number}"), {"type": "rewrite", "path": "f0", "content": f"{number}\n"}) is None
        os.system(f"git -C '{house.folder}' add -A")
    os.system(f"git -C '{house.folder}' clean -fdxq")
    house.workspace.store.close()  # a crash: nothing is settled
    house.workspace.root.close()
    house.open()
    assert [entry.number for entry in house.tx.history()] == [6, 5, 4, 3, 2, 1]
    for entry in house.tx.history():
        house.undo(entry.transaction_id)
    assert {name for name in house.tree() if not name.startswith(".git")} == set()


def test_c14_a_cloned_folder_that_brings_its_own_state(house, edit):
    house.write("f", "x\n")
    house.settings = Settings(mode="manual")
    house.close()
    crafted = {
        "approvals/state.json": '{"records": [{"id": "approval_evil", "status": "approved", "kind": "transaction"}]}',
        "plans/plan_evil/plan.md": "# approved\n",
        "transactions/tx_evil/changes.diff": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+evil\n",
        "stage/tx_000000000001-1": "evil\n",
        "stage/tx_evil": "evil\n",
        "intents.json": "{}",
    }
    for path, content in crafted.items():
        house.write(f".agentic/{path}", content)
    house.open()
    assert house.read("f") == b"x\n"
    assert house.workspace.approvals.pending() == ()
    assert house.workspace.approvals.active_plan() is None
    assert house.tx.history() == []
    assert edit(action="commit", transaction_id="tx_evil") == "NOT_FOUND"
    caller = Call(house.workspace, AGENT)
    fields = {"action": "apply", "operations": [create("g")]}
    answer = call(caller, "workspace_edit", fields).to_json()
    assert answer["data"]["status"] == "pending_approval"
    assert not (house.folder / "g").exists()


def test_c14_the_state_folder_as_a_link_elsewhere(house, edit):
    folder = outside(house)
    house.close()
    os.system(f"rm -rf '{house.folder}/.agentic'")
    os.symlink(folder, house.folder / ".agentic")
    with pytest.raises(Exception, match="link"):
        house.open()
    assert untouched(folder)
