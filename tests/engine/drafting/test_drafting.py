"""What a drawn box is taken for, what it reads, and what watching suggests. Real pictures, real readers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.paths import DataFolder
from pitwall.engine.drafting.field_guesses import may_be_text
from pitwall.engine.drafting.field_reading import (
    DraftReader,
    Recogniser,
    described_guess,
    propose,
    still_frame,
)
from pitwall.engine.drafting.observer import GameObserver, open_draft_view
from pitwall.engine.drafting.threshold_suggestions import ThresholdWatcher
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.templates import Follow
from pitwall.games.schema.fields import BarField, BlobField, ColourField, TemplateField, TextField
from pitwall.games.schema.profile import Screen

SCREEN = Screen(width=480, height=360)
BAR, UPRIGHT, LANE, PANEL, LABEL, FACE = (
    (20, 16, 200, 14),
    (450, 100, 12, 120),
    (0, 60, 440, 200),
    (300, 300, 60, 40),
    (240, 8, 190, 34),
    (20, 290, 60, 60),
)


def _picture(*, bar: float = 0.6, upright: float = 0.3, coin: tuple[int, int] = (120, 150)) -> Pixels:
    view = np.full((360, 480, 3), (38, 24, 18), np.uint8)
    x, y, width, height = BAR
    cv2.rectangle(view, (x, y), (x + width - 1, y + height - 1), (70, 58, 52), -1)
    cv2.rectangle(view, (x, y), (x + round(bar * width) - 1, y + height - 1), (52, 44, 216), -1)
    x, y, width, height = UPRIGHT
    cv2.rectangle(view, (x, y), (x + width - 1, y + height - 1), (60, 60, 60), -1)
    top = y + round((1 - upright) * height)
    cv2.rectangle(view, (x, top), (x + width - 1, y + height - 1), (60, 200, 60), -1)
    cv2.circle(view, coin, 12, (40, 200, 246), -1)
    x, y, width, height = PANEL
    cv2.rectangle(view, (x, y), (x + width - 1, y + height - 1), (132, 64, 96), -1)
    cv2.putText(view, "Coins 47", (250, 34), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (240, 240, 240), 2, cv2.LINE_AA)
    x, y, width, height = FACE
    view[y : y + height, x : x + width] = np.random.default_rng(3).integers(
        0, 255, (height, width, 3), np.uint8
    )
    return view


def _frame(pixels: Pixels | None = None) -> Frame:
    return still_frame(_picture() if pixels is None else pixels)


def _read(draft: Draft, name: str, pixels: Pixels) -> object:
    return DraftReader(draft, None).read(_frame(pixels))[name].value


def _draft_with(guess: object) -> Draft:
    field, pictures = guess.field, guess.pictures  # type: ignore[attr-defined]
    return Draft(game_id="g", name="g", screen=SCREEN, fields=[field], pictures=pictures)


@pytest.mark.parametrize(("box", "direction", "value"), [(BAR, "right", 60.0), (UPRIGHT, "up", 30.0)])
def test_a_bar_is_known_and_read(box: tuple[int, int, int, int], direction: str, value: float) -> None:
    guess = propose(_frame(), box, SCREEN, recogniser=None)
    assert isinstance(guess.field, BarField)
    assert guess.field.direction == direction
    draft = _draft_with(guess)
    assert _read(draft, "bar", _picture()) == pytest.approx(value, abs=1.0)
    other = 25.0 if box == BAR else 75.0
    assert _read(draft, "bar", _picture(bar=0.25, upright=0.75)) == pytest.approx(other, abs=1.0)


def test_a_thing_that_moves_is_followed() -> None:
    guess = propose(_frame(), LANE, SCREEN, taken=frozenset({"thing"}), recogniser=None)
    assert isinstance(guess.field, BlobField)
    assert guess.field.name == "thing_2"
    draft = _draft_with(guess)
    assert _read(draft, "thing_2", _picture(coin=(300, 100))) == pytest.approx(300, abs=1)


def test_flat_boxes_are_colours_and_busy_ones_pictures() -> None:
    flat = propose(_frame(), PANEL, SCREEN, recogniser=None)
    assert isinstance(flat.field, ColourField)
    assert _read(_draft_with(flat), "panel", _picture()) is True
    busy = propose(_frame(), FACE, SCREEN, kind="template", name="face", recogniser=None)
    assert isinstance(busy.field, TemplateField)
    draft = _draft_with(busy)
    assert _read(draft, "face", _picture()) is True
    blank = _picture()
    blank[290:350, 20:80] = 0
    assert _read(draft, "face", blank) is False


def test_a_thing_of_many_colours_is_followed_by_its_picture() -> None:
    draft = _draft_with(propose(_frame(), FACE, SCREEN, kind="sprite", recogniser=None))
    assert _read(draft, "thing", _picture()) == FACE[0] + FACE[2] / 2
    moved = _picture()
    moved[290:350, 120:180] = moved[290:350, 20:80]
    moved[290:350, 20:80] = 0
    assert _read(draft, "thing", moved) == FACE[0] + FACE[2] / 2 + 100
    placed, more = Follow(kind="follow", me="thing", thing="thing", less="a", more="b", along="y").placed(
        draft.fields
    )
    assert [field.name for field in more] == ["thing_y", "thing_y"]
    assert _read(draft.changed(fields=[*draft.fields, more[0]]), "thing_y", moved) == FACE[1] + FACE[3] / 2
    assert set(draft.changed(fields=[]).tidy().pictures) == set()
    assert placed.named("field") == ("thing_y", "thing_y")


def test_what_cannot_be_read_so_is_told() -> None:
    with pytest.raises(PitwallError, match="too small"):
        propose(_frame(), (5, 5, 1, 1), SCREEN, recogniser=None)
    with pytest.raises(PitwallError, match="No bar is seen"):
        propose(_frame(), FACE, SCREEN, kind="bar", recogniser=None)
    with pytest.raises(PitwallError, match="all of one colour"):
        propose(_frame(), (310, 310, 20, 20), SCREEN, kind="template", recogniser=None)
    with pytest.raises(PitwallError, match="no kind of box"):
        propose(_frame(), BAR, SCREEN, kind="gauge", recogniser=None)


@pytest.mark.timeout(600)
def test_a_number_is_read_with_its_word(tmp_path: Path) -> None:
    x, y, width, height = LABEL
    assert may_be_text(_picture()[y : y + height, x : x + width])
    recogniser = Recogniser(tmp_path)
    try:
        recogniser.wait_s = 300.0
        guess = propose(_frame(), LABEL, SCREEN, recogniser=recogniser)
    finally:
        recogniser.close()
    assert isinstance(guess.field, TextField)
    assert (guess.field.name, guess.field.number, guess.value) == ("coins", True, 47)


def _scored(kind: str = "", name: str = "score") -> str:
    filled = (20, 16, 110, 14)  # the part of the bar that is of one colour
    draft = Draft(game_id="g", name="g", screen=SCREEN)
    return described_guess(_frame(), filled, draft, kind=kind, name=name, recogniser=None)[1].words


def test_an_unsure_guess_of_a_bar_is_refused() -> None:
    with pytest.raises(
        PitwallError, match=r"field score: its box looks like a bar, only 40 % sure"
    ) as refused:
        _scored()
    assert "--field score=number:20,16,110,14" in refused.value.fix
    assert _scored("bar") == "score: bar (as you said), reads 100.0"
    draft = Draft(game_id="g", name="g", screen=SCREEN)
    for box, looks in ((PANEL, "colour"), (LANE, "blob")):  # a place counts nothing
        with pytest.raises(PitwallError, match=f"looks like a {looks}"):
            described_guess(_frame(), box, draft, kind="", name="lives", recogniser=None)


def _watch(
    pictures: list[Pixels], counted: tuple[str, ...] = (), values: Sequence[int | None] = ()
) -> ThresholdWatcher:
    watcher = ThresholdWatcher(counted, step_s=0.35)
    for at, picture in enumerate(pictures):
        read = {"score": values[at]} if values else {}
        watcher.take(at * 0.35, _frame(picture).pixels, read)
    return watcher


def test_a_cut_stands_out_from_ordinary_motion() -> None:
    moving = [_picture(coin=(60 + 9 * at, 150)) for at in range(24)]
    other = np.asarray(cv2.flip(_picture(), -1), np.uint8)
    calm = _watch(moving).suggest()
    cut = _watch([*moving[:12], other, *moving[12:]]).suggest()
    assert calm.cuts == 0
    assert calm.thresholds.scene_change > calm.quantiles["p100"]
    assert cut.cuts >= 1
    assert calm.quantiles["p100"] < cut.thresholds.scene_change < cut.quantiles["p100"]
    assert "cut" in cut.why["scene_change"]


def test_stalls_are_counted_in_what_counts() -> None:
    scores = [at // 6 for at in range(48)]
    pictures = [_picture(coin=(60 + 4 * at, 150)) for at in range(48)]
    suggestion = _watch(pictures, ("score",), scores).suggest()
    assert suggestion.longest_still == 5
    assert suggestion.thresholds.stall_steps > 5
    assert suggestion.thresholds.refresh_steps >= 12
    assert suggestion.still_share == 0.0


def test_a_score_that_is_not_read_is_said_and_takes_part_in_nothing() -> None:
    pictures = [_picture(coin=(60 + 4 * at, 150)) for at in range(48)]
    suggestion = _watch(pictures, ("score",), [None] * 48).suggest()
    assert f"score in 0 of {suggestion.steps} steps" in suggestion.why["stall_steps"]
    assert "no counted field changed" not in " ".join(suggestion.why.values())
    assert suggestion.thresholds.stall_steps == 4


def test_too_little_suggests_nothing() -> None:
    suggestion = _watch([_picture()] * 3).suggest()
    assert suggestion.why == {}
    assert suggestion.thresholds.scene_change == 0.35


def test_a_picture_that_becomes_smaller_is_told(tmp_path: Path) -> None:
    """It fits into the memory of the larger one; the boxes drawn from now on are of its own size."""
    messages: list[dict[str, Any]] = []
    draft = Draft.model_validate({"game_id": "a", "name": "A", "screen": {"width": 40, "height": 30}})
    view = open_draft_view(draft, 1, tmp_path, tmp_path)
    observer = GameObserver(view, draft, Recogniser(tmp_path / "logs"), messages.append, DataFolder(tmp_path))
    for width, height in ((40, 30), (40, 30), (20, 10), (80, 60)):
        observer._show(still_frame(np.zeros((height, width, 3), np.uint8)))
    observer.close()
    assert [message["size"] for message in messages if "size" in message] == [(40, 30), (20, 10), (80, 60)]
