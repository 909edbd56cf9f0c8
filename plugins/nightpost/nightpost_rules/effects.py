"""The small language in which cards, keepsakes, potions, foes and events say what they do.

    damage 6 | damage 3 x2 | damage 4 all | damage 6 x4 random | damage 5 +1 per glow | damage 4 per glow all
    cover 5 | cover 5 +1 per glow | cover 4 per glow | spend glow | double ink
    draw 2 | energy 1 | glow 2 | heal 4 | lose 2
    apply ink 3 | apply tired 1 all | gain pluck 2 | gain pluck 2 all | add Paper Cut 2 hand
    gold 20 | max_health 5 | potion | relic | card | rare_card | remove | upgrade | copy | upgrade_random
    junk Worry | cheaper 25

Before an effect stands when it happens (`turn:`, `attack:` …) and under which condition (`if ink:`,
`if glow 4:`, `if hurt:`). Several effects are parted by semicolons. The sentences on the screen are made from
the effects, so a card's text is what it does.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TRIGGERS = {
    "fight": "Start of a fight",
    "turn": "Each turn",
    "every3": "Every third turn",
    "end": "End of your turn",
    "attack": "Each attack you play",
    "trick": "Each trick you play",
    "habit": "Each habit you play",
    "victory": "After a fight",
    "rest": "When you rest",
    "pickup": "When taken",
    "passive": "Always",
}
STATUSES = {
    "pluck": "Each hit deals 1 more for each.",
    "poise": "Each gain of cover by a card is 1 more for each.",
    "shaken": "Hits on it deal half as much again. One less each round.",
    "tired": "Its hits deal a quarter less. One less each round.",
    "rattled": "Gains a quarter less cover. One less each round.",
    "ink": "Loses so much health at the start of its turn, then one less.",
    "prickle": "Who hits it loses so much health for each hit.",
    "mend": "Heals so much at the end of its turn, then one less.",
    "feint": "The next hit deals nothing; one less for each.",
    "ward": "The next bad status does nothing; one less for each.",
    "glow": "Light that some of Luna's cards use.",
}
BAD = ("shaken", "tired", "rattled", "ink")
"""Statuses that a ward keeps away."""
FADING = ("shaken", "tired", "rattled")
"""Statuses that fall by one after each round."""

_PART = re.compile(
    r"(?:(?P<when>[a-z0-9]+): )?(?:if (?P<cond>[a-z]+)(?: (?P<cond_n>\d+))?: )?"
    r"(?P<op>[a-z_]+)(?: (?P<word>[A-Z][A-Za-z ]*?|[a-z]+))?(?: (?P<n>-?\d+))?(?: x(?P<times>\d+))?"
    r"(?: \+(?P<bonus>\d+))?(?P<per> per glow)?(?: (?P<scope>all|random|hand|draw|discard))?"
)
_PLAIN = ("damage", "cover", "draw", "energy", "heal", "lose", "gold", "max_health", "cheaper")
_OFFERS = {
    "potion": "Gain a potion",
    "relic": "Gain a keepsake",
    "card": "Choose a card",
    "rare_card": "Choose a rare card",
    "remove": "Remove a card",
    "upgrade": "Better a card",
    "copy": "Copy a card",
    "upgrade_random": "Better a random card",
}


class Effect(NamedTuple):
    """A single effect; see the module's text for the language.

    Attributes:
        word: a status, or a card's name. bonus: added for each glow. per: `n` counts for each glow.
        scope: all, random, or the pile that a card comes to; empty: the target, or oneself.
        when: a trigger; empty: at once. cond: ink, glow or hurt; cond_n: how much of it is needed.
    """

    op: str
    n: int = 0
    times: int = 1
    word: str = ""
    bonus: int = 0
    per: bool = False
    scope: str = ""
    when: str = ""
    cond: str = ""
    cond_n: int = 1

    @property
    def aims(self) -> bool:
        """Return whether the player has to choose a foe."""
        return self.op in ("damage", "apply", "double") and not self.scope and not self.when


def parse(text: str) -> tuple[Effect, ...]:
    """Return the effects of a text.

    Raises:
        ValueError: it is not in the language; names the part.
    """
    return tuple(_parse_part(part.strip()) for part in text.split(";") if part.strip())


def _parse_part(part: str) -> Effect:
    match = _PART.fullmatch(part)
    if match is None:
        raise ValueError(f"{part!r} is no effect; see effects.py for the language")
    op, word, when = match["op"], match["word"] or "", match["when"] or ""
    known = op in (*_PLAIN, *_OFFERS, "apply", "gain", "add", "double", "spend", "glow", "junk")
    numbered = op not in _PLAIN or (not word and match["n"] is not None)
    if (
        not known
        or not numbered
        or (when and when not in TRIGGERS)
        or (op in ("apply", "gain") and word not in STATUSES)
    ):
        raise ValueError(f"{part!r} names no operation, trigger or status of effects.py")
    return Effect(
        op="gain" if op == "glow" else op,
        n=int(match["n"] or 1),
        times=int(match["times"] or 1),
        word="glow" if op == "glow" else word,
        bonus=int(match["bonus"] or 0),
        per=match["per"] is not None and match["bonus"] is None,
        scope=match["scope"] or "",
        when=when,
        cond=match["cond"] or "",
        cond_n=int(match["cond_n"] or 1),
    )


def describe(effects: tuple[Effect, ...]) -> str:
    """Return the effects as short sentences, as the screen shows them."""
    return " ".join(f"{_sentence(effect)}." for effect in effects)


def _sentence(effect: Effect) -> str:
    if effect.when:
        rest = _sentence(effect._replace(when=""))
        return f"{TRIGGERS[effect.when]}: {rest[0].lower()}{rest[1:]}"
    if effect.cond:
        rest = _sentence(effect._replace(cond=""))
        need = {"hurt": "at half health", "ink": "it has ink"}.get(
            effect.cond, f"{effect.cond} {effect.cond_n}+"
        )
        return f"If {need}: {rest[0].lower()}{rest[1:]}"
    return _plain(effect)


def _plain(effect: Effect) -> str:
    op, n, word = effect.op, effect.n, effect.word
    glow = f" +{effect.bonus} per glow" if effect.bonus else " per glow" if effect.per else ""
    whom = {"all": " to all", "random": " at random"}.get(effect.scope, "")
    times = f" x{effect.times}" if effect.times > 1 else ""
    if op in _OFFERS:
        return _OFFERS[op]
    return {
        "damage": f"Deal {n}{times}{glow}{whom}",
        "cover": f"Cover {n}{glow}",
        "draw": f"Draw {n}",
        "energy": f"Energy {n}",
        "heal": f"Heal {n}",
        "lose": f"Lose {n} health",
        "apply": f"Apply {n} {word}{whom}",
        "gain": f"Gain {n} {word}{whom}",
        "double": f"Double its {word}",
        "spend": f"Spend all {word}",
        "add": f"Add {n} {word} to {_PILES.get(effect.scope, '')}",
        "gold": f"Gain {n} gold" if n >= 0 else f"Pay {-n} gold",
        "max_health": f"Max health +{n}",
        "junk": f"Get {word}",
        "cheaper": f"Shops are {n} % cheaper",
    }[op]


_PILES = {"hand": "your hand", "draw": "the draw pile", "discard": "the discards"}
