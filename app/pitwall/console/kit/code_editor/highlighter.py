"""Code in colours that mean nothing else: they are the theme's quiet ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from pitwall.console.kit.theme import Look


class Highlighter(QSyntaxHighlighter):
    """Formats in the theme's colours, made anew where the theme changes; a language says where they go.

    Args:
        colours: kind of word → the palette's field. bold: kinds that are set heavier.
    """

    def __init__(
        self, document: QTextDocument, look: Look, colours: Mapping[str, str], bold: Set[str]
    ) -> None:
        super().__init__(document)
        self._look = look
        self._colours, self._bold = colours, bold
        self.formats: dict[str, QTextCharFormat] = {}
        self._take_colours()
        look.changed.connect(self._renew)

    def paint_rules(self, text: str, rules: Sequence[tuple[str, re.Pattern[str]]]) -> None:
        """Colour what each kind's pattern finds in a line; later ones over earlier."""
        for name, pattern in rules:
            for found in pattern.finditer(text):
                self.setFormat(found.start(), len(found.group()), self.formats[name])

    def _renew(self) -> None:
        self._take_colours()
        self.rehighlight()

    def _take_colours(self) -> None:
        for name, colour in self._colours.items():
            style = QTextCharFormat()
            style.setForeground(self._look.colour(colour))
            if name in self._bold:
                style.setFontWeight(QFont.Weight.DemiBold)
            self.formats[name] = style
