"""The manifest of a pixel policy that was made elsewhere: a TOML file of its network's inputs and outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, ValidationError, model_validator

from pitwall.core.bounded_reading import parse_toml, read_text
from pitwall.core.errors import DamagedFile
from pitwall.core.validation import first_fault
from pitwall.games.schema.fields import Box, Table
from pitwall.gsm.cloned_space import ClonedSpace

_MOST_BYTES = 1 << 20
Name = Annotated[str, Field(min_length=1, max_length=200)]
Inputs = dict[str, NDArray[Any]]


class Picture(Table):
    """[picture]: the picture that it sees, and its rate."""

    input: Name = Field("picture", description="Input that takes the picture")
    width: int = Field(192, ge=8, le=1024, description="Width to which the game's picture is shrunk, pixels")
    height: int = Field(192, ge=8, le=1024, description="Height to which it is shrunk, pixels")
    hz: float = Field(20.0, ge=0.2, le=240, description="Decisions a second")
    colour: Literal["rgb", "bgr", "grey"] = Field("rgb", description="Order of the colours")
    layout: Literal["nchw", "nhwc", "ntchw"] = Field(
        "nchw", description="Order of the axes; ntchw has one of time, the others put frames behind colours"
    )
    numbers: Literal["bytes", "unit", "signed"] = Field(
        "unit", description="uint8 0 … 255; float32 0 … 1; or float32 −1 … 1"
    )
    frames: int = Field(1, ge=1, le=16, description="Newest pictures that it sees side by side")
    mean: list[float] = Field(default_factory=list, description="Taken off each colour, after `numbers`")
    std: list[float] = Field(default_factory=list, description="Each colour is divided by it after that")
    box: Box | None = Field(None, description="Part of the screen that is seen; None: all of it")

    @property
    def channels(self) -> int:
        """Return the number of colours in a picture."""
        return 1 if self.colour == "grey" else 3

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of its input, one picture after another in the batch."""
        stacked = self.channels * self.frames
        if self.layout == "nhwc":
            return 1, self.height, self.width, stacked
        if self.layout == "nchw":
            return 1, stacked, self.height, self.width
        return 1, self.frames, self.channels, self.height, self.width


class RecurrentState(Table):
    """[[state]]: an output that is its input at the next decision; zeros at the beginning."""

    input: Name = Field(description="Input that takes it")
    output: Name = Field(description="Output that gives the next one")
    shape: list[Annotated[int, Field(ge=1, le=1 << 24)]] = Field(description="Shape, with the batch")


class Instruction(Table):
    """[instruction]: the embedded instruction as numbers; no text encoder is run."""

    input: Name = Field(description="Input that takes the numbers")
    text: str = Field("", max_length=2000, description="What they say, in words")
    values: list[float] = Field(min_length=1, max_length=65_536, description="The numbers")
    whole: bool = Field(False, description="They are int64, like the numbers of tokens")


class At(Table):
    """The place of one number among the outputs."""

    output: Name = Field(description="Output")
    index: int = Field(0, ge=0, description="Place in it, all its axes laid flat")


class PressOutput(At):
    """[[presses]]: when a number presses a key, turns the wheel, or takes an action of the game."""

    key: str = Field("", description="Key; the game's action that presses it alone is taken")
    action: str = Field("", description="Action text of the game, where it is not one key")
    form: Literal["probability", "logit", "largest", "amount", "motion"] = Field(
        "probability",
        description="What the number is; largest: the greatest of its output; amount: like a wheel's turn; "
        "motion: an amount in either direction, of an action that `pointer` looks around with",
    )
    threshold: float = Field(0.5, description="Pressed from here on; of a logit: of its probability")
    negative: bool = Field(False, description="Of an amount: pressed where it is below minus the threshold")
    tap: bool = Field(False, description="It is pressed once, and not held while it is chosen")
    rest_ms: float = Field(0.0, ge=0, le=60_000, description="After a tap none again for so long")

    @model_validator(mode="after")
    def _means_something(self) -> Self:
        if bool(self.key) == bool(self.action):
            raise ValueError("needs either a key or an action")
        return self


class PointerOutput(Table):
    """[pointer]: the place of an action that clicks, or the motion of an action that looks around."""

    action: str = Field(description="Name of the game's action that clicks or looks")
    x: At = Field(description="Where across")
    y: At = Field(description="Where down")
    x_argument: str = Field("x", description="The action's argument for it")
    y_argument: str = Field("y", description="The action's argument for it")
    form: Literal["place", "move", "look"] = Field(
        "place",
        description="Share of the box, 0 … 1; or how far it moves, in such shares; or, of an action with "
        "`look`, how far the mouse moves",
    )
    units: float = Field(
        1.0, gt=0, le=10_000, description="Of the form look: units of the mouse for an output of 1"
    )


class Tune(Table):
    """[tune]: the features on which its last layers are trained with one's own play."""

    features: Name = Field(
        description="Output of the numbers that they decide on, like its last hidden layer"
    )


class PixelPolicy(Table):
    """A pixel policy's manifest.

    Attributes:
        schema_number: version of this format.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    schema_number: Literal[1] = Field(alias="schema", description="Version of this form")
    name: Name = Field(description="What it is called")
    licence: Name = Field(description="Licence of its weights, as SPDX names it")
    source: str = Field("", max_length=500, description="Where it comes from")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="Of the file, small hexadecimal digits")
    graph: str = Field(
        "", max_length=200, description="Of a safetensors file: the network's ONNX file beside this one"
    )
    picture: Picture = Field(Picture(), description="What it sees")
    state: list[RecurrentState] = Field(default_factory=list, max_length=256, description="What it keeps")
    instruction: Instruction | None = Field(None, description="What it was told")
    presses: list[PressOutput] = Field(min_length=1, max_length=1_000, description="What it presses")
    pointer: PointerOutput | None = Field(None, description="Where it points")
    tune: Tune | None = Field(None, description="What is trained on; not given: what its presses read")

    def first_inputs(self) -> Inputs:
        """Return its inputs before the first decision: a black picture, states of zeros, the instruction."""
        kind = np.uint8 if self.picture.numbers == "bytes" else np.float32
        inputs: Inputs = {self.picture.input: np.zeros(self.picture.shape, kind)}
        for state in self.state:
            inputs[state.input] = np.zeros(state.shape, np.float32)
        if (instruction := self.instruction) is not None:
            numbers = np.asarray([instruction.values], np.float64)
            inputs[instruction.input] = numbers.astype(np.int64 if instruction.whole else np.float32)
        return inputs


class PixelSpace(ClonedSpace):
    """Inputs and outputs of a pixel policy in one game: a clone's actions and presses, read off its outputs.

    Attributes:
        pixels: its manifest, unchanged.
    """

    pixels: PixelPolicy

    @property
    def by_picture(self) -> bool:
        """Return False: it keeps its own rate."""
        return False

    @property
    def goes_on(self) -> bool:
        """Return True: its last layers are tuned."""
        return True


def read_manifest(file: Path) -> PixelPolicy:
    """Read a pixel policy's manifest.

    Raises:
        DamagedFile: it is missing, no TOML, or a value does not fit; names the key.
    """
    try:
        text = read_text(file, most_bytes=_MOST_BYTES)
    except FileNotFoundError:
        raise DamagedFile(file, "is not there", fix="Write one; see the manual's page of the lab.") from None
    try:
        return PixelPolicy.model_validate(parse_toml(text, file))
    except ValidationError as error:
        where, problem = first_fault(error)
        raise DamagedFile(file, problem, key=where, fix="See the manual's page of the lab.") from None
