"""Lessons: composed by the engine's own controllers, answered so that the reply stands in the prompt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from tests.workshop.shipped_model.conftest import invented

from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.engine.control.model_caller import CompletionRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.games.plugin_loader import load_world
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.compose import CUT
from workshop.language.lessons import read_lessons
from workshop.shipped_model.dataset.dataset_builder import _EPISODE_STEPS, DatasetPlan, build, episode
from workshop.shipped_model.dataset.headless_episodes import HeadlessEpisode
from workshop.shipped_model.dataset.prompt_recorder import Lesson
from workshop.shipped_model.dataset.synthetic_games import SyntheticGame
from workshop.shipped_model.dataset.teacher import Teacher
from workshop.shipped_model.dataset.teacher_controllers import TeacherControllers


def _told(lesson: Lesson) -> str:
    return "".join(message.text for message in lesson.prompt.messages)


def _tokens(text: str) -> int:
    """About as many as there are."""
    return len(text) // 4


def test_the_same_seed_makes_the_same_lessons() -> None:
    assert invented(range(3)) == invented(range(3))
    assert invented(range(3)) != invented(range(3, 6))


def test_what_an_invented_plan_names_can_be_read_in_its_prompt() -> None:
    plans = [item for item in invented(range(16)) if item.purpose is Purpose.PLAN]
    assert len(plans) > 10
    for lesson in plans:
        reply = json.loads(lesson.reply)
        for name in [*reply.get("actions", ()), reply.get("module", ""), reply.get("skill", "")]:
            assert name in _told(lesson)


def test_a_plan_follows_the_first_skill_that_applies_unless_it_failed() -> None:
    followed: Counter[bool] = Counter()
    for lesson in invented(range(30)):
        message = _told(lesson)
        if (
            lesson.purpose is Purpose.PLAN
            and "Skills that apply now" in message
            and "What failed" not in message
        ):
            line = message.partition("best first:\n- ")[2].partition(": when")[0]
            reply = json.loads(lesson.reply)
            kept = reply.get("keep") and f'follows the skill "{line}"' in message
            followed[kept or reply.get("skill") == line] += 1
    assert followed[True] > 10
    # Passed over is a module that would end at once.
    assert followed[True] / followed.total() > 0.8


def test_lessons_tell_of_earlier_runs_and_of_earlier_plans_and_follow_neither() -> None:
    """What decides is the same with them and without."""
    seen: Counter[str] = Counter()
    for seed in range(24):
        invention = SyntheticGame(seed, len)
        message = invention.room(), TeacherControllers(invention.game, invention.settings, len)
        request = invention.request()
        replies = []
        for room in message:
            room.plan(request)
            lessons = [item for item in room.scribe.take() if item.purpose is Purpose.PLAN]
            replies += [lesson.reply for lesson in lessons]
            seen["summary"] += any('"A run of ' in _told(element) for element in lessons)
            seen["note"] += any("Known from before" in _told(part) for part in lessons)
        assert len(set(replies)) == 1
    assert seen["summary"] > 4
    assert seen["note"] > 0
    rounds = [
        piece for piece in invented(range(24)) if any(m.role == "assistant" for m in piece.prompt.messages)
    ]
    assert rounds


def test_without_skills_the_first_that_is_left_to_try_is_tried() -> None:
    tried = [item for item in invented(range(60)) if '"try what is legal"' in item.reply]
    assert tried
    for lesson in tried:
        if CUT in _told(lesson):
            continue  # counted by letters a state may not fit
        left = _told(lesson).partition("Left to try: ")[2].splitlines()[0].split(", ")
        assert json.loads(lesson.reply)["actions"] == left[:1]


def _alone(lessons: Iterable[Lesson]) -> list[Lesson]:
    """Those of games in which nobody plans."""
    return [
        lesson for lesson in lessons if "Nobody plans" in _told(lesson) or "nobody plans" in _told(lesson)
    ]


def test_where_nobody_plans_every_lesson_is_an_action_that_stands_in_its_prompt() -> None:
    lessons = [item for seed in range(90) for item in SyntheticGame(seed, _tokens).lessons(4)]
    alone = _alone(lessons)
    assert 0.03 < len(alone) / len(lessons) < 0.2
    ways: Counter[str] = Counter()
    for lesson in alone:
        message = _told(lesson)
        assert lesson.purpose is Purpose.REACT
        assert "escalate" not in message + lesson.grammar + lesson.reply
        action = json.loads(lesson.reply)["action"]
        best = message.partition("Skills that apply now, best first:\n")[2].partition("\n")[0]
        named = best.partition("; the actions that ")[2].partition(" names")[0]
        if named:
            assert f'{named} = "{action}' in message
            ways["field"] += 1
        elif best:
            assert f"; {action}" in best
            ways["skill"] += 1
        else:
            assert f"'{action}' worked" in message or f"Left to try: {action}" in message
            ways["neither"] += 1
    assert min(ways["field"], ways["skill"], ways["neither"]) > 0


def test_a_model_that_would_always_escalate_plays_on_where_nobody_plans(
    games: dict[str, Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    taught = Teacher.react

    def react(self: Teacher, ask: CompletionRequest, request: ReactRequest) -> str:
        return '{"escalate":"what now?"}' if "escalate" in ask.grammar else taught(self, ask, request)

    monkeypatch.setattr(Teacher, "react", react)
    monkeypatch.setitem(_EPISODE_STEPS, "crafter", 8)
    lessons = list(episode(games["crafter"], 9, _tokens, alone=True))
    assert len(_alone(lessons)) == len(lessons) == 8
    assert len({lesson.prompt.messages[0] for lesson in lessons}) == 1, "what stands first stays as it is"
    assert all("action" in json.loads(item.reply) for item in lessons)
    assert "Recent steps" in _told(lessons[-1]) and "took effect" in _told(lessons[-1])


def test_one_in_ten_episodes_is_played_with_nobody_to_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[bool] = []

    def lessons(_game: Game, _seed: int, _count: object, *, alone: bool = False) -> Iterator[Lesson]:
        played.append(alone)
        yield from invented(range(1))

    monkeypatch.setattr("workshop.shipped_model.dataset.dataset_builder.GAMES", ("flappy",))
    monkeypatch.setattr("workshop.shipped_model.dataset.dataset_builder.episode", lessons)
    plan = DatasetPlan(tokens=900, sample=8, invented_shards=0, held_out_games=1, episodes={"flappy": 12})
    build(tmp_path, plan, DataFolder(tmp_path))
    assert played.count(True) == 1
    assert len(played) == 12 + plan.held_out_episodes + 1, "the tokens are made of one more"


def test_words_that_are_held_out_stand_in_no_lesson() -> None:
    def names(lessons: list[Lesson]) -> set[str]:
        return {json.loads(lesson.reply)["skill"] for lesson in lessons if '"skill"' in lesson.reply}

    assert not names(invented(range(8), held_out=True)) & names(invented(range(30)))


@pytest.mark.parametrize(("name", "steps", "purposes"), [("crafter", 6, {Purpose.PLAN, Purpose.REACT})])
def test_a_headless_episode_gives_lessons_of_both_controllers(
    games: dict[str, Game], name: str, steps: int, purposes: set[Purpose]
) -> None:
    game = games[name]
    room = TeacherControllers(game, Settings(), len, instruction="Collect wood.")
    world = load_world(game)(seed=5, scenario="")
    lessons = list(HeadlessEpisode(game, world, room, Settings(), seed=1).lessons(steps))
    assert purposes <= {lesson.purpose for lesson in lessons}
    assert not room.scribe.rejected
    assert "way_to_tree" in _told(lessons[0])


@pytest.mark.parametrize(("name", "module"), [("flappy", "fly"), ("arena", "boss")])
def test_modules_play_headless_by_their_rules(games: dict[str, Game], name: str, module: str) -> None:
    game = games[name]
    room = TeacherControllers(game, Settings(), len, instruction="Play.")
    world = load_world(game)(seed=2, scenario="")
    lessons = list(HeadlessEpisode(game, world, room, Settings(), seed=1, stray=0.0).lessons(6))
    named = [
        json.loads(lesson.reply).get("skill", "") for lesson in lessons if lesson.purpose is Purpose.PLAN
    ]
    skills = {skill.name: skill.module for skill in game.profile.skills}
    assert module in [skills.get(name) for name in named]
    assert world.score > 0


def test_a_corpus_is_made_once_and_goes_on_where_it_was_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.shipped_model.dataset.dataset_builder.GAMES", ())
    plan = DatasetPlan(tokens=900, sample=8, invented_shards=2, games_a_shard=2, held_out_games=1)
    message: list[tuple[int, int]] = []
    with pytest.raises(PitwallError, match="stopped"):
        build(tmp_path, plan, DataFolder(tmp_path), should_stop=lambda: True)
    assert len(list(tmp_path.glob("lessons-*.npz"))) == 1
    first = build(tmp_path, plan, DataFolder(tmp_path), tell=lambda *item: message.append(item))
    assert message[0] == (1, 3)
    assert message[-1] == (3, 3)
    kept = (tmp_path / "lessons-invented-0000.npz").stat().st_mtime_ns
    before = read_lessons(tmp_path)
    (tmp_path / "lessons-invented-0001.npz").unlink()
    again = build(tmp_path, plan, DataFolder(tmp_path))
    assert (tmp_path / "lessons-invented-0000.npz").stat().st_mtime_ns == kept
    assert (read_lessons(tmp_path).tokens == before.tokens).all()
    assert again.pieces == first.pieces
    lesson, reply = before.lesson(0)
    assert first.decode(lesson[reply:].tolist()).startswith("{")
