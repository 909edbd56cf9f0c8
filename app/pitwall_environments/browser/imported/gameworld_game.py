"""Writes the folder of a game of a GameWorld checkout: page, keys, named actions, tasks, rules."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.keys import canonical_key
from pitwall.core.paths import DataFolder
from pitwall.games.drafting.folder import put_game
from pitwall.games.drafting.toml_writer import toml_value
from pitwall.games.manifest import MANIFEST
from pitwall.games.registry import Registry
from pitwall.games.trust import trust
from pitwall_environments.browser.imported.gameworld_folder import CheckoutGame, same_id

PREFIX = "gameworld-"
"""Begins the id of an imported game."""
_DURATION_MS, _TAP_MS, _STEPS = 300, 60, 100
_LEAST_MS, _MOST_MS = 50, 2_000
_PRESSES = ("press_key", "key_press", "press_keys")
_CLICKS = {"click": "left", "left_click": "left", "right_click": "right"}
_GENRES = ("runner", "arcade", "platformer", "puzzle", "simulation")


def add_gameworld_game(
    data: DataFolder, source: CheckoutGame, *, size: tuple[int, int], replace: bool = False
) -> tuple[int, list[str]]:
    """Write a game into the operator's games and trust it.

    Args:
        size: width and height of the page's window in px.

    Returns:
        Number of its tasks, and a sentence for each action or task that has no equivalent.

    Raises:
        PitwallError: nothing of it can be played; names its file or key.
        GameThere, ManifestError, DataFolderError: its folder cannot be written.
    """
    notes: list[str] = []
    actions = list(_actions(source, notes))
    tasks = list(_tasks(source, notes))
    if not actions:
        raise PitwallError(f"{source.game_id}: no action has an equivalent here.", " ".join(notes))
    tables = [
        *_tables("actions", actions),
        *_scenarios(tasks),
        *_tables("tasks", [task for task, _ in tasks]),
    ]
    manifest = "\n".join([_head(source, size), _controls(source, actions), *tables, _TRUTH])

    def lay_out(aside: Path) -> None:
        shutil.copytree(source.page.parent, aside / "page", ignore=_left_out)
        (aside / MANIFEST).write_text(manifest, encoding="utf-8")
        (aside / "rules.md").write_text(_rules(source), encoding="utf-8")

    folder = data.games / f"{PREFIX}{source.game_id}"
    put_game(folder, lay_out, replace=replace)
    trust(data, Registry(data).load(str(folder)))
    return len(tasks), notes


def _left_out(folder: str, names: list[str]) -> list[str]:
    """Return the names that are not copied: version control, and links, which may lead outside."""
    return [name for name in names if name == ".git" or (Path(folder) / name).is_symlink()]


_TRUTH = '[truth]\nkind = "file"\nscore = "game_state.score"\n\n[knowledge]\nrules = "rules.md"\n'


def _head(source: CheckoutGame, size: tuple[int, int]) -> str:
    genre = str(source.keys.get("genre", "")).casefold()
    level = source.keys.get("level")
    game = {
        "id": f"{PREFIX}{source.game_id}",
        "name": str(source.keys.get("name") or source.game_id),
        "version": "1.0.0",
        "summary": "Imported from a GameWorld checkout.",
        "while_thinking": "hold",
        **({"genre": genre} if genre in _GENRES else {}),
        **({"level": level} if isinstance(level, int) and 1 <= level <= 5 else {}),
    }
    page = {"page": "page/index.html"}
    screen = {"width": size[0], "height": size[1]}
    tables: dict[str, Mapping[str, Any]] = {"game": game, "browser": page, "screen": screen}
    return "schema = 1\n\n" + "\n".join(_table(f"[{name}]", values) for name, values in tables.items())


def _controls(source: CheckoutGame, actions: Sequence[Mapping[str, Any]]) -> str:
    allowed = _allowed_keys(source) or ()
    bound = [key for action in actions for key in action.get("keys", ())]
    mouse = bool(source.keys.get("allow_clicks")) or any("click" in action for action in actions)
    keys = list(dict.fromkeys([*allowed, *bound]))
    return _table("[controls]", {"keys": keys, "mouse": mouse, "hold_ms": [20, _MOST_MS]})


def _allowed_keys(source: CheckoutGame) -> list[str] | None:
    """Return the keys that the game lets an agent press; None if it does not say.

    Raises:
        KeyError: a key is unknown.
    """
    keys = _of_role(source, "allowed_keys")
    return None if keys is None else [canonical_key(str(key)) for key in _listed(keys)]


def _of_role(source: CheckoutGame, key: str) -> object:
    """Return a key of the game, else of its first role; None if neither has it."""
    roles = source.keys.get("roles")
    role = roles[0] if isinstance(roles, list) and roles and isinstance(roles[0], dict) else {}
    return source.keys.get(key, role.get(key))


def _actions(source: CheckoutGame, notes: list[str]) -> Iterator[dict[str, Any]]:
    listed, allowed = _of_role(source, "semantic_controls"), _allowed_keys(source)
    roles = source.keys.get("roles")
    if isinstance(roles, list) and len(roles) > 1 and "semantic_controls" not in source.keys:
        notes.append(f"{source.game_id}: only the first of {len(roles)} roles is taken.")
    for control in listed if isinstance(listed, list) else []:
        name = same_id(str(control.get("id", ""))).replace("-", "_") if isinstance(control, dict) else ""
        binding = control.get("binding") if name else None
        try:
            bound = _bound(binding if isinstance(binding, dict) else {}, name)
            outside = [key for key in bound.get("keys", ()) if allowed is not None and key not in allowed]
            if outside:
                raise ValueError(f"allowed_keys has no {outside[0]}")
        except (KeyError, ValueError, TypeError) as error:
            notes.append(f"{source.game_id}: the action {name or control!r} is left out: {error}.")
            continue
        described = str(control.get("description") or name.replace("_", " "))
        yield {"name": name, "description": described, **bound}


def _bound(binding: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the way of acting of a binding.

    Raises:
        KeyError, ValueError, TypeError: it has no equivalent.
    """
    action = str(binding.get("action") or ("wait" if name == "wait" else ""))
    hold_s = binding.get("hold_duration", binding.get("duration"))
    hold_ms = round(min(_MOST_MS, max(_LEAST_MS, 1000 * float(hold_s)))) if hold_s else _TAP_MS
    lasts = {"duration_ms": max(_DURATION_MS, hold_ms)}
    if action == "wait":
        return {"wait": True, **lasts}
    if action in _PRESSES:
        keys = binding.get("keys", binding.get("key"))
        listed = re.split(r"\+(?=.)", keys) if isinstance(keys, str) else _listed(keys)
        if not listed:
            raise ValueError("it names no key")
        return {"keys": [canonical_key(str(key)) for key in listed], "hold_ms": hold_ms, **lasts}
    if action in _CLICKS and isinstance(binding.get("coordinate"), list):
        x, y = binding["coordinate"]
        return {"click": [round(x), round(y)], "button": _CLICKS[action], **lasts}
    raise ValueError(f"a binding {action!r} has no equivalent")


def _tasks(source: CheckoutGame, notes: list[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each task's table, and the query of its page; empty for none."""
    for task_id, keys in sorted(source.tasks.items()):
        scores = keys.get("target_scoring_fields", keys.get("target_scoring_field"))
        target, start = keys.get("target_score"), keys.get("start_score", 0)
        if not scores or not isinstance(target, int | float) or not isinstance(start, int | float):
            notes.append(
                f"{source.game_id}: the task {task_id} has no target_scoring_field and target_score."
            )
            continue
        query = str(keys.get("url_suffix") or "").lstrip("?&")
        name = re.sub(r"[^a-z0-9_]+", "_", task_id.casefold()).strip("_")
        end = keys.get("end_field")
        steps = keys.get("max_steps", _STEPS)
        yield (
            {
                "id": name if name[:1].isalpha() else f"task_{name}",
                "instruction": " ".join(str(keys["task_instruction"]).split()),
                "score": [str(score) for score in scores] if isinstance(scores, list) else str(scores),
                "start": float(start),
                "target": float(target),
                "steps": steps if isinstance(steps, int) and steps > 0 else _STEPS,
                "continue_on_fail": bool(keys.get("continue_on_fail", True)),
                **({"end": str(end)} if end else {}),
                **({"scenario": _scenario(query)} if query else {}),
            },
            query,
        )


def _scenarios(tasks: Sequence[tuple[Mapping[str, Any], str]]) -> Iterator[str]:
    for query in dict.fromkeys(query for _, query in tasks if query):
        yield _table("[[scenarios]]", {"name": _scenario(query), "arguments": query.split("&")})


def _scenario(query: str) -> str:
    return "at_" + re.sub(r"[^a-z0-9]+", "_", query.casefold()).strip("_")


def _tables(name: str, tables: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the text of each table of an array."""
    return (_table(f"[[{name}]]", table) for table in tables)


def _table(head: str, values: Mapping[str, Any]) -> str:
    return "\n".join([head, *(f"{key} = {toml_value(value)}" for key, value in values.items()), ""])


def _rules(source: CheckoutGame) -> str:
    parts = [str(source.keys[key]).strip() for key in ("game_rules", "game_role") if source.keys.get(key)]
    return "\n\n".join(parts) + "\n" if parts else f"You are playing {source.game_id}.\n"


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
