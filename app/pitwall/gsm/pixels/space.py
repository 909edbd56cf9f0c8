"""The meaning of a pixel policy's outputs in a game: keys are its actions, the pointer is a click."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.keys import canonical_key
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.actions import ActionBinding
from pitwall.games.schema.modules import VisionInput
from pitwall.games.schema.profile import Game
from pitwall.gsm.cloned_space import Pointer, Press
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.pixel_manifest import At, PixelPolicy, PixelSpace, PressOutput

MOST_UNITS = 1_000
"""Farthest look of one decision, in units of the mouse."""
_SURE = 30.0
_STEEP = 8.0
"""Slope of the logit of an amount beyond its threshold."""


class UnfitPolicy(PitwallError):
    """A pixel policy cannot play a game; names the key of its manifest that does not fit."""


def space_in(game: Game, policy: PixelPolicy) -> PixelSpace:
    """Map a policy's presses to a game's actions.

    Raises:
        UnfitPolicy: a key or an action is not one of the game's; names those of the game.
    """
    vocabulary = Vocabulary(game.profile)
    actions, presses = [""], []
    for number, press in enumerate(policy.presses):
        text = press.action or _action_of(game, vocabulary, press.key, number)
        pointer = _pointer(game, policy, text)
        if pointer is None and not vocabulary.knows(text):
            raise UnfitPolicy(
                f"{policy.name}: presses.{number}: {game.game_id} has no action {text!r}.",
                f"Its actions are: {', '.join(vocabulary.legal)}.",
            )
        if text in actions:
            raise UnfitPolicy(f"{policy.name}: presses.{number}: {text!r} is pressed by an earlier one too.")
        actions.append(text)
        threshold = press.threshold if press.form in ("probability", "logit") else 0.5
        tap = press.tap or press.form == "motion"  # each decision moves by its own amount
        presses.append(Press(threshold=threshold, tap=tap, rest_ms=press.rest_ms, pointer=pointer))
    seen = policy.picture
    return PixelSpace(
        vision=VisionInput(box=seen.box, width=min(256, seen.width), height=min(256, seen.height), frames=1),
        actions=actions,
        history=0,
        decide_every_ms=1000.0 / seen.hz,
        presses=presses,
        at_once=len(presses),
        pixels=policy,
    )


def _action_of(game: Game, vocabulary: Vocabulary, key: str, number: int) -> str:
    """Return the action that presses a key alone."""
    where = f"presses.{number}: key {key!r}"
    try:
        wanted = canonical_key(key)
    except KeyError:
        raise UnfitPolicy(f"{where} is no key.", "Write it like Space, Left or w.") from None
    if wanted not in vocabulary.allowed_keys:
        allowed = ", ".join(sorted(vocabulary.allowed_keys)) or "none"
        raise UnfitPolicy(
            f"{where} is none that {game.game_id} may be sent: it takes {allowed}.",
            "Leave that press out of the manifest, or name one of these keys.",
        )
    for action in game.profile.actions:
        keys = [*action.keys, *action.sequence]
        if len(keys) == 1 and not keys[0].startswith("$") and canonical_key(keys[0]) == wanted:
            return action.name
    raise UnfitPolicy(
        f"{where}: no action of {game.game_id} presses it alone.", "Name an action in its place: action = …"
    )


def _pointer(game: Game, policy: PixelPolicy, text: str) -> Pointer | None:
    """Return the place of an action's click, if the pointer belongs to it."""
    points = policy.pointer
    if points is None or points.action != text:
        return None
    action: ActionBinding | None = next(
        (action for action in game.profile.actions if action.name == text), None
    )
    arguments = (points.x_argument, points.y_argument)
    looks = points.form == "look"
    way = None if action is None else action.look if looks else action.click
    if action is None or way is None or not set(arguments) <= action.parameters.keys():
        raise UnfitPolicy(
            f"{policy.name}: pointer: {text!r} of {game.game_id} does not {'look' if looks else 'click'} at "
            f"{arguments}.",
            f"Name an action with `{'look' if looks else 'click'}`, and its two parameters.",
        )
    if looks:
        side = 2 * MOST_UNITS + 1
        return Pointer(x=arguments[0], y=arguments[1], box=(-MOST_UNITS, -MOST_UNITS, side, side))
    screen, cells = game.profile.screen, action.cells
    box = (0, 0, screen.width, screen.height) if cells is None else cells.box
    columns, rows = (0, 0) if cells is None else (cells.columns, cells.rows)
    return Pointer(x=arguments[0], y=arguments[1], box=box, columns=columns, rows=rows)


def numbers_of(
    policy: PixelPolicy, outputs: Mapping[str, NDArray[Any]], place: tuple[float, float]
) -> NDArray[np.float32]:
    """Convert outputs to a clone's: a logit for each action, 0 for none, and the place it points at.

    Args:
        place: where it pointed before, as shares of the window.

    Raises:
        BadPolicy: an output is missing, too short, or not finite.
    """
    logits = [0.0, *(_logit(press, outputs) for press in policy.presses)]
    points = policy.pointer
    if points is not None:
        x, y = _at(points.x, outputs), _at(points.y, outputs)
        if points.form == "move":
            x, y = place[0] + x, place[1] + y
        elif points.form == "look":
            x, y = (0.5 + share * points.units / (2 * MOST_UNITS) for share in (x, y))
        logits += [min(1.0, max(0.0, x)), min(1.0, max(0.0, y))]
    return np.asarray(logits, np.float32)


def _logit(press: PressOutput, outputs: Mapping[str, NDArray[Any]]) -> float:
    value = _at(press, outputs)
    match press.form:
        case "logit":
            logit = value
        case "probability":
            value = min(1 - 1e-9, max(1e-9, value))
            logit = float(np.log(value / (1 - value)))
        case "largest":
            logit = _SURE if int(np.argmax(outputs[press.output])) == press.index else -_SURE
        case "motion":
            logit = (float(np.abs(outputs[press.output]).max()) - press.threshold) * _STEEP
        case "amount":
            logit = ((-value if press.negative else value) - press.threshold) * _STEEP
    return min(_SURE, max(-_SURE, logit))


def _at(where: At, outputs: Mapping[str, NDArray[Any]]) -> float:
    given = outputs.get(where.output)
    if given is None:
        raise BadPolicy(
            f"it has no output {where.output!r}: it gives {', '.join(outputs)}.", "Mend its manifest."
        )
    if where.index >= given.size:
        raise BadPolicy(
            f"its output {where.output!r} {list(given.shape)} has no place {where.index}.",
            "Mend its manifest: places count from 0.",
        )
    value = float(given.flat[where.index])
    if not np.isfinite(value):
        raise BadPolicy(f"its output {where.output!r} is no number at place {where.index}.")
    return value
