"""Pages of steps that are read while the run grows."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import step

from pitwall.console.kit.theme import Look
from pitwall.console.run_view.steps_model import PAGE_STEPS, StepsModel


@pytest.fixture
def model(screen: str, qapp: QApplication) -> StepsModel:
    assert screen
    return StepsModel(Look(qapp, "dark"))


def _asked(model: StepsModel) -> list[tuple[int, int, int]]:
    asked: list[tuple[int, int, int]] = []
    model.page_wanted.connect(lambda run, start, count: asked.append((run, start, count)))
    return asked


def test_an_answer_that_was_overtaken_is_asked_for_once_more(model: StepsModel, qtbot: QtBot) -> None:
    asked = _asked(model)
    model.show(3, 2)
    assert model.step_at(0) is None
    qtbot.waitUntil(lambda: asked == [(3, 1, PAGE_STEPS)], timeout=10_000)
    model.append(step(3))
    model.add_page(3, 1, [step(1), step(2)])
    assert model.step_at(2) is None
    qtbot.waitUntil(lambda: len(asked) == 2, timeout=10_000)
    model.add_page(3, 1, [step(1), step(2), step(3)])
    assert [model.step_at(row) for row in range(3)] == [step(1), step(2), step(3)]


def test_a_step_that_is_missing_for_good_is_not_asked_for_without_end(
    model: StepsModel, qtbot: QtBot
) -> None:
    asked = _asked(model)
    model.show(3, 3)
    for _ in range(2):
        model.step_at(0)
        qtbot.wait(60)
        model.add_page(3, 1, [step(1), step(3)])
    assert (model.step_at(0), model.step_at(1), model.step_at(2)) == (step(1), None, step(3))
    qtbot.wait(60)
    assert len(asked) == 2


def test_an_answer_for_another_run_changes_nothing(model: StepsModel) -> None:
    model.show(3, 2)
    model.add_page(2, 1, [step(1), step(2)])
    assert model.step_at(0) is None


def test_few_pages_are_kept(model: StepsModel) -> None:
    model.show(1, PAGE_STEPS * 40)
    for page in range(40):
        start = page * PAGE_STEPS + 1
        model.add_page(1, start, [step(start + at) for at in range(PAGE_STEPS)])
    assert model.step_at(PAGE_STEPS * 40 - 1) == step(PAGE_STEPS * 40)
    assert model.step_at(0) is None, "the oldest page made room"
