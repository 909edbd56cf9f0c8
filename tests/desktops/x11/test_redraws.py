"""What counts as a redraw that nobody read."""

from __future__ import annotations

import pytest

from pitwall.desktops.x11.capture import RedrawCount


@pytest.mark.parametrize(
    ("times_ms", "overwritten"),
    [
        ([], 0),
        ([100], 0),
        ([100, 100, 101, 102], 0),
        ([100, 116], 1),
        ([100, 101, 116, 117, 133], 2),
        ([100, 103], 1),
        ([100, 102, 104, 106, 108], 0),
        ([2**32 - 2, 14], 1),
        ([2**32 - 1, 0], 0),
    ],
)
def test_redraws_are_told_apart_by_time(times_ms: list[int], overwritten: int) -> None:
    redraws = RedrawCount()
    for at_ms in times_ms:
        redraws.note(at_ms)
    assert redraws.overwritten() == overwritten
    assert redraws.overwritten() == 0


def test_the_rest_of_a_redraw_that_was_read_half_way_is_not_counted_again() -> None:
    redraws = RedrawCount()
    redraws.note(100)
    assert redraws.overwritten() == 0
    redraws.note(101)
    redraws.note(116)
    assert redraws.overwritten() == 0
