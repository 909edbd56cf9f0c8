"""Finds the commands that would do something: each is tried on a second machine in the same state.

A command does something where it leads to another place, moves a thing, changes a thing's attributes (open,
lit, locked) or the score, in another way than waiting does. Reading and looking around change nothing and are
left out. The candidates are directions, and common verbs with things in reach.
"""

from __future__ import annotations

from collections.abc import Iterator

from story_machine import Machine, Mark
from story_memory import StoryMemory

_WAYS = (
    "north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest", "up", "down",
    "in", "out",
)  # fmt: skip
_HERE = ("take", "open", "close", "push", "pull", "turn", "enter", "climb", "dig", "search", "light", "fill")
_HELD = (
    "open",
    "close",
    "light",
    "fill",
    "turn on",
    "turn off",
    "wear",
    "eat",
    "drink",
    "blow",
    "wave",
    "rub",
)
_WITH = ("unlock {} with {}", "lock {} with {}", "dig {} with {}")
_INTO = ("put {} in {}", "put {} on {}", "pour {} in {}", "give {} to {}")
_NEUTRAL = ("look", "inventory", "wait")
_MOST_THINGS = 14

_World = tuple[bytes, str, int | None]


class Scout:
    """Finds the possible commands.

    Args:
        machine: of the same story as those it is asked about; nobody else plays with it.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def possible(self, machine: Machine) -> tuple[str, ...]:
        """Return the commands that would do something in a machine's state: directions first, drops last.

        Of commands with the same outcome the first is returned.
        """
        if machine.stopped or machine.now().ending:
            return ()
        here = machine.mark()
        idle = [self._outcome(here, command)[1] for command in _NEUTRAL]
        self._machine.go_to(here)
        start = self._world()
        noise = _noise(start, idle)
        same = {_masked(world, noise) for world in (start, *idle)}
        outcomes: dict[_World, str] = {}
        for command in _candidates(machine.memory):
            ended, world = self._outcome(here, command)
            outcome = _masked(world, noise)
            if ended or outcome not in same:
                outcomes.setdefault(outcome, command)
        return tuple(outcomes.values())

    def _outcome(self, here: Mark, command: str) -> tuple[bool, _World]:
        self._machine.go_to(here)
        self._machine.say(command)
        return self._machine.ended, self._world()

    def _world(self) -> _World:
        place, score, _ = self._machine.status
        return self._machine.memory.table(), place, score


def _candidates(memory: StoryMemory) -> Iterator[str]:
    yield from _WAYS
    player, room = memory.player, memory.room
    if not player:
        return
    carried = list(memory.inside(player))
    held = _named(memory, list(memory.within(player)))
    yield from (f"take {name}" for name in held if name not in _named(memory, carried))
    lies = [thing for thing in memory.within(room) if thing != player] if room else []
    here = [name for name in _named(memory, lies) if name not in held]
    for name in here:
        yield from (f"{verb} {name}" for verb in _HERE)
    for name in held:
        yield from (f"{verb} {name}" for verb in _HELD)
    for name in held:
        for other in here:
            yield from (words.format(other, name) for words in _WITH)
            yield from (words.format(name, other) for words in _INTO)
    yield from (f"drop {name}" for name in held)


def _named(memory: StoryMemory, numbers: list[int]) -> list[str]:
    names = dict.fromkeys(memory.name(number) for number in numbers)
    return [name for name in names if name and not name.startswith("(")][:_MOST_THINGS]


def _noise(before: _World, idle: list[_World]) -> bytes:
    """Return a mask of the objects' bits without those that always change."""
    mask = bytearray(b"\xff" * len(before[0]))
    for table, _, _ in idle:
        for at, (row, other) in enumerate(zip(before[0], table, strict=True)):
            mask[at] &= 0xFF ^ (row ^ other)
    return bytes(mask)


def _masked(world: _World, mask: bytes) -> _World:
    table = int.from_bytes(world[0], "big") & int.from_bytes(mask, "big")
    return table.to_bytes(len(mask), "big"), world[1], world[2]
