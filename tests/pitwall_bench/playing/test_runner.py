"""A suite's runner with seat processes that answer at once: order, causes, replays, ladders, going on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_bench.playing.quick_worker import PLAYED, SCRIPT, SPANS, QuickChild

from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.desktops.here import processes
from pitwall.games.registry import Registry
from pitwall.models.registry import ModelRegistry
from pitwall_bench.playing.play import PlayedSuite, play_suite
from pitwall_bench.suites.folder import SuiteChanged, SuiteFolder, suites_of
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.summary import summary_of
from pitwall_evaluation import worker_client
from workshop.fixtures.processes import KILLED_IN_WORDS

if sys.platform == "win32":
    pytest.skip("its seats inherit their channel by number", allow_module_level=True)


class Desk:
    """A data folder, what seats shall do, and how often each cell was played."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, DataFolder(folder / "data")
        self.data.root.mkdir()
        self.flappy = Registry(self.data).load("flappy")
        self.told: list[tuple[TaskRun, SuiteProgress]] = []
        self.says({})

    def says(self, script: dict[str, list[str]]) -> None:
        (self.folder / SCRIPT).write_text(json.dumps(script), encoding="utf-8")

    def plan(self, **changes: Any) -> Plan:
        spec = {
            "name": "trial",
            "games": [{"game": "flappy", "tasks": ["first_pipe", "first_pipes"]}],
            "agents": [{"name": "skills"}],
            **changes,
        }
        spec = {key: value for key, value in spec.items() if value is not None}
        return Plan(SuiteSpec.model_validate(spec), {"flappy": self.flappy}, {"flappy": "flappy"})

    def play(self, plan: Plan, **more: Any) -> PlayedSuite:
        return play_suite(plan, self.data, on_run=lambda run, board: self.told.append((run, board)), **more)

    def tries(self) -> dict[str, int]:
        played = self.folder / PLAYED
        return {path.name: len(path.read_text().splitlines()) for path in sorted(played.glob("*"))}

    def pids(self) -> list[int]:
        lines = [line for path in (self.folder / PLAYED).glob("*") for line in path.read_text().splitlines()]
        return [int(line.split()[0]) for line in lines]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(worker_client, "Child", QuickChild)
    made = Desk(tmp_path)
    yield made
    assert not [pid for pid in made.pids() if processes().born(pid)]


_A, _B = "flappy~first_pipe~skills~1~0", "flappy~first_pipes~skills~1~0"


def test_every_cause_is_a_result_and_the_rest_goes_on(desk: Desk) -> None:
    desk.says({_A: ["launch"], _B: ["fault"], _A.replace("~1~", "~2~"): ["win"]})
    played = desk.play(desk.plan(seeds=[1, 2], parallel=2))
    ended = {key: (run.ended, run.why) for key, run in played.runs.items()}
    assert ended[_A] == ("launch", "it was launch")
    assert ended[_B] == ("launch", "there is no such thing. Mend it.")
    assert ended[_A.replace("~1~", "~2~")][0] == "target"
    board = played.folder.board()
    assert board is not None
    assert (board.state, board.done, board.of, board.failed, board.playing) == ("done", 4, 4, 2, ())
    assert [(item.done, item.of) for _, item in desk.told] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert all(run.genre == "runner" and run.level == 1 for run in played.runs.values())
    summary = summary_of(played.folder)
    assert {element.key for element in summary.unplayed} == {_A, _B}
    assert (summary.agents[0].runs, summary.agents[0].unplayed) == (2, {"launch": 2})


def test_what_ended_outside_is_played_again_as_often_as_allowed(desk: Desk) -> None:
    desk.says({_A: ["outside", "win"], _B: ["die"]})
    played = desk.play(desk.plan(limits={"again": 2}))
    assert desk.tries() == {_A: 2, _B: 3}
    assert (played.runs[_A].ended, played.runs[_A].tries) == ("target", 2)
    assert (played.runs[_B].ended, played.runs[_B].tries) == ("outside", 3)
    assert KILLED_IN_WORDS in played.runs[_B].why


def test_a_finished_suite_is_not_played_again_and_failures_only_where_asked(desk: Desk) -> None:
    desk.says({_A: ["launch", "win"]})
    plan = desk.plan()
    desk.play(plan)
    again = desk.play(plan)
    assert (again.kept, desk.tries()) == (2, {_A: 1, _B: 1})
    mended = desk.play(plan, failed_again=True)
    assert (mended.kept, desk.tries()) == (1, {_A: 2, _B: 1})
    assert mended.runs[_A].success
    assert SuiteFolder(desk.data, "trial").runs()[_A].success, "the newer result counts"


def test_a_changed_suite_refuses_and_fresh_sets_the_old_one_aside(desk: Desk) -> None:
    desk.play(desk.plan())
    with pytest.raises(SuiteChanged, match="begun with other limits"):
        desk.play(desk.plan(limits={"seconds": 5}))
    fresh = desk.play(desk.plan(limits={"seconds": 5}), fresh=True)
    assert fresh.aside is not None and (fresh.aside / "results.jsonl").is_file()
    assert {item.suite for item in suites_of(desk.data)} == {"trial", fresh.aside.name}
    assert desk.tries() == {_A: 2, _B: 2}


def test_another_model_or_other_settings_are_another_suite_and_older_suites_go_on(desk: Desk) -> None:
    registry = ModelRegistry(desk.data)
    registry.add_remote("reader", "http://127.0.0.1:9/v1", remote_model="small")
    agents = [{"name": "skills"}, {"name": "m", "kind": "model", "model": "reader"}]
    plan = desk.plan(agents=agents)
    folder = desk.play(plan).folder

    def write(settings: Settings) -> None:
        save_settings(desk.data.settings, settings)

    write(Settings().with_value("console", "theme", "light").with_value("models", "strategic", "reader"))
    assert desk.play(plan).kept == 4, "what no run plays with changes nothing"
    write(Settings().with_value("control", "effect_wait_ms", 900))
    with pytest.raises(SuiteChanged, match="begun with other control settings:"):
        desk.play(plan)
    write(Settings())
    registry.remove("reader")
    registry.add_remote("reader", "http://127.0.0.1:9/v1", remote_model="large")
    with pytest.raises(SuiteChanged, match="begun with other model reader:"):
        desk.play(plan)
    older = folder.begun().model_copy(update={"around": {}})
    folder.begin(folder.spec(), older)
    assert desk.play(plan).kept == 4


def test_a_ladder_is_climbed_rung_by_rung(desk: Desk) -> None:
    rungs = ["first_pipe", "first_pipes", "long_flight"]

    def key(rung: int, attempt: int) -> str:
        return f"flappy~{rungs[rung]}~skills~{1 + 1000 * attempt}~0~{rung}.{attempt}"

    desk.says({key(0, 0): ["win"], key(1, 2): ["win"]})
    played = desk.play(
        desk.plan(games=None, ladders=[{"game": "flappy", "rungs": rungs, "attempts": 5}], parallel=3)
    )
    assert list(played.runs) == [key(0, 0), key(1, 1), key(1, 2), key(2, 3), key(2, 4)]
    (climb,) = summary_of(played.folder).climbs
    assert (climb.ends, climb.of, climb.open) == ((2,), 3, 0)
    assert [(item.wins, item.attempts) for item in climb.rungs] == [(1, 1), (1, 2), (0, 2)]


def test_runs_beside_the_path_of_a_climb_do_not_count_as_its_attempts(desk: Desk) -> None:
    plan = desk.plan(
        games=None, ladders=[{"game": "flappy", "rungs": ["first_pipe", "first_pipes"], "attempts": 2}]
    )
    first = "flappy~first_pipe~skills~1~0~0.0"
    desk.says({first: ["launch", "win"]})
    desk.play(plan)
    played = desk.play(plan, failed_again=True)
    (climb,) = summary_of(played.folder).climbs
    assert climb.ends == (1,)
    assert [(item.wins, item.attempts) for item in climb.rungs] == [(1, 1), (0, 1)], (
        "the second attempt at the first rung followed on a first one that no longer stands"
    )


def test_a_person_plays_one_at_a_time_on_the_screen_that_is_here(desk: Desk) -> None:
    agents = [{"name": "me", "kind": "person"}]
    plan = desk.plan(agents=agents, seeds=[1, 2], parallel=4)
    desk.says({cell.key: ["slow"] for cell in plan.cells(0)})
    desk.play(plan)
    lines = (desk.folder / SPANS).read_text().splitlines()
    spans = sorted((int(began), int(ended)) for began, ended in (line.split() for line in lines))
    assert len(spans) == 4
    assert all(ended < began for (_, ended), (began, _) in pairwise(spans)), "no two at a time"
    screens = [path.read_text().split()[1] for path in (desk.folder / PLAYED).glob("*")]
    assert screens == ["here"] * 4


# ---- stopping, and going on


def test_told_to_stop_it_ends_what_plays_and_goes_on_later(desk: Desk) -> None:
    desk.says({_B: ["wait", "win"]})
    plan = desk.plan(parallel=2)
    stopped = desk.play(plan, should_stop=lambda: bool(desk.told) and len(desk.tries()) == 2)
    assert (stopped.board.state, set(stopped.runs)) == ("stopped", {_A})
    assert sorted(path.name for path in stopped.folder.sessions.iterdir()) == [_A]
    done = desk.play(plan)
    assert (done.board.state, done.kept, done.runs[_B].ended) == ("done", 1, "target")
    assert desk.tries() == {_A: 1, _B: 2}


def test_two_runners_never_share_a_suite(desk: Desk) -> None:
    folder = SuiteFolder(desk.data, "trial")
    with (
        folder.lock(),
        pytest.raises(DataFolderError, match=f"in use by suite with process id {os.getpid()}"),
    ):
        desk.play(desk.plan())
    assert desk.tries() == {}


def test_half_a_line_and_stale_sessions_do_no_harm(desk: Desk) -> None:
    plan = desk.plan()
    desk.play(plan)
    folder = SuiteFolder(desk.data, "trial")
    results = folder.root / "results.jsonl"
    whole = results.read_bytes().splitlines(keepends=True)
    results.write_bytes(whole[0] + whole[1][:40])
    (folder.session("flappy~gone~skills~1~0") / "deep").mkdir(parents=True)
    again = desk.play(plan)
    assert (again.kept, sum(desk.tries().values())) == (1, 3)
    assert set(folder.runs()) == {_A, _B}
    assert sorted(path.name for path in folder.sessions.iterdir()) == sorted([_A, _B])


def test_a_disk_that_takes_no_result_ends_everything(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_self: SuiteFolder, _run: TaskRun) -> None:
        raise DataFolderError("the disk is full.")

    desk.says({_B: ["wait"]})
    monkeypatch.setattr(SuiteFolder, "keep", full)
    with pytest.raises(DataFolderError, match="disk is full"):
        desk.play(desk.plan(parallel=2))
    board = SuiteFolder(desk.data, "trial").board()
    assert board is not None and board.state == "broken off"


def test_the_time_left_is_estimated_from_what_was_played(desk: Desk) -> None:
    desk.play(desk.plan(seeds=[1, 2]))
    left = [board.left_s for _, board in desk.told]
    assert left == [pytest.approx(6.0), pytest.approx(4.0), pytest.approx(2.0), pytest.approx(0.0)]
