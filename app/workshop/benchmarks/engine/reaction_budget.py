"""Splits the time from pixel to key by stage: combines the run log's times with the window's own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from pitwall.core.clock import NS_PER_MS, ms_between
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.store.run_reader import RunReader
from workshop.benchmarks.report import spread

Flash = tuple[int, int]
"""Monotonic nanoseconds: drawn, and key received by the window."""


def budget(data: DataFolder, flashes: Sequence[Flash]) -> dict[str, Any]:
    """Sort the time of each logged reaction by stage, in ms; the stages of a reaction follow one another.

    `perceive` and `capture` belong to the frames that steps were decided on.
    """
    reader = RunReader.open(data)
    try:
        steps = [step for run in range(1, reader.count() + 1) for step in reader.steps(run)]
    finally:
        reader.close()
    stages: dict[str, list[float]] = {
        "drawn to heard of": [],
        "captured": [step.timings.capture_ms for step in steps],
        "perceived": [step.timings.perceive_ms for step in steps],
        "heard of to injected": [],
        "injected to in hand": [],
    }
    drawn = [flash[0] for flash in flashes]
    for step in steps:
        pressed_ns, reaction_ms = _first_press(step), step.timings.reaction_ms
        at = bisect_right(drawn, pressed_ns) - 1
        if reaction_ms is None or at < 0 or pressed_ns > flashes[at][1]:
            continue
        heard_ns = pressed_ns - int(reaction_ms * NS_PER_MS)
        if heard_ns >= drawn[at]:
            stages["drawn to heard of"].append(ms_between(drawn[at], heard_ns))
            stages["heard of to injected"].append(reaction_ms)
            stages["injected to in hand"].append(ms_between(pressed_ns, flashes[at][1]))
    return {stage: spread(times) for stage, times in stages.items() if times}


def _first_press(step: StepRecord) -> int:
    return next((sent.sent_ns for sent in step.sent if sent.event.kind == "key_down" and sent.sent_ns), 0)
