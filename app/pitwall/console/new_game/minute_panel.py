"""The last minute of the game: small pictures of it to draw on, and what is found in it, taken or dropped."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import (
    Button,
    Card,
    Label,
    SectionTitle,
    clear_layout,
    column,
    holder,
    key_words,
    row,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.theme import GAP, STEP
from pitwall.console.new_game.preview import GamePreview
from pitwall.core.quantities import counted

_PICTURES = 6
_PICTURE = QSize(100, 75)
Found = Mapping[str, Any]


class MinutePanel(QWidget):
    """Asks what looks at the game for its last minute.

    Args:
        keep_key: the hotkey that keeps a picture.

    Signals:
        taken(found): the operator takes a finding. read(fields): how often each was read.
    """

    taken = Signal(object)
    read = Signal(object)

    def __init__(self, sight: GamePreview, keep_key: str) -> None:
        super().__init__()
        self._sight, self._keep_key = sight, keep_key
        self._found: list[Found] = []
        self._strip = Flow(STEP)
        self._said = Label("", "note", wrap=True)
        self._cards = column(gap=GAP)
        self._live = Button("Live", self.go_live, name="Show the live picture again")
        self._find = Button("Find what it shows", self.search, name="Find what the last minute shows")
        pictures = Button("Pictures", self.refresh, name="Show pictures of the last minute")
        self.setLayout(
            column(
                SectionTitle("The last minute"),
                row(pictures, self._live, self._find, None, gap=STEP),
                self._strip,
                self._said,
                self._cards,
                gap=STEP,
            )
        )
        sight.eyes.kept.connect(self.refresh)
        self.clear()

    def clear(self) -> None:
        """Nothing was seen yet."""
        key = key_words(self._keep_key)
        self._say(f"Play for a minute; {key} keeps the picture of that moment, while the game has the keys.")
        self._live.setEnabled(False)
        self._show_strip([])
        self._show_found([])

    def refresh(self) -> None:
        """Show small pictures of the last minute; those that were kept are all among them."""
        self._sight.eyes.ask({"strip": _PICTURES}, self._take_strip)

    def go_live(self) -> None:
        """Show the live picture again."""
        self._live.setEnabled(False)
        self._sight.eyes.ask({"show": None})

    def search(self) -> None:
        """Begin to find what the last minute shows, and how often each reading was read."""
        if self._sight.eyes.looking:
            self._find.setEnabled(False)
            self._say("Looking at the pictures of the last minute; this takes up to a minute …")
            self._sight.eyes.ask({"find": True}, self._take_found)

    def _take_strip(self, answer: Found) -> None:
        if "strip" in answer:
            self._show_strip(answer["strip"])

    def _show_strip(self, strip: list[Found]) -> None:
        clear_layout(self._strip.flow)
        newest = max((one["at_s"] for one in strip), default=0.0)
        for one in strip:
            pixmap = QPixmap()
            pixmap.loadFromData(base64.b64decode(one["picture"]))
            ago = f"{newest - one['at_s']:.0f} s before the newest"
            words = f"Show the picture {ago}{', kept by its key' if one['kept'] else ''}"
            button = Button("★" if one["kept"] else "", partial(self._show, one), kind="quiet", name=words)
            button.setIcon(QIcon(pixmap))
            button.setIconSize(_PICTURE)
            button.setToolTip(words)
            self._strip.flow.addWidget(button)
        self._strip.setVisible(bool(strip))

    def _show(self, one: Found) -> None:
        self._live.setEnabled(True)
        self._sight.eyes.ask({"show": one["at_s"]})
        self._say("Draw boxes on this picture as on the live one. “Live” goes back.")

    def _take_found(self, answer: Found) -> None:
        self._find.setEnabled(True)
        if "found" not in answer:
            self._say(str(answer.get("what", "Nothing was found.")))
            return
        self.read.emit(answer["fields"])
        found = counted(len(answer["found"]), "thing")
        seen = counted(answer["pictures"], "picture")
        self._say(f"{found} found in {seen}. Nothing is taken before you say so.")
        self._show_found(list(answer["found"]))

    def _show_found(self, found: list[Found]) -> None:
        self._found = found
        self._takes: list[Button] = []
        clear_layout(self._cards)
        for one in found:
            sure = f"{100 * one['confidence']:.0f} % sure"
            take = Button("Take", partial(self._settle, one, True), name=f"Take {one['title']} {one['name']}")
            self._takes.append(take)
            drop = Button(
                "Drop",
                partial(self._settle, one, False),
                kind="quiet",
                name=f"Drop {one['title']} {one['name']}",
            )
            head = row(Label(one["title"], "strong"), Label(sure, "dim"), None, take, drop, gap=STEP)
            why = str(one["why"])
            self._cards.addWidget(Card(holder(head), Label(f"{why[:1].upper()}{why[1:]}", "note", wrap=True)))
        self._sight.show_found(found)

    def _settle(self, one: Found, take: bool) -> None:
        at = self._found.index(one)
        self._show_found([other for other in self._found if other is not one])
        left = self._takes[at : at + 1] or self._takes[-1:] or [self._find]
        left[0].setFocus()  # otherwise the pane scrolls to whatever gets the focus of the button that goes
        if take:
            self.taken.emit(one)

    def _say(self, text: str) -> None:
        self._said.set_text(text)
