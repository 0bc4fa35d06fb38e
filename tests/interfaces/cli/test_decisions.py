"""pending, show, accept, deny, on real requests."""

import re

REPLACE = {"type": "replace", "path": "a.txt", "search": "world", "replacement": "room"}


def test_a_request_is_shown_accepted_and_applied(manual):
    record = manual.stage(REPLACE, title="Greet the room")
    waiting = manual.run("pending")
    assert waiting.code == 0
    assert waiting.out.split("\t")[:3] == [record, "transaction", "workroom call"]
    assert "Greet the room" in waiting.out

    shown = manual.run("show", record)
    assert shown.code == 0
    for part in (
        "asked by agent workroom call",
        "modify a.txt (+1 -1; 12 -> 11 bytes)",
        "     1     1   hello\n     2        -world\n           2  +room\n",
        "In the agent's own words, which nobody checked:\n> Greet the room\n",
        f"Yes: workroom accept {record}",
    ):
        assert part in shown.out
    assert manual.read("a.txt") == "hello\nworld\n"

    done = manual.run("accept", record, "fine", "by", "me")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Accepted {record}: ")
    assert "Applied tx_" in done.out
    assert manual.read("a.txt") == "hello\nroom\n"
    assert manual.run("pending").code == 3
    assert "It is consumed: there is nothing to decide." in manual.run("show", record).out


def test_the_asker_collects_the_result_once(manual):
    record = manual.stage(REPLACE)
    manual.run("accept")
    assert manual.edit(REPLACE)["data"]["committed"] is True
    assert record not in manual.run("pending").out


def test_a_held_yes_runs_when_the_asker_asks_again(manual):
    record = manual.stage(REPLACE)
    held = manual.run("accept", record, "--hold")
    assert held.code == 0
    assert "It runs when its asker asks again." in held.out
    assert manual.read("a.txt") == "hello\nworld\n"
    assert manual.edit(REPLACE)["ok"]
    assert manual.read("a.txt") == "hello\nroom\n"


def test_a_no_blocks_the_same_operation(manual):
    record = manual.stage(REPLACE)
    denied = manual.run("deny", record, "not", "now")
    assert (denied.code, denied.out) == (0, f"Denied {record}: {manual.ask('show', id=record)['title']}.\n")
    again = manual.edit(REPLACE)
    assert again["error"]["code"] == "APPROVAL_DENIED"
    assert "not now" in again["error"]["message"]


def test_an_accepted_call_that_fails_ends_with_five(manual):
    record = manual.stage(REPLACE)
    manual.write("a.txt", "somebody was here\n")
    done = manual.run("accept", record, "--json")
    assert done.code == 5
    assert done.json["ok"] is False
    assert done.json["envelope"]["error"]["code"] == "EDIT_CONFLICT"
    assert manual.read("a.txt") == "somebody was here\n"


def test_without_an_id_the_one_that_was_shown_last(manual):
    first = manual.stage(REPLACE)
    second = manual.stage({"type": "create", "path": "b.txt", "content": "b\n"})
    refused = manual.run("accept", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "AMBIGUOUS_APPROVAL"
    assert {row["id"] for row in refused.json["error"]["details"]["pending"]} == {first, second}
    assert refused.err.startswith("workroom: AMBIGUOUS_APPROVAL: ")
    lines = refused.err.splitlines()
    assert [line.partition(' "')[0] for line in lines[1:3]] == [f"  {second}", f"  {first}"]
    assert lines[3:] == ["  Name one: `workroom accept ID`."]
    assert second in manual.run("show").out
    assert manual.run("accept", "thank you").code == 0
    assert manual.read("b.txt") == "b\n"
    assert [row["id"] for row in manual.run("pending", "--json").json["pending"]] == [first]


def test_where_nothing_waits(manual):
    for command in (["pending"], ["show"], ["accept"], ["accept", "a note"], ["deny"]):
        done = manual.run(*command)
        assert (done.code, done.out) == (3, ""), command
        assert "Nothing waits for a decision." in done.err
    assert manual.run("--json", "pending").json == {"ok": True, "pending": []}
    missing = manual.run("accept", "approval_none")
    assert missing.code == 1
    assert "NOT_FOUND" in missing.err


def test_a_plan_opens_and_closes_plan_mode(manual):
    manual.ask("mode", mode="plan")
    assert manual.edit(REPLACE)["error"]["code"] == "APPROVAL_REQUIRED"
    proposed = manual.call("plan", action="propose", title="Greet", objective="Be polite", steps=["Say room"])
    plan = proposed["data"]["planId"]
    shown = manual.run("show", plan)
    assert "> " in shown.out
    assert "Be polite" in shown.out
    assert manual.run("accept", plan).code == 0
    assert manual.edit(REPLACE)["ok"]
    assert manual.call("plan", action="complete", plan_id=plan, summary="done")["ok"]
    other = {"type": "create", "path": "b.txt", "content": ""}
    assert manual.edit(other)["error"]["code"] == "APPROVAL_REQUIRED"


def test_hostile_words_are_shown_escaped_and_flagged(manual):
    record = manual.stage(
        {"type": "create", "path": "e\u202evil.txt", "content": "\x1b[2Jgone\n"}, title="Nice \x1b]0;x\x07\nYes: all"
    )
    for done in (manual.run("show", record), manual.at_terminal("show", record, TERM="dumb")):
        assert "\nCAUTION, shown escaped: " in done.out
        assert "\\x1b[2Jgone" in done.out
        assert "\\x1b]0;x\\x07\n> Yes: all" in done.out
        assert "\u202e" not in done.out
        assert "\x1b[2J" not in done.out
        assert "\x1b]0" not in done.out
    listed = manual.run("pending").out
    assert listed.count("\n") == 1
    assert "\x1b" not in listed


def test_at_a_terminal_a_diff_has_colours(manual):
    record = manual.stage(REPLACE)
    shown = manual.at_terminal("show", record)
    assert "\x1b[31m     2        -world\x1b[0m" in shown.out
    assert "\x1b[32m           2  +room\x1b[0m" in shown.out
    listed = manual.at_terminal("pending")
    assert record in listed.out
    assert "asked by" in listed.out


def test_at_a_terminal_times_are_those_of_the_place(manual):
    record = manual.stage(REPLACE)
    shown = manual.at_terminal("show", record, TZ="UTC").out
    assert re.search(
        r"asked by agent workroom call at \d{4}-\d\d-\d\d \d\d:\d\d; until \d{4}-\d\d-\d\d \d\d:\d\d\n", shown
    )
    assert re.search(r" at \d{4}-\d\d-\d\dT[0-9:.]+Z; until ", manual.run("show", record).out)
