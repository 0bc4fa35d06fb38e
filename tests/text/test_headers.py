"""Which file a section means."""

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.headers import Names, check_patch_path, resolve


def pair(*existing, bare=False, **names):
    return resolve(Names(**names), set(existing).__contains__, bare=bare)


def refused(**names):
    with pytest.raises(WorkroomError) as caught:
        pair(**names)
    assert caught.value.code == ErrorCode.INVALID_INPUT
    return caught.value.message


class TestPlainNames:
    @pytest.mark.parametrize(
        ("old", "new", "existing", "path"),
        [
            ("a/x", "b/x", (), "x"),
            ("a/x", "b/x", ("a/x", "b/x"), "x"),
            ("x", "x", (), "x"),
            ("x", "b/x", (), "x"),
            ("b/x", "a/x", (), "x"),
            ("a/b/x", "b/b/x", (), "b/x"),
            # A real folder of that name, in a diff without prefixes:
            ("a/x", "a/x", ("a/x",), "a/x"),
            ("b/x", "b/x", ("b/x", "x"), "b/x"),
            # A prefix that a model wrote twice:
            ("a/x", "a/x", ("x",), "x"),
            ("a/x", "a/x", (), "a/x"),
            ("a/x\t2024-05-06 07:08:09.000 +0100", "b/x\t2024-05-06 07:08:09.000 +0100", (), "x"),
            ("a/sp ace\t", "b/sp ace\t", (), "sp ace"),
            ('"a/\\303\\274\\"x"', '"b/\\303\\274\\"x"', (), 'ü"x'),
            ("./x", "./x", (), "x"),
        ],
    )
    def test_a_modified_file(self, old, new, existing, path):
        assert pair(*existing, old=old, new=new) == (path, path)

    @pytest.mark.parametrize(
        "new", ["/dev/null", "x\t1970-01-01 00:00:00.000000000 +0000", "x\t1969-12-31 19:00:00 -0500"]
    )
    @pytest.mark.parametrize(
        ("existing", "bare", "path"),
        [
            ((), False, "x"),
            (("x",), False, "x"),
            (("a/x", "x"), False, "x"),
            (("a/x",), False, "a/x"),
            ((), True, "a/x"),
        ],
    )
    def test_a_deleted_file(self, new, existing, bare, path):
        assert pair(*existing, bare=bare, old="a/x", new=new) == (path, path)

    @pytest.mark.parametrize(
        ("existing", "bare", "path"), [((), False, "x"), (("b/x",), False, "x"), ((), True, "b/x")]
    )
    def test_a_created_file(self, existing, bare, path):
        names = Names(old="/dev/null", new="b/x")
        assert resolve(names, set(existing).__contains__, bare=bare) == (path, path)
        assert names.old_absent
        assert not names.new_absent

    def test_two_names_without_a_rename(self):
        assert "without saying that it is renamed" in refused(old="a/x", new="b/y")

    def test_no_name_at_all(self):
        assert "names no file" in refused(old="/dev/null", new="/dev/null")
        assert "names no file" in refused(git="a/x b/y")


class TestGitNames:
    @pytest.mark.parametrize(
        ("line", "existing", "path"),
        [
            ("a/x b/x", (), "x"),
            ("x x", (), "x"),
            ("a/x a/x", ("a/x",), "a/x"),
            ("a/b/x b/b/x", (), "b/x"),
            ("i/x w/x", (), "x"),
            ("b/x a/x", (), "x"),
            ("a/one two b/one two", (), "one two"),
            ('"a/q\\"" "b/q\\""', (), 'q"'),
        ],
    )
    def test_a_file_by_its_diff_line(self, line, existing, path):
        assert pair(*existing, git=line) == (path, path)

    def test_names_that_the_diff_line_hides_come_from_the_others(self):
        assert pair(git="/dev/null b/x", old="/dev/null", new="b/x") == ("x", "x")
        assert pair(git="a/x y z", old="a/x", new="b/x") == ("x", "x")

    def test_a_rename(self):
        assert pair(git="a/x b/y", rename_from="x", rename_to="y", old="a/x", new="b/y") == ("x", "y")
        assert pair(git="a/x b/y", rename_from="a/x", rename_to="b/y") == ("a/x", "b/y")
        assert pair(git="a/one two b/y", rename_from="one two", rename_to="y") == ("one two", "y")
        assert pair(git='a/x "b/q\\""', rename_from="x", rename_to='"q\\""') == ("x", 'q"')
        assert pair(git='"a/q\\"" b/x', rename_from='"q\\""', rename_to="x") == ('q"', "x")

    def test_half_a_rename(self):
        assert "without `rename to`" in refused(git="a/x b/y", rename_from="x")

    def test_lines_that_contradict_each_other(self):
        assert "both" in refused(git="a/x b/x", old="a/y", new="b/y")
        assert "both" in refused(git="a/x b/y", rename_from="x", rename_to="z")
        assert "both" in refused(git="a/x b/y", rename_from="x", rename_to="y", old="a/z", new="b/y")


class TestStyle:
    @pytest.mark.parametrize(
        ("names", "style"),
        [
            (Names(old="a/x", new="b/x"), "prefixed"),
            (Names(old="x", new="x"), "bare"),
            (Names(old="b/real", new="b/real"), "bare"),
            (Names(old="b/x", new="b/x"), None),
            (Names(old="x", new="y"), None),
            (Names(old="/dev/null", new="b/x"), None),
            (Names(git="x x", old="x", new="x"), None),
        ],
    )
    def test_a_plain_section_shows_how_it_writes_names(self, names, style):
        assert names.style({"b/real", "x"}.__contains__) == style


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", ErrorCode.INVALID_INPUT),
        ("  ", ErrorCode.INVALID_INPUT),
        ("a" * 200 + "/" + "b/" * 2000 + "c", ErrorCode.INVALID_INPUT),
        ("x\ny", ErrorCode.INVALID_INPUT),
        ("x\0", ErrorCode.INVALID_INPUT),
        ("x\udcff", ErrorCode.INVALID_INPUT),
        ("/etc/passwd", ErrorCode.INVALID_INPUT),
        ("\\x", ErrorCode.INVALID_INPUT),
        ("C:\\x", ErrorCode.INVALID_INPUT),
        ("c:x", ErrorCode.INVALID_INPUT),
        ("a/../b", ErrorCode.INVALID_INPUT),
        ("a\\..\\b", ErrorCode.INVALID_INPUT),
        ("../x", ErrorCode.PATH_OUTSIDE_WORKSPACE),
        ("a/../../x", ErrorCode.PATH_OUTSIDE_WORKSPACE),
        ("a//etc/passwd", ErrorCode.INVALID_INPUT),
        (".", ErrorCode.INVALID_INPUT),
        ("folder/", ErrorCode.INVALID_INPUT),
        (".git/config", ErrorCode.PROTECTED_PATH),
        ("sub/.GIT/config", ErrorCode.PROTECTED_PATH),
        ("../.git/config", ErrorCode.PROTECTED_PATH),
        (".agentic/plans/x", ErrorCode.PROTECTED_PATH),
    ],
)
def test_paths_are_never_put_right(name, code):
    with pytest.raises(WorkroomError) as caught:
        check_patch_path(name)
    assert caught.value.code == code


def test_good_paths_are_made_canonical():
    assert check_patch_path("./src/./x..y/.gitignore") == "src/x..y/.gitignore"
