"""The window: rail, top bar, the page in view, bottom bar. It never raises or activates itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFileDialog,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pitwall.console.kit.command import Command
from pitwall.console.kit.elements import row
from pitwall.console.kit.page import Page
from pitwall.console.kit.places import MODELS, NEW_GAME, SETTINGS, Place
from pitwall.console.kit.screen_places import rect_to_qt, screen_places
from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.bottom_bar import BottomBar
from pitwall.console.shell.bundle_view import BundleBar, ShownBundle
from pitwall.console.shell.command_palette import (
    CommandPalette,
    HelpDialog,
    commands_in_view,
    key_sections,
    navigation_commands,
    run_commands,
    show_keys,
)
from pitwall.console.shell.fault_bar import FaultBar
from pitwall.console.shell.manual import ManualWindow
from pitwall.console.shell.palette_search import PaletteSearch
from pitwall.console.shell.rail import Rail
from pitwall.console.shell.shared_keyboard import KeyboardButton, SharedKeyboard
from pitwall.console.shell.strip import Strip
from pitwall.console.shell.top_bar import STOP_KEYS, TopBar
from pitwall.console.shell.tour import Tour, console_tour
from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase
from pitwall.core.settings import Settings

LEAST = (720, 440)
_STRIP_LEAST = (220, 72)
_FIRST = (1280, 760)
_TITLE_BAR = 32
_NAMED_AFTER_MS = 800
"""A page's buttons have their names by then, also where these are read from files."""


class MainWindow(QMainWindow):
    """The console's window.

    Args:
        places: the pages in the order of the rail, the first in view at the start; each with a function that
            returns the page, always the same object.
        choose_window: opens the window picker; None where there is none.
        search: finds what is no command, for the palette.
        bundle: the bundle that is shown read-only; None: a console that plays.

    Signals:
        closed: the operator closed it.
    """

    closed = Signal()

    def __init__(
        self,
        bridge: Bridge,
        look: Look,
        places: Mapping[Place, Callable[[], Page]],
        *,
        choose_window: Callable[[], None] | None = None,
        search: PaletteSearch | None = None,
        bundle: ShownBundle | None = None,
    ) -> None:
        super().__init__()
        self._search = search
        self.setWindowTitle("Pitwall" if bundle is None else f"{bundle.file} · Pitwall")
        self._bundle = bundle
        self._room = self.screen().availableSize() - QSize(0, _TITLE_BAR)
        self.setMinimumSize(QSize(*LEAST).boundedTo(self._room))
        self.resize(QSize(*_FIRST).boundedTo(self._room))
        self._bridge = bridge
        self._look = look
        self._choose_window = choose_window
        self._tour: Tour | None = None
        self._places = {place.key: place for place in places}
        self._makers = places
        self._pages: dict[str, Page] = {}
        self._manual: ManualWindow | None = None
        self._stack = QStackedWidget()
        self._rail = Rail(
            look, [place for place in places if place.in_rail], self.show_page, self.show_manual
        )
        show_models = partial(self.show_page, MODELS.key) if MODELS.key in self._places else None
        add_game = partial(self.show_page, NEW_GAME.key) if NEW_GAME.key in self._places else None
        self._top = TopBar(bridge, look, choose_window, self.choose_folder, show_models, add_game)
        self.keyboard = SharedKeyboard(bridge, self)
        self._bottom = BottomBar(bridge, KeyboardButton(self.keyboard), show_models)
        self._shell = QWidget()
        self._strip = Strip(look, bridge, KeyboardButton(self.keyboard), lambda: self.show_strip(False))
        self._lay_out()
        self._add_keys()
        bridge.changed.connect(self._refresh)
        self.show_page(next(iter(self._places)))
        self._refresh(Part.ALL)

    # ---- pages

    @property
    def page(self) -> Page:
        """Return the page in view."""
        page = self._stack.currentWidget()
        assert isinstance(page, Page)
        return page

    def show_page(self, key: str) -> None:
        """Bring a page into view; an unknown key changes nothing."""
        if key not in self._places:
            return
        coming = self._page_at(key)
        going = self._stack.currentWidget()
        self._rail.show_chosen(key)
        if going is coming and coming.isVisible():
            return
        if isinstance(going, Page) and going is not coming:
            going.closed()
        self._stack.setCurrentWidget(coming)
        coming.opened()
        coming.refresh(Part.ALL)
        QTimer.singleShot(_NAMED_AFTER_MS, coming, lambda: show_keys(coming, coming.commands()))
        self._top.read_games()

    def choose_folder(self) -> None:
        """Ask for a game folder and open its game."""
        folder = QFileDialog.getExistingDirectory(self, "Open a game folder (with its plugin.toml)")
        if folder:
            self._bridge.open_game(folder)

    def show_strip(self, compact: bool) -> None:
        """Show the strip alone, or the whole console."""
        narrow = self.width() < LEAST[0]
        self._shell.setVisible(not compact)
        self._strip.setVisible(compact)
        self.setMinimumSize(QSize(*(_STRIP_LEAST if compact else LEAST)).boundedTo(self._room))
        if not compact and narrow:
            height = max(self.height(), LEAST[1])
            self.resize(QSize(LEAST[0], height).boundedTo(self._room))
            frame, area = self.frameGeometry(), self.screen().availableGeometry()
            frame.moveRight(min(frame.right(), area.right()))
            frame.moveBottom(min(frame.bottom(), area.bottom()))
            self.move(max(frame.left(), area.left()), max(frame.top(), area.top()))
            self.keep_clear_of_game()
        if not compact:
            self.page.refresh(Part.ALL)

    def keep_clear_of_game(self) -> None:
        """Put rail and commands at the side that the game's window leaves clear."""
        seen = self._bridge.state.window
        game = rect_to_qt(seen.window.rect, screen_places()) if seen and seen.window else QRect()
        covered, left = self.geometry().intersects(game), game.center().x() < self.geometry().center().x()
        for part, back in ((self._shell, covered and left), (self._top, covered and not left)):
            layout = part.layout()
            assert isinstance(layout, QBoxLayout)
            layout.setDirection(layout.Direction.RightToLeft if back else layout.Direction.LeftToRight)

    def show_work(self, text: str, more: str) -> None:
        """Show work beside the play in the bottom bar, in short and in full; empty: there is none."""
        self._bottom.show_work(text, more)

    def read_games(self) -> None:
        """List the games again."""
        self._top.read_games()

    # ---- dialogs

    def show_palette(self) -> None:
        """Open the command palette."""
        self._open(CommandPalette(self, self.palette_commands(), self._search))

    def palette_commands(self) -> list[Command]:
        """Return every possible command: the window's, the page's, and each other visible button and tab."""
        known = [*self._commands(), *self.page.commands()]
        show_keys(self.page, known)
        return [*known, *commands_in_view((self.page, self._faults, self._bottom, self._top), known)]

    def _open(self, dialog: QDialog) -> None:
        self._look.dress(dialog)
        dialog.open()

    def show_help(self) -> None:
        """Show every key."""
        more: list[tuple[str, Callable[[], object]]] = [("Open the manual", self.show_manual)]
        if self._bundle is None:
            more.append(("Take the tour", self.show_tour))
        sections = key_sections(self._bridge.settings.hotkeys, self._places.values())
        self._open(HelpDialog(self, sections, more))

    def show_manual(self) -> None:
        """Open the manual at the page in view."""
        if self._manual is None:
            self._manual = ManualWindow(self, self._look)
            self._look.dress(self._manual)
        self._manual.open_page(self.page.place.key)

    def show_tour(self) -> None:
        """Show a newcomer five parts of the window, one after the other."""
        self.show_strip(False)
        self.show_page(next(iter(self._places)))
        if self._tour is None:
            steps = console_tour(self._bridge, self.page, self._top, self._rail)
            self._tour = Tour(self, self._look, steps, self._tour_ended)
            self._look.dress(self._tour)

    def _tour_ended(self) -> None:
        self._tour = None
        self._bridge.remember("tour_done", True)

    def toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    # ---- Qt's own

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self._bridge.watch(not self.isMinimized())

    def closeEvent(self, event: QCloseEvent) -> None:
        for key, page in self._pages.items():
            if not page.ready_to_close(self.close):
                self.show_page(key)
                event.ignore()
                return
        if self._manual is not None:
            self._manual.close()
        self.closed.emit()
        super().closeEvent(event)

    # ---- inside

    def _lay_out(self) -> None:
        """Build from the outside in: a widget that enters a window is restyled with all its children."""
        centre = QWidget()
        centre.setObjectName("shell")
        self.setCentralWidget(centre)
        centre.setLayout(row(self._shell, self._strip, gap=0))
        right = QWidget()
        self._shell.setLayout(row(self._rail, right, gap=0, stretch=1))
        self._strip.hide()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = self._top if self._bundle is None else BundleBar(self._bundle)
        for widget in (top, self._stack, self._bottom):
            column.addWidget(widget)
        self._bottom.setVisible(self._bundle is None)
        self._faults = FaultBar(self._bridge, self._stack)
        for part in (self._rail, top, self._faults, self._bottom, self._strip):
            self._look.dress(part)
        column.setStretch(1, 1)

    def _page_at(self, key: str) -> Page:
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = self._makers[self._places[key]]()
            self._stack.addWidget(page)
            page.page_wanted.connect(self.show_page)
        return page

    def _refresh(self, changed: Part) -> None:
        self._top.refresh(changed)
        self._faults.refresh(changed)
        self._bottom.refresh(changed)
        self._strip.refresh(changed)
        self.page.refresh(changed)
        if self._tour is not None:
            self._tour.follow()

    def _add_keys(self) -> None:
        keys: list[tuple[str, Callable[[], object]]] = [
            (STOP_KEYS, self._stop),
            ("Ctrl+P", self.show_palette),
            ("F11", self.toggle_full_screen),
            ("?", self.show_help),
            ("F1", self.show_manual),
            ("Ctrl+Q", self.close),
        ]
        if SETTINGS.key in self._places:
            keys.append(("Ctrl+,", lambda: self.show_page(SETTINGS.key)))
        in_rail = [key for key, place in self._places.items() if place.in_rail]
        keys += [(f"Ctrl+{n}", partial(self.show_page, key)) for n, key in enumerate(in_rail, 1)]
        for chord, command in keys:
            QShortcut(QKeySequence(chord), self).activated.connect(command)
        self._start_key = QShortcut(QKeySequence(self._bridge.settings.hotkeys.start), self)
        self._start_key.activated.connect(self._start)
        self._bridge.settings_changed.connect(self._use_start_key)

    def _use_start_key(self, settings: Settings) -> None:
        self._start_key.setKey(QKeySequence(settings.hotkeys.start))

    def _start(self) -> None:
        if self._bridge.state.phase in HALTED | {Phase.READY}:
            self._bridge.start()

    def _stop(self) -> None:
        if self._bridge.state.phase in RUNNING | HALTED:
            self._bridge.stop()

    def _commands(self) -> list[Command]:
        plays = self._bundle is None
        return [
            *run_commands(self._bridge),
            Command(name="Open a game folder…", run=self.choose_folder, possible=lambda: plays),
            Command(name="Full screen", run=self.toggle_full_screen, keys="F11"),
            Command(name="Manual, at this page", run=self.show_manual, keys="F1"),
            Command(name="Keys", run=self.show_help, keys="?"),
            Command(name="Take the tour", run=self.show_tour, possible=lambda: plays),
            *navigation_commands(
                self._bridge, self._choose_window, list(self._places.values()), self.show_page
            ),
        ]
