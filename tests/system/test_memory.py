"""Many threads take memory from few places, and the system has back what is large."""

from __future__ import annotations

import platform
import re
import subprocess
import sys

import pytest

from workroom.system.memory import give_back_large_blocks, share_arenas

_PROGRAM = """
import sys, threading
from workroom.system.memory import share_arenas
if sys.argv[1] == "shared":
    assert share_arenas()
barrier = threading.Barrier(17)
def work():
    kept = [bytes(50_000) for _ in range(100)]
    barrier.wait()
    barrier.wait()
    del kept
for _ in range(16):
    threading.Thread(target=work).start()
barrier.wait()
print(open("/proc/self/maps").read())
barrier.wait()
"""
_ARENA_BYTES = 64 * 1024 * 1024
"""Where glibc begins an arena is a multiple of this, on 64 bits."""


def arenas(how: str) -> int:
    """How many arenas sixteen threads have made, beside the first one."""
    maps = subprocess.run([sys.executable, "-c", _PROGRAM, how], capture_output=True, text=True, check=True).stdout
    begins = [int(begin, 16) for begin in re.findall(r"^([0-9a-f]+)-\S+ rw-p 00000000 00:00 0 *$", maps, re.MULTILINE)]
    return sum(begin % _ARENA_BYTES == 0 for begin in begins)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_threads_share_what_is_free():
    assert arenas("shared") <= 1 < arenas("as it comes")


def test_a_library_without_the_setting_is_left_as_it_is():
    assert share_arenas(object()) is False
    assert give_back_large_blocks(object()) is False


_LARGE = """
import sys
from workroom.system.memory import give_back_large_blocks
if sys.argv[1] == "given back":
    assert give_back_large_blocks()
bytes(4 << 20)  # from the freeing of this one on, glibc takes up to 4 MiB from the heap
kept = [[b"x" * (256 << 10), b"y" * 20_000] for _ in range(200)]
kept = [small for _, small in kept]
print(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])
"""


def resident(how: str) -> int:
    """KiB that a process has once it has freed 50 MiB of large blocks among small ones that it keeps."""
    return int(subprocess.run([sys.executable, "-c", _LARGE, how], capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_the_system_has_large_blocks_back():
    assert resident("as it comes") - resident("given back") > 25 * 1024


def test_a_process_has_no_more_than_it_may():
    program = """
import resource
from workroom.system.memory import take_at_most
take_at_most(300_000_000)
bytes(50_000_000)
try:
    bytes(300_000_000)
except MemoryError:
    print("refused", resource.getrlimit(resource.RLIMIT_CORE)[0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "refused 0\n"
