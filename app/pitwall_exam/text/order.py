"""Text-game questions about the order of events and the inventory (Table 14, temporal, logical).

An item that was never obtained, or a location never left or entered, breaks a question's precondition: the
question is not answerable.
"""

from __future__ import annotations

from collections import Counter

from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth
from pitwall_exam.text import choosing
from pitwall_exam.text.commands import folded
from pitwall_exam.text.counting import most
from pitwall_exam.text.index import indexed
from pitwall_exam.text.single import Episode, Programs

_EMPTY = ("nothing", "empty", "none", "no items")


def _gains(trace: Episode, slots: Slots, slot: str = "item") -> list[int]:
    return indexed(trace).gains.get(folded(str(slots[slot])), [])


def _alike(slots: Slots, slot: str, other: str) -> bool:
    """Return whether two slots name the same thing."""
    return folded(str(slots[slot])) == folded(str(slots[other]))


def _before(early: int, late: int) -> Truth:
    return Truth(("yes" if early < late else "no",), tuple(sorted({early, late})))


def _gain_delay(trace: Episode, slots: Slots) -> Truth:
    steps = _gains(trace, slots)[:2] if _alike(slots, "item", "again") else []
    return Truth((str(steps[1] - steps[0]),), tuple(steps)) if len(steps) == 2 else NO_ANSWER


def _item_before_leave(trace: Episode, slots: Slots) -> Truth:
    gains = _gains(trace, slots)
    left = next(indexed(trace).leavings(folded(str(slots["location"]))), None)
    return _before(gains[0], left) if gains and left is not None else NO_ANSWER


def _item_order(trace: Episode, slots: Slots) -> Truth:
    item, other = _gains(trace, slots), _gains(trace, slots, "other")
    return _before(other[0], item[0]) if item and other else NO_ANSWER


def _region_stay(trace: Episode, slots: Slots) -> Truth:
    here = folded(str(slots["location"]))
    stay = next((stay for stay in indexed(trace).stays if stay.location == here), None)
    if stay is None or not _alike(slots, "location", "same"):
        return NO_ANSWER
    return Truth((str(stay.last - stay.first + 1),), tuple(sorted({stay.first, stay.last})))


def _scene_order(trace: Episode, slots: Slots) -> Truth:
    """Compare the first steps decided at two locations; one that the last step led to comes last."""
    index, end = indexed(trace), len(trace) + 1
    here, other = (folded(str(slots[name])) for name in ("location", "other"))
    if here == other or here not in index.places or other not in index.places:
        return NO_ANSWER
    entered, been = (index.first_at(place) or end for place in (here, other))
    return Truth(
        ("yes" if been < entered else "no",), tuple(sorted({min(been, end - 1), min(entered, end - 1)}))
    )


def _has_item(trace: Episode, slots: Slots) -> Truth:
    moment, item = trace.at(int(slots["step"])), folded(str(slots["item"]))
    if moment is None or item not in indexed(trace).carried:
        return NO_ANSWER
    held = item in {folded(name) for name in moment.before.inventory}
    return Truth(("yes" if held else "no",), (moment.step,))


def _list_inventory(trace: Episode, slots: Slots) -> Truth:
    moment = trace.at(int(slots["step"]))
    if moment is None:
        return NO_ANSWER
    listed = ", ".join(sorted(moment.after.inventory))
    return Truth((listed,) if listed else _EMPTY, (moment.step,))


def _fullest(trace: Episode, slots: Slots) -> Truth:  # noqa: ARG001  # the contract
    counts = {moment.step: len(moment.after.inventory) for moment in trace.moments}
    highest = max(counts.values(), default=0)
    steps = tuple(step for step, count in counts.items() if count == highest) if highest else ()
    return Truth(tuple(map(str, steps)), steps) if steps else NO_ANSWER


def _richest_place(trace: Episode, slots: Slots) -> Truth:  # noqa: ARG001  # the contract
    index = indexed(trace)
    counts: Counter[str] = Counter()
    for steps in index.gains.values():
        where = {folded(moment.before.location) for step in steps if (moment := trace.at(step)) is not None}
        counts.update(where - {""})
    places = most(counts)
    steps = sorted({step for gained in index.gains.values() for step in gained})
    return Truth(tuple(index.places[place] for place in places), tuple(steps)) if places else NO_ANSWER


ORDER: Programs = {
    "E_gain_delay": (choosing.twice(choosing.again, ("item", "again")), _gain_delay),
    "E_item_before_leave": (
        choosing.paired(choosing.places, choosing.items, ("location", "item")),
        _item_before_leave,
    ),
    "E_item_order": (choosing.paired(choosing.items, choosing.items, ("item", "other")), _item_order),
    "E_region_stay": (choosing.twice(choosing.places, ("location", "same")), _region_stay),
    "E_scene_order": (choosing.paired(choosing.places, choosing.places, ("location", "other")), _scene_order),
    "F_has_item": (choosing.item_at_step, _has_item),
    "F_list_inventory": (choosing.at_steps, _list_inventory),
    "F_max_inventory_step": (choosing.whole_episode, _fullest),
    "F_location_most_item_gain": (choosing.whole_episode, _richest_place),
}
