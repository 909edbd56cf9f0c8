"""The whole window with a scripted engine: states, commands, keys, faults, looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_play import PHASES, Scene, ScriptedPlay, prefill
from tests.console.scripted_session import GAMES, STATE, ScriptedOpener, ended, opened, state
from tests.console.scripted_session import window as scripted_window

from pitwall.console.kit.picture.live_view import PictureOverlay
from pitwall.console.kit.screen_places import rect_to_qt, screen_places
from pitwall.console.kit.theme import ThemeName
from pitwall.console.live.game_choice import GameTile
from pitwall.console.shell.application import Console
from pitwall.console.shell.bottom_bar import Figure
from pitwall.console.shell.fault_bar import fault_from, faults_shown
from pitwall.console.shell.key_button import KeyButton
from pitwall.console.shell.rail import Rail
from pitwall.console.shell.top_bar import TopBar
from pitwall.console.state.view_state import Phase
from pitwall.core import commands, telemetry
from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect, WindowHealth
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Route
from pitwall.core.telemetry import Fault, WindowSeen
from workshop.fixtures.key_window import KeyWindow


def picture(widget: QWidget) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return a widget's picture, (height, width, 4)."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(image.constBits(), np.uint8)
    return flat.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width()].copy()


def words_in_view(widget: QWidget) -> str:
    return "\n".join(
        label.accessibleName() or label.text() for label in widget.findChildren(QLabel) if label.isVisible()
    )


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def press(
    widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(widget, key, modifiers)


# ---- states


def test_with_nothing_chosen_a_click_on_a_game_opens_it(room: ConsoleHarness) -> None:
    tile = room.button("Play Flappy Bird")
    assert not room.button("Play Half a game").isEnabled()
    click(tile)
    assert room.session.opening.game == "flappy"
    assert room.session.opening.console_pids
    assert room.phase is Phase.OPENING


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_state_is_drawn_and_says_what_to_do(room: ConsoleHarness, theme: ThemeName) -> None:
    room.console.look.use(theme)
    room.console.bridge.open_game("flappy")
    room.console.bridge.flush()
    assert room.button("Cancel").isVisible()
    _check_drawn(room, "opening", ())
    prefill(room.session, 2.0)
    room.wait_for(Phase.PLAYING)
    _check_drawn(room, "playing", ())
    for name, records in PHASES.items():
        room.session.tell(*records)
        room.wait_for(Phase(records[0].state.value))
        _check_drawn(room, name, records)
    room.session.die(log="last words of the engine")
    room.wait_for(Phase.LOST)
    _check_drawn(room, "lost", ())
    assert room.button("Restart the engine").isEnabled()


def _check_drawn(room: ConsoleHarness, name: str, records: Sequence[Any]) -> None:
    texts = [getattr(record, part, "") for record in records for part in ("text", "fix")]
    wanted = [text.strip().splitlines()[0] for text in texts if text and "games trust" not in text]

    def drawn() -> None:
        shown = words_in_view(room.console.window)
        assert not [text for text in wanted if text not in shown], name

    room.bot.waitUntil(drawn)
    room.bot.wait(50)
    seen = picture(room.console.window)
    assert len(np.unique(seen.view(np.uint32))) > 50, name
    assert room.button("Emergency stop").isEnabled() == room.console.bridge.connected


def test_the_picture_shows_the_frame_whole_and_in_proportion(room: ConsoleHarness) -> None:
    room.play()
    view = room.console.live.view
    view.show_boxes = view.show_keys = view.show_badge = False
    frame = Scene().frame(7, 0.0, 1)
    view.set_frame(frame)
    place = view.picture()
    assert place.width() / place.height() == pytest.approx(288 / 512, rel=0.01)
    seen = picture(view)
    centre = seen[int(place.top() + place.height() * 0.95), int(place.center().x())]
    assert np.abs(centre.astype(int)[:3] - frame.pixels[486, 144][:3]).max() <= 2


def test_beside_a_narrow_picture_the_action_stands_whole_under_who_drives(room: ConsoleHarness) -> None:
    room.play()
    view = room.console.live.view
    view.set_sight(
        PictureOverlay(route=Route.REACTIVE, action="move_right", badge="strategic in 3 steps (refresh)")
    )
    frame = Scene().frame(7, 0.0, 1)
    view.set_frame(frame)
    assert view.picture().x() > 150, "there is room beside it"
    driver, action, _ = [words for _, words, _ in view.badges(view.picture())]
    assert driver.endswith("Reactive") and action == "move_right"
    wide = np.repeat(frame.pixels[: 288 // 2], 4, axis=1)
    view.set_frame(replace(frame, pixels=np.ascontiguousarray(wide)))
    assert view.picture().x() < 150
    assert view.badges(view.picture())[0][1].endswith("Reactive · move_right")


def test_the_overlays_can_be_left_out(room: ConsoleHarness) -> None:
    room.play()
    with_boxes = picture(room.console.live.view)
    click(room.button("Show boxes"))
    assert not room.console.bridge.settings.console.show_boxes
    assert (picture(room.console.live.view) != with_boxes).any()


# ---- commands


@pytest.mark.parametrize("width", [620, 760, 900, 1040, 1180, 1400])
def test_a_command_stays_where_it_is_whatever_happens(room: ConsoleHarness, width: int) -> None:
    room.console.window.resize(width, 700)
    (bar,) = room.console.window.findChildren(TopBar)
    places = set()

    def note_place() -> None:
        room.bot.wait(20)
        places.add((bar.start.x(), bar.emergency.x(), bar.start.width()))
        assert bar.emergency.geometry().right() < bar.width()

    note_place()
    room.console.bridge.open_game("flappy")
    note_place()
    prefill(room.session, 2.0)
    room.wait_for(Phase.PLAYING)
    note_place()
    for records in PHASES.values():
        room.session.tell(*records)
        room.wait_for(Phase(records[0].state.value))
        note_place()
    assert len(places) == 1


def test_start_pause_resume_stop_and_emergency_stop_reach_the_engine(room: ConsoleHarness) -> None:
    """Click the buttons one by one; what a click does to the keyboard is left out."""
    bridge = room.console.bridge
    bridge.save_settings(bridge.settings.with_value("console", "keyboard_in_game", False))
    bridge.open_game("flappy")
    room.session.tell(*ScriptedPlay(1).opening())
    room.wait_for(Phase.READY)
    for name, phase in (
        ("Start", Phase.PLAYING),
        ("Pause", Phase.PAUSED),
        ("Resume", Phase.PLAYING),
        ("Emergency stop", Phase.LATCHED),
        ("Resume", Phase.PLAYING),
        ("Stop", Phase.READY),
    ):
        click(room.button(name))
        room.wait_for(phase)
        buttons = [
            button for button in room.console.window.findChildren(QAbstractButton) if button.isVisible()
        ]
        starts = [button for button in buttons if button.accessibleName().startswith(("Start", "Resume"))]
        assert len(starts) == 1, f"after {name} there are {len(starts)} of Start"
    kinds = [command.kind for command in room.session.sent]
    assert kinds == ["start", "pause", "resume", "resume", "stop"]
    assert room.session.stops == 1


def test_the_emergency_stop_works_while_the_engine_answers_nothing(room: ConsoleHarness) -> None:
    room.play()
    room.session.answers = False
    click(room.button("Emergency stop"))
    assert room.session.stops == 1


def test_another_game_ends_the_first_engine_before_it_opens(room: ConsoleHarness) -> None:
    room.play()
    first = room.session
    room.session.tell(state(STATE.READY))
    room.wait_for(Phase.READY)
    room.console.bridge.open_game("doom")
    room.bot.waitUntil(lambda: len(room.opener.sessions) == 2)
    assert first.closed
    assert room.session.opening.game == "doom"
    assert room.phase is Phase.OPENING


def test_a_lost_engine_says_its_last_words_and_can_be_restarted(room: ConsoleHarness) -> None:
    room.play()
    room.session.die(log="MemoryError")
    room.wait_for(Phase.LOST)
    assert not room.console.bridge.connected
    click(room.button("Restart the engine"))
    assert len(room.opener.sessions) == 2
    assert room.session.opening.game == "flappy"


def test_a_threshold_changed_by_hand_is_sent_and_its_echo_shown(room: ConsoleHarness) -> None:
    room.play()
    box = next(
        box
        for box in room.console.window.findChildren(QAbstractSpinBox)
        if box.accessibleName().startswith("Threshold: Steps without progress (z)")
    )
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "9")
    press(box, Qt.Key.Key_Return)

    def sent() -> bool:
        return any(isinstance(c, commands.SetThresholds) for c in room.session.sent)

    room.bot.waitUntil(sent)
    command = next(c for c in room.session.sent if isinstance(c, commands.SetThresholds))
    assert command.thresholds.stall_steps == 9
    thresholds = room.console.bridge.state
    room.bot.waitUntil(lambda: thresholds.thresholds is not None and thresholds.thresholds.stall_steps == 9)


def test_a_threshold_line_can_be_dragged(room: ConsoleHarness) -> None:
    from pitwall.console.live.signals.strip_chart import StripChart

    room.play()
    chart = room.console.window.findChild(StripChart)
    assert chart is not None
    rows = chart.rows()
    line = int(chart._y(rows, 0, 0.35))
    place = chart.viewport()
    QTest.mousePress(place, Qt.MouseButton.LeftButton, pos=QPoint(200, line))
    QTest.mouseMove(place, QPoint(200, line - 6))
    QTest.mouseRelease(place, Qt.MouseButton.LeftButton, pos=QPoint(200, line - 6))
    command = next(c for c in room.session.sent if isinstance(c, commands.SetThresholds))
    assert 0.35 < command.thresholds.scene_change <= 0.7


# ---- keyboard and words


def test_keys_work_and_help_and_palette_open(room: ConsoleHarness) -> None:
    room.console.bridge.open_game("flappy")
    room.session.tell(*ScriptedPlay(1).opening())
    room.wait_for(Phase.READY)
    window = room.console.window
    press(window, Qt.Key.Key_F5)
    room.wait_for(Phase.PLAYING)
    press(window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    room.wait_for(Phase.READY)
    seen = []
    for key in (Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_Comma, Qt.Key.Key_1):
        press(window, key, Qt.KeyboardModifier.ControlModifier)
        seen.append(window.page.place.key)
    assert seen == ["memory", "lab", "settings", "live"]
    window.show_help()
    window.show_palette()


def test_every_control_has_a_name_and_can_be_reached(room: ConsoleHarness) -> None:
    room.play()
    window = room.console.window
    for kind in (QAbstractButton, QComboBox, QAbstractSpinBox):
        for widget in window.findChildren(kind):
            if widget.isVisible() and not widget.objectName().startswith("qt_"):
                assert widget.accessibleName() or getattr(widget, "text", str)(), widget
                in_group = isinstance(widget, QAbstractButton) and widget.group() is not None
                assert in_group or widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget.accessibleName()


def test_the_table_twin_tells_the_same_steps(room: ConsoleHarness) -> None:
    from pitwall.console.live.signals.step_table import StepTable

    room.play(6.0)
    click(room.button("Show the signals as a table"))
    table = room.console.window.findChild(StepTable)
    assert table is not None
    assert table.rows.rowCount() == len(room.console.bridge.state.steps) > 3
    newest = room.console.bridge.state.steps[-1]
    shown = [table.rows.index(0, c).data() for c in range(table.rows.columnCount())]
    assert shown[0] == str(newest.step)
    assert shown[7] == newest.route.value


@pytest.mark.parametrize("size", [(1280, 720), (1600, 980), (760, 480)])
def test_nothing_lies_over_its_neighbour(room: ConsoleHarness, size: tuple[int, int]) -> None:
    room.play()
    window = room.console.window
    window.resize(*size)
    room.bot.wait(150)
    bars = [w for w in window.findChildren(QWidget) if w.objectName() in ("topBar", "bottomBar")]
    assert len(bars) == 2
    for bar in bars:
        visible = [w for w in bar.findChildren(QWidget) if w.isVisible() and w.parentWidget() is bar]
        for widget in visible:
            assert bar.rect().contains(widget.geometry()), (widget.accessibleName(), widget.geometry())
            for other in visible:
                assert widget is other or not widget.geometry().intersects(other.geometry())
    boxes = [b for b in window.findChildren(QAbstractSpinBox) if b.isVisible()]
    assert len(boxes) == 5
    for box in boxes:
        assert all(box is b or not box.geometry().intersects(b.geometry()) for b in boxes)


def test_what_is_being_installed_cuts_no_figure(room: ConsoleHarness) -> None:
    room.play()
    window = room.console.window
    window.resize(1280, 720)
    window.show_work("Installing 10 %", "Local models: unpacking")
    room.bot.wait(100)
    shown = [figure for figure in window.findChildren(Figure) if figure.isVisible()]
    assert shown
    assert all(figure.width() >= figure.sizeHint().width() for figure in shown)


def test_the_console_never_takes_the_focus_by_itself(room: ConsoleHarness) -> None:
    other = KeyWindow("the other")
    try:
        room.bot.waitUntil(lambda: not room.console.window.isActiveWindow())
        room.play(2.0)
        for records in PHASES.values():
            room.session.tell(*records)
            room.bot.wait(80)
        room.session.die()
        room.wait_for(Phase.LOST)
        assert not room.console.window.isActiveWindow()
    finally:
        other.close()


def test_a_console_that_starts_by_itself_does_not_take_the_focus(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    other = KeyWindow("the other")
    heard: list[str] = []
    data = DataFolder(tmp_path)

    def focused() -> bool:
        heard.extend(event.kind for event in other.events() if event.kind in ("focus", "blur"))
        return heard[-1:] == ["focus"]

    console = Console(qapp, data, ScriptedOpener(), lambda: GAMES, preflight=False)
    try:
        qtbot.waitUntil(focused)
        console.window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        console.window.show()
        qtbot.waitExposed(console.window)
        qtbot.wait(300)
        assert not console.window.isActiveWindow()
        assert focused()
    finally:
        other.close()
        console.close()
        shiboken6.delete(console.window)


def test_no_part_is_a_window_of_its_own_while_the_console_is_made(
    screen: str, tmp_path: Path, qapp: QApplication
) -> None:
    assert screen
    shown = _ShownWindows()
    qapp.installEventFilter(shown)
    console = Console(qapp, DataFolder(tmp_path), ScriptedOpener(), lambda: GAMES, preflight=False)
    try:
        assert shown.seen == []
        console.window.show()
        pages = ("memory", "lab", "runs", "evaluate", "exam", "models", "demonstrations", "settings")
        for page in (*pages, "new-game"):
            console.window.show_page(page)
        assert shown.seen == [console.window]
    finally:
        qapp.removeEventFilter(shown)
        console.close()
        shiboken6.delete(console.window)


class _ShownWindows(QObject):
    """Notes every window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[QWidget] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(watched)
        return False


# ---- faults


def test_an_exception_in_a_slot_is_shown_and_does_not_kill_the_window(room: ConsoleHarness) -> None:
    def slot() -> None:
        raise RuntimeError("a slot broke")

    timer = QTimer(room.console.window, singleShot=True, interval=1)
    timer.timeout.connect(slot)
    with room.bot.captureExceptions() as caught, faults_shown(room.console.bridge.report):
        timer.start()
        room.bot.waitUntil(lambda: bool(room.console.bridge.state.faults))
        room.console.bridge.flush()
    assert not caught
    assert "a slot broke" in words_in_view(room.console.window)
    click(room.button("Dismiss the error"))
    assert "a slot broke" not in words_in_view(room.console.window)


def test_a_fault_says_what_and_how_to_mend_it() -> None:
    fault = fault_from(DisplayError("the display is gone.", "Start X."))
    assert (fault.what, fault.fix, fault.error) == ("the display is gone.", "Start X.", "DisplayError")
    assert "Traceback" in fault_from(ValueError("x")).traceback or fault_from(ValueError("x")).traceback


def test_an_engines_fault_is_shown(room: ConsoleHarness) -> None:
    room.play()
    room.session.tell(Fault(what="The disk is full.", fix="Free some space.", traceback="OSError"))
    room.bot.waitUntil(lambda: "The disk is full." in words_in_view(room.console.window))
    assert room.button("Details").isVisible()


# ---- the libraries


def test_twenty_thousand_signals_carrying_true_are_survived(room: ConsoleHarness) -> None:
    """PySide6 6.12.0 dropped a reference to True at every emit and aborted after some 500."""

    class Source(QObject):
        emitted = Signal(bool)

    source = Source()
    received: list[bool] = []
    source.emitted.connect(received.append)
    for _ in range(20_000):
        source.emitted.emit(True)
    assert len(received) == 20_000
    assert all(received)
    assert room.console.window.isVisible()


def test_ended_runs_show_how_they_ended(room: ConsoleHarness) -> None:
    room.play()
    room.session.tell(ended(), state(STATE.READY), opened())
    room.wait_for(Phase.READY)
    assert "run 128 · 0:30 · finished · saved" in words_in_view(room.console.window)


def test_the_strip_keeps_the_commands_and_the_whole_console_comes_back(room: ConsoleHarness) -> None:
    room.play()
    window = room.console.window
    window.show_strip(True)
    area = window.screen().availableGeometry()
    window.setGeometry(area.right() - 310, 60, 300, 500)
    room.bot.waitUntil(lambda: window.width() == 300)
    shown = [button for button in window.findChildren(QAbstractButton) if button.isVisible()]
    names = {button.name() if isinstance(button, KeyButton) else button.text() for button in shown}
    assert {"Pause", "Stop", "Emergency stop", "Whole console"} <= names
    accessible_names = {button.accessibleName() for button in shown}
    assert "Stop (Shift+F5)" in accessible_names, "a game may hold the mouse: each key is shown"
    click(room.button("Whole console"))
    assert room.button("Pause (").isVisible()
    assert window.width() >= 720
    room.bot.waitUntil(lambda: area.contains(window.geometry()))


@pytest.mark.parametrize("left", [True, False], ids=["game at the left", "game at the right"])
def test_beside_a_game_that_leaves_no_room_rail_and_commands_stay_in_view(
    room: ConsoleHarness, left: bool
) -> None:
    room.play()
    window, state = room.console.window, room.console.bridge.state
    area = window.screen().availableGeometry()
    game = Rect(area.left() + (0 if left else 400), area.top(), area.width() - 400, area.height())
    seen = scripted_window()
    assert seen.window is not None
    covering = replace(seen, window=replace(seen.window, rect=game))
    room.session.tell(covering)
    room.bot.waitUntil(lambda: state.window == covering)
    window.show_strip(True)
    window.setGeometry(area.right() - 310 if left else area.left() + 10, 60, 300, 500)
    room.bot.waitUntil(lambda: window.width() == 300)
    click(room.button("Whole console"))
    rail = window.findChild(Rail)
    assert rail is not None

    def covered(part: QWidget) -> bool:
        return QRect(part.mapToGlobal(QPoint()), part.size()).intersects(rect_to_qt(game, screen_places()))

    parts = (rail, room.button("Pause ("), room.button("Emergency stop"))
    room.bot.waitUntil(lambda: not any(map(covered, parts)))
    room.session.tell(WindowSeen(window=None, health=WindowHealth.GONE))
    room.bot.waitUntil(lambda: state.window is not None and state.window.window is None)
    window.keep_clear_of_game()
    room.bot.waitUntil(lambda: rail.x() == 0)


def test_the_game_that_was_opened_last_stands_first(room: ConsoleHarness) -> None:
    room.console.bridge.settings = room.console.bridge.settings.with_value("console", "last_game", "doom")
    room.console.live.opened()

    def shown() -> list[str]:
        tiles = room.console.live.findChildren(GameTile)
        return [tile.accessibleName() for tile in sorted(tiles, key=QWidget.x) if tile.isVisible()]

    room.bot.waitUntil(lambda: shown()[:1] == ["Play Freedoom"])
    assert [label.text() for label in room.console.live.findChildren(QLabel)].count("Played last") == 1


def test_a_fault_moves_nothing_that_is_under_the_pointer(room: ConsoleHarness) -> None:
    window = room.console.window
    place = window.page.mapTo(window, QPoint(0, 0)), window.page.size()
    room.console.bridge.report(Fault(what="The disk is full.", fix="Free some space.", traceback=""))
    room.bot.waitUntil(window._faults.isVisible)
    assert (window.page.mapTo(window, QPoint(0, 0)), window.page.size()) == place
    assert window._faults.geometry().bottom() == window._stack.geometry().bottom()
    room.console.bridge.report(Fault(what="The game still ran.", error="Notice"))
    room.bot.waitUntil(window._faults._read.isActive)
    window._faults._read.timeout.emit()  # read: it goes away by itself, and the fault does not
    assert [fault.what for fault in room.console.bridge.state.faults] == ["The disk is full."]
    assert not window._faults._read.isActive()


def test_the_inspector_forgets_the_step_of_another_game(room: ConsoleHarness) -> None:
    room.play()
    live = room.console.live
    shown = room.console.bridge.state.steps[-1].step
    live.inspect(shown)
    decision = live.inspection.inspector.decision
    assert decision is not None and decision.record is not None
    room.console.bridge.open_game("freedoom")
    room.bot.waitUntil(lambda: live.inspection.following)
    decision = live.inspection.inspector.decision
    assert decision is None or decision.record is None


def test_a_closed_game_is_opened_again_and_resume_is_not_offered(room: ConsoleHarness) -> None:
    room.play()
    gone = telemetry.StateChanged(
        state=telemetry.EngineState.PAUSED, cause="window_gone", text="The game's window was closed.", fix="x"
    )
    room.session.tell(gone)
    room.wait_for(Phase.PAUSED)
    assert not room.button("Resume").isEnabled()
    QTest.mouseClick(room.button("Open again"), Qt.MouseButton.LeftButton)
    assert [command.kind for command in room.session.sent][-1] == "resume"
    room.session.tell(replace(opened(), starts=False), gone)
    room.bot.waitUntil(lambda: "Open again" not in _button_names(room))


def test_a_missing_stop_key_is_exchanged_on_the_spot(room: ConsoleHarness) -> None:
    room.play()
    unsafe = telemetry.StateChanged(
        state=telemetry.EngineState.READY,
        cause=telemetry.UNSAFE,
        text="this keyboard layout has no key ScrollLock.",
        stop_keys=("F12", "F11"),
    )
    room.session.tell(unsafe)
    room.wait_for(Phase.READY)
    room.bot.waitUntil(lambda: "Use F11 instead" in _button_names(room))
    QTest.mouseClick(room.button("Use F12 instead"), Qt.MouseButton.LeftButton)
    assert room.console.bridge.settings.hotkeys.stop == "F12"
    assert [command.kind for command in room.session.sent][-2:] == ["set_settings", "start"]
    room.wait_for(Phase.PLAYING)
    assert not {"Use F12 instead", "Use F11 instead"} & _button_names(room)


def _button_names(room: ConsoleHarness) -> set[str]:
    buttons = room.console.window.findChildren(QAbstractButton)
    return {button.accessibleName() for button in buttons if button.isVisible()}
