"""What the person decides in advance. A setting's documentation stands under the setting.

Settings come in as a value: nothing below the server reads a file, the environment or the home folder. Names are
snake_case; the names of systems A and C are accepted as aliases, and a refusal names both.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["ALIASES", "USER_ONLY", "Ceiling", "Mode", "Profile", "Settings", "canonical_key", "parse_settings"]

_KEY_PLACE = re.compile(r"file:/.+|env:[A-Za-z_][A-Za-z0-9_]*")
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")

Profile = Literal["workspace", "files", "editor"]
Ceiling = Literal["refuse", "ask", "allow"]


class Mode(StrEnum):
    """The permission mode: what happens to a call that would change something."""

    MANUAL = "manual"
    PLAN = "plan"
    AUTO = "auto"

    @property
    def level(self) -> int:
        """System A's slider: manual 0, plan 1, auto 2."""
        return list(Mode).index(self)


_ASK_PATTERNS = (
    ".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json", ".idea/**", ".mcp.json", ".cursor/**",
    ".claude/**", ".codex/**", ".gemini/**", ".npmrc", ".yarnrc*", ".envrc", ".github/workflows/**",
    ".gitlab-ci.yml", ".husky/**", ".pre-commit-config.yaml", ".devcontainer/**", "sitecustomize.py", "*.pth",
)  # fmt: skip


def _address(text: str) -> str:
    return str(ipaddress.ip_address(text))


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError(f"{text!r} is no name and port as a Host header has them")
    return text.lower()


def _web_address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
        raise ValueError(f"{text!r} is no http:// or https:// address without a name and password in it")
    return text


def _key_place(text: str) -> str:
    if not _KEY_PLACE.fullmatch(text):
        raise ValueError("write file:/PATH or env:NAME, never the key itself")
    return text


class Settings(BaseModel):
    """One workspace's settings as they stand: the user's file, overridden by the workspace's."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    mode: Mode = Mode.PLAN
    """manual: every change waits for a yes. plan: changes run while an approved plan is open. auto: changes run."""
    destructive_edits: Ceiling | None = None
    """What happens to a change that deletes, moves or overwrites: refuse, ask or allow, in every mode. Unset: refuse
    for clients of profile workspace, ask for files and editor."""
    protected_patterns: tuple[str, ...] = ()
    """Paths that no tool may write, as globs beside .git and .agentic, which are always protected."""
    ask_patterns: tuple[str, ...] = _ASK_PATTERNS
    """Files that can run code later: writing one waits for a yes in every mode."""
    max_tool_result_chars: int = Field(default=30_000, ge=2_000, le=1_000_000)
    """The longest answer in characters; the rest goes to an artifact."""
    max_edit_bytes: int = Field(default=20_000_000, ge=1_000, le=1_000_000_000)
    """The largest file that an edit takes apart, in bytes; larger ones can be moved, copied and deleted."""
    history_quota_bytes: int = Field(default=2 * 1024**3, ge=1_000_000)
    """How much the before-images of the history may hold, in bytes; the oldest are forgotten first."""
    watch: bool = True
    """Whether what other programs change in the folder gets its entry in the history, with what was there before."""
    watch_max_file_bytes: int = Field(default=10_000_000, ge=0, le=1_000_000_000)
    """The largest file whose content is kept when another program changes it, in bytes."""
    search_index: bool = True
    """Whether an index of the folder's texts is kept beside its history, so that a search reads only files that can
    hold what is looked for. What it finds is the same."""
    semantic_max_bytes: int = Field(default=100_000_000, ge=0, le=10_000_000_000)
    """How much text of the folder semantic_search indexes, in bytes, at its first use; the index takes about as much
    room again. What the call's path names comes first, and the answer says how many files didn't fit."""
    embeddings_url: Annotated[str, AfterValidator(_web_address)] | None = None
    """A server that speaks OpenAI's protocol for embeddings, such as http://127.0.0.1:11434/v1/embeddings. The texts of
    the folder and the questions of semantic_search are sent there, and nowhere else. Unset: nothing is sent, and
    vectors that ship with Workroom are used."""
    embeddings_model: str = "text-embedding-3-small"
    """The model that embeddings_url is asked for."""
    embeddings_key: Annotated[str, AfterValidator(_key_place)] | None = None
    """Where the server finds the key for embeddings_url: file:/PATH, a file that only you can read; or env:NAME, a
    variable of the environment that `workroom serve` was started in. The key itself is kept nowhere else."""
    embeddings_timeout: float = Field(default=30.0, gt=0, le=600)
    """How long one request to embeddings_url may take, in seconds."""
    wait_seconds_workspace: int = Field(default=0, ge=0, le=3600)
    """How long a staged call of a client of profile workspace waits for the person's answer."""
    wait_seconds_files: int = Field(default=45, ge=0, le=3600)
    """The same for profile files."""
    wait_seconds_editor: int = Field(default=0, ge=0, le=3600)
    """The same for profile editor."""
    editor_max_diff_bytes: int = Field(default=2_000_000, ge=1, le=1_000_000_000)
    """The longest text that editor_diff compares, and the longest patch of editor_git_hunks, in bytes."""
    editor_diff_context_lines: int = Field(default=3, ge=0, le=1_000)
    """Unchanged lines around each hunk of editor_diff where a call names no number."""
    editor_find_limit: int = Field(default=50, ge=1, le=10_000)
    """Rows that editor_find answers where a call names no number."""
    editor_max_find_candidates: int | None = Field(default=None, ge=1)
    """Paths that one call of editor_find looks at. Unset: every path."""
    editor_max_file_bytes: int = Field(default=2_000_000, ge=1, le=100_000_000)
    """The largest file that editor_open hands out whole, in bytes; a longer one is cut, and can't be saved."""
    editor_search_max_matches: int = Field(default=2_000, ge=1, le=100_000)
    """Matching lines that editor_search collects where a call names no number."""
    editor_git_timeout_ms: int = Field(default=15_000, ge=100, le=3_600_000)
    """How long one run of git may take for a tool of profile editor, in milliseconds."""
    elicitation_clients: tuple[str, ...] = ()
    """Clients whose own dialog may bring your yes or no, by the names that the history has for them (`claude-code`;
    `NAME@http` for one with a token). Never for what destroys or can run code. Any program under your account can call
    itself by a local client's name."""

    http_port: int | None = Field(default=None, ge=1, le=65_535)
    """The port on which every server listens for HTTP, from its start; such a server stays until it is stopped. Unset:
    a server listens when `workroom serve` asks it to. For all your workspaces only; counts from the next start."""
    http_address: Annotated[str, AfterValidator(_address)] = "127.0.0.1"
    """The IP address to listen on, beside this machine's own 127.0.0.1 and ::1. Anything else is reached by other
    machines, unencrypted: whoever can read the traffic has the tokens. For all your workspaces only."""
    http_hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = ()
    """Names that clients may call the server by, beside this machine's own: each a Host header exactly as it is sent,
    such as 192.0.2.7:7117 or work.example. For all your workspaces only."""

    def ceiling(self, profile: Profile) -> Ceiling:
        """The destructive ceiling that binds a client of this profile."""
        if self.destructive_edits is not None:
            return self.destructive_edits
        return "refuse" if profile == "workspace" else "ask"

    def wait_seconds(self, profile: Profile) -> int:
        """How long a staged call of this profile waits, in seconds."""
        return {
            "workspace": self.wait_seconds_workspace,
            "files": self.wait_seconds_files,
            "editor": self.wait_seconds_editor,
        }[profile]


ALIASES: Mapping[str, str] = {
    "permissionMode": "mode",
    "allowDestructiveEdits": "destructive_edits",
    "protectedPatterns": "protected_patterns",
    "maxToolResultChars": "max_tool_result_chars",
    "max_diff_bytes": "editor_max_diff_bytes",
    "diff_context_lines": "editor_diff_context_lines",
    "find_limit": "editor_find_limit",
    "max_find_candidates": "editor_max_find_candidates",
    "max_file_bytes": "editor_max_file_bytes",
    "search_max_matches": "editor_search_max_matches",
    "git_timeout_ms": "editor_git_timeout_ms",
}
"""System A's names, then C's. `permissionMode` also takes 0 to 2, `allowDestructiveEdits` true and false."""

USER_ONLY = frozenset({"http_port", "http_address", "http_hosts"})
"""Settings of the server, which no workspace has for itself."""

_ALIAS_OF = {ours: theirs for theirs, ours in ALIASES.items()}


def canonical_key(key: str) -> str:
    """The setting's own name for a name or alias; INVALID_INPUT for an unknown one."""
    name = ALIASES.get(key, key)
    if name not in Settings.model_fields:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"There is no setting {key!r}.",
            next_step="`workroom settings list` shows them all.",
            details={"known": sorted(Settings.model_fields)},
        )
    return name


def parse_settings(*layers: Mapping[str, Any]) -> Settings:
    """Settings from layers, later ones winning; INVALID_INPUT names the setting (and its alias) that is wrong."""
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            name = canonical_key(key)
            merged[name] = _system_a_value(name, value)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        alias = f" ({_ALIAS_OF[name]})" if name in _ALIAS_OF else ""
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"Setting {name}{alias}: {first['msg']}.",
            next_step=f"`workroom settings get {name}` shows its value and meaning.",
        ) from None


def _system_a_value(name: str, value: Any) -> Any:
    if name == "destructive_edits" and isinstance(value, bool):
        return "allow" if value else "refuse"
    if name == "mode" and isinstance(value, int) and not isinstance(value, bool) and value in range(len(Mode)):
        return list(Mode)[value]
    return value
