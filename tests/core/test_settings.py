"""Settings: defaults, bounds, files, and error sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.errors import SettingsError
from pitwall.core.settings import Settings, load_settings, save_settings


def test_every_setting_says_what_it_is() -> None:
    for _, section in Settings():
        for name, info in type(section).model_fields.items():
            assert info.description, name
            if info.annotation in (int, float):
                extra = info.json_schema_extra
                assert isinstance(extra, dict), f"{name} has no unit"
                assert isinstance(extra.get("unit"), str), (
                    f"{name} has no unit; a bare number has an empty one"
                )


def test_round_trip(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "settings.json"
    changed = Settings().with_value("broker", "held_keys", 3).with_value("hotkeys", "pause", "ctrl+p")
    save_settings(file, changed)
    assert load_settings(file) == changed
    assert changed.hotkeys.pause == "Control+p"
    assert load_settings(tmp_path / "none.json") == Settings()


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("broker", "held_keys", 99),
        ("broker", "held_keys", "x"),
        ("hotkeys", "stop", "nokey"),
        ("hotkeys", "stop", "Alt+F4"),
        ("hotkeys", "pause", "alt+tab"),
        ("a", "b", 1),
    ],
)
def test_values_that_do_not_fit(section: str, name: str, value: object) -> None:
    with pytest.raises(SettingsError, match=name):
        Settings().with_value(section, name, value)


@pytest.mark.parametrize("text", ["{", '{"broker": {"held_keys": 99}}', '{"brokr": {}}', "[]", "\xff"])
def test_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(SettingsError, match=r"settings\.json"):
        load_settings(file)


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot be written"):
        save_settings(tmp_path / "file" / "settings.json", Settings())


def test_a_file_that_names_one_hotkey_of_earlier_defaults_still_has_two_keys() -> None:
    for given, stop, pause in (({}, "ScrollLock", "Pause"), ({"stop": "Pause"}, "Pause", "ScrollLock")):
        hotkeys = Settings.model_validate({"hotkeys": given}).hotkeys
        assert (hotkeys.stop, hotkeys.pause) == (stop, pause)


def test_the_file_of_a_newer_pitwall_is_refused_in_words_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    save_settings(file, Settings())
    text = file.read_text().replace('"schema": 1', '"schema": 2')
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"newer Pitwall \(schema 2; this one knows up to 1\)") as refused:
        load_settings(file)
    assert "Update Pitwall" in refused.value.fix
    assert file.read_text() == text
