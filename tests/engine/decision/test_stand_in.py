"""The stand-in decides where the model gives no plan: from `control.stand_in` to the run's figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.loop.player_rig import MANIFEST, SKILL, Clock, Stage

from pitwall.core.settings import Settings


@pytest.mark.parametrize(
    ("stand_in", "decides"), [("skills", {"skills"}), ("random", {"random"}), ("hold", {"nobody"})]
)
def test_a_model_that_gives_no_plan_is_stood_in_for_as_the_setting_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: str, decides: set[str]
) -> None:
    clock = Clock()
    for module in ("loop.player", "recording.run_figures"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)
    (tmp_path / "plugin.toml").write_text(f'{MANIFEST}{SKILL}actions = ["tap"]\n')
    asked = {"planner": "model", "trust": "model", "stand_in": stand_in}
    settings = Settings.model_validate({"control": asked, "models": {"strategic": "none-such"}})
    stage = Stage(tmp_path, clock, settings=settings)
    stage.play(3_000)
    assert stage.player.figures.summary("finished").deciders.keys() == decides
    assert bool(stage.presses()) is (stand_in != "hold")
