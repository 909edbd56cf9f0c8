"""Continues a recorded run from one of its steps in the game's twin, with another version deciding.

The twin begins with the run's seed and repeats the recorded decisions. The run does not record when exactly
each took effect: a frame may have come early or late, a press may have counted a frame or two later. Every
such course is followed, and those with fields nearest to the recorded ones stay. If even the nearest course
is not in the recorded state, the run cannot be continued from there, and an error says so.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.core.steps import ReflexRecord
from pitwall.games.plugin_loader import load_twin
from pitwall.games.schema.modules import Learned
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.playable import module_of
from pitwall.gsm.policy_module import ENDED
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.environments.twin import values_of

_COURSES = 6
"""Most courses followed side by side."""
_LATEST = 2
"""Most frames by which a press may have counted late."""
_LEAD = 12
"""Frames of the twin among which the run's first decision is searched."""
_SAME = 0.02
"""Largest distance, summed over the fields as shares of their ranges, that counts as the same state."""
_UNREAD = 0.5
_MOST_S = 120.0


class OtherState(PitwallError):
    """The twin cannot be brought into the state of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchOutcome:
    """The outcome after a step: score, game seconds since the step, how it ended (empty: it did not)."""

    score: float
    seconds: float
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedOn:
    """Two outcomes from one state: the recorded one, and that of another version.

    Attributes:
        frames: decisions replayed to reach the state. distance: of its fields from the recorded ones.
    """

    step: int
    frames: int
    distance: float
    recorded: BranchOutcome
    other: BranchOutcome


@dataclass(slots=True)
class _Course:
    """One course of the game that fits the recording. due: presses still on their way, in frames from now."""

    twin: Any
    values: Mapping[str, Value]
    due: tuple[tuple[int, int], ...] = ()
    score: float = 0.0
    end: str = ""
    distance: float = 0.0

    def advanced(self, frames: int, press: tuple[int, int] | None) -> _Course:
        """Return a copy of the course so many frames later, with one more press."""
        due = [*self.due, press] if press is not None else list(self.due)
        on = _Course(copy.deepcopy(self.twin), self.values, score=self.score, end=self.end)
        for _ in range(frames if not on.end else 0):
            on.step(next((action for left, action in due if left == 0), 0))
            due = [(left - 1, action) for left, action in due if left > 0]
        on.due = tuple(due)
        return on

    def step(self, action: int) -> None:
        observed, _, over, cut, info = self.twin.step(action)
        self.values, self.score = values_of(observed), float(info["score"])
        self.end = str(info.get("why") or info["outcome"] or "over") if over or cut else ""


class Branching:
    """A run's first start of a module, replayed in its twin.

    Args:
        about: the version that continues.
        seed: of the run. frames: the decisions of the run's modules, frame by frame.

    Raises:
        PitwallError: the run has no seed or no such decisions, or the module no twin.
    """

    def __init__(
        self,
        folder: ModuleFolder,
        about: VersionRecord,
        *,
        seed: int | None,
        scenario: str,
        frames: Sequence[ReflexRecord],
    ) -> None:
        own = [row for row in frames if row.module == folder.declared.name]
        self._rows = [row for row in own if row.start == own[0].start] if own else []
        space = folder.declared.judged_in
        if seed is None or not self._rows or space is None:
            raise PitwallError(
                f"the run cannot be played on from: it keeps no seed or no decision of {folder.name}.",
                "Only runs in which a learned module drove, with a seed, can be.",
            )
        self._space: Learned = space
        self._about = about
        self._player: GameSenseModule = module_of(folder, about)()
        sees = about.learned is not None and about.learned.vision is not None
        make = load_twin(folder.game, folder.declared)
        module = folder.declared.judged_as
        self._twin = make(module=module, scenario=scenario, actions=tuple(space.actions), render=sees)
        self._sees = sees
        self._ms = float(self._twin.metadata["step_ms"])
        observed, info = self._twin.reset(seed=seed)
        self._begin = _Course(self._twin, values_of(observed), score=float(info["score"]))

    def play_on(self, step: int) -> PlayedOn:
        """Reach the state of a step, and let the version decide from there.

        Raises:
            OtherState: the state cannot be reached; names the step and the field that differs.
        """
        rows = [row for row in self._rows if row.action != ENDED]
        at = next((number for number, row in enumerate(rows) if row.step >= step), None)
        if at is None:
            raise OtherState(
                f"step {step} lies after the module's first start, which ended in step {rows[-1].step}.",
                "The twin begins where the run's seed does: name an earlier step.",
            )
        courses = self._first(rows[0])
        branch: _Course | None = None
        for number, row in enumerate(rows):
            if number:
                courses = self._followed(courses, rows[number - 1], row)
            if number == at:
                if courses[0].distance > _SAME:
                    raise self._lost(row, courses[0])
                branch = courses[0].advanced(0, None)
        assert branch is not None
        came_to = courses[0]
        last = self._rows[-1]
        ended = last.action == ENDED
        recorded = BranchOutcome(
            score=came_to.score,
            seconds=(last.at_ns - rows[at].at_ns) / NS_PER_MS / 1e3,
            end=(came_to.end or "it ended") if ended else "",
        )
        distance = branch.distance = self._distance(branch.values, rows[at])
        return PlayedOn(
            step=rows[at].step,
            frames=at + 1,
            distance=distance,
            recorded=recorded,
            other=self._played(branch),
        )

    def _first(self, row: ReflexRecord) -> list[_Course]:
        """Return the courses at the run's first decision, nearest first."""
        courses = [self._begin.advanced(frames, None) for frames in range(_LEAD)]
        return self._nearest(courses, row)

    def _followed(self, courses: Sequence[_Course], last: ReflexRecord, row: ReflexRecord) -> list[_Course]:
        frames = max(1, round((row.at_ns - last.at_ns) / NS_PER_MS / self._ms))
        presses = [(late, last.action) for late in range(_LATEST + 1)] if last.action else [None]
        courses_now = [
            course.advanced(count, press)
            for course in courses
            for count in (frames - 1, frames, frames + 1)
            for press in presses
        ]
        return self._nearest(courses_now, row)

    def _nearest(self, courses: Sequence[_Course], row: ReflexRecord) -> list[_Course]:
        for course in courses:
            course.distance = self._distance(course.values, row)
        return sorted(courses, key=lambda course: (bool(course.end), course.distance))[:_COURSES]

    def _distance(self, values: Mapping[str, Value], row: ReflexRecord) -> float:
        return sum(_apart(values.get(n), row.values.get(n), span) for n, span in self._spans.items())

    @property
    def _spans(self) -> dict[str, float]:
        return {state.field: state.high - state.low for state in self._space.state if not state.minus}

    def _lost(self, row: ReflexRecord, course: _Course) -> OtherState:
        spans = self._spans
        worst = max(spans, key=lambda n: _apart(course.values.get(n), row.values.get(n), spans[n]))
        return OtherState(
            f"the twin is not in the same state at step {row.step}: {worst} is {course.values.get(worst)}, "
            f"and {row.values.get(worst)} was read.",
            "Name another step.",
        )

    def _played(self, course: _Course) -> BranchOutcome:
        """Let the version decide until the end, or for two minutes."""
        actions = self._space.actions
        self._player.begin()
        now_ms = 1.0
        due = course.due
        while not course.end and now_ms < _MOST_S * 1e3:
            pixels = None
            if self._sees:
                pixels = np.asarray(cv2.cvtColor(course.twin.render(), cv2.COLOR_RGB2BGRA), np.uint8)
            seen = {**course.values, "status": "playing"}
            text = self._player.act(seen, round(now_ms * NS_PER_MS), pixels)
            chosen = actions.index(text) if text in actions else 0
            course.step(chosen or next((action for left, action in due if left == 0), 0))
            due = tuple((left - 1, action) for left, action in due if left > 0)
            now_ms += self._ms
        return BranchOutcome(score=course.score, seconds=(now_ms - 1.0) / 1e3, end=course.end)


def _apart(ours: Value, theirs: Value, span: float) -> float:
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        return abs(float(ours) - float(theirs)) / span
    return 0.0 if ours == theirs else _UNREAD
