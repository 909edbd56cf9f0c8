"""Commands that would do something here: each is tried on a second machine that stands where the first does.

A command does something where it leads to another place, moves a thing, changes what holds of one (open,
lit, locked) or the score, otherwise than waiting does. Reading and looking around change nothing and are not
named. The candidates are directions, and common verbs with what is in reach.
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
    """Finds out what could be done.

    Args:
        machine: of the same story as those it is asked about; nobody else plays with it.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def possible(self, machine: Machine) -> tuple[str, ...]:
        """Commands that would do something where a machine stands: ways first, drops last.

        Of commands with the same outcome the first is named.
        """
        if machine.stopped or machine.now().ending:
            return ()
        here = machine.mark()
        idle = [self._outcome(here, command)[1] for command in _NEUTRAL]
        self._machine.go_to(here)
        start = self._world()
        noise = _noise(start, idle)
        same = {_masked(world, noise) for world in (start, *idle)}
        found: dict[_World, str] = {}
        for command in _candidates(machine.memory):
            ended, world = self._outcome(here, command)
            outcome = _masked(world, noise)
            if ended or outcome not in same:
                found.setdefault(outcome, command)
        return tuple(found.values())

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
    lies = [one for one in memory.within(room) if one != player] if room else []
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
    """Bits of the objects that change whatever one does, as a mask of those that do not."""
    mask = bytearray(b"\xff" * len(before[0]))
    for table, _, _ in idle:
        for at, (one, other) in enumerate(zip(before[0], table, strict=True)):
            mask[at] &= 0xFF ^ (one ^ other)
    return bytes(mask)


def _masked(world: _World, mask: bytes) -> _World:
    table = int.from_bytes(world[0], "big") & int.from_bytes(mask, "big")
    return table.to_bytes(len(mask), "big"), world[1], world[2]
