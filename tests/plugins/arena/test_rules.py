"""Arena's pinned rules, and the balance that they were frozen with."""

from __future__ import annotations

import re
from pathlib import Path

import arena_tables as tables
import pytest
from arena_rules import Fight, Foe
from tests.plugins.arena.players import anything, by_rules, fought, good

from pitwall.games.manifest import load_profile
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Profile

ARENA = Path(__file__).resolve().parents[3] / "plugins" / "arena"


@pytest.fixture(scope="module")
def profile() -> Profile:
    return load_profile(ARENA)


def module_of(profile: Profile, name: str) -> Module:
    return next(module for module in profile.modules if module.name == name)


def wins(fights: list[Fight]) -> int:
    return sum(fight.outcome == "win" for fight in fights)


def winding(sign: str, *, distance: int, scenario: str = "boss") -> Fight:
    """A fight in which the foe has just begun to wind up."""
    fight = Fight(1, scenario)
    fight.hero.x = 240
    fight.foe.x = 240 + distance
    attack = next(attack[0] for attack in fight.foe.fights.attacks if attack[0].sign == sign)
    fight.foe.attack = attack
    fight.foe.begin("windup", attack.windup)
    return fight


def until(fight: Fight, stage: str, press: str = "", direction: int = 0, *, left: int = 0) -> Foe:
    """Fight on until the foe is in a stage; press once, `left` frames before the wind-up ends."""
    for _ in range(200):
        pressing = fight.foe.stage == "windup" and fight.foe.length - fight.foe.frame == left
        fight.step(direction if pressing else 0, press if pressing else "")
        if fight.foe.stage == stage:
            break
    assert fight.foe.stage == stage
    return fight.foe


def test_the_pinned_numbers() -> None:
    assert (tables.VERSION, tables.FRAMES_PER_SECOND, tables.LONGEST_FRAMES) == ("1.0.0", 30, 2700)
    assert (tables.HERO_HEALTH, tables.HERO_STAMINA, tables.POTIONS) == (100, 100, 2)
    boss = tables.SCENARIOS["boss"].foes
    assert [(kind.name, kind.health, len(kind.phases)) for kind in boss] == [("boss", 140, 2)]
    for phase in tables.BOSS.phases:
        assert {attack.sign for attack, *_ in phase.attacks} == {"slash", "leap", "charge"}
        assert min(attack.windup for attack, *_ in phase.attacks) >= 14
    light = tables.MOVES["light"].damage
    assert -(-tables.RAIDER.health // light) == 3
    assert -(-tables.VETERAN.health // light) == 6


def test_the_manifest_and_the_notes_name_this_version(profile: Profile) -> None:
    assert profile.game.version == tables.VERSION
    assert f"Balance of Arena {tables.VERSION}" in (ARENA / "BALANCE.md").read_text(encoding="utf-8")
    assert {scenario.name for scenario in profile.scenarios} == set(tables.SCENARIOS)


@pytest.mark.parametrize(("sign", "distance"), [("slash", 50), ("leap", 60), ("charge", 90)])
def test_each_attack_hurts_who_stands(sign: str, distance: int) -> None:
    fight = winding(sign, distance=distance)
    until(fight, "recover")
    attack = fight.foe.attack
    assert attack is not None
    assert fight.hero.health == tables.HERO_HEALTH - attack.damage
    assert fight.counts["hits_taken"] == 1


@pytest.mark.parametrize(
    ("sign", "distance", "left"), [("slash", 50, 5), ("slash", 50, 2), ("charge", 90, 2), ("leap", 60, 1)]
)
def test_a_roll_in_time_lets_it_pass(sign: str, distance: int, left: int) -> None:
    fight = winding(sign, distance=distance)
    until(fight, "recover", "dodge", 1, left=left)
    assert fight.hero.health == tables.HERO_HEALTH


def test_a_roll_too_early_does_not() -> None:
    fight = winding("slash", distance=50)
    until(fight, "recover", "dodge", 1, left=17)
    assert fight.hero.health < tables.HERO_HEALTH


def test_blows_land_ahead_and_within_reach() -> None:
    for distance, hits in ((50, True), (53, False)):
        fight = Fight(1)
        fight.foe.x = fight.hero.x + distance
        fight.foe.begin("stagger", 60)
        fight.step(0, "light")
        for _ in range(tables.MOVES["light"].frames):
            fight.step(0)
        assert (fight.dealt == tables.MOVES["light"].damage) is hits


def test_stamina_is_spent_and_comes_back() -> None:
    fight = Fight(1)
    fight.step(0, "dodge")
    assert fight.hero.stamina == tables.HERO_STAMINA - tables.MOVES["dodge"].effort
    for _ in range(60):
        fight.step(0)
    assert fight.hero.stamina == tables.HERO_STAMINA
    fight.hero.stamina = tables.MOVES["heavy"].effort - 2
    fight.hero.rest = 10
    fight.step(0, "heavy")
    assert fight.hero.move == ""


def test_a_potion_heals_unless_a_hit_comes_first() -> None:
    fight = Fight(1)
    fight.hero.health = 30
    fight.step(0, "potion")
    for _ in range(tables.MOVES["potion"].frames):
        fight.step(0)
    assert (fight.hero.health, fight.hero.potions) == (30 + tables.POTION_HEALS, 1)
    fight = winding("slash", distance=50)
    until(fight, "recover", "potion", left=6)
    assert (fight.hero.health, fight.hero.potions) == (tables.HERO_HEALTH - 16, 2)


def test_the_boss_enters_its_second_phase_once() -> None:
    fight = Fight(1)
    fight.foe.begin("stagger", 99)
    fight.foe.health, fight.dealt = 72, 68
    fight.foe.x = fight.hero.x + 50
    fight.step(0, "light")
    for _ in range(6):
        fight.step(0)
    assert (fight.foe.phase, fight.foe.stage) == (1, "roar")
    dealt = fight.dealt
    fight.step(0, "heavy")
    for _ in range(16):
        fight.step(0)
    assert fight.dealt == dealt
    until(fight, "pace")
    assert fight.foe.phase == 1


def test_one_seed_and_the_same_keys_are_one_fight() -> None:
    def told(fight: Fight) -> tuple[object, ...]:
        return (fight.frame, fight.score, fight.hero.health, dict(fight.counts))

    first, again, other = (fought(seed, anything(3)) for seed in (5, 5, 6))
    assert told(first) == told(again) != told(other)


def test_a_fight_ends_after_90_seconds() -> None:
    fight = Fight(1)
    while not fight.over:
        fight.hero.health = tables.HERO_HEALTH
        fight.step(0)
    assert (fight.cause, fight.outcome, fight.frame) == ("time", "loss", 2700)
    fight.step(0)
    assert fight.frame == 2700


# ---- the balance


def test_random_wins_none() -> None:
    fights = [fought(seed, anything(seed)) for seed in range(120)]
    assert wins(fights) == 0


@pytest.mark.parametrize("delay", [(0,), (0, 1)])
def test_the_first_rules_win_some(profile: Profile, delay: tuple[int, ...]) -> None:
    fields = frozenset(field.name for field in profile.fields)
    module = module_of(profile, "boss")
    fights = [fought(seed, by_rules(module, fields), delay_frames=delay) for seed in range(100)]
    assert 10 <= wins(fights) <= 25


@pytest.mark.parametrize("scenario", sorted(tables.SCENARIOS))
def test_a_good_player_wins_nearly_all_with_100_ms_of_delay(scenario: str) -> None:
    fights = [fought(seed, good, scenario=scenario, delay_frames=(3,)) for seed in range(60)]
    assert wins(fights) >= 57


def test_delay_decides() -> None:
    fights = [fought(seed, good, delay_frames=(8,)) for seed in range(30)]
    assert wins(fights) == 0


def test_the_notes_tell_what_was_measured() -> None:
    rows = re.findall(
        r"^\| (random|first rules|good player) .*$", (ARENA / "BALANCE.md").read_text(), re.MULTILINE
    )
    assert len(rows) == 8
