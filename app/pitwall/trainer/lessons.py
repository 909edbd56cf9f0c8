"""Lessons on disk: prompts with their replies as tokens, in compact arrays, and batches of like length.

A shard is an .npz file: every lesson's tokens behind one another, where each begins, where its reply begins,
what it is for. What is learned from comes in an order that the seed alone decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError

Tokens = NDArray[np.uint16]
_SHARD = "lessons-*.npz"
_BUCKET = 64
"""Lessons are shuffled, and so many batches' worth of them sorted by length."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Every lesson of a corpus.

    Attributes:
        tokens: of all, prompt and reply with its end. starts: of each lesson, and the end of the last.
        replies: where each one's reply begins, counted from its start.
        kinds: what each is for, by number. sources: where it came from, by number.
    """

    tokens: Tokens
    starts: NDArray[np.int64]
    replies: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    sources: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.replies)

    def lesson(self, number: int) -> tuple[Tokens, int]:
        """A lesson's tokens, and where its reply begins."""
        start, end = self.starts[number], self.starts[number + 1]
        return self.tokens[start:end], int(self.replies[number])

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def where(self, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Numbers of the lessons that are wanted."""
        return np.flatnonzero(wanted)


class Shard:
    """Collects lessons for one file."""

    def __init__(self) -> None:
        self._rows: list[tuple[Sequence[int], int, int, int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, prompt: Sequence[int], reply: Sequence[int], *, kind: int, source: int) -> None:
        """One lesson; the reply ends with the mark that ends it."""
        self._rows.append(([*prompt, *reply], len(prompt), kind, source))

    def write(self, file: Path) -> None:
        """Write aside, then rename: a file is whole or not there."""
        lengths = [len(row[0]) for row in self._rows]
        flat = np.concatenate([np.asarray(row[0], np.uint16) for row in self._rows])
        aside = file.with_suffix(".tmp.npz")
        np.savez_compressed(
            aside,
            tokens=flat,
            starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            replies=np.array([row[1] for row in self._rows], np.int32),
            kinds=np.array([row[2] for row in self._rows], np.uint8),
            sources=np.array([row[3] for row in self._rows], np.uint8),
        )
        aside.replace(file)


def read_lessons(folder: Path) -> Lessons:
    """Every shard of a folder, in the order of their names.

    Raises:
        PitwallError: there is none.
    """
    files = sorted(folder.glob(_SHARD))
    files = [file for file in files if not file.name.endswith(".tmp.npz")]
    if not files:
        raise PitwallError(
            f"{folder} holds no lessons.", "Make them first: they are made as training begins."
        )
    parts: dict[str, list[NDArray[Any]]] = {}
    end = 0
    for file in files:
        with np.load(file) as shard:
            for name in ("tokens", "replies", "kinds", "sources"):
                parts.setdefault(name, []).append(shard[name])
            parts.setdefault("starts", []).append(shard["starts"][:-1] + end)
            end += int(shard["starts"][-1])
    parts["starts"].append(np.array([end]))
    return Lessons(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


@dataclass(frozen=True, slots=True)
class Batch:
    """Lessons side by side, filled up with 0.

    Attributes:
        tokens: (lessons, length). weights: (lessons, length − 1) of predicting each token after the first.
    """

    tokens: NDArray[np.int64]
    weights: NDArray[np.float32]


def batches(
    lessons: Lessons, *, tokens: int, longest: int, prompt_weight: float, seed: int, epoch: int, skip: int = 0
) -> Iterator[Batch | None]:
    """One epoch's batches of about so many tokens each.

    Args:
        longest: lessons with more tokens are left out.
        prompt_weight: of predicting a token of the prompt, where one of the reply counts 1.
        skip: so many were learned from already: None in their place.
    """
    rng = np.random.default_rng((seed, epoch))
    order = rng.permutation(lessons.where(lessons.lengths <= longest))
    lengths = lessons.lengths[order]
    size = max(1, int(_BUCKET * tokens / max(1.0, float(lengths.mean()))))
    groups: list[NDArray[np.int64]] = []
    for first in range(0, len(order), size):
        part = order[first : first + size]
        groups += _groups(part[np.argsort(lessons.lengths[part], kind="stable")], lessons, tokens)
    for place, number in enumerate(rng.permutation(len(groups))):
        yield None if place < skip else batch_of(lessons, groups[number], prompt_weight=prompt_weight)


def batch_of(lessons: Lessons, numbers: Sequence[int] | NDArray[np.int64], *, prompt_weight: float) -> Batch:
    """These lessons as one batch."""
    longest = max(int(lessons.lengths[number]) for number in numbers)
    filled = np.zeros((len(numbers), longest), np.int64)
    weights = np.zeros((len(numbers), longest - 1), np.float32)
    for row, number in enumerate(numbers):
        tokens, reply = lessons.lesson(int(number))
        filled[row, : len(tokens)] = tokens
        weights[row, : reply - 1] = prompt_weight
        weights[row, reply - 1 : len(tokens) - 1] = 1.0
    return Batch(filled, weights)


def _groups(order: NDArray[np.int64], lessons: Lessons, tokens: int) -> list[NDArray[np.int64]]:
    """Neighbours by length, so many that they fill a batch."""
    groups: list[NDArray[np.int64]] = []
    first = 0
    for at in range(1, len(order) + 1):
        longest = int(lessons.lengths[order[min(at, len(order) - 1)]])
        if at == len(order) or (at - first + 1) * longest > tokens:
            groups.append(order[first:at])
            first = at
    return [group for group in groups if len(group)]
