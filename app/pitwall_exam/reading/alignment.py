"""Aligns a wording with a question: which mentions fill which slots, and what remains unused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pitwall_exam.questions.forms import Slots
from pitwall_exam.reading.mentions import Mention, QuestionMentions, overlap
from pitwall_exam.reading.numbers import Numbered, Range, Role
from pitwall_exam.reading.vocabulary import Sort, Vocabulary
from pitwall_exam.reading.wordings import Wording

_MOST = 24
"""Most ways of filling one wording's slots that are tried, the surest first."""
_FIT: dict[tuple[Role, Role], float] = {
    ("step", "bare"): 0.8,
    ("count", "bare"): 0.8,
    ("bare", "step"): 0.8,
    ("bare", "count"): 0.8,
    ("step", "count"): 0.35,
    ("count", "step"): 0.35,
}
_UNKNOWN_WORD, _FOREIGN_QUOTE, _OTHER_SORT = 0.4, 0.85, 0.6
_WHOLE, _SPLIT_RANGE = 0.9, 0.7
_UNCUED = 0.55
_CUES = frozenset(
    {"mention", "about", "word", "keyword", "contain", "includ", "say", "term", "refer", "bring"}
)
_CUE_REACH = 5
_EVERYDAY = 0.3
_LEFT_NUMBER, _LEFT_QUOTE, _LEFT_NAME, _LEFT_ONE_OF, _MOST_LEFT = 0.3, 0.3, 0.2, 0.1, 0.4


@dataclass(frozen=True, slots=True)
class Filled:
    """A wording's slots filled from a question.

    Attributes:
        pieces: the question's tokens, with slots in place of the values that filled them.
        quality: 0 … 1: how surely each value fits its slot, on average.
        unused: the penalty for mentions that fill no slot.
        horizon: end of a range of steps that belongs to no slot; 0: none.
        sentence: the pieces in words, with the slots' names.
    """

    slots: Slots
    pieces: tuple[str, ...]
    quality: float
    unused: float
    sentence: str = ""
    horizon: int = 0


@dataclass(slots=True)
class _Choice:
    """A partial filling: the tokens that each slot takes."""

    slots: Slots = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    qualities: list[float] = field(default_factory=list)

    def free(self, first: int, last: int) -> bool:
        return not any(overlap(first, last, *place) for place in self.places.values())

    def also(self, slot: str, value: str | int, place: tuple[int, int], quality: float) -> _Choice:
        return _Choice({**self.slots, slot: value}, {**self.places, slot: place}, [*self.qualities, quality])


_Option = tuple[str | int, int, int, float]
"""Value, first and last token, quality."""


class Aligner:
    """Fills wordings from one question.

    Args:
        known: everyday stems and stems of wordings; any other stem is an unknown word.
        literals: stems that some wording uses; a name among them may be an ordinary word here.
        last_step: last step of the episode, for questions about all of it.
    """

    def __init__(
        self,
        asked: QuestionMentions,
        vocabulary: Vocabulary,
        known: frozenset[str],
        literals: frozenset[str],
        last_step: int,
    ) -> None:
        self._asked = asked
        self._literals = literals
        self._vocabulary = vocabulary
        self._last_step = last_step
        self._unknown = [
            Mention("", word.raw, place, place, _UNKNOWN_WORD)
            for place, word in enumerate(asked.tokens)
            if word.stem not in known
            and word.number is None
            and len(word.raw) > 2
            and not any(mention.first <= place <= mention.last for mention in asked.mentions)
        ]
        self._options: dict[tuple[str, str], list[_Option]] = {}

    def fillings(self, wording: Wording) -> Iterator[Filled]:
        """Yield ways of filling all slots of a wording, the surest first; none if a slot stays empty."""
        choices = [_Choice()]
        for slot in wording.named:
            choices = self._next(choices, slot, self._named(wording, slot))
        for slot, role in wording.counted:
            choices = self._next(choices, slot, self._counted(role))
        for choice in choices:
            yield from self._with_range(wording, choice)

    def _next(self, choices: Sequence[_Choice], slot: str, options: Sequence[_Option]) -> list[_Choice]:
        filled = [
            choice.also(slot, value, (first, last), quality)
            for choice in choices
            for value, first, last, quality in options
            if choice.free(first, last)
        ]
        filled.sort(key=lambda choice: -sum(choice.qualities))
        return filled[:_MOST]

    # ---- what may fill a slot

    def _named(self, wording: Wording, slot: str) -> list[_Option]:
        sort = self._vocabulary.sort(wording.inventory, wording.template, slot)
        key = (sort.name, "")
        if key not in self._options:
            self._options[key] = list(self._of_sort(sort))
        return self._options[key]

    def _of_sort(self, sort: Sort) -> Iterator[_Option]:
        for mention in self._asked.mentions:
            if mention.sort == sort.name:
                yield mention.value, mention.first, mention.last, mention.quality * self._cued(sort, mention)
        for quote in self._asked.quoted:
            known = sort.value(quote.value)
            if known is None and sort.open:
                others = any(
                    same.first == quote.first and same.last == quote.last for same in self._asked.mentions
                )
                yield quote.value, quote.first, quote.last, _OTHER_SORT if others else _FOREIGN_QUOTE
            elif known is not None:
                yield known, quote.first, quote.last, 1.0
        if sort.numeric:
            for number in self._asked.numbers:
                yield str(number.value), number.first, number.last, 0.9
        elif sort.open:
            for word in self._unknown:
                yield word.value, word.first, word.last, _UNKNOWN_WORD

    def _cued(self, sort: Sort, mention: Mention) -> float:
        """Rate a keyword mention: any word may be one, so a word without a cue before it is unlikely."""
        if sort.name != "keyword":
            return 1.0
        before = self._asked.tokens[max(0, mention.first - _CUE_REACH) : mention.first]
        return 0.9 if any(word.stem in _CUES for word in before) else _UNCUED

    def _counted(self, role: Role) -> list[_Option]:
        key = ("", role)
        if key not in self._options:
            self._options[key] = list(self._of_role(role))
        return self._options[key]

    def _of_role(self, role: Role) -> Iterator[_Option]:
        for number in self._asked.numbers:
            fit = 1.0 if number.role == role else _FIT.get((role, number.role), 0.5)
            yield number.value, number.first, number.last, fit
        for stretch in self._asked.ranges:
            if role not in ("step", "bare"):
                continue
            if not stretch.both:
                yield stretch.hi, stretch.first, stretch.last, _SPLIT_RANGE
                continue
            middle = (stretch.first + stretch.last) // 2
            yield stretch.lo, stretch.first, middle, _SPLIT_RANGE
            yield stretch.hi, middle + 1, stretch.last, _SPLIT_RANGE

    # ---- the range, and what remains

    def _with_range(self, wording: Wording, choice: _Choice) -> Iterator[Filled]:
        free = [stretch for stretch in self._asked.ranges if choice.free(stretch.first, stretch.last)]
        if not wording.high:
            whole = [
                stretch for stretch in free if stretch.lo == 1 and _ranged(wording, stretch, self._last_step)
            ]
            yield self._filled(wording, choice, dropped=whole, horizon=whole[0].hi if whole else 0)
            return
        for stretch in free:
            both: Slots = {wording.high: stretch.hi, **({wording.low: stretch.lo} if wording.low else {})}
            yield self._filled(wording, _with(choice, both, 1.0), dropped=[stretch])
        if not free:
            whole_run: Slots = {wording.low: 1, wording.high: self._last_step}
            yield self._filled(wording, _with(choice, whole_run, _WHOLE), dropped=[])

    def _filled(
        self, wording: Wording, choice: _Choice, *, dropped: Sequence[Range], horizon: int = 0
    ) -> Filled:
        used = [*choice.places.values(), *((stretch.first, stretch.last) for stretch in dropped)]
        qualities = choice.qualities or [1.0]
        pieces, sentence = self._pieces(choice, dropped)
        return Filled(
            slots=_also_given(wording.given, choice.slots),
            pieces=pieces,
            sentence=sentence,
            quality=sum(qualities) / len(qualities),
            unused=self._unused(wording, used),
            horizon=horizon,
        )

    def _pieces(self, choice: _Choice, dropped: Sequence[Range]) -> tuple[tuple[str, ...], str]:
        """Return the question with its slots, as stems and as a sentence."""
        pieces: list[str] = []
        words: list[str] = []
        taken = {n: slot for slot, (first, last) in choice.places.items() for n in range(first, last + 1)}
        gone = {n for stretch in dropped for n in range(stretch.first, stretch.last + 1)}
        begun: set[str] = set()
        for place, word in enumerate(self._asked.tokens):
            slot = taken.get(place)
            if slot in begun or (slot is None and (place in gone or word.written)):
                continue
            if slot is not None:
                begun.add(slot)
            pieces.append(f"<{slot}>" if slot is not None else word.stem)
            words.append(slot.replace("_", " ") if slot is not None else word.raw)
        return tuple(pieces), " ".join(words)

    def _unused(self, wording: Wording, used: Sequence[tuple[int, int]]) -> float:
        """Compute the penalty for mentions that fill no slot, or only partly."""

        def left(item: Numbered | Range | Mention) -> bool:
            return not any(first <= item.first and item.last <= last for first, last in used)

        literals = wording.literals
        cost = _LEFT_NUMBER * sum(1 for number in self._asked.numbers if number.written and left(number))
        cost += _LEFT_NUMBER * sum(1 for stretch in self._asked.ranges if left(stretch))
        cost += _LEFT_QUOTE * sum(1 for quote in self._asked.quoted if left(quote))
        names: dict[tuple[int, int], float] = {}
        for mention in self._asked.mentions:
            stems = {word.stem for word in self._asked.tokens[mention.first : mention.last + 1]}
            if mention.quality > 0.9 and left(mention) and not stems <= literals:
                price = _LEFT_ONE_OF if mention.sort.startswith("one of") else _LEFT_NAME
                price *= _EVERYDAY if stems <= self._literals else 1.0
                names[mention.first, mention.last] = max(price, names.get((mention.first, mention.last), 0.0))
        return cost + min(_MOST_LEFT, sum(names.values()))


def _also_given(given: Slots, filled: Slots) -> Slots:
    """Add the slots that a wording gives; a given value "{item}" means that slot's value."""

    def meant(value: str | int) -> str | int:
        named = value[1:-1] if isinstance(value, str) and value.startswith("{") else ""
        return filled.get(named, value)

    return {**{name: meant(value) for name, value in given.items()}, **filled}


def _with(choice: _Choice, slots: Slots, quality: float) -> _Choice:
    return _Choice({**choice.slots, **slots}, choice.places, [*choice.qualities, quality])


def _ranged(wording: Wording, stretch: Range, last_step: int) -> bool:
    """Return whether a range of steps from 1 on can be a question's horizon."""
    return wording.template.ranged or stretch.hi >= last_step
