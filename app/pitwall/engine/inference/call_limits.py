"""Says what a call of each purpose may take, from the settings: tokens, time, randomness, its turn."""

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
"""Least time of a call that is made after the run (choice)."""
_PRIORITY = {Tier.FAST: Priority.REACTIVE, Tier.STRATEGIC: Priority.STRATEGIC}


def reply_tokens(models: ModelSettings, purpose: Purpose) -> int:
    """Tokens of the longest reply."""
    return int(getattr(models, _REPLY.get(purpose, "planning_tokens")))


def deadline_ms(models: ModelSettings, purpose: Purpose) -> int:
    """Time after which a reply ends where it is; after a run nobody waits for it, and it can be stopped."""
    if purpose.tier is Tier.FAST:
        return models.reactive_deadline_ms
    later = purpose.tier is not Tier.STRATEGIC
    return max(models.strategic_deadline_ms, _AFTER_RUN_MS) if later else models.strategic_deadline_ms


def read_ms(models: ModelSettings, purpose: Purpose) -> int:
    """Time that reading the prompt afresh may take."""
    return models.reactive_read_ms if purpose.tier is Tier.FAST else models.strategic_read_ms


def temperature(models: ModelSettings, purpose: Purpose) -> float:
    """Randomness of the reply."""
    return models.fast_temperature if purpose.tier is Tier.FAST else models.strategic_temperature


def priority(purpose: Purpose) -> Priority:
    """Turn among waiting calls."""
    return _PRIORITY.get(purpose.tier, Priority.ANALYSIS)
