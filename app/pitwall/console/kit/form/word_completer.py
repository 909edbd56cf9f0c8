"""Completes the word that is being typed, in a line or in a text of several lines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit, QPlainTextEdit

_WORD = re.compile(r"[\w.]+$")
_ROWS = 8
_FEWEST = 2
"""Letters that are typed before words are offered."""
_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class WordCompleter(QObject):
    """Offers known words that contain the word before the cursor; Enter or Tab takes the marked word."""

    def __init__(self, editor: QLineEdit | QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._completer.setWidget(editor)
        self._completer.setMaxVisibleItems(_ROWS)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._completer.activated.connect(self._take)
        popup = self._completer.popup()
        assert popup is not None
        self._popup: QAbstractItemView = popup
        popup.installEventFilter(self)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(self._offer)
        else:
            editor.textChanged.connect(self._offer)

    def know(self, words: Iterable[str]) -> None:
        """Replace the known words."""
        self._words.setStringList(sorted(set(words)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _TAKES:
            if self._popup.currentIndex().isValid():
                self._take(str(self._popup.currentIndex().data()))
            self._popup.hide()
            return True
        return super().eventFilter(watched, event)

    def _offer(self) -> None:
        typed = self._typed()
        self._completer.setCompletionPrefix(typed)
        count = self._completer.completionCount()
        whole = count == 1 and self._completer.currentCompletion() == typed
        if not self._editor.hasFocus() or len(typed) < _FEWEST or whole or not count:
            self._popup.hide()
            return
        self._completer.complete()
        self._popup.setCurrentIndex(self._completer.completionModel().index(0, 0))

    def _typed(self) -> str:
        """Return the part of the word before the cursor."""
        if isinstance(self._editor, QLineEdit):
            before = self._editor.text()[: self._editor.cursorPosition()]
        else:
            cursor = self._editor.textCursor()
            before = cursor.block().text()[: cursor.positionInBlock()]
        match = _WORD.search(before)
        return match[0] if match else ""

    def _take(self, word: str) -> None:
        typed = len(self._typed())
        if isinstance(self._editor, QLineEdit):
            at, text = self._editor.cursorPosition(), self._editor.text()
            self._editor.setText(text[: at - typed] + word + text[at:])
            self._editor.setCursorPosition(at - typed + len(word))
            return
        cursor = self._editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, typed)
        cursor.insertText(word)
        self._editor.setTextCursor(cursor)
