"""A shadow agent: it decides on the same frames as the person who plays, sends nothing, and is compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.loop.player_rig import MANIFEST, SKILL, Clock, Stage

from pitwall.core.actions import InputEvent
from pitwall.core.injection import PersonActed
from pitwall.core.settings import Settings
from pitwall.core.telemetry import ShadowNote
from pitwall.engine.loop.person_player import PersonPlayer
from pitwall.engine.loop.shadow import Shadow
from pitwall.engine.recording.operator_reports import RunOutlets

PLAYS = f'{MANIFEST}{SKILL}actions = ["tap"]\nsteps = 1000\n'


class Watched:
    """A person who plays beside the skill planner of the drawn game."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        (folder / "plugin.toml").write_text(PLAYS)
        settings = Settings()
        for name, value in {"player": "person", "shadow": True, "planner": "skills"}.items():
            settings = settings.with_value("control", name, value)
        self.stage = Stage(folder, clock, settings=settings)
        self.events: list[tuple[Any, ...]] = []
        self.shadow = Shadow(
            self.stage.session,
            self.stage.resources,
            RunOutlets(tell=self.stage.records.append, on_event=lambda *event: self.events.append(event)),
        )
        self.player = PersonPlayer(
            self.stage.session,
            settings,
            RunOutlets(on_step=lambda step, _: self.stage.steps.append(step), tell=self.stage.records.append),
            shadow=self.shadow,
        )
        self.player.look_afresh()
        self.stage.player = self.player  # type: ignore[assignment]

    def press(self, kind: str, key: str = "Space") -> None:
        event = InputEvent(kind=kind, key=key)  # type: ignore[arg-type]
        self.player.acted(PersonActed(event=event, at_ns=self.stage.clock()))

    def follow(self, *, seconds: float, press: Callable[[], bool]) -> None:
        """Press whatever `press` returns, a turn later."""
        down = False
        for _ in range(int(seconds * 100)):
            self.stage.turn(10)
            wanted = press()
            if wanted is not down:
                down = wanted
                self.press("key_down" if down else "key_up")

    def notes(self) -> list[ShadowNote]:
        return [note for note in self.stage.records if isinstance(note, ShadowNote)]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    clock = Clock()
    for module in ("loop.player", "loop.shadow", "recording.run_figures", "loop.person_player"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)
    return Watched(tmp_path, clock)


def test_a_person_who_presses_the_same_keys_agrees_and_nothing_is_sent(watched: Watched) -> None:
    watched.follow(seconds=6, press=lambda: "Space" in watched.shadow.held)
    watched.player.close()
    last = watched.notes()[-1]
    assert last.agreement.share == 1.0 and last.agreement.decisions > 80
    assert last.agreement.presses["Space"].agent > 0
    assert not last.moments and watched.stage.batches == []
    assert {str(step.action) for step in watched.stage.steps} == {"press_key(key=Space)"}
    assert "agrees on 100 %" in watched.events[-1][1]


def test_a_disagreement_is_reported_with_its_picture(watched: Watched) -> None:
    watched.stage.turn()
    watched.press("key_down", "ArrowLeft")
    watched.follow(seconds=4, press=lambda: False)
    watched.player.interrupt()
    note = next(note for note in watched.notes() if note.moments)
    assert note.moments[0].person == ("ArrowLeft",) and note.moments[0].picture
    assert note.agreement.share == 0.0 and not note.agreement.beats_chance


def test_nothing_is_compared_while_the_game_loads(watched: Watched) -> None:
    watched.stage.window.draw(None, seed=0)
    watched.follow(seconds=3, press=lambda: False)
    watched.player.close()
    assert watched.notes()[-1].agreement.decisions == 0 and watched.shadow.held == ()


def test_the_persons_steps_are_measured_against_their_own(watched: Watched) -> None:
    """They are not measured against the frame of the agent's last decision."""
    watched.stage.turn()
    watched.press("key_down")
    watched.stage.window.draw(40, seed=2)
    watched.stage.play(300)  # the agent has decided anew on the new scene, which is no change to it
    assert watched.stage.session.change() > 0.1
