"""The Evaluate page on real data folders, driven through Qt; what it begins are real `pitwall` commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import bridge_with_engine, button, texts
from tests.console.recorded_runs import record_run
from tests.pitwall_bench.console.suite_folders import (
    duel,
    hold,
    many_runs,
    playing_board,
    spec,
    task_run,
    write_suite,
)

from pitwall.console.kit.form.inputs import Line
from pitwall.console.kit.theme import Look
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from pitwall_bench.console.page import EvaluatePage
from pitwall_bench.console.play_dialog import PlayDialog
from pitwall_bench.console.results.agent_bars import AgentBars
from pitwall_bench.console.results.heat_map import HeatMap
from pitwall_bench.console.results.human_card import HumanCard
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.results import SuiteProgress
from pitwall_bench.suites.statistics import rows_by
from workshop.fixtures.tiny_models import tiny_text_model

_WAIT_MS = 120_000


@dataclass
class PageHarness:
    """The page under test."""

    page: EvaluatePage
    data: DataFolder
    bot: QtBot

    def wait(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=_WAIT_MS)

    def press(self, name: str, inside: QWidget | None = None) -> None:
        QTest.mouseClick(button(inside or self.page, name), Qt.MouseButton.LeftButton)

    def show(self, key: str) -> None:
        """Read what there is now, and choose a run by its row."""
        self.page.read()
        self.wait(lambda: self.page.read_now is not None and self.page.read_now.run(key) is not None)
        self.page.choose_run(key)
        self.wait(lambda: self.page.results.isVisible() and self.page.results.table.groups is not None)
        self.wait(
            lambda: self.page.run is not None and self.page.results.asked.toPlainText() == self.page.run.text
        )


@pytest.fixture
def desk(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[PageHarness]:
    """The page, on a data folder where no suite was run."""
    assert screen
    bridge, _ = bridge_with_engine(tmp_path)
    page = EvaluatePage(bridge, Look(qapp, "dark"))
    page.resize(1216, 640)
    page.show()
    page.opened()
    qtbot.waitUntil(lambda: page.read_now is not None, timeout=_WAIT_MS)
    yield PageHarness(page, bridge.data, qtbot)
    page.close_reading()
    qtbot.waitUntil(lambda: not page.doing.running, timeout=_WAIT_MS)
    bridge.shutdown()
    shiboken6.delete(page)


# ---- shown


def test_with_no_suite_the_page_says_what_comes_and_offers_the_smoke_suite(desk: PageHarness) -> None:
    assert "No suite was run here yet" in texts(desk.page)
    assert button(desk.page, "Run the smoke suite").isVisible()
    assert "smoke" in [row.words.split(",")[0] for row in desk.page.left.files.rows]
    assert not desk.page.head.cancel.isVisible()


def test_results_of_a_suite_stand_in_the_table_the_map_and_the_bars(desk: PageHarness) -> None:
    runs = many_runs(waves=1)
    write_suite(desk.data, "levels", runs, asked=spec("levels"))
    desk.show("levels")
    page = desk.page
    rows = {(row.agent, row.game, row.task): row for row in rows_by(runs, "agent", "game", "task")}
    groups = page.results.table.groups
    assert len(groups) == len(rows)
    for group in groups:
        share = rows[group.agent, group.game, group.task].success
        assert share is None or (group.success.hits, group.success.low) == (share.wins, share.low)
    heat, bars = page.results.overview.heat.plot, page.results.overview.bars.plot
    assert isinstance(heat, HeatMap)
    assert isinstance(bars, AgentBars)
    assert list(heat.heat.agents) == ["planner", "skills", "random", "idle"]
    assert [group.key for group in bars.groups] == list(heat.heat.agents)
    heat.read(0)
    assert heat.read_text.startswith(f"{heat.heat.games[0][0]} · planner: success")
    assert heat.accessibleDescription() == heat.read_text
    twin = page.results.overview.heat.table.model
    assert twin.rowCount() == len(rows_by(runs, "agent", "game"))


def test_atari_results_stand_beside_published_scores(screen: str, qapp: QApplication) -> None:
    assert screen
    card = HumanCard(Look(qapp, "dark"))
    card.show_runs([task_run("flappy")])
    assert card.isHidden()
    card.show_runs([task_run("gym-ale-breakout", "human", score=16.1, target=30.5)])
    assert not card.isHidden() and "16.1,1.7,30.5,385.5" in card.table.model.as_csv()


def test_the_table_sorts_by_number_and_what_is_not_known_comes_last(desk: PageHarness) -> None:
    runs = [*many_runs(waves=1), task_run("maze", "never", ended="launch", progress=None)]
    write_suite(desk.data, "levels", runs)
    desk.show("levels")
    table = desk.page.results.table.table
    at = [column.title for column in table.rows.columns].index("Success")
    for order in (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder):
        table.sortByColumn(at, order)
        shares = [group.success.value for group in table.groups]
        assert shares[:-1] == sorted(shares[:-1], reverse=order is Qt.SortOrder.DescendingOrder)
        assert table.groups[-1].task == "never"
    assert "1 not played: did not start 1" in table.rows.as_csv()


def test_sessions_that_play_have_tiles_and_failures_their_cause(desk: PageHarness) -> None:
    failed = task_run("dodge", ended="not_ready", progress=None, why="Traceback:\n  no window within 90 s")
    folder = write_suite(desk.data, "live", [failed])
    write_suite(desk.data, "live", [failed], board=playing_board(folder, 1, 8))
    with hold(folder):
        desk.show("live")
        board = desk.page.results.board
        assert [tile.shown.cell.game for tile in board.tiles.values() if tile.shown] == ["flappy", "dino"]
        tile = next(iter(board.tiles.values()))
        assert "34 of 100 steps" in tile.description
        desk.wait(lambda: not tile.picture.image.isNull())
        (failure,) = [row.words for row in board.failed.rows]
        assert failure.startswith("never became ready: dodge · reach")
        assert failure.endswith("no window within 90 s")
        assert desk.page.head.cancel.isVisible()
        assert "1 of 8 runs" in desk.page.head.shown_text
    desk.page.read()
    desk.wait(lambda: desk.page.head.resume.isVisible())
    assert not board.tiles


def test_new_results_appear_while_the_page_is_open(desk: PageHarness) -> None:
    runs = many_runs(waves=1)
    write_suite(desk.data, "levels", runs[:10], board=SuiteProgress(state="stopped", of=20))
    desk.show("levels")
    write_suite(desk.data, "levels", runs[:20])
    desk.wait(lambda: desk.page.run is not None and desk.page.run.done == 20)
    assert sum(len(group.runs) for group in desk.page.results.table.groups) == 20


def test_two_agents_that_differ_and_two_suites_that_do_not(desk: PageHarness) -> None:
    runs = many_runs()
    write_suite(desk.data, "levels", runs)
    write_suite(desk.data, "again", runs)
    desk.show("levels")
    results = desk.page.results
    results.tabs.setCurrentWidget(results.compare)
    compare = results.compare
    compare.choose(0, "levels", "planner")
    compare.choose(1, "levels", "idle")
    assert compare.verdict_text.startswith("≠ ")
    assert "planner succeeds more often than idle" in compare.verdict_text
    compare.choose(1, "again", "planner")
    assert compare.verdict_text.startswith("≈ ")
    assert "inside the noise" in compare.verdict_text
    assert all(not pair.differs for pair in compare.plot.pairs)
    assert results.against == "again"


def test_a_cell_opens_its_runs_and_what_could_not_be_played_says_why(desk: PageHarness) -> None:
    failed = task_run(seed=2, ended="launch", progress=None, why="chromium is not installed")
    folder = write_suite(desk.data, "one", [failed])
    log = folder / "sessions" / f"{failed.cell.key}.log"
    log.parent.mkdir(parents=True)
    log.write_text("the last words of the session\n", encoding="utf-8")
    desk.show("one")
    desk.page.open_cells([failed.cell.key])
    assert desk.page.runs.shown == failed
    assert "chromium is not installed" in texts(desk.page.runs)
    assert desk.page.runs.session is not None
    assert "the last words" in desk.page.runs.session.last_words
    desk.press("Back to the results")
    assert desk.page.results.isVisible()


def test_a_played_run_is_shown_step_by_step_from_its_own_data_folder(desk: PageHarness) -> None:
    played = task_run(success=True)
    folder = write_suite(desk.data, "one", [played])
    run_id = record_run(DataFolder(folder / "sessions" / played.cell.key), 12, frames=12)
    write_suite(desk.data, "one", [played.model_copy(update={"run_id": run_id})])
    desk.show("one")
    desk.page.open_cells([played.cell.key])
    session = desk.page.runs.session
    assert session is not None
    detail = session.detail
    assert detail is not None
    desk.wait(lambda: detail.isVisible() and detail.shown_step is not None)
    assert detail.steps.rowCount() == 12
    assert not desk.data.database.exists()
    text = texts(session)
    assert "20 of 20 pipes" in text
    assert "the game's own word" in text


def test_a_run_of_two_sides_says_what_each_scored_and_who_played_it(desk: PageHarness) -> None:
    runs = [duel(3, 1, seed=1), duel(0, 2, seed=2)]
    write_suite(desk.data, "two", runs)
    desk.show("two")
    desk.page.open_cells([run.cell.key for run in runs])
    session = desk.page.runs.session
    assert session is not None
    text = texts(session)
    assert "skills · 3 goals · 80 steps" in text
    assert "random · 1 goals · 64 steps · refused: focus 2" in text
    listed = [row.words.split(", ") for row in desk.page.runs.list.rows]
    assert [words[1] for words in listed] == ["Blue skills 3 : 1 random Red", "Blue skills 0 : 2 random Red"]


# ---- the editor


def test_faults_of_the_text_are_listed_with_their_line_and_lead_there(desk: PageHarness) -> None:
    page = desk.page
    page.acts.new_suite()
    desk.wait(lambda: page.editor.ready)
    assert page.head.start.isEnabled()
    page.editor.text.put(page.editor.text.text().replace("kind: random", "kid: random"))
    assert not page.head.start.isEnabled()
    desk.wait(lambda: bool(page.editor.faults.faults))
    (line,) = [row.words for row in page.editor.faults.list.rows]
    assert "kid" in line
    assert "did you mean 'kind'" in line
    fault = page.editor.faults.faults[0]
    rows = page.editor.faults.list
    place = rows.visualRect(rows.model().index(0, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert page.editor.text.textCursor().blockNumber() == fault.line - 1
    assert page.editor.dirty
    page.editor.revert()
    desk.wait(lambda: page.editor.ready)


def test_the_models_of_the_list_complete_an_agents_model(desk: PageHarness, tmp_path: Path) -> None:
    ModelRegistry(desk.data).add_file(tiny_text_model(tmp_path / "tiny.gguf"), name="tiny-player")
    cards = desk.page.editor.form.agents
    cards.show_agents([{"name": "model", "kind": "model"}])
    desk.page.opened()
    desk.wait(lambda: "tiny-player" in suggestions(cards.cards[0].form.editor("model")))
    cards.show_agents([{"name": "a"}, {"name": "b", "kind": "model"}])
    assert "tiny-player" in suggestions(cards.cards[1].form.editor("model"))


def suggestions(line: QWidget) -> list[str]:
    """Return the words that complete a line."""
    assert isinstance(line, Line)
    if not line.completer():
        return []
    model = line.completer().model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_the_form_writes_the_text_and_reads_it(desk: PageHarness) -> None:
    page = desk.page
    page.acts.new_suite()
    desk.wait(lambda: page.editor.ready and bool(page.games))
    form = page.editor.form
    form.plays.number("repeats").setValue(3)
    form.plays.enter({"seeds": []})
    QTest.keyClicks(form.plays.editor("seeds"), "1 - 4")
    form.agents.cards[1].form.enter({"kind": "idle"})
    top = form.tree.topLevelItem(0)
    assert top is not None
    top.setCheckState(0, Qt.CheckState.Checked)
    desk.wait(lambda: page.editor.ready and len(page.editor.plan.games) > 1)  # type: ignore[union-attr]
    plan = page.editor.plan
    assert plan is not None
    assert plan.spec.repeats == 3
    assert plan.spec.all_seeds == (1, 2, 3, 4)
    assert [agent.kind for agent in plan.spec.agents] == ["skills", "idle"]
    page.editor.text.put(page.editor.text.text().replace("repeats: 3", "repeats: 5"))
    assert form.plays.value("repeats") == 5


@pytest.mark.parametrize("kind", ["skills", "model"])
def test_no_field_of_the_form_is_cut_off_at_the_right(desk: PageHarness, kind: str) -> None:
    page = desk.page
    page.acts.new_suite()
    desk.wait(lambda: page.editor.ready and bool(page.games))
    form = page.editor.form
    form.agents.cards[0].form.enter({"kind": kind, "other": "model"})
    inside = form.widget()
    assert inside is not None
    desk.wait(lambda: 0 < inside.width() <= form.viewport().width())


def test_a_bundled_suite_is_saved_as_a_copy(desk: PageHarness) -> None:
    page = desk.page
    smoke = next(file for file in page.read_now.files if file.name == "smoke")  # type: ignore[union-attr]
    page.choose_file(smoke.path)
    page.editor.text.put(page.editor.text.text().replace("seeds: [1]", "seeds: [7]"))
    path = page.acts.save()
    assert path is not None
    assert path.parent == desk.data.suites
    assert "seeds: [7]" in path.read_text(encoding="utf-8")
    desk.wait(lambda: page.file is not None and page.file.path == path)
    assert not page.editor.dirty
    assert page.editor.touched == 0


# ---- real commands


def test_a_report_is_written_and_its_place_told(desk: PageHarness) -> None:
    write_suite(desk.data, "levels", many_runs(waves=1)[:12], asked=spec("levels"))
    desk.show("levels")
    desk.page.acts.export("csv")
    desk.wait(lambda: "tasks.csv" in desk.page.notifications.text)
    assert button(desk.page.notifications, "Show its folder").isVisible()
    assert (desk.data.suites / "levels" / "report" / "tasks.csv").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a virtual screen")
def test_a_suite_begins_aside_is_shown_and_is_stopped(desk: PageHarness) -> None:
    page = desk.page
    text = (
        "name: brief\ngames: [{game: flappy, tasks: [first_pipe]}]\nagents: [{name: idle, kind: idle}]\n"
        "seeds: {first: 1, count: 40}\n"
    )
    path = page.acts.own.add(text)
    page.read()
    desk.wait(lambda: page.read_now is not None and page.read_now.file(path) is not None)
    page.choose_file(path)
    desk.wait(lambda: page.editor.ready)
    desk.press("Start this suite")
    desk.wait(lambda: page.run is not None and page.run.state == "playing")
    assert page.results.isVisible()
    pid = page.run.board.pid  # type: ignore[union-attr]
    desk.press("Cancel this suite")
    desk.wait(lambda: page.run is not None and page.run.state == "stopped")
    assert SuiteFolder(desk.data, "brief").holder() is None
    desk.wait(lambda: not Path(f"/proc/{pid}").exists())
    assert page.head.resume.isVisible()


def test_why_a_suite_did_not_begin_is_told(desk: PageHarness) -> None:
    folder = desk.data.games / "stray"
    folder.mkdir(parents=True)
    (folder / "plugin.toml").write_text("schema = 1\n", encoding="utf-8")
    file = desk.data.suites / "bad.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("name: bad\nagents: [{name: a}]\ngames: [{game: stray}]\n", encoding="utf-8")
    key = desk.page.doing.start(file, "bad", keep_frames=False)
    desk.page.acts.begun.emit(key)
    desk.wait(lambda: not desk.page.doing.starting)
    assert "fault" in desk.page.notifications.text
    assert "No suite was run here yet" in texts(desk.page)


def test_a_person_can_choose_a_task_with_its_budget(desk: PageHarness) -> None:
    page = desk.page
    desk.wait(lambda: bool(page.acts.tasks))
    page.acts.play_yourself()
    (dialog,) = page.findChildren(PlayDialog)
    dialog.choose("flappy", page.acts.tasks[0].task)
    ordered: list[tuple[str, str, int, str]] = []
    dialog.ordered.disconnect()
    dialog.ordered.connect(ordered.append)
    text = texts(dialog)
    assert "Budget" in text
    assert "steps" in dialog.budget
    desk.press("Play this task", dialog)
    assert (ordered[0][0], ordered[0][3]) == ("flappy", "same")


def test_who_plays_the_other_side_is_asked_where_a_task_is_for_two(desk: PageHarness) -> None:
    page = desk.page
    desk.wait(lambda: bool(page.acts.tasks))
    page.acts.play_yourself()
    (dialog,) = page.findChildren(PlayDialog)
    other = dialog.form.editor("other")
    dialog.choose(
        "dodge", next(task.task for task in page.acts.tasks if task.game == "dodge" and not task.other)
    )
    assert not other.isVisibleTo(dialog)
    dialog.choose("carball", "duel_blue")
    assert other.isVisibleTo(dialog)
    assert "Blue, against or with Red" in texts(dialog)
    dialog.form.enter({"other": "random"})
    assert dialog.order == ("carball", "duel_blue", 1, "random")
