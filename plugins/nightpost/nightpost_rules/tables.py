"""Reads the game's data (`data/*.toml`) into typed tables: cards, keepsakes, potions, foes, events, acts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .effects import Effect, describe, parse

VERSION = "1.0.0"
"""Version of rules and numbers: a score is worth something only beside it."""
_DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True, eq=False)
class Card:
    """A card as it lies in a deck; the better one is a card of its own.

    Attributes:
        owner: pip, luna, any, or junk. cost: -1 where it cannot be played.
        burns: it leaves the fight when it is played. now: effects at once. habits: effects that stay.
        aims: the player chooses a foe. better: the upgraded card; None where this is it.
    """

    name: str
    owner: str
    kind: str
    rarity: str
    cost: int
    burns: bool
    effects: tuple[Effect, ...]
    better: Card | None = None
    now: tuple[Effect, ...] = ()
    habits: tuple[Effect, ...] = ()
    aims: bool = False
    text: str = ""


@dataclass(frozen=True, eq=False)
class Relic:
    """A keepsake."""

    name: str
    rarity: str
    owner: str
    effects: tuple[Effect, ...]
    text: str


@dataclass(frozen=True, eq=False)
class Potion:
    """A potion: drunk once."""

    name: str
    effects: tuple[Effect, ...]
    text: str
    aims: bool


@dataclass(frozen=True, eq=False)
class FoeKind:
    """A kind of foe. plan, second: (style, names of moves, weights); second: after `rage`."""

    name: str
    rank: str
    health: tuple[int, int]
    moves: Mapping[str, tuple[Effect, ...]]
    plan: tuple[str, tuple[str, ...], tuple[int, ...]]
    starts: tuple[Effect, ...] = ()
    rage: tuple[Effect, ...] = ()
    second: tuple[str, tuple[str, ...], tuple[int, ...]] | None = None


@dataclass(frozen=True)
class EventOption:
    """A choice in an event; `needs` is the gold without which it is not offered."""

    label: str
    effects: tuple[Effect, ...]
    needs: int = 0


@dataclass(frozen=True)
class Event:
    """A meeting on the way."""

    name: str
    text: str
    options: tuple[EventOption, ...]


@dataclass(frozen=True)
class Act:
    """A part of the house."""

    name: str
    easy: tuple[tuple[str, ...], ...]
    hard: tuple[tuple[str, ...], ...]
    elites: tuple[str, ...]
    boss: str


@dataclass(frozen=True)
class Hero:
    """A character."""

    id: str
    name: str
    about: str
    health: int
    deck: Mapping[str, int]
    relic: str


@dataclass(frozen=True)
class Level:
    """A level of ascension: its rule in words, and the numbers that it sets."""

    level: int
    rule: str
    numbers: Mapping[str, int]


@dataclass(frozen=True)
class Tables:
    """All data of the game."""

    cards: Mapping[str, Card]
    relics: Mapping[str, Relic]
    potions: Mapping[str, Potion]
    foes: Mapping[str, FoeKind]
    events: tuple[Event, ...]
    acts: tuple[Act, ...]
    heroes: Mapping[str, Hero]
    ascension: tuple[Level, ...]
    map: Mapping[str, Any]
    rewards: Mapping[str, Any]
    pools: Mapping[tuple[str, str], tuple[Card, ...]] = field(default_factory=dict)

    def numbers(self, ascension: int) -> dict[str, int]:
        """Return the numbers that the levels up to this one set."""
        return {key: value for step in self.ascension[:ascension] for key, value in step.numbers.items()}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def _card(row: Mapping[str, Any]) -> Card:
    effects = parse(row["plus"]) if "plus" in row else ()
    better = _built(row, row["name"] + "+", effects, None) if effects else None
    return _built(row, row["name"], parse(row["does"]), better)


def _built(row: Mapping[str, Any], name: str, effects: tuple[Effect, ...], better: Card | None) -> Card:
    cost = row.get("plus_cost", row["cost"]) if name.endswith("+") else row["cost"]
    burns = row.get("burns", False)
    text = describe(effects) or "Does nothing."
    if cost < 0:
        text = f"Cannot be played. {describe(effects)}".strip()
    elif burns:
        text += " Burns."
    return Card(
        name=name,
        owner=row["of"],
        kind=row["kind"],
        rarity=row["rarity"],
        cost=cost,
        burns=burns,
        effects=effects,
        better=better,
        now=tuple(effect for effect in effects if not effect.when),
        habits=tuple(effect for effect in effects if effect.when),
        aims=any(effect.aims for effect in effects),
        text=text,
    )


def _plan(text: str) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
    style, *words = text.split()
    names = tuple(word.rstrip("0123456789") for word in words)
    weights = tuple(int(word[len(name) :] or 1) for word, name in zip(words, names, strict=True))
    return style, names, weights


def _foe(row: Mapping[str, Any]) -> FoeKind:
    return FoeKind(
        name=row["name"],
        rank=row["class"],
        health=(row["health"][0], row["health"][1]),
        moves={name: parse(text) for name, text in row["moves"].items()},
        plan=_plan(row["plan"]),
        starts=parse(row.get("starts", "")),
        rage=parse(row.get("rage", "")),
        second=_plan(row["second"]) if "second" in row else None,
    )


def _event(row: Mapping[str, Any]) -> Event:
    options = tuple(EventOption(o["label"], parse(o["does"]), o.get("needs", 0)) for o in row["options"])
    return Event(row["name"], row["text"], options)


def _act(row: Mapping[str, Any]) -> Act:
    easy, hard = (tuple(tuple(group) for group in row[name]) for name in ("easy", "hard"))
    return Act(row["name"], easy, hard, tuple(row["elites"]), row["boss"])


def load() -> Tables:
    """Read all tables.

    Raises:
        ValueError: an effect is not in the language.
    """
    base = [_card(row) for row in _read("cards")["cards"]]
    cards = {card.name: card for card in base} | {
        card.better.name: card.better for card in base if card.better
    }
    things, acts = _read("relics"), _read("acts")
    pools = {
        (hero, rarity): tuple(c for c in base if c.rarity == rarity and c.owner in (hero, "any"))
        for hero in ("pip", "luna")
        for rarity in ("common", "uncommon", "rare")
    }
    return Tables(
        cards=cards,
        relics={
            row["name"]: Relic(
                row["name"],
                row["rarity"],
                row.get("of", "any"),
                parse(row["does"]),
                describe(parse(row["does"])),
            )
            for row in things["relics"]
        },
        potions={
            row["name"]: Potion(
                row["name"],
                parse(row["does"]),
                describe(parse(row["does"])),
                any(effect.aims for effect in parse(row["does"])),
            )
            for row in things["potions"]
        },
        foes={row["name"]: _foe(row) for row in _read("foes")["foes"]},
        events=tuple(_event(row) for row in _read("events")["events"]),
        acts=tuple(_act(row) for row in acts["acts"]),
        heroes={row["id"]: Hero(**row) for row in acts["heroes"]},
        ascension=tuple(Level(row["level"], row["rule"], row["set"]) for row in acts["ascension"]),
        map=acts["map"],
        rewards=acts["rewards"],
        pools=pools,
    )


TABLES = load()
