"""MiniWoB's pages as games of the browser: made of the package's data, with the page's reward as truth."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_environments.browser.page_script import page_script
from pitwall_environments.gym.environment import EnvironmentFault
from pitwall_environments.gym.miniwob import baselines_file, page_ids
from pitwall_environments.gym.profile import add_environment
from workshop.benchmarks.evaluation.miniwob import suite_pages


def test_a_page_is_a_game_whose_reward_evaluators_alone_see(tmp_path: Path) -> None:
    assert len(page_ids()) == 130
    add_environment(DataFolder(tmp_path), "miniwob/click-button-v1")
    game = Registry(DataFolder(tmp_path)).load("miniwob-click-button")
    assert game.trusted and game.profile.controls.mouse
    browser, (task,) = game.profile.browser, game.profile.tasks
    assert browser is not None and Path(url2pathname(urlsplit(browser.url).path)).is_file()
    assert (task.score, task.target) == ("game_state.score", 0.9)
    assert "WOB_RAW_REWARD" in page_script(browser, seed=1, watch=True)
    assert "WOB_RAW_REWARD" not in page_script(browser, seed=1, watch=False)
    assert "reward-display" in browser.init


def test_every_page_of_the_suite_says_which_baseline_solves_it() -> None:
    marks = tomllib.loads(baselines_file().read_text(encoding="utf-8"))
    assert len(suite_pages()) == 60 and set(suite_pages()) == set(marks)
    message = re.compile(r"(none: )?(script|chance) \d+ of \d+(, chance \d+ of \d+)?")
    assert [page for page, mark in marks.items() if not message.fullmatch(mark)] == []


def test_a_page_says_in_its_task_which_baseline_solves_it(tmp_path: Path) -> None:
    marks = tomllib.loads(baselines_file().read_text(encoding="utf-8"))
    add_environment(DataFolder(tmp_path), "miniwob/guess-number-v1")
    (task,) = Registry(DataFolder(tmp_path)).load("miniwob-guess-number").profile.tasks
    assert task.baseline == marks["guess-number"]


def _missing(name: str) -> None:
    raise importlib.metadata.PackageNotFoundError(name)


def test_an_unknown_page_and_a_missing_package_are_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EnvironmentFault, match="there is no MiniWoB page 'click-buton'"):
        add_environment(DataFolder(tmp_path), "miniwob/click-buton-v1")
    monkeypatch.setattr(importlib.metadata, "distribution", _missing)
    with pytest.raises(EnvironmentFault, match="miniwob is not installed") as message:
        page_ids()
    assert "installer/extra gym" in message.value.fix
