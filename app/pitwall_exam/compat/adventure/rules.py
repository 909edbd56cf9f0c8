"""Rules of the published text-adventure templates; step numbers count from 1 here, often as strings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pitwall_exam.compat.adventure.episode import Adventure, AdventureStep
from pitwall_exam.compat.episode import occurrence
from pitwall_exam.compat.template import NOT_ANSWERABLE, Truth
from pitwall_exam.questions.forms import Slots

Rule = Callable[[Adventure, Slots], Truth]
Events = Literal["entered", "left", "gained"]
"""The name of an index of an adventure's events."""

READ: Mapping[str, Callable[[AdventureStep], str]] = {
    "action is executed": lambda step: step.action,
    "is the location before performing the action": lambda step: step.location,
    "is the cumulative reward after performing the action": lambda step: str(step.total),
    "observation is seen after performing the action": lambda step: step.outcome,
}
"""The facts of a step that "some steps later" questions ask for."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s")


def at_step(read: Callable[[AdventureStep], str]) -> Rule:
    """Build a rule of A_*: a fact of one step."""

    def find(adventure: Adventure, slots: Slots) -> Truth:
        row = _row(adventure, int(slots["step"]) - 1)
        return NOT_ANSWERABLE if row is None else read(row)

    return find


def first_sentence(step: AdventureStep) -> str:
    """Answer A_reason: the sentence with its full stop."""
    return _SENTENCE_ENDS.split(step.reason.strip())[0]


def valid_action(adventure: Adventure, slots: Slots) -> Truth:
    """Answer A_valid_action; not answerable if the log lists no action as valid."""
    row = _row(adventure, int(slots["step"]) - 1)
    if row is None or not row.valid:
        return NOT_ANSWERABLE
    return _yes(slots["action"] in row.valid)


def mentioning(adventure: Adventure, slots: Slots) -> Truth:
    """Answer A_keyword_occurrence."""
    return _step_number(
        occurrence(adventure.mentions(str(slots["source"]), str(slots["keyword"])), _which(slots))
    )


def occurring(events: Events, slot: str) -> Rule:
    """Build a rule of A_enter_leave and A_gain_item: the step of the asked occurrence of an event."""
    return lambda adventure, slots: _step_number(
        occurrence(_steps(adventure, events, slots[slot]), _which(slots))
    )


def came_before(event: tuple[Events, str], earlier: tuple[Events, str]) -> Rule:
    """Build a rule of E_*_order and E_item_before_leave: whether `earlier` first came before `event` did."""

    def find(adventure: Adventure, slots: Slots) -> Truth:
        steps, others = (_steps(adventure, kind, slots[slot]) for kind, slot in (event, earlier))
        return NOT_ANSWERABLE if not steps else _yes(bool(others) and others[0] < steps[0])

    return find


def leaving_by(adventure: Adventure, slots: Slots) -> Truth:
    """Answer G_leave_fake_location_before_action: the first step elsewhere decided with this action."""
    steps = adventure.left.get(str(slots["location"]), [])
    return _step_number(_first([step for step in steps if adventure.steps[step].action == slots["action"]]))


def after_mention(adventure: Adventure, slots: Slots) -> Truth:
    """Answer B_keyword_after_*."""
    return _later(adventure, adventure.mentions(str(slots["source"]), str(slots["keyword"])), slots)


def after_gain(adventure: Adventure, slots: Slots) -> Truth:
    """Answer B_gain_after_*."""
    return _later(adventure, adventure.gained.get(str(slots["item"]), []), slots)


def count_mentions(source: str) -> Rule:
    """Build a rule of C_keyword_count_*: it counts steps, not mentions."""
    return lambda adventure, slots: len(adventure.mentions(source, str(slots["keyword"])))


def commonest_action(adventure: Adventure, _slots: Slots) -> Truth:
    """Answer C_action_mode."""
    return _most(Counter(step.action for step in adventure.steps))


def distinct_locations(adventure: Adventure, _slots: Slots) -> Truth:
    """Answer C_distinct_locations."""
    return len(adventure.entered)


def most_entered(adventure: Adventure, _slots: Slots) -> Truth:
    """Answer C_most_frequent_location: by number of entries."""
    return _most({place: len(steps) for place, steps in adventure.entered.items()})


def longest_stay(adventure: Adventure, _slots: Slots) -> Truth:
    """Answer C_total_dwell: by number of steps."""
    return _most(Counter(step.location for step in adventure.steps))


def moves_between_steps(adventure: Adventure, slots: Slots) -> Truth:
    """Answer D_shortest_path, over the walked ways in their walked direction."""
    start, end = (_here(adventure, int(slots[name]) - 1) for name in ("step", "to_step"))
    return adventure.reach(start).get(end, NOT_ANSWERABLE)


def moves_between(adventure: Adventure, slots: Slots) -> Truth:
    """Answer G_shortest_path_adversarial in the same way."""
    return adventure.reach(str(slots["start"])).get(str(slots["end"]), NOT_ANSWERABLE)


def reachable(adventure: Adventure, slots: Slots) -> Truth:
    """Answer D_reachable_within."""
    moves = _reach(adventure, slots).get(str(slots["location"]))
    return _yes(moves is not None and moves <= int(slots["most"]))


def reachable_count(adventure: Adventure, slots: Slots) -> Truth:
    """Answer D_reachable_locations_count."""
    return sum(0 < moves <= int(slots["most"]) for moves in _reach(adventure, slots).values())


def direction_count(adventure: Adventure, slots: Slots) -> Truth:
    """Answer D_direction_count: directions that led elsewhere at any step up to the horizon."""
    return len(adventure.ways.get(_here(adventure, int(slots["step"]) - 1), {}))


def closer(adventure: Adventure, slots: Slots) -> Truth:
    """Answer D_compare_distances; not answerable if neither is closer. The unreachable is furthest."""
    far = _reach(adventure, slots)
    first, other = (str(slots[name]) for name in ("one", "other"))
    moves = [far.get(place, len(far)) for place in (first, other)]
    return NOT_ANSWERABLE if moves[0] == moves[1] else first if moves[0] < moves[1] else other


def walking(adventure: Adventure, slots: Slots) -> Truth:
    """Answer D_sequence_moves."""
    here = _here(adventure, int(slots["step"]) - 1)
    for way in str(slots["ways"]).split(", then "):
        here = adventure.ways.get(here, {}).get(way, "")
    return here or NOT_ANSWERABLE


def rise_after_gain(adventure: Adventure, slots: Slots) -> Truth:
    """Answer E_gain_delay: steps until the rewards exceed those at the gain."""
    gained = _first(adventure.gained.get(str(slots["item"])))
    if gained is None:
        return NOT_ANSWERABLE
    later = adventure.steps[gained:]
    risen = (steps for steps, row in enumerate(later) if row.total > later[0].total)
    return next(risen, NOT_ANSWERABLE)


def first_stay(adventure: Adventure, slots: Slots) -> Truth:
    """Answer E_region_stay; not answerable if the location was never left."""
    entered, left = (
        _first(steps.get(str(slots["location"]))) for steps in (adventure.entered, adventure.left)
    )
    return NOT_ANSWERABLE if entered is None or left is None else left - entered


def inventory(adventure: Adventure, slots: Slots) -> Truth:
    """Answer F_list_inventory in the log's order; unknown after the log's last step."""
    return ", ".join(adventure.carried_after(int(slots["step"]) - 1) or ()) or NOT_ANSWERABLE


def fullest_step(adventure: Adventure, _slots: Slots) -> Truth:
    """Answer F_max_inventory_step: the first of several."""
    carried = [len(adventure.carried_after(step) or ()) for step in range(len(adventure.steps))]
    return _step_number(carried.index(max(carried)))


def richest_location(adventure: Adventure, _slots: Slots) -> Truth:
    """Answer F_location_most_item_gain."""
    return _most(
        Counter(adventure.steps[step].location for steps in adventure.gained.values() for step in steps)
    )


def had(adventure: Adventure, slots: Slots) -> Truth:
    """Answer F_has_item."""
    carried = adventure.carried_after(int(slots["step"]) - 1)
    return NOT_ANSWERABLE if carried is None else _yes(slots["item"] in carried)


def _row(adventure: Adventure, step: int) -> AdventureStep | None:
    return adventure.steps[step] if 0 <= step < len(adventure.steps) else None


def _here(adventure: Adventure, step: int) -> str:
    row = _row(adventure, step)
    return row.location if row is not None else ""


def _reach(adventure: Adventure, slots: Slots) -> dict[str, int]:
    return adventure.reach(_here(adventure, int(slots["step"]) - 1))


def _steps(adventure: Adventure, events: Events, name: object) -> Sequence[int]:
    index: Mapping[str, Sequence[int]] = getattr(adventure, events)
    return index.get(str(name), ())


def _which(slots: Slots) -> str:
    return str(slots.get("which", "first"))


def _step_number(step: int | None) -> str:
    return NOT_ANSWERABLE if step is None else str(step + 1)


def _first(steps: Sequence[int] | None) -> int | None:
    return steps[0] if steps else None


def _later(adventure: Adventure, steps: Sequence[int], slots: Slots) -> Truth:
    row = _row(adventure, steps[0] + int(slots["offset"])) if steps else None
    return NOT_ANSWERABLE if row is None else READ[str(slots["what"]).lower()](row)


def _yes(so: bool) -> str:
    return "yes" if so else "no"


def _most(counts: Mapping[str, int]) -> Truth:
    """Return the key with the highest count, or all such keys in alphabetical order."""
    most = sorted(key for key, count in counts.items() if count == max(counts.values()))
    return most[0] if len(most) == 1 else most or NOT_ANSWERABLE
