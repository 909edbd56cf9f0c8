"""Text-game questions over a range of steps (Table 14, inducing).

A location is visited between lo and hi if a step of that range was decided there. Each unbroken stay is one
visit, and its steps are its dwell time. If several are equally frequent, each is a right answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth
from pitwall_exam.text import choosing
from pitwall_exam.text.commands import folded, whole
from pitwall_exam.text.index import TextIndex, indexed
from pitwall_exam.text.single import Episode, Programs, Step


def most(counts: Mapping[str, int]) -> list[str]:
    """Return the keys with the highest count, in alphabetical order."""
    highest = max(counts.values(), default=0)
    return sorted(key for key, count in counts.items() if count == highest)


def _bounds(trace: Episode, slots: Slots) -> tuple[int, int] | None:
    lo, hi = int(slots["lo"]), int(slots["hi"])
    return (lo, hi) if 1 <= lo <= hi <= len(trace) else None


def _action_mode(trace: Episode, slots: Slots) -> Truth:  # noqa: ARG001  # the contract
    index = indexed(trace)
    counts = Counter(map(folded, index.commands))
    answers = most(counts)
    written = {folded(command): command for command in reversed(index.commands)}
    return Truth(tuple(written[command] for command in answers), (1, len(trace))) if answers else NO_ANSWER


def _of_visits(
    answers: Callable[[TextIndex, int, int], Iterable[str]],
) -> Callable[[Episode, Slots], Truth]:
    def find(trace: Episode, slots: Slots) -> Truth:
        bounds = _bounds(trace, slots)
        places = tuple(answers(indexed(trace), *bounds)) if bounds is not None else ()
        return Truth(places, tuple(sorted(set(bounds)))) if bounds is not None and places else NO_ANSWER

    return find


def _distinct(index: TextIndex, lo: int, hi: int) -> list[str]:
    visits = index.visits(lo, hi)
    return [str(len({stay.location for stay in visits}))] if visits else []


def _most_visited(index: TextIndex, lo: int, hi: int) -> list[str]:
    counts = Counter(stay.location for stay in index.visits(lo, hi))
    return [index.places[place] for place in most(counts)]


def _longest_dwell(index: TextIndex, lo: int, hi: int) -> list[str]:
    counts: Counter[str] = Counter()
    for stay in index.visits(lo, hi):
        counts[stay.location] += stay.last - stay.first + 1
    return [index.places[place] for place in most(counts)]


def _count(texts: Callable[[Step], str]) -> Callable[[Episode, Slots], Truth]:
    """Count a keyword in lo … hi; not answerable if it never occurs in the episode."""

    def find(trace: Episode, slots: Slots) -> Truth:
        bounds = _bounds(trace, slots)
        if bounds is None:
            return NO_ANSWER
        pattern = whole(str(slots["keyword"]))
        counts = {step.step: len(pattern.findall(texts(step))) for step in trace.between(*bounds)}
        count, steps = sum(counts.values()), tuple(step for step, number in counts.items() if number)
        if not count and not any(pattern.search(texts(step)) for step in trace.moments):
            return NO_ANSWER
        return Truth((str(count),), steps or tuple(sorted(set(bounds))))

    return find


COUNTING: Programs = {
    "C_action_mode": (choosing.whole_episode, _action_mode),
    "C_distinct_locations": (choosing.in_ranges, _of_visits(_distinct)),
    "C_most_frequent_location": (choosing.in_ranges, _of_visits(_most_visited)),
    "C_total_dwell": (choosing.in_ranges, _of_visits(_longest_dwell)),
    "C_keyword_count_obs": (
        choosing.keyword_in_range(choosing.observation_keywords),
        _count(lambda moment: moment.after.observation),
    ),
    "C_keyword_count_reason": (
        choosing.keyword_in_range(choosing.reason_keywords),
        _count(lambda moment: moment.reason),
    ),
}
