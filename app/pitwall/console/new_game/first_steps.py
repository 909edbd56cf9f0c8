"""The first and the third step of "Add a game": the game, and its readings."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QWidget

from pitwall.console.kit.elements import (
    Button,
    Label,
    Part,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.form.fields import Option
from pitwall.console.kit.form.inputs import Combo, Line
from pitwall.console.kit.format import value as value_words
from pitwall.console.kit.theme import GAP, STEP
from pitwall.console.new_game.draft_edits import (
    KIND_TIPS,
    KIND_WORDS,
    kind_of,
    renamed_field,
    with_field,
    without_field,
)
from pitwall.console.new_game.minute_panel import MinutePanel
from pitwall.console.new_game.preview import GamePreview
from pitwall.console.new_game.step_parts import ListPanel, StepPanel, drop_button, name_line
from pitwall.core.errors import PitwallError
from pitwall.core.geometry import Rect
from pitwall.core.runs import UNSURE_NUMBER
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.search_area import TIGHT_WORDS, has_search_area, is_tight, with_search_area
from pitwall.games.drafting.signs import SIGNS, may_be_sign, sign_of, with_proposal, with_sign
from pitwall.games.drafting.store import SavedDraft
from pitwall.games.schema.fields import Box, ReaderField, SpriteField


class GamePanel(StepPanel):
    """Asks for the game: a window, a page, a command, or an earlier draft.

    Signals:
        pick_wanted(): the operator wants to click a window. address_wanted(url), command_wanted(text): open
            it.
        reopened(SavedDraft), dropped(SavedDraft): an earlier draft.
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
            "Start the game, then click its window. Nothing is sent to it until you say so.",
        )
        self._starts: list[str] = []
        self._pick = PrimaryButton("Pick its window", self.pick_wanted.emit)
        self._name = Line("Name of the game", "Name")
        self._name.editingFinished.connect(lambda: self.named.emit(self._name.text()))
        self._about = Label("", "note", wrap=True)
        self._named = _part("Its name", self._name, self._about)
        self._kept_list = column(gap=STEP)
        self._kept = _part("Earlier drafts", self._kept_list)
        url = Line("Address of a page", "game/index.html or https://…")
        self._command = Line("Command that starts the game", "program --option")
        self._begins = Combo("How the page's game starts")
        self._begins.chosen.connect(lambda text: self.edit(Draft.changed, init=text))
        self._begin = _part("How the page's game starts", self._begins)
        parts = (
            self._pick,
            _part("Or a web page", _asked(url, "Open", self.address_wanted)),
            _part("Or a command that starts it", _asked(self._command, "Start", self.command_wanted)),
            self._begin,
            self._named,
            self._kept,
        )
        self.fill(column(*parts, gap=2 * GAP))
        self.show_draft(None)

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        self._named.setVisible(draft is not None)
        self._begin.setVisible(draft is not None and bool(draft.url and (draft.init or self._starts)))
        self._pick.setText("Pick another window" if draft is not None else "Pick its window")
        if not self._command.hasFocus():
            self._command.setText(shlex.join(draft.command) if draft is not None else "")
        if draft is not None:
            if not self._name.hasFocus():
                self._name.setText(draft.name)
            size = f"{draft.screen.width}×{draft.screen.height} px"
            known = draft.url or draft.window.title or draft.window.wm_class or shlex.join(draft.command)
            self._about.set_text(f"Id {draft.game_id} · {size} · known by {known}")

    def show_page(self, offers: Sequence[Mapping[str, Any]]) -> None:
        """Offer the functions of a page that may start its game."""
        self._starts = [offer["expression"] for offer in offers if offer["kind"] == "start"]
        init = self.draft.init if self.draft is not None else ""
        names = dict.fromkeys([*([init] if init else []), *self._starts])
        self._begins.offer([("", "Nothing: it starts by itself"), *((name, name) for name in names)], init)
        self.show_draft(self.draft)

    def show_kept(self, kept: Sequence[SavedDraft]) -> None:
        clear_layout(self._kept_list)
        self._kept.setVisible(bool(kept))
        for saved in kept[:6]:
            name = saved.draft.name
            more = f"{len(saved.draft.actions)} actions · {len(saved.draft.fields)} readings"
            go_on = Button(name, partial(self.reopened.emit, saved), name=f"Go on with {name}")
            drop = drop_button(f"Forget {name}", partial(self.dropped.emit, saved))
            self._kept_list.addWidget(holder(row(go_on, Label(more, "note"), None, drop)))


def _part(title: str, *parts: Part) -> QWidget:
    return holder(column(SectionTitle(title), *parts, gap=STEP))


def _asked(line: Line, word: str, wanted: SignalInstance) -> QHBoxLayout:
    """Return a line with a button that sends its text; Enter sends it, too."""
    line.returnPressed.connect(lambda: wanted.emit(line.text().strip()))
    return row(line, Button(word, lambda: wanted.emit(line.text().strip())))


_WHOLE = "the whole picture"


def _area_words(field: ReaderField) -> str:
    """Describe where a field looks for its thing; empty for a field that stays at its place."""
    if not has_search_area(field):
        return ""
    area = field.within if isinstance(field, SpriteField) else field.box
    return _WHOLE if area is None else f"{area[2]} × {area[3]} px"


class ReadingsPanel(ListPanel):
    """Turns boxes that are drawn on the picture into fields, and shows their values as they change.

    Args:
        sight: the picture. keep_key: the hotkey that keeps a picture.

    Signals:
        read_wanted(name, kind): read a field as another kind.
    """

    read_wanted = Signal(str, str)

    def __init__(self, sight: GamePreview, keep_key: str) -> None:
        super().__init__(
            "Draw a box around what shows how it goes",
            "A bar, a number, a thing that moves: its value is shown at once. "
            "Leave out what does not matter.",
            "Readings",
            "Hold the left button on the picture and draw. The picture pauses while you draw.",
        )
        self._message = Label("", "note", wrap=True)
        self._values: dict[str, Label] = {}
        self._read: Mapping[str, Mapping[str, Any]] = {}
        self._notes: dict[str, Label] = {}
        self._tight: dict[str, Label] = {}
        self._area_of = ""
        self._evidence: Mapping[str, Mapping[str, Any]] = {}
        self._sight = sight
        self.minute = MinutePanel(sight, keep_key)
        self.minute.taken.connect(partial(self.edit, with_proposal))
        self.minute.read.connect(self._show_evidence)
        self.lay_out(self._message, below=[self.minute])
        self.say("")

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        if draft is None:
            self.minute.clear()
        fields = draft.fields if draft is not None else []
        rows = [(field.name, kind_of(field), may_be_sign(field), _area_words(field)) for field in fields]
        self.show_rows(rows, self._row)

    def say(self, text: str) -> None:
        """Show a message about a box; empty: none."""
        self._message.show_text(text)

    def show_values(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        self._read = values
        shown = {field.name for field in self.draft.fields} if self.draft is not None else set()
        for name in shown & self._values.keys():
            read = values.get(name)
            self._values[name].set_text(value_words(read["value"], read["unit"]) if read else "…")
            self._warn(name, (read or {}).get("found"))

    def _warn(self, name: str, place: Mapping[str, int] | None) -> None:
        """Warn where a thing has hardly room to move in its search area."""
        field = self.draft.field(name) if self.draft is not None else None
        if self.draft is None or field is None or name not in self._tight or not place:
            return  # a warning stays while the thing is out of sight
        tight = is_tight(field, self._sight.on_screen(Rect(**place)))
        self._tight[name].show_text(TIGHT_WORDS if tight else "")

    def _row(self, reading: tuple[str, str, bool, str]) -> QWidget:
        name, kind, sign, area = reading
        line = name_line(name, f"Name of the reading {name}", partial(self.edit, renamed_field, name))
        options = [Option(key, words, KIND_TIPS[key]) for key, words in KIND_WORDS.items() if key]
        kinds = Combo(f"{name} is read as", options, tip=KIND_TIPS.get(kind, ""))
        kinds.choose(kind)
        kinds.chosen.connect(partial(self.read_wanted.emit, name))
        value = self._values[name] = Label("…", "strong")
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        drop = drop_button(f"Remove {name}", partial(self.edit, without_field, name))
        self._notes[name] = Label("", "note", wrap=True)
        inside: list[Part] = [row(line, kinds, value, drop, gap=STEP, stretch=2), self._notes[name]]
        if kind == "number":
            typed = Line(f"Value of {name} in this picture", "Misread? Type the number in the picture")
            typed.returnPressed.connect(lambda: self._teach(name, typed.text()))
            inside.append(typed)
        self._note(name)
        if area:
            inside += self._area_parts(name, area)
        if not sign or self.draft is None:
            return holder(column(*inside, gap=STEP))
        signs = Combo(f"What {name} is a sign of", SIGNS.items())
        signs.choose(sign_of(self.draft, name))
        signs.chosen.connect(partial(self._sign_chosen, name, signs))
        return holder(column(*inside, signs, gap=STEP))

    def _area_parts(self, name: str, area: str) -> list[Part]:
        """Return the line that names a thing's search area and changes it, and the warning below."""
        warning = self._tight[name] = Label("", "error", wrap=True)
        warning.hide()
        draw = Button(
            "Draw it",
            partial(self._draw_area, name),
            kind="quiet",
            name=f"Draw the search area of {name}",
            tip="The next box that you draw is the area in which it is looked for",
        )
        whole = Button(
            "Whole picture",
            partial(self.edit, with_search_area, name, None),
            kind="quiet",
            name=f"Look for {name} in the whole picture",
        )
        whole.setEnabled(area != _WHOLE)
        return [row(Label(f"Search area: {area}", "note"), None, draw, whole, gap=STEP), warning]

    def _draw_area(self, name: str) -> None:
        self._area_of = name
        self.say(f"Draw a box around everywhere {name} can be.")

    def take_area(self, box: Box) -> bool:
        """Take a drawn box as a search area, if it was drawn as one; return whether it was."""
        name, self._area_of = self._area_of, ""
        if self.draft is None or not name or self.draft.field(name) is None:
            return False
        self.say("")
        self._sight.go_on()
        self.edit(with_search_area, name, box)
        return True

    def leave(self) -> None:
        """Show the live picture again: later steps measure and try the game as it is now."""
        self._area_of = ""
        self.minute.go_live()

    def _show_evidence(self, fields: Mapping[str, Mapping[str, Any]]) -> None:
        """Show beside each reading how often it was read over the last minute, and five of its values."""
        self._evidence = fields
        for field in self.draft.fields if self.draft is not None else ():
            self._note(field.name)

    def _note(self, name: str) -> None:
        seen = self._evidence.get(name)
        values = ", ".join("–" if value is None else str(value) for _, value in seen["shown"]) if seen else ""
        text = f"Read in {seen['read']} of {seen['of']} pictures: {values}" if seen else ""
        unsure = f"\n{UNSURE_NUMBER}" if seen and seen["unsure"] else ""
        self._notes[name].show_text(text + unsure)

    def _teach(self, name: str, text: str) -> None:
        """Learn a number's digits from its value in the shown picture."""
        field = self.draft.field(name) if self.draft is not None else None
        if field is not None:
            self.say("Learning …")
            self._sight.eyes.ask({"learn": name, "value": text}, partial(self._taught, field))

    def _taught(self, before: ReaderField, answer: Mapping[str, Any]) -> None:
        self.say(str(answer.get("said") or f"{answer.get('what', '')} {answer.get('fix', '')}").strip())
        if "field" in answer:
            self.edit(with_field, answer["field"], answer["pictures"], before)

    def _sign_chosen(self, name: str, signs: Combo, status: str) -> None:
        """Make the present value of a reading (its text, colour or picture) a sign of a status."""
        assert self.draft is not None
        try:
            self.edit(with_sign, name, status, self._read.get(name, {}).get("value"))
        except PitwallError as error:
            self.say(str(error))
            signs.choose(sign_of(self.draft, name))
