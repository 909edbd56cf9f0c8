"""Matches a question with the template and slots that it asks for, and rates the match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pitwall_exam.questions.forms import Slots, read_horizon
from pitwall_exam.questions.template import Inventory, Template
from pitwall_exam.reading.alignment import Aligner, Filled
from pitwall_exam.reading.mentions import find_mentions
from pitwall_exam.reading.similarity import Features, Likeness, opposed
from pitwall_exam.reading.tokens import all_concept_stems
from pitwall_exam.reading.vocabulary import Vocabulary
from pitwall_exam.reading.wordings import Wording, wordings_of

Vectors = Callable[[Sequence[str]], Any]
"""Turns texts into vectors of length 1: a float32 array, texts × width."""

_COMPARED = 24
"""How many of the best fillings are also compared by their sentence vectors."""
_BY_VECTOR, _WITHOUT_VECTOR = 1.1, 0.4
"""Weight of the likeness of two sentence vectors, and the constant used without vectors."""
Traits = tuple[float, float, float, float, float, float, float]
"""Likeness to the wording, evidence for its template, opposites used, unsureness of the slots, penalty for
unused mentions, whether only one of the two asks yes or no, whether values of one kind come in another order.
"""
_WEIGHTS: Traits = (0.15, 0.6, -1.0, -2.2, -2.6, -0.5, -0.3)
_CLOSE = 0.06


@dataclass(frozen=True, slots=True)
class Reading:
    """A question read as a query.

    Attributes:
        score: likeness of the question to a wording of the template: about 0.6 … 1.4 if it asks the same,
            less if it does not; 1 for a declared form.
        horizon: horizon that the question names itself; 0: none.
        declared: the question is the template's own form, word for word.
        wording: the wording that it was most like.
    """

    inventory: str
    template: Template[Any]
    slots: Slots
    score: float
    horizon: int = 0
    declared: bool = False
    wording: str = ""


class Matcher:
    """Reads questions over the templates of some inventories.

    Args:
        vectors: computes sentence vectors; None: wordings are compared by their words alone.
    """

    def __init__(
        self,
        inventories: Iterable[Inventory[Any]],
        vocabulary: Vocabulary,
        examples: Mapping[str, Mapping[str, Sequence[str]]],
        *,
        last_step: int,
        vectors: Vectors | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._last_step = last_step
        self._vectors = vectors
        self._wordings = [
            group
            for inventory in inventories
            for group in wordings_of(inventory, examples.get(inventory.name, {}))
        ]
        self._likeness = Likeness([[wording.pieces for wording in group] for group in self._wordings])
        self._features: dict[int, Features] = {
            id(wording): self._likeness.features(wording.pieces)
            for group in self._wordings
            for wording in group
        }
        self._literals = frozenset(
            piece for group in self._wordings for wording in group for piece in wording.literals
        )
        self._known = all_concept_stems() | self._literals
        self._sentences: dict[str, Any] = {}
        self._twins: dict[int, frozenset[str]] = {}
        self._features_of_pieces: dict[tuple[str, ...], Features] = {}
        self._evidence_of_pieces: dict[tuple[tuple[str, ...], int], float] = {}

    def declared(self, question: str) -> Reading | None:
        """Read a question in a declared form; None if it is worded otherwise.

        If several forms match, the one with the most literal text wins.
        """
        asked, horizon = read_horizon(question)
        readings: list[tuple[int, Reading]] = []
        for form, *_ in self._wordings:
            slots = form.template.form.read(asked)
            if slots is not None:
                literal = len(asked) - sum(len(str(value)) for value in slots.values())
                folded = self._folded(form, slots)
                readings.append((literal, Reading(form.inventory, form.template, folded, 1.0, horizon, True)))
        return max(readings, key=lambda reading: reading[0])[1] if readings else None

    def ranked(self, question: str, *, most: int = 5) -> list[Reading]:
        """Return the likeliest readings, each of another template, best first."""
        asked, horizon = read_horizon(question)
        self._features_of_pieces.clear()
        self._evidence_of_pieces.clear()
        mentions = find_mentions(asked, self._vocabulary.sorts)
        aligner = Aligner(mentions, self._vocabulary, self._known, self._literals, self._last_step)
        scored = [
            (weighed(self.traits(number, wording, filled, mentions.yes_no)), wording, filled)
            for number, group in enumerate(self._wordings)
            for wording in group
            for filled in aligner.fillings(wording)
        ]
        scored.sort(key=lambda candidate: -candidate[0])
        if self._vectors is not None:
            scored = self._by_vectors(scored)
        best: dict[tuple[str, str], Reading] = {}
        for score, wording, filled in scored:
            key = (wording.inventory, wording.template.name)
            if key not in best:
                best[key] = Reading(
                    wording.inventory,
                    wording.template,
                    filled.slots,
                    score,
                    filled.horizon or horizon,
                    wording=wording.text,
                )
            if len(best) >= most:
                break
        return list(best.values())

    def traits(self, template: int, wording: Wording, filled: Filled, yes_no: bool) -> Traits:
        """List the features that speak for and against a filling."""
        features = self._pieces_features(filled.pieces)
        return (
            self._likeness.of(self._features[id(wording)], features),
            self._evidence(filled.pieces, template),
            float(opposed(filled.pieces, wording.pieces)),
            1.0 - filled.quality,
            filled.unused,
            float(wording.yes_no != yes_no),
            float(self._shuffled(wording, filled.pieces)),
        )

    def _shuffled(self, wording: Wording, pieces: Sequence[str]) -> bool:
        """Return whether slots that hold the same kind of value come in another order than in the wording."""
        twins = self._twins.get(id(wording))
        if twins is None:
            sorts = [
                (slot, self._vocabulary.sort(wording.inventory, wording.template, slot).name)
                for slot in wording.named
            ]
            names = [name for _, name in sorts]
            twins = frozenset(f"<{slot}>" for slot, name in sorts if names.count(name) > 1)
            self._twins[id(wording)] = twins
        if not twins:
            return False
        return [piece for piece in pieces if piece in twins] != [
            piece for piece in wording.pieces if piece in twins
        ]

    def _pieces_features(self, pieces: tuple[str, ...]) -> Features:
        features = self._features_of_pieces.get(pieces)
        if features is None:
            features = self._features_of_pieces[pieces] = self._likeness.features(pieces)
        return features

    def _evidence(self, pieces: tuple[str, ...], template: int) -> float:
        evidence = self._evidence_of_pieces.get((pieces, template))
        if evidence is None:
            evidence = self._evidence_of_pieces[pieces, template] = self._likeness.evidence(pieces, template)
        return evidence

    def _by_vectors(self, scored: list[tuple[float, Wording, Filled]]) -> list[tuple[float, Wording, Filled]]:
        """Rank the best fillings again, now with their sentence vectors."""
        first = scored[:_COMPARED]
        self._learn([text for _, wording, filled in first for text in (wording.sentence, filled.sentence)])
        known = self._sentences
        again = [
            (
                score
                - _WITHOUT_VECTOR
                + _BY_VECTOR * float(known[wording.sentence] @ known[filled.sentence]),
                wording,
                filled,
            )
            for score, wording, filled in first
        ]
        again.sort(key=lambda candidate: -candidate[0])
        return again

    def _learn(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._sentences]
        if new and self._vectors is not None:
            self._sentences.update(zip(new, self._vectors(new), strict=True))

    def _folded(self, form: Wording, slots: Slots) -> Slots:
        """Spell the values as the episode does, whatever the question's case."""

        def folded(name: str, value: str | int) -> str | int:
            if isinstance(value, int):
                return value
            return self._vocabulary.sort(form.inventory, form.template, name).value(value) or value

        return {name: folded(name, value) for name, value in slots.items()}


def weighed(traits: Traits) -> float:
    """Compute a filling's score without sentence vectors."""
    return _WITHOUT_VECTOR + sum(trait * weight for trait, weight in zip(traits, _WEIGHTS, strict=True))


def close(best: Reading, other: Reading) -> bool:
    """Return whether the scores of two readings are too close to decide between them."""
    return not best.declared and best.score - other.score < _CLOSE
