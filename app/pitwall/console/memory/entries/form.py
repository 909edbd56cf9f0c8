"""The editor of one entry's contents: a field each, judged as it is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QWheelEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QPlainTextEdit, QWidget

from pitwall.console.kit.elements import KeyValue, Label, clear_layout, column, row, set_property
from pitwall.console.kit.theme import GAP, SMALL_PX, STEP, mono_font
from pitwall.console.memory.entries.field_values import Unreadable, text_of, with_text
from pitwall.console.memory.entries.validation import Rules, check
from pitwall.console.memory.format import kind_of
from pitwall.console.memory.kinds import TABLES, Field
from pitwall.core.memories import MemoryContent, MemoryKind

_NUMBER_WIDTH = 96
_MOST_LINES = 7


class EntryForm(QWidget):
    """Shows a content and takes another.

    Signals:
        edited: something was typed.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._kind: MemoryKind | None = None
        self._shown: MemoryContent | None = None
        self._rules = Rules(game_id="")
        self._lines: dict[str, _Line] = {}
        self._layout = column(gap=GAP)
        self.setLayout(self._layout)
        self._filling = False
        self._before: dict[str, str] = {}

    def show_content(self, content: MemoryContent) -> None:
        """Show a content; what was typed is gone."""
        self._filling = True
        if kind_of(content) is not self._kind:
            self._build(kind_of(content))
        self._shown = content
        for line in self._lines.values():
            line.show_text(text_of(content, line.field))
            line.before = line.text()
        self._filling = False
        self._before = check(content, self._rules)
        self._judge()

    def type_content(self, content: MemoryContent) -> None:
        """Put a content into the editors as if it had been typed: it counts as changed."""
        self._filling = True
        for line in self._lines.values():
            line.show_text(text_of(content, line.field))
        self._filling = False
        self._judge()

    def use_rules(self, rules: Rules) -> None:
        """What the game allows; what is typed is judged anew."""
        self._rules = rules
        for line in self._lines.values():
            line.suggest(rules)
        self._before = check(self._shown, rules) if self._shown is not None else {}
        self._judge()

    @property
    def content(self) -> MemoryContent | None:
        """As typed; a field that is no value of its kind stays as it was."""
        return self._read()[0]

    @property
    def faults(self) -> dict[str, str]:
        """What is wrong with what was typed, by field."""
        return self._read()[1]

    @property
    def blocked(self) -> bool:
        """Whether something typed is wrong. What was wrong before and was not touched blocks nothing."""
        return any(self._is_new(name, text) for name, text in self._read()[1].items())

    def _is_new(self, name: str, text: str) -> bool:
        return self._before.get(name) != text or self._lines[name].text() != self._lines[name].before

    @property
    def changed(self) -> bool:
        """Whether something else was typed than was shown."""
        content, _ = self._read()
        return content != self._shown or any(line.unreadable for line in self._lines.values())

    def focus_first(self) -> None:
        """Begin with the first field."""
        for line in self._lines.values():
            if line.field.edit != "fixed":
                line.control.setFocus()
                return

    def control(self, name: str) -> QWidget:
        """The widget that edits a field."""
        return self._lines[name].control

    # ---- inside

    def _build(self, kind: MemoryKind) -> None:
        clear_layout(self._layout)
        self._kind = kind
        self._lines = {}
        for field in TABLES[kind].fields:
            line = _Line(field, self._typed)
            line.suggest(self._rules)
            self._lines[field.name] = line
            self._layout.addWidget(line)

    def _typed(self) -> None:
        if not self._filling:
            self._judge()
            self.edited.emit()

    def _read(self) -> tuple[MemoryContent | None, dict[str, str]]:
        content, faults = self._shown, dict[str, str]()
        if content is None:
            return None, faults
        for line in self._lines.values():
            line.unreadable = ""
            if line.text() == line.before:
                continue
            try:
                content = with_text(content, line.field, line.text())
            except Unreadable as error:
                line.unreadable = str(error)
                faults[line.field.name] = str(error)
        return content, check(content, self._rules) | faults

    def _judge(self) -> None:
        if self._shown is None or self._filling:
            return
        _, faults = self._read()
        for name, line in self._lines.items():
            text = faults.get(name, "")
            line.show_fault(text, serious=bool(text) and self._is_new(name, text))


class _Control(Protocol):
    """What a line asks of its editor."""

    def text(self) -> str: ...

    def show_text(self, text: str) -> None: ...

    def suggest(self, words: Sequence[str]) -> None: ...


class _Line(QWidget):
    """One field: its title, its editor, and what is wrong with it."""

    def __init__(self, field: Field, typed: Callable[[], object]) -> None:
        super().__init__()
        self.field = field
        self.unreadable = ""
        self.before = ""
        title = f"{field.title}, {field.unit}" if field.unit else field.title
        self._fault = Label("", "error", wrap=True)
        self._fault.hide()
        inner, widget = _editor(field, typed)
        self._inner: _Control = inner
        self.control: QWidget = widget
        if field.edit == "fixed":
            self.setLayout(column(widget, gap=0))
            return
        widget.setAccessibleName(title)
        label = Label(field.title, "dim")
        if field.edit in ("integer", "number", "choice"):
            unit = [Label(field.unit, "note")] if field.unit else []
            line = row(label, None, widget, *unit, gap=GAP)
            inside = column(gap=STEP)
            inside.addLayout(line)
        else:
            inside = column(label, widget, gap=STEP)
        inside.addWidget(self._fault)
        self.setLayout(inside)

    def text(self) -> str:
        return self._inner.text()

    def show_text(self, text: str) -> None:
        if text != self._inner.text():
            self._inner.show_text(text)
        if self.field.edit == "fixed":
            self.setVisible(bool(text))

    def suggest(self, rules: Rules) -> None:
        if self.field.edit in ("action", "actions"):
            self._inner.suggest(rules.actions)
        elif self.field.edit == "module":
            self._inner.suggest(rules.modules)

    def show_fault(self, text: str, *, serious: bool) -> None:
        """Say what is wrong; what is serious keeps it from being saved."""
        self._fault.set_text(text)
        self._fault.setVisible(bool(text))
        set_property(self._fault, "kind", "error" if serious else "note")
        self.control.setAccessibleDescription(text)
        set_property(self.control, "fault", "yes" if serious else "no")


def _editor(field: Field, typed: Callable[[], object]) -> tuple[_Control, QWidget]:
    if field.edit == "fixed":
        fixed = _Fixed(field)
        return fixed, fixed
    if field.edit == "choice":
        choice = _Choice(field, typed)
        return choice, choice
    if field.edit in ("text", "actions", "condition"):
        lines = _Lines(field, typed)
        return lines, lines
    line = _Words(field, typed)
    return line, line


class _Fixed(KeyValue):
    """Told, not edited."""

    def __init__(self, field: Field) -> None:
        super().__init__(field.title)
        self._unit = field.unit
        self._text = ""

    def text(self) -> str:
        return self._text

    def show_text(self, text: str) -> None:
        self._text = text
        lines = text.splitlines()
        said = f"{len(lines)} sentences" if len(lines) > 1 else text
        self.set_value(f"{said} {self._unit}".strip())
        self.setToolTip(text)

    def suggest(self, words: Sequence[str]) -> None:
        """Nothing is typed here."""


class _Words(QLineEdit):
    """A line: words, an action, a module, a number."""

    def __init__(self, field: Field, typed: Callable[[], object]) -> None:
        super().__init__()
        self.setPlaceholderText(field.hint)
        if field.edit in ("integer", "number"):
            self.setFixedWidth(_NUMBER_WIDTH)
            self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._words = QStringListModel(self)
        if field.edit in ("action", "module"):
            completer = QCompleter(self._words, self)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            self.setCompleter(completer)
        self.textChanged.connect(lambda *_: typed())

    def show_text(self, text: str) -> None:
        self.setText(text)
        self.setCursorPosition(0)

    def suggest(self, words: Sequence[str]) -> None:
        self._words.setStringList(list(words))


class _Lines(QPlainTextEdit):
    """Several lines, as high as they need; Tab goes on to the next field."""

    def __init__(self, field: Field, typed: Callable[[], object]) -> None:
        super().__init__()
        self.setPlaceholderText(field.hint)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._least = 1 if field.edit == "condition" else 2
        if field.edit != "text":
            self.setFont(mono_font(SMALL_PX))
        self.textChanged.connect(lambda: typed())
        self.document().documentLayout().documentSizeChanged.connect(lambda *_: self.updateGeometry())
        policy = self.sizePolicy()
        policy.setVerticalPolicy(policy.Policy.Fixed)
        self.setSizePolicy(policy)

    def text(self) -> str:
        return self.toPlainText()

    def show_text(self, text: str) -> None:
        self.setPlainText(text)

    def suggest(self, words: Sequence[str]) -> None:
        self.setToolTip(f"Actions: {', '.join(words)}" if words else "")

    def sizeHint(self) -> QSize:
        lines = min(_MOST_LINES, max(self._least, round(self.document().size().height())))
        high = QFontMetricsF(self.font()).lineSpacing() * lines + 2 * self.document().documentMargin() + 12
        return QSize(super().sizeHint().width(), round(high))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # the column scrolls


class _Choice(QComboBox):
    """One of a few words."""

    def __init__(self, field: Field, typed: Callable[[], object]) -> None:
        super().__init__()
        self.addItems(field.choices)
        self.currentTextChanged.connect(lambda *_: typed())

    def text(self) -> str:
        return self.currentText()

    def show_text(self, text: str) -> None:
        self.setCurrentText(text)

    def suggest(self, words: Sequence[str]) -> None:
        """Its words are given."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
