"""`score-reading`: how many readings of a score are right, as read and as kept, in thirteen drawn games.

Each game is drawn in another font, most with what misleads a reader of text: floating gains, outlines, digits
that move or grow, end screens, a busy ground. A kept reading is right if it is the score that is shown.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.core.observations import Value
from pitwall.engine.perception.text import is_plain_number, text_value
from pitwall.games.schema.fields import TextField
from pitwall.gsm.number_course import NumberCourse
from pitwall.host.backends.ocr import TextRecogniser
from pitwall.models.host_requests import ReadText
from workshop.benchmarks.foreign.drawn_scores import HEIGHT, STYLES, WIDTH, Style, drawn_scores
from workshop.benchmarks.report import check, figure, report

_FIELD = TextField(kind="text", name="score", box=(0, 0, WIDTH, HEIGHT), number=True)
_AIM = 99.0


def run(*, quick: bool, seed: int = 3, **_: Any) -> dict[str, Any]:
    """Read every drawn game, and report the share of right readings before and after judging them."""
    recogniser, seconds = TextRecogniser(), 15.0 if quick else 60.0
    rows = {style.name: _measured(style, recogniser, seconds, seed) for style in STYLES}
    shares = {}
    for name in ("read", "kept"):
        right, known = (sum(row[name][part] for row in rows.values()) for part in (0, 1))
        shares[name] = 100.0 * right / max(1, known)
    checks = [
        check("right of kept", "%", figure(shares["kept"]), aim="≥ 99 %", met=shares["kept"] >= _AIM),
        check("right of all read", "%", figure(shares["read"]), aim="as it was", met=True),
    ]
    load = round(os.getloadavg()[0], 1)
    return report("score-reading", checks, seconds=seconds, seed=seed, games=rows, load=load)


def _measured(
    style: Style, recogniser: TextRecogniser, seconds: float, seed: int
) -> dict[str, tuple[int, int]]:
    """Return right and known readings, as read and as kept."""
    course, shown = NumberCourse(), None
    read: list[bool] = []
    kept: list[bool] = []
    look = functools.partial(_read, recogniser)
    for drawn in drawn_scores(style, seconds, seed):
        shown = shown if drawn.score is None else drawn.score
        text, sure = look(drawn.picture)
        value = text_value(_FIELD, text)
        read += [value == shown] if value is not None else []
        plain: Value = value if is_plain_number(_FIELD, text) else None
        judged = course.judge(plain, sure, int((drawn.at_s + 1) * NS_PER_S))
        kept += [judged == shown] if judged is not None else []
    return {"read": (sum(read), len(read)), "kept": (sum(kept), len(kept))}


def _read(recogniser: TextRecogniser, picture: np.ndarray) -> tuple[str, float]:
    request = ReadText(request_id=1, width=WIDTH, height=HEIGHT)
    answer = recogniser.read(request, np.ascontiguousarray(picture).tobytes())
    return answer.text, answer.confidence
