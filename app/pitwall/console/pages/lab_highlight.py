"""Python in colours that mean nothing else: they are the theme's quiet ones."""

from __future__ import annotations

import re

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from pitwall.console.theme import Look

_KEYWORDS = (
    "and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|"
    "lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield"
)
_RULES = (
    ("number", re.compile(r"(?<![\w.])\d+\.?\d*(?:[eE][+-]?\d+)?\b")),
    ("constant", re.compile(r"\b(?:True|False|None)\b")),
    ("keyword", re.compile(rf"\b(?:{_KEYWORDS})\b")),
    ("function", re.compile(r"(?<=\bdef )\w+")),
    ("string", re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")),
)
_STRING_OR_COMMENT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(#.*)")
_COLOURS = {
    "number": "score_worth",
    "constant": "score_worth",
    "keyword": "score_likeness",
    "function": "text",
    "string": "layer_l3",
    "comment": "faint",
}
_TRIPLE = re.compile("\"\"\"|'''")


class PythonHighlighter(QSyntaxHighlighter):
    """Colours the keywords, names, numbers, strings and comments of a document."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        super().__init__(document)
        self._look = look
        self._formats: dict[str, QTextCharFormat] = {}
        self._take_colours()
        look.changed.connect(self._renew)

    def _renew(self) -> None:
        self._take_colours()
        self.rehighlight()

    def _take_colours(self) -> None:
        for name, colour in _COLOURS.items():
            style = QTextCharFormat()
            style.setForeground(self._look.colour(colour))
            if name in ("keyword", "function"):
                style.setFontWeight(QFont.Weight.DemiBold)
            self._formats[name] = style

    def highlightBlock(self, text: str) -> None:
        for name, pattern in _RULES:
            for found in pattern.finditer(text):
                self.setFormat(found.start(), len(found.group()), self._formats[name])
        for found in _STRING_OR_COMMENT.finditer(text):
            if found.group(1):
                self.setFormat(found.start(1), len(found.group(1)), self._formats["comment"])
        self._long_strings(text)

    def _long_strings(self, text: str) -> None:
        """Strings in three quotes may go over lines: the block's state says whether one is open."""
        inside, start = self.previousBlockState() == 1, 0
        for found in _TRIPLE.finditer(text):
            if inside:
                self.setFormat(start, found.end() - start, self._formats["string"])
            else:
                start = found.start()
            inside = not inside
        if inside:
            self.setFormat(start, len(text) - start, self._formats["string"])
        self.setCurrentBlockState(1 if inside else 0)
