"""A state's words as facts: names and values, what differs first."""

from __future__ import annotations

from collections import Counter

import pytest

from pitwall.memory.text import state_summary
from pitwall_memory_editor.console.state_facts import fact, telling_facts


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("health_low", "health = low"),
        ("wood_4", "wood = 4"),
        ("bird_vy_minus_8", "bird vy = −8"),
        ("facing_left", "facing left"),
        ("door_open", "door open"),
        ("playing", "playing"),
        ("_4", " 4"),
    ],
)
def test_a_word_of_a_state_is_a_fact(word: str, expected: str) -> None:
    assert fact(word) == expected


def test_what_differs_comes_first_and_what_all_share_not_at_all() -> None:
    values = [{"health": 20 + 60 * (at == 3), "wood": 5, "sees_cow": at % 2 == 0} for at in range(10)]
    texts = [state_summary(value, "playing", {"health": "%"}) for value in values]
    seen = Counter(word for text in texts for word in set(text.split()))
    assert telling_facts(texts[3], seen, len(texts)) == ["health = high"]
    assert telling_facts(texts[4], seen, len(texts)) == ["sees cow"]
    same = Counter({word: 2 for word in texts[1].split()})
    assert telling_facts(texts[1], same, 2) == ["playing", "health = low", "wood = 4"], "all are alike"
    assert telling_facts("below the second gap", seen, len(texts)) == [], "prose stays as it is"
