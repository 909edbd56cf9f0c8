"""The second step of "Add a game": the keys of play, and the keys that leave menus and end screens."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.elements import (
    Button,
    KeyCap,
    Label,
    SectionTitle,
    clear_layout,
    column,
    holder,
    key_words,
    row,
)
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import GAP, STEP, Look
from pitwall.console.new_game.draft_edits import (
    renamed_action,
    with_click,
    with_key,
    with_mouse_look,
    with_wait,
    without_action,
)
from pitwall.console.new_game.key_pad import KeyPad
from pitwall.console.new_game.probe import GameProbe
from pitwall.console.new_game.step_parts import ListPanel, drop_button, name_line
from pitwall.games.drafting.draft import Draft, DraftAction
from pitwall.games.drafting.signs import NAME_ENTRY, PASSAGES, RESUME, with_passage_step, without_passage
from pitwall.games.schema.passages import PassageStep

PLAY, PAUSE = "play", "pause"
_ROLES = (
    (PLAY, "Play", "Keys and clicks of play: each becomes an action"),
    ("start", "Start", "Keys that leave its menu; each key that you press here is also pressed in the game"),
    ("again", "Again", "Keys that start another game after the end"),
    (NAME_ENTRY, "Name", "Keys that answer a question for a name"),
    (PAUSE, "Pause", "Keys that pause the game and continue it"),
)
_NOTES = {
    PLAY: "Each key, or chord, becomes an action and does nothing else here.",
    "start": "Bring the game to its menu. Each key, or click on the picture, is sent there and recorded.",
    "again": "Bring the game to its end. Each key, or click on the picture, is sent there and recorded.",
    NAME_ENTRY: "Bring up its question for a name. Each key, or click on the picture, is sent to the game.",
    PAUSE: "The key is sent to the game twice: to pause it and to continue it.",
}
_WAYS = {"start": "Starts by", "again": "Restarts by", NAME_ENTRY: "Enters a name by", PAUSE: "Pauses by"}
_PICTURE_PX = 96


class ActionsPanel(ListPanel):
    """Records keys and clicks by their role; the way out of a menu is recorded by doing it once.

    Args:
        eyes: the process that looks at the game, and presses there.
    """

    def __init__(self, look: Look, eyes: GameProbe) -> None:
        super().__init__(
            "Press the keys that play the game",
            "A click on the picture counts as well. Name the actions as you like: a model reads them.",
            "Actions",
            "Each action appears here with its name.",
        )
        self._eyes = eyes
        self._roles = Choice("The keys are for", _ROLES)
        self._roles.chosen.connect(self._role_chosen)
        self.pad = KeyPad()
        self.pad.typed.connect(self._typed)
        self._message = Label("", "note", wrap=True)
        self.pad.unusable.connect(self._message.set_text)
        self._before, self._after = StillImage(look), StillImage(look)
        for picture in (self._before, self._after):
            picture.setFixedHeight(_PICTURE_PX)
        self._pictures = holder(row(self._before, self._after, gap=STEP))
        self._pictures.hide()
        self._ways = column(gap=STEP)
        self._ways_head = SectionTitle("Menus, ends and pauses")
        wait = partial(self.edit, with_wait)
        self.lay_out(
            self._roles,
            self.pad,
            self._message,
            self._pictures,
            below=[
                Button("Add a waiting action", wait, kind="quiet", name="Add an action that waits"),
                Button(
                    "Add looking with the mouse",
                    partial(self.edit, with_mouse_look),
                    kind="quiet",
                    name="Add actions that turn the view with the mouse",
                ),
                holder(column(self._ways_head, self._ways, gap=STEP)),
            ],
        )
        self._role_chosen(PLAY)

    @property
    def role(self) -> str:
        """Return the role of the next key: play, start, again, name_entry or pause."""
        return self._roles.current

    def entered(self) -> None:
        self._roles.setEnabled(True)
        self.pad.setFocus()

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        self.show_rows(draft.actions if draft is not None else [], self._row)
        self._show_ways()

    def pointed(self, x: int, y: int, button: str) -> None:
        """Take a click on the picture: an action, or a step out of a menu."""
        if self.role == PLAY:
            self.edit(with_click, x, y, button)
        elif self.role in PASSAGES:
            self._press(self.role, PassageStep.model_validate({"click": (x, y), "button": button}))

    # ---- keys

    def _role_chosen(self, role: str) -> None:
        self.pad.set_note(_NOTES[role])
        self.pad.setFocus()

    def _typed(self, chord: str) -> None:
        if self.draft is None:
            return
        if self.role == PLAY:
            there = with_key(self.draft, chord) is self.draft
            self._message.set_text(f"{key_words(chord)} has an action already." if there else "")
            self.edit(with_key, chord)
            return
        if self.role == PAUSE:
            self.edit(Draft.with_pause, chord.split("+"))
        self._press(self.role, PassageStep(keys=chord.split("+")))

    def _press(self, role: str, step: PassageStep) -> None:
        """Press in the game and record the step; without a game in view, only record it."""
        assert self.draft is not None
        if not self._eyes.in_view:
            self._message.set_text("The game is not in view, so nothing was pressed there.")
            if role in PASSAGES:
                self.edit(with_passage_step, role, step)
            return
        self._message.set_text(f"{step.words} goes to the game …")
        self._roles.setEnabled(False)
        question = {"try": step.model_dump(), "role": role, "draft": self.draft.model_dump(mode="json")}
        self._eyes.ask(question, partial(self._tried, step.words))

    def _tried(self, words: str, answer: dict[str, Any]) -> None:
        self._roles.setEnabled(True)
        self.window().activateWindow()
        self.pad.setFocus()
        if "words" not in answer:
            self._message.set_text(f"{answer['what']} {answer.get('fix', '')}".strip())
            return
        alike = "".join(f" {name} looks like play: make a reading a sign of it." for name in answer["alike"])
        self._message.set_text(f"{words}: {answer['words']}.{alike}")
        for picture, when in ((self._before, "before"), (self._after, "after")):
            picture.show_image(QImage.fromData(base64.b64decode(answer[when])), f"The game {when} the press")
        self._pictures.show()
        if self.draft is not None:
            self.edit(Draft.changed, **answer["draft"])

    # ---- rows

    def _row(self, action: DraftAction) -> QWidget:
        old = action.name
        name = name_line(old, f"Name of the action {old}", partial(self.edit, renamed_action, old))
        caps: list[QWidget] = [KeyCap(key) for key in action.keys]
        drop = drop_button(f"Remove {old}", partial(self.edit, without_action, old))
        tries = (
            [Button("Try", partial(self._try, action), kind="quiet", name=f"Try {old}")]
            if action.presses
            else []
        )
        if action.turn is not None:
            words = "Turns the view once around, and measures how far it turns"
            tries = [Button("Measure", self._measure, kind="quiet", name=f"Measure {old}", tip=words)]
        return holder(row(name, *(caps or [Label(action.words, "dim")]), None, *tries, drop))

    def _try(self, action: DraftAction) -> None:
        self._press(PLAY, PassageStep(**action.model_dump(include={"keys", "click", "button", "hold_ms"})))

    def _measure(self) -> None:
        """Have the view turned once around, and keep how far it turns."""
        if self.draft is None:
            return
        if not self._eyes.in_view:
            self._message.set_text("The game is not in view, so nothing was measured.")
            return
        self._message.set_text("The view turns once around; leave the game alone for a minute or two …")
        self._roles.setEnabled(False)
        question = {"turn": True, "draft": self.draft.model_dump(mode="json")}
        self._eyes.ask(question, self._measured)

    def _measured(self, answer: dict[str, Any]) -> None:
        self._roles.setEnabled(True)
        if "mouse_look" not in answer:
            self._message.set_text(f"{answer['what']} {answer.get('fix', '')}".strip())
            return
        units = answer["mouse_look"]["units_per_degree"]
        self._message.set_text(f"{units:.3g} units of the mouse turn the view by one degree.")
        self.edit(Draft.changed, mouse_look=answer["mouse_look"])

    def _show_ways(self) -> None:
        clear_layout(self._ways)
        passages = self.draft.passages if self.draft is not None else []
        ways = [
            (passage.name, [step.words for step in passage.steps])
            for passage in passages
            if passage.name != RESUME
        ]
        if self.draft is not None and self.draft.pause:
            ways.append((PAUSE, ["+".join(self.draft.pause)]))
        self._ways_head.setVisible(bool(ways))
        for name, presses in ways:
            drop = drop_button(f"Forget: {_WAYS[name]}", partial(self._forget, name))
            words = Label(" → ".join(map(key_words, presses)), wrap=True)
            self._ways.addLayout(row(Label(_WAYS[name], "dim"), words, drop, gap=GAP, stretch=1))

    def _forget(self, name: str) -> None:
        if name == PAUSE:
            self.edit(Draft.changed, pause=[])
        self.edit(without_passage, RESUME if name == PAUSE else name)
