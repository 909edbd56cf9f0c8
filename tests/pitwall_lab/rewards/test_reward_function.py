"""Reward functions as a training asks them: right answers in batches, and a check that tells of faults."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from pitwall_lab.rewards.contract import PARAMETERS
from pitwall_lab.rewards.reward_function import RewardFault, RewardFunction, check
from workshop.benchmarks.gsm.reward_calls import GOOD, HEAD, body, calls


def test_parts_and_totals() -> None:
    with RewardFunction(GOOD) as function:
        rewards = function.batch(calls(20))
    assert rewards[0].parts == pytest.approx({"alive": 0.1, "near": -0.077})
    assert rewards[0].total == pytest.approx(0.023)
    assert rewards[-1].total == -1.0


def test_every_argument_arrives() -> None:
    source = body(
        "said = prev_state['bird_y'] + action_idx * 1000 + len(action_history) * 0.01 + step\n"
        "moved = action_state_changes[-1]['bird_y'] if action_state_changes else 0\n"
        "text = 0.5 if next_state['status'] == 'playing' and next_state.get('score') is None else 0.25\n"
        "return {'said': said, 'moved': moved, 'text': text, 'over': 1 if done else 0,\n"
        "        'time': step_time - episode_start_time}"
    )
    every = calls(12)
    with RewardFunction(source) as function:
        rewards = function.batch(every)
    for call, reward in zip(every, rewards, strict=True):
        bird = call.prev_state["bird_y"]
        assert isinstance(bird, float)
        expected = bird + call.action_idx * 1000 + len(call.action_history) * 0.01 + call.step
        assert reward.parts["said"] == pytest.approx(expected)
        assert reward.parts["moved"] == 3.0
        assert reward.parts["text"] == (0.5 if call.next_state["score"] is None else 0.25)
        assert reward.parts["over"] == call.done
        assert reward.parts["time"] == pytest.approx(call.step_time - 10.0)


@pytest.mark.parametrize("count", [0, 1, 256, 700])
def test_batches_of_any_length(count: int) -> None:
    with RewardFunction(body("return step / 1000")) as function:
        rewards = function.batch([replace(calls(1)[0], step=n) for n in range(count)])
    assert [reward.total for reward in rewards] == [n / 1000 for n in range(count)]


def test_whole_states_where_keys_are_not_plain() -> None:
    """A function that walks over a state, or hands it on, sees all of it."""
    source = "def far(state):\n    return state['gap_y']\n\n" + body(
        "return {'all': len(prev_state), 'sum': sum(1 for name in next_state if name != 'status'),\n"
        "        'far': far(next_state)}"
    )
    with RewardFunction(source) as function:
        assert function.batch(calls(1))[0].parts == {"all": 4.0, "sum": 3.0, "far": 180.0}
        assert function.source.fields == {"prev_state": None, "next_state": None}
    with RewardFunction(GOOD) as function:
        assert function.source.fields["next_state"] == frozenset({"bird_y", "gap_y"})


def test_a_state_handed_on_under_its_own_name_is_read_by_its_keys() -> None:
    inner = GOOD.replace("def reward(", "def inner(")
    arguments = ", ".join(PARAMETERS)
    source = inner + "\n" + body(f"return inner({arguments})")
    with RewardFunction(source) as function, RewardFunction(GOOD) as plain:
        assert function.source.fields == plain.source.fields
        assert function.source.parameters == plain.source.parameters
        assert function.batch(calls()) == plain.batch(calls())


def test_one_call_cannot_touch_the_next() -> None:
    source = body("first = next_state['bird_y']\nnext_state['bird_y'] = 0\nprev_state.clear()\nreturn first")
    with RewardFunction(source) as function:
        every = calls(5)
        assert [item.total for item in function.batch(every)] == [c.next_state["bird_y"] for c in every]
        assert every[0].next_state["bird_y"] == 103.0


def test_numpy_numbers_are_numbers() -> None:
    call = replace(calls(1)[0], next_state={"x": np.float32(2.5)}, action_idx=np.int64(3))  # type: ignore[dict-item,arg-type]
    with RewardFunction(body("return next_state['x'] + action_idx")) as function:
        assert function.batch([call])[0].total == 5.5


def test_a_killed_worker_is_replaced_once() -> None:
    with RewardFunction(GOOD) as function:
        before = [item.total for item in function.batch(calls())]
        pid = function.worker_pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert [element.total for element in function.batch(calls())] == before
        assert function.worker_pid != pid


def test_the_fault_names_file_and_line() -> None:
    source = HEAD + "    a = 1\n    return next_state['altitude'] + a\n"
    with RewardFunction(source, name="mine.py") as function, pytest.raises(RewardFault) as caught:
        function.batch(calls())
    assert caught.value.line == 3
    assert str(caught.value).startswith("mine.py, line 3: KeyError: altitude.")


def test_a_good_check() -> None:
    result = check(GOOD, calls())
    assert result.passed
    assert (result.asked, result.finite) == (20, 20)
    assert result.parts == ("alive", "near", "crash")
    assert result.us_per_call is not None
    assert result.low == -1.0
    assert [warning for warning in result.warnings if "training will wait" not in warning] == [], (
        "but a busy machine's"
    )


def test_a_check_counts_what_was_finite() -> None:
    result = check(body("return 1.0 if step < 8 else float('nan')"), calls())
    assert not result.passed
    assert result.finite == 7
    assert "NaN on transition 8" in result.sentence


def test_a_cut_batch_is_not_tried_on_for_its_whole_length() -> None:
    """Each call alone is within a second, so that the check would take as many seconds as there are calls."""
    result = check(body("return float(sorted(range(10**6), key=lambda one: -one)[0])"), calls(256))
    assert not result.passed
    assert "longer than 1 s for one batch" in result.sentence
    assert result.finite < 256


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("return 0.5", "constant"),
        ("return action_idx * 0.1", "never looks at next_state"),
        ("return next_state['bird_y'] * 10", "reaches 1600"),
        ("return next_state['bird_y'] * 0.01 if next_state.get('altitude') is None else 1", "'altitude'"),
        ("return {'a': next_state['bird_y'] * 0.01, 'b': 0.0}", "'b' was 0"),
    ],
)
def test_warnings(text: str, says: str) -> None:
    result = check(body(text), calls())
    assert result.passed
    assert any(says in warning for warning in result.warnings), result.warnings


def test_what_remembers_is_refused() -> None:
    source = "seen = []\n" + body("seen.append(1)\nreturn len(seen) * 0.01")
    result = check(source, calls())
    assert not result.passed
    assert "asked twice about transition 1" in result.sentence


def test_nothing_to_try_it_on() -> None:
    assert not check(GOOD, []).passed
    assert not check("def reward(:", calls()).passed
