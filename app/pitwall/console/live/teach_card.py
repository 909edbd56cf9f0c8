"""Teaching on one card: record, train, play beside the agent, give it control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import ShareBar
from pitwall.console.kit.elements import (
    Button,
    Card,
    Chip,
    KeyValue,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.places import LEARNING_PAGE, brought
from pitwall.console.kit.theme import STEP, Look
from pitwall.console.live.teach_training import TaughtVersion, TeachTraining
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.beside import Beside
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase
from pitwall.core import rail
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_share, counted, duration_text
from pitwall.core.telemetry import Fault, TeachNote
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.store.components import missing_components

_MOST_LINES = 12
_OTHER = "Other keys"
_INVITES = (
    "Play it yourself for some minutes: what you see and press is recorded, to learn from. "
    "Nothing is sent to the game; only its window is kept, and only while it has the focus."
)
_TRAINS = "teach.train"
"""The command that trains, where a package brings it."""
_NO_LAB = "Learning from play needs Pitwall's lab (pitwall_lab), which is not part of this installation."
_RECORDS = "recordings"
"""The component that records."""
_STEPS = ("Record", "Train", "Play beside it", "Give it control")


@dataclass(frozen=True, slots=True)
class _Shown:
    """Counts of the recordings of a game, of the corrections among them, and their length in seconds."""

    recordings: int = 0
    corrections: int = 0
    seconds: float = 0.0


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


class _StepChips(Flow):
    """The four steps in a row: done ones, the present one, later ones."""

    def __init__(self) -> None:
        super().__init__(STEP)
        self._chips = [Chip(name) for name in _STEPS]
        for chip in self._chips:
            self.flow.addWidget(chip)

    def show_step(self, present: int) -> None:
        """Show which step is the present one, from 0 on."""
        for number, (chip, name) in enumerate(zip(self._chips, _STEPS, strict=True)):
            sign = "✓" if number < present else "▶" if number == present else f"{number + 1} ·"
            chip.set_text(f"{sign} {name}")
            chip.set_tone("ok" if number < present else "human" if number == present else "neutral")


class TeachCard(QWidget):
    """Leads from recording to an agent that plays; each step offers the next.

    Args:
        beside: begins the runs beside the agent. show_page: brings a page into view by its key.
    """

    def __init__(
        self, bridge: Bridge, look: Look, beside: Beside, show_page: Callable[[str], object]
    ) -> None:
        super().__init__()
        self._bridge, self._look, self._beside = bridge, look, beside
        self._worker = BackgroundWorker("recordings", self)
        self._kept = _Shown()
        self._wanted: TaughtVersion | None = None
        self._game_id = ""
        self._title, self._steps = SectionTitle("Teach"), _StepChips()
        self._text = Label("", wrap=True)
        self._lines: dict[str, _ActionLine] = {}
        self._counts = column(gap=STEP)
        self._note = Label("", "note", wrap=True)
        self.training = TeachTraining(bridge.data, look)
        self.training.changed.connect(self._job_changed)
        self._teach = Button("Teach", self._record, name="Teach: record how you play")
        self._stop = Button("Stop recording", bridge.stop)
        self._train = PrimaryButton("Train now", self._begin_training)
        self._play = PrimaryButton("Play beside it", self._play_beside)
        self._keep = Button("Let it drive always", self._let_drive)
        self._lab = Button("Open the GSM lab", partial(show_page, LEARNING_PAGE), kind="link")
        self._buttons = Flow(STEP)
        for button in (self._stop, self._train, self._play, self._keep, self._teach, self._lab):
            self._buttons.flow.addWidget(button)
        self._card = Card(
            self._steps,
            self._text,
            self._counts,
            self._note,
            self.training,
            self._buttons,
            gap=STEP + 2,
        )
        self.setLayout(column(self._title, self._card))
        self.refresh(Part.ALL)

    def close_reading(self) -> None:
        """Read no more and end the training; before the data folder goes away."""
        self.training.close_reading()
        self._worker.close()

    def use_subject(self) -> None:
        """Drop what was shown of the former game."""
        game_id = self._bridge.state.subject.game_id
        if game_id != self._game_id:
            self._game_id, self._kept, self._wanted = game_id, _Shown(), None
            if not self.training.running:
                self.training.forget()

    def refresh(self, changed: Part) -> None:
        if not changed & (Part.PHASE | Part.BUDGETS | Part.GAME):
            return
        game_id = self._game_id
        if changed & (Part.PHASE | Part.GAME) and game_id and self._bridge.state.phase is Phase.READY:
            count = partial(_shown, self._bridge.data, game_id)
            self._worker.ask(count, partial(self._counted, game_id), self._tell)
        self._begin_beside()
        self._show()

    # ---- steps

    def _record(self) -> None:
        if missing_components([_RECORDS]):
            self.training.install(_RECORDS)
        else:
            self._bridge.teach()

    def _begin_training(self) -> None:
        self.training.train(self._game_id)

    def _play_beside(self) -> None:
        """Let the taught version drive this game, and begin once the engine has loaded it."""
        self._wanted = made = self.training.made
        if made is not None:
            self._beside.choose(made.module, made.version)
            self._begin_beside()

    def _begin_beside(self) -> None:
        if (
            self._wanted is not None
            and self._bridge.state.phase is Phase.READY
            and self._drives(self._wanted)
        ):
            self._wanted = None
            self._beside.begin()

    def _let_drive(self) -> None:
        made = self.training.made
        if made is not None:
            named = f"{made.game_id}/{made.module}"
            why = ["--why", f"It was taught on the Live page and given control. {made.result}"]
            insisting = ["--force"] if self.training.refused else []
            arguments = ["gsm", "promote", named, made.version, *why, *insisting]
            self.training.run(arguments, f"Promoting {made.version}")

    def _drives(self, made: TaughtVersion) -> bool:
        module = self._bridge.state.modules.get(made.module)
        return module is not None and module.version == made.version

    def _job_changed(self) -> None:
        self.refresh(Part.PHASE)

    def _counted(self, game_id: str, kept: _Shown) -> None:
        if game_id == self._game_id:
            self._kept = kept
            self._show()

    def _tell(self, error: PitwallError) -> None:
        self._bridge.report(Fault.of(error))

    # ---- what is shown

    def _show(self) -> None:
        state, training = self._bridge.state, self.training
        note, ready = state.taught, state.phase is Phase.READY
        beside = self._beside.playing and state.phase in RUNNING | HALTED
        recording = note is not None and not note.complete and state.phase in RUNNING | HALTED
        made = training.made
        plays = made is not None and self._drives(made) and not (ready or recording or beside)
        self.setVisible(recording or ready or beside or training.running or plays)
        shown = self._kept.recordings > 0
        self._beside.taught = training.running or made is not None
        self._steps.show_step(self._present(recording=recording, beside=beside, plays=plays))
        self._card.set_tone("human" if recording else "neutral")
        self._text.show_text(self._words(recording=recording, plays=plays))
        self._show_counts(note if recording else None)
        self._title.set_note(_clock(note.seconds) if recording and note is not None else "")
        self._note.show_text(_kept_words(note) if note is not None and not beside else "")
        training.setVisible(not recording and not beside)
        idle = ready and not training.running
        trains = _TRAINS in rail.contributions(rail.COMMANDS)
        self._offer(
            {
                self._stop: recording,
                self._train: idle and shown and trains and made is None,
                self._play: idle and made is not None,
                self._keep: self._may_keep(plays=plays),
                self._teach: idle,
                self._lab: not recording
                and not beside
                and (training.running or made is not None)
                and brought(LEARNING_PAGE),
            }
        )
        self._teach.setText("Record more" if shown else "Teach")
        self._keep.setText("Let it drive anyway" if training.refused else "Let it drive always")

    def _offer(self, offered: dict[Button, bool]) -> None:
        """Show the offered buttons; focus that a hidden button had goes to the first of them."""
        focused = self.window().focusWidget()
        for button, shown in offered.items():
            if shown:
                button.show()
        for button, shown in offered.items():
            if not shown:
                if button is focused and (others := [b for b, offer in offered.items() if offer]):
                    others[0].setFocus()  # otherwise focus and scroll position would move to the next widget
                button.hide()

    def _present(self, *, recording: bool, beside: bool, plays: bool) -> int:
        """Return the number of the present step, from 0; 4: all are done."""
        if recording:
            return 0
        if self.training.trains:
            return 1
        if beside:
            return 3
        if self.training.made is not None:
            return 4 if plays or self._beside.granted else 2
        return 1 if self._kept.recordings else 0

    def _may_keep(self, *, plays: bool) -> bool:
        """Return whether the taught version plays, or was given control, and is not promoted yet."""
        made, training = self.training.made, self.training
        offered = made is not None and (plays or (self._drives(made) and self._beside.granted))
        return offered and not training.running and not training.promoted and not self._beside.playing

    def _words(self, *, recording: bool, plays: bool) -> str:
        made, kept = self.training.made, self._kept
        if recording:
            return "You play, and it is recorded."
        if plays and made is not None:
            until = "from now on" if self.training.promoted else "as long as this game is open"
            return f"{made.module} {made.version} plays as you taught it, {until}."
        if self.training.running or made is not None:
            return ""
        if not kept.recordings:
            return _INVITES
        corrected = f", {counted(kept.corrections, 'correction')} among them" if kept.corrections else ""
        length = f"{counted(kept.recordings, 'recording')} of this game{corrected}"
        length = f"{length}, {duration_text(kept.seconds)}."
        return length if _TRAINS in rail.contributions(rail.COMMANDS) else f"{length} {_NO_LAB}"

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


def _shown(data: DataFolder, game_id: str) -> _Shown:
    """Count what was recorded of a game."""
    kept = [item.manifest for item in DemonstrationFolder(data).all() if item.manifest is not None]
    own = [manifest for manifest in kept if manifest.game == game_id]
    corrections = sum(manifest.kind == "correction" for manifest in own)
    return _Shown(len(own), corrections, sum(manifest.kept_seconds for manifest in own))


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def _kept_words(note: TeachNote) -> str:
    """Describe what was kept so far and what was left out."""
    parts = [
        counted(note.episodes, "episode"),
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
