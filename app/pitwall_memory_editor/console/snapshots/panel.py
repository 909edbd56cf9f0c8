"""Snapshots of the memory: take, compare two, restore, export, import."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.elements import (
    Button,
    Chip,
    EmptyState,
    Label,
    PrimaryButton,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.form.inputs import Combo, Line
from pitwall.console.kit.panes import ReadStack, split
from pitwall.console.kit.row_list import Line as RowLine
from pitwall.console.kit.row_list import ListRow, RowList, Words, line
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE, Look, mono_font
from pitwall.core.memories import EditResult
from pitwall.core.memory_kinds import CONTENT_TYPES
from pitwall.core.quantities import counted, local_time
from pitwall.memory.reader import DiffRow, SnapshotRow
from pitwall_evaluation.console.memory_changes.diff_table import DiffTable, counts_of
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.reader import MemoryReadWorker
from pitwall_memory_editor.console.snapshots.transfer import ExportDialog, ImportDialog

_NOW = "the memory now"


class Snapshots(QWidget):
    """The snapshots of the data folder, newest first; the chosen one compared with another or with now.

    Signals:
        count_changed(count).
    """

    count_changed = Signal(int)

    def __init__(self, look: Look, reading: MemoryReadWorker, commands: MemoryCommands) -> None:
        super().__init__()
        self._reading = reading
        self._commands = commands
        self._game_id = ""
        self.rows: list[SnapshotRow] = []
        self._wanted = ""
        self._asked = 0
        self.list = RowList(look, "Snapshots, newest first", 50)
        self.list.setMinimumWidth(210)
        self.list.chosen.connect(self._show_chosen)
        self.diff = DiffTable(look)
        self._build()

    @property
    def chosen(self) -> SnapshotRow | None:
        chosen = self.list.current
        return next((snapshot for snapshot in self.rows if snapshot.content_hash == chosen), None)

    def use_game(self, game_id: str) -> None:
        """Set the game of the next snapshot."""
        self._game_id = game_id
        self._scope.offer(
            [(True, f"of {game_id}" if game_id else "of no game yet"), (False, "of every game")]
        )

    def read(self) -> None:
        """Read the list again; the choice stays."""
        self._reading.ask(lambda reader: reader.snapshots(), self._show, self._stack.show_error)

    def take(self) -> None:
        """Save a snapshot under the entered name."""
        game = self._game_id if self._scope.current else ""
        self._commands.snapshot(self.name.text().strip(), game, self._taken)

    def restore(self) -> Confirm | None:
        """Ask whether to restore the chosen snapshot."""
        chosen = self.chosen
        if chosen is None:
            return None
        empty = not any(chosen.counts.values())  # the empty memory of every game is the same snapshot
        game = (self._game_id if empty else "") or chosen.game_id
        dialog = Confirm(
            f"Restore {_title(chosen)}?",
            (
                f"The memory{' of ' + game if game else ''} becomes what it was then: "
                "what was added since is forgotten, what was changed or forgotten is as before.",
                "It is one batch, and can be undone. In a game that is played it counts from the next "
                "decision on.",
            ),
            "Restore",
            "Cancel",
            self,
        )
        dialog.confirmed.connect(lambda: self._commands.restore(chosen.content_hash, chosen.name, game))
        dialog.open()
        return dialog

    def export(self, *, chosen: bool) -> ExportDialog:
        """Open the export of the chosen snapshot, or of the current memory."""
        snapshot = self.chosen if chosen else None
        dialog = ExportDialog(
            self._reading.data,
            self._game_id,
            self,
            snapshot=snapshot.content_hash if snapshot is not None else "",
            name=_title(snapshot) if snapshot is not None else "",
        )
        dialog.show()
        return dialog

    def take_in(self) -> ImportDialog:
        """Open the import."""
        dialog = ImportDialog(self._commands, self._game_id, self)
        dialog.taken.connect(self.read)
        dialog.show()
        return dialog

    # ---- parts

    def _build(self) -> None:
        self.name = Line("Name of the next snapshot", "Name of the next snapshot")
        self.name.returnPressed.connect(self.take)
        self.name.setMinimumWidth(130)
        self._scope = Combo("What the snapshot holds")
        self.use_game("")
        take = PrimaryButton("Take a snapshot", self.take)
        take_in = Button("Import…", self.take_in, name="Import a file into the memory")
        export = Button("Export…", lambda: self.export(chosen=False), name="Export the memory")
        head = row(
            self.name, self._scope, take, None, take_in, export, stretch=0, margins=(WIDE, PAD, WIDE, PAD)
        )
        self._empty = EmptyState(
            "No snapshot yet",
            "A snapshot keeps the current memory, under the hash of its contents. Each run takes one as "
            "it begins; yours can have a name, be compared, restored and exported.",
            PrimaryButton("Take a snapshot", self.take),
        )
        self._title = Label("", "title", wrap=True)
        self._hash = Label("", "dim")
        self._hash.setFont(mono_font())
        self._hash.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._counts = Flow(STEP)
        self._against = Combo("Compare with")
        self._against.chosen.connect(lambda _: self._compare())
        restore = Button("Restore…", self.restore)
        export_one = Button("Export…", lambda: self.export(chosen=True), name="Export this snapshot")
        self._summary = Label("", "dim")
        compared = Label("Compared with", "dim")
        tools = row(compared, self._against, self._summary, None, restore, export_one, gap=GAP)
        inside = column(self._title, self._hash, self._counts, tools, margins=(WIDE, PAD, WIDE, 0))
        right = holder(column(inside, self.diff, stretch=1))
        self._both = split(self.list, right, sizes=(270, 700), stretch=1)
        self._stack = ReadStack("Reading the snapshots …", self._empty, self._both, again=self.read)
        self.setLayout(column(head, self._stack, gap=0, stretch=1))

    # ---- answers

    def _taken(self, result: EditResult) -> None:
        if result.done:
            self.name.clear()
            self._wanted = result.content_hash
            self.read()

    def _show(self, rows: list[SnapshotRow]) -> None:
        before, self._wanted = self._wanted or self.list.current, ""
        self.rows = rows
        self.count_changed.emit(len(rows))
        self._stack.setCurrentWidget(self._both if rows else self._empty)
        hashes = [snapshot.content_hash for snapshot in rows]
        wanted = before if before in hashes or not rows else hashes[0]
        self.list.show_rows([_list_row(snapshot) for snapshot in rows], wanted)
        self._show_chosen()

    def _show_chosen(self, _: object = None) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        self._title.set_text(_title(chosen))
        self._hash.set_text(chosen.content_hash)
        clear_layout(self._counts.flow)
        for kind, count in chosen.counts.items():
            if count:
                self._counts.flow.addWidget(Chip(f"{CONTENT_TYPES[kind].facts.noun} {count:,}"))
        self._counts.updateGeometry()
        others = [snapshot for snapshot in self.rows if snapshot.content_hash != chosen.content_hash]
        self._against.offer(
            [(None, _NOW), *((snapshot.content_hash, _title(snapshot)) for snapshot in others)]
        )
        self._compare()

    def _compare(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        against: str | None = self._against.current
        self._asked += 1
        number = self._asked
        self._summary.set_text("comparing …")

        def show(rows: list[DiffRow]) -> None:
            if number == self._asked:
                self._show_diff(rows)

        self._reading.ask(lambda reader: reader.diff(chosen.content_hash, against), show)

    def _show_diff(self, rows: list[DiffRow]) -> None:
        self.diff.show_rows(rows)
        self._summary.set_text(counts_of(rows))


def _list_row(snapshot: SnapshotRow) -> ListRow:
    holds = counted(sum(snapshot.counts.values()), "entry", "entries")
    when = local_time(snapshot.at)
    below = f"{when} · {snapshot.game_id or 'every game'} · {holds}"
    head = RowLine((Words(_title(snapshot), bold=True),))
    return ListRow(snapshot.content_hash, (head, line(below, "dim")), tip=f"{_title(snapshot)}\n{below}")


def _title(snapshot: SnapshotRow) -> str:
    return snapshot.name or f"Snapshot {snapshot.content_hash[:8]}"
