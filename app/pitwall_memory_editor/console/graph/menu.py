"""The context menu of an entry of the graph."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QMenu, QWidget

from pitwall_memory_editor.console.graph.scene import NONE, Scene


class MenuTarget(Protocol):
    """The view's signals that the menu emits, and the scene that it reads."""

    scene: Scene
    held: frozenset[int]
    expand_wanted: SignalInstance
    centre_wanted: SignalInstance
    edit_wanted: SignalInstance
    pin_wanted: SignalInstance
    forget_wanted: SignalInstance
    let_go: SignalInstance


def entry_menu(view: MenuTarget, entry_id: int) -> QMenu:
    """Return the menu of an entry in the graph; its actions emit the view's signals."""
    assert isinstance(view, QWidget)
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    number = view.scene.number_of(entry_id)
    if number != NONE and view.scene.more[number]:
        count = int(view.scene.more[number])
        menu.addAction(f"Show {count:,} more beside it\tE", lambda: view.expand_wanted.emit(entry_id))
    if number != NONE:
        menu.addAction("Look around from here\tC", lambda: view.centre_wanted.emit(entry_id))
    menu.addAction("Open in the table\tEnter", lambda: view.edit_wanted.emit(entry_id))
    menu.addSeparator()
    pinned = view.scene.graph.entries[entry_id].pinned
    words = "Unpin: the agent may change it" if pinned else "Pin: the agent never changes it"
    menu.addAction(words, lambda: view.pin_wanted.emit(entry_id, not pinned))
    menu.addAction("Forget", lambda: view.forget_wanted.emit(entry_id))
    if entry_id in view.held:
        menu.addSeparator()
        menu.addAction("Let its place go", lambda: view.let_go.emit(entry_id))
    return menu
