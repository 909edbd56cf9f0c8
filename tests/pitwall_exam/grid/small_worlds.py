"""Traces drawn by hand: one row of text a state, so that a test shows what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.pitwall_exam.grid_world import WORDS

from pitwall_exam.episode.states import GridState, Tile
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.grid.inventory import grid_inventory
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import Template, Truth

SIGNS = {".": "grass", ":": "sand", "~": "water", "#": "stone", "T": "tree", "!": "lava", "c": "coal"}
TEMPLATES: dict[str, Template[GridState]] = {
    template.name: template for template in grid_inventory(WORDS).templates
}


def ask(trace: Trace[GridState], template: str, **slots: str | int) -> tuple[str, ...]:
    """The right answers of a template."""
    return find(trace, template, slots).answers


def find(trace: Trace[GridState], template: str, slots: Slots) -> Truth:
    """What a template finds; its question must read back as it was meant."""
    form = TEMPLATES[template].form
    assert form.read(form.ask(slots)) == slots
    return TEMPLATES[template].find(trace, slots)


def seen(*rows: str, at: Tile = (0, 0)) -> dict[Tile, str]:
    """Tiles of a drawing: @ is oneself, standing at `at` on grass; blanks are not known."""
    mid = next((x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "@")
    tiles = {
        (at[0] + x - mid[0], at[1] + y - mid[1]): SIGNS[sign]
        for y, row in enumerate(rows)
        for x, sign in enumerate(row)
        if sign in SIGNS
    }
    return {**tiles, at: "grass"}


def state(
    at: Tile | None = (0, 0),
    *rows: str,
    health: int = 9,
    food: int = 9,
    drink: int = 9,
    energy: int = 9,
    items: Mapping[str, int] | None = None,
    ground: str = "grass",
    dead: bool = False,
) -> GridState:
    """A state; without rows nothing is in sight."""
    stats = {"health": health, "food": food, "drink": drink, "energy": energy}
    tiles = seen(*rows, at=at) if rows and at is not None else {}
    return GridState(at, ground, "down", stats, dict(items or {}), tiles, dead=dead)


def trace(
    states: Sequence[GridState], actions: Sequence[str] = (), reasons: Sequence[str] = ()
) -> Trace[GridState]:
    """One moment between each two states; actions and reasons default to waiting and none."""
    moments = [
        Moment(
            step,
            actions[step - 1] if step <= len(actions) else "wait_turn",
            reasons[step - 1] if step <= len(reasons) else "",
            states[step - 1],
            states[step],
        )
        for step in range(1, len(states))
    ]
    return Trace(moments, ended="death" if states and states[-1].dead else "")
