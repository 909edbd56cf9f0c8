"""Gameplay clips of checkpoints: animated WebP files, decoded in a thread, shown with step and score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PIL import Image
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QImage, QShowEvent
from PySide6.QtWidgets import QComboBox, QSlider, QWidget

from pitwall.console.kit.command import bind_keys
from pitwall.console.kit.elements import Button, EmptyState, Label, column, holder, row
from pitwall.console.kit.panes import stacked
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import number
from pitwall_lab.training_log import Disagreement, Evaluated

Shown = Evaluated | Disagreement
_MOST_FRAMES = 1_200
_MOST_PIXELS = 120_000_000
"""Most pixels of all frames of a clip together, at four bytes each."""
_LEAST_MS = 20
_EMPTY = (
    "No clips yet",
    "Each evaluation on held-out seeds keeps its first seconds of play; watch them here.",
)


class BadClip(PitwallError):
    """A clip is missing or damaged."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip's frames, and the duration of each in milliseconds."""

    frames: Sequence[QImage]
    durations_ms: Sequence[int]


def read_clip(file: Path) -> Clip:
    """Decode an animated picture, as far as it is readable.

    Raises:
        BadClip: it is missing, not a picture, or too big.
    """
    frames: list[QImage] = []
    durations: list[int] = []
    try:
        with Image.open(file, formats=("WEBP", "GIF", "PNG")) as picture:
            count = getattr(picture, "n_frames", 1)
            if count > _MOST_FRAMES or count * picture.width * picture.height > _MOST_PIXELS:
                size = f"{count:,} frames of {picture.width}×{picture.height} pixels"
                raise BadClip(f"{file.name} is too big to be shown: {size}.")
            for at in range(count):
                picture.seek(at)
                pixels = picture.convert("RGBA").tobytes()
                width, height = picture.size
                image = QImage(pixels, width, height, 4 * width, QImage.Format.Format_RGBA8888)
                frames.append(image.convertToFormat(QImage.Format.Format_RGB32))
                durations.append(max(_LEAST_MS, round(float(picture.info.get("duration") or 0))))
    except FileNotFoundError:
        raise BadClip(f"{file.name} is gone.") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        if not frames:
            raise BadClip(f"{file.name} cannot be read: {error}.") from error
    return Clip(frames, durations)


class ClipsPanel(QWidget):
    """Plays one clip at a time; the newest is chosen until the operator chooses another.

    Keys on the picture: Space plays and pauses, ←/→ one frame.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._aside = BackgroundWorker("clips", self)
        self._shown: list[tuple[Path, Shown]] = []
        self._unit = ""
        self._wanted: Path | None = None
        self._clip = Clip((), ())
        self._at = 0
        self._playing = True
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._next)
        self.picture = StillImage(look, grows=True)
        self.picture.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        bind_keys(
            self.picture,
            ("Space", self.toggle),
            ("Left", partial(self.step, -1)),
            ("Right", partial(self.step, 1)),
        )
        self.which = QComboBox()
        self.which.setAccessibleName("Checkpoint")
        self.which.activated.connect(self._open)
        self._earlier = Button("‹", partial(self._beside, -1), name="Earlier checkpoint")
        self._later = Button("›", partial(self._beside, 1), name="Later checkpoint")
        self.play = Button("Pause", self.toggle, name="Pause the clip")
        self.play.setMinimumWidth(72)
        self._place = QSlider(Qt.Orientation.Horizontal)
        self._place.setAccessibleName("Place in the clip")
        self._place.sliderMoved.connect(self._seek)
        self._note = Label("", "dim")
        self.empty = EmptyState(*_EMPTY)
        page = column(
            row(self._earlier, self.which, self._later, self._note, None),
            self.picture,
            row(self.play, self._place, stretch=1),
            stretch=1,
        )
        self._stack = stacked(self.empty, holder(page))
        self.setLayout(column(self._stack))
        self.setAccessibleName("Gameplay clips of checkpoints")

    # ---- what it shows

    def show_version(
        self,
        folder: Path,
        evaluations: Sequence[Evaluated],
        unit: str = "",
        disagreements: Sequence[Disagreement] = (),
    ) -> None:
        """Offer the clips of a version's evaluations, or of a clone's disagreements with the person.

        Args:
            folder: the version's folder, which contains the clips. unit: of the trial's score.
        """
        candidates: list[Shown] = [*evaluations, *reversed(disagreements)]
        shown = [
            (folder / moment.clip, moment) for moment in candidates if moment.clip and _inside(moment.clip)
        ]
        if (shown, unit) == (self._shown, self._unit):
            return
        newest = not self._shown or self._wanted == self._shown[-1][0]
        self._shown, self._unit = shown, unit
        files = [file for file, _ in shown]
        self.which.clear()
        for _, moment in shown:
            self.which.addItem(_title(moment))
        self._stack.setCurrentIndex(1 if shown else 0)
        if not shown:
            self._stop()
        elif newest or self._wanted not in files:
            self._open(len(files) - 1)
        else:
            self._mark(files.index(self._wanted))

    def toggle(self) -> None:
        """Play or pause."""
        self._playing = not self._playing
        self.play.setText("Pause" if self._playing else "Play")
        self.play.setAccessibleName("Pause the clip" if self._playing else "Play the clip")
        self._run()

    def step(self, by: int) -> None:
        """Pause, and move some frames forward or back."""
        if self._playing:
            self.toggle()
        self._show((self._at + by) % max(1, len(self._clip.frames)))

    @property
    def frame(self) -> int:
        """Return the number of the frame in view, from 0."""
        return self._at

    @property
    def frames(self) -> int:
        """Return the number of frames in the clip; 0 until it is decoded."""
        return len(self._clip.frames)

    def close_reading(self) -> None:
        """Stop decoding."""
        self._timer.stop()
        self._aside.close()

    # ---- inside

    def _beside(self, by: int) -> None:
        at = self.which.currentIndex() + by
        if 0 <= at < len(self._shown):
            self._open(at)

    def _open(self, at: int) -> None:
        file, _ = self._shown[at]
        self._wanted = file
        self._mark(at)
        self._clip = Clip((), ())
        self.picture.show_image(QImage(), "", "Opening the clip …")
        self._aside.ask(partial(read_clip, file), partial(self._take, file), partial(self._failed, file))

    def _mark(self, at: int) -> None:
        self.which.setCurrentIndex(at)
        self._earlier.setEnabled(at > 0)
        self._later.setEnabled(at + 1 < len(self._shown))
        self._note.set_text(_note(self._shown[at][1], self._unit))

    def _take(self, file: Path, clip: Clip) -> None:
        if file == self._wanted:
            self._clip = clip
            self._place.setRange(0, max(0, len(clip.frames) - 1))
            self._show(0)
            self._run()

    def _failed(self, file: Path, error: PitwallError) -> None:
        if file == self._wanted:
            self.picture.show_image(QImage(), "", str(error))

    def _stop(self) -> None:
        self._wanted, self._clip = None, Clip((), ())
        self._timer.stop()

    def _run(self) -> None:
        if self._playing and len(self._clip.frames) > 1 and self.isVisible():
            self._timer.start(self._clip.durations_ms[self._at])
        else:
            self._timer.stop()

    def _next(self) -> None:
        if self._clip.frames:
            self._show((self._at + 1) % len(self._clip.frames))
            self._run()

    def _seek(self, at: int) -> None:
        if self._playing:
            self.toggle()
        self._show(at)

    def _show(self, at: int) -> None:
        if at < len(self._clip.frames):
            self._at = at
            self._place.setValue(at)
            self.picture.show_image(self._clip.frames[at], f"Gameplay, frame {at + 1} of {self.frames}")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()


def _title(moment: Shown) -> str:
    if isinstance(moment, Disagreement):
        return f"differs at {moment.at_s:.1f} s"
    return f"step {moment.step:,}{'  ★ best so far' if moment.best else ''}"


def _note(moment: Shown, unit: str) -> str:
    if isinstance(moment, Disagreement):
        return f"Person {moment.person}, clone {moment.clone} · {moment.demonstration}"
    interval = f"{number(moment.low)} … {number(moment.high)}"
    return f"{number(moment.mean, unit)} ({interval}) on {moment.runs} held-out seeds, {moment.wins} won"


def _inside(name: str) -> bool:
    """Return whether a clip's name stays in the version's folder."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts
