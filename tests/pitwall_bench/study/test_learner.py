"""The learner without a model: statistics of recorded choices, the gate of pairs, and the carried memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

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
from pitwall_bench.study.learner.learner import Learner
from pitwall_bench.study.learner.twin_player import Choice, PlayedRun, TwinPlayer
from pitwall_bench.suites.memories import EMPTY


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


def test_two_identical_learners_leave_the_same_chain_of_memories(
    player: TwinPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "CLEARLY", 0.0)  # two pairs decide: what is accepted matters not here
    chains = []
    for name in ("one", "other"):
        carrying = Learner(player, DataFolder(tmp_path / name), pairs=2, least=2)
        chains.append([carrying.carry(position) for position in range(6)])
    assert chains[0] == chains[1]
    assert chains[0][0].before == EMPTY
    assert all(after.before == before.after for before, after in pairwise(chains[0]))
    accepted = [run for run in chains[0] if run.accepted]
    assert accepted and accepted[0].before != accepted[0].after, "the memory changes where the gate accepts"
    assert all(run.after == run.before for run in chains[0] if not run.accepted), "and nowhere else"


def test_the_command_writes_its_figures_and_plays_over_no_earlier_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learner(runs=2, pairs=2, measured=1, between=1, every=1, data=tmp_path, json=True)
    body = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [row["after"] for row in body["measured"]] == [0, 1, 2] and len(body["carried"]) == 2
    page = Path(body["files"][0]).read_text(encoding="utf-8")
    assert "<svg" in page and body["carried"][-1]["after"][:12] in page
    with pytest.raises(DataFolderError, match="is there already"):
        learner(runs=1, data=tmp_path)
