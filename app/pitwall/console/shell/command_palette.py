"""Ctrl+P: everything that can be done, found by typing; and ?: every key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)

from pitwall.console.inspector.panel import INSPECT_KEYS, KEYS
from pitwall.console.kit.command import Command, offered
from pitwall.console.kit.elements import Button, KeyCap, Label, SectionTitle, column, key_words, row
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.places import NEW_GAME, Place
from pitwall.console.kit.theme import GAP, PAD, WIDE
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.palette_search import PaletteSearch
from pitwall.console.shell.top_bar import STOP_KEYS
from pitwall.console.state.start_command import start_command
from pitwall.console.state.view_state import HALTED, IN_VIEW, RUNNING, Phase
from pitwall.core.input_settings import HotkeySettings

_WIDTH = 480
_KEYS_BEHIND = re.compile(r" \([^()]*\)$")
"""The keys that a button's name tells."""
_AROUND_PX, _LEAST_PX = 96, 320
"""What the help leaves of its window's height, and how low it may be."""


class CommandPalette(QDialog):
    """A list of commands with a filter; Enter does the marked one.

    Args:
        commands: what can be done now.
        search: finds settings, runs and memory entries by the typed words; None: commands alone.
    """

    def __init__(
        self, parent: QWidget, commands: Sequence[Command], search: PaletteSearch | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Commands")
        self.resize(_WIDTH, 380)
        self._commands = [command for command in commands if command.possible()]
        self._filter = QLineEdit()
        self._filter.setPlaceholderText("Type to find a command, a setting, a run or a memory entry")
        self._filter.setAccessibleName("Find a command, a setting, a run or a memory entry")
        self._filter.textChanged.connect(self._show)
        self._filter.installEventFilter(self)
        self._list = QListWidget()
        self._list.setAccessibleName("Commands")
        self._list.itemActivated.connect(lambda *_: self._do())
        self._list.itemClicked.connect(lambda *_: self._do())
        self._none = Label("Nothing fits. Fewer or other words may find it.", "note", wrap=True)
        self.setLayout(column(self._filter, self._none, self._list, margins=PAD))
        self._search = search
        if search is not None:
            search.answered.connect(self._add_matches)
        self._show("")
        self._filter.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                step = 1 if key == Qt.Key.Key_Down else -1
                rows = max(1, self._list.count())
                self._list.setCurrentRow((self._list.currentRow() + step) % rows)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._do()
                return True
        return super().eventFilter(watched, event)

    def _show(self, text: str) -> None:
        words = text.lower().split()
        self._list.clear()
        for command in self._commands:
            if all(word in spoken(command.name).lower() for word in words):
                self._add(command)
        self._list.setCurrentRow(0)
        self._none.setVisible(not self._list.count())
        if self._search is not None:
            self._search.ask(text)

    def _add_matches(self, words: str, commands: Sequence[Command]) -> None:
        if words != self._filter.text():
            return  # typed on since: the answer to other words
        for command in commands:
            self._add(command)
        if self._list.currentRow() < 0:
            self._list.setCurrentRow(0)
        self._none.setVisible(not self._list.count())

    def _add(self, command: Command) -> None:
        self._list.addItem(self._item(command))
        if command.keys:
            self._list.setItemWidget(self._list.item(self._list.count() - 1), _keys_at_right(command.keys))

    def _item(self, command: Command) -> QListWidgetItem:
        item = QListWidgetItem(command.name)
        item.setData(Qt.ItemDataRole.UserRole, command)
        item.setData(
            Qt.ItemDataRole.AccessibleTextRole,
            f"{command.name}, {command.keys}" if command.keys else command.name,
        )
        item.setSizeHint(QSize(_WIDTH - 4 * PAD, 30))
        return item

    def _do(self) -> None:
        item = self._list.currentItem()
        if item is not None:
            command: Command = item.data(Qt.ItemDataRole.UserRole)
            self.accept()
            command.run()


def _keys_at_right(keys: str) -> QWidget:
    cell = QWidget()
    cell.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    cell.setLayout(row(None, KeyCap(keys), margins=(0, 0, GAP, 0)))
    return cell


class HelpDialog(QDialog):
    """Every key, by where it works.

    Args:
        sections: title and its (keys, what they do) lines.
        more: names and commands of the buttons at the lower left.
    """

    def __init__(
        self,
        parent: QWidget,
        sections: Sequence[tuple[str, Sequence[tuple[str, str]]]],
        more: Sequence[tuple[str, Callable[[], object]]] = (),
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keys")
        keys_of_all = column(gap=PAD)
        keys_of_all.setContentsMargins(0, 0, PAD, 0)
        for title, lines in sections:
            keys_of_all.addWidget(SectionTitle(title))
            grid = QGridLayout()
            grid.setHorizontalSpacing(WIDE)
            grid.setVerticalSpacing(GAP)
            grid.setColumnStretch(1, 1)
            for at, (keys, words) in enumerate(lines):
                grid.addWidget(KeyCap(keys), at, 0, Qt.AlignmentFlag.AlignLeft)
                grid.addWidget(Label(words, wrap=True), at, 1)
            grid.setColumnMinimumWidth(0, 110)
            keys_of_all.addLayout(grid)
        inside = QWidget()
        inside.setLayout(keys_of_all)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        area.setAccessibleName("Keys")
        others = [Button(name, partial(self._leave_for, command), kind="quiet") for name, command in more]
        buttons = row(*others, None, Button("Close", self.accept))
        self.setLayout(column(area, buttons, gap=PAD, margins=(WIDE, WIDE, GAP, WIDE)))
        self.setMinimumWidth(_WIDTH)
        wanted = inside.sizeHint().height() + _AROUND_PX
        self.resize(_WIDTH, min(wanted, max(_LEAST_PX, parent.window().height() - _AROUND_PX)))

    def _leave_for(self, command: Callable[[], object]) -> None:
        self.accept()
        command()


def buttons_in_view(part: QWidget) -> Iterator[QAbstractButton]:
    """Yield the buttons that can be seen, have a name, and do something when they are clicked."""
    for button in part.findChildren(QAbstractButton):
        if not isinstance(button, QPushButton | QToolButton) or not button.isVisible():
            continue
        if isinstance(button.parent(), QTabBar) or not (button.accessibleName() or button.text()):
            continue
        yield button


def commands_in_view(parts: Iterable[QWidget], known: Iterable[Command]) -> list[Command]:
    """Return a command for each visible button, menu line and tab that has no command of its own."""
    taken = {_plain(command.name) for command in known}
    commands: list[Command] = []
    for command in _all(parts):
        name = _plain(command.name)
        if name and not {name, _KEYS_BEHIND.sub("", name)} & taken:
            taken.add(name)
            commands.append(command)
    return commands


def show_keys(part: QWidget, commands: Iterable[Command]) -> None:
    """Tell in the tooltip of each button which key does the same."""
    keys = {_plain(command.name): command.keys for command in commands if command.keys}
    for button in part.findChildren(QAbstractButton):
        chord = keys.get(_plain(_name(button)))
        if chord and chord not in button.toolTip():
            button.setToolTip(f"{button.toolTip() or _name(button)} ({chord})")


def _all(parts: Iterable[QWidget]) -> Iterator[Command]:
    for part in parts:
        for button in buttons_in_view(part):
            menu = button.menu() if isinstance(button, QPushButton | QToolButton) else None
            if menu is None:
                yield _called(offered(button), _name(button))
                continue
            for action in menu.actions():
                if action.text() and not action.isSeparator():
                    name = f"{_name(button)}: {action.text()}"
                    yield Command(name=name, run=action.trigger, possible=action.isEnabled)
        for bar in part.findChildren(QTabBar):
            if bar.isVisible():
                for at in range(bar.count()):
                    if bar.isTabVisible(at) and bar.tabText(at):
                        yield Command(name=f"Tab {bar.tabText(at)}", run=partial(bar.setCurrentIndex, at))


def _called(command: Command, name: str) -> Command:
    return Command(name=name, run=command.run, keys=command.keys, possible=command.possible)


def _name(button: QAbstractButton) -> str:
    return button.accessibleName() or button.text()


def _plain(name: str) -> str:
    return name.replace("&", "").strip(" …").casefold()


_IN_THE_WINDOW = (
    (STOP_KEYS, "Stop the run"),
    ("Ctrl+1", "First page; Ctrl+2, Ctrl+3 … the next ones"),
    (INSPECT_KEYS, "Inspect the decision: what models were asked, and what they answered"),
    ("Ctrl+P", "Find a command"),
    ("Ctrl+,", "Settings"),
    ("F11", "Full screen"),
    ("F1", "The manual, at the page in view"),
    ("?", "These keys"),
    ("Ctrl+Q", "Close the console; the run ends and keys come up"),
)


def key_sections(
    hotkeys: HotkeySettings, places: Iterable[Place]
) -> list[tuple[str, Sequence[tuple[str, str]]]]:
    """Return titles with keys and what each of them does, those of the pages last."""
    anywhere = (
        (hotkeys.stop, "Emergency stop, whatever else is held"),
        (hotkeys.pause, "Pause or resume the agent, and the game where it can be held"),
        (hotkeys.start, "Start, or resume"),
        (hotkeys.overlay, "Show or hide the overlay on the game"),
        (hotkeys.clip, "Keep the last 30 s of the run as a clip"),
    )
    return [
        ("Anywhere, also in the game", anywhere),
        ("In this window", _IN_THE_WINDOW),
        ("In the decision inspector", KEYS),
        *((place.keys_title, place.keys) for place in places if place.keys),
    ]


def _phase(bridge: Bridge, *wanted: Phase) -> Callable[[], bool]:
    return lambda: bridge.state.phase in wanted


def _starts(bridge: Bridge, name: str) -> bool:
    return start_command(bridge.state) == (name, True)


def run_commands(bridge: Bridge) -> list[Command]:
    """Return the commands over the agent, its run and its game."""
    hotkeys = bridge.settings.hotkeys
    start = key_words(hotkeys.start)
    phase = partial(_phase, bridge)
    return [
        *(
            Command(name=name, run=bridge.start, keys=start, possible=partial(_starts, bridge, name))
            for name in ("Start", "Resume", "Open again")
        ),
        Command(name="Pause", run=bridge.pause, keys=key_words(hotkeys.pause), possible=phase(*RUNNING)),
        Command(
            name="Keep the last 30 s as a clip",
            run=bridge.keep_last,
            keys=key_words(hotkeys.clip),
            possible=phase(*RUNNING, *HALTED),
        ),
        Command(name="Stop the run", run=bridge.stop, keys=STOP_KEYS, possible=phase(*RUNNING, *HALTED)),
        Command(
            name="Emergency stop",
            run=bridge.emergency_stop,
            keys=key_words(hotkeys.stop),
            possible=lambda: bridge.connected,
        ),
        Command(name="Close the game", run=bridge.close_game, possible=phase(*IN_VIEW, Phase.FAILED)),
        Command(name="Restart the engine", run=bridge.restart, possible=phase(Phase.LOST, Phase.FAILED)),
    ]


def navigation_commands(
    bridge: Bridge,
    choose_window: Callable[[], None] | None,
    places: Sequence[Place],
    show_page: Callable[[str], None],
) -> list[Command]:
    """Return the commands that choose a window, play a game and go to a page.

    Args:
        choose_window: opens the window picker; None where there is none.
        places: of the pages, in the order of the rail. show_page: brings one into view by its key.
    """
    commands: list[Command] = []
    if choose_window is not None:
        possible = _phase(bridge, *IN_VIEW, Phase.FAILED)
        commands.append(Command(name="Choose the game's window…", run=choose_window, possible=possible))
    commands += [
        Command(name=spoken("Play {}").format(entry.name), run=partial(bridge.open_game, entry.game_id))
        for entry in bridge.games()
        if entry.playable and bridge.state.phase not in RUNNING
    ]
    commands += [
        Command(name=f"Go to {place.title}", run=partial(show_page, place.key), keys=f"Ctrl+{n}")
        for n, place in enumerate(places, 1)
        if place.in_rail
    ]
    if NEW_GAME in places:
        commands.append(Command(name="Add a game…", run=partial(show_page, NEW_GAME.key)))
    return commands
