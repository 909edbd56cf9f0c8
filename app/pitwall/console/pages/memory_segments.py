"""The memory page's segments: which kind of entries is in view, and how many there are of each."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QComboBox, QWidget

from pitwall.console.theme import GAP, PAD, RADIUS, SMALL_PX, STEP, TEXT_PX, Look, Tone, ui_font
from pitwall.console.widgets.panels import row

_HEIGHT = 28


class Segments(QWidget):
    """One at a time; arrows move between them. Where they do not fit into a line they become a choice.

    Signals:
        chosen(key).
    """

    chosen = Signal(str)

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self._look = look
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: dict[str, SegmentButton] = {}
        self._line = QWidget()
        self._line.setLayout(row(gap=STEP))
        self._choice = QComboBox()
        self._choice.setAccessibleName(name)
        self._choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._choice.activated.connect(lambda at: self.chosen.emit(self._choice.itemData(at)))
        self._choice.hide()
        self.setLayout(row(self._line, self._choice, None, gap=0))
        self.setAccessibleName(name)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Ignored)
        self.setSizePolicy(policy)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._buttons)

    @property
    def current(self) -> str:
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def add(self, key: str, title: str, tip: str = "") -> None:
        """One more, at the end."""
        button = SegmentButton(self._look, title)
        button.setToolTip(tip)
        button.clicked.connect(lambda *_: self.chosen.emit(key))
        button.stepped.connect(self._step)
        self._group.addButton(button)
        self._buttons[key] = button
        inside = self._line.layout()
        assert inside is not None
        inside.addWidget(button)
        self._choice.addItem(title, key)
        self._fit()

    def choose(self, key: str) -> None:
        """Mark one as the one in view, without telling it."""
        self._buttons[key].setChecked(True)
        self._choice.setCurrentIndex(self._choice.findData(key))
        for other, button in self._buttons.items():
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if other == key else Qt.FocusPolicy.ClickFocus)

    def show_note(self, key: str, note: str, tone: Tone = "neutral") -> None:
        """What stands beside a title: how many there are."""
        button = self._buttons[key]
        if button.show_note(note, tone):
            self._choice.setItemText(self._choice.findData(key), f"{button.text()}  {note}".strip())
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _HEIGHT + 2)

    def _fit(self) -> None:
        hints = [button.sizeHint().width() + STEP for button in self._buttons.values()]
        fits = sum(hints) - STEP <= self.width()
        self._line.setVisible(fits)
        self._choice.setVisible(not fits)

    def _step(self, by: int) -> None:
        keys = self.keys
        key = keys[(keys.index(self.current) + by) % len(keys)]
        self._buttons[key].setFocus()
        self.chosen.emit(key)


class SegmentButton(QAbstractButton):
    """A title, and a smaller figure beside it.

    Signals:
        stepped(by): an arrow key was pressed, −1 or +1.
    """

    stepped = Signal(int)

    def __init__(self, look: Look, title: str) -> None:
        super().__init__()
        self._look = look
        self._note = ""
        self._tone: Tone = "neutral"
        self.setText(title)
        self.setCheckable(True)
        self.setAccessibleName(title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        look.changed.connect(self.update)

    def show_note(self, note: str, tone: Tone) -> bool:
        """Change the figure; returns whether it is another one."""
        if (note, tone) == (self._note, self._tone):
            return False
        self._note, self._tone = note, tone
        self.setAccessibleName(f"{self.text()}, {note}" if note else self.text())
        self.updateGeometry()
        self.update()
        return True

    def sizeHint(self) -> QSize:
        wide = self._title_width()
        if self._note:
            wide += STEP + 2 + self._note_width()
        return QSize(wide + 2 * PAD, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(by)
            event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = self._look
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("hover" if self.isChecked() else "raised"))
            painter.drawRoundedRect(area, RADIUS - 1, RADIUS - 1)
        if self.hasFocus():
            painter.setPen(look.colour("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, RADIUS - 1, RADIUS - 1)
        inside = self.rect().adjusted(PAD, 0, -GAP, 0)
        painter.setFont(ui_font(TEXT_PX, bold=self.isChecked()))
        painter.setPen(look.colour("text" if self.isChecked() or self.underMouse() else "dim"))
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, middle, self.text())
        if self._note:
            inside.setLeft(inside.left() + self._title_width() + STEP + 2)
            painter.setFont(ui_font(SMALL_PX - 1))
            painter.setPen(look.colour("faint" if self._tone == "neutral" else self._tone))
            painter.drawText(inside, middle, self._note)

    def _title_width(self) -> int:
        return _width(self.text(), TEXT_PX, bold=True)

    def _note_width(self) -> int:
        return _width(self._note, SMALL_PX - 1)


def _width(text: str, pixels: int, *, bold: bool = False) -> int:
    return QFontMetrics(ui_font(pixels, bold=bold)).horizontalAdvance(text) + 1
