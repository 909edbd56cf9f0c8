"""Declares the [[fields]] of a profile, by kind: the values that the state reader reads."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Box = tuple[int, int, int, int]
"""x, y, width, height."""
Colour = tuple[
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
]
"""Red, green, blue."""


class Table(BaseModel):
    """A table of the manifest; it refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _FieldBase(Table):
    name: Identifier = Field(description="Name in conditions and prompts")
    unit: str = Field("", description="Unit that is shown beside the value")
    description: str = Field("", description="What it is, for models and operators")
    box: Box | None = Field(None, description="None: the whole frame")
    shown: int = Field(120, ge=24, le=2000, description="Most characters of a text that a prompt shows")


class BarField(_FieldBase):
    """A bar: filled share 0 … 100 %, by how many columns hold the colour, or by its extent."""

    kind: Literal["bar"] = Field(description="Kind of field")
    colour: Colour = Field(description="Colour of the filled part")
    tolerance: int = Field(40, ge=0, le=255, description="Difference of a colour's channel that still counts")
    by: Literal["colour", "extent"] = Field(
        "colour", description="Count the columns that hold the colour, or measure how far it reaches"
    )
    direction: Literal["right", "left", "up", "down"] = Field("right", description="Where the bar grows to")


class DigitsField(_FieldBase):
    """A number written with pictures of digits: `templates/0.png` … `9.png` in the game's folder.

    With an `ink` the signs are separated by their colour and recognised by their shapes (white on black, as
    "Add a game" learns them); a digit without a picture makes the number unreadable.
    """

    kind: Literal["digits"] = Field(description="Kind of field")
    templates: str = Field(description="Folder with 0.png … 9.png")
    threshold: float = Field(0.9, gt=0, le=1, description="Least correlation of a digit")
    most: int = Field(4, ge=1, le=12, description="Most digits")
    signed: bool = Field(False, description="Whether it may be negative")
    ink: Colour | None = Field(
        None, description="Colour of the digits, whose pictures are shapes; not given: pictures as they look"
    )


class ColourField(_FieldBase):
    """Share of a box (0 … 100 %) within `tolerance` of a colour; `at_least` makes it true or false."""

    kind: Literal["colour"] = Field(description="Kind of field")
    colour: Colour = Field(description="Colour that is looked for")
    tolerance: int = Field(30, ge=0, le=255, description="Difference of a colour's channel that still counts")
    at_least: float | None = Field(
        None,
        ge=0,
        le=100,
        description="Share in percent from which the field is true; not given: the share itself",
    )


class TemplateField(_FieldBase):
    """Whether a picture is seen in the box (normalised correlation ≥ threshold)."""

    kind: Literal["template"] = Field(description="Kind of field")
    template: str = Field(description="Picture file of the folder")
    threshold: float = Field(0.85, gt=0, le=1, description="Least correlation")


class SpriteField(_FieldBase):
    """Finds a picture: a coordinate (in `screen` pixels) of the place that looks most like it.

    For things of several colours, which a blob cannot tell from the background.
    """

    kind: Literal["sprite"] = Field(description="Kind of field")
    box: Box | None = Field(None, description="Where its picture was taken; it is looked for elsewhere, too")
    within: Box | None = Field(None, description="Where it is looked for; None: the whole frame")
    template: str = Field(description="Picture file of the folder; what is transparent in it may be anything")
    threshold: float = Field(0.7, gt=0, le=1, description="Least correlation")
    value: Literal["x", "y", "left", "right", "top", "bottom", "seen"] = Field(
        "x", description="Value of the place to read"
    )


class ChangeField(_FieldBase):
    """Mean absolute change of a box against the previous step's frame, 0 … 100 %."""

    kind: Literal["change"] = Field(description="Kind of field")


class BlobField(_FieldBase):
    """Finds a colour: a coordinate (in `screen` pixels) of its largest patch."""

    kind: Literal["blob"] = Field(description="Kind of field")
    colour: Colour = Field(description="Colour that is looked for")
    tolerance: int = Field(30, ge=0, le=255, description="Difference of a colour's channel that still counts")
    least_px: int = Field(12, ge=1, description="Smaller patches are not seen (screen pixels)")
    value: Literal["x", "y", "left", "right", "top", "bottom", "area", "seen"] = Field(
        "x", description="Value of the patch to read"
    )
    pick: Literal["largest", "leftmost", "rightmost", "topmost", "bottommost"] = Field(
        "largest", description="Which patch counts where there are several"
    )


class GapField(_FieldBase):
    """A gap in the leftmost obstacle of a colour: its edge or its place (in `screen` pixels).

    Columns of the box are scanned from the left; the first run of columns that hold the colour in
    at least `least_px` rows is the obstacle; its longest run of rows without the colour, bounded by
    the colour (or the box) on both sides, is the gap.
    """

    kind: Literal["gap"] = Field(description="Kind of field")
    colour: Colour = Field(description="Colour of the obstacle")
    tolerance: int = Field(30, ge=0, le=255, description="Difference of a colour's channel that still counts")
    least_px: int = Field(8, ge=1, description="Rows of a column that must hold the colour (screen pixels)")
    value: Literal["top", "bottom", "centre", "left", "right"] = Field(
        "centre", description="Value of the gap or the obstacle to read"
    )


class CellsField(_FieldBase):
    """A board of equal cells: names an action on cells whose middle has the colour, one after the other.

    Reads `action(column=2, row=0); …` for a skill's "{FIELD}", scattered over the board; columns and rows
    count from 0. None where no cell has the colour.
    """

    kind: Literal["cells"] = Field(description="Kind of field")
    columns: int = Field(ge=1, le=200, description="Cells in a row")
    rows: int = Field(ge=1, le=200, description="Cells in a column")
    colour: Colour = Field(description="Colour of the cells that are meant")
    tolerance: int = Field(30, ge=0, le=255, description="Difference of a colour's channel that still counts")
    at_least: float = Field(50.0, gt=0, le=100, description="Share in percent of a cell's middle that has it")
    most: int = Field(4, ge=1, le=20, description="Most cells that are named at once")
    moving: bool = Field(False, description="Only what was not there at the step before counts")
    action: Identifier = Field(description="Action with the parameters column and row")
    value: Literal["actions", "count"] = Field(
        "actions", description="Name the action on them, or count them"
    )


class TextField(_FieldBase):
    """Text in a box, read by OCR at its own slower cadence."""

    kind: Literal["text"] = Field(description="Kind of field")
    pattern: str = Field("", description="Regular expression; its first group is the value")
    number: bool = Field(
        False, description="Whether the text is read as a number; digits set one space apart are one"
    )


class DerivedField(_FieldBase):
    """A calculation on other fields (declared before it)."""

    kind: Literal["derived"] = Field(description="Kind of field")
    value: str = Field(description="Expression over other fields, in the language of conditions")


class DetectedField(_FieldBase):
    """Reads what a detector found ([[detectors]]): a coordinate (`screen` pixels) of a box, or their number.

    `nearest` is nearest to the middle of the screen, left or right; with `box` only detections whose middle
    is inside it count.
    """

    kind: Literal["detected"] = Field(description="Kind of field")
    detector: Identifier = Field(description="Name of the detector")
    label: str = Field("", description="Empty: any")
    value: Literal[
        "x", "y", "left", "right", "top", "bottom", "width", "height", "area", "confidence", "count", "seen"
    ] = Field("x", description="Value of the box to read, or the number of boxes")
    pick: Literal["largest", "surest", "nearest", "leftmost", "rightmost", "topmost", "bottommost"] = Field(
        "largest", description="Which box counts where there are several"
    )


class PythonField(_FieldBase):
    """A value that the game's own code reads from the whole frame ([python], games.plugin_loader)."""

    kind: Literal["python"] = Field(description="Kind of field")


ReaderField = Annotated[
    BarField
    | DigitsField
    | ColourField
    | TemplateField
    | SpriteField
    | ChangeField
    | BlobField
    | GapField
    | CellsField
    | TextField
    | DerivedField
    | DetectedField
    | PythonField,
    Field(discriminator="kind"),
]
