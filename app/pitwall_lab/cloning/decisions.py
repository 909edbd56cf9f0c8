"""Turns play into decisions: what was seen at a moment, and what the person did a reaction time later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.games.schema.actions import ActionBinding
from pitwall.games.schema.modules import StateInput
from pitwall.games.schema.profile import Profile, Screen
from pitwall.games.watched_modules import UNNAMED, unnamed_action
from pitwall.gsm.cloned_space import SELDOM_SHARE, ClonedSpace
from pitwall.gsm.policy_module import EARLY_SHARE
from pitwall.gsm.state_space import StateSpace
from pitwall.gsm.vision import PixelStack
from pitwall_lab.algorithms.behaviour_cloning import Decisions
from pitwall_lab.algorithms.policy_network import Array
from pitwall_lab.cloning.stretches import Hold, Stretch

_EARLY_MS = 17.0
"""A tap belongs to the next picture's decision if that picture came at most so much later."""


def decisions_of(stretch: Stretch, space: ClonedSpace, profile: Profile) -> Decisions:
    """Turn play into decisions: what was seen at a moment, and what the person did when it took effect.

    A person's press follows what it answers by a reaction time, yet is mostly on time, because it was
    planned. So the clone, which sees that far back, presses when the person did, unless the recipe asks for
    an earlier press. The machine's own delay is added: a decision reaches the game that much later.
    """
    rows = due_rows(stretch.at_ns, space)
    eye = space.vision
    return Decisions(
        states=_encoded(stretch, rows, space.state),
        pictures=None if eye is None else pictures_of(stretch, rows, PixelStack(eye, profile.screen)),
        taken=taken_in(stretch, space, profile, rows),
        places=_places(stretch, space, profile, rows),
        at_ns=stretch.at_ns[rows],
        weight=space.cloning.correction_weight if stretch.correction else 1.0,
        source=stretch.source,
        fields=_encoded(stretch, rows, space.told) if space.told else None,
    )


def _encoded(stretch: Stretch, rows: Array, inputs: Sequence[StateInput]) -> Array:
    encoder = StateSpace(inputs)
    return np.stack([encoder.encode(stretch.values[row]) for row in rows])


def due_rows(at_ns: Array, space: ClonedSpace) -> Array:
    """Return the rows on which a module of this period decides; every row where pictures change seldom."""
    period, rows, due = int(space.decide_every_ms * NS_PER_MS), [], 0
    early = int(period * (1 - SELDOM_SHARE if space.by_picture else EARLY_SHARE))
    for row, now in enumerate(at_ns.tolist()):
        if now >= due - early:
            rows.append(row)
            due = (due if due and not space.by_picture and now - due < period else now) + period
    return np.asarray(rows, np.int64)


def taken_in(stretch: Stretch, space: ClonedSpace, profile: Profile, rows: Array) -> Array:
    """Return the actions of each decision: a tap where it begins, a hold where it lasts half of the decision.

    A hold begins earlier by the space's lead, but not before the previous hold was released, and ends when it
    ended.
    """
    begin, end = _windows(stretch, space, rows)
    middle = (begin + end) // 2
    lead_ns = int(space.lead_ms * NS_PER_MS)
    early_ns = int(min(space.decide_every_ms / 2, _EARLY_MS) * NS_PER_MS)  # the nearest moment decides
    held = [action for action, press in zip(space.actions[1:], space.presses, strict=True) if not press.tap]
    let_go = np.sort([hold.up_ns for action in held for hold in holds_of_action(stretch, action, profile)])
    taken = np.zeros((len(rows), len(space.actions)), bool)
    for number, (action, press) in enumerate(zip(space.actions[1:], space.presses, strict=True), start=1):
        for hold in holds_of_action(stretch, action, profile):
            down_ns = hold.down_ns if press.tap else _begun(hold.down_ns, lead_ns, let_go)
            first, last = (int(np.searchsorted(middle, at)) for at in (down_ns, hold.up_ns))
            if press.tap or first == last:
                down_ns = hold.down_ns + early_ns if press.tap else down_ns
                first = int(np.searchsorted(end, down_ns, side="right"))
                last = first + (down_ns >= begin[0])
            taken[first:last, number] = True
    taken[:, 0] = ~taken[:, 1:].any(1)
    return taken


def _begun(down_ns: int, lead_ns: int, let_go: Array) -> int:
    """Return when a hold with a lead begins; `let_go`: sorted ends of all holds."""
    before = int(np.searchsorted(let_go, down_ns, side="right"))
    return max(down_ns - lead_ns, int(let_go[before - 1]) if before else 0)


def _places(stretch: Stretch, space: ClonedSpace, profile: Profile, rows: Array) -> Array:
    """Return where each decision's click went, as fractions of its action's box."""
    places = np.full((len(rows), 2), np.nan, np.float32)
    _, end = _windows(stretch, space, rows)
    screen: Screen = profile.screen
    for action, press in zip(space.actions[1:], space.presses, strict=True):
        if press.pointer is None:
            continue
        left, top, width, height = press.pointer.box
        for hold in holds_of_action(stretch, action, profile):
            row = int(np.searchsorted(end, hold.down_ns, side="right"))
            if row < len(rows):
                places[row] = (hold.x * screen.width - left) / width, (hold.y * screen.height - top) / height
    return places


def _windows(stretch: Stretch, space: ClonedSpace, rows: Array) -> tuple[Array, Array]:
    """Return the begin and end of the person's play that each decision answers for."""
    shift = int(space.shift_ms * NS_PER_MS)
    begin = stretch.at_ns[rows]
    end = np.append(begin[1:], begin[-1] + int(space.decide_every_ms * NS_PER_MS))
    return begin + shift, end + shift


def bare_name(text: str) -> str:
    return text.split("(")[0]


def action_name(text: str, bindings: Mapping[str, ActionBinding]) -> str | None:
    """Return the action's name for a press, or None if the game has no such action.

    Arguments are left out where a place determines them or all have defaults. Of several actions with the
    same keys and different hold times, the first stands for all, because the clone learns the hold time.
    """
    if text.startswith(UNNAMED):
        return unnamed_action(text, bindings)
    binding = bindings.get(bare_name(text))
    if binding is None:
        return None
    pointed = {str(coordinate)[1:] for coordinate in binding.click or () if str(coordinate).startswith("$")}
    free = [
        name
        for name, parameter in binding.parameters.items()
        if name not in pointed and parameter.default is None
    ]
    if free or binding.look is not None or binding.turn is not None:  # a clone chooses among looks
        return text
    same = (other.name for other in bindings.values() if binding.keys and other.keys == binding.keys)
    return next(same, binding.name)


def holds_of_action(stretch: Stretch, action: str, profile: Profile) -> list[Hold]:
    bindings = {binding.name: binding for binding in profile.actions}
    meant = [holds for text, holds in stretch.holds.items() if action_name(text, bindings) == action]
    return sorted((hold for holds in meant for hold in holds), key=lambda hold: hold.down_ns)


def pictures_of(stretch: Stretch, rows: Array, eyes: PixelStack) -> Array:
    wanted = set(stretch.at_ns[rows].tolist())
    seen = {at: eyes.shrink(pixels, "bgr") for at, pixels in stretch.pictures() if at in wanted}
    if not seen:
        raise PitwallError(
            f"demonstration {stretch.source}: there are no pictures of its play.", "Use --fields."
        )
    last, pictures = next(iter(seen.values())), []
    for at in stretch.at_ns[rows].tolist():
        last = seen.get(at, last)
        pictures.append(last)
    return np.stack(pictures)
