"""Screens that were recorded are told from play; what looks like play is no sign."""

from __future__ import annotations

import base64

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.engine.drafting.field_reading import DraftReader, still_frame
from pitwall.engine.drafting.input_trial import Trial, share_percent
from pitwall.engine.drafting.rehearsal import distinct_from_play, rehearsed, with_pause
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.passages import PassageStep

DRAFT = Draft.model_validate({"game_id": "g", "name": "G", "screen": {"width": 160, "height": 120}})


def _picture(seed: int) -> Pixels:
    blocks = np.random.default_rng(seed).integers(0, 255, (6, 8), np.uint8)
    return np.repeat(np.repeat(blocks, 20, 0), 20, 1)[:, :, None].repeat(4, 2)


def _trial(before: Pixels, after: Pixels, idle: float = 0.0) -> Trial:
    return Trial(
        before=before,
        after=after,
        change=change(describe(after), describe(before)),
        idle=idle,
        share_percent=share_percent(before, after),
        idle_percent=0.0,
        took_s=0.5,
    )


def test_a_screen_is_told_from_play_and_one_that_looks_like_it_needs_a_sign() -> None:
    menu, play = _picture(1), _picture(2)
    press = PassageStep(keys=["Enter"])
    draft = rehearsed(DRAFT, "start", press, _trial(menu, play, idle=0.9))
    assert draft.passages[0].steps[0].unlike == 1.0
    apart, alike = distinct_from_play(draft, play)
    assert alike == []
    assert apart.passages[0].steps[0].unlike < change(describe(menu), describe(play))
    hidden, alike = distinct_from_play(draft, menu)
    assert alike == ["start, step 1"]
    assert hidden.passages[0].steps[0].screen == ""
    assert hidden.pictures == {}


def test_a_menu_is_known_again_with_a_button_that_shines_under_the_pointer() -> None:
    menu, play = _picture(1), _picture(2)
    shining = menu.copy()
    shining[30:60, 20:70] = 200
    apart = change(describe(shining), describe(menu))
    assert apart > 0.04, "more than a screen that rests may differ"
    draft = rehearsed(DRAFT, "start", PassageStep(click=(40, 40)), _trial(menu, play))
    draft, _ = distinct_from_play(draft, play)
    assert apart <= draft.passages[0].steps[0].unlike < change(describe(menu), describe(play))


def test_a_game_that_had_paused_itself_goes_on_by_its_pause_key() -> None:
    play = _picture(2)
    dark = (play // 8).astype(np.uint8)
    for before, after in ((play, dark), (dark, play)):
        draft = with_pause(DRAFT, PassageStep(keys=["p"]), _trial(before, after))
        (file,) = draft.pictures
        picture = cv2.imdecode(np.frombuffer(base64.b64decode(draft.pictures[file]), np.uint8), 1)
        assert picture is not None
        assert picture.mean() < 40, "the dark one is the pause"


def test_a_pause_that_hardly_shows_is_no_sign_of_one() -> None:
    play = _picture(2)
    nearly = play.copy()
    nearly[50:60, 60:100] = 255
    press = PassageStep(keys=["p"])
    shown = with_pause(DRAFT, press, _trial(play, _picture(3)))
    assert [(passage.name, passage.leaves) for passage in shown.passages] == [("resume", "paused")]
    hidden = with_pause(shown, press, _trial(play, nearly))
    assert (hidden.pause, hidden.passages, hidden.pictures) == (["p"], [], {})


def test_an_end_screen_over_play_is_known_whatever_stands_behind_it() -> None:
    def over(seed: int, text: str) -> Pixels:
        shown = (_picture(seed) // 8).astype(np.uint8)
        cv2.putText(shown, text, (20, 66), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 255, 255, 255), 2)
        return shown

    draft = rehearsed(
        DRAFT, "again", PassageStep(keys=["n"]), _trial(over(1, "LOST ALL"), over(1, "GAME OVER"))
    )
    draft = rehearsed(draft, "again", PassageStep(keys=["Enter"]), _trial(over(1, "GAME OVER"), _picture(5)))
    assert [field.name for field in draft.fields] == ["again_sign", "again_sign_2"]
    assert draft.status.terminal == "again_sign or again_sign_2"
    for text, expected in (("LOST ALL", (True, False)), ("GAME OVER", (False, True)), ("", (False, False))):
        read = DraftReader(draft, None).read_now(still_frame(over(2, text)))
        assert (read["again_sign"].value, read["again_sign_2"].value) == expected, text
    plain, _ = distinct_from_play(draft, over(3, "GAME OVER"))
    assert [field.name for field in plain.fields] == ["again_sign"], "play says it, too"
    assert plain.status.terminal == "again_sign"
