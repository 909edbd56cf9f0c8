"""The replay of recorded runs: clock, keys, events, two runs side by side; pictures of the right moment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import bridge_on, manifest, record_run, step, summary

from pitwall.console.charts.signal_curve import heights, scale_top
from pitwall.console.kit.picture.live_view import PictureOverlay
from pitwall.console.kit.theme import Look
from pitwall.console.replay.panel import ReplayPanel
from pitwall.console.runs.page import RunsPage
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.paths import DataFolder
from pitwall.core.settings import RecordingSettings
from pitwall.core.signals import WEIGHED
from pitwall.core.steps import RunEvent
from pitwall.store.film_budget import film_is_kept
from pitwall.store.film_writer import FilmWriter
from pitwall.store.frames import FrameStore
from pitwall.store.run_log import RunLog
from pitwall.store.true_scores import TrueScoreLog


@pytest.fixture
def replay(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[ReplayPanel]:
    assert screen
    data = DataFolder(tmp_path)
    record_run(data, 8, frames=8)
    happened = [RunEvent(at_ns=at * 10**9, kind="note", text=f"Note at {at} s") for at in (3, 7)]
    record_run(data, 40, frames=40, events=happened)
    page = RunsPage(bridge_on(tmp_path), Look(qapp, "dark"))
    qtbot.addWidget(page)
    page.resize(1220, 640)
    page.show()
    page.opened()
    qtbot.waitUntil(lambda: page.detail.run_id == 2)
    panel = page.detail.replay
    bar = page.detail._tabs.tabBar()
    QTest.mouseClick(
        bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(page.detail._tabs.indexOf(panel)).center()
    )
    qtbot.waitUntil(lambda: panel.seconds == 10.0)
    yield panel
    page.close_reading()
    page.bridge.shutdown()


def _red(panel: ReplayPanel) -> int:
    """Return the step of the visible picture, whose blue part is the step's number."""
    image = panel.screen_a.view._image
    return 0 if image is None else image.pixelColor(1, 1).blue()


def test_the_known_keys_go_where_they_say(replay: ReplayPanel, qtbot: QtBot) -> None:
    def pressed(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> float:
        QTest.keyClick(replay, key, held)
        return replay.at_s

    qtbot.waitUntil(replay.hasFocus)
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    assert pressed(Qt.Key.Key_Right) == 1.0
    assert pressed(Qt.Key.Key_Right, control) == 3.0
    assert pressed(Qt.Key.Key_Right, control) == 7.0
    assert pressed(Qt.Key.Key_Right, control) == 7.0, "there is no later event"
    assert pressed(Qt.Key.Key_Left, control) == 3.0
    assert pressed(Qt.Key.Key_Period) == 3.25
    assert pressed(Qt.Key.Key_Comma) == 3.0
    assert pressed(Qt.Key.Key_Right, shift) == 10.0
    assert pressed(Qt.Key.Key_Home) == 0.0
    assert pressed(Qt.Key.Key_End) == 10.0
    QTest.keyClick(replay, Qt.Key.Key_Space)
    assert replay.playing and replay.at_s < 10.0, "from the end it plays again from the beginning"
    QTest.keyClick(replay, Qt.Key.Key_Space)
    assert not replay.playing


def test_the_picture_and_the_facts_are_of_the_moment(replay: ReplayPanel, qtbot: QtBot) -> None:
    replay.go(5.1)
    qtbot.waitUntil(lambda: _red(replay) == 20)
    screen = replay.screen_a
    qtbot.waitUntil(lambda: "step 20" in screen.facts.full_text())
    assert "score 20 · " in screen.facts.full_text()
    assert "no film" in screen.source.full_text()
    assert screen.view._sight.keys == (), "what was refused was not pressed"
    replay.marks.click()
    assert screen.view._sight.route is None
    chart = screen.timeline
    assert "Note at 3 s" in chart.words_at(chart._x(3.0), chart._tops["events"] + 5)
    replay.window().resize(1220, 900)
    qtbot.waitUntil(lambda: bool(chart._signal))
    assert "picture change: 0.41" in chart.words_at(chart._x(3.0), chart._tops["change"] + 5)


def test_signals_are_curves_as_live_draws_them(replay: ReplayPanel, qtbot: QtBot) -> None:
    replay.window().resize(1220, 900)
    chart = replay.screen_a.timeline
    qtbot.waitUntil(lambda: bool(chart._signal))
    image, track = chart._picture().toImage(), chart._track
    assert track is not None
    name, signal = next(iter(WEIGHED.items()))
    limit = float(track.run.manifest.thresholds.get(signal.setting) or 0.0)
    values = track.signals[:, 0]
    y = heights(values, scale_top(signal, limit, values), chart._tops[name], chart._signal)
    ink = replay._look.colour("text")
    for at in range(8, 24):
        middle = chart._x((track.at_s[at] + track.at_s[at + 1]) / 2)
        seen = [image.pixelColor(round(middle), round(y[at]) + off) for off in (-1, 0, 1)]
        assert ink in seen, "each value holds until the next"


def test_while_the_run_was_paused_nobody_drove(
    screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    assert screen
    data = DataFolder(tmp_path)
    happened = [
        RunEvent(at_ns=round(at * 10**9), kind=kind, text=text)
        for at, kind, text in ((2.1, "paused", "Paused by its key."), (5.0, "resumed", "The agent plays."))
    ]
    record_run(data, 40, frames=40, events=happened)
    page = RunsPage(bridge_on(tmp_path), Look(qapp, "dark"))
    qtbot.addWidget(page)
    page.show()
    page.opened()
    qtbot.waitUntil(lambda: page.detail.run_id == 1)
    page.detail._tabs.setCurrentWidget(page.detail.replay)
    panel, shown = page.detail.replay, page.detail.replay.screen_a
    qtbot.waitUntil(lambda: panel.seconds == 10.0)
    panel.go(1.0)
    qtbot.waitUntil(lambda: "step 4" in shown.facts.full_text())
    assert shown.view._sight != PictureOverlay()
    panel.go(4.0)
    assert "Paused by its key." in shown.facts.full_text()
    assert shown.view._sight == PictureOverlay()
    assert shown.track is not None
    ends = shown.track.ends_s
    assert ends[shown.track.row_at(2.05)] == pytest.approx(2.1)
    assert ends[shown.track.row_at(6.0)] == shown.track.at_s[shown.track.row_at(6.0) + 1]
    panel.go(5.3)
    assert "step 21" in shown.facts.full_text()
    page.close_reading()
    page.bridge.shutdown()


def test_two_runs_play_on_one_clock(replay: ReplayPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: replay.beside.count() == 2)
    replay.compare(replay.beside.itemData(1))
    other = replay.screen_b
    assert other is not None
    qtbot.waitUntil(lambda: other.track is not None)
    replay.go(1.5)
    qtbot.waitUntil(lambda: "step 6" in other.facts.full_text())
    replay.go(9.0)
    assert other._at_s == 2.0, "the shorter one stands at its end"
    replay.compare(None)
    assert replay.screen_b is None


def test_the_true_score_goes_before_the_screens(replay: ReplayPanel, qtbot: QtBot) -> None:
    log = TrueScoreLog(replay._data, 2, "pipes")
    for second in range(10):
        log.add(second // 2, second * 10**9)
    replay.screen_a.open(2)
    qtbot.waitUntil(lambda: replay.screen_a.track is not None and replay.screen_a.track.true_score)
    replay.go(5.5)
    assert "score 2" in replay.screen_a.facts.full_text()


def test_a_run_that_is_played_now_shows_its_frames_as_they_are_written(
    screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    assert screen
    data = DataFolder(tmp_path)
    started = now_ns()
    with RunLog.open(data) as log:
        run_id = log.begin(manifest(started_at=datetime.now(UTC).isoformat()))
        film = FilmWriter(data.video(run_id), 15, (64, 48))

        def record() -> None:
            """Write what a playing engine writes: a brighter picture at each tick."""
            at_ns = now_ns() - started
            shade = min(240, 20 + at_ns // (NS_PER_S // 20))
            film.add(np.full((48, 64, 4), shade, np.uint8), now_ns())

        ticking = QTimer(interval=30)
        ticking.timeout.connect(record)
        ticking.start()
        page = RunsPage(bridge_on(tmp_path), Look(qapp, "dark"))
        qtbot.addWidget(page)
        page.resize(1220, 640)
        page.show()
        page.opened()
        qtbot.waitUntil(lambda: page.detail.run_id == run_id)
        page.detail._tabs.setCurrentWidget(page.detail.replay)
        panel = page.detail.replay
        qtbot.waitUntil(lambda: panel.following and _red(panel) > 20, timeout=20_000)
        seen = _red(panel)
        qtbot.waitUntil(lambda: _red(panel) > seen + 30, timeout=20_000)
        assert "as it is played" in panel.place.full_text()
        axis = panel.screen_a.timeline
        qtbot.waitUntil(lambda: 1.0 < panel.at_s <= axis._right_s, timeout=20_000)
        panel.setFocus()
        qtbot.waitUntil(panel.hasFocus)
        QTest.keyClick(panel, Qt.Key.Key_Home)
        assert (panel.following, panel.at_s) == (False, 0.0)
        QTest.keyClick(panel, Qt.Key.Key_End)
        qtbot.waitUntil(lambda: panel.following)
        ticking.stop()
        film.close()
        log.finish(run_id, summary([]))
        qtbot.waitUntil(lambda: not panel.following, timeout=20_000)
    page.close_reading()
    page.bridge.shutdown()


def test_step_pictures_of_a_run_without_a_film_come_too(replay: ReplayPanel, qtbot: QtBot) -> None:
    data = replay._data
    replay._more.stop()  # it reads the page's own run again
    run_id = record_run(data, 0, outcome=None)
    replay.screen_a.open(run_id)
    qtbot.waitUntil(lambda: replay.screen_a.track is not None and replay.screen_a.track.run.run_id == run_id)
    pictures = FrameStore(data.run(run_id), RecordingSettings(frame_format="png"))
    with RunLog.open(data) as log:
        name = pictures.save(1, np.full((48, 64, 4), 77, np.uint8))
        log.add_step(run_id, step(1, frame_ref=name))
    replay.screen_a.open(run_id)
    qtbot.waitUntil(lambda: replay.screen_a.track is not None and len(replay.screen_a.track.steps) == 1)
    replay.screen_a.show_moment(5.0, None)
    qtbot.waitUntil(lambda: _red(replay) == 77)


def test_a_narrow_window_keeps_compare_and_the_marks_of_a_clip(replay: ReplayPanel, qtbot: QtBot) -> None:
    replay.window().resize(900, 640)
    qtbot.waitUntil(lambda: replay.width() < 700)
    for part in (replay.beside, *replay._spans, replay.keep, *replay._ends):
        right = part.mapTo(replay, part.rect().bottomRight())
        assert part.isVisible() and right.x() <= replay.width() and right.y() <= replay.height()


def test_in_a_low_window_the_picture_has_more_room_than_the_signals(
    replay: ReplayPanel, qtbot: QtBot
) -> None:
    replay.window().resize(1220, 900)
    qtbot.waitUntil(lambda: bool(replay.screen_a.timeline._signal))
    replay.window().resize(1000, 640)
    qtbot.waitUntil(lambda: not replay.screen_a.timeline._signal)
    qtbot.waitUntil(lambda: replay.screen_a.view.height() > replay.screen_a.timeline.height())


def test_a_kept_film_stays_kept(replay: ReplayPanel) -> None:
    replay.keep.click()
    assert film_is_kept(replay._data, 2) and replay.keep.isChecked()
    replay.keep.click()
    assert not film_is_kept(replay._data, 2)
