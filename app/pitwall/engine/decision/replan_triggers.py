"""When a reactive model is asked: where something speaks against what the plan does next.

A plan was made on what was seen then. While all goes as it said, asking whether to go on costs nearly as
much as planning anew, and says yes. So its next action is done without a call unless one of these holds:

    the last action's effect was not seen
    no plan stands behind it: nobody plans, or the plan is over and carried on
    a hint of the memory says that it mostly failed (that another one worked says nothing against it)
    the status changed
    its skill does not apply any more, or one of higher priority begins to
    under a plan that follows no skill: a field turned true or false, became known or unknown
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.memory.retrieval.hints import ACT_SUCCESS

_MOST_TOLD = 3

SkillNews: TypeAlias = Callable[[str, Mapping[str, Value], Mapping[str, Value]], str | None]
"""A skill's name, what was seen before, what is seen now → what speaks against going on with it, empty for
nothing; None where there is no such skill."""


class ReplanTriggers:
    """Weighs one step after another against what was seen when the one before was decided.

    Args:
        skills: knows the skills that plans may follow; None: nobody does.
    """

    def __init__(self, skills: SkillNews | None = None) -> None:
        self._skills = skills
        self._seen: tuple[GameStatus, dict[str, Value]] | None = None

    def saw(self, values: Mapping[str, Value], status: GameStatus) -> None:
        """A step was decided on this, or a plan made: from here on it is no news."""
        self._seen = (status, dict(values))

    def forget(self) -> None:
        """Nothing is known of what was seen before."""
        self._seen = None

    def against(
        self,
        action: SemanticAction,
        *,
        planned: bool,
        skill: str = "",
        last_effect: Effect | None,
        hinted: Mapping[str, float],
        values: Mapping[str, Value],
        status: GameStatus,
    ) -> str:
        """What speaks against doing this action now, as half a sentence; empty: nothing.

        Args:
            planned: a plan that is not over says so. skill: that it follows, empty for none.
            last_effect: what became of the last step's action, None where there was none.
            hinted: action → share of the times it worked, for each action that a hint tells of.
        """
        found = []
        if last_effect is Effect.UNVERIFIED:
            found.append("the last action's effect was not seen")
        if not planned:
            found.append("no plan is in force")
        if hinted.get(str(action), 1.0) < ACT_SUCCESS:
            found.append("the memory does not speak for it")
        found += self._news(skill, values, status)
        return ", ".join(found)

    def _news(self, skill: str, values: Mapping[str, Value], status: GameStatus) -> Iterator[str]:
        if self._seen is None:
            return
        before, known = self._seen
        if before is not status:
            yield f"the game went from {before} to {status}"
        of_skill = self._skills(skill, known, values) if skill and self._skills is not None else None
        if of_skill is not None:
            if of_skill:
                yield of_skill
            return
        changes = [_change(name, known.get(name), now) for name, now in values.items()]
        told = [change for change in changes if change]
        yield from told[:_MOST_TOLD]
        if len(told) > _MOST_TOLD:
            yield f"{len(told) - _MOST_TOLD} more changes"


def _change(name: str, before: Value, now: Value) -> str:
    """What is new of a field, as half a sentence; a number or a text that moves is no news."""
    if (before is None) is not (now is None):
        return f"{name} is now {'unknown' if now is None else 'known'}"
    if isinstance(before, bool) and isinstance(now, bool) and before is not now:
        return f"{name} is now {str(now).lower()}"
    return ""
