"""Shows a candidate of a retrieval: parts of its score, support by the graph, hints in the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from pitwall.console.kit.controls import LineButton, ShareBar
from pitwall.console.kit.elements import (
    WHOLE,
    Label,
    SectionTitle,
    clear_layout,
    column,
    holder,
    plain_tip,
    row,
)
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, WIDE, Look, mono_font
from pitwall.core.quantities import counted
from pitwall.core.retrieval import Candidate, Fragment, GraphSupport, MemoryWeights, Retrieval
from pitwall.memory.value_format import quoted
from pitwall_memory_editor.console.why.format import exact, meaning, score
from pitwall_memory_editor.console.why.rows import CandidateRow
from pitwall_memory_editor.console.why.score_bar import PART_COLOURS

_TERMS = (
    ("jaccard", "Shared words J"),
    ("cosine", "Word counts C"),
    ("reward", "Reward R"),
    ("success", "Success P"),
)
_MOST_NODES = 8
_COMPACT = 820


class CandidateDetail(ScrollPane):
    """Shows a candidate in three columns side by side; one below the other if the panel is narrow.

    Signals:
        node_wanted(node_id): show this state of the graph.
    """

    node_wanted = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__("Why the chosen candidate has its rank")
        self._row: CandidateRow | None = None
        self._nodes: Mapping[int, str] = {}
        self._retrieval: Retrieval | None = None
        self.score = ScoreTable(look)
        self.graph = GraphList()
        self.hints = HintList()
        self.graph.node_wanted.connect(self.node_wanted)
        self.hints.node_wanted.connect(self.node_wanted)
        self._places = row(gap=2 * WIDE, margins=(WIDE, PAD, WIDE, PAD))
        for widget, share in ((self.score, 5), (self.graph, 5), (self.hints, 4)):
            self._places.addWidget(widget, share, Qt.AlignmentFlag.AlignTop)
        self.setWidget(holder(self._places))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < _COMPACT
        direction = QHBoxLayout.Direction.TopToBottom if narrow else QHBoxLayout.Direction.LeftToRight
        self._places.setDirection(direction)
        self._places.setSpacing(WIDE if narrow else 2 * WIDE)

    def show_row(self, row: CandidateRow | None, retrieval: Retrieval | None) -> None:
        """Show a candidate of a retrieval, or that no candidate is chosen."""
        self._row, self._retrieval = row, retrieval
        self._show()

    def show_nodes(self, nodes: Mapping[int, str]) -> None:
        """Show the texts of the graph's states, by entry."""
        self._nodes = nodes
        self._show()

    def _show(self) -> None:
        weights = self._retrieval.weights if self._retrieval is not None else MemoryWeights()
        self.score.show_candidate(self._row.candidate if self._row is not None else None, weights)
        self.graph.show_support(self._row, self._retrieval, self._nodes)
        self.hints.show_hints(self._retrieval)


class ScoreTable(QWidget):
    """Shows each figure, its weight, and its contribution.

    Args:
        compact: leaves out whose score it is, and what each figure adds.
    """

    def __init__(self, look: Look, *, compact: bool = False) -> None:
        super().__init__()
        self._title = SectionTitle("Parts of the score")
        self._lines = {name: _Line(look, title, name) for name, title in _TERMS}
        self._recency = _Line(look, "Recency", "")
        self._state = Label("", "note")
        self._bank = Label("", "strong")
        self._sum = Label("", "dim", wrap=True)
        self._grid = QWidget()
        grid = QGridLayout(self._grid)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(STEP + 1)
        grid.setColumnStretch(2, 1)
        for at, line in enumerate((*self._lines.values(), self._recency)):
            line.place(grid, at, compact=compact)
        self.setLayout(column(self._title, self._state, self._grid, self._bank, self._sum, gap=STEP + 2))
        if compact:
            grid.setHorizontalSpacing(GAP)
            self._title.hide()
            self._state.hide()

    def show_candidate(self, candidate: Candidate | None, weights: MemoryWeights) -> None:
        """Show how the candidate came by its score; None: nothing is chosen."""
        self._grid.setVisible(candidate is not None)
        if candidate is None:
            self._title.set_note("")
            self._state.set_text("There is no candidate with a score.")
            self._bank.set_text("")
            self._sum.set_text("")
            return
        for name, line in self._lines.items():
            weight, value = getattr(weights, name), getattr(candidate, name)
            line.show_value(value, f"× {weight:g}", f"+ {weight * value:.3f}", meaning(name, weights))
        self._title.set_note(f"action {candidate.entry_id} · {candidate.action}")
        self._state.set_text(f"written in: {candidate.state}")
        self._recency.show_value(
            candidate.recency, "factor", f"× {candidate.recency:.3f}", meaning("recency", weights)
        )
        self._bank.set_text(f"S_MB {candidate.bank:.3f}, semantic part {candidate.semantic:.3f}")
        self._bank.setToolTip(f"{meaning('bank', weights)}\n{meaning('semantic', weights)}")
        self._sum.set_text(
            f"S = {weights.fuse_bank:g} × Ŝ_MB {candidate.bank_norm:.2f} + {weights.fuse_graph:g} × "
            f"Ŝ_KG {candidate.graph_norm:.2f} = {candidate.fused:.3f}"
        )
        self._sum.setToolTip(
            "\n".join(meaning(name, weights) for name in ("fused", "bank_norm", "graph_norm"))
        )


class _Line:
    """Name, weight, bar, value and contribution of a figure."""

    def __init__(self, look: Look, title: str, part: str) -> None:
        self._title = Label(title, least=WHOLE)
        self._weight = Label("", "note")
        colour, alpha = PART_COLOURS[part] if part else ("faint", 255)
        self._bar = ShareBar(look, colour, alpha=alpha, height=7)
        self._value = Label("")
        self._adds = Label("", "dim")
        for label, widest in ((self._weight, "× 0.55"), (self._value, "0.00"), (self._adds, "+ 0.000")):
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance(widest) + 4)

    def place(self, grid: QGridLayout, at: int, *, compact: bool) -> None:
        widgets = (self._title, self._weight, self._bar, self._value, self._adds)
        for place, widget in enumerate(widgets[:-1] if compact else widgets):
            grid.addWidget(widget, at, place, Qt.AlignmentFlag.AlignVCenter)

    def show_value(self, value: float, weight: str, adds: str, tip: str) -> None:
        self._weight.set_text(weight)
        self._bar.show_share(value)
        self._value.set_text(score(value))
        self._adds.set_text(adds)
        for widget in (self._title, self._weight, self._bar, self._value, self._adds):
            widget.setToolTip(f"{exact(value)}\n{tip}")
        self._value.setAccessibleName(f"{self._title.full_text()} {score(value)}, {weight}, {adds}")


class GraphList(QWidget):
    """States of SA-KG that speak for the candidate's action, then those that speak for another.

    Signals:
        node_wanted(node_id).
    """

    node_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._title = SectionTitle("Support by the graph")
        self._lines = column(gap=STEP)
        self.setLayout(column(self._title, self._lines))

    def show_support(
        self, row: CandidateRow | None, retrieval: Retrieval | None, nodes: Mapping[int, str]
    ) -> None:
        """Show the states that the graph gave, those for the chosen candidate first."""
        clear_layout(self._lines)
        self._title.set_note("")
        if retrieval is None:
            return
        if not retrieval.embedder:
            self._say("The graph was not asked: it is switched off, or no embedder was ready.")
            return
        if not retrieval.graph:
            self._say(f"No state is as near as {retrieval.weights.graph_least:g}.")
            return
        action = row.candidate.action if row is not None else ""
        mine = [node for node in retrieval.graph if node.action == action and node.edge_id is not None]
        rest = [node for node in retrieval.graph if node not in mine]
        self._title.set_note(
            f"{len(mine)} for it, {len(rest)} for another" if rest else f"{len(mine)} for it"
        )
        if action and not mine:
            self._say(f"No state speaks for {action}: Ŝ_KG is 0.")
        self._add(mine, nodes, retrieval.weights, own=True)
        self._add(rest, nodes, retrieval.weights, own=False)

    def _add(
        self, support: Sequence[GraphSupport], nodes: Mapping[int, str], weights: MemoryWeights, *, own: bool
    ) -> None:
        for node in sorted(support, key=lambda node: -node.score)[:_MOST_NODES]:
            self._lines.addWidget(self._line(node, nodes.get(node.node_id, ""), weights, own=own))

    def _line(self, node: GraphSupport, text: str, weights: MemoryWeights, *, own: bool) -> QWidget:
        name = text or f"state {node.node_id}"
        state = LineButton(
            name,
            lambda: self.node_wanted.emit(node.node_id),
            name=f"Show in the graph: {name}",
            tip=plain_tip(name),
        )
        words = f"likeness {score(node.v)} · success {score(node.rho)} · score {score(node.score)}"
        figures = Label(words, "note", least=WHOLE)
        figures.setToolTip("\n".join(meaning(figure, weights) for figure in ("v", "rho", "graph")))
        deed = node.action or "nothing was done from here"
        action = Label(f"→ {deed}", "" if own else "dim")
        return holder(column(row(state, figures, gap=PAD, stretch=0), action, gap=0))

    def _say(self, text: str) -> None:
        self._lines.addWidget(Label(text, "dim", wrap=True))


_REACTIVE, _STRATEGIC, _BOTH = "In reactive prompts:", "In strategic prompts:", "In every prompt:"
_PROMPTS = {
    "own": (_REACTIVE, _STRATEGIC),
    "swapped": (_STRATEGIC, _REACTIVE),
    "both": (_BOTH, _BOTH),
    "shared": (_BOTH, ""),
}
"""Titles of the hints and of the graph's fragments, by `memory.controllers`: the prompts that held them."""


class HintList(QWidget):
    """The hints and the graph's fragments as they stood in the prompts.

    Signals:
        node_wanted(node_id).
    """

    node_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._title = SectionTitle("In the prompt")
        self._text = Label("", "", wrap=True)
        self._text.setFont(mono_font(SMALL_PX))
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._note = Label("", "dim", wrap=True)
        self._fragments = column(gap=STEP)
        self.setLayout(column(self._title, self._text, self._note, self._fragments, gap=GAP))

    def show_hints(self, retrieval: Retrieval | None) -> None:
        """Show the hints and fragments that the controllers received; a fragment leads to its state."""
        hints = retrieval.hints if retrieval is not None else ()
        self._title.set_note(counted(len(hints), "hint") if hints else "no hint")
        of_hints, of_fragments = _PROMPTS[retrieval.controllers if retrieval is not None else "shared"]
        lines = [of_hints, *(f"- {quoted(hint)}" for hint in hints)] if hints else []
        self._text.show_text("\n".join(lines))
        self._note.show_text(_hint_note(retrieval))
        clear_layout(self._fragments)
        fragments = retrieval.fragments if retrieval is not None and of_fragments else ()
        if fragments:
            self._fragments.addWidget(Label(of_fragments, "dim"))
        for fragment in fragments:
            self._fragments.addWidget(self._fragment(fragment))

    def _fragment(self, fragment: Fragment) -> QWidget:
        name = f"state {fragment.node_id}"
        link = LineButton(
            name,
            lambda: self.node_wanted.emit(fragment.node_id),
            name=f"Show in the graph: {name}",
            tip=plain_tip(fragment.text),
        )
        return holder(column(link, Label(fragment.text, "note", wrap=True), gap=0))


def _hint_note(retrieval: Retrieval | None) -> str:
    if retrieval is None:
        return ""
    if retrieval.acted:
        return f"{retrieval.acted} was taken as remembered: no model was asked, so no prompt was written."
    if not retrieval.hints:
        return "Nothing of the memory's action bank stood in the prompts of this step."
    return ""
