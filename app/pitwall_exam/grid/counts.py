"""Induction (C): questions over many steps. The count of something that never occurred is 0."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice

from pitwall_exam.grid.declaration import (
    MOST,
    Chooser,
    Programs,
    action_steps,
    answers_at,
    some_stretches,
    stretch,
    word,
)
from pitwall_exam.grid.index import GridIndex, Steps, within
from pitwall_exam.grid.steps import keyword_steps, keywords
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth

_FEW = 8
"""Fillings of a template whose precondition cannot be broken: more would only take time."""

Namer = Callable[[GridIndex], Sequence[str]]
Seeker = Callable[[GridIndex, Slots], Steps]


def _over(slot: str, names: Namer, others: Namer, seek: Seeker) -> Chooser:
    """Fill {lo}, {hi} and a name; in three of four fillings the name occurs within these steps."""

    def choose(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
        real, other = names(index), others(index)
        for turn, part in enumerate(some_stretches(index, chance, _FEW)):
            pool = other if other and (not real or turn % 4 == 3) else real
            if not pool:
                return
            slots: Slots = {slot: chance.choice(pool)}
            steps = seek(index, slots)
            if steps and turn % 4 != 2:
                step = chance.choice(steps)
                part = {"lo": chance.randint(1, step), "hi": chance.randint(step, len(index))}
            yield {**part, **slots}

    return choose


def _stretches(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    return some_stretches(index, chance, _FEW)


def _counted(index: GridIndex, slots: Slots, steps: Steps) -> Truth:
    part = stretch(index, slots)
    if part is None:
        return NO_ANSWER
    counted = within(steps, *part)
    return answers_at(len(counted), steps=counted or part)


def _keyword_count(index: GridIndex, slots: Slots) -> Truth:
    return _counted(index, slots, keyword_steps(index, slots))


def _collected(index: GridIndex, slots: Slots) -> Truth:
    known = word(slots, "resource") in index.words.items
    return _counted(index, slots, _gain_steps(index, slots)) if known else NO_ANSWER


def _visible(index: GridIndex, slots: Slots) -> Truth:
    return _counted(index, slots, _sight_steps(index, slots)) if _is_terrain(index, slots) else NO_ANSWER


def _adjacent(index: GridIndex, slots: Slots) -> Truth:
    return _counted(index, slots, _neighbour_steps(index, slots)) if _is_terrain(index, slots) else NO_ANSWER


def _most_move(index: GridIndex, slots: Slots) -> Truth:
    """Return the most frequent direction of moves that changed the position; of several equal ones, all."""
    part = stretch(index, slots)
    if part is None:
        return NO_ANSWER
    counts = Counter(way for way in index.moved[part[0] - 1 : part[1]] if way)
    most = max(counts.values(), default=0)
    ways = sorted(way for way, count in counts.items() if count == most)
    actions = [action for action, way in index.words.moves.items() if way in ways]
    return answers_at(*ways, *actions, steps=part)


def _longest_run(index: GridIndex, slots: Slots) -> Truth:
    part = stretch(index, slots)
    if part is None or not _is_action(index, slots):
        return NO_ANSWER
    runs = [list(run) for run in _runs(within(action_steps(index, slots), *part))]
    longest = max(runs, key=len, default=[])
    return answers_at(len(longest), steps=(longest[0], longest[-1]) if longest else part)


def _runs(steps: Steps) -> Iterator[Iterator[int]]:
    for _, run in groupby(enumerate(steps), key=lambda pair: pair[1] - pair[0]):
        yield (step for _, step in run)


def _change(index: GridIndex, slots: Slots) -> Truth:
    part, item = stretch(index, slots), word(slots, "resource")
    if part is None or item not in index.words.items:
        return NO_ANSWER
    first, last = index.moments[part[0] - 1].before, index.moments[part[1] - 1].after
    if not (first.stats and last.stats):
        return NO_ANSWER
    return answers_at(last.items.get(item, 0) - first.items.get(item, 0), steps=part)


def _peak(index: GridIndex, slots: Slots) -> Truth:
    """Return each step that raised it to the most; none if the episode began with as much."""
    item = word(slots, "resource")
    gains = index.gains(item)
    most = max((index.moments[step - 1].after.items[item] for step in gains), default=0)
    if not most or index.moments[0].before.items.get(item, 0) >= most:
        return NO_ANSWER
    steps = [step for step in gains if index.moments[step - 1].after.items[item] == most]
    return answers_at(*steps, steps=steps)


def _choose_peak(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    items = index.words.items
    for item in chance.sample(items, min(len(items), MOST)):
        yield {"resource": item}


def _distinct_trees(index: GridIndex, slots: Slots) -> Truth:
    part = stretch(index, slots)
    if part is None or not index.words.trees:
        return NO_ANSWER
    seen = {tree for trees in islice(index.trees, part[0] - 1, part[1]) for tree in trees}
    return answers_at(len(seen), steps=part)


def _is_terrain(index: GridIndex, slots: Slots) -> bool:
    return word(slots, "terrain") in (*index.words.terrains, *index.visible)


def _is_action(index: GridIndex, slots: Slots) -> bool:
    wanted = str(slots.get("action", "")).casefold()
    return any(wanted == action.casefold() for action in (*index.words.actions, *index.actions))


def _gain_steps(index: GridIndex, slots: Slots) -> Steps:
    return index.gains(word(slots, "resource"))


def _sight_steps(index: GridIndex, slots: Slots) -> Steps:
    return index.visible.get(word(slots, "terrain"), ())


def _neighbour_steps(index: GridIndex, slots: Slots) -> Steps:
    return index.beside.get(word(slots, "terrain"), ())


def _done(index: GridIndex) -> Sequence[str]:
    return list(index.actions)


def _undone(index: GridIndex) -> Sequence[str]:
    return [action for action in index.words.actions if action not in index.actions]


def _gained(index: GridIndex) -> Sequence[str]:
    return [name for name in index.words.resources if index.gains(name)]


def _never_gained(index: GridIndex) -> Sequence[str]:
    return [name for name in index.words.resources if not index.gains(name)]


def _sights(index: GridIndex) -> Sequence[str]:
    return [name for name in index.words.terrains if name in index.visible]


def _neighbours(index: GridIndex) -> Sequence[str]:
    return [name for name in index.words.terrains if name in index.beside]


def _unseen(index: GridIndex) -> Sequence[str]:
    return [name for name in index.words.terrains if name not in index.visible]


def _none(index: GridIndex) -> Sequence[str]:  # noqa: ARG001  # a namer's contract
    return ()


INDUCTION: Programs = {
    "C_keyword_count": (_over("keyword", keywords, _none, keyword_steps), _keyword_count),
    "C_most_move": (_stretches, _most_move),
    "C_longest_run": (_over("action", _done, _undone, action_steps), _longest_run),
    "C_collect_res": (_over("resource", _gained, _never_gained, _gain_steps), _collected),
    "C_resource_peak": (_choose_peak, _peak),
    "C_resource_change": (_over("resource", _gained, _never_gained, _gain_steps), _change),
    "C_visible_count": (_over("terrain", _sights, _unseen, _sight_steps), _visible),
    "C_adjacent_count": (_over("terrain", _neighbours, _unseen, _neighbour_steps), _adjacent),
    "C_distinct_trees": (_stretches, _distinct_trees),
}
