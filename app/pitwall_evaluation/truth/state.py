"""The state bridge: reads the state that an instrumented game writes, by GameWorld's contract (SPEC §6)."""

from __future__ import annotations

import math
import re
import time
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwall.core.bounded_reading import read_bytes
from pitwall.core.errors import DamagedFile, PitwallError, suggestion
from pitwall.core.observations import GameStatus
from pitwall.core.validation import expectation


class Terminal(BaseModel):
    """Whether and how a game ended."""

    model_config = ConfigDict(frozen=True)

    is_terminal: bool = Field(False, alias="isTerminal")
    outcome: Literal["win", "loss", "draw"] | None = None
    reason: str | None = None


class GameState(BaseModel):
    """The scored part of a game's state."""

    model_config = ConfigDict(frozen=True, extra="allow")

    score: float = 0.0
    level: int | None = None
    progress: float | None = None
    player: Any = None
    board: Any = None
    entities: Any = None


class TrueState(BaseModel):
    """One state as the game wrote it."""

    model_config = ConfigDict(frozen=True)

    game_id: str = Field(alias="gameId")
    seed: int | None = None
    timestamp_ms: float = Field(alias="timestampMs")
    game_time_ms: float = Field(alias="gameTimeMs")
    status: GameStatus
    terminal: Terminal = Terminal()
    game_state: GameState = GameState()
    metrics: dict[str, Any] = Field(default_factory=dict)
    raw: dict[str, Any] = Field(default_factory=dict)


class TruthSource(Protocol):
    """Reads true states of any kind ([truth] of the manifest)."""

    def read(self) -> TrueState | None:
        """Return the newest state; None while there is none."""
        ...

    def complaint(self) -> str:
        """Describe why there is no state; "" if there is one, or nothing is wrong yet."""
        ...

    def close(self) -> None:
        """Release open files."""
        ...


_SETTLED_NS = 50_000_000
_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")


class TruthReader:
    """Reads the file that a game rewrites each time.

    Args:
        file: need not exist yet.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._problem = ""
        self._seen: tuple[int, int, int] | None = None
        self._state: TrueState | None = None

    def read(self) -> TrueState | None:
        """Return the newest state; None while there is none, or if it breaks the contract."""
        try:
            status = self._file.stat()
            seen = (status.st_ino, status.st_mtime_ns, status.st_size)
            if seen == self._seen and self._state is not None:
                return self._state
            state = TrueState.model_validate_json(read_bytes(self._file))
        except FileNotFoundError:
            self._problem = "the game wrote no true state to $PITWALL_TRUTH."
        except (OSError, DamagedFile) as error:
            self._problem = f"the true state cannot be read: {error}."
        except ValidationError as error:
            self._problem = _unlike(error)
        else:
            self._problem, self._state = "", state
            settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
            self._seen = seen if settled else None  # a file's time is coarse: it may be written again in it
            return state
        self._state = None
        return None

    def complaint(self) -> str:
        """Describe why the last read gave no state; "" if it gave one."""
        return self._problem

    def close(self) -> None:
        """Do nothing: no file is held open."""


def _unlike(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the file"
    if first["type"] == "json_invalid":
        return f"the true state is no JSON: {first['msg']}."
    if first["type"] == "missing":
        return f"the true state has no {where!r}."
    value = repr(first.get("input"))
    known = [status.value for status in GameStatus] if where == "status" else []
    hint = suggestion(str(first.get("input")), known, "")
    return f"the true state's {where} is {value[:80]}; expected {expectation(first)}. {hint}".rstrip()


def value_at(state: TrueState, path: str) -> Any:
    """Return the value at a dotted path of a state, like `terminal.is_terminal` or `game_state.board.0`.

    The contract's own spelling leads there too: `terminal.isTerminal`, `gameState.score`.

    Raises:
        PitwallError: there is none; names the nearest key.
    """
    value: Any = state.model_dump(by_alias=False)
    for part in path.split("."):
        if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
            continue
        keys = value if isinstance(value, dict) else {}
        key = part if part in keys else _CAPITAL.sub(lambda letter: f"_{letter[0].lower()}", part)
        if key not in keys:
            raise PitwallError(
                f"the true state has no {path!r} ({part!r} is not there).", suggestion(part, keys, "")
            )
        value = keys[key]
    return value


def score(state: TrueState, path: str) -> float:
    """Return the number at a dotted path of a state, like `game_state.score`.

    Raises:
        PitwallError: there is no number at this path; names the nearest key.
    """
    value = value_at(state, path)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise PitwallError(f"{path!r} of the true state is {value!r}, no number.")
    return float(value)
