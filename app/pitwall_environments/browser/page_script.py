"""Builds the script that runs in a page before its own scripts: `page.js` with this game's values."""

from __future__ import annotations

import json
from pathlib import Path

from pitwall.games.schema.launching import Browser

REPORT = "__pitwallReport"
"""Name of the binding through which the page reports dialogs, states and other events."""
AGENT = "__pitwall"
"""Name of the script's object in the page."""


def page_script(browser: Browser, *, seed: int, watch: bool) -> str:
    """Build the JavaScript for one game.

    Args:
        watch: whether the true state is wanted; without it none of the state is read.
    """
    # Without an evaluator only the readiness gate reads the state, and only its status.
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
