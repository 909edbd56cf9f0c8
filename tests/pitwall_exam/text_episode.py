"""A text-game episode written by hand, and one of chance, for tests of the text inventory.

By hand: Hall -n-> Attic, Attic -s-> Hall, Hall -e-> Cave, Cave -w-> Hall; a lamp is taken, dropped and taken
again; a coin is taken in the cave.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from pitwall_exam.episode.states import TextState
from pitwall_exam.episode.trace import Moment, Trace

WAYS = {
    ("Hall", "north"): "Attic",
    ("Attic", "south"): "Hall",
    ("Hall", "east"): "Cave",
    ("Cave", "west"): "Hall",
}
PLAYED = (
    ("take lamp", "A lamp is useful in the dark. Take it."),
    ("north", "Look at what lies above."),
    ("drop lamp", "It is heavy."),
    ("take lamp", "The dark needs it after all."),
    ("s", "Back down."),
    ("go east", "The cave, with the lamp."),
    ("take coin", "A coin! Coins buy things."),
    ("west", "Out of the dark again."),
    ("east", "Was there more in the cave?"),
    ("look", ""),
)


def text_episode() -> Trace[TextState]:
    """The ten steps of `PLAYED`."""
    return played(PLAYED)


def chance_episode(steps: int, seed: int = 1) -> Trace[TextState]:
    """Steps drawn by chance in the same world."""
    chance = random.Random(seed)
    commands = ("north", "south", "east", "west", "take lamp", "drop lamp", "take coin", "drop coin", "look")
    return played(
        [(chance.choice(commands), f"Perhaps {chance.choice(('north', 'treasure', 'darkness'))} helps.")
         for _ in range(steps)]
    )  # fmt: skip


def played(commands: Sequence[tuple[str, str]]) -> Trace[TextState]:
    """What these commands come to; the coin lies in the cave, the lamp in the hall. A coin is ten points."""
    state = TextState("Hall", "A bare hall.", frozenset(), 0.0, valid_at("Hall", frozenset()))
    lying = {"lamp": "Hall", "coin": "Cave"}
    moments = []
    for step, (command, reason) in enumerate(commands, start=1):
        after = _after(state, command, lying)
        moments.append(Moment(step, command, reason, state, after))
        state = after
    return Trace(moments)


def valid_at(place: str, carried: frozenset[str]) -> frozenset[str]:
    """Ways out, and what is carried can be dropped."""
    return frozenset(
        [*(way for here, way in WAYS if here == place), *(f"drop {item}" for item in sorted(carried))]
    )


def _after(state: TextState, command: str, lying: dict[str, str]) -> TextState:
    way = {"s": "south", "go east": "east"}.get(command, command)
    place, carried, score = state.location, state.inventory, state.score or 0.0
    text = "You see nothing special."
    verb, _, item = command.partition(" ")
    if (place, way) in WAYS:
        place = WAYS[place, way]
        text = f"You are in the {place.lower()}. It is {'dark, very dark' if place == 'Cave' else 'bright'}."
    elif verb == "take" and lying.get(item) == place:
        del lying[item]
        carried, text = carried | {item}, "Taken."
        score += 10 if item == "coin" else 0
    elif verb == "drop" and item in carried:
        lying[item] = place
        carried, text = carried - {item}, "Dropped."
    return replace(
        state,
        location=place,
        observation=text,
        inventory=carried,
        score=score,
        valid=valid_at(place, carried),
    )
