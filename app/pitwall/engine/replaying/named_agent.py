"""An agent's name as commands take it: a planner, a model of the registry, or a game sense module."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.errors import PitwallError, nearest
from pitwall.core.settings import Settings
from pitwall.games.schema.profile import Game

PLANNERS = ("skills", "model", "explore", "random", "idle")


@dataclass(frozen=True, slots=True)
class NamedAgent:
    """An agent by name.

    Attributes:
        planner: one of PLANNERS; empty: a module. model: of the registry; empty: the settings'.
        module, version: a game sense module; version empty: the one that drives.
    """

    text: str
    planner: str = ""
    model: str = ""
    module: str = ""
    version: str = ""

    def settings(self, settings: Settings) -> Settings:
        """Return settings under which this agent decides, whatever it has earned."""
        if self.model:
            settings = settings.with_value("models", "strategic", self.model)
            settings = settings.with_value("models", "fast", self.model)
        settings = settings.with_value("control", "trust", "model")
        return settings.with_value("control", "planner", self.planner or "skills")


def named_agent(text: str, game: Game) -> NamedAgent:
    """Read `skills`, `model`, `model:NAME`, `explore`, `random`, `idle`, `MODULE` or `MODULE@VERSION`.

    Raises:
        PitwallError: the game has no such agent; names the nearest.
    """
    name, at, version = text.strip().partition("@")
    if name in game.module_names:
        return NamedAgent(text, module=name, version=version)
    planner, _, model = text.strip().partition(":")
    if planner in PLANNERS and not at and (not model or planner == "model"):
        return NamedAgent(text, planner=planner, model=model)
    known = (*PLANNERS, *game.module_names)
    near = nearest(name, known)
    hint = f"Did you mean {near!r}?" if near else f"There are: {', '.join(known)}."
    raise PitwallError(f"{game.game_id} has no agent {text!r}.", f"{hint} A model: model:NAME.")
