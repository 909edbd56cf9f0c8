"""The memory page's segments: which kind of entries is in view, and how many there are of each."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QComboBox, QWidget

from pitwall.console.kit.elements import row
from pitwall.console.kit.theme import RADIUS, SMALL_PX, STEP, TEXT_PX, Look, ui_font

_HEIGHT = 28
_MORE_WIDTH = 136
_SIDE = 9


class Segments(QWidget):
    """One at a time; arrows move between them. Those that do not fit into the line are a choice at its end.

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
        self._line = row(gap=STEP)
        self._more = QComboBox()
        self._more.setAccessibleName(f"More: {name}")
        self._more.setPlaceholderText("More")
        self._more.setFixedWidth(_MORE_WIDTH)
        self._more.activated.connect(lambda at: self.chosen.emit(self._more.itemData(at)))
        whole = row(gap=STEP)
        whole.addLayout(self._line)
        whole.addWidget(self._more)
        whole.addStretch(1)
        self.setLayout(whole)
        self._more.hide()
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
        self._line.addWidget(button)
        self._fit()

    def choose(self, key: str) -> None:
        """Mark one as the one in view, without telling it."""
        self._buttons[key].setChecked(True)
        for other, button in self._buttons.items():
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if other == key else Qt.FocusPolicy.ClickFocus)
        self._more.setCurrentIndex(self._more.findData(key))

    def show_note(self, key: str, note: str, *, strong: bool = False) -> None:
        """What stands beside a title: how many there are; strong where it waits for the operator."""
        if self._buttons[key].show_note(note, strong=strong):
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(_MORE_WIDTH, _HEIGHT + 2)

    def _fit(self) -> None:
        widths = {key: button.sizeHint().width() + STEP for key, button in self._buttons.items()}
        room = self.width() + STEP
        if sum(widths.values()) > room:
            room -= _MORE_WIDTH + STEP
        rest = []
        for key, button in self._buttons.items():
            room -= widths[key]
            button.setVisible(room >= 0)
            if room < 0:
                rest.append(key)
        said = [f"{self._buttons[key].text()}  {self._buttons[key].note}".strip() for key in rest]
        if said != [self._more.itemText(at) for at in range(self._more.count())]:
            self._more.clear()
            for key, text in zip(rest, said, strict=True):
                self._more.addItem(text, key)
        self._more.setCurrentIndex(self._more.findData(self.current))
        self._more.setVisible(bool(rest))

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
        self.note = ""
        self._strong = False
        self.setText(title)
        self.setCheckable(True)
        self.setAccessibleName(title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        look.changed.connect(self.update)

    def show_note(self, note: str, *, strong: bool) -> bool:
        """Change the figure; returns whether it is another one."""
        if (note, strong) == (self.note, self._strong):
            return False
        self.note, self._strong = note, strong
        self.setAccessibleName(f"{self.text()}, {note}" if note else self.text())
        self.updateGeometry()
        self.update()
        return True

    def sizeHint(self) -> QSize:
        wide = self._title_width()
        if self.note:
            wide += STEP + 2 + self._note_width()
        return QSize(wide + 2 * _SIDE, _HEIGHT)

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
        inside = self.rect().adjusted(_SIDE, 0, -STEP, 0)
        painter.setFont(ui_font(TEXT_PX, bold=self.isChecked()))
        painter.setPen(look.colour("text" if self.isChecked() or self.underMouse() else "dim"))
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, middle, self.text())
        if self.note:
            inside.setLeft(inside.left() + self._title_width() + STEP + 2)
            painter.setFont(ui_font(SMALL_PX - 1))
            painter.setPen(look.colour("text" if self._strong else "faint"))
            painter.drawText(inside, middle, self.note)

    def _title_width(self) -> int:
        return _width(self.text(), TEXT_PX, bold=True)

    def _note_width(self) -> int:
        return _width(self.note, SMALL_PX - 1)


def _width(text: str, pixels: int, *, bold: bool = False) -> int:
    return QFontMetrics(ui_font(pixels, bold=bold)).horizontalAdvance(text) + 1
