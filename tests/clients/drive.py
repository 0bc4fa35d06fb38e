"""The clients that are driven end to end, each as its own documentation has a program run it without a terminal.

A client is set up from its own configuration: a model (the scripted one) and the MCP server `workroom`. Its own tools
are left to it; its questions to a user are answered beforehand, for nobody sits there.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.npm import install

__all__ = ["CHOSEN", "CLIENTS", "Client", "Scene"]

_LOCKED = Path(__file__).with_name("packages")
_TASK = "Set x to 2."
_SECONDS = 120
"""A guard against hanging, no measure."""


@dataclass(frozen=True)
class Scene:
    """Where a client is run: its home, the folder it works in, its model, and the command of its MCP server."""

    home: Path
    folder: Path
    model: str
    server: Sequence[str]
    environ: Mapping[str, str]


@dataclass(frozen=True)
class Client:
    """One client: its package below `packages/`, what its MCP peer calls itself, and how it is asked for something."""

    package: str
    program: str
    prepare: Callable[[Scene, str], tuple[list[str], dict[str, str]]]
    """Writes the client's configuration; answers its arguments and what is added to its environment."""

    def run(self, scene: Scene) -> subprocess.CompletedProcess[str]:
        """Ask the client to do the task; ends when the client does."""
        program = str(install(_LOCKED / self.package) / self.program)
        arguments, more = self.prepare(scene, program)
        return _run([program, *arguments], scene, more)


def _codex(scene: Scene, _program: str) -> tuple[list[str], dict[str, str]]:
    """`model_providers` and `mcp_servers` of config.toml; `exec` is Codex without a terminal."""
    folder = scene.home / ".codex"
    folder.mkdir(exist_ok=True)
    command, *arguments = scene.server
    (folder / "config.toml").write_text(
        f'model = "scripted"\nmodel_provider = "scripted"\ntool_output_token_limit = 10000\n\n'
        f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{scene.model}/v1"\nwire_api = "responses"\n'
        f'env_key = "SCRIPTED_KEY"\n\n'
        f"[mcp_servers.workroom]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}\n"
    )
    # Without a terminal Codex refuses what it would ask about; its own sandbox needs rights that a container lacks.
    unasked = "--dangerously-bypass-approvals-and-sandbox"
    return ["exec", "--skip-git-repo-check", unasked, _TASK], {"SCRIPTED_KEY": "none"}


def _claude_code(scene: Scene, _program: str) -> tuple[list[str], dict[str, str]]:
    """`--mcp-config` takes JSON; `-p` is Claude Code without a terminal."""
    command, *arguments = scene.server
    servers = json.dumps({"mcpServers": {"workroom": {"command": command, "args": arguments}}})
    more = {
        "ANTHROPIC_BASE_URL": scene.model,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",  # else a model first looks for the tools by name
    }
    return ["-p", _TASK, "--mcp-config", servers, "--strict-mcp-config", "--allowedTools", "mcp__workroom"], more


def _opencode(scene: Scene, _program: str) -> tuple[list[str], dict[str, str]]:
    """`provider` and `mcp` of opencode.json; `run` is opencode without a terminal."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",  # it is part of opencode
        "name": "scripted",
        "options": {"baseURL": f"{scene.model}/v1", "apiKey": "none"},
        "models": {
            "scripted": {
                "name": "scripted",
                "limit": {"context": 100_000, "output": 8_000},
                "modalities": {"input": ["text", "image"], "output": ["text"]},  # without this it hides pictures
            }
        },
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
        "mcp": {"workroom": {"type": "local", "command": list(scene.server), "enabled": True}},
    }
    folder = scene.home / ".config" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "opencode.json").write_text(json.dumps(settings))
    return ["run", _TASK], {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def _cline(scene: Scene, program: str) -> tuple[list[str], dict[str, str]]:
    """`auth` and `mcp add` write Cline's settings; with a prompt it runs without a terminal."""
    for arguments in (
        ["auth", "-p", "openai", "-k", "none", "-m", "scripted", "-b", f"{scene.model}/v1"],
        ["mcp", "add", "workroom", "--yes", "--json", "--", *scene.server],
    ):
        assert _run([program, *arguments], scene, {}).returncode == 0
    return ["-P", "openai", "-m", "scripted", _TASK], {}


CLIENTS: Mapping[str, Client] = {
    "codex-mcp-client": Client(
        "codex", "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex", _codex
    ),
    "claude-code": Client("claude-code", "node_modules/@anthropic-ai/claude-code-linux-x64/claude", _claude_code),
    "opencode": Client("opencode", "node_modules/opencode-linux-x64/bin/opencode", _opencode),
    "@cline/core": Client("cline", "node_modules/@cline/cli-linux-x64/bin/cline", _cline),
}
"""By the name that each gives itself in MCP."""

CHOSEN = tuple(CLIENTS) if os.environ.get("WORKROOM_CLIENTS") == "all" else ("codex-mcp-client",)
"""Which are driven: the quickest of them with all other tests, all of them by `make clients`."""


def _run(argv: list[str], scene: Scene, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=scene.folder,
        env={**scene.environ, "TERM": "dumb", **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )
