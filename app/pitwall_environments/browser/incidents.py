"""Ends and reports the incidents of a page: dialogs, windows, downloads, faults of its script."""

from __future__ import annotations

from typing import Any

from pitwall_environments.browser.page_log import PageLog
from pitwall_environments.browser.tab import Tab, what_of

_SAYINGS = {
    "dialog": "a dialog of the page was closed",
    "window": "a window that the page wanted was not opened",
    "download": "a download was denied",
    "unreadable": "the page's state cannot be read",
}
"""By the kinds that page.js reports."""


class Incidents:
    """Deals with them as they come."""

    def __init__(self, tab: Tab, teller: PageLog) -> None:
        self._tab = tab
        self._teller = teller

    async def attend(self) -> None:
        """Begin to listen."""
        self._tab.on("Page.javascriptDialogOpening", self._dialog)
        self._tab.on("Runtime.exceptionThrown", self._exception)
        browser = self._tab.browser
        browser.on("Target.targetCreated", self._created)
        browser.on("Browser.downloadWillBegin", self._download)
        await browser.call("Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True)
        await browser.call("Target.setDiscoverTargets", discover=True)

    def reported(self, kind: str, value: object) -> None:
        """The page itself told that one was kept from happening."""
        self._teller.say(f"{_SAYINGS.get(kind, kind)}: {value}")

    def _dialog(self, event: dict[str, Any]) -> None:
        self._tab.tell("Page.handleJavaScriptDialog", accept=event["type"] == "beforeunload")
        self._teller.say(f"{_SAYINGS['dialog']}: {event['type']}: {event['message']}")

    def _exception(self, event: dict[str, Any]) -> None:
        self._teller.say(f"the page's script failed: {what_of(event['exceptionDetails'])}")

    def _download(self, event: dict[str, Any]) -> None:
        self._teller.say(f"{_SAYINGS['download']}: {event.get('url', '')}")

    def _created(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if info["type"] == "page" and info["targetId"] != self._tab.target:
            self._teller.say(f"a window that the page opened was closed: {info['url']}")
            self._tab.browser.tell("Target.closeTarget", targetId=info["targetId"])
