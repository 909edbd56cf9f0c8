"""Single-hop and multi-hop questions (A, B): facts of one step, and actions some steps around it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from pitwall_exam.episode.keywords import UNLIKELY, unmistakable
from pitwall_exam.episode.states import GridState
from pitwall_exam.episode.trace import Moment
from pitwall_exam.grid.declaration import (
    MOST,
    Chooser,
    Programs,
    action_steps,
    answers_at,
    mixed,
    nth,
    number,
    occurrence,
    some_steps,
    text,
    word,
)
from pitwall_exam.grid.index import GridIndex, Steps
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth

_MOST_OFFSET = 5

NameFinder = Callable[[GridIndex], Sequence[str]]
StepFinder = Callable[[GridIndex, Slots], Steps]


# ---- what a step held


def _at_step(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    for step in some_steps(index, chance):
        yield {"step": step}


def _of_moment(read: Callable[[Moment[GridState]], str]) -> Callable[[GridIndex, Slots], Truth]:
    def find(index: GridIndex, slots: Slots) -> Truth:
        moment = index.at(number(slots, "step"))
        return answers_at(read(moment), steps=[moment.step]) if moment else NO_ANSWER

    return find


def _stat(index: GridIndex, slots: Slots) -> Truth:
    moment = index.at(number(slots, "step"))
    value = moment.before.stats.get(word(slots, "stat")) if moment else None
    return answers_at(value, steps=[number(slots, "step")]) if value is not None else NO_ANSWER


def _choose_stat(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    for step in some_steps(index, chance):
        yield {"stat": chance.choice(index.words.stats), "step": step}


def _amount(index: GridIndex, slots: Slots) -> Truth:
    moment, item = index.at(number(slots, "step")), word(slots, "resource")
    if moment is None or item not in index.words.items or not moment.before.stats:
        return NO_ANSWER
    return answers_at(moment.before.items.get(item, 0), steps=[moment.step])


def _choose_amount(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    for number_, step in enumerate(some_steps(index, chance)):
        moment = index.at(step)
        held = [name for name in index.words.items if moment and moment.before.items.get(name)]
        if held or number_ % 4 == 0:
            yield {"resource": chance.choice(held or index.words.items), "step": step}


# ---- occurrences


def _occurs(seek: StepFinder) -> Callable[[GridIndex, Slots], Truth]:
    def find(index: GridIndex, slots: Slots) -> Truth:
        step = nth(seek(index, slots), text(slots, "nth"))
        return answers_at(step, steps=[step]) if step else NO_ANSWER

    return find


def _around(seek: StepFinder) -> Callable[[GridIndex, Slots], Truth]:
    def find(index: GridIndex, slots: Slots) -> Truth:
        step = nth(seek(index, slots), text(slots, "nth"))
        offset = number(slots, "offset")
        if step is None or offset < 0:
            return NO_ANSWER
        there = index.at(step - offset if text(slots, "side") == "before" else step + offset)
        return answers_at(there.action, steps=[step, there.step]) if there else NO_ANSWER

    return find


def _naming(slot: str, real: NameFinder, strange: NameFinder, seek: StepFinder) -> Chooser:
    def choose(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
        for name in mixed(chance, real(index), strange(index)):
            yield {"nth": occurrence(chance, len(seek(index, {slot: name}))), slot: name}

    return choose


def _hopping(choose: Chooser) -> Chooser:
    def chosen(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
        for slots in choose(index, chance):
            side = chance.choice(("before", "after"))
            yield {**slots, "offset": chance.randint(1, _MOST_OFFSET), "side": side}

    return chosen


def keyword_steps(index: GridIndex, slots: Slots) -> Steps:
    """Return the steps whose reason mentions the question's keyword."""
    return index.says(text(slots, "keyword"))


def keywords(index: GridIndex) -> Sequence[str]:
    """List the most frequent words of the episode's reasons, without those that stand within other words."""
    return unmistakable(index.keywords, (moment.reason for moment in index.moments))[: 2 * MOST]


def strange_keywords(index: GridIndex) -> Sequence[str]:
    """List words that occur in no reason, nor within its words ("trees", "wood pickaxe")."""
    spoken = " ".join(dict.fromkeys(moment.reason.casefold() for moment in index.moments))
    stock = (*index.words.items, *index.words.terrains, *UNLIKELY)
    return [word for word in stock if word not in spoken and word.replace("_", " ") not in spoken]


def _ground_steps(index: GridIndex, slots: Slots) -> Steps:
    return index.grounds.get(word(slots, "terrain"), ())


def _actions(index: GridIndex) -> Sequence[str]:
    return list(index.actions)


def _strange_actions(index: GridIndex) -> Sequence[str]:
    return [action for action in index.words.actions if action not in index.actions]


def _grounds(index: GridIndex) -> Sequence[str]:
    return list(index.grounds)


def _strange_grounds(index: GridIndex) -> Sequence[str]:
    return [terrain for terrain in index.words.terrains if terrain not in index.grounds]


_BY_ACTION = _naming("action", _actions, _strange_actions, action_steps)
_BY_KEYWORD = _naming("keyword", keywords, strange_keywords, keyword_steps)
_BY_TERRAIN = _naming("terrain", _grounds, _strange_grounds, _ground_steps)

SINGLE_HOP: Programs = {
    "A_action": (_at_step, _of_moment(lambda moment: moment.action)),
    "A_reason": (_at_step, _of_moment(lambda moment: moment.reason.strip())),
    "A_stat": (_choose_stat, _stat),
    "A_terrain": (_at_step, _of_moment(lambda moment: moment.before.ground)),
    "A_inventory": (_choose_amount, _amount),
    "A_occ_action": (_BY_ACTION, _occurs(action_steps)),
    "A_occ_keyword": (_BY_KEYWORD, _occurs(keyword_steps)),
    "A_occ_terrain": (_BY_TERRAIN, _occurs(_ground_steps)),
}
MULTI_HOP: Programs = {
    "B_action": (_hopping(_BY_ACTION), _around(action_steps)),
    "B_keyword": (_hopping(_BY_KEYWORD), _around(keyword_steps)),
    "B_terrain": (_hopping(_BY_TERRAIN), _around(_ground_steps)),
}
