"""Rule-based modules: order of rules, cooldowns, ends, unknown fields, provenance."""

from __future__ import annotations

import pytest

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import ConditionError
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module, Rule
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.rule_module import RuleModule

FIELDS = frozenset({"bird_y", "gap_y", "health"})


def fly(cooldown_ms: int = 100) -> RuleModule:
    return RuleModule(
        Module(
            name="fly",
            ends="status == 'terminal'",
            rules=[
                Rule(when="bird_y > gap_y", action="flap", cooldown_ms=cooldown_ms),
                Rule(when="health < 20", action="heal"),
            ],
        ),
        FIELDS,
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"bird_y": 200, "gap_y": 150, "health": 10}, "flap"),
        ({"bird_y": 100, "gap_y": 150, "health": 10}, "heal"),
        ({"bird_y": 100, "gap_y": 150, "health": 90}, None),
        ({"bird_y": None, "gap_y": 150, "health": 10}, "heal"),
        ({}, None),
    ],
)
def test_the_first_rule_that_holds_acts(values: dict[str, Value], expected: str | None) -> None:
    assert fly().act(values, 0) == expected


def test_a_rule_that_cools_down_leaves_its_turn_to_the_next() -> None:
    module = fly()
    values: dict[str, Value] = {"bird_y": 200, "gap_y": 150, "health": 10}
    frames = [module.act(values, ms * NS_PER_MS) for ms in (0, 33, 66, 99, 100, 133)]
    assert frames == ["flap", "heal", "heal", "heal", "flap", "heal"]


def test_a_new_start_forgets_cooldowns() -> None:
    module = fly(cooldown_ms=60_000)
    values: dict[str, Value] = {"bird_y": 200, "gap_y": 150}
    assert module.act(values, 0) == "flap"
    assert module.act(values, NS_PER_MS) is None
    module.begin()
    assert module.act(values, 2 * NS_PER_MS) == "flap"


def test_it_ends_when_its_condition_holds() -> None:
    module = fly()
    assert not module.ended({"status": "playing"})
    assert not module.ended({})
    assert module.ended({"status": "terminal"})


def test_it_is_a_game_sense_module_and_says_what_it_reads_and_does() -> None:
    module: GameSenseModule = fly()
    assert module.fields == FIELDS
    assert module.actions == ("flap", "heal")
    assert module.provenance.kind == "rules"


def test_its_version_follows_its_rules_and_nothing_else() -> None:
    assert fly().provenance == fly().provenance
    assert fly().provenance.version != fly(cooldown_ms=101).provenance.version


@pytest.mark.parametrize(
    ("ends", "when", "named"),
    [
        ("bird_z > 1", "true", "module 'fly', ends"),
        ("false", "bird_z > 1", "module 'fly', rule 1"),
        ("false", "bird_y >", "module 'fly', rule 1"),
    ],
)
def test_a_wrong_condition_is_named(ends: str, when: str, named: str) -> None:
    module = Module(name="fly", ends=ends, rules=[Rule(when=when, action="flap")])
    with pytest.raises(ConditionError, match=named) as caught:
        RuleModule(module, FIELDS)
    assert caught.value.fix
