"""The bar over a bundle that is shown: whose run it is, and that nothing of it can be changed."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QFrame

from pitwall.console.kit.elements import Chip, Label, row
from pitwall.console.kit.theme import PAD, TOP_HEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBundle:
    """Tells what a bundle says of itself.

    Attributes:
        made: UTC, ISO 8601. by: version of the Pitwall that made it. files: how many were checked.
        memory: whether it holds entries.
    """

    run_id: int
    game: str
    file: str
    made: str
    by: str
    files: int
    content_hash: str
    memory: bool


class BundleBar(QFrame):
    """Replaces the top bar where a bundle is shown, because no game is played then."""

    def __init__(self, shown: ShownBundle) -> None:
        super().__init__()
        self.setObjectName("topBar")
        self.setFixedHeight(TOP_HEIGHT)
        title = Label(f"{shown.game}, run {shown.run_id}", "heading")
        when = shown.made[:16].replace("T", " ")
        origin = Label(f"{shown.file} · made {when} UTC by Pitwall {shown.by}", "dim")
        checked = Chip("✓ every hash is right", "ok")
        checked.setToolTip(f"{shown.files:,} files; content {shown.content_hash}")
        self.setLayout(
            row(title, origin, checked, Chip("read only"), gap=PAD, stretch=1, margins=(PAD, 0, PAD, 0))
        )
        self.setAccessibleName(f"Bundle {shown.file}, read only; every hash is right")
