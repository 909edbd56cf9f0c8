"""Declares the Memory page for the console's navigation."""

from __future__ import annotations

from pitwall.console.kit.places import Place

MEMORY = Place(
    key="memory",
    title="Memory",
    icon="mdi6.graph-outline",
    page="pitwall_memory_editor.console.page:MemoryPage",
    order=20,
    keys=(
        ("Ctrl+Z", "Undo the last edit; Ctrl+Shift+Z does it again"),
        ("Ctrl+F", "Search"),
        ("F2, Enter", "Edit the cell; Ctrl+S saves the form beside"),
        ("Ctrl+N", "Add an entry"),
        ("Delete", "Forget the selected entries"),
        ("A, M, R", "In the inbox: accept, merge, reject"),
    ),
    keys_title="On the Memory page",
    search="pitwall_memory_editor.console.entry_search:EntrySearch",
)
