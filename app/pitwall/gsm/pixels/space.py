"""Says what a pixel policy's outputs mean in a game: keys as its actions, the pointer as a click."""

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

_SURE = 30.0
_STEEP = 8.0
"""How fast an amount becomes sure beyond its threshold."""


class UnfitPolicy(PitwallError):
    """A pixel policy cannot play a game; says what of its manifest does not fit."""


def space_in(game: Game, policy: PixelPolicy) -> PixelSpace:
    """Read a policy's presses as a game's actions.

    Raises:
        UnfitPolicy: a key or an action is not the game's to press; names what there is.
    """
    vocabulary = Vocabulary(game.profile)
    actions, presses = [""], []
    for number, one in enumerate(policy.presses):
        text = one.action or _action_of(game, vocabulary, one.key, number)
        pointer = _pointer(game, policy, text)
        if pointer is None and not vocabulary.knows(text):
            raise UnfitPolicy(
                f"{policy.name}: presses.{number}: {game.game_id} has no action {text!r}.",
                f"Its actions are: {', '.join(vocabulary.legal)}.",
            )
        if text in actions:
            raise UnfitPolicy(f"{policy.name}: presses.{number}: {text!r} is pressed by an earlier one too.")
        actions.append(text)
        threshold = one.threshold if one.form in ("probability", "logit") else 0.5
        presses.append(Press(threshold=threshold, tap=one.tap, rest_ms=one.rest_ms, pointer=pointer))
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
    """The action that presses a key alone."""
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
    """Where an action's click goes, if it is the one that the pointer belongs to."""
    points = policy.pointer
    if points is None or points.action != text:
        return None
    action: ActionBinding | None = next((one for one in game.profile.actions if one.name == text), None)
    arguments = (points.x_argument, points.y_argument)
    if action is None or action.click is None or not set(arguments) <= action.parameters.keys():
        raise UnfitPolicy(
            f"{policy.name}: pointer: {text!r} of {game.game_id} does not click at {arguments}.",
            "Name an action with `click`, and its two parameters.",
        )
    screen, cells = game.profile.screen, action.cells
    box = (0, 0, screen.width, screen.height) if cells is None else cells.box
    columns, rows = (0, 0) if cells is None else (cells.columns, cells.rows)
    return Pointer(x=arguments[0], y=arguments[1], box=box, columns=columns, rows=rows)


def numbers_of(
    policy: PixelPolicy, outputs: Mapping[str, NDArray[Any]], place: tuple[float, float]
) -> NDArray[np.float32]:
    """Read outputs as a clone's: a logit for each action, 0 for none, and where it points.

    Args:
        place: where it pointed before, as shares of the window.

    Raises:
        BadPolicy: an output is missing, too short, or no number.
    """
    logits = [0.0, *(_logit(one, outputs) for one in policy.presses)]
    points = policy.pointer
    if points is not None:
        x, y = _at(points.x, outputs), _at(points.y, outputs)
        if points.form == "move":
            x, y = place[0] + x, place[1] + y
        logits += [min(1.0, max(0.0, x)), min(1.0, max(0.0, y))]
    return np.asarray(logits, np.float32)


def _logit(one: PressOutput, outputs: Mapping[str, NDArray[Any]]) -> float:
    value = _at(one, outputs)
    match one.form:
        case "logit":
            logit = value
        case "probability":
            value = min(1 - 1e-9, max(1e-9, value))
            logit = float(np.log(value / (1 - value)))
        case "largest":
            logit = _SURE if int(np.argmax(outputs[one.output])) == one.index else -_SURE
        case "amount":
            logit = ((-value if one.negative else value) - one.threshold) * _STEEP
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
