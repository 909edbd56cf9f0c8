"""The log of a run's true states beside its run log: the truth keeper writes it, makers of exams read it.

`<data>/runs/<id>/truth.jsonl`, one JSON object per line: first {"version", "run_id", "game_id"}; then
{"at_ns", "state"} with nanoseconds since the run began, without the parts of the state that did not change;
"gone" names parts that no longer exist; at last {"over_ns"}. A log without that line was cut off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.bounded_reading import parse_json, read_bytes
from pitwall.core.errors import DamagedFile, ExamError
from pitwall.core.paths import DataFolder
from pitwall.store.strict_json import to_json
from pitwall_evaluation.truth.state import TrueState

FILE = "truth.jsonl"
LOG_VERSION = 1
_MOST_BYTES = 1 << 30
_OPENED = ("game_state", "metrics", "raw", "terminal")
"""Tables whose own parts are omitted one by one."""

StateRecord = Mapping[str, Any]
"""A true state, by the names of TrueState: `state["terminal"]["is_terminal"]`. Its parts are read-only."""


def truth_file(data: DataFolder, run_id: int) -> Path:
    """Return the path of a run's true states, if they were kept."""
    return data.run(run_id) / FILE


class TruthLog:
    """Writes the true states of one run.

    Args:
        file: created at once, with its folder.
    """

    def __init__(self, file: Path, *, run_id: int, game_id: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lines = file.open("w", encoding="utf-8")
        self._last: dict[str, Any] = {}
        self._write({"version": LOG_VERSION, "run_id": run_id, "game_id": game_id})

    def append(self, state: TrueState, at_ns: int) -> None:
        """Add a state with its nanoseconds since the run began (negative: before it)."""
        whole = state.model_dump(mode="json")
        parts, gone = _changed(self._last, whole)
        self._last = whole
        self._write({"at_ns": at_ns, "state": parts, **({"gone": gone} if gone else {})})

    def end(self, over_ns: int) -> None:
        """Mark the end of the run: until then the log is complete."""
        self._write({"over_ns": over_ns})
        self.close()

    def close(self) -> None:
        """Close the file; without `end`, the log counts as cut off."""
        self._lines.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._lines.write(to_json(line) + "\n")
        self._lines.flush()


@dataclass(frozen=True)
class TrueStates:
    """The true states of a run.

    Attributes:
        states: each with its time, nanoseconds since the run began, rising.
        over_ns: the time until which nothing is missing.
        notes: sentences about unreadable parts of the log (cut off in mid-line, another encoding).
    """

    states: Sequence[tuple[int, StateRecord]]
    over_ns: int
    notes: tuple[str, ...] = ()


def true_states(data: DataFolder, run_id: int) -> TrueStates:
    """Read the log of a run's true states, as far as possible; no states if none was kept.

    Raises:
        ExamError: the log was written by a newer Pitwall.
    """
    file = truth_file(data, run_id)
    try:
        return _read(read_bytes(file, most_bytes=_MOST_BYTES), file)
    except FileNotFoundError:
        return TrueStates((), 0)
    except DamagedFile as error:
        return TrueStates((), 0, (f"The log of true states {error.problem}.",))


def _read(content: bytes, file: Path) -> TrueStates:
    states: list[tuple[int, StateRecord]] = []
    whole: dict[str, Any] = {}
    over_ns, problem = None, ""
    for number, raw in enumerate(content.split(b"\n"), start=1):
        if not raw:
            continue
        try:
            line = parse_json(raw.decode(), file)
            if "over_ns" in line:
                over_ns = int(line["over_ns"])
            elif "state" in line:
                whole = _merged(whole, line["state"], line.get("gone", ()))
                if not isinstance(whole["status"], str) or not isinstance(whole["terminal"], dict):
                    raise ValueError("no state of the contract")
                states.append((int(line["at_ns"]), whole))
            elif line["version"] > LOG_VERSION:
                raise ExamError(f"{file} was written by a newer Pitwall.", "Update Pitwall.")
        except (DamagedFile, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            kind = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else "is no line of a truth log"
            problem = f"line {number} of {file.name} {kind}"
            break  # what is left out of later lines stood here
    states.sort(key=lambda state_at: state_at[0])
    return TrueStates(states, *_ended(states, over_ns, problem))


def _ended(
    states: Sequence[tuple[int, StateRecord]], over_ns: int | None, problem: str
) -> tuple[int, tuple[str, ...]]:
    if over_ns is not None and not problem:
        return over_ns, ()
    last = max((at_ns for at_ns, _ in states), default=0)
    why = problem or "the run's end is not in it"
    if not states:
        return 0, (f"The log of true states holds none ({why}).",)
    return last, (f"The log of true states breaks off after {last / 1e9:.1f} s ({why}).",)


def _changed(last: Mapping[str, Any], whole: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    parts: dict[str, Any] = {}
    gone: list[str] = []
    for name, value in whole.items():
        before = last.get(name)
        if name in _OPENED and isinstance(before, dict) and isinstance(value, dict):
            inner = {key: part for key, part in value.items() if key not in before or before[key] != part}
            gone += [f"{name}.{key}" for key in before if key not in value]
            if inner:
                parts[name] = inner
        elif name not in last or before != value:
            parts[name] = value
    return parts, gone


def _merged(last: Mapping[str, Any], parts: Mapping[str, Any], gone: Sequence[str]) -> dict[str, Any]:
    whole = {**last}
    for name, value in parts.items():
        opened = name in _OPENED and isinstance(whole.get(name), dict)
        whole[name] = {**whole[name], **value} if opened else value
    for path in gone:
        name, key = path.split(".", 1)
        whole[name] = {inner: value for inner, value in whole[name].items() if inner != key}
    return whole
