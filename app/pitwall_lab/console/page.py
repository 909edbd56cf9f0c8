"""The GSM lab: game sense modules and their versions, their training, and changes to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QMenu

from pitwall.console.kit import places
from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.elements import Button, Card, EmptyState, Label, column, holder, row
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.page import Page
from pitwall.console.kit.panes import Pane, Panes, stacked
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.services.background import BackgroundWorker, RepeatedReading
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.subject import Subject
from pitwall.console.state.view_state import Part
from pitwall.core.errors import PitwallError
from pitwall.gsm.versions import RULES, SHIPPED
from pitwall_lab.console.changes.controller import ChangeController
from pitwall_lab.console.charts.panel import LabCharts
from pitwall_lab.console.commands import LabCommands, Started
from pitwall_lab.console.format import trouble
from pitwall_lab.console.head import LabHead, why_not_promotable
from pitwall_lab.console.outcome_card import OutcomeCard
from pitwall_lab.console.questions import ClosingChoice, ClosingQuestion
from pitwall_lab.console.versions.column import VersionsColumn
from pitwall_lab.console.view_model import (
    LabContents,
    ModuleKey,
    ModuleRepository,
    ModuleViewModel,
    VersionViewModel,
)
from pitwall_lab.place import LAB

_LEFT, _RIGHT = 268, 324
_LEFT_LEAST, _RIGHT_LEAST, _MIDDLE_LEAST = 216, 270, 360


class LabPage(Page):
    """Shows the modules of every known game, even with no game open."""

    place = LAB

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._modules = ModuleRepository(bridge.data)
        self._worker = BackgroundWorker("lab", self)
        self._reading = RepeatedReading(self._worker, self._read_modules, self)
        self.contents: LabContents | None = None
        self._key: ModuleKey | None = None
        self._chosen: dict[ModuleKey, str] = {}
        self._wanted: set[ModuleKey] = set()
        """Modules whose chosen version is not read yet."""
        self._renew = True
        self._played, self._follow = "", False
        self._may_close = False
        self.changes = ChangeController(bridge.data, look, self)
        self.orders = LabCommands(bridge, look, self.changes, self._worker, self)
        self.head = LabHead(self.orders)
        self.left = VersionsColumn(look)
        self.charts = LabCharts(look)
        self.notifications = NotificationBar(self)
        self._build()
        self._connect()

    # ---- called by the window

    def opened(self) -> None:
        self._renew = True
        self.orders.components.offer(begin=False)
        self._reading.start()

    def closed(self) -> None:
        self._reading.stop()
        self.changes.keep()

    def use_subject(self, subject: Subject) -> None:
        if subject.game_id and subject.game_id != self._played:
            self._played = subject.game_id
            self._follow = True
            self.read()

    def refresh(self, changed: Part) -> None:
        if changed & Part.PHASE:
            self.read()

    def commands(self) -> Sequence[Command]:
        module, version, do, head = self.module, self.version, self.orders, self.head
        if module is None or version is None:
            return ()
        training = module.training
        return [
            Command(name="New training…", run=do.train, keys="Ctrl+T", possible=lambda: module.learns),
            Command(name="Improve…", run=do.improve, possible=lambda: training is None),
            Command(name="Design a module…", run=do.design),
            *(
                Command(
                    name=f"{button.text()} the training", run=button.click, possible=partial(_offered, button)
                )
                for button in (head.pause, head.resume, head.stop)
            ),
            Command(
                name=f"Promote {version.name}",
                run=do.promote,
                possible=lambda: not why_not_promotable(version),
            ),
            *self._more(module, version),
            *(
                Command(name=f"Show module {other.title}", run=partial(self.choose_module, other.key))
                for other in (self.contents.modules if self.contents is not None else ())
            ),
        ]

    def ready_to_close(self, go_on: Callable[[], object]) -> bool:
        """Ask whether the console's trainings continue, before the window closes."""
        if self._may_close:
            return True
        self.changes.keep()
        running = self._trainings_of_ours()
        ending = [order.title for order in self.orders.jobs.running]
        drafts = len(self.changes.touched)
        if not running and not ending and not drafts:
            return True
        names = [f"{key} {version}" for key, version in running]
        question = ClosingQuestion(names, ending, drafts, self)
        question.answered.connect(lambda going: self._close_as(going, go_on))
        question.open()
        return False

    def close_reading(self) -> None:
        """Stop reading and end the jobs, before the data folder is released."""
        self._reading.stop()
        self.changes.close()
        self.orders.close()
        self.charts.close_reading()
        self._worker.close()

    # ---- the module and version in view

    @property
    def module(self) -> ModuleViewModel | None:
        """Return the chosen module as last read."""
        return self.contents.module(self._key) if self.contents is not None else None

    @property
    def version(self) -> VersionViewModel | None:
        """Return its chosen version."""
        module = self.module
        if module is None:
            return None
        return module.version(self._chosen.get(module.key, "")) or module.version(module.first_choice())

    def choose_module(self, key: ModuleKey) -> None:
        """Show a module."""
        if key != self._key:
            self.changes.keep()
            self._key = key
            self._show()
            self.read()

    def choose_version(self, name: str) -> None:
        """Show a version of the module in view."""
        if self._key is None:
            return
        self._chosen[self._key] = name
        if self.module is not None and self.module.version(name) is None:
            self._wanted.add(self._key)
            self.read()
            return
        self._show()

    def read(self) -> None:
        """Read every module again in the background; once more if a reading is running."""
        self._reading.now()

    # ---- parts

    def _build(self) -> None:
        self._loading = EmptyState("Reading the modules …", "")
        self._empty = EmptyState(
            "No game has a game sense module yet",
            "A module acts at frame rate while the planner thinks. A game's folder declares it under "
            "[[modules]]: rules, or what a policy learns from. Any other game gets a module once you have "
            "recorded your own play: Teach, on the Live page.",
            Button("Show the games", lambda: self.page_wanted.emit(places.LIVE.key)),
            icon=self.icon_label(),
        )
        self._error = EmptyState("", "", Button("Try again", self._try_again))
        self._trouble, self._trouble_fix = Label("", wrap=True), Label("", "dim", wrap=True)
        words = holder(column(self._trouble, self._trouble_fix, gap=0))
        resume = Button("Resume", self.orders.resume, name="Resume the interrupted training")
        self._trouble_card = Card(tone="stop")
        self._trouble_card.body.addLayout(row(words, resume, stretch=0))
        self._trouble_card.setContentsMargins(PAD, 0, PAD, 0)
        self.outcome = OutcomeCard()
        outcome = holder(column(self.outcome, margins=(PAD, GAP, PAD, 0)))
        middle = holder(column(self._trouble_card, outcome, self.charts, gap=GAP, stretch=2))
        self.left.setMinimumWidth(_LEFT_LEAST)
        self.changes.side.setMinimumWidth(_RIGHT_LEAST)
        middle.setMinimumWidth(_MIDDLE_LEAST)
        self._room = Panes(
            Pane("Modules", self.left, width=_LEFT),
            Pane("Training", middle),
            Pane("Change", self.changes.side, width=_RIGHT),
            front=middle,
        )
        self._stack = stacked(self._loading, self._empty, self._error, self._room)
        self.orders.components.setContentsMargins(0, GAP, 0, 0)
        self.setLayout(
            column(self.head, self.orders.components, self._stack, self.orders.jobs, gap=0, stretch=2)
        )

    def _connect(self) -> None:
        do, notify = self.orders, self.notifications.notify
        self._reading.took.connect(self._take)
        self._reading.failed.connect(self._not_read)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.head.more.setMenu(self._menu)
        self.left.module_chosen.connect(self.choose_module)
        self.left.version_chosen.connect(self.choose_version)
        self.left.menu_wanted.connect(self._menu.popup)
        self.charts.train_wanted.connect(do.train)
        self.charts.evaluate_wanted.connect(lambda: do.evaluate("twin"))
        self.charts.analyse_wanted.connect(do.analyse)
        self.charts.version_wanted.connect(self.choose_version)
        self.outcome.evaluate_wanted.connect(do.evaluate_fast)
        self.outcome.promote_wanted.connect(do.promote)
        do.analysed.connect(self.charts.show_analysis)
        do.notified.connect(notify)
        do.live_wanted.connect(lambda: self.page_wanted.emit(places.LIVE.key))
        do.queue.busy.connect(self.notifications.show_busy)
        do.changed.connect(self.read)
        do.chosen.connect(self.choose_version)
        self.notifications.undo_wanted.connect(do.roll_back)
        self.changes.failed.connect(lambda error: notify(Notification.of_error(error)))
        bind_keys(self, ("Ctrl+T", do.train), ("Ctrl+D", do.compare), anywhere=True)

    # ---- reading

    def _read_modules(self) -> tuple[ModuleKey | None, LabContents]:
        """Read the modules, the chosen one completely; runs on the worker's thread."""
        key, renew, open_game = self._key, self._renew, self._played
        self._renew = False
        read = self._modules.read(key, open_game=open_game, renew=renew)
        if read.module(key) is None and read.modules:  # the first time: choose a module, and read it whole
            chosen = _preferred(read.modules)
            return chosen.key, self._modules.read(chosen.key, open_game=open_game)
        return key, read

    def _take(self, read: tuple[ModuleKey | None, LabContents]) -> None:
        key, self.contents = read
        for module in self.contents.modules:
            if module.version(self._chosen.get(module.key, "")) is not None:
                self._wanted.discard(module.key)
        if self._key is None or self.contents.module(self._key) is None:
            self._key = key
        self._show()
        self._follow_game()
        self._reading.be_live(self.module is not None and self.module.training is not None)
        if self._key != key:
            self.read()

    def _follow_game(self) -> None:
        """Show a module of the game that plays, once for each game."""
        assert self.contents is not None
        modules = [module for module in self.contents.modules if module.game.game_id == self._played]
        if self._follow and self.contents.modules:
            self._follow = False
            if modules:
                self.choose_module(_preferred(modules).key)

    def _not_read(self, error: PitwallError) -> None:
        self._error.say(error_sentence(error), error.fix)
        self._stack.setCurrentWidget(self._error)

    def _try_again(self) -> None:
        self._renew = True
        self._stack.setCurrentWidget(self._loading)
        self.read()

    def _show(self) -> None:
        if self.contents is None:
            return
        module, version = self.module, self.version
        self._stack.setCurrentWidget(self._room if self.contents.modules else self._empty)
        self.orders.use(module, version)
        self.head.show_module(module, version)
        self.left.show_read(self.contents, module, version)
        fault, fix = trouble(version) if version is not None else ("", "")
        self._trouble.set_text(fault)
        self._trouble_fix.set_text(fix)
        self._trouble_card.setVisible(bool(fault))
        self.outcome.show_version(module, version)
        self.charts.show_module(module, version)
        if module is not None and version is not None:
            if module.key not in self._wanted:
                self._chosen[module.key] = version.name  # the version in view stays chosen
            self.changes.show_version(module, version)

    # ---- the menu of a version

    def _more(self, module: ModuleViewModel, version: VersionViewModel) -> list[Command]:
        do, name = self.orders, version.name
        promoted = any(version.promoted for version in module.versions)
        removable = name not in (RULES, SHIPPED) and not version.drives and not version.live
        several = len(module.versions) > 1
        return [
            Command(name=f"Evaluate {name} on the twin", run=lambda: do.evaluate("twin")),
            Command(name=f"Evaluate {name} on the screen", run=lambda: do.evaluate("screen")),
            Command(name="Measure delay and noise", run=do.measure),
            Command(name=f"Analyse {name}", run=do.analyse, possible=lambda: version.learned),
            Command(name="Check", run=self.changes.run_check, keys="Ctrl+Enter"),
            Command(name=f"Compare {name} with…", run=do.compare, keys="Ctrl+D", possible=lambda: several),
            Command(name="Roll back the driving version", run=do.roll_back, possible=lambda: promoted),
            Command(name=f"Open the folder of {name}", run=do.open_folder, possible=version.folder.is_dir),
            Command(name=f"Delete {name}…", run=do.ask_to_delete, possible=lambda: removable),
        ]

    def _fill_menu(self) -> None:
        self._menu.clear()
        if self.module is not None and self.version is not None:
            for command in self._more(self.module, self.version):
                self._menu.addAction(command.name, command.run).setEnabled(command.possible())

    # ---- closing

    def _trainings_of_ours(self) -> list[Started]:
        """List running trainings that this console began or steered."""
        ours: list[Started] = []
        for key, version in sorted(self.orders.started):
            module = self.contents.module(key) if self.contents is not None else None
            model = module.version(version) if module is not None else None
            if model is not None and model.live:
                ours.append((key, version))
        return ours

    def _close_as(self, going: ClosingChoice, go_on: Callable[[], object]) -> None:
        self._may_close = True

        def stays() -> None:
            self._may_close = False

        if going == "on":
            go_on()
        else:
            self.orders.steer_all(self._trainings_of_ours(), going, go_on, stays)


def _preferred(modules: Sequence[ModuleViewModel]) -> ModuleViewModel:
    """Return the module that is being trained, else the first."""
    return next((module for module in modules if module.training is not None), modules[0])


def _offered(button: Button) -> bool:
    return button.isVisible() and button.isEnabled()
