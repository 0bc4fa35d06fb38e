"""What a configuration would run is taken out."""

from __future__ import annotations

from workroom.core.git.config import FIXED, Config, as_environment, parse_config


def test_listed_scopes_keys_and_values():
    config = parse_config(b"system\0core.x\n1\0local\0a.b\0local\0core.x\ntwo\nlines\0")
    assert config == Config((("system", "core.x", "1"), ("local", "a.b", ""), ("local", "core.x", "two\nlines")))
    assert (config.get("core.x"), config.get("none", "d"), config.own("core.x")) == ("two\nlines", "d", ("1",))


def test_filters_and_drivers_are_blanked_by_their_names():
    keys = ("filter.a.b\n.clean", "filter.l.process", "filter.l.required", "merge.m.driver", "diff.d.textconv")
    packs = ("remote.r.uploadpack", "remote.r.receivepack", "remote.r.url")
    config = Config(tuple(("local", key, "run me") for key in (*keys, *packs)))
    assert config.overrides() == (
        *FIXED,
        ("filter.a.b\n.clean", ""),
        ("filter.l.process", ""),
        ("remote.r.uploadpack", "git-upload-pack"),
        ("remote.r.receivepack", "git-receive-pack"),
        ("filter.l.required", "false"),
        ("merge.m.driver", "false"),
    )
    assert config.filters("clean", "process") == {"a.b\n", "l"}
    assert config.filters("smudge") == frozenset()


def test_helpers_of_the_repository_are_taken_out_and_the_persons_stay():
    own = ("global", "credential.helper", "mine")
    assert Config((own,)).overrides() == FIXED
    theirs = ("local", "credential.https://x.helper", "!theirs")
    assert Config((own, theirs)).overrides()[len(FIXED) :] == (
        ("credential.helper", ""),
        ("credential.https://x.helper", ""),
        ("credential.helper", "mine"),
    )


def test_as_environment():
    assert as_environment((("a.b", "c"),)) == {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "a.b",
        "GIT_CONFIG_VALUE_0": "c",
    }
