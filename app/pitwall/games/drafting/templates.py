"""Templates of play: a form with a few slots, written into a game's folder as plain rules and skills.

A template names fields and actions of the draft. Those that steer join in one module of rules, `play`, which
decides on every frame; the others are skills. Nothing here runs: `plugin.toml` holds what they amount to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

from pydantic import Field, ValidationError

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import PitwallError, nearest
from pitwall.core.observations import Value
from pitwall.core.validation import first_fault
from pitwall.games.schema.actions import ActionBinding, Cells, Parameter
from pitwall.games.schema.fields import (
    BlobField,
    Box,
    CellsField,
    Colour,
    DetectedField,
    Identifier,
    ReaderField,
    Table,
)
from pitwall.games.schema.modules import Module, Rule
from pitwall.games.schema.profile import Skill

MODULE = "play"
_TURN_MS = 30
"""A rule that moves rests so long where others want their turn."""
_PLAYING = "status == 'playing'"
_FIRST, _SECOND = 20, 10
"""Priorities: what leaves a menu, what plays. The draft's own plan has 0."""

ReadBy = Annotated[Identifier, "field"]
DoneBy = Annotated[Identifier, "action"]
Spared = Annotated[str, "action"]
"""An action that may be left out."""


_SIDES = {"x": ("x", "left", "right"), "y": ("y", "top", "bottom")}


class _Template(Table):
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


class _Placed(_Template):
    along: Literal["x", "y"] = Field("x", description="Direction that counts: x across, y down")

    def placed(self, fields: Sequence[ReaderField]) -> tuple[_Placed, list[ReaderField]]:
        """This template on readings of its own direction, and those that a draft has to read for that."""
        moved, more = self, list[ReaderField]()
        for slot in ("me", "thing"):
            name = getattr(self, slot)
            one = next((one for one in fields if one.name == name), None)
            if isinstance(one, BlobField | DetectedField) and one.value not in _SIDES[self.along]:
                more.append(one.model_copy(update={"name": f"{name}_{self.along}", "value": self.along}))
                moved = moved.model_copy(update={slot: f"{name}_{self.along}"})
        return moved, more


class _Steered(_Placed):
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
        near = f"abs({self.me} - {self.thing}) <= {self.within_px:g}" if self.within_px else _PLAYING
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

    def rules(self) -> Iterator[Rule]:
        yield from super().rules()
        if self.rest:
            yield from self._towards(f"{self.rest:g}", self.slack_px, f"{self.thing} == none")


class Gap(_Placed):
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


class Board(_Template):
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
            when=_PLAYING,
            situation="Cells of the board are open to a click",
            subgoal="click one of them",
            actions=["{board}"],
            steps=1,
            priority=_SECOND,
        )

    def board(self) -> list[CellsField]:
        """The readings that name the cells to click, and count those that are left."""
        named = CellsField(
            kind="cells",
            name="board",
            box=self.box,
            columns=self.columns,
            rows=self.rows,
            colour=self.colour,
            action="click_cell",
        )
        return [named, named.model_copy(update={"name": "board_left", "value": "count"})]

    def action(self) -> ActionBinding:
        """The action that clicks one."""
        return ActionBinding(
            name="click_cell",
            description="Click a cell of the board.",
            click=("$column", "$row"),
            cells=Cells(box=self.box, columns=self.columns, rows=self.rows),
            button=self.button,
            parameters={
                "column": Parameter(minimum=0, maximum=self.columns - 1),
                "row": Parameter(minimum=0, maximum=self.rows - 1),
            },
        )


class Menu(_Template):
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
            priority=_FIRST,
        )


class Reflex(_Template):
    """A skill of your own: when a condition holds, do these in turn."""

    kind: Literal["skill"]
    name: str = Field("my skill", min_length=1, max_length=80, description="Its name")
    when: Annotated[str, "condition"] = Field(description="Holds while it is to be done")
    actions: Annotated[list[Identifier], "actions"] = Field(min_length=1, description="Actions, in turn")
    steps: int = Field(8, ge=1, le=1000, description="Most steps before another has its turn")

    def skills(self) -> Iterator[Skill]:
        yield Skill(
            name=self.name,
            when=self.when,
            subgoal=self.name,
            actions=self.actions,
            steps=self.steps,
            priority=_SECOND,
        )


Template = Annotated[Follow | Fire | Avoid | Catch | Gap | Board | Menu | Reflex, Field(discriminator="kind")]
TEMPLATES: dict[str, type[_Template]] = {
    get_args(one.model_fields["kind"].annotation)[0]: one
    for one in (Follow, Fire, Avoid, Catch, Gap, Board, Menu, Reflex)
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


def slots(template: type[_Template]) -> tuple[Slot, ...]:
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


def title(template: type[_Template]) -> str:
    """Name a template in words: "Follow a thing"."""
    return re.split(r"[:,]", template.__doc__ or "")[0].strip()


def template_of(text: str) -> _Template:
    """`KIND:SLOT=VALUE,…`, like `follow:me=paddle,thing=ball,less=left,more=right`.

    Raises:
        PitwallError: there is no such template or slot, or a value does not fit; names the nearest.
    """
    kind, _, rest = (part.strip() for part in text.partition(":"))
    if kind not in TEMPLATES:
        raise _unknown(f"there is no template {kind!r}", kind, TEMPLATES)
    known = [slot.name for slot in slots(TEMPLATES[kind])]
    words: dict[str, str] = {}
    for part in filter(None, re.split(r",(?=[a-z_]+=(?!=))", rest)):
        name, _, words[name] = (one.strip() for one in part.partition("="))
        if name not in known:
            raise _unknown(f"the template {kind!r} has no {name!r}", name, known)
    return template_from(kind, words)


def template_from(kind: str, words: Mapping[str, str]) -> _Template:
    """A template whose slots are filled with these words.

    Raises:
        PitwallError: one is missing or does not fit; says what belongs there.
    """
    made = TEMPLATES[kind]
    try:
        return made.model_validate(
            {"kind": kind, **{name: _listed(name, text) for name, text in words.items()}}
        )
    except ValidationError as error:
        key, problem = first_fault(error)
        about = next((slot.words for slot in slots(made) if slot.name == key.split(".")[0]), "")
        raise PitwallError(f"template {kind}: {key}: {problem}.", f"{about}.") from None


def _listed(name: str, value: str) -> object:
    if name in ("box", "colour"):
        return [one.strip() for one in value.split(",")]
    return [one.strip() for one in value.split(";")] if name == "actions" else value


def _unknown(what: str, name: str, known: Iterable[str]) -> PitwallError:
    near = nearest(name, known)
    return PitwallError(f"{what}.", f"Did you mean {near!r}?" if near else f"One of: {', '.join(known)}.")


def with_templates(
    templates: Sequence[_Template], *, fields: Sequence[str], actions: Sequence[str]
) -> list[_Template]:
    """Return these templates, as far as a draft has what they name.

    Raises:
        PitwallError: one names a field or an action that is not there; names the nearest.
    """
    for one in templates:
        for of, there in (("field", fields), ("action", actions)):
            for name in one.named(of):
                if name not in there:
                    what = f"a template names the {of} {name!r}, which is not there"
                    raise _unknown(what, name, there)
    return list(templates)


# ---- what they amount to


@dataclass(slots=True)
class Play:
    """Holds what a draft's templates add to its folder."""

    modules: list[Module] = field(default_factory=list)
    skills: list[Skill] = field(default_factory=list)
    fields: list[ReaderField] = field(default_factory=list)
    actions: list[ActionBinding] = field(default_factory=list)

    @property
    def steers(self) -> bool:
        """Whether something plays at all times, so that no plan of every action is wanted beside it."""
        return bool(self.modules or self.actions)


def play_of(named: Sequence[_Template], fields: Sequence[ReaderField]) -> Play:
    """The rules, skills, fields and actions that templates amount to.

    Args:
        fields: that the templates name.
    """
    play = Play()
    templates = list(named)
    for at, one in enumerate(named):
        if isinstance(one, _Placed):
            templates[at], more = one.placed([*fields, *play.fields])
            play.fields += [field for field in more if field not in play.fields]
    rules = [rule for one in templates for rule in one.rules()]
    if rules:
        play.modules.append(_module(rules, several=sum(1 for one in templates if any(one.rules())) > 1))
        play.skills.append(
            Skill(
                name=MODULE,
                when=_PLAYING,
                situation="What it looks at is read",
                subgoal="; ".join(title(type(one)).casefold() for one in templates if any(one.rules())),
                module=MODULE,
                steps=1000,
                priority=_SECOND,
            )
        )
    for one in templates:
        play.skills.extend(one.skills())
        if isinstance(one, Board):
            play.fields.extend(one.board())
            play.actions.append(one.action())
    return play


def _module(rules: Sequence[Rule], *, several: bool) -> Module:
    """One module of all rules; where several templates steer, a rule that acted lets the next have a turn."""
    rest = _TURN_MS if several else 0
    shared = [rule.model_copy(update={"cooldown_ms": rule.cooldown_ms or rest}) for rule in rules]
    words = "Made of templates: the first rule that holds acts."
    return Module(name=MODULE, description=words, ends="status != 'playing'", rules=shared)


def now(template: _Template, fields: Sequence[ReaderField], values: Mapping[str, Value]) -> str:
    """Say what a template would do on these values: an action's name, or empty for nothing."""
    said = {"status": "playing", **values}
    if isinstance(template, _Placed):
        template, _ = template.placed(fields)
    for rule in template.rules():
        if parse_condition(rule.when).holds(said):
            return rule.action
    for skill in template.skills():
        if parse_condition(skill.when).holds(said):
            return " ".join(skill.actions)
    return ""


def renamed(template: _Template, old: str, new: str) -> _Template:
    """A template with another name for a field or an action, wherever it names it."""
    values = dict(template)
    for slot in slots(type(template)):
        value = values[slot.name]
        if slot.of == "condition":
            values[slot.name] = re.sub(rf"\b{re.escape(old)}\b", new, str(value))
        elif slot.of == "actions":
            values[slot.name] = [new if one == old else one for one in value]
        elif slot.of and value == old:
            values[slot.name] = new
    return type(template).model_validate(values)
