"""The index beside the real ripgrep: the same answers, whatever is asked and whatever changes meanwhile."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sysconfig
import time
from pathlib import Path

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.index import manifest
from workroom.core.search.index.service import Index, Pace, ignore_file
from workroom.core.search.text import Query, search
from workroom.system.process import ripgrep

SOURCES = sorted(Path(sysconfig.get_path("stdlib")).glob("[a-j]*.py")) + sorted(
    Path(sysconfig.get_path("stdlib")).glob("[ejl]*/*.py")
)


@pytest.fixture
def indexed(house):
    """A folder with an index that is ready."""

    def begin(files=None):
        for path, data in (files or {}).items():
            house.write(path, data)
        house.workspace.watch.start()
        house.workspace.index.start()
        ready(house)
        return house.workspace

    return begin


def ready(house, seconds=60):
    """Wait until the index knows of all that was done so far."""
    assert house.workspace.watch.looked(seconds)
    assert house.workspace.index.ready(seconds), house.workspace.index.describe()


def both(workspace, query, path=".", limit=500, **options):
    """The answer with the index, which has to be the one without it."""
    with_it = search(workspace.root, path, query, limit, index=workspace.index, **options)
    without = search(workspace.root, path, query, limit, **options)
    if without.files_searched is None:
        assert (with_it.matches, with_it.files, with_it.truncated) == (without.matches, without.files, True)
        assert with_it.files_searched is None
    else:
        assert with_it == without == search(workspace.root, path, query, limit, patience=-1, **options)
    return with_it


def said(workspace, query, path="."):
    """What the index says of a query; on a busy machine it may not have heard all in time, and is asked again."""
    deadline, found = time.monotonic() + 30, None
    while found is None:
        assert time.monotonic() < deadline, workspace.index.describe()
        found = workspace.index.narrow(path, Query(query) if isinstance(query, str) else query)
    return found


def narrowed(workspace, query, path="."):
    found = said(workspace, query, path)
    return sorted([*found.texts, *found.walked])


def unsaid(workspace, query, path="."):
    """Whether the index can't say, and all files are searched."""
    return workspace.index.narrow(path, Query(query) if isinstance(query, str) else query) is None


def tree(folder):
    """A few hundred real files, and odd ones."""
    for source in SOURCES[:300]:
        target = folder / "lib" / source.relative_to(sysconfig.get_path("stdlib"))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    odd = {
        "odd/utf16.txt": "import needle in UTF-16\r\n".encode("utf-16"),
        "odd/utf16be.txt": b"\xfe\xff" + "import return".encode("utf-16-be"),
        "odd/marked.txt": "\ufeffimport with a mark\n".encode(),
        "odd/mended.txt": b"\xef\xbb\xbfimport \xff return\n",
        "odd/latin1.txt": "import caf\xe9 r\xe9sum\xe9\n".encode("latin-1"),
        "odd/utf8.txt": "import Stra\xdfe STRASSE \u212aelvin cla\u017fs return \xe9t\xe9 \xc9T\xc9\n".encode(),
        "odd/binary.bin": b"import early\n" + b"x" * 70_000 + b"\0 return late\n",
        "odd/short.bin": b"return\0\n",
        "odd/crlf.txt": b"import one\r\nreturn two\r\n",
        "odd/long.txt": b"import " + b"y" * 50_000 + b" return\n",
        "odd/dense.txt": random.Random(1).randbytes(400_000).replace(b"\0", b"a") + b"\nimport dense\n",
        "odd/empty": b"",
        "odd/we ird[1] #!{x,y}.txt": b"import weird\n",
        "-dash/-file": b"import dash\n",
        ".hidden/deep.txt": b"import hidden\n",
        ".dot": b"return hidden\n",
        ".gitignore": b"*.log\n/built/\n",
        "noise.log": b"import ignored\n",
        "built/out.txt": b"import built\n",
        "sub/.gitignore": b"!kept.log\nskipped.txt\n",
        "sub/kept.log": b"import kept\n",
        "sub/skipped.txt": b"import skipped\n",
        ".git/info/exclude": b"excluded.txt\n",
        ".git/config": b"import git\n",
        "sub/excluded.txt": b"import excluded\n",
        ".agentic/notes/n.md": b"import notes\n",
    }
    for path, data in odd.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "odd" / "link.txt").symlink_to("crlf.txt")
    (folder / "linked").symlink_to("lib")
    os.link(folder / "odd" / "crlf.txt", folder / "odd" / "second name.txt")


def queries(chance, folder, count):
    """Queries of all kinds, most of them made of what the files hold."""
    words = re.findall(
        r"[A-Za-z_]{3,}|[^\s\w]{3,}|\w+[ .(]\w+", "".join(p.read_text("latin-1") for p in folder.glob("lib/*.py"))
    )
    words += [
        "import",
        "return",
        "caf\xe9",
        "r\xe9sum\xe9",
        "STRASSE",
        "kelvin",
        "class",
        "\xe9t\xe9",
        "hidden",
        "dense",
    ]
    for _ in range(count):
        word = chance.choice(words)
        regex = chance.random() < 0.5
        if regex:
            cut = chance.randrange(1, len(word))
            made = [
                re.escape(word), f"{re.escape(word[:cut])}.{re.escape(word[cut + 1:])}", f"^\\s*{re.escape(word)}",
                f"({re.escape(word)}|{re.escape(chance.choice(words))})", f"(?i){re.escape(word.upper())}",
                f"{re.escape(word)}\\w*\\b", f"[{word[0] if word[0].isalpha() else 'x'}]{re.escape(word[1:])}?",
                f"{re.escape(word)}(zzz)?", f"\\w+ {re.escape(word)}$", f"(?:{re.escape(word)}){{1,2}}",
            ]  # fmt: skip
            word = chance.choice(made).replace("\\ ", " ")
        elif chance.random() < 0.15:
            word = f"no{word}such"
        elif chance.random() < 0.3:
            word = word.swapcase()
        yield Query(
            word,
            regex=regex,
            case_sensitive=chance.choice([None, None, True, False]),
            whole_word=chance.random() < 0.2,
            include=chance.choice([(), (), (), ("*.py",), ("*.txt", "lib/**/*.py"), ("lib/*",)]),
            exclude=chance.choice([(), (), (), ("*.txt",), ("lib/e*",), ("/odd/",)]),
            context=chance.choice([0, 0, 2]),
            ignored=chance.random() < 0.1,
            hidden=chance.random() < 0.85,
        )


def by_ripgrep(folder, query, path):
    """What ripgrep says itself: the lines of each file."""
    argv = [
        ripgrep(), "--json", "--no-config", "--no-ignore-global", "--no-ignore-parent", "--no-ignore-dot",
        "--no-require-git", "--sort=path", *(["--hidden"] if query.hidden else []),
        *(["--no-ignore"] if query.ignored else []), *(["-w"] if query.whole_word else []),
        *([] if query.regex else ["-F"]), {None: "-S", True: "-s", False: "-i"}[query.case_sensitive],
        *(f"-g{glob}" for glob in query.include), *(f"-g!{glob}" for glob in (*query.exclude, ".git", ".agentic")),
        "-e", query.text, "--", path,
    ]  # fmt: skip
    done = subprocess.run(argv, cwd=folder, capture_output=True, check=False)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        (message["data"]["path"]["text"].removeprefix("./"), message["data"]["line_number"])
        for message in messages
        if message["type"] == "match"
    ]


def disturb(house, chance, step):
    """Something changes: by our own commits, or by another program."""
    folder, name = house.folder, f"lib/made_{step}.py"
    old = chance.choice(sorted(folder.glob("lib/*.py")))
    kind = step % 9
    if kind == 0:
        house.edit({"type": "create", "path": name, "content": f"import made_{step}\nreturn here\n"})
    elif kind == 1:
        old.write_text(old.read_text("latin-1") + "\nimport appended\nreturn at the end\n", "latin-1")
    elif kind == 2:
        old.unlink()
    elif kind == 3:
        old.rename(folder / name)
    elif kind == 4:
        (folder / "lib" / "save.tmp").write_text("import replaced\n")
        (folder / "lib" / "save.tmp").replace(old)
    elif kind == 5:
        (folder / f"new_{step}").mkdir()
        (folder / f"new_{step}" / "in.py").write_text("import inside\n")
    elif kind == 6:
        old.write_bytes(b"import binary by now\n\0\0\n")
    elif kind == 7:
        (folder / f"noise_{step}.log").write_text("import ignored\n")
    else:
        (folder / "sub" / ".gitignore").write_text(f"!kept.log\nskipped.txt\nnothing_{step}\n")


@pytest.mark.parametrize("seed", [1, 2])
def test_random_queries_find_what_they_find_without_it_while_files_change(house, indexed, seed):
    chance = random.Random(seed)
    tree(house.folder)
    workspace = indexed()
    used = asked = 0
    for step, query in enumerate(queries(chance, house.folder, 150)):
        if step % 5 == 4:
            disturb(house, chance, step // 5)
        if step % 20 == 0:
            ready(house)
        path = chance.choice([".", ".", ".", "lib", "sub", "odd"])
        found = both(workspace, query, path, limit=chance.choice([5, 500, 100_000]), by_file=chance.random() < 0.2)
        asked += 1
        used += not unsaid(workspace, query, path)
        if not found.truncated and found.matches and path in {".", "lib"}:
            assert [(m.path, m.line) for m in found.matches] == by_ripgrep(house.folder, query, path), query
    assert asked == 150
    assert used >= 40, f"the index was asked {used} times only"


def test_only_files_that_can_hold_it_are_read(house, indexed):
    workspace = indexed({f"f{n}": f"this is file number {n:04}\n" for n in range(50)})
    assert narrowed(workspace, "NUMBER 0007") == ["f7"]
    assert narrowed(workspace, Query(r"number (0007|0011)\b", regex=True)) == ["f11", "f7"]
    assert narrowed(workspace, "nothing of the kind") == []
    assert both(workspace, Query("nothing of the kind")).files_searched == 50


def test_a_wrong_expression_is_refused_all_the_same(house, indexed):
    workspace = indexed({"a": "text\n"})
    for query in (Query("nothing here(", regex=True), Query("nothing here[z-a]", regex=True)):
        with pytest.raises(WorkroomError) as caught:
            search(workspace.root, ".", query, 10, index=workspace.index)
        assert caught.value.code is ErrorCode.INVALID_INPUT


def test_what_changes_is_found_at_once(house, indexed):
    workspace = indexed({"a": "one thing\n", "b": "another\n"})
    house.write("a", "needle\n")
    assert narrowed(workspace, "needle") == ["a"]
    house.edit({"type": "create", "path": "c", "content": "needle too\n"})
    assert [m.path for m in both(workspace, Query("needle")).matches] == ["a", "c"]
    (house.folder / "a").unlink()
    assert narrowed(workspace, "needle") == ["c"]
    assert both(workspace, Query("needle")).files_searched == 2


def test_a_new_folder_makes_it_unsure_until_it_is_brought_along(house, indexed):
    workspace = indexed({"a": "one thing\n"})
    house.write("new/deep/b", "needle\n")
    assert unsaid(workspace, "needle")
    assert [m.path for m in both(workspace, Query("needle")).matches] == ["new/deep/b"]
    ready(house)
    assert narrowed(workspace, "needle") == ["new/deep/b"]
    house.write("new/deep/b", "no more\n")
    house.write("new/deep/c", "needle\n")
    assert [m.path for m in both(workspace, Query("needle")).matches] == ["new/deep/c"]


def test_ignore_files_that_change(house, indexed):
    workspace = indexed({"a.txt": "needle\n", "b.txt": "needle\n", ".git/info/exclude": ""})
    house.write(".gitignore", "a.txt\n")
    assert [m.path for m in both(workspace, Query("needle")).matches] == ["b.txt"]
    ready(house)
    assert narrowed(workspace, "needle") == ["b.txt"]
    house.write(".git/info/exclude", "b.txt\n")  # nothing tells of that
    assert unsaid(workspace, "needle")
    assert both(workspace, Query("needle")).matches == ()


def test_many_changes_are_taken_into_it(house, indexed):
    workspace = indexed({f"f{n}": "old\n" for n in range(400)})
    for n in range(350):
        house.write(f"f{n}", f"new text of {n:04}\n")
    both(workspace, Query("new text of 0011"))
    deadline, found = time.monotonic() + 60, None
    while found is None or found.texts != ["f11"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
        found = workspace.index.narrow(".", Query("new text of 0011"))


def test_it_is_taken_up_again_from_disk(house, indexed):
    indexed({"a": "needle\n", "b": "other\n"})
    time.sleep(0.1)  # files as old as this are believed
    house.close()
    folder = house.store_folder / "index"
    before = manifest.read(str(folder)).matrices[0].file
    house.write("c", "needle, written while nobody looked\n")
    workspace = house.open()
    workspace.watch.start()
    workspace.index.start()
    ready(house)
    assert narrowed(workspace, "needle") == ["a", "c"]
    assert (folder / before).exists()


@pytest.mark.parametrize("harm", ["manifest", "matrix", "short", "foreign", "gone"])
def test_a_torn_index_is_built_anew(house, indexed, harm):
    indexed({"a": "needle\n", "b": "other\n"})
    house.close()
    folder = house.store_folder / "index"
    (matrix,) = (one for one in folder.glob("*.bits"))
    if harm == "manifest":
        (folder / manifest.NAME).write_bytes((folder / manifest.NAME).read_bytes()[:200])
    elif harm == "matrix":
        matrix.write_bytes(bytes(matrix.stat().st_size))
    elif harm == "short":
        matrix.write_bytes(matrix.read_bytes()[:-10])
    elif harm == "foreign":
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / manifest.NAME).write_bytes(b"something else")
    else:
        matrix.unlink()
    workspace = house.open()
    workspace.watch.start()
    workspace.index.start()
    ready(house)
    assert narrowed(workspace, "needle") == ["a"]
    assert len(both(workspace, Query("needle")).matches) == 1


def test_switched_off_it_says_nothing(house, indexed):
    house.write("b", "needle\n")
    os.link(house.folder / "b", house.folder / "c")
    workspace = indexed({"a": "needle\n"})
    said = {"search_index": "ready", "search_index_files": 3, "search_index_always": 2}
    assert workspace.index.describe() == said
    house.settings = house.settings.model_copy(update={"search_index": False})
    assert unsaid(workspace, "needle")
    assert workspace.index.describe()["search_index"] == "off"
    assert "setting search_index" in workspace.index.describe()["search_index_reason"]


def test_without_the_watch_everything_is_searched(house, indexed):
    workspace = indexed({"a": "needle\n"})
    workspace.watch.stop()
    assert unsaid(workspace, "needle")
    house.write("b", "needle\n")
    assert len(both(workspace, Query("needle")).matches) == 2
    workspace.watch.start()
    assert len(both(workspace, Query("needle")).matches) == 2
    ready(house)
    assert narrowed(workspace, "needle") == ["a", "b"]


def test_it_never_begins_where_nothing_is_watched(house):
    house.settings = house.settings.model_copy(update={"watch": False})
    house.write("a", "needle\n")
    house.workspace.watch.start()
    house.workspace.index.start()
    assert not house.workspace.index.ready(0.5)
    assert unsaid(house.workspace, "needle")
    assert "aren't all heard of" in house.workspace.index.describe()["search_index_reason"]
    assert len(both(house.workspace, Query("needle")).matches) == 1


def test_lost_events_make_it_unsure(house, indexed):
    workspace = indexed({"a": "needle\n"})
    workspace.watch._lose()
    assert unsaid(workspace, "needle")
    ready(house)
    assert narrowed(workspace, "needle") == ["a"]


@pytest.mark.parametrize("query", ["ab", ".*", "a?b?c?"])
def test_what_needs_nothing_is_looked_for_everywhere(indexed, query):
    assert unsaid(indexed({"a": "needle\n"}), Query(query, regex=True))


def test_globs_that_could_lead_elsewhere(house, indexed):
    workspace = indexed({"a.py": "needle\n", ".gitignore": "*.egg\n", "x.egg/b.egg": "needle\n", "a.egg": "needle\n"})
    assert narrowed(workspace, Query("needle", include=("*.py",))) == ["a.py"]
    for globs in (("*.egg",), ("a*",), ("x.egg", "*.py")):
        assert unsaid(workspace, Query("needle", include=globs))
        both(workspace, Query("needle", include=globs))
    with pytest.raises(WorkroomError):
        search(workspace.root, ".", Query("needle", exclude=("{a",)), 10, index=workspace.index)


def test_an_ignore_file_names_what_it_leaves():
    assert ignore_file(["a", "b/c d", "b/[e]"]) == b"*\n!/a\n!/b/\n!/b/c\\ d\n!/b/\\[e\\]\n"


def test_files_that_are_walked_to_come_in_their_order(house, indexed):
    files = {f"f{n}": "nothing\n" for n in range(30)}
    files |= {
        "a": "needle\n",
        "b": "needle\n" + "x\n" * 70_000 + "\0",
        "c": "needle\n",
        "d": "needle\n",
        "e": "needle\0",
    }
    house.write("d2", "")
    (house.folder / "d2").write_bytes("needle\n".encode("utf-16"))
    workspace = indexed(files)
    found = said(workspace, "needle")
    assert (found.texts, found.walked, found.binary) == (["a", "c", "d"], ["b", "d2", "e"], None)
    assert [m.path for m in both(workspace, Query("needle")).matches] == ["a", "b", "c", "d", "d2"]
    house.write("g", "needle\n\0")
    os.link(house.folder / "a", house.folder / "h")
    assert [m.path for m in both(workspace, Query("needle")).matches] == ["a", "b", "c", "d", "d2", "h"]


def test_many_candidates_are_searched_in_batches(house, indexed):
    workspace = indexed({f"d{n % 7}/f{n}": "needle\n" if n % 2 else "nothing\n" for n in range(1_100)})
    assert len(narrowed(workspace, "needle")) == 550
    for limit in (100, 420, 550, 1_000):
        assert both(workspace, Query("needle"), limit=limit).truncated == (limit < 550)
    assert unsaid(workspace, Query("needle|nothing", regex=True))


@pytest.mark.parametrize("name", ["with a\nline", "blank at the end ", "caf\udce9"])
def test_names_that_no_ignore_file_can_tell(house, indexed, name):
    workspace = indexed({"a": "needle\n"})
    house.write(name, "needle\n")
    assert unsaid(workspace, "needle")
    assert len(both(workspace, Query("needle")).matches) == 2


def test_the_agents_own_folder_is_none_of_it(house, indexed):
    workspace = indexed({"a": "needle\n"})
    shutil.rmtree(house.folder / ".agentic", ignore_errors=True)
    (house.folder / ".agentic").mkdir()
    assert narrowed(workspace, "needle") == ["a"]


def test_more_changes_than_can_be_looked_at(house, indexed):
    workspace = indexed({"a": "needle\n"})
    for number in range(5_001):
        workspace.index._hear(".", f"f{number}")
    assert unsaid(workspace, "needle")
    ready(house)
    assert narrowed(workspace, "needle") == ["a"]
    for number in range(50_001):
        workspace.index._hear(".", f"f{number}")
    assert unsaid(workspace, "needle")
    ready(house)
    assert narrowed(workspace, "needle") == ["a"]


def test_walks_are_kept_up_to_a_number(house, indexed):
    workspace = indexed({"a": "needle\n", "b": "other\n"})
    for number in range(20):
        assert narrowed(workspace, Query("needle", exclude=(f"*.{number}",))) == ["a"]


def test_a_mount_below_makes_it_unsure(house, indexed):
    workspace = indexed({"a": "needle\n"})
    workspace.watch._mounts = frozenset({b"a mount that is there no more"})
    assert unsaid(workspace, "needle")
    ready(house)
    assert narrowed(workspace, "needle") == ["a"]


def test_a_build_that_fails_says_so(house):
    house.write("a", "needle\n")
    in_the_way = house.store_folder / "index" / manifest.NAME / "in the way"
    in_the_way.mkdir(parents=True)
    workspace = house.workspace
    workspace.watch.start()
    workspace.index.start()
    deadline = time.monotonic() + 60
    while "can't be built" not in workspace.index.describe().get("search_index_reason", ""):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert "rectory" in workspace.index.describe()["search_index_reason"]
    assert len(both(workspace, Query("needle")).matches) == 1
    shutil.rmtree(in_the_way.parent)
    while unsaid(workspace, "needle"):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_it_can_be_stopped_in_the_middle_of_a_build(house):
    for number in range(500):
        house.write(f"f{number}", "needle\n")
    house.workspace.watch.start()
    house.workspace.index.start()
    deadline = time.monotonic() + 60
    while not list(house.store_folder.glob("index/*.bits")) and time.monotonic() < deadline:
        time.sleep(0.005)
    house.workspace.index.stop()
    assert unsaid(house.workspace, "needle")


def test_what_is_in_other_encodings_is_found_in_it(house, indexed):
    def legacy(text):
        return (text * 3).encode("cp1252")

    french = "déjà vu, a café in été, garçon\n"
    workspace = indexed(
        {"a": legacy(french), "b/c": legacy(french), "d": french, "e": legacy("nothing of it, à côté\n")}
    )
    narrowed = workspace.index.narrow(".", Query("café"))
    assert {path for path, _ in narrowed.foreign} == {"a", "b/c", "e"}
    for text in ("café", "CAFÉ", "déjà vu", "absent é", "vu"):
        both(workspace, Query(text))
    assert [match.path for match in both(workspace, Query("café"), limit=4).matches] == ["a", "a", "a", "b/c"]
    assert len(both(workspace, Query("café", include=("b/*",))).matches) == 3
    house.write("a", french)
    house.write("d", legacy(french))
    house.write("new", legacy(french))
    assert len(both(workspace, Query("café")).matches) == 10


class Ears:
    """Hears nothing: says that it is still looking, the first times, and once that it has missed something."""

    def __init__(self):
        self.asked = 0

    def listen(self, hear, lost):
        self.lost = lost

    def heard_all(self):
        return True

    def listens(self, seconds):
        self.asked += 1
        if self.asked == 3:
            self.lost()
        return self.asked >= 3

    def watches(self, folder):
        return True


def test_it_waits_for_the_look_and_is_built_again_when_something_was_missed_meanwhile(house):
    house.write("a", "needle\n")
    ears = Ears()
    pace = Pace(0.01, 0.01, 0.01)
    index = Index(house.workspace.root, house.store_folder / "other", ears, lambda: house.settings, pace)
    index.start()
    assert index.ready(60)
    index.stop()
    assert ears.asked == 4
