"""YAML in colours that mean nothing else: they are the theme's quiet ones."""

from __future__ import annotations

import re

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from pitwall.console.theme import Look

_RULES = (
    ("number", re.compile(r"(?<![\w.+-])-?\d+(?:\.\d+)?(?![\w.])")),
    ("constant", re.compile(r"(?<![\w-])(?:true|false|null|yes|no|all)(?![\w-])")),
    ("mark", re.compile(r"^\s*-(?=\s)|[\[\]{},]")),
    ("key", re.compile(r"(?<![\w.])[A-Za-z_][\w.-]*(?=\s*:(?:\s|$))")),
)
_STRING_OR_COMMENT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|((?:^|(?<=\s))#.*)")
_COLOURS = {
    "number": "score_worth",
    "constant": "score_worth",
    "mark": "dim",
    "key": "score_likeness",
    "string": "layer_l3",
    "comment": "faint",
}


class YamlHighlighter(QSyntaxHighlighter):
    """Colours the keys, numbers, strings and comments of a document."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        super().__init__(document)
        self._look = look
        self._formats: dict[str, QTextCharFormat] = {}
        self._take_colours()
        look.changed.connect(self._renew)

    def highlightBlock(self, text: str) -> None:
        for name, pattern in _RULES:
            for found in pattern.finditer(text):
                self.setFormat(found.start(), len(found.group()), self._formats[name])
        for found in _STRING_OR_COMMENT.finditer(text):
            kind = "comment" if found.group(1) else "string"
            self.setFormat(found.start(), len(found.group()), self._formats[kind])

    def _renew(self) -> None:
        self._take_colours()
        self.rehighlight()

    def _take_colours(self) -> None:
        for name, colour in _COLOURS.items():
            style = QTextCharFormat()
            style.setForeground(self._look.colour(colour))
            if name == "key":
                style.setFontWeight(QFont.Weight.DemiBold)
            self._formats[name] = style
