"""The state bridge: what a game writes of itself, read by evaluators alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall_evaluation.truth.state import TruthReader, score, value_at


@pytest.fixture
def state() -> dict[str, Any]:
    return {
        "gameId": "pong",
        "seed": 3,
        "timestampMs": 1_700_000_000_000,
        "gameTimeMs": 1200,
        "status": "playing",
        "terminal": {"isTerminal": False, "outcome": None, "reason": None},
        "game_state": {"score": 4, "level": 1, "progress": None, "player": {"y": 3}, "lives": 2},
        "metrics": {"best": 7.5, "won": True},
        "raw": {"frame": 36},
    }


def test_a_state_of_the_contract_is_read(tmp_path: Path, state: dict[str, Any]) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    read = TruthReader(file).read()
    assert read is not None
    assert (read.game_id, read.status, read.terminal.is_terminal) == ("pong", GameStatus.PLAYING, False)
    assert score(read, "game_state.score") == 4.0
    assert score(read, "game_state.lives") == 2.0
    assert score(read, "metrics.best") == 7.5


def test_paths_lead_into_lists_and_in_the_contracts_own_spelling(
    tmp_path: Path, state: dict[str, Any]
) -> None:
    file = tmp_path / "state.json"
    state["game_state"] |= {"board": [[2, 4], [8, 16]], "linesCleared": 3, "lines_left": 5}
    file.write_text(json.dumps(state), encoding="utf-8")
    read = TruthReader(file).read()
    assert read is not None
    assert value_at(read, "terminal.isTerminal") is False
    paths = {"gameState.score": 4, "gameTimeMs": 1200, "game_state.board.1.0": 8, "raw.frame": 36}
    paths |= {"game_state.linesCleared": 3, "gameState.linesLeft": 5}
    assert {path: score(read, path) for path in paths} == paths
    with pytest.raises(PitwallError, match=r"'9' is not there"):
        value_at(read, "game_state.board.9")


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"gameId": "pong"}', '{"status": 3}'])
def test_no_state_or_part_of_one_is_none(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "state.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    assert TruthReader(file).read() is None


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("game_state.scor", "Did you mean 'score'"),
        ("metrics.won", "no number"),
        ("raw", "no number"),
        ("", ""),
    ],
)
def test_a_path_without_a_number_is_told(tmp_path: Path, state: dict[str, Any], path: str, part: str) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    read = TruthReader(file).read()
    assert read is not None
    with pytest.raises(PitwallError) as caught:
        score(read, path)
    assert part in str(caught.value)
