"""Low-level commands as a model sees them: their places are pixels of the picture that is sent to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pitwall.core.actions import ActionForm, Argument, Proposal, SemanticAction
from pitwall.engine.control.planner import PastStep
from pitwall.games.actions.computer_use import ComputerUse
from pitwall.games.actions.vocabulary import Vocabulary

_ACROSS, _DOWN = ("x", "to_x"), ("y", "to_y")


class PictureActions:
    """The legal commands with places in pixels of the picture; a `LegalActions`.

    A parsed command has its place in pixels of the profile's screen, as everything else in a run.

    Args:
        longest_px: returns the longest side of a picture that is sent.
    """

    def __init__(self, space: ComputerUse, longest_px: Callable[[], int]) -> None:
        self._space = space
        self._longest_px = longest_px

    @property
    def forms(self) -> tuple[ActionForm, ...]:
        return self.written.forms

    def parse(self, text: str) -> SemanticAction:
        """Return the command that a text names.

        Raises:
            IllegalAction: it is unknown, outside the role's controls, or beside the picture.
        """
        return self.original(self.written.parse(text))

    def shown(self, action: SemanticAction) -> SemanticAction:
        """Return an action of the run as the model would write it."""
        return _scaled(action, self._space.screen, self.written.screen)

    def shown_plan(self, plan: Proposal | None) -> Proposal | None:
        """Return a plan with its actions as the model would write them."""
        return replace(plan, candidates=tuple(map(self.shown, plan.candidates))) if plan is not None else None

    def shown_history(self, history: Iterable[PastStep]) -> tuple[PastStep, ...]:
        """Return past steps with their actions as the model would write them."""
        return tuple(replace(past, action=self.shown(past.action)) for past in history)

    def original(self, action: SemanticAction) -> SemanticAction:
        """Return an action that the model wrote as the run has it."""
        return _scaled(action, self.written.screen, self._space.screen)

    @property
    def written(self) -> ComputerUse:
        """Return the commands with places in pixels of the picture."""
        width, height = self._space.screen
        scale = min(1.0, self._longest_px() / max(width, height))
        return self._space.on_screen(max(1, round(width * scale)), max(1, round(height * scale)))


def model_actions(
    space: Vocabulary | ComputerUse, longest_px: Callable[[], int]
) -> Vocabulary | PictureActions:
    """Return a role's actions as a model sees them."""
    return PictureActions(space, longest_px) if isinstance(space, ComputerUse) else space


def _scaled(action: SemanticAction, before: tuple[int, int], after: tuple[int, int]) -> SemanticAction:
    """Return an action with its places moved from a screen of one size to another."""
    if before == after:
        return action
    arguments: dict[str, Argument] = dict(action.arguments)
    for names, length, now in ((_ACROSS, before[0], after[0]), (_DOWN, before[1], after[1])):
        for name in names:
            value = arguments.get(name)
            if isinstance(value, int | float):
                arguments[name] = min(now - 1, max(0, int((value + 0.5) * now / length)))
    return replace(action, arguments=arguments)
