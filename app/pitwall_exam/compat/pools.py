"""The slot values that published templates may ask about, with an answer or deliberately without one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from pitwall_exam.compat.episode import NAMES, OCCURRENCES, Span
from pitwall_exam.compat.rules.counts import peak
from pitwall_exam.compat.rules.events import ASKED, event_step
from pitwall_exam.compat.rules.logic import NOT_CARRIED, RECIPES
from pitwall_exam.compat.rules.order import COUNTED, STATES
from pitwall_exam.compat.rules.steps import STATS, mentions
from pitwall_exam.compat.template import NOT_ANSWERABLE, Template
from pitwall_exam.compat.world import World

ACTIONS = (
    *("NOOP", "MOVE_LEFT", "MOVE_RIGHT", "MOVE_UP", "MOVE_DOWN", "DO", "SLEEP"),
    *("PLACE_STONE", "PLACE_TABLE", "PLACE_FURNACE", "PLACE_PLANT"),
    *("MAKE_WOOD_PICKAXE", "MAKE_STONE_PICKAXE", "MAKE_IRON_PICKAXE"),
    *("MAKE_WOOD_SWORD", "MAKE_STONE_SWORD", "MAKE_IRON_SWORD"),
)
"""Names of the published actions."""
KEYWORDS = (
    *("tree", "wood", "table", "craft", "stone", "coal", "iron", "diamond", "mine", "cave", "lava", "bridge"),
    *("water", "lake", "drink", "sand", "eat", "sleep", "fight"),
)
"""Words that questions look for in reasons."""
_FURTHEST_OFF = {"B": 5, "D": 4, "E": 3}
"""Most steps or tiles of an offset, by the template's section."""
_FROM_AFAR = ("tree", "lake", "stone")
_UNSEEN = ("coal", "diamond", "lava", "table", "furnace", "iron", "sand", "tree")

Pool = Sequence[str | int]


class Pools:
    """The values that slots may take over a range of an episode, by template and slot.

    A template whose name contains "missing", "unused" or "unreachable" gets values that the range lacks.
    """

    def __init__(self, world: World, span: Span) -> None:
        self._world, self._span = world, span
        whole = range(len(world.steps))
        self._done = sorted({world.steps[step].action for step in span.steps})
        self._ever_done = sorted({row.action for row in world.steps})
        self._mentioned = [word for word in KEYWORDS if mentions(world, span, word)]
        self._under = [name for name in NAMES if name in {NAMES[world.underfoot(s)] for s in span.steps}]
        seen = frozenset().union(*(world.in_view[step] for step in span.steps))
        self._seen = [name for number, name in enumerate(NAMES) if number in seen]
        names = dict.fromkeys(name for row in world.steps for name in row.inventory)
        self._items = [name for name in names if name not in NOT_CARRIED]
        self._had = [name for name in self._items if peak(world, span, {"resource": name}) != NOT_ANSWERABLE]
        self._events = [name for name in ASKED if event_step(world, name) is not None]
        self._steps = [step + 1 for step in span.steps]
        self._any_step = [step + 1 for step in whole]

    def of(self, template: Template, slot: str, chance: random.Random) -> str | int | None:
        """Draw a value for a slot; None if there is none to draw."""
        pool = self._pool(template, slot)
        return chance.choice(pool) if pool else None

    def _pool(self, template: Template, slot: str) -> Pool:
        name = template.name
        fixed: dict[str, Callable[[], Pool]] = {
            "step": lambda: self._any_step if name == "F_inventory_contents" else self._steps,
            "stat": lambda: list(STATS),
            "state": lambda: list(STATES),
            "craft": lambda: list(RECIPES),
            "counted": lambda: COUNTED,
            "turn": lambda: ("up", "down", "left", "right"),
            "side": lambda: ("before", "after"),
            "offset": lambda: range(1, _FURTHEST_OFF[name[0]] + 1),
            "which": lambda: self._which(name),
            "event": lambda: ("drink", "eat") if name == "F_event_loc" else self._events,
            "other": lambda: self._events,
            "resource": lambda: self._resources(name),
            "terrain": lambda: self._terrains(name),
            "keyword": lambda: _lacking(KEYWORDS, self._mentioned) if _broken(name) else self._mentioned,
            "action": lambda: self._actions(name),
        }
        return fixed[slot]()

    def _which(self, name: str) -> Pool:
        if name == "G_unused_keyword":
            return ("first",)
        last = name.rsplit("_", 1)[-1]
        return (last,) if last in OCCURRENCES else OCCURRENCES

    def _resources(self, name: str) -> Pool:
        return _lacking(self._items, self._had) if _broken(name) else self._had

    def _actions(self, name: str) -> Pool:
        if _broken(name):
            return _lacking(ACTIONS, self._done)
        return self._ever_done if name == "C_longest_run" else self._done

    def _terrains(self, name: str) -> Pool:
        if name == "G_unreachable_nav":
            return _lacking(_UNSEEN, self._seen)
        if name in ("D_min_dist", "D_max_dist"):
            return _FROM_AFAR
        if name.startswith(("A_", "B_")):
            return _lacking(NAMES, self._under) if _broken(name) else self._under
        return self._seen


def _broken(name: str) -> bool:
    return "missing" in name or name.startswith("G_")


def _lacking(all_of: Sequence[str], there: Sequence[str]) -> list[str]:
    return [name for name in all_of if name not in there]
