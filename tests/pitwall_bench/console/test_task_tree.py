"""The tree of games and tasks in a suite's form."""

from __future__ import annotations

import pytest

from pitwall_bench.console.editor.task_tree import TaskTree


@pytest.mark.usefixtures("qapp")
def test_a_task_is_listed_with_the_simple_players_that_solved_it() -> None:
    tree = TaskTree()
    tasks = [
        ("press", "Press it.", "script 3 of 3"),
        ("guess", "Guess it.", "none of script, chance"),
        ("go", "", ""),
    ]
    tree.show_tasks({"page": ("Page", tasks)}, [{"game": "page", "tasks": ["guess"]}])
    top = tree.topLevelItem(0)
    assert top is not None
    shown = [child.text(0) for child in (top.child(at) for at in range(3)) if child is not None]
    assert shown == ["press   baseline: script 3 of 3", "guess   baseline: none of script, chance", "go"]
    assert tree.suite_games(None) == [{"game": "page", "tasks": ["guess"]}]
