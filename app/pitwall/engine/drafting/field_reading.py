"""Guesses the field of a drawn box, and reads all boxes of a picture at once, text included."""

from __future__ import annotations

import contextlib
import itertools
import re
import select
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.engine.drafting.field_guesses import (
    FieldGuess,
    guess_bar,
    guess_blob,
    guess_change,
    guess_colour,
    guess_picture,
    guess_sprite,
    may_be_text,
)
from pitwall.engine.inference.host_link import HostConnection, HostLink
from pitwall.engine.perception.frame_view import FrameView
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.text import TextReader, text_value
from pitwall.games.drafting.draft import Draft, identifier
from pitwall.games.drafting.folder import lay_out_pictures
from pitwall.games.drafting.search_area import TIGHT_WORDS, is_tight
from pitwall.games.schema.actions import ActionBinding
from pitwall.games.schema.fields import Box, TextField
from pitwall.games.schema.profile import GameInfo, Profile, Screen
from pitwall.models.host_requests import HostFault, ReadText, TextRead

_WAIT_S = 4.0
_MOST_KNOWN = 2_000
"""Most readings that are kept."""
_SURE = 0.5
_COUNTS = re.compile(r"scor|point|coin|gold|live|life|level|move|hit|kill|time|round|wave|money", re.I)
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
KINDS = ("bar", "number", "text", "colour", "blob", "sprite", "template", "change")
"""Kinds of reading a box; a number is text of which only the number counts."""
_NAMES = {"number": "score", "blob": "thing", "sprite": "thing", "template": "picture", "colour": "panel"}


class Recogniser:
    """Reads the text of crops by the host process.

    Attributes:
        wait_s: longest time of a reading; the first one loads the models.
    """

    def __init__(self, logs: Path, *, wait_s: float = _WAIT_S) -> None:
        self.wait_s = wait_s
        self._link = HostLink(logs)
        self._box = self._link.mailbox()
        self._ids = itertools.count(1)
        self._known: dict[tuple[tuple[int, ...], int], TextRead] = {}

    def warm_up(self) -> None:
        """Load the models before the first box is drawn; does not wait."""
        self._ask(np.full((24, 64, 3), 255, np.uint8))

    def mailbox(self) -> HostConnection:
        """Return a connection to the same host for a text reader."""
        return self._link.mailbox()

    def read(self, crop: Pixels) -> tuple[str, float]:
        """Return text and confidence of a crop, (height, width, 3) uint8 BGR; waits for it.

        Raises:
            PitwallError: as `look`.
        """
        read = self.look(crop)
        return read.text.strip(), read.confidence

    def look(self, crop: Pixels) -> TextRead:
        """Return all lines read in a crop; a crop that was just read is not read again.

        Raises:
            PitwallError: text cannot be read on this machine, or it took too long.
        """
        key = crop.shape[:2], hash(np.ascontiguousarray(crop).tobytes())
        if key in self._known:
            return self._known[key]
        wanted = self._ask(crop)
        until = time.monotonic() + self.wait_s
        while time.monotonic() < until:
            number = self._link.fileno()
            if number is None:
                break
            select.select([number], [], [], 0.01)
            for reply in self._box.pump():
                if reply.request_id != wanted:
                    continue
                if isinstance(reply, TextRead):
                    if len(self._known) >= _MOST_KNOWN:
                        self._known.clear()
                    self._known[key] = reply
                    return reply
                if isinstance(reply, HostFault):
                    raise PitwallError(reply.what, reply.fix)
        raise PitwallError("The text was not read in time.", "Try again in a moment.")

    def close(self) -> None:
        self._link.close()

    def _ask(self, crop: Pixels) -> int:
        number = next(self._ids)
        height, width = crop.shape[:2]
        data = np.ascontiguousarray(crop).tobytes()
        if not self._box.send(ReadText(request_id=number, width=width, height=height), data):
            raise PitwallError("The text reader is not there.", "Try again in a moment.")
        return number


class DraftReader:
    """Reads the fields of a draft.

    Args:
        recogniser: reads text; None: text fields are not read.
    """

    def __init__(self, draft: Draft, recogniser: Recogniser | None) -> None:
        profile = Profile(
            schema=1,
            game=GameInfo(id="draft", name="draft"),
            screen=draft.screen,
            actions=[ActionBinding(name="rest", wait=True)],
            fields=draft.readings,
        )
        with tempfile.TemporaryDirectory(prefix="pitwall-draft-") as folder:
            lay_out_pictures(draft, Path(folder))
            self._reader = StateReader(profile, Path(folder))
        self._screen, self._recogniser = draft.screen, recogniser
        self._text_fields = [field for field in draft.fields if isinstance(field, TextField)]
        link = recogniser.mailbox() if recogniser is not None and self._text_fields else None
        self._texts = TextReader(profile, link, every_ms=300) if link is not None else None
        self._reference: Pixels | None = None

    def read(self, frame: Frame) -> dict[str, Reading]:
        """Return every field of the draft by name; text as it was read last."""
        texts: Mapping[str, Reading] = {}
        if self._texts is not None:
            self._texts.pump(frame, now_ns())
            texts = self._texts.readings(now_ns())
        return self._read(frame, texts)

    def read_now(self, frame: Frame) -> dict[str, Reading]:
        """Return every field of the draft by name; waits for each text."""
        look, texts = FrameView(frame.pixels, None, self._screen), {}
        for field in self._text_fields if self._recogniser is not None else ():
            assert self._recogniser is not None
            value, confidence = None, 0.0
            with contextlib.suppress(PitwallError):
                text, sure = self._recogniser.read(look.colours(field.box))
                value = text_value(field, text)
                confidence = sure if value is not None else 0.0
            texts[field.name] = Reading(
                name=field.name,
                value=value,
                unit=field.unit,
                confidence=confidence,
                box=look.rect(field.box),
            )
        return self._read(frame, texts)

    def _read(self, frame: Frame, texts: Mapping[str, Reading]) -> dict[str, Reading]:
        readings = self._reader.read(frame, self._reference, texts)
        self._reference = frame.pixels.copy()
        return readings


def propose(
    frame: Frame,
    box: Box,
    screen: Screen,
    *,
    kind: str = "",
    name: str = "",
    taken: frozenset[str] = frozenset(),
    recogniser: Recogniser | None,
) -> FieldGuess:
    """Return the likeliest field for a drawn box.

    Args:
        kind: one of KINDS, if the operator chose it; empty: guessed.
        name: of the field; empty: made of the text read, or the kind.

    Raises:
        PitwallError: it cannot be read as this kind, or the box is empty.
    """
    look = FrameView(frame.pixels, None, screen)
    rect = look.rect(box)
    x, y, width, height = box
    if x + width > screen.width or y + height > screen.height:
        size, drawn = f"{screen.width}×{screen.height}", ",".join(map(str, box))
        raise PitwallError(
            f"The box {drawn} reaches beyond the picture, which is {size} px.",
            "Draw it inside, in px of the picture; --size WIDTHxHEIGHT names another size.",
        )
    if rect.width < 2 or rect.height < 2:
        raise PitwallError("The box is too small to read.", "Draw it around what is to be read.")
    if kind and kind not in KINDS:
        raise PitwallError(f"{kind!r} is no kind of box.", f"One of: {', '.join(KINDS)}.")
    crop = look.colours(box)

    def named(kind: str, words: str = "") -> str:
        return name or identifier(words or _NAMES.get(kind, kind), taken)

    if kind in ("text", "number"):
        return _text(box, kind, named, _seen_text(crop, recogniser) or ("", 0.0))
    if kind:
        return replace(_as(kind, crop, box, named(kind)), sure=1.0)
    bar = guess_bar(crop, box, named("bar"))
    if bar is not None and bar.sure > _SURE:
        return bar
    text = _seen_text(crop, recogniser) if may_be_text(crop) else ("", 0.0)
    if text is None:  # not read in time: most text worth reading is a number
        return _text(box, "number", named, ("", 0.0))
    if _NUMBER.search(text[0]):
        return _text(box, "number", named, text)
    flat = bar or guess_colour(crop, box, named("colour"))
    if flat is not None:
        return flat
    if text[0]:
        return _text(box, "text", named, text)
    return guess_blob(crop, box, named("blob")) or guess_picture(crop, box, named("template"))


def expects_number(name: str) -> bool:
    """Return whether a field of this name should be a number, by words that games use."""
    return bool(_COUNTS.search(name))


def _as(kind: str, crop: Pixels, box: Box, name: str) -> FieldGuess:
    match kind:
        case "bar":
            guess = guess_bar(crop, box, name)
            words = "No bar is seen in the box."
        case "colour":
            guess, words = guess_colour(crop, box, name, always=True), ""
        case "blob":
            guess, words = guess_blob(crop, box, name, always=True), "Nothing stands out in the box."
        case "change":
            guess, words = guess_change(box, name), ""
        case "sprite":
            guess, words = guess_sprite(crop, box, name), ""
        case _:
            guess, words = guess_picture(crop, box, name), ""
    if guess is None:
        raise PitwallError(words, "Draw it closer around, or read it as another kind.")
    return guess


def _seen_text(crop: Pixels, recogniser: Recogniser | None) -> tuple[str, float] | None:
    """Return the text of a box with its confidence, which may be empty; None if it was not read in time."""
    if recogniser is None:
        return "", 0.0
    try:
        text, confidence = recogniser.read(crop)
    except PitwallError:
        return None
    is_text = confidence >= _SURE and any(map(str.isalnum, text))
    return (text, confidence) if is_text else ("", 0.0)


def _text(box: Box, kind: str, named: Callable[[str, str], str], read: tuple[str, float]) -> FieldGuess:
    """Return a field that reads text; a word beside a number is its name."""
    text, sure = read
    words = " ".join(re.findall(r"[A-Za-z]{2,}", text)) if kind == "number" else ""
    field = TextField(kind="text", name=named(kind, words), box=box, number=kind == "number")
    return FieldGuess(field=field, pictures={}, value=text_value(field, text) if text else None, sure=sure)


def still_frame(pixels: Pixels, frame_id: int = 1) -> Frame:
    """Return a picture, (height, width, 3 or 4) uint8, blue first, as a frame."""
    if pixels.ndim == 2:
        pixels = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGRA), np.uint8)
    elif pixels.shape[2] == 3:
        pixels = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA), np.uint8)
    height, width = pixels.shape[:2]
    at_ns = now_ns()
    return Frame(
        frame_id=frame_id, captured_ns=at_ns, ready_ns=at_ns, pixels=pixels, window=Rect(0, 0, width, height)
    )


_LEAST_SURE = 0.5
_NUMBERS = ("number", "bar")
"""Kinds that can be a count; a thing's place cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedGuess:
    """A guess for the operator: kind, certainty (0 … 1), present reading, and all that in one line."""

    name: str
    kind: str
    sure: float
    value: Value
    words: str


def described_guess(
    frame: Frame, box: Box, draft: Draft, *, kind: str, name: str, recogniser: Recogniser | None
) -> tuple[FieldGuess, DescribedGuess]:
    """Return the likeliest field for a box, with its description.

    Raises:
        PitwallError: no kind was given, and the guess is not sure enough; or as `propose`.
    """
    guess = propose(frame, box, draft.screen, kind=kind, name=name, recogniser=recogniser)
    field = guess.field
    guessed = "number" if isinstance(field, TextField) and field.number else field.kind
    sure = f"{100 * guess.sure:.0f} % sure"
    if not kind and (guess.sure < _LEAST_SURE or (expects_number(name) and guessed not in _NUMBERS)):
        likely = "number" if expects_number(name) else guessed
        raise PitwallError(
            f"field {name}: its box looks like a {guessed}, only {sure}.",
            f"Give its kind: --field {name}={likely}:{','.join(map(str, box))}, or let it be found "
            "while it is played: --watch 60 --take 80.",
        )
    alone = draft.changed(fields=[field], pictures={**draft.pictures, **guess.pictures})
    reading = DraftReader(alone, recogniser).read_now(frame)[field.name]
    value, place = reading.value, reading.found
    scale = draft.screen.width / frame.width, draft.screen.height / frame.height
    tight = is_tight(field, place.scaled(*scale) if place is not None else None)
    how = "as you said" if kind else sure
    words = f"{field.name}: {guessed} ({how}), reads {'nothing' if value is None else value}"
    words += f". {TIGHT_WORDS} Give the area in which it moves." if tight else ""
    return guess, DescribedGuess(name=field.name, kind=guessed, sure=guess.sure, value=value, words=words)
