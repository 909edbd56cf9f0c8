"""Saves settings that were tried, and reports when they take effect."""

from __future__ import annotations

from pitwall.console.kit.notification import Notification
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import SettingsError
from pitwall.core.settings import Settings


def save_settings(bridge: Bridge, settings: Settings) -> Notification:
    """Apply and save settings; the notification says if they could only be applied."""
    try:
        bridge.save_settings(settings)
    except SettingsError as error:
        return Notification(f"Applied until the console closes, but not saved: {error}", done=False)
    when = " from the next step" if bridge.connected else ""
    return Notification(f"✓ Saved: in force{when}.")
