"""Declares [[passages]]: keys and clicks that lead from a menu, an end screen or a pause back to play."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pitwall.games.schema.fields import Identifier, Table


class PassageStep(Table):
    """[[passages.steps]]: keys pressed together, or a click, and the screen that they follow."""

    keys: list[str] = Field(default_factory=list, description="Keys pressed together")
    click: tuple[int, int] | None = Field(None, description="Or a point to click, in pixels of `screen`")
    button: Literal["left", "middle", "right"] = Field("left", description="Button that clicks")
    hold_ms: int = Field(60, ge=10, le=5_000, description="How long they are held")
    screen: str = Field(
        "", description="Picture file of the screen that the step follows, of any size; empty: any screen"
    )
    unlike: float = Field(
        0.1,
        gt=0,
        le=1,
        description="Greatest visual change d (SPEC §1) from that picture at which it is still that screen",
    )
    wait_ms: int = Field(
        2_000,
        ge=100,
        le=60_000,
        description="How long that screen is waited for, and how long a press has to take effect; then the "
        "step is done all the same",
    )

    @property
    def words(self) -> str:
        """Describe the step: "Shift+N", "a click at 40, 60"."""
        if self.click is not None:
            return f"a click at {self.click[0]}, {self.click[1]}"
        return "+".join(self.keys)


class Passage(Table):
    """[[passages]]: a way from a menu, an end screen, a question for a name or a pause back to play.

    The engine takes it, whoever plays. Its keys belong to no action, so that no agent presses them in play,
    and they need not be listed in `controls`. The screen of a step is in itself a sign of its status.
    """

    name: Identifier = Field(description="Name in the run's events, like start or again")
    leaves: Literal["menu", "terminal", "paused", "ready"] = Field(
        "menu", description="Status that it leads out of"
    )
    when: str = Field(
        "",
        description="Condition that is a sign of this very screen; empty: the status, or a step's screen. "
        "What leads out of a menu or an end is tried, too, once nothing answers to what play presses",
    )
    steps: list[PassageStep] = Field(
        min_length=1, description="What is pressed, one after the other, each once its screen is seen"
    )
