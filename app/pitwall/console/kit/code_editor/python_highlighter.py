"""Where the colours of Python go."""

from __future__ import annotations

import re

from PySide6.QtGui import QTextDocument

from pitwall.console.kit.code_editor.highlighter import Highlighter
from pitwall.console.kit.theme import Look

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


class PythonHighlighter(Highlighter):
    """Colours the keywords, names, numbers, strings and comments of a document."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        super().__init__(document, look, _COLOURS, {"keyword", "function"})

    def highlightBlock(self, text: str) -> None:
        self.paint_rules(text, _RULES)
        for found in _STRING_OR_COMMENT.finditer(text):
            if found.group(1):
                self.setFormat(found.start(1), len(found.group(1)), self.formats["comment"])
        self._long_strings(text)

    def _long_strings(self, text: str) -> None:
        """Strings in three quotes may go over lines: the block's state says whether one is open."""
        inside, start = self.previousBlockState() == 1, 0
        for found in _TRIPLE.finditer(text):
            if inside:
                self.setFormat(start, found.end() - start, self.formats["string"])
            else:
                start = found.start()
            inside = not inside
        if inside:
            self.setFormat(start, len(text) - start, self.formats["string"])
        self.setCurrentBlockState(1 if inside else 0)
