"""Declares the keys a role may press, and the named actions made of them: [controls] and [[actions]]."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pitwall.core.keys import KeyMeaning
from pitwall.games.schema.fields import Box, Identifier, Table


class Controls(Table):
    """[controls], and per role: the keys and the pointer that may be used at all."""

    keys: list[str] = Field(
        default_factory=list, description="Names of the keys that may be pressed, like Space or ArrowLeft"
    )
    keys_mean: KeyMeaning = Field(
        "auto",
        description='What the game reads of a key: "letter", "place" (on a US keyboard, like scan codes), or '
        '"auto": the letter where a key of the layout types it alone, else the place; always the letter in '
        "a game with a `line`",
    )
    mouse: bool = Field(False, description="Whether clicks and the pointer are allowed")
    hold_ms: tuple[int, int] = Field((20, 5_000), description="Shortest and longest hold of a key")
    duration_ms: int | None = Field(
        None,
        ge=20,
        le=30_000,
        description="Length of every command of the computer-use interface; else the actions' median",
    )


class Parameter(Table):
    """[actions.parameters.NAME]: an argument merged into the binding."""

    type: Literal["int", "float", "choice", "text"] = Field(
        "int", description="Kind of value; a text stands in a `line`"
    )
    minimum: float | None = Field(None, description="Least value of a number")
    maximum: float | None = Field(None, description="Greatest value of a number")
    choices: list[str] = Field(default_factory=list, description="Values of a choice")
    most: int = Field(0, ge=0, le=200, description="Letters of a text; 0: 60")
    default: str | int | float | None = Field(
        None, description="Value where none is given; without one it is required"
    )


class Cells(Table):
    """actions.cells: a board of equal cells in a box; columns and rows count from 0."""

    box: Box = Field(description="Where the board stands")
    columns: int = Field(ge=1, le=1000, description="Cells in a row")
    rows: int = Field(ge=1, le=1000, description="Cells in a column")


class MouseLook(Table):
    """[mouse_look]: a game whose view turns with the mouse, and how far."""

    units_per_degree: float = Field(
        0.0,
        ge=0,
        le=10_000,
        description="Units of the mouse that turn the view by one degree; 0: not measured yet "
        "(`pitwall games calibrate GAME`), and `turn` is refused",
    )
    rate_hz: float = Field(60.0, ge=5, le=1_000, description="Motion events that the game takes a second")
    most_units: int = Field(
        25, ge=1, le=1_000, description="Largest motion of one event; a longer look takes several"
    )


class ActionBinding(Table):
    """[[actions]]: a semantic action, in exactly one way of acting.

    A way is `keys`, `sequence`, `line`, `click`, `wheel`, `look`, `turn` or `wait`. A value "$NAME" is
    replaced by the parameter of that name; a line may hold several, among other words.
    """

    name: Identifier = Field(description="Name by which controllers choose it")
    description: str = Field("", description="What it does, for models and operators")
    aliases: list[str] = Field(default_factory=list, description="Other names that mean it")
    keys: list[str] = Field(default_factory=list, description="Keys pressed together for `hold_ms`")
    sequence: list[str] = Field(default_factory=list, description="Keys tapped one after the other")
    line: str = Field("", description="Text typed letter by letter, then Enter; may hold $NAME of parameters")
    clear_key: str = Field("", description="Key that throws away what stood there before a line is typed")
    click: tuple[int, int] | tuple[str, str] | None = Field(
        None, description="Point to click, or with `cells` a column and a row; $NAME takes a parameter"
    )
    cells: Cells | None = Field(None, description="Board whose cells `click` means")
    button: Literal["left", "middle", "right"] = Field("left", description="Button that clicks")
    wheel: Literal["", "up", "down", "left", "right"] = Field(
        "", description="Turn the wheel one notch this way, over the middle of the window"
    )
    look: tuple[int | str, int | str] | None = Field(
        None,
        description="Move the mouse from where it is, so many of its units right and down; $NAME takes a "
        "parameter. For games that hold the pointer and turn the view",
    )
    turn: float | str | None = Field(
        None, description="Turn the view right by so many degrees, by `mouse_look`; $NAME takes a parameter"
    )
    wait: bool = Field(False, description="Press nothing")
    hold_ms: int | str = Field(
        60, description="How long keys and the button are held; $NAME takes a parameter"
    )
    gap_ms: int = Field(60, ge=0, le=5_000, description="Pause between taps of a sequence or a line")
    duration_ms: int = Field(
        250, ge=20, le=30_000, description="How long the action lasts; of a line from its Enter on"
    )
    expect: str = Field("", description="Condition that its effect makes true, within `effect_wait_ms`")
    effect_wait_ms: int | None = Field(
        None,
        ge=0,
        le=30_000,
        description="How long after the last press its effect is looked for; not given: the setting "
        "control.effect_wait_ms. Short for an action that shows nothing",
    )
    parameters: dict[str, Parameter] = Field(default_factory=dict, description="Arguments of the action")

    @property
    def uses_mouse(self) -> bool:
        """Return whether it clicks, turns the wheel, or moves the mouse."""
        return bool(self.wheel) or any(way is not None for way in (self.click, self.look, self.turn))
