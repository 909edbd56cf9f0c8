"""What may be promoted, evaluations kept beside a version, and a policy tried in a real host."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from tests.gsm.policies import LEARNED, game, keep, linear_policy

from pitwall.core.confidence_intervals import wilson
from pitwall.core.errors import PitwallError
from pitwall.core.model_telemetry import Agreement
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Module, Rule, Trial
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.version_record import Score, VersionRecord
from pitwall.gsm.versions import RULES, ModuleFolder
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.modules.policy_probe import probe
from pitwall_lab.modules.promotion_gate import judge_promotion
from pitwall_lab.modules.screen_measurement import Figure, ScreenMeasurement, read_measured, write_measured

TRIALS = [Trial(name="air", score="game_state.score", success=5), Trial(name="fall", score="x", success=1)]
MODULE = Module(
    name="soar",
    ends="fallen > 0",
    rules=[Rule(when="height < 20", action="flap")],
    learned=LEARNED,
    trials=TRIALS,
)
GOOD, POOR = (8.0, 9.0, 7.0, 8.0, 9.0, 8.0), (1.0, 2.0, 1.0, 0.0, 2.0, 1.0)


def _score(
    values: tuple[float, ...],
    at: float,
    where: Literal["twin", "screen"] = "twin",
    *,
    trial: str = "air",
    delay_ms: float | None = 5.0,
    cap: float | None = None,
) -> Score:
    wins = sum(value >= 5 for value in values)
    low, high = mean_interval(values)
    win_low, win_high = wilson(wins, len(values))
    return Score(
        where=where,
        trial=trial,
        runs=len(values),
        mean=sum(values) / len(values),
        low=low,
        high=high,
        wins=wins,
        win_low=win_low,
        win_high=win_high,
        values=values,
        delay_ms=delay_ms,
        cap=cap,
        at=at,
    )


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def folder(data: DataFolder, tmp_path: Path) -> ModuleFolder:
    return ModuleFolder(data, game(tmp_path, MODULE), MODULE.name)


def _kept(data: DataFolder, folder: ModuleFolder, *scores: Score) -> VersionRecord:
    policy = linear_policy(LEARNED, state=1.0)
    return keep(data, folder.game, MODULE.name, LEARNED, policy, scores=scores)


def test_a_policy_must_have_been_evaluated_with_delay(data: DataFolder, folder: ModuleFolder) -> None:
    never, exact = _kept(data, folder), _kept(data, folder, _score(GOOD, 1, delay_ms=0.0))
    capped = _kept(data, folder, _score(GOOD, 1, "screen", cap=1.0))
    for about in (never, exact, capped):
        assert "never evaluated with delay" in judge_promotion(folder, about.version).against[0]
    for score in (_score(GOOD, 1), _score(GOOD, 1, "screen", delay_ms=None)):
        assert judge_promotion(folder, _kept(data, folder, score).version).passed


def test_what_is_worse_than_what_drives_is_refused_outside_the_noise(
    data: DataFolder, folder: ModuleFolder
) -> None:
    folder.add_score(RULES, _score(GOOD, 1))
    poor = _kept(data, folder, _score(GOOD, 1), _score(POOR, 2))
    like = _kept(data, folder, _score((8.0, 6.0, 9.0, 7.0), 1))
    other = _kept(data, folder, _score(POOR, 1, trial="fall"))
    [against] = judge_promotion(folder, poor.version).against
    assert "worse than what drives now" in against
    assert "rules" in against
    assert judge_promotion(folder, like.version).passed
    verdict = judge_promotion(folder, other.version)
    assert verdict.passed
    assert "no evaluation in common" in verdict.notes[0]


def test_a_share_of_successes_counts_beside_the_mean(data: DataFolder, folder: ModuleFolder) -> None:
    folder.add_score(RULES, _score((5.0,) * 12, 1))
    lucky = _kept(data, folder, _score((60.0, *(0.0,) * 11), 1))
    assert "worse" in judge_promotion(folder, lucky.version).against[0]


def test_where_less_is_more_the_gate_turns_round(data: DataFolder, tmp_path: Path) -> None:
    trial = TRIALS[0].model_copy(update={"higher": False})
    module = MODULE.model_copy(update={"trials": [trial]})
    folder = ModuleFolder(data, game(tmp_path, module), module.name)
    low = _score(POOR, 1).model_copy(update={"wins": 6, "win_low": 0.6, "win_high": 1.0})
    high = _score(GOOD, 1).model_copy(update={"wins": 6, "win_low": 0.6, "win_high": 1.0})
    folder.add_score(RULES, low)
    assert not judge_promotion(folder, _kept(data, folder, high).version).passed
    assert judge_promotion(folder, _kept(data, folder, low).version).passed


def _agrees(share: float, half: float, chance: float = 0.5) -> Agreement:
    low, high = share - half, share + half
    share_, low_, high_ = ((item - chance) / (1 - chance) for item in (share, low, high))
    return Agreement(
        decisions=900,
        spans=30,
        share=share,
        low=low,
        high=high,
        kappa=share_,
        kappa_low=low_,
        kappa_high=high_,
    )


def test_without_trials_agreement_with_held_out_play_speaks_for_a_policy(
    data: DataFolder, tmp_path: Path
) -> None:
    module = MODULE.model_copy(update={"trials": [], "rules": []})
    folder = ModuleFolder(data, game(tmp_path, module), module.name)
    about = _kept(data, folder)
    for agreements, text in (
        ({}, "never held against play"),
        ({"v1": _agrees(0.6, 0.15)}, "not surely nearer"),
        ({"v1": Agreement(decisions=900, spans=30, share=1.0)}, "neither pressed anything"),
    ):
        [against] = judge_promotion(folder, about.version, agreements).against
        assert text in against
    verdict = judge_promotion(folder, about.version, {"v1": _agrees(0.8, 0.1)})
    assert verdict.passed and "80 %" in verdict.notes[0]


def test_what_agrees_less_with_the_same_play_than_what_drives_is_refused(
    data: DataFolder, tmp_path: Path
) -> None:
    module = MODULE.model_copy(update={"trials": [], "rules": []})
    folder = ModuleFolder(data, game(tmp_path, module), module.name)
    _kept(data, folder), _kept(data, folder)
    folder.promote("v1")
    for share, passed in ((0.95, False), (0.85, True)):
        verdict = judge_promotion(folder, "v2", {"v2": _agrees(0.8, 0.05), "v1": _agrees(share, 0.05)})
        assert verdict.passed is passed
        assert f"{100 * share:.0f} %" in " ".join((*verdict.against, *verdict.notes))


def test_evaluations_are_kept_by_what_a_version_does(data: DataFolder, folder: ModuleFolder) -> None:
    score = _score(GOOD, 1)
    assert folder.add_score(RULES, score).scores == (score,)
    changed = MODULE.model_copy(update={"rules": [Rule(when="height < 30", action="flap")]})
    other = ModuleFolder(data, game(folder.game.folder, changed), MODULE.name)
    assert other.about(RULES).scores == (), "other rules were not evaluated"
    about = _kept(data, folder, score)
    again = folder.add_score(about.version, _score(POOR, 2))
    assert [item.at for item in again.scores] == [1, 2]
    folder.write(again)  # by a trainer, whose about.json then holds what lies beside it as well
    assert len(folder.about(about.version).scores) == 2
    assert folder.about(about.version).score("twin", "air") == _score(POOR, 2)


def test_an_evaluation_ends_with_the_policy_that_was_evaluated(
    data: DataFolder, folder: ModuleFolder
) -> None:
    version, score = _kept(data, folder).version, _score(GOOD, 1, "screen", delay_ms=None)
    judged = folder.add_score(version, score)
    folder.write(judged.model_copy(update={"policy_sha256": "0" * 64}))  # a trainer learned on
    assert folder.about(version).scores == ()
    folder.write(judged)  # and kept the earlier policy after all
    assert folder.about(version).scores == (score,)


def test_a_policy_is_tried_in_a_host_process(data: DataFolder, folder: ModuleFolder) -> None:
    good = _kept(data, folder)
    assert probe(data, folder, RULES) is None
    took_ms = probe(data, folder, good.version)
    assert took_ms is not None
    assert took_ms > 0

    file = folder.folder(good.version) / "policy.onnx"
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(BadPolicy, match="another SHA-256"):
        probe(data, folder, good.version)
    damaged = keep(data, folder.game, MODULE.name, LEARNED, b"no policy at all")
    with pytest.raises(PitwallError, match=r"policy\.onnx"):
        probe(data, folder, damaged.version)
    narrow = LEARNED.model_copy(update={"actions": ["", "flap", "rest"]})
    other = keep(data, folder.game, MODULE.name, narrow, linear_policy(LEARNED, state=1.0))
    with pytest.raises(PitwallError):
        probe(data, folder, other.version)


def test_a_measurement_becomes_values_of_a_recipe(folder: ModuleFolder) -> None:
    assert read_measured(folder.root) is None
    measured = ScreenMeasurement(
        game_id="kite",
        module="soar",
        version=RULES,
        seed=1,
        seconds=30.0,
        frames=900,
        dropped=0.02,
        reaction_ms=Figure(p50=3.0, p95=8.5, n=200),
        frame_ms=Figure(p50=33.3, p95=35.0, n=900),
    )
    write_measured(folder.root, measured)
    assert read_measured(folder.root) == measured
    assert measured.recipe() == {"delay_ms": 3.0, "jitter_ms": 5.5, "drop": 0.02, "noise": {}}
    (folder.root / "measured.json").write_text("{}", encoding="utf-8")
    with pytest.raises(PitwallError, match=r"measured\.json"):
        read_measured(folder.root)
