"""Analyses a version's training from the log it left (SPEC §8: the training analyser)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pitwall.core.quantities import share
from pitwall.games.schema.modules import Module, Trial
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.analysis.comparison import compare_scores
from pitwall_lab.analysis.figures import (
    ActionUse,
    Analysis,
    Comparison,
    Curve,
    Plateau,
    Play,
    Regression,
    RewardPart,
    Shape,
    Stability,
    Trend,
)
from pitwall_lab.training_log import LOG, Evaluated, Point, TrainingLog

__all__ = ["Analysis", "analyse"]

_RARE, _SAME, _GROWN = 0.01, 0.9, 3.0
_PLATEAU = 0.3
_FEW = 6
"""Points that a curve needs to have a shape."""


def analyse(folder: ModuleFolder, version: str, *, play: Play | None = None) -> Analysis:
    """Analyse a version's training, and its play on the twin where `play` is given.

    Raises:
        UnknownModule, DamagedVersion: there is no such version, or it cannot be read.
        DataFolderError: its log cannot be read.
    """
    about = folder.about(version)
    log = TrainingLog(folder.folder(version) / LOG)
    log.follow()
    trial = next(iter(folder.declared.trials), None)
    higher = trial is None or trial.higher
    bare = Analysis(
        game_id=about.game_id,
        module=about.module,
        version=version,
        parent=about.parent,
        kind=about.kind,
        standing=about.standing,
        unit=trial.unit if trial is not None else "",
        higher=higher,
        steps=max((point.step for point in log.points), default=about.steps),
        steps_wanted=about.recipe.steps if about.recipe is not None else 0,
        wall_s=max((point.wall_s for point in log.points), default=about.wall_s),
        points=len(log.points),
        curve=_curve(log.points),
        actions=_actions(log.points, about),
        rewards=_rewards(log.points),
        states=_states(log.points, {field.name: field.unit for field in folder.game.profile.fields}),
        stability=_stability(log, higher=higher),
        regression=_regression(log.evaluations, higher=higher),
        plateau=_plateau(log.evaluations, log.points),
        comparison=_comparison(folder, about, trial),
        play=play,
    )
    return bare.model_copy(update={"sentences": tuple(_sentences(bare, folder.declared))})


# ---- figures


def _curve(points: Sequence[Point]) -> Curve | None:
    rows = [(point.step, point.episode_return) for point in points if point.episode_return is not None]
    if not rows:
        return None
    values = np.asarray([value for _, value in rows], np.float64)
    wide = max(1, len(values) // 10)
    smooth = np.convolve(values, np.ones(wide) / wide, mode="valid")
    best = int(smooth.argmax())
    reach = float(np.ptp(values))
    first, middle, last = (
        float(third.mean()) if len(third) else float(values[-1]) for third in _thirds(values)
    )
    return Curve(
        shape=_shape(first, middle, last, reach, len(values)),
        first=first,
        middle=middle,
        last=last,
        best=float(smooth[best]),
        best_step=rows[best + wide - 1][0],
        swing=float(np.abs(np.diff(values)).mean()) / reach if reach and len(values) > 1 else 0.0,
    )


def _thirds(
    values: NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    return list(np.array_split(values, 3))


def _shape(first: float, middle: float, last: float, reach: float, count: int) -> Shape:
    if count < _FEW:
        return "too short"
    much = 0.1 * reach
    early, late = middle - first, last - middle
    if abs(early) <= much and abs(late) <= much and abs(last - first) <= much:
        return "flat"
    if early > much and late < -much:
        return "rose, then fell"
    if early < -much and late > much:
        return "fell, then rose"
    return "rising" if last > first else "falling"


def _ends(count: int) -> tuple[slice, slice]:
    """Return slices of the first and the last tenth, of at least one value each."""
    tenth = max(1, count // 10)
    return slice(0, tenth), slice(count - tenth, count)


def _actions(points: Sequence[Point], about: VersionRecord) -> tuple[ActionUse, ...]:
    names = about.learned.actions if about.learned is not None else []
    rows = [point.actions for point in points if len(point.actions) == len(names) and any(point.actions)]
    if not rows or not names:
        return ()
    counts = np.asarray(rows, np.float64)
    first, last = _ends(len(counts))
    every, early, late = (_shares(counts[part]) for part in (slice(None), first, last))
    used = [
        ActionUse(action=name, share=float(every[n]), first=float(early[n]), last=float(late[n]))
        for n, name in enumerate(names)
    ]
    return tuple(sorted(used, key=lambda use: -use.share))


def _shares(
    counts: NDArray[np.float64],
) -> NDArray[np.float64]:
    total = counts.sum(axis=0)
    shares: NDArray[np.float64] = total / max(1.0, float(total.sum()))
    return shares


def _rewards(points: Sequence[Point]) -> tuple[RewardPart, ...]:
    trends = list(_trends([point.rewards for point in points], {}))
    whole = math.fsum(abs(trend.mean) for trend in trends) or 1.0
    parts = [
        RewardPart(**trend.model_dump(exclude={"unit"}), unit="reward", weight=abs(trend.mean) / whole)
        for trend in trends
    ]
    return tuple(sorted(parts, key=lambda part: -part.weight))


def _states(points: Sequence[Point], units: dict[str, str]) -> tuple[Trend, ...]:
    return tuple(_trends([point.states for point in points], units))


def _trends(rows: Sequence[dict[str, float]], units: dict[str, str]) -> Iterator[Trend]:
    for name in dict.fromkeys(name for row in rows for name in row):
        values = np.asarray([row[name] for row in rows if name in row], np.float64)
        values = values[np.isfinite(values)]
        if len(values):
            first, last = _ends(len(values))
            yield Trend(
                name=name,
                unit=units.get(name, ""),
                first=float(values[first].mean()),
                last=float(values[last].mean()),
                mean=float(values.mean()),
            )


def _stability(log: TrainingLog, *, higher: bool) -> Stability | None:
    means = [evaluation.mean for evaluation in log.evaluations]
    if not means:
        return None
    later = np.asarray(means[len(means) // 2 :], np.float64)
    falls = [(a - b) if higher else (b - a) for a, b in pairwise(means)]
    return Stability(
        evaluations=len(means),
        mean=float(later.mean()),
        deviation=float(later.std(ddof=1)) if len(later) > 1 else 0.0,
        largest_drop=max(0.0, *falls) if falls else 0.0,
        loss_growth=_growth([point.loss for point in log.points if point.loss is not None]),
        q_growth=_growth([point.q for point in log.points if point.q is not None]),
    )


def _growth(values: Sequence[float]) -> float | None:
    """Divide the median magnitude of the last quarter by that of the second quarter."""
    quarter = len(values) // 4
    if quarter < 1:
        return None
    early = float(np.median(np.abs(values[quarter : 2 * quarter])))
    late = float(np.median(np.abs(values[-quarter:])))
    return late / early if early > 0 and math.isfinite(late / early) else None


def _regression(evaluations: Sequence[Evaluated], *, higher: bool) -> Regression | None:
    if len(evaluations) < 2:
        return None
    best = (max if higher else min)(evaluations, key=lambda evaluation: evaluation.mean)
    now = evaluations[-1]
    return Regression(
        best=best.mean,
        best_step=best.step,
        now=now.mean,
        now_step=now.step,
        certain=now.high < best.low if higher else now.low > best.high,
    )


def _plateau(evaluations: Sequence[Evaluated], points: Sequence[Point]) -> Plateau | None:
    if len(evaluations) < 2:
        return None
    steps = max(evaluations[-1].step, points[-1].step if points else 0)
    since = max(
        (evaluation.step for evaluation in evaluations if evaluation.best), default=evaluations[0].step
    )
    return Plateau(since_step=since, steps=steps, share=(steps - since) / max(1, steps))


def _comparison(folder: ModuleFolder, about: VersionRecord, trial: Trial | None) -> Comparison | None:
    if not about.parent or trial is None or about.parent not in folder.names():
        return None
    old, new = folder.about(about.parent).score("twin", trial.name), about.score("twin", trial.name)
    if old is None or new is None:
        return None
    verdict = compare_scores(old, new, higher=trial.higher).sentence
    return Comparison(parent=about.parent, parent_mean=old.mean, mean=new.mean, verdict=verdict)


# ---- words


def _sentences(of: Analysis, module: Module) -> Iterable[str]:
    unit = f" {of.unit}" if of.unit else ""
    if of.comparison is not None:
        yield f"Against {of.comparison.parent}: {of.comparison.verdict}"
    if of.regression is not None and of.regression.certain:
        yield (
            f"It lost what it had: {of.regression.best:.4g}{unit} at step {of.regression.best_step:,}, "
            f"{of.regression.now:.4g}{unit} now."
        )
    if of.plateau is not None and of.plateau.share >= _PLATEAU:
        yield (
            f"Nothing became better since step {of.plateau.since_step:,}: {share(of.plateau.share)} of the "
            "training since."
        )
    yield from _stability_words(of.stability, unit)
    yield from _action_words(of.play.actions if of.play is not None else of.actions)
    for part in of.rewards:
        if part.weight >= _SAME and len(of.rewards) > 1:
            yield f"The part {part.name!r} is {share(part.weight)} of the reward: it drowns the others."
        elif part.weight < _RARE:
            yield f"The part {part.name!r} is {share(part.weight)} of the reward: it says almost nothing."
    if of.kind == "policy" and not of.points:
        known = "The log of its training does not lie beside it" if of.steps else "It has not been trained"
        yield f"{known}, so nothing can be said of its training."
    if of.kind == "rules" and of.play is None and module.learned is None:
        yield "It plays by rules and was not executed: play it on its twin to see how it does."


def _stability_words(of: Stability | None, unit: str) -> Iterator[str]:
    if of is None:
        return
    if of.deviation > 0.25 * abs(of.mean) and of.evaluations >= _FEW:
        yield f"It swings: later evaluations {of.mean:.4g} ± {of.deviation:.3g}{unit}."
    if of.loss_growth is not None and of.loss_growth > _GROWN:
        yield f"The loss grew {of.loss_growth:.2g}-fold: the estimates do not settle."
    if of.q_growth is not None and of.q_growth > _GROWN:
        yield f"The estimates grew {of.q_growth:.2g}-fold: rewards may be too large, or γ too near 1."


def _action_words(actions: Sequence[ActionUse]) -> Iterator[str]:
    for action in actions:
        if action.last >= (_SAME if action.action else 1.0 - _RARE):
            name = action.action or "doing nothing new"
            yield f"It almost only does one thing: {name}, {share(action.last)} of decisions at the end."
    rare = [action.action for action in actions if action.last < _RARE and action.action]
    if rare:
        yield f"It hardly uses {', '.join(rare[:6])} (under {share(_RARE)} of decisions at the end)."
