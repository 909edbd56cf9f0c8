"""A study's episodes are played on Ray: each run comes back into the study's own run log."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.core.paths import DataFolder
from pitwall.store.run_reader import RunReader
from pitwall_evaluation import ray_cluster
from pitwall_exam.study.conducting import StudyConductor
from pitwall_exam.study.plan import StudyPlan

pytest.importorskip("ray", reason="the extra scale is not installed")
if sys.platform == "win32":
    pytest.skip("Ray's workers play on virtual screens", allow_module_level=True)


def test_runs_come_back_under_numbers_of_their_own_and_a_failure_is_named(data: DataFolder) -> None:
    plan = StudyPlan(
        games=("no_such_game", "story/No-such-story", "story"),
        seeds=(1,),
        steps=4,
        answerers=("recall",),
        per_template=1,
    )
    parts: list[str] = []
    study = StudyConductor(
        plan,
        data,
        data.exams / "studies",
        lambda: False,
        lambda text, *_: parts.append(text),
        ray_cluster.LOCAL,
        2,
    )
    result = study.conduct()
    assert result.state == "done"
    assert "no_such_game" in result.unplayed["no_such_game-1-4"]
    assert "No-such-story" in result.unplayed["story/No-such-story-1-4"]
    assert result.runs == {"story-1-4": 2}, "run 1 was there before"
    row = RunReader(data).run(2)
    assert row.manifest.game_id == "story" and row.summary.steps > 0
    assert any((data.run(2) / "frames").iterdir())
    assert [sitting.marks[0].accuracy for sitting in result.sittings] == [1.0]
    assert sum(part.endswith("played") for part in parts) == 3
    again = StudyConductor(plan, data, data.exams / "studies", lambda: False, lambda *_: None)
    assert again.conduct().runs == {"story-1-4": 2}


def test_a_stopped_study_ends_the_episodes_that_are_being_played(data: DataFolder) -> None:
    plan = StudyPlan(games=("story",), seeds=(1, 42), steps=200, answerers=("recall",))
    workers: set[int] = set()
    looks: list[bool] = []

    def stopped() -> bool:
        workers.update(_playing_workers())
        looks.extend([True] * (len(workers) == len(plan.episodes)))
        return len(looks) > 8

    result = StudyConductor(
        plan, data, data.exams / "studies", stopped, lambda *_: None, ray_cluster.LOCAL, 2
    ).conduct()
    assert (result.state, result.runs) == ("stopped", {})
    assert len(RunReader(data).runs()) == 1
    folders = Path(tempfile.gettempdir()).glob("pitwall-ray-*")
    assert not workers & {int(folder.name.split("-")[2]) for folder in folders}, "its workers cleared away"


def test_where_a_worker_is_killed_the_next_episode_has_another(data: DataFolder) -> None:
    plan = StudyPlan(games=("story",), seeds=(1, 42), steps=3, answerers=("recall",), per_template=1)
    killed: list[int] = []

    def kill_the_first() -> bool:
        if not killed:
            killed.extend(_playing_workers())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
        return False

    study = StudyConductor(
        plan, data, data.exams / "studies", kill_the_first, lambda *_: None, ray_cluster.LOCAL, 1
    )
    result = study.conduct()
    assert "its worker ended" in result.unplayed["story-1-3"]
    assert result.runs == {"story-42-3": 2}


def _playing_workers() -> Iterator[int]:
    """Yield the processes of this test's workers that play."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            playing = (process / "cmdline").read_bytes().startswith(b"ray::EpisodeHost.play")
            if playing and os.getpid() in _ancestors(int(process.name)):
                yield int(process.name)


def _ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        pid = int(Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[1])
        yield pid
