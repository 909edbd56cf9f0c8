"""A window's enlarged picture in the game's own pixels, and the patches of a colour in it."""

from __future__ import annotations

import numpy as np

from pitwall.games.native_picture import among, native, patches


def test_an_enlarged_picture_is_read_as_it_was_drawn() -> None:
    drawn = np.zeros((210, 160, 4), np.uint8)
    drawn[10:14, 20:22, :3] = (1, 2, 3)  # blue, green, red
    drawn[14, 22, :3] = (1, 2, 3)  # touches by a corner
    drawn[100:103, 50:58, :3] = (4, 5, 6)
    shown = np.repeat(np.repeat(drawn, 3, axis=0), 3, axis=1)
    shown[..., 3] = 255  # what stands in the fourth byte is no colour
    picture = native(shown)
    assert (picture == native(drawn)).all()
    (small,) = patches(picture, 0x030201)
    assert (small.left, small.right, small.top, small.bottom, small.area) == (20, 22, 10, 14, 9)
    assert [patch.area for patch in patches(picture, 0x030201, 0x060504)] == [24, 9]
    (cut,) = patches(picture, 0x060504, box=(52, 0, 160, 210))
    assert (cut.left, cut.x, cut.y) == (52, 54.5, 101)
    assert patches(picture, 0x777777) == []
    odd = np.repeat(drawn, 2, axis=1)[:, :-1]  # no whole scale
    assert (native(odd)[:, :150] == picture[:, :150]).all()


def test_one_of_a_few_colours_is_told_as_numpy_tells_it() -> None:
    picture = np.random.default_rng(1).integers(0, 6, (21, 16)).astype(np.int32)
    assert (among(picture, (1, 4)) == np.isin(picture, (1, 4))).all()
    assert not among(picture, ()).any()
