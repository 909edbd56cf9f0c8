"""Games with their tasks as a tree of ticks."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from pitwall.console.kit.language.catalogue import spoken

_HEIGHT = 232
_ID = Qt.ItemDataRole.UserRole
Games = Mapping[str, tuple[str, Sequence[tuple[str, str, str]]]]
"""Game id → its name and its tasks, each with its id, its goal, and the simple players that solved it."""


class TaskTree(QTreeWidget):
    """The tree. Signals: ticked(): the operator changed the ticks."""

    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._games: Games = {}
        self.setHeaderHidden(True)
        self.setAccessibleName("Games and tasks")
        self.setFixedHeight(_HEIGHT)
        self.setIndentation(16)
        ticking = QTimer(self, singleShot=True, interval=0)  # a game's tick changes its tasks' too
        ticking.timeout.connect(self.ticked)
        self.itemChanged.connect(lambda *_: ticking.start())

    def show_tasks(self, games: Games, wanted: Any) -> None:
        """Show the games, with the tasks ticked that a suite's text names."""
        ticked = _wanted_tasks(wanted, games)
        with QSignalBlocker(self):
            if games is not self._games or ticked != self._ticked_tasks():
                self._games = games
                self._fill(ticked)
            self._count_tasks()

    def renew_texts(self) -> None:
        """Write the tasks again, in the language in use."""
        with QSignalBlocker(self):
            self._fill(self._ticked_tasks())
            self._count_tasks()

    def suite_games(self, before: Any) -> list[dict[str, Any]] | None:
        """Return the ticks as a suite's text has them; None: nothing is ticked.

        Args:
            before: the text's value so far; games missing in the tree (a folder's path) are kept.
        """
        games: list[dict[str, Any]] = []
        for top in self._tops():
            tasks = _tasks(top)
            names = [task.data(0, _ID) for task in tasks if _is_ticked(task)]
            if names:
                every = len(names) == len(tasks)
                games.append({"game": top.data(0, _ID), "tasks": "all" if every else names})
        kept = before if isinstance(before, list) else []
        strange = [
            table
            for table in kept
            if isinstance(table, dict) and not fnmatch.filter(self._games, str(table.get("game")))
        ]
        return games + strange or None

    def _fill(self, ticked: Mapping[str, set[str]]) -> None:
        place = self.verticalScrollBar().value()
        opened = {item.data(0, _ID) for item in self._tops() if item.isExpanded()}
        self.clear()
        for game, (name, tasks) in self._games.items():
            chosen = ticked.get(game, set())
            top = QTreeWidgetItem([name])
            top.setData(0, _ID, game)
            top.setFlags(top.flags() | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsAutoTristate)
            for task, instruction, baseline in tasks:
                solved = f"baseline: {baseline}" if baseline else ""
                item = QTreeWidgetItem([f"{task}   {spoken(solved)}".rstrip()])
                item.setData(0, _ID, task)
                item.setToolTip(0, f"{instruction}\n{spoken(solved)}".rstrip())
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(0, Qt.CheckState.Checked if task in chosen else Qt.CheckState.Unchecked)
                top.addChild(item)
            self.addTopLevelItem(top)
            partly = bool(chosen) and len(chosen) < len(tasks)
            top.setExpanded(game in opened or (partly and not opened))
        self.verticalScrollBar().setValue(place)

    def _count_tasks(self) -> None:
        for top in self._tops():
            name, tasks = self._games[top.data(0, _ID)]
            ticked = sum(_is_ticked(item) for item in _tasks(top))
            count = f"{ticked} of {len(tasks)}" if tasks else "no tasks"
            top.setText(0, f"{name}   {spoken(count)}")

    def _ticked_tasks(self) -> dict[str, set[str]]:
        checked = {
            top.data(0, _ID): {task.data(0, _ID) for task in _tasks(top) if _is_ticked(task)}
            for top in self._tops()
        }
        return {game: names for game, names in checked.items() if names}

    def _tops(self) -> list[QTreeWidgetItem]:
        items = (self.topLevelItem(at) for at in range(self.topLevelItemCount()))
        return [item for item in items if item is not None]


def _is_ticked(item: QTreeWidgetItem) -> bool:
    return item.checkState(0) == Qt.CheckState.Checked


def _tasks(top: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    items = (top.child(at) for at in range(top.childCount()))
    return [item for item in items if item is not None]


def _wanted_tasks(tables: Any, games: Games) -> dict[str, set[str]]:
    """Return the tasks of each known game that a suite's text names."""
    wanted: dict[str, set[str]] = {}
    for table in tables if isinstance(tables, list) else ():
        named = table.get("game") if isinstance(table, dict) else None
        if not isinstance(named, str):
            continue
        tasks = table.get("tasks", "all")
        for game in fnmatch.filter(games, named):
            known = {task for task, *_ in games[game][1]}
            names = known if tasks == "all" else known & set(tasks) if isinstance(tasks, list) else set()
            wanted.setdefault(game, set()).update(names)
    return {game: names for game, names in wanted.items() if names}
