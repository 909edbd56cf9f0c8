"""The curves on a real screen: drawn, read with the pointer and with keys, zoomed, left out, as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from tests.pitwall_lab.console.charts import logs as lab_logs

from pitwall.console.charts.data import Reference
from pitwall.console.kit.theme import Look
from pitwall_lab.console.charts.curves import CurvesPanel
from pitwall_lab.console.charts.log_reader import TrainingRun

AMBER = QColor("#F5A524")


@pytest.fixture
def panel(screen: str, qapp: QApplication, qtbot: QtBot) -> Iterator[CurvesPanel]:
    assert screen
    made = CurvesPanel(Look(qapp))
    made.resize(900, 800)
    made.show()
    qtbot.waitExposed(made)
    yield made
    shiboken6.delete(made)


@pytest.fixture
def runs(tmp_path: Path) -> list[TrainingRun]:
    return [lab_logs.run(tmp_path / f"v{at}", f"v{at}", 200, colour=at, top=150 - 50 * at) for at in range(2)]


def image_of(widget: QWidget) -> QImage:
    QApplication.processEvents()
    return widget.grab().toImage()


def near(image: QImage, colour: QColor, reach: int = 12) -> int:
    """Pixels of about a colour."""
    wide = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(wide.constBits(), np.uint8).reshape(wide.height(), wide.width(), 4)
    wanted = np.asarray([colour.blue(), colour.green(), colour.red()], np.int16)
    return int((np.abs(pixels[..., :3].astype(np.int16) - wanted).max(axis=2) <= reach).sum())


def button(panel: QWidget, name: str) -> QPushButton:
    return next(item for item in panel.findChildren(QPushButton) if item.accessibleName() == name)


def press(panel: QWidget, name: str) -> None:
    QTest.mouseClick(button(panel, name), Qt.MouseButton.LeftButton)


def test_nothing_yet_says_what_will_appear(panel: CurvesPanel, tmp_path: Path) -> None:
    assert panel.empty.isVisible()
    assert "curves appear here" in panel.empty.text.full_text()
    panel.show_runs([lab_logs.run(tmp_path, count=0)])
    assert panel.empty.title.full_text() == "The training has begun"
    assert "0 of 300,000 steps" in panel.empty.text.full_text()


def test_runs_are_drawn_in_their_colours_and_the_big_chart_is_the_score(
    panel: CurvesPanel, runs: list[TrainingRun], qtbot: QtBot
) -> None:
    panel.set_trial("pipes", ())
    panel.show_runs(runs)
    big, small = panel.card("score"), panel.card("loss")
    qtbot.waitUntil(lambda: big.width() > 1.8 * small.width())
    assert near(image_of(big), AMBER) > 400
    assert near(image_of(small), AMBER) > 100
    assert big.chart.accessibleName() == "Score, pipes"
    press(panel, "Big chart: Return")
    returns = panel.card("episode_return")
    qtbot.waitUntil(lambda: returns.width() > 1.8 * big.width())


def test_without_scores_the_return_is_big(panel: CurvesPanel, runs: list[TrainingRun], qtbot: QtBot) -> None:
    curves = runs[0].curves
    bare = {name: column for name, column in curves.numbers.items() if name != "score"}
    run = TrainingRun(about=runs[0].about, log=runs[0].log, curves=replace(curves, numbers=bare))
    panel.show_runs([run])
    big, small = panel.card("episode_return"), panel.card("loss")
    qtbot.waitUntil(lambda: big.width() > 1.8 * small.width())
    assert panel.card("score").chart.bare


def test_the_pointer_reads_every_run(panel: CurvesPanel, runs: list[TrainingRun], qtbot: QtBot) -> None:
    panel.show_runs(runs)
    chart = panel.card("loss").chart
    QApplication.processEvents()  # the layout for the runs

    def pointed() -> bool:
        """Told again: under Wine the true pointer, which is elsewhere, is told in between."""
        QTest.mouseMove(chart.viewport(), QPoint(round(chart.x_of(100_000)), 40))
        return panel.view.at is not None

    qtbot.waitUntil(pointed)
    assert panel.view.at == pytest.approx(100_000, abs=1_500)
    text = chart.accessibleDescription()
    assert text.startswith("step ")
    lines = chart.picture.lines
    assert [line.label for line in lines] == ["v0", "v1"]
    place = lines[0].near(panel.view.at or 0, 2_000)
    assert place is not None
    assert f"v0 {lines[0].strong[place]:.2f}" in text
    QTest.mouseMove(chart.viewport(), QPoint(2, 2))
    qtbot.waitUntil(lambda: panel.view.at is None)


def test_evaluations_are_read_with_their_interval(panel: CurvesPanel, runs: list[TrainingRun]) -> None:
    panel.set_trial("pipes", ())
    panel.show_runs(runs)
    chart = panel.card("score").chart
    readings = chart.readings(100_000)
    assert readings[0].strong.endswith("pipes")
    assert "held-out 75 (60 … 86.2)" in readings[0].faint


def test_keys_read_move_and_zoom(panel: CurvesPanel, runs: list[TrainingRun]) -> None:
    panel.show_runs(runs)
    chart = panel.card("score").chart
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert panel.view.at == pytest.approx(200_000, abs=500)
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert panel.view.at == pytest.approx(198_000, abs=500)
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    low, high = panel.view.stretch
    assert high - low == pytest.approx(160_000, rel=0.05)
    QTest.keyClick(chart, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert panel.view.stretch[0] < low
    QTest.keyClick(chart, Qt.Key.Key_0)
    assert panel.view.stretch == panel.view.whole


def test_dragging_zooms_all_charts_and_a_double_click_resets(
    panel: CurvesPanel, runs: list[TrainingRun], qtbot: QtBot
) -> None:
    panel.show_runs(runs)
    chart = panel.card("score").chart
    left, right = (QPoint(round(chart.x_of(at)), 50) for at in (50_000, 100_000))
    place = chart.viewport()
    QTest.mousePress(place, Qt.MouseButton.LeftButton, pos=left)
    QTest.mouseMove(place, right)
    qtbot.waitUntil(chart.box.rbScaleBox.isVisible)
    QTest.mouseRelease(place, Qt.MouseButton.LeftButton, pos=right)
    low, high = panel.view.stretch
    assert low == pytest.approx(50_000, abs=500)
    assert high == pytest.approx(100_000, abs=500)
    assert panel.card("loss").chart.left == low
    assert button(panel, "Reset view").isVisible()
    QTest.mouseDClick(place, Qt.MouseButton.LeftButton, pos=left)
    assert panel.view.stretch == panel.view.whole
    assert not button(panel, "Reset view").isVisible()


def test_the_wheel_zooms_with_ctrl_alone(panel: CurvesPanel, runs: list[TrainingRun]) -> None:
    panel.show_runs(runs)
    chart = panel.card("score").chart
    for modifier, zoomed in (
        (Qt.KeyboardModifier.NoModifier, False),
        (Qt.KeyboardModifier.ControlModifier, True),
    ):
        place = QPointF(200, 60)
        event = QWheelEvent(
            place,
            QPointF(chart.viewport().mapToGlobal(place)),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        about = chart.place(place).x()
        QApplication.sendEvent(chart.viewport(), event)
        assert panel.view.zoomed is zoomed
    assert chart.x_of(about) == pytest.approx(200, abs=1)


def test_a_zoomed_stretch_stays_while_the_log_grows(panel: CurvesPanel, tmp_path: Path) -> None:
    panel.show_runs([lab_logs.run(tmp_path / "a", count=100)])
    panel.view.zoom(20_000, 60_000)
    panel.show_runs([lab_logs.run(tmp_path / "b", count=200)])
    stretches = [panel.view.stretch]
    panel.view.reset()
    stretches.append(panel.view.stretch)
    assert stretches == [(20_000, 60_000), (0, 200_000)]


def test_axis_smoothing_and_scale(panel: CurvesPanel, runs: list[TrainingRun]) -> None:
    panel.show_runs(runs)
    chart = panel.card("score").chart
    press(panel, "Axis: Training time")
    assert panel.view.whole[1] == pytest.approx(200_000 / 900)
    press(panel, "Axis: Clock")
    assert panel.view.whole[0] == pytest.approx(lab_logs.BEGAN, abs=2)
    smoothed = []
    for weight in (0.0, 0.99):
        panel.tools.smoothing.set_weight(weight)
        smoothed.append(chart.picture.lines[0].smooth is not None)
    assert smoothed == [False, True]
    assert panel.card("epsilon").chart.picture.lines[0].smooth is None
    panel.log.setChecked(True)
    assert chart.shown_scale.bend > 0
    assert near(image_of(chart), AMBER) > 200


def test_a_run_can_be_left_out(panel: CurvesPanel, runs: list[TrainingRun]) -> None:
    panel.show_runs(runs)
    QTest.mouseClick(panel.chips.chip("v0"), Qt.MouseButton.LeftButton)
    assert [run.version for run in panel.chips.shown()] == ["v1"]
    assert near(image_of(panel.card("loss").chart), AMBER) == 0
    panel.show_runs(runs)
    assert [run.version for run in panel.chips.shown()] == ["v1"]
    QTest.mouseClick(panel.chips.chip("v0"), Qt.MouseButton.LeftButton)
    assert len(panel.chips.shown()) == 2
    assert "of 300,000 steps" in panel.chips.chip("v0").accessibleDescription()


def test_references_stand_in_their_chart(panel: CurvesPanel, runs: list[TrainingRun]) -> None:
    panel.show_runs(runs)
    before = image_of(panel.card("score").chart)
    panel.set_trial("", [Reference(28.3, "paper, mean 28.3 pipes"), Reference(3, "near", chart="loss")])
    assert image_of(panel.card("score").chart) != before
    loss = panel.card("loss").chart
    assert loss.shown_scale.high >= 3
    panel.set_trial("", [Reference(1e6, "far", chart="loss")])
    assert loss.shown_scale.high < 5
    far = image_of(loss)
    panel.set_trial("", ())
    assert image_of(loss) != far
    assert not panel.card("q").chart.picture.references


def test_the_table_has_every_point_sorts_and_copies(
    panel: CurvesPanel, runs: list[TrainingRun], qtbot: QtBot
) -> None:
    panel.set_trial("pipes", ())
    panel.show_runs(runs)
    press(panel, "Table")
    table = panel.table
    assert table.isVisible()
    model = table.model
    assert model.rowCount() == 2 * (200 + 8)
    titles = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    assert titles[:6] == [
        "version",
        "step",
        "training time",
        "clock",
        "score, pipes",
        "episode return, reward",
    ]
    assert model.index(0, 4).data() == "–"
    model.sort(titles.index("loss"), Qt.SortOrder.DescendingOrder)
    losses = [model.index(row, titles.index("loss")).data() for row in (0, 1, model.rowCount() - 1)]
    assert float(losses[0]) >= float(losses[1])
    assert losses[2] == "–"
    table.view.selectRow(0)
    QTest.mouseClick(button(table, "Copy as CSV"), Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    assert lines[0].startswith('version,step,training time,clock,"score, pipes"')
    table.view.clearSelection()
    table.copy()
    assert len(QGuiApplication.clipboard().text().splitlines()) == model.rowCount() + 1
    press(panel, "Table")
    qtbot.waitUntil(panel.card("score").isVisible)


def test_numbers_that_are_none_never_break_a_chart(panel: CurvesPanel, tmp_path: Path) -> None:
    made = lab_logs.points(40)
    for at, wild in enumerate((math.nan, math.inf, -math.inf, None, 1e300, -1e300)):
        made[5 * at] = made[5 * at].model_copy(update={"loss": wild, "score": wild, "q": wild})
    lab_logs.write(tmp_path, made)
    lab_logs.write(
        tmp_path, [lab_logs.evaluations(1)[0].model_copy(update={"mean": math.nan, "low": math.nan})]
    )
    run = lab_logs.run(tmp_path, count=0)
    for log in (False, True):
        panel.log.setChecked(log)
        panel.show_runs([run])
        image_of(panel)
    alone = lab_logs.run(tmp_path / "one", count=1)
    panel.show_runs([alone])
    image_of(panel)
    panel.show_runs([])
    assert panel.empty.isVisible()


def test_both_themes_and_small_windows(panel: CurvesPanel, runs: list[TrainingRun], qtbot: QtBot) -> None:
    panel.show_runs(runs)
    look = panel.card("score").chart.look
    look.use("light")
    assert near(image_of(panel.card("score")), QColor("#945400")) > 300
    look.use("dark")
    cards = [panel.card(key) for key in ("episode_return", "loss", "q")]
    panel.resize(420, 600)
    qtbot.waitUntil(lambda: len({card.x() for card in cards}) == 1)
    panel.resize(1_200, 800)
    qtbot.waitUntil(lambda: len({card.y() for card in cards}) == 1)
