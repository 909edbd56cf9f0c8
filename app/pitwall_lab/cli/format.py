"""Writes versions, scores and measurements for the output of `pitwall gsm`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pitwall.core import quantities
from pitwall.core.quantities import counted, date_time, figure, share
from pitwall.gsm.version_record import Score, VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.modules.screen_measurement import FieldNoise, ScreenMeasurement


def score_text(score: Score) -> str:
    """Describe one evaluation in half a line."""
    unit = f" {score.unit}" if score.unit else ""
    delay = "" if score.delay_ms is None else f", delay {score.delay_ms:.1f} ms"
    share = quantities.interval_text(score.win_low, score.win_high)
    return (
        f"{score.trial}, {'in the twin' if score.where == 'twin' else 'on the screen'}"
        f"{'' if score.cap is None else f', cap {score.cap:g}'}: "
        f"mean {score.mean:.3g}{unit} ({score.low:.3g} … {score.high:.3g}), "
        f"{score.wins} of {score.runs} succeeded ({share}){delay}"
    )


def version_lines(folder: ModuleFolder, versions: Sequence[VersionRecord]) -> Iterator[str]:
    """Write every version with its parent, standing and newest scores; the driving one is marked."""
    drives = folder.driving()
    for about in versions:
        mark = "●" if about.version == drives else " "
        of = f"from {about.parent}" if about.parent else ""
        head = f"{mark} {about.version:8s} {about.kind:7s} {about.standing:11s} {of:14s} {about.title}"
        yield head.rstrip()
        if about.rate is not None:
            yield f"    {about.rate.words}"
        for score in newest(about):
            yield f"    {score_text(score)}"
        if about.note:
            yield f"    {about.note}"


def invention_of(folder: ModuleFolder) -> dict[str, Any] | None:
    """Return the origin of an invented module; None for a module that its game declares."""
    of = folder.invented
    if of is None:
        return None
    kept = of.invention
    return {
        "by": kept.by,
        "model": kept.model,
        "author": of.author,
        "at": kept.at,
        "why": kept.module.why,
        "judged_by": kept.module.judged_by,
        "in_force": not of.at_rest,
        "at_rest": of.at_rest,
    }


def invention_lines(folder: ModuleFolder) -> Iterator[str]:
    """Describe a module's invention: by whom, when, why, and why it is inactive; empty if declared."""
    of = folder.invented
    if of is None:
        return
    when = date_time(of.invention.at)
    why = f": {of.invention.module.why}" if of.invention.module.why else ""
    yield f"invented by {of.author}, {when}{why}"
    if of.at_rest:
        yield f"It is at rest, and nothing runs it: {of.at_rest}."


def newest(about: VersionRecord) -> list[Score]:
    """Return the newest score of each trial, on the screen and in the twin."""
    latest = {(score.where, score.trial): score for score in sorted(about.scores, key=lambda score: score.at)}
    return list(latest.values())


def promotion_lines(folder: ModuleFolder) -> Iterator[str]:
    """Write the history of promotions, the newest last."""
    for promotion in folder.promoted().history:
        version, why = promotion.version, f": {promotion.why}" if promotion.why else ""
        event = f"back to {version or 'the version before'}" if promotion.back else f"{version} promoted"
        yield f"{date_time(promotion.at)}  {event} by {promotion.by}{why}"


def run_text(run: Mapping[str, Any], unit: str) -> str:
    """Describe one run of an evaluation on the screen."""
    score = "-" if run["score"] is None else f"{run['score']:g}"
    reaction = run["reaction_p50_ms"]
    reaction_text = (
        "" if reaction is None else f", reaction {reaction:.1f}/{run['reaction_p95_ms'] or 0.0:.1f} ms"
    )
    again = ", played twice" if run["replayed"] else ""
    return (
        f"seed {run['seed']}: {score} {unit} in {run['seconds']:.1f} s ({run['why']})".replace("  ", " ")
        + f", {run['dropped_frames']} of {run['frames']} frames dropped{reaction_text}{again}"
    )


def measured_lines(measured: ScreenMeasurement) -> Iterator[str]:
    """Write a measurement, and the recipe values that follow from it."""
    reaction, frame = measured.reaction_ms, measured.frame_ms
    yield (
        f"{measured.game_id}/{measured.module} {measured.version}: {measured.frames} frames in "
        f"{measured.seconds:.1f} s, {share(measured.dropped)} dropped, load {measured.load:.1f}"
    )
    key_p50, key_p95, frame_p50, frame_p95, jitter = (
        figure(value, "ms")
        for value in (reaction.p50, reaction.p95, frame.p50, frame.p95, measured.jitter_ms)
    )
    yield f"  pixel to key  p50 {key_p50}, p95 {key_p95} ({counted(reaction.n, 'key press', 'key presses')})"
    yield f"  frame to frame  p50 {frame_p50}, p95 {frame_p95}, jitter {jitter}"
    for name, noise in measured.noise.items():
        yield f"  {name}: {_noise(noise)}"
    if measured.unmatched:
        yield f"  the true state does not name: {', '.join(measured.unmatched)}"
    recipe = measured.recipe()
    values = [f"--set {name}={value}" for name, value in recipe.items() if name != "noise"]
    values += [f"--set noise.{name}={value}" for name, value in recipe["noise"].items()]
    yield f"  to train with it: {' '.join(values)}"


def _noise(noise: FieldNoise) -> str:
    unit = f" {noise.unit}" if noise.unit else ""
    return (
        f"spread {noise.spread:.3g}{unit}, bias {noise.bias:+.3g}{unit}, {share(noise.wrong)} misread, "
        f"{share(noise.unread)} unread, {noise.pairs} pairs, {noise.lag_ms:.0f} ms after {noise.truth}"
    )
