"""The write gate's inbox: skills that wait for the operator, each beside the one it resembles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QLineEdit,
    QWidget,
)

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
    row,
)
from pitwall.console.kit.format import counted
from pitwall.console.kit.panes import scrolled, split, stacked
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words, line
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE, Look
from pitwall.console.memory.commands import MemoryCommands
from pitwall.console.memory.format import (
    content_fields,
    cut,
    field_title,
    named,
    provenance_text,
    rate,
    value_text,
)
from pitwall.console.memory.reader import MemoryReadWorker
from pitwall.core.memories import MemoryEntry, MemoryKind, SkillMemory
from pitwall.core.settings import MemorySettings
from pitwall.memory.reader import MemoryReader

_MOST = 500
_COMPARED = (
    "when", "subgoal", "situation", "actions", "module", "stop", "priority", "steps", "cooldown_steps"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One thing to decide: a proposed skill, or one in use that does badly.

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
    found: list[InboxItem] = []
    proposed, _ = reader.page(game_id, MemoryKind.SKILL, filters={"status": "proposed"}, limit=_MOST)
    for entry in proposed:
        if isinstance(entry.content, SkillMemory):
            likened = entry.content.similar_to
            other = reader.entry(likened) if likened is not None else None
            found.append(InboxItem(entry, entry.content, other))
    used, _ = reader.page(game_id, MemoryKind.SKILL, filters={"status": "active"}, order="uses", limit=_MOST)
    bad = [
        InboxItem(entry, entry.content, does_badly=True)
        for entry in used
        if isinstance(entry.content, SkillMemory)
        and not entry.pinned
        and _does_badly(entry.content, settings)
    ]
    return found + sorted(bad, key=lambda one: one.skill.successes / one.skill.uses)


def _does_badly(skill: SkillMemory, settings: MemorySettings) -> bool:
    return skill.uses >= settings.skill_retire_uses and skill.successes < settings.skill_retire * skill.uses


class Inbox(QWidget):
    """A list of what waits, and the chosen one in full.

    Signals:
        edit_wanted(entry): edit it in the Skills table before deciding. step_wanted(run_id, step).
    """

    edit_wanted = Signal(object)
    step_wanted = Signal(int, int)

    def __init__(self, look: Look, reading: MemoryReadWorker, commands: MemoryCommands) -> None:
        super().__init__()
        self._reading = reading
        self._commands = commands
        self._rows: list[InboxItem] = []
        self.list = RowList(look, "Skills that wait for a decision", 50)
        self.list.setMinimumWidth(200)
        self.list.chosen.connect(self._show)
        self._build()
        bind_keys(
            self.list,
            ("A", self.accept_button.click),
            ("M", self.merge_button.click),
            ("R", self.reject_button.click),
        )

    @property
    def rows(self) -> Sequence[InboxItem]:
        return self._rows

    @property
    def chosen(self) -> InboxItem | None:
        chosen = self.list.current
        return next((one for one in self._rows if one.entry.entry_id == chosen), None)

    def show_rows(self, rows: Sequence[InboxItem]) -> None:
        """Show what waits; the choice stays, or goes to the next."""
        at = max(0, self.list.currentIndex().row())
        self._rows = list(rows)
        self._stack.setCurrentWidget(self._both if rows else self._empty)
        ids = [one.entry.entry_id for one in rows]
        if self.list.current in ids or not ids:
            self.list.show_rows([_list_row(one) for one in rows])
        else:
            self.list.show_rows([_list_row(one) for one in rows], ids[min(at, len(ids) - 1)])
        self._show()

    # ---- parts

    def _build(self) -> None:
        self._empty = EmptyState(
            "Nothing waits for you",
            "After a run, skills are proposed from what was lost or stuck. What the write gate cannot decide "
            "by itself is listed here with its evidence, and so are skills in use that do badly.",
        )
        self._title = Label("", "title", wrap=True)
        self._chips = row(gap=STEP)
        self._made = Label("", "note", wrap=True)
        self._step = Button("", self._open_step, kind="link")
        self._evidence_title = SectionTitle("Evidence")
        self._evidence = Card(gap=STEP)
        self._grid_title = SectionTitle("What it does")
        self._grid_box = QWidget()
        self._grid = QGridLayout(self._grid_box)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(PAD)
        self._grid.setVerticalSpacing(GAP)
        self.reason = QLineEdit()
        self.reason.setPlaceholderText("Why, for the history (may stay empty)")
        self.reason.setAccessibleName("Why you decide so")
        self.accept_button = PrimaryButton("Accept", self._accept)
        self.merge_button = Button("Merge", self._merge)
        self.reject_button = Button("Reject", self._reject)
        self.edit_button = Button("Edit first", self._edit, kind="quiet")
        buttons = row(self.accept_button, self.merge_button, self.reject_button, None, self.edit_button)
        inside = column(self._title, gap=GAP)
        inside.addLayout(self._chips)
        inside.addWidget(self._made)
        inside.addLayout(row(self._step, None))
        inside.addWidget(self.reason)
        inside.addLayout(buttons)
        for widget in (self._evidence_title, self._evidence, self._grid_title, self._grid_box):
            inside.addWidget(widget)
        inside.addStretch(1)
        inside.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        holder = QWidget()
        holder.setLayout(inside)
        self._both = split(self.list, scrolled(holder, "The chosen skill"), sizes=(260, 700), stretch=1)
        self._stack = stacked(self._empty, self._both)
        self.setLayout(column(self._stack, gap=0))

    # ---- the chosen one

    def _show(self, _: object = None) -> None:
        one = self.chosen
        if one is None:
            return
        skill = one.skill
        self._title.set_text(skill.name)
        clear_layout(self._chips)
        for text in _chips(one):
            self._chips.addWidget(Chip(text))
        self._chips.addStretch(1)
        by = one.entry.provenance
        why = f" Why: {by.reason}." if by.reason else ""
        self._made.set_text(f"{named(one.entry)}, made by {provenance_text(by)}.{why}")
        self._step.setVisible(by.run_id is not None)
        if by.run_id is not None:
            self._step.setText(f"Open run {by.run_id}" + (f", step {by.step:,}" if by.step else ""))
        self.reason.clear()
        self.accept_button.setText("Remove it" if one.does_badly else "Accept")
        self.accept_button.setToolTip(
            "It is retired, and can be made active again" if one.does_badly else "A"
        )
        self.reject_button.setText("Keep it" if one.does_badly else "Reject")
        self.reject_button.setToolTip("Pinned: not proposed again" if one.does_badly else "R")
        self.merge_button.setVisible(one.other is not None)
        if one.other is not None:
            self.merge_button.setText(f"Merge into {named(one.other)}")
            self.merge_button.setToolTip("M")
        for button in (self.accept_button, self.merge_button, self.reject_button, self.edit_button):
            button.setAccessibleName(f"{button.text()}: {skill.name}")
        self._show_evidence(skill)
        self._show_grid(one)

    def _show_evidence(self, skill: SkillMemory) -> None:
        clear_layout(self._evidence.body)
        for sentence in skill.evidence:
            self._evidence.body.addWidget(Label(sentence, wrap=True))
        self._evidence_title.set_note(counted(len(skill.evidence), "sentence") if skill.evidence else "")
        self._evidence.setVisible(bool(skill.evidence))
        self._evidence_title.setVisible(bool(skill.evidence))

    def _show_grid(self, one: InboxItem) -> None:
        clear_layout(self._grid)
        other = one.other.content if one.other is not None else None
        beside = content_fields(other) if isinstance(other, SkillMemory) else {}
        self._grid_title.set_note("beside the one it resembles" if beside else "")
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(2, 1 if beside else 0)
        heads = ["", "Proposed" if not one.does_badly else "In use"]
        if one.other is not None and isinstance(other, SkillMemory):
            heads.append(f"{named(one.other)} “{cut(other.name, 32)}”")
        for at, text in enumerate(heads):
            self._grid.addWidget(Label(text, "note"), 0, at)
        place = 1
        for name, value in content_fields(one.skill).items():
            left, right = value_text(name, value), value_text(name, beside.get(name, ""))
            if name not in _COMPARED or not (left or right):
                continue
            same = not beside or left == right
            self._grid.addWidget(Label(field_title(name), "dim"), place, 0, Qt.AlignmentFlag.AlignTop)
            for at, text in ((1, left), (2, right))[: 2 if beside else 1]:
                words = Label(text or "none", "" if text and not (same and beside) else "dim", wrap=True)
                words.setAccessibleName(f"{heads[at]}, {field_title(name)}: {text or 'none'}")
                self._grid.addWidget(words, place, at, Qt.AlignmentFlag.AlignTop)
            place += 1

    # ---- decisions

    def _accept(self) -> None:
        one = self.chosen
        if one is None:
            return
        if one.does_badly:
            retired = replace(one.skill, status="retired")
            self._commands.put(one.entry.game_id, retired, one.entry, reason=self._why() or "did badly")
        else:
            self._commands.judge(one.entry, "accept", self._why())

    def _merge(self) -> None:
        if (one := self.chosen) is not None and one.other is not None:
            self._commands.judge(one.entry, "merge", self._why())

    def _reject(self) -> None:
        one = self.chosen
        if one is None:
            return
        if one.does_badly:
            self._commands.pin((one.entry.entry_id,), True)
        else:
            self._commands.judge(one.entry, "reject", self._why())

    def _edit(self) -> None:
        if (one := self.chosen) is not None:
            self.edit_wanted.emit(one.entry)

    def _open_step(self) -> None:
        if (one := self.chosen) is not None and one.entry.provenance.run_id is not None:
            self.step_wanted.emit(one.entry.provenance.run_id, one.entry.provenance.step or 0)

    def _why(self) -> str:
        return self.reason.text().strip()


def _list_row(one: InboxItem) -> ListRow:
    sign = "▾ remove?" if one.does_badly else "＋ new" if one.other is None else "≈ like another"
    below = f"{sign} · {_figures(one.skill)}"
    head = Line((Words(one.skill.name, bold=True),))
    return ListRow(one.entry.entry_id, (head, line(below, "dim")), tip=f"{one.skill.name}\n{below}")


def _figures(skill: SkillMemory) -> str:
    if not skill.uses:
        return "not used yet"
    return f"success {rate(skill.successes, skill.uses)} of {counted(skill.uses, 'use')}"


def _chips(one: InboxItem) -> list[str]:
    chips = ["in use, does badly" if one.does_badly else "proposed", _figures(one.skill)]
    if one.other is not None:
        chips.append(f"like {named(one.other)}")
    chips.append(f"priority {one.skill.priority}")
    return chips
