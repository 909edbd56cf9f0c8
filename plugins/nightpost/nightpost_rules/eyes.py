"""Reads the window as fields for conditions and prompts, with moves that simple rules would make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import layout as at
from .characters import CharacterReader
from .moves import Move
from .reading import read_sight
from .rules_player import Advice, RulesPlayer, advise, incoming
from .sight import SeenCard, SeenFoe, SeenOption, Sight

Value = bool | int | float | str | None
NAMED = 10
"""Choices whose names are fields of their own, for conditions of skills; the rest stands in `options`."""
_NOWHERE = Sight("")


class Eyes:
    """Reads pictures of the window; the last readable one counts while the next is being drawn."""

    def __init__(self) -> None:
        self._characters = CharacterReader()
        self._player = RulesPlayer()

    def read(self, pixels: Any) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        sight = read_sight(self._characters.read(pixels))
        return fields_of(sight, self._player)


def fields_of(sight: Sight | None, player: RulesPlayer) -> dict[str, Value]:
    """Return the fields of what is to be seen; none are known where it is None."""
    shown = sight or _NOWHERE
    fighting, playing = shown.screen == "fight", shown.screen in _PLAYED
    advice = advise(shown) if fighting else Advice()
    fields: dict[str, Value] = {
        "screen": shown.screen or None,
        "character": shown.hero or None,
        "ascension": shown.ascension if shown.hero else None,
        "title": shown.title or None,
        "words": shown.words or None,
        "enemy_class": shown.rank or "none",
        "options": "; ".join(_option(n, option) for n, option in enumerate(shown.options)) or None,
        **_named(shown),
        "leave": shown.leave or None,
        "hand": "; ".join(_card(n, card) for n, card in enumerate(shown.hand)) or None,
        "foes": "; ".join(_foe(n, foe) for n, foe in enumerate(shown.foes) if foe.health) or None,
        "statuses": shown.statuses or None,
        "potions": ", ".join(shown.potions) or None,
        "relics": ", ".join(shown.relics) or None,
        "map": " / ".join(shown.rooms) or None,
        "row": shown.row if shown.screen == "map" else None,
        "lane": shown.lane if shown.screen == "map" else None,
        "strategic": is_strategic(shown),
        "next_move": action_of(player.move(shown), shown) if playing else None,
        "strike_move": _of(advice.strike, shown),
        "guard_move": _of(advice.guard, shown),
        "setup_move": _of(advice.setup, shown),
        "potion_move": _of(advice.potion, shown),
    }
    for name in ("act", "floor", "health", "most", "gold", "deck"):
        fields[name] = getattr(shown, name) if playing or shown.screen == "over" else None
    for name in ("energy", "cover", "turn"):
        fields[name] = getattr(shown, name) if fighting else None
    fields["incoming"] = incoming(shown) if fighting else None
    fields["foe_health"] = sum(foe.health for foe in shown.foes) if fighting else None
    fields["foes_left"] = sum(foe.health > 0 for foe in shown.foes) if fighting else None
    draw, discard, burnt = shown.piles
    fields |= {"draw_pile": draw if fighting else None, "discards": discard if fighting else None}
    fields["burnt"] = burnt if fighting else None
    return fields


_PLAYED = ("map", "fight", "card", "relic", "event", "shop", "rest", "treasure", "pick")


def is_strategic(sight: Sight) -> bool:
    """Return whether a decision deserves thought; the rest goes to rules or to a fast model.

    Thought deserve: a fork between rooms of two kinds, every choice outside of fights but that of a card of
    the deck, the first turn of an elite or boss, and turns that threaten a third of the health. A turn counts
    once, as it begins.
    """
    if sight.screen == "fight":
        full = sight.energy >= 3 and len(sight.hand) >= 5
        grave = 3 * (incoming(sight) - sight.cover) >= sight.health
        return full and (grave or (sight.rank != "normal" and sight.turn == 1))
    if sight.screen == "map":
        return len({option.label for option in sight.options}) > 1
    return (
        sight.screen in _PLAYED
        and sight.screen != "pick"
        and sum(option.open for option in sight.options) > 1
    )


def action_of(move: Move, sight: Sight) -> str:
    """Return a move as the manifest's action."""
    target = at.TARGET_KEYS[max(move.target, 0)]
    match move.kind:
        case "play":
            return f"play(card={at.KEYS[move.n]}, target={target})"
        case "potion":
            return f"drink(potion={at.POTION_KEYS[move.n]}, target={target})"
        case "choose":
            return f"choose(option={at.KEYS[move.n]})"
        case "end":
            return "end_turn"
    return "leave" if sight.leave else "wait"


def _named(sight: Sight) -> dict[str, Value]:
    """Return the name of each choice by its key, where it can be taken now."""
    names: dict[str, Value] = {f"option_{key}": None for key in at.KEYS[:NAMED]}
    for key, option in zip(at.KEYS[:NAMED], sight.options, strict=False):
        names[f"option_{key}"] = option.label if option.open else None
    return names


def _of(move: Move | None, sight: Sight) -> str | None:
    return action_of(move, sight) if move is not None else None


def _option(n: int, option: SeenOption) -> str:
    price = f" for {option.price} gold" if option.price else ""
    return f"{at.KEYS[n]} {option.label}{price}{'' if option.open else ' (not now)'}: {option.text}"


def _card(n: int, card: SeenCard) -> str:
    return f"{at.KEYS[n]} {card.name} ({card.cost if card.cost >= 0 else '-'}, {card.kind}): {card.text}"


def _foe(n: int, foe: SeenFoe) -> str:
    extra = f", {foe.statuses}" if foe.statuses else ""
    name = f"{at.TARGET_KEYS[n]} {foe.name} {foe.health}/{foe.most}"
    return f"{name}, cover {foe.cover}{extra}, next: {foe.intent}"
