"""The models page on a real registry: listed, chosen, loaded, changed, given to tiers, removed, tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import (
    ENDPOINT,
    LONG_MS,
    ModelsPageHarness,
    button,
    drop_on,
    fill,
    models_page,
    texts,
)

from pitwall.console.models.add_dialog import AddDialog
from pitwall.console.models.remove_dialog import RemoveDialog
from pitwall.console.models.table import COLUMNS
from pitwall.core import commands
from pitwall.core.calls import Tier
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import ModelHeld
from pitwall.models.entry import ModelTrial
from pitwall_bench.console.skills_trial import SkillsTrial
from workshop.fixtures.tiny_models import tiny_projector, tiny_text_model


@pytest.fixture
def empty(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[ModelsPageHarness]:
    """The page on an empty data folder."""
    assert screen
    with models_page(tmp_path, qtbot, qapp) as desk:
        yield desk


@pytest.fixture
def desk(tmp_path: Path, empty: ModelsPageHarness) -> ModelsPageHarness:
    """The page with three models: a text model that sees, an encoder, an endpoint."""
    fill(tmp_path)
    empty.page.read()
    empty.wait(lambda: len(empty.listed()) == 3)
    return empty


# ---- listed


def test_without_a_model_it_says_who_plays_and_offers_to_add_one(empty: ModelsPageHarness) -> None:
    empty.wait(lambda: "the skill planner plays on" in texts(empty.page))
    QTest.mouseClick(button(empty.page, "Add a model"), Qt.MouseButton.LeftButton)
    (dialog,) = empty.page.findChildren(AddDialog)
    assert dialog.isVisible()
    dialog.reject()


def test_models_are_listed_with_what_they_need_beside_what_is_free(desk: ModelsPageHarness) -> None:
    rows = {row.name: row for row in desk.page.table.rows.rows}
    assert list(rows) == ["small", "encoder", "workstation"]
    small = rows["small"]
    assert small.kind_words == "GGUF · llama · sees"
    assert small.size_lines == ("127 thousand", "F32 · 0.5 MiB")
    assert small.context_lines == ("4,096 tok", "of 4,096")
    assert small.speed_lines[0] == "not measured"
    assert "GiB RAM" in small.memory_words
    assert rows["workstation"].memory_words == "on the endpoint"
    assert "free now: RAM" in texts(desk.page)
    model = desk.page.table.rows
    text = model.index(0, 3).data(Qt.ItemDataRole.AccessibleTextRole)
    assert all(part in text for part in ("weights", "KV cache", "compute", "free"))


def test_a_damaged_registry_is_told_and_can_be_tried_again(empty: ModelsPageHarness) -> None:
    file = empty.page.bridge.data.model_registry
    file.write_text("{", encoding="utf-8")
    empty.page.read()
    empty.wait(lambda: "is damaged" in texts(empty.page))
    file.unlink()
    QTest.mouseClick(button(empty.page, "Try again"), Qt.MouseButton.LeftButton)
    empty.wait(lambda: "the skill planner plays on" in texts(empty.page))


def test_what_another_process_adds_appears_by_itself(desk: ModelsPageHarness) -> None:
    desk.registry.add_remote("second", ENDPOINT, "m")
    desk.wait(lambda: "second" in desk.listed())
    assert desk.page.detail.facts is not None
    assert desk.page.detail.facts.name == "small", "the choice stays where it was"


def test_the_table_is_walked_with_keys(desk: ModelsPageHarness) -> None:
    table = desk.page.table
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert table.current is not None and table.current.name == "encoder"
    QTest.keyClick(table, Qt.Key.Key_End)
    assert table.current.name == "workstation"
    QTest.keyClick(table, Qt.Key.Key_Home)
    assert table.current.name == "small"
    assert desk.page.detail.facts == table.current


@pytest.mark.parametrize("width", [700, 768, 800, 870, 900])
def test_the_table_never_scrolls_sideways(desk: ModelsPageHarness, width: int) -> None:
    table = desk.page.table
    table.setFixedWidth(width)
    desk.wait(lambda: table.width() == width and table.horizontalScrollBar().maximum() == 0)


def test_a_file_that_is_gone_says_so(desk: ModelsPageHarness) -> None:
    (desk.page.bridge.data.root / "made" / "small.gguf").unlink()
    desk.page.read()
    desk.wait(lambda: "is not there any more" in texts(desk.page.detail))
    desk.choose("encoder")
    assert "is not there any more" not in texts(desk.page.detail)


# ---- loaded


def test_without_a_game_the_load_button_says_why(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    assert not button(desk.page.detail, "Load small").isEnabled()
    assert "open one on the Live page" in desk.page.detail.why_not
    with desk.bot.waitSignal(desk.page.page_wanted) as wanted:
        QTest.mouseClick(button(desk.page.detail, "Open a game"), Qt.MouseButton.LeftButton)
    assert wanted.args == ["live"]


def test_a_model_is_loaded_and_freed_through_the_engine(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    desk.open_game()
    assert desk.page.detail.why_not == ""
    QTest.mouseClick(button(desk.page.detail, "Load small"), Qt.MouseButton.LeftButton)
    assert commands.LoadModel(name="small") in desk.opener.last.sent
    desk.told(loading="small")
    desk.wait(lambda: "Loading small" in texts(desk.page.detail))
    assert not button(desk.page.detail, "Load small").isEnabled()
    held = ModelHeld(name="small", device="CPU", memory_bytes=44 << 20, note="A fallback was taken.")
    desk.told(held=(held,))
    desk.wait(lambda: "● loaded on CPU" in texts(desk.page.detail))
    assert "A fallback was taken." in texts(desk.page.detail)
    assert "44 MiB, loaded now" in texts(desk.page.detail)
    QTest.mouseClick(button(desk.page.detail, "Unload small"), Qt.MouseButton.LeftButton)
    assert commands.UnloadModel(name="small") in desk.opener.last.sent


def test_a_lost_engine_holds_nothing_any_more(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    desk.open_game()
    desk.told(held=(ModelHeld(name="small", device="CPU"),))
    desk.wait(lambda: "● loaded on CPU" in texts(desk.page.detail))
    desk.opener.last.die()
    desk.wait(lambda: "○ not loaded" in texts(desk.page.detail))
    assert "engine is gone" in desk.page.detail.why_not


def test_an_endpoint_is_reached_not_loaded(desk: ModelsPageHarness) -> None:
    desk.choose("workstation")
    desk.open_game()
    QTest.mouseClick(button(desk.page.detail, "Connect workstation"), Qt.MouseButton.LeftButton)
    assert commands.LoadModel(name="workstation") in desk.opener.last.sent
    desk.told(held=(ModelHeld(name="workstation", device="127.0.0.1:9"),))
    desk.wait(lambda: "● reached 127.0.0.1:9" in texts(desk.page.detail))


# ---- options


def test_options_move_the_estimate_before_they_are_saved(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    options = desk.page.detail.options
    before = options.need.words
    options.form.number("context").setFocus()
    options.form.number("context").setValue(1024)
    assert options.need.words != before
    assert options.changed
    assert desk.registry.get("small").context == 4096
    desk.page.read()
    desk.bot.wait(50)
    assert options.form.number("context").value() == 1024, "a reading does not take an entry away"
    QTest.mouseClick(button(options, "Revert"), Qt.MouseButton.LeftButton)
    assert options.need.words[0].split()[:2] == before[0].split()[:2]
    assert not options.changed


def test_flash_attention_is_chosen_for_models_that_can_have_it(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    options = desk.page.detail.options
    box = options.form.combo("flash_attention")
    assert [box.itemText(at) for at in range(box.count())] == ["auto", "on", "off"]
    before = options.need.words
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert options.changed == {"flash_attention": "on"}
    assert options.need.words != before, "without a table of scores it needs less"
    QTest.mouseClick(button(options, "Revert"), Qt.MouseButton.LeftButton)
    assert (box.currentText(), options.changed) == ("auto", {})
    for other in ("encoder", "workstation"):
        desk.choose(other)
        assert not box.isVisibleTo(desk.page)


def test_options_that_were_not_saved_wait_for_their_model(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    options = desk.page.detail.options
    options.form.number("context").setValue(1024)
    desk.choose("workstation")
    assert not options.changed
    desk.choose("small")
    assert options.form.number("context").value() == 1024
    assert options.changed


def test_options_are_saved(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    options = desk.page.detail.options
    options.form.number("context").setValue(2048)
    options.form.number("gpu_layers").setValue(1)
    options.form.number("threads").setValue(1)
    options.form.enter({"flash_attention": "on"})
    QTest.mouseClick(button(options, "Save"), Qt.MouseButton.LeftButton)
    desk.wait(lambda: desk.registry.get("small").context == 2048)
    desk.wait(lambda: not options.changed)
    entry = desk.registry.get("small")
    assert (entry.gpu_layers, entry.threads, entry.sees) == (1, 1, True)
    assert entry.flash_attention == "on"


def test_bounds_come_from_the_file(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    options = desk.page.detail.options
    assert (options.form.number("context").maximum(), options.form.number("gpu_layers").maximum()) == (
        4096,
        2,
    )
    options.form.number("gpu_layers").setValue(-1)
    assert options.form.number("gpu_layers").text() == "all 2"
    desk.choose("workstation")
    assert not options.form.number("gpu_layers").isVisibleTo(desk.page)
    assert options.need.words == ()


def test_a_projector_that_is_none_is_refused_in_its_own_words(
    desk: ModelsPageHarness, tmp_path: Path
) -> None:
    desk.choose("small")
    options = desk.page.detail.options
    options.projector.enter({"projector": str(tiny_text_model(tmp_path / "no-projector.gguf", seed=4))})
    options.save()
    desk.wait(lambda: "expected a projector" in desk.page.detail.trouble)
    assert options.changed, "what was entered is not lost"
    assert desk.registry.get("small").projector.endswith("small-mmproj.gguf")


# ---- tiers


def _give(desk: ModelsPageHarness, tier: Tier, model: str) -> None:
    box = desk.page.tiers.boxes[tier].model
    box.setCurrentIndex(box.findData(model))


def test_a_tier_is_given_to_a_model_and_saved(desk: ModelsPageHarness) -> None:
    desk.open_game()
    box = desk.page.tiers.boxes[Tier.STRATEGIC].model
    assert [box.itemText(at) for at in range(box.count())] == ["no model: skills", "small", "workstation"]
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert desk.settings()["strategic"] == "small"
    sent = [command for command in desk.opener.last.sent if isinstance(command, commands.SetSettings)]
    assert sent[-1].settings.models.strategic == "small"
    assert desk.page.table.rows.rows[0].tiers == (Tier.STRATEGIC,)
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert desk.settings()["strategic"] == ""


def test_a_tier_whose_model_is_gone_says_so(desk: ModelsPageHarness) -> None:
    settings = desk.page.bridge.settings.with_value("models", "fast", "vanished")
    desk.page.bridge.save_settings(settings)
    box = desk.page.tiers.boxes[Tier.FAST]
    assert box.model.currentText() == "vanished (gone)"
    assert "not in the list" in texts(box)


def test_a_choice_that_cannot_be_kept_is_told(desk: ModelsPageHarness) -> None:
    desk.page.bridge.data.settings.mkdir(parents=True)
    (desk.page.bridge.data.settings / "in the way").touch()
    _give(desk, Tier.FAST, "small")
    assert "not saved" in texts(desk.page.tiers)
    assert desk.page.bridge.settings.models.fast == "small"


# ---- removed


def _ask_to_remove(desk: ModelsPageHarness, name: str) -> RemoveDialog:
    desk.choose(name)
    QTest.mouseClick(button(desk.page.detail, f"Remove {name}"), Qt.MouseButton.LeftButton)
    (dialog,) = desk.page.findChildren(RemoveDialog)
    return dialog


def test_a_model_is_removed_and_its_file_stays(desk: ModelsPageHarness) -> None:
    _give(desk, Tier.STRATEGIC, "small")
    dialog = _ask_to_remove(desk, "small")
    assert "strategic tier uses it" in texts(dialog)
    QTest.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    desk.wait(lambda: desk.listed() == ["encoder", "workstation"])
    assert (desk.page.bridge.data.root / "made" / "small.gguf").is_file()
    assert desk.settings()["strategic"] == ""


def test_its_file_goes_where_that_is_asked(desk: ModelsPageHarness) -> None:
    dialog = _ask_to_remove(desk, "encoder")
    dialog.delete_file.setChecked(True)
    QTest.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    desk.wait(lambda: "encoder" not in desk.listed())
    assert not (desk.page.bridge.data.root / "made" / "encoder.onnx").exists()


def test_keeping_it_changes_nothing(desk: ModelsPageHarness) -> None:
    dialog = _ask_to_remove(desk, "small")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert len(desk.registry.all()) == 3


# ---- tried, for real


@pytest.mark.usefixtures("llama")
def test_its_speed_is_measured(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    QTest.mouseClick(button(desk.page.detail, "Measure"), Qt.MouseButton.LeftButton)
    assert "Probing and measuring small" in texts(desk.page.detail)
    desk.wait(lambda: desk.page.table.rows.rows[0].entry.tokens_per_s is not None, LONG_MS)
    assert desk.registry.get("small").measured is not None
    assert desk.page.table.rows.rows[0].speed_lines[0].endswith("tok/s")
    assert not desk.page.detail.trouble


def test_a_trial_against_the_skills_is_shown_begun_and_stopped(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    (trial,) = desk.page.detail.findChildren(SkillsTrial)
    assert "played for two minutes with this model and without it" in texts(trial)
    trial_result = ModelTrial(
        task="mines/open_40", pairs=5, wins=3, skills_wins=4, low=-0.6, high=0.35, verdict="no better"
    )
    desk.registry.tried("small", trial_result)
    desk.page.read()
    desk.wait(lambda: "No better than the skills at mines/open_40: success in 3 of 5" in texts(trial))
    button(trial, "Try small against the skills").click()
    assert trial.job.running
    assert not button(trial, "Try small against the skills").isEnabled()
    button(trial, "Cancel").click()
    desk.wait(lambda: not trial.job.running)
    assert "the trial resumes there" in texts(trial)
    desk.choose("encoder")
    assert not trial.isVisible()


@pytest.mark.usefixtures("llama")
def test_a_chat_keeps_its_model_streams_stops_and_ends_with_another_model(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    chat = desk.page.detail.chat
    for number, message in enumerate(("What do you see?", "And now?")):
        chat.prompt.setPlainText(message)
        QTest.keyClick(chat.prompt, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert chat.answering
        if number:
            desk.wait(lambda: chat.talk.toPlainText().count("small") == 2, LONG_MS)
            button(chat, "Stop this reply").click()
        desk.wait(lambda: not chat.answering, LONG_MS)
        assert chat.job.running, "the model stays loaded"
    assert "tok/s" in texts(chat) or "stopped" in texts(chat)
    assert chat.talk.toPlainText().count("You") == 2
    assert "CPU" in texts(chat) or "CUDA" in texts(chat)
    desk.choose("workstation")
    assert chat.talk.toPlainText() == ""
    desk.wait(lambda: not chat.job.running)


def test_an_endpoint_that_is_not_there_is_an_error_and_loses_nothing(
    desk: ModelsPageHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKSTATION_KEY", "none")
    desk.choose("workstation")
    chat = desk.page.detail.chat
    chat.prompt.setPlainText("Hello")
    chat.send()
    desk.wait(lambda: not chat.answering, LONG_MS)
    assert "127.0.0.1" in texts(chat)
    assert chat.prompt.toPlainText() == "Hello"
    chat.end()


# ---- for everybody


def test_a_file_dropped_on_the_page_is_looked_at(desk: ModelsPageHarness, tmp_path: Path) -> None:
    drop_on(desk.page, tiny_projector(tmp_path / "projector.gguf"))
    (dialog,) = desk.page.findChildren(AddDialog)
    desk.wait(lambda: "is a projector" in dialog.file.preview.words)
    dialog.reject()


def test_every_control_has_a_name(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    for kind in (QAbstractButton, QAbstractSpinBox, QComboBox):
        for control in desk.page.findChildren(kind):
            if control.isVisibleTo(desk.page):
                assert control.accessibleName(), f"{kind.__name__} {control.objectName()}"
    for field in desk.page.findChildren(QLineEdit):
        if field.isVisibleTo(desk.page) and not isinstance(field.parent(), QAbstractSpinBox):
            assert field.accessibleName()


def test_a_narrow_window_puts_the_parts_into_tabs(desk: ModelsPageHarness) -> None:
    desk.page.resize(640, 330)
    desk.wait(lambda: not desk.page.detail.isVisible())
    shown = [at for at in range(len(COLUMNS)) if not desk.page.table.isColumnHidden(at)]
    assert 3 in shown and len(shown) < len(COLUMNS)
    desk.page.table.setFocus()
    QTest.keyClick(desk.page.table, Qt.Key.Key_Return)
    desk.wait(desk.page.detail.isVisible)
    desk.page.resize(1216, 620)
    desk.wait(lambda: desk.page.table.isVisible() and desk.page.detail.isVisible())


def test_the_palette_offers_what_can_be_done(desk: ModelsPageHarness) -> None:
    desk.choose("small")
    names = [command.name for command in desk.page.commands()]
    assert names == [
        "Add a model…",
        "What fits this machine…",
        "Measure small",
        "Try small against the skills",
        "Remove small…",
    ]
    assert DataFolder(desk.page.bridge.data.root).model_registry.is_file()
