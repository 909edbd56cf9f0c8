"""The true score of a run: written as it changes, read from the end of its file."""

from __future__ import annotations

from pathlib import Path

from tests.console.recorded_runs import record_run

from pitwall.core.clock import NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.store.game_scores import game_pictures, game_scores
from pitwall.store.run_log import RunReader
from pitwall.store.true_scores import (
    RunScore,
    ScoreTally,
    TrueScore,
    TrueScoreLog,
    last_true_score,
    read_true_scores,
)


def test_the_last_score_and_the_best_are_kept_however_fast_it_changes(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    assert last_true_score(data, 1) is None
    log = TrueScoreLog(data, 1, "points")
    for tick in range(2_500):
        log.add(tick % 900, tick * NS_PER_S // 25)
    log.flush()
    assert last_true_score(data, 1) == TrueScore(2_499 * NS_PER_S // 25, 699, 899, "points")
    assert len(read_true_scores(data, 1)) <= 101, "once a second"


def test_a_cut_off_line_hides_no_other(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    log = TrueScoreLog(data, 1)
    for second in range(3):
        log.add(second, second * NS_PER_S)
    with data.true_scores(1).open("a") as lines:
        lines.write('{"at_ns": 9, "sco')
    newest = last_true_score(data, 1)
    assert newest is not None and newest.score == 2


def test_one_misread_digit_is_no_best_score() -> None:
    assert ScoreTally("score").score is None
    tally = ScoreTally("score")
    for read in (1, 2, 82, 3, 3, True, None):
        tally.add({"score": read})
    assert tally.score is not None
    assert (tally.score.last, tally.score.best) == (3, 3)


def test_a_run_and_its_game_tell_their_scores_and_true_ones_go_first(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    for count, best in ((3, 40), (6, 12)):
        run_id = record_run(data, count, outcome=None)
        log = TrueScoreLog(data, run_id)
        log.add(best, 0)
        log.add(1, NS_PER_S)
    record_run(data, 9, game="Freedoom", outcome=None)
    reader = RunReader(data)
    assert [run.score for run in reader.runs()] == [
        RunScore(9, 9, False),
        RunScore(1, 12, True),
        RunScore(1, 40, True),
    ]
    scores = game_scores(reader)
    assert (scores["flappy"].last.best, scores["flappy"].best.best) == (12, 40)
    assert scores["freedoom"].best == RunScore(9, 9, False)


def test_a_game_shows_a_picture_from_the_midst_of_its_newest_run_that_kept_any(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    for frames in (9, 5, 0):
        record_run(data, 9, frames=frames)
    record_run(data, 9, game="Freedoom")
    reader = RunReader(data)
    assert game_pictures(reader) == {"flappy": (2, reader.step(2, 3).frame_ref)}
