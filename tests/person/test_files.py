"""A file's bytes for the person."""

from __future__ import annotations

import os

import pytest

from workroom.base.errors import WorkroomError
from workroom.person import files
from workroom.person.credential import PersonCredential

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")
GIF = b"GIF89a\1\0\1\0"


def test_bytes_are_handed_out_as_they_are_with_the_kind_of_picture_that_they_are(house):
    house.write("not-so.txt", GIF)
    file = house.write("folder/so.png", b"\0\xffdata")
    assert files.read(ANN, house.workspace, "not-so.txt") == files.Content(GIF, "image/gif")
    assert files.read(ANN, house.workspace, "folder/so.png") == files.Content(b"\0\xffdata", None)
    assert files.read(ANN, house.workspace, str(file)).data == b"\0\xffdata"


def test_a_link_is_what_it_leads_to_if_that_is_inside(house):
    house.write("real.gif", GIF)
    (house.folder / "link").symlink_to("real.gif")
    assert files.read(ANN, house.workspace, "link").picture == "image/gif"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("gone", "NOT_FOUND"), ("folder", "INVALID_INPUT"), ("pipe", "INVALID_INPUT"), (".", "INVALID_INPUT"),
        ("../x", "PATH_OUTSIDE_WORKSPACE"), ("folder/../../x", "PATH_OUTSIDE_WORKSPACE"),
        ("/etc/hostname", "PATH_OUTSIDE_WORKSPACE"), ("out", "PATH_OUTSIDE_WORKSPACE"),
        ("up/hostname", "PATH_OUTSIDE_WORKSPACE"), ("a\0b", "INVALID_INPUT"),
    ],
)  # fmt: skip
def test_nothing_else_is(house, path, code):
    (house.folder / "folder").mkdir()
    os.mkfifo(house.folder / "pipe")
    (house.folder / "out").symlink_to("/etc/hostname")
    (house.folder / "up").symlink_to("/etc")
    with pytest.raises(WorkroomError) as refused:
        files.read(ANN, house.workspace, path)
    assert refused.value.code == code


def test_more_than_the_limit_is_refused_with_both_figures(house):
    with open(house.folder / "vast", "wb") as file:
        file.truncate(files.MOST + 1)
    with pytest.raises(WorkroomError) as refused:
        files.read(ANN, house.workspace, "vast")
    assert (refused.value.code, refused.value.details) == (
        "LIMIT_EXCEEDED", {"bytes": files.MOST + 1, "limit": files.MOST},
    )  # fmt: skip
    os.truncate(house.folder / "vast", files.MOST)
    assert len(files.read(ANN, house.workspace, "vast").data) == files.MOST
