"""The options that a model chose among, each with its share as a bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from pitwall.console.inspector import format as texts
from pitwall.console.kit.elements import Card, KeyValue, Label, ShareBar, clear_layout, column, holder
from pitwall.console.kit.theme import STEP, Look
from pitwall.core.calls import Choice, OptionScore

_MOST_OPTIONS = 12


class OptionBars(QWidget):
    """The options of a choice, likeliest first; the first was taken. Hidden where nothing was chosen.

    Each bar's tooltip shows the figures behind its share.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._note = Label("", "dim", wrap=True)
        self._card = Card(gap=STEP + 2)
        self._shown: Choice | None = None
        self.setLayout(column(self._note, self._card))
        self.hide()

    def show_choice(self, choice: Choice | None) -> None:
        """Show how a call chose; None: its reply was written freely."""
        self.setVisible(choice is not None)
        if choice is None or choice == self._shown:
            return
        self._shown = choice
        self._note.show_text(choice.note)
        clear_layout(self._card.body)
        for line in self._lines(choice.options):
            self._card.body.addWidget(line)
        self._card.setVisible(bool(choice.options))

    def _lines(self, options: Sequence[OptionScore]) -> list[QWidget]:
        lines = [self._line(option, taken=option is options[0]) for option in options[:_MOST_OPTIONS]]
        left = options[_MOST_OPTIONS:]
        if left:
            share = 100 * sum(option.probability for option in left)
            lines.append(Label(f"{len(left):,} more, {share:.1f} % together", "note"))
        return lines

    def _line(self, option: OptionScore, *, taken: bool) -> QWidget:
        bar = ShareBar(self._look, "strategic" if taken else "dim")
        bar.show_share(option.probability)
        share = f"{100 * option.probability:.1f} %"
        line = KeyValue(texts.option(option.text), f"✓ {share}" if taken else share)
        whole = holder(column(line, bar, gap=STEP))
        whole.setToolTip(
            f"{option.text}\nlog-probability {option.log_probability:.2f}, after a content-free prompt "
            f"{option.baseline:.2f}, over {option.tokens:,} tokens"
        )
        return whole
