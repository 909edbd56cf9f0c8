"""The learner without a model: statistics of recorded choices, the gate of pairs, and the carried memory."""

from __future__ import annotations

import json
import resource
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import DataFolderError
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_bench.cli.study_learner import learner
from pitwall_bench.study.learner import gate
from pitwall_bench.study.learner.choice_statistics import ChoiceRecord
from pitwall_bench.study.learner.gate import play_against
from pitwall_bench.study.learner.results import Measurement
from pitwall_bench.study.learner.study import LearnerPlan, LearnerStudy
from pitwall_bench.study.learner.twin_player import Choice, PlayedRun, TwinPlayer
from pitwall_bench.study.sheet import sheet_of
from pitwall_bench.suites.folder import SuiteChanged, SuiteFolder
from pitwall_bench.suites.memories import EMPTY, BrokenChain, SuiteMemories
from pitwall_bench.tasks.lookup import task_named

if sys.platform == "win32":
    pytest.skip("its limits of files are POSIX", allow_module_level=True)


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> TwinPlayer:
    game = Registry(DataFolder(tmp_path_factory.mktemp("data"))).load("nightpost")
    return TwinPlayer(game, "", won_at=100)


def _recorded(player: TwinPlayer, good: str, bad: str, gain: float) -> ChoiceRecord:
    """Record runs in which one of two cards was taken by turns; the good card brings a gain."""
    record = ChoiceRecord(player.profile)
    for seed in range(120):
        taken = seed % 2
        fields: dict[str, Value] = {
            "screen": "card",
            "title": "Choose a card",
            "floor": seed % 7,
            "option_1": good,
            "option_2": bad,
            "next_move": "choose(option=1)",
        }
        action = f"choose(option={taken + 1})"
        choice = Choice(fields, player.choices.open(fields), action, "go on")
        score = 30 + seed % 5 + gain * (1 - taken)
        record.add(PlayedRun(seed=seed, score=score, won=False, decisions=9, choices=(choice,)))
    return record


def test_the_card_of_better_runs_becomes_a_skill_wherever_it_lies(player: TwinPlayer) -> None:
    record = _recorded(player, "Biscuit", "Address It", 20.0)
    (screen,) = record.screens
    proposal = record.propose(screen, above=55)
    assert proposal is not None
    (skill,) = proposal.skills
    assert skill.actions == ("choose(option=1)",) and "option_1 == 'Biscuit'" in skill.when
    assert "Address It" not in skill.when and "next_move" not in skill.when, "only what the screen shows"
    assert skill.status == "proposed" and skill.priority > 55 and "Biscuit +" in skill.evidence[0]
    planner = player.skills([_entry(player, replace(skill, status="active"))])
    assert not planner.problems
    fields = {"screen": "card", "title": "Choose a card", "option_1": "Biscuit", "next_move": "leave"}
    assert str(planner.decide(fields).action) == "choose(option=1)"
    assert str(planner.decide({**fields, "option_1": "Bundle"}).action) == "leave", "else as before"


def test_cards_without_a_difference_become_no_skill(player: TwinPlayer) -> None:
    record = _recorded(player, "Biscuit", "Address It", 0.0)
    assert record.propose(record.screens[0], above=55) is None


def _entry(player: TwinPlayer, skill: SkillMemory) -> MemoryEntry:
    by = Provenance(author="agent")
    game_id = player.profile.game.id
    return MemoryEntry(entry_id=1, game_id=game_id, content=skill, provenance=by, changed_by=by)


def test_the_gate_needs_a_clear_gain_and_ends_early_on_a_loss() -> None:
    def scores(gain: float) -> Callable[[int, bool], float]:
        return lambda seed, skilled: float(seed * 7919 % 11) * (1 if skilled else 0.9) + gain * skilled

    better = play_against(scores(5.0), 100, most=20)
    assert (better.verdict, better.pairs) == ("accepted", 8) and better.gain > 4
    worse = play_against(scores(-5.0), 100, most=20)
    assert (worse.verdict, worse.pairs) == ("refused", 8) and "refused" in worse.sentence
    same = play_against(lambda *_: 3.0, 100, most=9)
    assert same.verdict == "refused" and same.gain == 0


_KILLED = """
import os, signal, sys
from pathlib import Path
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_bench.study.learner import gate, learner
from pitwall_bench.study.learner.study import LearnerPlan, LearnerStudy
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.tasks.lookup import task_named
gate.CLEARLY = 0.0
data = DataFolder(Path(sys.argv[1]))
game = Registry(data).load("nightpost")
sizes = dict(zip(("runs", "pairs", "measured", "between", "every"), map(int, sys.argv[3:])))
plan = LearnerPlan(game=game, task=task_named(game, "deliver"), **sizes)
accept, keep = learner.Learner._accept, SuiteFolder.keep
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def accepting(self, *more):
    names = accept(self, *more)  # the memory has them, no snapshot and no result does
    killed() if sys.argv[2] == "accepting" else None
    return names
def keeping(self, run):
    due = {"handing over": run.memory.accepted, "measuring": run.memory.measures}
    if due.get(sys.argv[2]):
        killed()
    keep(self, run)
learner.Learner._accept, SuiteFolder.keep = accepting, keeping
LearnerStudy(plan, SuiteFolder(data, "study-learner")).play()
"""
_SIZES: dict[str, Any] = {"runs": 6, "pairs": 2, "measured": 1, "between": 1, "every": 3}


def _plan(**more: int) -> LearnerPlan:
    game = Registry(DataFolder(Path())).load("nightpost")
    return LearnerPlan(game=game, task=task_named(game, "deliver"), **{**_SIZES, **more})


def test_a_study_that_is_stopped_or_killed_goes_on_and_ends_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "CLEARLY", 0.0)
    whole = LearnerStudy(_plan(), SuiteFolder(DataFolder(tmp_path / "whole"), "study-learner")).play()
    assert whole.state == "done" and whole.carried[0].before == EMPTY
    assert all(after.before == before.after for before, after in pairwise(whole.carried))
    assert any(run.accepted for run in whole.carried)
    assert all((run.after != run.before) is bool(run.accepted) for run in whole.carried)
    data = DataFolder(tmp_path / "data")
    suite = SuiteFolder(data, "study-learner")
    for place in ("accepting", "handing over", "measuring"):
        words = [sys.executable, "-c", _KILLED, str(data.root), place, *map(str, _SIZES.values())]
        dead = subprocess.run(words, capture_output=True, text=True, check=False)
        assert dead.returncode == -signal.SIGKILL, dead.stderr
    seen: list[object] = []

    def heard(each: object) -> None:
        seen.append(each)
        suite.stop.touch()  # as `pitwall suite stop` and the page's Cancel do

    stopped = LearnerStudy(_plan(), suite, heard=heard).play()
    assert stopped.state == "stopped" and len(stopped.measured) == 1
    done = LearnerStudy(_plan(), suite, heard=seen.append).play()
    assert done == whole
    assert [type(each) for each in seen] == [Measurement] * 3, "no carried run was played again"
    longer = LearnerStudy(_plan(runs=7), suite).play()
    assert longer.carried[:6] == whole.carried and len(longer.carried) == 7
    with pytest.raises(SuiteChanged, match="begun with other learner"):
        LearnerStudy(_plan(pairs=3), suite).play()
    with sqlite3.connect(suite.root / "memory" / "memory.sqlite") as database:
        database.execute("UPDATE parts SET data = ?", (zlib.compress(b"edited by hand"),))
    database.close()
    with pytest.raises(BrokenChain, match="is not as it was kept"):
        LearnerStudy(_plan(), suite).play()


def test_a_full_disk_ends_the_study_and_it_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = SuiteFolder(DataFolder(tmp_path), "study-learner")
    keep = SuiteMemories.keep

    def full(self: SuiteMemories, file: Path, content_hash: str) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            keep(self, file, content_hash)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    with monkeypatch.context() as patched:
        patched.setattr(SuiteMemories, "keep", full)
        with pytest.raises(DataFolderError, match="the disk"):
            LearnerStudy(_plan(runs=2), suite).play()
    assert LearnerStudy(_plan(runs=2), suite).play().state == "done"


def test_the_command_writes_its_figures_and_plays_over_no_other_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learner(runs=2, pairs=2, measured=1, between=1, every=1, data=tmp_path, json=True)
    body = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [row["after"] for row in body["measured"]] == [0, 1, 2] and len(body["carried"]) == 2
    page = Path(body["files"][0]).read_text(encoding="utf-8")
    assert "<svg" in page and body["carried"][-1]["after"][:12] in page
    sheet = sheet_of(tmp_path / "suites" / "study-learner")
    assert sheet is not None and sheet.verdict and sheet.tables[0].title == "Measured"
    (tmp_path / "suites" / "mine").mkdir()
    with pytest.raises(DataFolderError, match="is there already"):
        learner(runs=1, as_="mine", data=tmp_path)
