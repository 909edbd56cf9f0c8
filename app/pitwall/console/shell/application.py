"""The console's composition: look, bridge, pages, window, overlay, picker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtWidgets import QApplication, QWidget

from pitwall.console.charts.living import close_charts
from pitwall.console.kit import places
from pitwall.console.kit.components import ComponentsPanel
from pitwall.console.kit.page import Page
from pitwall.console.kit.places import Place
from pitwall.console.kit.theme import Look
from pitwall.console.kit.window_picker import WindowPicker
from pitwall.console.live.page import LivePage
from pitwall.console.services.bridge import Bridge
from pitwall.console.services.session import Opener
from pitwall.console.shell.bundle_view import ShownBundle
from pitwall.console.shell.overlay import GameOverlay
from pitwall.console.shell.palette_search import PaletteSearch
from pitwall.console.shell.preflight.dialog import PreflightDialog
from pitwall.console.shell.window import MainWindow
from pitwall.console.state.view_state import Phase
from pitwall.core.geometry import WindowRef
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.telemetry import Fault
from pitwall.games.registry import GameEntry, Registry
from pitwall.games.trust import trust

if TYPE_CHECKING:  # a page is imported when it is first shown
    from pitwall.console.demonstrations.page import DemonstrationsPage
    from pitwall.console.models.page import ModelsPage
    from pitwall.console.new_game.page import NewGamePage
    from pitwall.console.runs.page import RunsPage
    from pitwall.console.settings.page import SettingsPage


class Console:
    """Everything of one console, wired.

    Args:
        opener: makes engine sessions.
        games: lists the known games.
        preflight: run the first start's checks where they were not passed yet.
        bundle: what the data folder was unpacked from: its run and memory alone are shown.
    """

    def __init__(
        self,
        app: QApplication,
        data: DataFolder,
        opener: Opener,
        games: Callable[[], Sequence[GameEntry]],
        *,
        preflight: bool = True,
        bundle: ShownBundle | None = None,
    ) -> None:
        self.bridge = Bridge(data, opener, games, self._trust)
        self.look = Look(app, self.bridge.settings.console.theme)
        self.live = LivePage(self.bridge, self.look)
        self._endings: list[Callable[[], object]] = [self.live.close_reading]
        self._pages: dict[str, Page] = {places.LIVE.key: self.live}
        self._bundle = bundle
        self.components = ComponentsPanel(data)
        self._arguments: Mapping[str, Mapping[str, Any]] = {
            places.RUNS.key: {"read_only": bundle is not None},
            places.MODELS.key: {"components": self.components},
        }
        self.search = PaletteSearch(
            data,
            show_setting=self._show_setting if bundle is None else None,
            show_run=lambda run_id: self._show_step(run_id, 0),
            searches=lambda: [
                place.load_search()(data, partial(self._show_item, place.key))
                for place in self._places(bundle)
                if place.search
            ],
        )
        self._endings.append(self.search.close)
        self.window = MainWindow(
            self.bridge,
            self.look,
            self._places(bundle),
            choose_window=self.choose_window if bundle is None else None,
            search=self.search,
            bundle=bundle,
        )
        self._aside = QWidget()  # holds what belongs to a page before the page is made
        self.components.setParent(self._aside)
        self.components.progressed.connect(self.window.show_work)
        self.components.came.connect(self._list_games)
        self._endings.append(self.components.close_jobs)
        self.overlay = GameOverlay(wanted=self.bridge.settings.console.overlay)
        self._picker: WindowPicker | None = None
        self._preflight: PreflightDialog | None = None
        self._preflight_due = preflight and not self.bridge.settings.console.preflight_done
        self.overlay.follow(self.bridge)
        self.bridge.settings_changed.connect(self._use_settings)
        self.bridge.checks_first = self._check_first
        self.live.window_wanted.connect(self.choose_window)
        self.live.games_changed.connect(self._list_games)
        self.live.inspection.inspector.why_wanted.connect(lambda step: self._show_why(0, step))

    def _places(self, bundle: ShownBundle | None) -> Mapping[Place, Callable[[], Page]]:
        keys = {places.RUNS.key, places.MEMORY_PAGE} if bundle is None or bundle.memory else {places.RUNS.key}
        shown = [place for place in places.all_places() if bundle is None or place.key in keys]
        return {place: partial(self.page, place.key) for place in shown}

    # ---- pages: each is made when it is first shown, and reads its contents when it comes into view

    def page(self, key: str) -> Page:
        """Return the page of a key; make it where it is not there yet.

        Raises:
            KeyError: no package declares such a page.
        """
        page = self._pages.get(key)
        if page is None:
            place = {place.key: place for place in places.all_places()}[key]
            page = self._pages[key] = place.load()(self.bridge, self.look, **self._arguments.get(key, {}))
            page.step_wanted.connect(self._show_step)
            page.why_wanted.connect(self._show_why)
            page.inspect_wanted.connect(self._inspect_step)
            page.run_wanted.connect(self._hand_run)
            if key == places.SETTINGS.key:
                cast("SettingsPage", page).preflight_wanted.connect(self.show_preflight)
            self._endings.append(page.close_reading)
            page.use_subject(self.bridge.state.subject)
        return page

    @property
    def demonstrations(self) -> DemonstrationsPage:
        return cast("DemonstrationsPage", self.page(places.DEMONSTRATIONS.key))

    @property
    def runs(self) -> RunsPage:
        return cast("RunsPage", self.page(places.RUNS.key))

    @property
    def models(self) -> ModelsPage:
        return cast("ModelsPage", self.page(places.MODELS.key))

    @property
    def settings(self) -> SettingsPage:
        return cast("SettingsPage", self.page(places.SETTINGS.key))

    @property
    def new_game(self) -> NewGamePage:
        return cast("NewGamePage", self.page(places.NEW_GAME.key))

    # ---- what is asked of it

    def choose_window(self) -> None:
        """Let the operator click the game's window."""
        if self._picker is None:
            self._picker = WindowPicker(parent=self.window)
            self.look.dress(self._picker)
            self._picker.chosen.connect(self._window_chosen)
        self._picker.pick()

    def _list_games(self) -> None:
        """List the games again: one can be played now, or has another name."""
        self.window.read_games()
        self.live.read_games()

    def _trust(self, game: str) -> None:
        trust(self.bridge.data, Registry(self.bridge.data).load(game))

    def close(self) -> None:
        """End the engine, and take every window away."""
        self.window.keyboard.close()
        self.window.hide()
        self.overlay.close()
        self.overlay.deleteLater()
        for end in reversed(self._endings):
            end()
        self.bridge.shutdown()
        close_charts()

    def show_preflight(self) -> None:
        """Show the first start's checks in a window of their own."""
        self._checks().show()

    def _checks(self) -> PreflightDialog:
        if self._preflight is None:
            self._preflight = PreflightDialog(self.bridge, self.look, self.window)
            self.look.dress(self._preflight)
        return self._preflight

    def _show_step(self, run_id: int, step: int) -> None:
        self.window.show_page(places.RUNS.key)
        self.runs.show_step(run_id, step)

    def _show_setting(self, key: str) -> None:
        self.window.show_page(places.SETTINGS.key)
        self.settings.search(key)

    def _show_item(self, key: str, item_id: int) -> None:
        self.window.show_page(key)
        self.page(key).show_item(item_id)

    def _hand_run(self, key: str, run_id: int) -> None:
        self.window.show_page(key)
        self.page(key).take_run(run_id)

    def _inspect_step(self, run_id: int, step: int) -> None:
        run = self.bridge.state.run
        if self._bundle is not None:
            self._show_step(run_id or self._bundle.run_id, step)
        elif run_id and (run is None or run.run_id != run_id):
            self._show_step(run_id, step)
        else:
            self.window.show_page(places.LIVE.key)
            self.live.inspect(step)

    def _show_why(self, run_id: int, step: int) -> None:
        if places.MEMORY_PAGE not in {place.key for place in self._places(self._bundle)}:
            return
        self.window.show_page(places.MEMORY_PAGE)
        self.page(places.MEMORY_PAGE).show_why(run_id, step)

    def _check_first(self) -> bool:
        """Run the first start's checks, which start the agent once they passed; whether they do so."""
        page = self._pages.get(places.NEW_GAME.key)
        if page is not None and cast("NewGamePage", page).will_play:
            return False  # the author of a new game wants to see it play: the checks wait for the next start
        if self._preflight_due and self.bridge.state.phase is Phase.READY:
            self._preflight_due = False
            what = "Before the agent plays, the console checks that it sees the game and can stop it."
            notice = Fault(what=what, error="Notice")
            self.bridge.report(notice)

            def start() -> None:
                self.bridge.withdraw(notice)
                self.bridge.start()

            self._checks().then = start
            self._checks().run()
        return self._preflight is not None and self._preflight.state.running is not None

    def _window_chosen(self, window: WindowRef) -> None:
        self.bridge.choose_window(window.native_id)

    def _use_settings(self, settings: Settings) -> None:
        self.look.use(settings.console.theme)
        self.overlay.set_wanted(settings.console.overlay)
