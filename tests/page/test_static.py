"""The page's own files: what is served, under which policy, and that nothing else is."""

from __future__ import annotations

import gzip
import re

import pytest
from tests.interfaces.http.conftest import Answer, Web

from tools import build_page, make_types


def get(visitor: Web, path: str, method: str = "GET", **headers: str | None) -> Answer:
    return visitor.ask(method, path, **{"authorization": None, **headers})


def assets(visitor: Web) -> list[str]:
    """What the page names."""
    return re.findall(r'(?:src|href)="(/assets/[^"]+)"', get(visitor, "/").body.decode())


def test_the_page_comes_without_a_key_and_under_a_strict_policy(visitor: Web) -> None:
    answer = get(visitor, "/")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = dict(one.strip().split(" ", 1) for one in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert (policy["script-src"], policy["connect-src"]) == ("'self'", "'self'")
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "workroom-worker")
    nonce = re.search("'nonce-(.+)'", policy["style-src"])[1]
    assert f'nonce="{nonce}"' in answer.body.decode().lower(), "the test's own headers are in lower case"
    assert nonce not in get(visitor, "/").body.decode().lower(), "each time another"
    assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert get(visitor, "/", "HEAD").status == 200


def test_assets_are_kept_by_their_names(visitor: Web) -> None:
    script, style = sorted(assets(visitor), key=lambda name: name.endswith(".css"))
    for path, kind in ((script, "text/javascript; charset=utf-8"), (style, "text/css; charset=utf-8")):
        plain = get(visitor, path)
        assert (plain.status, plain.headers["content-type"]) == (200, kind)
        assert "immutable" in plain.headers["cache-control"]
        packed = get(visitor, path, accept_encoding="gzip, br")
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert get(visitor, path, if_none_match=plain.headers["etag"]).status == 304


@pytest.mark.parametrize(
    "path",
    ["/assets/", "/assets/none.js", "/assets/../index.html", "/assets/..%2findex.html", "/assets//etc/passwd",
     "/index.html", "/assets/.stamp"],
)  # fmt: skip
def test_nothing_else_is_served(visitor: Web, path: str) -> None:
    assert get(visitor, path).status in {401, 404}


def test_what_is_no_get_is_refused(visitor: Web) -> None:
    answer = get(visitor, "/", "DELETE")
    assert (answer.status, answer.headers["allow"]) == (405, "get, head")


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"host": "evil.example"}, 421), ({"origin": "http://127.0.0.1:1"}, 403), ({"sec-fetch-site": "same-site"}, 403)],
)
def test_W07_no_other_page_loads_it(visitor: Web, headers: dict[str, str], status: int) -> None:
    assert get(visitor, "/", **headers).status == status
    assert get(visitor, assets(visitor)[0], **headers).status == status


def test_the_first_load_is_small(visitor: Web) -> None:
    sizes = [len(get(visitor, path, accept_encoding="gzip").body) for path in ("/", *assets(visitor))]
    assert sum(sizes) < 300_000


def test_the_output_is_of_the_sources() -> None:
    assert build_page.STAMP.read_text() == build_page.fingerprint()
    assert not build_page.build(), "nothing is built twice"


def test_the_types_are_what_the_code_says() -> None:
    assert make_types.main(["--check"]) == 0, "run `make docs`"
