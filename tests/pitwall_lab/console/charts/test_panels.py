"""Action use, trends, parts of the reward, the analysis and clips, on a real screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from tests.pitwall_lab.console.charts import logs as lab_logs

from pitwall.console.kit.elements import KeyValue, Label
from pitwall.console.kit.theme import Look
from pitwall.games.schema.modules import Learned
from pitwall_lab.console.charts.actions import ActionsPanel
from pitwall_lab.console.charts.agreement import AgreementTable
from pitwall_lab.console.charts.analysis_view import AnalysisView
from pitwall_lab.console.charts.clips import BadClip, ClipsPanel, read_clip
from pitwall_lab.console.charts.trends import TrendsPanel
from pitwall_lab.training_log import ActionAgreement, Cloned, Disagreement


class WidgetHarness:
    """Shows widgets in windows of their own, and takes them away again."""

    def __init__(self, app: QApplication, bot: QtBot) -> None:
        self.look, self.bot = Look(app), bot
        self._shown: list[QWidget] = []

    def show(self, widget: QWidget) -> None:
        self._shown.append(widget)
        widget.resize(700, 600)
        widget.show()
        self.bot.waitExposed(widget)

    def close(self) -> None:
        for widget in self._shown:
            shiboken6.delete(widget)


@pytest.fixture
def stage(screen: str, qapp: QApplication, qtbot: QtBot) -> Iterator[WidgetHarness]:
    assert screen
    made = WidgetHarness(qapp, qtbot)
    yield made
    made.close()


def press(panel: QWidget, name: str) -> None:
    button = next(item for item in panel.findChildren(QPushButton) if item.accessibleName() == name)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def words_in(widget: QWidget) -> str:
    labels = [item.full_text() for item in widget.findChildren(Label)]
    return "\n".join([*labels, *(element.accessibleName() for element in widget.findChildren(KeyValue))])


def test_action_use_of_late_and_over_all(stage: WidgetHarness, tmp_path: Path) -> None:
    panel = ActionsPanel(stage.look)
    stage.show(panel)
    assert panel.empty.isVisible()
    run = lab_logs.run(tmp_path)
    learned = Learned(state=[{"field": "bird_y"}], actions=["", "flap()"], reward="reward.py")
    run = type(run).of(run.about.model_copy(update={"learned": learned}), run.log)
    panel.show_run(run)
    text = panel.bars.accessibleDescription()
    assert "nothing new 80 %, 80 % overall" in text
    assert "flap() 20 %" in text
    QTest.keyClick(panel.chart, Qt.Key.Key_Left)
    assert panel.chart.accessibleDescription().startswith("step 200,000")
    assert "nothing new 8" in panel.chart.accessibleDescription()
    press(panel, "Table")
    assert panel.table.isVisible()
    assert panel.table.model.index(0, 0).data() == "nothing new"
    panel.show_run(None)
    assert panel.empty.isVisible()


def test_trends_of_chosen_fields_with_their_units(stage: WidgetHarness, tmp_path: Path) -> None:
    panel = TrendsPanel(stage.look)
    stage.show(panel)
    assert panel.empty.isVisible()
    panel.set_units({"bird_y": "px"})
    panel.show_runs([lab_logs.run(tmp_path / "a", "a"), lab_logs.run(tmp_path / "b", "b", colour=1)])
    assert panel.shown() == ["bird_y", "gap_dx"]
    assert panel.card("bird_y").chart.accessibleName() == "bird_y, px"
    assert len(panel.card("bird_y").chart.picture.lines) == 2
    chip = next(item for item in panel.findChildren(QWidget) if item.accessibleName() == "Show gap_dx")
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert panel.shown() == ["bird_y"]
    chart = panel.card("bird_y").chart
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert " px" in chart.accessibleDescription()
    press(panel, "Table")
    titles = [panel.table.model.headerData(at, Qt.Orientation.Horizontal) for at in range(5)]
    assert titles == ["version", "step", "training time", "bird_y, px", "gap_dx"]
    panel.show_runs([])
    assert panel.empty.isVisible()


def test_many_fields_begin_with_some(stage: WidgetHarness, tmp_path: Path) -> None:
    states = {f"field_{at}": float(at) for at in range(20)}
    lab_logs.write(tmp_path, [point.model_copy(update={"states": states}) for point in lab_logs.points(20)])
    panel = TrendsPanel(stage.look)
    stage.show(panel)
    panel.show_runs([lab_logs.run(tmp_path, count=0)])
    assert len(panel.shown()) == 8


def test_parts_of_the_reward_as_areas_and_lines(stage: WidgetHarness, tmp_path: Path) -> None:
    panel = TrendsPanel(stage.look, "rewards")
    stage.show(panel)
    assert "named parts" in panel.empty.text.full_text()
    panel.show_runs([lab_logs.run(tmp_path)])
    assert panel.piled.isVisible()
    readings = panel.piled.readings(1_000)
    assert {reading.label for reading in readings} == {"alive", "pass", "crash"}
    assert readings[0].strong == "0.10 reward"
    panel.grab()


def test_an_analysis_in_sentences_bars_and_figures(stage: WidgetHarness) -> None:
    view = AnalysisView(stage.look)
    stage.show(view)
    assert view.empty.isVisible()
    view.show_analysis(lab_logs.ANALYSIS)
    text = words_in(view)
    for expected in (
        "v2 · trained · 212,400 of 300,000 steps in 5:31",
        "The version is better than v1",
        "Later half: 128 pipes ± 11.2",
        "Newest against best: 139 pipes after 151 pipes, may be chance",
        "Verdict: better",
        "bird_y: 241 → 212 px  (−29)",
    ):
        assert expected in text, expected
    view.copy()
    assert QGuiApplication.clipboard().text() == "flappy/fly v2 …"
    view.show_analysis(None)
    assert view.empty.isVisible()


@pytest.mark.parametrize("wrong", [None, 3, "text", [], {}, [1, None, {"name": 3}], {"first": "x"}, True])
def test_an_analysis_that_is_not_as_expected_breaks_nothing(stage: WidgetHarness, wrong: Any) -> None:
    view = AnalysisView(stage.look)
    stage.show(view)
    for name in lab_logs.ANALYSIS:
        view.show_analysis({**lab_logs.ANALYSIS, name: wrong})
    view.show_analysis(dict.fromkeys(lab_logs.ANALYSIS, wrong))
    view.show_analysis(
        {"version": "v2", "play": {"runs": 3, "scores": wrong, "ended": wrong, "actions": wrong}}
    )
    view.grab()


def test_a_clone_shows_how_far_it_agrees_and_where_it_does_not(stage: WidgetHarness, tmp_path: Path) -> None:
    actions = (
        ActionAgreement(action="", way="nothing", person=90, clone=85, both=80),
        ActionAgreement(action="flap", way="tap", person=10, clone=0, both=0),
    )
    differs = Disagreement(
        demonstration="d",
        at_ns=5,
        at_s=1.5,
        picture=3,
        person="flap",
        clone="nothing",
        sure=0.9,
        clip="a.webp",
    )
    cloned = Cloned(
        step=9, at=0, agreement=0.8, low=0.7, high=0.9, before=0.6, reaction_ms=200,
        actions=actions, disagreements=(differs,),
    )  # fmt: skip
    panel = AgreementTable(stage.look)
    stage.show(panel)
    panel.show_cloned(cloned)
    text = words_in(panel)
    assert "80 % of decisions agree (70 % to 90 %, 60 % before)" in text
    assert "200 ms" in text
    panel.table.copy()
    clipboard = QGuiApplication.clipboard().text()
    assert "flap (tap)" in clipboard
    clips = ClipsPanel(stage.look)
    stage.show(clips)
    clips.show_version(tmp_path, (), disagreements=cloned.disagreements)
    assert clips.which.currentText() == "differs at 1.5 s"
    assert "Person flap, clone nothing" in words_in(clips)


def test_clips_play_with_their_step_and_score(stage: WidgetHarness, tmp_path: Path) -> None:
    panel = ClipsPanel(stage.look)
    stage.show(panel)
    assert panel.empty.isVisible()
    made = lab_logs.evaluations(2)
    for item in made:
        lab_logs.write_clip(tmp_path / item.clip, frames=6)
    panel.show_version(tmp_path, made, "pipes")
    assert panel.which.currentText().startswith("step 50,000")
    assert "130 pipes (104 … 150) on 20 held-out seeds" in words_in(panel)
    stage.bot.waitUntil(lambda: panel.frames == 6)
    stage.bot.waitUntil(lambda: panel.frame > 0)
    panel.picture.setFocus()
    stage.bot.waitUntil(panel.picture.hasFocus)
    QTest.keyClick(panel.picture, Qt.Key.Key_Space)
    assert panel.play.text() == "Play"
    at = panel.frame
    QTest.keyClick(panel.picture, Qt.Key.Key_Right)
    assert panel.frame == (at + 1) % 6
    QTest.mouseClick(panel._earlier, Qt.MouseButton.LeftButton)
    assert panel.which.currentIndex() == 0
    assert "65 pipes" in words_in(panel)
    panel.close_reading()


def test_a_new_clip_is_shown_unless_another_was_chosen(stage: WidgetHarness, tmp_path: Path) -> None:
    panel = ClipsPanel(stage.look)
    stage.show(panel)
    made = lab_logs.evaluations(3)
    for item in made:
        lab_logs.write_clip(tmp_path / item.clip, frames=2)
    panel.show_version(tmp_path, made[:1])
    panel.show_version(tmp_path, made[:2])
    assert panel.which.currentIndex() == 1
    QTest.mouseClick(panel._earlier, Qt.MouseButton.LeftButton)
    panel.show_version(tmp_path, made)
    assert panel.which.currentIndex() == 0
    panel.show_version(tmp_path, ())
    assert panel.empty.isVisible()
    panel.close_reading()


def test_damaged_and_missing_clips_say_so(stage: WidgetHarness, tmp_path: Path) -> None:
    whole = lab_logs.write_clip(tmp_path / "whole.webp").read_bytes()
    assert len(read_clip(tmp_path / "whole.webp").frames) > 10
    (tmp_path / "noise.webp").write_bytes(b"RIFF\x00\x00not a picture")
    (tmp_path / "cut.webp").write_bytes(whole[: len(whole) // 2])
    for name in ("noise.webp", "none.webp"):
        with pytest.raises(BadClip, match=name):
            read_clip(tmp_path / name)
    try:
        assert read_clip(tmp_path / "cut.webp").frames
    except BadClip as error:
        assert "cut.webp" in str(error)
    panel = ClipsPanel(stage.look)
    stage.show(panel)
    gone = lab_logs.evaluations(1)
    panel.show_version(tmp_path, gone)
    stage.bot.waitUntil(lambda: panel.picture.accessibleName() == "25000.webp is gone.")
    panel.show_version(tmp_path, [gone[0].model_copy(update={"clip": "../../etc/passwd"})])
    assert panel.empty.isVisible()
    panel.close_reading()
