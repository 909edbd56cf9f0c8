"""The sieve for transparent pictures against the whole correlation: no place is lost, none invented."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.core.frames import Pixels
from pitwall.engine.perception.picture_search import Finder, Picture
from pitwall.engine.perception.templates import Template


def _drawn(seed: int, side: int) -> Template:
    """A sign of few colours inside an irregular outline."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 4, (side // 3, side // 3))
    shades = rng.integers(0, 256, (4, 3), dtype=np.uint8)
    pixels = np.asarray(cv2.resize(shades[small], (side, side), interpolation=cv2.INTER_NEAREST), np.uint8)
    mask = np.zeros((side, side), np.uint8)
    cv2.circle(mask, (side // 2, side // 2), side // 2 - 1, 255, -1)
    return Template(pixels, mask)


def _whole(template: Template, picture: Pixels, threshold: float) -> dict[tuple[int, int], float]:
    """Score of every place that counts, by comparing all pixels at all places."""
    assert template.mask is not None
    inside = template.mask > 0
    width, height = template.size
    places = {}
    for y in range(picture.shape[0] - height + 1):
        for x in range(picture.shape[1] - width + 1):
            window = picture[y : y + height, x : x + width][inside].astype(float)
            score = 1 - np.sqrt(np.square(window - template.pixels[inside]).mean()) / 128
            if score >= threshold:
                places[(x, y)] = float(score)
    return places


@given(
    seed=st.integers(0, 1000),
    places=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), max_size=3),
    noise=st.sampled_from([0, 4, 9, 14]),
    threshold=st.sampled_from([0.8, 0.9, 0.93, 0.99]),
)
@settings(max_examples=30, deadline=None)
def test_every_place_is_found_with_its_score(
    seed: int, places: list[tuple[int, int]], noise: int, threshold: float
) -> None:
    template = _drawn(seed, 18)
    assert template.mask is not None
    rng = np.random.default_rng(seed + 1)
    blocks = rng.integers(0, 256, (8, 20, 3), dtype=np.uint8)
    picture = np.asarray(cv2.resize(blocks, (80, 32), interpolation=cv2.INTER_NEAREST), np.uint8)
    for x, y in places:
        picture[y : y + 18, x : x + 18][template.mask > 0] = template.pixels[template.mask > 0]
    spread = rng.normal(0, noise, picture.shape)
    picture = np.clip(picture + spread, 0, 255).astype(np.uint8)
    scores = {(x, y): score for x, y, score in Finder(template, threshold).find(Picture(picture))}
    expected = _whole(template, picture, threshold)
    assert scores.keys() == expected.keys()
    assert all(scores[place] == pytest.approx(score, abs=1e-3) for place, score in expected.items())


@given(
    seed=st.integers(0, 1000), side=st.sampled_from([9, 12, 18]), threshold=st.sampled_from([0.7, 0.8, 0.9])
)
@settings(max_examples=60, deadline=None)
def test_a_place_that_just_reaches_the_threshold_is_kept(seed: int, side: int, threshold: float) -> None:
    """All of the difference that the threshold allows stands in as few pixels as can hold it."""
    template = _drawn(seed, side)
    assert template.mask is not None
    inside = np.argwhere(template.mask > 0)
    allowed = 3.0 * len(inside) * (128 * (1 - threshold)) ** 2
    picture = template.pixels.copy()
    for y, x in np.random.default_rng(seed).permutation(inside):
        far = np.where(template.pixels[y, x] < 128, 255, 0)
        allowed -= float(np.square(far - template.pixels[y, x].astype(float)).sum())
        if allowed < 0:
            break
        picture[y, x] = far
    places = Finder(template, threshold).find(Picture(picture))
    assert [(x, y) for x, y, _ in places] == [(0, 0)]


@pytest.mark.parametrize("level", [0, 60, 255])
def test_a_picture_in_which_every_place_is_alike(level: int) -> None:
    """A flat sign on a flat ground: too many places for the sieve, so all are correlated at once."""
    pixels = np.full((12, 12, 3), level, np.uint8)
    mask = np.zeros((12, 12), np.uint8)
    mask[2:10, 2:10] = 255
    places = Finder(Template(pixels, mask), 0.9).find(Picture(np.full((40, 60, 3), level, np.uint8)))
    assert len(places) == 29 * 49
    assert min(score for _, _, score in places) > 0.99


@pytest.mark.parametrize("masked", [True, False])
def test_a_picture_smaller_than_what_is_looked_for(masked: bool) -> None:
    template = _drawn(1, 18)
    finder = Finder(template if masked else Template(template.pixels, None), 0.9)
    assert finder.find(Picture(np.zeros((17, 80, 3), np.uint8))) == []


def test_a_whole_picture_is_found_where_it_stands(doom: Callable[[str], Pixels]) -> None:
    pixels = np.ascontiguousarray(doom("start")[..., :3])
    finder = Finder(Template(pixels[408:448, 61:87].copy(), None), 0.95)
    zeros = [(x, y) for x, y, _ in finder.find(Picture(pixels[400:460, 0:200].copy()))]
    assert zeros == [(61, 8), (127, 8), (153, 8)]
