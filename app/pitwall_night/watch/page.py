"""The page's paths: its files, and what is played as JSON and as a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from pathlib import Path

from pitwall.console.kit.language.catalogue import ENGLISH, catalogue_for
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.link.watch_point import Ask, look
from pitwall_night.watch.server import Answer, Route
from pitwall_night.watch.sight import Sight, Translate

_WORDS = re.compile(r"\{\{(.*?)\}\}")
_DONE = {
    "pause": "A pause was asked for from the phone.",
    "stop": "The emergency stop was pulled from the phone.",
}
_BUTTONS = re.compile(r"<!-- buttons -->.*?<!-- end -->", re.DOTALL)


def routes(
    data: DataFolder, sight: Sight, *, language: str, allow_stop: bool, done: Callable[[str], None]
) -> dict[str, Route]:
    """Return the paths that are served.

    Args:
        language: of a client that asks for none that there is.
        allow_stop: the page can pause the play and pull the emergency stop.
        done: takes a sentence for each of these.
    """

    def state(headers: Mapping[str, str]) -> Answer:
        body = sight.state(_translator(_language(headers, language)))
        return Answer(json.dumps(body, ensure_ascii=False).encode())

    def page(headers: Mapping[str, str]) -> Answer:
        return _page(_language(headers, language), allow_stop)

    def order(name: str) -> Route:
        def give(_: Mapping[str, str]) -> Answer:
            done(_DONE[name])
            seen = look(data, Ask.model_validate({"do": name}))
            return Answer(json.dumps({"live": seen is not None}).encode())

        return Route(give, method="POST")

    paths = {
        "/": Route(page, open=True),
        "/watch.css": Route(lambda _: _file("watch.css", "text/css"), open=True),
        "/watch.js": Route(lambda _: _file("watch.js", "text/javascript"), open=True),
        "/icon.svg": Route(lambda _: _file("../icons/pitwall.svg", "image/svg+xml"), open=True),
        "/state": Route(state),
        "/picture": Route(lambda _: Answer(sight.picture(), "image/jpeg")),
    }
    return paths | ({f"/{name}": order(name) for name in _DONE} if allow_stop else {})


def _page(language: str, allow_stop: bool) -> Answer:
    translate = _translator(language)
    text = _file("index.html", "").body.decode()
    if not allow_stop:
        text = _BUTTONS.sub("", text)
    text = _WORDS.sub(lambda match: escape(translate(match[1]), quote=True), text)
    return Answer(text.replace("LANGUAGE", language).encode(), "text/html; charset=utf-8")


def _file(name: str, kind: str) -> Answer:
    return Answer((_folder() / name).read_bytes(), f"{kind}; charset=utf-8")


def _folder() -> Path:
    return resources_dir() / "watch"


def _language(headers: Mapping[str, str], other: str) -> str:
    """Return the first wanted language that there is."""
    for wanted in headers.get("accept-language", "").split(",")[:10]:
        name = wanted.partition(";")[0].strip().partition("-")[0].lower()
        if name in (ENGLISH, *_languages()):
            return name
    return other


@cache
def _languages() -> frozenset[str]:
    files = (resources_dir() / "languages").glob("*.toml")
    return frozenset(file.stem for file in files if len(file.stem) == 2)


@cache
def _translator(language: str) -> Translate:
    catalogue = catalogue_for(language, advanced=False)
    return str if catalogue is None else catalogue.translated
