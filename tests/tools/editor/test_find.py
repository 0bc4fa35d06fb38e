"""editor_find."""

from __future__ import annotations

import subprocess

from workroom.base.settings import Settings


def git(house, *arguments):
    subprocess.run(["git", "-C", str(house.folder), *arguments], check=True, capture_output=True)


def names(answer):
    return sorted(row["path"] for row in answer["matches"])


def test_the_best_first_with_where_the_letters_are(house, ask):
    for path in ("src/main.py", "docs/mainly.md", "é/main"):
        house.write(path, "x")
    found = ask("find", query="main")
    assert [row["path"] for row in found["matches"]] == ["é/main", "src/main.py", "docs/mainly.md"]
    assert found["matches"][0]["positions"] == [3, 4, 5, 6]
    assert (found["scanned"], found["truncated"], found["from_git"], found["more"]) == (3, False, False, False)


def test_limits_are_said(house, ask):
    for number in range(5):
        house.write(f"f{number}", "x")
    found = ask("find", query="f", limit=2)
    assert (len(found["matches"]), found["more"], found["truncated"]) == (2, True, False)
    house.settings = Settings(editor_find_limit=3, editor_max_find_candidates=4)
    found = ask("find", query="f")
    assert (len(found["matches"]), found["scanned"], found["truncated"]) == (3, 4, True)
    assert names(ask("find", query="")) == ["f0", "f1", "f2"]
    house.settings = Settings(editor_max_find_candidates=5)
    assert ask("find", query="f")["truncated"] is False


def test_in_a_repository_what_git_says(house, ask):
    git(house, "init")
    house.write(".gitignore", "*.log\n")
    for path in ("a.txt", "kept.log", "dropped.log"):
        house.write(path, "x")
    git(house, "add", "-f", ".gitignore", "a.txt", "kept.log")
    house.write("new.txt", "x")
    found = ask("find", query="")
    assert (names(found), found["from_git"]) == ([".gitignore", "a.txt", "kept.log", "new.txt"], True)
    found = ask("find", query="", include_untracked=False)
    assert names(found) == [".gitignore", "a.txt", "kept.log"]


def test_what_was_opened_lately_comes_first(house, ask):
    for number in range(9):
        house.write(f"d/file{number}.py", "x")
    assert ask("find", query="file")["matches"][0]["path"] == "d/file0.py"
    ask("open", path="d/file7.py")
    assert ask("find", query="file")["matches"][0]["path"] == "d/file7.py"
    assert ask("find", query="file3.py")["matches"][0]["path"] == "d/file3.py"


def test_what_another_program_does_is_seen_by_the_next_call(house, ask):
    house.write("src/one.py", "x")
    house.workspace.watch.start()
    assert house.workspace.watch.settled(60)
    for number in range(30):
        ask("find", query="n")
        subprocess.run(["touch", f"new{number}.py"], cwd=house.folder / "src", check=True)
        found = ask("find", query=f"new{number}.py")
        assert found["matches"][0]["path"] == f"src/new{number}.py"
        assert found["scanned"] == number + 2
    subprocess.run(["rm", "one.py"], cwd=house.folder / "src", check=True)
    assert names(ask("find", query="one.py")) == []
    subprocess.run(["mv", "src", "other"], cwd=house.folder, check=True)
    assert names(ask("find", query="new29.py")) == ["other/new29.py"]
