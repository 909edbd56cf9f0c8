"""Compares two wordings with their slots: shared words, their order, and their concepts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from pitwall_exam.reading.tokens import concepts, stem

Features = dict[str, float]
_SMOOTHING = 0.4
_EXPECTED = 0.5
"""A feature in at least this share of a template's wordings counts against a question that lacks it."""
_CONCEPT, _PAIR, _NEAR, _UNKNOWN = 0.6, 0.45, 0.2, 0.3


class Likeness:
    """Weighs words by how few templates use them, and by how regularly each template does.

    Args:
        templates: for each template, the pieces of all its wordings.
    """

    def __init__(self, templates: Sequence[Sequence[Sequence[str]]]) -> None:
        counts: Counter[str] = Counter()
        total = 0
        for wordings in templates:
            total += 1
            counts.update({name for pieces in wordings for name in _names(pieces)})
        self._weights = {name: math.log(1.0 + total / count) for name, count in counts.items()}
        self._unknown = _UNKNOWN * math.log(1.0 + total)
        self._chances = [_chances(wordings) for wordings in templates]
        names = {name for chances in self._chances for name in chances}
        self._usual = {
            name: fmean(
                chances.get(name, _SMOOTHING / (len(wordings) + 2 * _SMOOTHING))
                for chances, wordings in zip(self._chances, templates, strict=True)
            )
            for name in names
        }
        self._expected = [
            [
                (name, chance)
                for name, chance in chances.items()
                if chance >= _EXPECTED and self._usual[name] < chance and " " not in name
            ]
            for chances in self._chances
        ]
        self._none = [_SMOOTHING / (len(wordings) + 2 * _SMOOTHING) for wordings in templates]

    def evidence(self, pieces: Sequence[str], template: int) -> float:
        """Compute how much the words favour a template: the mean log-likelihood ratio over its known
        words (naive Bayes).
        """
        total = weight = 0.0
        chances, none = self._chances[template], self._none[template]
        names = _names(pieces)
        for name, chance in self._expected[template]:
            if name not in names:
                total += math.log((1.0 - chance) / (1.0 - self._usual[name]))
                weight += 1.0
        for name, share in names.items():
            usual = self._usual.get(name)
            if usual is not None:
                total += share * math.log(chances.get(name, none) / usual)
                weight += share
        return total / (weight + 2.0)

    def features(self, pieces: Sequence[str]) -> Features:
        """Return a wording's words, pairs of neighbours and concepts, each with its weight."""
        weighted: Features = {}
        for name, share in _names(pieces).items():
            weighted[name] = share * self._weights.get(name, self._unknown if share == 1.0 else 0.0)
        return weighted

    @staticmethod
    def of(first: Features, second: Features) -> float:
        """Compute the shared part of both, 0 … 1."""
        whole = sum(first.values()) + sum(second.values())
        if len(second) < len(first):
            first, second = second, first
        shared = sum(min(weight, second[name]) for name, weight in first.items() if name in second)
        return 2.0 * shared / whole if whole else 0.0


_OPPOSITES = (
    (
        {"first", "earliest", "initial", "initially"},
        {"last", "final", "finally", "latest", "recently", "recent"},
    ),
    (
        {"nearest", "smallest", "least", "shortest", "minimum", "lowest", "fewest"},
        {"farthest", "greatest", "most", "longest", "maximum", "highest", "distant", "largest", "far"},
    ),
    (
        {"before", "prior", "preced", "earlier", "ahead"},
        {"after", "later", "follow", "afterward", "subsequent"},
    ),
)


def opposed(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the opposites on which two wordings disagree: one has only "first", the other only "last"."""
    return sum(_leaning(first, *pair) * _leaning(second, *pair) < 0 for pair in _STEMMED)


def _leaning(pieces: Sequence[str], low: frozenset[str], high: frozenset[str]) -> int:
    """Return 1 if more of the low words occur, -1 if more of the high ones do.

    "The nearest <thing>" only names a thing and does not count; "the least far" is low.
    """
    count = 0
    for place, piece in enumerate(pieces):
        after = pieces[place + 1] if place + 1 < len(pieces) else ""
        if piece in low and not (piece == _NEAREST and after.startswith("<")):
            count += 2 if after in high else 1
        elif piece in high:
            count -= 1
    return (count > 0) - (count < 0)


_NEAREST = stem("nearest")
_STEMMED = [tuple(frozenset(stem(word) for word in side) for side in pair) for pair in _OPPOSITES]


def _chances(wordings: Sequence[Sequence[str]]) -> dict[str, float]:
    """Compute the chance that a wording of a template has a feature."""
    counts = Counter(name for pieces in wordings for name in _names(pieces))
    return {name: (n + _SMOOTHING) / (len(wordings) + 2 * _SMOOTHING) for name, n in counts.items()}


def _names(pieces: Sequence[str]) -> dict[str, float]:
    """Return each feature with its share: 1 for a word, less for a concept, a pair, a pair around a word."""
    names: dict[str, float] = {}
    for place, piece in enumerate(pieces):
        names[piece] = 1.0
        for concept in concepts(piece):
            names.setdefault(concept, _CONCEPT)
        if place + 1 < len(pieces):
            names.setdefault(f"{piece} {pieces[place + 1]}", _PAIR)
        if place + 2 < len(pieces):
            names.setdefault(f"{piece} _ {pieces[place + 2]}", _NEAR)
    return names
