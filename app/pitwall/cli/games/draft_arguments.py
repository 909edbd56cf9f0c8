"""Words of a command line that make a draft: `jump=Space`, `health=bar:10,10,100,8`, `score=25`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from pitwall.core.errors import PitwallError, nearest
from pitwall.core.keys import canonical_key
from pitwall.core.observations import Value
from pitwall.core.validation import first_fault
from pitwall.engine.drafting.field_reading import KINDS
from pitwall.games.drafting.draft import Draft, DraftAction, DraftTask, identifier, state_path
from pitwall.games.drafting.signs import NAME_ENTRY, may_be_sign, with_sign
from pitwall.games.drafting.template_words import template_of, with_templates
from pitwall.games.schema.fields import Box
from pitwall.games.schema.passages import PassageStep

_CLICK = re.compile(r"click:(\d+),(\d+)")
_FIELD = re.compile(r"(?:(?P<kind>[a-z]+):)?(?P<box>\d+,\d+,\d+,\d+)")
_TASK = re.compile(r"(?P<score>[A-Za-z_][\w.]*)\s*(?:>=|=)\s*(?P<target>[-+]?\d+(?:\.\d+)?)")
_COLOURED = re.compile(r"(?P<name>[^=]+)=(?P<kind>blob|bar|colour):(?P<box>[\d,]+):(?P<colour>\d+,\d+,\d+)")
Propose = Callable[[Box, str, str], tuple[dict[str, Any], dict[str, str]]]
"""Box, kind, name → a field and its pictures, by what the picture shows there."""


def action_of(text: str) -> DraftAction:
    """`NAME=KEYS`: keys pressed together (`Shift+ArrowLeft`), `click:X,Y`, or `wait`.

    Raises:
        PitwallError: it is none of these; names the nearest key.
    """
    name, equals, how = (part.strip() for part in text.partition("="))
    if not equals or not name or not how:
        raise PitwallError(f"{text!r} is no action.", "Write NAME=KEYS, NAME=click:X,Y or NAME=wait.")
    name = identifier(name)
    return DraftAction(name=name, **({} if how == "wait" else _pressed(f"action {name}", how)))


def press_of(text: str, option: str) -> PassageStep:
    """`KEYS` pressed together (`Shift+n`), or `click:X,Y`, as a step of a passage.

    Raises:
        PitwallError: it is none of these; names the nearest key.
    """
    return PassageStep(**_pressed(option, text.strip()))


def _pressed(what: str, how: str) -> dict[str, Any]:
    if click := _CLICK.fullmatch(how):
        return {"click": (int(click.group(1)), int(click.group(2)))}
    try:
        return {"keys": [canonical_key(key) for key in (how.split("+") if how != "+" else [how])]}
    except KeyError as error:
        raise PitwallError(f"{what}: {error.args[0]}.", "Keys are named as in a manifest.") from None


def field_of(text: str) -> tuple[str, str, Box]:
    """`NAME=[KIND:]X,Y,W,H` as name, kind (empty: guessed) and box.

    Raises:
        PitwallError: it is nothing of the kind.
    """
    name, _, rest = (part.strip() for part in text.partition("="))
    match = _FIELD.fullmatch(rest)
    if not name or match is None:
        raise PitwallError(f"{text!r} is no field.", "Write NAME=KIND:X,Y,WIDTH,HEIGHT.")
    kind = match.group("kind") or ""
    if kind and kind not in KINDS:
        near = nearest(kind, KINDS)
        hint = f"Did you mean {near!r}?" if near else f"One of: {', '.join(KINDS)}."
        raise PitwallError(f"{text!r}: {kind!r} is no kind of field.", hint)
    x, y, width, height = (int(part) for part in match.group("box").split(","))
    return identifier(name), kind, (x, y, width, height)


def _coloured(text: str) -> dict[str, Any] | None:
    """`NAME=KIND:X,Y,W,H:R,G,B` as a field that looks for this colour; None: the picture has to say which."""
    match = _COLOURED.fullmatch(text)
    if match is None:
        return None
    said: dict[str, Any] = match.groupdict()
    numbers = {key: tuple(int(part) for part in said[key].split(",") if part) for key in ("box", "colour")}
    more = (
        {"at_least": 50.0} if said["kind"] == "colour" else {"unit": "px" if said["kind"] == "blob" else "%"}
    )
    return {"kind": said["kind"], "name": identifier(said["name"]), **numbers, **more}


def task_of(text: str, taken: set[str]) -> DraftTask:
    """`FIELD=TARGET`, with an instruction after a colon: `score=25: Collect 25 coins.`

    Raises:
        PitwallError: it is nothing of the kind.
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
    """A draft with what a command line adds to it.

    Raises:
        PitwallError: a word does not parse, names what is not there, or a field needs a picture to look at.
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
        told = state_path(task.score) if task.score not in read else task.score
        asked.append(task.model_copy(update={"score": told}) if told in draft.state else task)
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
    """Whose word the tasks go by: the picture's, or a page's own state.

    Raises:
        PitwallError: a task counts what nothing tells.
    """
    others = [task.score for task in tasks if task.score not in fields]
    if not others:
        return "fields"
    if draft.url and len(others) == len(tasks):
        return "file"
    near = nearest(others[0], fields)
    hint = f"Did you mean {near!r}?" if near else f"Fields: {', '.join(sorted(fields)) or 'none'}."
    raise PitwallError(f"a task counts {others[0]!r}, which nothing reads.", hint)


def with_status(draft: Draft, rules: Sequence[str], values: Mapping[str, Value]) -> Draft:
    """A draft with `STATUS=CONDITION` rules; the checker looks at the conditions.

    A field's name alone makes a sign of what it reads now: its picture, its colour, or the text it says.

    Args:
        values: what the fields read now, by name.

    Raises:
        PitwallError: there is no such status, names the nearest; or a field reads nothing to make a sign of.
    """
    known = [*dict(draft.status), NAME_ENTRY]
    for text in rules:
        name, equals, condition = (part.strip() for part in text.partition("="))
        if not equals or name not in known:
            near = nearest(name, known)
            hint = f"Did you mean {near!r}?" if near else f"One of: {', '.join(known)}."
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
    """A draft with `KIND:SLOT=VALUE,…` templates.

    Raises:
        PitwallError: one does not parse, or names what the draft does not have.
    """
    fields, actions = [one.name for one in draft.fields], [one.name for one in draft.actions]
    added = with_templates([template_of(text) for text in texts], fields=fields, actions=actions)
    return draft.changed(templates=[*draft.templates, *added])


def with_page(draft: Draft, states: Sequence[str], init: str) -> Draft:
    """A page's draft with `PATH=JAVASCRIPT` of its true state, and what begins it.

    Raises:
        PitwallError: it is no page, or a word has no path or no JavaScript.
    """
    if (states or init) and not draft.url:
        raise PitwallError("--state and --init are for a web page.", "Name it: --url.")
    told = dict(draft.state)
    for text in states:
        path, equals, expression = (part.strip() for part in text.partition("="))
        if not equals or not path or not expression:
            raise PitwallError(
                f"{text!r} is no state of a page.", "Write PATH=JAVASCRIPT, like score=game.score."
            )
        told[state_path(path)] = expression
    return draft.changed(state=told, init=init or draft.init)
