"""What each gesture of "Add a game" makes of the draft. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.games.drafting.draft import Draft, DraftAction, DraftTask, game_id_of, identifier
from pitwall.games.schema.fields import BarField, ColourField, ReaderField, TemplateField, TextField

STEPS = ("Game", "Actions", "Readings", "Thresholds", "Task", "Save")
"""Where one is: `STEPS[i]`."""
KIND_WORDS = {
    "": "guessed",
    "bar": "bar",
    "number": "number",
    "text": "text",
    "colour": "colour",
    "blob": "moving thing",
    "template": "picture",
    "change": "change",
}
"""Kind of a box → how the operator reads it."""
SIGNS = {
    "": "says nothing of the game's state",
    "terminal": "seen: the game is over",
    "menu": "seen: it is in a menu",
    "paused": "seen: it is paused",
    "loading": "seen: it is loading",
}
"""Status that a true field is a sign of → the operator's words."""


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


def renamed_action(draft: Draft, at: int, name: str) -> Draft:
    """An action under another name, as near to it as a manifest takes."""
    others = frozenset(one.name for number, one in enumerate(draft.actions) if number != at)
    actions = [action.model_dump() for action in draft.actions]
    actions[at]["name"] = identifier(name, others, actions[at]["name"])
    return draft.changed(actions=actions)


def without_action(draft: Draft, at: int) -> Draft:
    return draft.changed(actions=[one.model_dump() for n, one in enumerate(draft.actions) if n != at])


def with_field(
    draft: Draft, field: Mapping[str, Any], pictures: Mapping[str, str], in_place_of: str = ""
) -> Draft:
    """The draft with a field that was guessed or read anew."""
    fields = [one.model_dump() for one in draft.fields]
    places = [at for at, one in enumerate(fields) if one["name"] == in_place_of]
    if places:
        fields[places[0]] = dict(field)
    else:
        names = frozenset(one["name"] for one in fields)
        fields.append({**field, "name": identifier(str(field["name"]), names)})
    return _tidy(draft.changed(fields=fields, pictures={**draft.pictures, **pictures}))


def renamed_field(draft: Draft, old: str, name: str) -> Draft:
    """A field under another name, wherever it is named."""
    others = frozenset(one.name for one in draft.fields if one.name != old)
    new = identifier(name, others, old)
    fields = [{**one.model_dump(), "name": new if one.name == old else one.name} for one in draft.fields]
    tasks = [
        {
            **one.model_dump(),
            "score": new if one.score == old else one.score,
            "id": _task_id(draft, one, old, new),
        }
        for one in draft.tasks
    ]
    return draft.changed(fields=fields, tasks=tasks, status=_renamed_signs(draft, old, new))


def without_field(draft: Draft, name: str) -> Draft:
    """The draft without a field, and without the tasks that count it."""
    fields = [one.model_dump() for one in draft.fields if one.name != name]
    tasks = [one.model_dump() for one in draft.tasks if one.score != name]
    return _tidy(draft.changed(fields=fields, tasks=tasks, status=_renamed_signs(draft, name, "")))


def with_sign(draft: Draft, name: str, status: str) -> Draft:
    """What the game is doing while a field is true: a key of SIGNS; empty: the field says nothing of it."""
    signs = _renamed_signs(draft, name, "")
    if status:
        signs[status] = " or ".join([*filter(None, [signs[status]]), name])
    return draft.changed(status=signs)


def sign_of(draft: Draft, name: str) -> str:
    """The status that a field is a sign of; empty for none."""
    return next((key for key, text in draft.status if name in text.split(" or ")), "")


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
    return draft.changed(tasks=[*(one.model_dump() for one in draft.tasks), task.model_dump()])


def with_path(draft: Draft, path: str) -> Draft:
    """The draft with a task on a path of the page's own state; such tasks stand alone."""
    told = draft.changed(truth="file", tasks=[t.model_dump() for t in draft.tasks if draft.truth == "file"])
    return with_task(told, path, None)


def changed_task(draft: Draft, at: int, **values: Any) -> Draft:
    tasks = [one.model_dump() for one in draft.tasks]
    tasks[at].update(values)
    if float(tasks[at]["target"]) <= 0:
        tasks[at]["start"] = "first"
    return draft.changed(tasks=tasks)


def without_task(draft: Draft, at: int) -> Draft:
    return draft.changed(tasks=[one.model_dump() for n, one in enumerate(draft.tasks) if n != at])


def renamed_game(draft: Draft, name: str, taken: Collection[str]) -> Draft:
    """The game under another name, and the id that goes with it."""
    if not name.strip() or name.strip() == draft.name:
        return draft
    others = frozenset(taken) - {draft.game_id}
    return draft.changed(name=name.strip()[:80], game_id=game_id_of(name, others))


# ---- what is shown


def kind_of(field: ReaderField) -> str:
    """The kind of a field in the words of `KIND_WORDS`: text of which the number counts is a number."""
    return "number" if isinstance(field, TextField) and field.number else field.kind


def readings_of(
    draft: Draft, values: Mapping[str, Mapping[str, Any]], width: int, height: int
) -> tuple[Reading, ...]:
    """The draft's fields as they read now, boxes in pixels of a frame of this size."""
    scale_x, scale_y = width / draft.screen.width, height / draft.screen.height
    return tuple(_reading(field, values.get(field.name), scale_x, scale_y) for field in draft.fields)


def field_at(draft: Draft, x: float, y: float) -> str:
    """The smallest field whose box holds a point of the screen; empty for none."""
    hit = [one for one in draft.fields if one.box is not None and Rect(*one.box).contains(x, y)]
    return min(hit, key=lambda one: one.box[2] * one.box[3] if one.box else 0).name if hit else ""


def can_count(field: ReaderField) -> bool:
    """Whether a task can count it: it reads as a number."""
    if isinstance(field, TextField):
        return field.number
    return not is_sign(field)


def is_sign(field: ReaderField) -> bool:
    """Whether it reads as true or false."""
    return isinstance(field, TemplateField) or (isinstance(field, ColourField) and field.at_least is not None)


def _renamed_signs(draft: Draft, old: str, new: str) -> dict[str, str]:
    """The status rules with another name for a field; without it where the new one is empty."""
    return {
        key: " or ".join(filter(None, (new if part == old else part for part in text.split(" or "))))
        for key, text in draft.status
    }


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
    return draft.changed(actions=[*(one.model_dump() for one in draft.actions), action.model_dump()])


def _tidy(draft: Draft) -> Draft:
    """The draft without pictures that no field asks for."""
    used = {field.template for field in draft.fields if isinstance(field, TemplateField)}
    kept = {name: text for name, text in draft.pictures.items() if name in used}
    return draft if kept == draft.pictures else draft.changed(pictures=kept)
