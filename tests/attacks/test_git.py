"""A hostile repository is read and written: what it names doesn't run, proven by the mark that it would leave."""

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

HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
    "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
    "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
    "post-rewrite", "fsmonitor-watchman", "query-watchman", "post-index-change",
)  # fmt: skip
"""Every hook that git knows."""


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


@pytest.fixture
def write(house, ws, tmp_path, monkeypatch):
    """Everything that writes, by the tools that agents have; the answers by name. `far` is the remote."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    git(ws, "config", "user.name", "n")
    git(ws, "config", "user.email", "n@x")
    (ws / ".git/info/exclude").write_text("/far\n/theirs\n")
    git(ws, "init", "-q", "--bare", "-b", "main", "far")
    git(ws, "remote", "add", "origin", "far")
    caller = Call(house.workspace, AGENT, "editor")

    def ask(name, **arguments):
        return call(caller, f"editor_git_{name}", arguments)

    def everything():
        found = {"stage": ask("stage", action="stage", paths=["f"])}
        found["hunks"] = ask("stage", action="unstage", paths=["f"], hunks=[0])
        found["stash"] = ask("stash", action="push")
        found["pop"] = ask("stash", action="pop")
        found["commit"] = ask("commit", message="two")
        found["push"] = ask("sync", action="push")
        found["fetch"] = ask("sync", action="fetch")
        found["pull"] = ask("sync", action="pull")
        found["undo"] = ask("undo_commit", force=True)
        return found

    everything.ask = ask
    return everything


WRITTEN = (
    *(key for key in CONFIGURED if not key.startswith("filter.") and key != "remote.origin.vcs"),
    "core.gitProxy", "remote.origin.receivepack", "gpg.openpgp.program", "gc.recentObjectsHook", "commit.template",
)  # fmt: skip


def test_G01_programs_in_the_configuration_do_not_run_while_writing(ws, write, tmp_path):
    marks = []
    for number, key in enumerate(WRITTEN):
        program, mark = planted(tmp_path, f"evil{number}")
        git(ws, "config", key, program)
        marks.append(mark)
    git(ws, "config", "push.gpgSign", "if-asked")
    answers = write()
    assert [name for name, each in answers.items() if not (each.ok and each.data.get("ok", True))] == [], answers
    assert [mark.name for mark in marks if mark.exists()] == []


@pytest.mark.parametrize("kind", ["clean", "smudge", "process"])
def test_G02_filters_do_not_run_and_nothing_is_stored_without_them(ws, write, tmp_path, kind):
    program, mark = planted(tmp_path, "evil")
    git(ws, "config", f"filter.x.{kind}", program)
    for arguments in ({"name": "stash", "action": "push"}, {"name": "commit", "message": "two"}):
        answer = write.ask(**arguments)
        refused = kind != "smudge" or arguments["name"] == "stash"
        assert (answer.ok, mark.exists()) == (not refused, False), answer
        assert not refused or answer.error["code"] == "UNSUPPORTED"
    assert (ws / "f").read_text() == "2\n"


@pytest.mark.parametrize("where", ["hooks", "elsewhere", "far"])
def test_G03_hooks_do_not_run_while_writing(ws, write, tmp_path, where):
    program, mark = planted(tmp_path, "evil")
    hooks = {"hooks": ws / ".git/hooks", "elsewhere": tmp_path / "hooks", "far": ws / "far/hooks"}[where]
    hooks.mkdir(exist_ok=True)
    if where == "elsewhere":
        git(ws, "config", "core.hooksPath", str(hooks))
    for name in HOOKS:
        (hooks / name).unlink(missing_ok=True)
        (hooks / name).symlink_to(program)
    answers = write()
    assert all(answer.ok and answer.data.get("ok", True) for answer in answers.values()), answers
    assert ("pre-commit" in answers["commit"].data["hooks_skipped"]) == (where != "far")
    assert not mark.exists()


def test_G03_the_trap_snaps_when_git_commits_as_it_is(ws, tmp_path):
    program, mark = planted(tmp_path, "evil")
    (ws / ".git/hooks/pre-commit").symlink_to(program)
    git(ws, "-c", "commit.gpgSign=false", "commit", "-qam", "x")
    assert mark.exists()


@pytest.mark.parametrize("word", ["--output=x", "-c", "--upload-pack=evil", "--exec=evil", "-x"])
def test_G04_words_that_look_like_options_are_none(ws, write, tmp_path, word):
    git(ws, "config", "branch.main.remote", word)
    git(ws, "config", f"remote.{word}.url", "far")
    for action in ("fetch", "pull", "push"):
        assert write.ask("sync", action=action).error["code"] == "NOT_FOUND"
    assert write.ask("show", path="f", rev=word).error["code"] == "INVALID_INPUT"
    (ws / word).write_text("n\n")
    assert write.ask("stage", action="stage", paths=[word]).data["paths"] == [word]
    assert write.ask("commit", message=word, stage_all=False).data["committed"]
    assert git(ws, "log", "-1", "--format=%s") == word
    assert not (ws / "x").exists()


@pytest.mark.parametrize(
    "url",
    ["ext::{program}", "ssh://-oProxyCommand={program}/x", "-oProxyCommand={program}", "n@-oProxyCommand={program}:x"],
)
def test_G05_remotes_that_are_programs_are_not_reached(ws, write, tmp_path, url):
    program, mark = planted(tmp_path, "evil")
    git(ws, "config", "protocol.ext.allow", "always")
    for key in ("remote.origin.url", "remote.origin.pushurl", "url.{}.insteadOf"):
        git(
            ws, "config", key.format(url.format(program=program)), "far" if "{}" in key else url.format(program=program)
        )
        for action in ("fetch", "pull", "push"):
            answer = write.ask("sync", action=action)
            assert not mark.exists()
            assert not answer.ok or (key == "remote.origin.pushurl" and action != "push"), answer
        git(ws, "config", "remote.origin.url", "far")


@pytest.mark.parametrize("key", ["uploadpack", "receivepack", "vcs"])
def test_G05_programs_for_the_other_end_are_not_taken_from_the_repository(ws, write, tmp_path, key):
    program, mark = planted(tmp_path, "evil")
    git(ws, "config", f"remote.origin.{key}", program)
    for action in ("fetch", "push", "pull"):
        assert write.ask("sync", action=action).ok == (key != "vcs")
    assert not mark.exists()


def test_G05_objects_that_are_missing_are_not_fetched_by_the_repositorys_program(ws, write, tmp_path):
    program, mark = planted(tmp_path, "evil")
    git(ws, "push", "-q", "far", "main")
    for key, value in (("promisor", "true"), ("uploadpack", program), ("receivepack", program)):
        git(ws, "config", f"remote.origin.{key}", value)
    git(ws, "config", "extensions.partialClone", "origin")
    git(ws, "config", "core.repositoryFormatVersion", "1")
    git(ws, "config", "branch.main.remote", "origin")
    git(ws, "config", "branch.main.merge", "refs/heads/main")
    blob = git(ws, "rev-parse", "HEAD:f")
    (ws / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for action in ("push", "fetch", "pull"):
        write.ask("sync", action=action)
    write.ask("stash", action="push")
    write.ask("commit", message="x")
    assert not mark.exists()


def test_G05_a_local_remote_with_files_of_its_own_runs_nothing_when_it_is_pushed_to(ws, write, tmp_path):
    program, mark = planted(tmp_path, "evil")
    git(ws, "clone", "-q", ".", "theirs")
    git(ws / "theirs", "config", "receive.denyCurrentBranch", "updateInstead")
    git(ws / "theirs", "config", "gc.auto", "1")
    for key in ("filter.x.smudge", "filter.x.process", "gc.recentObjectsHook", "core.fsmonitor"):
        git(ws / "theirs", "config", key, program)
    git(ws, "config", "remote.origin.url", "theirs")
    write.ask("commit", message="two")
    mark.unlink(missing_ok=True)
    answer = write.ask("sync", action="push")
    assert (answer.ok, answer.data["ok"]) == (True, False)
    assert (ws / "theirs/f").read_text() == "1\n"
    assert not mark.exists()


def test_G05_a_local_remote_that_lacks_objects_fetches_nothing_itself(ws, write, tmp_path):
    program, mark = planted(tmp_path, "evil")
    far = ws / "far"
    git(ws, "push", "-q", "far", "main")
    git(far, "config", "extensions.partialClone", "origin")
    git(far, "config", "remote.origin.promisor", "true")
    git(far, "config", "remote.origin.url", str(tmp_path / "beyond"))
    git(far, "config", "remote.origin.uploadpack", program)
    git(far, "config", "core.repositoryFormatVersion", "1")
    blob = git(ws, "rev-parse", "HEAD:f")
    (far / "objects" / blob[:2] / blob[2:]).unlink()
    git(ws, "init", "-q", "other")
    git(ws / "other", "remote", "add", "origin", "../far")
    write.ask("sync", action="fetch", cwd="other")
    assert not mark.exists()


def test_G06_what_lies_outside_is_not_staged(ws, write, tmp_path):
    (tmp_path / "k").write_text("secret")
    (ws / "link").symlink_to(tmp_path)
    for path in ("../../k", "../k", str(tmp_path / "k"), "link/k"):
        answer = write.ask("stage", action="stage", paths=[path])
        assert answer.error["code"] == "PATH_OUTSIDE_WORKSPACE"
    for name, arguments in (("commit", {"message": "x"}), ("stash", {"action": "push"}), ("undo_commit", {})):
        assert write.ask(name, cwd="..", **arguments).error["code"] == "PATH_OUTSIDE_WORKSPACE"


def test_G07_an_included_configuration_runs_nothing_while_writing(ws, write, tmp_path):
    program, mark = planted(tmp_path, "evil")
    (tmp_path / "more").write_text(
        f'[core]\n\tfsmonitor = {program}\n\thooksPath = {tmp_path}\n[remote "origin"]\n\treceivepack = {program}\n'
        f"[credential]\n\thelper = {program}\n"
    )
    git(ws, "config", "include.path", str(tmp_path / "more"))
    answers = write()
    assert all(answer.ok and answer.data.get("ok", True) for answer in answers.values()), answers
    assert not mark.exists()


def test_G07_a_git_file_that_points_elsewhere_is_not_written(house, ws, write, tmp_path):
    program, mark = planted(tmp_path, "evil")
    elsewhere = repository(tmp_path / "elsewhere", f="1\n")
    git(elsewhere, "config", "core.fsmonitor", program)
    (ws / "sub").mkdir()
    (ws / "sub/.git").write_text(f"gitdir: {elsewhere / '.git'}\n")
    head = git(elsewhere, "rev-parse", "HEAD")
    mark.unlink(missing_ok=True)
    calls = (("commit", {"message": "x"}), ("stash", {"action": "push"}), ("undo_commit", {}))
    for name, arguments in (*calls, ("sync", {"action": "fetch"})):
        assert write.ask(name, cwd="sub", **arguments).error["code"] == "UNSUPPORTED"
    assert (elsewhere / ".git/refs/heads/main").read_text().strip() == head
    assert not mark.exists()


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
