"""Which file a section of a patch means: git's and plain header names, prefixes, quotes, timestamps.

Pure: whether a file exists is asked of the caller, and only to tell a prefix (`a/`, `b/`) from a real folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.paths import check_protected, parse_path
from workroom.text.quoting import unquote_name

__all__ = ["Exists", "Names", "check_patch_path", "resolve"]

Exists = Callable[[str], bool]

_NOTHING = "/dev/null"
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:00")
"""How `diff -N` dates the side that doesn't exist."""


@dataclass(slots=True)
class Names:
    """A section's names as written, each what follows its keyword; None where the section lacks the line.

    `git` is of `diff --git`, `old` of `---`, `new` of `+++`.
    """

    git: str | None = None
    rename_from: str | None = None
    rename_to: str | None = None
    old: str | None = None
    new: str | None = None

    @property
    def old_absent(self) -> bool:
        return self.old is not None and _written(self.old) is None

    @property
    def new_absent(self) -> bool:
        return self.new is not None and _written(self.new) is None

    def continued_by(self, old: str, new: str) -> bool:
        """Whether `---` and `+++` lines belong to this `diff --git` line, and aren't the next file's."""
        own = {self.rename_from, self.rename_to, *(_git_pair(self.git or "") or ())} - {None}
        tails = {_after_prefix(name) or name for name in map(_unquoted, map(str, own))}
        sides = [name for name in (_written(old), _written(new)) if name is not None]
        return not tails or all(name in tails or _after_prefix(name) in tails for name in sides)

    def style(self, exists: Exists) -> str | None:
        """How a plain section that names two sides writes names: `bare`, `prefixed`, None where it doesn't show."""
        old, new = _written(self.old), _written(self.new)
        if self.git is not None or old is None or new is None:
            return None
        if old == new:
            return "bare" if _unprefixed(old, exists) == old else None
        return "prefixed" if _without_prefix(old) == _without_prefix(new) else None


def resolve(names: Names, exists: Exists, *, bare: bool) -> tuple[str, str]:
    """The file's path before and after; the same path twice unless it is renamed.

    `bare`: the patch's other plain sections write names without prefix. INVALID_INPUT where the lines contradict each
    other; the paths keep the rules of `check_patch_path`.
    """
    if names.rename_from is not None or names.rename_to is not None:
        pair = _renamed(names)
    else:
        path = _git_path(names.git, exists) if names.git is not None else None
        path = _plain_path(names, exists, bare=bare) if path is None else path
        pair = (path, path)
    for written, path in zip((names.old, names.new), pair, strict=True):
        name = _written(written)
        if name is not None and path not in {name, _after_prefix(name)}:
            raise _contradiction(name, path)
    return check_patch_path(pair[0]), check_patch_path(pair[1])


def check_patch_path(name: str) -> str:
    """The canonical path of a name in a patch, by stricter rules than a tool's argument: it is never put right.

    PROTECTED_PATH for what is always protected. PATH_OUTSIDE_WORKSPACE for a `..` that leaves. INVALID_INPUT for an
    empty, over-long or absolute name, control characters, and any other `..`.
    """
    check_protected(name)
    if not name.strip():
        raise _invalid("The patch names an empty path.")
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        raise _invalid(f"The patch names {name[:200]!r}: its paths must be relative to the workspace.")
    path = parse_path(name, "/")
    if "//" in name:  # behind a prefix it would be an absolute path
        raise _invalid(f"The patch names {name!r}: its paths can't hold '//'.")
    if ".." in re.split(r"[/\\]", name):
        raise _invalid(f"The patch names {name!r}: its paths can't hold '..'.")
    if path == "." or name.endswith("/"):
        raise _invalid(f"The patch names {name!r}, which is a folder.")
    return path


def _written(header: str | None) -> str | None:
    """The name on a `---` or `+++` line, checked; None for the side that doesn't exist."""
    if header is None:
        return None
    quoted = unquote_name(header)
    name, stamp = quoted or header.partition("\t")[::2]
    if name.strip() == _NOTHING or _EPOCH.match(stamp.strip()):
        return None
    return check_patch_path(name)


def _renamed(names: Names) -> tuple[str, str]:
    if names.rename_from is None or names.rename_to is None:
        raise _invalid("The patch has `rename from` without `rename to`, or the other way round.")
    old, new = (check_patch_path(_unquoted(name)) for name in (names.rename_from, names.rename_to))
    git = _git_pair(names.git or "")
    for written, path in zip(git or (), (old, new), strict=False):
        name = check_patch_path(written)
        if path not in {name, _after_prefix(name)}:
            raise _contradiction(name, path)
    return old, new


def _git_path(line: str, exists: Exists) -> str | None:
    """The one file that a `diff --git` line names twice; None when the line alone doesn't tell."""
    pair = _git_pair(line)
    if pair is None or _NOTHING in pair:
        return None
    old, new = check_patch_path(pair[0]), check_patch_path(pair[1])
    if old == new:
        return _unprefixed(old, exists)
    # git's prefixes are a/ b/, or i/ w/ c/ o/ by `diff.mnemonicPrefix`, or swapped by -R: one letter each.
    return _after_prefix(old) if _after_prefix(old) == _after_prefix(new) else None


def _git_pair(line: str) -> tuple[str, str] | None:
    """The two names of a `diff --git` line, where they can be told apart."""
    first = unquote_name(line)
    if first is not None:
        return first[0], _unquoted(first[1].removeprefix(" "))
    if line.endswith('"') and ' "' in line:
        name, _, rest = line.partition(' "')
        return name, _unquoted('"' + rest)
    middle = len(line) // 2
    if len(line) % 2 and line[middle] == " " and _unprefixed_pair(line[:middle], line[middle + 1 :]):
        return line[:middle], line[middle + 1 :]
    return (line.partition(" ")[0], line.partition(" ")[2]) if line.count(" ") == 1 else None


def _plain_path(names: Names, exists: Exists, *, bare: bool) -> str:
    old, new = _written(names.old), _written(names.new)
    if old is not None and new is not None:
        return _modified(old, new, exists)
    if new is not None:
        return new if bare else _without_prefix(new)
    if old is not None:
        return old if bare else _unprefixed(old, exists, otherwise=_without_prefix(old))
    raise _invalid("A section of the patch names no file.", "Give it `--- a/PATH` and `+++ b/PATH`.")


def _modified(old: str, new: str, exists: Exists) -> str:
    if old == new:
        return _unprefixed(old, exists)
    if _without_prefix(old) == _without_prefix(new):
        return _without_prefix(old)
    raise _invalid(
        f"The patch changes {old!r} into {new!r} without saying that it is renamed.",
        "For a rename add `diff --git`, `rename from` and `rename to` lines.",
    )


def _unprefixed(name: str, exists: Exists, *, otherwise: str | None = None) -> str:
    """A name that may begin with a prefix or a real folder `a` or `b`: whichever reading exists.

    Where both or neither do, `otherwise`, or the name as written.
    """
    stripped = _without_prefix(name)
    if stripped == name:
        return name
    here, there = exists(name), exists(stripped)
    if here != there:
        return name if here else stripped
    return name if otherwise is None else otherwise


def _without_prefix(name: str) -> str:
    return name[2:] if name.startswith(("a/", "b/")) else name


def _after_prefix(name: str) -> str | None:
    return name[2:] if name[1:2] == "/" else None


def _unprefixed_pair(old: str, new: str) -> bool:
    """Whether the names are one, apart from prefixes of one letter."""
    return old == new or (old[1:2] == new[1:2] == "/" and old[2:] == new[2:])


def _unquoted(name: str) -> str:
    quoted = unquote_name(name)
    return quoted[0] if quoted else name


def _contradiction(name: str, path: str) -> WorkroomError:
    return _invalid(f"A section of the patch names both {name!r} and {path!r}.", "Give each file its own section.")


def _invalid(message: str, next_step: str = "") -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, message, next_step=next_step)
