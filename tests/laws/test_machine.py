"""Laws of a folder in Workroom's hands, held against random work: a dictionary does the same, and both must agree.

Every step is an edit, a plan kept or committed later, an undo (of an undo, forced, late), another program's doing, an
opening anew or a while that passes. After each the real tree is the model's, a refused call has changed nothing, and
the history says what happened. `WORKROOM_LAWS=2000` runs that many examples of random work; without it a few dozen
run, the same ones each time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.conftest import AGENT, House
from tests.laws.model import (
    BOM8,
    BOM16,
    Done,
    Node,
    Play,
    Refused,
    Tree,
    Unsure,
    below,
    is_whole,
    new_folder,
    parents,
    patch_of,
    snapshot,
    undone,
)

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Entry, Planned

LONG = int(os.environ.get("WORKROOM_LAWS", "0"))

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where nothing waits for a disk: these laws are about what is there, not about what survives."""

NAMES = ("a", "b", "c.txt", "é ü")
WORDS = ("alpha", "beta", "gamma")
FILE_MODES = (0o644, 0o600, 0o755, 0o640)
FOLDER_MODES = (0o755, 0o700, 0o750)

ODD_PATHS = (".git/x", ".agentic/notes/x.md", "../x", "a/", "b/../../x", "a/.git")
KINDS = ("create", "rewrite", "replace", "splice", "copy", "move", "delete", "mkdir", "patch")

chances = st.integers(0, 2**32 - 1)
"""What happens within one step; Hypothesis decides on the steps."""


def fresh_path(chance: Random) -> str:
    return "/".join(chance.choices(NAMES, k=chance.choice((1, 1, 2, 2, 3))))


def words(chance: Random, least: int = 0) -> str:
    return "\n".join(chance.choices(WORDS, k=chance.randint(least, 4))) + chance.choice(("", "\n", "\n"))


def content(chance: Random) -> bytes:
    """Bytes of a file as another program writes it."""
    text = words(chance)
    crlf = text.replace("\n", "\r\n")
    return chance.choice((
        text.encode(), text.encode(), crlf.encode(), BOM8 + text.encode(), BOM8 + crlf.encode(),
        BOM16 + text.encode("utf-16-le"), b"caf\xe9 au lait\n" + text.encode(), b"one\r\n" + text.encode(),
        b"\0\1" + text.encode(), (text + "long line\n").encode() * 7000,
    ))  # fmt: skip


@dataclass
class Kept:
    """A plan that waits: made against `base`, and what the model says it makes (None: not foreseen)."""

    planned: Planned
    base: Tree
    play: Play | None
    undoes: Done | None = None


class Machine(RuleBasedStateMachine):
    """The folder, and the dictionary `tree` beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.work = Path(tempfile.mkdtemp(prefix="workroom-laws-", dir=MEMORY))
        (self.work / "ws").mkdir()
        self.house = House(self.work / "ws", self.work / "state")
        self.house.open()
        self.tree: Tree = {}
        self.done: list[Done] = []
        self.kept: list[Kept] = []
        self.steps = 0

    def teardown(self) -> None:
        self.house.reopen()
        self.everything_agrees()
        self.nothing_is_left_in_stage()
        self.house.close()
        shutil.rmtree(self.work)

    # Drawing.

    def chance(self, seed: int) -> Random:
        """Chance within one step; Hypothesis likes to draw the same number again, and this is another one then."""
        self.steps += 1
        return Random(f"{seed} {self.steps}")

    def path(self, chance: Random, *kinds: str, tree: Tree | None = None, fresh: float = 0.3) -> str:
        """A path of the tree, of these kinds if any are named, or one made up."""
        tree = self.tree if tree is None else tree
        known = sorted(path for path, node in tree.items() if not kinds or node.kind in kinds)
        return fresh_path(chance) if not known or chance.random() < fresh else chance.choice(known)

    def operation(self, chance: Random, play: Play) -> dict[str, Any]:
        kind, flag, tree = chance.choice(KINDS), chance.random() < 0.6, play.tree
        if kind == "patch":
            return self.patch(chance, play)
        target = chance.choice(ODD_PATHS) if chance.random() < 0.03 else self.path(chance, "file", tree=tree, fresh=0.7)
        if kind in {"copy", "move"}:
            source = self.path(chance, tree=tree, fresh=0.05)
            return {"type": kind, "from": source, "to": target, "overwrite": flag}
        if kind in {"create", "mkdir"}:
            rest = {"content": words(chance), "overwrite": flag} if kind == "create" else {}
            return {"type": kind, "path": target, **rest}
        operation = {"type": kind, "path": self.path(chance, "file", "link", tree=tree, fresh=0.1)}
        if kind == "rewrite":
            return {**operation, "content": words(chance), "create_if_missing": flag}
        if kind == "replace":
            search = "\n".join(chance.choices(WORDS, k=chance.choice((1, 1, 1, 2))))
            expected = chance.choice((1, 1, 2))
            return {**operation, "search": search, "replacement": words(chance), "expected_matches": expected}
        if kind == "splice":
            start, count = chance.randint(1, 3), chance.randint(0, 2)
            return {**operation, "start_line": start, "delete_count": count, "content": words(chance)}
        path = self.path(chance, tree=tree, fresh=0.1)
        return {"type": kind, "path": path, "recursive": flag, "ignore_missing": chance.random() < 0.5}

    def patch(self, chance: Random, play: Play) -> dict[str, Any]:
        """A patch, and in `sections` what it means to the model."""
        kind = chance.choice(("modify", "create", "delete", "rename", "mode"))
        plain = [p for p, n in sorted(play.tree.items()) if n.kind == "file" and _is_plain(n.data)]
        path = chance.choice(plain) if plain else fresh_path(chance)
        old = play.tree[path].data if plain else b"alpha\n"
        new, other = words(chance, 1).encode(), fresh_path(chance)
        if kind == "modify" and old and new != old:
            return _patch(patch_of(path, old, new), ("modify", path, old, new))
        if kind == "create":
            text = patch_of(other, b"", new).replace(f"--- a/{other}\n", "--- /dev/null\n", 1)
            return _patch(text, ("create", other, new))
        if kind == "delete" and old:
            text = patch_of(path, old, b"").replace(f"+++ b/{path}\n", "+++ /dev/null\n", 1)
            return _patch(text, ("delete", path, old))
        head = f"diff --git a/{path} b/{{}}\n"
        if kind == "rename":
            body = f"similarity index 100%\nrename from {path}\nrename to {other}\n"
            return _patch(head.format(other) + body, ("rename", path, other))
        executable = chance.random() < 0.5
        modes = ("100644", "100755") if executable else ("100755", "100644")
        return _patch(head.format(path) + "old mode {}\nnew mode {}\n".format(*modes), ("mode", path, executable))

    def transaction(self, chance: Random) -> tuple[list[dict[str, Any]], Play, type[Exception] | None]:
        """Operations, what the model makes of them, and how sure it is."""
        play, doubt = Play(self.tree), None
        operations: list[dict[str, Any]] = []
        wanted = chance.choice((1, 1, 2, 3, 5))
        while len(operations) < wanted:
            operation, trial = self.operation(chance, play), play.copy()
            fault = _fault_of(lambda operation=operation, trial=trial: trial.run(operation))
            if fault is not None and chance.random() < 0.9:
                continue  # most of what is refused or unsure is left out, or hardly a transaction would be made
            operations.append({name: value for name, value in operation.items() if name != "sections"})
            doubt = doubt or fault
            play = trial
        return operations, play, doubt or _fault_of(play.finish)

    # Work of agents.

    @rule(seed=chances)
    def edit(self, seed: int) -> None:
        chance = self.chance(seed)
        operations, play, doubt = self.transaction(chance)
        note(f"edit {operations}")
        entry = self.attempt(lambda: self.house.edit(*operations), doubt)
        if entry is not None:
            self.applied(entry, play, doubt)

    @rule(seed=chances)
    def edit_more(self, seed: int) -> None:
        self.edit(seed)

    @rule(seed=chances)
    def keep(self, seed: int) -> None:
        chance = self.chance(seed)
        operations, play, doubt = self.transaction(chance)
        note(f"keep {operations}")
        planned = self.attempt(lambda: self.house.tx.keep(self.house.plan(*operations), AGENT), doubt)
        if planned is not None:
            self.kept.append(Kept(planned, dict(self.tree), play if doubt is None else None))

    @precondition(lambda self: self.kept)
    @rule(seed=chances)
    def commit_what_waits(self, seed: int) -> None:
        chance = self.chance(seed)
        kept = chance.choice(self.kept)
        if kept.undoes is not None:
            self.commit_kept_undo(kept, kept.undoes)
            return
        entry = self.attempt(lambda: self.house.commit(kept.planned), None if self.tree == kept.base else Unsure)
        if entry is None:
            assert self.house.tx.get(kept.planned.id).status == "planned"
            return
        self.kept.remove(kept)
        if kept.play is None:
            self.applied(entry, Play(self.tree), Unsure)
            return
        play = Play(self.tree, named=kept.play.named, moved=kept.play.moved)
        change = Done("", 0, kept.base, kept.play.tree, set(), {})
        for path, before, after in change.changed():
            now = self.tree.get(path)
            assert now == before or (now is not None and before is not None and now.kind == before.kind == "dir"), (
                f"{path} was changed after the plan, and the commit went over it"
            )
            if after is None:
                del play.tree[path]
            else:
                play.tree[path] = after
        assert is_whole(play.tree)
        self.applied(entry, play, None)

    def commit_kept_undo(self, kept: Kept, undoes: Done) -> None:
        doubt = Refused if undoes.undone_by is not None else Unsure
        entry = self.attempt(lambda: self.house.commit(kept.planned), doubt)
        if entry is not None:
            self.kept.remove(kept)
            self.applied(entry, Play(self.tree), Unsure, undoes)

    @precondition(lambda self: self.done)
    @rule(seed=chances)
    def undo_newest(self, seed: int) -> None:
        self.undo(seed, force=False, newest=True, keep=1)

    @precondition(lambda self: self.done)
    @rule(seed=chances, force=st.booleans(), newest=st.booleans(), keep=st.integers(0, 9))
    def undo(self, seed: int, force: bool, newest: bool, keep: int) -> None:
        chance = self.chance(seed)
        undoes = self.done[-1] if newest else chance.choice(self.done)
        play = Play(self.tree)
        doubt: type[Exception] | None = None
        try:
            play.tree, play.moved = undone(undoes, self.tree, force=force)
            doubt = None if self.tree == undoes.after else Unsure
        except Refused:
            doubt = Refused
        if undoes.undone_by is not None:
            doubt = Refused
        note(f"undo of {[(p, _short(before), _short(after)) for p, before, after in undoes.changed()]}")
        if keep == 0:
            self.keep_undo(undoes, force, doubt)
            return
        entry = self.attempt(lambda: self.house.undo(undoes.transaction_id, force=force), doubt)
        if entry is None:
            return
        if self.tree == undoes.after:
            self.gives_back(undoes, play)
        before = {path for path, node in self.tree.items() if node.kind == "dir"}
        play.named = {path for path, node in play.tree.items() if node.kind == "dir" and path not in before}
        self.applied(entry, play, None, undoes)

    def keep_undo(self, undoes: Done, force: bool, doubt: type[Exception] | None) -> None:
        make = lambda: self.house.tx.keep(self.house.tx.plan_rollback(undoes.transaction_id, force=force), AGENT)  # noqa: E731
        planned = self.attempt(make, Unsure if doubt is Refused and undoes.undone_by is None else doubt)
        if planned is not None:
            self.kept.append(Kept(planned, dict(self.tree), None, undoes))

    def gives_back(self, undoes: Done, play: Play) -> None:
        """Nothing happened since: all of the tree before is there again, and nothing but folders made on the way."""
        for path, node in undoes.before.items():
            assert play.tree.get(path) == node
        for path in play.tree.keys() - undoes.before.keys():
            assert play.tree[path].kind == "dir"
            assert undoes.undoes is None
            assert path not in undoes.named or below(play.tree, path)

    def attempt(self, act: Any, doubt: type[Exception] | None) -> Any:
        """What the call answers; None where it was refused, which changes nothing."""
        newest = self.house.tx.history(1)
        try:
            answer = act()
        except WorkroomError as error:
            if doubt is None or error.code in {ErrorCode.INTERNAL, ErrorCode.IO_ERROR}:
                raise AssertionError("refused, and the model sees no reason") from error
            same(snapshot(self.house.folder), self.tree)
            assert self.house.tx.history(1) == newest
            return None
        assert doubt is not Refused, "done, and the model says that it has to be refused"
        return answer

    def applied(self, entry: Entry, play: Play, doubt: type[Exception] | None, undoes: Done | None = None) -> None:
        """An entry was made: remember it, and what it says of others."""
        real = snapshot(self.house.folder)
        before = dict(self.tree)
        if doubt is None:
            same(real, play.tree)
        self.agrees_with_disk(entry, before, real)
        self.tree = dict(real)
        done = Done(entry.transaction_id, entry.number, before, real, play.named, play.moved)
        if doubt is not None:
            done.named = {d.path for d in entry.directories if not d.existed_before}
            done.moved = {c.path: c.origin for c in entry.changes if c.origin is not None}
        assert not self.done or entry.number > self.done[-1].number
        if undoes is not None:
            assert entry.undoes == undoes.number
            done.undoes = undoes.transaction_id
            self.takes_out(undoes, entry.number)
        self.done.append(done)

    def takes_out(self, undoes: Done, by: int) -> None:
        """An entry isn't in force any more; each one that it stands upon is turned round as well, as far down as that
        goes."""
        known = {done.transaction_id: done for done in self.done}
        undoes.status, undoes.undone_by = "rolled_back", by
        upper, below = undoes, known.get(undoes.undoes or "")
        while below is not None and below.undone_by == (upper.number if upper.undone_by is not None else None):
            if upper.undone_by is not None:
                below.status, below.undone_by = "applied", None
            else:
                below.status, below.undone_by = "rolled_back", upper.number
            upper, below = below, known.get(below.undoes or "")

    def agrees_with_disk(self, entry: Entry, before: Tree, after: Tree) -> None:
        """The entry names exactly what changed, with hashes that are the disk's and images that hash right."""
        told = {change.path: change for change in entry.changes}
        assert set(told) == {path for path, _, _ in Done("", 0, before, after, set(), {}).changed()}
        for path, change in told.items():
            for state, node in ((change.before, before.get(path)), (change.after, after.get(path))):
                assert state.sha256 == _sha(node)
                image = self.house.tx.image(state.sha256) if state.sha256 else None
                assert image is None or hashlib.sha256(image).hexdigest() == state.sha256
            if change.before.kind == "file" and change.origin is None and path not in _origins(entry):
                assert self.house.tx.image(change.before.sha256) == before[path].data

    # Other programs.

    @initialize(seed=chances)
    def begin(self, seed: int) -> None:
        chance = self.chance(seed)
        for _ in range(chance.randint(2, 6)):
            self.write(chance)

    @rule(
        seed=chances,
        what=st.sampled_from(["write", "write", "make_folder", "make_link", "delete", "rename", "chmod", "clean"]),
    )
    def other_program(self, seed: int, what: str) -> None:
        getattr(self, what)(self.chance(seed))

    def write(self, chance: Random) -> None:
        path, data, mode = self.path(chance), content(chance), chance.choice(FILE_MODES)
        if not self.clear_way(path):
            return
        node = self.tree.get(path)
        if node is not None and node.kind != "file":
            self.remove(path)
        self.house.write(path, data, mode)
        self.tree[path] = Node("file", data, mode)

    def make_folder(self, chance: Random) -> None:
        path, mode = self.path(chance), chance.choice(FOLDER_MODES)
        if not self.clear_way(path):
            return
        if self.tree.get(path, Node("")).kind != "dir":
            self.remove(path)
            (self.house.folder / path).mkdir()
        (self.house.folder / path).chmod(mode)
        self.tree[path] = Node("dir", mode=mode)

    def make_link(self, chance: Random) -> None:
        path = self.path(chance)
        if not self.clear_way(path):
            return
        inside = os.path.relpath("/" + self.path(chance), "/" + os.path.dirname(path))
        target = chance.choice((inside, inside, inside, inside, ".", "../../../../out", "/etc/passwd"))
        self.remove(path)
        (self.house.folder / path).symlink_to(target)
        self.tree[path] = Node("link", os.fsencode(target))

    def delete(self, chance: Random) -> None:
        self.remove(self.path(chance))

    def rename(self, chance: Random) -> None:
        source, target = self.path(chance), fresh_path(chance)
        if target in self.tree or target.startswith(source + "/") or not self.clear_way(target):
            return
        if source not in self.tree:
            return
        (self.house.folder / source).rename(self.house.folder / target)
        for path in [source, *below(self.tree, source)]:
            self.tree[target + path[len(source) :]] = self.tree.pop(path)

    def chmod(self, chance: Random) -> None:
        path, mode = self.path(chance, "file", fresh=0), chance.choice(FILE_MODES)
        if self.tree.get(path, Node("")).kind != "file":
            return
        (self.house.folder / path).chmod(mode)
        self.tree[path] = self.tree[path]._replace(mode=mode)

    def clean(self, _: st.DataObject) -> None:
        """`git clean -fdx`, as far as it meets what is ours."""
        shutil.rmtree(self.house.folder / ".agentic", ignore_errors=True)

    def clear_way(self, path: str) -> bool:
        """Make the folders above; False where something else is in the way."""
        if any(self.tree[up].kind != "dir" for up in parents(path) if up in self.tree):
            return False
        for up in parents(path):
            if up not in self.tree:
                (self.house.folder / up).mkdir()
                self.tree[up] = new_folder()
        return True

    def remove(self, path: str) -> None:
        node = self.tree.get(path)
        if node is None:
            return
        target = self.house.folder / path
        if node.kind == "dir":
            shutil.rmtree(target)
        else:
            target.unlink()
        for each in [path, *below(self.tree, path)]:
            del self.tree[each]

    # Time.

    @rule(seconds=st.sampled_from([1.0, 30.0, 61.0, 3600.0]))
    def wait(self, seconds: float) -> None:
        self.house.time += seconds
        self.house.tx.settle()
        if seconds > 60:
            self.nothing_is_left_in_stage()

    @rule(settles=st.booleans())
    def open_again(self, settles: bool) -> None:
        """Closed in order, or left as it was: then the opening settles."""
        if settles:
            self.house.close()
            self.nothing_is_left_in_stage()
        else:
            self.house.workspace.store.close()
            self.house.workspace.root.close()
        self.house.open()
        self.nothing_is_left_in_stage()

    def nothing_is_left_in_stage(self) -> None:
        stage = self.house.folder / ".agentic/stage"
        assert not stage.exists() or not list(stage.iterdir())

    # Laws.

    @invariant()
    def the_tree_is_the_models(self) -> None:
        same(snapshot(self.house.folder), self.tree)

    @invariant()
    def the_newest_entries_agree(self) -> None:
        for done in self.done[-3:]:
            self.agrees(done)

    def everything_agrees(self) -> None:
        assert [entry.number for entry in self.house.tx.history(10_000)] == [d.number for d in reversed(self.done)]
        for done in self.done:
            self.agrees(done)

    def agrees(self, done: Done) -> None:
        transaction, entry = self.house.tx.get(done.transaction_id), self.house.tx.entry(done.number)
        assert (transaction.status, transaction.entry) == (done.status, done.number)
        assert (entry.undone_by, entry.transaction_id) == (done.undone_by, done.transaction_id)


def same(real: Tree, expected: Tree) -> None:
    """Fail with the paths that differ, and only those."""
    paths = sorted(path for path in real.keys() | expected.keys() if real.get(path) != expected.get(path))
    shown = [f"{path!r}: is {_short(real.get(path))}, expected {_short(expected.get(path))}" for path in paths]
    assert not paths, "\n".join(shown)


def _short(node: Node | None) -> str:
    return "nothing" if node is None else f"{node.kind} {node.data[:40]!r} {node.mode:o}"


def _fault_of(act: Any) -> type[Exception] | None:
    try:
        act()
    except (Refused, Unsure) as doubt:
        return type(doubt)
    return None


def _patch(text: str, *sections: tuple) -> dict[str, Any]:
    return {"type": "patch", "patch": text, "sections": sections}


def _is_plain(data: bytes) -> bool:
    return data.isascii() and b"\0" not in data and b"\r" not in data and len(data) < 1000


def _sha(node: Node | None) -> str:
    return "" if node is None or node.kind == "dir" else hashlib.sha256(node.data).hexdigest()


def _origins(entry: Entry) -> set[str | None]:
    return {change.origin for change in entry.changes}


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
def test_the_folder_is_what_the_model_says():
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=LONG or 40,
            stateful_step_count=60 if LONG else 30,
            derandomize=not LONG,
            database=None,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        ),
    )
