"""Makes steps of passages from tried presses, with signs that tell their screens from play.

A sign for an overlay, such as "GAME OVER", is recognised whatever lies behind it.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.input_trial import Trial, small_picture
from pitwall.engine.session.passages import MOST_LEVELS, levels_apart
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.games.drafting.draft import Draft, identifier
from pitwall.games.drafting.signs import (
    PASSAGES,
    RESUME,
    passage_of,
    with_passage_step,
    with_sign,
    without_passage,
    without_signs,
)
from pitwall.games.schema.fields import TemplateField
from pitwall.games.schema.passages import PassageStep

_LEAST_UNLIKE, _IDLE_TIMES = 0.04, 2.0
"""A screen is recognised up to this d, or up to this many times its own motion,"""
_MOST_UNLIKE, _LARGE, _LARGE_PERCENT = 0.15, 0.5, 25.0
"""or up to this d if a press changes this much of the picture: a button lights up under the pointer."""
_OF_PLAY = 0.6
"""A screen must differ from its picture by less than this share of its distance to play."""
_ALIKE = 0.02
"""Distance to play below which a screen cannot be distinguished from it."""
_PAUSE_APART = 0.1
_DARKENED = 2 * MOST_LEVELS
"""Difference in brightness by which a screen can be distinguished from play."""
_WAIT_MS = (1_500, 10_000)


def rehearsed(draft: Draft, name: str, step: PassageStep, tried: Trial) -> Draft:
    """Return the draft with a tried press as the next step of a passage."""
    wait_ms = min(max(round(1000 + 2000 * tried.took_s), _WAIT_MS[0]), _WAIT_MS[1])
    of_press = _MOST_UNLIKE * min(1.0, max(tried.change / _LARGE, tried.share_percent / _LARGE_PERCENT))
    unlike = min(1.0, round(max(_LEAST_UNLIKE, of_press, _IDLE_TIMES * tried.idle), 3))
    known = step.model_copy(update={"unlike": unlike, "wait_ms": wait_ms})
    made = with_passage_step(draft, name, known, small_picture(tried.before))
    if PASSAGES[name] != "terminal":
        return made
    steps = made.passages[-1].steps
    other = made.pictures[steps[-2].screen] if len(steps) > 1 else small_picture(tried.after)
    return with_overlay_sign(made, name, tried, picture_of(other))


def answer_of(
    tried: Trial, draft: Draft, role: str, step: PassageStep, shortest_ms: int = 0
) -> dict[str, Any]:
    """Return the answer on a press that was tried for a role: a passage's name, "play" or "pause".

    Args:
        shortest_ms: as `with_hold`.
    """
    alike: list[str] = []
    if role in PASSAGES:
        draft = rehearsed(draft, role, step, tried)
    elif role == "pause" and tried.changed:
        draft = with_pause(draft, step, tried)
    elif role == "play":
        draft, alike = distinct_from_play(with_hold(draft, step, shortest_ms), tried.before)
    return {
        "words": held_words(tried, step) if role == "play" else tried.words,
        "changed": tried.changed,
        "before": small_picture(tried.before),
        "after": small_picture(tried.after),
        "draft": draft.model_dump(
            mode="json",
            include={"actions", "passages", "pictures", "fields", "status", "shortest_hold_ms"},
        ),
        "alike": alike,
    }


def with_hold(draft: Draft, step: PassageStep, shortest_ms: int) -> Draft:
    """Return the draft with a step's hold for the actions of its keys, or of its click.

    Args:
        shortest_ms: hold that the game sees at the rate of its frames: nothing is held for a shorter time.
    """
    hold = {"hold_ms": step.hold_ms}
    return draft.changed(
        actions=[
            action.model_dump() | (hold if (action.keys, action.click) == (step.keys, step.click) else {})
            for action in draft.actions
        ],
        shortest_hold_ms=max(draft.shortest_hold_ms, shortest_ms),
    )


def held_words(tried: Trial, step: PassageStep) -> str:
    """Return the effect of a press of play in words, with a hold longer than a tap."""
    usual = PassageStep.model_fields["hold_ms"].default
    return f"{tried.words}, held for {step.hold_ms} ms" if step.hold_ms > usual else tried.words


def with_pause(draft: Draft, step: PassageStep, paused: Trial) -> Draft:
    """Return the draft with the keys that pause it, and a passage that resumes it by the same keys.

    A pause that hardly changes the picture would be mistaken for play, so it gets no passage. A game that had
    paused itself, because its window lost the focus, resumes by the press, and becomes lighter.
    """
    if paused.after.mean() - paused.before.mean() > _DARKENED:
        paused = replace(paused, before=paused.after, after=paused.before)
    plain = without_passage(draft.with_pause(step.keys), RESUME)
    darkened = levels_apart(paused.before, paused.after) > _DARKENED
    if paused.change < _PAUSE_APART and not darkened:
        return plain
    resumed = rehearsed(plain, RESUME, step, replace(paused, before=paused.after))
    return distinct_from_play(resumed, paused.before)[0]


def distinct_from_play(draft: Draft, play: Pixels) -> tuple[Draft, list[str]]:
    """Return the draft with screens that differ from play, and the names of steps that do not.

    Args:
        play: a picture of play, (height, width, 4) uint8, blue first.
    """
    seen, alike, passages = describe(play), [], []
    for passage in draft.passages:
        steps = []
        for number, step in enumerate(passage.steps, start=1):
            screen = picture_of(draft.pictures[step.screen]) if step.screen else None
            apart = change(describe(screen), seen) if screen is not None else 2.0
            if screen is not None and levels_apart(screen, play) > _DARKENED:
                steps.append(step)
            elif apart < _ALIKE:
                alike.append(f"{passage.name}, step {number}")
                steps.append(step.model_copy(update={"screen": ""}))
            else:
                steps.append(step.model_copy(update={"unlike": min(step.unlike, round(_OF_PLAY * apart, 4))}))
        passages.append(passage.model_copy(update={"steps": steps}))
    return without_seen_in(draft.changed(passages=passages), play).tidy(), alike


def shows_start(draft: Draft, pixels: Pixels) -> bool:
    """Return whether a picture looks like the first screen that the draft's start passage leaves.

    Args:
        pixels: (height, width, 4) uint8, blue first.
    """
    start = passage_of(draft, "start")
    if start is None or not start.steps[0].screen:
        return False
    return change(describe(picture_of(draft.pictures[start.steps[0].screen])), describe(pixels)) < _ALIKE


_SUFFIX = "_sign"
_LEVELS = 24
"""A pixel has changed if a channel changed by more than this many levels."""
_MOST_SHARE, _MOST_BOX = 0.15, 0.35
"""Greatest share of the pixels in an overlay, and of the picture in its box."""
_LEAST_PX, _LEAST_CONTRAST = 6, 4.0
_MARGIN_PX = 4
_SAME = 0.8
"""Least correlation at which the overlay counts as seen."""


def with_overlay_sign(draft: Draft, passage: str, tried: Trial, other: Pixels) -> Draft:
    """Return the draft with the picture of an overlay as a sign of the status that a passage leaves.

    Args:
        other: the screen before, or after the press: the difference is the overlay.
    """
    box = _changed(picture_of(small_picture(tried.before)), other, tried.before)
    if box is None:
        return draft
    overlay = tried.before[box.y : box.bottom, box.x : box.right, :3]
    if float(overlay.reshape(-1, 3).std(axis=0).max()) < _LEAST_CONTRAST:
        return draft
    name = identifier(f"{passage}{_SUFFIX}", frozenset(field.name for field in draft.fields))
    file, data = f"templates/{name}.png", cv2.imencode(".png", np.ascontiguousarray(overlay))[1]
    height, width = tried.before.shape[:2]
    margin = 2 * _MARGIN_PX
    wide = Rect(box.x - _MARGIN_PX, box.y - _MARGIN_PX, box.width + margin, box.height + margin)
    place = wide.clipped(width, height).scaled(draft.screen.width / width, draft.screen.height / height)
    field = TemplateField(
        kind="template",
        name=name,
        box=(place.x, place.y, place.width, place.height),
        template=file,
        threshold=_SAME,
    )
    pictures = {**draft.pictures, file: base64.b64encode(data.tobytes()).decode("ascii")}
    made = draft.changed(fields=[*draft.fields, field.model_dump()], pictures=pictures)
    return with_sign(made, name, PASSAGES[passage])


def without_seen_in(draft: Draft, play: Pixels) -> Draft:
    """Return the draft without the overlays that a picture of play shows too."""
    for field in [field for field in draft.fields if isinstance(field, TemplateField)]:
        if field.name.rstrip("_0123456789").endswith(_SUFFIX) and field.template in draft.pictures:
            overlay = picture_of(draft.pictures[field.template])[:, :, :3]
            fits = overlay.shape[0] <= play.shape[0] and overlay.shape[1] <= play.shape[1]
            picture = np.ascontiguousarray(play[:, :, :3])
            if fits and cv2.matchTemplate(picture, overlay, cv2.TM_CCOEFF_NORMED).max() >= _SAME:
                kept = [other.model_dump() for other in draft.fields if other.name != field.name]
                draft = without_signs(draft, field.name).changed(fields=kept).tidy()
    return draft


def picture_of(text: str) -> Pixels:
    """Return a PNG of a draft, base64, as (height, width, 4) uint8, blue first."""
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(text), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None  # the draft's own PNG
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), np.uint8)


def _changed(small: Pixels, other: Pixels, whole: Pixels) -> Rect | None:
    """Return the box where two small pictures differ, in the whole's pixels; None if it is no overlay."""
    if small.shape != other.shape:
        return None
    changed = cv2.absdiff(small[:, :, :3], other[:, :, :3]).max(axis=2) > _LEVELS
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not rows.size or changed.mean() > _MOST_SHARE:
        return None
    left, top = int(columns[0]), int(rows[0])
    part = Rect(left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)
    height, width = whole.shape[:2]
    box = part.scaled(width / small.shape[1], height / small.shape[0]).clipped(width, height)
    share = box.width * box.height / (height * width)
    return box if share <= _MOST_BOX and min(box.width, box.height) >= _LEAST_PX else None
