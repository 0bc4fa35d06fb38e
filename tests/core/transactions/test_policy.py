"""Links don't hide a path from the person's patterns."""

from __future__ import annotations

import os

import pytest
from tests.conftest import AGENT

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions.policy import Policy


def create(path):
    return {"type": "create", "path": path, "content": "x\n"}


def protects(house, path):
    try:
        Policy(house.workspace.root, house.settings).check_protected(path)
    except WorkroomError as error:
        return error.code is ErrorCode.PROTECTED_PATH
    return False


def test_a_folder_behind_a_link_is_asked_about_by_either_name(house):
    (house.folder / "cfg").mkdir()
    os.symlink("cfg", house.folder / ".vscode")
    assert house.plan(create(".vscode/settings.json")).asks == (
        ".vscode/settings.json can run code", "cfg/settings.json can run code",
    )  # fmt: skip
    assert house.plan(create("cfg/settings.json")).asks == ("cfg/settings.json can run code",)
    assert house.plan(create("cfg/other.json")).asks == ()


def test_what_is_asked_about_is_so_in_any_case(house):
    assert house.plan(create(".VSCode/Settings.json")).asks == (".VSCode/Settings.json can run code",)


def test_a_file_that_is_called_like_a_patterns_folder_is_not_in_it(house):
    house.settings = Settings(mode="auto", protected_patterns=("secrets/**",))
    assert house.plan(create(".husky")).asks == ()
    assert not protects(house, "secrets")


def test_a_file_behind_a_link_is_asked_about(house):
    house.write("env/rc", "x")
    os.symlink("env/rc", house.folder / ".envrc")
    planned = house.plan({"type": "rewrite", "path": "env/rc", "content": "y"})
    assert planned.asks == ("env/rc can run code",)


def test_a_link_put_where_a_pattern_looks_for_a_folder_is_asked_about(house):
    house.write("hooks/pre-commit", "x")
    os.symlink("hooks", house.folder / "link")
    assert house.plan({"type": "move", "from": "link", "to": ".husky"}).asks == (".husky can run code",)


def test_what_a_protected_link_leads_to_is_protected(house):
    house.settings = Settings(mode="auto", protected_patterns=("secrets/**", "*.key"))
    house.write("real/config", "x")
    house.write("vault/pin", "x")
    os.symlink("real", house.folder / ".git")
    os.symlink("vault", house.folder / "secrets")
    assert protects(house, "real/config")
    assert protects(house, "vault/pin")
    assert protects(house, "a/b.key")
    assert not protects(house, "other/config")


@pytest.mark.parametrize("pattern", ["/X11/**", "X11/pin", "X11"])
def test_a_pattern_from_the_top_protects_what_its_link_leads_to(house, pattern):
    house.settings = Settings(mode="auto", protected_patterns=(pattern, "*/x/y"))
    house.write("vault/pin", "x")
    os.symlink("vault", house.folder / "X11")
    assert protects(house, "vault/pin")
    assert not protects(house, "deep/vault/pin")


@pytest.mark.parametrize("name", [".git", ".agentic"])
def test_what_a_link_at_an_always_protected_place_leads_to_is_protected(house, name):
    (house.folder / ".agentic").rename(house.folder / "real")
    os.symlink("real", house.folder / name)
    assert protects(house, "real/f")


def test_a_link_that_is_called_like_a_glob_is_not_what_the_glob_means(house):
    house.settings = Settings(mode="auto", protected_patterns=("[ab]/**",))
    house.write("vault/pin", "x")
    os.symlink("vault", house.folder / "[ab]")
    assert not protects(house, "vault/pin")


def test_a_link_that_leads_out_protects_nothing_here(house):
    house.settings = Settings(mode="auto", protected_patterns=("secrets/**",))
    os.symlink("/etc", house.folder / "secrets")
    assert not protects(house, "etc/passwd")
    assert protects(house, "secrets/passwd")


def test_a_link_may_not_take_a_protected_folders_place(house):
    house.settings = Settings(mode="auto", destructive_edits="allow", protected_patterns=("secrets/**",))
    house.write("mine/f", "x")
    os.symlink("mine", house.folder / "link")
    with pytest.raises(WorkroomError) as caught:
        house.plan({"type": "move", "from": "link", "to": "secrets"})
    assert caught.value.code is ErrorCode.PROTECTED_PATH


def test_a_stored_plan_of_a_link_is_judged_by_the_settings_of_now(house):
    os.symlink("mine", house.folder / "link")
    planned = house.tx.keep(house.plan({"type": "move", "from": "link", "to": "secrets"}), AGENT)
    house.settings = Settings(mode="auto", destructive_edits="allow", protected_patterns=("secrets/**",))
    with pytest.raises(WorkroomError) as caught:
        house.commit(planned)
    assert caught.value.code is ErrorCode.PROTECTED_PATH
    assert house.tree() == {"link": ("link", "mine")}


def test_a_stored_plan_is_judged_by_the_settings_of_now(house):
    house.write("a", "x")
    house.write("b", "x")
    planned = house.tx.keep(house.plan({"type": "rewrite", "path": "a", "content": "y"}), AGENT)
    asked = house.tx.keep(house.plan({"type": "rewrite", "path": "b", "content": "y"}), AGENT)
    house.settings = Settings(mode="auto", protected_patterns=("a",), ask_patterns=("b",))
    with pytest.raises(WorkroomError) as caught:
        house.commit(planned)
    assert caught.value.code is ErrorCode.PROTECTED_PATH
    assert house.read("a") == b"x"
    assert (asked.asks, house.tx.asks(asked)) == ((), ("b can run code",))
