"""The analysis of a version: figures with units, and their description in bounded text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.games.schema.modules import ModuleKind
from pitwall.gsm.version_record import VersionStatus

MOST_CHARACTERS = 4_000
_MOST_ROWS = 12
Shape = Literal["rising", "falling", "flat", "rose, then fell", "fell, then rose", "too short"]


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True)


class ActionUse(_Figures):
    """How often an action was chosen, as shares 0 … 1 of all decisions.

    Attributes:
        action: the action's text; "" begins nothing new. first, last: shares in the first and last tenth.
    """

    action: str
    share: float
    first: float
    last: float


class Trend(_Figures):
    """A mean over time: in the first tenth, in the last, and over all of it."""

    name: str
    unit: str = ""
    first: float
    last: float
    mean: float

    @property
    def change(self) -> float:
        return self.last - self.first


class RewardPart(Trend):
    """The mean of a named reward part a decision. `weight`: its share 0 … 1 of all parts' absolute means."""

    weight: float


class Curve(_Figures):
    """The return of episodes during training.

    Attributes:
        first, middle, last: means of its thirds. best, best_step: of the smoothed curve.
        swing: mean absolute difference of neighbouring points over the curve's range, 0 … 1.
    """

    shape: Shape
    first: float
    middle: float
    last: float
    best: float
    best_step: int
    swing: float


class Stability(_Figures):
    """The spread of evaluations on held-out seeds, and the growth of loss and Q values.

    Attributes:
        evaluations: their count. mean, deviation: of the later half, in the trial's unit.
        largest_drop: from one evaluation to the next. loss_growth, q_growth: median of the last quarter over
            that of the second; None with too few points.
    """

    evaluations: int
    mean: float
    deviation: float
    largest_drop: float
    loss_growth: float | None = None
    q_growth: float | None = None


class Regression(_Figures):
    """The best evaluation and the newest. `certain`: their 95 % intervals do not touch."""

    best: float
    best_step: int
    now: float
    now_step: int
    certain: bool

    @property
    def lost(self) -> float:
        return self.best - self.now


class Plateau(_Figures):
    """The time without improvement: the best evaluation's step, and the share of steps since, 0 … 1."""

    since_step: int
    steps: int
    share: float


class Comparison(_Figures):
    """Held-out scores of the parent and of this version. `verdict`: the sentence of `comparison.Verdict`."""

    parent: str
    parent_mean: float
    mean: float
    verdict: str


class Play(_Figures):
    """The result of playing the version on its twin, or on the screen.

    Attributes:
        scores: of each run, in the trial's unit. ended: reason → runs.
        actions: shares of decisions. states: trends over an episode, from its first tenth to its last.
        before_end: field means in the last second of lost runs.
        seen: field → numbers that divide its readings into equal parts, or its different words.
        picture: the runs' last decisions side by side, with what was seen drawn in; JPEG, empty for none.
    """

    runs: int
    scores: tuple[float, ...]
    ended: dict[str, int] = {}
    actions: tuple[ActionUse, ...] = ()
    states: tuple[Trend, ...] = ()
    before_end: dict[str, float] = {}
    seen: dict[str, tuple[float | str, ...]] = {}
    place: Literal["twin", "screen"] = "twin"
    picture: bytes = Field(b"", exclude=True, repr=False)


class Analysis(_Figures):
    """The analysis of a version's training or play; charts and prompts are made from it.

    Attributes:
        unit: of scores. steps: decisions learned from, out of `steps_wanted`. wall_s: of training.
        sentences: findings, the most important first.
    """

    game_id: str
    module: str
    version: str
    parent: str = ""
    kind: ModuleKind
    standing: VersionStatus
    unit: str = ""
    higher: bool = True
    steps: int = 0
    steps_wanted: int = 0
    wall_s: float = 0.0
    points: int = 0
    curve: Curve | None = None
    actions: tuple[ActionUse, ...] = ()
    rewards: tuple[RewardPart, ...] = ()
    states: tuple[Trend, ...] = ()
    stability: Stability | None = None
    regression: Regression | None = None
    plateau: Plateau | None = None
    comparison: Comparison | None = None
    play: Play | None = None
    sentences: tuple[str, ...] = ()

    def text(self, most: int = MOST_CHARACTERS) -> str:
        """Describe the figures in at most `most` characters; the least important are left out first."""
        lines: list[str] = []
        left = most
        for line in self._lines():
            if len(line) + 1 > left:
                break
            lines.append(line)
            left -= len(line) + 1
        return "\n".join(lines)

    def _lines(self) -> Iterator[str]:
        trained = (
            f", {self.steps:,} of {self.steps_wanted:,} steps in {self.wall_s:,.0f} s" if self.steps else ""
        )
        yield f"{self.game_id}/{self.module} {self.version} ({self.kind}, {self.standing}{trained})"
        yield from (f"- {sentence}" for sentence in self.sentences)
        if self.curve is not None:
            of = self.curve
            yield (
                f"Episode return: {of.shape}; thirds {of.first:.3g}, {of.middle:.3g}, {of.last:.3g} reward; "
                f"best {of.best:.3g} at step {of.best_step:,}; swings {of.swing:.0%} of its range"
            )
        if self.stability is not None:
            yield f"Held-out evaluations: {_stability(self.stability, self.unit)}"
        yield from _rows("Reward a decision, by part (first tenth → last; weight)", map(_part, self.rewards))
        yield from _rows("Actions (share first tenth → last; all)", map(_use, self.actions))
        yield from _rows("State means (first tenth of the training → last)", map(_trend, self.states))
        if self.play is not None:
            yield from _played(self.play, self.unit)


def _played(play: Play, unit: str) -> Iterator[str]:
    mean = sum(play.scores) / len(play.scores) if play.scores else 0.0
    ends = ", ".join(f"{why or 'the end'} {runs}×" for why, runs in play.ended.items())
    how = f"mean {_with(mean, unit)}; ended by: {ends or 'unknown'}"
    yield f"Played {play.runs} runs on the {play.place}: {how}"
    yield from _rows("Actions in play (share at first → at last; all)", map(_use, play.actions))
    yield from _rows("State over an episode (first tenth → last)", map(_trend, play.states))
    before = (f"{name} {value:.3g}" for name, value in play.before_end.items())
    yield from _rows("Mean state in the last second of lost runs", before)
    yield from _rows("Fields as they were read", (_range(*field) for field in play.seen.items()))


def _range(name: str, values: tuple[float | str, ...]) -> str:
    if not values or isinstance(values[0], str):
        return f"{name}: {', '.join(map(repr, values))}"
    return f"{name}: {values[0]:.4g} … {values[-1]:.4g}, half of them below {values[len(values) // 2]:.4g}"


def _rows(title: str, rows: Iterator[str]) -> Iterator[str]:
    some = list(rows)
    if not some:
        return
    yield f"{title}:"
    yield from (f"  {row}" for row in some[:_MOST_ROWS])
    if len(some) > _MOST_ROWS:
        yield f"  and {len(some) - _MOST_ROWS} more"


def _stability(of: Stability, unit: str) -> str:
    words = [f"{of.evaluations}; later half {_with(of.mean, unit)} ± {of.deviation:.3g}"]
    words.append(f"largest drop {_with(of.largest_drop, unit)}")
    words += [f"loss × {of.loss_growth:.2g}"] if of.loss_growth is not None else []
    words += [f"Q × {of.q_growth:.2g}"] if of.q_growth is not None else []
    return "; ".join(words)


def _use(action: ActionUse) -> str:
    return f"{action.action or '(none new)'}: {action.first:.1%} → {action.last:.1%}; {action.share:.1%}"


def _part(part: RewardPart) -> str:
    return f"{part.name}: {part.first:.3g} → {part.last:.3g} reward; {part.weight:.0%}"


def _trend(trend: Trend) -> str:
    return f"{trend.name}: {trend.first:.4g} → {_with(trend.last, trend.unit)}"


def _with(value: float, unit: str) -> str:
    return f"{value:.4g} {unit}".rstrip()
