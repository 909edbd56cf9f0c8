"""Writes out the replies among which a model chooses, where a reply is a choice and no text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pitwall.core.actions import ActionForm, SemanticAction

_ASKS = "a new plan is needed"


def plan_options(skills: Iterable[str], *, keeps: bool) -> tuple[str, ...]:
    """Return the replies that name a stored skill or keep the plan; none if a plan must be written."""
    kept = [_written("keep", True)] if keeps else []
    return (*(_written("skill", name) for name in skills), *kept)


def reaction_options(
    forms: Sequence[ActionForm], candidates: Sequence[SemanticAction] | None, *, alone: bool
) -> tuple[str, ...]:
    """Return the replies that name an action or ask for a plan; none if arguments must be written.

    Args:
        candidates: only these may be taken; None: every legal action. alone: there is nobody to ask.
    """
    if candidates is None and any(form.arguments for form in forms):
        return ()
    names = [form.name for form in forms] if candidates is None else dict.fromkeys(map(str, candidates))
    asks = [] if alone else [_written("escalate", _ASKS)]
    return (*(_written("action", name) for name in names), *asks)


def _written(key: str, value: object) -> str:
    return json.dumps({key: value}, separators=(",", ":"))
