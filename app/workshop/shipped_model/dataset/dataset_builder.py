"""Builds the corpus: lessons of bundled and invented games as tokens, in shards that are made once.

A shard's number is its seed, so an interrupted corpus resumes with the missing shards, and two machines make
the same one. Held-out lessons come from other worlds, and use words that no lesson has.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import ControlSettings, LayerSettings, Settings
from pitwall.games.plugin_loader import load_world
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from workshop.language.lessons import ShardWriter
from workshop.shipped_model.dataset.headless_episodes import HeadlessEpisode
from workshop.shipped_model.dataset.memory_entries import draw_memory_entries
from workshop.shipped_model.dataset.name_generator import NameGenerator
from workshop.shipped_model.dataset.phrases import PURPOSES, phrases_of
from workshop.shipped_model.dataset.prompt_recorder import Lesson
from workshop.shipped_model.dataset.synthetic_games import SyntheticGame
from workshop.shipped_model.dataset.teacher_controllers import TeacherControllers
from workshop.shipped_model.tokenizer import END, Tokenizer

GAMES = ("crafter", "arena", "flappy")
SYNTHETIC = "invented"
SOURCES = (SYNTHETIC, *GAMES)
"""Sources of lessons, by number."""
TOKENS_FILE = "tokens.json"
_ESTIMATED_LETTERS = 4
"""Estimated letters a token, used before the tokenizer exists."""
HELD_OUT_SEED = 1_000_000
_ALONE_EVERY = 10
"""One in so many training episodes is played without a planner."""
_EPISODE_STEPS = {"crafter": 150, "arena": 60, "flappy": 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPlan:
    """Sets the sizes of a dataset.

    Attributes:
        invented_shards: of `games_a_shard` invented games each, with `states_a_game` states of each.
        episodes: of each bundled game. held_out_games, held_out_episodes: for judging.
        sample: lessons of each kind from which the tokens are built. tokens: their number.
    """

    seed: int = 0
    tokens: int = 3_072
    sample: int = 600
    invented_shards: int = 40
    games_a_shard: int = 100
    states_a_game: int = 12
    episodes: dict[str, int] = field(default_factory=lambda: {"crafter": 30, "arena": 16, "flappy": 12})
    held_out_games: int = 120
    held_out_episodes: int = 2


def build(
    folder: Path,
    plan: DatasetPlan,
    data: DataFolder,
    *,
    workers: int = 1,
    tell: Callable[[int, int], None] = lambda _done, _of: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Tokenizer:
    """Make the missing parts of a corpus: tokens, lessons, and held-out lessons in `held-out`.

    Args:
        workers: processes that make shards side by side; 1: only this one.
        tell: called with the number of finished shards and of all.
        should_stop: checked after each shard.

    Raises:
        PitwallError: a bundled game cannot be played headless, or it was stopped.
    """
    (folder / "held-out").mkdir(parents=True, exist_ok=True)
    jobs = list(_jobs(folder, plan))
    missing = [job for job in jobs if not job.file.is_file()]
    tell(len(jobs) - len(missing), len(jobs))
    tokenizer = _tokenizer(folder / TOKENS_FILE, plan, _games(data))
    make = partial(_make, folder / TOKENS_FILE, plan, data)
    with ExitStack() as opened:
        made: Iterator[None] = map(make, missing)
        if workers > 1 and len(missing) > 1:
            context = multiprocessing.get_context("spawn")
            pool = opened.enter_context(ProcessPoolExecutor(workers, mp_context=context))
            opened.callback(pool.shutdown, cancel_futures=True)
            made = pool.map(make, missing)
        for number, _ in enumerate(made, start=len(jobs) - len(missing) + 1):
            tell(number, len(jobs))
            if should_stop() and number < len(jobs):
                raise PitwallError("the making of lessons was stopped.", "The same command goes on with it.")
    return tokenizer


@dataclass(frozen=True, slots=True)
class _Job:
    """A shard to make: its file, its source, its number, and whether it is held out."""

    file: Path
    source: str
    number: int
    held_out: bool = False


def _make(tokens: Path, plan: DatasetPlan, data: DataFolder, job: _Job) -> None:
    """Make one shard."""
    tokenizer = Tokenizer.read(tokens)
    _write(job.file, _lessons(plan, data, job, tokenizer.count), tokenizer)


def _games(data: DataFolder) -> dict[str, Game]:
    return {name: Registry(data).load(name) for name in GAMES}


def _jobs(folder: Path, plan: DatasetPlan) -> Iterator[_Job]:
    """Yield every shard of the plan."""
    for name in GAMES:
        for number in range(plan.episodes[name]):
            yield _Job(folder / f"lessons-{name}-{number:04d}.npz", name, number)
        for number in range(plan.held_out_episodes):
            yield _Job(folder / "held-out" / f"lessons-{name}-{number:04d}.npz", name, number, True)
    for number in range(plan.invented_shards):
        yield _Job(folder / f"lessons-{SYNTHETIC}-{number:04d}.npz", SYNTHETIC, number)
    yield _Job(folder / "held-out" / f"lessons-{SYNTHETIC}-0000.npz", SYNTHETIC, 0, True)


def _lessons(plan: DatasetPlan, data: DataFolder, job: _Job, count: Callable[[str], int]) -> Iterator[Lesson]:
    if job.source == SYNTHETIC:
        of = plan.held_out_games if job.held_out else plan.games_a_shard
        first = plan.seed * 1_000_000 + job.number * of
        for seed in range(first, first + of):
            yield from SyntheticGame(seed, count, held_out=job.held_out).lessons(plan.states_a_game)
        return
    game = Registry(data).load(job.source)
    alone = not job.held_out and job.number % _ALONE_EVERY == _ALONE_EVERY - 1
    yield from episode(game, _world_seed(plan, job.number, job.held_out), count, alone=alone)


def episode(game: Game, seed: int, count: Callable[[str], int], *, alone: bool = False) -> Iterator[Lesson]:
    """Play the lessons of a headless episode; its seed draws scenario, task, memory and layers.

    Args:
        alone: without a planner: every lesson is a reaction.
    """
    rng = random.Random(f"{game.game_id} {seed}")
    profile = game.profile
    scenario = rng.choice([declared.name for declared in profile.scenarios] or [""])
    tasks = [task.instruction for task in profile.tasks]
    layers = LayerSettings(l5="disable" if rng.random() < 0.1 else "update")
    control = ControlSettings(routing="reactive-only") if alone else ControlSettings()
    settings = Settings(layers=layers, control=control)
    instruction = rng.choice([*tasks, ""])
    past = draw_memory_entries(
        rng,
        NameGenerator(rng, held_out=seed >= HELD_OUT_SEED),
        game.game_id,
        units={field.name: field.unit for field in profile.fields},
        actions=[action.name for action in profile.actions],
        subgoals=[skill.subgoal for skill in profile.skills],
        instruction=instruction,
    )
    room = TeacherControllers(game, settings, count, instruction=instruction, remembered=past)
    world = load_world(game)(seed=seed, scenario=scenario)
    yield from HeadlessEpisode(game, world, room, settings, seed=seed).lessons(_EPISODE_STEPS[game.game_id])


def _world_seed(plan: DatasetPlan, number: int, held_out: bool) -> int:
    return plan.seed * 10_000 + number + (HELD_OUT_SEED if held_out else 0)


def _write(file: Path, lessons: Iterator[Lesson], tokenizer: Tokenizer) -> None:
    shard = ShardWriter()
    for lesson in lessons:
        shard.add(
            tokenizer.prompt(lesson.prompt.messages),
            [*tokenizer.encode(lesson.reply), END],
            kind=PURPOSES.index(lesson.purpose),
            source=SOURCES.index(lesson.about),
        )
    shard.write(file)


def _tokenizer(file: Path, plan: DatasetPlan, games: dict[str, Game]) -> Tokenizer:
    if file.is_file():
        return Tokenizer.read(file)
    texts = list(_texts(_sampled(plan, games)))
    tokenizer = Tokenizer.made_of(texts, phrases_of(games.values()), plan.tokens)
    aside = file.with_suffix(".tmp")
    aside.write_text(tokenizer.as_json(), encoding="utf-8")
    aside.replace(file)
    return tokenizer


def _sampled(plan: DatasetPlan, games: dict[str, Game]) -> Iterator[Lesson]:
    """Collect lessons for building the tokens: of invented games, and an episode of each game."""
    for seed in range(plan.sample // 4):
        yield from SyntheticGame(plan.seed * 1_000_000 + seed, _estimate).lessons(4)
    for game in games.values():
        yield from episode(game, plan.seed * 10_000, _estimate)


def _texts(lessons: Iterator[Lesson]) -> Iterator[str]:
    """Yield each message once, however often prompts repeat it."""
    seen: set[str] = set()
    for lesson in lessons:
        for text in [*(message.text for message in lesson.prompt.messages), lesson.reply]:
            if text not in seen:
                seen.add(text)
                yield text


def _estimate(text: str) -> int:
    return len(text) // _ESTIMATED_LETTERS


def sources_of(names: Sequence[str] = SOURCES) -> dict[int, str]:
    """Return the names of the sources by number."""
    return dict(enumerate(names))
