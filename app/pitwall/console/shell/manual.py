"""The user's manual in a window of its own: Markdown pages and pictures from `resources/manual`, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.theme import GAP, PAD, Look, Palette
from pitwall.store.manual import ManualMatch, manual_dir, search_manual

_PARAGRAPH_PX, _ITEM_PX, _CELL_PX = 10, 4, 6
_BORDER_PX = 1
_ABOVE_HEADING_PX = {1: 0, 2: 22}
_LINE_PERCENT = 125
_TABLE_PERCENT = 99
"""Share of the room that a table takes: columns are rounded up and would exceed it by a pixel."""
_PICTURE = "\ufffc"
"""The letter that represents a picture in a block's text."""


def typeset(document: QTextDocument, palette: Palette) -> None:
    """Give a page its look, in a theme's colours."""
    for block in _blocks(document):
        _space(block, palette)
        _colour(block, palette)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _draw_table(frame, palette)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _space(block: QTextBlock, palette: Palette) -> None:
    cursor = QTextCursor(block)
    wanted, level = QTextBlockFormat(), block.blockFormat().headingLevel()
    in_table = cursor.currentTable() is not None
    if _PICTURE not in block.text() and not _is_code(block):
        wanted.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    if level:
        wanted.setTopMargin(_ABOVE_HEADING_PX.get(level, 14))
    below = 0 if in_table or (_is_code(block) and _is_code(block.next())) else _PARAGRAPH_PX
    wanted.setBottomMargin(_ITEM_PX if block.textList() is not None else below)
    if _is_code(block):
        wanted.setBackground(QColor(palette.raised))
        wanted.setLeftMargin(_ITEM_PX)
    cursor.mergeBlockFormat(wanted)


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextBlockFormat.Property.BlockCodeFence.value)


def _colour(block: QTextBlock, palette: Palette) -> None:
    """Colour links like buttons, and code with its own background."""
    for begin, end, known in _spans(block):
        look = QTextCharFormat()
        if known.isAnchor():
            look.setForeground(QColor(palette.focus))
            look.setFontUnderline(True)
        elif known.fontFixedPitch():
            look.setBackground(QColor(palette.raised))
        else:
            continue
        cursor = QTextCursor(block.document())
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(look)


def _spans(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Return begin, end and format of each run of letters with one format."""
    blocks = []
    part = block.begin()
    while not part.atEnd():
        fragment = part.fragment()
        blocks.append((fragment.position(), fragment.position() + fragment.length(), fragment.charFormat()))
        part += 1
    return blocks


def _draw_table(table: QTextTable, palette: Palette) -> None:
    wanted = table.format()
    wanted.setBorderCollapse(True)
    wanted.setBorder(_BORDER_PX)
    wanted.setBorderBrush(QBrush(QColor(palette.line)))
    wanted.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    wanted.setCellPadding(_CELL_PX)
    wanted.setCellSpacing(0)
    wanted.setBottomMargin(_PARAGRAPH_PX)
    wanted.setTopMargin(_ITEM_PX)
    wanted.setWidth(QTextLength(QTextLength.Type.PercentageLength, _TABLE_PERCENT))
    table.setFormat(wanted)


CONTENTS = "index"
_MATCH_HEIGHT, _MATCHES_IN_VIEW, _MOST_MATCHES = 48, 5, 40
_FIRST = QSize(820, 720)
_SEARCH_PX = 220
_MARGIN = 28
_SETTLED_MS = 120
_IMAGE = QTextDocument.ResourceType.ImageResource


def manual_page(key: str) -> Path:
    """Return the manual's file about a page of the console; the contents where it has none."""
    file = manual_dir() / f"{key}.md"
    return file if file.is_file() else manual_dir() / f"{CONTENTS}.md"


class ManualWindow(QWidget):
    """Shows the manual; links lead from page to page, also back and forward.

    Attributes:
        matches: the paragraphs of all pages that hold the typed words; hidden while nothing is typed.
    """

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setWindowTitle("Pitwall manual")
        self.resize(_FIRST)
        self.browser = _Pages(look)
        self._back = Button("‹ Back", self.browser.backward, name="Back", tip="Alt+←")
        self._forward = Button("Forward ›", self.browser.forward, name="Forward", tip="Alt+→")
        contents = Button("Contents", lambda: self.open_page(CONTENTS), tip="All pages of the manual")
        self.search = SearchField("Search the manual   Ctrl+F", "Search the manual")
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(_SEARCH_PX)
        self.search.returnPressed.connect(self.find_next)
        self.search.searched.connect(self._show_matches)
        self.matches = RowList(look, "Paragraphs with these words", _MATCH_HEIGHT)
        self.matches.opened.connect(self._open_match)
        self.matches.chosen.connect(self._open_match)
        self._none = Label("Nothing in the manual holds these words.", "note")
        layout = column(self._none, self.matches, self.browser, gap=GAP)
        self._listed: list[ManualMatch] = []
        self._show_matches("")
        layout.insertLayout(0, row(self._back, self._forward, contents, None, self.search))
        layout.setContentsMargins(PAD, PAD, PAD, PAD)
        self.setLayout(layout)
        self.browser.backwardAvailable.connect(self._back.setEnabled)
        self.browser.forwardAvailable.connect(self._forward.setEnabled)
        for button in (self._back, self._forward):
            button.setEnabled(False)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self.search.setFocus)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)

    def open_page(self, key: str) -> None:
        """Show the page about a page of the console, and bring the window into view."""
        self.browser.setSource(QUrl.fromLocalFile(str(manual_page(key))))
        self.show()
        self.raise_()
        self.activateWindow()
        self.browser.setFocus()

    def _show_matches(self, words: str) -> None:
        self._listed = search_manual(words)[:_MOST_MATCHES]
        self.matches.show_rows([_match_row(at, match) for at, match in enumerate(self._listed)])
        self.matches.setVisible(bool(self._listed))
        self.matches.setFixedHeight(_MATCH_HEIGHT * min(len(self._listed), _MATCHES_IN_VIEW) + GAP)
        self._none.setVisible(bool(words.strip()) and not self._listed)

    def _open_match(self, at: int) -> None:
        """Show the page of a match, at the first of its words."""
        self.browser.setSource(QUrl.fromLocalFile(str(manual_page(self._listed[at].page))))
        self.browser.moveCursor(QTextCursor.MoveOperation.Start)
        words = self.search.text().split()
        if not self.browser.find(self._listed[at].section) or not words:
            return
        if not self._listed[at].section.casefold().count(words[0].casefold()):
            self.browser.find(words[0])

    def find_next(self) -> None:
        """Go to the next occurrence of the text; after the last one to the first."""
        text = self.search.text()
        if text and not self.browser.find(text):
            self.browser.moveCursor(self.browser.textCursor().MoveOperation.Start)
            self.browser.find(text)


def _match_row(at: int, match: ManualMatch) -> ListRow:
    where = match.title if match.section == match.title else f"{match.title} · {match.section}"
    return ListRow(at, (Line((Words(where, bold=True),)), Line((Words(match.text, "dim"),))))


class _Pages(QTextBrowser):
    """Markdown pages whose pictures are as wide as there is room."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        look.changed.connect(self._fit)
        self.setAccessibleName("Manual")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(_MARGIN)
        self._pictures: set[QUrl] = set()
        self._width = 0
        self._settle = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settle.timeout.connect(self._fit)

    def loadResource(self, type: int, name: QUrl | str) -> Any:
        if type != _IMAGE.value:
            return super().loadResource(type, name)
        self._pictures.add(QUrl(name))
        return self._fitted(QUrl(name))

    def _fitted(self, name: QUrl) -> QImage:
        picture = QImage(self.source().resolved(name).toLocalFile())
        room = self._room()
        if picture.width() <= room:
            return picture
        ratio = self.devicePixelRatioF()
        fitted = picture.scaledToWidth(int(room * ratio), Qt.TransformationMode.SmoothTransformation)
        fitted.setDevicePixelRatio(ratio)
        return fitted

    def doSetSource(
        self,
        name: QUrl | str,
        /,
        type: QTextDocument.ResourceType = QTextDocument.ResourceType.UnknownResource,
    ) -> None:
        self._pictures.clear()
        super().doSetSource(name, type)
        typeset(self.document(), self._look.palette)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._room() != self._width:
            self._settle.start()

    def _room(self) -> int:
        """Return the pixels for a picture."""
        return max(200, self.viewport().width() - 2 * _MARGIN)

    def _fit(self) -> None:
        """Lay the page out again for another width or theme."""
        self._width = self._room()
        document = self.document()
        for name in self._pictures:
            document.addResource(_IMAGE.value, name, self._fitted(name))
        typeset(document, self._look.palette)
        document.markContentsDirty(0, document.characterCount())
