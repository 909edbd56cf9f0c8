"""The tree of games and tasks in a suite's form, and the faults under its text."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.language.change import Language
from pitwall.console.kit.theme import Look
from pitwall.core.errors import Fault
from pitwall.core.settings import Settings
from pitwall_bench.console.editor.faults import FaultList
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


@pytest.mark.usefixtures("qapp")
def test_tasks_and_ticks_follow_a_change_of_language() -> None:
    settings = Settings()
    language, tree = Language(settings), TaskTree()
    try:
        tasks = [("press", "", "script"), ("guess", "", "")]
        tree.show_tasks({"page": ("Page", tasks)}, [{"game": "page", "tasks": ["press"]}])
        language.follow(settings.with_value("console", "language", "de"))
        top = tree.topLevelItem(0)
        assert top is not None
        assert top.text(0) == "Page   1 von 2"
        first = top.child(0)
        assert first is not None
        assert first.text(0) == "press   verglichen mit: script"
        assert tree.suite_games(None) == [{"game": "page", "tasks": ["press"]}]
    finally:
        language.end()


@pytest.mark.usefixtures("qapp")
def test_a_remedy_that_all_faults_share_stands_whole_above_them(qapp: QApplication) -> None:
    faults = FaultList(Look(qapp, "dark"))
    gym = "a game that `installer/extra gym` or `pitwall games add-gym` added"
    missing = [
        Fault(file="suite.yaml", line=line, key="", problem=f"no game {line}", expected=gym)
        for line in (8, 10)
    ]
    faults.show_faults(missing, "")
    assert faults._summary.full_text() == f"! 2 faults · expected {gym}"
    other = Fault(file="suite.yaml", line=12, key="", problem="no name", expected="a name")
    faults.show_faults([*missing, other], "")
    assert faults._summary.full_text() == "! 3 faults"
    language = Language(Settings().with_value("console", "language", "de"))
    try:
        assert spoken("! 3 faults") == "! 3 Fehler"
        assert spoken(f"! 2 faults · expected {gym}").startswith("! 2 Fehler · erwartet: ein Spiel")
    finally:
        language.end()
