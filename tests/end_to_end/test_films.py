"""Films of real runs: kept by default, read while they grow, and their last seconds kept as a clip."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.driver import Pit
from tests.patience import LIGHT

from pitwall.core import commands
from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EventNote, RunEnded
from pitwall.store.film import Film
from workshop.fixtures.simulated_person import SimulatedPerson


def _film_of(data: DataFolder, run_id: int) -> Film | None:
    try:
        return Film(data.video(run_id))
    except DataFolderError:  # its first pictures are still to come
        return None


def test_the_last_seconds_are_kept_while_the_run_goes_on(hands: SimulatedPerson, tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    pit = Pit(data, "flappy", launch=True, settings=LIGHT)
    try:
        run_id = pit.play()
        pit.until(lambda: len(pit.steps) >= 8, "eight steps")
        film = pit.until(lambda: _film_of(data, run_id), "the film of the run that is played")
        assert film.picture_at(1.0) is not None
        film.close()
        for key, down in (("Shift", True), ("F3", True), ("F3", False), ("Shift", False)):
            hands.key(key, down=down)
        pit.expect(EventNote, lambda note: "being written as a clip" in note.event.text)
        written = pit.expect(EventNote, lambda note: note.event.kind == "clip").event.text
        assert written.startswith("The clip is written: "), written
        clip = Film(Path(written.removeprefix("The clip is written: ")))
        assert clip.picture_at(1.0) is not None
        clip.close()
        before = len(pit.steps)
        pit.until(lambda: len(pit.steps) > before, "the run to go on")
        pit.session.send(commands.Stop())
        pit.expect(RunEnded)
    finally:
        pit.close()


def test_a_film_without_sound_says_why(screen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert screen
    monkeypatch.setenv("PULSE_SERVER", str(tmp_path / "no-server"))
    pit = Pit(DataFolder(tmp_path / "data"), "flappy", launch=True, settings=LIGHT)
    try:
        pit.play()
        silence = pit.until(
            lambda: [note.event.text for note in pit.all_heard(EventNote) if note.event.kind == "film"],
            "why the film is silent",
        )
        assert silence[0].startswith("Films have no sound: "), silence
    finally:
        pit.close()
