"""Parses the options that make a draft: `jump=Space`, `health=bar:10,10,100,8`, `score=25`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.keys import canonical_key
from pitwall.core.observations import Value
from pitwall.core.validation import first_fault
from pitwall.engine.drafting.field_reading import KINDS
from pitwall.games.drafting.draft import HOLD_MS, Draft, DraftAction, DraftTask, identifier, state_path
from pitwall.games.drafting.signs import NAME_ENTRY, may_be_sign, with_sign
from pitwall.games.drafting.template_words import template_of, with_templates
from pitwall.games.schema.fields import Box
from pitwall.games.schema.passages import PassageStep

_CLICK = re.compile(r"click:(\d+),(\d+)")
_HELD = re.compile(r"(?P<how>.+):(?P<hold_ms>\d+)")
_LOOK = re.compile(r"look(?::(-?\d+),(-?\d+))?")
_TURN = re.compile(r"turn(?::([-+]?\d+(?:\.\d+)?))?")
_FIELD = re.compile(r"(?:(?P<kind>[a-z]+):)?(?P<box>\d+,\d+,\d+,\d+)")
_TASK = re.compile(r"(?P<score>[A-Za-z_][\w.]*)\s*(?:>=|=)\s*(?P<target>[-+]?\d+(?:\.\d+)?)")
_COLOURED = re.compile(r"(?P<name>[^=]+)=(?P<kind>blob|bar|colour):(?P<box>[\d,]+):(?P<colour>\d+,\d+,\d+)")
_WAYS = "Write NAME=KEYS, NAME=KEYS:HOLD_MS, NAME=click:X,Y, NAME=look:DX,DY, NAME=turn:DEGREES or NAME=wait."
Propose = Callable[[Box, str, str], tuple[dict[str, Any], dict[str, str]]]
"""Box, kind, name → a field and its pictures, by what the picture shows there."""


def action_of(text: str) -> DraftAction:
    """Parse `NAME=KEYS` with keys pressed together (`Shift+ArrowLeft`), or the same with another way.

    `ArrowLeft:500` holds them for that many milliseconds. The other ways are
    `click:X,Y`, `look`, `turn` and `wait`.
    `look:DX,DY` moves the mouse by its units and `turn:DEGREES` turns the view; without numbers they are
    arguments of the action.

    Raises:
        PitwallError: it is none of these; names the nearest key.
    """
    name, equals, how = (part.strip() for part in text.partition("="))
    if not equals or not name or not how:
        raise PitwallError(f"{text!r} is no action.", _WAYS)
    name = identifier(name)
    if look := _LOOK.fullmatch(how):
        return DraftAction(name=name, look=(int(look[1]), int(look[2])) if look[1] else "any")
    if turn := _TURN.fullmatch(how):
        return DraftAction(name=name, turn=float(turn[1]) if turn[1] else "any")
    held = _HELD.fullmatch(how) if not _CLICK.fullmatch(how) else None
    if held is None:
        return DraftAction(name=name, **({} if how == "wait" else _pressed(f"action {name}", how)))
    least, most = HOLD_MS
    if not least <= int(held["hold_ms"]) <= most:
        raise PitwallError(
            f"action {name}: {held['hold_ms']} ms is no hold.", f"Hold for {least} to {most} ms."
        )
    pressed = _pressed(f"action {name}", held["how"])
    return DraftAction(name=name, hold_ms=int(held["hold_ms"]), **pressed)


def press_of(text: str, option: str) -> PassageStep:
    """Parse `KEYS` pressed together (`Shift+n`), or `click:X,Y`, as a step of a passage.

    Raises:
        PitwallError: it is none of these; names the nearest key.
    """
    return PassageStep(**_pressed(option, text.strip()))


def _pressed(place: str, how: str) -> dict[str, Any]:
    if click := _CLICK.fullmatch(how):
        return {"click": (int(click.group(1)), int(click.group(2)))}
    try:
        return {"keys": [canonical_key(key) for key in (how.split("+") if how != "+" else [how])]}
    except KeyError as error:
        raise PitwallError(f"{place}: {error.args[0]}.", "Keys are named as in a manifest.") from None


def field_of(text: str) -> tuple[str, str, Box]:
    """Parse `NAME=[KIND:]X,Y,W,H` as name, kind (empty: guess it) and box.

    Raises:
        PitwallError: it does not parse.
    """
    name, _, rest = (part.strip() for part in text.partition("="))
    match = _FIELD.fullmatch(rest)
    if not name or match is None:
        raise PitwallError(f"{text!r} is no field.", "Write NAME=KIND:X,Y,WIDTH,HEIGHT.")
    kind = match.group("kind") or ""
    if kind and kind not in KINDS:
        hint = suggestion(kind, KINDS, f"One of: {', '.join(KINDS)}.")
        raise PitwallError(f"{text!r}: {kind!r} is no kind of field.", hint)
    x, y, width, height = (int(part) for part in match.group("box").split(","))
    return identifier(name), kind, (x, y, width, height)


def _coloured(text: str) -> dict[str, Any] | None:
    """Parse `NAME=KIND:X,Y,W,H:R,G,B` as a field of this colour; None for a text without a colour."""
    match = _COLOURED.fullmatch(text)
    if match is None:
        return None
    groups: dict[str, Any] = match.groupdict()
    numbers = {key: tuple(int(part) for part in groups[key].split(",") if part) for key in ("box", "colour")}
    more = (
        {"at_least": 50.0}
        if groups["kind"] == "colour"
        else {"unit": "px" if groups["kind"] == "blob" else "%"}
    )
    return {"kind": groups["kind"], "name": identifier(groups["name"]), **numbers, **more}


def task_of(text: str, taken: set[str]) -> DraftTask:
    """Parse `FIELD=TARGET`, with an instruction after a colon: `score=25: Collect 25 coins.`

    Raises:
        PitwallError: it does not parse.
    """
    goal, _, instruction = text.partition(":")
    match = _TASK.fullmatch(goal.strip())
    if match is None:
        raise PitwallError(f"{text!r} is no task.", "Write FIELD=TARGET, or FIELD=TARGET: what to do.")
    score, target = match.group("score"), float(match.group("target"))
    name = identifier(f"{score.rsplit('.', 1)[-1]}_{target:g}", taken)
    return DraftTask(
        id=name,
        score=score,
        target=target,
        start=0.0 if target > 0 else "first",
        instruction=instruction.strip(),
    )


def with_arguments(
    draft: Draft,
    *,
    actions: Sequence[str],
    fields: Sequence[str],
    tasks: Sequence[str],
    propose: Propose | None,
) -> Draft:
    """Add actions, fields and tasks of a command line to a draft.

    Raises:
        PitwallError: a text does not parse, names something unknown, or a field needs a picture.
    """
    added = {action.name: action for action in (*draft.actions, *(action_of(text) for text in actions))}
    read = {field.name: field.model_dump() for field in draft.fields}
    pictures = dict(draft.pictures)
    for text in fields:
        if coloured := _coloured(text):
            read[coloured["name"]] = coloured
            continue
        name, kind, box = field_of(text)
        if propose is None:
            raise PitwallError(f"{text!r} needs a picture to look at.", "Name the window: --from-window ID.")
        read[name], more = propose(box, kind, name)
        pictures.update(more)
    asked = list(draft.tasks)
    for text in tasks:
        task = task_of(text, {task.id for task in asked})
        path = state_path(task.score) if task.score not in read else task.score
        asked.append(task.model_copy(update={"score": path}) if path in draft.state else task)
    try:
        return draft.changed(
            actions=[action.model_dump() for action in added.values()],
            fields=list(read.values()),
            pictures=pictures,
            tasks=[task.model_dump() for task in asked],
            truth=_truth(draft, asked, set(read)),
        )
    except ValidationError as error:
        key, problem = first_fault(error)
        raise PitwallError(f"{key}: {problem}.", "Mend what was given for it.") from None


def _truth(draft: Draft, tasks: Sequence[DraftTask], fields: set[str]) -> str:
    """Return the source of the tasks' scores: the draft's fields, or the page's own state.

    Raises:
        PitwallError: a task counts a value that nothing reads.
    """
    others = [task.score for task in tasks if task.score not in fields]
    if not others:
        return "fields"
    if draft.url and len(others) == len(tasks):
        return "file"
    hint = suggestion(others[0], fields, f"Fields: {', '.join(sorted(fields)) or 'none'}.")
    raise PitwallError(f"a task counts {others[0]!r}, which no field reads.", hint)


def with_status(draft: Draft, rules: Sequence[str], values: Mapping[str, Value]) -> Draft:
    """Add `STATUS=CONDITION` rules to a draft; the checker tests the conditions.

    A field's name in place of a condition makes its present picture, colour or text the sign of the status.

    Args:
        values: the present values of the fields, by name.

    Raises:
        PitwallError: there is no such status (names the nearest), or a field has no value now.
    """
    known = [*dict(draft.status), NAME_ENTRY]
    for text in rules:
        name, equals, condition = (part.strip() for part in text.partition("="))
        if not equals or name not in known:
            hint = suggestion(name, known, f"One of: {', '.join(known)}.")
            raise PitwallError(f"{text!r} is no rule of a status.", hint)
        field = draft.field(condition)
        if field is not None and may_be_sign(field):
            draft = with_sign(draft, condition, name, values.get(condition))
        elif name == NAME_ENTRY:
            draft = draft.changed(name_entry=condition)
        else:
            draft = draft.changed(status={**dict(draft.status), name: condition})
    return draft


def with_play(draft: Draft, texts: Sequence[str]) -> Draft:
    """Add `KIND:SLOT=VALUE,…` templates to a draft.

    Raises:
        PitwallError: a text does not parse, or names something that the draft does not have.
    """
    fields, actions = [field.name for field in draft.fields], [field.name for field in draft.actions]
    added = with_templates([template_of(text) for text in texts], fields=fields, actions=actions)
    return draft.changed(templates=[*draft.templates, *added])


def with_page(draft: Draft, states: Sequence[str], init: str) -> Draft:
    """Add `PATH=JAVASCRIPT` of a page's true state, and the JavaScript that starts it, to a draft.

    Raises:
        PitwallError: the draft is no page's, or a text has no path or no JavaScript.
    """
    if (states or init) and not draft.url:
        raise PitwallError("--state and --init are for a web page.", "Name it: --url.")
    state = dict(draft.state)
    for text in states:
        path, equals, expression = (part.strip() for part in text.partition("="))
        if not equals or not path or not expression:
            raise PitwallError(
                f"{text!r} is no state of a page.", "Write PATH=JAVASCRIPT, like score=game.score."
            )
        state[state_path(path)] = expression
    return draft.changed(state=state, init=init or draft.init)
