"""The progress counter p (SPEC §1): counts changes of the observed fields that mean progress.

It sees state-reader fields only, never a game's hidden state.
"""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.core.conditions import parse_condition
from pitwall.core.observations import GameStatus, Value
from pitwall.games.schema.profile import ProgressRules

STATUS = "status"
EFFECT = "effect"
"""Progress by a confirmed effect alone: a change of the picture, in games that count it."""
GAINS = frozenset({"selection", "inventory", "dialogue", "done"})
"""Kinds of progress that mean more than a move."""


class ProgressCounter:
    """Counts progress from step to step.

    A field is compared with its value when it last counted, so slow drift beyond its tolerance
    counts once it adds up, and jitter within it never does. A field that could not be read keeps
    its last value. The first update only takes the values to compare with.

    Attributes:
        count: p, how often something grew since the run began.

    Raises:
        ConditionError: `rules.done` does not parse.
    """

    def __init__(self, rules: ProgressRules) -> None:
        self.count = 0
        self._fields = {
            "position": rules.position,
            "facing": rules.facing,
            "selection": rules.selection,
            "inventory": rules.inventory,
            "dialogue": rules.dialogue,
        }
        self._tolerance = rules.tolerance
        self._done = parse_condition(rules.done) if rules.done else None
        self._effects = rules.effects
        self._known: dict[str, Value] = {}
        self._was_done: bool | None = None
        self._by_effect = False

    def update(self, values: Mapping[str, Value], *, effect_confirmed: bool) -> tuple[str, ...]:
        """Take one step's fields (with `status` among them).

        Returns:
            The kinds that grew: position, facing, selection, inventory, dialogue, done, effect.
            A change into or out of the menu counts as dialogue.
        """
        grown = [kind for kind, names in self._fields.items() if self._changed(names, values)]
        if self._menu_turned(values) and "dialogue" not in grown:
            grown.append("dialogue")
        if self._done is not None:
            done = self._done.holds(values)
            if done and self._was_done is False:
                grown.append("done")
            self._was_done = done
        if effect_confirmed and self._effects:
            grown.append(EFFECT)
        self._by_effect = grown == [EFFECT]
        self.count += len(grown)
        return tuple(grown)

    def subgoal_done(self) -> None:
        """Count a subgoal that a reflection says is done."""
        self.count += 1

    def take_back_effect(self) -> bool:
        """Take back the last step's progress if only its effect counted; return whether it did."""
        taken, self._by_effect = self._by_effect, False
        self.count -= taken
        return taken

    def _changed(self, names: list[str], values: Mapping[str, Value]) -> bool:
        changed = False
        for name in names:
            new = values.get(name)
            if new is None:
                continue
            if name not in self._known:
                self._known[name] = new
            elif _differ(self._known[name], new, self._tolerance.get(name, 0.0)):
                self._known[name] = new
                changed = True
        return changed

    def _menu_turned(self, values: Mapping[str, Value]) -> bool:
        new = values.get(STATUS)
        if new is None:
            return False
        old = self._known.get(STATUS, new)
        self._known[STATUS] = new
        return old != new and GameStatus.MENU in (old, new)


def _differ(old: Value, new: Value, tolerance: float) -> bool:
    if isinstance(old, int | float) and isinstance(new, int | float):
        return abs(new - old) > tolerance
    return old != new
