"""Opens a registered Gymnasium environment, with a clear error for everything that can be wrong with it."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError, nearest
from pitwall_environments.gym.pictures import rgb_picture

HINT = "Install it: installer/extra gym"
FAMILIES = ("ALE", "MiniGrid", "BabyAI")
"""Families of environments that `installer/extra gym` installs."""
_ATARI_SKIP, _ATARI_HZ = 4, 60.0
"""Frames that an action of an Atari game lasts, and frames a second (Machado et al., 2018)."""


class EnvironmentFault(PitwallError):
    """An environment is unknown, cannot be made, or failed."""


def family_of(env_id: str) -> str:
    """Return the family of an id: "ALE" of ALE/Pong-v5, "MiniGrid" of MiniGrid-Empty-5x5-v0; else ""."""
    return next((name for name in FAMILIES if env_id.startswith((f"{name}/", f"{name}-"))), "")


def ids_of(family: str) -> list[str]:
    """Return every id of a family, each in its newest version.

    Raises:
        EnvironmentFault: its package is not installed, or there is no such family.
    """
    _register(family)
    newest = {
        spec.name: spec.id
        for spec in sorted(gymnasium.registry.values(), key=lambda spec: spec.version or 0)
        if family_of(spec.id) == family
    }
    ids = sorted(newest.values())
    if not ids:
        raise EnvironmentFault(
            f"there is no family of environments {family!r}.", f"Families: {', '.join(FAMILIES)}."
        )
    return ids


def open_environment(env_id: str) -> gymnasium.Env[Any, Any]:
    """Make an environment that renders its pictures as arrays.

    An Atari game runs frame by frame: the window shows each frame, and the game holds an action for as many
    frames as
    its environment skips.

    Args:
        env_id: as registered; `module:ID` if a module of another package registers it.

    Raises:
        EnvironmentFault: it is unknown, its package is missing, or it cannot be made.
    """
    _register(family_of(env_id))
    atari = {"frameskip": 1} if family_of(env_id) == "ALE" else {}
    try:
        if atari:
            _require_rom(env_id)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return gymnasium.make(env_id, render_mode="rgb_array", disable_env_checker=True, **atari)
    except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
        near = nearest(env_id, list(gymnasium.registry))
        hint = f"Did you mean {near}?" if near else "If another package registers it, write MODULE:ID."
        raise EnvironmentFault(f"there is no environment {env_id!r} ({first_line(error)}).", hint) from None
    except EnvironmentFault:
        raise
    except ModuleNotFoundError as error:
        missing = error.name or env_id.partition(":")[0]
        raise EnvironmentFault(
            f"the module {missing!r} is not installed.", f"{HINT}, or the package that has it."
        ) from None
    except (Exception, SystemExit) as error:  # the environment's own code may raise anything
        raise EnvironmentFault(f"{env_id} cannot be made: {first_line(error)}.", HINT) from None


def _require_rom(env_id: str) -> None:
    """Check that an Atari game's ROM exists, because without it the emulator would end the whole program.

    Raises:
        EnvironmentFault: it is missing. gymnasium.error.UnregisteredEnv: there is no such environment.
    """
    import ale_py.roms

    name = str(gymnasium.spec(env_id).kwargs["game"])
    path = ale_py.roms.get_rom_path(name)
    if path is None or not path.is_file():
        raise EnvironmentFault(f"the ROM {name}.bin of {env_id} is missing.", HINT)


def frames_of(env: gymnasium.Env[Any, Any]) -> tuple[int, float]:
    """Return how many frames an action lasts, and how many frames pass in a second."""
    spec = env.spec
    if spec is not None and family_of(spec.id) == "ALE":
        skip = gymnasium.spec(spec.id).kwargs.get("frameskip", _ATARI_SKIP)
        return (skip if isinstance(skip, int) else _ATARI_SKIP), _ATARI_HZ
    rate = float(env.metadata.get("render_fps") or 30.0)
    return 1, min(max(rate, 1.0), 120.0)


def picture_of(env: gymnasium.Env[Any, Any]) -> NDArray[np.uint8]:
    """Return the environment's picture: RGB, uint8 (height, width, 3).

    Raises:
        UnsuitableEnvironment: it renders no picture.
    """
    return rgb_picture(env.render())


def mission_of(env: gymnasium.Env[Any, Any]) -> str:
    """Return the environment's instruction in words; empty without one."""
    mission = getattr(env.unwrapped, "mission", "")
    return mission if isinstance(mission, str) else ""


def _register(family: str) -> None:
    """Register the environments of a family.

    Raises:
        EnvironmentFault: its package is not installed.
    """
    try:
        if family == "ALE":
            import ale_py

            gymnasium.register_envs(ale_py)
            ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # suppresses its banner
        elif family:
            import minigrid

            gymnasium.register_envs(minigrid)
    except ImportError as error:
        raise EnvironmentFault(f"{error.name} is not installed.", HINT) from None


def first_line(error: BaseException) -> str:
    """Return the first line of an error of the environment's own code, or the error's type."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
