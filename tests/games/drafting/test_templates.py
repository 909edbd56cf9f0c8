"""Templates of play: a form becomes rules and skills that the checker passes and that do what it says."""

from __future__ import annotations

from typing import Any

import pytest

from pitwall.cli.games.draft_arguments import with_play
from pitwall.core.conditions import parse_condition
from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.folder import faults_of_draft
from pitwall.games.drafting.play import now, play_of, renamed
from pitwall.games.drafting.template_slots import PLAYING, slots, title
from pitwall.games.drafting.template_words import template_of
from pitwall.games.drafting.templates import TEMPLATES
from pitwall.games.drafting.toml_writer import manifest_text
from pitwall.games.schema.fields import BlobField
from pitwall.gsm.rule_module import RuleModule

STEER = "me=me,thing=thing,less=left,more=right"
ONE_OF_EACH = {
    "follow": f"follow:{STEER}",
    "fire": f"fire:{STEER},fire=shoot",
    "avoid": f"avoid:{STEER},near_px=60,low=20,high=180",
    "catch": f"catch:{STEER},rest=100",
    "gap": "gap:me=me,thing=thing,up=left,along=x",
    "board": "board:box=10,10,80,80,colour=1,2,3,columns=4,rows=4",
    "click": "click:thing=thing,cell_px=10",
    "menu": "menu:actions=shoot;left",
    "skill": "skill:when=status == 'playing' and me < 3,actions=left;right,name=to the edge",
}


PLACES = [
    BlobField(kind="blob", name=name, box=(0, 0, 200, 100), colour=(1, 2, 3)) for name in ("me", "thing")
]


def _draft() -> Draft:
    keys = {"left": "ArrowLeft", "right": "ArrowRight", "shoot": "Space"}
    whole: dict[str, Any] = {
        "game_id": "a",
        "name": "A",
        "window": {"title": "A"},
        "screen": {"width": 200, "height": 100},
        "actions": [{"name": name, "keys": [key]} for name, key in keys.items()],
        "fields": PLACES,
    }
    return Draft.model_validate(whole)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_every_template_makes_a_game_that_the_checker_passes(kind: str) -> None:
    draft = with_play(_draft(), [ONE_OF_EACH[kind]])
    assert faults_of_draft(draft) == []
    assert Draft.model_validate_json(draft.model_dump_json()) == draft
    explored = 'without_skill = "explore"' in manifest_text(draft)
    assert explored == (kind in ("menu", "skill")), "what plays all the time needs no default agent beside it"


@pytest.mark.parametrize(
    ("kind", "values", "action"),
    [
        ("follow", {"me": 100, "thing": 60}, "left"),
        ("follow", {"me": 100, "thing": 140}, "right"),
        ("follow", {"me": 100, "thing": 104}, ""),
        ("follow", {"me": 100, "thing": None}, ""),
        ("fire", {"me": 100, "thing": None}, "shoot"),
        ("avoid", {"me": 100, "thing": 120}, "left"),
        ("avoid", {"me": 100, "thing": 80}, "right"),
        ("avoid", {"me": 100, "thing": 180}, ""),
        ("avoid", {"me": 15, "thing": 50}, "right"),
        ("avoid", {"me": 185, "thing": 150}, "left"),
        ("catch", {"me": 40, "thing": None}, "right"),
        ("catch", {"me": 40, "thing": 10}, "left"),
        ("gap", {"me": 60, "thing": 40}, "left"),
        ("gap", {"me": 40, "thing": 60}, ""),
        ("menu", {"status": "menu"}, "shoot left"),
        ("menu", {"status": "playing"}, ""),
        ("skill", {"me": 2}, "left right"),
    ],
)
def test_a_template_does_what_its_form_says(kind: str, values: dict[str, Any], action: str) -> None:
    assert now(template_of(ONE_OF_EACH[kind]), PLACES, values) == action


@pytest.mark.parametrize("me", range(0, 201, 5))
def test_rules_of_one_template_never_contradict_one_another(me: int) -> None:
    """Where several templates share the module a rule that acted rests, and another has its turn."""
    gap = ONE_OF_EACH["gap"].replace("left", "shoot")
    both = play_of([template_of(ONE_OF_EACH["avoid"]), template_of(gap)], PLACES)
    module = RuleModule(both.modules[0], frozenset({"me", "thing"}))
    values: dict[str, Value] = {"status": "playing", "me": me, "thing": 50}
    away = {module.act(values, frame * 10_000_000) for frame in range(3)} - {None, "shoot"}
    alone = now(template_of(ONE_OF_EACH["avoid"]), PLACES, values)
    assert away == {alone} - {""}


def test_readings_of_the_other_direction_are_read_beside() -> None:
    """A box that is higher than wide is read as y; what moves across asks for x."""
    down = [place.model_copy(update={"value": "y"}) for place in PLACES]
    draft = with_play(_draft().changed(fields=down), [ONE_OF_EACH["follow"], ONE_OF_EACH["fire"]])
    assert [field.name for field in draft.play.fields] == ["me_x", "thing_x"]
    assert "me_x > thing_x + 8" in manifest_text(draft)
    assert faults_of_draft(draft) == []
    values = {"me": 9, "thing": 9, "me_x": 100, "thing_x": 60}
    assert now(template_of(ONE_OF_EACH["follow"]), down, values) == "left"


@pytest.mark.parametrize(
    ("along", "me", "thing", "pick"),
    [
        ("x", (0, 80, 200, 20), (0, 0, 200, 85), "bottommost"),
        ("x", (0, 0, 200, 20), (0, 20, 200, 80), "topmost"),
        ("y", (0, 0, 20, 100), (20, 0, 180, 100), "leftmost"),
        ("x", (0, 0, 200, 100), (0, 0, 200, 100), ""),
        ("x", None, None, ""),
    ],
)
def test_the_nearest_of_several_things_is_caught(along: str, me: Any, thing: Any, pick: str) -> None:
    fields = [place.model_copy(update={"value": along}) for place in PLACES]
    boxes = {"me": me, "thing": thing}
    fields = [field.model_copy(update={"box": boxes[field.name]}) for field in fields]
    draft = with_play(_draft().changed(fields=fields), [f"{ONE_OF_EACH['catch']},along={along}"])
    assert [(field.name, getattr(field, "pick", "")) for field in draft.play.fields] == (
        [("thing_nearest", pick)] if pick else []
    )
    assert ("me > thing_nearest + 8" in manifest_text(draft)) == bool(pick)
    assert faults_of_draft(draft) == []


@pytest.mark.parametrize(
    ("when", "ends"), [("thing == none", True), (f"{PLAYING} or status == 'menu'", False)]
)
def test_a_skill_that_waits_for_something_has_its_turn_while_nothing_is_followed(
    when: str, ends: bool
) -> None:
    play = play_of([template_of(f"follow:{STEER}"), template_of(f"skill:when={when},actions=shoot")], PLACES)
    (module,), (steers, skill) = play.modules, play.skills
    over = parse_condition(module.ends)
    assert over.holds({"status": "playing", "thing": None}) == ends
    assert not over.holds({"status": "playing", "thing": 4})
    assert (skill.priority > steers.priority) == ends
    assert not ends or parse_condition(skill.stop).holds({"thing": 4})


def test_a_rename_reaches_the_slots_of_every_kind() -> None:
    template = renamed(renamed(template_of(ONE_OF_EACH["skill"]), "me", "ship"), "left", "west")
    assert "ship < 3" in str(template) and "'west'" in str(template)
    steered = renamed(template_of(ONE_OF_EACH["fire"]), "shoot", "space")
    assert steered.named("action") == ("left", "right", "space")


@pytest.mark.parametrize("kind", TEMPLATES)
def test_every_slot_is_said_in_words(kind: str) -> None:
    assert title(TEMPLATES[kind])
    assert all(slot.words != slot.name for slot in slots(TEMPLATES[kind]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("folow:me=me", "Did you mean 'follow'?"),
        ("follow:mee=me", "Did you mean 'me'?"),
        ("follow:me=me,thing=thing,less=left", "more: is missing. Action that moves it right or down."),
        (f"follow:{STEER.replace('thing=thing', 'thing=things')}", "Did you mean 'thing'?"),
        (f"follow:{STEER.replace('right', 'rigth')}", "Did you mean 'right'?"),
        ("board:box=1,2,3,colour=1,2,3", "box"),
    ],
)
def test_a_wrong_word_is_told_with_what_belongs_there(text: str, message: str) -> None:
    with pytest.raises(PitwallError) as refused:
        with_play(_draft(), [text])
    assert message in str(refused.value)
