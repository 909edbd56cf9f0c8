"""The right column: a version's reward function or rules, their changes, the reason, and check results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup

from pitwall.console.kit.elements import (
    Button,
    Card,
    KeyValue,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.panes import ScrollPane, stacked
from pitwall.console.kit.theme import PAD, STEP, Look
from pitwall_evaluation.console.code_editor.editor import CodeEditor, CodeView, DiffView
from pitwall_lab.console.changes.checks import CheckLine
from pitwall_lab.console.changes.rules_editor import RulesEditor

_LEAST_HEIGHT = 190
_SHARE = 0.6
"""Largest share of the column's height for the text; reason and checks get the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """A version's text and the change made to it.

    Attributes:
        text: the version's text. before: its parent's text.
        parent: the parent's name; empty without one.
        draft: the operator's changed text; None for no change.
        proposed: it waits for a decision. by: who proposed it.
        editable: whether a change can begin here; `locked` says why not.
    """

    version: str = ""
    text: str = ""
    before: str = ""
    parent: str = ""
    draft: str | None = None
    proposed: bool = False
    by: str = ""
    why: str = ""
    editable: bool = True
    locked: str = ""


class ChangePanel(ScrollPane):
    """A text with its change.

    Args:
        title: "Reward" or "Rules". as_lines: writes the text as lines for the diff. go: text of the button
            that makes a version of a draft.

    Signals:
        edited(text). check_wanted(). go_wanted(): make a version of the draft. discard_wanted().
        accept_wanted(). reject_wanted(): of a proposal.
    """

    edited = Signal(str)
    check_wanted = Signal()
    go_wanted = Signal()
    discard_wanted = Signal()
    accept_wanted = Signal()
    reject_wanted = Signal()

    def __init__(
        self,
        look: Look,
        title: str,
        editor: CodeEditor | RulesEditor,
        *,
        as_lines: Callable[[str], str] = str,
        go: str,
        accept: str,
    ) -> None:
        super().__init__(title)
        self.setObjectName("side")
        self._as_lines = as_lines
        self._change = VersionChange()
        self.editor = editor
        self.diff = DiffView(look, f"{title}: what changed", python=isinstance(editor, CodeEditor))
        self._build(title, go, accept)
        for code in (editor, self.diff):
            if isinstance(code, CodeView):
                code.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        editor.edited.connect(self._edited)
        editor.check_wanted.connect(self.check_wanted)

    # ---- shown

    @property
    def text(self) -> str:
        """Return the text as the operator has edited it."""
        return self.editor.text()

    @property
    def view(self) -> Literal["diff", "edit"]:
        return "diff" if self._stack.currentWidget() is self.diff else "edit"

    @property
    def note(self) -> str:
        """Return the note beside the title, which names the author of the change."""
        return self._title.note.full_text()

    @property
    def checks(self) -> list[str]:
        """Return the checks as shown: "Time per call: 11 µs"."""
        return [f"{line.name}: {line.value}" for line in self._lines_shown]

    def show_change(self, change: VersionChange) -> None:
        """Show a version's text; the same text again leaves the editor alone."""
        if change == self._change:
            return
        other = change.version != self._change.version or change.text != self._change.text
        self._change = change
        self.editor.fill(change.text if change.draft is None else change.draft)
        if isinstance(self.editor, CodeEditor):
            self.editor.setReadOnly(not change.editable)
        else:
            self.editor.setEnabled(change.editable)
        self._locked.show_text(change.locked)
        if other:
            self.show_checks(())
            self.show_view("diff" if change.parent and change.draft is None else "edit")
        self._why.set_text(change.why)
        self._why_title.set_note(f"by {change.by}" if change.why and change.by else "")
        for widget in (self._why_title, self._why_card):
            widget.setVisible(bool(change.why))
        self._show_buttons()

    def show_view(self, view: Literal["diff", "edit"]) -> None:
        """Turn to the diff or to the editor."""
        (self._diff_button if view == "diff" else self._edit_button).setChecked(True)
        self._stack.setCurrentWidget(self.diff if view == "diff" else self.editor)
        self._show_diff()
        self._fit()

    def show_checks(self, lines: Sequence[CheckLine], fault: str = "") -> None:
        """Show the check results; `fault` is the sentence of a fault."""
        self._lines_shown = tuple(lines)
        clear_layout(self._checks_lines)
        for line in lines:
            self._checks_lines.addWidget(KeyValue(line.name, line.value, tone=line.tone))
        self._fault.show_text(fault)
        self._checks.set_tone("stop" if fault else "neutral")
        self._checks_hint.setVisible(not lines and not fault)

    def show_busy(self, busy: bool) -> None:
        """Disable the buttons while a check or the start of a training is running."""
        for button in (self._check, self._go, self._accept):
            button.setEnabled(not busy)

    # ---- parts

    def _build(self, title: str, go: str, accept: str) -> None:
        self._title = SectionTitle(title)
        self._diff_button = self._toggle("Diff", f"{title}: show what changed", "diff")
        self._edit_button = self._toggle("Edit", f"{title}: edit", "edit")
        group = QButtonGroup(self)
        group.addButton(self._diff_button)
        group.addButton(self._edit_button)
        self._count = Label("", "note")
        tools = row(self._diff_button, self._edit_button, None, self._count, gap=STEP)
        self._stack = stacked(self.editor, self.diff)
        self._stack.setFixedHeight(_LEAST_HEIGHT)
        self._locked = Label("", "note", wrap=True)
        self._check = Button(
            "Check", self.check_wanted.emit, name=f"Check the {title.lower()}", tip="Ctrl+Enter"
        )
        self._go = PrimaryButton(go, self.go_wanted.emit)
        self._discard = Button("Discard", self.discard_wanted.emit, kind="quiet", name="Discard your change")
        self._accept = PrimaryButton(accept, self.accept_wanted.emit)
        self._reject = Button("Reject", self.reject_wanted.emit, name="Reject the proposal")
        buttons = row(self._check, self._accept, self._reject, self._go, self._discard, None)  # it stays put
        self._why_title = SectionTitle("Why")
        self._why = Label("", "dim", wrap=True)
        self._why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._why_card = Card(self._why)
        self._checks_lines = column(gap=STEP + 2)
        self._fault = Label("", wrap=True)
        self._fault.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._checks_hint = Label(
            "Check tests whether it can be used, and measures its cost.", "dim", wrap=True
        )
        self._checks = Card(self._fault, self._checks_hint, gap=STEP + 2)
        self._checks.body.insertLayout(0, self._checks_lines)
        why = (self._why_title, self._why_card, SectionTitle("Checks"), self._checks)
        self.setWidget(
            holder(column(self._title, tools, self._stack, self._locked, buttons, *why, None, margins=PAD))
        )
        self.show_checks(())

    def _toggle(self, text: str, name: str, view: Literal["diff", "edit"]) -> Button:
        button = Button(text, lambda: self.show_view(view), kind="quiet", name=name)
        button.setCheckable(True)
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # ---- inside

    def _fit(self) -> None:
        """Make the text as high as its lines, if what is below still fits."""
        shown = self._stack.currentWidget()
        room = round(_SHARE * self.viewport().height())
        wanted = shown.text_height if isinstance(shown, CodeView) else room
        height = max(_LEAST_HEIGHT, min(wanted, room))
        if self._stack.height() != height:
            self._stack.setFixedHeight(height)

    def _edited(self) -> None:
        self.edited.emit(self.text)
        self.show_checks(())
        self._show_buttons()

    @property
    def drafting(self) -> bool:
        """Return whether the text differs from the version's own."""
        return self._change.editable and self.text != self._change.text

    def _show_buttons(self) -> None:
        change, drafting = self._change, self.drafting
        self._go.setVisible(drafting)
        self._discard.setVisible(drafting)
        self._accept.setVisible(change.proposed and not drafting)
        self._reject.setVisible(change.proposed and not drafting)
        self._check.setVisible(change.editable)
        if drafting:
            note = f"your change to {change.version}"
        elif change.proposed:
            note = f"proposed by {change.by}" if change.by else "proposed"
        else:
            note = f"of {change.version}" if change.version else ""
        self._title.set_note(note)
        self._show_diff()

    def _show_diff(self) -> None:
        change = self._change
        drafting = self.drafting
        before, against = (change.text, change.version) if drafting else (change.before, change.parent)
        self._diff_button.setEnabled(bool(against))
        if not against:
            self._count.set_text("")
            if self.view == "diff":
                self.show_view("edit")
            return
        added, removed = self.diff.show_diff(self._as_lines(before), self._as_lines(self.text))
        words = f"+{added} −{removed} lines against {against}" if added or removed else f"as in {against}"
        self._count.set_text(words)
