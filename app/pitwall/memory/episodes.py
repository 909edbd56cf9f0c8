"""Episode summaries (L4): their keys, and the summary that rules write after a run (SPEC §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pitwall.core.observations import Value
from pitwall.core.quantities import counted
from pitwall.core.runs import RunSummary
from pitwall.memory.value_format import format_value, format_with_unit, quoted

_OUTCOMES = {
    "finished": "reached its end",
    "stopped": "was stopped",
    "emergency": "was stopped in an emergency",
    "hung": "was stopped as its loop stood still",
    "lost_window": "ended with the game's window",
    "crashed": "ended with a fault",
}
_MOST_REACHED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeFacts:
    """The facts that a summary needs beside the run's figures.

    Attributes:
        instruction: the task; empty for none.
        progress: how often the progress counter grew.
        reached: the best or last value of each field that the profile's progress rules name.
        terminal: how often the game ended (was lost or over) during the run.
        subgoal: subgoal of the last plan.
        trouble: the most frequent failure, in words; empty for none. times: how often it occurred.
    """

    instruction: str = ""
    progress: int = 0
    reached: Mapping[str, Value] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    terminal: int = 0
    subgoal: str = ""
    trouble: str = ""
    times: int = 0


def episode_key(names: Sequence[str], *, role: str, seed: int | None, values: Mapping[str, Value]) -> str:
    """Return the key of this situation's episodes: "role=bird; level=3".

    Args:
        names: fields of the key (`knowledge.episode_key` of the profile).
        values: the state reader's fields; unread fields become "unknown".
    """
    parts = []
    for name in names:
        known = {"role": role, "seed": "none" if seed is None else str(seed)}
        text = known[name] if name in known else format_value(values.get(name))
        parts.append(f"{name}={text}")
    return "; ".join(parts)


def write_summary(summary: RunSummary, facts: EpisodeFacts) -> str:
    """Return at most two sentences with figures."""
    return " ".join(part for part in (_deeds(summary, facts), _troubles(summary, facts)) if part)


def _deeds(summary: RunSummary, facts: EpisodeFacts) -> str:
    task = f" at {quoted(facts.instruction)}" if facts.instruction else ""
    how = _OUTCOMES.get(summary.outcome, "ended")
    parts = [f"A run of {counted(summary.steps, 'step')}{task} {how} after {summary.seconds:.0f} s"]
    reached = [
        f"{name} {format_with_unit(value, facts.units.get(name, ''))}"
        for name, value in list(facts.reached.items())[:_MOST_REACHED]
        if value is not None
    ]
    if reached:
        parts.append(f"reached {', '.join(reached)}")
    parts.append(f"made progress {counted(facts.progress, 'time')}")
    if facts.terminal:
        parts.append(f"the game ended {counted(facts.terminal, 'time')}")
    return "; ".join(parts) + "."


def _troubles(summary: RunSummary, facts: EpisodeFacts) -> str:
    parts = []
    if summary.stuck:
        stuck, recovered = counted(summary.stuck, "time"), counted(summary.recovered, "time")
        parts.append(f"it was stuck {stuck} and recovered {recovered}")
    if facts.trouble:
        parts.append(f"most often {quoted(facts.trouble)} ({counted(facts.times, 'time')})")
    reasons = sorted(summary.escalations.items(), key=lambda item: (-item[1], item[0]))[:2]
    if reasons:
        parts.append(
            "plans were asked for by " + " and ".join(f"{name} ({count})" for name, count in reasons)
        )
    if facts.subgoal and parts:
        parts.append(f"the last subgoal was {quoted(facts.subgoal)}")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""
