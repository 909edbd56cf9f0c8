"""Recording beside the loop: records refused by the disk wait; the video never costs a run anything."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.plain_records import run_manifest, step_record

from pitwall.core.actions import NO_OP
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.settings import RecordingSettings, load_settings, save_settings
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.core.telemetry import Fault, RunEnded, StepNote
from pitwall.engine.recording.recorder import Committed, Recorder, Unrecorded
from pitwall.store.film import Film

MANIFEST = run_manifest("ball", profile_hash="", seed=None, screen=(64, 48))
PIXELS = np.zeros((48, 64, 4), np.uint8)


def _step(number: int) -> StepRecord:
    return step_record(
        number,
        at_ns=number,
        action=NO_OP,
    )


def _committed(recorder: Recorder, wanted: int) -> list[Committed]:
    notes: list[Committed] = []
    until = time.monotonic() + 30
    while len(notes) < wanted and time.monotonic() < until:
        notes += recorder.committed()
        time.sleep(0.005)
    return notes


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def recorder(data: DataFolder) -> Iterator[Recorder]:
    recorder = Recorder(data)
    yield recorder
    recorder.close()  # twice does no harm


def test_records_refused_by_the_disk_are_written_in_order_later(recorder: Recorder, data: DataFolder) -> None:
    run_id = recorder.begin(MANIFEST, RecordingSettings())
    in_the_way = data.run(run_id) / "frames"
    in_the_way.parent.mkdir(parents=True, exist_ok=True)
    in_the_way.write_text("a file where the folder should be")
    recorder.step(_step(1), PIXELS)
    (unrecorded,) = _committed(recorder, 1)
    assert isinstance(unrecorded, Unrecorded)
    assert unrecorded.fault.error == "DataFolderError"
    recorder.step(_step(2), PIXELS)
    recorder.event(RunEvent(at_ns=3, kind="note", text="a thing that waits behind them"))
    in_the_way.unlink()
    recorder.finish(RunSummary(outcome="finished", steps=2), 0)
    recorder.close()
    notes = [note for note in recorder.committed() if not isinstance(note, Unrecorded)]
    assert [note.step.step for note in notes if isinstance(note, StepNote)] == [1, 2]
    assert isinstance(notes[-1], RunEnded)


def test_a_video_that_cannot_be_made_costs_no_part_of_the_run(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.store.film_writer._MIN_FREE_BYTES", 1 << 62)  # every disk is nearly full
    recorder.begin(MANIFEST, RecordingSettings(video=True))
    assert not recorder.wants_picture(1 << 62)
    recorder.step(_step(1), PIXELS)
    fault, note = _committed(recorder, 2)
    assert isinstance(fault, Fault)
    assert isinstance(note, StepNote)


def test_a_film_is_kept_by_default_on_its_own_grid_until_the_runs_end(
    recorder: Recorder, data: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.engine.recording.recorder.sound_absence", lambda: "none here")
    run_id = recorder.begin(MANIFEST, RecordingSettings(video_fps=10))
    began = now_ns()
    wanted = [at for at in range(0, NS_PER_S, NS_PER_S // 60) if _filmed(recorder, began + at)]
    assert 9 <= len(wanted) <= 12, "frames between two pictures of the film are not copied"
    recorder.finish(RunSummary(outcome="finished", steps=0), 0)
    recorder.close()
    film = Film(data.video(run_id))
    assert not film.has_sound
    assert film.picture_at(0.5) is not None
    film.close()


def _filmed(recorder: Recorder, at_ns: int) -> bool:
    wanted = recorder.wants_picture(at_ns)
    if wanted:
        recorder.video(at_ns, PIXELS)
        while recorder._jobs.qsize():
            time.sleep(0.001)
    return wanted


def test_files_from_before_films_were_the_default_get_them(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"schema": 1, "recording": {"video": false, "video_fps": 20}}')
    assert load_settings(file).recording.video and load_settings(file).recording.video_fps == 20
    save_settings(file, load_settings(file).with_value("recording", "video", False))
    assert not load_settings(file).recording.video
