"""Panes side by side and behind tabs, splitters, and the head of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from pitwall.console.kit.page_head import PageHead
from pitwall.console.kit.panes import Pane, Panes, split

Shown = Callable[[Panes, int], Panes]

pytestmark = pytest.mark.usefixtures("screen", "qapp")


@pytest.fixture
def shown() -> Iterator[Shown]:
    """Lay panes out at a width, as a part of a wider window: the screen has no say in their size."""
    window = QWidget()
    window.resize(1300, 320)
    window.show()

    def lay_out(panes: Panes, width: int) -> Panes:
        panes.setParent(window)
        panes.resize(width, 300)
        panes.show()
        QApplication.processEvents()
        return panes

    yield lay_out
    window.close()


def test_panes_fold_into_tabs_and_lie_side_by_side_again(shown: Shown) -> None:
    runs, chosen = QLabel("runs"), QLabel("chosen")
    panes = shown(Panes(Pane("Runs", runs, width=200), Pane("Chosen", chosen), front=chosen), 1200)
    assert not panes.folded and runs.isVisible() and chosen.isVisible()
    assert abs(panes.splitter.sizes()[0] - 200) <= 2
    shown(panes, 600)
    assert panes.tabs.isVisible() and chosen.isVisible() and not runs.isVisible()
    panes.bring(runs)
    assert runs.isVisible() and not chosen.isVisible()
    shown(panes, 1200)
    assert runs.isVisible() and chosen.isVisible()


def test_a_hidden_pane_stays_hidden_however_they_lie(shown: Shown) -> None:
    entries, entry = QLabel("entries"), QLabel("entry")
    panes = shown(Panes(Pane("Entries", entries), Pane("Entry", entry, width=300)), 1200)
    panes.show_pane(entry, False)
    QApplication.processEvents()
    assert not entry.isVisible() and panes.splitter.sizes()[0] > 1100
    shown(panes, 600)
    assert entries.isVisible() and not panes.tabs.tabBar().isVisible()
    panes.show_pane(entry, True)
    assert panes.tabs.tabBar().isVisible()
    shown(panes, 1200)
    assert entry.isVisible()


def test_a_pane_stands_under_another_where_they_are_not_tabs(shown: Shown) -> None:
    models, tiers, detail = QLabel("models"), QLabel("tiers"), QLabel("detail")
    panes = shown(
        Panes(Pane("Models", models), Pane("Detail", detail, width=300), Pane("Tiers", tiers, under=models)),
        1200,
    )
    assert panes.splitter.count() == 2
    assert detail.mapTo(panes, detail.rect().topLeft()).x() > models.width(), "the order is kept"
    assert tiers.mapToGlobal(tiers.rect().topLeft()).y() > models.mapToGlobal(models.rect().topLeft()).y()
    shown(panes, 600)
    assert [panes.tabs.tabText(at) for at in range(3)] == ["Models", "Detail", "Tiers"]


def test_split_gives_new_room_to_the_stretched_widget() -> None:
    above, below = QLabel("above"), QLabel("below")
    splitter = split(above, below, sizes=(100, 100), stretch=1, vertical=True)
    splitter.resize(200, 204)
    splitter.show()
    splitter.resize(200, 404)
    assert splitter.sizes()[1] > splitter.sizes()[0]
    splitter.close()


def said_at(head: PageHead, width: int) -> str:
    """Return the text of a head with this width."""
    head.resize(width, 50)
    QApplication.processEvents()
    return head.shown_text


def test_the_head_leaves_out_what_has_no_room() -> None:
    head = PageHead("Exam")
    head.add_action(QPushButton("Answer with…"))
    head.set_title("pond · run 4", "30 questions")
    head.resize(1200, 50)
    head.show()
    assert head.shown_text == "pond · run 4 30 questions"
    head.show_progress("12 of 30", "2 min left", 0.4, "local model")
    head.set_chip("playing", "ok")
    assert head.shown_text == "pond · run 4 30 questions playing 12 of 30 2 min left"
    widths = range(1200, 400, -20)
    assert list(dict.fromkeys(said_at(head, width) for width in widths))[:3] == [
        "pond · run 4 30 questions playing 12 of 30 2 min left",
        "pond · run 4 playing 12 of 30 2 min left",
        "pond · run 4 playing",
    ]
    head.resize(600, 50)
    head.hide_progress()
    assert head.shown_text == "pond · run 4 30 questions playing"
    head.close()
