"""The first three steps of "Add a game": which game, which keys, what is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QVBoxLayout, QWidget

from pitwall.console.kit.elements import (
    Button,
    KeyCap,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
    key_words,
    row,
)
from pitwall.console.kit.format import value as value_words
from pitwall.console.kit.theme import GAP, STEP, Look
from pitwall.console.new_game.draft_edits import (
    KIND_WORDS,
    SIGNS,
    is_sign,
    kind_of,
    renamed_action,
    renamed_field,
    sign_of,
    with_key,
    with_sign,
    with_wait,
    without_action,
    without_field,
)
from pitwall.console.new_game.key_pad import KeyPad
from pitwall.console.new_game.step_parts import RowList, StepPanel, beside, name_line, stacked
from pitwall.games.drafting.draft import Draft, DraftAction
from pitwall.games.drafting.store import SavedDraft


class GamePanel(StepPanel):
    """Which game: a window, a page, a command, or a draft that was begun.

    Signals:
        pick_wanted(): a window is to be clicked. address_wanted(url), command_wanted(text): to be opened.
        reopened(KeptDraft), dropped(KeptDraft): a draft that was begun.
        named(name): another name for the game.
    """

    pick_wanted = Signal()
    address_wanted = Signal(str)
    command_wanted = Signal(str)
    reopened = Signal(object)
    dropped = Signal(object)
    named = Signal(str)

    def __init__(self) -> None:
        super().__init__(
            "Which game is it?",
            "Start the game, then click its window. Nothing is sent to it before you say so.",
        )
        self.pick = PrimaryButton("Pick its window", self.pick_wanted.emit)
        self.url = self._entry("https://… or file:///…", "Address of a page")
        self.open_url = Button("Open", lambda: self.address_wanted.emit(self.url.text().strip()))
        self.url.returnPressed.connect(lambda: self.address_wanted.emit(self.url.text().strip()))
        self.command = self._entry("program --option", "Command that starts the game")
        self.open_command = Button("Start", lambda: self.command_wanted.emit(self.command.text().strip()))
        self.command.returnPressed.connect(lambda: self.command_wanted.emit(self.command.text().strip()))
        self.name = self._entry("Name", "Name of the game")
        self.name.editingFinished.connect(lambda: self.named.emit(self.name.text()))
        self._about = Label("", "note", wrap=True)
        self._named = stacked(SectionTitle("Its name"), self.name, self._about)
        self._kept_list = column(gap=STEP)
        self._kept = stacked(SectionTitle("Begun before"))
        kept = self._kept.layout()
        assert isinstance(kept, QVBoxLayout)
        kept.addLayout(self._kept_list)
        for widget in (
            self.pick,
            stacked(SectionTitle("Or a web page"), beside(self.url, self.open_url)),
            stacked(SectionTitle("Or a command that starts it"), beside(self.command, self.open_command)),
            self._named,
            self._kept,
        ):
            self.body.addSpacing(GAP)
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.show_draft(None)

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        self._named.setVisible(draft is not None)
        self.pick.setText("Pick another window" if draft is not None else "Pick its window")
        if draft is not None:
            if not self.name.hasFocus():
                self.name.setText(draft.name)
            size = f"{draft.screen.width}×{draft.screen.height} px"
            known = draft.url or " ".join(draft.command) or draft.window.title or draft.window.wm_class
            self._about.set_text(f"Id {draft.game_id} · {size} · known by {known}")

    def show_kept(self, kept: Sequence[SavedDraft]) -> None:
        """Offer drafts that were begun."""
        clear_layout(self._kept_list)
        self._kept.setVisible(bool(kept))
        for one in kept[:6]:
            more = f"{len(one.draft.actions)} actions · {len(one.draft.fields)} readings"
            go_on = Button(
                one.draft.name, partial(self.reopened.emit, one), name=f"Go on with {one.draft.name}"
            )
            drop = Button("×", partial(self.dropped.emit, one), kind="quiet", name=f"Forget {one.draft.name}")
            self._kept_list.addWidget(beside(go_on, Label(more, "note"), None, drop))

    def _entry(self, hint: str, name: str) -> QLineEdit:
        line = QLineEdit()
        line.setPlaceholderText(hint)
        line.setAccessibleName(name)
        return line


class ActionsPanel(StepPanel):
    """Keys become actions by being pressed; points by being clicked on the picture."""

    def __init__(self) -> None:
        super().__init__(
            "Press the keys it is played with",
            "A click on the picture becomes an action that clicks there. "
            "Change their names as you like: a model reads them.",
        )
        self.pad = KeyPad()
        self.pad.typed.connect(self._typed)
        self._said = Label("", "note", wrap=True)
        self.pad.unusable.connect(self._said.set_text)
        self._title = SectionTitle("Actions")
        self._list = RowList()
        self._none = Label("Each one appears here, with its name.", "note", wrap=True)
        wait = Button("Add one that waits", self._wait, kind="quiet", name="Add an action that waits")
        self.body.addSpacing(GAP)
        for widget in (self.pad, self._said, self._title, self._none, self._list, wait):
            self.body.addWidget(widget)
        self.body.setStretchFactor(self._list, 1)
        self._shown: tuple[DraftAction, ...] = ()

    def entered(self) -> None:
        self.pad.setFocus()

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        actions = tuple(draft.actions) if draft is not None else ()
        self._none.setVisible(not actions)
        self._title.set_note(str(len(actions)) if actions else "")
        if actions == self._shown:
            return
        self._shown = actions
        self._list.fill([self._row(at, action) for at, action in enumerate(actions)])

    def _row(self, at: int, action: DraftAction) -> QWidget:
        name = name_line(action.name, f"Name of the action {action.name}")
        name.editingFinished.connect(lambda: self._rename(at, name.text()))
        drop = Button("×", lambda: self._drop(at), kind="quiet", name=f"Remove {action.name}")
        caps: list[QWidget | None] = [KeyCap(key) for key in action.keys]
        caps = caps or [Label(action.words, "dim")]
        return beside(name, *caps, None, drop)

    def _typed(self, chord: str) -> None:
        assert self.draft is not None
        after = with_key(self.draft, chord)
        self._said.set_text(f"{key_words(chord)} has an action already." if after is self.draft else "")
        self.tell(after)

    def _wait(self) -> None:
        assert self.draft is not None
        self.tell(with_wait(self.draft))

    def _rename(self, at: int, name: str) -> None:
        if self.draft is not None and at < len(self.draft.actions) and name != self.draft.actions[at].name:
            self.tell(renamed_action(self.draft, at, name))

    def _drop(self, at: int) -> None:
        assert self.draft is not None
        self.tell(without_action(self.draft, at))


class ReadingsPanel(StepPanel):
    """Boxes drawn on the picture become fields; what each reads is shown as it changes.

    Signals:
        read_wanted(name, kind): a field is to be read as another kind.
        chosen(name): a field's row was gone into.
    """

    read_wanted = Signal(str, str)
    chosen = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(
            "Draw a box around what tells how it goes",
            "A bar, a number, a thing that moves: what it reads is shown at once. "
            "Leave out what does not matter.",
        )
        self._look = look
        self._title = SectionTitle("Readings")
        self._list = RowList()
        self._none = Label(
            "Hold the left button on the picture and draw. The picture stands still while you do.",
            "note",
            wrap=True,
        )
        self._said = Label("", "note", wrap=True)
        self._said.hide()
        self.body.addSpacing(GAP)
        for widget in (self._title, self._none, self._said, self._list):
            self.body.addWidget(widget)
        self.body.setStretchFactor(self._list, 1)
        self._shown: tuple[tuple[str, str, bool], ...] = ()
        self._values: dict[str, Label] = {}

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        fields: tuple[tuple[str, str, bool], ...] = ()
        if draft is not None:
            fields = tuple((one.name, kind_of(one), is_sign(one)) for one in draft.fields)
        self._none.setVisible(not fields)
        self._title.set_note(str(len(fields)) if fields else "")
        if fields == self._shown:
            return
        self._shown = fields
        self._values = {}
        self._list.fill([self._row(*one) for one in fields])

    def say(self, text: str) -> None:
        """What is wrong with a box, or that it is being read; empty: nothing."""
        self._said.set_text(text)
        self._said.setVisible(bool(text))

    def show_values(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """What each field reads now."""
        for name, label in self._values.items():
            read = values.get(name)
            label.set_text(value_words(read["value"], read["unit"]) if read else "…")

    def _row(self, name: str, kind: str, sign: bool) -> QWidget:
        line = name_line(name, f"Name of the reading {name}")
        line.editingFinished.connect(lambda: self._rename(name, line.text()))
        kinds = QComboBox()
        kinds.setAccessibleName(f"{name} is read as")
        for key, words in KIND_WORDS.items():
            if key:
                kinds.addItem(words, key)
        kinds.setCurrentIndex(kinds.findData(kind))
        kinds.activated.connect(lambda at: self.read_wanted.emit(name, kinds.itemData(at)))
        value = self._values[name] = Label("…", "strong")
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        drop = Button("×", lambda: self._drop(name), kind="quiet", name=f"Remove {name}")
        inside = row(line, kinds, value, drop, gap=STEP)
        inside.setStretch(2, 1)
        holder = QWidget()
        holder.setLayout(inside)
        return stacked(holder, self._sign_choice(name)) if sign else holder

    def _sign_choice(self, name: str) -> QComboBox:
        signs = QComboBox()
        signs.setAccessibleName(f"What {name} is a sign of")
        for key, words in SIGNS.items():
            signs.addItem(words, key)
        assert self.draft is not None
        signs.setCurrentIndex(signs.findData(sign_of(self.draft, name)))
        signs.activated.connect(lambda at: self._set_sign(name, signs.itemData(at)))
        return signs

    def _set_sign(self, name: str, status: str) -> None:
        assert self.draft is not None
        self.tell(with_sign(self.draft, name, status))

    def _rename(self, old: str, name: str) -> None:
        if self.draft is not None and name != old and self.draft.field(old) is not None:
            self.tell(renamed_field(self.draft, old, name))

    def _drop(self, name: str) -> None:
        assert self.draft is not None
        self.tell(without_field(self.draft, name))
