"""A person's motion in whole units: nothing of a slow one is lost."""

from __future__ import annotations

from pitwall.desktops.x11.travel import Travel


def test_fractions_add_up_over_many_looks_at_the_mouse() -> None:
    travel = Travel()
    taken = []
    for _ in range(100):
        travel.add(0.3, -0.04)
        assert travel.moved
        taken.append(travel.take())
    assert not travel.moved
    assert (sum(right for right, _ in taken), sum(down for _, down in taken)) == (30, -4)
    travel.add(0.4, 0.4)
    travel.forget()
    travel.add(0.2, 0.2)
    assert travel.take() == (0, 0)
