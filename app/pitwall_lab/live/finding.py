"""Finds by itself what moves in a game that tells too little, in the pictures of a recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.engine.drafting.filmstrip import Filmstrip
from pitwall.engine.drafting.finding.proposal import Proposal, Role
from pitwall.engine.drafting.finding.search import find_all, finished
from pitwall.engine.perception.colour_fields import read_blob
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.fields import BlobField, ReaderField
from pitwall.games.schema.profile import Game, Profile, Screen
from pitwall.store.run_reader import RunReader

Proposals: TypeAlias = list[Proposal]
"""Things that were found in recorded play, each with its field."""
LEAST_SURE = 0.4
_KINDS: tuple[Role, ...] = ("player", "mover", "bar")
_LEAST_STEPS, _MOST_STEPS = 60, 1_200
_NEWEST = 200


def found_in_play(data: DataFolder, game: Game) -> Proposals:
    """Return what moves, what the keys move and the bars, in the newest run with enough pictures.

    Each is a field of its own: read from every picture afterwards, shown and edited like the game's fields.
    """
    with closing(RunReader.open(data)) as reader:
        for row in reader.runs(limit=_NEWEST):
            if row.manifest.game_id != game.game_id or row.summary.steps < _LEAST_STEPS:
                continue
            steps = reader.steps(row.run_id, max(1, row.summary.steps - _MOST_STEPS + 1), _MOST_STEPS)
            seen = [step for step in steps if step.frame_ref and step.status is GameStatus.PLAYING]
            if len(seen) >= _LEAST_STEPS:
                return _moving(seen, data.run(row.run_id), game.profile)
    return []


def axes_of(proposal: Proposal, profile: Profile) -> list[ReaderField]:
    """Return a found field, and of a thing also the field of its place along the other axis."""
    read = proposal.field
    if not isinstance(read, BlobField):
        return [read]
    across = "y" if read.value == "x" else "x"
    other = read.model_copy(update={"name": f"{read.name}_{across}", "value": across})
    taken = {field.name for field in profile.fields}
    return [read, other] if other.name not in taken else [read]


def read_found(fields: Sequence[ReaderField], file: Path, screen: Screen) -> list[float]:
    """Return where found things are in a picture, as shares of the screen; −1 for each that is not seen."""
    picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if picture is None:
        return [-1.0] * len(fields)
    sized = cv2.resize(picture, (screen.width, screen.height), interpolation=cv2.INTER_AREA)
    view = FrameView(np.asarray(cv2.cvtColor(sized, cv2.COLOR_BGR2BGRA), np.uint8), None, screen)
    return [_share(field, view, screen) for field in fields]


def _share(field: ReaderField, view: FrameView, screen: Screen) -> float:
    place = read_blob(field, view).place if isinstance(field, BlobField) else None
    if place is None or not isinstance(field, BlobField):
        return -1.0
    if field.value == "x":
        return (place.x + place.width / 2) / screen.width
    return (place.y + place.height / 2) / screen.height


def _moving(steps: Sequence[StepRecord], folder: Path, profile: Profile) -> list[Proposal]:
    known = {field.name for field in profile.fields}
    return [
        proposal
        for proposal in finished(find_all(_strip(steps, folder), profile.screen, None))
        if proposal.role in _KINDS and proposal.confidence >= LEAST_SURE and not proposal.pictures
        if proposal.name not in known
    ]


def _strip(steps: Sequence[StepRecord], folder: Path) -> Filmstrip:
    """Return the pictures and presses of these steps as the finders take them."""
    strip = Filmstrip()
    for step in steps:
        at_s = step.at_ns / NS_PER_S
        picture = cv2.imread(str(folder / step.frame_ref), cv2.IMREAD_COLOR)
        if picture is not None:
            strip.take(at_s, np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), np.uint8))
        sent = [sent for sent in step.sent if sent.sent_ns is not None]
        for event in sent:
            assert event.sent_ns is not None and sent[0].sent_ns is not None
            strip.press(at_s + (event.sent_ns - sent[0].sent_ns) / NS_PER_S, event.event)
    return strip
