"""Makes a sign of what lies over play at its end: "GAME OVER" is known, whatever stands behind it."""

from __future__ import annotations

import base64

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.input_trial import Trial, small_picture
from pitwall.games.drafting.draft import Draft, identifier
from pitwall.games.drafting.signs import PASSAGES, with_sign, without_signs
from pitwall.games.schema.fields import TemplateField

_SUFFIX = "_sign"
_LEVELS = 24
"""A pixel has changed where a channel did by more than so many grey levels."""
_MOST_SHARE, _MOST_BOX = 0.15, 0.35
"""What changed is an overlay up to this share of the pixels, and in a box up to this share of the picture."""
_LEAST_PX, _LEAST_CONTRAST = 6, 4.0
_MARGIN_PX = 4
_SAME = 0.8
"""Correlation from which the overlay counts as seen."""


def with_overlay_sign(draft: Draft, passage: str, tried: Trial, other: Pixels) -> Draft:
    """The draft with the picture of an overlay as a sign of the status that a passage leaves.

    Args:
        other: the screen before, or after the press: what differs from it is the overlay.
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
    """The draft without those overlays that a picture of play shows as well."""
    for field in [one for one in draft.fields if isinstance(one, TemplateField)]:
        if field.name.rstrip("_0123456789").endswith(_SUFFIX) and field.template in draft.pictures:
            overlay = picture_of(draft.pictures[field.template])[:, :, :3]
            fits = overlay.shape[0] <= play.shape[0] and overlay.shape[1] <= play.shape[1]
            picture = np.ascontiguousarray(play[:, :, :3])
            if fits and cv2.matchTemplate(picture, overlay, cv2.TM_CCOEFF_NORMED).max() >= _SAME:
                kept = [one.model_dump() for one in draft.fields if one.name != field.name]
                draft = without_signs(draft, field.name).changed(fields=kept).tidy()
    return draft


def picture_of(text: str) -> Pixels:
    """A PNG of a draft, base64, as (height, width, 4) uint8, blue first."""
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(text), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None  # the draft's own PNG
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), np.uint8)


def _changed(one: Pixels, other: Pixels, whole: Pixels) -> Rect | None:
    """The box of what differs between two small pictures, in pixels of the whole; None: it is no overlay."""
    if one.shape != other.shape:
        return None
    changed = cv2.absdiff(one[:, :, :3], other[:, :, :3]).max(axis=2) > _LEVELS
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not rows.size or changed.mean() > _MOST_SHARE:
        return None
    left, top = int(columns[0]), int(rows[0])
    small = Rect(left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)
    height, width = whole.shape[:2]
    box = small.scaled(width / one.shape[1], height / one.shape[0]).clipped(width, height)
    share = box.width * box.height / (height * width)
    return box if share <= _MOST_BOX and min(box.width, box.height) >= _LEAST_PX else None
