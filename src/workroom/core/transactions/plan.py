"""From operations to a plan: each is checked, played on the overlay, and judged destructive or not."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workroom.base.changes import Change, ChangeSet, Danger, Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.base.settings import Settings
from workroom.core.transactions.model import Directory, Planned
from workroom.core.transactions.names import check_names
from workroom.core.transactions.operations import (
    Copy,
    Create,
    Delete,
    Mkdir,
    Move,
    Operation,
    Patch,
    Replace,
    Rewrite,
    Splice,
    normalised,
)
from workroom.core.transactions.overlay import Node, Overlay
from workroom.core.transactions.policy import Policy
from workroom.core.transactions.stale import Older, Stale
from workroom.system.root import Root
from workroom.text import match
from workroom.text.encoding import TextFile, decode, decode_new
from workroom.text.gutter import check_gutter
from workroom.text.hunks import apply_hunks
from workroom.text.lines import line_ending, with_ending
from workroom.text.patch import FilePatch, parse_patch

__all__ = ["CAN_RUN_CODE", "plan_edit"]

CAN_RUN_CODE = (
    "package.json",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "conftest.py",
    "setup.py",
    "build.rs",
    "justfile",
)
"""Files that run code when their own tool is used: labelled in an answer, not asked about."""

_BEAT = 10
"""After so many operations it is told how many are planned."""


def plan_edit(
    root: Root,
    settings: Settings,
    operations: Sequence[Operation],
    *,
    id: str,  # noqa: A002 - the field's name
    title: str,
    older: Older | None = None,
    pulse: Pulse = STILL,
) -> Planned:
    """Play the operations and read off what they would do. Nothing is written; any fault names its operation.

    With `older`, an edit of a text that expects an older version is made against that and merged.
    """
    planner = _Planner(root, settings, older)
    for number, operation in enumerate(operations):
        pulse.check()
        if number and number % _BEAT == 0:
            pulse.beat(number, len(operations))
        try:
            planner.play(operation)
        except WorkroomError as error:
            raise _placed(error, number, operation) from error
    return planner.finish(tuple(operations), id, title)


def _placed(error: WorkroomError, number: int, operation: Operation) -> WorkroomError:
    place = f"operations[{number}] ({operation.type})"
    return WorkroomError(
        error.code,
        f"{place}: {error.message}",
        next_step=error.next_step,
        details={"operation": number, "type": operation.type, **error.details},
    )


@dataclass(frozen=True, slots=True)
class _Text:
    """A text file as an edit takes it apart."""

    path: str
    file: TextFile


class _Planner:
    def __init__(self, root: Root, settings: Settings, older: Older | None = None) -> None:
        self.root = root
        self.settings = settings
        self.policy = Policy(root, settings)
        self.overlay = Overlay(root)
        self.stale = None if older is None else Stale(root, self.overlay, older)
        self.named: set[str] = set()
        self.directories: dict[str, Directory] = {}
        self.dangers: list[Danger] = []
        self.warnings: list[str] = []

    def play(self, operation: Operation) -> None:
        match operation:
            case Create():
                self._create(operation)
            case Rewrite():
                self._rewrite(operation)
            case Replace():
                self._replace(operation)
            case Splice():
                self._splice(operation)
            case Copy():
                self._transfer(operation, moves=False)
            case Move():
                self._transfer(operation, moves=True)
            case Delete():
                self._delete(operation)
            case Mkdir():
                self._mkdir(operation)
            case Patch():
                self._patch(operation)

    def finish(self, operations: tuple[Operation, ...], id: str, title: str) -> Planned:  # noqa: A002 - the field's name
        if self.stale is not None:
            self.warnings += self.stale.merge()
        self.warnings += check_names(self.root, self.overlay)
        change_set = self.overlay.change_set(self.settings.history_quota_bytes)
        if not change_set.changes:
            raise self._nothing()
        for change in change_set.changes:
            self._label(change)
        return Planned(
            id=id,
            cause="edit",
            title=title or _title(change_set),
            operations=tuple(normalised(operations)),
            change_set=change_set,
            fingerprint=change_set.fingerprint("edit.commit"),
            contents=self.overlay.contents,
            directories=tuple(self.directories.values()),
            dangers=tuple(self.dangers),
            asks=self.policy.asks(change_set, self.named),
            warnings=tuple(self.warnings),
        )

    def _nothing(self) -> WorkroomError:
        if self.directories:
            named = ", ".join(self.directories)
            return WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"Every folder asked for is there already ({named}), and nothing else changes: the call need not be "
                "made again.",
                details={"directories": list(self.directories)},
            )
        return WorkroomError(
            ErrorCode.INVALID_INPUT,
            "The operations change nothing: each file would be what it is now.",
            next_step="Read the file; the change may be there already.",
        )

    def _label(self, change: Change) -> None:
        if posixpath.basename(change.path) in CAN_RUN_CODE:
            self.warnings.append(f"{change.path} can run code when its tool is used.")

    # One operation each.

    def _create(self, op: Create) -> None:
        check_gutter("content", op.content, op.allow_line_numbers)
        path = self._writable(op.path, op.expected_sha256, merges=op.overwrite)
        kind = self.overlay.kind(path)
        if kind is Kind.FILE and op.overwrite:
            self._danger("create", path, "replace")
            self._put_whole(path, op.content)
            return
        if kind is not Kind.ABSENT:
            raise _exists(path, kind, overwrite=kind is Kind.FILE)
        self._new(path)
        self.overlay.put(path, decode_new(op.content))

    def _rewrite(self, op: Rewrite) -> None:
        check_gutter("content", op.content, op.allow_line_numbers)
        path = self._writable(op.path, op.expected_sha256, merges=True)
        if self.overlay.kind(path) is Kind.ABSENT and op.create_if_missing:
            self._new(path)
            self.overlay.put(path, decode_new(op.content))
        else:
            self._require_file(path, "create it with type create, or set create_if_missing")
            self._danger("rewrite", path, "replace")
            self._put_whole(path, op.content)

    def _replace(self, op: Replace) -> None:
        check_gutter("search", op.search, op.allow_line_numbers)
        check_gutter("replacement", op.replacement, op.allow_line_numbers)
        text = self._text(op.path, op.expected_sha256)
        edited = match.replace(text.path, text.file.text, op.search, op.replacement, op.expected_matches)
        self._put_text(text, edited.text, edited.rung)

    def _splice(self, op: Splice) -> None:
        check_gutter("content", op.content, op.allow_line_numbers)
        text = self._text(op.path, op.expected_hash or op.expected_sha256)
        edited = match.splice(text.path, text.file.text, op.start_line, op.delete_count, op.content)
        self._put_text(text, edited, "exact")

    def _delete(self, op: Delete) -> None:
        path = self._writable(op.path, op.expected_sha256, last=False)
        kind = self.overlay.kind(path)
        if kind is Kind.ABSENT:
            if op.ignore_missing:
                return
            raise _missing(path, "set ignore_missing if that is fine")
        if kind is Kind.DIRECTORY and not op.recursive and self.overlay.children(path):
            raise WorkroomError(
                ErrorCode.EDIT_CONFLICT, f"{path} is a folder and not empty.", next_step="Set recursive to delete it."
            )
        for each in list(self.overlay.tree(path)):
            self.policy.check_protected(each)
            self._known(each, self.overlay.kind(each))
            self._danger("delete", each)
            self.overlay.remove(each)

    def _mkdir(self, op: Mkdir) -> None:
        path = self._writable(op.path, None)
        kind = self.overlay.kind(path)
        if kind is Kind.DIRECTORY:
            existed = self.overlay.before(path).kind is Kind.DIRECTORY
            self.directories.setdefault(path, Directory(path, existed))
            return
        if kind is not Kind.ABSENT:
            raise _exists(path, kind, overwrite=False)
        self._new(path)
        self.overlay.make_folder(path)
        self.directories[path] = Directory(path, existed_before=False)

    def _transfer(self, op: Copy | Move, *, moves: bool) -> str:
        """Answers where it went."""
        source = self._writable(op.source, op.expected_sha256, last=False) if moves else self._readable(op)
        target = self._writable(op.target, None, last=False)
        kind = self.overlay.kind(source)
        if kind is Kind.ABSENT:
            raise _missing(source, "name a file that is there")
        self._check_transfer(op, source, target)
        if moves:
            self._danger("move", source, "copy")
        for each in list(self.overlay.tree(source)):
            self._known(each, self.overlay.kind(each))
            self._pass_on(each, target + each[len(source) :], moves=moves)
        return target

    def _pass_on(self, source: str, target: str, *, moves: bool) -> None:
        node = self.overlay.node(source)
        passed = self.overlay.passed_on(source)
        self.policy.check_protected(target, node.state.kind)
        if node.state.kind is Kind.SYMLINK:
            _check_link(source, target, os.fsdecode(self.overlay.content(source)))
        if moves:
            self.policy.check_protected(source)
            passed = replace(passed, origin=self._origin(source, node))
            self.overlay.remove(source)
        if node.state.kind is Kind.DIRECTORY:
            self.overlay.make_folder(target, node.state.mode)
            self.directories[target] = Directory(target, existed_before=False)
        else:
            self.overlay.put_node(target, passed)

    def _origin(self, source: str, node: Node) -> str | None:
        """Whose very file moves on; None where its bytes or mode were given by an operation, copies included."""
        if node.data is not None or (node.origin is None and self.overlay.touched(source)):
            return None
        return node.origin or source

    def _check_transfer(self, op: Copy | Move, source: str, target: str) -> None:
        if source in {".", target} or target.startswith(source + "/"):
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"to: {target} is {source} itself or below it.")
        kind = self.overlay.kind(target)
        replaceable = kind is Kind.FILE and self.overlay.kind(source) is not Kind.DIRECTORY
        if kind is Kind.ABSENT:
            self._new(target)
        elif replaceable and op.overwrite:
            if op.type == "copy":
                self._danger("copy", target, "copy to a new path")
        else:
            raise _exists(target, kind, overwrite=replaceable)

    def _patch(self, op: Patch) -> None:
        sections = parse_patch(op.patch, self._exists)
        if op.expected_sha256 is not None and len(sections) > 1:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"expected_sha256 is of one file; the patch has {len(sections)}.",
                next_step="Leave it out, or send one patch a file.",
            )
        for section in sections:
            self._patch_section(section, op)

    def _patch_section(self, section: FilePatch, op: Patch) -> None:
        old, new = section.old_path or "", section.new_path or ""
        if section.kind == "create":
            self._patch_create(new, section)
        elif section.kind == "delete":
            self._patch_delete(old, section, op)
        elif section.kind == "rename":
            move = {"type": "move", "from": old, "to": new, "expected_sha256": op.expected_sha256}
            self._patched(self._transfer(Move.model_validate(move), moves=True), section)
        else:
            path = self._writable(old, op.expected_sha256, merges=True)
            self._require_file(path, "create it with a new file section")
            self._patched(path, section)

    def _patch_create(self, new: str, section: FilePatch) -> None:
        path = self._writable(new, None)
        kind = self.overlay.kind(path)
        if kind is not Kind.ABSENT:
            raise _exists(path, kind, overwrite=False)
        self._new(path)
        text = apply_hunks(path, section, "").text
        self.overlay.put(path, decode_new(text), mode=section.new_mode)

    def _patch_delete(self, old: str, section: FilePatch, op: Patch) -> None:
        """What is deleted is the path itself; its text, read through a link, must be what the patch takes away."""
        text = self._text(old, op.expected_sha256)
        apply_hunks(text.path, section, text.file.text)
        path = self._writable(old, None, last=False)
        self._danger("delete", path)
        self.overlay.remove(path)

    def _patched(self, path: str, section: FilePatch) -> None:
        """Apply the section's hunks and its mode to a file on the overlay."""
        if section.hunks:
            text = self._text(path, None)
            patched = apply_hunks(text.path, section, text.file.text)
            self._put_text(text, patched.text, patched.rung)
        self._patch_mode(path, section)

    def _patch_mode(self, path: str, section: FilePatch) -> None:
        """A patch says whether a file can be executed and no more: the other bits stay the file's own."""
        node = self.overlay.node(path)
        if section.new_mode is None or node.state.kind is not Kind.FILE:
            return
        mode = section.new_mode if node.state.mode is None else node.state.mode
        executable = (mode & 0o444) >> 2 if section.new_mode & 0o111 else 0
        if executable or node.state.mode is not None:
            self.overlay.set_mode(path, mode & ~0o111 | executable)

    # Shared checks.

    def _exists(self, name: str) -> bool:
        try:
            return self.overlay.kind(self.overlay.resolve(self.root.parse(name))) is not Kind.ABSENT
        except WorkroomError:
            return False

    def _writable(self, given: str, expected_sha256: str | None, *, last: bool = True, merges: bool = False) -> str:
        """The canonical path of what shall be written: allowed, and holding what the caller expects.

        `merges`: what comes next may be made against an older version.
        """
        self.policy.check_protected(given)
        named = self.root.parse_write(given)
        self.policy.check_protected(named)
        path = self.overlay.resolve(named, last=last)
        self.policy.check_protected(path)
        self.named.add(named)
        self._check_expected(path, expected_sha256, merges=merges)
        return path

    def _readable(self, op: Copy | Move) -> str:
        path = self.overlay.resolve(self.root.parse(op.source))
        self._check_expected(path, op.expected_sha256)
        return path

    def _check_expected(self, path: str, expected: str | None, *, merges: bool = False) -> None:
        if expected is None:
            return
        actual, wanted = self.overlay.before(path).sha256, expected.lower().removeprefix("sha256:")
        if merges and actual != wanted and self.stale is not None and self.stale.takes(path, wanted):
            return
        if actual != wanted:
            raise WorkroomError(
                ErrorCode.EDIT_CONFLICT,
                f"{path} is not what was expected: its SHA-256 is {actual or 'none, it is no file'}.",
                next_step="Read it again and make the edit against what is there.",
                details={"path": path, "expectedSha256": expected, "actualSha256": actual or None},
            )

    def _new(self, path: str) -> None:
        self.root.check_new_name(path)
        self.overlay.make_parents(path)

    def _known(self, path: str, kind: Kind) -> None:
        if kind is Kind.OTHER:
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"{path} is a FIFO, socket or device; it is left alone.")

    def _require_file(self, path: str, alternative: str) -> None:
        kind = self.overlay.kind(path)
        if kind is Kind.ABSENT:
            raise _missing(path, alternative)
        if kind is not Kind.FILE:
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"{path} is a {kind}, not a file.")

    def _text(self, given: str, expected_sha256: str | None) -> _Text:
        path = self._writable(given, expected_sha256, merges=True)
        self._require_file(path, "create it with type create")
        file = decode(self.overlay.read(path, self.settings.max_edit_bytes))
        if file is None:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"{path} is binary: only text is edited in place.",
                next_step="It can be copied, moved and deleted.",
            )
        return _Text(path, file)

    def _put_text(self, text: _Text, edited: str, rung: match.Rung) -> None:
        before = self.overlay.node(text.path).matched
        loosest = match.loosest(rung, before)  # type: ignore[arg-type]
        self.overlay.put(text.path, text.file.encode(edited), matched=loosest)

    def _put_whole(self, path: str, content: str) -> None:
        """A file's whole new text, in the file's own encoding and, where it is CRLF throughout, line endings."""
        file = decode(self.overlay.read(path, self.settings.max_edit_bytes))
        if file is None:
            self.overlay.put(path, decode_new(content))
            return
        if line_ending(file.text) == "crlf" and line_ending(content) == "lf":
            content = with_ending(content, "\r\n")
            self.warnings.append(f"{path} keeps its CRLF line endings.")
        self.overlay.put(path, file.encode(content))

    def _danger(self, operation: str, path: str, alternative: str = "") -> None:
        if self.overlay.before(path).kind is not Kind.ABSENT or operation == "move":
            self.dangers.append(Danger(operation, path, alternative))


def _check_link(source: str, target: str, text: str) -> None:
    """A relative link means its place: at another depth it must not lead out of the folder."""

    def leaves(path: str) -> bool:
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), text)).partition("/")[0] == ".."

    if leaves(target) and not leaves(source):
        raise WorkroomError(
            ErrorCode.PATH_OUTSIDE_WORKSPACE,
            f"The link {source} -> {text} would lead out of the workspace from {target}.",
            next_step="Leave the link where it is, or delete it first.",
        )


def _exists(path: str, kind: Kind, *, overwrite: bool) -> WorkroomError:
    hint = "Set overwrite, or edit it with replace." if overwrite else "Choose another path."
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT, f"{path} already exists as a {kind}.", next_step=hint, details={"path": path}
    )


def _missing(path: str, alternative: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.NOT_FOUND, f"{path} does not exist.", next_step=f"Check the path, or {alternative}.",
        details={"path": path},
    )  # fmt: skip


def _title(change_set: ChangeSet) -> str:
    named = [change.path for change in change_set.changes if change.after.kind is not Kind.DIRECTORY]
    named = named or list(change_set.paths())
    return named[0] if len(named) == 1 else f"{named[0]} and {len(named) - 1} more"
