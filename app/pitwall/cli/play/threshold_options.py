"""The trigger's thresholds on a command line: `--set scene_change=0.5`."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import ValidationError

from pitwall.core.errors import PitwallError, nearest
from pitwall.core.signals import Thresholds

ThresholdsOption = Annotated[
    list[str] | None, typer.Option("--set", help="Change a threshold: name=value; repeatable.")
]


def changed_thresholds(thresholds: Thresholds, changes: list[str] | None) -> Thresholds:
    """Thresholds with `name=value` changes.

    Raises:
        PitwallError: no such threshold, or a value that does not fit; names the nearest.
    """
    values = thresholds.model_dump()
    for change in changes or []:
        name, equals, value = change.partition("=")
        if not equals or name not in values:
            near = nearest(name, values)
            hint = f"Did you mean {near!r}?" if near else f"One of: {', '.join(values)}."
            raise PitwallError(f"{change!r} changes no threshold.", hint)
        values[name] = value
    try:
        return Thresholds.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise PitwallError(f"{first['loc'][0]}: {first['msg']}.", "Give a number in its range.") from None
