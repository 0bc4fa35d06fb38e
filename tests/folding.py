"""A file system that takes `A` and `a` for one name: NTFS, mounted so."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

__all__ = ["folding_disk"]


@contextlib.contextmanager
def folding_disk(target: Path, image: Path) -> Iterator[Path]:
    """Mounted at `target`, which is made, from the new file `image`; where it can't be, the test is skipped."""
    if shutil.which("lowntfs-3g") is None or shutil.which("mkntfs") is None:
        pytest.skip("mounting NTFS takes ntfs-3g")
    target.mkdir()
    with image.open("wb") as file:
        file.truncate(8 << 20)
    subprocess.run(["mkntfs", "-F", "-q", str(image)], check=True, capture_output=True)
    command = ["lowntfs-3g", "-o", "ignore_case", str(image), str(target)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False, timeout=60).returncode:
        pytest.skip("mounting takes root and FUSE")
    try:
        yield target
    finally:
        subprocess.run(["umount", str(target)], check=True)
