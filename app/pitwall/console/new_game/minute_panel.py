"""The last minute of the game: small pictures to draw on, and proposals of readings to take or drop."""

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
from pitwall.core.quantities import counted, share

_PICTURES = 6
_PICTURE = QSize(100, 75)
Found = Mapping[str, Any]


class MinutePanel(QWidget):
    """Shows the last minute that the observer process has recorded.

    Args:
        keep_key: the hotkey that keeps a picture.

    Signals:
        taken(proposal): the operator takes a proposal. read(fields): how often each field was read.
    """

    taken = Signal(object)
    read = Signal(object)

    def __init__(self, sight: GamePreview, keep_key: str) -> None:
        super().__init__()
        self._sight, self._keep_key = sight, keep_key
        self._proposals: list[Found] = []
        self._strip = Flow(STEP)
        self._message = Label("", "note", wrap=True)
        self._cards = column(gap=GAP)
        self._live = Button("Live", self.go_live, name="Show the live picture again")
        self._find = Button(
            "Find readings", self.search, name="Find values to read in the last minute's pictures"
        )
        pictures = Button("Pictures", self.refresh, name="Show pictures of the last minute")
        self.setLayout(
            column(
                SectionTitle("The last minute"),
                row(pictures, self._live, self._find, None, gap=STEP),
                self._strip,
                self._message,
                self._cards,
                gap=STEP,
            )
        )
        sight.eyes.kept.connect(self.refresh)
        self.clear()

    def clear(self) -> None:
        """Show that nothing was recorded yet."""
        key = key_words(self._keep_key)
        self._say(f"Play for a minute. {key} keeps the picture of a moment while the game has the keyboard.")
        self._live.setEnabled(False)
        self._show_strip([])
        self._show_found([])

    def refresh(self) -> None:
        """Show small pictures of the last minute, including all kept pictures."""
        self._sight.eyes.ask({"strip": _PICTURES}, self._take_strip)

    def go_live(self) -> None:
        """Show the live picture again, where an earlier one is shown."""
        if self._live.isEnabled():
            self._live.setEnabled(False)
            self._sight.go_live()

    def search(self) -> None:
        """Search the last minute for readings, and count how often each existing reading was read."""
        if self._sight.eyes.looking:
            self._find.setEnabled(False)
            self._say("Looking at the pictures of the last minute; this takes up to a minute …")
            self._sight.eyes.ask({"find": True}, self._take_found)

    def _take_strip(self, answer: Found) -> None:
        if "strip" in answer:
            self._show_strip(answer["strip"])

    def _show_strip(self, strip: list[Found]) -> None:
        clear_layout(self._strip.flow)
        newest = max((entry["at_s"] for entry in strip), default=0.0)
        for entry in strip:
            pixmap = QPixmap()
            pixmap.loadFromData(base64.b64decode(entry["picture"]))
            ago = f"{newest - entry['at_s']:.0f} s before the newest"
            words = f"Show the picture {ago}{', kept by its key' if entry['kept'] else ''}"
            button = Button(
                "★" if entry["kept"] else "", partial(self._show, entry), kind="quiet", name=words
            )
            button.setIcon(QIcon(pixmap))
            button.setIconSize(_PICTURE)
            button.setToolTip(words)
            self._strip.flow.addWidget(button)
        self._strip.setVisible(bool(strip))

    def _show(self, entry: Found) -> None:
        self._live.setEnabled(True)
        self._sight.eyes.ask({"show": entry["at_s"]})
        self._say("Draw boxes on this picture as on the live picture. “Live” returns to it.")

    def _take_found(self, answer: Found) -> None:
        self._find.setEnabled(True)
        if "found" not in answer:
            self._say(str(answer.get("what", "Nothing was found.")))
            return
        self.read.emit(answer["fields"])
        things = counted(len(answer["found"]), "thing")
        seen = counted(answer["pictures"], "picture")
        self._say(f"{things} found in {seen}. Nothing is added until you take it.")
        self._show_found(list(answer["found"]))

    def _show_found(self, proposals: list[Found]) -> None:
        self._proposals = proposals
        self._takes: list[Button] = []
        clear_layout(self._cards)
        for proposal in proposals:
            sure = f"{share(proposal['confidence'])} sure"
            take = Button(
                "Take",
                partial(self._settle, proposal, True),
                name=f"Take {proposal['title']} {proposal['name']}",
            )
            self._takes.append(take)
            drop = Button(
                "Drop",
                partial(self._settle, proposal, False),
                kind="quiet",
                name=f"Drop {proposal['title']} {proposal['name']}",
            )
            head = row(Label(proposal["title"], "strong"), Label(sure, "dim"), None, take, drop, gap=STEP)
            why = str(proposal["why"])
            self._cards.addWidget(Card(holder(head), Label(f"{why[:1].upper()}{why[1:]}", "note", wrap=True)))
        self._sight.show_found(proposals)

    def _settle(self, proposal: Found, take: bool) -> None:
        at = self._proposals.index(proposal)
        self._show_found([other for other in self._proposals if other is not proposal])
        left = self._takes[at : at + 1] or self._takes[-1:] or [self._find]
        left[0].setFocus()  # otherwise the pane scrolls to the widget that inherits the focus
        if take:
            self.taken.emit(proposal)

    def _say(self, text: str) -> None:
        self._message.set_text(text)
