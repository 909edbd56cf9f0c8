"""Night Post's rules: what the texts say is what happens, chance follows the seed, and the data is whole."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from nightpost_knowledge import FILE, knowledge
from nightpost_rules.beings import Being, Foe
from nightpost_rules.dice import Dice
from nightpost_rules.effects import parse
from nightpost_rules.encounters import make_foe
from nightpost_rules.fight import Fight
from nightpost_rules.figures import shapes
from nightpost_rules.moves import Move
from nightpost_rules.run import Run
from nightpost_rules.search_player import SearchPlayer
from nightpost_rules.tables import TABLES, Card

_NUMBERS = {
    "damage": re.compile(r"[Dd]eal (\d+)(?: x(\d+))?(?: \+(\d+) per glow)?( per glow)?"),
    "cover": re.compile(r"[Cc]over (\d+)(?: \+(\d+) per glow)?( per glow)?"),
}
_IF = re.compile(r"If (it has ink|at half health|glow \d+\+): ")


def test_the_data_is_as_large_as_the_game_promises() -> None:
    owners = Counter(card.owner for card in TABLES.cards.values() if not card.name.endswith("+"))
    ranks = Counter(foe.rank for foe in TABLES.foes.values())
    assert owners["pip"] + owners["luna"] + owners["any"] >= 75
    assert len(TABLES.relics) >= 30
    assert len(TABLES.potions) >= 12
    assert (ranks["normal"], ranks["elite"], ranks["boss"]) == (25, 6, 3)
    assert len(TABLES.events) == 15
    assert len(TABLES.ascension) + 1 == 11
    assert not {*TABLES.foes, *(hero.name for hero in TABLES.heroes.values())} - set(shapes())


def test_every_foe_of_an_act_exists_and_each_kind_appears() -> None:
    groups = [name for act in TABLES.acts for group in (*act.easy, *act.hard, act.elites) for name in group]
    assert {*groups, *(act.boss for act in TABLES.acts)} == set(TABLES.foes)


def test_an_effect_outside_the_language_is_refused_by_name() -> None:
    for text in ("hit 6", "apply sleep 2", "never: cover 2", "damage six"):
        with pytest.raises(ValueError, match=re.escape(text)):
            parse(text)


def _fight(card: Card) -> Fight:
    """A fight against three sturdy foes with just this card in hand; the hero has 6 glow and is hurt."""
    foes = [Foe(TABLES.foes["Rusty Trap"], 300, 100) for _ in range(3)]
    fight = Fight(Being(40, 100), [TABLES.cards["Lint"]] * 12, foes, Dice(1), (), "normal")
    fight.hand, fight.energy = [card], 9
    fight.hero.status["glow"] = 6
    foes[0].status["ink"] = 1
    return fight


def _promised(text: str, pattern: re.Pattern[str]) -> int:
    """Return the sum that the sentences about this moment promise, six glow at hand."""
    total = 0
    for sentence in text.split(". "):
        plain = _IF.sub("", sentence)
        match = None if ": " in plain else pattern.search(plain)
        if match is None:
            continue
        groups = match.groups()
        n, times = int(groups[0]), int(groups[1] or 1) if len(groups) == 4 else 1
        n = n * 6 if groups[-1] else n + 6 * int(groups[-2] or 0)
        total += n * times * (3 if "to all" in plain else 1)
    return total


@pytest.mark.parametrize(
    "card", [card for card in TABLES.cards.values() if card.cost >= 0], ids=lambda card: card.name
)
def test_a_card_does_what_its_text_says(card: Card) -> None:
    fight = _fight(card)
    health = sum(foe.health for foe in fight.foes)
    fight.play(0, 0)
    assert health - sum(foe.health for foe in fight.foes) == _promised(card.text, _NUMBERS["damage"])
    assert fight.hero.cover == _promised(card.text, _NUMBERS["cover"])
    drawn = sum(
        int(n) for n in re.findall(r"(?:^|[.:] )[Dd]raw (\d+)", re.sub(r"(Each|Start)[^.]*\.", "", card.text))
    )
    added = sum(int(n) for n in re.findall(r"Add (\d+) [^.]* to your hand", card.text))
    assert len(fight.hand) == drawn + added
    assert (card in fight.burnt) == ("Burns." in card.text)


def test_statuses_change_hits_and_fade() -> None:
    fight = _fight(TABLES.cards["Nibble"])
    foe = fight.foes[1]
    foe.add("shaken", 1)
    fight.hero.add("pluck", 2)
    fight.play(0, 1)
    assert foe.health == 300 - (6 + 2) * 3 // 2
    foe.add("tired", 2)
    fight.end_turn()
    assert foe.of("shaken") == 0
    assert foe.of("tired") == 1


def test_a_boss_changes_its_plan_at_half_health() -> None:
    boss = Foe(TABLES.foes["The Boiler"], 140, 100)
    fight = Fight(Being(90, 90), [TABLES.cards["Nibble"]] * 10, [boss], Dice(3), (), "boss")
    fight.drink(parse("damage 80"), 0)
    assert boss.raged
    assert boss.of("pluck") == 2
    fight.end_turn()
    assert boss.move == "burst"


def test_no_fight_lasts_for_ever() -> None:
    foe = Foe(TABLES.foes["Dust Bunny"], 9999, 0)
    fight = Fight(Being(60, 60), [TABLES.cards["Lint"]] * 6, [foe], Dice(2), (), "normal")
    while not fight.lost:
        fight.end_turn()
    assert fight.turn < 40


def _played(seed: int, hero: str) -> tuple[list[Move], Run]:
    run, player, moves = Run(seed, hero), SearchPlayer(4, seed), []
    while not run.over and run.floor < 12:
        moves.append(player.move(run))
        run.do(moves[-1])
    return moves, run


def test_a_seed_repeats_a_run_and_another_does_not() -> None:
    moves, first = _played(7, "luna")
    again, other = Run(7, "luna"), Run(8, "luna")
    for move in moves:
        assert move in again.moves()
        again.do(move)
    assert (again.floor, again.gold, again.being.health) == (first.floor, first.gold, first.being.health)
    assert [card.name for card in again.deck] == [card.name for card in first.deck]
    assert other.course.rooms != Run(7, "luna").course.rooms


def test_each_level_of_ascension_changes_its_number() -> None:
    for level in TABLES.ascension:
        before, after = TABLES.numbers(level.level - 1), TABLES.numbers(level.level)
        assert set(after) - set(before) == set(level.numbers)
    assert TABLES.cards["Worry"] in Run(1, "pip", 6).deck
    assert Run(1, "pip", 9).most_potions == 2
    plain, hard = (make_foe(Dice(1), "The Boiler", 0, TABLES.numbers(level)) for level in (3, 8))
    assert hard.health > plain.health
    assert hard.damage_percent > plain.damage_percent


def test_the_score_is_the_papers() -> None:
    run = Run(1)
    run.act, run.row, run.bosses = 1, 5, 1
    assert run.score == pytest.approx(21 + 52 / 3)
    run.won = True
    assert run.score == 100


def test_the_knowledge_is_that_of_the_tables() -> None:
    assert FILE.read_text(encoding="utf-8") == knowledge(), "run plugins/nightpost/nightpost_knowledge.py"
    for name in (*TABLES.relics, *TABLES.foes, *TABLES.potions):
        assert f" {name}\n" in knowledge()
