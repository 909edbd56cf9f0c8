"""An agent plays in the background while a person types and clicks in windows of their own."""

from __future__ import annotations

import shutil

import pytest
from tests.end_to_end.driver import LONG_HOLDS, Pit

from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import EngineState
from workshop.fixtures.busy_person import BusyPerson

pytestmark = pytest.mark.screen
_PLAYS_S = 120.0


@pytest.mark.parametrize("game", ["flappy", pytest.param("snake", marks=pytest.mark.long)])
def test_the_agent_scores_and_the_persons_text_is_whole(game: str, screen: str, data: DataFolder) -> None:
    assert screen
    if game == "snake" and shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    own = LONG_HOLDS.with_value("broker", "own_seat", True)
    settings = own.with_value("control", "planner", "skills")
    pit = Pit(data, game, launch=True, settings=settings)
    person = None
    try:
        pit.expect_state(EngineState.READY)  # a new window takes the focus as it comes
        person = BusyPerson()
        pit.play_again()
        pit.until(lambda: pit.all_heard(telemetry.StateChanged)[-1].own_seat, "the agent's own seat")
        pit.until(lambda: [step for step in pit.steps if _scored(step)], "a score", _PLAYS_S)
        counts = person.stop()
        person = None
        pit.send(commands.Stop())
        ended = pit.expect(telemetry.RunEnded)
    finally:
        if person is not None:
            person.stop()
        pit.close()
    done, seen = counts["done"], counts["seen"]
    assert done["keys"] > 5
    assert (seen["keys"], seen["clicks"], seen["foreign_keys"]) == (done["keys"], done["clicks"], 0)
    summary = ended.summary
    assert (summary.takeovers, summary.refusals, ended.keys_down) == (0, {}, 0)


def _scored(step: StepRecord) -> bool:
    score = step.fields.get("score")
    return isinstance(score, int | float) and score > 0
