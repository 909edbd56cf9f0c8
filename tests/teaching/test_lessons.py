"""Lessons: composed by the engine's own controllers, answered so that the reply stands in the prompt."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.games.plugin_code import load_world
from pitwall.games.profile import Game
from pitwall.teaching.classroom import Classroom
from pitwall.teaching.corpus import CorpusPlan, build
from pitwall.teaching.headless import Episode
from pitwall.teaching.invented import Invention
from pitwall.teaching.scribe import Lesson
from pitwall.trainer.lessons import read_lessons

from .conftest import invented


def _told(lesson: Lesson) -> str:
    return "".join(message.text for message in lesson.prompt.messages)


def test_the_same_seed_makes_the_same_lessons() -> None:
    assert invented(range(3)) == invented(range(3))
    assert invented(range(3)) != invented(range(3, 6))


def test_what_an_invented_plan_names_can_be_read_in_its_prompt() -> None:
    plans = [one for one in invented(range(16)) if one.purpose is Purpose.PLAN]
    assert len(plans) > 10
    for lesson in plans:
        reply = json.loads(lesson.reply)
        for name in [*reply.get("actions", ()), reply.get("module", ""), reply.get("skill", "")]:
            assert name in _told(lesson)


def test_a_plan_follows_the_first_skill_that_applies_unless_it_failed() -> None:
    followed: Counter[bool] = Counter()
    for lesson in invented(range(30)):
        told = _told(lesson)
        if lesson.purpose is Purpose.PLAN and "Skills that apply now" in told and "What failed" not in told:
            line = told.partition("best first:\n- ")[2].partition(": when")[0]
            reply = json.loads(lesson.reply)
            kept = reply.get("keep") and f'follows the skill "{line}"' in told
            followed[kept or reply.get("skill") == line] += 1
    assert followed[True] > 10
    # Passed over is a module that would end at once.
    assert followed[True] / followed.total() > 0.8


def test_lessons_tell_of_earlier_runs_and_of_earlier_plans_and_follow_neither() -> None:
    """What decides is the same with them and without."""
    seen: Counter[str] = Counter()
    for seed in range(24):
        invention = Invention(seed, len)
        told = invention.room(), Classroom(invention.game, invention.settings, len)
        request = invention.request()
        replies = []
        for room in told:
            room.plan(request)
            lessons = [one for one in room.scribe.take() if one.purpose is Purpose.PLAN]
            replies += [one.reply for one in lessons]
            seen["summary"] += any('"A run of ' in _told(one) for one in lessons)
            seen["note"] += any("Known from before" in _told(one) for one in lessons)
        assert len(set(replies)) == 1
    assert seen["summary"] > 4
    assert seen["note"] > 0
    rounds = [one for one in invented(range(24)) if any(m.role == "assistant" for m in one.prompt.messages)]
    assert rounds


def test_without_skills_the_first_that_is_left_to_try_is_tried() -> None:
    tried = [one for one in invented(range(60)) if '"try what is legal"' in one.reply]
    assert tried
    for lesson in tried:
        left = _told(lesson).partition("Left to try: ")[2].splitlines()[0].split(", ")
        assert json.loads(lesson.reply)["actions"] == left[:1]


def test_words_that_are_held_out_stand_in_no_lesson() -> None:
    def names(lessons: list[Lesson]) -> set[str]:
        return {json.loads(one.reply)["skill"] for one in lessons if '"skill"' in one.reply}

    assert not names(invented(range(8), held_out=True)) & names(invented(range(30)))


@pytest.mark.parametrize(("name", "steps", "purposes"), [("crafter", 6, {Purpose.PLAN, Purpose.REACT})])
def test_a_headless_episode_gives_lessons_of_both_controllers(
    games: dict[str, Game], name: str, steps: int, purposes: set[Purpose]
) -> None:
    game = games[name]
    room = Classroom(game, Settings(), len, instruction="Collect wood.")
    world = load_world(game)(seed=5, scenario="")
    lessons = list(Episode(game, world, room, Settings(), seed=1).lessons(steps))
    assert purposes <= {one.purpose for one in lessons}
    assert not room.scribe.rejected
    assert "way_to_tree" in _told(lessons[0])


@pytest.mark.parametrize(("name", "module"), [("flappy", "fly"), ("arena", "boss")])
def test_modules_play_headless_by_their_rules(games: dict[str, Game], name: str, module: str) -> None:
    game = games[name]
    room = Classroom(game, Settings(), len, instruction="Play.")
    world = load_world(game)(seed=2, scenario="")
    lessons = list(Episode(game, world, room, Settings(), seed=1, stray=0.0).lessons(6))
    named = [json.loads(one.reply).get("skill", "") for one in lessons if one.purpose is Purpose.PLAN]
    skills = {one.name: one.module for one in game.profile.skills}
    assert module in [skills.get(name) for name in named]
    assert world.score > 0


def test_a_corpus_is_made_once_and_goes_on_where_it_was_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.teaching.corpus.GAMES", ())
    plan = CorpusPlan(tokens=900, sample=8, invented_shards=2, games_a_shard=2, held_out_games=1)
    told: list[tuple[int, int]] = []
    with pytest.raises(PitwallError, match="stopped"):
        build(tmp_path, plan, DataFolder(tmp_path), should_stop=lambda: True)
    assert len(list(tmp_path.glob("lessons-*.npz"))) == 1
    first = build(tmp_path, plan, DataFolder(tmp_path), tell=lambda *one: told.append(one))
    assert told[0] == (1, 3)
    assert told[-1] == (3, 3)
    kept = (tmp_path / "lessons-invented-0000.npz").stat().st_mtime_ns
    before = read_lessons(tmp_path)
    (tmp_path / "lessons-invented-0001.npz").unlink()
    again = build(tmp_path, plan, DataFolder(tmp_path))
    assert (tmp_path / "lessons-invented-0000.npz").stat().st_mtime_ns == kept
    assert (read_lessons(tmp_path).tokens == before.tokens).all()
    assert again.pieces == first.pieces
    lesson, reply = before.lesson(0)
    assert first.decode(lesson[reply:].tolist()).startswith("{")
