"""Edits the draft of "Add a game", a function for each gesture. No Qt."""

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
from pitwall.games.schema.fields import (
    BarField,
    DigitsField,
    ReaderField,
    SpriteField,
    TemplateField,
    TextField,
)

Part = TypeVar("Part", bound=BaseModel)
STEPS = ("Game", "Actions", "Readings", "Thresholds", "Task", "Play", "Save")
"""Where one is: `STEPS[i]`."""
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
"""Kind of a box → how the operator reads it."""


def with_key(draft: Draft, chord: str) -> Draft:
    """The draft with an action that presses a chord ("Shift+ArrowLeft"); as it was where it has it."""
    keys = chord.split("+")
    if any(action.keys == keys for action in draft.actions):
        return draft
    name = identifier(chord.replace("Arrow", ""), _names(draft), "key")
    return _with_action(draft, DraftAction(name=name, keys=keys))


def with_click(draft: Draft, x: int, y: int, button: str) -> Draft:
    """The draft with an action that clicks at a point, in screen pixels."""
    name = identifier("click", _names(draft))
    return _with_action(draft, DraftAction.model_validate({"name": name, "click": (x, y), "button": button}))


def with_wait(draft: Draft) -> Draft:
    """The draft with an action that does nothing; as it was where it has one."""
    if any(not action.keys and action.click is None for action in draft.actions):
        return draft
    return _with_action(draft, DraftAction(name=identifier("wait", _names(draft))))


def renamed_action(draft: Draft, old: str, name: str) -> Draft:
    """An action under another name, as near to it as a manifest takes."""
    new = identifier(name, _names(draft) - {old}, old)
    actions = [_with(one, name=new) if one.name == old else one for one in draft.actions]
    return draft.changed(actions=actions, templates=_templates(draft, old, new))


def without_action(draft: Draft, name: str) -> Draft:
    actions = [one for one in draft.actions if one.name != name]
    return draft.changed(actions=actions, templates=_templates(draft, name))


def with_field(
    draft: Draft, field: Mapping[str, Any], pictures: Mapping[str, str], before: ReaderField | None = None
) -> Draft:
    """The draft with a field that was guessed or read anew.

    Args:
        before: the one that was asked about; renamed since it keeps its new name, removed it is left out.
    """
    read = dict(field)
    if before is None:
        read["name"] = identifier(str(field["name"]), frozenset(one.name for one in draft.fields))
        now, fields = None, [*draft.fields, read]
    else:
        now = draft.field(before.name) or next((one for one in draft.fields if one.box == before.box), None)
        read["name"] = now.name if now is not None else before.name
        fields = [read if one is now else one for one in draft.fields]
    others = {
        one.template
        for one in draft.fields
        if one is not now and isinstance(one, TemplateField | SpriteField)
    }
    if (file := read.get("template")) in others:  # of a field that was renamed since
        free = (f"templates/{read['name']}_{number}.png" for number in count(2))
        read["template"] = next(one for one in free if one not in others)
        pictures = {read["template"]: pictures[file]}
    return draft.changed(fields=fields, pictures={**draft.pictures, **pictures}).tidy()


def renamed_field(draft: Draft, old: str, name: str) -> Draft:
    """A field under another name, wherever it is named."""
    others = frozenset(one.name for one in draft.fields if one.name != old)
    new = identifier(name, others, old)
    fields = [_with(one, name=new) if one.name == old else one for one in draft.fields]
    tasks = [
        _with(one, score=new, id=_task_id(draft, one, old, new)) if one.score == old else one
        for one in draft.tasks
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
    """The draft without a field, and without the tasks that count it and the templates that go by it."""
    fields = [one for one in draft.fields if one.name != name]
    tasks = [one for one in draft.tasks if one.score != name]
    plain = without_signs(draft, name)
    return plain.changed(fields=fields, tasks=tasks, templates=_templates(draft, name)).tidy()


def with_task(draft: Draft, score: str, value: Value) -> Draft:
    """The draft with a task on a field, its target a little above what it reads now; each field once."""
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
    """The draft with a task on a path of the page's own state; such tasks stand alone."""
    told = draft.changed(truth="file", tasks=draft.tasks if draft.truth == "file" else [])
    return with_task(told, path, None)


def changed_task(draft: Draft, task_id: str, **values: object) -> Draft:
    """The draft with another target or instruction of a task; one at or below zero counts from the first."""
    tasks = [_with(one, **values) if one.id == task_id else one for one in draft.tasks]
    return draft.changed(tasks=[one if one.target > 0 else _with(one, start="first") for one in tasks])


def without_task(draft: Draft, task_id: str) -> Draft:
    return draft.changed(tasks=[one for one in draft.tasks if one.id != task_id])


def renamed_game(draft: Draft, name: str, taken: Collection[str]) -> Draft:
    """The game under another name, and the id that goes with it."""
    if not name.strip() or name.strip() == draft.name:
        return draft
    others = frozenset(taken) - {draft.game_id}
    return draft.changed(name=name.strip()[:80], game_id=game_id_of(name, others))


def with_template(draft: Draft, template: Template) -> Draft:
    """The draft with one more template of play."""
    return draft.changed(templates=[*draft.templates, template])


def without_template(draft: Draft, template: Template) -> Draft:
    return draft.changed(templates=[one for one in draft.templates if one != template])


def with_value(draft: Draft, expression: str) -> Draft:
    """The draft with a task on a value of the page, told to the evaluator by this JavaScript."""
    words = re.findall(r"[A-Za-z_]\w*", expression.partition("(")[2] or expression)
    name = identifier(words[-1] if words else "value", otherwise="value")
    path = state_path(name)
    return with_path(draft.changed(state={**draft.state, path: expression}), path)


def _templates(draft: Draft, old: str, new: str = "") -> Sequence[object]:
    """The templates with another name for a field or an action; without those that name it where it goes."""
    if new:
        return [renamed(one, old, new) for one in draft.templates]
    return [one for one in draft.templates if old not in (*one.named("field"), *one.named("action"))]


def resized(draft: Draft, width: int, height: int) -> Draft:
    """The draft of a picture that has this size now.

    What a page shows keeps its pixels where its window becomes another, so its boxes do too; the boxes of
    other windows go with their size.
    """
    drawn = bool(draft.fields) or any(action.click is not None for action in draft.actions)
    if drawn and not draft.url and not draft.own_size:
        return draft
    return draft.changed(screen={"width": width, "height": height}, own_size=False)


# ---- what is shown


def resize_note(draft: Draft, width: int, height: int) -> str:
    """Say that boxes were drawn on a picture of another size; empty where none were."""
    before = draft.screen
    if not draft.fields or (before.width, before.height) == (width, height):
        return ""
    return (
        f"The picture is {width}×{height} px now, and was {before.width}×{before.height} px when boxes were "
        "drawn: look whether they still fit, or give the window its old size."
    )


def kind_of(field: ReaderField) -> str:
    """The kind of a field in the words of `KIND_WORDS`: text of which the number counts is a number."""
    is_number = isinstance(field, DigitsField) or (isinstance(field, TextField) and field.number)
    return "number" if is_number else field.kind


def readings_of(
    draft: Draft, values: Mapping[str, Mapping[str, Any]], width: int, height: int
) -> tuple[Reading, ...]:
    """The draft's fields as they read now, boxes in pixels of a frame of this size."""
    scale_x, scale_y = width / draft.screen.width, height / draft.screen.height
    return tuple(_reading(field, values.get(field.name), scale_x, scale_y) for field in draft.fields)


def found_places(
    draft: Draft, found: Sequence[Mapping[str, Any]], width: int, height: int
) -> tuple[Reading, ...]:
    """Where things were found, as readings without a value, in pixels of a frame of this size."""
    scale = width / draft.screen.width, height / draft.screen.height
    return tuple(
        Reading(
            name=str(one["title"]), value=None, unit="", confidence=0.0, box=Rect(*one["box"]).scaled(*scale)
        )
        for one in found
    )


def field_at(draft: Draft, x: float, y: float) -> str:
    """The smallest field whose box holds a point of the screen; empty for none."""
    hit = [one for one in draft.fields if one.box is not None and Rect(*one.box).contains(x, y)]
    return min(hit, key=lambda one: one.box[2] * one.box[3] if one.box else 0).name if hit else ""


def can_count(field: ReaderField) -> bool:
    """Whether a task can count it: it reads as a number."""
    if isinstance(field, TextField):
        return field.number
    return not is_sign(field)


def _with(part: Part, **values: object) -> Part:
    return part.model_copy(update=values)


def _reading(field: ReaderField, value: Mapping[str, Any] | None, scale_x: float, scale_y: float) -> Reading:
    found = (value or {}).get("found")
    return Reading(
        name=field.name,
        value=(value or {}).get("value"),
        unit=field.unit,
        confidence=float((value or {}).get("confidence", 0.0)),
        box=Rect(*field.box).scaled(scale_x, scale_y) if field.box is not None else None,
        found=Rect(**found) if found else None,
    )


def _target(field: ReaderField | None, value: Value) -> tuple[float, Any]:
    if isinstance(field, BarField):
        return 100.0, "first"
    now = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
    return max(10.0, round(now + 10)), 0.0


def _task_id(draft: Draft, task: DraftTask, old: str, new: str) -> str:
    taken = frozenset(one.id for one in draft.tasks if one is not task)
    return identifier(f"reach_{new}", taken) if task.id.startswith(f"reach_{old}") else task.id


def _names(draft: Draft) -> frozenset[str]:
    return frozenset(action.name for action in draft.actions)


def _with_action(draft: Draft, action: DraftAction) -> Draft:
    return draft.changed(actions=[*draft.actions, action])
