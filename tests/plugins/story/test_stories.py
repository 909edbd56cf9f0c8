"""The stories of the folder: each is built from its source, can be won, is advised on, and gives an exam."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("jericho", reason="the Z-machine (jericho) is not installed: installer/test builds it")

from story_machine import Machine
from tests.plugins.story.player import PLUGIN, StoryPlayer
from tests.plugins.story.walkthroughs import WALKTHROUGHS

from pitwall.core.paths import DataFolder
from pitwall.games.manifest import load_profile
from pitwall_exam.making.making import exam_of_run
from pitwall_exam.questions.abilities import Ability
from workshop.fixtures.story_episodes import play_story

TALE = PLUGIN / "tale"
INFORM = shutil.which("inform")
LIBRARY = "+include_path=/usr/share/inform6/library"
each_story = pytest.mark.parametrize("name", sorted(WALKTHROUGHS))


def test_every_story_file_has_a_source_a_walkthrough_a_scenario_and_a_task() -> None:
    names = {file.stem for file in TALE.glob("*.z5")} - {"lamp"}
    profile = load_profile(PLUGIN)
    assert names == set(WALKTHROUGHS)
    assert names == {file.stem for file in TALE.glob("*.inf")} - {"lamp"}
    assert names == {scenario.name for scenario in profile.scenarios} - {"lamp", "mine"}
    assert names == {task.scenario for task in profile.tasks if task.scenario}


@pytest.mark.skipif(
    INFORM is None, reason="no Inform compiler: apt-get install inform6-compiler inform6-library"
)
@each_story
def test_a_story_file_is_what_its_source_compiles_to(name: str, tmp_path: Path) -> None:
    assert INFORM is not None
    built = tmp_path / f"{name}.z5"
    subprocess.run(
        [INFORM, LIBRARY, "-v5", str(TALE / f"{name}.inf"), str(built)], check=True, capture_output=True
    )
    assert built.read_bytes() == (TALE / f"{name}.z5").read_bytes()


@each_story
def test_a_story_can_be_won_with_every_point(name: str) -> None:
    machine = Machine(TALE / f"{name}.z5", 3)
    machine.begin()
    most = machine.most()
    machine.begin()
    scores = []
    for command in WALKTHROUGHS[name]:
        machine.say(command)
        scores.append(machine.now().score or 0)
    now = machine.now()
    assert (now.won, now.score) == (True, most)
    assert scores == sorted(scores)
    assert len(set(scores)) >= 5, "points come step by step, so that an exam can ask when"


@each_story
def test_what_the_window_shows_is_what_is_true(name: str) -> None:
    player = StoryPlayer(story=TALE / f"{name}.z5")
    for command in ("", *WALKTHROUGHS[name][:5]):
        if command:
            player.play.type(command)
        fields, state = player.look(), player.truth()["game_state"]
        assert fields["location"] == state["player"]["location"]
        assert (
            fields["inventory"] == ("; ".join(state["player"]["inventory"]) or None)
            or not fields["inventory"]
        )
        assert fields["score"] == state["score"]
        assert fields["possible"] == "; ".join(state["board"]["valid"])


@each_story
def test_an_episode_gives_an_exam_of_places_things_and_points(name: str, tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    run_id = play_story(data, seed=1, steps=14, story=name)
    exam = exam_of_run(data, run_id, per_template=1).exam
    assert len(exam.questions) >= 15
    assert {question.ability for question in exam.questions} >= {Ability.SINGLE_HOP, Ability.TEMPORAL}
