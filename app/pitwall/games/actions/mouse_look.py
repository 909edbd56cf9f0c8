"""Looks around by relative motion of the mouse: the events of a look, and the look of a person's motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from pitwall.core.actions import Argument, ArgumentForm, InputEvent, TimedEvent
from pitwall.core.errors import IllegalAction
from pitwall.games.schema.actions import MouseLook

MOST_UNITS = 20_000
"""Longest look of one action, in units of the mouse."""
_FARTHEST = 2_000
"""Longest relative move of a command of the computer-use interface."""
_MOST_DEGREES = 180

Command = tuple[str, tuple[ArgumentForm, ...], Callable[[Mapping[str, Argument]], Iterable[TimedEvent]]]
"""Help, arguments and events of a command."""


def motions(dx: int, dy: int, look: MouseLook, *, within_ms: float | None = None) -> Iterator[TimedEvent]:
    """Yield the motions of a look; they add up to `dx` and `dy` exactly.

    Args:
        within_ms: time for all of them, by larger motions where it is short; None: as long as they take.

    Raises:
        IllegalAction: the look is longer than `MOST_UNITS`.
    """
    farthest = max(abs(dx), abs(dy))
    if farthest > MOST_UNITS:
        raise IllegalAction(f"a look of {dx}, {dy} units is longer than {MOST_UNITS}.")
    count = math.ceil(farthest / look.most_units)
    if within_ms is not None:
        count = min(count, max(1, int(within_ms * look.rate_hz / 1000.0)))
    x = y = 0
    for number in range(1, count + 1):
        to_x, to_y = round(dx * number / count), round(dy * number / count)
        event = InputEvent(kind="mouse_look", dx=to_x - x, dy=to_y - y)
        yield TimedEvent(at_ms=(number - 1) * 1000.0 / look.rate_hz, event=event)
        x, y = to_x, to_y


def units_of(degrees: float, look: MouseLook) -> int:
    """Convert a turn to the mouse's units.

    Raises:
        IllegalAction: the game's units per degree are not measured yet.
    """
    if not look.units_per_degree:
        raise IllegalAction(
            "this game's turns are not measured yet.", "Measure them: pitwall games calibrate GAME"
        )
    return round(degrees * look.units_per_degree)


def look_commands(look: MouseLook | None, within_ms: float) -> dict[str, Command]:
    """Return the commands of the computer-use interface that turn the view, by name.

    Args:
        look: of a game that turns its view with the mouse; None: it has no such commands.
        within_ms: time for the motions of a command.
    """
    if look is None:
        return {}
    places = tuple(
        ArgumentForm(name=name, kind="int", minimum=-_FARTHEST, maximum=_FARTHEST, default=0)
        for name in ("dx", "dy")
    )
    commands: dict[str, Command] = {
        "move_relative": (
            "the mouse moves from where it is, in its own units right and down, and turns the view",
            places,
            lambda given: motions(int(given["dx"]), int(given["dy"]), look, within_ms=within_ms),
        )
    }
    if look.units_per_degree:
        degrees = ArgumentForm(name="degrees", kind="float", minimum=-_MOST_DEGREES, maximum=_MOST_DEGREES)
        commands["turn"] = (
            "the view turns right by degrees; negative: left",
            (degrees,),
            lambda given: motions(units_of(float(given["degrees"]), look), 0, look, within_ms=within_ms),
        )
    return commands
