"""Sums up watched runs on the screen, for the analysis of a version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pitwall.games.schema.profile import Game
from pitwall_lab.analysis.figures import ActionUse, Play, Trend
from pitwall_lab.game_trials.last_picture import row_of_pictures
from pitwall_lab.game_trials.messages import FieldTrace, PlayTrace, TrialRun

_REASONS = {"terminal": "over", "cap": "at the cap", "time": "time was up"}


def play_of(game: Game, runs: Sequence[TrialRun]) -> Play:
    """Return the figures of runs that all count."""
    traces = [run.trace or PlayTrace() for run in runs]
    lost = [run.trace for run in runs if run.trace is not None and run.cause == "terminal"]
    units = {field.name: field.unit for field in game.profile.fields}
    names = dict.fromkeys(name for trace in traces for name in trace.fields)
    ended = Counter(_REASONS.get(run.cause, run.cause) for run in runs)
    return Play(
        runs=len(runs),
        scores=tuple(run.score for run in runs if run.score is not None),
        ended=dict(ended),
        actions=_uses(traces),
        states=tuple(_trend(name, units.get(name, ""), traces) for name in names),
        before_end={
            name: _mean([trace.fields[name].at_end for trace in lost if name in trace.fields])
            for name in names
            if any(name in trace.fields for trace in lost)
        },
        seen=_seen(traces),
        picture=row_of_pictures([trace.picture for trace in traces if trace.picture]),
        place="screen",
    )


def _uses(traces: Sequence[PlayTrace]) -> tuple[ActionUse, ...]:
    sums = [Counter[str](), Counter[str](), Counter[str]()]
    for trace in traces:
        for name, counts in trace.actions.items():
            for total, count in zip(sums, counts, strict=True):
                total[name] += count
    shares = [{name: total[name] / max(1, total.total()) for name in sums[0]} for total in sums]
    used = [
        ActionUse(action=name, share=shares[0][name], first=shares[1][name], last=shares[2][name])
        for name in sums[0]
    ]
    return tuple(sorted(used, key=lambda use: -use.share))


def _trend(name: str, unit: str, traces: Sequence[PlayTrace]) -> Trend:
    known: list[FieldTrace] = [trace.fields[name] for trace in traces if name in trace.fields]
    return Trend(
        name=name,
        unit=unit,
        first=_mean([field.first for field in known]),
        last=_mean([field.last for field in known]),
        mean=_mean([field.mean for field in known]),
    )


def _seen(traces: Sequence[PlayTrace]) -> dict[str, tuple[float | str, ...]]:
    """Join what the runs saw of each field; a field that one run left out counts from the others."""
    seen: dict[str, dict[float | str, None]] = {}
    for trace in traces:
        for name, values in trace.seen.items():
            seen.setdefault(name, {}).update(dict.fromkeys(values))
    return {
        name: tuple(values if any(isinstance(value, str) for value in values) else sorted(values))
        for name, values in seen.items()
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
