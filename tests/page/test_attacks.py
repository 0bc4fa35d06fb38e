"""What an agent writes never acts in the page, and no other page of this host gets anything of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from playwright.sync_api import expect
from tests.page.browsing import Visit

SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.acted=1"><script>window.acted=1</script></svg>'


class Elsewhere:
    """A server on another port of this host, as an agent may run one: what it serves, and what it was asked."""

    def __init__(self) -> None:
        self.served: dict[str, str] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    site = Elsewhere()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            body = site.served.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def active(site: Elsewhere) -> str:
    """HTML and Markdown that would act, or fetch something from `site`."""
    return (
        f"# Hi ![x]({site.url}/md.png)\n<script>window.acted=1</script>\n"
        f"<img src='{site.url}/img.png' onerror='window.acted=1'>\n<iframe src='{site.url}/frame'></iframe>\n"
        f"<link rel=stylesheet href='{site.url}/style.css'>\n[go](javascript:window.acted=1)\n{SVG}\n"
    )


def test_W04_nothing_of_the_workspace_acts_or_loads_anything(visit: Visit) -> None:
    with elsewhere() as site:
        text = active(site)
        visit.write("notes.md", "old\n")
        page = visit.sign_in()
        names = ("evil.svg", "evil.html", "evil.md", "<img src=x onerror=window.acted=1>.txt")
        visit.stage(
            *({"type": "create", "path": name, "content": text} for name in names),
            title=f"{text.splitlines()[1]} {SVG}",
            name="<b>tester</b>",
        )
        page.get_by_role("region", name="Inbox").get_by_role("button", name="window.acted").click()
        review = page.get_by_role("article")
        expect(review.get_by_role("group", name="evil.svg")).to_contain_text("<svg")
        visit.settle()
        review.get_by_role("button", name="Accept all").click()
        expect(visit.changes()).to_contain_text("window.acted")
        for name in ("evil.svg", "evil.html", "evil.md"):
            for path in (f"/{name}", f"/assets/{name}", f"/page/{name}"):
                assert page.request.get(visit.url + path).status in {401, 404}
        assert page.evaluate("window.acted") is None
        assert page.locator("iframe, img, article svg script, article script").count() == 0
        assert site.asked == []


TRIES = """async ({ours, waiting}) => {
    const got = {};
    const body = JSON.stringify({method: 'accept', params: {words: waiting}});
    const ask = async (name, path, request) => {
        try {
            const answer = await fetch(ours + path, request);
            got[name] = answer.type === 'opaque' ? 'opaque' : await answer.text();
        } catch (error) { got[name] = 'refused'; }
    };
    await ask('read', '/page/v1/call', {method: 'POST', body, credentials: 'include'});
    const plain = {'content-type': 'text/plain'};
    await ask('simple', '/page/v1/call', {method: 'POST', body, mode: 'no-cors', headers: plain});
    await ask('json', '/page/v1/call', {method: 'POST', body, headers: {'content-type': 'application/json'}});
    await ask('sign in', '/page/v1/sign-in', {method: 'POST', body: '{"code":"code_0"}', mode: 'no-cors'});
    await ask('index', '/', {});
    await ask('events', '/page/v1/events?workspace=/', {});
    got.kept = JSON.stringify({...localStorage}) + document.cookie;
    const frame = document.createElement('iframe');
    frame.src = ours + '/';
    document.body.append(frame);
    await new Promise(done => { frame.onload = done; setTimeout(done, 3000); });
    try { got.frame = frame.contentDocument ? 'empty' : 'closed'; } catch { got.frame = 'closed'; }
    const script = document.createElement('script');
    script.src = ours + '/page/v1/call';
    document.body.append(script);
    await new Promise(done => { script.onerror = script.onload = done; });
    const form = document.createElement('form');
    form.method = 'POST'; form.action = ours + '/page/v1/call'; form.enctype = 'text/plain'; form.target = 'other';
    const field = document.createElement('input');
    field.name = body.slice(0, -1) + ',"x":"'; field.value = '"}';
    form.append(field); document.body.append(form);
    const other = window.open('about:blank', 'other');
    form.submit();
    await new Promise(done => setTimeout(done, 500));
    try { got.form = other.document.body.innerText; } catch { got.form = 'closed'; }
    other?.close();
    return got;
}"""


def test_W07_a_page_on_another_port_gets_no_credential_and_decides_nothing(visit: Visit) -> None:
    page = visit.sign_in()
    waiting = visit.stage({"type": "create", "path": "new.txt", "content": "x\n"}, title="Say x")
    key = json.loads(page.evaluate("localStorage.getItem('workroom.key')"))["key"]
    with elsewhere() as site:
        site.served["/"] = "<!doctype html><title>dev server</title><body>hello"
        other = visit.context.new_page()  # the same browser, where the page is signed in
        other.goto(site.url)
        got = other.evaluate(TRIES, {"ours": visit.url, "waiting": waiting})
        other.close()
        told = json.dumps(got) + json.dumps(site.asked)
    assert {got[name] for name in ("read", "json", "index", "events")} == {"refused"}
    assert {got[name] for name in ("simple", "sign in")} <= {"opaque", "refused"}
    assert key not in told
    assert "workroom.key" not in got["kept"]
    assert (got["frame"], got["form"]) == ("closed", "closed")
    assert all("authorization" not in headers and "cookie" not in headers for _, headers in site.asked)
    assert [row["id"] for row in visit.ask("pending")["pending"]] == [waiting]
    assert not (visit.room.folder / "new.txt").exists()


def test_names_are_shown_for_what_they_are(visit: Visit) -> None:
    """A name that turns its letters round, or hides some, doesn't pass for another anywhere."""
    name, shown = "a\u202etxt.exe", r"a\u202etxt.exe"
    visit.ask("mode", mode="auto")
    visit.ask("settings.set", key="destructive_edits", value="allow")
    visit.write(name, "one\n")
    page = visit.sign_in()
    page.get_by_role("treeitem", name=shown).click()
    expect(page.get_by_role("tab", name=shown)).to_be_visible()
    page.get_by_role("textbox", name=f"Text of {shown}").click()
    page.keyboard.type("typed ")
    page.get_by_role("button", name="Close the tab").click()
    expect(page.get_by_text(f"{shown} has changes that aren't saved.")).to_be_visible()
    visit.edit({"type": "rewrite", "path": name, "content": "two\n"}, name="a\u202egent")
    expect(page.get_by_role("alert")).to_contain_text(r"a\u202egent changed this file")
    page.get_by_role("button", name="Merge…").click()
    expect(page.get_by_role("heading", name=f"Merge {shown}")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Take theirs").click()
    visit.edit({"type": "delete", "path": name})
    expect(page.get_by_text(f"{shown} is gone")).to_be_visible()
    assert "\u202e" not in page.locator("body").inner_text()
    assert page.locator("[aria-label*='\u202e'], [title*='\u202e'], [alt*='\u202e']").count() == 0
