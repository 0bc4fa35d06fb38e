"""What a path may be called: canonical form, protected names, names that are refused when new, globs.

Pure rules; links and what exists are `system/root.py`'s matter. Protected beats invalid: a path that names `.git` in
any disguise is PROTECTED_PATH even where it is also malformed.
"""

from __future__ import annotations

import fnmatch
import itertools
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = [
    "STAGE_PREFIX",
    "check_new_name",
    "check_protected",
    "fold_name",
    "literal_folder",
    "matches",
    "name_pattern",
    "parse_path",
    "parse_write_path",
    "protected_by",
]

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255

STAGE_PREFIX = ".workroom-stage-"
"""Names that begin so are Workroom's own for a moment; listings hide them, and no caller may make one."""

_PROTECTED = (".git", ".agentic")
# What Windows calls `.git` and `.agentic` for programs that know eight characters only.
_SHORT_NAME = re.compile(r"(git|agenti)~[1-4]")
# Characters that file systems or readers leave out when they compare or show names, beside all of category Cf.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)


def parse_path(given: str, root: str) -> str:
    """The canonical path of what a caller gave: relative to `root`, with `/`, without `.` and `..`; the root is `.`.

    `given` is relative, or absolute inside the absolute path `root`. INVALID_INPUT: empty, NUL or another control
    character, a lone surrogate, more than 4,096 bytes, a name of more than 255. PATH_OUTSIDE_WORKSPACE: an absolute
    path elsewhere, or a `..` that leaves, even where it would come back.
    """
    _check_text(given)
    parts = [part for part in given.split("/") if part not in {"", "."}]
    if given.startswith("/"):
        top = [part for part in root.split("/") if part]
        if parts[: len(top)] != top:
            raise _outside(given)
        parts = parts[len(top) :]
    done: list[str] = []
    for part in parts:
        if part != "..":
            done.append(part)
        elif done:
            done.pop()
        else:
            raise _outside(given)
    return "/".join(done) or "."


def parse_write_path(given: str, root: str) -> str:
    """The same for a file that shall be written: INVALID_INPUT too for a folder's way of writing it and for the root.

    PROTECTED_PATH where that is the better answer.
    """
    path = parse_path(given, root)
    check_protected(path)
    if path == ".":
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"Path {given!r} is the workspace itself, not a file in it.")
    if given.rpartition("/")[2] in {"", ".", ".."}:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"Path {given!r} names a folder by its ending, and a file is wanted.",
            next_step=f"Write it as {path!r}.",
        )
    return path


def check_protected(path: str, patterns: Sequence[str] = ()) -> None:
    """PROTECTED_PATH when `protected_by` finds a rule; the message names it."""
    rule = protected_by(path, patterns)
    if rule is None:
        return
    reason = "always protected" if rule in (*_PROTECTED, f"{STAGE_PREFIX}*") else "a protected pattern of the person's"
    raise WorkroomError(
        ErrorCode.PROTECTED_PATH,
        f"Path {path!r} can't be written: {rule} is {reason}.",
        details={"path": path, "rule": rule},
    )


def protected_by(path: str, patterns: Sequence[str] = ()) -> str | None:
    """The rule that protects a path: `.git`, `.agentic` (at any depth, in any disguise), our staging, or a pattern.

    Disguises are what some file system takes for the same name: case, Unicode compatibility forms and invisible
    characters, short names (`git~1`), trailing dots and spaces, streams (`.git::$INDEX_ALLOCATION`), backslashes.
    A pattern that matches a folder protects what is in it.
    """
    for name in re.split(r"[/\\]", path):
        plain = _plain_name(name)
        if plain in _PROTECTED:
            return plain
        if plain.startswith(STAGE_PREFIX):
            return f"{STAGE_PREFIX}*"
        short = _SHORT_NAME.fullmatch(plain)
        if short:
            return ".git" if short[1] == "git" else ".agentic"
    return _first(path, patterns, folded=True, below=True)


def check_new_name(path: str) -> None:
    """INVALID_INPUT for names that Windows would silently turn into something else, on every system.

    Those are devices (`CON`, with any extension), streams and drives (a colon), trailing dots and spaces, and
    backslashes: a checkout elsewhere would write another file than the one that was reviewed. For parts of a path
    that are to be made; what exists may be edited whatever its name.
    """
    for name in path.split("/"):
        fault = _windows_fault(name)
        if fault:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"Path {path!r}: the name {name!r} {fault}, which Windows can't have.",
                next_step="Choose another name.",
            )


def fold_name(name: str) -> str:
    """A name, or a path, as file systems compare it that leave case and the spelling of letters out of account.

    Unicode's canonical caseless matching; what isn't the same by it may still be one name to some file system.
    """
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def matches(path: str, patterns: Sequence[str], *, folded: bool = False) -> str | None:
    """The first glob that matches a canonical path, or None.

    `*` and `?` stay within a name, `**` crosses folders, `[…]` is a set; `x/` and `x/**` are what is in `x`. A
    pattern without a slash is a name at any depth. One with a slash begins at the root, but one that begins with a
    dot (`.vscode/settings.json`) does so in any folder; `/x` begins at the root only. `folded` takes names as the
    most forgiving file system does.
    """
    return _first(path, patterns, folded=folded, below=False)


def name_pattern(pattern: str) -> re.Pattern[str] | None:
    """What the name of every path has to match that a glob matches; None where it may be any."""
    return _compiled(pattern, folded=False)[-1]


def literal_folder(pattern: str) -> str:
    """The folder that everything is in which a glob matches, as far as it names one; empty where that may be any."""
    if pattern.startswith(".") or "/" not in pattern:
        return ""
    parts = pattern.strip("/").split("/")
    names = parts if pattern.endswith("/") else parts[:-1]
    return "/".join(itertools.takewhile(lambda part: not _MARKS.intersection(part), names))


def _check_text(given: str) -> None:
    if not given:
        raise WorkroomError(ErrorCode.INVALID_INPUT, "The path is empty.", next_step="Write '.' for the workspace.")
    try:
        encoded = given.encode()
    except UnicodeEncodeError:
        raise _invalid(given, "holds half of a surrogate pair") from None
    if len(encoded) > MAX_PATH_BYTES:
        raise _invalid(given[:60] + "…", f"is {len(encoded):,} bytes long; the limit is {MAX_PATH_BYTES:,}")
    if "\0" in given:
        raise _invalid(given, "holds a NUL character")
    if any(unicodedata.category(char) == "Cc" for char in given):
        raise _invalid(given, "holds control characters")
    for part in given.split("/"):
        if len(part.encode()) > MAX_NAME_BYTES:
            raise _invalid(part[:60] + "…", f"is a name of more than {MAX_NAME_BYTES} bytes")


def _invalid(path: str, fault: str) -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r} {fault}.")


def _outside(given: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.PATH_OUTSIDE_WORKSPACE,
        f"Path {given!r} is outside the workspace.",
        next_step="Write it relative to the workspace's folder.",
    )


@lru_cache(maxsize=4096)
def _plain_name(name: str) -> str:
    """A name as the most forgiving file system compares it."""
    return _folded(name).partition(":")[0].rstrip(". ") or name


def _folded(text: str) -> str:
    """Without case, compatibility forms and invisible characters."""
    if text.isascii():
        return text.lower()
    visible = _IGNORABLE.sub("", unicodedata.normalize("NFKC", text))
    visible = "".join(char for char in visible if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", visible.casefold())


def _windows_fault(name: str) -> str | None:
    if "\\" in name:
        return "holds a backslash"
    if ":" in name:
        return "holds a colon"
    if name.endswith((".", " ")):
        return "ends in a dot or a space"
    if _DEVICE.fullmatch(name.partition(".")[0].rstrip(" ")):
        return "is a device's"
    return None


_MARKS = frozenset("*?[")
_ACROSS = None
"""`**` among a glob's parts: any number of folders."""
_Glob = tuple[re.Pattern[str] | None, ...]


def _first(path: str, patterns: Sequence[str], *, folded: bool, below: bool) -> str | None:
    """The first pattern that fits the path or, with `below`, the path or a folder above it."""
    spellings = [path.split("/")]
    if folded and patterns:
        names, plain = [_folded(name) for name in spellings[0]], [_plain_name(name) for name in spellings[0]]
        spellings = [plain] if names == plain else [plain, names]
    for pattern in patterns:
        glob = _compiled(pattern, folded=folded)
        if any(_fits(glob, parts, below=below) for parts in spellings):
            return pattern
    return None


def _fits(glob: _Glob, parts: Sequence[str], *, below: bool) -> bool:
    """Part by part, keeping every position that the glob can have reached: no pattern takes long."""
    reached = {0}
    for at, part in enumerate(glob, 1):
        if part is not _ACROSS:
            reached = {end + 1 for end in reached if end < len(parts) and part.match(parts[end])}
        elif reached:
            inside = 1 if at == len(glob) else 0
            reached = set(range(min(reached) + inside, len(parts) + 1))
    return bool(reached) if below else len(parts) in reached


@lru_cache(maxsize=1024)
def _compiled(pattern: str, *, folded: bool) -> _Glob:
    if folded:
        pattern = _folded(pattern)
    body = pattern.lstrip("/")
    if body.endswith("/"):
        body += "**"
    glob = [
        _ACROSS if part == "**" else re.compile(fnmatch.translate(part.replace("[^", "[!"))) for part in body.split("/")
    ]
    deep = not pattern.startswith("/") and ("/" not in body or body.startswith("."))
    return (_ACROSS, *glob) if deep else tuple(glob)
