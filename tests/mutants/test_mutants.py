"""Mutation testing, tried on a small module and on one mutant of each kind; the whole of it is `make mutants`."""

import json
import subprocess
import sys
import textwrap

from tests.mutants import explained, report
from tests.mutants.mutants import mutants
from tests.mutants.reach import PROJECT, SOURCE, Reach, modules
from tests.mutants.run import judges_of

SAMPLE = textwrap.dedent('''\
    """A module."""
    from __future__ import annotations
    import logging
    __all__ = ["KINDS"]
    KINDS = {"a": 1}

    def check(path: str, limit: int = 5) -> str:
        """Words."""
        if path.startswith("/"):
            raise ValueError("it is absolute")
        try:
            found = look(path, at=limit)
        except (OSError, KeyError):
            logging.warning("no %s", path)
            return ""
        return found
    ''')


def changes(source: str) -> list[tuple[str, str, str, bool]]:
    return [(one.function, one.before, one.after, one.early) for one in mutants("x.py", source.encode())]


def test_what_is_changed_and_what_is_left_alone():
    body, table = ("check", False), ("<module>", True)
    assert {(one[0], one[3], one[1], one[2]) for one in changes(SAMPLE)} == {
        (*table, 'KINDS = {"a": 1}', "KINDS = None"),
        (*table, 'KINDS = {"a": 1}', 'KINDS = {"XXaXX": 1}'),
        (*table, 'KINDS = {"a": 1}', 'KINDS = {"a": 2}'),
        ("check", True, "def check(path: str, limit: int = 5) -> str:", "def check(path: str, limit: int = 6) -> str:"),
        (*body, 'if path.startswith("/"):', 'if not (path.startswith("/")):'),
        (*body, 'if path.startswith("/"):', "if path.startswith(None):"),
        (*body, 'if path.startswith("/"):', 'if path.startswith("XX/XX"):'),
        (*body, 'raise ValueError("it is absolute")', "pass"),
        (*body, "found = look(path, at=limit)", "found = None"),
        (*body, "found = look(path, at=limit)", "found = look(None, at=limit)"),
        (*body, "found = look(path, at=limit)", "found = look(path, at=None)"),
        (*body, "found = look(path, at=limit)", "found = look(path, )"),
        (*body, "except (OSError, KeyError):", "except (OSError,):"),
        (*body, "except (OSError, KeyError):", "except (KeyError,):"),
        (*body, 'return ""', 'return "XXXX"'),
    }


def test_the_same_change_twice_in_a_function_has_a_number():
    twice = [one for one in mutants("x.py", b"def f():\n    g()\n    g()\n") if one.after == "pass"]
    assert [one.number for one in twice] == [0, 1]
    assert [one.lines for one in twice] == [(2, 2), (3, 3)]


def test_each_is_a_module_that_differs_in_one_place():
    original = (SOURCE / "core/permissions.py").read_bytes()
    for mutant in mutants("core/permissions.py", original):
        changed = mutant.source(original)
        compile(changed, "x", "exec")
        assert changed != original
        assert changed.startswith(original[: mutant.start])
        assert changed.endswith(original[mutant.end :])


def test_nearest_tests_first_and_others_as_long_as_time_is():
    (mutant,) = (one for one in mutants("core/x.py", b"def f():\n    g()\n"))
    mine, other, slow = "tests/core/test_x.py::a", "tests/core/test_y.py::a", "tests/core/test_y.py::b"
    reach = Reach({"core/x.py": {2: {slow, other, mine}}}, {mine: 9.0, other: 1.0, slow: 2.0})
    assert judges_of(mutant, reach, 3.0) == (mine, other, slow)
    assert judges_of(mutant, reach, 2.5) == (mine, other)


def test_a_mutant_dies_of_a_test_that_sees_it(tmp_path):
    """One in a function, one in the gate's table, and one that nobody can see; and a call that ends never."""
    test = "tests/core/test_permissions.py::test_a_plan_counts_in_plan_mode_only"
    script = f"""
        import json
        from tests.mutants.mutants import mutants
        from tests.mutants.reach import SOURCE
        from tests.mutants.trial import Trial, try_all
        made = mutants("core/permissions.py", (SOURCE / "core/permissions.py").read_bytes())
        afters = ["return _Lock(None)", 'if asks or (destructive and ceiling == "XXaskXX"):', 'ASKS = "XXasksXX"',
                  '_RUN = None']
        trials = [Trial(one, ({test!r},)) for one in made if one.after in afters]
        def told(tried):
            with open({str(tmp_path / "log")!r}, "a") as log:
                log.write(json.dumps([tried.trial.mutant.after, tried.verdict]) + chr(10))
        try_all(trials, {{{test!r}: 0.0}}, 2, told)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=PROJECT, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert dict(json.loads(line) for line in (tmp_path / "log").read_text().splitlines()) == {
        "return _Lock(None)": "killed",
        'if asks or (destructive and ceiling == "XXaskXX"):': "survived",
        'ASKS = "XXasksXX"': "survived",
        "_RUN = None": "killed",
    }


def test_survivors_that_nobody_explains_and_explanations_that_are_stale_are_faults(tmp_path):
    made = mutants("core/x.py", b"def f():\n    g()\n")
    row = {(made[0].name, made[0].digest): {"verdict": "survived", "by": ""}}
    killed = {(made[0].name, made[0].digest): {"verdict": "killed", "by": "t"}}
    line = {"module": "core/x.py", "function": "f", "before": "g()", "after": "pass", "verdict": "equivalent"}
    known = {made[0].name: {**line, "reason": "g does nothing"}}

    def faults(rows, known):
        return " ".join(explained.faults({"core/x.py": made}, rows, known))

    assert faults(row, known) == ""
    assert "not tried" in faults({}, {})
    assert "survived" in faults(row, {})
    assert "killed by t" in faults(killed, known)
    assert "isn't made any more" in faults(row, {**known, "other": {**line, "reason": "x"}})
    assert "no reason" in faults(row, {made[0].name: {**line, "reason": ""}})
    table = report.write(tmp_path, {"core/x.py": made}, row, known)
    assert "| core/x.py | 1 | 0 | 0 | 1 | 0 | 0 | 0 |" in table
    assert table in (tmp_path / "report.md").read_text()


def test_what_is_explained_still_stands_in_the_source():
    known = explained.read(explained.FILE)
    texts = {module: " ".join((SOURCE / module).read_text(encoding="utf-8").split()) for module in modules()}
    for line in known.values():
        assert line["before"] in texts[line["module"]]
        assert line["verdict"] in explained.VERDICTS
        assert line["reason"]
