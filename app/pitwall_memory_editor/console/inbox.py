"""The write gate's inbox: skills that wait for the operator, each beside the skill it resembles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.command import bind_keys
from pitwall.console.kit.elements import (
    Button,
    Card,
    Chip,
    EmptyState,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.form.inputs import Line
from pitwall.console.kit.panes import scrolled, split, stacked
from pitwall.console.kit.row_list import Line as RowLine
from pitwall.console.kit.row_list import ListRow, RowList, Words, line
from pitwall.console.kit.theme import STEP, WIDE, Look
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import SkillMemory, fields_of
from pitwall.core.quantities import counted
from pitwall.core.settings import MemorySettings
from pitwall.memory.reader import MemoryReader
from pitwall_evaluation.console.memory_changes.differences import content_fields, cut, value_text
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.entries.step_link import StepLink
from pitwall_memory_editor.console.field_grid import FieldGrid
from pitwall_memory_editor.console.format import named, provenance_text, rate
from pitwall_memory_editor.console.reader import EVERY_GAME, MemoryReadWorker

_MOST = 500
_COMPARED = (
    "when", "subgoal", "situation", "actions", "module", "stop", "priority", "steps", "cooldown_steps"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class InboxItem:
    """Holds one skill to decide on: a proposed one, or one in use that does badly.

    Attributes:
        other: the skill that a proposed one resembles.
        does_badly: it is in use, and proposed for removal.
    """

    entry: MemoryEntry
    skill: SkillMemory
    other: MemoryEntry | None = None
    does_badly: bool = False


def inbox_items(reader: MemoryReader, game_id: str, settings: MemorySettings) -> list[InboxItem]:
    """Read what waits: proposals, newest first, then skills proposed for removal, worst first."""
    if not game_id:
        return []
    game_id = "" if game_id == EVERY_GAME else game_id
    items: list[InboxItem] = []
    proposed, _ = reader.page(game_id, MemoryKind.SKILL, filters={"status": "proposed"}, limit=_MOST)
    for entry in proposed:
        if isinstance(entry.content, SkillMemory):
            likened = entry.content.similar_to
            other = reader.entry(likened) if likened is not None else None
            items.append(InboxItem(entry, entry.content, other))
    used, _ = reader.page(game_id, MemoryKind.SKILL, filters={"status": "active"}, order="uses", limit=_MOST)
    bad = [
        InboxItem(entry, entry.content, does_badly=True)
        for entry in used
        if isinstance(entry.content, SkillMemory)
        and not entry.pinned
        and entry.content.uses >= settings.skill_retire_uses
        and entry.content.successes < settings.skill_retire * entry.content.uses
    ]
    return items + sorted(bad, key=lambda item: item.skill.successes / item.skill.uses)


class Inbox(QWidget):
    """A list of what waits, and the chosen one in full.

    Signals:
        edit_wanted(entry): edit it in the Skills table before deciding. step_wanted(run_id, step).
        count_changed(count): how many wait.
    """

    edit_wanted = Signal(object)
    step_wanted = Signal(int, int)
    count_changed = Signal(int)

    def __init__(self, look: Look, reading: MemoryReadWorker, commands: MemoryCommands) -> None:
        super().__init__()
        self._reading = reading
        self._commands = commands
        self.rows: list[InboxItem] = []
        self.list = RowList(look, "Skills that wait for a decision", 50)
        self.list.setMinimumWidth(200)
        self.list.chosen.connect(self._show)
        self._build()
        keys = (("A", self._accept_button), ("M", self._merge_button), ("R", self._reject_button))
        bind_keys(self.list, *((key, button.click) for key, button in keys))

    @property
    def chosen(self) -> InboxItem | None:
        chosen = self.list.current
        return next((item for item in self.rows if item.entry.entry_id == chosen), None)

    def read(self, game_id: str, settings: MemorySettings) -> None:
        """Read what waits for the operator of a game."""
        self._reading.ask(
            lambda reader: inbox_items(reader, game_id, settings), self._show_rows, lambda _: None
        )

    # ---- parts

    def _build(self) -> None:
        self._empty = EmptyState(
            "Nothing waits for you",
            "After a run, skills are proposed from parts in which the agent was lost or stuck. Proposals "
            "that the write gate cannot decide are listed here with their evidence, and so are skills in use "
            "that often fail.",
        )
        self._title = Label("", "title", wrap=True)
        self._chips = row(gap=STEP)
        self._made = Label("", "note", wrap=True)
        self._step = StepLink()
        self._step.wanted.connect(self.step_wanted)
        self._evidence_title = SectionTitle("Evidence")
        self._evidence = Card(gap=STEP)
        self._grid_title = SectionTitle("What it does")
        self._grid = FieldGrid()
        self.reason = Line("Why you decide so", "Why, for the history (may stay empty)")
        self._accept_button = PrimaryButton("Accept", self._accept)
        self._merge_button = Button("Merge", lambda: self._judge("merge"))
        self._reject_button = Button("Reject", self._reject)
        self._edit_button = Button("Edit first", self._edit, kind="quiet")
        self._buttons = (self._accept_button, self._merge_button, self._reject_button, self._edit_button)
        inside = column(
            self._title,
            self._chips,
            self._made,
            row(self._step, None),
            self.reason,
            row(*self._buttons[:-1], None, self._edit_button),
            self._evidence_title,
            self._evidence,
            self._grid_title,
            self._grid,
            None,
            margins=WIDE,
        )
        chosen = scrolled(holder(inside), "The chosen skill")
        self._both = split(self.list, chosen, sizes=(260, 700), stretch=1)
        self._stack = stacked(self._empty, self._both)
        self.setLayout(column(self._stack, gap=0))

    # ---- shown

    def _show_rows(self, rows: list[InboxItem]) -> None:
        """Show what waits; the choice stays, or goes to the next."""
        at = max(0, self.list.currentIndex().row())
        self.rows = rows
        self.count_changed.emit(len(rows))
        self._stack.setCurrentWidget(self._both if rows else self._empty)
        ids = [item.entry.entry_id for item in rows]
        stays = self.list.current in ids or not ids
        self.list.show_rows([_list_row(item) for item in rows], None if stays else ids[min(at, len(ids) - 1)])
        self._show()

    def _show(self, _: object = None) -> None:
        item = self.chosen
        if item is None:
            return
        skill, by = item.skill, item.entry.provenance
        self._title.set_text(skill.name)
        clear_layout(self._chips)
        for text in _chips(item):
            self._chips.addWidget(Chip(text))
        self._chips.addStretch(1)
        why = f" Why: {by.reason.removesuffix('.')}." if by.reason else ""
        self._made.set_text(f"{named(item.entry)}, made by {provenance_text(by)}.{why}")
        self._step.show_place(by)
        self.reason.clear()
        self._show_buttons(item)
        clear_layout(self._evidence.body)
        for sentence in skill.evidence:
            self._evidence.body.addWidget(Label(sentence, wrap=True))
        self._evidence_title.set_note(counted(len(skill.evidence), "sentence"))
        for widget in (self._evidence, self._evidence_title):
            widget.setVisible(bool(skill.evidence))
        self._show_grid(item)

    def _show_buttons(self, item: InboxItem) -> None:
        bad = item.does_badly
        self._accept_button.setText("Remove it" if bad else "Accept")
        self._accept_button.setToolTip("It is retired, and can be made active again" if bad else "A")
        self._reject_button.setText("Keep it" if bad else "Reject")
        self._reject_button.setToolTip("Pinned: not proposed again" if bad else "R")
        other = item.other.content if item.other is not None else None
        self._merge_button.setVisible(isinstance(other, SkillMemory) and other.status != "retired")
        if item.other is not None:
            self._merge_button.setText(f"Merge into {named(item.other)}")
            self._merge_button.setToolTip("M")
        for button in self._buttons:
            button.setAccessibleName(f"{button.text()}: {item.skill.name}")

    def _show_grid(self, item: InboxItem) -> None:
        other = item.other.content if item.other is not None else None
        beside = content_fields(other) if isinstance(other, SkillMemory) else {}
        self._grid_title.set_note("beside the one it resembles" if beside else "")
        heads = ["In use" if item.does_badly else "Proposed"]
        if item.other is not None and isinstance(other, SkillMemory):
            heads.append(f"{named(item.other)} “{cut(other.name, 32)}”")
        self._grid.start(heads)
        mine, declared = content_fields(item.skill), fields_of("skill")
        for name in _COMPARED:
            field = declared[name]
            texts = [value_text(field, fields[name]) for fields in (mine, beside) if fields]
            if any(texts):
                same = len(set(texts)) == 1 and len(texts) > 1
                self._grid.add_field(
                    field.about.label,
                    *(
                        _side(head, field.about.label, text, same)
                        for head, text in zip(heads, texts, strict=True)
                    ),
                )

    # ---- decisions

    def _accept(self) -> None:
        item = self.chosen
        if item is not None and item.does_badly:
            retired = replace(item.skill, status="retired")
            self._commands.put(item.entry.game_id, retired, item.entry, reason=self._why() or "did badly")
        else:
            self._judge("accept")

    def _reject(self) -> None:
        item = self.chosen
        if item is not None and item.does_badly:
            self._commands.pin((item.entry.entry_id,), True)
        else:
            self._judge("reject")

    def _judge(self, verdict: Literal["accept", "merge", "reject"]) -> None:
        item = self.chosen
        if item is not None and (verdict != "merge" or item.other is not None):
            self._commands.judge(item.entry, verdict, self._why())

    def _edit(self) -> None:
        if (item := self.chosen) is not None:
            self.edit_wanted.emit(item.entry)

    def _why(self) -> str:
        return self.reason.text().strip()


def _side(head: str, label: str, text: str, same: bool) -> Label:
    words = Label(text or "none", "dim" if same or not text else "", wrap=True)
    words.setAccessibleName(f"{head}, {label}: {text or 'none'}")
    return words


def _list_row(item: InboxItem) -> ListRow:
    sign = "▾ remove?" if item.does_badly else "＋ new" if item.other is None else "≈ like another"
    below = f"{sign} · {_figures(item.skill)}"
    head = RowLine((Words(item.skill.name, bold=True),))
    return ListRow(item.entry.entry_id, (head, line(below, "dim")), tip=f"{item.skill.name}\n{below}")


def _figures(skill: SkillMemory) -> str:
    if not skill.uses:
        return "not used yet"
    return f"success {rate(skill.successes, skill.uses)} of {counted(skill.uses, 'use')}"


def _chips(item: InboxItem) -> list[str]:
    chips = ["skill in use, seldom succeeds" if item.does_badly else "proposed", _figures(item.skill)]
    if item.other is not None:
        chips.append(f"like {named(item.other)}")
    chips.append(f"priority {item.skill.priority}")
    return chips
