"""Git in the left bar: where the branch stands, what is changed, and commits, on real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.repositories import git, repository


@pytest.fixture
def repo(visit: Visit) -> Path:
    """The folder as a repository with an author and one commit of `f.txt` and `g.txt`."""
    folder = repository(visit.room.folder, f__txt="one\ntwo\n", g__txt="g\n")
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@x")
    return folder


def view(page: Page) -> Locator:
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Git").click()
    return page.get_by_role("region", name="Git", exact=True)


def group(page: Page, name: str) -> Locator:
    return view(page).get_by_role("region", name=name, exact=True)


def test_a_folder_without_a_repository_says_so(visit: Visit) -> None:
    page = visit.sign_in()
    expect(view(page).get_by_text("This folder is in no git repository")).to_be_visible()
    expect(view(page).get_by_role("form", name="Commit")).to_have_count(0)
    repository(visit.room.folder)
    view(page).get_by_role("button", name="Look again").click()
    expect(view(page).get_by_role("region", name="Branch")).to_contain_text("main")
    expect(view(page).get_by_text("no git repository")).to_have_count(0)


def test_the_branch_tells_how_far_it_is_from_its_upstream(visit: Visit, repo: Path, tmp_path: Path) -> None:
    page = visit.sign_in()
    branch = view(page).get_by_role("region", name="Branch")
    expect(branch).to_contain_text("It has no upstream.")
    git(repo, "init", "-q", "--bare", str(tmp_path / "far.git"))
    git(repo, "remote", "add", "origin", str(tmp_path / "far.git"))
    git(repo, "push", "-q", "-u", "origin", "main")
    view(page).get_by_role("button", name="Look again").click()
    expect(branch).to_contain_text("Level with origin/main")
    git(repo, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(repo, "push", "-q")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    for number in range(2):
        git(repo, "commit", "-q", "--allow-empty", "-m", f"mine {number}")
    view(page).get_by_role("button", name="Look again").click()
    expect(branch).to_contain_text("2 ahead of, 1 behind origin/main")


def test_files_are_shown_by_their_state_and_staged_one_by_one(visit: Visit, repo: Path) -> None:
    visit.write("f.txt", "one\nchanged\n")
    visit.write("new.txt", "n\n")
    (repo / "g.txt").unlink()
    page = visit.sign_in()
    expect(group(page, "Not staged").get_by_role("button", name="f.txt, modified")).to_be_visible()
    expect(group(page, "Not staged").get_by_role("button", name="g.txt, deleted")).to_be_visible()
    expect(group(page, "Not in git yet").get_by_role("button", name="new.txt, not in git yet")).to_be_visible()
    expect(group(page, "Staged")).to_have_count(0)
    page.get_by_role("button", name="Stage new.txt").click()
    expect(group(page, "Staged").get_by_role("button", name="new.txt, added")).to_be_visible()
    assert git(repo, "status", "--porcelain", "new.txt") == "A  new.txt"
    page.get_by_role("button", name="Stage all of Not staged").click()
    expect(group(page, "Not staged")).to_have_count(0)
    assert git(repo, "diff", "--cached", "--name-only").split() == ["f.txt", "g.txt", "new.txt"]
    page.get_by_role("button", name="Unstage f.txt").click()
    expect(group(page, "Not staged").get_by_role("button", name="f.txt, modified")).to_be_visible()
    assert git(repo, "diff", "--cached", "--name-only").split() == ["g.txt", "new.txt"]


def test_a_renamed_file_is_unstaged_as_a_whole(visit: Visit, repo: Path) -> None:
    git(repo, "mv", "f.txt", "h.txt")
    page = visit.sign_in()
    expect(group(page, "Staged").get_by_role("button", name="h.txt from f.txt, renamed")).to_be_visible()
    page.get_by_role("button", name="Unstage h.txt").click()
    expect(group(page, "Staged")).to_have_count(0)
    assert git(repo, "diff", "--cached", "--name-only") == ""


def test_what_is_staged_is_committed_with_a_message(visit: Visit, repo: Path) -> None:
    (repo / ".git/hooks/pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (repo / ".git/hooks/pre-commit").chmod(0o755)
    visit.write("f.txt", "one\nchanged\n")
    visit.write("g.txt", "other\n")
    page = visit.sign_in()
    commit = view(page).get_by_role("button", name="Commit staged")
    expect(commit).to_be_disabled()
    message = view(page).get_by_role("textbox", name="Message")
    message.fill("Change f\n\nBecause it was time.")
    commit.click()
    expect(view(page).get_by_text("Nothing is staged.")).to_be_visible()
    expect(message).to_have_value("Change f\n\nBecause it was time.")
    page.get_by_role("button", name="Stage f.txt").click()
    expect(group(page, "Staged")).to_be_visible()
    commit.click()
    expect(view(page).get_by_role("status")).to_contain_text("Change f")
    expect(view(page).get_by_role("status")).to_contain_text("Hooks that weren't run: pre-commit.")
    expect(message).to_have_value("")
    expect(group(page, "Staged")).to_have_count(0)
    assert git(repo, "log", "-1", "--format=%an %B") == "Ann Change f\n\nBecause it was time."
    assert git(repo, "show", "--format=", "--name-only") == "f.txt"
    message.fill("The rest")
    view(page).get_by_role("button", name="Commit all").click()
    expect(view(page).get_by_text("Nothing is changed since the last commit.")).to_be_visible()
    assert git(repo, "show", "--format=", "--name-only") == "g.txt"


def test_a_refused_commit_says_what_to_do_and_keeps_the_message(visit: Visit, repo: Path) -> None:
    visit.write("f.txt", "changed\n")
    (repo / ".git/index.lock").touch()
    page = visit.sign_in()
    message = view(page).get_by_role("textbox", name="Message")
    message.fill("Mine")
    view(page).get_by_role("button", name="Commit all").click()
    refusal = view(page).get_by_role("alert")
    expect(refusal).to_contain_text("index.lock")
    expect(refusal).to_contain_text("Try again")
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Files").click()
    expect(view(page).get_by_role("textbox", name="Message")).to_have_value("Mine")
    (repo / ".git/index.lock").unlink()
    view(page).get_by_role("button", name="Commit all").click()
    expect(refusal).to_have_count(0)
    expect(message).to_have_value("")
    assert git(repo, "log", "-1", "--format=%s") == "Mine"
