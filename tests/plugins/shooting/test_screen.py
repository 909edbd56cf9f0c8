"""What the state reader makes of Shooting's own pictures, against the truth; and its rules on them."""

from __future__ import annotations

from math import radians, tan
from pathlib import Path

import pytest
from shooting_truth import Fight
from shooting_world import ROUNDS, TICS_PER_SECOND, Banner, Speed, begin_fight, stand_still
from tests.plugins.shooting.hall import SHOOTING, Hall, hall

from pitwall.core.observations import Value
from pitwall.games.checks.folder import check_game
from pitwall.gsm.rule_module import RuleModule

_LATE_MS = 8
_RADIUS = 20.0
_NAMES = {Speed.SLOW: "marine", Speed.FAST: "demon"}
_ANSWERS = {Banner.BEGIN: "menu", Banner.WON: "won", Banner.DIED: "died", Banner.LATE: "late"}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the engine lays a folder of its own wherever it is started


def expected(fight: Fight) -> list[tuple[float, float]]:
    """Columns where monsters stand, from the truth (90 degrees over 640 columns), and half of their width."""
    ahead = [foe for foe in fight.foes if abs(foe.bearing) < 40]
    return [(320 + 320 * tan(radians(foe.bearing)), 320 * _RADIUS / foe.distance) for foe in ahead]


def test_the_folder_has_no_faults() -> None:
    assert check_game(SHOOTING) == []


@pytest.mark.parametrize("speed", list(Speed))
def test_monsters_are_seen_where_they_are(speed: Speed, tmp_path: Path) -> None:
    mine, other = _NAMES[speed], _NAMES[Speed.FAST if speed is Speed.SLOW else Speed.SLOW]
    looks = seen = 0
    with hall(speed, 5, tmp_path) as here:
        begin_fight(here.game, 5)
        for _ in range(16):
            here.tics(4, right=True)
            here.tics(3)
            values, fight = here.read(), here.fight()
            assert values[f"{other}_x"] is None, values
            assert (values["status"], values["health"], values["ammo"]) == ("playing", fight.health, ROUNDS)
            near = expected(fight)
            if near:
                looks += 1
                x = values[f"{mine}_x"]
                seen += x is not None and any(abs(float(x) - at) < 6 + half for at, half in near)
    assert looks >= 5
    assert seen == looks


@pytest.mark.parametrize("banner", list(Banner))
def test_a_line_across_the_screen_is_read(banner: Banner, tmp_path: Path) -> None:
    with hall(Speed.FAST, 3, tmp_path) as here:
        stand_still(here.game, banner)
        here.tics(12)
        values = here.read()
        assert [name for name in _ANSWERS.values() if values[name]] == [_ANSWERS[banner]]
        assert values["status"] == ("menu" if banner is Banner.BEGIN else "terminal")
        first = here.fight().foes
        here.tics(70)
        assert here.fight().foes == first, "the world stands still"
        here.tics(10, right=True)
        assert here.read()[_ANSWERS[banner]], "whatever is behind it"


def play(here: Hall, seed: int) -> Fight:
    """A fight by the manifest's rules: a key goes down 8 ms after a picture, and the next tic reads it."""
    profile = here.profile
    module = RuleModule(profile.modules[0], frozenset(field.name for field in profile.fields))
    begin_fight(here.game, seed)
    module.begin()
    now_ns, until = 0, {"turn_left": 0, "turn_right": 0, "fire": 0}
    while not here.fight().end:
        values: dict[str, Value] = here.read()
        action = module.act(values, now_ns)
        if action is not None:
            name, _, hold = action.partition("(ms=")
            until[name] = now_ns + int((_LATE_MS + float(hold.rstrip(")") or 60)) * 1e6)
        now_ns += 1_000_000_000 // TICS_PER_SECOND
        left, right, fire = (until[name] > now_ns for name in ("turn_left", "turn_right", "fire"))
        here.tics(1, left=left, right=right, fire=fire)
    return here.fight()


@pytest.mark.parametrize("speed", list(Speed))
def test_the_rules_aim(speed: Speed, tmp_path: Path) -> None:
    with hall(speed, 2, tmp_path) as here:
        fight = play(here, 2)
    assert (fight.end, fight.kills) == ("kills", 3)
    assert fight.ammo >= ROUNDS - 4
