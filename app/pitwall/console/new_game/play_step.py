"""The step of "Add a game" that makes the agent play without a model, by templates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Card, Label, clear_layout, column, holder, row
from pitwall.console.kit.form.inputs import Combo, Line
from pitwall.console.kit.form.word_completer import WordCompleter
from pitwall.console.kit.theme import STEP
from pitwall.console.new_game.draft_edits import with_template, without_template
from pitwall.console.new_game.step_parts import ListPanel, drop_button
from pitwall.core.errors import PitwallError
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.play import now
from pitwall.games.drafting.template_slots import Slot, conditions, likely, slots, title
from pitwall.games.drafting.template_words import template_from
from pitwall.games.drafting.templates import TEMPLATES, Template


class PlayPanel(ListPanel):
    """Templates of play: each is a form whose slots are readings, actions and numbers of the draft."""

    def __init__(self) -> None:
        super().__init__(
            "Give it something to play with",
            "A template is a form with a few slots. It becomes plain rules and skills in the game's folder. "
            "Without any, the default agent tries actions and keeps what raises the score.",
            "Templates",
            "Choose one above; what it would do on the present picture is shown beside it.",
        )
        self._kinds = Combo(
            "Template", [("", "Choose a template"), *((k, title(t)) for k, t in TEMPLATES.items())]
        )
        self._kinds.chosen.connect(self._show_form)
        self._form = column(gap=STEP)
        self._message = Label("", "note", wrap=True)
        self._slots: dict[str, Combo | Line] = {}
        self._now: list[tuple[Template, Label]] = []
        self._values: dict[str, Any] = {}
        self.lay_out(self._kinds, holder(self._form), self._message)

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        self._now = [] if draft is None or draft.templates != self._shown else self._now
        self.show_rows(draft.templates if draft is not None else [], self._card)
        self._show_now()

    def show_values(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Show the action that each template would take on the present values."""
        self._values = {name: read["value"] for name, read in values.items()}
        self._show_now()

    def _card(self, template: Template) -> QWidget:
        word = Label("", "strong")
        self._now.append((template, word))
        values = template.model_dump(exclude_defaults=True, exclude={"kind"})
        name = title(type(template))
        drop = drop_button(f"Remove {name}", partial(self.edit, without_template, template))
        about = " · ".join(_value_words(slot, value) for slot, value in values.items())
        return Card(holder(row(Label(name, "strong"), None, word, drop)), Label(about, "note", wrap=True))

    def _show_now(self) -> None:
        for template, word in self._now:
            doing = now(template, self.draft.fields if self.draft is not None else [], self._values)
            word.set_text(f"now: {doing or 'nothing'}")

    # ---- the form

    def _show_form(self, kind: str) -> None:
        clear_layout(self._form)
        self._slots.clear()
        self._message.show_text("")
        for slot in slots(TEMPLATES[kind]) if kind else ():
            editor = self._slots[slot.name] = self._editor(slot)
            words = slot.words if slot.required else f"{slot.words} (may be left)"
            self._form.addWidget(holder(column(Label(words, "note", wrap=True), editor, gap=2)))
        if kind:
            self._form.addWidget(holder(row(Button("Add it", partial(self._add, kind)), None)))

    def _editor(self, slot: Slot) -> Combo | Line:
        fields = self.draft.fields if self.draft is not None else []
        actions = [action.name for action in self.draft.actions] if self.draft is not None else []
        if slot.of in ("field", "action"):
            names = [field.name for field in fields] if slot.of == "field" else actions
            combo = Combo(slot.words, [("", "–"), *((name, name) for name in names)])
            combo.choose(likely(slot, fields, actions))
            return combo
        line = Line(slot.words, "" if slot.default is None else str(slot.default))
        if slot.name == "box":
            line.suggest(",".join(map(str, field.box)) for field in fields if field.box is not None)
        elif slot.of == "actions":
            line.setPlaceholderText("; ".join(actions))
            WordCompleter(line).know(actions)
        elif slot.of == "condition":
            offered = list(conditions(fields))
            line.setPlaceholderText(offered[-1])
            WordCompleter(line).know([*offered, "status", *(field.name for field in fields)])
        return line

    def _add(self, kind: str) -> None:
        words = {
            name: str(editor.current or "") if isinstance(editor, Combo) else editor.text().strip()
            for name, editor in self._slots.items()
        }
        try:
            made = template_from(kind, {name: text for name, text in words.items() if text})
        except PitwallError as error:
            self._message.show_text(str(error))
            return
        self._kinds.choose("")
        self._show_form("")
        self.edit(with_template, made)


def _value_words(slot: str, value: object) -> str:
    """Return a slot's value in words, with the unit that its name ends with."""
    name, _, unit = slot.rpartition("_")
    if unit in ("ms", "px") and isinstance(value, int | float):
        return f"{name} {value:g} {unit}"
    words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return f"{slot}: {words}"
