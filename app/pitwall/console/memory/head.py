"""The head of the memory page: what is in view, whose memory it is, undo and redo."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame

from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.console.memory.commands import MemoryCommands
from pitwall.console.memory.kinds import TABLES
from pitwall.console.memory.segments import Segments
from pitwall.core.memories import MemoryKind

GRAPH = "graph"
INBOX = "inbox"
SNAPSHOTS = "snapshots"
"""Keys of segments; the others are kinds of entries."""
TABLE_SEGMENTS = (
    MemoryKind.ACTION,
    MemoryKind.SKILL,
    MemoryKind.EPISODE,
    MemoryKind.KNOWLEDGE,
    MemoryKind.NOTE,
    MemoryKind.PROCEDURE,
)


class MemoryHead(QFrame):
    """Signals:
    game_chosen(game_id).
    """

    game_chosen = Signal(str)

    def __init__(self, look: Look, commands: MemoryCommands) -> None:
        super().__init__()
        self.setObjectName("pageHead")
        self.segments = Segments(look, "What of the memory is in view")
        self.segments.add(GRAPH, "Graph", "States, the actions between them, and what they led to")
        for kind in TABLE_SEGMENTS:
            self.segments.add(kind.value, TABLES[kind].title, TABLES[kind].says)
        self.segments.add(INBOX, "Inbox", "Skills that wait for your decision")
        self.segments.add(SNAPSHOTS, "Snapshots", "The memory as it was: compare, restore, export, import")
        self._games = QComboBox()
        self._games.setAccessibleName("Whose memory is shown")
        self._games.setToolTip("The game whose memory is shown")
        self._games.setMinimumWidth(110)
        self._games.currentTextChanged.connect(self.game_chosen)
        undo = Button("Undo", commands.undo, tip="Undo the last edit · Ctrl+Z")
        redo = Button("Redo", commands.redo, kind="quiet", tip="Ctrl+Shift+Z")
        line = row(gap=GAP)
        line.addWidget(self.segments, 1)
        line.addLayout(row(self._games, undo, redo, gap=STEP))
        line.setContentsMargins(PAD, GAP, PAD, GAP)
        self.setLayout(line)

    def show_games(self, games: Iterable[str], chosen: str = "") -> None:
        """Offer these games too, and mark one, without telling it."""
        known = {self._games.itemText(at) for at in range(self._games.count())}
        self._games.blockSignals(True)
        self._games.addItems([game for game in games if game not in known])
        if chosen:
            self._games.setCurrentText(chosen)
        self._games.blockSignals(False)
        self._games.setVisible(self._games.count() > 0)
