"""An agent plays in the background while a person writes a letter in a window of their own."""

from __future__ import annotations

import shutil
import time
from itertools import pairwise
from typing import Any

import pytest
from tests.end_to_end.driver import LONG_HOLDS, Pit

from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import EngineState
from workshop.fixtures.people.writing_person import WritingPerson

pytestmark = [pytest.mark.screen, pytest.mark.timeout(360)]
_PHASE_S = 15.0
_MOST_PAIRS = 4
_AS_ALONE = 0.8
"""Least share of the points without a person; scores of so short a time vary by a fifth."""


@pytest.mark.parametrize("game", ["flappy", pytest.param("snake", marks=pytest.mark.long)])
def test_the_agent_scores_as_alone_and_the_persons_text_is_whole(
    game: str, screen: str, data: DataFolder
) -> None:
    assert screen
    if game == "snake" and shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    own = LONG_HOLDS.with_value("broker", "own_seat", True)
    pit = Pit(data, game, launch=True, settings=own.with_value("control", "planner", "skills"))
    letters: list[dict[str, Any]] = []
    alone = beside = 0.0
    try:
        pit.expect_state(EngineState.READY)  # a new window takes the focus as it comes
        pit.play_again()
        pit.until(lambda: pit.all_heard(telemetry.StateChanged)[-1].own_seat, "the agent's own seat")
        pit.until(lambda: _points(pit.steps), "a first point")
        while not letters or (beside < _AS_ALONE * alone and len(letters) < _MOST_PAIRS):
            alone += _points_in_a_while(pit)
            person = WritingPerson()
            try:
                beside += _points_in_a_while(pit)
            finally:
                letters.append(person.stop())
        pit.send(commands.Stop())
        ended = pit.expect(telemetry.RunEnded)
    finally:
        pit.close()
    for letter in letters:
        assert len(letter["done"]["text"]) > 20 and letter["done"]["clicks"]
        assert letter["seen"] == letter["done"]
    assert beside >= _AS_ALONE * alone > 0, f"{beside} points beside a person, {alone} alone"
    summary = ended.summary
    assert (summary.takeovers, summary.refusals, ended.keys_down) == (0, {}, 0)


def _points_in_a_while(pit: Pit) -> float:
    begun, until_s = len(pit.steps), time.monotonic() + _PHASE_S
    while time.monotonic() < until_s:
        pit.pump()
    return _points(pit.steps[max(0, begun - 1) :])


def _points(steps: list[StepRecord]) -> float:
    """Return the points that were gained, through all games of these steps."""
    scores = [step.fields.get("score") for step in steps]
    known = [float(score) for score in scores if isinstance(score, int | float)]
    return sum(max(0.0, after - before) for before, after in pairwise(known))
