"""The Live page's way to learn from corrections: offered where there are some, and what came of it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_session import STATE, opened, state

from pitwall.console.kit.job import JobList, JobOrder
from pitwall.console.live.retrain_card import RetrainCard
from pitwall.console.state.view_state import Phase
from pitwall.core.telemetry import ModulesNote, ModuleState
from pitwall.demonstrations.manifest import Demonstration, Kind
from pitwall.demonstrations.writer import DemonstrationWriter

DRIVEN = ModulesNote(modules=(ModuleState(name="fly", version="v3", driven_by="policy"),))


def _keep(room: ConsoleHarness, kind: Kind, number: int) -> None:
    begun = Demonstration(
        id=f"20261123-19250{number}-flappy",
        game="flappy",
        kind=kind,
        picture_size=(36, 64),
        window_size=(288, 512),
        rate_fps=20,
        started_at="2026-11-23T19:25:00",
    )
    DemonstrationWriter(room.console.bridge.data.demonstrations / begun.id, begun).close()


def test_corrections_are_learned_from_by_one_click_and_the_version_is_offered(
    room: ConsoleHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered: list[JobOrder] = []
    monkeypatch.setattr(JobList, "start", lambda _, order: ordered.append(order))
    _keep(room, "play", 0)
    (card,) = room.console.window.findChildren(RetrainCard)
    room.console.bridge.open_game("flappy")
    room.session.tell(opened(), DRIVEN, state(STATE.READY))
    room.wait_for(Phase.READY)
    assert card.isHidden(), "a demonstration is no correction"
    _keep(room, "correction", 1)
    room.session.tell(state(STATE.PLAYING), state(STATE.READY, text="Again."))
    room.bot.waitUntil(lambda: not card.isHidden())
    train, promote = card.findChildren(QPushButton)[:2]
    assert any("1 correction of this game" in label.text() for label in card.findChildren(QLabel))
    train.click()
    assert ordered[-1].arguments[:5] == ["gsm", "train", "flappy/fly", "--from", "all"]
    assert ordered[-1].arguments[-2:] == ["--start-from", "v3"]
    answer = {"about": {"version": "v4"}, "cloned": {"agreement": 0.88, "before": 0.81}}
    assert ordered[-1].outcome(answer) == "v4 agrees on 88 % of held-out play, 81 % before."
    card.jobs.ended.emit(ordered[-1], answer)
    promote.click()
    assert ordered[-1].arguments[:4] == ["gsm", "promote", "flappy/fly", "v4"]
