"""The story without a window: the true program and pictures, the true eyes, and the player they advise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from story_eyes import reader
from story_eyes.layout import HEIGHT, WIDTH
from story_game import OWN, Play
from story_page import StoryPage
from story_print import Printer
from story_truth import TruthFile

from pitwall.core.frames import Pixels

PLUGIN = Path(__file__).resolve().parents[3] / "plugins" / "story"
WALKTHROUGH = (
    *("north", "west", "take net", "take spade", "open chest", "take wrench", "east", "east", "dig earth"),
    *(
        "open tin",
        "take matches",
        "west",
        "south",
        "east",
        "south",
        "take brass key",
        "north",
        "west",
        "north",
    ),
    *(
        "unlock tower door with brass key",
        "open tower door",
        "north",
        "take lantern",
        "light lantern",
        "east",
    ),
    *("take oil can", "down", "fill oil can", "up", "west", "west", "up", "open drawer", "take wick"),
    *("unlock hatch with wrench", "open hatch", "up", "put wick in lamp", "pour can in lamp", "light lamp"),
)
"""All fifty points."""


def pixels_of(page: StoryPage) -> Pixels:
    """A page as the window shows it, (height, width, 4) uint8, BGRX."""
    pixels = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    pixels[..., :3] = Printer().picture(page)[..., ::-1]
    return pixels


@dataclass
class StoryPlayer:
    """Plays a story by what its eyes advise.

    Attributes:
        partial: fields as read while what could be done was not yet known.
    """

    seed: int = 3
    story: Path = OWN
    partial: list[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.eyes = reader(PLUGIN)
        self.play = Play(self.story, self.seed, TruthFile(""), self._show)

    def _show(self, page: StoryPage) -> None:
        self.partial.append(reader(PLUGIN).read(pixels_of(page)))

    def look(self) -> Mapping[str, Any]:
        """The fields of the page as it is."""
        return self.eyes.read(pixels_of(self.play.page))

    def truth(self) -> Mapping[str, Any]:
        """The true state."""
        return self.play.true_state()

    def pages(self, most: int) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Fields and true states, one after each command that the eyes advise; until the story ends."""
        for _ in range(most):
            fields, truth = self.look(), self.truth()
            yield fields, truth
            if fields["ended"]:
                return
            first = str(fields["next_try"] or "say(text=look)").split("; ")[0]
            self.play.type(first.removeprefix("say(text=").removesuffix(")"))
