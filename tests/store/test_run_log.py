"""Writing and reading the run log, on disk."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from pitwall.core.actions import NO_OP, Effect, Invalid
from pitwall.core.errors import DataFolderError, PitwallError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunSummary, ScreenScore, Spread
from pitwall.core.signals import Reason, Route
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store.database import raw_connection
from pitwall.store.run_log import RunLog, RunReader
from pitwall.store.run_metrics import is_stuck, recovered, spread_of

MakeStep = Callable[[int], StepRecord]


def test_a_fresh_folder_has_no_runs_and_stays_untouched(data: DataFolder) -> None:
    reader = RunReader.open(data)
    assert reader.runs() == []
    assert reader.count() == 0
    with pytest.raises(UnknownRun, match="there are no runs yet"):
        reader.run(1)
    assert not data.root.exists()


def test_a_log_that_is_just_being_made_has_no_runs(data: DataFolder, manifest: RunManifest) -> None:
    data.root.mkdir()
    data.database.touch()
    reader = RunReader.open(data)
    assert reader.runs() == []
    with RunLog.open(data) as log:
        assert log.notices == []
        log.begin(manifest)
        assert reader.count() == 1


def test_a_reader_sees_each_step_as_soon_as_its_commit_returned(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    reader = RunReader(data)
    run_id = log.begin(manifest)
    for number in range(1, 6):
        log.add_step(run_id, make_step(number))
        assert [step.step for step in reader.steps(run_id)] == list(range(1, number + 1))
    assert reader.step(run_id, 3) == make_step(3)
    assert reader.steps(run_id, start=2, limit=2) == [make_step(2), make_step(3)]


def test_the_log_is_write_ahead_and_survives_power_loss(log: RunLog) -> None:
    with log._writing() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_ids_count_up_and_never_reuse_a_folder(log: RunLog, data: DataFolder, manifest: RunManifest) -> None:
    assert [log.begin(manifest), log.begin(manifest)] == [1, 2]
    assert data.run(2).is_dir()
    data.run(41).mkdir()
    assert log.begin(manifest) == 42


def test_a_batch_is_kept_whole_or_not_at_all(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    reader = RunReader(data)
    run_id = log.begin(manifest)
    log.add_steps(run_id, [make_step(1), make_step(2)])
    with pytest.raises(PitwallError, match="already has this record"):
        log.add_steps(run_id, [make_step(3), make_step(2), make_step(4)])
    assert [step.step for step in reader.steps(run_id)] == [1, 2]
    log.add_steps(run_id, [])
    log.add_step(run_id, make_step(3))
    assert reader.run(run_id).summary.steps == 3


def test_records_of_a_run_that_never_began_are_refused(log: RunLog, make_step: MakeStep) -> None:
    with pytest.raises(UnknownRun, match="run 9 was never begun"):
        log.add_step(9, make_step(1))
    with pytest.raises(UnknownRun, match="run 9 was never begun"):
        log.add_event(9, RunEvent(at_ns=0, kind="note", text="hello"))
    with pytest.raises(UnknownRun, match="run 9 was never begun"):
        log.finish(9, RunSummary())


def test_a_number_too_big_for_the_database_is_named(
    log: RunLog, manifest: RunManifest, make_step: MakeStep
) -> None:
    run_id = log.begin(manifest)
    with pytest.raises(PitwallError, match="64 bits"):
        log.add_step(run_id, replace(make_step(1), at_ns=2**70))
    log.add_step(run_id, make_step(1))


def test_unknown_runs_and_steps_name_what_is_near(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    for _ in range(8):
        log.begin(manifest)
    log.add_step(3, make_step(1))
    reader = RunReader(data)
    with pytest.raises(UnknownRun, match=r"Nearest: 6, 7, 8\."):
        reader.steps(11)
    with pytest.raises(UnknownRun, match="run 3 has no step 5: it has steps 1 to 1"):
        reader.step(3, 5)
    with pytest.raises(UnknownRun, match="it has none yet"):
        reader.step(4, 1)


def test_runs_are_listed_newest_first_by_page_and_by_words(
    log: RunLog, data: DataFolder, manifest: RunManifest
) -> None:
    for game in ("flappy", "doom", "flappy", "100%_game"):
        log.begin(replace(manifest, game_id=game, game_name=game.title()))
    log.finish(3, RunSummary(outcome="emergency"))
    reader = RunReader(data)

    def ids(search: str) -> list[int]:
        assert reader.count(search) == len(reader.runs(search=search))
        return [row.run_id for row in reader.runs(search=search)]

    assert ids("") == [4, 3, 2, 1]
    assert [row.run_id for row in reader.runs(limit=2, offset=1)] == [3, 2]
    assert ids("FLAPPY") == [3, 1]
    assert ids("flappy emerg") == [3]
    assert ids("%_") == [4]
    assert ids("nothing like it") == []


def test_an_unfinished_run_is_playing_while_written_and_crashed_after(
    data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    reader = RunReader(data)
    with RunLog.open(data) as log:
        first, second = log.begin(manifest), log.begin(manifest)
        log.add_steps(second, [make_step(number) for number in range(1, 11)])
        log.add_event(second, RunEvent(at_ns=9_000_000_000, kind="takeover", text="the mouse moved"))
        assert reader.run(first).summary.outcome == "crashed"
        assert reader.run(second).summary.outcome == "playing"
    crashed = reader.run(second)
    assert not crashed.finished
    assert (
        crashed.summary
        == reader.summarise(second)
        == RunSummary(
            outcome="crashed",
            seconds=9.0,
            steps=10,
            frames=73,
            strategic_calls=3,
            escalations={"refresh": 2, "stall": 2},
            routes={"strategic": 2, "reactive": 8},
            refusals={"rate": 2},
            effects={"confirmed": 8, "unverified": 2},
            events_sent=18,
            takeovers=1,
            reaction_ms=spread_of(range(1, 11)),
            frame_age_ms=Spread(p50=5.0, p95=5.0, p99=5.0, n=10),
            stuck=2,
            recovered=1,
            step_ms=Spread(p50=250.0, p95=250.0, p99=250.0, n=9),
            score=ScreenScore(field="score", last=10.0, best=10.0),
        )
    )
    with RunLog.open(data):
        assert reader.run(second).finished
        assert reader.run(second).summary == crashed.summary


def test_finishing_again_replaces_the_figures(log: RunLog, data: DataFolder, manifest: RunManifest) -> None:
    run_id = log.begin(manifest)
    log.finish(run_id, RunSummary(outcome="stopped", steps=1))
    log.finish(run_id, RunSummary(outcome="finished", steps=2))
    assert RunReader(data).summarise(run_id) == RunSummary(outcome="finished", steps=2)


def test_events_come_in_order_of_time(log: RunLog, data: DataFolder, manifest: RunManifest) -> None:
    run_id = log.begin(manifest)
    for at_ns in (30, 10, 20, 10):
        log.add_event(run_id, RunEvent(at_ns=at_ns, kind="note", text=str(at_ns)))
    assert [event.at_ns for event in RunReader(data).events(run_id)] == [10, 10, 20, 30]


def test_two_writers_exclude_each_other(log: RunLog, data: DataFolder) -> None:
    with pytest.raises(DataFolderError, match=r"is in use by engine with process id \d+"):
        RunLog.open(data)
    log.close()
    RunLog.open(data).close()


def test_a_closed_log_says_so(log: RunLog, manifest: RunManifest) -> None:
    log.close()
    log.close()
    with pytest.raises(PitwallError, match="is closed"):
        log.begin(manifest)


def test_threads_may_write_at_once(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    run_id = log.begin(manifest)

    def write(start: int) -> None:
        for number in range(start, start + 25):
            log.add_step(run_id, make_step(number))

    threads = [threading.Thread(target=write, args=(start,)) for start in (1, 26, 51)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [step.step for step in RunReader(data).steps(run_id)] == list(range(1, 76))


def test_a_folder_with_a_strange_name(
    tmp_path_factory: pytest.TempPathFactory, manifest: RunManifest
) -> None:
    name = "50% of #1 “ünï” & more" + ("" if sys.platform == "win32" else "?")  # Windows allows none
    data = DataFolder(tmp_path_factory.mktemp("odd") / name)
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
    assert RunReader(data).run(run_id).manifest == manifest
    assert data.database.is_file()


def test_the_database_can_be_asked_with_plain_sql(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    run_id = log.begin(manifest)
    log.add_steps(run_id, [make_step(number) for number in range(1, 9)])
    raw = raw_connection(data.database, "ro")
    escalated = "SELECT step FROM steps, json_each(reasons) WHERE value = 'stall' ORDER BY step"
    assert raw.execute(escalated).fetchall() == [(4,), (8,)]
    assert raw.execute("SELECT fields ->> 'score' FROM steps WHERE step = 6").fetchone() == (6,)
    raw.close()


def test_stuck_and_recovered_follow_the_specification(make_step: MakeStep) -> None:
    fine = make_step(1)
    assert not is_stuck(fine)
    assert is_stuck(replace(fine, effect=Effect.UNVERIFIED))
    assert is_stuck(replace(fine, action=NO_OP, sent=(), invalid=Invalid.OUT_OF_SPACE, effect=Effect.NONE))
    assert not is_stuck(replace(fine, action=NO_OP, sent=(), effect=Effect.NONE))
    assert recovered([True, False]) == 1
    assert recovered([True, True, True, True, False]) == 3
    assert recovered([True]) == 0
    assert recovered([]) == 0


def test_spreads_interpolate_and_an_empty_one_says_so() -> None:
    assert spread_of([]) == Spread()
    assert spread_of([4.0]) == Spread(p50=4.0, p95=4.0, p99=4.0, n=1)
    assert spread_of([3.0, 1.0, 2.0, 4.0]).p50 == 2.5


def test_reasons_and_routes_are_spelled_as_in_the_glossary(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_step: MakeStep
) -> None:
    run_id = log.begin(manifest)
    log.add_step(run_id, replace(make_step(1), route=Route.REFLEX, reasons=tuple(Reason)))
    raw = raw_connection(data.database, "ro")
    row = raw.execute("SELECT route, reasons FROM steps").fetchone()
    raw.close()
    assert row == ("reflex", '["refresh","scene","stall","loop","failure","requested","schedule"]')
