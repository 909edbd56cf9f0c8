"""Exams by the published templates over an episode of one's own: all of them, seeded, and true to form."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.pitwall_exam.compat.published_episodes import Play, ground, write_lines

from pitwall_exam.compat.agreement import compared
from pitwall_exam.compat.answers import answered
from pitwall_exam.compat.catalogue import TEMPLATES
from pitwall_exam.compat.log_reader import read_episode
from pitwall_exam.compat.sampling import about_reasons, drawn
from pitwall_exam.compat.world import World

PATCHES = {
    **{(x, y): 0 for x in range(24, 28) for y in range(30, 40)},
    **{(x, 29): 4 for x in range(26, 40)},
    **{(38, y): 2 for y in range(26, 40)},
    **{(x, 35): 5 for x in range(30, 36)},
    **{(39, y): 3 for y in range(28, 36)},
}


@pytest.fixture
def play() -> Play:
    """Everything happens that questions can be about; most keywords are said, most terrain is walked."""
    play = Play()
    play.many("MOVE_DOWN", "MOVE_DOWN").go(
        "DO", wood=1, earn="collect_wood", reason="Chop the tree for wood."
    )
    play.go("DO", wood=2, earn="collect_wood", reason="More wood from the tree.").go("DO", wood=3)
    play.go("PLACE_TABLE", wood=1, earn="place_table", reason="A table, near the tree.").go("NOOP", drink=2)
    play.many("MOVE_LEFT", "MOVE_LEFT", "MOVE_LEFT", "MOVE_LEFT").go(
        "DO", drink=3, reason="Drink at the lake."
    )
    play.go("DO", drink=4, reason="Drink more of the lake.").go("DO", food=8).go("DO", food=9)
    play.many("MOVE_UP", "MOVE_UP", "MOVE_UP", "MOVE_UP", "MOVE_UP", "MOVE_RIGHT", "MOVE_RIGHT", "NOOP")
    play.go("DO", health=6, reason="A zombie: fight, by the lake and the tree.").go("SLEEP", health=2)
    play.many("SLEEP", "PLACE_FURNACE", "MOVE_DOWN", "MOVE_LEFT").go("NOOP", health=0)
    return play


@pytest.fixture
def world(play: Play) -> World:
    return play.world(ground(PATCHES))


def test_all_66_templates_come_of_an_eventful_episode(world: World) -> None:
    counts = Counter(item.question.template for item in drawn(world, seed=42))
    assert set(counts) == set(TEMPLATES)
    assert max(counts.values()) == 2


def test_none_is_asked_twice_and_each_reads_back(world: World) -> None:
    result = list(drawn(world, seed=7, horizon=20, per_template=5))
    assert len({(item.question.template, item.question.question) for item in result}) == len(result)
    for element in result:
        template = TEMPLATES[element.question.template]
        read = template.read(element.question.question)
        assert read is not None
        assert read[0] == element.slots
        assert answered(world, element.question) == element.question.gt


def test_adversarial_templates_have_no_answer_and_plain_ones_have(world: World) -> None:
    for item in drawn(world, seed=1, per_template=4):
        name, gone = item.question.template, item.question.gt == "not answerable"
        assert (item.question.type == "adversarial") == gone
        if "missing" in name or name.startswith("G_"):
            assert gone, item
        elif not name.startswith(("B_", "D_predict", "D_nearest", "F_death")):
            assert not gone, item


def test_the_same_seed_asks_the_same_in_every_process(tmp_path: Path, play: Play, world: World) -> None:
    log, chart = play.written(tmp_path, ground(PATCHES))
    script = (
        "import sys, pathlib; from pitwall_exam.compat.log_reader import read_episode;"
        "from pitwall_exam.compat.world import World; from pitwall_exam.compat.sampling import drawn;"
        f"e = read_episode(pathlib.Path({str(log)!r}), pathlib.Path({str(chart)!r}));"
        "[print(question.question.model_dump_json()) for question in drawn(World(e), seed=3)]"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "99", "PYTHONUTF8": "1"},
    )
    here = [item.question.model_dump_json() for item in drawn(world, seed=3)]
    assert elsewhere.stdout.splitlines() == here
    assert here != [element.question.model_dump_json() for element in drawn(world, seed=4)]


def test_what_is_drawn_agrees_with_itself_when_it_is_read_from_files(tmp_path: Path, play: Play) -> None:
    log, chart = play.written(tmp_path, ground(PATCHES))
    world = World(read_episode(log, chart))
    for horizon in (-1, 12):
        rows = [item.question.model_dump() for item in drawn(world, seed=5, horizon=horizon)]
        result = compared(
            lambda question, _: answered(world, question),
            write_lines(tmp_path / f"questions_{horizon}.jsonl", rows),
        )
        assert result.agreed == len(result.items) == len(rows) > 60


def test_evidence_is_where_the_answer_can_be_seen(world: World) -> None:
    result = {item.question.template: item for item in drawn(world, seed=42, per_template=1)}
    last = world.last + 1
    assert result["A_stat"].evidence == (result["A_stat"].slots["step"],)
    assert result["A_occ_action_last"].evidence == (result["A_occ_action_last"].question.gt,)
    assert result["C_most_move"].evidence == (1, last)
    assert result["A_occ_keyword_missing"].evidence == (1, last)
    message = str(result["F_event_loc"].question.gt).split(", ")
    assert result["F_event_loc"].evidence == tuple(map(int, message))
    assert result["F_attack_count"].evidence == (24, 25, 30)
    lo, hi = result["E_event_interval"].question.range
    assert result["E_event_interval"].evidence == (lo + 1, hi + 1)
    beside = result["E_state_after_event"]
    assert beside.evidence[-1] == beside.question.range[0] + 1
    assert beside.evidence[-1] - beside.evidence[0] == beside.slots["offset"]
    asked = (element for element in drawn(world, seed=42) if element.question.template == "B_action_first")
    acted = next(part for part in asked if part.question.gt != "not answerable")
    assert acted.slots["action"] in [world.steps[step - 1].action for step in acted.evidence]
    assert acted.question.gt in [world.steps[step - 1].action for step in acted.evidence]
    assert acted.evidence[-1] - acted.evidence[0] == acted.slots["offset"]


def test_persons_are_not_asked_about_reasons(world: World) -> None:
    names = {item.question.template for item in drawn(world, seed=42, reasons=False)}
    assert names == {name for name, template in TEMPLATES.items() if not about_reasons(template)}
    assert len(names) == 66 - 13  # A_reason, C_keyword_count, G_unused_keyword, 5 of A_occ, 5 of B


def test_one_step_is_enough_to_ask_about() -> None:
    result = list(drawn(Play().go("NOOP").world(), seed=1))
    assert {item.question.range[1] for item in result} == {0}
    assert "A_action" in {element.question.template for element in result}
