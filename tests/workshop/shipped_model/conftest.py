"""What the lessons' tests share: a tokenizer of few invented lessons."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from workshop.shipped_model.dataset.phrases import phrases_of
from workshop.shipped_model.dataset.prompt_recorder import Lesson
from workshop.shipped_model.dataset.synthetic_games import SyntheticGame
from workshop.shipped_model.tokenizer import Tokenizer


def invented(seeds: range, *, states: int = 3, held_out: bool = False) -> list[Lesson]:
    """Lessons of invented games, counted by letters."""
    return [
        lesson for seed in seeds for lesson in SyntheticGame(seed, len, held_out=held_out).lessons(states)
    ]


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Game]:
    registry = Registry(DataFolder(tmp_path_factory.mktemp("data")))
    return {name: registry.load(name) for name in ("crafter", "arena", "flappy")}


@pytest.fixture(scope="session")
def tokenizer(games: dict[str, Game]) -> Tokenizer:
    lessons = invented(range(12))
    texts = [text for lesson in lessons for text in [*(m.text for m in lesson.prompt.messages), lesson.reply]]
    return Tokenizer.made_of(texts, phrases_of(games.values()), 1_200)


@pytest.fixture(scope="session")
def tokens_file(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tokens") / "tokens.json"
    file.write_text(tokenizer.as_json(), encoding="utf-8")
    return file
