"""What an analysis says about a log whose course is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.pitwall_lab.improve_game import drift, hold, steer

from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall.gsm.version_record import Score
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.analysis.analyser import Analysis, analyse
from pitwall_lab.analysis.comparison import compare_scores
from pitwall_lab.improvement.changes import NoProposal
from pitwall_lab.improvement.recipe_advice import advised_change
from pitwall_lab.improvement.reward_advice import with_part_weights
from pitwall_lab.rewards.contract import RewardCall
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training_log import Evaluated, Line, Point

FLY = Path(__file__).resolve().parents[3] / "plugins" / "flappy" / "rewards" / "fly.py"


@pytest.fixture
def log(tmp_path: Path) -> Callable[..., Analysis]:
    """Analyses a version with these lines in its log."""
    folder = steer(tmp_path)

    def made(*lines: Line) -> Analysis:
        version = begin_version(folder).version
        file = folder.folder(version) / "training.jsonl"
        file.write_text("".join(line.model_dump_json() + "\n" for line in lines), encoding="utf-8")
        return analyse(folder, version)

    return made


def point(step: int, **values: object) -> Point:
    return Point.model_validate({"step": step, "wall_s": step / 100, "at": 0.0, **values})


def evaluated(step: int, mean: float, *, best: bool = False) -> Evaluated:
    return Evaluated(
        step=step, wall_s=1.0, at=0.0, runs=5, mean=mean, low=mean - 1, high=mean + 1, wins=0, best=best
    )


@pytest.mark.parametrize(
    ("returns", "shape"),
    [
        (list(range(12)), "rising"),
        (list(range(12, 0, -1)), "falling"),
        ([1, 1.01] * 6, "flat"),
        ([0, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0], "rose, then fell"),
        ([9, 9, 9, 9, 0, 0, 0, 0, 9, 9, 9, 9], "fell, then rose"),
        ([1, 2], "too short"),
    ],
)
def test_the_curve_has_a_shape(log: Callable[..., Analysis], returns: list[float], shape: str) -> None:
    result = log(*(point(10 * n, episode_return=value) for n, value in enumerate(returns, start=1)))
    assert result.curve is not None
    if returns == [1, 1.01] * 6:
        assert result.curve.first == pytest.approx(result.curve.last)
    assert result.curve.shape == shape


def test_actions_rewards_and_states_have_ends(log: Callable[..., Analysis]) -> None:
    rows = [
        point(
            10 * n,
            actions=(5, 5, 0) if n < 10 else (0, 10, 0),
            rewards={"near": 0.1 * n, "far": 0.001},
            states={"x": float(n), "wind": 0.5},
        )
        for n in range(1, 21)
    ]
    result = log(*rows)
    used = {action.action: action for action in result.actions}
    assert used["left"].first == 0.5 and used["left"].last == 1.0
    assert used["right"].share == 0.0
    trends = {state.name: state for state in result.states}
    assert (trends["x"].first, trends["x"].last, trends["x"].unit) == (1.5, 19.5, "px")
    assert trends["x"].change == 18.0
    assert result.rewards[0].name == "near" and result.rewards[0].weight > 0.99
    text = result.text()
    assert "It almost only does one thing: left, 100 %" in text
    assert "It hardly uses right" in text
    assert "'near' is 100 % of the reward" in text or "'near' is 99 % of the reward" in text


def test_regression_plateau_and_swings(log: Callable[..., Analysis]) -> None:
    result = log(
        *(point(100 * n, loss=0.1 if n < 12 else 1.0, q=1.0) for n in range(1, 17)),
        evaluated(200, 5.0),
        evaluated(400, 20.0, best=True),
        *(evaluated(400 + 200 * n, 10.0 if n % 2 else 2.0) for n in range(1, 7)),
    )
    assert result.regression is not None and result.stability is not None and result.plateau is not None
    assert (result.regression.best, result.regression.now, result.regression.certain) == (20.0, 2.0, True)
    assert result.regression.lost == 18.0
    assert result.stability.largest_drop == 10.0
    assert result.stability.loss_growth == pytest.approx(10.0)
    assert result.plateau.share == pytest.approx(0.75)
    words = " ".join(result.sentences)
    for text in (
        "It lost what it had: 20 decisions at step 400",
        "Nothing became better",
        "The loss grew 10-fold",
    ):
        assert text in words
    assert Analysis.model_validate_json(result.model_dump_json()) == result


def test_the_text_is_bounded(log: Callable[..., Analysis]) -> None:
    rows = [point(n, states={f"field_{k}": 1.0 for k in range(60)}, actions=(1, 1, 1)) for n in range(1, 30)]
    result = log(*rows)
    for most in (4_000, 500, 120, 10):
        assert len(result.text(most)) <= most
    assert "and 48 more" in result.text()


def test_nothing_learned_yet_is_said(log: Callable[..., Analysis]) -> None:
    assert "not been trained" in log().text()


def test_rules_have_an_analysis_too(tmp_path: Path) -> None:
    folder: ModuleFolder = hold(tmp_path)
    assert "hold rules (rules" in analyse(folder, "rules").text()


def score(values: list[float], first_seed: int = 1) -> Score:
    return Score(
        where="twin",
        trial="near",
        runs=len(values),
        mean=sum(values) / len(values),
        low=0,
        high=0,
        wins=0,
        win_low=0,
        win_high=0,
        values=tuple(values),
        first_seed=first_seed,
        at=0,
        unit="pipes",
    )


HARD, EASY = [3.0, 9.0, 1.0, 14.0, 6.0, 2.0, 11.0, 5.0], [4.0, 10.0, 2.5, 15.0, 7.0, 3.0, 12.5, 6.0]


def test_pairs_tell_what_means_cannot() -> None:
    """Every run a little better on its own seed: clear in pairs, lost in the spread without them."""
    assert compare_scores(score(HARD), score(EASY)).finding == "better"
    assert compare_scores(score(EASY), score(HARD)).finding == "worse"
    assert compare_scores(score(HARD), score(EASY, first_seed=50)).finding == "inside the noise"


def test_noise_and_few_runs_decide_nothing() -> None:
    assert compare_scores(score(HARD), score(HARD[::-1])).finding == "inside the noise"
    assert compare_scores(score(HARD[:4]), score(EASY[:4])).finding == "inside the noise"
    assert compare_scores(score(HARD), score(HARD)).finding == "inside the noise"


def test_less_may_be_better() -> None:
    result = compare_scores(score(EASY), score(HARD), higher=False)
    assert result.finding == "better"
    assert result.difference < 0 and result.paired
    assert "-1.125 pipes (95 % interval" in result.sentence


def test_advice_follows_the_analysis(log: Callable[..., Analysis], tmp_path: Path) -> None:
    about = begin_version(ModuleFolder(DataFolder(tmp_path / "data"), _game(tmp_path), "steer"))
    rising = log(*(point(10 * n, episode_return=float(n)) for n in range(1, 13)))
    assert advised_change(rising, about, 1).recipe == {"steps": 800}
    with pytest.raises(NoProposal):
        advised_change(rising, about, 2)
    lost = log(evaluated(100, 20.0, best=True), *(evaluated(100 + n, 2.0) for n in range(1, 8)))
    change = advised_change(lost, about, 1)
    assert change.recipe == {"learning_rate": 0.00035}
    assert "lost 18 decisions since step 100" in change.why


def test_a_part_that_is_always_there_loses_weight_and_a_faint_one_gains(
    log: Callable[..., Analysis], tmp_path: Path
) -> None:
    about = begin_version(ModuleFolder(DataFolder(tmp_path / "data"), _game(tmp_path), "steer"))
    parts = {"alive": 0.1, "pipes": 0.01, "touch": -0.001}
    analysed = log(*(point(10 * n, rewards=parts) for n in range(1, 13)))
    source = FLY.read_text(encoding="utf-8")
    first, second = (advised_change(analysed, about, number, source) for number in (1, 2))
    assert first.title == "half the weight of alive" and "90% of the reward" in first.why
    assert second.title == "4 times the weight of touch"
    assert first.reward is not None and "PART_WEIGHTS = {'alive': 0.5}" in first.reward


def test_weights_of_weights_are_multiplied() -> None:
    source = FLY.read_text(encoding="utf-8")
    once = with_part_weights(source, {"line": 0.5})
    twice = with_part_weights(once, {"line": 0.5, "pipes": 4.0})
    assert once.count("def ") == twice.count("def ") == 2
    before, after = {"bird_y": 200.0, "gap_bottom": 250.0, "score": 1.0}, {"score": 2.0}
    call = RewardCall(prev_state=before, next_state=before | after, action_idx=0, done=False)
    with RewardFunction(source) as plain, RewardFunction(twice) as weighted:
        parts, changed = plain.batch([call])[0].parts, weighted.batch([call])[0].parts
        assert changed == pytest.approx({"line": 0.25 * parts["line"], "pipes": 4.0 * parts["pipes"]})
        assert weighted.source.fields == plain.source.fields


def _game(root: Path) -> Game:
    (root / "advice").mkdir()
    return drift(root / "advice")
