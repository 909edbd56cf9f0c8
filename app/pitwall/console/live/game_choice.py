"""The choice of games: a card each, with its picture and its scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFontMetrics, QImage, QPixmap, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from pitwall.console.kit.elements import Button, Chip, EmptyState, Label, clear_layout, column, holder, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.panes import scrolled
from pitwall.console.kit.row_list import cut
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, WIDE, Look, ui_font
from pitwall.console.live.rename_dialog import RenameGame
from pitwall.console.services.background import RunLogWorker, read_image
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import score_text
from pitwall.core.telemetry import Fault
from pitwall.games.own_names import rename_game
from pitwall.games.registry import GameEntry

if TYPE_CHECKING:
    from pitwall.store.game_scores import GameScores
    from pitwall.store.run_reader import RunReader

GAME_PICTURE = "picture.png"
"""A file of a game's folder: how the game looks."""
_TILE = QSize(284, 92)
_THUMBNAIL = QSize(56, 56)
_SIGN = 28
_FIRST_GAME = "flappy"
"""What a newcomer is pointed to."""
_FACTS_MS = 300
"""What the runs tell is read this long after the cards came into view: the window's first picture is due."""
_CHOOSE = "Its picture appears here, with what the agent reads and presses."
_NO_GAMES = "No games are known. Add one, or open a game folder from the list in the top bar."
_SOURCES = {
    "bundled": "comes with Pitwall",
    "user": "your games folder",
    "entry-point": "installed package",
    "path": "folder",
}
_SIGNS = {
    "runner": "mdi6.run-fast",
    "arcade": "mdi6.space-invaders",
    "platformer": "mdi6.stairs-up",
    "puzzle": "mdi6.puzzle-outline",
    "simulation": "mdi6.sprout-outline",
}
_SEATS = {
    True: "The agent plays it with a keyboard and pointer of its own.",
    False: "The agent shares your keyboard and pointer here: its own do not reach this game.",
}
"""By whether its own reach the game."""
_NO_GENRE = "mdi6.gamepad-variant-outline"


@dataclass(frozen=True, slots=True)
class GameFacts:
    """Holds what the runs tell of the games, by game id: pictures and scores."""

    pictures: Mapping[str, QImage] = field(default_factory=dict)
    scores: Mapping[str, GameScores] = field(default_factory=dict)


def read_game_facts(reader: RunReader, data: DataFolder, games: Sequence[GameEntry]) -> GameFacts:
    """Read scores and pictures: the newest run's picture, else the one in the game's folder."""
    from pitwall.store.game_scores import game_pictures, game_scores  # imported here, in the reading thread

    played = game_pictures(reader)
    pictures = {}
    for entry in games:
        run_id, name = played.get(entry.game_id, (0, ""))
        image = read_image(data.run(run_id), name) if name else QImage()
        pictures[entry.game_id] = image if not image.isNull() else read_image(entry.folder, GAME_PICTURE)
    return GameFacts(pictures, game_scores(reader))


class Thumbnail(QLabel):
    """Shows the middle of a game's picture; without one the sign of its genre."""

    def __init__(self, look: Look, genre: str) -> None:
        super().__init__()
        self.setObjectName("well")
        self.setFixedSize(_THUMBNAIL)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._look, self._sign = look, _SIGNS.get(genre, _NO_GENRE)
        self._image = QImage()
        look.changed.connect(self._show)
        self._show()

    def show_image(self, image: QImage) -> None:
        """Show a picture; an empty one: the sign."""
        self._image = image
        self._show()

    def _show(self) -> None:
        if self._image.isNull():
            self.setPixmap(self._look.icon(self._sign, "faint").pixmap(_SIGN, _SIGN))
            return
        ratio = self.devicePixelRatioF()
        size = _THUMBNAIL * ratio
        keep, smooth = (
            Qt.AspectRatioMode.KeepAspectRatioByExpanding,
            Qt.TransformationMode.SmoothTransformation,
        )
        filled = self._image.scaled(size, keep, smooth)
        spare = filled.size() - size
        middle = filled.copy(QRect(QPoint(spare.width() // 2, spare.height() // 2), size))
        middle.setDevicePixelRatio(ratio)
        self.setPixmap(QPixmap.fromImage(middle))


class GameTile(QPushButton):
    """A game to play with one click."""

    def __init__(
        self,
        entry: GameEntry,
        look: Look,
        chosen: Callable[[str], None],
        mark: str = "",
        rename: Callable[[GameEntry], object] | None = None,
    ) -> None:
        super().__init__()
        self.game_id = entry.game_id
        self.setProperty("kind", "tile")
        self.setFixedSize(_TILE)
        self.setEnabled(entry.playable)
        self.setAccessibleName(spoken("Play {}").format(entry.name))
        self.thumbnail = Thumbnail(look, entry.genre)
        self._score = Label("", "note")
        self._score.hide()
        name = Label(entry.name or entry.game_id, "strong")
        text = entry.summary or _SOURCES.get(entry.source, entry.source)
        if not entry.playable:
            text = entry.fault or entry.lacking
        note = Label(_two_lines(text), "note", wrap=True)
        self.setToolTip(text if entry.seat is None else f"{text}\n{_SEATS[entry.seat.arrives]}")
        if entry.fault:  # what is only still to be installed is no fault
            note.set_tone("stop")
        head = row(name, None, *([Chip(mark)] if mark else []))
        words = column(None, head, note, self._score, None, gap=STEP)
        self.setLayout(row(self.thumbnail, words, gap=GAP, margins=GAP))
        self.clicked.connect(lambda *_: chosen(entry.game_id))
        if rename is not None and not entry.fault:
            action = QAction("Rename…", self)
            action.triggered.connect(partial(rename, entry))
            self.addAction(action)
            self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def show_facts(self, facts: GameFacts) -> None:
        """Show the game's picture and scores."""
        self.thumbnail.show_image(facts.pictures.get(self.game_id, QImage()))
        scores = facts.scores.get(self.game_id)
        if scores is None:
            return
        last, best = (score_text(score.best, score.unit) for score in (scores.last, scores.best))
        self._score.show_text(f"Best {best}" if last == best else f"Best {best} · last {last}")
        source = "the game's own word" if scores.last.true else "as read from the screen"
        self._score.setToolTip(f"Best score of its runs, and the best of the last run: {source}")
        self.setAccessibleDescription(self._score.full_text())


def _two_lines(text: str) -> str:
    """Cut what a card says of its game to two lines."""
    metrics = QFontMetrics(ui_font(SMALL_PX))
    room = QRect(0, 0, _TILE.width() - _THUMBNAIL.width() - 3 * GAP - 1, 2 * metrics.lineSpacing())
    return cut(spoken(text), metrics, room)


class ChooseGame(QWidget):
    """Nothing chosen: the known games as one-click cards, and the way to add one.

    Args:
        add_game: opens the page where games are added.

    Signals:
        renamed(): a game has another name.
    """

    renamed = Signal()

    def __init__(self, bridge: Bridge, look: Look, icon: QLabel, add_game: Callable[[], object]) -> None:
        super().__init__()
        self._bridge, self._look = bridge, look
        self._facts = GameFacts()
        self._games: tuple[GameEntry, ...] = ()
        self._listed: tuple[tuple[GameEntry, ...], str] | None = None
        self._worker = RunLogWorker(bridge.data, self)
        self._worker.failed.connect(lambda _: None)  # the Runs page reports a faulty run log
        self._tiles = Flow(GAP, centred=True)
        self._tiles.setMinimumWidth(_TILE.width())
        self._empty = EmptyState("Choose a game", _CHOOSE, icon=icon)
        add = row(None, Button("Add a game…", add_game), None)
        inside = holder(column(None, self._empty, add, self._tiles, None, gap=PAD, margins=WIDE))
        self.setLayout(column(scrolled(inside, "The games to choose from"), margins=0))

    def rename(self, entry: GameEntry) -> RenameGame:
        """Ask for another name of a game."""

        def use(name: object) -> None:
            try:
                rename_game(self._bridge.data, entry.game_id, str(name))
            except PitwallError as error:
                self._bridge.report(Fault.of(error))
            self.renamed.emit()

        dialog = RenameGame(entry.name, self.window())
        dialog.ordered.connect(use)
        dialog.open()
        return dialog

    def show_games(self, games: Sequence[GameEntry]) -> None:
        """List these games, once they are looked at."""
        self._games = tuple(games)
        if self.isVisible():
            self._list_games()

    def _list_games(self) -> None:
        """Make the cards, unless they show the same games already."""
        games, last = self._games, self._bridge.settings.console.last_game
        if self._listed == (games, last):
            return
        self._listed = (games, last)
        clear_layout(self._tiles.flow)
        first = last if any(last == entry.game_id for entry in games) else _FIRST_GAME
        for entry in sorted(games, key=lambda game: (game.game_id != first, not game.playable)):
            mark = "" if entry.game_id != first else "Played last" if first == last else "Start here"
            tile = GameTile(entry, self._look, self._bridge.open_game, mark, self.rename)
            tile.show_facts(self._facts)
            self._tiles.flow.addWidget(tile)
        self._empty.say("Choose a game", _CHOOSE if games else _NO_GAMES)
        self._tiles.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._list_games()
        QTimer.singleShot(_FACTS_MS, self, self._read_facts)

    def _read_facts(self) -> None:
        data, games = self._bridge.data, self._bridge.games()
        self._worker.ask(partial(read_game_facts, data=data, games=games), self.show_facts)

    def close_reading(self) -> None:
        """End the reading; before the data folder goes away."""
        self._worker.close()

    def show_facts(self, facts: GameFacts) -> None:
        """Show what the runs tell, on these cards and those to come."""
        self._facts = facts
        for tile in self._tiles.findChildren(GameTile):
            tile.show_facts(facts)
