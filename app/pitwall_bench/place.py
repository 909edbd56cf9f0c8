"""Declares the Evaluate page for the console's navigation."""

from __future__ import annotations

from pitwall.console.kit.places import Place

EVALUATE = Place(
    key="evaluate",
    title="Evaluate",
    icon="mdi6.podium",
    page="pitwall_bench.console.page:EvaluatePage",
    order=50,
    keys=(
        ("Ctrl+Enter", "Start the suite, or resume it"),
        ("Ctrl+S", "Save the suite as your own"),
        ("Ctrl+E", "Write the report"),
        ("Esc", "From a cell's runs back to the results"),
    ),
    keys_title="On the Evaluate page",
)
