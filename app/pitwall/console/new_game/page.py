"""Add a game: one step at a time beside the game's live picture. Every step can be revisited.

Each change is saved at once as a draft in the data folder. A process of its own (`game-eyes`) looks at the
game; it presses only the keys and clicks that the operator tries.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame

from pitwall.console.kit import places
from pitwall.console.kit.command import Command
from pitwall.console.kit.elements import Button, PrimaryButton, column, row
from pitwall.console.kit.page import Page
from pitwall.console.kit.panes import scrolled, stacked
from pitwall.console.kit.theme import PAD, WIDE, Look
from pitwall.console.kit.window_picker import WindowPicker
from pitwall.console.new_game import draft_edits as edits
from pitwall.console.new_game.actions_panel import ActionsPanel
from pitwall.console.new_game.first_steps import GamePanel, ReadingsPanel
from pitwall.console.new_game.last_steps import SavePanel, TaskPanel, ThresholdsPanel
from pitwall.console.new_game.play_step import PlayPanel
from pitwall.console.new_game.preview import GamePreview
from pitwall.console.new_game.step_parts import StepPanel, StepsHead
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part, Phase
from pitwall.core.commands import Open
from pitwall.core.errors import ManifestError, PitwallError
from pitwall.core.geometry import WindowRef
from pitwall.core.telemetry import Fault
from pitwall.games.drafting.draft import Draft, draft_of_command, draft_of_page, draft_of_window
from pitwall.games.drafting.folder import add_game, faults_of_draft
from pitwall.games.drafting.store import SavedDraft, delete_draft, save_draft, saved_drafts
from pitwall.games.schema.fields import Box, ReaderField

_SIDE = 400
ACTIONS, READINGS, WATCH, TASK, PLAY, SAVE = range(1, 7)


class NewGamePage(Page):
    """Seven steps, with the live picture to their left.

    Attributes:
        will_play: the saved game starts to play as soon as it is in view.
    """

    place = places.NEW_GAME

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self.draft: Draft | None = None
        self.window_id: int | None = None
        self._picker: WindowPicker | None = None
        self.will_play = False
        self._opened_id, self._came = "", False
        self.sight = GamePreview(look, bridge.data.root)
        self.eyes = self.sight.eyes
        self.game = GamePanel()
        self.readings = ReadingsPanel(self.sight, bridge.settings.hotkeys.keep)
        self.keys = ActionsPanel(look, self.eyes)
        self.thresholds, self.task, self.templates = ThresholdsPanel(), TaskPanel(), PlayPanel()
        self.save = SavePanel(bridge.data)
        first: tuple[StepPanel, ...] = (self.game, self.keys, self.readings)
        self.panels = (*first, self.thresholds, self.task, self.templates, self.save)
        self._stack = stacked(*(scrolled(panel, panel.accessibleName()) for panel in self.panels))
        for panel in self.panels:
            panel.changed.connect(self.set_draft)
        self._lay_out()
        self._connect()
        self._show_step(0)

    # ---- the window's calls

    def opened(self) -> None:
        self._show_kept()
        if self.draft is not None and not self.eyes.looking:
            self._open_eyes()

    def closed(self) -> None:
        """Stop looking at the game; a page or program that was started for it ends."""
        self.eyes.close()
        self.thresholds.rest()

    def close_reading(self) -> None:
        self.eyes.shutdown()

    def commands(self) -> Sequence[Command]:
        return [Command(name="Add a game: begin anew", run=self.begin_anew)]

    # ---- what the operator does

    @property
    def step(self) -> int:
        """Return the step in view, an index of edits.STEPS."""
        return self._stack.currentIndex()

    def begin_anew(self) -> None:
        """Start with another game; the present draft stays in the list of drafts."""
        self.sight.clear()
        self.draft, self.window_id = None, None
        self.save.show_saved(None)
        for panel in self.panels:
            panel.show_draft(None)
        self._show_kept()
        self._show_step(0)

    def set_draft(self, draft: Draft) -> None:
        """Take a changed draft: save it, and show it."""
        before, self.draft = self.draft, draft
        if draft == before:
            return
        try:
            save_draft(self.bridge.data, draft)
            if before is not None and before.game_id != draft.game_id:
                delete_draft(self.bridge.data, before.game_id)
        except PitwallError as error:
            self.bridge.report(Fault(what=error.what, fix=error.fix))
        self.sight.show_draft(draft)
        self.save.show_saved(None)
        self._show_draft()
        if before is not None and before.init != draft.init and self.eyes.looking:
            self._open_eyes()  # reload the page with its new start

    def pick(self) -> None:
        """Let the operator click the game's window."""
        if self._picker is None:
            self._picker = WindowPicker(parent=self.window(), choose="Add this window")
            self.look.dress(self._picker)
            self._picker.chosen.connect(self.window_chosen)
        self._picker.pick()

    def window_chosen(self, window: WindowRef) -> None:
        """Draft the game of a window, or move this draft to another window."""
        self.window_id = window.native_id
        self.window().activateWindow()  # the next keys belong to the key pad
        fresh = draft_of_window(window, self._taken())
        if self.draft is not None:
            screen = self.draft.screen if self.draft.fields else fresh.screen
            fresh = self.draft.changed(window=fresh.window, url="", command=fresh.command, screen=screen)
        self._begin(fresh)

    def open_page(self, url: str) -> None:
        """Draft the game of a web page."""
        if not url:
            return
        try:
            fresh = draft_of_page(url, self._taken())
        except PitwallError as error:
            self.sight.say(str(error))
            return
        self._begin_started(fresh, url=fresh.url, own_size=not (self.draft and self.draft.fields))

    def open_command(self, text: str) -> None:
        """Draft the game that a command starts."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            self.sight.say(f"The command does not parse: {error}.")
            return
        if words:
            self._begin_started(draft_of_command(words, self._taken()), command=words)

    def save_game(self, replace: bool) -> None:
        """Write the game's folder; faults are shown in place."""
        if self.draft is None:
            return
        try:
            folder = add_game(self.bridge.data, self.draft, replace=replace, goes_on=True)
        except ManifestError as error:
            self.save.show_faults(error.faults)
        except PitwallError as error:
            self.save.show_error(error)
        else:
            self.save.show_saved(folder)
            self._show_nav()
            self.save.play.setFocus()

    def play(self) -> None:
        """Open the saved game, in the window as it is, and start playing."""
        if self.draft is None:
            return
        opening = Open(game=self.draft.game_id, window_id=self.window_id)
        # a page with a state is restarted so that it reports it; a renamed game would not be found
        keep = self.draft.truth == "fields" and self.draft.game_id == self._opened_id
        self.will_play = True
        self.eyes.hand_over(partial(self.bridge.open, opening), keep=keep)
        self._leave()

    def show_step(self, step: int) -> None:
        """Go to a step: back at any time, forward once there is a game."""
        if step == 0 or self.draft is not None:
            self._show_step(step)

    # ---- parts

    def _leave(self) -> None:
        self.page_wanted.emit(places.LIVE.key)

    def _start_when_ready(self, changed: Part) -> None:
        if not self.will_play or not changed & Part.PHASE:
            return
        phase = self.bridge.state.phase
        if phase is Phase.READY:
            self.bridge.start()
        self.will_play = phase not in (Phase.READY, Phase.FAILED, Phase.LOST)

    def _lay_out(self) -> None:
        self._head = StepsHead(self.place.title, edits.STEPS)
        self._head.steps.chosen.connect(self.show_step)
        self._head.add_action(Button("Another game", self.begin_anew, kind="quiet"))
        self._head.add_action(Button("Close", self._leave, kind="quiet", name="Close; the draft is kept"))
        self._back = Button("Back", lambda: self.show_step(self.step - 1))
        self._next = PrimaryButton("Next", lambda: self.show_step(self.step + 1))
        self._side = QFrame()
        self._side.setObjectName("side")
        steps = row(self._back, None, self._next)
        self._side.setLayout(column(self._stack, steps, stretch=0, margins=(WIDE, PAD, WIDE, PAD)))
        body = row(self.sight, self._side, gap=0, stretch=0)
        self.setLayout(column(self._head, body, gap=0, stretch=1))
        self.setMinimumSize(1, 1)  # a narrow window shortens the steps, a low window scrolls

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._side.setFixedWidth(min(_SIDE, self.width() // 2))
        self._head.fit(self.width())

    def _connect(self) -> None:
        self.bridge.changed.connect(self._start_when_ready)
        self.game.pick_wanted.connect(self.pick)
        self.game.address_wanted.connect(self.open_page)
        self.game.command_wanted.connect(self.open_command)
        self.game.reopened.connect(self._reopen)
        self.game.dropped.connect(self._drop)
        self.game.named.connect(self._rename)
        self.readings.read_wanted.connect(self._read_as)
        self.thresholds.watch_wanted.connect(self._watch)
        self.task.task_wanted.connect(self._add_task)
        self.save.save_wanted.connect(self.save_game)
        self.save.play_wanted.connect(self.play)
        self.save.mend_wanted.connect(self.show_step)
        self.sight.view.drawn.connect(self._drawn)
        self.sight.view.pointed.connect(self._pointed)
        self.sight.values_changed.connect(self.readings.show_values)
        self.sight.values_changed.connect(self.templates.show_values)
        self.eyes.page.connect(self.game.show_page)
        self.eyes.page.connect(self.task.show_page)
        self.eyes.seen.connect(self._seen)
        self.eyes.watched.connect(self.thresholds.show_progress)

    def _show_step(self, step: int) -> None:
        self._stack.setCurrentIndex(step)
        self._head.steps.show_step(step)
        self.sight.let_draw(step == READINGS)
        if step != READINGS:
            self.readings.leave()
        self._back.setEnabled(step > 0)
        self._next.setVisible(step < SAVE)
        if step == SAVE and self.draft is not None:
            self.save.show_place()
            if self.save.play.isHidden():
                self.save.show_faults(faults_of_draft(self.draft))
        self._show_nav()
        self.panels[step].entered()

    def _show_nav(self) -> None:
        there = self.draft is not None
        self._head.steps.show_done([self._done(at) for at in range(len(edits.STEPS))], reachable=there)
        self._head.fit(self.width())
        self._next.setEnabled(there)
        skips = there and not self._done(self.step) and self.step in (READINGS, WATCH, TASK, PLAY)
        self._next.setText("Skip" if skips else "Next")
        self._next.setAccessibleName("Skip this step" if skips else "Next")

    def _done(self, step: int) -> bool:
        draft = self.draft
        if draft is None:
            return False
        parts = (draft.actions, draft.fields, draft.why, draft.tasks, draft.templates)
        return bool((True, *parts, not self.save.play.isHidden())[step])

    def _show_draft(self) -> None:
        for panel in self.panels:
            panel.show_draft(self.draft)
        self._show_nav()
        if self.step == SAVE and self.draft is not None:
            self.save.show_place()

    def _show_kept(self) -> None:
        now = self.draft.game_id if self.draft is not None else ""
        self.game.show_kept([saved for saved in saved_drafts(self.bridge.data) if saved.draft.game_id != now])

    # ---- drafts

    def _taken(self) -> frozenset[str]:
        drafts = {saved.draft.game_id for saved in saved_drafts(self.bridge.data)}
        return frozenset({entry.game_id for entry in self.bridge.games()} | drafts)

    def _begin(self, draft: Draft) -> None:
        self.set_draft(draft)
        self._open_eyes()
        self._show_kept()
        self._show_step(ACTIONS)

    def _begin_started(self, fresh: Draft, **values: Any) -> None:
        self.window_id = None
        self._begin((self.draft or fresh).changed(**{"url": "", "command": [], **values}))

    def _reopen(self, kept: SavedDraft) -> None:
        self.sight.clear()
        self.draft, self.window_id = None, None
        self.set_draft(kept.draft)
        self._open_eyes()
        self._show_kept()

    def _drop(self, kept: SavedDraft) -> None:
        delete_draft(self.bridge.data, kept.draft.game_id)
        self._show_kept()

    def _rename(self, name: str) -> None:
        if self.draft is not None:
            self.set_draft(edits.renamed_game(self.draft, name, self._taken()))

    # ---- the picture

    def _open_eyes(self) -> None:
        if self.draft is not None:
            self._opened_id, self._came = self.draft.game_id, True
            self.sight.open(save_draft(self.bridge.data, self.draft), self.window_id)

    def _seen(self, width: int, height: int) -> None:
        """Handle a game that came into view or changed its size: its boxes are kept where they belong."""
        if self.draft is None:
            return
        if self._came:
            self._came = False
            if self.window_id is None:
                self.window().activateWindow()  # the started game's window came before the picture
            if self.window_id is None and self.step == ACTIONS:
                self.keys.entered()
        if note := edits.resize_note(self.draft, width, height):
            self.readings.say(note)
        self.set_draft(edits.resized(self.draft, width, height))

    def _drawn(self, box: Box) -> None:
        if self.draft is None:
            return
        if self.readings.take_area(box):
            return
        taken = [field.name for field in self.draft.fields]
        self.readings.say("Reading …")
        self.sight.guess(box, partial(self._read, None), taken=taken)

    def _read_as(self, name: str, kind: str) -> None:
        field = self.draft.field(name) if self.draft is not None else None
        if field is not None and field.box is not None:
            self.sight.guess(field.box, partial(self._read, field), kind=kind, name=name)

    def _read(self, before: ReaderField | None, answer: dict[str, Any]) -> None:
        """Take the answer about a box: a new field, or another kind of an existing field."""
        if self.draft is None:
            return
        if "what" in answer:
            self.readings.say(f"{answer['what']} {answer.get('fix', '')}".strip())
            self.readings.show_draft(None)  # the refused kind is shown as it was
            self.readings.show_draft(self.draft)
            return
        self.readings.say("")
        self.set_draft(edits.with_field(self.draft, answer["field"], answer["pictures"], before))
        self.readings.show_values(self.sight.values)

    def _pointed(self, x: float, y: float, button: str) -> None:
        if self.draft is None:
            return
        if self.step == ACTIONS:
            self.keys.pointed(int(x), int(y), button)
        elif self.step == TASK:
            self._add_task(edits.field_at(self.draft, x, y))

    def _add_task(self, name: str) -> None:
        field = self.draft.field(name) if self.draft is not None else None
        if self.draft is None or field is None or not edits.can_count(field):
            return
        self.set_draft(edits.with_task(self.draft, name, self.sight.values.get(name, {}).get("value")))
        self.task.to_target()

    def _watch(self, seconds: float) -> None:
        """Watch for a number of seconds; 0 cancels the watching."""
        if self.eyes.looking:
            self.eyes.ask({"watch": seconds}, self.thresholds.show_answer if seconds else None)
            if seconds:
                self.thresholds.begin()
