"""Templates of play: each is a form with a few slots that becomes rules and skills in the game's folder.

A template names fields and actions of the draft. All templates that steer share one module of rules, `play`,
which decides on every frame; the others become skills. Nothing runs here: `plugin.toml` holds the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, get_args

from pydantic import Field

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError
from pitwall.games.drafting.template_slots import LOCATED, PLAYING, BaseTemplate, DoneBy, ReadBy, Spared
from pitwall.games.schema.actions import ActionBinding, Cells, Parameter
from pitwall.games.schema.fields import BlobField, Box, CellsField, Colour, Identifier, ReaderField
from pitwall.games.schema.modules import Rule
from pitwall.games.schema.profile import Skill

FIRST, SECOND = 20, 10
"""Priorities of skills: leaving a menu, then playing. A draft's own plan has 0."""
_OF_A_CELL = 25.0
"""Share of a cell's middle that must have the thing's colour for a click, in percent."""
_SIDES = {"x": ("x", "left", "right"), "y": ("y", "top", "bottom")}


def _nearest(me: Box | None, thing: Box | None, along: Literal["x", "y"]) -> str:
    """Return which patch of a thing is nearest to me, by the places of both boxes; empty: they overlap."""
    if me is None or thing is None:
        return ""
    at, size = (1, 3) if along == "x" else (0, 2)
    distance = me[at] + me[size] / 2 - thing[at] - thing[size] / 2
    if abs(distance) < thing[size] / 4:
        return ""
    return {"x": ("topmost", "bottommost"), "y": ("leftmost", "rightmost")}[along][distance > 0]


class PlacedTemplate(BaseTemplate):
    along: Literal["x", "y"] = Field("x", description="Direction that counts: x across, y down")

    def placed(self, fields: Sequence[ReaderField]) -> tuple[PlacedTemplate, list[ReaderField]]:
        """Return a copy that reads places along its own direction, and the fields that this needs."""
        moved, more = self, list[ReaderField]()
        for slot in ("me", "thing"):
            name = getattr(self, slot)
            field = next((field for field in fields if field.name == name), None)
            if isinstance(field, LOCATED) and field.value not in _SIDES[self.along]:
                more.append(field.model_copy(update={"name": f"{name}_{self.along}", "value": self.along}))
                moved = moved.model_copy(update={slot: f"{name}_{self.along}"})
        return moved, more


class _Steered(PlacedTemplate):
    me: ReadBy = Field(description="Reading: place of the thing that you steer, in px")
    less: DoneBy = Field(description="Action that moves it left or up")
    more: DoneBy = Field(description="Action that moves it right or down")

    def _towards(self, aim: str, slack_px: float, also: str = "") -> Iterator[Rule]:
        more = f" and {also}" if also else ""
        yield Rule(when=f"{self.me} > {aim} + {slack_px:g}{more}", action=self.less)
        yield Rule(when=f"{self.me} < {aim} - {slack_px:g}{more}", action=self.more)


class Follow(_Steered):
    """Follow a thing: stand where it stands."""

    kind: Literal["follow"]
    thing: ReadBy = Field(description="Reading: place of the thing to follow, in px")
    slack_px: float = Field(
        8, ge=0, le=2_000, description="Distance at which the thing counts as reached, in px"
    )

    def rules(self) -> Iterator[Rule]:
        yield from self._towards(self.thing, self.slack_px)


class Fire(Follow):
    """Stand under and fire: follow a thing, and press fire where it can be hit."""

    kind: Literal["fire"]  # type: ignore[assignment]
    fire: DoneBy = Field(description="Action that fires")
    within_px: float = Field(
        0, ge=0, le=4_000, description="Largest distance at which it fires, in px; 0: any"
    )
    every_ms: int = Field(250, ge=20, le=60_000, description="Time between two shots, in ms")

    def rules(self) -> Iterator[Rule]:
        near = f"abs({self.me} - {self.thing}) <= {self.within_px:g}" if self.within_px else PLAYING
        yield Rule(when=near, action=self.fire, cooldown_ms=self.every_ms)
        yield from super().rules()


class Avoid(_Steered):
    """Keep away: move away from a thing that comes near, and pass it at the edge."""

    kind: Literal["avoid"]
    thing: ReadBy = Field(description="Reading: place of the thing to avoid, in px")
    near_px: float = Field(60, gt=0, le=4_000, description="Smallest safe distance, in px")
    low: float = Field(0, description="Lowest place with room to move, in px")
    high: float = Field(0, description="Highest place with room to move, in px; 0: not known")

    def rules(self) -> Iterator[Rule]:
        near = f"abs({self.me} - {self.thing}) < {self.near_px:g}"
        up, down = f"{self.me} > {self.thing}", f"{self.me} <= {self.thing}"
        if self.low:
            yield Rule(when=f"{near} and {self.me} <= {self.low:g}", action=self.more)
            down = f"{down} and {self.me} > {self.low:g}"
        if self.high:
            yield Rule(when=f"{near} and {self.me} >= {self.high:g}", action=self.less)
            up = f"{up} and {self.me} < {self.high:g}"
        yield Rule(when=f"{near} and {down}", action=self.less)
        yield Rule(when=f"{near} and {up}", action=self.more)


class Catch(Follow):
    """Catch: follow a thing that comes, and wait at a place of your choice until the next one comes."""

    kind: Literal["catch"]  # type: ignore[assignment]
    rest: float = Field(0, ge=0, description="Place to wait while nothing comes, in px; 0: anywhere")

    def placed(self, fields: Sequence[ReaderField]) -> tuple[PlacedTemplate, list[ReaderField]]:
        """Return a copy as the base does, which follows the nearest of several things."""
        moved, more = super().placed(fields)
        read = {field.name: field for field in (*fields, *more)}
        me, thing = (read.get(getattr(moved, slot)) for slot in ("me", "thing"))
        if not isinstance(me, BlobField) or not isinstance(thing, BlobField) or thing.pick != "largest":
            return moved, more
        if pick := _nearest(me.box, thing.box, self.along):
            more.append(thing.model_copy(update={"name": f"{thing.name}_nearest", "pick": pick}))
            moved = moved.model_copy(update={"thing": f"{thing.name}_nearest"})
        return moved, more

    def rules(self) -> Iterator[Rule]:
        yield from super().rules()
        if self.rest:
            yield from self._towards(f"{self.rest:g}", self.slack_px, f"{self.thing} == none")


class Gap(PlacedTemplate):
    """Steer to the gap: rise while below it, and sink while above it if there is an action for that."""

    kind: Literal["gap"]
    along: Literal["x", "y"] = Field("y", description="Direction that counts: x across, y down")
    me: ReadBy = Field(description="Reading: distance from the top of the thing that you steer, in px")
    thing: ReadBy = Field(description="Reading: middle of the gap, in px")
    up: DoneBy = Field(description="Action that makes it rise")
    down: Spared = Field("", description="Action that makes it sink; none: it falls by itself")
    slack_px: float = Field(
        8, ge=-500, le=500, description="Distance from the gap's middle at which it acts, in px"
    )
    every_ms: int = Field(0, ge=0, le=10_000, description="Time between two presses, in ms")

    def rules(self) -> Iterator[Rule]:
        below = f"{self.me} > {self.thing} + {self.slack_px:g}"
        yield Rule(when=below, action=self.up, cooldown_ms=self.every_ms)
        if self.down:
            above = f"{self.me} < {self.thing} - {self.slack_px:g}"
            yield Rule(when=above, action=self.down, cooldown_ms=self.every_ms)


class OnCells(BaseTemplate):
    """Base of templates that click cells of a box by their colour."""

    button: Literal["left", "right"]

    def cells(self, _fields: Sequence[ReaderField]) -> CellsField | None:
        """Return the field that names the cells to click; None where the draft's fields do not define it."""
        raise NotImplementedError

    def readings(self, fields: Sequence[ReaderField]) -> list[ReaderField]:
        """Return the field that names the cells to click, and the field that counts them."""
        named = self.cells(fields)
        if named is None:
            return []
        return [named, named.model_copy(update={"name": f"{named.name}_left", "value": "count"})]

    def actions_on(self, fields: Sequence[ReaderField]) -> list[ActionBinding]:
        """Return the action that clicks a cell."""
        named = self.cells(fields)
        if named is None or named.box is None:
            return []
        return [
            ActionBinding(
                name=named.action,
                description="Click a cell of the board." if named.name == "board" else "Click a place.",
                click=("$column", "$row"),
                cells=Cells(box=named.box, columns=named.columns, rows=named.rows),
                button=self.button,
                parameters={
                    "column": Parameter(minimum=0, maximum=named.columns - 1),
                    "row": Parameter(minimum=0, maximum=named.rows - 1),
                },
            )
        ]


class Board(OnCells):
    """A board of cells: click a cell that has the colour of open cells."""

    kind: Literal["board"]
    box: Box = Field(description="Area of the board: x, y, width, height in px")
    columns: int = Field(8, ge=1, le=200, description="Cells in a row")
    rows: int = Field(8, ge=1, le=200, description="Cells in a column")
    colour: Colour = Field(description="Colour of a cell that can be clicked: red, green, blue")
    button: Literal["left", "right"] = Field("left", description="Button that clicks")

    def skills(self) -> Iterator[Skill]:
        yield Skill(
            name="click a cell",
            when=PLAYING,
            situation="Cells of the board are open to a click",
            subgoal="click one of them",
            actions=["{board}"],
            steps=1,
            priority=SECOND,
        )

    def cells(self, _fields: Sequence[ReaderField]) -> CellsField:
        return CellsField(
            kind="cells",
            name="board",
            box=self.box,
            columns=self.columns,
            rows=self.rows,
            colour=self.colour,
            action="click_cell",
        )


class Click(OnCells):
    """Click a thing: wherever it is seen."""

    kind: Literal["click"]
    thing: ReadBy = Field(description="Reading: the thing to click, of the kind moving thing")
    cell_px: int = Field(
        12, ge=4, le=200, description="Size of the cells that its place is rounded to, in px"
    )
    moving: Literal["yes", "no"] = Field("no", description="Click it only while it moves: yes or no")
    button: Literal["left", "right"] = Field("left", description="Button that clicks")

    def skills(self) -> Iterator[Skill]:
        yield Skill(
            name=f"click {self.thing}",
            when=f"{PLAYING} and {self.thing} != none",
            situation="The thing is seen",
            subgoal="click it",
            actions=[f"{{at_{self.thing}}}"],
            steps=1,
            priority=SECOND,
        )

    def cells(self, _fields: Sequence[ReaderField]) -> CellsField | None:
        thing = next((field for field in _fields if field.name == self.thing), None)
        if not isinstance(thing, BlobField) or thing.box is None:
            return None
        _, _, width, height = thing.box
        return CellsField(
            kind="cells",
            name=f"at_{self.thing}",
            box=thing.box,
            columns=min(200, max(1, width // self.cell_px)),
            rows=min(200, max(1, height // self.cell_px)),
            colour=thing.colour,
            tolerance=thing.tolerance,
            at_least=_OF_A_CELL,
            most=1,
            moving=self.moving == "yes",
            action=f"click_{self.thing}",
        )


class Menu(BaseTemplate):
    """Walk out of a menu: while it is open, do these actions in turn."""

    kind: Literal["menu"]
    actions: Annotated[list[Identifier], "actions"] = Field(min_length=1, description="Actions, in turn")
    when: Annotated[str, "condition"] = Field(
        "status == 'menu'", description="Condition under which the menu is open"
    )

    def skills(self) -> Iterator[Skill]:
        yield Skill(
            name="leave the menu",
            when=self.when,
            subgoal="begin to play",
            actions=self.actions,
            steps=len(self.actions),
            priority=FIRST,
        )


class Reflex(BaseTemplate):
    """A skill of your own: when a condition holds, do these actions in turn."""

    kind: Literal["skill"]
    name: str = Field("my skill", min_length=1, max_length=80, description="Its name")
    when: Annotated[str, "condition"] = Field(description="Condition under which the skill acts")
    actions: Annotated[list[Identifier], "actions"] = Field(min_length=1, description="Actions, in turn")
    steps: int = Field(8, ge=1, le=1000, description="Most steps before another skill may act")

    @property
    def waits(self) -> bool:
        """Return whether its condition reads the screen; then it goes before templates that always play."""
        try:
            return bool(parse_condition(self.when).fields - {"status"})
        except ConditionError:  # the checker says so
            return False

    def skills(self) -> Iterator[Skill]:
        yield Skill(
            name=self.name,
            when=self.when,
            subgoal=self.name,
            actions=self.actions,
            stop=f"not ({self.when})" if self.waits else "",
            steps=self.steps,
            priority=FIRST if self.waits else SECOND,
        )


Template = Annotated[
    Follow | Fire | Avoid | Catch | Gap | Board | Click | Menu | Reflex, Field(discriminator="kind")
]
TEMPLATES: dict[str, type[BaseTemplate]] = {
    get_args(template.model_fields["kind"].annotation)[0]: template
    for template in (Follow, Fire, Avoid, Catch, Gap, Board, Click, Menu, Reflex)
}
"""Kind → the template."""
