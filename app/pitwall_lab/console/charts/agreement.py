"""Shows how far a clone agrees with the person on held-out play, a row for each action."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Card, Label, SectionTitle, column
from pitwall.console.kit.theme import Look
from pitwall.core.quantities import share
from pitwall_evaluation.console.data_sheet import Column, Sheet, SheetTable, count_text
from pitwall_lab.training_log import Cloned


class AgreementTable(QWidget):
    """A summary sentence, and precision and recall of each action."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.words = Label("", wrap=True)
        self.notes = Label("", "dim", wrap=True)
        self.table = SheetTable(look, "Agreement with the person, one row for each action")
        title = SectionTitle("Agreement with the person", "on held-out play")
        card = Card(title, self.words, self.notes, self.table)
        card.body.setStretch(3, 1)
        self.setLayout(column(card, stretch=0))
        self.setAccessibleName("Agreement with the person")

    def show_cloned(self, cloned: Cloned) -> None:
        """Show the result of a cloning."""
        interval = f"{share(cloned.low)} to {share(cloned.high)}"
        before = f", {share(cloned.before)} before" if cloned.before is not None else ""
        self.words.set_text(
            f"{share(cloned.agreement)} of decisions agree ({interval}{before}); {cloned.parted}. "
            f"Reaction time of the person: {cloned.reaction_ms:.0f} ms. "
            "Clips shows where the two differ most."
        )
        self.notes.show_text(" ".join(cloned.notes))
        rows = cloned.actions
        numbers = [
            [
                math.nan if figure is None else figure
                for figure in (row.precision, row.recall, row.person, row.clone)
            ]
            for row in rows
        ]
        self.table.show_sheet(
            Sheet(
                first="action",
                names=[f"{row.action} ({row.way})" if row.action else "nothing" for row in rows],
                name_of=np.arange(len(rows)),
                columns=[
                    Column("precision", share),
                    Column("recall", share),
                    Column("by the person", count_text),
                    Column("by the clone", count_text),
                ],
                numbers=np.asarray(numbers, float).reshape(len(rows), 4),
            )
        )
