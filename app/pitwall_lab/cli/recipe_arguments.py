"""Reads changes of a recipe from a command line: KEY=VALUE."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.validation import first_fault
from pitwall.games.schema.modules import Recipe
from pitwall.gsm.cloned_space import CloningRecipe

_NOISE = "noise."


def changed_recipe(
    recipe: Recipe | CloningRecipe, changes: Sequence[str], more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the changed values of a recipe, each checked.

    Args:
        changes: KEY=VALUE; a list as `64,64` or JSON, `noise.FIELD=2.5` for one field's noise.
        more: values that a change may override, like measured ones.

    Raises:
        PitwallError: there is no such value, or it does not fit; names what is expected.
    """
    known = type(recipe).model_fields
    values = dict(more or {})
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        if not equals:
            raise PitwallError(
                f"{change!r} changes nothing of a recipe.", "Write KEY=VALUE, like steps=50000."
            )
        if name.startswith(_NOISE) and isinstance(recipe, Recipe):
            noise = {**recipe.noise, **values.get("noise", {})}
            values["noise"] = {**noise, name.removeprefix(_NOISE): _value(text)}
        elif name in known:
            values[name] = _listed(text) if isinstance(getattr(recipe, name), list) else _value(text)
        else:
            hint = suggestion(name, known, f"It has: {', '.join(known)}.")
            raise PitwallError(f"a recipe has no {name!r}.", hint)
    try:
        checked = type(recipe).model_validate({**recipe.model_dump(), **values})
    except ValidationError as error:
        where, problem = first_fault(error)
        raise PitwallError(f"recipe, {where}: {problem}.") from None
    return {name: getattr(checked, name) for name in values}


def _value(text: str) -> Any:
    try:
        return json.loads(text.replace("_", "") if text.replace("_", "").isdecimal() else text)
    except ValueError:
        return text


def _listed(text: str) -> list[Any]:
    value = _value(text)
    return (
        value
        if isinstance(value, list)
        else [_value(part.strip()) for part in text.split(",") if part.strip()]
    )
