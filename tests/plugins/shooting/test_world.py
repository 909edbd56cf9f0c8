"""The hall's rules: which monsters come, what a seed decides, that six rounds ask for aim."""

from __future__ import annotations

from pathlib import Path

import pytest
from shooting_game import own_folder
from shooting_truth import Fight
from shooting_world import ROUNDS, SECONDS, TICS_PER_SECOND, Speed, begin_fight
from tests.plugins.shooting.hall import hall


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def course(speed: Speed, seed: int, folder: Path, tics: int = 60) -> Fight:
    with hall(speed, seed, folder) as here:
        begin_fight(here.game, seed)
        here.tics(tics)
        return here.fight()


@pytest.mark.parametrize("speed", list(Speed))
def test_five_monsters_of_one_kind_come_nearer(speed: Speed, tmp_path: Path) -> None:
    with hall(speed, 1, tmp_path) as here:
        begin_fight(here.game, 1)
        begun = here.fight()
        here.tics(2 * TICS_PER_SECOND)
        later = here.fight()
    kinds = {"Demon", "PitwallFast"} if speed is Speed.FAST else {"MarineChainsawVzd", "PitwallSlow"}
    assert {foe.name for foe in begun.foes} == kinds
    assert len(begun.foes) == len(later.foes) == 5
    walked = (sum(foe.distance for foe in begun.foes) - sum(foe.distance for foe in later.foes)) / 10
    assert 30 < walked < 100 if speed is Speed.SLOW else 120 < walked < 220
    assert (begun.ammo, begun.health, begun.kills) == (ROUNDS, 100, 0)


def test_a_seed_decides_the_fight(tmp_path: Path) -> None:
    first = course(Speed.SLOW, 7, tmp_path)
    assert course(Speed.SLOW, 7, tmp_path) == first
    assert course(Speed.SLOW, 8, tmp_path).angle != first.angle


def test_who_does_nothing_dies_and_nothing_follows(tmp_path: Path) -> None:
    with hall(Speed.FAST, 4, tmp_path) as here:
        begin_fight(here.game, 4)
        while not here.fight().end:
            here.tics(1)
        assert (here.fight().end, here.fight().health) == ("death", 0)
        assert here.fight().tics < SECONDS * TICS_PER_SECOND


def test_turning_and_firing_blindly_does_not_win(tmp_path: Path) -> None:
    with hall(Speed.FAST, 6, tmp_path) as here:
        begin_fight(here.game, 6)
        while not here.fight().end:
            here.tics(1, right=True, fire=True)
        assert (here.fight().end, here.fight().ammo) == ("death", 0)


def test_folders_of_engines_that_were_killed_are_cleared_away(tmp_path: Path) -> None:
    old = tmp_path / "engine-999999999"
    old.mkdir()
    (old / "engine.ini").write_text("x")
    mine = own_folder(tmp_path)
    assert mine.is_dir()
    assert not old.exists()
