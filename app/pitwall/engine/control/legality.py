"""Defines the part of a game's vocabulary that control needs: the legal actions, and how to write them."""

from __future__ import annotations

from typing import Protocol

from pitwall.core.actions import ActionForm, SemanticAction
from pitwall.core.errors import IllegalAction


class ActionSpace(Protocol):
    """Lists the role's legal actions; `games.vocabulary.Vocabulary` is one."""

    def parse(self, text: str) -> SemanticAction:
        """The action that a text names.

        Raises:
            IllegalAction: it is unknown, or outside the role's controls.
        """
        ...


class LegalActions(ActionSpace, Protocol):
    """The same, with the forms that prompts and grammars need."""

    @property
    def forms(self) -> tuple[ActionForm, ...]: ...


def legal(text: str, space: ActionSpace) -> SemanticAction | None:
    """The action that a text names, or None where it is not legal."""
    try:
        return space.parse(text)
    except IllegalAction:
        return None


def nameable(space: LegalActions) -> dict[str, SemanticAction]:
    """Name → action, of the legal ones that can be done by their name alone: how arguments are written, only
    the schema tells."""
    found = {form.name: legal(form.name, space) for form in space.forms}
    return {name: action for name, action in found.items() if action is not None}
