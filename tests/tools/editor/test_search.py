"""editor_search."""

from __future__ import annotations

from workroom.base.settings import Settings


def test_lines_by_file(house, ask):
    house.write("a.py", "one\nTwo\ntwo\n")
    house.write("b.md", "two\n")
    house.write("bin", b"two\0\n")
    found = ask("search", pattern="tw.")
    assert [(file["path"], [hit["line"] for hit in file["hits"]]) for file in found["files"]] == [
        ("a.py", [3]), ("b.md", [1]),
    ]  # fmt: skip
    assert found["files"][0]["hits"][0]["text"] == "two"
    assert (found["total"], found["truncated"]) == (2, False)
    assert ask("search", pattern="two", ignore_case=True)["total"] == 3
    assert ask("search", pattern="two", include_glob=["*.md"])["total"] == 1
    assert ask("search", pattern="(")["error"]["code"] == "INVALID_INPUT"


def test_a_hit_says_where_its_match_is(house, ask):
    house.write("wide", "ünï näädle 🙂🙂 x\r\n")
    house.write("bad", b"\xe9 n\xe9edle\n")
    house.write("long", "é" * 5000 + "needle" + "y" * 5000 + "\n")

    def hits(pattern, path):
        (file,) = ask("search", pattern=pattern, include_glob=[path])["files"]
        return [(hit["column"], hit["length"], hit["cut"]) for hit in file["hits"]]

    assert hits("n.*dle", "wide") == [(2, 9, False)]
    assert hits("🙂+ ?", "wide") == [(12, 3, False)]
    assert hits("x.*", "wide") == [(15, 1, False)]  # the line's ending is none of it
    assert hits("(?-u:n.edle)", "bad") == [(3, 6, False)]  # a byte that is no text counts as it is shown
    assert hits("needle", "long") == [(5001, 6, True)]
    assert hits("^", "wide") == [(1, 0, False)]


def test_truncated_means_that_there_was_more(house, ask):
    house.write("a", "x\nx\nx\n")
    assert ask("search", pattern="x", max_matches=3)["truncated"] is False
    found = ask("search", pattern="x", max_matches=2)
    assert (found["total"], found["truncated"]) == (2, True)
    house.settings = Settings(editor_search_max_matches=1)
    assert ask("search", pattern="x")["total"] == 1
