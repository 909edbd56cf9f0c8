"""A model that sees is shown marked targets; an endpoint plays each way of writing a place."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from tests.host.backends.endpoint_server import serving

from pitwall.models.click_test import WINDOWS, click_test
from pitwall.models.host_client import HostClient
from pitwall.models.spec import ModelSpec

Writes = Callable[[float, float, int, int], str]
"""The reply for a target, 0 … 1, in a picture of a size that was sent."""

IMAGE_PX = 960


def _window_of(width: int, height: int) -> tuple[int, int]:
    """Return the size of the window whose picture was sent in this size."""
    for window, _ in WINDOWS:
        scale = min(1.0, IMAGE_PX / max(window))
        if tuple(round(side * scale) for side in window) == (width, height):
            return window
    raise AssertionError((width, height))


def _in_the_window(x: float, y: float, width: int, height: int) -> str:
    window = _window_of(width, height)
    return f"click(x={x * window[0]:.0f}, y={y * window[1]:.0f})"


WAYS: dict[str, tuple[str | None, Writes]] = {
    "pixels": ("sent", lambda x, y, w, h: f'{{"action":"click(x={x * w:.0f}, y={y * h:.0f})"}}'),
    "window": ("window", _in_the_window),
    "box": (
        "sent",
        lambda x, y, w, h: f"[{x * w - 9:.0f}, {y * h - 9:.0f}, {x * w + 9:.0f}, {y * h + 9:.0f}]",
    ),
    "thousand": ("thousand", lambda x, y, _w, _h: f"<point>{x * 1000:.0f} {y * 1000:.0f}</point>"),
    "unit": ("unit", lambda x, y, _w, _h: f"I click({x:.3f}, {y:.3f})"),
    "percent": ("percent", lambda x, y, _w, _h: f'{{"x": "{x * 100:.0f}%", "y": "{y * 100:.0f}%"}}'),
    "blind": (None, lambda _x, _y, w, h: f"click(x={w // 2}, y={h // 2})"),
    "silent": (None, lambda _x, _y, _w, _h: "I see a nice picture."),
}


def _target(body: dict[str, Any]) -> tuple[float, float, int, int]:
    """Find the red circle in the picture that was sent, as a model that sees would."""
    content = body["messages"][-1]["content"]
    url = next(part["image_url"]["url"] for part in content if part["type"] == "image_url")
    data = np.frombuffer(base64.b64decode(url.partition(",")[2]), np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert picture is not None
    red = (picture[:, :, 2] > 180) & (picture[:, :, 0] < 100)
    rows, columns = np.nonzero(red)
    height, width = picture.shape[:2]
    return columns.mean() / width, rows.mean() / height, width, height


def _answer(text: str) -> tuple[int, Any]:
    return 200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with HostClient(tmp_path_factory.mktemp("logs")) as client:
        yield client


@pytest.mark.parametrize("way", WAYS)
def test_the_scale_of_a_models_clicks_is_found(
    client: HostClient, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    scale, writes = WAYS[way]
    asked: list[tuple[int, int]] = []
    with serving() as endpoint:
        endpoint.way = lambda body: _answer(writes(*_target(body)))
        spec = ModelSpec(name="far", kind="remote", url=endpoint.address, remote_model="m", sees=True)
        test = click_test(client, spec, IMAGE_PX, lambda done, most: asked.append((done, most)))
    assert test.scale == scale
    assert (test.hits == 1.0) == (scale is not None)
    assert asked[-1] == (5, 5)
