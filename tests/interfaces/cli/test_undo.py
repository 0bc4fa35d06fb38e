"""log and undo, on real changes."""

import re

REPLACE = {"type": "replace", "path": "a.txt", "search": "world", "replacement": "room"}


def edit(auto, *operations, title="Greet"):
    return auto.edit(*operations, title=title)["data"]["transactionId"]


def test_the_newest_change_is_undone_byte_for_byte(auto):
    done = edit(auto, REPLACE, {"type": "create", "path": "b.txt", "content": "b\r\n"})
    undone = auto.run("undo", "--yes")
    assert (undone.code, undone.err) == (0, "")
    assert undone.out.startswith(f"Undo of entry 1 ({done}), Greet, by agent workroom call:\n  modify a.txt (+1 -1;")
    assert "\nUndone: entry 1, by entry 2 (tx_" in undone.out
    assert auto.read("a.txt") == "hello\nworld\n"
    assert not (auto.folder / "b.txt").exists()

    log = [line.split("\t") for line in auto.run("log").out.splitlines()]
    assert [row[0] for row in log] == ["2", "1"]
    assert [row[3] for row in log] == ["undoes 1", "edit, undone by 2"]
    assert log[1][2:] == ["agent workroom call", "edit, undone by 2", "+2 -1", "a.txt, b.txt", "Greet", done]
    nothing = auto.run("undo", "--yes")
    assert nothing.code == 3
    assert "nothing to undo" in nothing.err
    assert auto.run("undo", "2", "--yes").code == 0
    assert auto.read("b.txt") == "b\r\n"


def test_a_pipe_needs_a_word(auto):
    edit(auto, REPLACE)
    asked = auto.run("undo", stdin="y\n")
    assert asked.code == 2
    assert "Add --yes to do it, or --preview to see all of it." in asked.err
    assert auto.read("a.txt") == "hello\nroom\n"
    preview = auto.run("undo", "--preview")
    assert preview.code == 0
    assert "     2        -room\n           2  +world\n" in preview.out
    assert "\x1b" not in preview.out
    assert auto.run("undo", "--preview", "--json").json["paths"] == ["a.txt"]
    assert auto.read("a.txt") == "hello\nroom\n"
    assert auto.run("--json", "undo", "--yes").json["entry"]["undoes"] == 1


def test_a_terminal_is_asked_and_no_answer_is_no(auto):
    edit(auto, REPLACE)
    for typed in ("\n", "n\n", "\x04"):
        no = auto.at_terminal("undo", typed=typed)
        assert "Undo this? [y/N]" in no.out
        assert no.code == 3, typed
        assert "Nothing was changed." in no.err
        assert auto.read("a.txt") == "hello\nroom\n"
    assert auto.at_terminal("undo", typed="y\n").code == 0
    assert auto.read("a.txt") == "hello\nworld\n"


def test_later_work_is_in_the_way_unless_forced(auto):
    done = edit(auto, REPLACE)
    auto.write("a.txt", "mine\n")
    refused = auto.run("undo", done, "--yes")
    assert (refused.code, refused.out) == (1, "")
    first, *differences = refused.err.splitlines()
    assert first.startswith("workroom: EDIT_CONFLICT: ")
    assert first.endswith("first, or add --merge to keep both, or --force, which keeps what it overwrites.")
    assert "           1  +mine" in differences
    assert auto.read("a.txt") == "mine\n"
    forced = auto.run("undo", done, "--force", "--yes")
    assert forced.code == 0
    assert "was changed later" in forced.out
    assert auto.read("a.txt") == "hello\nworld\n"
    assert auto.run("undo", "2", "--yes").code == 0
    assert auto.read("a.txt") == "mine\n"


def test_later_work_is_kept_where_both_can_be(auto):
    edit(auto, REPLACE)
    auto.write("a.txt", "top\nhello\nroom\n")
    merged = auto.run("undo", "--merge", "--yes")
    assert (merged.code, merged.err) == (0, "")
    assert "a.txt was changed later: that stays" in merged.out
    assert auto.read("a.txt") == "top\nhello\nworld\n"


def test_what_overlaps_is_shown_as_git_shows_it(auto):
    done = edit(auto, REPLACE)
    auto.write("a.txt", "hello\nmine\n")
    refused = auto.run("undo", done, "--merge", "--yes")
    first, *regions = refused.err.splitlines()
    assert refused.code == 1
    assert "can't be merged" in first
    assert first.endswith("Undo the later change first, or add --force, which keeps what it overwrites.")
    assert regions[:4] == [
        "a.txt: both changed the same lines",
        "<<<<<<< now, line 2",
        "mine",
        "||||||| before both changes, line 2",
    ]
    assert auto.read("a.txt") == "hello\nmine\n"


def test_many_paths_are_cut_before_the_question_and_whole_in_the_preview(auto):
    edit(auto, *({"type": "create", "path": f"many/{number:02}.txt", "content": "x\n"} for number in range(30)))
    undone = auto.run("undo", "--yes")
    assert " more; --preview shows them all\n" in undone.out
    assert "many/29.txt" not in undone.out
    preview = auto.run("undo", "2", "--preview")
    assert "many/29.txt" in preview.out
    assert auto.run("log", "--limit", "1").out.split("\t")[5] == "many/00.txt, many/01.txt, many/02.txt and 27 more"


def test_an_empty_history(auto):
    empty = auto.run("log")
    assert (empty.code, empty.out, empty.err) == (0, "", "The history is empty.\n")
    assert auto.run("log", "--json").json == {"ok": True, "entries": []}
    wrong = auto.run("undo", "nonsense", "--yes")
    assert (wrong.code, "INVALID_INPUT" in wrong.err) == (1, True)
    assert auto.run("log", "--limit", "0").code == 2


def test_the_history_at_a_terminal(auto):
    done = edit(auto, REPLACE)
    shown = auto.at_terminal("log")
    assert done in shown.out
    assert "when" in shown.out
    assert auto.at_terminal("log", "--json").json["entries"][0]["transactionId"] == done


def test_the_history_at_a_narrow_terminal(auto):
    done = edit(auto, REPLACE)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", auto.at_terminal("log", COLUMNS="80").out).splitlines()
    assert all(len(line.rstrip()) <= 80 for line in shown)
    assert re.match(r"1 +\d{4}-\d\d-\d\d \d\d:\d\d ", shown[1])
    assert "id" not in shown[0].split()
    assert done not in shown[1]  # the number will do
    assert any(done in line for line in auto.at_terminal("log", COLUMNS="120").out.splitlines())
