"""Pictures are shown, other bytes are said to be what they are, and nothing of either acts."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.page.test_attacks import SVG, elsewhere
from tests.page.test_files import item, text_of

DRAWING = SVG.replace("<svg ", '<svg width="30" height="20" ')
BITMAP = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 58, 0, 0, 54, 40, 1, 1, 1, 24, 0, 4, 0, 0, 0, 0) + b"\0\0\xff\0"
TIMES = "\N{MULTIPLICATION SIGN}"
OTHERS = {
    "gif": base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
    "webp": base64.b64decode("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
    "bmp": BITMAP,
}  # fmt: skip


def png(width: int, height: int) -> bytes:
    """A picture of this size, all of it half transparent red."""
    rows = (b"\0" + b"\xff\0\0\x80" * width) * height

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def put(visit: Visit, path: str, data: bytes) -> None:
    target = Path(visit.room.folder, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def freed(visit: Visit) -> None:
    """Let an agent overwrite, without asking."""
    visit.ask("mode", mode="auto")
    visit.ask("settings.set", key="destructive_edits", value="allow")


def picture(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Picture").get_by_role("img", name=name)


def width_of(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box is not None
    return box["width"]


def test_a_picture_is_shown_with_its_size_fitting_or_in_full(visit: Visit) -> None:
    put(visit, "wide.png", png(3000, 40))
    page = visit.sign_in()
    item(page, "wide.png").click()
    shown = picture(page, "wide.png")
    expect(page.get_by_text(f"image/png · 3,000 {TIMES} 40 pixels")).to_be_visible()
    expect(page.get_by_role("group", name="Shown file")).to_contain_text("image/png")
    assert width_of(shown) < 1000
    page.get_by_role("button", name="100 %").click()
    expect(page.get_by_role("button", name="100 %", pressed=True)).to_be_visible()
    assert width_of(shown) == 3000
    page.get_by_role("button", name="Fit").click()
    expect(page.get_by_role("button", name="Fit", pressed=True)).to_be_visible()
    assert width_of(shown) < 1000


@pytest.mark.parametrize("kind", sorted(OTHERS))
def test_what_a_picture_is_its_bytes_say_and_not_its_name(visit: Visit, kind: str) -> None:
    put(visit, "data.bin", OTHERS[kind])
    put(visit, "no.png", b"\0\1\2\3")
    page = visit.sign_in()
    item(page, "data.bin").click()
    expect(picture(page, "data.bin")).to_be_visible()
    expect(page.get_by_text(f"image/{kind} · 1 {TIMES} 1 pixels · {len(OTHERS[kind])} bytes")).to_be_visible()
    item(page, "no.png").click()
    expect(page.get_by_role("main").get_by_text("A binary file")).to_be_visible()


def test_a_picture_follows_what_others_make_of_it(visit: Visit) -> None:
    freed(visit)
    put(visit, "a.png", png(3, 2))
    put(visit, "other.png", png(5, 4))
    page = visit.sign_in()
    item(page, "a.png").click()
    expect(page.get_by_text(f"3 {TIMES} 2 pixels")).to_be_visible()
    visit.edit({"type": "copy", "from": "other.png", "to": "a.png", "overwrite": True})
    expect(page.get_by_text(f"5 {TIMES} 4 pixels")).to_be_visible()
    visit.edit({"type": "move", "from": "a.png", "to": "deep/b.png"})
    expect(picture(page, "b.png")).to_be_visible()
    visit.edit({"type": "delete", "path": "deep/b.png"})
    expect(page.get_by_text("deep/b.png is gone")).to_be_visible()
    expect(page.get_by_text("tester deleted or moved it")).to_be_visible()
    visit.ask("undo")
    expect(picture(page, "b.png")).to_be_visible()


def test_a_damaged_picture_and_one_that_is_too_large_say_so(visit: Visit) -> None:
    put(visit, "half.png", png(200, 200)[:20])
    put(visit, "vast.png", png(1, 1) + bytes(20 * 1024 * 1024))
    page = visit.sign_in()
    item(page, "half.png").click()
    expect(page.get_by_text("The picture can't be shown")).to_be_visible()
    item(page, "vast.png").click()
    expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("the limit is 20,971,520")


def test_other_bytes_are_said_to_be_what_they_are(visit: Visit) -> None:
    freed(visit)
    put(visit, "data.bin", bytes(range(256)) * 20)
    put(visit, "box.zip", b"PK\3\4\0\0")
    page = visit.sign_in()
    item(page, "data.bin").click()
    main = page.get_by_role("main")
    expect(main.get_by_text("A binary file", exact=True)).to_be_visible()
    expect(main).to_contain_text("5.12 kB (5,120 bytes)")
    expect(main).to_contain_text("renamed, moved and deleted in the tree")
    item(page, "box.zip").click()
    expect(main.get_by_text("A binary file: ZIP archive")).to_be_visible()
    visit.edit({"type": "create", "path": "box.zip", "content": "now a text\n", "overwrite": True})
    expect(text_of(page, "box.zip")).to_contain_text("now a text")


def test_a_drawing_is_a_picture_and_a_text_and_never_acts(visit: Visit) -> None:
    visit.write("evil.svg", DRAWING)
    page = visit.sign_in()
    item(page, "evil.svg").click()
    expect(text_of(page, "evil.svg")).to_contain_text("window.acted")
    page.get_by_role("button", name="Picture").click()
    shown = picture(page, "evil.svg")
    expect(page.get_by_text(f"image/svg+xml · 30 {TIMES} 20 pixels")).to_be_visible()
    assert page.evaluate("window.acted") is None
    address = shown.get_attribute("src")
    assert address is not None
    assert address.startswith("data:image/svg+xml;base64,")
    opened = visit.context.new_page()  # as by "Open image in new tab"
    opened.goto(address)
    assert opened.evaluate("window.origin") == "null"
    with pytest.raises(Exception, match="SecurityError"):
        opened.evaluate("localStorage.length")
    opened.close()


def test_no_bytes_of_the_folder_have_an_address_that_shows_them(visit: Visit) -> None:
    visit.write("evil.svg", DRAWING)
    page = visit.sign_in()
    item(page, "evil.svg").click()
    expect(text_of(page, "evil.svg")).to_be_visible()
    opened = visit.context.new_page()
    for path in ("/page/v1/bytes", "/page/v1/bytes?path=evil.svg", "/evil.svg", "/page/v1/bytes/evil.svg"):
        answer = opened.goto(visit.url + path)
        assert answer is not None
        assert answer.status in {401, 404, 405}
        assert opened.evaluate("window.acted") is None
        assert opened.locator("svg").count() == 0
    opened.close()


def test_markdown_shows_pictures_of_the_folder_and_none_from_elsewhere(visit: Visit) -> None:
    freed(visit)
    put(visit, "docs/a b.png", png(7, 5))
    put(visit, "top.png", png(6, 4))
    visit.write("docs/evil.svg", DRAWING)
    with elsewhere() as site:
        visit.write(
            "docs/read.md",
            "![near](a%20b.png) ![up](../top.png) ![root](/top.png) ![drawing](./evil.svg)\n\n"
            f"![far]({site.url}/x.png) ![cheap](//127.0.0.1:{site.port}/y.png) ![out](../../x.png)\n\n"
            "![gone](gone.png) ![data](data:image/png;base64,AAAA) ![text](read.md) ![sly](..%2f..%2fx.png)\n",
        )
        page = visit.sign_in()
        item(page, "docs").click()
        item(page, "read.md").click()
        page.get_by_role("button", name="Preview").click()
        preview = page.get_by_role("region", name="Preview")
        for name in ("near", "up", "root", "drawing"):
            expect(preview.get_by_role("img", name=name)).to_be_visible()
        near = preview.get_by_role("img", name="near")
        assert near.evaluate("(one) => [one.naturalWidth, one.naturalHeight]") == [7, 5]
        for name in ("far", "cheap", "out", "sly"):
            told = f"[picture: {name}, which isn't of this folder and wasn't fetched]"
            expect(preview.get_by_text(told)).to_be_visible()
        expect(preview.get_by_text("[picture: gone, which can't be shown: ")).to_be_visible()
        expect(preview.get_by_text("[picture: text, which can't be shown: ")).to_be_visible()
        expect(preview.locator("img")).to_have_count(4)
        assert site.asked == []
        assert page.evaluate("window.acted") is None
        put(visit, "other.png", png(9, 8))
        visit.edit(
            {"type": "copy", "from": "other.png", "to": "docs/a b.png", "overwrite": True},
            {"type": "create", "path": "docs/read.md", "content": "![near](a%20b.png)\n", "overwrite": True},
        )
        expect(preview.locator("img")).to_have_count(1)
        assert near.evaluate("(one) => [one.naturalWidth, one.naturalHeight]") == [9, 8]
