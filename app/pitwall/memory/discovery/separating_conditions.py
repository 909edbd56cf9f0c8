"""Finds conditions that hold at some steps of a run and not at others: triggers and ends of skills (SPEC §4).

The condition with the fewest comparisons wins. Ties are decided by fields that the game's author uses (in
skills, modules, statuses, expected effects), then by the widest margin: a narrow margin in one run fails in
the next.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError
from pitwall.core.observations import Value
from pitwall.games.schema.profile import Profile

MOST_COMPARISONS = 3
MOST_WRONG = 0.05
"""Greatest share of other steps at which a trigger may hold, if no condition separates fully (choice)."""
_NEAREST = 64
"""Combinations that are followed up (choice)."""
_LONGEST_WORD = 24
_MOST_WORDS = 24
"""Different texts of a field that still names something; one with more describes (choice)."""

_Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """A condition and how well it separates.

    Attributes:
        text: it parses by core.conditions.
        wrong: other steps that it holds at, of `others`. It holds at every one of the `inside` steps.
    """

    text: str
    comparisons: int
    inside: int
    wrong: int
    others: int


@dataclass(frozen=True, slots=True, eq=False)
class _Atom:
    """A comparison: the rows where it holds, and its value, 0 … 1."""

    text: str
    field: str
    holds: _Mask
    worth: float


class StepTable:
    """The state-reader fields of a run's steps, by column.

    Args:
        rows: each step's fields, `status` among them.
    """

    def __init__(self, rows: Sequence[Mapping[str, Value]]) -> None:
        self.rows = rows
        self._columns: dict[str, list[Value]] = {}
        names = dict.fromkeys(name for row in rows for name in row)
        for name in names:
            self._columns[name] = [row.get(name) for row in rows]
        self._numbers = {
            name: _numbers(column) for name, column in self._columns.items() if _is_numeric(column)
        }

    def separate(
        self,
        inside: Collection[int],
        others: Collection[int],
        *,
        preferred: Collection[str] = (),
        most: int = MOST_COMPARISONS,
        most_wrong: float = MOST_WRONG,
    ) -> Separation | None:
        """Return the condition that holds at all of some rows and at the fewest others.

        Args:
            inside, others: numbers of rows, from 0.
            preferred: fields to try first.
            most: greatest number of comparisons.
            most_wrong: greatest share of `others` at which the condition may hold too.

        Returns:
            None if no condition separates the rows well enough, or if there is nothing to separate.
        """
        if not inside or not others:
            return None
        marked, other = _mask(len(self.rows), inside), _mask(len(self.rows), others)
        atoms = sorted(self._atoms(marked, other), key=lambda atom: atom.text)
        first = _best([atom for atom in atoms if atom.field in preferred], other, most)
        if first is None or first[1] > 0:
            second = _best(atoms, other, most)
            if second is not None and (first is None or second[1] < first[1]):
                first = second
        if first is None or first[1] > most_wrong * len(others):
            return None
        chosen, wrong = first
        return Separation(
            text=" and ".join(atom.text for atom in chosen),
            comparisons=len(chosen),
            inside=len(inside),
            wrong=wrong,
            others=len(others),
        )

    def _atoms(self, inside: _Mask, others: _Mask) -> Iterator[_Atom]:
        """Return the comparisons that hold at every inside row and not at every other row."""
        for name, column in self._columns.items():
            numbers = self._numbers.get(name)
            if numbers is not None and not np.any(np.isnan(numbers[inside])):
                conditions = _numeric(name, numbers, inside, others)
            else:
                conditions = _worded(name, column, np.flatnonzero(inside))
            for atom in conditions:
                if bool(np.all(atom.holds[inside])) and not bool(np.all(atom.holds[others])):
                    yield atom


def looked_at(profile: Profile) -> frozenset[str]:
    """Return the fields that the profile's own conditions read."""
    texts: list[str] = [
        *(text for skill in profile.skills for text in (skill.when, skill.stop)),
        *(rule.when for module in profile.modules for rule in module.rules),
        *(module.ends for module in profile.modules),
        *(action.expect for action in profile.actions),
        *profile.status.model_dump().values(),
        profile.progress.done,
    ]
    names: set[str] = {"status"}
    for text in dict.fromkeys(texts):
        if text:
            try:
                names |= parse_condition(text).fields
            except ConditionError:
                continue
    return frozenset(names)


def between(low: float, high: float) -> float:
    """Return a short decimal number between two bounds, near their middle; the middle if none is short.

    `low` < `high`. Between neighbouring whole numbers it is the half.
    """
    middle = (low + high) / 2.0
    for digits in range(-8, 13):
        rounded = round(middle, digits)
        if low < rounded < high:
            return rounded
    return middle


# ---- parts


def _written(number: float) -> str:
    """Write a number for a condition; reading it back gives the same number."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def _is_numeric(column: Iterable[Value]) -> bool:
    known = [value for value in column if value is not None]
    return bool(known) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in known
    )


def _numbers(column: Iterable[Value]) -> NDArray[np.float64]:
    numbers = [float(value) if isinstance(value, int | float) else math.nan for value in column]
    values = np.asarray(numbers, dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    return values


def _mask(length: int, rows: Collection[int]) -> _Mask:
    mask = np.zeros(length, dtype=np.bool_)
    mask[list(rows)] = True
    return mask


def _numeric(name: str, numbers: NDArray[np.float64], inside: _Mask, others: _Mask) -> Iterator[_Atom]:
    """Return up to three comparisons: below, above, equal; bounds lie in the middle of gaps in the data."""
    mine, theirs = numbers[inside], numbers[others]
    theirs = theirs[~np.isnan(theirs)]
    low, high = float(mine.min()), float(mine.max())
    above, below = theirs[theirs > high], theirs[theirs < low]
    span = float(np.nanmax(numbers) - np.nanmin(numbers)) or 1.0
    if above.size:
        nearest = float(above.min())
        limit = between(high, nearest)
        yield _Atom(f"{name} < {_written(limit)}", name, numbers < limit, (nearest - high) / span)
    if below.size:
        nearest = float(below.max())
        limit = between(nearest, low)
        yield _Atom(f"{name} > {_written(limit)}", name, numbers > limit, (low - nearest) / span)
    if low == high and low == int(low) and abs(low) < 1e9 and above.size and below.size:
        yield _Atom(f"{name} == {int(low)}", name, numbers == low, 0.0)


def _worded(name: str, column: Sequence[Value], inside: NDArray[np.int64]) -> Iterator[_Atom]:
    """Return comparisons with true, false, one of a few words, or an unread value."""
    first = column[int(inside[0])]
    if any(column[int(row)] != first for row in inside):
        if all(column[int(row)] is not None for row in inside):
            yield _Atom(f"{name} != none", name, _where(value is not None for value in column), 0.2)
        return
    if first is None:
        yield _Atom(f"{name} == none", name, _where(value is None for value in column), 0.2)
    elif isinstance(first, bool):
        if first:
            yield _Atom(name, name, _where(bool(value) for value in column), 1.0)
        else:
            yield _Atom(f"{name} == false", name, _where(value == 0 for value in column), 1.0)
    elif isinstance(first, str) and _is_word(first) and len(set(column)) <= _MOST_WORDS:
        yield _Atom(f"{name} == '{first}'", name, _where(value == first for value in column), 0.6)


def _where(holds: Iterable[bool]) -> _Mask:
    return np.fromiter(holds, dtype=np.bool_)


def _is_word(text: str) -> bool:
    return (
        0 < len(text) <= _LONGEST_WORD
        and text.isascii()
        and text.isprintable()
        and not set(text) & set("'\\")
    )


def _best(atoms: Sequence[_Atom], others: _Mask, most: int) -> tuple[tuple[_Atom, ...], int] | None:
    """Return the fewest comparisons that hold at no other row, else those that hold at the fewest.

    Each level adds every comparison to the best combinations of the level before. A field enters only once:
    a field between two bounds would fit any single moment of a run.
    """
    if not atoms:
        return None
    held = np.stack([atom.holds[others] for atom in atoms]).astype(np.float32)
    worth = np.asarray([atom.worth for atom in atoms], dtype=np.float32)
    groups: list[tuple[int, ...]] = [()]
    together = np.ones((1, held.shape[1]), dtype=np.float32)
    best: tuple[tuple[_Atom, ...], int] | None = None
    for size in range(1, most + 1):
        wrong = together @ held.T
        mean = (np.asarray([worth[list(group)].sum() for group in groups])[:, None] + worth) / size
        taken = [
            [atom.field in {atoms[number].field for number in group} for atom in atoms] for group in groups
        ]
        cost = np.where(taken, np.inf, wrong - mean / 2.0)  # worth, at most 1, only breaks ties
        order = np.argsort(cost, axis=None, kind="stable")[: _NEAREST * size]
        places = [divmod(int(at), len(atoms)) for at in order if np.isfinite(cost.flat[at])]
        if not places:
            break
        row, column = places[0]
        if best is None or wrong[row, column] < best[1]:
            best = tuple(atoms[number] for number in (*groups[row], column)), int(wrong[row, column])
        if best[1] == 0:
            break
        groups = sorted({tuple(sorted((*groups[row], column))) for row, column in places})
        together = np.stack([held[list(group)].prod(axis=0) for group in groups])
    return best
