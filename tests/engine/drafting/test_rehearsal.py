"""Screens that were recorded are told from play; what looks like play is no sign."""

from __future__ import annotations

import numpy as np

from pitwall.core.frames import Pixels
from pitwall.engine.drafting.input_trial import Trial, share_percent
from pitwall.engine.drafting.rehearsal import rehearsed, told_apart, with_pause
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
    apart, alike = told_apart(draft, play)
    assert alike == []
    assert apart.passages[0].steps[0].unlike < change(describe(menu), describe(play))
    hidden, alike = told_apart(draft, menu)
    assert alike == ["start, step 1"]
    assert hidden.passages[0].steps[0].screen == ""
    assert hidden.pictures == {}


def test_a_pause_that_hardly_shows_is_no_sign_of_one() -> None:
    play = _picture(2)
    nearly = play.copy()
    nearly[50:60, 60:100] = 255
    press = PassageStep(keys=["p"])
    shown = with_pause(DRAFT, press, _trial(play, _picture(3)))
    assert [(one.name, one.leaves) for one in shown.passages] == [("resume", "paused")]
    hidden = with_pause(shown, press, _trial(play, nearly))
    assert (hidden.pause, hidden.passages, hidden.pictures) == (["p"], [], {})
