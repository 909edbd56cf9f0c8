"""Low-level commands as a model sees them: their places are pixels of the picture that is sent to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pitwall.core.actions import ActionForm, Argument, Proposal, SemanticAction
from pitwall.engine.control.planner import PastStep
from pitwall.games.actions.computer_use import ComputerUse
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.models.click_scale import ClickScale, length_in

_ACROSS, _DOWN = ("x", "to_x"), ("y", "to_y")


_IN_PARTS = {
    "thousand": "the picture, whose places are 0 to 1000 across and down",
    "percent": "the picture, whose places are percent across and down",
    "unit": "the picture, whose places are 0 to 1 across and down",
}


class PictureActions:
    """The legal commands with places as the model writes them: a `LegalActions`.

    These are pixels of the picture, unless its click test found another scale. A parsed command has its place
    in pixels of the profile's screen, as everything else in a run.

    Args:
        longest_px: returns the longest side of a picture that is sent.
        scale: returns the scale in which the model writes places.
    """

    def __init__(
        self,
        space: ComputerUse,
        longest_px: Callable[[], int],
        scale: Callable[[], ClickScale] = lambda: "sent",
    ) -> None:
        self._space = space
        self._longest_px = longest_px
        self._scale = scale

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
        return _scaled(action, self._space, self.written)

    def shown_plan(self, plan: Proposal | None) -> Proposal | None:
        """Return a plan with its actions as the model would write them."""
        return replace(plan, candidates=tuple(map(self.shown, plan.candidates))) if plan is not None else None

    def shown_history(self, history: Iterable[PastStep]) -> tuple[PastStep, ...]:
        """Return past steps with their actions as the model would write them."""
        return tuple(replace(past, action=self.shown(past.action)) for past in history)

    def original(self, action: SemanticAction) -> SemanticAction:
        """Return an action that the model wrote as the run has it."""
        return _scaled(action, self.written, self._space)

    @property
    def written(self) -> ComputerUse:
        """Return the commands with places as the model writes them."""
        (width, height), scale = self._space.screen, self._scale()
        part = min(1.0, self._longest_px() / max(width, height))
        sent = (max(1, round(width * part)), max(1, round(height * part)))
        across, down = length_in(scale, self._space.screen, sent)
        whole = scale not in ("percent", "unit")
        return self._space.on_screen(across, down, size=_IN_PARTS.get(scale, ""), whole=whole)


def model_actions(
    space: Vocabulary | ComputerUse,
    longest_px: Callable[[], int],
    scale: Callable[[], ClickScale] = lambda: "sent",
) -> Vocabulary | PictureActions:
    """Return a role's actions as a model sees them."""
    return PictureActions(space, longest_px, scale) if isinstance(space, ComputerUse) else space


def _scaled(action: SemanticAction, before: ComputerUse, after: ComputerUse) -> SemanticAction:
    """Return an action with its places moved from the screen of some commands to that of others."""
    if (before.screen, before.whole) == (after.screen, after.whole):
        return action
    arguments: dict[str, Argument] = dict(action.arguments)
    for side, names in enumerate((_ACROSS, _DOWN)):
        length, now = before.screen[side], after.screen[side]
        for name in names:
            value = arguments.get(name)
            if isinstance(value, int | float):
                part = (value + 0.5 * before.whole) / length
                arguments[name] = (
                    min(now - 1, max(0, int(part * now))) if after.whole else round(part * now, 3)
                )
    return replace(action, arguments=arguments)
