"""Which remote a branch goes with, and whether it may be reached the way its configuration says.

The person's own configuration may say how a remote is reached; the repository's may only say where it is. No program is
taken from it, no proxy, no certificate. A remote in a folder of this machine is served by git here, where that folder's
own configuration and hooks would be run: they are not.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit, urlunsplit

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.reading import Reading

__all__ = ["Remote", "receive_pack", "remote_of", "shown_url", "upload_pack"]

_URL = re.compile(r"remote\.(.*)\.url", re.DOTALL)
_SCHEME = re.compile(r"([A-Za-z0-9+.-]+)://")
_HELPER = re.compile(r"[A-Za-z0-9]+::")
_SCHEMES = frozenset({"https", "http", "ssh", "git+ssh", "ssh+git"})
_WAYS = re.compile(
    r"http\.(.*\.)?(proxy.*|ssl.*|schannel.*|cookiefile|savecookies|curloptresolve|pinnedpubkey|delegation|emptyauth)"
    r"|remote\..*\.(proxy.*|vcs)|fetch\.bundleuri",
    re.DOTALL,
)
"""Keys that would send what is sent another way, or to somebody else."""
_SERVED = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true", "receive.autogc=false",
    "receive.denyCurrentBranch=refuse",
)  # fmt: skip
"""What is said over the configuration of a folder that is served: its hooks, what a collection of garbage runs, and
files of its own, which could need its filters."""
_HERE = " ".join(["GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "git", *(f"-c {each}" for each in _SERVED)])
"""How git serves a folder of this machine; a shell reads it, which git starts."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote by its name. `local` are its folders on this machine, absolute, links followed.

    `branch` is the ref there that the current branch goes with; None where that isn't known. `follows`: the branch has
    it as its upstream.
    """

    name: str
    urls: tuple[str, ...]
    local: tuple[str, ...]
    branch: str | None
    follows: bool

    def outside(self, folder: str) -> tuple[str, ...]:
        """Which of its folders aren't below `folder`."""
        return tuple(path for path in self.local if path != folder and not path.startswith(folder.rstrip("/") + "/"))


def remote_of(repo: Reading, *, push: bool = False) -> Remote:
    """The remote that the current branch is fetched from, or pushed to. NOT_FOUND without one.

    UNSUPPORTED where the repository's configuration wants it reached through a program, a proxy or the like.
    """
    config = repo.runner.config()
    _check_ways(config.foreign(_WAYS))
    branch = repo.branch()
    known = [match[1] for _, key, _ in config.entries if (match := _URL.fullmatch(key))]
    upstream = config.get(f"branch.{branch}.remote")
    wanted = upstream
    if push:
        wanted = config.get(f"branch.{branch}.pushremote") or config.get("remote.pushdefault") or upstream
    name = wanted if wanted not in {"", "."} else _usual(known)
    if name not in known or name.startswith("-"):
        raise WorkroomError(
            ErrorCode.NOT_FOUND,
            f"There is no remote {name!r} in this repository." if name else "This repository has no remote.",
            next_step="Have the person add it: git remote add NAME URL.",
        )
    ways = ("--push", "--all") if push else ()
    urls = tuple(repo.runner.text("remote", "get-url", *ways, name).split("\n"))
    follows = bool(upstream) and name == upstream
    merge = config.get(f"branch.{branch}.merge") if follows else ""
    ref = merge or (f"refs/heads/{branch}" if branch else None)
    local = tuple(path for url in urls if (path := _local(url, repo.place.top)) is not None)
    return Remote(name, urls, local, ref, follows and bool(merge))


def upload_pack(remote: Remote) -> str:
    """What serves a fetch there, whatever the configuration names."""
    return f"{_HERE} upload-pack" if remote.local else "git-upload-pack"


def receive_pack(remote: Remote) -> str:
    """What takes a push there, whatever the configuration names."""
    return f"{_HERE} receive-pack" if remote.local else "git-receive-pack"


def shown_url(url: str) -> str:
    """A URL without what signs in by it."""
    if not _SCHEME.match(url):
        return url
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}" if ":" in user else parts.netloc))


def _usual(known: list[str]) -> str:
    if len(set(known)) == 1:
        return known[0]
    return "origin" if known else ""


def _check_ways(keys: tuple[str, ...]) -> None:
    if keys:
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            f"The repository's configuration says how a remote is reached ({', '.join(keys)}). That isn't followed; "
            "nothing was sent.",
            next_step="Have the person set it for themselves (git config --global), or do this in a terminal.",
            details={"keys": list(keys)},
        )


def _local(url: str, top: str) -> str | None:
    """The folder of this machine that a URL names; None for another machine's. UNSUPPORTED for what runs a program."""
    scheme = _SCHEME.match(url)
    if _HELPER.match(url) or url.startswith("-") or not url.isprintable():
        raise _not_reached(url)
    if scheme is None and ":" in url.partition("/")[0]:
        if url.partition("@")[2].startswith("-"):
            raise _not_reached(url)
        return None
    if scheme is None:
        return os.path.realpath(os.path.join(top, url))
    if scheme[1] == "file":
        return os.path.realpath(unquote(urlsplit(url).path))
    if scheme[1] not in _SCHEMES or (urlsplit(url).hostname or "-").startswith("-"):
        raise _not_reached(url)
    return None


def _not_reached(url: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.UNSUPPORTED,
        f"The remote {shown_url(url)!a} isn't reached: only https, http, ssh and folders of this machine are.",
        next_step="Have the person do this in a terminal.",
    )
