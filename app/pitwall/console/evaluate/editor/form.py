"""The suite as a form: the common things as ticks and numbers, each writing its one key of the YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from pitwall.console.evaluate.editor.agent_row import KINDS, PROTOCOLS, AgentRow, combo_of, take
from pitwall.console.kit.elements import (
    Button,
    Label,
    SectionTitle,
    clear_layout,
    column,
    row,
    set_property,
)
from pitwall.console.kit.theme import GAP, PAD, STEP
from pitwall.suites.yaml_edit import keys_of, seeds_said, seeds_text, with_key

_TREE_PX = 232
_ID = Qt.ItemDataRole.UserRole
Games = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]
"""Game id → its name and its tasks, each an id and what it asks for."""


class SuiteForm(QScrollArea):
    """Reads the text, and writes it.

    Signals: changed(text): the operator changed something; the whole text as it is then.

    Attributes:
        keep_frames: whether pictures of the steps are to be kept; no key of the suite.
    """

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("The suite as a form")
        self._text = ""
        self._games: Games = {}
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the suite")
        self.name.setMaxLength(60)
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Games and tasks")
        self.tree.setFixedHeight(_TREE_PX)
        self.tree.setIndentation(16)
        self._agents = column(gap=STEP)
        self.seeds = QLineEdit()
        self.seeds.setAccessibleName("Seeds")
        self.seeds.setPlaceholderText("1, 2, 3 or 1 … 20")
        self.repeats = _spin("Repeats: waves", 1, 1000)
        self.parallel = _spin("Sessions side by side", 1, 64)
        self.protocol = combo_of("Protocol", PROTOCOLS[1:])
        self.steps = _spin("Most steps of a run", 0, 100_000, "own")
        self.seconds = QDoubleSpinBox()
        self.seconds.setRange(0, 86_400)
        self.seconds.setDecimals(0)
        self.seconds.setSuffix(" s")
        self.seconds.setSpecialValueText("own")
        self.seconds.setMinimumWidth(64)
        self.seconds.setAccessibleName("Most seconds of play of a run")
        self.keep_frames = QCheckBox("Keep pictures of the steps")
        self.keep_frames.setChecked(True)
        self.keep_frames.setToolTip("So that a run can be looked at step by step afterwards")
        self._build()
        self._connect()

    # ---- what it shows

    def show_games(self, games: Games) -> None:
        """The games and tasks that can be ticked."""
        if games != self._games:
            self._games = games
            self.show_text(self._text)

    def show_text(self, text: str) -> None:
        """Show what the text says; a text that cannot be read leaves the form as it is, and out of use."""
        self._text = text
        said = keys_of(text)
        self._inside.setEnabled(said is not None)
        if said is None:
            return
        blocked = [QSignalBlocker(one) for one in self._inputs]
        if not self.name.hasFocus():
            self.name.setText(str(said.get("name", "")))
        if not self.seeds.hasFocus():
            self.seeds.setText(seeds_text(said.get("seeds")))
        self.repeats.setValue(_whole(said.get("repeats"), 1))
        self.parallel.setValue(_whole(said.get("parallel"), 1))
        take(self.protocol, str(said.get("protocol", "real-time")))
        limits = said.get("limits") if isinstance(said.get("limits"), dict) else {}
        self.steps.setValue(_whole((limits or {}).get("steps"), 0))
        self.seconds.setValue(float(_whole((limits or {}).get("seconds"), 0)))
        self._show_tree(said.get("games"))
        self._show_agents(said.get("agents"))
        for one in blocked:
            one.unblock()

    @property
    def agent_rows(self) -> list[AgentRow]:
        """The agents' rows."""
        found = [self._agents.itemAt(at) for at in range(self._agents.count())]
        return [
            widget for item in found if item is not None and isinstance(widget := item.widget(), AgentRow)
        ]

    # ---- parts

    @property
    def _inputs(self) -> Sequence[QWidget]:
        return (
            self.name,
            self.tree,
            self.seeds,
            self.repeats,
            self.parallel,
            self.protocol,
            self.steps,
            self.seconds,
        )

    def _build(self) -> None:
        add = Button("Add agent", self._add_agent, kind="link", name="Add an agent")
        self._inside = QWidget()
        layout = column(gap=GAP)
        layout.addWidget(_named("Name", self.name))
        layout.addWidget(SectionTitle("Games and tasks"))
        layout.addWidget(self.tree)
        layout.addWidget(SectionTitle("Agents", "", add))
        layout.addLayout(self._agents)
        layout.addWidget(SectionTitle("How often"))
        layout.addWidget(_named("Seeds", self.seeds))
        layout.addLayout(row(_named("Repeats", self.repeats), _named("Side by side", self.parallel), gap=PAD))
        layout.addWidget(_named("Protocol", self.protocol))
        layout.addWidget(SectionTitle("Limits of a run", "beside the task's own"))
        layout.addLayout(row(_named("Steps", self.steps), _named("Play", self.seconds), gap=PAD))
        layout.addWidget(self.keep_frames)
        layout.addStretch(1)
        layout.setContentsMargins(GAP, GAP, PAD, GAP)
        self._inside.setLayout(layout)
        self.setWidget(self._inside)

    def _connect(self) -> None:
        self.name.textEdited.connect(lambda text: self._set("name", text.strip() or "suite"))
        self.seeds.textEdited.connect(self._seeds_edited)
        self.repeats.valueChanged.connect(lambda value: self._set("repeats", value))
        self.parallel.valueChanged.connect(lambda value: self._set("parallel", value))
        self.protocol.currentIndexChanged.connect(
            lambda _: self._set("protocol", self.protocol.currentData())
        )
        self.steps.valueChanged.connect(lambda _: self._set_limits())
        self.seconds.valueChanged.connect(lambda _: self._set_limits())
        self._ticking = QTimer(self, singleShot=True, interval=0)  # a game's tick changes its tasks' too
        self._ticking.timeout.connect(lambda: self._set("games", self._ticked()))
        self.tree.itemChanged.connect(lambda *_: self._ticking.start())

    # ---- games

    def _show_tree(self, said: Any) -> None:
        wanted = _wanted_tasks(said, self._games)
        if self.tree.topLevelItemCount() and wanted == self._ticked_tasks():
            self._count_tasks()
            return
        place = self.tree.verticalScrollBar().value()
        opened = {item.data(0, _ID) for item in _tops(self.tree) if item.isExpanded()}
        self.tree.clear()
        for game, (name, tasks) in self._games.items():
            chosen = wanted.get(game, set())
            top = QTreeWidgetItem([name])
            top.setData(0, _ID, game)
            top.setFlags(top.flags() | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsAutoTristate)
            for task, instruction in tasks:
                item = QTreeWidgetItem([task])
                item.setData(0, _ID, task)
                item.setToolTip(0, instruction)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(0, Qt.CheckState.Checked if task in chosen else Qt.CheckState.Unchecked)
                top.addChild(item)
            self.tree.addTopLevelItem(top)
            partly = bool(chosen) and len(chosen) < len(tasks)
            top.setExpanded(game in opened or (partly and not opened))
        self._count_tasks()
        self.tree.verticalScrollBar().setValue(place)

    def _count_tasks(self) -> None:
        blocked = QSignalBlocker(self.tree)
        for top in _tops(self.tree):
            name, tasks = self._games[top.data(0, _ID)]
            ticked = sum(_is_ticked(item) for item in _inside(top))
            top.setText(0, f"{name}   {ticked} of {len(tasks)}" if tasks else f"{name}   no tasks")
        blocked.unblock()

    def _ticked_tasks(self) -> dict[str, set[str]]:
        """Ticked tasks of each game that has one."""
        found: dict[str, set[str]] = {}
        for top in _tops(self.tree):
            tasks = _inside(top)
            names = {task.data(0, _ID) for task in tasks if _is_ticked(task)}
            if names:
                found[top.data(0, _ID)] = names
        return found

    def _ticked(self) -> list[dict[str, Any]] | None:
        """What the tree says, games of the text that are not in it (a folder's path) kept."""
        found: list[dict[str, Any]] = []
        for top in _tops(self.tree):
            tasks = _inside(top)
            ticked = [task for task in tasks if _is_ticked(task)]
            if ticked:
                every = len(ticked) == len(tasks)
                names = "all" if every else [task.data(0, _ID) for task in ticked]
                found.append({"game": top.data(0, _ID), "tasks": names})
        said = keys_of(self._text) or {}
        kept = said.get("games") if isinstance(said.get("games"), list) else []
        strange = [one for one in kept or () if isinstance(one, dict) and one.get("game") not in self._games]
        return found + strange or None

    # ---- agents

    def _show_agents(self, said: Any) -> None:
        agents = [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []
        rows = self.agent_rows
        if [one.agent for one in rows] == agents:
            return
        if len(rows) == len(agents):
            for line, agent in zip(rows, agents, strict=True):
                line.show_agent(agent)
            return
        clear_layout(self._agents)
        for agent in agents:
            line = AgentRow(agent)
            line.changed.connect(self._agents_edited)
            line.removed.connect(lambda line=line: self._remove(line))
            self._agents.addWidget(line)

    def _agents_edited(self) -> None:
        self._set("agents", [one.agent for one in self.agent_rows])

    def _add_agent(self) -> None:
        agents = [one.agent for one in self.agent_rows]
        names = {str(one.get("name")) for one in agents}
        kind = next((kind for kind, _, _ in KINDS if kind not in names), "skills")
        name = kind if kind not in names else f"{kind}-{len(agents) + 1}"
        self._set("agents", [*agents, {"name": name, "kind": kind}])
        self.show_text(self._text)

    def _remove(self, line: AgentRow) -> None:
        self._set("agents", [one.agent for one in self.agent_rows if one is not line])
        self.show_text(self._text)

    # ---- writing

    def _seeds_edited(self, text: str) -> None:
        seeds = seeds_said(text)
        set_property(self.seeds, "fault", "no" if seeds is not None else "yes")
        self.seeds.setToolTip("" if seeds is not None else "Numbers with commas, or first … last")
        if seeds is not None:
            self._set("seeds", seeds)

    def _set_limits(self) -> None:
        said = keys_of(self._text) or {}
        limits = dict(said["limits"]) if isinstance(said.get("limits"), dict) else {}
        for key, value in (("steps", self.steps.value()), ("seconds", int(self.seconds.value()))):
            limits.pop(key, None)
            if value:
                limits[key] = value
        self._set("limits", limits or None)

    def _set(self, key: str, value: Any) -> None:
        self._text = with_key(self._text, key, value)
        self.changed.emit(self._text)


def _is_ticked(item: QTreeWidgetItem) -> bool:
    return item.checkState(0) == Qt.CheckState.Checked


def _tops(tree: QTreeWidget) -> list[QTreeWidgetItem]:
    found = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    return [item for item in found if item is not None]


def _inside(top: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = [top.child(at) for at in range(top.childCount())]
    return [item for item in found if item is not None]


def _wanted_tasks(said: Any, games: Games) -> dict[str, set[str]]:
    """Ticked tasks of each known game."""
    wanted: dict[str, set[str]] = {}
    for one in said if isinstance(said, list) else ():
        if not isinstance(one, dict) or one.get("game") not in games:
            continue
        tasks = one.get("tasks", "all")
        known = {task for task, _ in games[one["game"]][1]}
        names = known if tasks == "all" else known & set(tasks) if isinstance(tasks, list) else set()
        wanted.setdefault(one["game"], set()).update(names)
    return wanted


def _whole(value: Any, otherwise: int) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


def _spin(name: str, least: int, most: int, special: str = "") -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(least, most)
    spin.setAccessibleName(name)
    spin.setSpecialValueText(special)
    spin.setMinimumWidth(64)
    return spin


def _named(name: str, widget: QWidget) -> QWidget:
    label = Label(name, "dim")
    holder = QWidget()
    layout = row(label, widget, gap=GAP)
    layout.setStretch(1, 1)
    label.setMinimumWidth(label.sizeHint().width())
    holder.setLayout(layout)
    return holder
