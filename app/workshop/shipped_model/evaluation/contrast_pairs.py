"""Pairs of prompts that differ in one item of memory: an edited skill, an edited hint, a layer switched off.

The invented game and its state are the same; only the prompt has changed, and with it the teacher's reply. A
model that follows its prompt gives the teacher's reply to both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus
from pitwall.core.settings import LayerSettings, Settings
from pitwall.engine.control.planner import PlanRequest
from pitwall.games.schema.profile import Game, Skill
from workshop.shipped_model.dataset.prompt_recorder import Lesson
from workshop.shipped_model.dataset.synthetic_games import SyntheticGame
from workshop.shipped_model.dataset.teacher_controllers import TeacherControllers

Kind = Literal["skill", "hint", "off"]
_TRIES = 12
_OTHERWISE = 0.5
"""Share of edited skills whose condition is changed instead of their actions."""


@dataclass(frozen=True, slots=True)
class ContrastPair:
    """A prompt before and after one change; the teacher's replies differ."""

    kind: Kind
    before: Lesson
    after: Lesson


def pairs(
    first_seed: int,
    many: int,
    count: Callable[[str], int],
    *,
    kinds: tuple[Kind, ...] = ("skill", "hint", "off"),
) -> Iterator[ContrastPair]:
    """Make so many pairs of games with words that no lesson has, each kind in turn."""
    seed, made = first_seed, 0
    while made < many:
        kind = kinds[made % len(kinds)]
        invention = SyntheticGame(seed, count, held_out=True)
        seed += 1
        for _ in range(_TRIES):
            pair = _pair(invention, kind)
            if pair is not None:
                made += 1
                yield pair
                break


def _pair(invention: SyntheticGame, kind: Kind) -> ContrastPair | None:
    """Make a pair; None if the drawn state does not allow it."""
    settings = Settings(layers=LayerSettings(l2=invention.settings.layers.l2))
    without = Settings(layers=settings.layers.model_copy(update={"l5": "disable"}))
    request = replace(invention.request(), trace=(), running=None, flush=False, hints=())
    game = invention.game
    applying = invention.room(game, settings).applying(request.values)
    if kind == "hint":
        names = invention.rng.sample(sorted(set(invention.names)), min(2, len(set(invention.names))))
        if len(names) < 2:
            return None
        hints = [f"in a like state '{name}' worked 3 of 4 times" for name in names]
        before, after = (
            _plan(invention.room(game, without), replace(request, hints=(hint,))) for hint in hints
        )
    elif not applying:
        return None
    else:
        before = _plan(invention.room(game, settings), request)
        if kind == "off":
            after = _plan(invention.room(game, without), request)
        else:
            edited = _edited(game, applying[0].skill, invention, request.status)
            after = _plan(invention.room(edited, settings), request)
    if before.reply == after.reply:
        return None
    return ContrastPair(kind, before, after)


def _edited(game: Game, skill: Skill, invention: SyntheticGame, status: GameStatus) -> Game:
    """Return the game with a skill edited by an operator: other actions, or another condition."""
    rng, words = invention.rng, invention.words
    if rng.random() < _OTHERWISE:
        other = GameStatus.MENU if status is GameStatus.PLAYING else GameStatus.PLAYING
        update: dict[str, object] = {"when": f"status == '{other.value}'"}
    else:
        deeds = [rng.choice(invention.names) for _ in range(rng.randint(1, 3))]
        update = {
            "name": words.phrase(),
            "subgoal": words.phrase(),
            "actions": deeds,
            "module": "",
            "stop": "",
        }
    changed = skill.model_copy(update=update)
    skills = [changed if other is skill or other == skill else other for other in game.profile.skills]
    return game.model_copy(update={"profile": game.profile.model_copy(update={"skills": skills})})


def _plan(room: TeacherControllers, request: PlanRequest) -> Lesson:
    room.plan(request)
    return next(lesson for lesson in reversed(room.scribe.take()) if lesson.purpose is Purpose.PLAN)
