"""Computes the state reader's fields from a fight, without drawing a picture, for the twin.

The lengths of the gauges are declared here once, for the art that draws them and the fields that are read
from them (`plugin.toml`); a test compares both on rendered frames.
"""

from __future__ import annotations

import math

from arena_rules import Fight
from arena_tables import SCENARIOS

GAUGE_PX = 2
"""Length of a gauge, in pixels for each frame that it stands for."""
SIGNS = ("slash", "leap", "charge")
MOST_FOES = max(len(line.foes) for line in SCENARIOS.values())
FOE_BAR_PX = 200
TRUTHS = ("phase_two", *SIGNS)
"""Fields that are true or false."""
FIELDS = (
    "health",
    "stamina",
    "potions",
    "foe_health",
    "foes",
    "phase_two",
    "hero_x",
    "foe_x",
    "gap",
    "distance",
    *SIGNS,
    "windup",
    "strike",
    "opening",
    "busy",
)


def foe_bar_px(fight: Fight) -> int:
    """Return the length of the foe's health bar: at least a pixel while the foe lives."""
    foe = fight.foe
    return -(-foe.health * FOE_BAR_PX // foe.kind.health)


def windup_frames(fight: Fight) -> int:
    """Return the frames until the foe strikes; 0 where it is not winding up."""
    foe = fight.foe
    return foe.length - foe.frame if foe.stage == "windup" else 0


def strike_frames(fight: Fight) -> int:
    """Return the frames that its strike may still last; 0 where it is not striking."""
    foe = fight.foe
    return foe.length - foe.frame if foe.stage == "strike" else 0


def opening_frames(fight: Fight) -> int:
    """Return the frames that its opening still lasts; 0 where it has none."""
    foe = fight.foe
    return foe.length - foe.frame if foe.stage in ("recover", "stagger") else 0


def sign_of(fight: Fight) -> str:
    """Return the sign over the foe's head; empty for none."""
    foe = fight.foe
    return foe.attack.sign if foe.attack is not None and foe.stage in ("windup", "strike") else ""


def seen(fight: Fight) -> dict[str, float | bool]:
    """Return every field of a running fight, NaN where the reader reads none (see FIELDS).

    A field that the reader reads as true or false is a bool here, too, because a state vector treats them
    apart.
    """
    hero, foe = fight.hero, fight.foe
    there = foe.stage != "fallen"
    foe_x = float(foe.x) if there else math.nan
    sign = sign_of(fight)
    return {
        "health": float(hero.health),
        "stamina": float(hero.stamina),
        "potions": float(hero.potions),
        "foe_health": 100.0 * foe_bar_px(fight) / FOE_BAR_PX,
        "foes": float(fight.foes_left),
        "phase_two": foe.phase > 0,
        "hero_x": float(hero.x),
        "foe_x": foe_x,
        "gap": foe_x - hero.x,
        "distance": abs(foe_x - hero.x),
        "slash": sign == "slash",
        "leap": sign == "leap",
        "charge": sign == "charge",
        "windup": float(windup_frames(fight)),
        "strike": float(strike_frames(fight)),
        "opening": float(opening_frames(fight)),
        "busy": float(hero.busy),
    }
