"""`workroom page`: a link that counts once, the pages that are signed in, and signing one out."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

import pytest
from tests.interfaces.cli.test_completion import bash

LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/#(code_[0-9a-f]{32})\n")


@pytest.fixture(autouse=True)
def _nobody(program):
    """The module's tests share a server; each begins without pages."""
    for page in program.ask_server("pages.list")["pages"]:
        program.ask_server("pages.revoke", name=page["id"])


def sign_in(link: str) -> int:
    """What a browser does with the link; the status."""
    port, code = LINK.fullmatch(link).groups()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/page/v1/sign-in",
        json.dumps({"code": code}).encode(),
        {"Content-Type": "application/json", "User-Agent": "a browser\x1b[2J"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_the_link_signs_one_page_in(program):
    shown = program.run("page")
    assert LINK.fullmatch(shown.out), "in a pipe the link alone; HTTP is opened for it"
    assert "once" in shown.err
    assert (sign_in(shown.out), sign_in(shown.out)) == (200, 403)
    assert sign_in(program.run("page", "--json").json["link"] + "\n") == 200


def test_pages_are_listed_and_signed_out(program):
    assert program.run("page", "list").code == 3
    sign_in(program.run("page").out)
    listed = program.run("page", "list")
    page, since, browser = listed.out.rstrip("\n").split("\t")
    assert (listed.code, since.endswith("Z"), browser) == (0, True, r"a browser\x1b[2J")
    assert [row["id"] for row in program.run("page", "list", "--json").json["pages"]] == [page]
    assert bash(program, "workroom page revoke page_") == [page]
    assert program.run("page", "revoke", page).out == f"Signed out: {page}\n"
    again = program.run("page", "revoke", page)
    assert (again.code, "NOT_FOUND" in again.err) == (1, True)
