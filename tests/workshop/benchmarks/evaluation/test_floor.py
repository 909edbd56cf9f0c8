"""The benchmark of the floor: its worst model, and the figures that it tells of runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pitwall.host.backends.endpoint import Endpoint
from pitwall.models.spec import ModelSpec
from pitwall_bench.suites.results import Cell, TaskRun
from workshop.benchmarks.evaluation import floor
from workshop.fixtures.worst_endpoint import MODEL, worst, worst_endpoint

SKILLS = {"type": "object", "properties": {"skill": {"type": "string", "enum": ["gather", "wait"]}}}
PLAN = {
    "type": "object",
    "properties": {
        "subgoal": {"type": "string", "minLength": 1},
        "actions": {"type": "array", "items": {"enum": ["use", "rest"]}, "minItems": 1},
        "steps": {"type": "integer", "minimum": 1, "maximum": 99},
    },
    "required": ["subgoal", "actions", "steps"],
}


@pytest.mark.parametrize(
    ("schema", "reply"),
    [
        (SKILLS | {"required": ["skill"]}, {"skill": "wait"}),
        ({"anyOf": [SKILLS | {"required": ["skill"]}, PLAN]}, {"skill": "wait"}),
        (PLAN, {"subgoal": "x", "actions": ["rest"], "steps": 99}),
    ],
)
def test_the_worst_model_answers_the_last_that_the_schema_allows(
    schema: dict[str, Any], reply: dict[str, Any]
) -> None:
    assert worst(schema) == reply
    with worst_endpoint() as url:
        endpoint = Endpoint(ModelSpec(name="worst", kind="remote", url=url, remote_model=MODEL))
        body = {
            "messages": [{"role": "user", "content": "what now?"}],
            "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
        }
        answer = endpoint.post("chat/completions", body, lambda _stop: None)
    assert json.loads(answer["choices"][0]["message"]["content"]) == reply


def _run(agent: str, seed: int, *, success: bool, game: str = "maze") -> TaskRun:
    cell = Cell(game=game, task="first_key", agent=agent, seed=seed, wave=0)
    return TaskRun(cell=cell, ended="target", success=success, progress=float(success), steps=10, seconds=5.0)


def test_success_is_told_against_the_skills_on_the_same_worlds() -> None:
    runs = [_run("skills", seed, success=True) for seed in range(1, 11)]
    runs += [_run("smollm2", seed, success=seed != 1) for seed in range(1, 11)]
    runs += [_run("smollm2", 99, success=False)]
    message = floor._guarded(runs, "smollm2")
    assert message["ours"]["p50"] == -10.0 and not message["met"]
    assert message["name"] == "smollm2: success against the skills (-40 to +19, 10 worlds)"
    assert not floor._guarded(runs, "worst")["met"], "what was not played is no success"
    assert (
        floor._agent_figures(runs[:10])["successes"] == 10
        and floor._agent_figures(runs[:10])["s_a_step"] == 0.5
    )
