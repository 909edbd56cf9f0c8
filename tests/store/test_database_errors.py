"""Full disks, read-only folders, damaged files, killed writers: clear sentences and whole steps."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pitwall.core.errors import CorruptDatabase, DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.settings import RecordingSettings
from pitwall.core.steps import StepRecord
from pitwall.store.database import raw_connection
from pitwall.store.export import ExportError, export_run
from pitwall.store.film_writer import FilmWriter
from pitwall.store.frames import FrameStore
from pitwall.store.lease import Lease
from pitwall.store.run_log import RunLog, RunReader

MakeStep = Callable[[int], StepRecord]

_WRITER = """
import os, sys
from dataclasses import replace
from pathlib import Path
from pitwall.core.actions import SemanticAction, SentEvent, InputEvent
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.core.signals import Route, Signals
from pitwall.core.steps import StepRecord
from pitwall.store.run_log import RunLog
log = RunLog.open(DataFolder(Path(sys.argv[1])))
run_id = log.begin(RunManifest(
    game_id="g", game_name="g", game_version="1", profile_hash="", role="", planner="", seed=1,
    started_at="2026-01-01T00:00:00.000000Z", settings={}, thresholds={}, versions={}, screen=(1, 1)))
os.write(1, f"run {run_id}\\n".encode())
sent = tuple(SentEvent(event=InputEvent(kind="key_down", key="w"), sent_ns=n) for n in range(40))
number = 0
while True:
    number += 1
    log.add_step(run_id, StepRecord(
        step=number, at_ns=number, frame_id=number, status=GameStatus.PLAYING, route=Route.REACTIVE,
        reasons=(), why="x" * 3000, signals=Signals(), action=SemanticAction(name="go"), sent=sent))
    os.write(1, f"{number}\\n".encode())
"""


def _fill(folder: Path) -> Path:
    """Write a file until not a byte more fits."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while file.write(b"\0" * size):
                    pass
            except OSError:
                continue
    return ballast


def _make_read_only(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)


def _kept(data: DataFolder) -> list[Path]:
    return sorted(
        path for path in data.root.glob("runs.sqlite.damaged-*") if not path.name.endswith(("-wal", "-shm"))
    )


def _kill_while_writing(data: DataFolder, after: int) -> tuple[int, int]:
    """SIGKILL a writer some time after it reported `after` steps: run id, last step it reported."""
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(data.root)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    try:
        run_id = int(writer.stdout.readline().split()[1])
        for _ in range(after):
            writer.stdout.readline()
        time.sleep(0.0007 * after % 0.004)
    finally:
        writer.kill()
        rest = writer.stdout.read().split()
        writer.wait(60)
        writer.stdout.close()
    return run_id, int(rest[-1]) if rest else after


def _picture() -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    return np.random.default_rng(3).integers(0, 255, (120, 160, 4), dtype=np.uint8)


def test_a_full_disk_costs_no_committed_step_and_goes_on_once_there_is_room(
    small_disk: Path, manifest: RunManifest, make_step: MakeStep
) -> None:
    data = DataFolder(small_disk / "data")
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        log.add_step(run_id, make_step(1))
        ballast = _fill(small_disk)
        committed = 1
        with pytest.raises(DataFolderError, match="the disk is full") as caught:
            while committed < 10_000:
                log.add_step(run_id, make_step(committed + 1))
                committed += 1
        assert "Free some space" in caught.value.fix
        reader = RunReader(data)
        assert [step.step for step in reader.steps(run_id)] == list(range(1, committed + 1))
        ballast.unlink()
        log.add_step(run_id, make_step(committed + 1))
        log.finish(run_id, RunSummary(outcome="stopped", steps=committed + 1))
    assert reader.run(run_id).summary.steps == len(reader.steps(run_id)) == committed + 1


def test_opening_on_a_full_disk_says_so(small_disk: Path) -> None:
    _fill(small_disk)
    with pytest.raises(DataFolderError, match="full"):
        RunLog.open(DataFolder(small_disk / "data"))
    with pytest.raises(DataFolderError, match="full"):
        Lease(DataFolder(small_disk / "data")).acquire()


def test_pictures_on_a_full_disk_say_so_and_leave_no_part(small_disk: Path) -> None:
    frames = FrameStore(small_disk / "run", RecordingSettings())
    frames.save(1, _picture())
    ballast = _fill(small_disk)
    with pytest.raises(DataFolderError, match="the disk is full"):
        frames.save(2, _picture())
    assert [path.name for path in (small_disk / "run" / "frames").iterdir()] == ["000001.jpg"]
    ballast.unlink()
    assert frames.save(2, _picture()) == "frames/000002.jpg"
    with pytest.raises(DataFolderError, match="the disk is nearly full"):
        FilmWriter(small_disk / "video.mkv", 15, (160, 120))
    assert not (small_disk / "video.mkv").exists()


@pytest.mark.parametrize("kind", ["jsonl", "csv", "sqlite"])
def test_an_export_to_a_full_disk_leaves_nothing(
    kind: str, small_disk: Path, log: RunLog, data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    run_id = log.begin(manifest)
    log.add_steps(run_id, [make_step(number) for number in range(1, 200)])
    _fill(small_disk)
    with pytest.raises(ExportError, match="cannot be written"):
        export_run(data, run_id, [kind], small_disk / "export")
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]
    assert len(RunReader(data).steps(run_id)) == 199


def test_a_read_only_folder_is_refused_for_writing_and_fine_for_reading(
    small_disk: Path, manifest: RunManifest, make_step: MakeStep, tmp_path: Path
) -> None:
    data = DataFolder(small_disk / "data")
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        log.add_step(run_id, make_step(1))
    _make_read_only(small_disk)
    for refused in (
        lambda: RunLog.open(data),
        lambda: Lease(data).acquire(),
        lambda: Lease(DataFolder(small_disk / "new")).acquire(),
        lambda: FrameStore(data.run(run_id), RecordingSettings()).save(1, _picture()),
        lambda: FilmWriter(data.run(run_id) / "video.mkv", 15, (160, 120)),
    ):
        with pytest.raises(DataFolderError, match="read-only") as caught:
            refused()
        assert "PITWALL_DATA" in caught.value.fix
    assert RunReader.open(data).steps(run_id) == [make_step(1)]
    result = export_run(data, run_id, ["jsonl", "sqlite"], tmp_path / "export")
    assert set(result.files) == {"run.jsonl", "run.sqlite"}
    with pytest.raises(ExportError, match="cannot be written"):
        export_run(data, run_id, ["jsonl"], small_disk / "export")


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    with pytest.raises(DataFolderError, match=r"cannot be the data folder: .* is a file"):
        RunLog.open(DataFolder(tmp_path / "data"))


def _break_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"this was a database once")


def _break_pages(path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, 4096 * 6, dtype=np.uint8).tobytes()
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(noise)


def _cut_short(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2 - 100)


def _drop_table(path: Path) -> None:
    raw = raw_connection(path, "rw")
    raw.execute("DROP TABLE events")
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()


def _another_program(path: Path) -> None:
    path.unlink()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    other.close()


@pytest.mark.parametrize("harm", [_break_header, _break_pages, _cut_short, _drop_table, _another_program])
def test_a_damaged_log_is_kept_aside_and_a_new_one_opened(
    harm: Callable[[Path], None], data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    with RunLog.open(data) as log:
        first = log.begin(manifest)
        log.add_steps(first, [make_step(number) for number in range(1, 60)])
    harm(data.database)
    damaged = data.database.read_bytes()
    with RunLog.open(data) as log:
        (kept,) = _kept(data)
        assert len(log.notices) == 1
        assert "was damaged" in log.notices[0]
        assert kept.name in log.notices[0]
        assert kept.read_bytes() == damaged
        second = log.begin(manifest)
        assert second == first + 1
        log.add_step(second, make_step(1))
    assert [row.run_id for row in RunReader(data).runs()] == [second]
    with RunLog.open(data) as log:
        assert log.notices == []


@pytest.mark.parametrize("harm", [_break_header, _break_pages])
@pytest.mark.parametrize("wal_harm", [b"", b"broken too"])
def test_a_damaged_log_is_kept_with_its_write_ahead_log_to_the_byte(
    harm: Callable[[Path], None],
    wal_harm: bytes,
    data: DataFolder,
    tmp_path: Path,
    manifest: RunManifest,
    make_step: MakeStep,
) -> None:
    copy = DataFolder(tmp_path / "copy")
    copy.root.mkdir()
    copied_wal = copy.root / "runs.sqlite-wal"
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        log.add_steps(run_id, [make_step(number) for number in range(1, 60)])
        log.finish(run_id, RunSummary())
        log.add_step(run_id, make_step(60))
        shutil.copy(data.database, copy.database)
        copied_wal.write_bytes(wal_harm + (data.root / "runs.sqlite-wal").read_bytes())
    harm(copy.database)
    damaged, wal = copy.database.read_bytes(), copied_wal.read_bytes()
    with RunLog.open(copy) as log:
        assert log.begin(manifest) == 1
    (kept,) = _kept(copy)
    assert kept.read_bytes() == damaged
    assert kept.with_name(kept.name + "-wal").read_bytes() == wal


def test_a_reader_says_that_the_log_is_damaged_and_moves_nothing(
    data: DataFolder, manifest: RunManifest
) -> None:
    with RunLog.open(data) as log:
        log.begin(manifest)
    _break_header(data.database)
    with pytest.raises(CorruptDatabase, match="is damaged") as caught:
        RunReader.open(data)
    assert "a new one is opened" in caught.value.fix
    assert _kept(data) == []


def test_a_log_locked_by_another_program_is_named(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    RunLog.open(data).close()
    monkeypatch.setattr("pitwall.store.database.BUSY_TIMEOUT_MS", 100)
    other = raw_connection(data.database, "rw")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DataFolderError, match="locked by another program"):
        RunLog.open(data)
    other.execute("ROLLBACK")
    other.close()
    RunLog.open(data).close()


def test_what_a_killed_writer_left_is_readable_on_a_read_only_disk(small_disk: Path) -> None:
    data = DataFolder(small_disk / "data")
    run_id, _ = _kill_while_writing(data, 20)
    assert (data.root / "runs.sqlite-wal").stat().st_size > 0
    _make_read_only(small_disk)
    assert len(RunReader.open(data).steps(run_id)) >= 20


@pytest.mark.parametrize("after", [3, 40, 150])
def test_a_killed_writer_loses_no_step_whose_commit_returned(data: DataFolder, after: int) -> None:
    run_id, returned = _kill_while_writing(data, after)
    reader = RunReader(data)
    there = reader.steps(run_id)
    assert [step.step for step in there] == list(range(1, len(there) + 1))
    assert len(there) in (returned, returned + 1)
    assert all(len(step.sent) == 40 and len(step.why) == 3000 for step in there)
    assert reader.run(run_id).summary.outcome == "crashed"
    with RunLog.open(data) as log:
        assert log.notices == []
        assert reader.run(run_id).finished
        assert reader.run(run_id).summary.steps == len(there)
