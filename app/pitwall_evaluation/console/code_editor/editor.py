"""Code with line numbers: to edit, or two of it as a diff with + and − signs beside the colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from pitwall.console.kit.elements import set_property
from pitwall.console.kit.theme import GAP, SMALL_PX, TINY_PX, Look, mono_font
from pitwall_evaluation.console.code_editor.diff import DiffLine, changed, diff
from pitwall_evaluation.console.code_editor.highlighters import PythonHighlighter, YamlHighlighter

_INDENTS: dict[str, str] = {"yaml": "  "}
_SIGNS = {"+": "+", "-": "−", " ": " "}
_SOFT = {"+": "ok_soft", "-": "stop_soft"}
_INK = {"+": "ok", "-": "stop"}


class _Gutter(QWidget):
    def __init__(self, code: CodeView) -> None:
        super().__init__(code)
        self._code = code

    def sizeHint(self) -> QSize:
        return QSize(self._code.gutter_width, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._code.paint_gutter(self, event)


Language = Literal["python", "yaml", ""]
_HIGHLIGHTERS = {"python": PythonHighlighter, "yaml": YamlHighlighter}


class CodeView(QPlainTextEdit):
    """Numbered lines in a monospaced face; lines may have a sign and a ground, and one of them a fault.

    Args:
        language: whose words are coloured; empty: none are.
    """

    def __init__(self, look: Look, name: str, language: Language = "python") -> None:
        super().__init__()
        self._look = look
        self._fault = 0
        self._marks: Sequence[DiffLine] = ()
        self.setAccessibleName(name)
        self.setProperty("kind", "code")
        self.setFont(mono_font(SMALL_PX))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._gutter = _Gutter(self)
        self._highlighter = _HIGHLIGHTERS[language](self.document(), look) if language else None
        self.blockCountChanged.connect(self._fit)
        self.updateRequest.connect(lambda *_: self._gutter.update())
        look.changed.connect(self._paint_lines)
        self._fit()

    @property
    def fault_line(self) -> int:
        """Return the number of the marked line, from 1; 0 for none."""
        return self._fault

    def mark_fault(self, line: int, why: str = "", *, go: bool = True) -> None:
        """Mark a line as faulty; 0 removes the mark.

        Args:
            go: scroll to the line; otherwise the cursor keeps its place.
        """
        self._fault = line
        set_property(self, "fault", "yes" if go and (line or why) else "no")
        self.setAccessibleDescription(why)
        block = self.document().findBlockByNumber(line - 1)
        if go and line and block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.ensureCursorVisible()
        self._paint_lines()

    @property
    def text_height(self) -> int:
        """Return the pixels that the whole text takes at its width, one line more to write in."""
        lines = round(self.document().size().height())  # of plain text: a number of lines
        spare = 1 if self.isReadOnly() else 2
        return (lines + spare) * self.fontMetrics().lineSpacing() + 3 * GAP + 8

    @property
    def gutter_width(self) -> int:
        digits = max(2, len(str(self.blockCount())))
        signs = 2 if self._marks else 1
        return self.fontMetrics().horizontalAdvance("0") * (digits + signs) + GAP

    def paint_gutter(self, gutter: QWidget, event: QPaintEvent) -> None:
        """Paint the numbers and signs of the lines in view."""
        painter = QPainter(gutter)
        painter.setFont(mono_font(TINY_PX))
        block: QTextBlock = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            if top + height >= event.rect().top():
                self._paint_number(painter, block.blockNumber(), int(top), gutter.width())
            top += height
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()

    # ---- inside

    def _paint_number(self, painter: QPainter, at: int, top: int, width: int) -> None:
        line = self._marks[at] if at < len(self._marks) else None
        number = at + 1 if line is None else (line.new or line.old or 0)
        height = self.fontMetrics().lineSpacing()
        faulty = at + 1 == self._fault
        ink = "stop" if faulty else _INK.get(line.sign, "faint") if line is not None else "faint"
        painter.setPen(self._look.colour(ink))
        sign = "!" if faulty else _SIGNS[line.sign] if line is not None else ""
        room = QRect(0, top, width - GAP, height)
        text = f"{number}{sign if line is not None else ''}" if not faulty else f"!{number}"
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _fit(self, *_: object) -> None:
        self.setViewportMargins(self.gutter_width, 0, 0, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), self.gutter_width, inside.height()))

    def _paint_lines(self) -> None:
        grounds = {at: _SOFT[line.sign] for at, line in enumerate(self._marks) if line.sign in _SOFT}
        if self._fault:
            grounds[self._fault - 1] = "stop_soft"
        selections = []
        for at, colour in grounds.items():
            block = self.document().findBlockByNumber(at)
            if block.isValid():
                selections.append(_whole_line(QTextCursor(block), self._look.colour(colour)))
        self.setExtraSelections(selections)
        self._gutter.update()


def _whole_line(cursor: QTextCursor, colour: QColor) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.format.setBackground(colour)
    selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    selection.cursor = cursor
    return selection


class DiffView(CodeView):
    """Shows removed and added lines in one text; read-only."""

    def __init__(self, look: Look, name: str, *, python: bool = True) -> None:
        super().__init__(look, name, "python" if python else "")
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self._shown: tuple[str, str] | None = None

    @property
    def lines(self) -> tuple[DiffLine, ...]:
        return tuple(self._marks)

    def show_diff(self, before: str, after: str) -> tuple[int, int]:
        """Show the difference; return the numbers of added and removed lines."""
        if self._shown != (before, after):
            self._shown = (before, after)
            self._marks = diff(before, after)
            self._fault = 0
            self.setPlainText("\n".join(line.text for line in self._marks))
            self._fit()
            self._paint_lines()
        added, removed = changed(self._marks)
        self.setAccessibleDescription(f"{added} lines added, {removed} removed")
        return added, removed


class CodeEditor(CodeView):
    """Code to edit: Tab indents, Enter keeps the indentation, Ctrl+Enter checks, Esc leaves.

    Signals:
        edited(): the operator changed the text. check_wanted().
    """

    edited = Signal()
    check_wanted = Signal()

    def __init__(self, look: Look, name: str, language: Language = "python") -> None:
        super().__init__(look, name, language)
        self._indent = _INDENTS.get(language, "    ")
        if language == "python":
            self.setToolTip("Ctrl+Enter checks it; Esc leaves the editor")
        self._emitted = ""
        self.textChanged.connect(self._changed)

    def text(self) -> str:
        """Return the text as it is in the editor."""
        return self.toPlainText()

    def fill(self, text: str) -> None:
        """Show a text, telling nothing; the cursor stays where it is the same."""
        if text == self.toPlainText():
            return
        self._emitted = text
        self.setPlainText(text)
        self.mark_fault(0)

    def put(self, text: str) -> None:
        """Replace the text like an edit of the operator: it can be undone and `edited` is emitted."""
        place = self.verticalScrollBar().value()
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.verticalScrollBar().setValue(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if control:
                self.check_wanted.emit()
            else:
                self._new_line()
        elif key == Qt.Key.Key_Escape:
            self.focusNextChild()
        elif key == Qt.Key.Key_Tab and not self.textCursor().hasSelection():
            self.insertPlainText(self._indent)
        elif key == Qt.Key.Key_Backtab:
            self._outdent()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def _new_line(self) -> None:
        line = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
        indent = line[: len(line) - len(line.lstrip())]
        self.insertPlainText("\n" + indent + (self._indent if line.rstrip().endswith(":") else ""))

    def _outdent(self) -> None:
        cursor = QTextCursor(self.textCursor().block())
        text = cursor.block().text()
        spaces = min(len(self._indent), len(text) - len(text.lstrip(" ")))
        cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, spaces)
        cursor.removeSelectedText()

    def _changed(self) -> None:
        if self._emitted == self.toPlainText():
            return  # only colours changed, or the program set the text
        self._emitted = self.toPlainText()
        if self._fault:
            self.mark_fault(0)
        self.edited.emit()
