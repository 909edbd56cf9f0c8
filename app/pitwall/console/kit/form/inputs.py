"""The inputs that forms and toolbars are made of; the wheel scrolls the page, never a value in passing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QObject,
    QSignalBlocker,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QDropEvent, QFontMetricsF, QKeyEvent, QResizeEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.form.fields import Option, OptionLike, options_of
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import SMALL_PX, STEP, mono_font

_WIDEST = 999_999_999_999
_SETTLE_MS = 250
"""Arrows held down are one entry, not thirty a second."""
_ARROW_PX, _WIDEST_PX = 46, 1_000
"""Pixels of a list that are not for its text, and most pixels of a list."""
_MOST_LINES = 7


class _ScrollPast(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def scroll_past(widget: QWidget) -> None:
    """Let the wheel scroll the page while the pointer is over a widget that has not the focus."""
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.installEventFilter(_ScrollPast(widget))


class Combo(QComboBox):
    """A list to choose from; each option has a value.

    Args:
        name: accessible name. letters: width in letters where options may be longer, 0 for the longest.
        width: least width in pixels. compact: lower, for toolbars.

    Signals:
        chosen(value): the operator chose another option.
    """

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        options: Iterable[OptionLike] = (),
        *,
        letters: int = 0,
        width: int = 0,
        compact: bool = False,
        tip: str = "",
    ) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setMinimumWidth(width)
        if compact:
            self.setProperty("kind", "compact")
        if letters:
            self.setMinimumContentsLength(letters)
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._offered: tuple[Option, ...] = ()
        self._opened = False
        self._waits: Callable[[], None] | None = None
        self._fits: tuple[int, int] | None = None
        self.offer(options)
        scroll_past(self)
        self.currentIndexChanged.connect(lambda _: self.chosen.emit(self.current))

    def fit(self, least_px: int, most_px: int = _WIDEST_PX) -> None:
        """Fit the longest option, within these bounds, in each language."""
        self._fits = least_px, most_px
        self.renew_texts()

    def renew_texts(self) -> None:
        """Set the width for the options in the language in use."""
        words = (self.fontMetrics().horizontalAdvance(self.itemText(at)) for at in range(self.count()))
        if self._fits is not None:
            least, most = self._fits
            self.setFixedWidth(max(least, min(most, max(words, default=0) + _ARROW_PX)))

    @property
    def current(self) -> Any:
        """Return the value of the option that is taken; None where there is none."""
        at = self.currentIndex()
        return self._offered[at].value if 0 <= at < len(self._offered) else None  # Qt's data loses enums

    def offer(self, options: Iterable[OptionLike], taken: object = None) -> None:
        """Replace the options without a signal; choose `taken`, else the present choice, else the first.

        An open list keeps its options until the operator has chosen.
        """
        offered = options_of(options)
        if self._opened and self.view().isVisible():
            self._waits = partial(self.offer, offered, taken)
            return
        self._waits = None
        wanted = self.current if taken is None else taken
        with QSignalBlocker(self):
            if offered != self._offered:
                self._offered = offered
                self.clear()
                for at, option in enumerate(offered):
                    self.addItem(option.word, option.value)
                    self.setItemData(at, spoken(option.help) or None, Qt.ItemDataRole.ToolTipRole)
            self.setCurrentIndex(self._place_of(wanted))

    def choose(self, value: object) -> None:
        """Take an option without telling it; the first where the value is not among them."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self._place_of(value))

    def showPopup(self) -> None:
        self._opened = True
        super().showPopup()

    def hidePopup(self) -> None:
        super().hidePopup()
        self._opened = False
        QTimer.singleShot(0, self, self._offer_what_waits)  # emits `chosen` later

    def _offer_what_waits(self) -> None:
        if self._waits is not None:
            self._waits()

    def _place_of(self, value: object) -> int:
        values = [option.value for option in self._offered]
        return values.index(value) if value in values else min(0, len(values) - 1)


class NumberBox(QDoubleSpinBox):
    """A number with its unit: a whole number where `decimals` is 0, else without trailing zeros.

    Args:
        step: what an arrow key adds; 0 derives it from the bounds.
        special: shown in place of the least number.
        clamp: keep typed numbers within the bounds; otherwise only the arrow keys stay inside.
        width: in pixels; 0 fits the numbers.
    """

    def __init__(
        self,
        name: str,
        least: float = 0,
        most: float = 1_000_000_000,
        *,
        decimals: int = 0,
        step: float = 0,
        unit: str = "",
        special: str = "",
        clamp: bool = True,
        compact: bool = False,
        width: int = 0,
        value: float | None = None,
    ) -> None:
        super().__init__()
        self._clamp = clamp
        self.setAccessibleName(name)
        self.setDecimals(decimals)
        self.set_bounds(least, most)
        self.setSingleStep(step or _step(least, most, decimals))
        self.setSuffix(f" {unit}" if unit else "")
        self.setSpecialValueText(special)
        self.setGroupSeparatorShown(True)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
        if compact:
            self.setProperty("kind", "compact")
        if width:
            self.setFixedWidth(width)
        scroll_past(self)
        self._settled = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settled.timeout.connect(self.editingFinished)
        if value is not None:
            self.setValue(value)

    @property
    def number(self) -> int | float:
        """Return the value, as an int where the box has no decimals."""
        return self.value() if self.decimals() else int(self.value())

    def set_bounds(self, least: float, most: float) -> None:
        """Change the bounds without telling it."""
        self._least, self._most = least, most
        with QSignalBlocker(self):
            self.setRange(*((least, most) if self._clamp else (-_WIDEST, _WIDEST)))

    def show_number(self, value: float) -> None:
        """Show a number without telling it."""
        with QSignalBlocker(self):
            self.setValue(value)

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        return super().validate(text.replace(".", self.locale().decimalPoint()), at)

    def textFromValue(self, value: float) -> str:
        text = super().textFromValue(value)
        point = self.locale().decimalPoint()
        return text.rstrip("0").removesuffix(point) if point in text else text

    def stepBy(self, steps: int) -> None:
        wanted = self.value() + steps * self.singleStep()
        self.setValue(min(max(wanted, self._least), self._most))
        self._settled.start()


def _step(least: float, most: float, decimals: int) -> float:
    """Return a step that crosses the bounds in some fifty presses: 1, 5, 10, 50 …; 1 without bounds."""
    if decimals:
        return 0.01 if most - least <= 10 else 1.0
    step = 1
    while (most - least) / step > 120 and most - least < 1_000_000_000:
        step *= 5 if str(step).startswith("1") else 2
    return step


class Line(QLineEdit):
    """A line of text; suggests words while it is typed where it was given some."""

    def __init__(self, name: str, hint: str = "", text: str = "") -> None:
        super().__init__(text)
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)

    def suggest(self, words: Iterable[str]) -> None:
        """Complete the whole text with words that contain it."""
        completer = QCompleter(QStringListModel(list(words), self), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)


class Lines(QPlainTextEdit):
    """A text field for several lines that grows with its text; Tab moves to the next field.

    Signals:
        sent(): Ctrl+Enter was pressed.
    """

    sent = Signal()

    def __init__(self, name: str, hint: str = "", *, code: bool = False, least: int = 2) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._least = least
        if code:
            self.setFont(mono_font(SMALL_PX))
        self.document().documentLayout().documentSizeChanged.connect(lambda *_: self.updateGeometry())
        policy = self.sizePolicy()
        policy.setVerticalPolicy(policy.Policy.Fixed)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        lines = min(_MOST_LINES, max(self._least, self._line_count()))
        high = QFontMetricsF(self.font()).lineSpacing() * lines + 2 * self.document().documentMargin() + 12
        return QSize(super().sizeHint().width(), round(high))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def _line_count(self) -> int:
        """Count lines as they are broken, as many as can be shown; the document knows painted ones only."""
        count, block, layout = 0, self.document().firstBlock(), self.document().documentLayout()
        while block.isValid() and count < _MOST_LINES:
            layout.blockBoundingRect(block)  # lays it out
            count += block.layout().lineCount()
            block = block.next()
        return count

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.sent.emit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class _FileDrop(QObject):
    def __init__(self, widget: QWidget, take: Callable[[list[Path]], object]) -> None:
        super().__init__(widget)
        self._take = take
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDropEvent):
            return False
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self._take(files)
        return bool(files)


def take_dropped_files(widget: QWidget, take: Callable[[list[Path]], object]) -> None:
    """Call a function with the local files that are dropped onto a widget."""
    _FileDrop(widget, take)


class PathField(QWidget):
    """A path: typed, dropped, or chosen with a button that opens the file dialog.

    Args:
        name: what the file is, for screen readers and the dialog's title.
        kinds: the dialog's filter. kind: "file" to read, "new_file" to write, or "folder".

    Signals:
        changed(path): it was typed, chosen or dropped; once for each, after typing ended.
    """

    changed = Signal(str)

    def __init__(self, name: str, hint: str = "", kinds: str = "", *, kind: str = "file") -> None:
        super().__init__()
        self._name, self._kinds, self._kind = name, kinds, kind
        self._emitted = ""
        self.line = Line(name, hint)
        self.line.editingFinished.connect(self._tell)
        take_dropped_files(self.line, lambda files: self.set_path(str(files[0])))
        self.button = Button("Choose…", self._choose, name=f"Choose: {name}")
        self.setLayout(row(self.line, self.button, gap=STEP, stretch=0))
        self.setFocusProxy(self.line)

    @property
    def path(self) -> str:
        """Return the path as typed, without quotes that a file manager may have put around it."""
        return self.line.text().strip().strip("'\"").removeprefix("file://")

    def set_path(self, path: str) -> None:
        """Put a path in, and tell it."""
        self.line.setText(path)
        self._tell()

    def _tell(self) -> None:
        if self.path != self._emitted:
            self._emitted = self.path
            self.changed.emit(self._emitted)

    def _choose(self) -> None:
        start = str(Path(self.path).parent) if self.path else ""
        if self._kind == "folder":
            chosen = QFileDialog.getExistingDirectory(self, self._name, self.path)
        elif self._kind == "new_file":
            chosen, _ = QFileDialog.getSaveFileName(self, self._name, self.path, spoken(self._kinds))
        else:
            chosen, _ = QFileDialog.getOpenFileName(self, self._name, start, spoken(self._kinds))
        if chosen:
            self.set_path(chosen)
