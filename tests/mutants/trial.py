"""Try mutants: each in a fork of a process that has everything loaded, with its tests, nearest and shortest first.

A mutant in a function is put into the functions that live already (their code is exchanged), after pytest has collected
all tests: a fork and the first test that fails is all it costs. A mutant that changes what an import does is forked off
before anything of ours is imported.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import importlib.util
import io
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.mutants.mutants import Mutant
from tests.mutants.reach import PROJECT, SOURCE

__all__ = ["Trial", "Tried", "try_all"]

_IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where trials work: what they do there is synced all the time, and no power is cut."""
_LARGEST_MEMORY = 8 << 30
_SLOWER = 20
"""A test that takes so many times as long as it did, and five seconds, hangs."""
_IMPORTS = 5
"""Seconds that importing all anew may take on top; on a busy machine it takes a multiple, as the tests do."""


@dataclass(frozen=True)
class Trial:
    """A mutant and the tests that it has to stand, in this order. Without a mutant the tests have to pass."""

    mutant: Mutant | None
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Tried:
    """What became of a mutant: `killed` (`by` a test, or by the signal that ended it), `timeout` or `survived`."""

    trial: Trial
    verdict: str
    by: str
    seconds: float


def try_all(trials: Sequence[Trial], seconds: dict[str, float], jobs: int, told: Callable[[Tried], None]) -> None:
    """Try mutants; `told` is called for each, as soon as its fate is known, in this process or a fork of it."""
    early = [trial for trial in trials if trial.mutant is not None and trial.mutant.early]
    late = [trial for trial in trials if trial.mutant is not None and not trial.mutant.early]
    for module in {trial.mutant.module for trial in trials if trial.mutant is not None}:
        _source(module)
    _preload()
    if late:
        _in_a_fork(lambda: _Loaded(late).run(seconds, jobs, told))
    if early:
        _pool(early, seconds, jobs, _import_and_test, told)


def _in_a_fork(work: Callable[[], None]) -> None:
    """What it loads stays in it."""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - whatever it is, this fork ends here
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status:
        raise SystemExit("mutants: the run failed itself")


# In functions: pytest has collected, the live functions get other code.


class _Loaded:
    """A plugin that takes pytest's loop over tests, and tries mutants in its place."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self._trials = trials
        self._files = sorted({test.partition("::")[0] for trial in trials for test in trial.tests})

    def run(self, seconds: dict[str, float], jobs: int, told: Callable[[Tried], None]) -> None:
        self._arguments = (seconds, jobs, told)
        code = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "-s", *self._files],
                           plugins=[self])  # fmt: skip
        if code != 0:
            raise SystemExit(f"mutants: the tests can't be collected ({code})")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        live = _Live({trial.mutant.module for trial in self._trials if trial.mutant is not None})
        gc.freeze()

        def body(trial: Trial, seconds: dict[str, float], tell: Callable[[str], None]) -> bool:
            if trial.mutant is not None:
                live.exchange(trial.mutant)
            failed = _Failed()
            session.config.pluginmanager.register(failed)
            for test in trial.tests:
                item = items[test]
                _limit(seconds[test])
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if failed.any:
                    tell(test)
                    return True
            return False

        seconds, jobs, told = self._arguments
        _pool(self._trials, seconds, jobs, body, told)
        return True


class _Failed:
    any = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.any = self.any or report.failed


class _Live:
    """The functions of modules, as objects that the code under test calls."""

    def __init__(self, modules: set[str]) -> None:
        self._codes = {module: list(_functions(_compiled(module, _source(module)))) for module in modules}
        self._objects: dict[tuple[str, str, int], list[types.FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, types.FunctionType) and one.__code__.co_filename.startswith(str(SOURCE)):
                self._objects.setdefault(_key(one.__code__), []).append(one)

    def exchange(self, mutant: Mutant) -> None:
        """Give them the code that they have in a mutant."""
        olds = self._codes[mutant.module]
        news = list(_functions(_compiled(mutant.module, mutant.source(_source(mutant.module)))))
        if [old.co_qualname for old in olds] != [new.co_qualname for new in news]:
            raise RuntimeError(f"{mutant.name} changes more than a function")
        changed = 0
        for old, new in zip(olds, news, strict=True):
            if old != new:
                for function in self._objects.get(_key(old), ()):
                    function.__code__ = new
                    changed += 1
        if not changed:
            raise RuntimeError(f"{mutant.name} changes no function that lives")


@cache
def _source(module: str) -> bytes:
    """As it was when the mutants were made, while somebody goes on with the file."""
    return (SOURCE / module).read_bytes()


def _key(code: types.CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _compiled(module: str, source: bytes) -> types.CodeType:
    return compile(source, str(SOURCE / module), "exec", dont_inherit=True)


def _functions(code: types.CodeType) -> Iterator[types.CodeType]:
    """The outermost functions of a module, those of classes among them."""
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            if one.co_flags & 0x2 and not one.co_name.startswith("<"):  # CO_NEWLOCALS: a function, no class body
                yield one
            else:
                yield from _functions(one)


# At import: nothing of ours is loaded, the mutant is what is imported.


def _preload() -> None:
    import apsw  # noqa: F401 - none that a plugin of pytest wants to rewrite

    if "workroom" in sys.modules:
        raise SystemExit("mutants: the code under test is loaded already")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = _dotted(mutant.module)

    def find_spec(self, fullname: str, path: object, target: object = None) -> Any:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=str(SOURCE / self._mutant.module))

    def exec_module(self, module: types.ModuleType) -> None:
        exec(_compiled(self._mutant.module, self._mutant.source(_source(self._mutant.module))), module.__dict__)


def _import_and_test(trial: Trial, seconds: dict[str, float], tell: Callable[[str], None]) -> bool:
    if trial.mutant is not None:
        sys.meta_path.insert(0, _Finder(trial.mutant))
    _limit(_IMPORTS + sum(seconds[test] for test in trial.tests))
    named = _Named()
    code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-s", "--rootdir", str(PROJECT),
                        *[str(PROJECT / test) for test in trial.tests]], plugins=[named])  # fmt: skip
    tell(named.first or f"pytest {int(code)}")
    return code != 0


class _Named:
    first = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.first:
            self.first = report.nodeid


# Forks.

_Body = Callable[[Trial, dict[str, float], Callable[[str], None]], bool]


def _limit(seconds: float) -> None:
    """The process ends by a signal when what it does takes far longer than it did."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(5 + _SLOWER * seconds))


def _pool(
    trials: Sequence[Trial], seconds: dict[str, float], jobs: int, body: _Body, told: Callable[[Tried], None]
) -> None:
    """At most `jobs` forks at once. A test that kills is first run on the unchanged code, in a fork like the others."""
    running: dict[int, tuple[Trial, int, float, str]] = {}
    queue = list(reversed(trials))
    sound: dict[str, bool] = {}
    while queue or running:
        while queue and len(running) < jobs:
            trial = queue.pop()
            trial = replace(trial, tests=tuple(test for test in trial.tests if sound.get(test, True)))
            if trial.tests:
                pid, pipe, began, folder = _fork(trial, seconds, body)
                running[pid] = (trial, pipe, began, folder)
            else:
                told(Tried(trial, "survived", "no test", 0.0))
        if running:
            pid, status = os.wait()
            if pid in running:
                tried = _ended(*running.pop(pid), pid, status)
                if tried.verdict == "killed" and tried.by in seconds and tried.by not in sound:
                    sound[tried.by] = _is_sound(tried.by, seconds, body)
                if sound.get(tried.by, True):
                    told(tried)
                else:
                    queue.append(tried.trial)


def _is_sound(test: str, seconds: dict[str, float], body: _Body) -> bool:
    trial = Trial(None, (test,))
    pid, *rest = _fork(trial, seconds, body)
    _, status = os.waitpid(pid, 0)
    sound = _ended(trial, *rest, pid, status).verdict == "survived"
    if not sound:
        sys.stderr.write(f"mutants: {test} fails on the unchanged code, too; it judges nothing\n")
    return sound


def _ended(trial: Trial, pipe: int, began: float, folder: str, pid: int, status: int) -> Tried:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)  # what it has started
    by = os.read(pipe, 4096).decode() if select.select([pipe], [], [], 0)[0] else ""
    os.close(pipe)
    shutil.rmtree(folder, ignore_errors=True)
    taken = time.monotonic() - began
    if os.WIFSIGNALED(status):
        ended = os.WTERMSIG(status)
        verdict = "timeout" if ended == signal.SIGALRM else "killed"
        return Tried(trial, verdict, signal.Signals(ended).name, taken)
    code = os.WEXITSTATUS(status)
    if code not in {0, 1}:
        raise SystemExit(f"mutants: the trial of {trial} failed itself: {by}")
    return Tried(trial, "killed" if code else "survived", by, taken)


def _fork(trial: Trial, seconds: dict[str, float], body: _Body) -> tuple[int, int, float, str]:
    """Its process, the pipe that it tells by, when it began, and its folder."""
    folder = tempfile.mkdtemp(prefix="mutant-", dir=_IN_MEMORY)
    reading, writing = os.pipe()
    began = time.monotonic()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading, began, folder
    code = 2
    try:
        os.close(reading)
        os.setpgid(0, 0)
        _alone(folder)
        if trial.mutant is not None:
            _hand_on(trial.mutant, folder)
        code = 1 if body(trial, seconds, lambda test: os.write(writing, test.encode()[:4000]) and None) else 0
    except BaseException as error:  # noqa: BLE001 - whatever it is, this fork ends here
        os.write(writing, repr(error).encode()[:4000])
    finally:
        os._exit(code)


_SITE = """\
import importlib.util, sys

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return importlib.util.spec_from_file_location(name, {file!r}) if name == {name!r} else None

sys.meta_path.insert(0, Finder)
"""


def _hand_on(mutant: Mutant, folder: str) -> None:
    """A Python that a test starts by `sys.executable` imports the mutant, too."""
    site, python = Path(folder, "site"), Path(folder, "python")
    site.mkdir()
    (site / "mutant.py").write_bytes(mutant.source(_source(mutant.module)))
    text = _SITE.format(file=str(site / "mutant.py"), name=_dotted(mutant.module))
    (site / "sitecustomize.py").write_text(text, encoding="utf-8")
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{site}:$PYTHONPATH" exec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    sys.executable = str(python)


def _dotted(module: str) -> str:
    return "workroom." + module.removesuffix(".py").replace("/", ".")


def _alone(folder: str) -> None:
    """A folder of its own to work and to be in: a mutant may leave out where a name is looked up."""
    here = Path(folder, "here")
    here.mkdir()
    os.chdir(here)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
    resource.setrlimit(resource.RLIMIT_AS, (_LARGEST_MEMORY, _LARGEST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout = sys.stderr = io.TextIOWrapper(open(os.devnull, "wb"), write_through=True)  # noqa: SIM115
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
