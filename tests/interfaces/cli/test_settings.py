"""mode and settings."""


def test_every_setting_is_listed(manual):
    rows = [line.split("\t") for line in manual.run("settings").out.splitlines()]
    assert ["mode", "manual", "workspace"] in rows
    assert ["wait_seconds_files", "45", "default"] in rows
    assert manual.run("settings", "list").out == manual.run("settings").out
    listed = manual.run("settings", "list", "--json").json["settings"]
    assert [one["name"] for one in listed] == [row[0] for row in rows]
    assert manual.run("--json", "settings").json["settings"] == listed


def test_a_value_is_set_got_and_unset(manual):
    assert manual.run("settings", "get", "protected_patterns").out == "[]\n"
    changed = manual.run("settings", "set", "protectedPatterns", '["*.lock"]')
    assert changed.out == 'protected_patterns = ["*.lock"] (from: workspace)\n'
    assert manual.run("settings", "get", "protected_patterns", "--json").json["value"] == ["*.lock"]
    refused = manual.edit({"type": "create", "path": "x.lock", "content": ""})
    assert refused["error"]["code"] == "PROTECTED_PATH"
    assert manual.run("settings", "unset", "protected_patterns").out == "protected_patterns = [] (from: default)\n"


def test_the_users_own_counts_for_all_workspaces_and_below_the_workspaces(manual):
    manual.run("settings", "set", "max_tool_result_chars", "5000", "--user")
    assert manual.run("settings", "get", "max_tool_result_chars", "--json").json["source"] == "user"
    manual.run("settings", "set", "max_tool_result_chars", "6000")
    assert manual.run("settings", "get", "max_tool_result_chars").out == "6000\n"
    manual.ask("settings.unset", key="max_tool_result_chars")
    manual.run("settings", "unset", "max_tool_result_chars", "--user")
    assert manual.run("settings", "get", "max_tool_result_chars").out == "30000\n"


def test_what_can_not_be_set(manual):
    for key, value in (("mode", "sometimes"), ("max_edit_bytes", "many"), ("nonsense", "1")):
        refused = manual.run("settings", "set", key, value, "--json")
        assert refused.code == 1
        assert refused.json["error"]["code"] == "INVALID_INPUT"
        assert key in refused.json["error"]["message"]


def test_at_a_terminal_a_setting_comes_with_its_meaning(manual):
    shown = manual.at_terminal("settings", "get", "mode").out
    assert shown.startswith("manual\nFrom: workspace. Default: plan. Also called permissionMode.\n")
    assert "auto: changes run." in shown
    listed = manual.at_terminal("settings").out
    assert "setting" in listed
    assert "destructive_edits" in listed


def test_the_mode_by_name_and_level(manual):
    assert manual.run("mode").out == "manual\n"
    assert manual.run("mode", "2", "--json").json == {"ok": True, "mode": "auto", "level": 2}
    assert manual.run("mode").out == "auto\n"
    refused = manual.run("mode", "sometimes")
    assert (refused.code, "INVALID_INPUT" in refused.err) == (1, True)
