"""Ranks texts by their likeness to a question: shared words weighted by rarity, and sentence vectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.reading.tokens import concepts, stems

_COMPARED = 64
"""Number of texts, those with the most shared words, that are also compared by their vectors."""
_BY_VECTOR, _BY_WORDS = 0.6, 0.4


class Ranking:
    """Ranks a fixed list of texts.

    Args:
        matched: what is compared by words, if it is more than the text.
        bonus: added to each text's share of words.
    """

    def __init__(
        self,
        texts: Sequence[str],
        vectors: SentenceVectors,
        *,
        matched: Sequence[str] = (),
        bonus: Sequence[float] = (),
    ) -> None:
        self._texts = texts
        self._vectors = vectors
        self._bonus = bonus or [0.0] * len(texts)
        self._words = [words_of(text) for text in matched or texts]
        counts = Counter(word for words in self._words for word in words)
        self._weights = {word: math.log(1 + len(texts) / count) for word, count in counts.items()}

    def best(self, question: str, k: int) -> list[int]:
        """Return the numbers of the k most similar texts, best first; equal ones in their order."""
        if not self._texts or k <= 0:
            return []
        asked = words_of(question)
        whole = sum(self._weights.get(word, 0.0) for word in asked)
        shared = [
            self._shared(asked & words, whole) + bonus
            for words, bonus in zip(self._words, self._bonus, strict=True)
        ]
        first = sorted(range(len(shared)), key=lambda number: (-shared[number], number))
        first = first[: max(k, _COMPARED)]
        rows = self._vectors([question, *(self._texts[number] for number in first)])
        alike = {number: float(rows[0] @ rows[place]) for place, number in enumerate(first, start=1)}
        first.sort(key=lambda number: (-_BY_VECTOR * alike[number] - _BY_WORDS * shared[number], number))
        return first[:k]

    def _shared(self, both: frozenset[str], whole: float) -> float:
        return sum(self._weights[word] for word in both) / whole if whole else 0.0


def words_of(text: str) -> frozenset[str]:
    """Return the stems of a text's words, and the concepts they stand for."""
    words = stems(text)
    return frozenset(words).union(concept for word in words for concept in concepts(word))
