"""What an entry may say and name is said by field, in sentences for the operator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.core.memory_kinds import ActionMemory, KnowledgeMemory, Likeness, MemoryContent, SkillMemory
from pitwall.core.paths import DataFolder
from pitwall_memory_editor.game_rules import Rules, check, rules_of

ITEM = ActionMemory(state="pipe near", action="flap", reward=0.5, successes=11, attempts=15)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    """What the bundled flappy game allows."""
    return rules_of(DataFolder(tmp_path_factory.mktemp("data")), "flappy")


@pytest.mark.parametrize(
    ("content", "field", "says"),
    [
        (replace(ITEM, action="flapp"), "action", "Did you mean 'flap'"),
        (replace(ITEM, action="flap(height=3)"), "action", "no argument 'height'"),
        (replace(ITEM, action=" "), "action", "expected an action"),
        (replace(ITEM, state=""), "state", "expected the state it was done in"),
        (replace(ITEM, successes=16), "successes", "more than attempts; expected at most 15"),
        (replace(ITEM, state="x" * 20_000), "state", "at most 16000"),
        (Likeness(first=3, second=3, cosine=0.9), "second", "another state"),
        (Likeness(first=3, second=4, cosine=1.9), "cosine", "from -1 to 1"),
        (SkillMemory(name="a", when="bird_y >", subgoal="b", actions=("flap",)), "when", "does not parse"),
        (
            SkillMemory(name="a", when="bird < 3", subgoal="b", actions=("flap",)),
            "when",
            "unknown field 'bird'",
        ),
        (SkillMemory(name="a", when="bird_y < 3", subgoal="b"), "actions", "acts in one way"),
        (
            SkillMemory(name="a", when="bird_y < 3", subgoal="b", actions=("flap", "dive")),
            "actions",
            "Line 2: There is no action 'dive'",
        ),
        (SkillMemory(name="a", when="bird_y < 3", subgoal="b", actions=("{bird}",)), "actions", "no field"),
        (
            SkillMemory(name="a", when="bird_y < 3", subgoal="b", module="fly2"),
            "module",
            "Did you mean 'fly'",
        ),
        (KnowledgeMemory(heading="", text=" "), "text", "Text is empty"),
    ],
)
def test_what_cannot_be_kept_is_said_by_field(
    rules: Rules, content: MemoryContent, field: str, says: str
) -> None:
    faults = check(content, rules)
    assert set(faults) == {field}
    assert says in faults[field]


def test_what_is_right_passes_and_an_unknown_game_checks_only_the_form(rules: Rules, tmp_path: Path) -> None:
    skill = SkillMemory(name="a", when="bird_y < 3 and status == 'playing'", subgoal="b", actions=("up",))
    assert check(ITEM, rules) == check(skill, rules) == {}
    unknown = rules_of(DataFolder(tmp_path), "gone")
    assert "no game 'gone'" in unknown.missing
    assert check(replace(ITEM, action="anything"), unknown) == {}
    assert set(check(replace(skill, when="any_field <"), unknown)) == {"when"}
