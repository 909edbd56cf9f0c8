"""Lessons on disk: prompts with their replies as tokens, in compact arrays, and batches of families.

A shard is an .npz file: every lesson's tokens behind one another, where each begins, where its reply begins,
what it is for. Lessons that share their first message are a family: it is read once for all of them. What is
learned from comes in an order that the seed alone decides.
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
"""Families are shuffled, and so many batches' worth of them sorted by length."""
_MOST_SHARING = 16
_LIKE = 1.3
"""Lessons of a family are at most so many times as long as its shortest."""
_SPARE = 16
_ROUND = 32


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


class ShardWriter:
    """Collects lessons for one file."""

    def __init__(self) -> None:
        self._rows: list[tuple[Sequence[int], int, int, int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, prompt: Sequence[int], reply: Sequence[int], *, kind: int, source: int) -> None:
        """Add a lesson; its reply ends with the mark that ends it."""
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
class Family:
    """Lessons that share their first message.

    Attributes:
        shared: tokens of that message. own: the most that one of the lessons has behind it.
    """

    shared: int
    own: int
    numbers: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Count the tokens that the lesson takes of a batch."""
        return self.shared + self.own * len(self.numbers)


@dataclass(frozen=True, slots=True)
class Batch:
    """Families side by side, filled up with 0.

    Attributes:
        numbers: of the lessons. family: of each lesson, which row of `shared` is before it.
        shared: (families, length) first messages. shared_lengths: their tokens.
        own: (lessons, length) what follows. wanted: where in it a token of the reply comes next.
        targets: the token that comes next there.
    """

    numbers: NDArray[np.int64]
    family: NDArray[np.int64]
    shared: NDArray[np.int64]
    shared_lengths: NDArray[np.int64]
    own: NDArray[np.int64]
    wanted: NDArray[np.bool_]
    targets: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Tokens of it."""
        return self.shared.size + self.own.size


def families(lessons: Lessons, *, longest: int, ends: int) -> list[Family]:
    """Every lesson of up to `longest` tokens in a family with others of like length.

    Args:
        ends: the token that ends a message.
    """
    groups: dict[bytes, list[int]] = {}
    shared: dict[bytes, int] = {}
    for number in range(len(lessons)):
        tokens, _ = lessons.lesson(number)
        if len(tokens) <= longest:
            length = int(np.argmax(tokens == ends)) + 1
            key = tokens[:length].tobytes()
            shared[key] = length
            groups.setdefault(key, []).append(number)
    found: list[Family] = []
    lengths = lessons.lengths
    for key, numbers in groups.items():
        part: list[int] = []
        for number in sorted(numbers, key=lambda one: int(lengths[one])):
            own = int(lengths[number]) - shared[key]
            full = part and own > (int(lengths[part[0]]) - shared[key]) * _LIKE + _SPARE
            if full or len(part) == _MOST_SHARING:
                found.append(_family(lessons, shared[key], part))
                part = []
            part.append(number)
        found.append(_family(lessons, shared[key], part))
    return found


def _family(lessons: Lessons, shared: int, numbers: Sequence[int]) -> Family:
    own = max(int(lessons.lengths[number]) for number in numbers) - shared
    return Family(shared, own, tuple(numbers))


def batches(
    lessons: Lessons, of: Sequence[Family], *, tokens: int, seed: int, epoch: int, skip: int = 0
) -> Iterator[Batch | None]:
    """Draw one epoch's batches of about so many tokens each.

    Args:
        of: the families of these lessons.
        skip: so many were learned from already: None in their place.
    """
    rng = np.random.default_rng((seed, epoch))
    order = rng.permutation(len(of))
    size = max(1, int(_BUCKET * tokens / max(1.0, float(np.mean([one.tokens for one in of])))))
    groups: list[list[Family]] = []
    for first in range(0, len(order), size):
        part = sorted((of[at] for at in order[first : first + size]), key=lambda one: one.own)
        groups += _groups(part, tokens)
    for place, number in enumerate(rng.permutation(len(groups))):
        yield None if place < skip else batch_of(lessons, groups[number])


def batch_of(lessons: Lessons, of: Sequence[Family]) -> Batch:
    """These families as one batch."""
    lengths = np.array([one.shared for one in of])
    numbers = np.array([number for one in of for number in one.numbers])
    family = np.repeat(np.arange(len(of)), [len(one.numbers) for one in of])
    shared = np.zeros((len(of), rounded(lengths.max())), np.int64)
    own = np.zeros((len(numbers), rounded(max(one.own for one in of))), np.int64)
    wanted, targets = np.zeros(own.shape, np.bool_), np.zeros_like(own)
    for row, one in enumerate(of):
        shared[row, : one.shared] = lessons.lesson(one.numbers[0])[0][: one.shared]
    for row, number in enumerate(numbers):
        tokens, reply = lessons.lesson(int(number))
        begins = lengths[family[row]]
        own[row, : len(tokens) - begins] = tokens[begins:]
        replied = slice(reply - begins - 1, len(tokens) - begins - 1)
        wanted[row, replied] = True
        targets[row, replied] = tokens[reply:]
    return Batch(numbers, family, shared, lengths, own, wanted, targets)


def rounded(length: int) -> int:
    """A length of which few others are: matrix products are made ready anew for each shape."""
    return -(-int(length) // _ROUND) * _ROUND


def _groups(order: Sequence[Family], tokens: int) -> list[list[Family]]:
    """Neighbours by length, so many that they fill a batch."""
    groups: list[list[Family]] = []
    full = 0
    for one in order:
        if not groups or full + one.tokens > tokens:
            groups.append([])
            full = 0
        groups[-1].append(one)
        full += one.tokens
    return groups
