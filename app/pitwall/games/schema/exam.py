"""[exam]: what of a game's fields and of its true state the exam reads (SPEC §7)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pitwall.games.schema.fields import Identifier, Table

Direction = Literal["left", "right", "up", "down"]


class GridTruth(Table):
    """[exam.grid.truth]: the same things in the true state, as dotted paths; places are the world's own.

    Attributes:
        position: of the two numbers x (to the right) and y (down).
        facing: of a direction's name, or of the pair [dx, dy].
        counts: of the table that holds stats and items by their names.
        terrain: of the world's rows, top to bottom, each a text of signs of the legend; counted from 0, 0.
        things: of a list of what stands on tiles, each with x and y: terrain under it is not known.
        world: of a number that another world changes.
        achievements: of a table: what was earned, by Crafter's names → how often; rule set compat needs it.
    """

    position: tuple[str, str]
    facing: str
    counts: str
    terrain: str
    things: str = ""
    world: str = ""
    achievements: str = ""


class GridTable(Table):
    """[exam.grid]: a world of tiles, in which one stands, looks, carries and makes (Table 15 of the source).

    Attributes:
        position: fields of x (to the right) and y (down), in tiles.
        view: field with the tiles in sight, rows parted by /, the player in the middle: signs of the legend,
            or signs of which nothing is known (creatures, darkness).
        columns, rows: of the view.
        legend: sign → terrain.
        ground, facing: fields: terrain underfoot; left, right, up or down.
        stats: fields, health first. resources, tools: fields with amounts of what is carried.
        walkable: terrains that can be walked on.
        moves: action → direction. places: action → what it places. makes: action → the tool that it makes.
        interact: the action that takes, hits, eats, drinks. sleep: the one that sleeps.
        recipes: what can be placed or made → resource → how many it takes.
        deadly: terrains whose entering kills. trees: the one that counts as a tree; empty: there is none.
        wants: stat → what one dies of while it is at nothing ("starvation").
        restores: stat → what its rise is called, as one says it of "you" in the past ("drank").
    """

    position: tuple[Identifier, Identifier]
    view: Identifier
    columns: int = Field(ge=1, le=99)
    rows: int = Field(ge=1, le=99)
    legend: dict[str, str] = Field(min_length=1)
    ground: Identifier
    facing: Identifier
    stats: list[Identifier] = Field(min_length=1)
    resources: list[Identifier] = Field(min_length=1)
    tools: list[Identifier] = Field(default_factory=list)
    walkable: list[str] = Field(min_length=1)
    moves: dict[Identifier, Direction] = Field(min_length=1)
    places: dict[Identifier, str] = Field(default_factory=dict)
    makes: dict[Identifier, str] = Field(default_factory=dict)
    interact: str = ""
    sleep: str = ""
    recipes: dict[str, dict[str, int]] = Field(default_factory=dict)
    deadly: list[str] = Field(default_factory=list)
    trees: str = ""
    wants: dict[Identifier, str] = Field(default_factory=dict)
    restores: dict[Identifier, str] = Field(default_factory=dict)
    truth: GridTruth | None = None

    @property
    def items(self) -> tuple[str, ...]:
        """All that can be carried: resources, then tools."""
        return (*self.resources, *self.tools)

    @property
    def terrains(self) -> tuple[str, ...]:
        """All terrains of the legend, each once, in its order."""
        return tuple(dict.fromkeys(self.legend.values()))


class TextTruth(Table):
    """[exam.text.truth]: the same things in the true state, as dotted paths; empty: it does not tell."""

    location: str
    observation: str = ""
    inventory: str = ""
    score: str = ""
    valid: str = ""


class TextTable(Table):
    """[exam.text]: a game of places and printed words (Table 14 of the source).

    Attributes:
        location, observation, score: fields; empty: there is none.
        inventory, valid: fields that name things carried, and commands that would do something, parted by
            semicolons.
        command: the argument that carries the command, of an action that types one ("text"); other actions
            are commands by their names.
        moves: command → direction, in the words in which it is asked ("north").
    """

    location: Identifier
    observation: Identifier | Literal[""] = ""
    inventory: Identifier | Literal[""] = ""
    score: Identifier | Literal[""] = ""
    valid: Identifier | Literal[""] = ""
    command: Identifier | Literal[""] = ""
    moves: dict[str, str] = Field(default_factory=dict)
    truth: TextTruth | None = None


class ExamTable(Table):
    """[exam]: which inventory asks about the game beside the general one; it has the table of that name."""

    inventory: Literal["grid", "text"]
    grid: GridTable | None = None
    text: TextTable | None = None
