"""Settings and mode: read with their sources, checked, written, told."""

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ModeChanged, SettingsChanged
from workroom.base.settings import Mode, Settings, parse_settings
from workroom.person import settings
from workroom.person.credential import PersonCredential
from workroom.system.state import StateDirectory

CREDENTIAL = PersonCredential.grant("k", "k", 0, 0, name="ann")


class Person:
    """The person at one workspace."""

    def __init__(self, house, state):
        self.house = house
        self.state = state
        self.told = []
        house.workspace.store.subscribe(lambda _number, event: self.told.append(event))

    def set(self, key, value, **options):
        return settings.set_setting(CREDENTIAL, self.house.workspace, self.state, key, value, **options)

    def unset(self, key, **options):
        return settings.unset_setting(CREDENTIAL, self.house.workspace, self.state, key, **options)

    def get(self, key):
        return settings.get_setting(CREDENTIAL, self.house.workspace, self.state, key)

    def list(self):
        return settings.list_settings(CREDENTIAL, self.house.workspace, self.state)

    def mode(self, word):
        return settings.set_mode(CREDENTIAL, self.house.workspace, self.state, word)

    def in_force(self):
        return parse_settings(*self.state.read_settings(self.house.workspace.store.folder))

    @property
    def file(self):
        return self.house.store_folder / "settings.toml"


@pytest.fixture
def person(house, tmp_path):
    state = StateDirectory(tmp_path / "user")
    state.make()
    return Person(house, state)


def refused(do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    return str(caught.value)


def test_every_setting_is_listed_with_its_documentation(person):
    listed = person.list()
    assert [setting.name for setting in listed] == list(Settings.model_fields)
    assert all(setting.documentation and setting.source == "default" for setting in listed)
    mode = listed[0]
    assert (mode.name, mode.aliases, mode.value, mode.default) == ("mode", ("permissionMode",), "plan", "plan")


def test_a_setting_is_set_for_the_workspace(person):
    setting = person.set("max_tool_result_chars", 5000)
    assert (setting.value, setting.source) == (5000, "workspace")
    assert person.in_force().max_tool_result_chars == 5000
    assert "max_tool_result_chars = 5000" in person.file.read_text()
    assert person.told == [SettingsChanged(("max_tool_result_chars",))]


def test_the_workspaces_setting_wins_over_the_users(person):
    assert person.set("max_tool_result_chars", 4000, user=True).source == "user"
    person.set("max_tool_result_chars", 5000)
    setting = person.set("max_tool_result_chars", 6000, user=True)
    assert (setting.value, setting.source) == (5000, "workspace")
    setting = person.unset("max_tool_result_chars")
    assert (setting.value, setting.source) == (6000, "user")
    setting = person.unset("max_tool_result_chars", user=True)
    assert (setting.value, setting.source) == (30_000, "default")


@pytest.mark.parametrize(
    ("key", "given", "value"),
    [
        ("destructive_edits", "ask", "ask"), ("destructive_edits", '"ask"', "ask"),
        ("allowDestructiveEdits", "true", "allow"),
        ("allowDestructiveEdits", False, "refuse"), ("protected_patterns", '["*.lock"]', ["*.lock"]),
        ("protectedPatterns", ["a", "b"], ["a", "b"]), ("maxToolResultChars", "5000", 5000),
        ("permissionMode", "2", "auto"),
        ("mode", "manual", "manual"),
    ],
)  # fmt: skip
def test_values_as_texts_and_names_of_system_a(person, key, given, value):
    assert person.set(key, given).value == value
    assert person.get(key).value == value


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("nonsense", 1), ("max_tool_result_chars", 1), ("max_tool_result_chars", "many"), ("mode", "yolo"), ("mode", 3),
        ("protected_patterns", "*.lock"), ("protected_patterns", "[" * 100_000), ("destructive_edits", None),
        ("destructive_edits", "null"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_and_nothing_written(person, key, value):
    refused(person.set, key, value)
    assert not person.file.exists()
    assert person.told == []


def test_an_alias_in_the_file_is_replaced(person):
    person.file.write_text("# mine\nallowDestructiveEdits = true\n")
    assert (person.get("destructive_edits").value, person.get("destructive_edits").source) == ("allow", "workspace")
    assert person.set("destructive_edits", "ask").value == "ask"
    assert "allowDestructiveEdits" not in person.file.read_text()
    assert "# mine" in person.file.read_text()


def test_setting_the_mode(person):
    assert settings.mode_of(CREDENTIAL, person.house.workspace) is Mode.AUTO
    assert person.mode("manual") is Mode.MANUAL
    assert person.told == [SettingsChanged(("mode",)), ModeChanged("manual")]
    assert person.mode(" Auto ") is Mode.AUTO
    assert person.mode("1") is Mode.PLAN
    refused(person.mode, "yolo")
    assert person.in_force().mode is Mode.PLAN


def test_the_same_mode_again_is_no_change_of_it(person):
    person.mode("plan")
    assert person.told == [SettingsChanged(("mode",))]


def test_a_wrong_file_can_be_set_right(person):
    person.file.write_text('mode = "yolo"\n')
    refused(person.list)
    assert person.set("mode", "auto").value == "auto"
    assert ModeChanged("auto") in person.told


def test_each_change_is_told_to_the_audit_log_with_what_was_there(person):
    person.set("mode", "auto")
    person.set("protectedPatterns", ["*.lock"], user=True)
    person.mode("1")
    person.unset("mode")
    person.file.write_text("broken")
    with pytest.raises(WorkroomError):
        person.unset("mode", user=True)  # done, but how the settings stand now can't be read
    told = [line for line in person.house.workspace.audit.lines() if line["kind"] == "setting_changed"]
    assert {line["who"]["name"] for line in told} == {"ann"}
    assert [line["what"] for line in told] == [
        {"name": "mode", "layer": "workspace", "new": '"auto"'},
        {"name": "protected_patterns", "layer": "user", "new": '["*.lock"]'},
        {"name": "mode", "layer": "workspace", "old": '"auto"', "new": '"plan"'},
        {"name": "mode", "layer": "workspace", "old": '"plan"'},
        {"name": "mode", "layer": "user"},
    ]


def test_the_servers_settings_are_no_workspaces(person):
    assert "--user" in refused(person.set, "http_port", 7117)
    assert person.set("http_port", "7117", user=True).value == 7117
    person.file.write_text("http_port = 80\n")
    assert (person.get("http_port").value, person.get("http_port").source) == (7117, "user")
    person.unset("http_port")
    assert "http_port" not in person.file.read_text()
    person.unset("http_port", user=True)
    assert person.get("http_port").source == "default"
