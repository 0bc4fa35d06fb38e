"""A hostile repository is read: what it names doesn't run, proven by the mark that it would leave."""

from __future__ import annotations

import pytest
from tests.conftest import AGENT
from tests.repositories import git, planted, repository

from workroom.tools.dispatch import call
from workroom.tools.tool import Call

CONFIGURED = (
    "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand",
    "diff.external", "diff.x.command", "diff.x.textconv", "filter.x.clean", "filter.x.smudge", "filter.x.process",
    "merge.x.driver", "alias.status", "alias.diff", "credential.helper", "credential.https://x.helper", "gpg.program",
    "gpg.ssh.program", "sequence.editor", "interactive.diffFilter", "pager.status", "pager.diff",
    "remote.origin.uploadpack", "remote.origin.vcs", "trailer.x.command", "uploadpack.packObjectsHook",
)  # fmt: skip


@pytest.fixture
def ws(house):
    folder = repository(house.folder, f="1\n", __gitattributes="* filter=x diff=x merge=x\n")
    git(folder, "config", "commit.gpgSign", "true")
    git(folder, "config", "log.showSignature", "true")
    (folder / "f").write_text("2\n")
    return folder


@pytest.fixture
def read(house):
    """Everything that reads, by the tools that agents have."""

    def everything(cwd=None):
        at = {} if cwd is None else {"cwd": cwd}
        caller = Call(house.workspace, AGENT, "editor")
        path = "f" if cwd is None else f"{cwd}/f"
        calls = [("status", {}), ("show", {"path": path})]
        calls += [("hunks", {"path": path, "against": against}) for against in ("worktree", "index", "head")]
        return [call(caller, f"editor_git_{name}", {**given, **at}) for name, given in calls]

    return everything


@pytest.mark.parametrize("key", CONFIGURED)
def test_G01_G02_programs_in_the_configuration_do_not_run(ws, read, tmp_path, key):
    program, mark = planted(tmp_path, "evil")
    git(ws, "config", key, program)
    git(ws, "config", "filter.x.required", "true")
    answers = read()
    assert [answer.ok for answer in answers] == [True] * len(answers), answers
    assert [row["path"] for row in answers[0].data["entries"]] == ["f"]
    assert answers[1].data["content"] == "1\n"
    assert answers[2].data["added"] == 1
    assert not mark.exists()


def test_G01_the_trap_snaps_when_git_is_run_as_it_is(ws, tmp_path):
    program, mark = planted(tmp_path, "evil")
    git(ws, "config", "filter.x.clean", program)
    (ws / "f").write_text("3\n")
    git(ws, "status")
    assert mark.exists()


@pytest.mark.parametrize("where", ["hooks", "elsewhere"])
def test_G03_hooks_do_not_run(ws, read, tmp_path, where):
    program, mark = planted(tmp_path, "evil")
    hooks = ws / ".git/hooks"
    if where == "elsewhere":
        hooks = tmp_path / "hooks"
        hooks.mkdir()
        git(ws, "config", "core.hooksPath", str(hooks))
    for name in ("pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman", "query-watchman"):
        (hooks / name).unlink(missing_ok=True)
        (hooks / name).symlink_to(program)
    assert all(answer.ok for answer in read())
    assert not mark.exists()


def test_G07_an_included_configuration_runs_nothing(ws, read, tmp_path):
    program, mark = planted(tmp_path, "evil")
    (tmp_path / "more").write_text(f'[core]\n\tfsmonitor = {program}\n[filter "x"]\n\tclean = {program}\n')
    git(ws, "config", "include.path", str(tmp_path / "more"))
    git(ws, "config", "includeIf.onbranch:main.path", str(tmp_path / "more"))
    assert all(answer.ok for answer in read())
    assert not mark.exists()


def test_G07_an_embedded_bare_repository_is_none(house, ws, read, tmp_path):
    program, mark = planted(tmp_path, "evil")
    git(ws, "init", "-q", "--bare", "bare")
    git(ws / "bare", "config", "core.fsmonitor", program)
    git(ws / "bare", "config", "core.bare", "false")
    git(ws / "bare", "config", "core.worktree", "..")
    git(ws, "rm", "-q", "--cached", "f")
    answers = read("bare")
    assert answers[0].data["branch"] == "main"
    assert not mark.exists()


def test_G07_a_submodule_with_a_configuration_of_its_own_runs_nothing(ws, read, tmp_path):
    program, mark = planted(tmp_path, "evil")
    library = repository(tmp_path / "library", f="1\n")
    git(ws, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "sub")
    git(ws / "sub", "config", "core.fsmonitor", program)
    (ws / "sub/f").write_text("2\n")
    assert all(answer.ok for answer in (*read(), *read("sub")))
    assert not mark.exists()


def test_G07_a_working_tree_elsewhere_is_not_looked_at(ws, read, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/hidden").write_text("x")
    git(ws, "config", "core.worktree", str(tmp_path / "secret"))
    assert [row["path"] for row in read()[0].data["entries"]] == ["f"]


def test_G05_a_missing_object_is_not_fetched(ws, read, tmp_path):
    program, mark = planted(tmp_path, "evil")
    git(ws, "config", "extensions.partialClone", "origin")
    git(ws, "config", "remote.origin.promisor", "true")
    git(ws, "config", "remote.origin.url", f"ext::{program}")
    git(ws, "config", "protocol.ext.allow", "always")
    git(ws, "config", "protocol.allow", "always")
    git(ws, "config", "remote.origin.uploadpack", program)
    blob = git(ws, "rev-parse", "HEAD:f")
    (ws / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for url in (f"ext::{program}", str(tmp_path), f"ssh://-oProxyCommand={program}/x"):
        git(ws, "config", "remote.origin.url", url)
        read()
        assert not mark.exists()
