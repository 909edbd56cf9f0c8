"""The GSM lab: game sense modules and their versions, how they train, and what is changed in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.elements import Button, Card, EmptyState, Label, column, row
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.page import LIVE_PAGE, Page
from pitwall.console.kit.panes import Pane, Panes, stacked
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.lab.changes.controller import ChangeController
from pitwall.console.lab.charts.panel import LabCharts
from pitwall.console.lab.commands import LabCommands
from pitwall.console.lab.format import trouble
from pitwall.console.lab.head import LabHead, promotable
from pitwall.console.lab.questions import ClosingQuestion
from pitwall.console.lab.versions.column import VersionsColumn
from pitwall.console.lab.view_model import (
    LabContents,
    ModuleKey,
    ModuleRepository,
    ModuleViewModel,
    VersionViewModel,
)
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part
from pitwall.core.errors import PitwallError
from pitwall.gsm.versions import RULES, SHIPPED

KEYS = (
    ("Ctrl+T", "New training"),
    ("Ctrl+Enter", "Check the reward function or the rules"),
    ("Ctrl+D", "Compare the version with the one it was made from"),
    ("Esc", "Leave the code editor"),
)
"""Keys of this page, for the window's help."""
_LIVE_MS, _QUIET_MS = 700, 2_500
_LEFT, _RIGHT = 268, 324
_LEFT_LEAST, _RIGHT_LEAST, _MIDDLE_LEAST = 216, 270, 360


class LabPage(Page):
    """Modules of every known game; works with no game open."""

    key = "lab"
    title = "GSM lab"
    icon = "mdi6.chart-bell-curve-cumulative"

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._shelf = ModuleRepository(bridge.data)
        self._aside = BackgroundWorker("lab", self)
        self.read_now: LabContents | None = None
        self._key: ModuleKey | None = None
        self._chosen: dict[ModuleKey, str] = {}
        self._wanted: set[ModuleKey] = set()
        """Modules whose chosen version is not read yet."""
        self._reading, self._again_wanted, self._renew = False, False, True
        self._in_view = False
        self._may_close = False
        self.head = LabHead()
        self.left = VersionsColumn(look)
        self.charts = LabCharts(look)
        self.changing = ChangeController(bridge.data, look, self)
        self.doing = LabCommands(bridge, look, self.changing, self._aside, self)
        self.notifications = NotificationBar()
        self._build()
        self._connect()
        self._again = QTimer(self, interval=_QUIET_MS)
        self._again.timeout.connect(self.read)

    # ---- what the window asks

    def opened(self) -> None:
        self._in_view = True
        self._renew = True
        self._again.start()
        self.read()

    def closed(self) -> None:
        self._in_view = False
        self._again.stop()
        self.changing.keep()

    def refresh(self, changed: Part) -> None:
        if changed & Part.PHASE and self._in_view:
            self.read()

    def commands(self) -> Sequence[Command]:
        module, version, do = self.module, self.version, self.doing
        if module is None or version is None:
            return ()
        name, training = version.name, module.training

        def when(holds: bool) -> Callable[[], bool]:
            return lambda: holds

        able, _ = promotable(version)
        head = self.head
        return [
            Command(name="New training…", run=do.train, keys="Ctrl+T", possible=when(module.learns)),
            Command(name="Improve…", run=do.improve, possible=when(training is None)),
            Command(name="Pause the training", run=lambda: do.rein("pause"), possible=_offers(head.pause)),
            Command(name="Resume the training", run=do.resume, possible=_offers(head.resume)),
            Command(name="Stop the training", run=lambda: do.rein("stop"), possible=_offers(head.stop)),
            Command(name=f"Promote {name}", run=do.promote, possible=when(able)),
            *self._more(version),
            *(
                Command(name=f"Show module {one.title}", run=partial(self.choose_module, one.key))
                for one in (self.read_now.modules if self.read_now is not None else ())
            ),
        ]

    def ready_to_close(self, go_on: Callable[[], object]) -> bool:
        """Ask whether trainings of this console go on, before the window closes."""
        if self._may_close:
            return True
        self.changing.keep()
        running = self._trainings_of_ours()
        ending = [work.title for work in self.doing.works.running]
        drafts = len(self.changing.touched)
        if not running and not ending and not drafts:
            return True
        names = [f"{key} {version}" for key, version in running]
        question = ClosingQuestion(names, ending, drafts, self)
        question.answered.connect(lambda going: self._close_as(going, go_on))
        question.open()
        return False

    def close_reading(self) -> None:
        """Read no more and end what runs aside; before the data folder goes away."""
        self._again.stop()
        self.changing.close()
        self.doing.close()
        self.charts.close_reading()
        self._aside.close()

    # ---- what is in view

    @property
    def module(self) -> ModuleViewModel | None:
        """The chosen module, as it was read last."""
        return self.read_now.module(self._key) if self.read_now is not None else None

    @property
    def version(self) -> VersionViewModel | None:
        """The chosen version of it."""
        module = self.module
        if module is None:
            return None
        return module.version(self._chosen.get(module.key, "")) or module.version(module.first_choice())

    def choose_module(self, key: ModuleKey) -> None:
        """Show a module."""
        if key != self._key:
            self.changing.keep()
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
        """Read every module anew, aside; once more where one reading is on its way."""
        if self._reading:
            self._again_wanted = True
            return
        self._reading = True
        key, renew, open_game = self._key, self._renew, self.bridge.state.game_asked
        self._renew = False

        def work() -> tuple[ModuleKey | None, LabContents]:
            read = self._shelf.read(key, open_game=open_game, renew=renew)
            if read.module(key) is None and read.modules:  # the first time: choose one, and read it whole
                chosen = next((one for one in read.modules if one.training is not None), read.modules[0])
                return chosen.key, self._shelf.read(chosen.key, open_game=open_game)
            return key, read

        self._aside.ask(work, self._take, self._not_read)

    # ---- parts

    def _build(self) -> None:
        icon = QLabel()

        def paint_icon() -> None:
            icon.setPixmap(self.look.icon(self.icon, "faint").pixmap(40, 40))

        paint_icon()
        self.look.changed.connect(paint_icon)
        self._loading = EmptyState("Reading the modules …", "")
        self._empty = EmptyState(
            "No game here has a game sense module",
            "A module acts at frame rate while the planner thinks. A game's folder declares it under "
            "[[modules]]: rules, or what a policy learns from.",
            Button("Show the games", lambda: self.page_wanted.emit(LIVE_PAGE)),
            icon=icon,
        )
        self._error = EmptyState("", "", Button("Try again", self._try_again))
        self._trouble = Label("", wrap=True)
        self._trouble_fix = Label("", "dim", wrap=True)
        words = QWidget()
        words.setLayout(column(self._trouble, self._trouble_fix, gap=0))
        self._trouble_card = Card(tone="stop")
        line = row(words, Button("Resume", self.doing.resume, name="Resume the training that broke off"))
        line.setStretch(0, 1)
        self._trouble_card.body.addLayout(line)
        self._middle = QWidget()
        middle = column(self._trouble_card, self.charts, gap=GAP)
        middle.setStretch(1, 1)
        self._middle.setLayout(middle)
        self._trouble_card.setContentsMargins(PAD, 0, PAD, 0)
        self.left.setMinimumWidth(_LEFT_LEAST)
        self.changing.side.setMinimumWidth(_RIGHT_LEAST)
        self._middle.setMinimumWidth(_MIDDLE_LEAST)
        self._room = Panes(
            Pane("Modules", self.left, width=_LEFT),
            Pane("Training", self._middle),
            Pane("Change", self.changing.side, width=_RIGHT),
            front=self._middle,
        )
        self._stack = stacked(self._loading, self._empty, self._error, self._room)
        layout = column(self.head, self._stack, self.doing.works, self.notifications, gap=0)
        layout.setStretch(1, 1)
        self.setLayout(layout)

    def _connect(self) -> None:
        do, head = self.doing, self.head
        self.left.module_chosen.connect(self.choose_module)
        self.left.version_chosen.connect(self.choose_version)
        self.left.menu_wanted.connect(self._show_menu)
        head.train_wanted.connect(do.train)
        head.improve_wanted.connect(do.improve)
        head.pause_wanted.connect(lambda: do.rein("pause"))
        head.stop_wanted.connect(lambda: do.rein("stop"))
        head.resume_wanted.connect(do.resume)
        head.promote_wanted.connect(do.promote)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        head.more.setMenu(self._menu)
        self.charts.train_wanted.connect(do.train)
        self.charts.evaluate_wanted.connect(lambda: do.evaluate("twin"))
        self.charts.analyse_wanted.connect(do.analyse)
        do.analysed.connect(self.charts.show_analysis)
        do.notified.connect(self.notifications.notify)
        do.queue.busy.connect(self.notifications.show_busy)
        do.changed.connect(self.read)
        do.chosen.connect(self.choose_version)
        self.notifications.undo_wanted.connect(do.roll_back)
        self.changing.failed.connect(
            lambda error: self.notifications.notify(Notification(error_sentence(error), done=False))
        )
        bind_keys(self, ("Ctrl+T", do.train), ("Ctrl+D", do.compare))

    # ---- what was read

    def _take(self, found: tuple[ModuleKey | None, LabContents]) -> None:
        key, read = found
        self._reading = False
        self.read_now = read
        for module in read.modules:
            if module.version(self._chosen.get(module.key, "")) is not None:
                self._wanted.discard(module.key)
        if self._key is None or read.module(self._key) is None:
            self._key = key
        self._show()
        live = self.module is not None and self.module.training is not None
        self._again.setInterval(_LIVE_MS if live else _QUIET_MS)
        if self._again_wanted or self._key != key:
            self._again_wanted = False
            self.read()

    def _not_read(self, error: PitwallError) -> None:
        self._reading = False
        self._error.say(error_sentence(error), error.fix)
        self._stack.setCurrentWidget(self._error)

    def _try_again(self) -> None:
        self._renew = True
        self._stack.setCurrentWidget(self._loading)
        self.read()

    def _show(self) -> None:
        read = self.read_now
        if read is None:
            return
        module, version = self.module, self.version
        if module is not None and version is not None and module.key not in self._wanted:
            self._chosen[module.key] = version.name  # what is in view stays, whatever happens to others
        self._stack.setCurrentWidget(self._room if read.modules else self._empty)
        self.doing.use(module, version)
        self.head.show_module(module, version)
        self.left.show_read(read, module, version)
        self._show_trouble(version)
        self.charts.show_module(module, version)
        if module is not None and version is not None:
            self.changing.show_version(module, version)

    def _show_trouble(self, version: VersionViewModel | None) -> None:
        what, fix = trouble(version) if version is not None else ("", "")
        self._trouble.set_text(what)
        self._trouble_fix.set_text(fix)
        self._trouble_card.setVisible(bool(what))

    # ---- the menu of a version

    def _more(self, version: VersionViewModel) -> list[Command]:
        do, name = self.doing, version.name
        made = name not in (RULES, SHIPPED)
        learned = version.learned
        module = self.module
        several = module is not None and len(module.versions) > 1
        promoted = module is not None and any(one.promoted for one in module.versions)
        return [
            Command(name=f"Evaluate {name} on the twin", run=lambda: do.evaluate("twin")),
            Command(name=f"Evaluate {name} on the screen", run=lambda: do.evaluate("screen")),
            Command(name="Measure delay and noise", run=do.measure),
            Command(name=f"Analyse {name}", run=do.analyse, possible=lambda: learned),
            Command(name="Check", run=self.changing.run_check, keys="Ctrl+Enter"),
            Command(name=f"Compare {name} with…", run=do.compare, keys="Ctrl+D", possible=lambda: several),
            Command(name="Roll back what drives", run=do.roll_back, possible=lambda: promoted),
            Command(name=f"Open the folder of {name}", run=do.open_folder, possible=version.folder.is_dir),
            Command(
                name=f"Delete {name}…",
                run=do.ask_to_delete,
                possible=lambda: made and not version.drives and not version.live,
            ),
        ]

    def _fill_menu(self) -> None:
        self._menu.clear()
        version = self.version
        if version is None:
            return
        for deed in self._more(version):
            action = self._menu.addAction(deed.name, deed.run)
            action.setEnabled(deed.possible())

    def _show_menu(self, at: QPoint) -> None:
        self._menu.popup(at)

    # ---- closing

    def _trainings_of_ours(self) -> list[tuple[ModuleKey, str]]:
        """Trainings that this console began or steered, and that run now."""
        ours: list[tuple[ModuleKey, str]] = []
        for key, version in sorted(self.doing.started):
            module = self.read_now.module(key) if self.read_now is not None else None
            found = module.version(version) if module is not None else None
            if found is not None and found.live:
                ours.append((key, version))
        return ours

    def _close_as(self, going: str, go_on: Callable[[], object]) -> None:
        self._may_close = True
        if going == "on":
            go_on()
            return

        def stays() -> None:
            self._may_close = False

        wish: Literal["pause", "stop"] = "pause" if going == "pause" else "stop"
        self.doing.rein_all(self._trainings_of_ours(), wish, go_on, stays)


def _offers(button: Button) -> Callable[[], bool]:
    return lambda: button.isVisible() and button.isEnabled()
