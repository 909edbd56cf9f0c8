"""Edits the draft of "Add a game": one function for each gesture. No Qt."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar

from pydantic import BaseModel

from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.games.drafting.draft import Draft, DraftAction, DraftTask, game_id_of, identifier, state_path
from pitwall.games.drafting.play import renamed
from pitwall.games.drafting.signs import is_sign, renamed_in, without_signs
from pitwall.games.drafting.templates import Template
from pitwall.games.schema import fields as schema

Part = TypeVar("Part", bound=BaseModel)
STEPS = ("Game", "Actions", "Readings", "Thresholds", "Task", "Play", "Save")
"""Names of the steps, in order."""
KIND_WORDS = {
    "": "guessed",
    "bar": "bar",
    "number": "number",
    "text": "text",
    "colour": "colour",
    "blob": "moving thing",
    "sprite": "pictured thing",
    "template": "picture",
    "change": "change",
}
"""Kind of a box → its name on the screen."""

KIND_TIPS = {
    "bar": "A bar that fills and empties, such as health: its filled share, 0 to 100 %",
    "number": "Digits, such as a score: their value",
    "text": "Words, such as Game over: the words themselves",
    "colour": "The colour of the box, such as a lamp that is red or green",
    "blob": "A thing of one colour that moves, such as a ball: where it is in its search area",
    "sprite": "A thing of several colours that moves: where the picture is that looks like it",
    "template": "A picture that is there or not, such as a button: whether it is seen at this place",
    "change": "How much the box changes from step to step, 0 to 100 %",
}
"""Kind of a box → what it reads, in a sentence."""


def with_key(draft: Draft, chord: str) -> Draft:
    """Add an action that presses a chord ("Shift+ArrowLeft"), unless there is one."""
    keys = chord.split("+")
    if any(action.keys == keys for action in draft.actions):
        return draft
    name = identifier(chord.replace("Arrow", ""), _names(draft), "key")
    return _with_action(draft, DraftAction(name=name, keys=keys))


def with_click(draft: Draft, x: int, y: int, button: str) -> Draft:
    """Add an action that clicks at a point, in screen pixels."""
    name = identifier("click", _names(draft))
    return _with_action(draft, DraftAction.model_validate({"name": name, "click": (x, y), "button": button}))


def with_wait(draft: Draft) -> Draft:
    """Add an action that does nothing, unless there is one."""
    if any(not action.presses and not action.looks for action in draft.actions):
        return draft
    return _with_action(draft, DraftAction(name=identifier("wait", _names(draft))))


def with_mouse_look(draft: Draft) -> Draft:
    """Add the actions that look and turn with the mouse, unless there are some."""
    if any(action.looks for action in draft.actions):
        return draft
    draft = _with_action(draft, DraftAction(name=identifier("look", _names(draft)), look="any"))
    return _with_action(draft, DraftAction(name=identifier("turn", _names(draft)), turn="any"))


def renamed_action(draft: Draft, old: str, name: str) -> Draft:
    """Rename an action, to the nearest valid name."""
    new = identifier(name, _names(draft) - {old}, old)
    actions = [_with(action, name=new) if action.name == old else action for action in draft.actions]
    return draft.changed(actions=actions, templates=_templates(draft, old, new))


def without_action(draft: Draft, name: str) -> Draft:
    actions = [action for action in draft.actions if action.name != name]
    return draft.changed(actions=actions, templates=_templates(draft, name))


def with_field(
    draft: Draft,
    field: Mapping[str, Any],
    pictures: Mapping[str, str],
    before: schema.ReaderField | None = None,
) -> Draft:
    """Add a field, or replace one that was read again.

    Args:
        before: the field before it was read again: if it was renamed since it keeps its new name, if it was
            removed it stays removed; None: a new field.
    """
    read = dict(field)
    if before is None:
        read["name"] = identifier(str(field["name"]), frozenset(field.name for field in draft.fields))
        now, fields = None, [*draft.fields, read]
    else:
        now = draft.field(before.name) or next(
            (field for field in draft.fields if field.box == before.box), None
        )
        read["name"] = now.name if now is not None else before.name
        fields = [read if field is now else field for field in draft.fields]
    others = {
        field.template
        for field in draft.fields
        if field is not now and isinstance(field, schema.TemplateField | schema.SpriteField)
    }
    if (file := read.get("template")) in others:  # the file belongs to a field that was renamed since
        free = (f"templates/{read['name']}_{number}.png" for number in count(2))
        read["template"] = next(file for file in free if file not in others)
        pictures = {read["template"]: pictures[file]}
    return draft.changed(fields=fields, pictures={**draft.pictures, **pictures}).tidy()


def renamed_field(draft: Draft, old: str, name: str) -> Draft:
    """Rename a field, wherever it is named."""
    others = frozenset(field.name for field in draft.fields if field.name != old)
    new = identifier(name, others, old)
    fields = [_with(field, name=new) if field.name == old else field for field in draft.fields]
    tasks = [
        _with(task, score=new, id=_task_id(draft, task, old, new)) if task.score == old else task
        for task in draft.tasks
    ]
    status = {key: renamed_in(text, old, new) for key, text in draft.status}
    return draft.changed(
        fields=fields,
        tasks=tasks,
        status=status,
        name_entry=renamed_in(draft.name_entry, old, new),
        templates=_templates(draft, old, new),
    )


def without_field(draft: Draft, name: str) -> Draft:
    """Remove a field, the tasks that count it, and the templates that use it."""
    fields = [field for field in draft.fields if field.name != name]
    tasks = [task for task in draft.tasks if task.score != name]
    plain = without_signs(draft, name)
    return plain.changed(fields=fields, tasks=tasks, templates=_templates(draft, name)).tidy()


def with_task(draft: Draft, score: str, value: Value) -> Draft:
    """Add a task on a field, unless it has one; its target is a little above the present value."""
    if any(task.score == score for task in draft.tasks):
        return draft
    field = draft.field(score)
    if field is not None and draft.truth == "file":
        draft = draft.changed(truth="fields", tasks=[])
    target, start = _target(field, value)
    taken = frozenset(task.id for task in draft.tasks)
    task = DraftTask(id=identifier(f"reach_{score}", taken), score=score, target=target, start=start)
    return draft.changed(tasks=[*draft.tasks, task])


def with_path(draft: Draft, path: str) -> Draft:
    """Add a task on a path of the page's own state; tasks on fields are removed."""
    changed = draft.changed(truth="file", tasks=draft.tasks if draft.truth == "file" else [])
    return with_task(changed, path, None)


def changed_task(draft: Draft, task_id: str, **values: object) -> Draft:
    """Change a task's target or instruction; a target of zero or less counts from the first value."""
    tasks = [_with(task, **values) if task.id == task_id else task for task in draft.tasks]
    return draft.changed(tasks=[task if task.target > 0 else _with(task, start="first") for task in tasks])


def without_task(draft: Draft, task_id: str) -> Draft:
    return draft.changed(tasks=[task for task in draft.tasks if task.id != task_id])


def renamed_game(draft: Draft, name: str, taken: Collection[str]) -> Draft:
    """Rename the game, and change its id to match."""
    if not name.strip() or name.strip() == draft.name:
        return draft
    others = frozenset(taken) - {draft.game_id}
    return draft.changed(name=name.strip()[:80], game_id=game_id_of(name, others))


def with_template(draft: Draft, template: Template) -> Draft:
    """Add a template of play."""
    return draft.changed(templates=[*draft.templates, template])


def without_template(draft: Draft, template: Template) -> Draft:
    return draft.changed(templates=[kept for kept in draft.templates if kept != template])


def with_value(draft: Draft, expression: str) -> Draft:
    """Add a task on a value of the page, which this JavaScript reads for the evaluator."""
    words = re.findall(r"[A-Za-z_]\w*", expression.partition("(")[2] or expression)
    name = identifier(words[-1] if words else "value", otherwise="value")
    path = state_path(name)
    return with_path(draft.changed(state={**draft.state, path: expression}), path)


def _templates(draft: Draft, old: str, new: str = "") -> Sequence[object]:
    """Rename a field or an action in the templates; without a new name, remove the templates that use it."""
    if new:
        return [renamed(template, old, new) for template in draft.templates]
    return [
        template
        for template in draft.templates
        if old not in (*template.named("field"), *template.named("action"))
    ]


def resized(draft: Draft, width: int, height: int) -> Draft:
    """Return the draft for a picture of this size.

    A page keeps its pixels when its window changes, so its boxes stay too; the boxes of other windows scale
    with their size.
    """
    drawn = bool(draft.fields) or any(action.click is not None for action in draft.actions)
    if drawn and not draft.url and not draft.own_size:
        return draft
    return draft.changed(screen={"width": width, "height": height}, own_size=False)


# ---- what is shown


def resize_note(draft: Draft, width: int, height: int) -> str:
    """Return a note that boxes were drawn at another size; empty where there are none."""
    before = draft.screen
    if not draft.fields or (before.width, before.height) == (width, height):
        return ""
    return (
        f"The picture is {width}×{height} px now, and was {before.width}×{before.height} px when boxes were "
        "drawn: look whether they still fit, or give the window its old size."
    )


def kind_of(field: schema.ReaderField) -> str:
    """Return the kind of a field, a key of `KIND_WORDS`; a text that is read as a number is a number."""
    is_number = isinstance(field, schema.DigitsField) or (
        isinstance(field, schema.TextField) and field.number
    )
    return "number" if is_number else field.kind


def readings_of(
    draft: Draft, values: Mapping[str, Mapping[str, Any]], width: int, height: int
) -> tuple[Reading, ...]:
    """Return the fields with their present values, boxes in pixels of a frame of this size."""
    scale_x, scale_y = width / draft.screen.width, height / draft.screen.height
    return tuple(_reading(field, values.get(field.name), scale_x, scale_y) for field in draft.fields)


def found_places(
    draft: Draft, proposals: Sequence[Mapping[str, Any]], width: int, height: int
) -> tuple[Reading, ...]:
    """Return the places of proposals as readings without a value, in pixels of a frame of this size."""
    scale = width / draft.screen.width, height / draft.screen.height
    return tuple(
        Reading(
            name=str(proposal["title"]),
            value=None,
            unit="",
            confidence=0.0,
            box=Rect(*proposal["box"]).scaled(*scale),
        )
        for proposal in proposals
    )


def field_at(draft: Draft, x: float, y: float) -> str:
    """Return the smallest field whose box holds a point of the screen; empty for none."""
    hit = [field for field in draft.fields if field.box is not None and Rect(*field.box).contains(x, y)]
    return min(hit, key=lambda field: field.box[2] * field.box[3] if field.box else 0).name if hit else ""


def can_count(field: schema.ReaderField) -> bool:
    """Return whether a task can count a field: its value is a number."""
    if isinstance(field, schema.TextField):
        return field.number
    return not is_sign(field)


def _with(part: Part, **values: object) -> Part:
    return part.model_copy(update=values)


def _reading(
    field: schema.ReaderField, value: Mapping[str, Any] | None, scale_x: float, scale_y: float
) -> Reading:
    place = (value or {}).get("found")
    return Reading(
        name=field.name,
        value=(value or {}).get("value"),
        unit=field.unit,
        confidence=float((value or {}).get("confidence", 0.0)),
        box=Rect(*field.box).scaled(scale_x, scale_y) if field.box is not None else None,
        found=Rect(**place) if place else None,
    )


def _target(field: schema.ReaderField | None, value: Value) -> tuple[float, Any]:
    if isinstance(field, schema.BarField):
        return 100.0, "first"
    now = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
    return max(10.0, round(now + 10)), 0.0


def _task_id(draft: Draft, task: DraftTask, old: str, new: str) -> str:
    taken = frozenset(other.id for other in draft.tasks if other is not task)
    return identifier(f"reach_{new}", taken) if task.id.startswith(f"reach_{old}") else task.id


def _names(draft: Draft) -> frozenset[str]:
    return frozenset(action.name for action in draft.actions)


def _with_action(draft: Draft, action: DraftAction) -> Draft:
    return draft.changed(actions=[*draft.actions, action])
