"""What is found in a played minute: drawn pictures of a game with a score, a bar, a paddle and a ball."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from pitwall.core.actions import InputEvent
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.evidence import evidence_of, read_stills
from pitwall.engine.drafting.field_reading import Recogniser
from pitwall.engine.drafting.filmstrip import Filmstrip
from pitwall.engine.drafting.finding.played_minute import PlayedMinute
from pitwall.engine.drafting.finding.proposal import Proposal
from pitwall.engine.drafting.finding.screens import dialogs
from pitwall.engine.drafting.finding.search import _settled, find_all, finished
from pitwall.engine.perception.sign_shapes import Sample, learn_signs
from pitwall.games.dot_numbers import BY_DOTS
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.folder import write_game
from pitwall.games.drafting.signs import with_proposal
from pitwall.games.schema.fields import BlobField, DigitsField, TextField
from pitwall.games.schema.profile import Screen
from pitwall.models.host_requests import TextLine

SCREEN = Screen(width=320, height=240)
FRAMES = 90
SCORE_AT = (110, 26)
FONT = cv2.FONT_HERSHEY_SIMPLEX


def _picture(at: int, paddle: float) -> Pixels:
    view = np.full((240, 320, 4), (38, 24, 18, 255), np.uint8)
    if at < 8:
        cv2.putText(view, "PRESS SPACE", (70, 130), FONT, 0.8, (220, 220, 220), 2)
    cv2.putText(view, "SCORE", (30, 26), FONT, 0.6, (200, 160, 120), 1, cv2.LINE_AA)
    cv2.putText(view, str(7 * (at // 2)), SCORE_AT, FONT, 0.8, (240, 240, 240), 2)
    cv2.rectangle(view, (200, 12), (299, 23), (60, 50, 50), -1)
    cv2.rectangle(view, (200, 12), (299 - at, 23), (60, 200, 60), -1)
    if at >= 8:
        cv2.circle(view, (40 + (at * 11) % 240, 60 + (at * 7) % 120), 7, (40, 200, 246), -1)
    x = round(paddle)
    cv2.rectangle(view, (x - 20, 222), (x + 20, 230), (240, 120, 90), -1)
    return view


def _strip() -> Filmstrip:
    """Ten seconds at 9 Hz, ArrowLeft and ArrowRight by turns with pauses between."""
    strip, paddle = Filmstrip(), 160.0
    for at in range(FRAMES):
        phase, key = at % 16, ("ArrowLeft", "ArrowRight")[at // 16 % 2]
        if phase in (2, 10):
            event = InputEvent(kind="key_down" if phase == 2 else "key_up", key=key)
            strip.press(at / 9, event)
        if 2 <= phase < 10:
            paddle += -13 if key == "ArrowLeft" else 13
        strip.take(at / 9, _picture(at, paddle))
    return strip


@pytest.fixture(scope="module")
def strip() -> Filmstrip:
    return _strip()


@pytest.fixture(scope="module")
def recogniser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recogniser]:
    texts = Recogniser(tmp_path_factory.mktemp("logs"), wait_s=300.0)
    yield texts
    texts.close()


@pytest.fixture(scope="module")
def proposals(strip: Filmstrip, recogniser: Recogniser) -> dict[str, Proposal]:
    return {proposal.role: proposal for proposal in reversed(finished(find_all(strip, SCREEN, recogniser)))}


@pytest.mark.timeout(600)
def test_score_bar_paddle_ball_and_menu_are_found_with_their_figures(proposals: dict[str, Proposal]) -> None:
    assert {"score", "bar", "player", "mover", "menu"} <= proposals.keys()
    assert proposals["score"].name == "score"
    assert proposals["score"].confidence >= 0.9
    assert "rose" in proposals["score"].why
    player = proposals["player"]
    assert isinstance(player.field, BlobField)
    assert player.field.value == "x"
    assert player.field.colour == pytest.approx((90, 120, 240), abs=2)
    assert "px/s" in player.why
    mover = proposals["mover"].field
    assert isinstance(mover, BlobField)
    assert mover.colour == pytest.approx((246, 200, 40), abs=2)
    assert "PRESS" in proposals["menu"].why


@pytest.mark.timeout(600)
def test_a_found_score_is_read_by_learned_digits_in_all_pictures(
    proposals: dict[str, Proposal], strip: Filmstrip, tmp_path: Path
) -> None:
    score = proposals["score"]
    assert isinstance(score.field, DigitsField)
    draft = Draft(game_id="g", name="g", command=["true"], screen=SCREEN)
    draft = with_proposal(draft, score.as_json()).changed(actions=[{"name": "left", "keys": ["ArrowLeft"]}])
    stills = strip.spread(40)
    evidence = evidence_of(draft, stills, list(read_stills(stills, draft, None)))[0]
    assert (evidence.read, evidence.of) == (40, 40)
    assert evidence.shown[-1][1] == 7 * ((FRAMES - 1) // 2)
    assert len(evidence.shown) == 5
    write_game(draft, tmp_path / "g")
    assert (tmp_path / "g" / score.field.templates / "7.png").is_file()


@pytest.mark.timeout(600)
def test_a_menu_taken_is_a_sign_of_its_status(proposals: dict[str, Proposal]) -> None:
    draft = with_proposal(Draft(game_id="g", name="g", screen=SCREEN), proposals["menu"].as_json())
    assert draft.status.menu == "menu"
    again = with_proposal(draft, proposals["menu"].as_json())
    assert [field.name for field in again.fields] == ["menu", "menu_2"]
    assert again.status.menu == "menu or menu_2"


def _number(text: str) -> Pixels:
    crop = np.full((34, 120, 3), (30, 40, 50), np.uint8)
    cv2.putText(crop, text, (6, 26), FONT, 0.8, (240, 240, 240), 2)
    return crop


def _dots(text: str) -> Pixels:
    """A number of dots, 5 × 7 a sign, that fills its picture."""
    signs = {sign: np.array(dots, np.uint8).reshape(7, 5) for dots, sign in BY_DOTS.items()}
    rows = np.hstack([np.pad(signs[sign], ((0, 0), (0, 1))) for sign in text])[:, :-1]
    ink = np.kron(rows, np.ones((3, 3), np.uint8))[..., None]
    return np.where(ink, np.uint8(240), np.full(3, 30, np.uint8)).astype(np.uint8)


@pytest.mark.timeout(600)
def test_a_number_that_fills_its_box_is_read(recogniser: Recogniser) -> None:
    assert recogniser.read(_dots("25"))[0] == "25"


def test_a_number_typed_once_outweighs_what_was_misread() -> None:
    misread = [Sample(crop=_number("18"), text="13"), Sample(crop=_number("28"), text="23")]
    learned = learn_signs([*misread, Sample(crop=_number("18"), text="18", sure=True)])
    assert learned is not None
    assert set(learned.shapes) == {"1", "2", "8"}
    assert [learned.reads(_number(text)) for text in ("18", "28", "13")] == ["18", "28", ""]
    alone = learn_signs([Sample(crop=_number("18"), text="18", sure=True)])
    assert alone is not None
    assert np.array_equal(learned.shapes["8"], alone.shapes["8"])


def test_the_strip_keeps_pictures_that_changed_within_its_memory() -> None:
    strip = Filmstrip(span_s=2.0, most_bytes=60_000)
    same = _picture(20, 100.0)
    assert strip.take(0.0, same)
    assert not strip.take(0.2, same)
    assert strip.take(0.3, same, keep=True)
    for at in range(40):
        noise = np.random.default_rng(at).integers(0, 255, (40, 40, 4), np.uint8)
        strip.take(0.5 + at * 0.11, noise)
    assert strip._bytes <= 60_000
    assert strip.stills[0].at_s >= 0.5 + 39 * 0.11 - 2.0
    assert {still.size for still in strip.stills} == {(40, 40)}


def test_a_score_beside_which_no_word_stands_is_called_score() -> None:
    field = TextField(kind="text", name="number", box=(0, 0, 9, 9), number=True)
    made = Proposal(
        role="score", name="number", box=(0, 0, 9, 9), confidence=0.9, why="", field=field, pictures={}
    )
    named = _settled([replace(made, confidence=0.5), made])
    assert [(proposal.name, proposal.field.name) for proposal in named] == [
        ("number", "number"),
        ("score", "score"),
    ]


def test_a_number_in_a_dialog_is_none_of_the_play() -> None:
    minute = PlayedMinute(_strip(), SCREEN)
    line = TextLine(text="Press 1 to continue", confidence=0.9, box=Rect(60, 100, 150, 20))
    minute.lines = {2: (line, replace(line, text="SCORE 12", box=Rect(30, 12, 90, 18)))}
    assert dialogs(minute) == [Rect(40, 80, 190, 60)]
