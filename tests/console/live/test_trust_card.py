"""The trust on the Live page, and the options of a choice in the inspector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from tests.console.scripted_calls import CHOICE, MIND, NO_MODEL, TRUST
from tests.console.scripted_session import STATE, ScriptedOpener, state

from pitwall.console.inspector.bars import OptionBars
from pitwall.console.kit.elements import Label
from pitwall.console.kit.theme import Look
from pitwall.console.live.trust_card import TrustCard
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part
from pitwall.core.calls import Choice
from pitwall.core.commands import SetSettings
from pitwall.core.paths import DataFolder


def _texts(inside: QWidget) -> list[str]:
    labels = [label for label in inside.findChildren(QLabel) if not label.isHidden() and label.text()]
    return [label.full_text() if isinstance(label, Label) else label.text() for label in labels]


@pytest.fixture
def opener() -> ScriptedOpener:
    return ScriptedOpener()


@pytest.fixture
def bridge(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot, opener: ScriptedOpener
) -> Iterator[Bridge]:
    assert screen
    assert qapp is not None
    made = Bridge(DataFolder(tmp_path), opener, tuple)
    made.open_game("flappy")
    opener.last.tell(state(STATE.READY))
    qtbot.waitUntil(lambda: made.state.phase.value == "ready")
    yield made
    made.shutdown()


@pytest.fixture
def card(bridge: Bridge, qapp: QApplication, qtbot: QtBot) -> TrustCard:
    made = TrustCard(bridge, Look(qapp, "dark"))
    qtbot.addWidget(made)
    made.refresh(Part.ALL)
    return made


def test_it_says_who_drives_why_and_what_each_brought(
    card: TrustCard, bridge: Bridge, opener: ScriptedOpener, qtbot: QtBot
) -> None:
    assert card.isHidden()
    opener.last.tell(NO_MODEL, TRUST)
    qtbot.waitUntil(lambda: bridge.state.trust == TRUST)
    card.refresh(Part.MIND)
    assert card.isHidden(), "nobody is trusted where no model is chosen"
    opener.last.tell(MIND)
    qtbot.waitUntil(lambda: bridge.state.mind == MIND)
    card.refresh(Part.MIND)
    assert not card.isHidden()
    texts = _texts(card)
    assert TRUST.why in texts and "now: skills" in texts
    assert {"7.0 % · 22 % of 9 steps", "42 % · 78 % of 60 steps", "51 % · 76 % of 80 steps"} <= set(texts)


def test_the_pin_is_a_setting_that_the_engine_is_told_at_once(
    card: TrustCard, bridge: Bridge, opener: ScriptedOpener
) -> None:
    button = next(button for button in card.findChildren(QPushButton) if button.text() == "Skills")
    button.click()
    assert bridge.settings.control.trust == "skills"
    sent = [command for command in opener.last.sent if isinstance(command, SetSettings)]
    assert sent[-1].settings.control.trust == "skills"


def test_the_options_stand_by_how_likely_each_is(screen: str, qapp: QApplication, qtbot: QtBot) -> None:
    assert screen
    bars = OptionBars(Look(qapp, "dark"))
    qtbot.addWidget(bars)
    bars.show_choice(None)
    assert bars.isHidden()
    bars.show_choice(CHOICE)
    assert _texts(bars) == [
        "skill fly through pipes",
        "✓ 71 %",
        "skill begin anew",
        "24 %",
        "skill wait",
        "5.0 %",
    ]
    bars.show_choice(Choice(options=CHOICE.options * 10))
    qtbot.waitUntil(lambda: any(text.startswith("18 more, ") for text in _texts(bars)))
    bars.show_choice(Choice(note="The endpoint gives no log-probabilities: the reply was written."))
    assert _texts(bars)[:1] == ["The endpoint gives no log-probabilities: the reply was written."]
