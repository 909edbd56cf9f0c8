"""The signals' strips: names, values and thresholds at the left, the chart at the right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractSpinBox, QWidget

from pitwall.console.kit.elements import Label
from pitwall.console.kit.form.inputs import NumberBox
from pitwall.console.kit.theme import GAP, ROUTE_SIGNS, SMALL_PX, Look, route_tone, ui_font
from pitwall.console.live.signals.route_lanes import WORDS
from pitwall.console.live.signals.strip_chart import LANES, StripChart, StripRow, lay_out_rows
from pitwall.console.live.signals.thresholds import threshold_box, threshold_field
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import RUNNING, Part
from pitwall.core.clock import now_ns
from pitwall.core.signals import WEIGHED, Route, Thresholds, TriggerSignal

_LABELS_WIDTH = 256
_BOX_WIDTH = 90
_REDRAW_MS = 66
_SEND_MS = 350
"""A threshold is sent this long after its last change."""


def _strip_row(signal: TriggerSignal) -> StripRow:
    """Return a signal's row, with the bounds of its threshold."""
    field = threshold_field(signal.setting)
    return StripRow(signal=signal, least=field.least, most=field.most, whole=field.decimals == 0)


class Strips(QWidget):
    """Names, values and thresholds at the left; the chart at the right."""

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self._look = look
        self._rows = tuple(_strip_row(signal) for signal in WEIGHED.values())
        self.chart = StripChart(look, self._rows, self._dragged)
        self.chart.setParent(self)
        self._names = [self._label(each.signal.title) for each in self._rows]
        self._values = [self._label("–", right=True) for _ in self._rows]
        for each, *labels in zip(self._rows, self._names, self._values, strict=True):
            for label in labels:
                label.setToolTip(each.signal.tip)
        self._boxes: list[NumberBox] = []
        for each in self._rows:
            box = threshold_box(each.signal.setting)
            box.setParent(self)
            box.hide()
            box.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.UpDownArrows)
            box.setEnabled(False)
            box.valueChanged.connect(lambda *_: self._edited())
            self._boxes.append(box)
        self._lanes = [self._label(f"{ROUTE_SIGNS[route]}  {route.value}") for route in LANES]
        for route, lane in zip(LANES, self._lanes, strict=True):
            lane.set_tone(route_tone(route))
        self._doing = [self._label("", right=True) for _ in LANES]
        for label in self._doing:
            label.setProperty("kind", "note")
        self._waiting: dict[str, float] = {}
        """Thresholds changed here and not yet echoed."""
        self._send = QTimer(self, interval=_SEND_MS, singleShot=True)
        self._send.timeout.connect(self._send_now)
        self._redraw = QTimer(self, interval=_REDRAW_MS)
        self._redraw.timeout.connect(self._draw)
        self._redraw.start()
        self._stale = True

    def minimumSizeHint(self) -> QSize:
        least = self.chart.minimumSizeHint()
        return QSize(_LABELS_WIDTH + least.width(), least.height())

    def sizeHint(self) -> QSize:
        hint = self.chart.sizeHint()
        return QSize(_LABELS_WIDTH + hint.width(), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.chart.setGeometry(_LABELS_WIDTH + GAP, 0, self.width() - _LABELS_WIDTH - GAP, self.height())
        rows = lay_out_rows(self.height(), len(self._rows))
        tall = min(26, int(rows.height) - 1)
        for index, top in enumerate(rows.tops):
            y = round(top + (rows.height - tall) / 2)
            self._names[index].setGeometry(0, y, 104, tall)
            self._values[index].setGeometry(104, y, 48, tall)
            self._boxes[index].setGeometry(_LABELS_WIDTH - _BOX_WIDTH, y, _BOX_WIDTH, tall)
        for lane, top in zip(self._lanes, rows.lane_tops, strict=True):
            lane.setGeometry(0, round(top), 104, round(rows.lane))
        for doing, top in zip(self._doing, rows.lane_tops, strict=True):
            doing.setGeometry(104, round(top), _LABELS_WIDTH - 104, round(rows.lane))

    def use_subject(self) -> None:
        """Drop changed thresholds that were not sent: they were meant for the former game."""
        self._send.stop()
        self._waiting.clear()

    def refresh(self, changed: Part) -> None:
        """Note a change; it is drawn at the next tick of the strips' own timer."""
        if changed & (Part.FRAME | Part.ROUTE | Part.STEP | Part.RUN | Part.PHASE):
            self._stale = True
        if changed & (Part.THRESHOLDS | Part.PHASE):
            self._show_thresholds()

    # ---- drawing

    def _draw(self) -> None:
        state = self._bridge.state
        if not self.isVisible() or not (self._stale or state.phase in RUNNING):
            return
        self._stale = False
        right = state.clock_ns(now_ns())
        ages, values = state.signals.since(right)
        stretches = [*state.thinking.thoughts.since(right), *state.routes.since(right)]
        note, limits = state.note, state.thresholds
        rows = enumerate(each.signal for each in self._rows)
        holding = [at for at, signal in rows if note and limits and signal.holds(note.signals, limits)]
        drops = tuple(state.thinking.drops)
        self.chart.set_history(right, ages, values, tuple(state.marks), stretches, drops, holding)
        for index, each in enumerate(self._rows):
            signal = each.signal
            text = signal.text(getattr(note.signals, signal.name)) if note is not None else "–"
            self._values[index].set_text(text)
        self._show_doing()

    def _show_doing(self) -> None:
        """Show the activity of each controller, in a word beside its lane."""
        state = self._bridge.state
        running = state.phase in RUNNING
        for label, route in zip(self._doing, LANES, strict=True):
            text = WORDS[state.routes.state] if running and state.routes.current is route else ""
            if running and route is Route.STRATEGIC and state.thinking.asked is not None:
                text = WORDS[state.routes.state or "thinking"] if text else WORDS["thinking"]
            label.set_text(text)

    def _show_thresholds(self) -> None:
        thresholds = self._bridge.state.thresholds
        for index, each in enumerate(self._rows):
            box = self._boxes[index]
            box.setVisible(thresholds is not None)
            box.setEnabled(self._bridge.connected)
            if thresholds is None:
                self.chart.set_threshold(index, None)
                continue
            now = float(getattr(thresholds, each.signal.setting))
            if self._waiting.get(each.signal.setting) == now:
                del self._waiting[each.signal.setting]
            if each.signal.setting not in self._waiting:
                self._put(index, now)

    def _put(self, index: int, threshold: float) -> None:
        box = self._boxes[index]
        box.show_number(threshold)
        self.chart.set_threshold(index, threshold)

    # ---- changing a threshold

    def _dragged(self, index: int, threshold: float, ended: bool) -> None:
        self._put(index, threshold)
        self._waiting[self._rows[index].signal.setting] = threshold
        if ended:
            self._send_now()

    def _edited(self) -> None:
        thresholds = self._bridge.state.thresholds
        if thresholds is None:
            return
        for index, each in enumerate(self._rows):
            value = float(self._boxes[index].value())
            if value != float(getattr(thresholds, each.signal.setting)):
                self._waiting[each.signal.setting] = value
                self.chart.set_threshold(index, value)
        self._send.start()

    def _send_now(self) -> None:
        self._send.stop()
        thresholds = self._bridge.state.thresholds
        if thresholds is not None and self._waiting:
            changed = {
                name: int(value) if Thresholds.model_fields[name].annotation is int else value
                for name, value in self._waiting.items()
            }
            self._bridge.set_thresholds(thresholds.model_copy(update=changed))

    def _label(self, text: str, *, right: bool = False) -> Label:
        label = Label(text)
        label.setFont(ui_font(SMALL_PX))
        label.setParent(self)
        if right:
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return label
