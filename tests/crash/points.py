"""A point is one kill, fault or cut at one place of one act in one scene; its name says which, and runs it again.

kill/apply/full/120             killed at the 120th system call of the act
recover/commit/full/120/45      and then at the 45th of the opening that takes it back
back/apply/full/120/150         the 120th call fails (EIO), and at the 150th, on the way back, it is killed
EIO/apply/full/120              the 120th call fails
EIO-on/apply/full/120           it and all of its kind from there on
cut-lost-same/apply/full/120    the power goes at the 120th call; folder and store are on the same disk (or apart)
recut-lost-same/…/120/45        and again in the opening after that
dies-lost-same/apply/full/120   the disk goes, the process stays, and answers
fill-folder/apply/full/40       40 KiB are free where the folder is (or the store, or on the disk of both)
readonly/apply/full/120         from the 120th call on nobody may write to the folder's disk
aborted/apply/full/120          the same by an error that ext4 has met, with its log given up
"""

from __future__ import annotations

import contextlib
import errno
import gc
import json
import os
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash import judge, scenes, tracer, victim
from tests.crash.disks import Disk, Memory, copy_image, make_image
from tests.crash.tracer import KILL, LET_GO, Call, Decide
from tests.crash.victim import Act, Answer, Place

__all__ = ["ERRORS", "Point", "Verdict", "calls", "carry_out", "placed", "run"]

ERRORS = {name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EMFILE", "EINTR", "EACCES")}
_FIRST, _SECOND = 100, 200
_ANSWERS = 900
"""The descriptor that answers are written to; not one of those that may fail."""
_ENDLESS = 50_000
"""So many calls does no act make."""
_MUCH = 64 * 1024
"""KiB, enough for every scene."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point; `numbers` are the places, in calls."""

    kind: str
    act: Act
    scene: str
    numbers: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return "/".join([self.kind, self.act, self.scene, *map(str, self.numbers)])

    @classmethod
    def named(cls, name: str) -> Point:
        """The point of a name."""
        kind, act, scene, *numbers = name.split("/")
        return cls(kind, victim.ACTS[victim.ACTS.index(act)], scene, tuple(map(int, numbers)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a point. `fired`: the kill, fault or cut did happen; without it the act just came to its end."""

    name: str
    fired: bool
    applied: bool
    call: str = ""
    fault: str = ""


@dataclass(slots=True)
class Ran:
    """What a process did until its end."""

    answers: list[Answer] = field(default_factory=list)
    killed: bool = False
    calls: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Site:
    """Where a point takes place: the workspace, and the disks it is on, where it has disks of its own."""

    place: Place
    disks: list[Disk] = field(default_factory=list)
    small: Memory | None = None

    def cut(self, kind: str) -> None:
        """The power goes, for all disks at once."""
        for disk in self.disks:
            disk.cut(kind.split("-")[1])

    def start_again(self) -> None:
        for disk in self.disks:
            disk.again()

    def leave(self, kib: int) -> None:
        """Let only so much be free."""
        if self.small is not None:
            self.small.leave(kib)
        else:
            self.disks[0].leave(kib)

    def make_room(self) -> None:
        if self.small is not None:
            self.small.leave(_MUCH)
        else:
            self.disks[0].leave(-1)


def run(place: Place, act: Act, scene: str, decide: Decide, *, opening: int = _FIRST, again: bool = False) -> Ran:
    """Do an act in a process of its own, asking `decide` at each of its calls."""
    gc.collect()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, _ANSWERS)
        os.close(reading)
        os.close(writing)
        _be_victim(place, act, scene, _ANSWERS, opening=opening, again=again)
    os.close(writing)
    ran = Ran()

    def look(call: Call) -> int:
        ran.calls.append(call.name)
        return KILL if call.number > _ENDLESS else decide(call)

    status = tracer.follow(child, look)
    with open(reading, encoding="utf-8") as stream:
        ran.answers = [Answer(**json.loads(line)) for line in stream]
    ran.killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if len(ran.calls) > _ENDLESS:
        raise RuntimeError("The victim didn't come to an end.")
    if not ran.killed and status != 0:
        raise RuntimeError(f"The victim ended by itself with {status}.")
    return ran


def _be_victim(place: Place, act: Act, scene: str, answers: int, *, opening: int, again: bool) -> None:
    code = 1
    gc.disable()  # what it closes, it closes at any time
    try:
        victim.run(place, act, scenes.scene(scene), answers, opening=opening, again=again)
        code = 0
    except BaseException:  # noqa: BLE001 - a forked child must never go on as its parent
        traceback.print_exc()
    finally:
        os._exit(code)


# The place of a point.


@contextlib.contextmanager
def placed(work: Path, kind: str, act: Act, scene: str) -> Iterator[Site]:
    """A copy of an act's prepared place, in `work`, on disks of its own where the kind needs them."""
    layout = next((layout for prefix, layout in _LAYOUTS.items() if kind.startswith(prefix)), "")
    if kind.endswith(("-same", "-apart")):
        layout = kind.rpartition("-")[2]
    act = "apply" if act in {"preview", "settle"} else act
    with tempfile.TemporaryDirectory(dir=work, prefix="point-") as name, contextlib.ExitStack() as stack:
        if layout in _DISKS:
            yield _on_disks(work, layout, act, scene, stack)
        else:
            yield _in_folders(work, layout, act, scene, Path(name), stack)


_LAYOUTS = {
    "readonly": "apart",
    "aborted": "same",
    "fill-disk": "same",
    "fill-folder": "small-folder",
    "fill-store": "small-store",
}
_DISKS = {"same": ("a", "a"), "apart": ("a", "b")}
"""On which disk the folder is, and on which the store."""


def _in_folders(work: Path, layout: str, act: Act, scene: str, where: Path, stack: contextlib.ExitStack) -> Site:
    template = Place(work / f"{act}-{scene}" / "ws", work / f"{act}-{scene}" / "st")
    if not template.folder.exists():
        victim.prepare(template, act, scenes.scene(scene))
    place = Place(where / "f" / "ws", where / "s" / "st")
    small = None
    if layout:
        small = Memory(where / ("f" if layout == "small-folder" else "s"), _MUCH)
        stack.enter_context(small)
    victim.copy(template, place)
    return Site(place, small=small)


def _on_disks(work: Path, layout: str, act: Act, scene: str, stack: contextlib.ExitStack) -> Site:
    on = _DISKS[layout]
    place = Place(work / f"disk-{on[0]}" / "ws", work / f"disk-{on[1]}" / "st")
    images = {letter: work / f"{layout}-{act}-{scene}.{letter}" for letter in on}
    if not all(image.exists() for image in images.values()):
        with contextlib.ExitStack() as mounted:
            for letter, image in images.items():
                make_image(image)
                mounted.enter_context(Disk(image, work / f"disk-{letter}"))
            victim.prepare(place, act, scenes.scene(scene))
    disks = []
    for letter, image in images.items():
        copy_image(image, work / f"disk-{letter}.image")
        disk = Disk(work / f"disk-{letter}.image", work / f"disk-{letter}", ",errors=remount-ro")
        disks.append(stack.enter_context(disk))
    return Site(place, disks)


# Points of each kind.


def calls(work: Path, point: Point) -> list[str]:
    """The calls that a point's act makes by name, or the opening after it, where the point has one number already."""
    with placed(work, point.kind, point.act, point.scene) as site:
        ran = run(site.place, point.act, point.scene, _at(*point.numbers[:1], answer=KILL) if point.numbers else _never)
        if point.numbers:
            if "cut" in point.kind:
                site.start_again()
            ran = run(site.place, "open", point.scene, _never, opening=_SECOND)
        if not ran.answers or not ran.answers[-1].ok:
            raise RuntimeError(f"{point.name} fails by itself: {ran.answers}")
        return ran.calls


def carry_out(work: Path, point: Point) -> Verdict:
    """Carry a point out, and judge what it left."""
    with placed(work, point.kind, point.act, point.scene) as site:
        return _KINDS[point.kind.partition("-")[0]](site, point)


def _kill(site: Site, point: Point) -> Verdict:
    ran = run(site.place, point.act, point.scene, _at(point.numbers[0], answer=KILL))
    return _verdict(site, point, ran, fired=ran.killed)


def _recover(site: Site, point: Point) -> Verdict:
    first, second = point.numbers
    ran = run(site.place, point.act, point.scene, _at(first, answer=KILL))
    again = run(site.place, "open", point.scene, _at(second, answer=KILL), opening=_SECOND)
    ran.calls = again.calls
    return _verdict(site, point, ran, fired=ran.killed and again.killed)


def _back(site: Site, point: Point) -> Verdict:
    first, second = point.numbers
    failing = {first: errno.EIO, second: KILL}
    ran = run(site.place, point.act, point.scene, lambda call: failing.get(call.number, 0))
    return _verdict(site, point, ran, fired=ran.killed)


def _fail(site: Site, point: Point) -> Verdict:
    name, _, on = point.kind.partition("-")
    number = point.numbers[0]
    failing = _from(number, ERRORS[name]) if on else _at(number, answer=ERRORS[name])
    failed = []

    def decide(call: Call) -> int:
        answer = 0 if call.arguments[0] == _ANSWERS else failing(call)
        failed.extend([call] if answer else [])
        return LET_GO if failed and not answer and not on else answer

    ran = run(site.place, point.act, point.scene, decide, again=not on)
    faults = judge.at_once(site.place, point.act, scenes.scene(point.scene), ran.answers, blind=_blind(point))
    return _verdict(site, point, ran, fired=bool(failed), faults=faults)


def _cut(site: Site, point: Point) -> Verdict:
    ran = _run_cut(site, point, point.act, point.numbers[0], opening=_FIRST)
    return _verdict(site, point, ran, fired=ran.killed, synced=False)


def _recut(site: Site, point: Point) -> Verdict:
    ran = _run_cut(site, point, point.act, point.numbers[0], opening=_FIRST)
    again = _run_cut(site, point, "open", point.numbers[1], opening=_SECOND)
    ran.calls = again.calls
    return _verdict(site, point, ran, fired=ran.killed and again.killed, synced=False)


def _run_cut(site: Site, point: Point, act: Act, number: int, *, opening: int) -> Ran:
    def cut() -> int:
        site.cut(point.kind)
        return KILL

    ran = run(site.place, act, point.scene, _doing(number, cut), opening=opening)
    site.start_again()
    return ran


def _dies(site: Site, point: Point) -> Verdict:
    number = point.numbers[0]
    ran = run(site.place, point.act, point.scene, _doing(number, lambda: site.cut(point.kind)))
    site.start_again()
    return _verdict(site, point, ran, fired=len(ran.calls) > number, synced=False, faults=judge.clear(ran.answers))


def _fill(site: Site, point: Point) -> Verdict:
    site.leave(point.numbers[0])
    ran = run(site.place, point.act, point.scene, _never)
    faults = judge.at_once(site.place, point.act, scenes.scene(point.scene), ran.answers)
    site.make_room()
    return _verdict(site, point, ran, fired=not all(answer.ok for answer in ran.answers), faults=faults)


def _readonly(site: Site, point: Point) -> Verdict:
    folder, fired = site.disks[0], []
    ran = run(
        site.place,
        point.act,
        point.scene,
        _doing(point.numbers[0], lambda: fired.append(folder.read_only(on=True))),
    )
    faults = judge.at_once(site.place, point.act, scenes.scene(point.scene), ran.answers)
    folder.read_only(on=False)
    return _verdict(site, point, ran, fired=any(fired), faults=faults)


def _aborted(site: Site, point: Point) -> Verdict:
    number = point.numbers[0]
    ran = run(site.place, point.act, point.scene, _doing(number, site.disks[0].abort))
    faults = judge.at_once(site.place, point.act, scenes.scene(point.scene), ran.answers)
    site.start_again()
    return _verdict(site, point, ran, fired=len(ran.calls) > number, synced=False, faults=faults)


def _never(_call: Call) -> int:
    return 0


def _at(number: int, *, answer: int) -> Decide:
    return lambda call: answer if call.number == number else 0


def _doing(number: int, effect: Callable[[], int | None]) -> Decide:
    return lambda call: (effect() or LET_GO) if call.number == number else 0


def _from(number: int, code: int) -> Decide:
    failing: set[str] = set()

    def decide(call: Call) -> int:
        if call.number == number:
            failing.update(next((family for family in _FAMILIES if call.name in family), {call.name}))
        return code if call.name in failing else 0

    return decide


_FAMILIES = (
    {"write", "pwrite64", "writev", "ftruncate", "fallocate", "mkdir", "mkdirat", "symlinkat", "linkat", "fsetxattr"},
    {"fsync", "fdatasync"},
    {"openat", "openat2"},
    {"renameat2", "renameat"},
)
"""Calls that fail together: a full disk takes no bytes by whatever call."""


def _blind(point: Point) -> bool:
    """Whether files can't be read on the way: what nobody can read is kept, as what nobody knows."""
    return point.kind.endswith("-on") or point.kind == "EACCES"


def _verdict(
    site: Site, point: Point, ran: Ran, *, fired: bool, faults: list[str] | None = None, synced: bool = True
) -> Verdict:
    scene = scenes.scene(point.scene)
    found = judge.judge(site.place, point.act, scene, ran.answers, synced=synced, blind=_blind(point))
    number = point.numbers[-1]
    call = ran.calls[number] if number < len(ran.calls) else ""
    return Verdict(point.name, fired, found.applied, call, "\n".join([*(faults or []), *found.faults]))


_KINDS: dict[str, Callable[[Site, Point], Verdict]] = {
    "kill": _kill,
    "recover": _recover,
    "back": _back,
    **dict.fromkeys(ERRORS, _fail),
    "cut": _cut,
    "recut": _recut,
    "dies": _dies,
    "fill": _fill,
    "readonly": _readonly,
    "aborted": _aborted,
}
