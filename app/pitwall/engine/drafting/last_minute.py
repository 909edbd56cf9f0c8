"""Keeps the last minute of a game that is being added, and answers questions from it.

Finding takes long, so it runs in short turns between two frames of the game.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Generator, Mapping
from typing import Any

import cv2

from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import WindowRef
from pitwall.core.observations import Reading
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.engine.drafting.evidence import MOST_STILLS, evidence_of, read_stills
from pitwall.engine.drafting.field_reading import Recogniser, still_frame
from pitwall.engine.drafting.filmstrip import Filmstrip, Still
from pitwall.engine.drafting.finding.numbers import digits_field
from pitwall.engine.drafting.finding.search import find_all
from pitwall.engine.drafting.window_sampling import KeyListener, note
from pitwall.engine.perception.frame_view import FrameView
from pitwall.engine.perception.sign_shapes import Sample, learn_signs
from pitwall.games.drafting.draft import Draft

_TURN_S = 0.02
_SMALL_WIDTH = 132
_TAUGHT_STILLS = 16
_SURE = 0.75
Answer = dict[str, Any]


class LastMinute:
    """The filmstrip of a game, and what is learned from it.

    Args:
        data: its settings name the hotkey that keeps a picture.
    """

    def __init__(self, data: DataFolder, recogniser: Recogniser) -> None:
        self._data = data
        self._recogniser = recogniser
        self._strip = Filmstrip()
        self._keys: KeyListener | None = None
        self._deaf = False
        self._finding: tuple[Any, Generator[None, None, Answer]] | None = None

    def look(self, at_s: float, frame: Frame | None, last: Frame, window: WindowRef | None) -> bool:
        """Take a picture and the presses; return whether the hotkey kept a picture.

        Args:
            frame: a new frame, None if nothing changed. last: the newest frame.
        """
        if frame is not None:
            self._strip.take(at_s, frame.pixels)
        return any([note(self._strip, heard, at_s, last.pixels) for heard in self._heard(window)])

    def close(self) -> None:
        if self._keys is not None:
            self._keys.close()
            self._keys = None

    def turn(self) -> Answer | None:
        """Continue finding for a moment; return the answer once it is complete."""
        if self._finding is None:
            return None
        ask, turns = self._finding
        until = time.monotonic() + _TURN_S
        try:
            while time.monotonic() < until:
                next(turns)
        except StopIteration as end:
            self._finding = None
            return {"ask": ask, **end.value}
        return None

    def find(self, ask: Any, draft: Draft) -> None:
        """Begin to find the game's fields and screens, and how often the draft's fields were read."""
        self._finding = (ask, self._search_steps(draft))

    def pictures(self, most: int) -> Answer:
        """Return at most this many small pictures of the strip, all kept ones among them, oldest first."""
        kept = [still for still in self._strip.stills if still.kept]
        spread = {still.at_s: still for still in [*self._strip.spread(max(1, most - len(kept))), *kept]}
        return {"strip": [_small(spread[at_s]) for at_s in sorted(spread)]}

    def still(self, at_s: float) -> Frame:
        """Return the picture nearest to a time.

        Raises:
            PitwallError: the strip is empty.
        """
        stills = self._strip.stills
        if not stills:
            raise PitwallError("The last minute holds no picture yet.", "Play for a moment, then look again.")
        return still_frame(min(stills, key=lambda still: abs(still.at_s - at_s)).pixels)

    def learn(self, draft: Draft, name: str, text: str, pixels: Pixels) -> Answer:
        """Return a field that reads its box by digits learned from a typed number and the strip.

        Args:
            text: the digits in the box of `pixels`, the picture on the screen.

        Raises:
            PitwallError: there is no such box, no digits were typed, or they cannot be separated.
        """
        field = draft.field(name)
        digits = "".join(text.split()).replace(",", "")
        if field is None or field.box is None or not digits.isascii() or not digits.isdigit():
            raise PitwallError(f"{text!r} is no whole number.", "Type the digits as they stand in the box.")
        samples = [Sample(crop=_crop(pixels, draft, name), text=digits, sure=True)]
        for still in self._strip.spread(_TAUGHT_STILLS):
            crop = _crop(still.pixels, draft, name)
            read = self._recogniser.look(crop) if crop.size else None
            if read is not None and read.confidence >= _SURE and read.text.strip().isdigit():
                samples.append(Sample(crop=crop, text=read.text.strip()))
        learned = learn_signs(samples)
        if learned is None or learned.reads(samples[0].crop) != digits:
            raise PitwallError(
                f"The digits of {name} cannot be cut apart by their colour.",
                "Draw the box closer around the number, or go on reading it as text.",
            )
        size = draft.screen.width, draft.screen.height
        made, pictures = digits_field(name, field.box, learned, size)
        words = f"Learned {''.join(sorted(learned.shapes))}; a digit not seen yet reads as nothing."
        return {"field": made.model_dump(mode="json"), "pictures": pictures, "said": words}

    def _heard(self, window: WindowRef | None) -> list[Any]:
        """Return the presses; none on a desktop where they cannot be heard."""
        if self._deaf or window is None:
            return []
        try:
            if self._keys is None:
                self._keys = KeyListener(load_settings(self._data.settings), self._data.logs)
            return list(self._keys.poll(window))
        except ChildDied:
            self._deaf = True
            return []

    def _search_steps(self, draft: Draft) -> Generator[None, None, Answer]:
        stills = self._strip.spread(MOST_STILLS)
        read: list[Mapping[str, Reading]] = []
        for readings in read_stills(stills, draft, self._recogniser) if draft.fields else ():
            read.append(readings)
            yield
        fields = evidence_of(draft, stills, read) if read else []
        proposals = yield from find_all(self._strip, draft.screen, self._recogniser)
        return {
            "found": [proposal.as_json() for proposal in proposals],
            "fields": {
                field.name: {"read": field.read, "of": field.of, "shown": field.shown, "unsure": field.unsure}
                for field in fields
            },
            "pictures": len(self._strip.stills),
        }


def _crop(pixels: Pixels, draft: Draft, name: str) -> Pixels:
    """Return a field's box of a picture, at the size of the draft's screen."""
    field, screen = draft.field(name), draft.screen
    frame = still_frame(pixels).pixels
    if frame.shape[:2] != (screen.height, screen.width):
        frame = cv2.resize(frame, (screen.width, screen.height), interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    return FrameView(frame, None, screen).colours(field.box if field is not None else None)


def _small(still: Still) -> Answer:
    pixels = still.pixels
    height = max(1, round(pixels.shape[0] * _SMALL_WIDTH / pixels.shape[1]))
    small = cv2.resize(pixels, (_SMALL_WIDTH, height), interpolation=cv2.INTER_AREA)
    picture = base64.b64encode(cv2.imencode(".jpg", small)[1].tobytes()).decode("ascii")
    return {"at_s": still.at_s, "kept": still.kept, "picture": picture}
