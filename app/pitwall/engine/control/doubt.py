"""When a reactive model is asked: where something speaks against what the plan does next.

A plan was made on what was seen then. While all goes as it said, asking whether to go on costs nearly as
much as planning anew, and says yes. So its next action is done without a call unless one of these holds:

    the last action's effect was not seen
    no plan stands behind it: nobody plans, or the plan is over and carried on
    a hint of the memory says that it fails in such a state, or that another action works
    there is news: the status changed, a field turned true or false, became known or unknown
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.memory.hints import ACT_SUCCESS

_MOST_TOLD = 3


class Doubt:
    """Weighs one step after another against what was seen when the one before was decided."""

    def __init__(self) -> None:
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
        last_effect: Effect | None,
        hinted: Mapping[str, float],
        values: Mapping[str, Value],
        status: GameStatus,
    ) -> str:
        """What speaks against doing this action now, as half a sentence; empty: nothing.

        Args:
            planned: a plan that is not over says so.
            last_effect: what became of the last step's action, None where there was none.
            hinted: action → share of the times it worked, for each action that a hint tells of.
        """
        found = []
        if last_effect is Effect.UNVERIFIED:
            found.append("the last action's effect was not seen")
        if not planned:
            found.append("no plan is in force")
        found += _remembered(str(action), hinted)
        found += self._news(values, status)
        return ", ".join(found)

    def _news(self, values: Mapping[str, Value], status: GameStatus) -> Iterator[str]:
        if self._seen is None:
            return
        before, known = self._seen
        if before is not status:
            yield f"the game went from {before} to {status}"
        changes = [_change(name, known.get(name), now) for name, now in values.items()]
        told = [change for change in changes if change]
        yield from told[:_MOST_TOLD]
        if len(told) > _MOST_TOLD:
            yield f"{len(told) - _MOST_TOLD} more changes"


def _remembered(action: str, hinted: Mapping[str, float]) -> Iterator[str]:
    """A hint that the action works outweighs one that another does."""
    if action in hinted:
        if hinted[action] < ACT_SUCCESS:
            yield "the memory does not speak for it"
        return
    other = next((name for name, share in hinted.items() if share >= ACT_SUCCESS), "")
    if other:
        yield f"the memory speaks for {other}"


def _change(name: str, before: Value, now: Value) -> str:
    """What is new of a field, as half a sentence; a number or a text that moves is no news."""
    if (before is None) is not (now is None):
        return f"{name} is now {'unknown' if now is None else 'known'}"
    if isinstance(before, bool) and isinstance(now, bool) and before is not now:
        return f"{name} is now {str(now).lower()}"
    return ""
