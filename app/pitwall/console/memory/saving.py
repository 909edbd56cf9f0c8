"""Saves settings that were tried out here, and says from when on they are in force."""

from __future__ import annotations

from pitwall.console.kit.notification import Notification
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import SettingsError
from pitwall.core.settings import Settings


def save_settings(bridge: Bridge, settings: Settings) -> Notification:
    """Put settings in force and keep them; says so where they could only be put in force."""
    try:
        bridge.save_settings(settings)
    except SettingsError as error:
        return Notification(f"Applied until the console closes, but not saved: {error}", done=False)
    when = " from the next step" if bridge.connected else ""
    return Notification(f"✓ Saved: in force{when}.")
