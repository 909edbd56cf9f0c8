"""The part of a game's vocabulary that control needs: the legal actions, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pitwall.core.actions import ActionForm, SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.core.observations import Value
from pitwall.games.schema.profile import named_actions


class ActionSpace(Protocol):
    """The role's legal actions; `games.vocabulary.Vocabulary` implements it."""

    def parse(self, text: str) -> SemanticAction:
        """Return the action that a text names.

        Raises:
            IllegalAction: it is unknown, or outside the role's controls.
        """
        ...


class LegalActions(ActionSpace, Protocol):
    """An action space with the forms that prompts and grammars need."""

    @property
    def forms(self) -> tuple[ActionForm, ...]: ...


def legal(text: str, space: ActionSpace) -> SemanticAction | None:
    """Return the action that a text names, or None where it is not legal."""
    try:
        return space.parse(text)
    except IllegalAction:
        return None


def legal_actions(
    texts: Sequence[str], values: Mapping[str, Value], space: ActionSpace
) -> tuple[SemanticAction, ...]:
    """Return the legal actions among these texts; "{FIELD}" stands for the actions a field names now."""
    named = (part for text in texts for part in named_actions(text, values))
    return tuple(action for text in named if (action := legal(text, space)) is not None)


def nameable(space: LegalActions) -> dict[str, SemanticAction]:
    """Return the legal actions that need no argument, by name."""
    actions = {form.name: legal(form.name, space) for form in space.forms}
    return {name: action for name, action in actions.items() if action is not None}
