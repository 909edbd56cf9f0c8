"""Ends and logs a page's incidents: dialogs, windows, downloads, script errors."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

from pitwall_environments.browser.tab import Tab, exception_text

_log = logging.getLogger(__name__)

_MOST_REPEATS = 3
_MOST = 500
_LONGEST = 400
_SENTENCES = {
    "dialog": "a dialog of the page was closed",
    "window": "a window that the page wanted was not opened",
    "download": "a download was denied",
    "unreadable": "the page's state cannot be read",
}
"""Sentences for the kinds that page.js reports."""


class PageLog:
    """Prints each sentence a few times at most, and a limited number of lines in all."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lines = 0

    def say(self, sentence: str) -> None:
        """Print a sentence, unless it was printed often enough."""
        line = " ".join(sentence.split())[:_LONGEST]
        self._counts[line] += 1
        if self._counts[line] > _MOST_REPEATS or self._lines >= _MOST:
            return
        self._lines += 1
        again = " (not repeated)" if self._counts[line] == _MOST_REPEATS else ""
        _log.warning("%s%s", line, again)


class Incidents:
    """Handles incidents as they occur."""

    def __init__(self, tab: Tab, log: PageLog) -> None:
        self._tab = tab
        self._log = log

    async def attend(self) -> None:
        """Start listening."""
        self._tab.on("Page.javascriptDialogOpening", self._dialog)
        self._tab.on("Runtime.exceptionThrown", self._exception)
        browser = self._tab.browser
        browser.on("Target.targetCreated", self._created)
        browser.on("Browser.downloadWillBegin", self._download)
        await browser.call("Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True)
        await browser.call("Target.setDiscoverTargets", discover=True)

    def reported(self, kind: str, value: object) -> None:
        """Log an incident that the page's script prevented and reported."""
        self._log.say(f"{_SENTENCES.get(kind, kind)}: {value}")

    def _dialog(self, event: dict[str, Any]) -> None:
        self._tab.notify("Page.handleJavaScriptDialog", accept=event["type"] == "beforeunload")
        self._log.say(f"{_SENTENCES['dialog']}: {event['type']}: {event['message']}")

    def _exception(self, event: dict[str, Any]) -> None:
        self._log.say(f"the page's script failed: {exception_text(event['exceptionDetails'])}")

    def _download(self, event: dict[str, Any]) -> None:
        self._log.say(f"{_SENTENCES['download']}: {event.get('url', '')}")

    def _created(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if info["type"] == "page" and info["targetId"] != self._tab.target:
            self._log.say(f"a window that the page opened was closed: {info['url']}")
            self._tab.browser.notify("Target.closeTarget", targetId=info["targetId"])
