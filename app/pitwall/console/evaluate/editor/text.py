"""The suite as text: YAML to edit, checked as it is written, its faults listed under it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from pitwall.console.kit.code_editor.editor import CodeView
from pitwall.console.kit.code_editor.highlighters import YamlHighlighter
from pitwall.console.kit.elements import Button, Label, clear_layout, column, row
from pitwall.console.kit.theme import GAP, STEP, Look
from pitwall.core.errors import Fault

_INDENT = "  "
_FAULTS_PX = 132


class YamlEditor(CodeView):
    """YAML to edit: Tab indents, Enter keeps the indentation, Esc leaves.

    Signals: edited(): the operator changed the text.
    """

    edited = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look, "The suite's YAML", python=False)
        self._yaml = YamlHighlighter(self.document(), look)
        self._told = ""
        self.textChanged.connect(self._changed)

    def text(self) -> str:
        """Return the text as it is in the editor."""
        return self.toPlainText()

    def fill(self, text: str) -> None:
        """Show a text, telling nothing; can be undone where it changes one that is shown."""
        if text == self.toPlainText():
            return
        self._told = text
        self.setPlainText(text)
        self.show_fault(0)

    def put(self, text: str) -> None:
        """Change the text as the operator does: it can be undone, and it is told."""
        place = self.verticalScrollBar().value()
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.verticalScrollBar().setValue(place)

    def show_fault(self, line: int, why: str = "") -> None:
        """Mark a line as the one at fault; the cursor stays where it is written."""
        self._fault = line
        self.setAccessibleDescription(why)
        self._paint_lines()

    def jump(self, line: int, why: str) -> None:
        """Go to a line and mark it."""
        self.mark_fault(line, why)
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            line = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
            indent = line[: len(line) - len(line.lstrip())]
            self.insertPlainText("\n" + indent + (_INDENT if line.rstrip().endswith(":") else ""))
        elif key == Qt.Key.Key_Escape:
            self.focusNextChild()
        elif key == Qt.Key.Key_Tab and not self.textCursor().hasSelection():
            self.insertPlainText(_INDENT)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def _changed(self) -> None:
        if self._told == self.toPlainText():
            return  # only colours changed, or it was filled
        self._told = self.toPlainText()
        self.edited.emit()


class FaultList(QFrame):
    """Lists the faults of the text, a line each; without faults it says so, and how many runs there will be.

    Signals: chosen(fault).
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.faults: tuple[Fault, ...] = ()
        self._said = Label("", wrap=True)
        self._lines = column(gap=2)
        holder = QWidget()
        holder.setLayout(self._lines)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setMaximumHeight(_FAULTS_PX)
        self._area.setWidget(holder)
        self._area.setAccessibleName("Faults of the suite")
        layout = column(self._said, self._area, gap=STEP)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        self.setLayout(layout)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.show_faults((), "")

    @property
    def said(self) -> str:
        """The sentence over the faults."""
        return self._said.full_text()

    @property
    def lines(self) -> list[str]:
        """Each fault as it is written."""
        return [fault_words(fault) for fault in self.faults]

    def show_faults(self, faults: Sequence[Fault], fine: str) -> None:
        """Show these; `fine` where there is none."""
        count = len(faults)
        self._said.set_text(f"! {count} fault{'' if count == 1 else 's'}" if count else fine)
        self._said.set_tone("stop" if count else "ok" if fine.startswith("✓") else "neutral")
        self._area.setVisible(bool(count))
        if tuple(faults) == self.faults:
            return
        self.faults = tuple(faults)
        clear_layout(self._lines)
        for fault in faults:
            line = self._line(fault)
            self._lines.addWidget(line)
            line.show()  # at once: a layout shows what is added later only at the next event
        self._lines.addStretch(1)

    def _line(self, fault: Fault) -> Button:
        words = fault_words(fault)
        line = Button("", lambda: self.chosen.emit(fault), kind="line", name=words, tip=words)
        where = Label(f"line {fault.line}" if fault.line else "file", "dim")
        where.setFixedWidth(58)
        layout = row(where, Label(_without_line(fault)), gap=GAP)
        layout.setStretch(1, 1)
        layout.setContentsMargins(STEP, 3, STEP, 3)
        line.setLayout(layout)
        line.setMinimumHeight(26)
        return line


def fault_words(fault: Fault) -> str:
    """ "line 4: agents[0].kid: no such key; did you mean 'kind'?"."""
    where = f"line {fault.line}: " if fault.line else ""
    return where + _without_line(fault)


def _without_line(fault: Fault) -> str:
    words = f"{fault.key}: {fault.problem}" if fault.key else fault.problem
    words += f"; expected {fault.expected}" if fault.expected else ""
    return words + (f"; did you mean {fault.nearest!r}?" if fault.nearest else "")
