"""Names of the trigger's signals as a player understands them, and the paper's term behind each. No Qt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignalWords:
    """Names a signal.

    Attributes:
        says: what it tells, in one sentence with its unit. setting: its threshold in core.signals.Thresholds.
        term: what the paper calls it; it stands in the glossary. unit: of its value, where it has one.
    """

    title: str
    says: str
    setting: str
    term: str
    unit: str = ""

    @property
    def tip(self) -> str:
        """What it tells, and the term behind it."""
        return f"{self.says}\nIn papers: {self.term}"


SIGNAL_WORDS = {
    "change": SignalWords(
        "picture change",
        "How far the picture differs from the step before: 0 is the same picture, 2 the most.",
        "scene_change",
        "visual change d",
    ),
    "stall": SignalWords(
        "no progress",
        "Steps in a row in which nothing counted as progress.",
        "stall_steps",
        "zero progress z",
        "steps",
    ),
    "repetition": SignalWords(
        "same action",
        "How often the same action came in a row, within the last actions.",
        "loop_repeats",
        "repetition r",
        "actions",
    ),
    "failure": SignalWords(
        "failures",
        "How badly actions fail, as a level: 0 not at all, 1 once, 2 an error, 3 nothing works.",
        "failure_level",
        "failure level F",
    ),
    "since_strategic": SignalWords(
        "since a plan",
        "Steps since a plan was last asked for.",
        "refresh_steps",
        "reactive steps since the last strategic call, k",
        "steps",
    ),
}
"""By the signals' names in core.signals.Signals, from top to bottom."""
