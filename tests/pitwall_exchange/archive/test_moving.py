"""Runs leave the run log for an archive by rules, and come back with every row and file."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from tests.store.conftest import GRAMMAR, MakeCall, MakeStep
from tests.store.episodes import add_episode

from pitwall.core.errors import DataFolderError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunSummary, ScreenScore
from pitwall.core.steps import RunEvent
from pitwall.store.film_budget import keep_film
from pitwall.store.run_log import RunLog
from pitwall.store.run_reader import RunReader
from pitwall_exchange.archive.moving import (
    archive_folder,
    archive_runs,
    archived_runs,
    delete_archived,
    restore_runs,
)
from pitwall_exchange.archive.retention import RetentionRules, plan

SCORES = (5.0, 1.0, 9.0, 2.0, 3.0)
FILM = 1_000


@pytest.fixture
def played(data: DataFolder, manifest: RunManifest, make_step: MakeStep, make_call: MakeCall) -> DataFolder:
    """Five runs with films of a thousand bytes, and calls with prompts."""
    with RunLog.open(data) as log:
        for score in SCORES:
            run_id = log.begin(manifest)
            log.add_steps(run_id, [make_step(number) for number in (1, 2, 3)])
            record, prompt = make_call(1)
            log.add_call(run_id, record, prompt=prompt, grammar=GRAMMAR)
            best = ScreenScore(field="score", last=score, best=score)
            log.finish(run_id, RunSummary(outcome="finished", seconds=3.0, steps=3, score=best))
            data.video(run_id).write_bytes(bytes(FILM))
    return data


def _everything(data: DataFolder, run_id: int) -> list[Any]:
    with contextlib.closing(RunReader(data)) as reader:
        calls = reader.calls(run_id)
        prompts = [reader.prompt(call.prompt_hash) for call in calls]
        return [reader.run(run_id), reader.steps(run_id), reader.events(run_id), calls, prompts]


def test_archived_runs_come_back_with_every_row_and_file(played: DataFolder) -> None:
    archive, before = archive_folder(played), {run: _everything(played, run) for run in (2, 4)}
    moved = archive_runs(played, [2, 4], archive)
    assert [(run.run_id, run.steps, run.bytes) for run in moved] == [(2, 3, FILM), (4, 3, FILM)]
    assert [row.run_id for row in RunReader(played).runs()] == [5, 3, 1]
    assert not played.run(2).exists()
    assert [run.run_id for run in archived_runs(archive)] == [2, 4]
    restore_runs(played, [2, 4], archive)
    assert {run: _everything(played, run) for run in (2, 4)} == before
    assert played.video(2).stat().st_size == FILM
    assert not archived_runs(archive)


def test_a_number_of_an_archived_run_is_not_given_again(played: DataFolder, manifest: RunManifest) -> None:
    archive_runs(played, [5], archive_folder(played))
    with RunLog.open(played) as log:
        assert log.begin(manifest) == 6


def test_no_event_is_lost_where_a_later_run_took_its_number(
    played: DataFolder, manifest: RunManifest
) -> None:
    with RunLog.open(played) as log:
        _tell(log, 5, "before")
    before, archive = _everything(played, 5), archive_folder(played)
    archive_runs(played, [5], archive)
    with RunLog.open(played) as log:
        _tell(log, log.begin(manifest), "after")
    restore_runs(played, [5], archive)
    assert _everything(played, 5) == before
    with contextlib.closing(RunReader(played)) as reader:
        assert [event.text for event in reader.events(6)] == ["after"]


def test_a_run_of_another_data_folder_gets_the_next_number(
    played: DataFolder, manifest: RunManifest, tmp_path: Path
) -> None:
    other, archive = DataFolder(tmp_path / "other"), tmp_path / "sent"
    with RunLog.open(played) as log:
        _tell(log, 2, "came along")
        add_episode(log, 2, manifest.game_id, "key", "text", "skills")
    before = _everything(played, 2)
    archive_runs(played, [2], archive)
    with RunLog.open(other) as log:
        for text in ("one", "two", "three"):
            run_id = log.begin(manifest)
            _tell(log, run_id, text)
            add_episode(log, run_id, manifest.game_id, "key", text, "skills")
    (restored,) = restore_runs(other, [2], archive, as_new=True)
    assert restored.run_id == 4
    after = _everything(other, 4)
    assert [after[0].manifest, *after[2:]] == [before[0].manifest, *before[2:]]
    assert len(after[1]) == len(before[1]) == 3
    assert other.video(4).stat().st_size == FILM
    with contextlib.closing(RunReader(other)) as reader:
        assert [episode.text for episode in reader.episodes_after(0)] == ["one", "two", "three", "text"]
        assert [event.text for event in reader.events(2)] == ["two"]
    assert not archived_runs(archive)


def _tell(log: RunLog, run_id: int, text: str) -> None:
    log.add_event(run_id, RunEvent(at_ns=0, kind="note", text=text))


def test_nothing_is_moved_while_an_engine_writes_or_where_a_run_is_unknown(played: DataFolder) -> None:
    with RunLog.open(played), pytest.raises(DataFolderError):
        archive_runs(played, [1], archive_folder(played))
    with pytest.raises(UnknownRun):
        archive_runs(played, [1, 77], archive_folder(played))
    assert len(RunReader(played).runs()) == len(SCORES)


def test_a_move_that_was_broken_off_is_completed(played: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    before, archive = _everything(played, 3), archive_folder(played)
    with monkeypatch.context() as broken:
        broken.setattr("shutil.move", _killed)
        with pytest.raises(DataFolderError):
            archive_runs(played, [3], archive)
    assert 3 not in {row.run_id for row in RunReader(played).runs()}
    restore_runs(played, [3], archive)
    assert _everything(played, 3) == before
    assert played.video(3).is_file()


@pytest.mark.parametrize("back", [False, True], ids=["into the archive", "out of it"])
def test_a_copy_to_another_disk_that_breaks_off_costs_no_file(
    played: DataFolder, monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    before, archive = _everything(played, 3), archive_folder(played)
    film = played.video(3).name
    (played.run(3) / "small").write_text("whole")

    def copy_a_part(_: Path, target: Path, **__: object) -> None:
        target.mkdir(parents=True)
        (target / film).write_bytes(bytes(FILM // 3))
        _killed()

    if back:
        archive_runs(played, [3], archive)
    with monkeypatch.context() as broken, pytest.raises(DataFolderError):
        broken.setattr("shutil.move", copy_a_part)
        (restore_runs if back else archive_runs)(played, [3], archive)
    (archive_runs if back else restore_runs)(played, [3], archive)
    if back:
        restore_runs(played, [3], archive)
    assert _everything(played, 3) == before
    assert played.video(3).stat().st_size == FILM
    assert (played.run(3) / "small").read_text() == "whole"
    assert not archived_runs(archive)


@pytest.mark.parametrize("begun", [False, True], ids=["first copy", "copy that goes on"])
def test_a_disk_that_fills_while_files_are_copied_is_named(
    played: DataFolder, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    before, archive = _everything(played, 3), archive_folder(played)
    copies: list[object] = []

    def full(source: object, *_: object, **__: object) -> None:
        copies.append(source)
        _killed()

    def other_disk(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    (played.run(3) / "second").write_text("more")
    if begun:
        (archive / "000003" / "files").mkdir(parents=True)
    with monkeypatch.context() as broken, pytest.raises(DataFolderError) as error:
        broken.setattr("os.rename", other_disk)
        broken.setattr("shutil.copy2", full)
        archive_runs(played, [3], archive)
    assert error.value.what.endswith(f"{Path(str(copies[0])).name} cannot be written: the disk is full.")
    assert len(copies) == 1, "the next file is not tried"
    restore_runs(played, [3], archive)
    assert _everything(played, 3) == before


def _killed(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_the_rules_keep_the_best_the_newest_and_what_is_kept_on_purpose(played: DataFolder) -> None:
    keep_film(played, 2, True)
    rules = RetentionRules(keep_best=1, keep_newest=1)
    kept = {run.run_id: run.kept for run in plan(played, rules)}
    assert kept == {
        1: "",
        2: "its film is kept",
        3: "among the best of its game",
        4: "",
        5: "among the newest",
    }


def test_only_as_many_go_as_the_size_asks_for_oldest_first(played: DataFolder) -> None:
    rules = RetentionRules(keep_best=0, keep_newest=0, most_bytes=3 * FILM)
    assert [run.run_id for run in plan(played, rules) if run.goes] == [1, 2]


def test_deleted_runs_are_gone(played: DataFolder, tmp_path: Path) -> None:
    elsewhere = archive_folder(played, tmp_path / "disk")
    archive_runs(played, [1], elsewhere)
    delete_archived(elsewhere, [1])
    assert not list(elsewhere.iterdir())
    with pytest.raises(UnknownRun):
        restore_runs(played, [1], elsewhere)
