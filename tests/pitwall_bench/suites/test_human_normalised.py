"""Atari results beside the published scores: what counts, what it comes to, where it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pitwall_bench.suites.made_runs import run

from pitwall_bench.cli.suite.format import summary_lines
from pitwall_bench.suites.human_normalised import PROTOCOL, human_levels
from pitwall_bench.suites.report.writer import write_report
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.statistics import human_normalised
from pitwall_bench.suites.summary import Summary, summarise
from pitwall_evaluation.published_scores import published


def _run(agent: str, game: str, score: float, **more: object) -> TaskRun:
    target = {"gym-ale-pong": 14.6, "gym-ale-breakout": 30.5}.get(game, 5.0)
    return run(agent, game=game, **{"task": "human", "score": score, "target": target, **more})  # type: ignore[arg-type]


def _summary() -> Summary:
    runs = [
        *(_run("skills", "gym-ale-pong", score, seed=seed) for seed, score in enumerate((14.6, 14.6))),
        *(_run("skills", "gym-ale-breakout", score, seed=seed) for seed, score in enumerate((1.7, 16.1))),
        _run("idle", "gym-ale-pong", -20.7),
        _run("skills", "snake", 3),
    ]
    spec = SuiteSpec.model_validate(
        {"name": "atari", "games": [{"game": "snake"}], "agents": [{"name": "skills"}, {"name": "idle"}]}
    )
    return summarise("atari", spec, runs)


def test_an_environment_and_its_game_have_the_same_published_scores() -> None:
    scores = published("ALE/VideoPinball-v5")
    assert scores is not None and scores == published("gym-ale-video-pinball")
    assert (scores.random, scores.human, scores.dqn) == (16256.9, 17667.9, 196760.4)
    assert published("pong") is None


@pytest.mark.parametrize(
    ("more", "share"),
    [({}, 0.5), ({"target": 9.0}, None), ({"ended": "crashed"}, None), ({"score": None}, None)],
)
def test_only_a_run_that_may_reach_the_human_counts(more: dict[str, object], share: float | None) -> None:
    message = {"score": 16.1, **more}
    result = human_normalised(_run("skills", "gym-ale-breakout", **message))  # type: ignore[arg-type]
    assert result == (None if share is None else pytest.approx(share))


def test_games_stand_beside_random_human_and_dqn() -> None:
    summary = _summary()
    result = {(row.agent, row.game): row for row in summary.human}
    assert set(result) == {
        ("skills", "gym-ale-pong"),
        ("skills", "gym-ale-breakout"),
        ("idle", "gym-ale-pong"),
    }
    breakout = result["skills", "gym-ale-breakout"]
    assert breakout.normalised.mean == pytest.approx(0.25) and breakout.normalised.n == 2
    assert (breakout.random, breakout.human, breakout.dqn) == (1.7, 30.5, 385.5)
    assert breakout.dqn_normalised == pytest.approx((385.5 - 1.7) / 28.8)
    skills, idle = human_levels(summary.human)
    assert (skills.games, skills.human, skills.quarter) == (2, 1, 2) and skills.median == pytest.approx(0.625)
    assert (idle.human, idle.median) == (0, 0)


def test_every_report_says_the_figures_and_how_ours_differ(tmp_path: Path) -> None:
    summary = _summary()
    write_report(summary, tmp_path)
    texts = {file.name: file.read_text("utf-8") for file in tmp_path.iterdir()}
    output = "\n".join(summary_lines(summary))
    assert "sticky actions" in PROTOCOL and "pixels of a window" in PROTOCOL and "real time" in PROTOCOL
    for text in (
        output,
        texts["report.html"].replace("&#x27;", "'"),
        texts["tables.tex"].replace(r"\%", "%"),
    ):
        assert PROTOCOL in text and "385.5" in text
    assert "published_dqn" in texts["tasks.csv"] and "385.5" in texts["tasks.csv"]
    assert '"dqn":385.5' in texts["summary.json"].replace(" ", "")
