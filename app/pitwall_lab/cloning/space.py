"""Derives from play what a clone sees and presses: fields, pictures, actions, and the reaction time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.games.schema.actions import ActionBinding
from pitwall.games.schema.modules import Learned, StateInput, VisionInput
from pitwall.games.schema.profile import Profile
from pitwall.gsm.board_ways import WAYS, rows_of, sign_at
from pitwall.gsm.cloned_space import ClonedSpace, CloningRecipe, Pointer, Press
from pitwall.gsm.state_space import StateSpace, value_of
from pitwall.gsm.vision import PixelStack
from pitwall_lab.algorithms.policy_network import Array
from pitwall_lab.cloning.decisions import (
    action_name,
    bare_name,
    due_rows,
    holds_of_action,
    pictures_of,
    taken_in,
)
from pitwall_lab.cloning.reaction_time import LEAST_SAMPLE, LONGEST_MS, lead_ms, reaction_ms
from pitwall_lab.cloning.stretches import Hold, Stretch, presses_of

LEAST_PRESSES = 3
_LONGEST_TAP_MS = 150.0
_LONGEST_REST_MS = 200.0
_LEAST_PERIOD_MS = 33.0
_SEEN_MS, _MOST_STATES = 90.0, 10
"""Least time that a clone's states reach back, so that it can see speeds."""
_KNOTS, _PRESSES = 16, 4
_MOST_TEXTS = 12
_RARE_CELLS = 3
"""A sign that is entered and found in at most so many cells of a board counts as sought."""
_READ_SHARE, _APART_SHARE = 0.02, 0.3
_GLANCE = (12, 12)
"""Size of the pictures from which the reaction time is estimated."""


def space_for(
    profile: Profile,
    learned: Learned | None,
    stretches: Sequence[Stretch],
    recipe: CloningRecipe,
    *,
    pixels: bool | None = None,
) -> tuple[ClonedSpace, list[str]]:
    """Describe what a clone of this play sees and presses.

    Args:
        learned: the inputs and period that the module declares; None: derive them from the play.
        pixels: see pictures (True) or fields (False); None: fields if there are any.

    Returns:
        The space, and sentences about what was left out.

    Raises:
        PitwallError: no action of the game was done, or fields are wanted and there are none.
    """
    actions, presses, notes = _presses(profile, stretches)
    state = [] if pixels else (learned.state if learned is not None else []) or _state(profile, stretches)
    tapped = all(press.tap for press in presses)
    state = state if tapped else _apart(profile, state, stretches)
    if pixels is False and not state:
        raise PitwallError(
            f"{profile.game.name} has no informative field in these demonstrations.", "Use --pixels."
        )
    declared_ms = learned.decide_every_ms if learned is not None else 0.0
    gaps = np.concatenate([np.diff(stretch.at_ns) for stretch in stretches])
    period_ms = max(_LEAST_PERIOD_MS, declared_ms or round(float(np.median(gaps)) / NS_PER_MS))
    eye = (learned.vision if learned is not None else None) or VisionInput()
    space = ClonedSpace(
        state=state,
        vision=None if state else eye,
        actions=["", *actions],
        presses=presses,
        told=[] if state else _state(profile, stretches),
        decide_every_ms=period_ms,
        knots=_KNOTS if state and not tapped else 0,
        demonstrations=sorted({stretch.source for stretch in stretches}),
        cloning=recipe,
        twin=learned.twin if learned is not None else "",
    )
    space = _timed(space, profile, stretches, notes)
    taken = np.concatenate(
        [taken_in(stretch, space, profile, due_rows(stretch.at_ns, space)) for stretch in stretches]
    )
    return space.model_copy(update={"at_once": _at_once(taken)}), notes


def _timed(
    space: ClonedSpace, profile: Profile, stretches: Sequence[Stretch], notes: list[str]
) -> ClonedSpace:
    """Return the space with its reaction time, the states it looks back on, and its lead."""
    recipe = space.cloning
    reaction = recipe.reaction_ms
    if reaction is None:
        reaction = _estimated_reaction(space, profile, stretches)
        if reaction is None:
            notes.append("There are too few presses to estimate the reaction time.")
    period_ms = space.decide_every_ms
    back = max(int(np.ceil(_SEEN_MS / period_ms)) + 1, int(np.ceil((reaction or 0.0) / period_ms)) + 2)
    states = min(_MOST_STATES, back) if space.state else 1
    tapped = all(press.tap for press in space.presses)
    history = _PRESSES if space.state and tapped and space.close else 0
    seen = {"reaction_ms": reaction or 0.0, "states": states, "history": history}
    space = space.model_copy(update=seen)
    lead = recipe.lead_ms if recipe.lead_ms is not None else _estimated_lead(space, profile, stretches)
    if lead:
        notes.append(f"Keys were held about {lead:.0f} ms late: the clone begins earlier.")
    return space.model_copy(update={"lead_ms": lead})


# ---- actions


def _presses(profile: Profile, stretches: Sequence[Stretch]) -> tuple[list[str], list[Press], list[str]]:
    bindings = {action.name: action for action in profile.actions}
    holds: dict[str, list[Hold]] = {}
    unknown: dict[str, int] = {}
    for text, count in presses_of(stretches).items():
        name = action_name(text, bindings)
        if name is None:
            unknown[text] = count
            continue
        holds.setdefault(name, []).extend(
            hold for stretch in stretches for hold in stretch.holds.get(text, ())
        )
    notes = [
        f"{text}: pressed {count} times, and none of the game's actions." for text, count in unknown.items()
    ]
    rare = [name for name, presses in holds.items() if len(presses) < LEAST_PRESSES]
    notes += [f"{name}: done {len(holds[name])} times, too seldom to be learned." for name in rare]
    kept = {name: presses for name, presses in holds.items() if name not in rare}
    if not kept:
        raise PitwallError(
            f"these demonstrations of {profile.game.name} hold no action at least {LEAST_PRESSES} times: "
            f"there is nothing to learn. {' '.join(notes[:5])}".strip(),
            "Record more play, or add the pressed keys to the game's actions.",
        )
    return (
        list(kept),
        [_press(bindings.get(bare_name(name)), presses, profile) for name, presses in kept.items()],
        notes,
    )


def _press(binding: ActionBinding | None, holds: Sequence[Hold], profile: Profile) -> Press:
    assert binding is not None  # every kept action has a binding
    lengths = np.asarray([hold.up_ns - hold.down_ns for hold in holds]) / NS_PER_MS
    length_ms = float(np.quantile(lengths, 0.5))
    same = sum(bool(action.keys) and action.keys == binding.keys for action in profile.actions)
    measured = same > 1 or isinstance(binding.hold_ms, str)  # its hold time chooses the action
    measured = measured and float(np.quantile(lengths, 0.9)) > _LONGEST_TAP_MS
    tap = not binding.keys or (length_ms <= _LONGEST_TAP_MS and not measured)
    downs = np.sort([hold.down_ns for hold in holds])
    rest_ms = 0.8 * float(np.quantile(np.diff(downs), 0.05)) / NS_PER_MS if len(downs) > 1 else 0.0
    rest_ms = min(rest_ms, _LONGEST_REST_MS)
    pointer = None
    if binding.click is not None and all(str(coordinate).startswith("$") for coordinate in binding.click):
        x, y = (str(coordinate)[1:] for coordinate in binding.click)
        cells, screen = binding.cells, profile.screen
        pointer = Pointer(
            x=x,
            y=y,
            box=cells.box if cells is not None else (0, 0, screen.width, screen.height),
            columns=cells.columns if cells is not None else 0,
            rows=cells.rows if cells is not None else 0,
        )
    return Press(tap=tap, rest_ms=round(rest_ms, 1) if tap else 0.0, pointer=pointer)


def _at_once(taken: Array) -> int:
    """Count how many actions the person did at once, apart from chance overlaps."""
    counts = taken[:, 1:].sum(1)
    busy = max(1, int((counts > 0).sum()))
    often = [count for count in range(1, taken.shape[1]) if (counts >= count).sum() >= max(2, 0.01 * busy)]
    return max(often, default=1)


# ---- inputs


def _state(profile: Profile, stretches: Sequence[Stretch]) -> list[StateInput]:
    """Choose informative fields: read often enough, and not always the same; no score."""
    scores = set(profile.progress.inventory)
    inputs = [
        _input(
            StateInput(field=field.name),
            [values.get(field.name) for stretch in stretches for values in stretch.values],
        )
        for field in profile.fields
        if field.name not in scores
    ]
    seen = [choice for choice in inputs if choice is not None]
    if not (boards := _boards(profile, stretches)):
        return seen
    units = {field.name: field.unit for field in profile.fields}
    cells = {units.get(name, "") for board in boards for name in board.at or ()} - {""}
    names = {action.name for action in profile.actions}
    # the board holds these positions, and a field that names the rules' next action does not move a person
    shown = [
        choice
        for choice in seen
        if units.get(choice.field) in cells or (choice.choices and names >= {*choice.choices})
    ]
    return [*(choice for choice in seen if choice not in shown), *boards]


def _boards(profile: Profile, stretches: Sequence[Stretch]) -> list[StateInput]:
    """Choose boards of cells that the player moves on; play shows which cells are entered and sought."""
    at = tuple(profile.progress.position[:2])
    inputs = []
    for field in profile.fields if len(at) == len(WAYS["up"]) else ():
        entered, met, boards = Counter[str](), Counter[str](), 0
        for stretch in stretches:
            seen = [(rows_of(values.get(field.name)), _cell(values, at)) for values in stretch.values]
            met.update("".join("".join(rows) for rows, _ in seen))
            boards += sum(bool(rows) for rows, _ in seen)
            entered.update(sign_at(rows, cell) for (rows, was), (_, cell) in pairwise(seen) if cell != was)
        signs = [sign for sign in entered if sign and entered[sign] >= LEAST_PRESSES]
        rare = sorted(sign for sign in signs if met[sign] <= _RARE_CELLS * boards)
        if signs and boards >= _READ_SHARE * sum(len(stretch.values) for stretch in stretches):
            inputs.append(StateInput(field=field.name, at=at, entered="".join(sorted(signs)), choices=rare))
    return inputs


def _cell(values: Mapping[str, Value], at: Sequence[str]) -> tuple[int, int]:
    x, y = (round(value) if isinstance(value := values.get(name), int | float) else -1 for name in at)
    return x, y


def _apart(profile: Profile, state: Sequence[StateInput], stretches: Sequence[Stretch]) -> list[StateInput]:
    """Add differences of numbers with the same unit, because presses mostly depend on distances."""
    units = {field.name: field.unit for field in profile.fields if field.unit}
    numbers = dict.fromkeys(field.field for field in state if field.field in units and not field.choices)
    pairs = [(first, other) for first, other in combinations(numbers, 2) if units[first] == units[other]]
    every = [values for stretch in stretches for values in stretch.values]
    added = []
    for asked in (StateInput(field=first, minus=other) for first, other in pairs):
        values = [value_of(asked, fields) for fields in every]
        often = sum(value is not None for value in values) >= _APART_SHARE * len(values)
        added += [made for made in (_input(asked, values),) if often and made is not None]
    return [*state, *added]


def _input(asked: StateInput, values: Sequence[Value]) -> StateInput | None:
    read = [value for value in values if value is not None]
    if len(read) < max(2, _READ_SHARE * len(values)) or len(set(read)) < 2:
        return None
    optional = len(read) < len(values)
    if any(isinstance(value, str) for value in read):
        texts = sorted({str(value) for value in read})
        few = len(texts) <= _MOST_TEXTS
        return asked.model_copy(update={"choices": texts, "optional": optional}) if few else None
    low, high = (float(value) for value in np.quantile(np.asarray(read, float), (0.01, 0.99)))
    scaled = {"low": low, "high": high, "optional": optional}
    return asked.model_copy(update=scaled) if high > low else None


def _estimated_reaction(space: ClonedSpace, profile: Profile, stretches: Sequence[Stretch]) -> float | None:
    every = [due_rows(stretch.at_ns, space) for stretch in stretches]
    downs = [
        np.sort(
            [hold.down_ns for name in space.actions[1:] for hold in holds_of_action(stretch, name, profile)]
        )
        for stretch in stretches
    ]
    seen = [_glances(stretch, rows, space, profile) for stretch, rows in zip(stretches, every, strict=True)]
    times = [stretch.at_ns[rows] for stretch, rows in zip(stretches, every, strict=True)]
    return reaction_ms(seen, times, downs, step_ms=space.decide_every_ms)


def _estimated_lead(space: ClonedSpace, profile: Profile, stretches: Sequence[Stretch]) -> float:
    """Estimate how much earlier holds should begin; 0 if there are no or too few holds."""
    holds = [number for number, press in enumerate(space.presses, start=1) if not press.tap]
    names = [space.actions[number] for number in holds]
    if (
        sum(len(holds_of_action(stretch, name, profile)) for stretch in stretches for name in names)
        < LEAST_SAMPLE
    ):
        return 0.0
    every = [due_rows(stretch.at_ns, space) for stretch in stretches]
    seen = [_glances(stretch, rows, space, profile) for stretch, rows in zip(stretches, every, strict=True)]
    held = []
    for lead in np.arange(0, LONGEST_MS + 1, space.decide_every_ms):
        sooner = space.model_copy(update={"lead_ms": float(lead)})
        held.append(
            [
                taken_in(stretch, sooner, profile, rows)[:, holds]
                for stretch, rows in zip(stretches, every, strict=True)
            ]
        )
    return lead_ms(seen, held, step_ms=space.decide_every_ms)


def _glances(stretch: Stretch, rows: Array, space: ClonedSpace, profile: Profile) -> Array:
    """Return what is seen at each moment and its change, from fields or small pictures; (n, features)."""
    if space.state:
        encoder = StateSpace(space.state)
        now: Array = np.stack([encoder.encode(stretch.values[row]) for row in rows])
    else:
        small = VisionInput(width=_GLANCE[0], height=_GLANCE[1], frames=1)
        now = pictures_of(stretch, rows, PixelStack(small, profile.screen)).reshape(len(rows), -1) / 255.0
    return np.concatenate([now, np.diff(now, axis=0, prepend=now[:1])], axis=1)
