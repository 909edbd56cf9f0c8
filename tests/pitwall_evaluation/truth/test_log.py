"""The log of true states: what it leaves out comes back, and damage costs what follows, no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.core.errors import ExamError
from pitwall.core.paths import DataFolder
from pitwall_evaluation.truth.log import TruthLog, true_states, truth_file
from pitwall_evaluation.truth.state import TrueState


def state(score: float = 0, **raw: Any) -> TrueState:
    return TrueState.model_validate(
        {
            "gameId": "pong",
            "timestampMs": 1,
            "gameTimeMs": 2,
            "status": "playing",
            "game_state": {"score": score, "player": {"x": 1}},
            "metrics": {"steps": score},
            "raw": raw,
        }
    )


def kept(folder: Path, told: list[TrueState], *, ended: bool = True) -> DataFolder:
    data = DataFolder(folder)
    log = TruthLog(truth_file(data, 1), run_id=1, game_id="pong")
    for number, item in enumerate(told):
        log.append(item, number * 1_000)
    if ended:
        log.end(len(told) * 1_000)
    log.close()
    return data


parts = st.dictionaries(
    st.sampled_from(["map", "odd.name", "é"]), st.integers() | st.lists(st.text()) | st.none()
)


@settings(deadline=None, max_examples=40)
@given(told=st.lists(st.tuples(st.integers(0, 3), parts), max_size=8))
def test_what_was_left_out_comes_back(tmp_path_factory: pytest.TempPathFactory, told: list[Any]) -> None:
    states = [state(score, **raw) for score, raw in told]
    result = true_states(kept(tmp_path_factory.mktemp("log"), states), 1)
    assert [item for _, item in result.states] == [element.model_dump(mode="json") for element in states]
    assert [at_ns for at_ns, _ in result.states] == [number * 1_000 for number in range(len(states))]
    assert (result.over_ns, result.notes) == (len(states) * 1_000, ())


def test_what_does_not_change_is_written_once(tmp_path: Path) -> None:
    rows = ["#" * 64] * 64
    data = kept(tmp_path, [state(score, terrain=rows) for score in range(50)])
    assert truth_file(data, 1).stat().st_size < 2 * 64 * 70 + 50 * 120
    result = true_states(data, 1).states
    assert result[0][1]["raw"]["terrain"] is result[-1][1]["raw"]["terrain"]


def test_no_log_is_no_states(tmp_path: Path) -> None:
    assert true_states(DataFolder(tmp_path), 1).states == ()


def test_a_log_without_its_end_counts_until_its_last_state(tmp_path: Path) -> None:
    result = true_states(kept(tmp_path, [state(1), state(2)], ended=False), 1)
    assert (len(result.states), result.over_ns) == (2, 1_000)
    assert "breaks off" in result.notes[0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda log: log[: len(log) - 60],
        lambda log: log.replace(b'{"over_ns', b'\xff\xfe{"over_ns'),
        lambda log: log + b"[1, 2]\n",
        lambda log: log + b'{"at_ns": "soon", "state": {}}\n',
        lambda log: log + b'{"at_ns": Infinity, "state": {}}\n',
        lambda log: log + b'{"at_ns": 9, "state": {"terminal": 3}}\n',
        lambda log: log + b"[" * 100_000,
    ],
    ids=["cut in mid-line", "foreign bytes", "a list", "no time", "no end of time", "no state", "a well"],
)
def test_what_stands_before_the_damage_is_read(tmp_path: Path, damage: Any) -> None:
    data = kept(tmp_path, [state(1), state(2), state(3)])
    file = truth_file(data, 1)
    file.write_bytes(damage(file.read_bytes()))
    result = true_states(data, 1)
    assert len(result.states) >= 2
    assert len(result.notes) == 1
    assert result.over_ns == result.states[-1][0]


@pytest.mark.parametrize("encoding", ["utf-16", "cp037"])
def test_a_foreign_encoding_is_told(tmp_path: Path, encoding: str) -> None:
    data = kept(tmp_path, [state(1)])
    file = truth_file(data, 1)
    file.write_bytes(file.read_text(encoding="utf-8").encode(encoding))
    result = true_states(data, 1)
    assert (result.states, len(result.notes)) == ([], 1)


def test_a_newer_log_is_refused(tmp_path: Path) -> None:
    data = kept(tmp_path, [state(1)])
    file = truth_file(data, 1)
    file.write_text(file.read_text(encoding="utf-8").replace('"version":1', '"version":2'), encoding="utf-8")
    with pytest.raises(ExamError, match="newer Pitwall"):
        true_states(data, 1)


@settings(deadline=None, max_examples=60)
@given(content=st.binary(max_size=300))
def test_any_bytes_are_read_or_told(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    data = DataFolder(tmp_path_factory.mktemp("log"))
    truth_file(data, 1).parent.mkdir(parents=True)
    truth_file(data, 1).write_bytes(content)
    try:
        true_states(data, 1)
    except ExamError as error:
        assert error.fix
