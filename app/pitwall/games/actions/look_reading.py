"""Maps a person's motion of the mouse to the looks and turns of a game's actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pitwall.core.actions import Argument, InputEvent, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.games.actions.vocabulary import fits
from pitwall.games.schema.actions import ActionBinding, MouseLook
from pitwall.games.schema.profile import Profile

LOOK_NS = 100 * NS_PER_MS
"""A look lasts this long; motion that goes on is the next one."""
_DEGREES = (1, 2, 4, 8, 15, 30, 45, 60, 90, 135, 180)
"""Turns by which recorded play is counted, so that a clone has few actions to choose from."""
_UNITS = tuple(5 * 2**power for power in range(10))
"""Looks of games whose units per degree are not measured."""


class LookReader:
    """Names looks; what a name leaves out of a look is added to the next look.

    Args:
        profile: of the game. actions: those of the person's role.

    Attributes:
        labels: names of the actions that look or turn.
    """

    def __init__(self, profile: Profile, actions: Sequence[ActionBinding]) -> None:
        look = profile.mouse_look or MouseLook()
        self._per_degree = look.units_per_degree
        self._turns = [action for action in actions if action.turn is not None and self._per_degree]
        self._looks = [action for action in actions if action.look is not None]
        self.labels = tuple(action.name for action in (*self._turns, *self._looks))
        self._left = (0.0, 0.0)

    def named(self, event: InputEvent) -> tuple[str, str]:
        """Return label and text of the action nearest to a look; empty where it is less than any of them."""
        dx, dy = event.dx + self._left[0], event.dy + self._left[1]
        choices = [*self._turned(dx), *self._looked(dx, dy)]
        least = min(((dx - x) ** 2 + (dy - y) ** 2 for x, y, _ in choices), default=0.0)
        if not choices or least >= dx * dx + dy * dy:
            self._left = dx, dy
            return "", ""
        x, y, action = next(
            choice for choice in choices if (dx - choice[0]) ** 2 + (dy - choice[1]) ** 2 == least
        )
        self._left = dx - x, dy - y if self._looks else 0.0
        return action.name, str(action)

    def _turned(self, dx: float) -> Iterable[tuple[float, float, SemanticAction]]:
        for binding in self._turns:
            if isinstance(binding.turn, str):
                name = binding.turn[1:]
                degrees = _nearest(dx / self._per_degree, _DEGREES)
                if degrees and (action := _with(binding, {name: degrees})) is not None:
                    yield degrees * self._per_degree, 0.0, action
            elif binding.turn is not None:
                yield binding.turn * self._per_degree, 0.0, SemanticAction(name=binding.name)

    def _looked(self, dx: float, dy: float) -> Iterable[tuple[float, float, SemanticAction]]:
        for binding in self._looks:
            given: dict[str, Argument] = {}
            moved = []
            for value, part in zip(binding.look or (), (dx, dy), strict=True):
                units = _nearest(part, _UNITS) if isinstance(value, str) else value
                given |= {value[1:]: units} if isinstance(value, str) else {}
                moved.append(float(units))
            if any(moved) and (action := _with(binding, given)) is not None:
                yield moved[0], moved[1], action


def _nearest(value: float, steps: Sequence[int]) -> int:
    """Return the step nearest to a value, with its sign; 0 for less than half of the first step."""
    nearest = min((0, *steps), key=lambda step: abs(abs(value) - step))
    return nearest if value > 0 else -nearest


def _with(binding: ActionBinding, given: dict[str, Argument]) -> SemanticAction | None:
    """Return the action with these arguments, in the order of its parameters; None where they do not fit."""
    parameters = binding.parameters
    if not all(name in parameters and fits(parameters[name], value) for name, value in given.items()):
        return None
    return SemanticAction(
        name=binding.name, arguments={name: given[name] for name in parameters if name in given}
    )
