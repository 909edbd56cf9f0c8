"""Every campaign by name."""

from __future__ import annotations

from pitwall.core.errors import PitwallError, suggestion
from workshop.campaigns import (
    databases,
    disk,
    focus,
    injection,
    kills,
    manifests,
    models,
    replies,
    rewards,
    soak,
    start_environments,
    start_games,
    user_files,
)
from workshop.campaigns.harness import Campaign

CAMPAIGNS: dict[str, Campaign] = {
    "kills": kills.CAMPAIGN,
    "focus": focus.CAMPAIGN,
    "manifests": manifests.CAMPAIGN,
    "replies": replies.CAMPAIGN,
    "rewards": rewards.CAMPAIGN,
    "injection": injection.CAMPAIGN,
    "databases": databases.CAMPAIGN,
    "models": models.CAMPAIGN,
    "imports": user_files.IMPORTS,
    "suites": user_files.SUITES,
    "exams": user_files.EXAMS,
    "disk": disk.CAMPAIGN,
    "soak": soak.CAMPAIGN,
    "long-soak": soak.LONG_CAMPAIGN,
    "start-environments": start_environments.CAMPAIGN,
    "start-games": start_games.CAMPAIGN,
}


def campaign_named(name: str) -> Campaign:
    """Return a campaign.

    Raises:
        PitwallError: there is none of this name.
    """
    if name not in CAMPAIGNS:
        hint = suggestion(name, CAMPAIGNS, f"One of: {', '.join(CAMPAIGNS)}.")
        raise PitwallError(f"there is no campaign {name!r}.", hint)
    return CAMPAIGNS[name]
