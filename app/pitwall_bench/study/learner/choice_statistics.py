"""Statistics of the choices in recorded runs, and skills that follow from them. Nothing here knows a game.

The outcome of a choice is the score of its run, less what was to be expected on such a screen: a ridge
regression on its numbers. The worth of a name is the mean outcome of the choices of it, drawn towards zero
where they are few.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.observations import Value
from pitwall.core.quantities import counted
from pitwall.games.schema.profile import Profile, field_of
from pitwall.memory.discovery.separating_conditions import between, looked_at
from pitwall_bench.study.learner.twin_player import Choices, PlayedRun

LEAST_CHOICES = 60
"""Recorded choices of a kind of screen, at least, before a skill is proposed (choice)."""
LEAST_OF_NAME = 3
RANKS = 2
"""Ranks into which names are sorted by their worth (choice)."""
_DRAWN_TO_ZERO = 10.0
"""Choices that count against a name's own mean (choice)."""
DOUBT = 0.5
_RIDGE = 10.0
_SPLITS = (0.35, 0.65)
_ROOM, _BESIDE = 270, 18
"""Characters of a condition for names, and beside each name."""

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Row:
    """A recorded choice: the numbers on the screen, the name that was chosen, and the score of its run."""

    numbers: Mapping[str, float]
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """Skills that decide on one kind of screen together. gain: mean worth over that of the usual choice."""

    screen: str
    skills: tuple[SkillMemory, ...]
    gain: float


class ChoiceRecord:
    """The choices of recorded runs by kind of screen.

    A kind of screen is told by the words that the game's own conditions read, and by its title.
    """

    def __init__(self, profile: Profile) -> None:
        moves = {field for skill in profile.skills for text in skill.actions if (field := field_of(text))}
        self._words = sorted((looked_at(profile) | set(profile.progress.dialogue)) - {"status"} - moves)
        self._titles = frozenset(profile.progress.dialogue)
        self._choices = Choices.of(profile)
        self._rows: dict[str, list[Row]] = {}
        self._names: dict[str, dict[str, set[str]]] = {}
        self.runs = 0

    def add(self, run: PlayedRun) -> None:
        """Take in a recorded run."""
        self.runs += 1
        for choice in run.choices:
            screen = self._screen(choice.fields)
            name = choice.open.get(choice.action)
            if name is None:
                continue
            numbers = {
                key: float(value)
                for key, value in choice.fields.items()
                if isinstance(value, int | float) and not isinstance(value, bool)
            }
            self._rows.setdefault(screen, []).append(Row(numbers, name, run.score))
            actions = self._names.setdefault(screen, {})
            for action, shown in choice.open.items():
                actions.setdefault(action, set()).add(shown)

    @property
    def screens(self) -> list[str]:
        """Return the kinds of screens with enough choices, those with the most first."""
        able = [screen for screen, rows in self._rows.items() if len(rows) >= LEAST_CHOICES]
        return sorted(able, key=lambda screen: (-len(self._rows[screen]), screen))

    def propose(self, screen: str, *, above: int) -> Proposal | None:
        """Propose skills for a kind of screen; None if no name is known better than another.

        Args:
            above: priority that they must exceed.
        """
        rows = self._rows[screen]
        left = _residuals(rows)
        split = _best_split(rows, left)
        parts: list[tuple[str, Mask]] = [("", np.ones(len(rows), dtype=bool))]
        if split is not None:
            name, bound, low = split
            parts = [(f"{name} < {bound:g}", low), (f"{name} > {bound:g}", ~low)]
        skills: list[SkillMemory] = []
        gain = 0.0
        for condition, mask in parts:
            worths = _worths(rows, left, mask)
            if len(worths) < 2:
                continue
            gain += float(np.mean(mask)) * (max(w for w, _ in worths.values()))
            skills += self._skills(screen, condition, worths, above, int(mask.sum()))
        return Proposal(screen, tuple(skills), gain) if skills else None

    def _skills(
        self, screen: str, condition: str, worths: Mapping[str, tuple[float, int]], above: int, count: int
    ) -> Iterable[SkillMemory]:
        """Return a skill for each rank of names and each action that can mean one of them."""
        better = sorted(
            (name for name in worths if worths[name][0] > 0), key=lambda name: (-worths[name][0], name)
        )
        size = -(-len(better) // RANKS) or 1
        for rank, at in enumerate(range(0, len(better), size)):
            names = set(better[at : at + size])
            for action, shown in sorted(self._names[screen].items()):
                for part, mine in enumerate(_parts_of(sorted(names & shown)), 1):
                    place = f"rank {rank + 1}, {action}{f', {part}' if part > 1 else ''}"
                    yield self._skill(
                        screen, condition, action, mine, worths, above + RANKS - rank, place, count
                    )

    def _skill(
        self,
        screen: str,
        condition: str,
        action: str,
        names: Sequence[str],
        worths: Mapping[str, tuple[float, int]],
        priority: int,
        place: str,
        count: int,
    ) -> SkillMemory:
        field = self._choices.fields[action]
        either = " or ".join(f"{field} == {_quoted(name)}" for name in names)
        parts = [screen, condition, f"({either})" if len(names) > 1 else either]
        figures = "; ".join(f"{name} {worths[name][0]:+.1f} of {worths[name][1]}" for name in names[:6])
        return SkillMemory(
            name=f"{_title(screen)}{' ' + condition if condition else ''}: {place}",
            when=" and ".join(part for part in parts if part),
            situation=f"A choice of which {counted(count, 'choice')} were recorded",
            subgoal="take what came with the better scores",
            actions=(action,),
            priority=priority,
            steps=1,
            status="proposed",
            evidence=(f"Points of score beyond what was expected, of so many choices: {figures}.",),
        )

    def _screen(self, fields: Mapping[str, Value]) -> str:
        worded = [(name, fields.get(name)) for name in self._words]
        worded.sort(key=lambda pair: (pair[0] not in self._titles, pair[0]))
        return " and ".join(
            f"{name} == {_quoted(value)}"
            for name, value in worded
            if isinstance(value, str) and value != "none"
        )


def _parts_of(names: Sequence[str]) -> Iterable[list[str]]:
    """Return the names in parts that a condition has room for."""
    part: list[str] = []
    for name in names:
        if part and sum(map(len, part)) + len(name) + _BESIDE * (len(part) + 1) > _ROOM:
            yield part
            part = []
        part.append(name)
    if part:
        yield part


def _title(screen: str) -> str:
    return " ".join(re.findall(r"== ['\"](.+?)['\"](?= and |$)", screen))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', "") + '"' if "'" in text else f"'{text}'"


def _residuals(rows: Sequence[Row]) -> Numbers:
    """Return each score less what its screen's numbers let expect."""
    names = sorted({name for row in rows for name in row.numbers})
    table = np.asarray([[row.numbers.get(name, 0.0) for name in names] for row in rows])
    scores = np.asarray([row.score for row in rows])
    spread = table.std(axis=0)
    table = (table[:, spread > 0] - table[:, spread > 0].mean(axis=0)) / spread[spread > 0]
    table = np.hstack([table, table**2])
    table -= table.mean(axis=0)
    centred = scores - scores.mean()
    weights = np.linalg.solve(table.T @ table + _RIDGE * np.eye(table.shape[1]), table.T @ centred)
    left: Numbers = centred - table @ weights
    return left


def _worths(rows: Sequence[Row], left: Numbers, mask: Mask) -> dict[str, tuple[float, int]]:
    """Return each name's worth, and the number of its choices."""
    sums: dict[str, list[float]] = {}
    for at in map(int, np.flatnonzero(mask)):
        sums.setdefault(rows[at].name, []).append(float(left[at]))
    usual = float(left[mask].std())
    return {
        name: (
            (sum(values) - DOUBT * usual * math.sqrt(len(values))) / (len(values) + _DRAWN_TO_ZERO),
            len(values),
        )
        for name, values in sums.items()
        if len(values) >= LEAST_OF_NAME
    }


def _best_split(rows: Sequence[Row], left: Numbers) -> tuple[str, float, Mask] | None:
    """Return the number by whose bound the worths differ most; None if none explains more than chance."""
    whole = _explained(rows, left, np.ones(len(rows), dtype=bool))
    names = len({row.name for row in rows})
    best: tuple[float, str, float, Mask] | None = None
    variance = float(left.var()) or 1.0
    for name in sorted({name for row in rows for name in row.numbers}):
        column = np.asarray([row.numbers.get(name, np.nan) for row in rows])
        if np.isnan(column).any():
            continue
        for share in _SPLITS:
            values = np.unique(column)
            at = int(np.searchsorted(values, np.quantile(column, share)))
            if not 0 < at < len(values):
                continue
            bound = between(float(values[at - 1]), float(values[at]))
            low = column < bound
            more = _explained(rows, left, low) + _explained(rows, left, ~low) - whole
            if best is None or more > best[0]:
                best = (more, name, bound, low)
    if best is None or best[0] < variance * (names + 8.0):
        return None
    return best[1:]


def _explained(rows: Sequence[Row], left: Numbers, mask: Mask) -> float:
    """Return the sum of squares that the names explain."""
    sums: dict[str, tuple[float, int]] = {}
    for at in map(int, np.flatnonzero(mask)):
        total, count = sums.get(rows[at].name, (0.0, 0))
        sums[rows[at].name] = (total + float(left[at]), count + 1)
    return sum(total * total / count for total, count in sums.values())
