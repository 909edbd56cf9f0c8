"""Where the colours of YAML go."""

from __future__ import annotations

import re

from PySide6.QtGui import QTextDocument

from pitwall.console.kit.code_editor.highlighter import Highlighter
from pitwall.console.kit.theme import Look

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


class YamlHighlighter(Highlighter):
    """Colours the keys, numbers, strings and comments of a document."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        super().__init__(document, look, _COLOURS, {"key"})

    def highlightBlock(self, text: str) -> None:
        self.paint_rules(text, _RULES)
        for found in _STRING_OR_COMMENT.finditer(text):
            kind = "comment" if found.group(1) else "string"
            self.setFormat(found.start(), len(found.group()), self.formats[kind])
