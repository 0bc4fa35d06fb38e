"""Pictures as read answers them, within the road of a call."""

from __future__ import annotations

import hashlib
import json

import pytest
from tests.pictures import gif, jpeg, png, webp

from workroom.base.actor import Actor
from workroom.base.envelope import Picture
from workroom.interfaces.mcp.answers import readable
from workroom.tools.dispatch import call
from workroom.tools.inspect.picture import PICTURE_BYTES
from workroom.tools.tool import Call, Limits


@pytest.fixture
def read(house):
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(*paths, **arguments):
        where = {"path": paths[0]} if len(paths) == 1 else {"paths": list(paths)}
        return call(caller, "workspace_inspect", {"action": "read", **where, **arguments})

    return ask


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (png(6, 4), "image/png"),
        (jpeg(6, 4), "image/jpeg"),
        (gif(6, 4), "image/gif"),
        (webp(6, 4, "VP8X"), "image/webp"),
    ],
)
def test_a_picture(read, house, data, kind):
    house.write("pictures/logo.txt", data)  # its name says nothing
    answer = read("pictures/logo.txt")
    sha = hashlib.sha256(data).hexdigest()
    assert answer.data == {
        "path": "pictures/logo.txt",
        "sha256": sha,
        "bytes": len(data),
        "mimeType": kind,
        "width": 6,
        "height": 4,
        "truncated": False,
    }
    assert answer.summary == f"pictures/logo.txt: {kind}, 6 x 4 pixels, {len(data)} bytes, sha256 {sha}."
    assert answer.pictures == (Picture("pictures/logo.txt", kind, data),)
    assert readable(answer) == answer.summary
    assert "base64" not in json.dumps(answer.to_json())


def test_a_picture_through_a_link_and_one_that_is_known(read, house):
    house.write("a.png", png(6, 4))
    (house.folder / "link").symlink_to("a.png")
    answer = read("link")
    assert (answer.data["path"], answer.data["resolvedPath"], answer.pictures[0].path) == ("link", "a.png", "link")
    again = read("a.png", known_sha256=answer.data["sha256"])
    assert again.data["unchanged"]
    assert again.pictures == ()


def test_a_client_that_shows_no_pictures_is_told_the_facts(house):
    house.write("a.png", png(6, 4))
    caller = Call(house.workspace, Actor("agent", "tester", "s"), limits=Limits(10_000, 60, pictures=False))
    answer = call(caller, "workspace_inspect", {"action": "read", "path": "a.png"})
    assert (answer.data["width"], answer.pictures) == (6, ())
    assert answer.summary.endswith("This client shows a model no pictures.")


def test_pictures_among_other_files(read, house):
    house.write("b.png", png(2, 2, filling=500))
    house.write("a.gif", gif(3, 3))
    house.write("text", "one\n")
    house.write("program", b"\x7fELF\0")
    answer = read("b.png", "text", "program", "a.gif")
    assert [picture.path for picture in answer.pictures] == ["b.png", "a.gif"]
    assert [row.get("mimeType") for row in answer.data["files"]] == ["image/png", None, None, "image/gif"]
    assert "== a.gif: image/gif, 3 x 3 pixels" in answer.text
    assert answer.data["files"][2]["error"]["code"] == "INVALID_INPUT"


def refused(answer, code, said):
    assert answer.error["code"] == code
    assert said in answer.summary
    assert answer.pictures == ()


def test_what_a_model_cant_be_shown_is_refused_with_the_figure(read, house):
    house.write("long.png", png(1, 2, filling=PICTURE_BYTES))
    refused(read("long.png"), "LIMIT_EXCEEDED", f"of pictures at most {PICTURE_BYTES:,} bytes")
    house.write("wide.png", png(9_000, 200))
    refused(read("wide.png"), "LIMIT_EXCEEDED", "9,000 x 200 pixels, and a side may have at most 8,000")
    house.write("half.png", png(6, 4)[:-10])
    refused(read("half.png"), "INVALID_INPUT", "damaged or cut off")
    house.write("sound", b"RIFF\x24\0\0\0WAVEfmt \0")
    refused(read("sound"), "INVALID_INPUT", "only text")
    house.write("a.png", png(6, 4))
    refused(read("a.png", start_line=2), "INVALID_INPUT", "has no lines")


def test_pictures_of_one_answer_share_its_room(read, house):
    for name in "abc":
        house.write(name, png(2, 2, filling=PICTURE_BYTES // 3))
    answer = read("a", "b", "c")
    assert [picture.path for picture in answer.pictures] == ["a", "b"]
    error = answer.data["files"][2]["error"]
    assert (error["code"], "Read it by itself." in error["message"]) == ("LIMIT_EXCEEDED", True)


def test_a_drawing_is_text(read, house):
    house.write("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert read("a.svg").text == "1 | <svg xmlns='http://www.w3.org/2000/svg'/>"
