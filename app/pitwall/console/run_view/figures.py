"""Shows all figures of one run (SPEC §10), and the settings and versions it was played with."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from pitwall.console.kit.elements import (
    Card,
    Label,
    SectionTitle,
    clear_layout,
    column,
    facts_card,
    holder,
    row,
)
from pitwall.console.kit.panes import scrolled
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.console.run_view.format import (
    escalations,
    invalid_rate,
    score_words,
    stuck,
    tier_lines,
    versions,
)
from pitwall.core import quantities
from pitwall.core.quantities import NONE, count_share, counted, duration_text, tally
from pitwall.core.runs import RunSummary, Spread
from pitwall.store.run_log import RunRow

Line = tuple[str, str]
_NAME_PX = 120
"""Pixels that the name of a time keeps beside its figures, if it needs them."""


def headline(run: RunRow) -> tuple[Line, ...]:
    """Return the figures above the steps table."""
    summary = run.summary
    refused = sum(summary.refusals.values())
    return (
        ("Score", score_words(run.score)[0]),
        ("Length", duration_text(summary.seconds)),
        ("Steps", f"{summary.steps:,}"),
        ("Escalations", count_share(escalations(summary), summary.steps)),
        ("Reaction p50", quantities.figure(summary.reaction_ms.p50, "ms")),
        ("Reaction p95", quantities.figure(summary.reaction_ms.p95, "ms")),
        ("Refused", counted(refused, "event")),
    )


class RunFigures(QWidget):
    """Cards of figures in two columns."""

    def __init__(self) -> None:
        super().__init__()
        self._columns = (column(gap=GAP), column(gap=GAP))
        inside = row(*self._columns, gap=WIDE, margins=(WIDE, PAD, WIDE, WIDE))
        for at in range(len(self._columns)):
            inside.setStretch(at, 1)
        self.setLayout(column(scrolled(holder(inside), "Figures of the run"), gap=0))

    def show_run(self, run: RunRow) -> None:
        """Show the figures of a run."""
        groups = _groups(run)
        for at, side in enumerate(self._columns):
            clear_layout(side)
            for title, lines in groups[at::2]:
                side.addWidget(SectionTitle(title))
                side.addWidget(facts_card(lines))
            if at == 0:
                side.addWidget(SectionTitle("Times", "median · tail, ms"))
                side.addWidget(_times(run.summary))
            side.addStretch(1)


def _times(summary: RunSummary) -> Card:
    card = Card()
    grid = QGridLayout()
    grid.setHorizontalSpacing(PAD)
    grid.setVerticalSpacing(STEP)
    right = Qt.AlignmentFlag.AlignRight
    for at, title in enumerate(("", "p50", "p95", "p99", "measured")):
        grid.addWidget(Label(title, "note"), 0, at, right if at else Qt.AlignmentFlag.AlignLeft)
    rows: tuple[tuple[str, Spread], ...] = (
        ("Reaction", summary.reaction_ms),
        ("Loop", summary.loop_ms),
        ("Frame age", summary.frame_age_ms),
        ("Step", summary.step_ms),
    )
    for line, (name, figure) in enumerate(rows, 1):
        grid.addWidget(Label(name, "dim", least=_NAME_PX), line, 0)
        for at, number in enumerate((figure.p50, figure.p95, figure.p99), 1):
            grid.addWidget(Label(quantities.figure(number, "ms")), line, at, right)
        grid.addWidget(Label(counted(figure.n, "time"), "dim"), line, 4, right)
    grid.setColumnStretch(0, 1)
    card.body.addLayout(grid)
    return card


def _groups(run: RunRow) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    summary, manifest = run.summary, run.manifest
    stuck_rate, recovery_rate = stuck(summary)
    width, height = manifest.screen
    score, source = score_words(run.score)
    return (
        (
            "Play",
            (
                ("Score", f"{score}, {source}" if run.score is not None else source),
                ("Length", duration_text(summary.seconds)),
                ("Steps", f"{summary.steps:,}"),
                ("Frames seen", f"{summary.frames:,}"),
                ("Frames dropped", count_share(summary.dropped_frames, summary.frames)),
                ("Events sent", f"{summary.events_sent:,}"),
                ("Takeovers", counted(summary.takeovers, "time")),
            ),
        ),
        (
            "Decisions",
            (
                ("Escalations", count_share(escalations(summary), summary.steps)),
                ("By reason", tally(summary.escalations)),
                ("Routes", tally(summary.routes)),
                ("Decided by", tally(summary.deciders)),
                ("Strategic calls", f"{summary.strategic_calls:,}"),
                ("Invalid actions", invalid_rate(summary)),
                ("Effects", tally(summary.effects)),
            ),
        ),
        (
            "Trouble",
            (
                ("Refused events", tally(summary.refusals)),
                ("Stuck", stuck_rate),
                ("Recovered", recovery_rate),
            ),
        ),
        ("Models", tier_lines(summary)),
        (
            "Played with",
            (
                ("Game", f"{manifest.game_name} {manifest.game_version}"),
                ("Profile", manifest.profile_hash[:12]),
                ("Role", manifest.role or NONE),
                ("Planner", manifest.planner),
                ("Seed", str(manifest.seed) if manifest.seed is not None else "none"),
                ("Screen", f"{width}×{height} px"),
                ("Versions", versions(manifest)),
                ("Started", manifest.started_at[:19].replace("T", " ") + " UTC"),
            ),
        ),
    )
