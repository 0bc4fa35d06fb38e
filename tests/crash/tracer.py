"""Stops a process at each system call that it makes, to kill it there, to let the call fail, or to look on.

    child:   stop()                       waits for its tracer
    parent:  follow(child, decide)        `decide` is asked at each call, before the system has done anything

By ptrace, from Python: strace counts the calls of one name in one thread, and needs a process of its own for each
point; this one counts them all, in the order in which they are made, and a stop costs some microseconds.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

__all__ = ["KILL", "LET_GO", "LOCK", "Call", "Decide", "end_with_parent", "follow", "missing", "stop"]

KILL = -1
"""The answer of `Decide` that kills the process, the call not made."""
LOCK = "fcntl_lock"
"""The name of a call that takes a database's lock or gives it back."""
LET_GO = -2
"""The answer that lets the call be made, and all others without asking."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

_TRACEME, _CONT, _POKEUSER, _SYSCALL, _SETOPTIONS, _SYSCALL_INFO = 0, 7, 6, 24, 0x4200, 0x420E
_OPTIONS = 0x1 | 0x8 | 0x100000  # TRACESYSGOOD, TRACECLONE, EXITKILL
_ORIG_RAX, _RAX = 15 * 8, 10 * 8
_WALL = 0x40000000
_PDEATHSIG = 1
_SYSCALL_STOP = signal.SIGTRAP | 0x80
_ENTRY, _EXIT = 1, 2

_INFO = ctypes.create_string_buffer(88)
_INFO_AT = ctypes.addressof(_INFO)
_INFO_FORMAT = struct.Struct("=B23x7Q")

_NAMES = {
    0: "read", 1: "write", 3: "close", 5: "fstat", 8: "lseek", 9: "mmap", 10: "mprotect", 11: "munmap", 12: "brk",
    13: "rt_sigaction", 14: "rt_sigprocmask", 15: "rt_sigreturn", 16: "ioctl", 17: "pread64", 18: "pwrite64",
    20: "writev", 21: "access", 24: "sched_yield", 25: "mremap", 28: "madvise", 32: "dup", 33: "dup2", 39: "getpid",
    56: "clone", 59: "execve", 60: "exit", 72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync", 77: "ftruncate",
    79: "getcwd", 83: "mkdir", 86: "link", 87: "unlink", 90: "chmod", 91: "fchmod", 93: "fchown", 102: "getuid",
    107: "geteuid", 137: "statfs", 138: "fstatfs", 186: "gettid", 190: "fsetxattr", 193: "fgetxattr", 196: "flistxattr",
    202: "futex", 217: "getdents64", 218: "set_tid_address", 230: "clock_nanosleep", 231: "exit_group", 257: "openat",
    258: "mkdirat", 262: "newfstatat", 263: "unlinkat", 264: "renameat", 265: "linkat", 266: "symlinkat",
    267: "readlinkat", 268: "fchmodat", 273: "set_robust_list", 285: "fallocate", 292: "dup3", 293: "pipe2",
    302: "prlimit64", 316: "renameat2", 318: "getrandom", 332: "statx", 334: "rseq", 435: "clone3", 437: "openat2",
    439: "faccessat2", 444: "landlock_create_ruleset",
}  # fmt: skip
"""Numbers of x86-64; what isn't here goes by its number."""

_OWN = {
    *("brk", "madvise", "mmap", "mprotect", "mremap", "munmap"),
    *("clone", "clone3", "exit", "futex", "getpid", "gettid", "getrandom", "rseq", "rt_sigaction", "rt_sigprocmask"),
    *("rt_sigreturn", "sched_yield", "set_robust_list"),
}
"""Calls about the process's own memory, signals and threads. How many there are hangs on how busy the machine is, and
nothing outside the process changes by them: a kill there is a kill at the next call."""


@dataclass(frozen=True, slots=True)
class Call:
    """The `number`-th call (from 0) that a process makes, those about itself not counted."""

    number: int
    name: str
    arguments: tuple[int, ...]


Decide = Callable[[Call], int]
"""0: let the call be made. KILL: kill the process now. Else an error's number: the call isn't made, and fails so."""


@cache
def missing() -> str:
    """Why no process can be traced here; empty where it can."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"the tracer is written for Linux on x86-64, not for {sys.platform} on {platform.machine()}"
    child = os.fork()
    if child == 0:
        try:
            stop()
        finally:
            os._exit(0)
    seen: list[str] = []

    def look(call: Call) -> int:
        seen.append(call.name)
        return 0

    try:
        follow(child, look)
    except OSError as error:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return f"the system doesn't let a process be traced ({error.strerror})"
    return "" if "exit_group" in seen else "the kernel doesn't tell of system calls (it is older than Linux 5.3)"


def end_with_parent() -> None:
    """Let this process be killed when the one that started it ends, however that ends."""
    _libc.prctl(_PDEATHSIG, signal.SIGKILL)


def stop() -> None:
    """In the process to be traced: wait until it is followed."""
    _ptrace(_TRACEME, 0)
    os.kill(os.getpid(), signal.SIGSTOP)


def follow(pid: int, decide: Decide) -> int:
    """Follow a process that has called `stop` to its end; answers the status of that, as `os.waitpid` does.

    The caller has no other children meanwhile.
    """
    status = os.waitpid(pid, _WALL)[1]
    if not os.WIFSTOPPED(status):
        return status
    _ptrace(_SETOPTIONS, pid, 0, _OPTIONS)
    _ptrace(_SYSCALL, pid)
    return _Follower(pid, decide).follow()


class _Follower:
    def __init__(self, pid: int, decide: Decide) -> None:
        self.pid = pid
        self.decide = decide
        self.number = 0
        self.failing: dict[int, int] = {}
        """Threads whose call isn't made, with the error that they get."""
        self.free = False

    def follow(self) -> int:
        while True:
            thread, status = os.waitpid(-1, _WALL)
            if not os.WIFSTOPPED(status):
                if thread == self.pid:
                    return status
                continue
            deliver = 0
            if os.WSTOPSIG(status) == _SYSCALL_STOP:
                if not self._at_call(thread):
                    os.kill(self.pid, signal.SIGKILL)
                    continue
            elif status >> 16 == 0 and os.WSTOPSIG(status) != signal.SIGSTOP:
                deliver = os.WSTOPSIG(status)
            _ptrace(_CONT if self.free and not self.failing else _SYSCALL, thread, 0, deliver, gone=True)

    def _at_call(self, thread: int) -> bool:
        """False: kill it."""
        kind, number, arguments = _syscall_info(thread)
        if kind == _EXIT and thread in self.failing:
            _ptrace(_POKEUSER, thread, _RAX, -self.failing.pop(thread))
        if kind != _ENTRY or self.free:
            return True
        name = _NAMES.get(number, f"call_{number}")
        if name == "fcntl" and arguments[1] == fcntl.F_SETLK:
            name = LOCK
        if name in _OWN:
            return True
        answer = self.decide(Call(self.number, name, arguments))
        self.number += 1
        self.free = answer == LET_GO
        if answer > 0:
            _ptrace(_POKEUSER, thread, _ORIG_RAX, -1)
            self.failing[thread] = answer
        return answer != KILL


def _syscall_info(thread: int) -> tuple[int, int, tuple[int, ...]]:
    """Entry or exit (0: the thread is gone), the call's number, its arguments."""
    if _libc.ptrace(_SYSCALL_INFO, thread, 88, _INFO_AT) < 0:
        return 0, 0, ()
    kind: int
    number: int
    kind, number, *arguments = _INFO_FORMAT.unpack_from(_INFO)
    return kind, number, tuple(arguments)


def _ptrace(request: int, pid: int, address: int = 0, data: int = 0, *, gone: bool = False) -> None:
    if _libc.ptrace(request, pid, address, data & 0xFFFFFFFFFFFFFFFF) < 0:
        code = ctypes.get_errno()
        if not (gone and code == errno.ESRCH):
            raise OSError(code, os.strerror(code), f"ptrace {request}")
