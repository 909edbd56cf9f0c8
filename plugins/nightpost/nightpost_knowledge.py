"""Writes rules.md, the knowledge of the game, from its tables; a test compares the two.

Run: nightpost_knowledge.py      (each card, keepsake, potion and foe is an entry of layer L3 with a name)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nightpost_rules.course import LANES, ROWS
from nightpost_rules.effects import STATUSES, describe
from nightpost_rules.fight import ENERGY, HAND, LATE, MOST_HAND, MOST_PLAYS
from nightpost_rules.rooms import cost_of
from nightpost_rules.tables import TABLES, Card, FoeKind

FILE = Path(__file__).resolve().parent / "rules.md"


def knowledge() -> str:
    """Return the whole file."""
    return "\n\n".join(["# Night Post", *_rules(), *_entries()]) + "\n"


def _rules() -> Iterator[str]:
    yield (
        "A letter is carried up through a sleeping house: three acts of "
        f"{ROWS} rows and a boss each. Who falls begins anew. By turns: nothing moves between two actions."
    )
    yield (
        "## A turn\n"
        f"- You draw {HAND} cards and have {ENERGY} energy. At most {MOST_PLAYS} are "
        f"played in a turn, {MOST_HAND} held.\n"
        "- Cover takes hits until your next turn. Foes announce their moves, with the damage as it is now.\n"
        "- As your turn ends the hand is discarded and the foes act. An empty draw pile is mixed anew.\n"
        "- Attacks and tricks go to the discards, those that burn leave the fight, a habit stays for it.\n"
        f"- After turn {LATE} each turn costs health, one point more each time."
    )
    yield "## Statuses\n" + "\n".join(f"- {name}: {text}" for name, text in STATUSES.items())
    rewards = TABLES.rewards
    yield (
        "## Rooms\n"
        f"- {LANES} lanes. Row 1 is fights, row {TABLES.map['treasure_row']} chests, row {ROWS} rests.\n"
        f"- A rest heals {rewards['rest_percent']} % of your health, or betters a card.\n"
        "- Elites leave a keepsake, bosses three to choose from.\n"
        f"- After a boss {rewards['boss_heal_percent']} % of the lost health comes back.\n"
        "- Score: 100 for a victory, else floor + 52/3 for each boss."
    )
    yield "## Ascension\n" + "\n".join(f"- {level.level}: {level.rule}" for level in TABLES.ascension)


def _entries() -> Iterator[str]:
    for card in TABLES.cards.values():
        if not card.name.endswith("+"):
            yield f"## Card {card.name}\n{_card(card)}"
    for relic in TABLES.relics.values():
        yield f"## Keepsake {relic.name}\n{relic.text} ({relic.rarity})"
    for potion in TABLES.potions.values():
        yield f"## Potion {potion.name}\n{potion.text}"
    for foe in TABLES.foes.values():
        yield f"## Foe {foe.name}\n{_foe(foe)}"


def _card(card: Card) -> str:
    owner = {"any": "both", "junk": "nobody"}.get(card.owner, card.owner.capitalize())
    better = f" Better: {card.better.text}" if card.better else ""
    return f"{owner}, {card.rarity}. Cost {cost_of(card)}, {card.kind}. {card.text}{better}"


def _foe(foe: FoeKind) -> str:
    low, high = foe.health
    moves = "; ".join(f"{name}: {describe(effects)}" for name, effects in foe.moves.items())
    style, names, weights = foe.plan
    order = (
        "in this order: " + ", ".join(names)
        if style == "cycle"
        else "by chance: "
        + ", ".join(f"{name} {weight}" for name, weight in zip(names, weights, strict=True))
    )
    starts = f" It begins with: {describe(foe.starts)}" if foe.starts else ""
    rage = (
        f" At half health: {describe(foe.rage)} Then in this order: {', '.join(foe.second[1])}."
        if foe.second
        else ""
    )
    return f"{foe.rank.capitalize()}, health {low} to {high}.{starts} Moves: {moves} Plan {order}.{rage}"


if __name__ == "__main__":
    FILE.write_text(knowledge(), encoding="utf-8")
