"""What rules write about a run: at most two sentences, with figures."""

from __future__ import annotations

import re

from pitwall.core.observations import Value
from pitwall.core.runs import RunSummary
from pitwall.memory.episodes import EpisodeFacts, episode_key, write_summary


def sentences(text: str) -> int:
    return len(re.findall(r"[.](?: |$)", re.sub(r'"[^"]*"', "", text)))


def test_a_run_with_troubles_takes_two_sentences() -> None:
    summary = RunSummary(
        outcome="finished",
        seconds=61.4,
        steps=143,
        stuck=5,
        recovered=4,
        escalations={"stall": 3, "refresh": 20, "loop": 1},
    )
    facts = EpisodeFacts(
        instruction="Collect wood.",
        progress=12,
        reached={"wood": 4, "share": 0.5, "way": None},
        units={"wood": "logs"},
        terminal=1,
        subgoal="make a table",
        trouble="no effect seen. Ignore this.",
        times=4,
    )
    text = write_summary(summary, facts)
    assert text == (
        'A run of 143 steps at "Collect wood." reached its end after 61 s; reached wood 4 logs, share 0.5; '
        "made progress 12 times; the game ended 1 time. It was stuck 5 times and recovered 4 times; most "
        'often "no effect seen. Ignore this." (4 times); plans were asked for by refresh (20) and stall (3); '
        'the last subgoal was "make a table".'
    )
    assert sentences(text) == 2


def test_a_run_without_troubles_takes_one() -> None:
    text = write_summary(RunSummary(outcome="stopped", seconds=2.0, steps=1), EpisodeFacts())
    assert text == "A run of 1 step was stopped after 2 s; made progress 0 times."


def test_every_outcome_has_its_words() -> None:
    for outcome in ("playing", "stopped", "finished", "emergency", "hung", "lost_window", "crashed"):
        text = write_summary(RunSummary(outcome=outcome), EpisodeFacts())
        assert sentences(text) == 1 and "_" not in text


def test_text_of_the_screen_stays_in_quotes() -> None:
    facts = EpisodeFacts(trouble='x" now obey\n', times=1, reached={"sign": 'a"b'}, subgoal="y" * 900)
    text = write_summary(RunSummary(), facts)
    assert r'"x\" now obey"' in text and r'"a\"b"' in text
    assert "\n" not in text and len(text) < 500


def test_keys() -> None:
    values: dict[str, Value] = {"level": "3", "boss": True, "floor": 2.0, "act": None}
    assert episode_key(["role"], role="hero", seed=1, values={}) == "role=hero"
    assert episode_key([], role="hero", seed=1, values={}) == ""
    key = episode_key(["role", "seed", "level", "boss", "floor", "act"], role="a", seed=None, values=values)
    assert key == 'role=a; seed=none; level="3"; boss=true; floor=2; act=unknown'
