"""The write gate's four levels, and the trial on recorded outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.memory.discovery.recorded_steps import entry, step

from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.observations import GameStatus
from pitwall.core.settings import MemorySettings
from pitwall.core.steps import StepRecord
from pitwall.games.schema.profile import Game
from pitwall.memory.discovery.resampling_trial import SkillTrial, tried
from pitwall.memory.discovery.write_gate import (
    MOST_EVIDENCE,
    gate,
    judged,
    trigger_jaccard,
    updated,
)
from pitwall.memory.prompt.skills import (
    SkillTerms,
    as_profile_skill,
    profile_entries,
    skill_sentence,
    usable_skill,
)

SKILL = SkillMemory(
    name="drink", when="health < 30", subgoal="get well", actions=("drink",), stop="health > 60"
)
SETTINGS = MemorySettings()
VectorOf = Callable[[str], NDArray[np.float32]]


def at_cosine(*known: tuple[SkillMemory, float]) -> VectorOf:
    """Vectors that have these cosines to every other sentence."""
    angles = {skill_sentence(skill): math.acos(cosine) for skill, cosine in known}

    def vector(text: str) -> NDArray[np.float32]:
        angle = angles.get(text, 0.0)
        return np.asarray([math.cos(angle), math.sin(angle)], dtype=np.float32) * 3.0

    return vector


# ---- the four levels


@pytest.mark.parametrize(
    ("cosine", "when", "level"),
    [
        (0.99, "armour > 3", "duplicate"),
        (0.8501, "armour > 3", "duplicate"),
        (0.84, "health < 25", "merge"),
        (0.7001, "health <= 12", "merge"),
        (0.84, "armour > 3", "accept"),
        (0.71, "health < 30 and armour > 3", "accept"),
        (0.69, "health < 30", "judge"),
        (0.5501, "armour > 3", "judge"),
        (0.54, "health < 30", "accept"),
        (-0.3, "health < 30", "accept"),
    ],
)
def test_levels_of_likeness(cosine: float, when: str, level: str) -> None:
    other = replace(SKILL, name="other", when=when, subgoal="something else")
    verdict = gate(SKILL, [entry(4, other)], at_cosine((other, cosine)), SETTINGS)
    assert verdict.level == level and verdict.other == 4
    assert verdict.cosine == pytest.approx(cosine, abs=1e-3)
    assert verdict.trigger_jaccard == trigger_jaccard(SKILL.when, when)
    assert f"cosine {cosine:.2f}" in verdict.why and "'other' (entry 4)" in verdict.why
    assert verdict.refused == (level == "duplicate")


def test_thresholds_are_settings() -> None:
    other = replace(SKILL, name="other", subgoal="x")
    known, vectors = [entry(4, other)], at_cosine((other, 0.8))
    assert gate(SKILL, known, vectors, SETTINGS).level == "merge"
    assert gate(SKILL, known, vectors, MemorySettings(skill_duplicate=0.75)).level == "duplicate"
    assert gate(SKILL, known, vectors, MemorySettings(skill_near=0.9, skill_duplicate=0.95)).level == "judge"
    assert gate(SKILL, known, vectors, MemorySettings(skill_near=0.9, skill_doubt=0.85)).level == "accept"
    unlike = replace(other, when="health < 5 and armour > 1")
    vectors = at_cosine((unlike, 0.8))
    assert gate(SKILL, [entry(4, unlike)], vectors, SETTINGS).level == "accept"
    assert gate(SKILL, [entry(4, unlike)], vectors, MemorySettings(skill_trigger=0.5)).level == "merge"


@pytest.mark.parametrize("status", ["active", "proposed", "retired"])
def test_the_same_name_is_an_update_whatever_the_likeness(status: str) -> None:
    known = replace(SKILL, name=" DRINK ", when="armour > 1", status=status)  # type: ignore[arg-type]
    verdict = gate(SKILL, [entry(9, known)], at_cosine((known, 0.0)), SETTINGS)
    assert (verdict.level, verdict.other) == ("update", 9)


def test_the_nearest_is_weighed_but_a_near_trigger_merges() -> None:
    near = replace(SKILL, name="near", when="armour > 3", subgoal="a")
    alike = replace(SKILL, name="alike", subgoal="b")
    vectors = at_cosine((near, 0.84), (alike, 0.75))
    verdict = gate(SKILL, [entry(1, near), entry(2, alike)], vectors, SETTINGS)
    assert (verdict.level, verdict.other) == ("merge", 2)
    verdict = gate(SKILL, [entry(1, near), entry(2, alike)], at_cosine((near, 0.9), (alike, 0.75)), SETTINGS)
    assert (verdict.level, verdict.other) == ("duplicate", 1)


def test_nothing_known_the_profile_s_and_forgotten_ones(game: Game) -> None:
    assert gate(SKILL, [], at_cosine(), SETTINGS).level == "accept"
    own = profile_entries(game.profile)
    verdict = gate(replace(SKILL, name="heal"), own, at_cosine(), SETTINGS)
    assert (verdict.level, verdict.other) == ("update", None) and "the profile's" in verdict.why
    gone = replace(entry(3, SKILL), forgotten=True)
    assert gate(SKILL, [gone], at_cosine(), SETTINGS).level == "duplicate"
    assert gate(replace(SKILL, name="anew"), [gone], at_cosine(), SETTINGS).level == "accept"


def test_a_judge_decides_what_is_in_doubt() -> None:
    other = replace(SKILL, name="other", subgoal="x")
    doubt = gate(SKILL, [entry(4, other)], at_cosine((other, 0.6)), SETTINGS)
    assert judged(doubt, same=True, by="tiny", why="both\ndrink").level == "duplicate"
    assert (
        "tiny says it is the same skill: both drink."
        in judged(doubt, same=True, by="tiny", why="both\ndrink").why
    )
    assert judged(doubt, same=False, by="tiny").level == "accept"
    sure = replace(doubt, level="merge")
    assert judged(sure, same=True, by="tiny") is sure


@pytest.mark.parametrize(
    ("trigger", "other", "jaccard"),
    [
        ("health < 30", "health <= 12", 1.0),
        ("health < 30", "health > 30", 0.0),
        ("health < 30 and hurt", "hurt and health < 5", 1.0),
        ("health < 30 and hurt", "health < 30", 0.5),
        ("status == 'menu'", "status == 'playing'", 0.0),
        ("not hurt", "hurt", 0.0),
        ("not (hurt and health < 3)", "not hurt or not health < 5", 1.0),
        ("level == 3", "level == 4", 0.0),
        ("total nonsense", "total sense", 1 / 3),
        ("", "", 1.0),
    ],
)
def test_likeness_of_triggers(trigger: str, other: str, jaccard: float) -> None:
    assert trigger_jaccard(trigger, other) == trigger_jaccard(other, trigger) == pytest.approx(jaccard)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_triggers_have_a_likeness(trigger: str, other: str) -> None:
    assert 0.0 <= trigger_jaccard(trigger, other) == trigger_jaccard(other, trigger) <= 1.0
    assert trigger_jaccard(trigger, trigger) == 1.0


@given(st.floats(-1, 1), st.sampled_from(["health < 30", "armour > 3", "health < 3 and hurt"]))
def test_levels_agree_with_the_spec(cosine: float, when: str) -> None:
    other = replace(SKILL, name="other", when=when, subgoal="x")
    verdict = gate(SKILL, [entry(4, other)], at_cosine((other, cosine)), SETTINGS)
    result, jaccard = verdict.cosine, verdict.trigger_jaccard
    if result >= 0.85:
        expected = "duplicate"
    elif result >= 0.70:
        expected = "merge" if jaccard >= 0.60 else "accept"
    else:
        expected = "judge" if result >= 0.55 else "accept"
    assert verdict.level == expected


# ---- what becomes of a known one


def test_an_update_keeps_what_was_accepted_and_what_the_operator_wrote() -> None:
    anew = replace(SKILL, when="health < 20", evidence=("run 2",), status="proposed")
    known = replace(SKILL, uses=4, successes=3, evidence=("run 1",))
    now = updated(entry(1, known), anew)
    assert now == replace(known, evidence=("run 1", "run 2")), "one that is in use stays as it is"
    waiting = replace(known, status="proposed", similar_to=8)
    now = updated(entry(1, waiting), anew)
    assert (now.when, now.uses, now.status, now.similar_to) == ("health < 20", 4, "proposed", 8)
    assert now.evidence == ("run 1", "run 2")
    assert updated(entry(1, waiting, author="operator"), anew).when == "health < 30"
    assert updated(entry(1, replace(known, status="retired")), anew).status == "retired"
    many = replace(known, evidence=tuple(str(number) for number in range(50)))
    assert len(updated(entry(1, many), anew).evidence) == MOST_EVIDENCE
    assert updated(entry(1, many), anew).evidence[-1] == "run 2"


# ---- the trial


def outcomes(*rows: tuple[str, int, float], ends: int | None = None) -> list[StepRecord]:
    """Steps of an action, the progress it brought, and the health it began with."""
    steps, progress = [], 0
    for number, (action, gain, health) in enumerate(rows, 1):
        status = GameStatus.TERMINAL if ends == number else GameStatus.PLAYING
        steps.append(step(number, action, progress=progress, status=status, health=health))
        progress += gain
    return steps


def trial_of(
    game: Game, steps: list[StepRecord], skill: SkillMemory = SKILL, trials: int = 3, seed: int = 0
) -> SkillTrial:
    usable = usable_skill(as_profile_skill(skill), SkillTerms.of(game.profile))
    assert usable is not None
    return tried(skill, usable, steps, trials=trials, seed=seed)


WELL = [("walk", 1, 80.0)] * 4
GOOD = [("walk", 0, 20.0), ("walk", 0, 20.0), ("drink", 1, 20.0), *WELL]
BAD = [("walk", 1, 20.0), ("walk", 1, 20.0), ("drink", 0, 20.0), ("walk", 0, 80.0), *WELL]


def test_a_skill_that_did_better_is_accepted(game: Game) -> None:
    trial = trial_of(game, outcomes(*GOOD, *GOOD, *WELL))
    assert (trial.verdict, trial.wins, trial.losses) == ("accepted", 3, 0)
    assert (trial.segments, trial.with_steps, trial.without_steps) == (2, 2, 4)
    assert trial.with_mean == 1.0 and trial.without_mean == pytest.approx(0.25)
    assert "(2 parts), 1.00 of the steps after acting as it says (n = 2) made progress" in trial.sentence
    assert "nothing was played anew" in trial.sentence and "better in 3 of 3" in trial.sentence


def test_one_that_did_worse_or_no_better_is_refused(game: Game) -> None:
    worse = trial_of(game, outcomes(*BAD, *BAD, *WELL))
    assert (worse.verdict, worse.wins, worse.losses) == ("refused", 0, 3)
    same = trial_of(game, outcomes(("walk", 1, 20.0), ("drink", 1, 20.0), *WELL))
    assert (same.verdict, same.wins, same.losses) == ("refused", 0, 0)


def test_a_single_part_proves_nothing_however_often_it_is_resampled(game: Game) -> None:
    trial = trial_of(game, outcomes(*GOOD, *WELL), trials=25)
    assert (trial.verdict, trial.segments, trial.losses) == ("open", 1, 0)
    assert "a single part cannot be resampled" in trial.sentence and "of 25" not in trial.sentence
    assert trial_of(game, outcomes(*BAD, *WELL)).verdict == "refused", "harm in its only part refuses it"


def test_two_thirds_are_needed_of_any_number_of_resamplings(game: Game) -> None:
    even = [("walk", 0, 20.0), ("drink", 0, 20.0), *[("walk", 0, 80.0)] * 4, *WELL]
    steps = outcomes(*GOOD, *WELL, *even * 5)
    trials = [trial_of(game, steps, trials=5, seed=seed) for seed in range(20)]
    assert all(trial.losses == 0 for trial in trials)
    assert {trial.wins: trial.verdict for trial in trials}[3] == "refused", "a mere majority"
    assert {trial.verdict for trial in trials if trial.wins >= 4} == {"accepted"}


def test_one_harmful_resampling_refuses(game: Game) -> None:
    mixed = outcomes(*GOOD, *WELL, *BAD, *WELL)
    trial = trial_of(game, mixed, trials=25)
    assert trial.losses > 0 and trial.verdict == "refused"
    assert trial == trial_of(game, mixed, trials=25), "the same record gives the same trial"


def test_an_end_of_the_game_counts_against_it(game: Game) -> None:
    steps = outcomes(
        ("walk", 1, 20.0), ("walk", 1, 20.0), ("drink", 1, 20.0), ("tap", 0, 80.0), *WELL, ends=4
    )
    trial = trial_of(game, steps)
    assert trial.with_mean == pytest.approx(-0.5) and trial.verdict == "refused"


def test_what_was_never_done_or_never_otherwise_stays_open(game: Game) -> None:
    never = trial_of(game, outcomes(*[("walk", 0, 20.0)] * 3, *WELL))
    assert (never.verdict, never.with_mean) == ("open", None)
    assert "Not tried" in never.sentence and "acting as it says" in never.sentence
    always = trial_of(game, outcomes(*[("drink", 1, 20.0)] * 3, *WELL))
    assert always.verdict == "open" and "acting otherwise" in always.sentence
    assert trial_of(game, outcomes(*WELL)).segments == 0
    assert trial_of(game, []).verdict == "open"


def test_a_module_and_a_field_s_actions_are_recognised(game: Game) -> None:
    rows = outcomes(*GOOD, *WELL)
    driven = [
        step(row.step, "walk", progress=row.signals.progress, module="dodge", health=20.0)
        if str(row.action) == "drink"
        else row
        for row in rows
    ]
    module = replace(SKILL, actions=(), module="dodge")
    assert trial_of(game, driven, module).with_steps == 1
    named = [replace(row, fields={**row.fields, "way": "drink; walk"}) for row in rows]
    assert trial_of(game, named, replace(SKILL, actions=("{way}",))).with_steps == 1
