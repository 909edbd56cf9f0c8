"""Shows a model a few pictures with a marked target and asks it to click: its answers tell its scale."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import RequestFailed
from pitwall.core.prompts import Layer, Message, Span
from pitwall.models.click_scale import Aim, ClickTest, scale_of
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Complete, Completed
from pitwall.models.replies.written_places import written_place
from pitwall.models.spec import ModelSpec

WINDOWS = (
    ((640, 480), (0.75, 0.3)),
    ((1240, 700), (0.75, 0.8)),
    ((480, 800), (0.3, 0.8)),
    ((1920, 1080), (0.85, 0.25)),
    ((1600, 1200), (0.2, 0.7)),
)
"""Sizes of windows, and where each target is, 0 … 1: apart enough that no two scales agree."""
_RADIUS = 0.035
_BACK, _THING, _TARGET, _CROSS = (60, 40, 30), (150, 110, 70), (40, 40, 230), (255, 255, 255)
"""Colours, blue first."""
_ASK = (
    "This picture is {width} by {height} pixels. Click the middle of the red circle with the white cross. "
    'Reply with one JSON object and nothing else: {{"action":"click(x=..., y=...)"}}\n'
)
_SLOT, _MOST_TOKENS, _THINKING, _DEADLINE_MS = "probe", 64, 2048, 120_000


def click_test(
    client: HostClient, spec: ModelSpec, longest_px: int, progress: Callable[[int, int], None]
) -> ClickTest:
    """Ask a model that sees to click a marked target in each of a few pictures.

    Args:
        longest_px: longest side of a picture that is sent (models.image_px).

    Raises:
        RequestFailed: it could not be asked. ChildDied: it killed the host.
    """
    aims: list[Aim] = []
    for number, (window, target) in enumerate(WINDOWS):
        progress(number, len(WINDOWS))
        picture, sent = target_picture(window, target, longest_px)
        reply = _reply(client, spec, _ASK.format(width=sent[0], height=sent[1]), picture)
        aims.append(Aim(window, sent, target, written_place(reply)))
    progress(len(WINDOWS), len(WINDOWS))
    scale, hits = scale_of(aims)
    return ClickTest(scale=scale, hits=hits, at=datetime.now(UTC).isoformat(timespec="seconds"))


def target_picture(
    window: tuple[int, int], target: tuple[float, float], longest_px: int
) -> tuple[bytes, tuple[int, int]]:
    """Return a picture with a marked target as PNG, and its size; it is shrunk as a game's picture is."""
    scale = min(1.0, longest_px / max(window))
    width, height = (max(1, round(side * scale)) for side in window)
    pixels: NDArray[np.uint8] = np.full((height, width, 3), _BACK, np.uint8)
    for x, y in ((0.1, 0.1), (0.55, 0.15), (0.5, 0.6), (0.1, 0.5)):
        corner = (round(x * width), round(y * height))
        cv2.rectangle(pixels, corner, (corner[0] + width // 12, corner[1] + height // 12), _THING, -1)
    place, radius = (round(target[0] * width), round(target[1] * height)), round(_RADIUS * max(width, height))
    cv2.circle(pixels, place, radius, _TARGET, -1)
    cv2.drawMarker(pixels, place, _CROSS, cv2.MARKER_CROSS, radius, 2)
    return cv2.imencode(".png", pixels)[1].tobytes(), (width, height)


def _reply(client: HostClient, spec: ModelSpec, text: str, picture: bytes) -> str:
    """Return the reply to a picture; empty where it wrote nothing."""
    message = Message(role="user", spans=(Span(layer=Layer.STATE, text=text),), image=True)
    for most in (_MOST_TOKENS, _THINKING):
        request = Complete(
            request_id=client.number(),
            model=spec,
            messages=(message,),
            slot=_SLOT,
            max_tokens=most,
            deadline_ms=_DEADLINE_MS,
            stream=False,
        )
        try:
            return client.answer(request, picture, kind=Completed).text
        except RequestFailed as error:
            if error.error == "EmptyReply":
                return ""
            if error.error != "ThoughtOnly" or most == _THINKING:
                raise
    return ""
