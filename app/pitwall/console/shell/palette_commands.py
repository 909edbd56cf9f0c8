"""What the palette offers beside the commands that pages declare: every button and tab that is in view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from PySide6.QtWidgets import QAbstractButton, QPushButton, QTabBar, QToolButton, QWidget

from pitwall.console.kit.command import Command, offered


def buttons_in_view(part: QWidget) -> Iterator[QAbstractButton]:
    """Buttons that can be seen, have a name, and do something when they are clicked."""
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
        if name and name not in taken:
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
