"""A person teaches: time counts while they are watched, and changes of the window are reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engine.loop.player_rig import MANIFEST, Clock, Stage

from pitwall.core.actions import InputEvent
from pitwall.core.commands import PlayMode, Start
from pitwall.core.injection import PersonActed
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import TeachNote
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.engine.loop.teaching import Teaching
from pitwall.engine.recording.operator_reports import RunOutlets


class Taught:
    """A person who teaches the drawn game for five seconds."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        (folder / "plugin.toml").write_text(MANIFEST)
        self.stage = Stage(folder, clock)
        self.data = DataFolder(folder / "data")
        self.events: list[tuple[str, str]] = []
        self.player = Teaching(
            self.stage.session,
            self.data,
            Start(seconds=5, mode=PlayMode.TEACH),
            RunOutlets(
                tell=self.stage.records.append,
                on_event=lambda kind, text: self.events.append((kind, text)),
                on_stuck=self.stage.records.append,
            ),
        )
        self.player.look_afresh()
        self.stage.player = self.player  # type: ignore[assignment]

    def press(self, key: str) -> None:
        for kind in ("key_down", "key_up"):
            event = InputEvent(kind=kind, key=key)
            self.player.acted(PersonActed(event=event, at_ns=self.stage.clock()))
            self.stage.turn(30)

    def end(self) -> tuple[TeachNote, DemonstrationReader]:
        self.player.interrupt()
        self.player.close()
        note = [record for record in self.stage.records if isinstance(record, TeachNote)][-1]
        return note, DemonstrationFolder(self.data).open(note.demonstration)


@pytest.fixture
def taught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Taught]:
    clock: Any = Clock()
    for module in ("loop.teaching", "recording.demonstration_recorder", "recording.run_figures"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)
    made = Taught(tmp_path, clock)
    yield made
    made.player.close()


def test_the_time_counts_while_the_person_is_watched(taught: Taught) -> None:
    taught.stage.play(2_000)
    taught.player.rest()
    taught.stage.clock.pass_ms(60_000)
    taught.player.rest()
    assert not taught.player.budget_spent
    taught.stage.play(3_100)
    assert taught.player.budget_spent


def test_presses_are_counted_by_action_and_those_that_never_came_are_named(taught: Taught) -> None:
    taught.stage.turn()
    taught.press("Space")
    taught.press("Escape")
    note, kept = taught.end()
    assert {name: note.presses[name] for name in ("tap", "hold", "")} == {"tap": 1, "hold": 0, "": 1}
    assert (note.complete, kept.manifest.actions, kept.manifest.game) == (True, {"tap": 1}, "ball")
    assert taught.stage.batches == []


def test_a_resized_window_is_reported_once_and_recording_continues(taught: Taught) -> None:
    taught.stage.play(200)
    taught.stage.window.draw(20)
    taught.stage.window._pixels = np.repeat(np.repeat(taught.stage.window._pixels, 2, 0), 2, 1)
    taught.stage.play(500)
    _, kept = taught.end()
    assert [text for kind, text in taught.events if kind == "window"] == [
        "The window is 128×96 px now; kept pictures stay 64×48 px."
    ]
    assert {pixels.shape for _, pixels in kept.pictures()} == {(48, 64, 3)}
    assert kept.manifest.pictures == 2
