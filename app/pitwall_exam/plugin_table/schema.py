"""[exam]: what of a game's fields and of its true state the exam reads (SPEC §7)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pitwall.games.schema.fields import Identifier, Table

Direction = Literal["left", "right", "up", "down"]


class GridTruth(Table):
    """[exam.grid.truth]: the same things in the true state, as dotted paths; places are the world's own."""

    position: tuple[str, str] = Field(description="Paths of the two numbers x (to the right) and y (down)")
    facing: str = Field(description="Path of a direction's name, or of the pair [dx, dy]")
    counts: str = Field(description="Path of the table that holds stats and items by their names")
    terrain: str = Field(
        description="Path of the world's rows, top to bottom, each a text of signs of the legend; "
        "counted from 0, 0"
    )
    things: str = Field(
        "",
        description="Path of a list of what stands on tiles, each with x and y: terrain under it is not "
        "known",
    )
    world: str = Field("", description="Path of a number that another world changes")
    achievements: str = Field(
        "",
        description="Path of a table of what was earned, by Crafter's names → how often; rule set compat "
        "needs it",
    )


class GridTable(Table):
    """[exam.grid]: a world of tiles, in which one stands, looks, carries, makes (Table 15 of EMemBench)."""

    position: tuple[Identifier, Identifier] = Field(
        description="Fields of x (to the right) and y (down), in tiles"
    )
    view: Identifier = Field(
        description="Field with the tiles in sight, rows parted by /, the player in the middle: signs of "
        "the legend, or signs of which nothing is known (creatures, darkness)"
    )
    columns: int = Field(ge=1, le=99, description="Columns of the view")
    rows: int = Field(ge=1, le=99, description="Rows of the view")
    legend: dict[str, str] = Field(min_length=1, description="Sign → terrain")
    ground: Identifier = Field(description="Field of the terrain underfoot")
    facing: Identifier = Field(description="Field: left, right, up or down")
    stats: list[Identifier] = Field(min_length=1, description="Fields, health first")
    resources: list[Identifier] = Field(min_length=1, description="Fields with amounts of what is gathered")
    tools: list[Identifier] = Field(default_factory=list, description="Fields with amounts of what is made")
    walkable: list[str] = Field(min_length=1, description="Terrains that can be walked on")
    moves: dict[Identifier, Direction] = Field(min_length=1, description="Action → direction")
    places: dict[Identifier, str] = Field(default_factory=dict, description="Action → what it places")
    makes: dict[Identifier, str] = Field(default_factory=dict, description="Action → the tool that it makes")
    interact: str = Field("", description="Action that takes, hits, eats, drinks")
    sleep: str = Field("", description="Action that sleeps")
    recipes: dict[str, dict[str, int]] = Field(
        default_factory=dict, description="What can be placed or made → resource → how many it takes"
    )
    deadly: list[str] = Field(default_factory=list, description="Terrains whose entering kills")
    trees: str = Field("", description="Terrain that counts as a tree; empty: there is none")
    wants: dict[Identifier, str] = Field(
        default_factory=dict, description='Stat → what one dies of while it is at nothing ("starvation")'
    )
    restores: dict[Identifier, str] = Field(
        default_factory=dict,
        description='Stat → what its rise is called, as one says it of "you" in the past ("drank")',
    )
    truth: GridTruth | None = Field(None, description="The same things in the true state")

    @property
    def items(self) -> tuple[str, ...]:
        """List everything that can be carried: resources, then tools."""
        return (*self.resources, *self.tools)

    @property
    def terrains(self) -> tuple[str, ...]:
        """List the terrains of the legend, each once, in its order."""
        return tuple(dict.fromkeys(self.legend.values()))


class TextTruth(Table):
    """[exam.text.truth]: the same things in the true state, as dotted paths; empty: it does not tell."""

    location: str = Field(description="Path of the place")
    observation: str = Field("", description="Path of the printed text")
    inventory: str = Field("", description="Path of what is carried")
    score: str = Field("", description="Path of the score")
    valid: str = Field("", description="Path of the commands that would do something")


class TextTable(Table):
    """[exam.text]: a game of places and printed words (Table 14 of EMemBench)."""

    location: Identifier = Field(description="Field of the place")
    observation: Identifier | Literal[""] = Field(
        "", description="Field of the printed text; empty: there is none"
    )
    inventory: Identifier | Literal[""] = Field(
        "", description="Field that names things carried, parted by semicolons"
    )
    score: Identifier | Literal[""] = Field("", description="Field of the score")
    valid: Identifier | Literal[""] = Field(
        "", description="Field of commands that would do something, parted by semicolons"
    )
    command: Identifier | Literal[""] = Field(
        "",
        description="Argument that carries the command, of an action that types one; other actions are "
        "commands by their names",
    )
    moves: dict[str, str] = Field(
        default_factory=dict, description='Command → direction, in the words in which it is asked ("north")'
    )
    truth: TextTruth | None = Field(None, description="The same things in the true state")


class ExamTable(Table):
    """[exam]: which inventory asks about the game beside the general one; it has the table of that name."""

    inventory: Literal["grid", "text"] = Field(
        description="Which questions are asked beside the general ones; the table of that name says of what"
    )
    icons: str = Field(
        "",
        description="Picture of the folder that names what stands in the frames, for models that see",
    )
    grid: GridTable | None = Field(None, description="A world of tiles")
    text: TextTable | None = Field(None, description="A game of places and printed words")
