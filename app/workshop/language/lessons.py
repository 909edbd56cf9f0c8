"""Lessons on disk: prompts and replies as tokens in compact arrays, and batches of lesson families.

A shard is an .npz file: the tokens of all lessons in a row, where each lesson begins, where its reply begins,
and its purpose. Lessons with the same first message are a family, and that message is computed once for all
of them. The seed alone decides the order of training.
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
"""Number of batches' worth of shuffled families that are sorted by length together."""
_MOST_SHARING = 16
_LIKE = 1.3
"""Longest lesson of a family as a multiple of its shortest."""
_SPARE = 16
_ROUND = 32


@dataclass(frozen=True, slots=True)
class Lessons:
    """Every lesson of a corpus.

    Attributes:
        tokens: of all, prompt and reply with its end mark. starts: of each lesson, and the end of the last.
        replies: where each reply begins, counted from its lesson's start.
        kinds: the purpose of each, by number. sources: the origin of each, by number.
    """

    tokens: Tokens
    starts: NDArray[np.int64]
    replies: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    sources: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.replies)

    def lesson(self, number: int) -> tuple[Tokens, int]:
        """Return a lesson's tokens, and where its reply begins."""
        start, end = self.starts[number], self.starts[number + 1]
        return self.tokens[start:end], int(self.replies[number])

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def where(self, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the numbers of the wanted lessons."""
        return np.flatnonzero(wanted)


class ShardWriter:
    """Collects lessons for one file."""

    def __init__(self) -> None:
        self._rows: list[tuple[Sequence[int], int, int, int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, prompt: Sequence[int], reply: Sequence[int], *, kind: int, source: int) -> None:
        """Add a lesson; its reply ends with its end mark."""
        self._rows.append(([*prompt, *reply], len(prompt), kind, source))

    def write(self, file: Path) -> None:
        """Write to another file, then rename, so that a file is complete or missing."""
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
    """Read every shard of a folder, in the order of their names.

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
    """Lessons with the same first message.

    Attributes:
        shared: tokens of that message. own: most tokens of a lesson after it.
    """

    shared: int
    own: int
    numbers: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Count the tokens that the family takes in a batch."""
        return self.shared + self.own * len(self.numbers)


@dataclass(frozen=True, slots=True)
class Batch:
    """Families side by side, padded with 0.

    Attributes:
        numbers: of the lessons. family: for each lesson, the row of `shared` before it.
        shared: (families, length) first messages. shared_lengths: their tokens.
        own: (lessons, length) the rest. wanted: positions in it that precede a token of the reply.
        targets: the tokens that follow these positions.
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
        """Return its number of tokens."""
        return self.shared.size + self.own.size


def families(lessons: Lessons, *, longest: int, ends: int) -> list[Family]:
    """Group every lesson of up to `longest` tokens with others of similar length into families.

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
    result: list[Family] = []
    lengths = lessons.lengths
    for key, numbers in groups.items():
        part: list[int] = []
        for number in sorted(numbers, key=lambda other: int(lengths[other])):
            own = int(lengths[number]) - shared[key]
            full = part and own > (int(lengths[part[0]]) - shared[key]) * _LIKE + _SPARE
            if full or len(part) == _MOST_SHARING:
                result.append(_family(lessons, shared[key], part))
                part = []
            part.append(number)
        result.append(_family(lessons, shared[key], part))
    return result


def _family(lessons: Lessons, shared: int, numbers: Sequence[int]) -> Family:
    own = max(int(lessons.lengths[number]) for number in numbers) - shared
    return Family(shared, own, tuple(numbers))


def batches(
    lessons: Lessons, of: Sequence[Family], *, tokens: int, seed: int, epoch: int, skip: int = 0
) -> Iterator[Batch | None]:
    """Draw one epoch's batches of about so many tokens each.

    Args:
        of: the families of these lessons.
        skip: batches that were already learned from, given as None.
    """
    rng = np.random.default_rng((seed, epoch))
    order = rng.permutation(len(of))
    size = max(1, int(_BUCKET * tokens / max(1.0, float(np.mean([family.tokens for family in of])))))
    groups: list[list[Family]] = []
    for first in range(0, len(order), size):
        part = sorted((of[at] for at in order[first : first + size]), key=lambda family: family.own)
        groups += _groups(part, tokens)
    for place, number in enumerate(rng.permutation(len(groups))):
        yield None if place < skip else batch_of(lessons, groups[number])


def batch_of(lessons: Lessons, of: Sequence[Family]) -> Batch:
    """Make a batch of these families."""
    lengths = np.array([member.shared for member in of])
    numbers = np.array([number for member in of for number in member.numbers])
    family = np.repeat(np.arange(len(of)), [len(member.numbers) for member in of])
    shared = np.zeros((len(of), rounded(lengths.max())), np.int64)
    own = np.zeros((len(numbers), rounded(max(member.own for member in of))), np.int64)
    wanted, targets = np.zeros(own.shape, np.bool_), np.zeros_like(own)
    for row, member in enumerate(of):
        shared[row, : member.shared] = lessons.lesson(member.numbers[0])[0][: member.shared]
    for row, number in enumerate(numbers):
        tokens, reply = lessons.lesson(int(number))
        begins = lengths[family[row]]
        own[row, : len(tokens) - begins] = tokens[begins:]
        replied = slice(reply - begins - 1, len(tokens) - begins - 1)
        wanted[row, replied] = True
        targets[row, replied] = tokens[reply:]
    return Batch(numbers, family, shared, lengths, own, wanted, targets)


def rounded(length: int) -> int:
    """Round a length up to one of few values, because matrix products are prepared for each shape."""
    return -(-int(length) // _ROUND) * _ROUND


def _groups(order: Sequence[Family], tokens: int) -> list[list[Family]]:
    """Group neighbours by length until they fill a batch."""
    groups: list[list[Family]] = []
    full = 0
    for family in order:
        if not groups or full + family.tokens > tokens:
            groups.append([])
            full = 0
        groups[-1].append(family)
        full += family.tokens
    return groups
