"""Figures of groups of runs, against values worked out elsewhere."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.pitwall_bench.suites.made_runs import run

from pitwall.core.runs import RunSummary, Spread, TierFigures
from pitwall_bench.suites.comparison import compare_agents, compare_suites, fisher, holm, permutation
from pitwall_bench.suites.statistics import clopper_pearson, row_of, rows_by
from pitwall_bench.suites.summary import front_of, played_by_others


@pytest.mark.parametrize(("wins", "runs"), [(0, 5), (3, 10), (10, 10), (1, 1), (47, 200)])
def test_the_exact_interval_is_the_one_of_scipy(wins: int, runs: int) -> None:
    wanted = stats.binomtest(wins, runs).proportion_ci(0.95, method="exact")
    assert clopper_pearson(wins, runs) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@pytest.mark.parametrize(("wins", "runs"), [(2, 1), (-1, 3), (0, 0)])
def test_what_is_no_share_has_no_interval(wins: int, runs: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        clopper_pearson(wins, runs)


def test_a_row_counts_what_was_played_and_shows_what_was_not() -> None:
    runs = [
        run(progress=1.0, score=1.0, unit="pipes"),
        run(seed=2, progress=0.5, score=0.5),
        run(seed=3, ended="launch"),
        run(seed=4, ended="crashed"),
    ]
    row = row_of(runs, agent="skills")
    assert (row.runs, row.unplayed) == (2, {"launch": 1, "crashed": 1})
    assert row.success is not None and row.progress is not None and row.score is not None
    assert (row.success.wins, row.success.share, row.progress.mean) == (1, 0.5, 0.75)
    assert row.success.exact_low < row.success.low < 0.5 < row.success.high < row.success.exact_high
    assert (row.score.mean, row.best, row.unit) == (0.75, 1.0, "pipes")
    assert row.step_s == pytest.approx(0.5)
    assert row.iar is None, "nothing was proposed: that is no rate of 0"


def test_actions_that_nobody_proposed_are_in_no_rate() -> None:
    runs = [run(proposed=10, invalid={"out_of_space": 1}), run(seed=2, invalid={"out_of_space": 3})]
    assert row_of(runs).iar == 0.1
    assert row_of(runs[1:]).iar is None


def test_a_row_in_which_nothing_was_played_has_no_figures() -> None:
    row = row_of([run(ended="not_ready")])
    assert (row.runs, row.success, row.progress, row.unplayed) == (0, None, None, {"not_ready": 1})


def test_rates_and_costs_are_of_all_runs_together() -> None:
    tiers = {
        "fast": TierFigures(
            calls=4, prompt_tokens=100, cached_tokens=40, output_tokens=8, took_ms=Spread(p50=50)
        )
    }
    runs = [
        run(proposed=10, invalid={"out_of_space": 1}, refusals={"focus": 2}, summary=RunSummary(tiers=tiers)),
        run(seed=2, proposed=30, invalid={"out_of_space": 1, "no_tool_call": 2}),
    ]
    row = row_of(runs)
    assert row.iar == pytest.approx(4 / 40)
    assert (row.invalid, row.refusals) == ({"out_of_space": 2, "no_tool_call": 2}, {"focus": 2})
    assert row.cost is not None
    assert (row.cost.calls, row.cost.fresh_tokens, row.cost.output_tokens) == (2.0, 30.0, 4.0)
    assert row.cost.tokens == 34.0
    assert row.cost.model_s == pytest.approx(0.1)


def test_a_suite_says_who_decided_how_often_it_was_stuck_and_what_a_step_cost() -> None:
    tiers = {
        "strategic": TierFigures(calls=5, prompt_tokens=700, output_tokens=50),
        "fast": TierFigures(calls=116, prompt_tokens=200, output_tokens=50),
    }
    played = RunSummary(steps=10, stuck=4, recovered=3, tiers=tiers, deciders={"model": 3, "skills": 7})
    smooth = RunSummary(steps=10, deciders={"skills": 9, "nobody": 1})
    runs = [
        run("mine", progress=1.0, difficulty="easy", summary=played),
        run("mine", seed=2, progress=1.0, difficulty="easy", summary=smooth),
        run("mine", seed=3, summary=smooth),
    ]
    row = row_of(runs, agent="mine")
    assert row.deciders == pytest.approx({"model": 3 / 30, "nobody": 2 / 30, "skills": 25 / 30})
    assert row.success is not None and row.success.wins == 2
    assert row.budgeted is not None and row.budgeted.wins == 1, "121 calls are more than an easy task's 120"
    assert (row.strategic_step, row.tokens_step) == (5 / 30, 1000 / 30)
    assert row.stuck == pytest.approx(0.4 / 3) and row.recovery == pytest.approx(0.75)
    assert row.recovery_ratio == pytest.approx(0.75 / 0.4), "runs without a stuck step have no ratio"
    (warning,) = played_by_others([row], ["mine"])
    assert "the model decided 10% of the steps, skills 83%" in warning
    assert not [*played_by_others([row], [])], "an agent of skills may play by skills"


def test_waves_are_averaged_first() -> None:
    runs = [run(seed=seed, wave=wave, progress=value) for wave, seed, value in _WAVES]
    waves = row_of(runs).waves
    assert waves is not None
    assert waves.progress == pytest.approx((0.5 + 1.0) / 2)
    assert waves.progress_sd == pytest.approx(np.std([0.5, 1.0], ddof=1))
    assert waves.success == pytest.approx((0.5 + 1.0) / 2)
    assert row_of(runs[:2]).waves is None
    begun = [*runs, run(seed=1, wave=2, progress=0.0)]
    assert row_of(begun).waves == waves, "a wave that is only partly played is no wave yet"


_WAVES = [(0, 1, 0.0), (0, 2, 1.0), (1, 1, 1.0), (1, 2, 1.0)]


def test_rows_pool_only_where_they_say_so_and_leave_climbs_out() -> None:
    climbing = run(progress=1.0)
    climbing = climbing.model_copy(update={"cell": climbing.cell.model_copy(update={"rung": 0})})
    runs = [run(), run("idle"), run(task="long_flight"), climbing]
    by_task, by_agent = rows_by(runs, "agent", "game", "task"), rows_by(runs, "agent")
    assert [(row.agent, row.task, row.pooled) for row in by_task] == [
        ("skills", "first_pipe", False),
        ("idle", "first_pipe", False),
        ("skills", "long_flight", False),
    ]
    assert [(row.agent, row.runs, row.pooled) for row in by_agent] == [
        ("skills", 2, True),
        ("idle", 1, False),
    ]


# ---- comparisons


def test_fisher_is_exact() -> None:
    # Fisher's tea: 3 of 4 against 1 of 4, two-sided 0.4857…
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert fisher(10, 10, 0, 10) == pytest.approx(2 / 184756)


def test_the_permutation_test_counts_every_exchange() -> None:
    differences = [0.3, 0.1, -0.05, 0.2, 0.0]
    unequal = [difference for difference in differences if difference]
    sums = [abs(sum(s * d for s, d in zip(signs, unequal, strict=True))) for signs in _signs(len(unequal))]
    wanted = np.mean([item >= sum(unequal) - 1e-12 for item in sums])
    assert permutation(differences) == pytest.approx(wanted)
    assert permutation([0.0, 0.0]) == 1.0
    assert permutation([0.1] * 6) == pytest.approx(2 / 64)


def _signs(n: int) -> list[tuple[int, ...]]:
    return list(itertools.product((-1, 1), repeat=n))


def test_many_pairs_are_drawn_and_give_nearly_the_same() -> None:
    chance = np.random.default_rng(3)
    differences = list(chance.normal(0.1, 0.3, 40))
    wanted = stats.ttest_1samp(differences, 0.0).pvalue
    assert permutation(differences) == pytest.approx(wanted, abs=0.02)
    assert permutation(differences) == permutation(differences)


def test_holm_corrects_step_by_step() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_a_difference_inside_the_noise_is_called_that() -> None:
    runs = [run(agent, seed=seed, progress=0.5) for agent in ("a", "b") for seed in range(3)]
    (item,) = compare_agents(runs)
    assert not item.differs
    assert item.verdict.startswith("inside the noise: a and b cannot be told apart")
    assert "so few pairs could not show a difference" in item.verdict
    assert (item.pairs, item.difference, item.wilcoxon_p) == (3, 0.0, None)


def test_a_difference_that_is_one_says_who_is_better_at_what() -> None:
    runs = [run("a", seed=seed, progress=1.0) for seed in range(10)]
    runs += [run("b", seed=seed, progress=0.1) for seed in range(10)]
    (item,) = compare_agents(runs)
    assert item.differs and item.verdict.startswith(
        "a succeeds more often than b (success 10 of 10 against 0 of 10, +61 to +100 points, p < 0.001"
    )
    runs = [run("a", seed=seed, progress=0.2) for seed in range(10)]
    runs += [run("b", seed=seed, progress=0.6) for seed in range(10)]
    (item,) = compare_agents(runs)
    assert item.verdict.startswith("b gets further than a")


def test_only_tasks_that_both_played_are_compared() -> None:
    runs = [run("a", seed=seed, progress=1.0, task="easy") for seed in range(10)]
    runs += [
        run("a", progress=0.0, task="hard"),
        run("b", progress=0.0, task="hard"),
        run("c", ended="launch"),
    ]
    (item,) = compare_agents(runs)
    assert (item.a, item.b, item.wins_a, item.runs_a, item.runs_b) == ("a", "b", 0, 1, 1)


def test_two_suites_are_compared_agent_by_agent() -> None:
    before = [run("a", seed=seed, progress=0.0) for seed in range(8)] + [run("old", progress=1.0)]
    after = [run("a", seed=seed, progress=1.0) for seed in range(8)]
    (item,) = compare_suites("before", before, "after", after)
    assert (item.a, item.b, item.pairs, item.difference) == ("a in before", "a in after", 8, -1.0)
    assert item.verdict.startswith("a in after succeeds more often than a in before")


def test_the_front_is_whom_nobody_beats() -> None:
    def tokens(count: int) -> RunSummary:
        return RunSummary(tiers={"fast": TierFigures(prompt_tokens=count)})

    runs = [
        run("cheap", progress=0.0, summary=tokens(0)),
        run("good", progress=1.0, summary=tokens(500)),
        run("wasteful", progress=1.0, summary=tokens(900)),
        run("bad", progress=0.0, summary=tokens(300)),
    ]
    assert front_of(rows_by(runs, "agent")) == ("cheap", "good")
