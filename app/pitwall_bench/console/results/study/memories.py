"""The chain of memories that runs handed on, and the differences between any two of them."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Label, column, holder, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.panes import split
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import NONE
from pitwall.memory.reader import DiffRow
from pitwall_bench.suites.learning import ChainStep, Learning
from pitwall_bench.suites.memories import SuiteMemories
from pitwall_evaluation.console.memory_changes.diff_table import DiffTable, counts_of

_HASH = 8


def _result(step: ChainStep) -> str:
    if not step.played:
        return "not played"
    return f"won · {step.score:.0f}" if step.success else f"{step.score:.1f}"


def _skills(step: ChainStep) -> str:
    parts = [
        f"+{len(step.accepted):,}" if step.accepted else "",
        f"−{len(step.retired):,}" if step.retired else "",
    ]
    return " ".join(filter(None, parts)) or NONE


_COLUMNS: tuple[Column[ChainStep], ...] = (
    Column(
        "Carried run", lambda step: str(step.number), number=True, sort=lambda step: step.number, width=92
    ),
    Column(
        "Result",
        _result,
        sort=lambda step: (step.success, step.score),
        descends=True,
        tone=lambda step: "ok" if step.success else "text",
        width=100,
    ),
    Column("Memory before", lambda step: step.before[:_HASH], tone="dim", width=120, least_room=620),
    Column(
        "Memory after",
        lambda step: step.after[:_HASH],
        tone=lambda step: "dim" if step.after == step.before else "text",
        width=120,
        cell_tip=lambda step: step.after,
    ),
    Column(
        "Entries", lambda step: f"{step.entries:,}", number=True, sort=lambda step: step.entries, width=76
    ),
    Column(
        "Skills",
        _skills,
        sort=lambda step: len(step.accepted),
        descends=True,
        tip="Skills that the gate accepted (+) and retired (−) after the run",
        cell_tip=lambda step: "\n".join(
            [*(f"+ {name}" for name in step.accepted), *(f"− {name}" for name in step.retired)]
        ),
        width=90,
    ),
    Column("Gate", lambda step: step.verdict or NONE, stretch=1, tone="dim"),
)


class MemoriesView(QWidget):
    """Shows the chain as rows, and below them what differs between two memories.

    Choosing a row compares the memory before that run with the one after it.
    """

    def __init__(self, look: Look, aside: BackgroundWorker) -> None:
        super().__init__()
        self._aside = aside
        self._chain: Learning | None = None
        self._asked = 0
        self.steps = Table(
            look, TableModel(_COLUMNS, lambda step: step.number), "Carried runs and their memories"
        )
        self.steps.chosen.connect(self._compare_step)
        self.before, self.after = (
            Combo("Memory to compare", letters=26),
            Combo("Memory compared with it", letters=26),
        )
        for each in (self.before, self.after):
            each.chosen.connect(lambda _: self._compare())
        self._summary = Label("", "dim")
        self.diff = DiffTable(look)
        tools = row(
            Label("Compare", "dim"),
            self.before,
            Label("with", "dim"),
            self.after,
            self._summary,
            gap=GAP,
            stretch=4,
        )
        below = holder(column(tools, self.diff, gap=GAP, stretch=1))
        self.setLayout(
            column(split(self.steps, below, sizes=(200, 330), vertical=True), margins=(PAD, GAP, PAD, GAP))
        )

    def show_chain(self, chain: Learning) -> None:
        """Show a chain; the memories in view stay, else its first and last are compared."""
        known = self._chain is not None and self._chain.chain == chain.chain
        self._chain = chain
        self.steps.show_rows(chain.steps)
        options = [(key, _memory_words(number, key)) for key, number in chain.hashes.items()]
        keys = [key for key, _ in options]
        self.before.offer(options, self.before.current if known else keys[0])
        self.after.offer(options, self.after.current if known else keys[-1])
        self._compare()

    def compare(self, before: str, after: str) -> None:
        """Compare two memories of the chain by their hashes, as the operator does."""
        options = [(key, _memory_words(number, key)) for key, number in self._hashes.items()]
        self.before.offer(options, before)
        self.after.offer(options, after)
        self._compare()

    @property
    def summary(self) -> str:
        """Return the counts of what differs."""
        return self._summary.full_text()

    @property
    def _hashes(self) -> dict[str, int]:
        return self._chain.hashes if self._chain is not None else {}

    def _compare_step(self, step: ChainStep | None) -> None:
        if step is not None:
            self.compare(step.before, step.after)

    def _compare(self) -> None:
        chain, before, after = self._chain, self.before.current, self.after.current
        if chain is None or before is None or after is None:
            return
        self._asked += 1
        asked = self._asked
        self._summary.set_text("comparing …")

        def show(rows: list[DiffRow]) -> None:
            if asked == self._asked:
                self.diff.show_rows(rows)
                self._summary.set_text(counts_of(rows))

        def failed(error: PitwallError) -> None:
            if asked == self._asked:
                self.diff.show_rows([])
                self._summary.set_text(error_sentence(error))

        memories = SuiteMemories(chain.memory.parent)
        self._aside.ask(partial(_diff, memories, before, after), show, failed)


def _diff(memories: SuiteMemories, before: str, after: str) -> list[DiffRow]:
    return memories.diff(before, after) if before != after else []


def _memory_words(number: int, content_hash: str) -> str:
    when = f"after run {number:,}" if number else "as the first run began"
    return f"{when} · {content_hash[:_HASH]}"
