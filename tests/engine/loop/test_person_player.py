"""A person as the player: their looks by the mouse become steps as keys and clicks do."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.loop.player_rig import MANIFEST, Clock, Stage

from pitwall.core.actions import InputEvent
from pitwall.core.injection import PersonActed
from pitwall.core.settings import Settings
from pitwall.engine.loop.person_player import PersonPlayer
from pitwall.engine.recording.operator_reports import RunOutlets


def test_motions_of_a_look_are_a_step_and_a_key_or_a_pause_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    for module in ("loop.person_player", "recording.run_figures"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)
    (tmp_path / "plugin.toml").write_text(MANIFEST)
    stage = Stage(tmp_path, clock)
    out = RunOutlets(on_step=lambda step, _: stage.steps.append(step), tell=stage.records.append)
    player = PersonPlayer(stage.session, Settings(), out)
    player.look_afresh()
    stage.player = player  # type: ignore[assignment]

    def act(event: InputEvent) -> None:
        player.acted(PersonActed(event=event, at_ns=clock()))
        stage.turn(10)

    stage.turn()
    for dx, dy in ((13, 0), (20, -4), (-3, 1)):
        act(InputEvent(kind="mouse_look", dx=dx, dy=dy))
    act(InputEvent(kind="key_down", key="Space"))
    act(InputEvent(kind="key_up", key="Space"))
    stage.play(600)
    act(InputEvent(kind="mouse_look", dx=-7))
    stage.play(300)
    act(InputEvent(kind="mouse_look", dx=-8))
    player.interrupt()
    assert [str(step.action) for step in stage.steps] == [
        "move_relative(dx=30, dy=-3)",
        "press_key(key=Space)",
        "move_relative(dx=-7, dy=0)",
        "move_relative(dx=-8, dy=0)",
    ]
    (look,) = stage.steps[0].sent
    assert (look.event.dx, look.event.dy) == (30, -3)
