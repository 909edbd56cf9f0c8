"""The settings page is derived: every declared setting has an editor, bounds, unit and a plain error."""

from __future__ import annotations

import pytest

from pitwall.console.kit.setting_fields import (
    SettingField,
    declared_sections,
    is_changed,
    value_of,
    with_checked,
)
from pitwall.console.kit.setting_labels import SETTING_LABELS, choice_words
from pitwall.core.errors import SettingsError
from pitwall.core.settings import Settings


def _find(key: str) -> SettingField:
    return next(field for section in declared_sections() for field in section.fields if field.key == key)


def test_every_declared_setting_is_there() -> None:
    keys = {field.key for section in declared_sections() for field in section.fields}
    declared = {f"{section}.{name}" for section, values in Settings().model_dump().items() for name in values}
    assert keys == declared
    assert all(section.summary for section in declared_sections())


def test_kinds_units_and_bounds_are_read_off_the_declaration() -> None:
    rate = _find("capture.screen_fps")
    assert (rate.field.kind, rate.unit, rate.field.least, rate.field.most) == ("number", "Hz", 1, 240)
    assert (rate.default, rate.field.decimals) == (60, 0)
    assert _find("capture.backend").choices == ("auto", "window", "screen")
    assert _find("broker.takeover").field.kind == "switch"
    assert _find("hotkeys.stop").field.kind == "chord"
    assert rate.fits == "1 … 240 Hz"
    assert _find("teach.most_mib").fits == "1 … 1,000,000 MiB"


def test_numbers_carry_their_unit() -> None:
    assert _find("broker.hold_ms").with_unit(5_000) == "5,000 ms"
    assert _find("broker.takeover").with_unit(True) == "on"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("capture.screen_fps", 500, ["500 Hz", "more than", "240 Hz"]),
        ("capture.screen_fps", 0, ["0 Hz", "less than", "1 Hz"]),
        ("capture.backend", "telepathy", ["'auto'", "'window'"]),
        ("hotkeys.stop", "Pauze", ["Unknown key", "'Pause'"]),
        ("hotkeys.pause", "ScrollLock", ["taken", "Emergency stop"]),
    ],
)
def test_what_does_not_fit_is_refused_in_plain_words(key: str, value: str | int, words: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        with_checked(Settings(), _find(key), value)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert key not in str(caught.value)


def test_a_change_is_marked_and_only_it() -> None:
    field = _find("capture.screen_fps")
    changed = with_checked(Settings(), field, 30)
    assert is_changed(changed, field)
    assert value_of(changed, field) == 30
    others = [f for section in declared_sections() for f in section.fields if f.key != field.key]
    assert not any(is_changed(changed, other) for other in others)


def test_what_the_window_notes_by_itself_is_no_change() -> None:
    noted = Settings().with_value("console", "last_game", "flappy").with_value("console", "tour_done", True)
    assert not any(is_changed(noted, field) for section in declared_sections() for field in section.fields)


def test_chords_are_stored_canonically() -> None:
    changed = with_checked(Settings(), _find("hotkeys.overlay"), "ctrl+shift+o")
    assert changed.hotkeys.overlay == "Control+Shift+o"


def test_search_looks_at_key_label_and_unit() -> None:
    assert _find("broker.hold_ms").matches("hold LONGEST")
    assert _find("broker.hold_ms").matches("ms broker")
    assert not _find("broker.hold_ms").matches("video")


def test_every_setting_has_a_short_name_of_its_own_within_its_section() -> None:
    for section in declared_sections():
        names = [SETTING_LABELS.get(field.key, "") for field in section.fields]
        assert all(names), [field.key for field in section.fields if field.key not in SETTING_LABELS]
        assert len(set(names)) == len(names)
        assert all(len(name) <= 50 for name in names)
    assert set(SETTING_LABELS) == {field.key for section in declared_sections() for field in section.fields}


def test_every_choice_has_a_plain_name_that_the_search_finds() -> None:
    for field in (field for section in declared_sections() for field in section.fields):
        shown = [choice_words(field.key, value) for value in field.choices]
        assert all(words[0].isupper() for words in shown), (field.key, shown)
        assert len(set(shown)) == len(shown)
    planner = _find("control.planner")
    assert planner.with_unit("auto") == "Automatic"
    assert planner.matches("stored skills")
    assert "Automatic: the model" in planner.label
