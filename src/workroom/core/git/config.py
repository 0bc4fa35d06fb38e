"""What a repository's configuration would run, and what is said to git instead.

A configuration came with the folder, and names programs in many places: hooks, filters, drivers, helpers. Each key is
overridden by the environment (GIT_CONFIG_COUNT), which beats every file. Filters and drivers are blanked by the names
they have in the configuration; so it is read first, which runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["FIXED", "Config", "parse_config"]

_FILTER = re.compile(r"filter\.(.*)\.(clean|smudge|process)", re.DOTALL)
_BLANKED = re.compile(r"filter\..*\.(clean|smudge|process)", re.DOTALL)
_REQUIRED = re.compile(r"filter\..*\.required", re.DOTALL)
_MERGE = re.compile(r"merge\..*\.driver", re.DOTALL)
_PACK = re.compile(r"remote\.(.*)\.(uploadpack|receivepack)", re.DOTALL)
_HELPER = re.compile(r"credential\.(.*\.)?helper", re.DOTALL)
_OWN = frozenset({"system", "global"})
"""Scopes that are the person's: everything else came with the folder."""
_SAID = "command"
"""The scope of what is said here."""

FIXED: tuple[tuple[str, str], ...] = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.alternateRefsCommand", "true"),
    ("core.gitProxy", "none"),
    ("core.pager", "cat"),
    ("diff.external", ""),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("push.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("merge.verifySignatures", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.ssh.defaultKeyCommand", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("http.followRedirects", "initial"),
    ("push.recurseSubmodules", "no"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.detachedHead", "false"),
    ("user.useConfigOnly", "true"),
    ("i18n.commitEncoding", "UTF-8"),
    ("merge.autoStash", "false"),
)
"""Said in every run. A signature isn't made: its program may be the folder's. Nor is an author guessed."""


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration with its scopes, in git's order: (scope, key, value); keys as git writes them."""

    entries: tuple[tuple[str, str, str], ...]

    def get(self, key: str, default: str = "") -> str:
        """The value that counts."""
        return next((value for _, found, value in reversed(self.entries) if found == key), default)

    def own(self, key: str) -> tuple[str, ...]:
        """The person's own values of a key, whatever the repository says."""
        return tuple(value for scope, found, value in self.entries if found == key and scope in _OWN)

    def written(self, key: str) -> str:
        """The value that the files give, whatever is said over it."""
        return next((value for scope, found, value in reversed(self.entries) if found == key and scope != _SAID), "")

    def foreign(self, pattern: re.Pattern[str]) -> tuple[str, ...]:
        """The keys of a form that came with the folder."""
        keys = (key for scope, key, _ in self.entries if scope not in {*_OWN, _SAID} and pattern.fullmatch(key))
        return tuple(dict.fromkeys(keys))

    def filters(self, *kinds: str) -> frozenset[str]:
        """Names of filters that would change contents; `kinds` of clean, smudge, process."""
        found = (_FILTER.fullmatch(key) for _, key, value in self.entries if value)
        return frozenset(match[1] for match in found if match and match[2] in kinds)

    def overrides(self) -> tuple[tuple[str, str], ...]:
        """What has to be said so that nothing is run but git, and the person's own credential helpers."""
        keys = dict.fromkeys(key for _, key, _ in self.entries)
        said = [(key, "") for key in keys if _BLANKED.fullmatch(key)]
        said += [(key, f"git-{match[2][:-4]}-pack") for key in keys if (match := _PACK.fullmatch(key))]
        said += [(key, "false") for key in keys if _REQUIRED.fullmatch(key) or _MERGE.fullmatch(key)]
        return (*FIXED, *said, *self._helpers())

    def _helpers(self) -> Iterable[tuple[str, str]]:
        """The repository's helpers taken out: an empty one clears the list, and the person's own follow again."""
        helpers = [(scope, key, value) for scope, key, value in self.entries if _HELPER.fullmatch(key)]
        if all(scope in _OWN for scope, _, _ in helpers):
            return ()
        cleared = [(key, "") for key in dict.fromkeys(key for _, key, _ in helpers)]
        return (*cleared, *((key, value) for scope, key, value in helpers if scope in _OWN))


def parse_config(listed: bytes) -> Config:
    """What `git config --list -z --show-scope` wrote."""
    parts = listed.decode("utf-8", "surrogateescape").split("\0")
    entries = []
    for scope, entry in zip(parts[::2], parts[1::2], strict=False):
        key, _, value = entry.partition("\n")
        entries.append((scope, key, value))
    return Config(tuple(entries))


def as_environment(said: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Overrides as git takes them from its environment."""
    found = {"GIT_CONFIG_COUNT": "0"}
    for number, (key, value) in enumerate(said):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        found["GIT_CONFIG_COUNT"] = str(number + 1)
    return found
