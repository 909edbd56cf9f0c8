"""The model that ships with Pitwall: an introduction, and its card."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit

from pitwall.console.kit.elements import Button, Card, Label, row
from pitwall.console.kit.theme import GAP, STEP
from pitwall.models.shipped import NAME, WHAT_IT_IS, card_file

STAYS = (
    "It ships with Pitwall and cannot be removed.\n"
    "To think without it, choose the skill planner under Tiers,\n"
    "or: pitwall settings set models.shipped false"
)
"""Why it cannot be removed, and the alternative."""


class ShippedPanel(Card):
    """Introduces the model that ships with Pitwall; its card can be opened."""

    def __init__(self) -> None:
        super().__init__(Label("Ships with Pitwall", "strong"), Label(WHAT_IT_IS, "dim", wrap=True), gap=STEP)
        self.card = CardText()
        self.card.hide()
        self.toggle = Button("", self._toggle, kind="link")
        self._missing = Label("", "note", wrap=True)
        self.body.addLayout(row(self.toggle, None))
        self.body.addWidget(self._missing)
        self.body.addWidget(self.card)
        self.show_card("")

    def show_card(self, text: str) -> None:
        """Offer a card in Markdown; empty where there is none."""
        self.card.show_markdown(_what_is_new(text))
        self.toggle.setVisible(bool(text))
        self._missing.show_text("" if text else f"Its card is not there: {card_file().name} was not found.")
        self.card.setVisible(bool(text) and not self.card.isHidden())
        self._name()

    def _toggle(self) -> None:
        self.card.setVisible(self.card.isHidden())
        self._name()

    def _name(self) -> None:
        words = "Read its card" if self.card.isHidden() else "Hide its card"
        self.toggle.setText(words)
        self.toggle.setAccessibleName(words)


class CardText(QTextEdit):
    """Markdown to read, as tall as its text; follows no link and loads nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setReadOnly(True)
        self.setProperty("kind", "reading")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setAccessibleName("The model's card")
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(16)

    def show_markdown(self, text: str) -> None:
        """Show a text; cheap where it has not changed."""
        if text == self._text:
            return
        self._text = text
        self.document().setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownNoHTML)
        self._tame_headings()
        self._fit()

    def loadResource(self, _kind: int, _name: object) -> object:
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 0)

    def _tame_headings(self) -> None:
        """Make headings bold with room above: Markdown's own sizes are made for a page, not for a column."""
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        block = self.document().begin()
        while block.isValid():
            form = block.blockFormat()
            heading = form.headingLevel() > 0
            form.setTopMargin(GAP if heading and block.blockNumber() else 0)
            form.setBottomMargin(STEP)
            cursor = QTextCursor(block)
            cursor.setBlockFormat(form)
            if heading:
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(bold)
            block = block.next()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        around = self.height() - self.viewport().height()
        self.setFixedHeight(ceil(self.document().size().height()) + max(0, around))


def _what_is_new(card: str) -> str:
    """Return a card without its title and first sentence, which are shown above it."""
    return card.removeprefix(f"# {NAME}").lstrip().removeprefix(WHAT_IT_IS).lstrip()
