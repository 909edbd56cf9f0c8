"""Teaching: the button that begins it, and while a person plays what has been seen and what too little of."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import (
    Button,
    Card,
    KeyValue,
    Label,
    SectionTitle,
    ShareBar,
    clear_layout,
    column,
    row,
)
from pitwall.console.kit.theme import STEP, Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase
from pitwall.core.quantities import byte_share
from pitwall.core.telemetry import TeachNote

_MOST_LINES = 12
_OTHER = "Other keys"
_INVITES = (
    "Play it yourself for some minutes: what you see and press is recorded, to learn from. "
    "Nothing is sent to the game; only its window is kept, and only while it has the focus."
)


class _ActionLine(QWidget):
    """Shows how often an action was pressed, as a share of the count that is enough."""

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self._line, self._bar = KeyValue(name), ShareBar(look, "human")
        self.setLayout(column(self._line, self._bar, gap=STEP))

    def show_count(self, count: int, enough: int) -> None:
        """Show a count; `enough` is 0 where any number will do."""
        few = count < enough
        self._line.set_value(f"{count:,} of {enough:,} · too few" if few else f"{count:,}")
        self._bar.show_share(count / enough if enough else 0.0, "reflex" if few else "human")


class TeachCard(QWidget):
    """Invites to teach while nothing is played, and counts while a person does."""

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge, self._look = bridge, look
        self._title = SectionTitle("Teach")
        self._text = Label("", wrap=True)
        self._lines: dict[str, _ActionLine] = {}
        self._counts = column(gap=STEP)
        self._kept = Label("", "note", wrap=True)
        self._teach = Button("Teach", bridge.teach, name="Teach: record how you play")
        self._stop = Button("Stop recording", bridge.stop)
        buttons = row(self._teach, self._stop, None)
        self._card = Card(self._text, self._counts, self._kept, buttons, gap=STEP + 2)
        self.setLayout(column(self._title, self._card))
        self.refresh(Part.ALL)

    def refresh(self, changed: Part) -> None:
        if not changed & (Part.PHASE | Part.BUDGETS | Part.GAME):
            return
        state = self._bridge.state
        note = state.taught
        recording = note is not None and not note.complete and state.phase in RUNNING | HALTED
        ready = state.phase is Phase.READY
        self.setVisible(recording or ready)
        offered, other = (self._stop, self._teach) if recording else (self._teach, self._stop)
        offered.show()
        if (
            self.window().focusWidget() is other
        ):  # otherwise focus and scroll position would move to the next widget
            offered.setFocus()
        other.hide()
        self._card.set_tone("human" if recording else "neutral")
        self._text.set_text("You play, and it is recorded." if recording else _INVITES)
        self._text.setVisible(recording or note is None)
        self._show_counts(note if recording else None)
        self._title.set_note(_clock(note.seconds) if recording and note is not None else "")
        self._kept.set_text(_kept_words(note) if note is not None else "")
        self._kept.setVisible(note is not None)

    def _show_counts(self, note: TeachNote | None) -> None:
        """List the game's actions, or the keys of a game without any, most pressed first."""
        counts = {name or _OTHER: count for name, count in note.presses.items()} if note else {}
        if len(counts) > _MOST_LINES:
            shown = sorted(counts, key=lambda name: -counts[name])[:_MOST_LINES]
            counts = {name: counts[name] for name in shown}
        if list(counts) != list(self._lines):
            clear_layout(self._counts)
            self._lines = {name: _ActionLine(self._look, name) for name in counts}
            for line in self._lines.values():
                self._counts.addWidget(line)
        for name, count in counts.items():
            enough = note.enough if note is not None and name != _OTHER else 0
            self._lines[name].show_count(count, enough)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def _kept_words(note: TeachNote) -> str:
    """Describe what was kept so far and what was left out."""
    parts = [
        f"{note.episodes:,} {'episode' if note.episodes == 1 else 'episodes'}",
        f"{note.pictures:,} pictures",
        f"{byte_share(note.bytes, note.most_bytes)}",
    ]
    if note.typed:
        parts.append(f"typing left out ({note.typed:,} keys)")
    if note.left_out:
        parts.append(f"{note.left_out:,} pictures left out, too slow")
    if note.dropped:
        parts.append(f"✕ {note.dropped:,} events lost")
    counts = " · ".join(parts)
    if not note.complete:
        return counts
    return (
        f"Kept as {note.demonstration}: {_clock(note.seconds)} · {counts}"
        if note.pictures
        else "Nothing was seen."
    )
