"""Finds what a question names: values of each sort, quoted texts, numbers, ranges of steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pitwall_exam.reading.bare_question import asks_yes_no, bare
from pitwall_exam.reading.numbers import Numbered, Range, numbers
from pitwall_exam.reading.tokens import Token, concepts, plain, tokens
from pitwall_exam.reading.vocabulary import Phrase, Sort, likeness

_QUOTED = re.compile(r"""(?<!\w)(?:'(?=\S)(.{1,200}?)(?<=\S)'|"(.{1,200}?)"|`(.{1,200}?)`)(?!\w)""")
_COMMON = frozenset(
    {
        *("do", "be", "have", "get", "go", "see", "use", "no", "take", "walk", "mov", "wait", "up", "down"),
        *("left", "right", "look", "play"),
    }
)
_BETWEEN = frozenset(
    {"and", "then", "next", "finally", "lastly", "go", "mov", "walk", "again", "once", "more"}
)
_LEAST_LIKENESS = 0.6
_SPREAD = 4
"""Most extra tokens that a paraphrase of a phrase may span."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A value at its position in the question.

    Attributes:
        sort: name of its sort; empty: a quoted text or an unknown word, which may fill any open sort.
        first, last: its tokens, inclusive.
        quality: 0 … 1: how surely this value is meant.
    """

    sort: str
    value: str
    first: int
    last: int
    quality: float
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class QuestionMentions:
    """A question with everything found in it. yes_no: it asks for yes or no."""

    yes_no: bool
    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    quoted: tuple[Mention, ...]
    numbers: tuple[Numbered, ...]
    ranges: tuple[Range, ...]


def find_mentions(question: str, sorts: Iterable[Sort]) -> QuestionMentions:
    """Find everything that a question names."""
    text = bare(question)
    words = tokens(text)
    quoted = tuple(_quoted(text, words))
    mentions = [mention for sort in sorts for mention in _of_sort(sort, text, words)]
    counted, ranges = numbers(text, words)
    return QuestionMentions(
        asks_yes_no(question),
        tuple(words),
        tuple(mention for mention in mentions if not _inside_quotes(mention, quoted)),
        quoted,
        tuple(counted),
        tuple(ranges),
    )


def overlap(first: int, last: int, other_first: int, other_last: int) -> bool:
    """Return whether two ranges of tokens share a token."""
    return first <= other_last and other_first <= last


def _quoted(text: str, words: Sequence[Token]) -> Iterator[Mention]:
    for match in _QUOTED.finditer(plain(text)):
        inside = [
            n for n, word in enumerate(words) if match.start() <= word.start and word.end <= match.end()
        ]
        group = next(number for number in (1, 2, 3) if match.group(number) is not None)
        if inside:
            value = text[match.start(group) : match.end(group)].strip()
            yield Mention("", value, inside[0], inside[-1], 1.0, True)


def _inside_quotes(mention: Mention, quoted: Sequence[Mention]) -> bool:
    """Return whether a mention is only part of a quoted text."""
    return any(
        overlap(mention.first, mention.last, whole.first, whole.last)
        and mention.last - mention.first < whole.last - whole.first
        and mention.first >= whole.first
        and mention.last <= whole.last
        for whole in quoted
    )


def _of_sort(sort: Sort, text: str, words: Sequence[Token]) -> list[Mention]:
    if sort.parts:
        return list(_lists(sort, words))
    mentions: list[Mention] = []
    for place, word in enumerate(words):
        best: Phrase | None = None
        for phrase in sort.by_first.get(word.stem, ()):
            length = len(phrase.stems)
            if tuple(word.stem for word in words[place : place + length]) == phrase.stems and (
                best is None or length > len(best.stems)
            ):
                best = phrase
        if best is not None:
            last = place + len(best.stems) - 1
            mentions.append(Mention(sort.name, best.value, place, last, _quality(best, text, words, place)))
    mentions = [mention for mention in mentions if not any(_contains(other, mention) for other in mentions)]
    exact = {mention.value for mention in mentions}
    return mentions + [
        close_match
        for phrase in sort.long
        if phrase.value not in exact
        if (close_match := _alike(sort, phrase, words))
    ]


def _lists(sort: Sort, words: Sequence[Token]) -> Iterator[Mention]:
    """Yield runs of words that form a list value: "north, then east and north again"."""
    parts: list[str] = []
    first = last = 0
    for place, word in enumerate(words):
        if word.raw in sort.parts:
            first = first if parts else place
            parts.append(word.raw)
            last = place
        elif parts and word.stem not in _BETWEEN:
            yield Mention(sort.name, ", ".join(parts), first, last, 0.8 if len(parts) == 1 else 1.0)
            parts = []
    if parts:
        yield Mention(sort.name, ", ".join(parts), first, last, 0.8 if len(parts) == 1 else 1.0)


def _contains(whole: Mention, part: Mention) -> bool:
    return (
        whole is not part
        and whole.first <= part.first
        and part.last <= whole.last
        and whole.last - whole.first > part.last - part.first
    )


def _quality(phrase: Phrase, text: str, words: Sequence[Token], place: int) -> float:
    """Rate a phrase: a single everyday word may be an ordinary word, unless it is written in capitals."""
    if len(phrase.stems) > 1 or phrase.stems[0] not in _COMMON:
        return 1.0
    written = text[words[place].start : words[place].end]
    return 1.0 if len(written) > 1 and written.isupper() else 0.5


def _alike(sort: Sort, phrase: Phrase, words: Sequence[Token]) -> Mention | None:
    """Find a phrase that is expressed in other words."""
    like = {concept for stem in phrase.telling for concept in concepts(stem)}
    places = [
        place
        for place, word in enumerate(words)
        if word.stem in phrase.telling or like.intersection(concepts(word.stem))
    ]
    best: Mention | None = None
    for number, first in enumerate(places):
        for last in places[number:]:
            if last - first >= len(phrase.telling) + _SPREAD:
                break
            likeness_here = likeness((word.stem for word in words[first : last + 1]), phrase.telling)
            spare = max(0, last - first + 1 - len(phrase.telling))
            quality = 0.95 * likeness_here - 0.02 * spare
            if likeness_here >= _LEAST_LIKENESS and (best is None or quality > best.quality):
                best = Mention(sort.name, phrase.value, first, last, quality)
    return best
