"""Builds the script that is put into a page before its own scripts: `page.js` with this game's values."""

from __future__ import annotations

import json
from pathlib import Path

from pitwall.games.schema.launching import Browser

REPORT = "__pitwallReport"
"""The binding by which it tells dialogs, states and the like."""
AGENT = "__pitwall"
"""Its words, once it is in the page."""


def page_script(browser: Browser, *, seed: int, watch: bool) -> str:
    """JavaScript for one game.

    Args:
        watch: the true state is wanted; else none of it is read.
    """
    # Without anybody who wants the truth, the readiness gate alone asks, and only for the status.
    fields = {path: text for path, text in browser.state.items() if watch or path == "status"}
    functions = ",\n".join(f"{json.dumps(path)}: () => (\n{text}\n)" for path, text in fields.items())
    values = f"{{ seed: {seed}, clock: {json.dumps(browser.clock)}, watch: {json.dumps(watch)}, "
    source = (Path(__file__).parent / "page.js").read_text(encoding="utf-8").rstrip()
    return f"{source}({values}fields: {{\n{functions}\n}} }});\n"


def expressions(browser: Browser) -> dict[str, str]:
    """Collect the JavaScript of a manifest, by key."""
    texts = {f"browser.state.{path}": text for path, text in browser.state.items()}
    texts |= {"browser.init": browser.init, "browser.ready": browser.ready, "browser.reset": browser.reset}
    return {key: text for key, text in texts.items() if text}
