"""Git in the left bar: where the branch stands, what is changed, and commits, on real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.page.browsing import Visit
from tests.repositories import git, repository


@pytest.fixture
def repo(visit: Visit) -> Path:
    """The folder as a repository with an author and one commit of `f.txt` and `g.txt`."""
    folder = repository(visit.room.folder, f__txt="one\ntwo\n", g__txt="g\n")
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@x")
    return folder


@pytest.fixture
def far(repo: Path, tmp_path: Path) -> Path:
    """A bare repository that the folder's knows as its origin; nothing is there yet."""
    git(repo, "init", "-q", "--bare", "-b", "main", str(tmp_path / "far.git"))
    git(repo, "remote", "add", "origin", str(tmp_path / "far.git"))
    return tmp_path / "far.git"


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


def test_the_branch_tells_how_far_it_is_from_its_upstream(visit: Visit, repo: Path, far: Path) -> None:
    page = visit.sign_in()
    branch = view(page).get_by_role("region", name="Branch")
    expect(branch).to_contain_text("It has no upstream.")
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


@pytest.mark.parametrize("button", ["Commit staged", "Commit all"])
def test_only_what_is_shown_is_committed(visit: Visit, repo: Path, button: str) -> None:
    """Staging is no change of a file, so that no event tells of it."""
    visit.write("f.txt", "one\nchanged\n")
    git(repo, "add", "f.txt")
    page = visit.sign_in()
    expect(group(page, "Staged").get_by_role("button", name="f.txt, modified")).to_be_visible()
    view(page).get_by_role("textbox", name="Message").fill("Change f")
    git(repo, "update-index", "--add", "--cacheinfo", f"100644,{git(repo, 'rev-parse', 'HEAD:g.txt')},unseen.txt")
    view(page).get_by_role("button", name=button).click()
    expect(view(page).get_by_role("alert")).to_contain_text("no longer what was looked at")
    assert git(repo, "log", "--format=%s") == "one"
    expect(group(page, "Staged").get_by_role("button", name="unseen.txt, added")).to_be_visible()
    page.get_by_role("button", name="Unstage unseen.txt").click()
    expect(page.get_by_role("button", name="unseen.txt, added")).to_have_count(0)
    view(page).get_by_role("button", name=button).click()
    expect(view(page).get_by_role("textbox", name="Message")).to_have_value("")
    assert git(repo, "show", "--format=%s", "--name-only").split() == ["Change", "f", "f.txt"]


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


def test_commits_go_to_a_remote_and_come_from_it(visit: Visit, repo: Path, far: Path) -> None:
    (repo / ".git/hooks/pre-push").write_text("#!/bin/sh\nexit 1\n")
    (repo / ".git/hooks/pre-push").chmod(0o755)
    page = visit.sign_in()
    branch = view(page).get_by_role("region", name="Branch")
    said = view(page).get_by_role("status")
    view(page).get_by_role("button", name="Push").click()
    expect(branch).to_contain_text("Level with origin/main")
    expect(said).to_contain_text("origin took")
    expect(said).to_contain_text("Hooks that weren't run: pre-push.")
    assert git(far, "rev-parse", "main") == git(repo, "rev-parse", "main")
    git(repo, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(repo, "push", "-q", "--no-verify")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    git(repo, "update-ref", "refs/remotes/origin/main", "main")
    view(page).get_by_role("button", name="Fetch").click()
    expect(branch).to_contain_text("1 behind origin/main")
    view(page).get_by_role("button", name="Pull").click()
    expect(branch).to_contain_text("Level with origin/main")
    assert git(repo, "log", "-1", "--format=%s") == "theirs"


def test_a_push_that_is_refused_says_to_pull_and_a_pull_that_would_merge_says_so(
    visit: Visit, repo: Path, far: Path
) -> None:
    git(repo, "push", "-q", "-u", "origin", "main")
    git(repo, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(repo, "push", "-q")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    git(repo, "commit", "-q", "--allow-empty", "-m", "mine")
    page = visit.sign_in()
    said = view(page).get_by_role("status")
    view(page).get_by_role("button", name="Push").click()
    expect(said).to_contain_text("Pull first.")
    view(page).get_by_role("button", name="Pull").click()
    expect(said).to_contain_text("have diverged; nothing was merged")
    assert git(repo, "log", "-1", "--format=%s") == "mine"
    git(repo, "remote", "remove", "origin")
    view(page).get_by_role("button", name="Fetch").click()
    expect(view(page).get_by_role("alert")).to_contain_text("git remote add")


def test_what_takes_long_is_said_to_be_on_its_way(visit: Visit, repo: Path, far: Path) -> None:
    page = visit.sign_in()
    held = []
    page.route("**/page/v1/call", lambda route: held.append(route) if "git_sync" in _body(route) else route.continue_())
    view(page).get_by_role("button", name="Push").click()
    expect(view(page).get_by_role("status")).to_contain_text("Pushing to the remote…")
    expect(view(page).get_by_role("button", name="Fetch")).to_be_disabled()
    held[0].continue_()
    expect(view(page).get_by_role("status")).to_contain_text("origin took")
    expect(view(page).get_by_role("button", name="Fetch")).to_be_enabled()


def _body(route: Route) -> str:
    return route.request.post_data or ""


def test_changes_are_put_aside_and_brought_back(visit: Visit, repo: Path) -> None:
    visit.write("f.txt", "changed\n")
    page = visit.sign_in()
    expect(group(page, "Not staged")).to_be_visible()
    view(page).get_by_role("button", name="Stash").click()
    expect(view(page).get_by_text("Nothing is changed since the last commit.")).to_be_visible()
    expect(view(page).get_by_role("status")).to_contain_text("Put aside f.txt.")
    assert visit.read("f.txt") == "one\ntwo\n"
    visit.write("f.txt", "in the way\n")
    view(page).get_by_role("button", name="Pop").click()
    expect(view(page).get_by_role("alert")).to_contain_text("Commit or stash that first.")
    assert visit.read("f.txt") == "in the way\n"
    visit.write("f.txt", "one\ntwo\n")
    view(page).get_by_role("button", name="Pop").click()
    expect(view(page).get_by_role("status")).to_contain_text("Brought back f.txt.")
    expect(group(page, "Not staged").get_by_role("button", name="f.txt, modified")).to_be_visible()
    assert visit.read("f.txt") == "changed\n"


def test_the_last_commit_is_taken_back_once_that_was_said(visit: Visit, repo: Path, far: Path) -> None:
    visit.write("f.txt", "changed\n")
    git(repo, "commit", "-qam", "Too early")
    before = git(repo, "rev-parse", "HEAD~1")
    page = visit.sign_in()
    question = view(page).get_by_role("region", name="Undo the last commit")
    view(page).get_by_role("button", name="Undo commit…").click()
    question.get_by_role("button", name="Keep it").click()
    expect(question).to_have_count(0)
    assert git(repo, "log", "-1", "--format=%s") == "Too early"
    view(page).get_by_role("button", name="Undo commit…").click()
    visit.settle()
    question.get_by_role("button", name="Undo it").click()
    expect(group(page, "Staged").get_by_role("button", name="f.txt, modified")).to_be_visible()
    expect(view(page).get_by_role("textbox", name="Message")).to_have_value("Too early")
    assert git(repo, "rev-parse", "HEAD") == before
    assert visit.read("f.txt") == "changed\n"


def test_a_commit_that_came_after_the_question_is_not_taken_back(visit: Visit, repo: Path) -> None:
    visit.write("f.txt", "changed\n")
    git(repo, "commit", "-qam", "Mine")
    page = visit.sign_in()
    question = view(page).get_by_role("region", name="Undo the last commit")
    view(page).get_by_role("button", name="Undo commit…").click()
    expect(question).to_be_visible()
    git(repo, "commit", "-q", "--allow-empty", "-m", "Theirs")
    visit.settle()
    question.get_by_role("button", name="Undo it").click()
    expect(view(page).get_by_role("alert")).to_contain_text("Nothing was undone.")
    expect(question).to_have_count(0)
    assert git(repo, "log", "-1", "--format=%s") == "Theirs"


def test_a_pushed_commit_is_forced_only_where_it_was_refused(visit: Visit, repo: Path, far: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "Out")
    git(repo, "push", "-q", "-u", "origin", "main")
    page = visit.sign_in()
    question = view(page).get_by_role("region", name="Undo the last commit")
    view(page).get_by_role("button", name="Undo commit…").click()
    expect(question.get_by_role("button", name="Undo it all the same")).to_have_count(0)
    visit.settle()
    question.get_by_role("button", name="Undo it").click()
    expect(view(page).get_by_role("alert")).to_contain_text("Make a commit that turns it back")
    expect(question).to_contain_text("It is in origin/main: whoever fetched it keeps it")
    assert git(repo, "log", "-1", "--format=%s") == "Out"
    question.get_by_role("button", name="Undo it all the same").click()  # the second of two clicks
    expect(question.get_by_text("That click came too soon")).to_be_visible()
    assert git(repo, "log", "-1", "--format=%s") == "Out"
    visit.settle()
    question.get_by_role("button", name="Undo it all the same").click()
    expect(view(page).get_by_role("region", name="Branch")).to_contain_text("1 behind origin/main")
    assert git(repo, "log", "-1", "--format=%s") == "one"


def test_hunks_are_staged_and_unstaged_one_by_one(visit: Visit, repo: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(40))
    visit.write("long.txt", text)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "long")
    visit.write("long.txt", text.replace("line 2\n", "second\n").replace("line 30\n", "thirtieth\n"))
    page = visit.sign_in()
    group(page, "Not staged").get_by_role("button", name="long.txt, modified").click()
    changes = page.get_by_role("article", name="Changes of long.txt")
    expect(changes).to_contain_text("thirtieth")
    changes.get_by_role("button", name="Stage hunk 2").click()
    expect(changes).not_to_contain_text("thirtieth")
    expect(changes).to_contain_text("second")
    staged = git(repo, "diff", "--cached")
    assert "+thirtieth" in staged
    assert "+second" not in staged
    group(page, "Staged").get_by_role("button", name="long.txt, modified").click()
    expect(changes).to_contain_text("thirtieth")
    changes.get_by_role("button", name="Unstage hunk 1").click()
    expect(changes.get_by_text("Nothing of it is staged")).to_be_visible()
    assert git(repo, "diff", "--cached") == ""


def test_a_hunk_of_a_file_that_has_changed_meanwhile_is_refused(visit: Visit, repo: Path) -> None:
    visit.write("f.txt", "one\nmine\n")
    page = visit.sign_in()
    group(page, "Not staged").get_by_role("button", name="f.txt, modified").click()
    changes = page.get_by_role("article", name="Changes of f.txt")
    expect(changes).to_contain_text("mine")
    page.route("**/page/v1/call", lambda route: _stage_later(visit, route))
    changes.get_by_role("button", name="Stage hunk 1").click()
    expect(changes.get_by_role("alert")).to_contain_text("has changed since its hunks were looked at")
    expect(changes).to_contain_text("theirs")
    assert git(repo, "diff", "--cached") == ""


def _stage_later(visit: Visit, route: Route) -> None:
    """Another program writes just before the call arrives."""
    if "editor_git_stage" in _body(route):
        visit.write("f.txt", "one\ntheirs\n")
    route.continue_()
