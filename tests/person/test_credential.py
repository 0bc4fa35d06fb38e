"""Who may speak as the person."""

import dataclasses

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.person.credential import PersonCredential

KEY = "a" * 64


def refused(*arguments):
    with pytest.raises(WorkroomError) as caught:
        PersonCredential.grant(*arguments)
    assert caught.value.code is ErrorCode.PROTECTED_PATH


def test_the_owner_with_the_key_is_the_person():
    credential = PersonCredential.grant(KEY, KEY, 1000, 1000, name="ann")
    assert credential.name == "ann"
    assert credential.actor == Actor("person", "ann")


@pytest.mark.parametrize("shown", ["", "b" * 64, KEY[:-1], KEY + "a", KEY.upper(), "é", "\ud800"])
def test_another_key_is_refused(shown):
    refused(shown, KEY, 1000, 1000)


def test_no_key_is_never_the_right_one():
    refused("", "", 1000, 1000)


def test_another_user_is_refused():
    refused(KEY, KEY, 1001, 1000)


def test_a_credential_can_be_neither_made_nor_changed():
    with pytest.raises(WorkroomError):
        PersonCredential("ann")
    with pytest.raises(WorkroomError):
        PersonCredential("ann", object())
    credential = PersonCredential.grant(KEY, KEY, 0, 0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        credential.name = "eve"
    with pytest.raises(WorkroomError):
        dataclasses.replace(credential, name="eve")


def test_where_the_person_speaks_is_the_terminal_unless_it_is_said():
    assert PersonCredential.grant(KEY, KEY, 0, 0).surface == "terminal"
    assert PersonCredential.grant(KEY, KEY, 0, 0, surface="page").surface == "page"
