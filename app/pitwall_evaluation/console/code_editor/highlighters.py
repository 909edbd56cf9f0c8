"""Colours Python and YAML with quiet colours of the theme that mean nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from pitwall.console.kit.theme import Look


class Highlighter(QSyntaxHighlighter):
    """Colours words with the theme's colours; each language says which words.

    Args:
        colours: kind of word → field of the palette. bold: kinds in a heavier weight.
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
            for match in pattern.finditer(text):
                self.setFormat(match.start(), len(match.group()), self.formats[name])

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


_KEYWORDS = (
    "and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|"
    "lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield"
)
_PYTHON_RULES = (
    ("number", re.compile(r"(?<![\w.])\d+\.?\d*(?:[eE][+-]?\d+)?\b")),
    ("constant", re.compile(r"\b(?:True|False|None)\b")),
    ("keyword", re.compile(rf"\b(?:{_KEYWORDS})\b")),
    ("function", re.compile(r"(?<=\bdef )\w+")),
    ("string", re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")),
)
_PYTHON_STRING_OR_COMMENT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(#.*)")
_PYTHON_COLOURS = {
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
        super().__init__(document, look, _PYTHON_COLOURS, {"keyword", "function"})

    def highlightBlock(self, text: str) -> None:
        self.paint_rules(text, _PYTHON_RULES)
        for match in _PYTHON_STRING_OR_COMMENT.finditer(text):
            if match.group(1):
                self.setFormat(match.start(1), len(match.group(1)), self.formats["comment"])
        self._long_strings(text)

    def _long_strings(self, text: str) -> None:
        """Strings in three quotes may go over lines: the block's state says whether one is open."""
        inside, start = self.previousBlockState() == 1, 0
        for match in _TRIPLE.finditer(text):
            if inside:
                self.setFormat(start, match.end() - start, self.formats["string"])
            else:
                start = match.start()
            inside = not inside
        if inside:
            self.setFormat(start, len(text) - start, self.formats["string"])
        self.setCurrentBlockState(1 if inside else 0)


_YAML_RULES = (
    ("number", re.compile(r"(?<![\w.+-])-?\d+(?:\.\d+)?(?![\w.])")),
    ("constant", re.compile(r"(?<![\w-])(?:true|false|null|yes|no|all)(?![\w-])")),
    ("mark", re.compile(r"^\s*-(?=\s)|[\[\]{},]")),
    ("key", re.compile(r"(?<![\w.])[A-Za-z_][\w.-]*(?=\s*:(?:\s|$))")),
)
_YAML_STRING_OR_COMMENT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|((?:^|(?<=\s))#.*)")
_YAML_COLOURS = {
    "number": "score_worth",
    "constant": "score_worth",
    "mark": "dim",
    "key": "score_likeness",
    "string": "layer_l3",
    "comment": "faint",
}


class YamlHighlighter(Highlighter):
    """Colours the keys, numbers, strings and comments of a document."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        super().__init__(document, look, _YAML_COLOURS, {"key"})

    def highlightBlock(self, text: str) -> None:
        self.paint_rules(text, _YAML_RULES)
        for match in _YAML_STRING_OR_COMMENT.finditer(text):
            kind = "comment" if match.group(1) else "string"
            self.setFormat(match.start(), len(match.group()), self.formats[kind])
