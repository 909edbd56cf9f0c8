"""The shipped model on the Live page and in the top bar: that it thinks, that it does not, never both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot
from tests.console.scripted_session import STATE, ScriptedOpener, state

from pitwall.console.inspector.format import controllers_text
from pitwall.console.kit.elements import Label
from pitwall.console.kit.theme import Look
from pitwall.console.live.side_column import ProposalCard
from pitwall.console.live.thinking_card import NoModel, ThinkingCard
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part
from pitwall.core.actions import Proposal
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.telemetry import ControllersNote, ProposalNote
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.models import shipped


class _Silent:
    """A host that is asked and never answers."""

    loaded = ()
    generation = 1

    def send(self, _message: object) -> bool:
        return True

    def pump(self) -> tuple[()]:
        return ()

    def fileno(self) -> int:
        return 0


def _mind(folder: Path, settings: Settings) -> ControllersNote:
    """Return the engine's note about these settings."""
    records: list[Any] = []
    ModelManager(DataFolder(folder), _Silent(), records.append).follow(shipped.with_shipped(settings), 1)  # type: ignore[arg-type]
    return next(note for note in records if isinstance(note, ControllersNote))


def _texts(inside: QWidget) -> list[str]:
    labels = [label for label in inside.findChildren(QLabel) if not label.isHidden() and label.text()]
    return [label.full_text() if isinstance(label, Label) else label.text() for label in labels]


@pytest.fixture
def bridge(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Bridge]:
    assert screen
    assert qapp is not None
    opener = ScriptedOpener()
    bridge = Bridge(DataFolder(tmp_path / "data"), opener, lambda: ())
    bridge.open_game("flappy")
    opener.last.tell(state(STATE.READY))
    qtbot.waitUntil(lambda: bridge.state.phase.value == "ready")
    yield bridge
    bridge.shutdown()


def _cards(
    bridge: Bridge, mind: ControllersNote, app: QApplication, bot: QtBot
) -> tuple[list[str], list[str]]:
    """Return the texts of both cards of the Live page that name the deciders."""
    bridge.state.apply(mind, 1)
    none = NoModel(bridge, lambda: None, bridge.has_models)
    thinking = ThinkingCard(bridge, Look(app, "dark"), lambda _: None)
    for card in (none, thinking):
        bot.addWidget(card)
        card.refresh(Part.ALL)
    return ([] if none.isHidden() else _texts(none)), ([] if thinking.isHidden() else _texts(thinking))


@pytest.mark.usefixtures("resources", "llama")
def test_the_live_page_says_that_it_thinks(
    bridge: Bridge, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    mind = _mind(tmp_path / "data", Settings())
    assert (mind.planner, mind.reactive) == ("model", "model")
    none, thinking = _cards(bridge, mind, qapp, qtbot)
    assert none == []
    assert f"{shipped.NAME}, the model that ships with Pitwall, thinks." in thinking
    few, lines = controllers_text(_quiet(mind))
    assert few == f"{shipped.NAME} (shipped)"
    assert f"Strategic: {shipped.NAME} (shipped)" in lines


@pytest.mark.usefixtures("resources")
def test_switched_off_that_is_said_once(
    bridge: Bridge, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    mind = _mind(tmp_path / "data", Settings().with_value("models", "shipped", False))
    none, thinking = _cards(bridge, mind, qapp, qtbot)
    assert "the one that ships with Pitwall is switched off. The skill planner plays." in none[0]
    assert thinking == []


def test_without_it_no_model_is_installed(
    bridge: Bridge, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    none, thinking = _cards(bridge, _mind(tmp_path / "data", Settings()), qapp, qtbot)
    assert none[0] == "No model is installed: the skill planner plays."
    assert thinking == []


@pytest.mark.parametrize("planner", ["random", "idle", "person"])
def test_where_no_skills_plan_nobody_says_so(
    bridge: Bridge, qapp: QApplication, qtbot: QtBot, planner: str
) -> None:
    assert _cards(bridge, ControllersNote(planner=planner, reactive="rules"), qapp, qtbot) == ([], [])


@pytest.mark.parametrize(
    ("source", "by"),
    [
        ("model:pitwall-small skill:fly", "by pitwall-small, following the skill fly"),
        ("model:pitwall-small", "by pitwall-small"),
        ("skill:fly", "by the skill planner, following the skill fly"),
    ],
)
def test_a_plan_says_who_made_it(
    bridge: Bridge, qapp: QApplication, qtbot: QtBot, source: str, by: str
) -> None:
    assert qapp is not None
    plan = Proposal(proposal_id=1, situation="a pipe comes", subgoal="pass it", source=source)
    bridge.state.apply(ProposalNote(proposal=plan, state="planned", took_ms=4.0, at_ns=1), 1)
    card = ProposalCard(bridge)
    qtbot.addWidget(card)
    assert f"planned in 4.0 ms\n{by}" in _texts(card)


def test_a_very_long_word_does_not_widen_its_column(qapp: QApplication, qtbot: QtBot) -> None:
    assert qapp is not None
    label = Label("crow_" * 40, wrap=True)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < 300
    assert label.full_text() == "crow_" * 40


def _quiet(mind: ControllersNote) -> ControllersNote:
    """Return the note once its model is loaded."""
    return ControllersNote(planner=mind.planner, reactive=mind.reactive, tiers=mind.tiers, text=mind.text)
