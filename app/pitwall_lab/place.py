"""Declares the GSM lab page for the console's navigation."""

from __future__ import annotations

from pitwall.console.kit.places import Place

LAB = Place(
    key="lab",
    title="GSM lab",
    icon="mdi6.chart-bell-curve-cumulative",
    page="pitwall_lab.console.page:LabPage",
    order=30,
    keys=(
        ("Ctrl+T", "New training"),
        ("Ctrl+Enter", "Check the reward function or the rules"),
        ("Ctrl+D", "Compare the version with the one it was made from"),
        ("Esc", "Leave the code editor"),
    ),
    keys_title="In the GSM lab",
)
