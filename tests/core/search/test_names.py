"""The kept names of a root: the same as a walk's, whatever happens in between, and read again only where they are."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import threading

import pytest

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.search.listing import Options, Tally, walk
from workroom.core.search.names import Names
from workroom.core.search.tracked import tracked_paths
from workroom.system.root import Root
from workroom.system.watching import Watcher

SETTLED = 0.15
"""Seconds after which a folder can't change unseen."""


@pytest.fixture
def root(tmp_path):
    with Root.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def names(root):
    made = Names(root)
    yield made
    made.forget()


def files(names, **options):
    return list(names.listing(**options).paths)


def rest(seconds=SETTLED):
    threading.Event().wait(seconds)


def write(tmp_path, *paths, text="x"):
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)


def walked(root):
    tally = Tally()
    found = walk(root, ".", Options(depth=None, budget=10**6), tally)
    return [each.path for each in found if each.kind is not Kind.DIRECTORY], tally


def test_they_are_a_walks_in_its_order(tmp_path, root, names):
    write(tmp_path, "b/two", "b/a/one", "a.txt", "c", "b.x", ".git/config", ".agentic/x", "d/kept.log", "d/skip.log")
    write(tmp_path, "d/.gitignore", text="!kept.log\n")
    write(tmp_path, ".gitignore", text="*.log\nbuild/\n")
    write(tmp_path, "build/out", ".workroom-stage-1")
    os.symlink("a.txt", tmp_path / "link")
    expected, tally = walked(root)
    for _ in range(2):
        found = names.listing().tally
        assert files(names) == expected
        assert (found.apart, found.ignored, found.cut) == (tally.apart, tally.ignored, False)
        rest()


def test_a_folder_is_read_again_only_when_it_is_another(tmp_path, names):
    write(tmp_path, "a/one", "b/two")
    rest()
    assert files(names) == ["a/one", "b/two"]
    assert names.read == 3
    write(tmp_path, "a/three")
    (tmp_path / "b/two").write_text("changed")
    rest()
    assert files(names) == ["a/one", "a/three", "b/two"]
    assert names.read == 4
    assert files(names) == ["a/one", "a/three", "b/two"]
    assert names.read == 4


def test_what_changed_just_now_is_read_again(tmp_path, names):
    write(tmp_path, "a/one")
    files(names)
    before = names.read
    files(names)
    assert names.read > before
    os.utime(tmp_path / "a", (1_700_000_000, 1_700_000_000))
    files(names)
    rest()
    before = names.read
    files(names)
    assert names.read > before, "times in whole seconds say less"


def test_an_ignore_file_that_says_something_else_counts_at_once(tmp_path, names):
    write(tmp_path, "a/x.log", "a/y", "b/x.log")
    write(tmp_path, ".gitignore", text="*.log\n")
    rest()
    assert files(names) == [".gitignore", "a/y"]
    (tmp_path / ".gitignore").write_text("*.lo_\n")
    assert files(names) == [".gitignore", "a/x.log", "a/y", "b/x.log"]
    write(tmp_path, "a/.gitignore", text="y\n")
    assert files(names) == [".gitignore", "a/.gitignore", "a/x.log", "b/x.log"]
    (tmp_path / "a/.gitignore").write_text("\n")
    assert "a/y" in files(names)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_they_are_what_a_walk_finds(tmp_path, root, names, seed):
    chance = random.Random(seed)
    write(tmp_path, *(f"{a}/{b}" for a in "abc" for b in "xyz"))
    for turn in range(30):
        path = tmp_path / chance.choice("abcd") / chance.choice("wxyz")
        act = chance.randrange(5)
        if act == 0 and path.is_file():
            path.unlink()
        elif act == 1 and path.parent.is_dir():
            path.parent.rename(tmp_path / f"moved-{turn}")
        elif act == 2:
            (tmp_path / ".gitignore").write_text(chance.choice(["", "x\n", "a/\n", "!z\nz\n"]))
        elif not path.is_dir() and not path.is_file():
            path.mkdir(parents=True) if act == 3 else write(tmp_path, str(path.relative_to(tmp_path)))
        if not chance.randrange(8):
            rest()
        assert files(names) == walked(root)[0]


def test_what_can_not_be_read_is_counted(tmp_path, names):
    write(tmp_path, "a/one", "b/two")
    rest()
    files(names)

    class Replaces(Pulse):
        """Another program puts a link in a folder's place, once its name was seen."""

        def beat(self, done, total=None):
            if (tmp_path / "b").is_dir() and not (tmp_path / "b").is_symlink():
                (tmp_path / "b/two").unlink()
                (tmp_path / "b").rmdir()
                os.symlink("a", tmp_path / "b")

    listing = names.listing(Replaces())
    assert (listing.paths, listing.tally.unreadable) == (("a/one",), 1)


def test_a_root_that_is_gone_is_told(tmp_path):
    (tmp_path / "ws").mkdir()
    opened = Root.open(tmp_path / "ws")
    names = Names(opened)
    opened.close()
    with pytest.raises(WorkroomError):
        files(names)
    names.forget()


def test_it_takes_no_longer_than_it_may(tmp_path, names):
    write(tmp_path, "a/one", "b/two")
    assert files(names, seconds=-1) == []
    assert names.listing(seconds=-1).tally.cut is True
    assert files(names) == ["a/one", "b/two"]


def test_names_that_nobody_asks_for_are_let_go(tmp_path, root):
    write(tmp_path, "a/one")
    rest()
    names = Names(root, seconds=0.3)
    files(names)
    rest(0.2)
    files(names)
    assert names.read == 2
    rest(0.2)
    files(names)
    assert names.read == 2, "it was asked for meanwhile"
    rest(0.8)
    files(names)
    assert names.read == 4
    names.forget()


def test_what_git_tracks_is_kept_as_long_as_its_index_is_the_same(tmp_path, root, names):
    assert names.tracked() is None
    write(tmp_path, "a", "b")
    for arguments in (("init", "-q"), ("add", "a")):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True)
    assert names.tracked() == tracked_paths(root) == ["a"]
    rest()
    first = names.tracked()
    assert names.tracked() is first
    subprocess.run(["git", "-C", str(tmp_path), "add", "b"], check=True, capture_output=True)
    assert names.tracked() == ["a", "b"]


# With a watch.


@pytest.fixture
def watched(root):
    """Names with all that a watcher has heard, and the way to have a folder watched."""
    with contextlib.closing(Watcher(lambda *_: None, lambda: None)) as watcher:

        def watch(*folders):
            for folder in folders:
                with root.folder(folder) as descriptor:
                    assert watcher.add(descriptor, folder)

        made = Names(root, lambda: watcher.hearing if watcher.hear_all(20) else None)
        yield made, watch, watcher
        made.forget()


def believed(names):
    """Look at all that has to be looked at, then at nothing."""
    names.listing()
    names.listing()
    looked = names.looked
    names.listing()
    return names.looked == looked


def test_a_watched_folder_is_not_looked_at_until_something_is_heard_of_it(tmp_path, watched):
    names, watch, _ = watched
    write(tmp_path, "a/one", "b/two", "b/c/three")
    watch(".", "a", "b", "b/c")
    assert believed(names)
    first = names.listing()
    looked = names.looked
    assert names.listing() is first
    write(tmp_path, "b/new")
    assert files(names) == ["a/one", "b/c/three", "b/new", "b/two"]
    assert names.looked == looked + 1
    (tmp_path / "b/new").unlink()
    assert files(names) == list(first.paths)
    (tmp_path / "a/one").write_text("changed")
    looked = names.looked
    names.listing()
    assert names.looked == looked, "no name is another"


def test_a_name_that_came_and_went_leaves_the_listing_as_it_was(tmp_path, watched):
    names, watch, _ = watched
    write(tmp_path, "a/one")
    watch(".", "a")
    assert believed(names)
    first = names.listing()
    write(tmp_path, "a/.workroom-stage-1")
    os.replace(tmp_path / "a/.workroom-stage-1", tmp_path / "a/one")
    assert names.listing() is first


def test_what_has_been_made_of_a_listing_is_handed_on(tmp_path, names):
    write(tmp_path, "a/one")
    names.listing().made["x"] = 1
    write(tmp_path, "a/two")
    assert names.listing().made == {"x": 1}
    names.forget()
    assert names.listing().made == {}


def test_a_folder_that_nobody_watches_is_looked_at_each_time(tmp_path, watched):
    names, watch, _ = watched
    write(tmp_path, "a/one", "b/two")
    watch(".", "a")
    assert not believed(names)
    write(tmp_path, "b/three")
    assert files(names) == ["a/one", "b/three", "b/two"]
    write(tmp_path, "a/new/x")
    assert "a/new/x" in files(names)
    write(tmp_path, "a/new/y")
    assert "a/new/y" in files(names), "a folder that has just come isn't watched yet"


def test_another_folder_in_the_place_of_a_watched_one_is_looked_at(tmp_path, watched):
    names, watch, _ = watched
    write(tmp_path, "a/b/one", "other/b/two")
    watch(".", "a", "a/b", "other", "other/b")
    assert believed(names)
    (tmp_path / "a").rename(tmp_path / "was")
    (tmp_path / "other").rename(tmp_path / "a")
    assert files(names) == ["a/b/two", "was/b/one"]
    write(tmp_path, "a/b/three")
    assert files(names) == ["a/b/three", "a/b/two", "was/b/one"]
    (tmp_path / "a").rename(tmp_path / "x")
    (tmp_path / "was").rename(tmp_path / "a")
    assert files(names) == ["a/b/one", "x/b/three", "x/b/two"]


def test_ignore_files_are_read_each_time(tmp_path, watched):
    """One that has another name elsewhere, and git's own, change without a word."""
    names, watch, _ = watched
    write(tmp_path, "a/x.log", "a/y", "a/.gitignore", ".git/info/exclude", text="")
    elsewhere = tmp_path.parent / "rules"
    os.link(tmp_path / "a/.gitignore", elsewhere)
    watch(".", "a")
    assert believed(names)
    elsewhere.write_text("*.log\n")
    assert files(names) == ["a/.gitignore", "a/y"]
    (tmp_path / ".git/info/exclude").write_text("y\n")
    assert files(names) == ["a/.gitignore"]


def test_after_lost_events_everything_is_looked_at(tmp_path, watched):
    names, watch, watcher = watched
    write(tmp_path, "a/one")
    watch(".", "a")
    assert believed(names)
    watcher.hearing.lose()
    assert not believed(names)
    watch(".", "a")
    assert believed(names)
    watcher.hearing.doubt()
    looked = names.looked
    names.listing()
    assert names.looked == looked + 2


def test_a_folder_that_can_not_be_read_any_more(tmp_path, watched):
    names, watch, _ = watched
    write(tmp_path, "a/one", "b/two")
    watch(".", "a", "b")
    assert believed(names)
    (tmp_path / "b/two").unlink()
    (tmp_path / "b").rmdir()
    os.symlink("a", tmp_path / "b")
    assert files(names) == ["a/one", "b"]


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_while_it_is_watched_they_are_what_a_walk_finds(tmp_path, root, watched, seed):
    names, watch, _ = watched
    chance = random.Random(seed)
    write(tmp_path, *(f"{a}/{b}" for a in "abc" for b in "xyz"))
    watch(".", "a", "b", "c")
    for turn in range(60):
        path = tmp_path / chance.choice("abcd") / chance.choice("wxyz")
        act = chance.randrange(6)
        if act == 0 and path.is_file():
            path.unlink()
        elif act == 1 and path.parent.is_dir():
            path.parent.rename(tmp_path / f"moved-{turn}")
        elif act == 2:
            (tmp_path / ".gitignore").write_text(chance.choice(["", "x\n", "a/\n", "!z\nz\n"]))
        elif act == 3:
            watch(*(each.name for each in tmp_path.iterdir() if each.is_dir() and chance.random() < 0.8))
        elif not path.is_dir() and not path.is_file():
            path.mkdir(parents=True) if act == 4 else write(tmp_path, str(path.relative_to(tmp_path)))
        assert files(names) == walked(root)[0]


def test_what_lies_deep_and_is_much_fills_no_memory(tmp_path, root):
    deep = "/".join("d" * 200 for _ in range(15))
    write(tmp_path, "a", f"{deep}/b", f"{deep}/c", "z/e")
    names = Names(root, held=20_000)
    found = names.listing()
    assert (found.tally.cut, found.paths[0], len(found.paths)) == (True, "a", 1)
    assert names.listing() is not found
    names.forget()
    whole = Names(root, held=40_000)
    assert not whole.listing().tally.cut
    whole.forget()


def test_for_a_first_look_the_upper_folders_come_first(tmp_path, root):
    write(tmp_path, *(f"a/b/c/{number}/x" for number in range(150)), "z/y", "top")
    names = Names(root)
    assert "z/y" in names.listing(seconds=60, wide=True).paths
    assert files(names) == walked(root)[0], "what it has found whole is kept, in order"
    names.forget()
    for seconds in (0.001, 0.0001, 0):
        found = Names(root).listing(seconds=seconds, wide=True)
        depths = [path.count("/") for path in found.folders if path != "."]
        assert found.tally.cut or len(depths) == 154
        assert max(depths, default=0) <= 3


def test_for_a_first_look_a_part_of_a_large_folder_will_do(tmp_path, root):
    (tmp_path / "many").mkdir()
    at = os.open(tmp_path / "many", os.O_RDONLY)
    for number in range(100_010):
        os.close(os.open(f"{number}", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    write(tmp_path, "many/.gitignore", text="*7\n")
    names = Names(root)
    found = names.listing(wide=True)
    assert found.tally.cut
    assert not [path for path in found.paths if path.endswith("7")]
    assert len(names.listing().paths) == 90_010
    assert names.listing(wide=True) is names.listing()
    names.forget()
