"""What the agent beside a playing person would have pressed, and where it would have done otherwise."""

from __future__ import annotations

from dataclasses import replace

from pitwall.core.clock import NS_PER_S
from pitwall.core.model_telemetry import Disagreement, ShadowNote, ShownPress

_MOMENTS = 200
LANE_S = 10
"""Length of the lanes."""


class ShadowHistory:
    """Keeps the newest note, every disagreement of the run, and the presses of the last seconds."""

    def __init__(self) -> None:
        self.note: ShadowNote | None = None
        self.moments: dict[int, Disagreement] = {}
        self.presses: dict[tuple[str, str, int], ShownPress] = {}

    def add(self, note: ShadowNote) -> None:
        """Take a note; a note that counts fewer decisions than the last belongs to another run."""
        if self.note is not None and note.agreement.decisions < self.note.agreement.decisions:
            self.moments, self.presses = {}, {}
        self.note = note
        self.moments.update((moment.at_ns, moment) for moment in note.moments)
        for at_ns in sorted(self.moments)[:-_MOMENTS]:
            del self.moments[at_ns]
        unchanged = {(press.by, press.label, press.down_ns): press for press in note.presses}
        oldest = note.at_ns - LANE_S * NS_PER_S
        ended = {
            key: replace(press, up_ns=press.up_ns or note.at_ns)
            for key, press in self.presses.items()
            if (press.up_ns or note.at_ns) > oldest
        }
        self.presses = ended | unchanged
