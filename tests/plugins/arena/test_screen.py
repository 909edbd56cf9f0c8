"""What the state reader makes of Arena's own pictures, and whether the headless twin says the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import arena_tables as tables
import numpy as np
import pygame
import pytest
from arena_art import Painter
from arena_fields import FIELDS, seen
from arena_game import Phase, Pressed, Session, paint, true_state
from arena_keys import ACTIONS, Keys
from arena_twin import STEP_FRAMES, ArenaTwin, make_twin
from tests.plugins.arena.players import anything, field_values, good

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.checks.folder import check_game
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile
from pitwall.gsm.state_space import StateSpace
from pitwall_lab.environments.twin import values_of

ARENA = Path(__file__).resolve().parents[3] / "plugins" / "arena"
Read = Callable[[Pixels], dict[str, Value]]


@pytest.fixture(scope="module")
def profile() -> Profile:
    return load_profile(ARENA)


@pytest.fixture(scope="module")
def surface() -> pygame.Surface:
    return pygame.Surface((tables.WIDTH, tables.HEIGHT))


@pytest.fixture(scope="module")
def read(profile: Profile) -> Read:
    reader = StateReader(profile, ARENA)

    def now(pixels: Pixels) -> dict[str, Value]:
        frame = Frame(
            frame_id=1,
            captured_ns=0,
            ready_ns=0,
            pixels=pixels,
            window=Rect(0, 0, tables.WIDTH, tables.HEIGHT),
        )
        return {name: reading.value for name, reading in reader.read(frame, None).items()}

    return now


def pixels_of(surface: pygame.Surface) -> Pixels:
    return bgrx(pygame.surfarray.array3d(surface).transpose(1, 0, 2))


def bgrx(colours: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Pixels:
    pixels = np.zeros((*colours.shape[:2], 4), np.uint8)
    pixels[..., :3] = colours[..., ::-1]
    return pixels


def test_the_folder_has_no_faults() -> None:
    assert check_game(ARENA) == []


@pytest.mark.parametrize(("scenario", "seed"), [("boss", 5), ("boss", 11), ("mobs", 3), ("hard_mobs", 4)])
def test_every_field_is_read_as_it_is(surface: pygame.Surface, read: Read, scenario: str, seed: int) -> None:
    """Through whole fights, a frame in three: exactly, in every stage of every attack."""
    painter, keys = Painter(surface), Keys()
    session = Session(seed, scenario)
    session.step(Pressed(start=True))
    stages = set()
    players = (good, anything(seed))
    while session.phase is Phase.PLAYING:
        foe = session.fight.foe
        stages.add((foe.stage, foe.attack.sign if foe.attack else ""))
        if session.frames % 3 == 0:
            paint(painter, session)
            values = read(pixels_of(surface))
            true = field_values(session.fight)
            assert {name: values[name] for name in FIELDS} == {name: true[name] for name in FIELDS}
        keys.act(players[session.frames % 400 > 330](field_values(session.fight)))
        session.step(Pressed(*keys.frame()))
    assert {"enter", "pace", "windup", "strike", "recover"} <= {stage for stage, _ in stages}
    if scenario == "boss":
        assert {("strike", sign) for sign in ("slash", "leap", "charge")} <= stages


def test_menu_fight_pause_and_end_are_told_apart(
    surface: pygame.Surface, read: Read, profile: Profile
) -> None:
    painter, session = Painter(surface), Session(seed=2)
    expected = {
        Phase.MENU: GameStatus.MENU,
        Phase.PLAYING: GameStatus.PLAYING,
        Phase.PAUSED: GameStatus.PAUSED,
        Phase.TERMINAL: GameStatus.TERMINAL,
    }
    shown = set()
    for frame in range(1200):
        if frame in (5, 14, 60, 1100):
            session.pause()
        session.step(Pressed(start=frame == 10))
        if frame % 7 == 0 or session.phase not in shown:
            paint(painter, session)
            assert status(profile.status, read(pixels_of(surface))) is expected[session.phase]
            shown.add(session.phase)
    assert shown == set(Phase)


def test_a_fight_begins_again_once_its_end_was_shown() -> None:
    session = Session(seed=4)
    session.step(Pressed(start=True))
    first = session.fight.seed
    while session.phase is Phase.PLAYING:
        session.step(Pressed())
    session.step(Pressed(start=True))
    assert session.phase is Phase.TERMINAL
    for _ in range(25):
        session.step(Pressed(start=True))
    assert (session.phase, session.fights) == (Phase.PLAYING, 2)
    assert session.fight.seed != first
    state = true_state(session)
    assert state["seed"] == 4
    assert state["raw"] == {
        "scenario": "boss",
        "frame": session.fight.frame,
        "fight_seed": session.fight.seed,
    }


# ---- the twin


@pytest.mark.parametrize("scenario", sorted(tables.SCENARIOS))
def test_the_twin_sees_what_the_reader_reads_of_its_pictures(
    read: Read, profile: Profile, scenario: str
) -> None:
    spaces = [StateSpace(module.learned.state) for module in profile.modules if module.learned is not None]
    assert len(spaces) == 2
    twin = make_twin(module="boss", scenario=scenario, actions=tuple(ACTIONS), render=True)
    observation, _ = twin.reset(seed=7)
    names, player = list(ACTIONS), anything(7)
    for _ in range(250):
        values = values_of(observation)
        picture = read(bgrx(twin.render()))
        assert {name: picture[name] for name in FIELDS} == {name: values[name] for name in FIELDS}
        assert all(np.array_equal(space.encode(picture), space.encode(values)) for space in spaces)
        observation, _, done, _, info = twin.step(names.index(player(values)))
        if done:
            assert info["outcome"] == "loss"
            break


def test_the_twin_is_a_gymnasium_environment_and_repeats_by_seed() -> None:
    twin = make_twin(module="boss", scenario="", actions=("", "move_right", "light"), render=False)
    assert twin.metadata["step_ms"] == pytest.approx(1000 * STEP_FRAMES / tables.FRAMES_PER_SECOND)

    def played() -> list[tuple[float, ...]]:
        observation, _ = twin.reset(seed=9)
        rows = []
        for step in range(120):
            assert twin.observation_space.contains({**observation, **as_arrays(observation)})
            observation, *_ = twin.step(step % 3)
            rows.append(tuple(observation[name] for name in FIELDS))
        return rows

    first = played()
    assert np.array_equal(first, played(), equal_nan=True)


def as_arrays(observation: dict[str, object]) -> dict[str, object]:
    return {
        name: int(value) if isinstance(value, bool) else np.asarray(value, np.float64)
        for name, value in observation.items()
        if name != "status"
    }


def test_a_held_arrow_lasts_from_one_step_into_the_next() -> None:
    twin = ArenaTwin("boss", ("", "move_left", "move_right"), render=False)
    observation, _ = twin.reset(seed=1)
    start = observation["hero_x"]
    xs = [twin.step(action)[0]["hero_x"] - start for action in (2, 2, 0, 0, 1)]
    assert xs == [8, 16, 20, 20, 12]


@pytest.mark.parametrize(("scenario", "actions"), [("nobody", ("",)), ("boss", ("", "jump"))])
def test_the_twin_refuses_what_the_game_has_not(scenario: str, actions: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"Arena has no"):
        make_twin(module="boss", scenario=scenario, actions=actions, render=False)


def test_every_action_of_the_modules_is_known_to_the_keys(profile: Profile) -> None:
    for module in profile.modules:
        assert module.learned is not None
        assert set(module.learned.actions) <= set(ACTIONS)
        twin = make_twin(module=module.name, scenario="", actions=module.learned.actions, render=False)
        observation, _ = twin.reset(seed=1)
        space = StateSpace(module.learned.state)
        assert space.fields <= observation.keys()
        assert np.isfinite(space.encode(values_of(observation))).all()


def test_a_foe_that_is_gone_reads_none() -> None:
    session = Session(1, "mobs")
    fight = session.fight
    fight.foe.health = 0
    fight.foe.begin("fallen", 20)
    fields = seen(fight)
    assert math.isnan(fields["foe_x"])
    assert math.isnan(fields["gap"])
    assert fields["foe_health"] == 0
