"""Our side of `train` learns as it is asked, and a side that dies says why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError
from workshop.benchmarks.gsm.training import RATIOS, Learner, start_request


def test_our_side_learns_and_is_judged(tmp_path: Path) -> None:
    begun = start_request(tmp_path, seed=1, train_every=RATIOS["equal"])
    begun["recipe"]["learn_from"] = 100
    command = [sys.executable, "-m", "workshop.benchmarks.gsm.training_process"]
    with Learner("our trainer", command, begun, core=0) as learner:
        learnt = learner.learn(300)
        assert 300 <= learnt["decisions"] < 320
        assert learnt["seconds"] > 0
        assert 0 <= learner.judge(begun["first_seed"]) <= 5


def test_a_side_that_fails_is_told_with_its_last_words() -> None:
    with pytest.raises(PitwallError, match=r"the peer ended: no such game"):
        Learner("the peer", [sys.executable, "-c", "raise SystemExit('no such game')"], {}, core=0)
