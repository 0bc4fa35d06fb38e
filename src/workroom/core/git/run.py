"""Git's command line, run so that nothing of the repository's choosing runs with it.

The environment is made anew: no GIT_* of the server's passes, messages are English, nothing prompts, hooks are off, no
transport is allowed unless a call reaches a remote, and then none that runs a program of the remote's name.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.config import FIXED, Config, as_environment, parse_config
from workroom.core.git.place import Place
from workroom.system.process import Completed, base_env, run

__all__ = ["Runner", "locked", "said"]

_OUTPUT = 64 << 20
_MESSAGE_CHARS = 2_000
_SSH = "ssh -oBatchMode=yes"
_TRANSPORTS = "https:http:ssh:file"
_CONFIG_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class _Known:
    """A configuration, and the files it was read from as they were then."""

    stamp: tuple[object, ...]
    config: Config


class Runner:
    """Runs git in one repository. `timeout` in seconds, for each run."""

    _lock = threading.Lock()
    _known: dict[str, _Known] = {}  # noqa: RUF012 - a configuration is read once, until one of its files is another
    _MOST_KNOWN = 64

    def __init__(self, place: Place, timeout: float) -> None:
        self.place = place
        self.timeout = timeout
        self._config: Config | None = None

    def config(self) -> Config:
        """The repository's configuration with the person's, as it stands."""
        if self._config is None:
            self._config = self._read_config()
        return self._config

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        network: bool = False,
        writes: bool = False,
        ok: Sequence[int] = (0,),
        env: Mapping[str, str] | None = None,
        heard: Callable[[bytes], None] | None = None,
        literal: bool = True,
    ) -> Completed:
        """Run git at the top of the working tree. IO_ERROR, in git's words, for an exit code not in `ok`; TIMEOUT.

        `writes` may write the index; `network` allows https, http, ssh and folders of this machine. `env` is added to
        the environment. `heard` is handed what git writes to stderr, as it comes, and may end it by raising. Without
        `literal` a path may be a pattern, also in what git runs of its own.
        """
        said_to_git = {**self._environment(network=network, writes=writes), **(env or {})}
        command = ["git", "--no-pager", *(("--literal-pathspecs",) if literal else ()), *arguments]
        done = run(
            command, cwd=self.place.top, env=said_to_git, timeout=self.timeout, max_output=_OUTPUT, stdin=stdin,
            heard=heard,
        )  # fmt: skip
        if writes and done.code not in ok:
            self.check_unlocked()
        self.check(done, arguments[0], ok)
        return done

    def text(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """The one line that git answers with."""
        return self.run(*arguments, env=env).stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def check_unlocked(self) -> None:
        """IO_ERROR while another program holds the index, or has left its lock behind."""
        lock = os.path.join(self.place.git_dir, "index.lock")
        if os.path.lexists(lock):
            raise locked(lock)

    def check(self, done: Completed, name: str, ok: Sequence[int] = (0,)) -> None:
        """IO_ERROR for a run that failed, in git's words; TIMEOUT; LIMIT_EXCEEDED for too much output."""
        if done.timed_out:
            raise WorkroomError(
                ErrorCode.TIMEOUT,
                f"git {name} took longer than {self.timeout:g} s (editor_git_timeout_ms), and was stopped.",
                next_step="Try again, or ask the person to raise the setting or to run it in a terminal.",
            )
        if done.code not in ok:
            raise WorkroomError(ErrorCode.IO_ERROR, f"git {name} failed: {said(done)}", details={"exitCode": done.code})
        if done.truncated:
            raise WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"git {name} wrote more than {_OUTPUT:,} bytes.")

    def _environment(self, *, network: bool, writes: bool) -> dict[str, str]:
        config = self.config()
        ssh = config.own("core.sshcommand")
        return {
            **self._base(network=network),
            **as_environment(config.overrides()),
            "GIT_OPTIONAL_LOCKS": "1" if writes else "0",
            "GIT_ALLOW_PROTOCOL": _TRANSPORTS if network else "none",
            "GIT_SSH_COMMAND": ssh[-1] if ssh else _SSH,
        }

    def _base(self, *, network: bool = False) -> dict[str, str]:
        return {
            **base_env(agent=network),
            "GIT_DIR": self.place.git_dir,
            "GIT_WORK_TREE": self.place.top,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "GIT_EDITOR": "false",
            "GIT_SEQUENCE_EDITOR": "false",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_MERGE_AUTOEDIT": "no",
        }

    def _read_config(self) -> Config:
        stamp = self._stamp()
        with self._lock:
            known = self._known.get(self.place.git_dir)
        if known is not None and known.stamp == stamp:
            return known.config
        env = {**self._base(), **as_environment(FIXED), "GIT_ALLOW_PROTOCOL": "none"}
        done = run(
            ["git", "config", "--list", "-z", "--show-scope"], cwd=self.place.top, env=env, timeout=_CONFIG_SECONDS
        )  # fmt: skip
        self.check(done, "config")
        config = parse_config(done.stdout)
        if not any(key.startswith(("include.", "includeif.")) for _, key, _ in config.entries):
            with self._lock:
                while len(self._known) >= self._MOST_KNOWN:
                    del self._known[next(iter(self._known))]
                self._known[self.place.git_dir] = _Known(stamp, config)
        return config

    def _stamp(self) -> tuple[object, ...]:
        """What tells that no configuration file was touched; ctime can't be set back."""
        env = base_env()
        home = env.get("HOME", "/")
        files = (
            os.path.join(self.place.common_dir, "config"),
            os.path.join(self.place.git_dir, "config.worktree"),
            os.path.join(home, ".gitconfig"),
            os.path.join(env.get("XDG_CONFIG_HOME", os.path.join(home, ".config")), "git/config"),
            "/etc/gitconfig",
        )
        return (self.place.top, *(_touched(file) for file in files))


def locked(lock: str) -> WorkroomError:
    """Another program is at the repository's index."""
    return WorkroomError(
        ErrorCode.IO_ERROR,
        f"Another git program is at work in this repository, or was killed there: it holds {lock}.",
        next_step="Try again in a moment; where no git is running, have the person delete that file.",
        details={"lock": lock},
    )


def said(done: Completed) -> str:
    """What git wrote, both streams, for a reader; long words are cut."""
    text = b"\n".join(part.strip() for part in (done.stdout, done.stderr) if part.strip())
    shown = text.decode("utf-8", "backslashreplace")
    return shown if len(shown) <= _MESSAGE_CHARS else shown[:_MESSAGE_CHARS] + " …"


def _touched(file: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
