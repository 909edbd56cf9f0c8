"""The suite as a form: its common keys as ticks and numbers, each writing one key of the YAML."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Signal
from PySide6.QtWidgets import QCheckBox

from pitwall.console.kit.elements import Button, SectionTitle, column, holder
from pitwall.console.kit.form.fields import declared_field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import GAP, PAD
from pitwall_bench.console.editor.agents import PROTOCOLS, AgentCards
from pitwall_bench.console.editor.task_tree import Games, TaskTree
from pitwall_bench.suites.spec import Limits, SuiteSpec
from pitwall_bench.suites.yaml_edit import parse_seeds, seeds_text, with_key
from pitwall_bench.suites.yaml_text import keys_of


class SuiteForm(ScrollPane):
    """Reads the text, and writes it.

    Signals: changed(text): the operator changed something; `text` is the whole new text.

    Attributes:
        keep_frames: whether to keep pictures of the steps; no key of the suite.
    """

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__("The suite as a form")
        self._text = ""
        self._games: Games = {}
        self.name = Form([declared_field(SuiteSpec, "name", label="Name", name="Name of the suite")])
        self.tree = TaskTree()
        self.agents = AgentCards()
        self.plays = Form(
            [
                declared_field(
                    SuiteSpec,
                    "seeds",
                    label="Seeds",
                    default=[1],
                    hint="1, 2, 3 or 1 … 20",
                    read=_read_seeds,
                    write=seeds_text,
                ),
                declared_field(SuiteSpec, "repeats", label="Repeats", name="Repeats: waves"),
                declared_field(
                    SuiteSpec, "parallel", label="Side by side", name="Sessions side by side", joins=True
                ),
                declared_field(SuiteSpec, "protocol", label="Protocol", options=PROTOCOLS[1:]),
            ]
        )
        self.limits = _limits_form()
        self.keep_frames = QCheckBox("Keep pictures of the steps")
        self.keep_frames.setChecked(True)
        self.keep_frames.setToolTip("So that a run can be looked at step by step afterwards")
        self._build()
        self.name.edited.connect(lambda _: self._set("name", self.name.value("name") or "suite"))
        self.tree.ticked.connect(self._ticked)
        self.agents.changed.connect(lambda agents: self._set("agents", agents))
        self.plays.edited.connect(self._play_edited)
        self.limits.edited.connect(lambda _: self._limits_edited())

    def _build(self) -> None:
        add = Button("Add agent", self.agents.add, kind="link", name="Add an agent")
        lines = column(
            self.name,
            SectionTitle("Games and tasks"),
            self.tree,
            SectionTitle("Agents", "", add),
            self.agents,
            SectionTitle("How often"),
            self.plays,
            SectionTitle("Limits of a run", "beside the task's own"),
            self.limits,
            self.keep_frames,
            None,
            margins=(GAP, GAP, PAD, GAP),
        )
        self._inside = holder(lines)
        self.setWidget(self._inside)

    def minimumSizeHint(self) -> QSize:
        """Return a size in which no field is cut off at the right (see QWidget.minimumSizeHint)."""
        width = self._inside.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(width, super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for more room where a field inside has grown (see QObject.eventFilter)."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    # ---- what it shows

    def show_games(self, games: Games) -> None:
        """Show the games and tasks that can be ticked."""
        if games != self._games:
            self._games = games
            self.show_text(self._text)

    def show_text(self, text: str) -> None:
        """Show the text's values; an unreadable text leaves the form unchanged and disabled."""
        self._text = text
        keys = keys_of(text)
        self._inside.setEnabled(keys is not None)
        if keys is None:
            return
        plays = {
            "seeds": keys.get("seeds"),
            "repeats": _whole(keys.get("repeats"), 1),
            "parallel": _whole(keys.get("parallel"), 1),
            "protocol": str(keys.get("protocol", "real-time")),
        }
        limits = keys.get("limits") if isinstance(keys.get("limits"), dict) else {}
        self.name.show_values({"name": str(keys.get("name", ""))}, keep_focused=True)
        self.plays.show_values(plays, keep_focused=True)
        self.limits.show_values({key: _whole((limits or {}).get(key), 0) for key in self.limits.fields})
        self.tree.show_tasks(self._games, keys.get("games"))
        agents = keys.get("agents")
        self.agents.show_agents(
            [table for table in agents if isinstance(table, dict)] if isinstance(agents, list) else []
        )

    # ---- writing

    def _ticked(self) -> None:
        self._set("games", self.tree.suite_games((keys_of(self._text) or {}).get("games")))

    def _play_edited(self, key: str) -> None:
        if key not in self.plays.faults:
            self._set(key, self.plays.value(key))

    def _limits_edited(self) -> None:
        declared = (keys_of(self._text) or {}).get("limits")
        limits = {**(declared if isinstance(declared, dict) else {}), **self.limits.values}
        kept = {key: value for key, value in limits.items() if value or key not in self.limits.fields}
        self._set("limits", kept or None)

    def _set(self, key: str, value: Any) -> None:
        self._text = with_key(self._text, key, value)
        self.changed.emit(self._text)


def _limits_form() -> Form:
    """Return the fields of the limits; 0 leaves a limit to the task."""
    own: dict[str, Any] = {"least": 0, "special": "own", "default": 0, "decimals": 0}
    return Form(
        [
            declared_field(Limits, "steps", label="Steps", name="Most steps of a run", most=100_000, **own),
            declared_field(
                Limits,
                "seconds",
                label="Play",
                name="Most seconds of play of a run",
                most=86_400,
                unit="s",
                joins=True,
                **own,
            ),
            declared_field(Limits, "calls", label="Calls", name="Most model calls of a run", most=1e6, **own),
            declared_field(
                Limits,
                "tokens",
                label="Tokens",
                name="Most tokens of models in a run",
                most=1e9,
                joins=True,
                **own,
            ),
        ]
    )


def _whole(value: Any, otherwise: int) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


def _read_seeds(text: str) -> list[int] | dict[str, int]:
    seeds = parse_seeds(text)
    if seeds is None:
        raise ValueError("Numbers with commas, or first … last.")
    return seeds
