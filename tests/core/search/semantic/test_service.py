"""Questions to a folder: answered from what stands on disk, brought along, and honest about the rest."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

import apsw
import pytest
from tests.embedder import Embedder

from workroom.base.errors import WorkroomError
from workroom.base.pulse import Pulse
from workroom.base.settings import Settings
from workroom.core.search.semantic.build import LARGEST
from workroom.core.search.semantic.service import Semantic
from workroom.core.search.semantic.table import Table

COPY = '''def duplicate(source, target):
    """Copy a folder with everything below it."""
    return target
'''
MUSIC = '''def play(song):
    """Make a sound with the speakers."""
    return song
'''


@pytest.fixture
def room(house):
    """A folder that is watched, with a few files."""
    house.write("src/copying.py", COPY)
    house.write("src/music.py", MUSIC)
    house.write("README.md", "# Shop\n\nSells letters by mail.\n")
    house.workspace.watch.start()
    house.workspace.semantic.start()
    assert house.workspace.watch.looked(30)
    return house


@pytest.fixture
def server():
    running = Embedder()
    yield running
    running.close()


def ask(house, question, path=".", limit=3):
    return house.workspace.semantic.ask(question, path, limit)


def paths(answer):
    return [result.path for result in answer.results]


def table(house):
    return house.store_folder / "meaning" / "meaning.db"


def test_a_place_with_its_symbol_and_why(room):
    answer = ask(room, "clone a directory and what is below it", limit=1)
    (result,) = answer.results
    assert (result.path, result.start, result.end, result.symbol) == ("src/copying.py", 1, 3, "duplicate")
    assert result.lines == tuple(COPY.split("\n")[:3])
    assert (result.by, result.said) == ("both", ("below",))
    assert (answer.indexed, answer.pending, answer.left, answer.large) == (3, 0, 0, 0)
    assert (answer.more, answer.unknown, answer.stale, answer.notes) == (True, False, 0, ())


def test_nothing_is_built_before_the_first_question(room):
    assert not table(room).exists()
    ask(room, "anything")
    assert table(room).exists()
    assert not (room.folder / "meaning").exists()


def test_what_changes_is_brought_along(room):
    assert paths(ask(room, "send a letter"))[0] == "README.md"
    room.write("src/post.py", "def send(letter):\n    return letter\n")
    os.unlink(room.folder / "README.md")
    found = paths(ask(room, "send a letter"))
    assert found[0] == "src/post.py"
    assert "README.md" not in found


def test_what_changes_while_it_is_built_is_brought_along_too(room):
    for number in range(200):
        room.write(f"many/{number}.py", "".join(f"def f{n}(x):\n    return {n}\n" for n in range(12)))
    assert room.workspace.watch.looked(30)
    first = threading.Thread(target=ask, args=(room, "anything"))
    first.start()
    deadline = time.monotonic() + 30
    while not ids(room):  # it is past its walk, so it doesn't know of what comes now
        assert time.monotonic() < deadline
    room.write("src/post.py", "def send(letter):\n    return letter\n")
    assert paths(ask(room, "send a letter", limit=1)) == ["src/post.py"]
    first.join()


def test_without_a_change_nothing_is_built_again(room):
    ask(room, "anything")
    deadline = time.monotonic() + 30
    while True:  # on a busy machine the watch may not have heard all in time, and then it is built again
        before = table(room).stat().st_mtime_ns, (table(room).parent / "meaning.db-wal").exists()
        began = time.monotonic()
        ask(room, "something else")
        if time.monotonic() - began < 0.2:
            break
        assert time.monotonic() < deadline
    assert (table(room).stat().st_mtime_ns, (table(room).parent / "meaning.db-wal").exists()) == before


def test_only_below_a_folder(room):
    assert set(paths(ask(room, "letters by mail", "src"))) == {"src/copying.py", "src/music.py"}
    assert paths(ask(room, "letters by mail", "src/music.py")) == ["src/music.py"]


def test_a_folder_of_which_nothing_is_indexed_is_told(room):
    room.write(".gitignore", "built/\n")
    room.write("built/a.py", COPY)
    answer = ask(room, "copy", "built")
    assert (answer.results, answer.notes[0].split(":")[0]) == ((), "Nothing there is indexed")


def test_few_of_one_file(room):
    room.write("src/many.py", "".join(f"def copy_{n}(folder):\n    pass\n\n\n" for n in range(9)))
    assert paths(ask(room, "copy a folder", limit=5)).count("src/many.py") == 2
    assert paths(ask(room, "copy a folder", "src/many.py", limit=5)).count("src/many.py") == 5


def test_state_folders_only_when_they_are_named(room):
    room.write(".agentic/notes/plan.md", "We copy the folder tomorrow.\n")
    assert ".agentic/notes/plan.md" not in paths(ask(room, "copy the folder tomorrow", limit=10))
    assert paths(ask(room, "copy the folder tomorrow", ".agentic/notes")) == [".agentic/notes/plan.md"]
    room.write(".agentic/notes/plan.md", "We play music tomorrow.\n")
    result = ask(room, "music", ".agentic").results[0]
    assert result.lines[0] == "We play music tomorrow."


def test_what_is_another_by_now_is_left_out(house):
    """Nothing is heard here, and the question doesn't wait: the table is behind."""
    house.write("a.py", COPY)
    house.write("b.py", MUSIC)
    ears = Ears()
    semantic = Semantic(
        house.workspace.root, house.store_folder / "m", house.grammars, ears, lambda: house.settings, wait=60
    )
    assert [result.path for result in semantic.ask("copy a folder", ".", 5).results] == ["a.py", "b.py"]
    house.write("a.py", "# nothing of that\n" + COPY)
    os.unlink(house.folder / "b.py")
    answer = semantic.ask("copy a folder", ".", 5)
    assert (answer.results, answer.stale) == ((), 2)
    semantic.stop()


class Ears:
    """Ears to which nothing ever comes, and that are sure of it."""

    def listen(self, hear, lost):
        self.hear, self.lost = hear, lost

    def heard_all(self):
        return True


def test_a_question_does_not_wait_for_ever(house):
    for number in range(300):
        house.write(f"{number}.py", "".join(f"def f{n}(x):\n    return {n}\n" for n in range(20)))
    semantic = Semantic(
        house.workspace.root, house.store_folder / "m", house.grammars, Ears(), lambda: house.settings, wait=0.01
    )
    told = []
    began = time.monotonic()
    answer = semantic.ask("return", ".", 5, Pulse(lambda done, total: told.append((done, total))))
    assert time.monotonic() - began < 5
    assert answer.unknown or answer.pending
    assert told
    semantic.stop()


def test_a_part_is_answered_from_while_the_rest_is_read(house):
    for number in range(600):
        house.write(f"{number:04}.py", "".join(f"def f{n}(x):\n    return {n}\n" for n in range(12)))
    semantic = Semantic(
        house.workspace.root, house.store_folder / "m", house.grammars, Ears(), lambda: house.settings, wait=0.5
    )
    seen = []
    while not seen or seen[-1].pending or seen[-1].unknown:
        seen.append(semantic.ask("return", ".", 5))
    assert any(answer.results and answer.pending for answer in seen)
    assert (seen[-1].indexed, seen[-1].pending) == (600, 0)
    semantic.stop()


def test_the_end_of_a_folder_ends_what_is_built(house):
    for number in range(800):
        house.write(f"{number}.py", "".join(f"def f{n}(x):\n    return {n}\n" for n in range(50)))
    semantic = Semantic(
        house.workspace.root, house.store_folder / "m", house.grammars, Ears(), lambda: house.settings, wait=0.01
    )
    semantic.ask("return", ".", 5)
    began = time.monotonic()
    semantic.stop()
    assert time.monotonic() - began < 5
    assert semantic.ask("return", ".", 5).indexed < 800


def test_what_does_not_fit_is_told_and_comes_when_it_is_named(room):
    room.settings = Settings(semantic_max_bytes=len(COPY) + len(MUSIC) + 60)
    room.write("zoo/animals.md", "Lions and elephants.\n" + "x" * 100)
    room.write("large.txt", "x" * (LARGEST + 1))
    answer = ask(room, "elephants")
    assert (answer.left, answer.large) == (1, 1)
    assert "zoo/animals.md" not in paths(answer)
    assert paths(ask(room, "elephants", "zoo")) == ["zoo/animals.md"]


@pytest.mark.parametrize("kept", [0, 4096])
def test_a_torn_table_is_built_anew(room, kept):
    """Also where its head is still whole."""
    ask(room, "anything")
    room.reopen()
    room.workspace.watch.start()
    room.workspace.semantic.start()
    room.workspace.watch.looked(30)
    data = table(room).read_bytes()
    table(room).write_bytes(data[:kept] + b"torn" * ((len(data) - kept) // 4))
    seen = [ask(room, "copy a folder"), ask(room, "copy a folder")]
    assert paths(seen[1])[0] == "src/copying.py"
    assert all(answer.results or "is torn" in " ".join(answer.notes) for answer in seen)
    assert seen[1].notes == ()


def test_it_is_taken_up_again(room):
    ask(room, "anything")
    before = ids(room)
    room.reopen()
    room.workspace.watch.start()
    room.workspace.semantic.start()
    assert paths(ask(room, "copy a folder"))[0] == "src/copying.py"
    assert ids(room) == before


def ids(house):
    try:
        opened = Table(str(table(house).parent))
    except apsw.CantOpenError:
        return []
    try:
        return sorted(number for number, _, _ in opened.known().values())
    finally:
        opened.close()


def open_files():
    found = set()
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.add(Path(os.readlink(f"/proc/self/fd/{descriptor}")))
    return found


def test_what_is_in_memory_is_let_go(house):
    house.write("a.py", COPY)
    semantic = Semantic(
        house.workspace.root, house.store_folder / "m", house.grammars, Ears(), lambda: house.settings, wait=60, kept=0
    )
    semantic.ask("copy a folder", ".", 1)
    deadline = time.monotonic() + 30
    while house.store_folder / "m" / "meaning.db" in open_files():
        assert time.monotonic() < deadline
    assert [result.path for result in semantic.ask("copy a folder", ".", 1).results] == ["a.py"]
    semantic.stop()


def test_a_program_that_cannot_build_is_told(room):
    (room.store_folder / "meaning").write_text("in the way")
    answer = ask(room, "anything")
    assert answer.results == ()
    assert "can't be brought along" in answer.notes[0]


# The person's endpoint.


def endpoint(house, server, **more):
    house.settings = Settings(embeddings_url=server.url, embeddings_model="small", **more)


def test_vectors_of_the_endpoint(room, server, tmp_path):
    key = tmp_path / "key"
    key.write_text("the-key")
    key.chmod(0o600)
    endpoint(room, server, embeddings_key=f"file:{key}")
    answer = ask(room, "post", limit=1)
    assert (paths(answer), answer.notes) == (["README.md"], ())
    texts = [text for _, _, body in server.seen for text in body["input"]]
    assert {text.split("\n")[0] for text in texts} == {"src/copying.py", "src/music.py", "README.md", "post"}
    assert {sent for _, sent, _ in server.seen} == {"Bearer the-key"}
    kept = b"".join(file.read_bytes() for file in room.store_folder.rglob("*") if file.is_file())
    assert b"the-key" not in kept


def test_only_what_is_new_is_sent(room, server):
    endpoint(room, server)
    ask(room, "mail")
    sent = len(server.seen)
    room.write("new.md", "music\n")
    ask(room, "song")
    texts = [text for _, _, body in server.seen[sent:] for text in body["input"]]
    assert texts == ["new.md\nmusic", "song"]


@pytest.mark.parametrize("limit", [0, 1])
def test_an_endpoint_that_fails_is_told_and_replaced(room, server, limit):
    """At once, or when it is asked for the question's own vector."""
    server.limit = limit
    endpoint(room, server)
    answer = ask(room, "clone a directory", limit=1)
    assert paths(answer) == ["src/copying.py"]
    assert any("can't be asked: it answered 503" in note and "local vectors" in note for note in answer.notes)
    server.limit = None
    room.write("new.md", "text\n")
    assert ask(room, "mail").notes == ()


def test_a_failed_endpoint_is_tried_again(house, server):
    house.write("a.md", "mail\n")
    endpoint(house, server)
    server.status = 500
    semantic = Semantic(
        house.workspace.root, house.store_folder / "m", house.grammars, Ears(), lambda: house.settings, wait=60, retry=0
    )
    assert semantic.ask("post", ".", 1).notes
    server.status = 200
    assert semantic.ask("post", ".", 1).notes == ()
    semantic.stop()


def test_what_is_apart_goes_to_no_endpoint(room, server):
    room.write(".git/config", "mail = https://user:token@host/\n")
    endpoint(room, server)
    answer = ask(room, "mail", path=".git", limit=1)
    assert paths(answer) == [".git/config"]
    assert server.seen == []


def test_an_endpoint_that_takes_its_time_holds_up_nothing(room, server):
    server.go.clear()
    endpoint(room, server)
    answer = ask(room, "clone a directory", limit=1)
    assert paths(answer) == ["src/copying.py"]
    assert answer.notes == ("The embeddings endpoint has made 0 of 3 vectors; the local ones were used.",)
    room.write("src/post.py", "def send(letter):\n    return letter\n")
    assert paths(ask(room, "send a letter", limit=1)) == ["src/post.py"]
    server.go.set()
    deadline = time.monotonic() + 30
    while ask(room, "mail").notes:
        assert time.monotonic() < deadline


def test_another_model_makes_other_vectors(room, server):
    endpoint(room, server)
    ask(room, "mail")
    server.width = 12
    room.settings = Settings(embeddings_url=server.url, embeddings_model="large")
    assert ask(room, "mail").notes == ()
    assert {body["model"] for _, _, body in server.seen} == {"small", "large"}
    server.width = 8
    assert "another length" in ask(room, "mail").notes[0]


def test_without_its_key_nothing_is_sent(room, server):
    endpoint(room, server, embeddings_key="env:NO_SUCH_VARIABLE")
    answer = ask(room, "clone a directory", limit=1)
    assert paths(answer) == ["src/copying.py"]
    assert "env:NO_SUCH_VARIABLE" in answer.notes[0]
    assert server.seen == []


def test_without_the_setting_nothing_is_sent(room, server):
    endpoint(room, server)
    ask(room, "mail")
    sent = len(server.seen)
    room.settings = Settings()
    room.write("new.md", "music\n")
    ask(room, "song")
    assert len(server.seen) == sent


@pytest.mark.parametrize("url", ["ftp://x/", "file:///etc", "127.0.0.1", "http://", "http://me:pass@x/"])
def test_only_the_web_is_reached(url):
    with pytest.raises(ValueError, match="is no http"):
        Settings(embeddings_url=url)


def test_a_key_is_never_a_setting():
    with pytest.raises(ValueError, match="never the key itself") as caught:
        Settings(embeddings_key="sk-1234")
    assert "env:" in str(caught.value)


def test_a_cancelled_question_ends(house):
    house.write("a.py", COPY)
    semantic = Semantic(
        house.workspace.root, house.store_folder / "m", house.grammars, Ears(), lambda: house.settings, wait=60
    )
    pulse = Pulse()
    pulse.cancel()
    with pytest.raises(WorkroomError, match="cancelled"):
        semantic.ask("anything", ".", 5, pulse)
    semantic.stop()


def test_a_cancelled_question_begins_nothing_while_it_waits_for_what_is_superseded(room, server):
    """What runs waits for the endpoint, and would be begun anew with other settings, to wait there again."""
    server.go.clear()
    endpoint(room, server)
    assert ask(room, "mail").notes
    room.settings = Settings(embeddings_url=server.url, embeddings_model="other")
    pulse = Pulse()
    pulse.cancel()
    with pytest.raises(WorkroomError, match="cancelled"):
        room.workspace.semantic.ask("mail", ".", 3, pulse)
    deadline = time.monotonic() + 10
    while any(thread.name == "workroom-meaning" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert {body["model"] for _, _, body in server.seen} == {"small"}
