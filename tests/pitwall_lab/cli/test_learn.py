"""A game is learned by playing it: with the training killed in between, and again where it stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import pitwall
from tests.patience import patient

from pitwall.core.errors import PitwallError
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import KnowledgeMemory
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.gsm.versions import ModuleFolder
from pitwall.link.autoplay import PlayResult
from pitwall.memory.store import MemoryStore
from pitwall.store.lease import holder_of
from pitwall.store.run_reader import RunReader
from pitwall_lab.cli.learn import _notes
from pitwall_lab.live.curve import LearningSession, learning_curve, learning_session
from pitwall_lab.live.module import learning_module, newest_version
from pitwall_lab.training.driving_policy import explore_share
from pitwall_lab.training_log import LOCK, LOG, Point, TrainingLog


def test_what_chance_scored_is_the_curve_s_line_and_each_minute_counts_its_games() -> None:
    def point(wall_s: float, games: int, score: float | None, epsilon: float) -> Point:
        return Point(step=1, wall_s=wall_s, at=0.0, episodes=games, score=score, length=9.0, epsilon=epsilon)

    made = [point(20, 3, 1.0, 1.0), point(50, 1, 5.0, 1.0), point(70, 2, 6.0, 0.2), point(110, 0, None, 0.1)]
    curve = learning_curve(made)
    assert (curve.chance, curve.chance_games, curve.counts) == (2.0, 4, "score")
    assert [(minute.minute, minute.games, minute.score) for minute in curve.minutes] == [
        (1, 4, 2.0),
        (2, 2, 6.0),
    ]
    assert curve.best is not None and curve.best.minute == 2
    assert learning_curve([point(70, 2, None, 0.2)]).counts == "decisions"


def test_a_session_that_goes_on_counts_its_own_games_and_seconds() -> None:
    def point(wall_s: float, at: float, games: int) -> Point:
        return Point(step=1, wall_s=wall_s, at=at, episodes=games, score=2.0, epsilon=0.1)

    points = [point(300.0, 1_000.0, 200), point(600.0, 1_300.0, 200)]
    assert learning_session(points, 900.0) == LearningSession(0.0, 600.0, 400)
    idle = learning_session(points, 2_000.0)
    assert idle == LearningSession(600.0, 0.0, 0)
    played = PlayResult()  # the version plays elsewhere
    assert _notes(learning_curve(points), idle, played) == ["No game ended: the curve has no new scores."]
    points += [point(604.0, 2_004.0, 1), point(612.0, 2_012.0, 1)]
    assert learning_session(points, 2_000.0) == LearningSession(600.0, 12.0, 2)
    assert _notes(learning_curve(points), learning_session(points, 2_000.0), played) == []
    (short,) = _notes(learning_curve(points), LearningSession(600.0, 12.0, 30), played)
    assert "A game lasted 0.4 s on average" in short


def test_chance_becomes_rarer_by_the_second_not_by_the_decision() -> None:
    assert explore_share(59.0, 600, 60.0) == 1.0
    slow, fast = explore_share(240.0, 2_400, 60.0), explore_share(240.0, 7_200, 60.0)
    assert slow == pytest.approx(3 * fast) == pytest.approx(0.01)


def test_a_game_that_shows_nothing_good_or_bad_is_refused(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    game = Registry(data).load("story")
    bare = game.profile.model_copy(
        update={
            "fields": [],
            "modules": [],
            "truth": None,
            "progress": game.profile.progress.model_copy(update={"inventory": []}),
            "status": game.profile.status.model_copy(update={"terminal": ""}),
        }
    )
    with pytest.raises(PitwallError, match="shows nothing to learn from"):
        learning_module(data, game.model_copy(update={"profile": bare}), "")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_learning_survives_its_killed_training_and_goes_on_where_it_stopped(
    screen: str, tmp_path: Path
) -> None:
    assert screen
    data = patient(DataFolder(tmp_path / "data"))
    words = [sys.executable, "-m", "pitwall", "learn", "--game", "flappy", "--minutes", "0.8", "--json"]
    command = subprocess.Popen([*words, "--data", str(data.root)], stdout=subprocess.PIPE, text=True)
    with command:
        assert command.stdout is not None
        killed = False
        last = ""
        for last in command.stdout:
            if not killed and json.loads(last).get("explore", 1.0) < 1.0:
                holder = holder_of(_folder(data).folder("v1") / LOCK)
                assert holder is not None
                os.kill(holder.pid, signal.SIGKILL)
                killed = True
    assert (command.wait(120), killed) == (0, True)
    first: dict[str, Any] = json.loads(last)
    assert first["summary"]["outcome"] == "finished", "play went on with the last policy"
    assert any("started again" in note for note in first["notes"])
    assert (first["game"], first["module"], first["version"]) == ("flappy", "fly", "v1")
    assert first["minutes"], "what was learned before the kill is read again from the run log"
    words = ["learn", "--game", "flappy", "--minutes", "0.2", "--json"]
    resumed = pitwall(*words, data=data, timeout_s=300.0)
    *events, again = [json.loads(line) for line in resumed.out.splitlines()]
    assert not any("asked to stop" in note for note in again["notes"]), "it was the earlier session"
    progress = [(event["progress"], event["of"]) for event in events if "progress" in event]
    assert progress and all(30.0 < done < of + 5.0 for done, of in progress), "it counts the earlier play"
    assert again["version"] == "v1" and again["decisions"] > first["decisions"] > 0
    about = newest_version(_folder(data))
    assert about is not None and about.explore is not None and about.explore < 1.0
    log = TrainingLog(_folder(data).folder("v1") / LOG)
    log.follow()
    walls = [point.wall_s for point in log.points]
    assert walls == sorted(walls) and walls[-1] > first["summary"]["seconds"]
    with MemoryStore.open(data, role="test") as store:
        (entry,) = store.entries("flappy", [MemoryKind.KNOWLEDGE])
    assert isinstance(entry.content, KnowledgeMemory)
    assert "The module fly (version v1) learned this game by playing it" in entry.content.text
    played = pitwall("run", "--game", "flappy", "--module", "fly=v1", "--steps", "8", "--json", data=data)
    with closing(RunReader.open(data)) as reader:
        decided = reader.reflexes(played.answer["run_id"])
    assert {record.version for _, record in decided} == {"v1"}


def _folder(data: DataFolder) -> ModuleFolder:
    return ModuleFolder(data, Registry(data).load("flappy"), "fly")
