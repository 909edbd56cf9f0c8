"""The models page with the model that ships with Pitwall: told, read about, switched, never removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import ModelsPageHarness, button, fill, models_page, texts

from pitwall.console.models.remove_dialog import RemoveDialog
from pitwall.console.models.shipped import STAYS
from pitwall.core import commands
from pitwall.core.calls import Tier
from pitwall.core.telemetry import ModelHeld
from pitwall.models import shipped

_CARD = f"""# {shipped.NAME}

{shipped.WHAT_IT_IS}

## Size
- 1,234 parameters, 8 bits each. See [the source](https://example.org/card).

<b>no markup</b> ![a picture](https://example.org/a.png)
"""


@pytest.fixture
def desk(
    screen: str, resources: Path, tmp_path: Path, qtbot: QtBot, qapp: QApplication
) -> Iterator[ModelsPageHarness]:
    """The page on a data folder without models, where the shipped one is and has a card."""
    assert screen
    assert resources.is_dir()
    shipped.card_file().write_text(_CARD, encoding="utf-8")
    with models_page(tmp_path / "data", qtbot, qapp) as desk:
        desk.choose(shipped.NAME)
        yield desk


def _boxes(desk: ModelsPageHarness) -> list[str]:
    return [box.model.currentText() for box in desk.page.tiers.boxes.values()]


def _who_thinks(desk: ModelsPageHarness) -> str:
    return texts(desk.page.tiers.switch).splitlines()[-1]


def _click(desk: ModelsPageHarness, word: str) -> None:
    QTest.mouseClick(button(desk.page.tiers, f"Where none is chosen: {word}"), Qt.MouseButton.LeftButton)


@pytest.mark.usefixtures("llama")
def test_it_is_listed_and_says_what_it_is(desk: ModelsPageHarness) -> None:
    (row,) = desk.page.table.rows.rows
    assert row.kind_words == "GGUF · llama · shipped"
    assert row.tiers == (Tier.FAST, Tier.STRATEGIC)
    shown = texts(desk.page.detail)
    assert "Ships with Pitwall" in shown
    assert shipped.WHAT_IT_IS in shown
    assert "No model is installed" not in texts(desk.page)


def test_its_card_opens_and_closes_and_loads_nothing(desk: ModelsPageHarness) -> None:
    card = desk.page.detail.shipped.card
    assert not card.isVisible()
    QTest.mouseClick(button(desk.page.detail, "Read its card"), Qt.MouseButton.LeftButton)
    assert card.isVisible()
    words = card.toPlainText()
    assert words.startswith("Size"), "what stands above it is not said twice"
    assert "1,234 parameters" in words
    assert "##" not in words
    assert card.isReadOnly()
    assert card.height() >= card.document().size().height(), "nothing of it is cut off"
    assert not card.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByMouse
    desk.page.read()
    desk.bot.wait(50)
    assert card.isVisible(), "a reading does not close it"
    QTest.mouseClick(button(desk.page.detail, "Hide its card"), Qt.MouseButton.LeftButton)
    assert not card.isVisible()


def test_a_card_that_is_missing_is_said(desk: ModelsPageHarness) -> None:
    shipped.card_file().unlink()
    desk.page.read()
    desk.wait(lambda: "card.md was not found" in texts(desk.page.detail))
    assert "Read its card" not in texts(desk.page.detail)


def test_it_cannot_be_removed_and_that_is_explained(desk: ModelsPageHarness) -> None:
    remove = button(desk.page.detail, f"Remove {shipped.NAME}")
    assert not remove.isEnabled()
    assert remove.toolTip() == remove.accessibleDescription() == STAYS
    QTest.mouseClick(remove, Qt.MouseButton.LeftButton)
    assert not desk.page.findChildren(RemoveDialog)
    assert not any(command.name.startswith("Remove") for command in desk.page.commands())


def test_other_models_have_none_of_this(desk: ModelsPageHarness) -> None:
    fill(desk.page.bridge.data.root)
    desk.page.read()
    desk.choose("small")
    assert "Ships with Pitwall" not in texts(desk.page.detail)
    assert button(desk.page.detail, "Remove small").isEnabled()
    assert button(desk.page.detail, "Remove small").toolTip() == ""


@pytest.mark.usefixtures("llama")
def test_the_tiers_say_that_it_thinks(desk: ModelsPageHarness) -> None:
    assert _boxes(desk) == [shipped.NAME] * 2 + ["no model: rules", "none: no changes"]
    box = desk.page.tiers.boxes[Tier.STRATEGIC]
    assert box.model.toolTip() == f"None chosen: {shipped.NAME} (shipped) thinks"
    assert "shipped · ○ not loaded" in texts(box)
    desk.open_game()
    desk.told(held=(ModelHeld(name=shipped.NAME, device="CPU", memory_bytes=1 << 20),))
    desk.wait(lambda: "shipped · ● loaded on CPU" in texts(box))


@pytest.mark.usefixtures("llama")
def test_one_click_lets_the_skills_play_and_one_click_brings_it_back(desk: ModelsPageHarness) -> None:
    desk.open_game()
    _click(desk, "Skill planner")
    assert desk.settings()["shipped"] is False
    sent = [command for command in desk.opener.last.sent if isinstance(command, commands.SetSettings)]
    assert sent[-1].settings.models.shipped is False
    assert _boxes(desk)[:2] == ["no model: rules", "no model: skills"]
    assert desk.page.table.rows.rows[0].tiers == ()
    assert _who_thinks(desk) == "skills plan, rules react"
    _click(desk, "Shipped model")
    assert desk.settings()["shipped"] is True
    assert _boxes(desk)[:2] == [shipped.NAME] * 2
    assert _who_thinks(desk) == f"{shipped.NAME} plans and reacts"


@pytest.mark.usefixtures("llama")
def test_where_the_switch_changes_nothing_it_says_why(desk: ModelsPageHarness) -> None:
    bridge = desk.page.bridge
    bridge.save_settings(bridge.settings.with_value("control", "planner", "skills"))
    assert _who_thinks(desk) == "not used: Settings choose the planner “skills”"
    assert _boxes(desk)[:2] == ["no model: rules", "no model: skills"]
    settings = bridge.settings.with_value("control", "planner", "auto")
    bridge.save_settings(settings.with_value("models", "strategic", "mine"))
    assert _who_thinks(desk) == "not used: mine is chosen to plan"
    settings = bridge.settings.with_value("models", "strategic", "")
    bridge.save_settings(settings.with_value("models", "fast", "mine"))
    assert _who_thinks(desk) == f"{shipped.NAME} plans"


def test_without_its_file_there_is_no_switch_and_the_skills_play_on(desk: ModelsPageHarness) -> None:
    shipped.shipped_file().unlink()
    desk.page.read()
    desk.wait(lambda: "No model is installed: the skill planner plays on" in texts(desk.page))
    fill(desk.page.bridge.data.root)
    desk.page.read()
    desk.wait(lambda: "small" in desk.listed())
    assert not desk.page.tiers.switch.isVisible()
    assert _boxes(desk)[:2] == ["no model: rules", "no model: skills"]
