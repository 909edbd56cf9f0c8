"""The benchmark of recall: real episodes of both games, in both wordings."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jericho", reason="the Z-machine (jericho) is not installed: installer/test builds it")

from workshop.benchmarks.benchmark_model import VARIABLE
from workshop.benchmarks.evaluation import recall


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(VARIABLE, raising=False)
        return recall.run(quick=True)


@pytest.mark.parametrize("game", recall.GAMES)
def test_each_wording_is_marked_by_ability_over_all_questions(found: dict[str, Any], game: str) -> None:
    message = found["conditions"]["games"][game]
    assert [item["name"] for item in message["wordings"]] == ["recall, declared words", "recall, free words"]
    for element in message["wordings"]:
        overall, *abilities = element["abilities"].values()
        assert overall["n"] == message["questions"] == sum(mark["n"] for mark in abilities) > 50
        assert overall["low"] <= overall["accuracy"] <= overall["high"]
    assert message["model"] == {}


@pytest.mark.parametrize("game", recall.GAMES)
def test_what_is_asked_in_the_templates_words_is_answered(found: dict[str, Any], game: str) -> None:
    declared = found["conditions"]["games"][game]["wordings"][0]["abilities"]["overall"]
    assert declared["accuracy"] == 1.0
    [check] = [item for item in found["checks"] if item["name"] == f"{game}: recall, declared words"]
    assert (check["met"], check["ours"]["p50"]) == (True, 1.0)
