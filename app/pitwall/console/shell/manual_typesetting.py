"""Typesets a page of the manual once Qt has read its Markdown: space, tables, code, links."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)

from pitwall.console.kit.theme import Palette

_PARAGRAPH_PX, _ITEM_PX, _CELL_PX = 10, 4, 6
_BORDER_PX = 1
_ABOVE_HEADING_PX = {1: 0, 2: 22}
_LINE_PERCENT = 125
_TABLE_PERCENT = 99
"""Less than all the room: columns are rounded up, so that some tables would stand out by a pixel."""
_PICTURE = "\ufffc"
"""The letter that stands for a picture in a block's text."""


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
    """Links in the colour of what can be pressed, code on a ground of its own."""
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
