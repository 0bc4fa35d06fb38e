"""What the tools of profile `editor` share; the rest is tested with the tools."""

from workroom.tools.editor.common import version_of


def test_a_version_is_of_the_content():
    assert version_of(b"x") == version_of(b"x") != version_of(b"y")
