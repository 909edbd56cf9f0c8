"""Hashes what a suite's results depend on outside its file: the models behind its names, and the settings.

A suite names its models, and each of its runs begins with a copy of the operator's settings. Both may change
between two sittings, and the results would no longer belong together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings
from pitwall.models.registry import ModelRegistry
from pitwall_bench.suites.spec import AgentSpec

_THINKING = ("models", "layers", "memory", "gsm")
"""Sections of settings that only an agent which plans reads."""
_SECTIONS = ("capture", "perception", "control", "broker", *_THINKING)
_ORDERED = frozenset(
    {
        *("models.analysis", "models.evolution", "memory.form", "memory.rounds"),
        *("control.planner", "control.interface", "control.protocol", "control.player"),
    }
)
"""Settings that every run gets from its order, whatever the operator chose."""


def surroundings(agents: Sequence[AgentSpec], data: DataFolder) -> dict[str, str]:
    """Return a hash for each model that the agents may use, and for each section of settings they play with.

    Only settings other than the default count, and only where an agent has no value of its own: a setting
    that a later Pitwall brings, or the window's language, changes nothing.

    Args:
        data: the operator's data folder.

    Raises:
        PitwallError: the settings or the models there cannot be read.
    """
    settings = load_settings(data.settings)
    changed = settings.model_dump(mode="json", include=set(_SECTIONS), exclude_defaults=True)
    players = [player for agent in agents for player in (agent, agent.other_side)]
    named = {name for player in players for name in _models(player, settings)} - {"", "none"}
    entries = ModelRegistry(data).all() if named else ()
    models = {entry.name: entry for entry in entries if entry.name in named}
    return {
        **{f"model {name}": entry.identity for name, entry in sorted(models.items())},
        **{
            f"{section} settings": _hash(
                {
                    key: value
                    for key, value in changed.get(section, {}).items()
                    if any(_reads(player, section, key) for player in players)
                }
            )
            for section in _SECTIONS
        },
    }


def _models(player: AgentSpec, settings: Settings) -> Iterator[str]:
    """Yield the models that a player plays with: those that it names, else those of the settings."""
    fast = str(player.settings.get("models.fast", ""))
    if player.kind == "skills":
        yield fast
    elif player.kind == "model":
        yield player.model or str(player.settings.get("models.strategic", settings.models.strategic))
        yield player.fast_model or player.model or fast or settings.models.fast


def _reads(player: AgentSpec, section: str, key: str) -> bool:
    """Return whether a player's runs play with the operator's value of a setting."""
    name = f"{section}.{key}"
    if name in _ORDERED or name in player.settings:
        return False
    if name in ("models.strategic", "models.fast"):
        return player.kind == "model" and not player.model
    return section not in _THINKING or player.kind in ("skills", "model")


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
