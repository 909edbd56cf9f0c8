"""The tool bar over the graph: number of hops, summary, search, fit and arrange."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Label, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.search_field import SearchField
from pitwall.console.kit.theme import PAD, STEP
from pitwall.console.memory.graph.visible_part import WHOLE

HOPS = ((1, "1 hop"), (2, "2 hops"), (3, "3 hops"), (WHOLE, "Whole graph"))
"""Choices of how much is shown: number of hops, and its title."""


class GraphHead(QWidget):
    """Controls only; the panel gives them their meaning.

    Attributes:
        hops: how much is shown. follow: go along with the agent. summary: what is shown, in words.
        bring: leads to what is chosen and out of view. found: which match of how many.
        fit, again: show all of it, arrange all of it anew.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hops = Combo("How much of the graph is shown", HOPS)
        self.hops.choose(2)
        self.follow = Button(
            "Follow", kind="quiet", tip="The neighbourhood goes along with the agent's state"
        )
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self.summary = Label("", "dim")
        self.bring = Button("Show the chosen one", kind="link")
        self.bring.hide()
        self.found = Label("", "note")
        self.search = SearchField("Search the graph   /", "Search the graph's states and actions")
        self.search.setFixedWidth(190)
        self.fit = Button("Fit", kind="quiet", tip="Show all of it · F")
        self.again = Button("Arrange", kind="quiet", tip="Arrange the whole graph anew")
        look = (self.bring, None, self.found, self.search, self.fit, self.again)
        line = row(self.hops, self.follow, self.summary, *look)
        line.setContentsMargins(PAD, STEP + 2, PAD, STEP + 2)
        self.setLayout(line)
