"""Finds the Memory page of a console."""

from __future__ import annotations

from pitwall.console.kit.places import MEMORY_PAGE
from pitwall.console.shell.application import Console
from pitwall_memory_editor.console.page import MemoryPage


def memory_page(console: Console) -> MemoryPage:
    """Return the console's Memory page."""
    page = console.page(MEMORY_PAGE)
    assert isinstance(page, MemoryPage)
    return page
