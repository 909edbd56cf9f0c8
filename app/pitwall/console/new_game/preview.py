"""The left side of "Add a game": the live picture, its observer, and a text where there is no picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget

from pitwall.console.kit.elements import EmptyState
from pitwall.console.kit.picture.live_view import PictureOverlay
from pitwall.console.kit.theme import Look
from pitwall.console.new_game.draft_edits import found_places, readings_of
from pitwall.console.new_game.draw_view import DrawView
from pitwall.console.new_game.probe import GameProbe, ProbeAnswer
from pitwall.core.errors import PitwallError
from pitwall.core.geometry import Rect
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.fields import Box
from pitwall.link.frame_ring import RingFrame

_WHERE = ("Pick the game's window, a page or a command", "Its picture appears here, live.")
_GONE = {
    "gone": "The window is gone. Start the game again, then pick its window.",
    "minimised": "The window is minimised. Bring it back from the task bar.",
}


class GamePreview(QStackedWidget):
    """The picture of a draft's game, with its boxes and their values.

    Signals:
        values_changed(dict): the present values of the fields.

    Attributes:
        eyes: the process that looks at the game. view: the picture, which the operator draws on.
    """

    values_changed = Signal(object)

    def __init__(self, look: Look, data: Path) -> None:
        super().__init__()
        self.setObjectName("well")
        self.eyes = GameProbe(data, self)
        self.view = DrawView(look)
        self._empty = EmptyState(*_WHERE)
        self.addWidget(self._empty)
        self.addWidget(self.view)
        self.values: dict[str, Any] = {}
        self._proposals: Sequence[Mapping[str, Any]] = ()
        self._draft: Draft | None = None
        self._size = (0, 0)
        self.view.begun.connect(lambda: self.eyes.ask({"hold": True}))
        self.view.given_up.connect(self.go_on)
        self.eyes.frame.connect(self._show_frame)
        self.eyes.values.connect(self._show_values)
        self.eyes.health.connect(self._show_health)
        self.eyes.ended.connect(self._show_end)

    def open(self, draft_file: Path, window_id: int | None) -> None:
        self._empty.say("Looking for the game", "Its picture appears here, live.")
        self.setCurrentWidget(self._empty)
        self.eyes.open(draft_file, window_id)

    def clear(self) -> None:
        """Stop looking at the game."""
        self.eyes.close()
        self.values, self._draft, self._size = {}, None, (0, 0)
        self.view.set_frame(None)
        self.view.set_sight(PictureOverlay())
        self._empty.say(*_WHERE)
        self.setCurrentWidget(self._empty)

    def show_draft(self, draft: Draft) -> None:
        """Show and read the boxes of a draft."""
        before, self._draft = self._draft, draft
        self.view.set_screen(draft.screen.width, draft.screen.height)
        self._show_sight()
        if before is not None and (before.fields, before.screen) != (draft.fields, draft.screen):
            self.eyes.ask({"draft": draft.model_dump(mode="json")})

    def show_found(self, proposals: Sequence[Mapping[str, Any]]) -> None:
        """Draw the places of proposals beside the draft's boxes."""
        self._proposals = proposals
        self._show_sight()

    def let_draw(self, draws: bool) -> None:
        """Set whether a drag on the picture draws a box."""
        self.view.draws = draws
        self.view.setCursor(Qt.CursorShape.CrossCursor if draws else Qt.CursorShape.ArrowCursor)

    def guess(
        self, box: Box, then: ProbeAnswer, *, kind: str = "", name: str = "", taken: Sequence[str] = ()
    ) -> None:
        """Ask for the meaning and the value of a box; the picture continues once they are known."""
        question = {"guess": box, "kind": kind, "name": name, "taken": list(taken)}
        self.eyes.ask(question, partial(self._guessed, then))

    def on_screen(self, place: Rect) -> Rect:
        """Return a place of the picture in the draft's screen pixels."""
        if self._draft is None or not self._size[0]:
            return place
        screen = self._draft.screen
        return place.scaled(screen.width / self._size[0], screen.height / self._size[1])

    def go_live(self) -> None:
        """Show the live picture again, where an earlier one was shown."""
        self.eyes.ask({"show": None})

    def go_on(self) -> None:
        """Let the picture continue."""
        self.eyes.ask({"hold": False})

    def say(self, text: str) -> None:
        self.setCurrentWidget(self._empty)
        self._empty.say("There is no picture", text)

    def _guessed(self, then: ProbeAnswer, answer: dict[str, Any]) -> None:
        self.go_on()
        if "field" in answer:
            self.values[answer["field"]["name"]] = answer["reading"]
        then(answer)

    def _show_frame(self, frame: RingFrame) -> None:
        height, width = frame.pixels.shape[:2]
        self._size = (width, height)
        self.setCurrentWidget(self.view)
        self.view.set_frame(frame)

    def _show_values(self, values: dict[str, Any]) -> None:
        self.values = values
        self.values_changed.emit(values)
        self._show_sight()

    def _show_sight(self) -> None:
        if self._draft is not None and self._size[0]:
            read = readings_of(self._draft, self.values, *self._size)
            offered = found_places(self._draft, self._proposals, *self._size)
            self.view.set_sight(PictureOverlay(readings=read + offered))

    def _show_health(self, word: str) -> None:
        if word in _GONE:
            self.say(_GONE[word])

    def _show_end(self, error: PitwallError) -> None:
        self.say(f"{error.what} {error.fix}".strip())
