"""What a person is shown before they decide."""

import hashlib

import pytest

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.person.present import LONGEST_LINES, present, render_changes
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

AGENT = Actor("agent", "claude", "session-1")


@pytest.fixture
def shown(house):
    """What is shown of a call that was staged."""
    house.settings = Settings(mode="manual", destructive_edits="ask")

    def stage(*operations, tool="workspace_edit", actor=AGENT, **arguments):
        arguments = {"action": "apply", "operations": list(operations), **arguments} if operations else arguments
        call(Call(house.workspace, actor), tool, arguments)
        return present(house.workspace, house.workspace.approvals.pending()[0])

    return stage


def create(path="a.txt", content="one\n"):
    return {"type": "create", "path": path, "content": content}


def record(house, **more):
    fields = {
        "kind": "command", "title": "Run it", "destructive": False, "asks": (), "fingerprint": "f", "requests": (),
        "tool": "workspace_command", "arguments": {"action": "run", "executable": "ls"}, "preview": {}, "actor": AGENT,
        "profile": "workspace",
    }  # fmt: skip
    return house.workspace.approvals.stage(**{**fields, **more})


def test_the_diff_is_the_real_one(shown):
    seen = shown(create(), title="A harmless thing")
    assert "create a.txt (+1 -0; 0 -> 4 bytes)" in seen.body
    assert "+one" in seen.body
    assert seen.body in seen.text
    assert "A harmless thing" in seen.words
    assert "A harmless thing" not in seen.body
    assert (seen.flags, seen.obstacle) == ((), "")
    assert seen.sha256 == hashlib.sha256(seen.text.encode()).hexdigest()


def test_the_agents_words_come_last_and_marked(shown):
    seen = shown(create(), title="Approved already by Ann.\nWhat would be done:\nnothing")
    ours, _, words = seen.text.partition("In the agent's own words, which nobody checked:\n")
    assert "Approved already" not in ours
    assert all(line.startswith("> ") for line in words.rstrip("\n").split("\n"))


def test_the_views_in_the_folder_are_not_what_is_shown(shown, house):
    shown(create(content="evil\n"))
    for view in (house.folder / ".agentic/transactions").rglob("*.*"):
        view.write_text("nothing to see\n")
    assert "+evil" in present(house.workspace, house.workspace.approvals.pending()[0]).body


def test_facts_of_ours(shown, house):
    house.write("a.txt", "old\n")
    seen = shown(
        {"type": "delete", "path": "a.txt"}, {"type": "mkdir", "path": "docs"}, create(".npmrc"), create("Makefile"),
    )  # fmt: skip
    facts = "\n".join(seen.facts)
    assert seen.facts[0] == f"{seen.record.id}: transaction, pending"
    assert "asked by agent claude at 20" in facts
    assert "runs: workspace_edit commit" in facts
    assert "DESTRUCTIVE" in facts
    assert "destructive: delete a.txt" in facts
    assert "ASKED IN EVERY MODE: .npmrc can run code" in facts
    assert "note: Makefile can run code" in facts
    assert "mkdir folder docs" in seen.body
    assert all(fact in seen.text for fact in seen.facts)


def test_a_decision_is_told(shown, house):
    seen = shown(create())
    decided = house.workspace.approvals.deny(seen.record.id, "ann", "no thanks")
    assert "decided by ann: no thanks" in present(house.workspace, decided).facts


def test_the_wire_form(shown):
    seen = shown(create())
    body = seen.to_json()
    assert body.pop("title").startswith("Commit tx_")
    assert body == {
        "id": seen.record.id, "kind": "transaction", "status": "pending", "destructive": False,
        "facts": list(seen.facts), "body": seen.body, "words": seen.words, "flags": [], "obstacle": "",
        "hunks": [], "editable": True,
        "sha256": seen.sha256,
        "changes": [{"path": "a.txt", "shown": "a.txt", "origin": None, "change": "create", "folder": False,
                     "added": 1, "removed": 0, "before": 0, "after": 4}],
    }  # fmt: skip


def test_changes_tell_the_real_path_and_the_shown_one(shown, house):
    house.write("a.txt", "old\n")
    seen = shown({"type": "move", "from": "a.txt", "to": "b\u202e.txt"}, {"type": "mkdir", "path": "docs"})
    rows = {row["path"]: row for row in seen.to_json()["changes"]}
    assert (rows["b\u202e.txt"]["shown"], rows["b\u202e.txt"]["origin"]) == (r"b\u202e.txt", "a.txt")
    assert rows["docs"]["folder"]


def test_the_same_record_is_shown_the_same(shown, house):
    seen = shown(create())
    assert present(house.workspace, seen.record).sha256 == seen.sha256


@pytest.mark.parametrize(
    ("content", "escaped", "flag"),
    [
        ("\x1b[2J\n", "\\x1b[2J", "control characters"), ("a\rb\n", "a\\rb", "control characters"),
        ("\u202eevil\n", "\\u202eevil", "bidirectional controls"),
        ("\U000e0041\n", "\\U000e0041", "invisible characters"),
        ("x" + " " * 5000 + "rm -rf\n", "5000 blanks", "long run of blanks"),
    ],
)  # fmt: skip
def test_what_could_deceive_is_escaped_and_flagged(shown, content, escaped, flag):
    seen = shown(create(content=content))
    assert escaped in seen.body
    assert flag in seen.flags
    assert f"CAUTION, shown escaped: {flag}" in seen.text


def test_titles_and_names_are_escaped_too(shown):
    seen = shown(create(), title="ok\x1b[2J\u202e", actor=Actor("agent", "cl\x1baude", "s"))
    assert not set("\x1b\u202e") & set(seen.text + seen.title + seen.words + "".join(seen.facts))
    assert "bidirectional controls" in seen.flags


def test_a_name_that_deceives_is_flagged_though_all_else_is_harmless(shown):
    seen = shown(create("e\u202evil.txt"), title="A new file")
    assert "\u202e" not in seen.text
    assert seen.flags == ("bidirectional controls",)


def test_a_move_and_a_mode(shown, house):
    house.write("a.txt", "one\n")
    seen = shown({"type": "move", "from": "a.txt", "to": "b.txt"})
    assert "move a.txt -> b.txt" in seen.body
    assert "rename to b.txt" in seen.body


def test_a_rollback_is_shown_as_what_it_would_do(shown, house):
    house.write("a.txt", "one\n")
    entry = house.edit({"type": "rewrite", "path": "a.txt", "content": "two\n"})
    seen = shown(action="rollback", transaction_id=entry.transaction_id)
    assert "-two\n+one" in seen.body
    assert not seen.obstacle


def test_a_rollback_that_later_work_stands_against_cant_be_accepted(shown, house):
    entry = house.edit(create())
    seen = shown(action="rollback", transaction_id=entry.transaction_id)
    house.write("a.txt", "mine\n")
    again = present(house.workspace, seen.record)
    assert again.obstacle.startswith("It can't be shown")
    assert again.body == ""


def test_a_text_of_too_many_lines_or_characters_cant_be_accepted(shown):
    assert "too long" in shown(create(content="x\n" * LONGEST_LINES)).obstacle
    assert "too long" in shown(create("b.txt", content="x" * 1_000_000)).obstacle


def test_a_small_change_of_a_large_file_is_shown(shown, house):
    house.write("big.txt", "line\n" * 500_000 + "old\n")
    seen = shown({"type": "replace", "path": "big.txt", "search": "old", "replacement": "new"})
    assert "-old\n+new" in seen.body
    assert not seen.obstacle


def test_a_large_text_that_goes_cant_be_accepted(shown, house):
    house.write("big.txt", "line\n" * 500_000)
    assert "too long" in shown({"type": "delete", "path": "big.txt"}).obstacle


def test_a_large_file_whose_lines_only_moved_cant_be_accepted(shown, house):
    lines = [f"line {n}\n" for n in range(250_000)]
    house.write("big.txt", "".join(lines))
    seen = shown({"type": "rewrite", "path": "big.txt", "content": "".join(reversed(lines))})
    assert "too long to be read (500,000 lines;" in seen.obstacle
    assert "modify big.txt (+0 -0; " in seen.body
    assert "@@" not in seen.body


def test_changes_of_too_many_lines_are_only_listed(shown, house):
    seen = shown(create(content="x\n" * LONGEST_LINES), create("b.txt"))
    assert "too long to be read (20,001 lines;" in seen.obstacle
    assert seen.body == "create a.txt (+20000 -0; 0 -> 40000 bytes)\ncreate b.txt (+1 -0; 0 -> 4 bytes)\n"
    planned = house.tx.get(seen.record.arguments["transaction_id"]).planned
    assert "20,001 lines are removed or added, too many" in render_changes(house.workspace, planned)


def test_a_large_file_that_moves_is_told_by_its_names(shown, house):
    house.write("big.txt", "line\n" * 500_000)
    seen = shown({"type": "move", "from": "big.txt", "to": "b.txt"})
    assert "rename from big.txt" in seen.body
    assert not seen.obstacle


def test_files_too_large_to_be_compared(shown, house):
    house.write("huge.txt", (b"x" * 999 + b"\n") * 50_500)
    house.write("huge.bin", b"\0" * 50_500_000)
    assert "huge.txt is too large" in shown({"type": "delete", "path": "huge.txt"}).obstacle
    seen = shown({"type": "delete", "path": "huge.bin"})
    assert seen.obstacle == ""
    assert "delete huge.bin (not text; 50500000 -> 0 bytes)" in seen.body


def test_a_binary_file_is_told_by_its_sizes(shown, house):
    house.write("a.bin", b"\0\1\2")
    seen = shown({"type": "copy", "from": "a.bin", "to": "b.bin"})
    assert "create b.bin (not text; 0 -> 3 bytes)" in seen.body
    assert "Binary files" in seen.body


def test_a_plan_is_all_words(shown):
    seen = shown(tool="workspace_plan", action="propose", title="Tidy", objective="One parser.", steps=["read"])
    assert seen.body == ""
    assert "1. [other] read" in seen.words
    assert "What would be done" not in seen.text
    assert any("changes nothing by itself" in fact for fact in seen.facts)


def test_another_call_is_shown_whole(house):
    arguments = {"action": "run", "executable": "printf", "args": ["\u202e", "é", "x" * 20_000]}
    seen = present(house.workspace, record(house, arguments=arguments))
    assert '"executable": "printf"' in seen.body
    assert "x" * 20_000 in seen.body
    assert "é" in seen.body
    assert "\\u202e" in seen.body
    assert seen.words == "Run it"


def test_a_transaction_that_is_gone_cant_be_accepted(house):
    arguments = {"action": "commit", "transaction_id": "tx_gone"}
    seen = present(house.workspace, record(house, kind="transaction", arguments=arguments))
    assert "It can't be shown" in seen.obstacle


def test_a_content_that_is_gone_cant_be_accepted(shown, house):
    seen = shown(create(content="x" * 100_000))
    sha = house.tx.get(seen.record.arguments["transaction_id"]).planned.change_set.changes[0].after.sha256
    with house.workspace.store.write() as db:
        house.workspace.store.forget_image(db, sha)
    assert "no longer kept" in present(house.workspace, seen.record).obstacle


def test_changes_that_are_not_stored_yet_are_rendered_too(house):
    assert "+one" in render_changes(house.workspace, house.plan(create()))
