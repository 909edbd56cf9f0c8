"""Logs are followed while they grow, and survive what can happen to a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.pitwall_lab.console.charts import logs as lab_logs

from pitwall_lab.console.charts.log_reader import (
    LIVE_MS,
    QUIET_MS,
    TrainingLogReader,
    TrainingRun,
)
from pitwall_lab.training_log import LOG


class ReaderHarness:
    """A reader that is asked to look, and waited for."""

    def __init__(self, bot: QtBot, folder: Path) -> None:
        self.reader, self.bot, self.folder = TrainingLogReader(), bot, folder
        self.heard: list[str] = []
        self.reader.changed.connect(self.heard.append)

    def follow(self) -> TrainingRun:
        self.reader.follow([(lab_logs.about("v1").model_copy(update={"title": "one"}), self.folder)])
        return self.settled()

    def count(self) -> list[float]:
        run = self.reader.run("v1")
        return run.curves.column("step").tolist() if run is not None else []

    def settled(self) -> TrainingRun:
        self.reader.look()
        self.bot.waitUntil(lambda: not self.reader._asked)
        run = self.reader.run("v1")
        assert run is not None
        return run


@pytest.fixture
def reader(screen: str, qtbot: QtBot, tmp_path: Path) -> Iterator[ReaderHarness]:
    assert screen
    made = ReaderHarness(qtbot, tmp_path / "v1")
    yield made
    made.reader.close()


def test_a_log_is_read_as_it_grows(reader: ReaderHarness) -> None:
    assert reader.follow().curves.count == 0
    lab_logs.write(reader.folder, lab_logs.points(50))
    lab_logs.write(reader.folder, [lab_logs.state(50_000, 300_000)])
    run = reader.settled()
    assert (run.curves.count, run.label, run.colour, run.live) == (50, "v1 · one", 0, True)
    assert reader.reader._timer.interval() == LIVE_MS
    lab_logs.write(reader.folder, lab_logs.points(80)[50:])
    lab_logs.write(reader.folder, lab_logs.evaluations(2))
    lab_logs.write(reader.folder, [lab_logs.state(80_000, 300_000, "finished")])
    run = reader.settled()
    assert run.curves.count == 80
    assert run.evaluations.best.tolist() == [True, True]
    assert reader.reader._timer.interval() == QUIET_MS
    heard = len(reader.heard)
    reader.settled()
    assert len(reader.heard) == heard


def test_a_line_that_is_still_being_written_waits(reader: ReaderHarness) -> None:
    file = lab_logs.write(reader.folder, lab_logs.points(5))
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    assert reader.follow().curves.count == 4
    file.write_bytes(whole)
    run = reader.settled()
    assert (run.curves.count, run.fault) == (5, "")


def test_damaged_lines_are_left_out_and_counted(reader: ReaderHarness) -> None:
    file = lab_logs.write(reader.folder, lab_logs.points(5))
    with file.open("ab") as log:
        log.write(b'\x00\xff{{{\n{"kind": "point"}\n')
    lab_logs.write(reader.folder, lab_logs.points(9)[5:])
    run = reader.follow()
    assert run.curves.count == 9
    assert run.fault == "2 lines of training.jsonl cannot be read and are left out."


def test_a_log_written_anew_is_read_anew_even_where_it_is_longer(reader: ReaderHarness) -> None:
    lab_logs.write(reader.folder, lab_logs.points(5))
    assert reader.follow().curves.count == 5
    file = reader.folder / LOG
    text = "".join(point.model_dump_json() + "\n" for point in lab_logs.points(9, seed=7, top=40))
    file.write_text(text)
    assert reader.settled().curves.count == 9
    aside = reader.folder / "aside"
    aside.write_text("".join(item.model_dump_json() + "\n" for item in lab_logs.points(12, seed=8)))
    aside.replace(file)
    run = reader.settled()
    assert run.curves.count == 12
    assert run.curves.column("loss")[4] == lab_logs.points(12, seed=8)[4].loss


def test_a_log_that_is_gone_keeps_what_was_read_and_says_so(reader: ReaderHarness) -> None:
    file = lab_logs.write(reader.folder, lab_logs.points(5))
    reader.follow()
    file.unlink()
    run = reader.settled()
    assert (run.curves.count, run.fault) == (5, "training.jsonl is gone.")
    lab_logs.write(reader.folder, lab_logs.points(3))
    run = reader.settled()
    assert (run.curves.count, run.fault) == (3, "")


def test_a_folder_in_place_of_a_log_is_said(reader: ReaderHarness) -> None:
    (reader.folder / LOG).mkdir(parents=True)
    assert "training.jsonl" in reader.follow().fault


def test_what_stays_chosen_is_not_read_again(reader: ReaderHarness) -> None:
    lab_logs.write(reader.folder, lab_logs.points(5))
    before = reader.follow()
    heard = len(reader.heard)
    after = reader.follow()
    assert after.curves is before.curves
    assert len(reader.heard) == heard
    reader.reader.follow(())
    assert reader.reader.run("v1") is None
    assert not reader.reader._timer.isActive()


def test_progress_in_words(tmp_path: Path) -> None:
    run = lab_logs.run(tmp_path / "v1", count=100)
    assert run.pace == pytest.approx(900)
    assert run.share_done == pytest.approx(1 / 3)
    assert run.sentence == "100,000 of 300,000 steps, 900 decisions/s, 3:42 left"
    lab_logs.write(tmp_path / "v1", [lab_logs.state(100_000, 300_000, "failed", "out of memory")])
    run.log.follow()
    failed = TrainingRun.of(run.about, run.log)
    assert failed.sentence == "failed at 100,000 of 300,000 steps: out of memory"
    bare = lab_logs.run(tmp_path / "v2", "v2", 0)
    assert bare.sentence.startswith("0 of 300,000 steps")


def test_a_big_log_comes_in_portions(reader: ReaderHarness) -> None:
    lab_logs.write(reader.folder, lab_logs.points(9_000))
    counts = []
    reader.reader.changed.connect(lambda _: counts.append(len(reader.count())))
    reader.follow()
    reader.bot.waitUntil(lambda: len(reader.count()) == 9_000)
    run = reader.settled()
    assert run.curves.column("step")[[0, -1]].tolist() == [1_000, 9_000_000]
    assert not run.log.points
    assert 0 < counts[0] < 9_000


def test_another_module_with_a_version_of_the_same_name_is_read_at_once(
    reader: ReaderHarness, tmp_path: Path
) -> None:
    lab_logs.write(reader.folder, lab_logs.points(50))
    other = tmp_path / "other"
    lab_logs.write(other, lab_logs.points(7))
    about = lab_logs.about("v1")
    reader.reader.follow([(about, reader.folder)])
    reader.reader.follow([(about, other)])
    reader.bot.waitUntil(lambda: len(reader.count()) == 7, timeout=QUIET_MS - 500)
