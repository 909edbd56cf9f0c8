"""Templates of play: a form with a few slots, written into a game's folder as plain rules and skills.

A template names fields and actions of the draft. Those that steer join in one module of rules, `play`, which
decides on every frame; the others are skills. Nothing here runs: `plugin.toml` holds what they amount to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import Field

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError
from pitwall.games.schema.actions import ActionBinding, Cells, Parameter
from pitwall.games.schema.fields import (
    BlobField,
    Box,
    CellsField,
    Colour,
    DetectedField,
    Identifier,
    ReaderField,
    SpriteField,
    Table,
)
from pitwall.games.schema.modules import Rule
from pitwall.games.schema.profile import Skill

PLAYING = "status == 'playing'"
FIRST, SECOND = 20, 10
"""Priorities: what leaves a menu, what plays. The draft's own plan has 0."""
_OF_A_CELL = 25.0
"""A cell is clicked where so much of its middle has the thing's colour, in percent."""

ReadBy = Annotated[Identifier, "field"]
DoneBy = Annotated[Identifier, "action"]
Spared = Annotated[str, "action"]
"""An action that may be left out."""


LOCATED = (BlobField, SpriteField, DetectedField)
"""Readings of where a thing is."""
_SIDES = {"x": ("x", "left", "right"), "y": ("y", "top", "bottom")}


def _nearest(me: Box | None, thing: Box | None, along: Literal["x", "y"]) -> str:
    """Which patch comes nearest to me: the boxes tell whether I stand before or behind it; empty: neither."""
    if me is None or thing is None:
        return ""
    at, size = (1, 3) if along == "x" else (0, 2)
    far = me[at] + me[size] / 2 - thing[at] - thing[size] / 2
    if abs(far) < thing[size] / 4:
        return ""
    return {"x": ("topmost", "bottommost"), "y": ("leftmost", "rightmost")}[along][far > 0]


class BaseTemplate(Table):
    """What every template can say of itself."""

    def rules(self) -> Iterator[Rule]:
        """Rules at frame rate, the first that holds acts."""
        yield from ()

    def skills(self) -> Iterator[Skill]:
        """Skills of its own."""
        yield from ()

    def named(self, of: str) -> tuple[str, ...]:
        """Names of the draft's fields, or actions, that it needs."""
        said = (getattr(self, slot.name) for slot in slots(type(self)) if slot.of in (of, f"{of}s"))
        return tuple(name for one in said for name in ([one] if isinstance(one, str) else one) if name)


class PlacedTemplate(BaseTemplate):
    along: Literal["x", "y"] = Field("x", description="Direction that counts: x across, y down")

    def placed(self, fields: Sequence[ReaderField]) -> tuple[PlacedTemplate, list[ReaderField]]:
        """This template on readings of its own direction, and those that a draft has to read for that."""
        moved, more = self, list[ReaderField]()
        for slot in ("me", "thing"):
            name = getattr(self, slot)
            one = next((one for one in fields if one.name == name), None)
            if isinstance(one, LOCATED) and one.value not in _SIDES[self.along]:
                more.append(one.model_copy(update={"name": f"{name}_{self.along}", "value": self.along}))
                moved = moved.model_copy(update={slot: f"{name}_{self.along}"})
        return moved, more


class _Steered(PlacedTemplate):
    me: ReadBy = Field(description="Reading: where the thing is that you steer, in px")
    less: DoneBy = Field(description="Action that makes it smaller: left, or up")
    more: DoneBy = Field(description="Action that makes it larger: right, or down")

    def _towards(self, aim: str, slack_px: float, also: str = "") -> Iterator[Rule]:
        more = f" and {also}" if also else ""
        yield Rule(when=f"{self.me} > {aim} + {slack_px:g}{more}", action=self.less)
        yield Rule(when=f"{self.me} < {aim} - {slack_px:g}{more}", action=self.more)


class Follow(_Steered):
    """Follow a thing: stand where it stands."""

    kind: Literal["follow"]
    thing: ReadBy = Field(description="Reading: where the thing is that is followed, in px")
    slack_px: float = Field(8, ge=0, le=2_000, description="So near is near enough, in px")

    def rules(self) -> Iterator[Rule]:
        yield from self._towards(self.thing, self.slack_px)


class Fire(Follow):
    """Stand under and fire: follow a thing, and press fire where it can be hit."""

    kind: Literal["fire"]  # type: ignore[assignment]
    fire: DoneBy = Field(description="Action that fires")
    within_px: float = Field(0, ge=0, le=4_000, description="Fires when so near, in px; 0: always")
    every_ms: int = Field(250, ge=20, le=60_000, description="Time between two shots, in ms")

    def rules(self) -> Iterator[Rule]:
        near = f"abs({self.me} - {self.thing}) <= {self.within_px:g}" if self.within_px else PLAYING
        yield Rule(when=near, action=self.fire, cooldown_ms=self.every_ms)
        yield from super().rules()


class Avoid(_Steered):
    """Keep away: go from a thing that comes near, and past it at the edge."""

    kind: Literal["avoid"]
    thing: ReadBy = Field(description="Reading: where the thing is that is kept away from, in px")
    near_px: float = Field(60, gt=0, le=4_000, description="Nearer than this is too near, in px")
    low: float = Field(0, description="Least place where there is room to go, in px")
    high: float = Field(0, description="Greatest such place, in px; 0: not known")

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
    """Catch: follow what comes, and wait at a place of your choice while nothing does."""

    kind: Literal["catch"]  # type: ignore[assignment]
    rest: float = Field(0, ge=0, description="Where to wait while nothing comes, in px; 0: anywhere")

    def placed(self, fields: Sequence[ReaderField]) -> tuple[PlacedTemplate, list[ReaderField]]:
        """Of several things that come, the one that is nearest to where they are caught is followed."""
        moved, more = super().placed(fields)
        read = {one.name: one for one in (*fields, *more)}
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
    """Steer to the gap: rise while below it, and sink while above where there is an action for that."""

    kind: Literal["gap"]
    along: Literal["x", "y"] = Field("y", description="Direction that counts: x across, y down")
    me: ReadBy = Field(description="Reading: how far down the thing is that you steer, in px")
    thing: ReadBy = Field(description="Reading: the gap's middle, in px")
    up: DoneBy = Field(description="Action that makes it rise")
    down: Spared = Field("", description="Action that makes it sink; none: it falls by itself")
    slack_px: float = Field(8, ge=-500, le=500, description="Acts when so far off, in px")
    every_ms: int = Field(0, ge=0, le=10_000, description="Time between two presses, in ms")

    def rules(self) -> Iterator[Rule]:
        below = f"{self.me} > {self.thing} + {self.slack_px:g}"
        yield Rule(when=below, action=self.up, cooldown_ms=self.every_ms)
        if self.down:
            above = f"{self.me} < {self.thing} - {self.slack_px:g}"
            yield Rule(when=above, action=self.down, cooldown_ms=self.every_ms)


class OnCells(BaseTemplate):
    """Clicks cells of a box that have a colour."""

    button: Literal["left", "right"]

    def cells(self, _fields: Sequence[ReaderField]) -> CellsField | None:
        """The reading that names the cells to click; None where a draft's readings do not say which."""
        raise NotImplementedError

    def readings(self, fields: Sequence[ReaderField]) -> list[ReaderField]:
        """What names the cells to click, and what counts them."""
        named = self.cells(fields)
        if named is None:
            return []
        return [named, named.model_copy(update={"name": f"{named.name}_left", "value": "count"})]

    def actions_on(self, fields: Sequence[ReaderField]) -> list[ActionBinding]:
        """The action that clicks one."""
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
    """A board of cells: click one that has the colour of those that are not done."""

    kind: Literal["board"]
    box: Box = Field(description="Where the board stands: x, y, width, height in px")
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
    thing: ReadBy = Field(description="Reading: the thing that is clicked; of the kind moving thing")
    cell_px: int = Field(12, ge=4, le=200, description="How exactly its place is taken, in px")
    moving: Literal["yes", "no"] = Field(
        "no", description="Only while it moves, yes or no: what lies there is left"
    )
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
        thing = next((one for one in _fields if one.name == self.thing), None)
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
    """Walk out of a menu: while it is open, do these in turn."""

    kind: Literal["menu"]
    actions: Annotated[list[Identifier], "actions"] = Field(min_length=1, description="Actions, in turn")
    when: Annotated[str, "condition"] = Field("status == 'menu'", description="Open while this holds")

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
    """A skill of your own: when a condition holds, do these in turn."""

    kind: Literal["skill"]
    name: str = Field("my skill", min_length=1, max_length=80, description="Its name")
    when: Annotated[str, "condition"] = Field(description="Holds while it is to be done")
    actions: Annotated[list[Identifier], "actions"] = Field(min_length=1, description="Actions, in turn")
    steps: int = Field(8, ge=1, le=1000, description="Most steps before another has its turn")

    @property
    def waits(self) -> bool:
        """Whether its condition reads the screen, so that it goes before what plays at all times."""
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
    get_args(one.model_fields["kind"].annotation)[0]: one
    for one in (Follow, Fire, Avoid, Catch, Gap, Board, Click, Menu, Reflex)
}
"""Kind → the template."""


# ---- forms


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place of a template's form.

    Attributes:
        of: "field", "action", "actions", "condition", or empty for a value. least: of a number; None: none.
    """

    name: str
    of: str
    words: str
    required: bool
    default: object


def slots(template: type[BaseTemplate]) -> tuple[Slot, ...]:
    """The slots of a template's form, those that are required first."""
    found = [
        Slot(
            name=name,
            of=next((one for one in info.metadata if isinstance(one, str)), ""),
            words=info.description or name,
            required=info.is_required(),
            default=None if info.is_required() else info.default,
        )
        for name, info in template.model_fields.items()
        if name != "kind"
    ]
    return tuple(sorted(found, key=lambda slot: not slot.required))


_LIKELY = {
    "me": r"me|player|paddle|ship|bat|hero",
    "less": r"left|up",
    "more": r"right|down",
    "fire": r"fire|shoot|space",
    "up": r"up|jump|flap|space",
    "down": r"down|sink",
}
"""Slot → names that likely belong there."""


def likely(slot: Slot, fields: Sequence[ReaderField], actions: Sequence[str]) -> str:
    """Name the reading or action that likely belongs into a slot; empty: none does."""
    moving = [one.name for one in fields if isinstance(one, LOCATED)]
    names = actions if slot.of == "action" else moving
    said = re.compile(_LIKELY.get(slot.name, r"(?!)"), re.IGNORECASE)
    others = [name for name in names if slot.name == "thing" and not re.search(_LIKELY["me"], name, re.I)]
    return next((name for name in names if said.fullmatch(name)), others[0] if others else "")


def conditions(fields: Sequence[ReaderField]) -> Iterator[str]:
    """Offer conditions that a draft's readings allow: while it plays, while a thing is seen, a sign is there,
    a number is so large."""
    yield PLAYING
    for field in fields:
        match field.kind:
            case "template":
                yield field.name
                yield f"not {field.name}"
            case "blob" | "sprite" | "detected":
                yield f"{PLAYING} and {field.name} != none"
            case "bar":
                yield f"{PLAYING} and {field.name} < 50"
            case _:
                yield f"{PLAYING} and {field.name} > 10"


def title(template: type[BaseTemplate]) -> str:
    """Name a template in words: "Follow a thing"."""
    return re.split(r"[:,]", template.__doc__ or "")[0].strip()
