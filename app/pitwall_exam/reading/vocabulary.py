"""Lists the values that slots can hold, from an episode and its game, each with its synonyms."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pitwall_exam.episode.trace import Trace
from pitwall_exam.questions.template import Inventory, Template
from pitwall_exam.reading.tokens import concepts, stems

_MOST_CHOSEN = 400
"""Most fillings of one template whose slot values are collected."""
_DRAWS = 3
_OPEN = ("word", "name")
_VAGUE = frozenset(
    {
        *("a", "b", "other", "again", "same", "asked", "one", "two"),
        *("target", "source", "goal", "start", "to", "from"),
    }
)
"""Slot names that do not tell what the slot holds."""
_ALIKE = 0.5
_MOST_PARTS = 24
_USUAL, _FEW = 0.7, 6
_SYNONYMS = {
    "first": ("earliest", "1st", "initial", "initially", "very first", "for the first time"),
    "second": ("2nd", "for the second time"),
    "third": ("3rd", "for the third time"),
    "last": ("final", "latest", "most recent", "most recently", "finally", "for the last time"),
    "second last": ("penultimate", "second to last", "last but one", "next to last", "second most recent"),
    "rose": ("rise", "increase", "go up", "climb", "grow", "grew", "gain", "raise", "become higher"),
    "fell": ("fall", "decrease", "go down", "drop", "decline", "sink", "sank", "lose", "shrink", "reduce"),
    "strategic": ("strategically", "strategy"),
    "before": ("prior", "earlier", "preceding", "previously", "ahead of", "preceded", "leading up to"),
    "after": ("later", "following", "followed", "subsequent", "afterwards", "past", "since"),
    "left": ("west", "leftward", "leftwards", "westward"),
    "right": ("east", "rightward", "rightwards", "eastward"),
    "up": ("north", "upward", "upwards", "northward"),
    "down": ("south", "downward", "downwards", "southward"),
    "north": ("northward", "northwards"),
    "south": ("southward", "southwards"),
    "east": ("eastward", "eastwards"),
    "west": ("westward", "westwards"),
    "first start being at": ("first arrive at", "first come to", "first reach", "first enter", "first visit"),
    "first leave": ("leave for the first time", "first exit", "first depart from", "first walk out of"),
    "last start being at": ("last arrive at", "last come to", "last reach", "last enter", "last visit"),
}
_EMPTY = frozenset(
    {
        *("you", "your", "the", "a", "an", "of", "to", "in", "on", "it", "step", "when", "tim", "be", "do"),
        *("have", "at", "that", "which", "any", "some", "by", "what", "wher"),
    }
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A name or synonym of a value, as stems in order."""

    value: str
    stems: tuple[str, ...]
    telling: frozenset[str]
    """The stems that identify the value."""


class Sort:
    """The values that a slot may hold.

    Attributes:
        open: it may also hold unlisted values.
        parts: if its values are lists of a few words (directions one after another), those words.
        numeric: its values are numbers, written as texts.
    """

    def __init__(self, name: str, values: Iterable[str], *, is_open: bool) -> None:
        self.name = name
        self.open = is_open
        self.values = tuple(dict.fromkeys(values))
        self.numeric = is_open and bool(self.values) and all(_is_number(value) for value in self.values)
        self.parts = _parts(self.values) if is_open else frozenset()
        self._by_key = {key_of(value): value for value in reversed(self.values)}
        self.by_first: dict[str, list[Phrase]] = defaultdict(list)
        self.long: list[Phrase] = []
        usual = _usual(self.values)
        for value in self.values:
            for phrase in (value, *_SYNONYMS.get(value, ())):
                self._add_phrase(value, stems(phrase), usual)

    def value(self, text: str) -> str | None:
        """Return the value that a text names exactly, apart from case and hyphens."""
        return self._by_key.get(key_of(text))

    def _add_phrase(self, value: str, words: tuple[str, ...], usual: frozenset[str]) -> None:
        if not words:
            return
        telling = frozenset(word for word in words if word not in _EMPTY and word not in usual)
        phrase = Phrase(value, words, telling)
        self.by_first[words[0]].append(phrase)
        if " " in value and telling and self.open and not self.parts:
            self.long.append(phrase)


class Vocabulary:
    """The sorts of all slots of some inventories, over one episode.

    Slots of the same name hold the same sort in every template. For a vague name ("other", "a"), the sort is
    inferred from the values that its template chooses.

    Args:
        traces: each inventory with the record that its questions are answered from.
        words: further values by slot name, from the game rather than the episode: items, terrains, actions.
    """

    def __init__(
        self,
        traces: Sequence[tuple[Inventory[Any], Trace[Any]]],
        words: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self._names: dict[tuple[str, str, str], str] = {}
        self._sorts: dict[str, Sort] = {}
        game = {name: tuple(values) for name, values in (words or {}).items()}
        for inventory, trace in traces:
            self._take(inventory, trace, game)

    def sort(self, inventory: str, template: Template[Any], slot: str) -> Sort:
        """Return the sort of values that a slot holds; KeyError for a slot of whole numbers."""
        return self._sorts[self._names[inventory, template.name, slot]]

    @property
    def sorts(self) -> Iterable[Sort]:
        return self._sorts.values()

    def _take(
        self, inventory: Inventory[Any], trace: Trace[Any], game: Mapping[str, tuple[str, ...]]
    ) -> None:
        chosen = {template.name: _chosen(template, trace) for template in inventory.templates}
        named: dict[str, dict[str, None]] = defaultdict(dict)
        for template in inventory.templates:
            for slot, kind in template.form.slots.items():
                base = _base(slot)
                if kind in _OPEN and base not in _VAGUE:
                    named[base].update(dict.fromkeys((*game.get(base, ()), *chosen[template.name][slot])))
        for template in inventory.templates:
            for slot, kind in template.form.slots.items():
                if kind == "int":
                    continue
                if kind not in _OPEN:
                    name, values = f"one of {kind}", tuple(kind.split("|"))
                else:
                    name, values = _meant(
                        inventory.name, template.name, slot, chosen[template.name][slot], named
                    )
                self._names[inventory.name, template.name, slot] = name
                if name not in self._sorts:
                    self._sorts[name] = Sort(name, values, is_open=kind in _OPEN)


def _chosen(template: Template[Any], trace: Trace[Any]) -> dict[str, dict[str, None]]:
    """Return the values that a template chooses for its named slots, over one episode."""
    values_by_slot: dict[str, dict[str, None]] = {
        slot: {} for slot, kind in template.form.slots.items() if kind in _OPEN
    }
    if values_by_slot and len(trace):
        for chance in range(_DRAWS):
            for slots in islice(template.choose(trace, random.Random(chance)), _MOST_CHOSEN):
                for slot, values in values_by_slot.items():
                    if slot in slots:
                        values[str(slots[slot])] = None
    return values_by_slot


def _meant(
    inventory: str, template: str, slot: str, chosen: Iterable[str], named: Mapping[str, Mapping[str, None]]
) -> tuple[str, tuple[str, ...]]:
    """Return the name and values of a slot's sort."""
    base, values = _base(slot), tuple(chosen)
    if base not in _VAGUE:
        return base, tuple(named[base])
    like = {name: sum(1 for value in values if value in others) for name, others in named.items()}
    best = max(like, key=lambda name: (like[name], -len(named[name]), name), default="")
    if values and best and like[best] >= _ALIKE * len(values):
        return best, tuple(named[best])
    return f"{inventory}.{template}.{slot}", values


def _usual(values: Sequence[str]) -> frozenset[str]:
    """Return stems that most of many values share: they do not distinguish the values."""
    counts = Counter(stem for value in values for stem in set(stems(value)))
    least = _USUAL * len(values)
    return frozenset(stem for stem, count in counts.items() if len(values) >= _FEW and count >= least)


def _parts(values: Sequence[str]) -> frozenset[str]:
    listed = [value for value in values if ", " in value]
    if not values or len(listed) * 2 < len(values):
        return frozenset()
    parts = frozenset(part for value in values for part in value.split(", "))
    return parts if len(parts) <= _MOST_PARTS and all(" " not in part for part in parts) else frozenset()


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdecimal()


def key_of(text: str) -> str:
    """Return a value without case and hyphens, for comparison."""
    return " ".join(text.lower().replace("_", " ").replace("-", " ").split())


def likeness(spoken: Iterable[str], telling: frozenset[str]) -> float:
    """Compute the share of a phrase's telling stems that are spoken, 0 … 1; a related word counts 0.7."""
    words = set(spoken)
    if any(stem[0].isdecimal() and stem not in words for stem in telling):
        return 0.0
    like = {concept for word in words for concept in concepts(word)}
    got = 0.0
    for stem in telling:
        if stem in words:
            got += 1.0
        elif like.intersection(concepts(stem)):
            got += 0.7
    return got / len(telling) if telling else 0.0


def _base(slot: str) -> str:
    """Return a slot's name without the suffix that distinguishes two of a kind."""
    base = slot.rstrip("_0123456789")
    for end in ("_a", "_b", "_one", "_two", "_first", "_second"):
        base = base.removesuffix(end)
    return base
