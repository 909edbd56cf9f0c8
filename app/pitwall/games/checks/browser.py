"""The conformance checker's part for [browser]: games that are web pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pitwall.core.errors import Fault, nearest
from pitwall.games.checks.actions import PartChecker
from pitwall.games.schema.launching import Browser

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
_WORD = re.compile(r"[A-Za-z_]\w*(=.*)?")
_SCHEMES = ("about", "chrome", "file", "http", "https")
_PAGES = (".html", ".htm", ".xhtml", ".svg")
CONTRACT = (
    *("gameId", "seed", "timestampMs", "gameTimeMs", "status"),
    *("terminal", "game_state", "metrics", "raw"),
)
"""First names of the paths in the state contract (SPEC §6)."""
_SINGLE = frozenset(CONTRACT[:5])


class BrowserChecker(PartChecker):
    """Checks how a page is opened, and the paths of its state."""

    def faults(self) -> Iterator[Fault]:
        browser = self._profile.browser
        if browser is None:
            return
        if self._profile.launch is not None:
            yield self._fault("browser", "stands beside [launch]", "one of the two")
        yield from self._page(browser)
        for path, expression in browser.state.items():
            yield from self._path(f"browser.state.{path}", path)
            if not expression.strip():
                yield self._fault(f"browser.state.{path}", "is empty", "a JavaScript expression")
        yield from self._scenarios()
        yield from self._truth()

    def _page(self, browser: Browser) -> Iterator[Fault]:
        if bool(browser.page) == bool(browser.url):
            given = "both page and url" if browser.page else "neither page nor url"
            yield self._fault("browser", f"has {given}", "one of the two")
        elif browser.page:
            yield from self._file_there("browser.page", browser.page)
            if not browser.page.endswith(_PAGES):
                yield self._fault(
                    "browser.page", f"{browser.page!r} is no page", f"one of {', '.join(_PAGES)}"
                )
        elif (scheme := browser.url.partition(":")[0].lower()) not in _SCHEMES:
            expected = "an address like chrome://dino"
            yield self._fault("browser.url", f"found {browser.url!r}", expected, nearest(scheme, _SCHEMES))

    def _path(self, key: str, path: str) -> Iterator[Fault]:
        first, dot, _ = path.partition(".")
        if _DOTTED.fullmatch(path) is None:
            yield self._fault(key, f"{path!r} is no path", "names with dots between, like game_state.score")
        elif first not in CONTRACT:
            expected = f"one that begins with {', '.join(CONTRACT)}"
            yield self._fault(key, f"the state contract has no {first!r}", expected, nearest(first, CONTRACT))
        elif dot and first in _SINGLE:
            yield self._fault(key, f"{first} is one value, nothing lies inside it", first)

    def _scenarios(self) -> Iterator[Fault]:
        for scenario in self._profile.scenarios:
            for word in scenario.arguments:
                if _WORD.fullmatch(word) is None:
                    key = f"scenarios.{scenario.name}.arguments"
                    yield self._fault(key, f"{word!r} is no argument of a page", "words like level=2")

    def _truth(self) -> Iterator[Fault]:
        truth = self._profile.truth
        if truth is not None and truth.kind not in ("file", "fields"):
            yield self._fault("truth.kind", f'a page has no "{truth.kind}"', '"file", or "fields"', "file")
