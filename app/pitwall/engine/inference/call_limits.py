"""Returns the limits of a call by its purpose, from the settings: tokens, time, randomness, priority."""

from __future__ import annotations

from pitwall.core.calls import Purpose, Tier
from pitwall.core.settings import ModelSettings
from pitwall.models.host_requests import Priority

_REPLY = {
    Purpose.DESCRIBE: "description_tokens",
    Purpose.ANALYSE_SCREEN: "description_tokens",
    Purpose.INFER: "inference_tokens",
    Purpose.REFLECT: "reflection_tokens",
    Purpose.REFLECT_TASK: "reflection_tokens",
    Purpose.REFLECT_HISTORY: "reflection_tokens",
    Purpose.REFLECT_ACTIONS: "reflection_tokens",
    Purpose.JUDGE_SKILL: "reflection_tokens",
    Purpose.REACT: "reactive_tokens",
}
_AFTER_RUN_MS = 300_000
"""Least deadline of a call that is made after the run (choice)."""
_PRIORITY = {Tier.FAST: Priority.REACTIVE, Tier.STRATEGIC: Priority.STRATEGIC}


def reply_tokens(models: ModelSettings, purpose: Purpose) -> int:
    """Return the tokens of the longest reply."""
    return int(getattr(models, _REPLY.get(purpose, "planning_tokens")))


def deadline_ms(models: ModelSettings, purpose: Purpose) -> int:
    """Return the time after which a reply is cut off; longer after a run, when nobody waits."""
    if purpose.tier is Tier.FAST:
        return models.reactive_deadline_ms
    later = purpose.tier is not Tier.STRATEGIC
    return max(models.strategic_deadline_ms, _AFTER_RUN_MS) if later else models.strategic_deadline_ms


def read_ms(models: ModelSettings, purpose: Purpose) -> int:
    """Return the time that reading the uncached prompt may take."""
    return models.reactive_read_ms if purpose.tier is Tier.FAST else models.strategic_read_ms


def temperature(models: ModelSettings, purpose: Purpose) -> float:
    """Return the randomness of the reply."""
    return models.fast_temperature if purpose.tier is Tier.FAST else models.strategic_temperature


def priority(purpose: Purpose) -> Priority:
    """Return the priority among waiting calls."""
    return _PRIORITY.get(purpose.tier, Priority.ANALYSIS)
