"""An open game: its session, models, memory and modules, and where its window is."""

from __future__ import annotations

from typing import Literal

from pitwall.core import commands, telemetry
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import WindowLost
from pitwall.core.geometry import WindowHealth
from pitwall.core.paths import DataFolder
from pitwall.engine.inference.model_manager import ModelManager, settled
from pitwall.engine.inference.module_manager import ModuleManager
from pitwall.engine.loop.run_review import RunReview
from pitwall.engine.recall.agent_memory import AgentMemory
from pitwall.engine.recall.embedder import Embedder
from pitwall.engine.recording.operator_reports import OperatorReports
from pitwall.engine.session.game_session import GameSession

_RETURNS_NS = 10 * NS_PER_S
"""Within this time a restarted game is captured again, and the run goes on."""
_STARTS_WITHIN_NS = 60 * NS_PER_S
"""A game that is opened again has so long, and the time above, until its window counts as lost."""
_LOOK_EVERY_NS = NS_PER_S
"""How often to look for new modules."""

WindowEvent = Literal["", "gone", "back", "anew"]
"""`anew`: the game replaced its window as it started, by that of another process."""


class OpenGame:
    """Holds everything that lives from the opening of a game until the engine ends.

    Attributes:
        modules: which version of each game sense module drives; None before `look_for_window`.
        review: the review of the previous run, while it goes on.

    Raises:
        UnknownGame, ManifestError, UntrustedPlugin: the game cannot be loaded.
    """

    def __init__(self, opening: commands.Open, data: DataFolder, reports: OperatorReports) -> None:
        self.opening = opening
        self._data = data
        self._reports = reports
        self.session = session = GameSession(opening, data)
        self.models = ModelManager(data, session.host.mailbox(), reports.tell)
        embedder = Embedder(session.host.mailbox(), lambda: session.settings.memory, self.models.resolve)
        self.memory = AgentMemory(data, session.game, embedder, lambda: session.settings, reports.tell)
        self.modules: ModuleManager | None = None
        self.review: RunReview | None = None
        self._gone_since_ns: int | None = None
        self._replaced = False
        self._gone_pid = 0
        self._look_at_ns = 0

    def look_for_window(self) -> None:
        """Report the opened game, load its modules, and look for its window; launch the game if needed.

        Raises:
            PitwallError: a pinned module, the display or the game's program is missing.
        """
        self._gone_since_ns = None
        self._reports.tell(self.session.opened())
        self.modules = self.modules or ModuleManager(
            self.session.game,
            self._data,
            self.session.host.mailbox(),
            pins=self.opening.modules,
            explore=self.opening.explore,
            seed=self.opening.seed or 0,
            tell=self._reports.tell,
            on_fault=self._reports.fault,
            on_detectors=self.session.adopt,
        )
        self.session.view.begin()
        if self.session.view.adopted:
            name = self.session.game.profile.game.name
            self._reports.notice(f"{name} still ran: play goes on there.")

    def join_watched(self, now: int) -> None:
        """Add the modules that were learned by watching since the game was opened; for between two runs."""
        if self.modules is None or now < self._look_at_ns:
            return
        self._look_at_ns = now + _LOOK_EVERY_NS
        if self.session.join_watched(self._data):
            self.modules.join(self.session.game)
            self._reports.tell(self.session.opened())

    def change(self, command: commands.Command) -> None:
        """Carry out a command about thresholds, settings, memory or models."""
        match command:
            case commands.SetThresholds(thresholds=thresholds):
                self.session.thresholds = thresholds
                self._reports.tell(telemetry.ThresholdsInForce(thresholds=thresholds))
            case commands.SetSettings(settings=settings):
                self.session.settings = settled(settings, self.session.game.profile)
            case commands.ChooseVersion():
                self.choose_version(command.module, command.version, explore=command.explore)
            case commands.EditMemory():
                self.memory.edit(command)
            case commands.LoadModel(name=name):
                self.models.load(name)
            case commands.UnloadModel(name=name):
                self.models.unload(name)

    def choose_version(self, module: str, version: str, *, explore: float) -> None:
        """Let a version of a module drive from now on; empty: the promoted version.

        Args:
            explore: see `ModuleManager`.

        Raises:
            UnknownModule: there is no such module or version.
        """
        if self.modules is None:
            return
        self.session.join_watched(self._data)
        self.session.start_modules([module])
        self.modules.join(self.session.game)
        self.modules.choose(module, version, explore=explore)
        self._reports.tell(self.session.opened())

    def open_again(self) -> None:
        """Start the game's program again in mid-run; `follow_window` then tells that it is back, or fails.

        Raises:
            PitwallError: it cannot be started.
        """
        self.session.view.begin()
        self._gone_since_ns = now_ns() + _STARTS_WITHIN_NS

    def choose_window(self, window_id: int) -> None:
        """Capture another window from now on."""
        self._gone_since_ns = None
        self.session.view.choose(window_id)

    def follow(self, now: int) -> None:
        """Take the news of models, memory and modules since the last turn. Never waits."""
        self.models.follow(self.session.settings, now)
        self.memory.pump()
        if self.modules is not None:
            self.modules.follow(now)
        for fault in self.session.faults():
            self._reports.fault(fault)
        if self.review is not None and (message := self.review.poll()) is not None:
            self.review = None
            self._reports.notice(message)

    def drop_review(self) -> None:
        """End the review of the previous run; what it wrote stays."""
        review, self.review = self.review, None
        if review is not None:
            review.drop()

    def follow_window(self, now: int) -> WindowEvent:
        """Capture the window once it is there, and return what happened to it.

        Raises:
            WindowLost, LaunchFailed, DisplayError: it does not come, or not come back.
        """
        view = self.session.view
        if not view.look(now):
            if self._gone_since_ns is not None and now - self._gone_since_ns >= _RETURNS_NS:
                self._gone_since_ns = None
                closed = view.closed
                again = "Open it again." if view.starts else "Start it again, then try again."
                raise WindowLost(closed.why, closed.fix(again))
            if self._replaced and not view.just_shown(now):
                self._replaced = False
                return "gone"
            return ""
        assert view.source is not None
        self._reports.window(view.window, view.health, view.source.backend)
        if view.health is WindowHealth.GONE:
            self._gone_since_ns = now
            self._replaced = view.just_shown(now)
            self._gone_pid = view.window.pid if view.window is not None else 0
            view.look_again()
            return "" if self._replaced else "gone"
        came_back, self._gone_since_ns = self._gone_since_ns is not None, None
        if not came_back:
            return ""
        self.session.follow_clock()
        if not self._replaced:
            return "back"
        pid = view.window.pid if view.window is not None else 0
        return "anew" if pid and self._gone_pid and pid != self._gone_pid else ""

    def close(self, *, close_game: bool) -> None:
        """Write what the memory was handed, end the model host, stop capturing; end the game if asked."""
        self.drop_review()
        self.memory.close()
        self.session.close(close_game=close_game)
