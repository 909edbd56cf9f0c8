"""Collects what the agent sees and does in one run, from its notes on frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from pitwall.core.clock import NS_PER_MS
from pitwall.core.observations import GameStatus
from pitwall.core.telemetry import FrameNote
from pitwall_lab.analysis.seen_values import seen_values, seen_words
from pitwall_lab.game_trials.messages import FieldTrace, PlayTrace

_LAST_NS = 1_000 * NS_PER_MS


class TraceRecorder:
    """Records the frames in which the game is played."""

    def __init__(self) -> None:
        self._notes: list[FrameNote] = []

    @property
    def notes(self) -> list[FrameNote]:
        """Return the notes so far."""
        return self._notes

    def take(self, note: FrameNote) -> None:
        """Take a note; notes outside of play are left out."""
        if note.status is GameStatus.PLAYING:
            self._notes.append(note)

    def trace(self) -> PlayTrace:
        """Return the trace of the notes so far."""
        actions = [note.last_action for note in self._notes]
        tenth = max(1, len(actions) // 10)
        every, first, last = Counter(actions), Counter(actions[:tenth]), Counter(actions[-tenth:])
        numbers, words = self._readings()
        return PlayTrace(
            actions={name: (count, first[name], last[name]) for name, count in every.items()},
            fields={name: self._field(values) for name, values in numbers.items()},
            seen=seen_values({name: [value for _, value in values] for name, values in numbers.items()})
            | seen_words(words),
        )

    def _readings(self) -> tuple[dict[str, list[tuple[int, float]]], dict[str, list[str]]]:
        """Return the fields' numbers with their times, and their words."""
        numbers: dict[str, list[tuple[int, float]]] = {}
        words: dict[str, list[str]] = {}
        for note in self._notes:
            for reading in note.readings:
                value = reading.value
                if isinstance(value, str):
                    words.setdefault(reading.name, []).append(value)
                elif isinstance(value, int | float) and not isinstance(value, bool):
                    numbers.setdefault(reading.name, []).append((note.captured_ns, float(value)))
        return numbers, words

    def _field(self, values: Sequence[tuple[int, float]]) -> FieldTrace:
        plain = np.asarray([value for _, value in values])
        tenth = max(1, len(plain) // 10)
        end_ns = self._notes[-1].captured_ns - _LAST_NS
        ending = [value for at_ns, value in values if at_ns >= end_ns] or [values[-1][1]]
        return FieldTrace(
            first=float(plain[:tenth].mean()),
            last=float(plain[-tenth:].mean()),
            mean=float(plain.mean()),
            at_end=float(np.mean(ending)),
        )
