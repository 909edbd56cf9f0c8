"""The lab on real data folders, driven through Qt; what it orders are real `pitwall gsm` processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import bridge_with_engine, button, texts
from tests.pitwall_lab.console.module_folders import (
    FIRST_REWARD,
    SECOND_REWARD,
    add_version,
    make_game,
    score,
    write_log,
)

from pitwall.console.kit.dialogs import Confirm, OrderDialog
from pitwall.console.kit.form.editors import Ticks
from pitwall.console.kit.job import JobState
from pitwall.console.kit.theme import Look
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.demonstrations.manifest import Demonstration
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.games.registry import Registry
from pitwall.games.schema.invention import ProposedModule
from pitwall.games.schema.modules import Rule
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.store import components
from pitwall.store.components import can_install
from pitwall.store.lease import FileLock
from pitwall_lab.console.page import LabPage
from pitwall_lab.console.questions import ClosingQuestion, PromoteAnyway
from pitwall_lab.console.training.improve_dialog import ImproveDialog
from pitwall_lab.console.training.train_dialog import TrainDialog
from pitwall_lab.console.versions.compare_dialog import CompareDialog
from pitwall_lab.console.view_model import ModuleKey
from pitwall_lab.modules.inventing import invent
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.training_log import LOCK, read_control

_WAIT_MS = 90_000
Dialog = TypeVar("Dialog", bound=QWidget)
FROG, FISH = ModuleKey("pond", "frog"), ModuleKey("pond", "fish")


@dataclass
class PageHarness:
    """The page under test, and the frog's versions."""

    page: LabPage
    folder: ModuleFolder
    bot: QtBot

    def wait(self, holds: Callable[[], bool], timeout_ms: int = _WAIT_MS) -> None:
        self.bot.waitUntil(holds, timeout=timeout_ms)

    def press(self, name: str, inside: QWidget | None = None) -> None:
        QTest.mouseClick(button(inside or self.page, name), Qt.MouseButton.LeftButton)

    def show(self, version: str, key: ModuleKey = FROG) -> None:
        """Choose a version by its row, once it is there."""
        self.page.left.modules.choose(key)
        self.wait(lambda: self.page.module is not None and self.page.module.key == key)
        self.page.read()
        self.wait(lambda: version in self.page.left.versions.names())
        self.page.left.versions.choose(version)
        self.wait(lambda: self.page.version is not None and self.page.version.name == version)
        result = self.page.version
        if result is not None and result.learned:
            self.wait(lambda: bool(self.page.changes.code.toPlainText()))

    def dialog(self, kind: type[Dialog]) -> Dialog:
        (result,) = [item for item in self.page.findChildren(kind) if item.isVisible()]
        return result


def _page_on(data: DataFolder, qapp: QApplication) -> LabPage:
    bridge, _ = bridge_with_engine(data.root)
    page = LabPage(bridge, Look(qapp, "dark"))
    bridge.changed.connect(page.refresh)
    page.resize(1216, 640)
    page.show()
    page.opened()
    return page


@pytest.fixture
def desk(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[PageHarness]:
    """The page on the game Pond, with nothing trained."""
    assert screen
    data = DataFolder(tmp_path)
    folder = ModuleFolder(data, make_game(data), "frog")
    page = _page_on(data, qapp)
    qtbot.waitUntil(lambda: page.contents is not None, timeout=_WAIT_MS)
    yield PageHarness(page, folder, qtbot)
    _end(page, qtbot)


def _end(page: LabPage, qtbot: QtBot) -> None:
    page.close_reading()
    qtbot.waitUntil(
        lambda: not (page.orders.queue.running or page.orders.jobs.running or page.changes.check.running),
        timeout=_WAIT_MS,
    )
    page.bridge.shutdown()
    shiboken6.delete(page)


# ---- shown


def test_modules_versions_and_what_drives_are_shown_with_no_game_open(desk: PageHarness) -> None:
    add_version(desk.folder, title="first reward", scores=(score(18.1, 3),), standing=VersionStatus.KEPT)
    desk.folder.promote("v1")
    desk.show("v1")
    assert "pond · fish" in desk.page.left.modules.names()
    spoken = desk.page.left.versions.spoken()
    assert spoken[0] == "rules · as the game declares it, rules, not scored"
    assert spoken[1] == "v1 · first reward, kept, iteration 0, 18.1 ± 3 leaves on the twin, drives"
    assert desk.page.head.shown_text.startswith("pond · frog ● learned · by Double DQN")
    assert not button(desk.page, "Promote v1").isEnabled()
    desk.press("Held-out scores on the twin")
    assert desk.page.left.versions.spoken()[1].endswith("kept, iteration 0, not scored, drives")


def test_a_finished_training_says_so_and_versions_are_compared_in_a_table(desk: PageHarness) -> None:
    learned = desk.folder.declared.learned
    assert learned is not None
    slow = learned.training.model_copy(update={"learning_rate": 1e-5})
    for recipe, scores in ((learned.training, (score(18.1, 3),)), (slow, ())):
        about = add_version(desk.folder, scores=scores, recipe=recipe, steps=300_000, wall_s=192.0)
        write_log(desk.folder.folder(about.version), done=300_000)
    desk.show("v2")
    desk.wait(desk.page.outcome.isVisible)
    shown = texts(desk.page.outcome)
    assert "✓ The training of v2 is finished" in shown
    assert "300,000 decisions in 3:12" in shown
    assert "not evaluated yet" in shown
    assert button(desk.page.outcome, "Evaluate the finished version").isVisible()
    charts = desk.page.charts
    charts.tabs.setCurrentWidget(charts.versions)
    desk.wait(lambda: charts.versions.table.rows.rowCount() == 3)
    heads = [column.title for column in charts.versions.table.rows.columns]
    assert heads == ["Version", "State", "Score, twin", "Score, screen", "Learning rate"]
    charts.versions.table.opened.emit(charts.versions.table.rows.rows[1])
    desk.wait(lambda: desk.page.version is not None and desk.page.version.name == "v1")


def test_an_invented_module_is_marked_and_rests_while_it_is_switched_off(desk: PageHarness) -> None:
    data, on = desk.page.bridge.data, Settings().with_value("gsm", "invent_modules", True)
    rules = [Rule(when="height > 80", action="hop")]
    newt = ProposedModule(name="newt", description="Hop late", ends="status != 'playing'", rules=rules)
    invent(data, desk.folder.game, newt, on, by="model", model="tiny")
    desk.page.read()
    desk.wait(lambda: "pond · newt" in desk.page.left.modules.names())
    desk.show("rules", ModuleKey("pond", "newt"))
    assert desk.page.head.shown_text.startswith("pond · newt – at rest · invented by the model tiny")
    assert desk.page.left.versions.spoken() == ["rules · as the model tiny invented it, rules, not scored"]
    assert not button(desk.page, "Promote rules").isEnabled()
    assert not desk.page.head.improve.isVisible() and not desk.page.head.train.isVisible()
    save_settings(data.settings, on)
    desk.page.read()
    desk.wait(lambda: "at rest" not in desk.page.head.shown_text)
    assert desk.page.head.shown_text.startswith("pond · newt ○ rules · invented by the model tiny")
    assert desk.page.head.improve.isVisible() and not desk.page.head.train.isVisible()


def test_without_versions_the_middle_says_what_to_do(desk: PageHarness) -> None:
    desk.show("rules")
    assert "No training yet" in texts(desk.page)
    desk.press("Begin the first training")
    assert desk.dialog(TrainDialog).windowTitle() == "New training of pond · frog"
    desk.show("rules", FISH)
    assert "Rules learn nothing, so there are no curves" in texts(desk.page)


def test_a_game_that_was_only_watched_is_trained_from_its_first_demonstration(desk: PageHarness) -> None:
    kept = Demonstration(
        id="20261123-192500-dodge",
        game="dodge",
        picture_size=(4, 4),
        window_size=(4, 4),
        rate_fps=20,
        started_at="",
    )
    with DemonstrationWriter(desk.page.bridge.data.demonstrations / kept.id, kept):
        pass
    watched = ModuleKey("dodge", "watched")
    desk.page.read()
    desk.wait(lambda: desk.page.contents is not None and desk.page.contents.module(watched) is not None)
    desk.page.choose_module(watched)
    desk.wait(lambda: "dodge · watched" in desk.page.head.shown_text)
    assert not desk.page.head.improve.isVisible()
    moves = _Moves(desk.page.head)
    desk.page.head.show_module(desk.page.module, desk.page.version)  # as every few seconds
    assert not moves.of, "a click just then is lost"
    desk.press("Begin the first training")
    order = desk.dialog(TrainDialog).order
    assert order is not None and order.source == "all"


class _Moves(QObject):
    """Notes each button of a head that moves, appears or goes."""

    def __init__(self, head: QWidget) -> None:
        super().__init__(head)
        self.of: list[str] = []
        QApplication.processEvents()
        for item in head.findChildren(QAbstractButton):
            item.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self.of.append(f"{watched.property('text')}: {event.type().name}")
        return False


def test_a_reward_is_shown_against_its_parents(desk: PageHarness) -> None:
    add_version(desk.folder)
    add_version(
        desk.folder,
        parent="v1",
        reward=SECOND_REWARD,
        standing=VersionStatus.PROPOSED,
        by="model",
        why="Reward the pass more.",
        iteration=1,
    )
    desk.show("v2")
    panel = desk.page.changes.reward
    assert panel.view == "diff"
    assert panel.note == "proposed by the model"
    assert [line.sign for line in panel.diff.lines if line.sign != " "] == ["-", "+", "+"]
    assert "+2 −1 lines against v1" in texts(panel)
    assert "Reward the pass more." in texts(panel)
    assert "iteration 1" in desk.page.head.shown_text and "of 3" not in desk.page.head.shown_text
    desk.press("Reject the proposal")
    desk.wait(lambda: desk.folder.about("v2").standing is VersionStatus.ROLLED_BACK)
    desk.wait(lambda: "v2, rolled back" in " ".join(desk.page.left.versions.spoken()))


def test_a_training_of_another_process_is_found_and_one_that_died_can_go_on(desk: PageHarness) -> None:
    add_version(desk.folder, standing=VersionStatus.TRAINING, created_at=1.0)
    where = desk.folder.folder("v1")
    write_log(where, done=120_000, state="running")
    lock = FileLock(where / LOCK, role="training", subject="it")
    with lock:
        desk.show("v1")
        desk.wait(lambda: "120,000 of 300,000 steps 3:20 min left" in desk.page.head.shown_text)
        assert "v1 is being trained with this; stop it to change it." in texts(desk.page.changes.reward)
        assert desk.page.changes.code.isReadOnly()
        use = desk.page.left.use.accessibleDescription()
        assert use == "nothing new 81 %; hop 19 %"
        desk.wait(lambda: desk.page.charts.run is not None and desk.page.charts.run.curves.count == 200)
    desk.wait(lambda: "was interrupted at step 120,000" in texts(desk.page))
    assert button(desk.page, "Resume the training of v1").isVisible()


def test_damage_is_told_and_the_rest_stays(desk: PageHarness) -> None:
    add_version(desk.folder, standing=VersionStatus.KEPT)
    add_version(desk.folder)
    (desk.folder.folder("v2") / "about.json").write_text('{"version": 3}', encoding="utf-8")
    desk.show("v1")
    desk.wait(lambda: "v2" in desk.page.left.faults)
    assert "Put a whole copy back" in desk.page.left.faults
    assert desk.page.left.versions.names() == ["rules", "v1"]
    (desk.folder.folder("v1") / "reward.py").unlink()
    desk.page.read()
    desk.wait(lambda: "staying alive" in desk.page.changes.code.toPlainText())  # the game's own


def test_a_game_that_cannot_be_read_is_told(desk: PageHarness) -> None:
    broken = desk.page.bridge.data.games / "broken"
    broken.mkdir()
    (broken / "plugin.toml").write_text("schema = ", encoding="utf-8")
    desk.page.opened()
    desk.wait(lambda: "broken" in desk.page.left.faults)
    assert "pond · frog" in desk.page.left.modules.names()


# ---- what is written is kept


def test_a_draft_is_kept_over_modules_and_windows(
    desk: PageHarness, qtbot: QtBot, qapp: QApplication
) -> None:
    add_version(desk.folder)
    desk.show("v1")
    panel, code = desk.page.changes.reward, desk.page.changes.code
    check = button(panel, "Check the reward")
    place = check.mapTo(panel, QPoint())
    code.setFocus()
    QTest.keyClicks(code, "# mine")
    assert panel.note == "your change to v1"
    desk.wait(button(panel, "Train with").isVisible)
    desk.bot.wait(50)
    assert check.mapTo(panel, QPoint()).x() == place.x(), "nothing appears where Check was"
    assert not button(panel, "Train with").geometry().intersects(check.geometry())
    assert "Train with this…" in [
        item.text() for item in panel.findChildren(type(button(panel, "Train with")))
    ]
    desk.show("rules", FISH)
    desk.show("v1")
    assert code.toPlainText().startswith("# mine")
    assert panel.note == "your change to v1"
    other = _page_on(desk.page.bridge.data, qapp)
    qtbot.waitUntil(lambda: other.contents is not None, timeout=_WAIT_MS)
    other.left.modules.choose(FROG)
    qtbot.waitUntil(lambda: "v1" in other.left.versions.names(), timeout=_WAIT_MS)
    other.left.versions.choose("v1")
    qtbot.waitUntil(lambda: other.changes.code.toPlainText().startswith("# mine"), timeout=_WAIT_MS)
    _end(other, qtbot)
    desk.press("Discard your change")
    assert not code.toPlainText().startswith("# mine")
    assert panel.note == "of v1"


def test_the_editor_indents_and_leaves(desk: PageHarness) -> None:
    add_version(desk.folder)
    desk.show("v1")
    desk.page.changes.reward.show_view("edit")
    code = desk.page.changes.code
    code.setPlainText("")
    QTest.keyClicks(code, "def reward():")
    QTest.keyClick(code, Qt.Key.Key_Return)
    QTest.keyClicks(code, "x")
    QTest.keyClick(code, Qt.Key.Key_Return)
    QTest.keyClick(code, Qt.Key.Key_Backtab)
    QTest.keyClicks(code, "y")
    assert code.toPlainText() == "def reward():\n    x\ny"


def test_rules_are_edited_checked_and_shown_as_a_difference(desk: PageHarness) -> None:
    desk.show("rules", FROG)
    table, panel = desk.page.changes.table, desk.page.changes.rules
    cell = table.table.item(0, 0)
    assert cell is not None
    assert cell.text() == "height > 60"
    cell.setText("heigth > 55")
    desk.press("Check the rules")
    assert "Did you mean 'height'" in texts(panel)
    cell.setText("height > 55")
    cooldown = table.table.item(1, 1)
    assert cooldown is not None
    cooldown.setText("90")
    assert cooldown.text() == "90 ms"
    desk.press("Check the rules")
    assert panel.checks == ["Conditions: ✓ parse", "Actions: ✓ legal", "Rules: 2 rules"]
    desk.press("Rules: show what changed")
    gone = [line.text for line in panel.diff.lines if line.sign == "-"]
    came = [line.text for line in panel.diff.lines if line.sign == "+"]
    assert gone == ["1  height > 60", "   → hop, cooldown 60 ms"]
    assert came == ["1  height > 55", "   → hop, cooldown 90 ms"]
    desk.press("Rules: edit")
    table.table.setCurrentCell(2, 0)
    desk.press("Move the chosen rule up")
    assert [rule.when for rule in table.module().rules] == ["height > 90", "height > 55"]
    desk.press("Remove the chosen rule")
    assert [rule.when for rule in table.module().rules] == ["height > 55"]


def test_a_faulty_reward_is_told_with_its_line_marked(desk: PageHarness) -> None:
    add_version(desk.folder)
    desk.show("v1")
    panel, code = desk.page.changes.reward, desk.page.changes.code
    panel.show_view("edit")
    code.setPlainText(FIRST_REWARD.replace("return -10.0", "return open('/etc/passwd')"))
    desk.press("Check the reward")
    desk.wait(lambda: bool(panel.checks))
    assert code.fault_line == 6
    assert panel.checks[0] == "Sandbox: no files, no network: ✕ refused"
    assert "line 6" in texts(panel)
    code.setPlainText(SECOND_REWARD.replace("bird_y", "height").replace("gap_bottom", "height"))
    assert code.fault_line == 0
    desk.press("Check the reward")
    desk.wait(lambda: bool(panel.checks))
    assert panel.checks[0] == "Sandbox: no files, no network: ✓ passed"
    assert panel.checks[1].endswith("sampled transitions: ✓ finite")
    assert panel.checks[2].startswith("Time per call: ")


# ---- what is ordered


def test_the_dialog_orders_only_what_was_changed(desk: PageHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    add_version(desk.folder, title="first")
    desk.show("v1")
    orders: list[TrainingOrder] = []
    monkeypatch.setattr(desk.page.orders, "begin", lambda _, order: orders.append(order))
    desk.press("New training")
    dialog = desk.dialog(TrainDialog)
    assert dialog.beginning.value("source") == "v1"
    dialog.box("steps").setValue(500)
    assert dialog.box("steps").property("tried") == "yes"
    dialog.recipe["Learning"].enter({"hidden": []})
    desk.press("Begin training", dialog)
    assert orders[0].source == "v1"
    assert set(orders[0].changes) == {"steps=500", "hidden="}


def test_an_evaluation_is_a_job_that_runs_once_and_tells_its_outcome(desk: PageHarness) -> None:
    desk.show("rules")
    desk.page.orders.evaluate("twin")
    (order,) = desk.page.orders.jobs.running
    assert order.title == "Evaluating rules on the twin · pond/frog"
    desk.page.orders.evaluate("twin")
    assert "Evaluating rules on the twin is already running." in desk.page.notifications.text
    desk.wait(lambda: not desk.page.orders.jobs.running)
    desk.wait(lambda: "leaves on the twin" in desk.page.left.versions.spoken()[0])
    assert "✓ done" in desk.page.orders.jobs.cards[0].text


def test_a_gate_that_refuses_is_shown_leads_to_an_evaluation_or_needs_a_reason(
    desk: PageHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_version(desk.folder)
    (desk.folder.folder("v1") / "policy.onnx").write_bytes(b"no policy")
    desk.show("v1")
    desk.press("Promote v1")
    desk.wait(lambda: bool([item for item in desk.page.findChildren(PromoteAnyway) if item.isVisible()]))
    dialog = desk.dialog(PromoteAnyway)
    assert "v1 was never evaluated with delay" in texts(dialog)
    assert desk.page.head.promote.property("kind") == "", "amber is for what the gate would let drive"
    assert not dialog.anyway.isEnabled()
    QTest.keyClicks(dialog.why, "to see it play")
    assert dialog.anyway.isEnabled()
    asked: list[str] = []
    monkeypatch.setattr(desk.page.orders, "evaluate", asked.append)
    dialog.judge.click()
    assert asked == ["twin"]
    assert not dialog.isVisible()
    assert desk.folder.driving() == "rules"


def test_promoting_rules_and_rolling_back_by_the_line_that_tells_it(desk: PageHarness) -> None:
    desk.folder.promote("rules")
    desk.show("rules")
    desk.page.orders.promote()
    desk.wait(lambda: "rules drives now" in desk.page.notifications.text)
    assert len(desk.folder.promoted().history) == 2
    desk.press("Undo", desk.page.notifications)
    desk.wait(lambda: len(desk.folder.promoted().history) == 3)
    assert desk.folder.promoted().history[-1].back


def test_two_versions_are_compared(desk: PageHarness) -> None:
    add_version(desk.folder, scores=(score(18.0, 3),))
    add_version(desk.folder, parent="v1", reward=SECOND_REWARD, scores=(score(64.0, 9),))
    desk.show("v2")
    desk.page.orders.compare()
    dialog = desk.dialog(CompareDialog)
    assert dialog.verdict.startswith("v2 is better than v1: difference +34 … +58 leaves, on the twin")
    assert [dialog.tabs.tabText(at) for at in range(4) if dialog.tabs.isTabVisible(at)] == [
        "Scores",
        "Reward",
    ]
    dialog.accept()


def test_a_version_is_deleted_once_that_was_said_twice(desk: PageHarness) -> None:
    add_version(desk.folder)
    add_version(desk.folder)
    desk.show("v2")
    (deed,) = [command for command in desk.page.commands() if command.name == "Delete v2…"]
    assert deed.possible()
    deed.run()
    desk.press("Delete v2", desk.dialog(Confirm))
    desk.wait(lambda: desk.folder.names() == ["rules", "v1"])
    desk.wait(lambda: desk.page.left.versions.names() == ["rules", "v1"])


def test_improving_says_what_cannot_be_chosen(desk: PageHarness) -> None:
    desk.show("rules")
    desk.press("Improve")
    dialog = desk.dialog(ImproveDialog)
    ticks = dialog.form.editor("by")
    assert isinstance(ticks, Ticks)
    assert not ticks.buttons["model"].isEnabled()
    assert "The evolution tier has no model" in texts(dialog)
    assert not ticks.buttons["operator"].isEnabled()
    assert ticks.buttons["rules"].isChecked()
    assert dialog.form.number("iterations").maximum() == 3
    dialog.reject()


def test_menu_and_palette_offer_the_same(desk: PageHarness) -> None:
    add_version(desk.folder)
    desk.show("v1")
    desk.page.left.menu_wanted.emit(QPoint(40, 40))
    menu = desk.page.head.more.menu()
    named = [action.text() for action in menu.actions()]
    menu.close()
    assert "Evaluate v1 on the screen" in named
    assert set(named) <= {command.name for command in desk.page.commands()}


def test_a_missing_extra_is_said_with_its_command(
    desk: PageHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "without"
    blocked.mkdir()
    (blocked / "torch.py").write_text("raise ModuleNotFoundError('no', name='torch')\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(blocked))
    desk.show("rules")
    assert desk.page.module is not None
    desk.page.orders.begin(desk.page.module, TrainingOrder())
    desk.wait(lambda: "installer/extra train" in desk.page.notifications.text)
    assert desk.page.notifications.text.startswith(
        "! Training needs packages that are not installed (torch)."
    )
    assert desk.folder.names() == ["rules"]


def test_training_that_is_not_installed_has_a_button_that_installs_it(
    desk: PageHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_install() or components.missing_components(["training"]):
        pytest.skip("the real command would download what training needs")
    file = tmp_path / "brought"
    gone = replace(components.component("training"), packages=(), files=(file,))
    monkeypatch.setattr(components, "COMPONENTS", (gone,))
    desk.page.opened()
    desk.show("rules")
    (card,) = desk.page.orders.components.cards
    assert "Game sense modules cannot be trained" in texts(desk.page)
    install = button(desk.page, "Install: Training")
    assert install.text() == "Install", "it waits for the operator"
    for order in ("Begin the first training", "Improve"):
        desk.press(order)
        assert not [item for item in desk.page.findChildren(OrderDialog) if item.isVisible()]
    assert "is being installed first" in desk.page.notifications.text
    assert "pitwall components" not in texts(desk.page)
    assert card.order.arguments == ["components", "install", "training"]
    assert card.job.running, "the order that needs it installs it"
    desk.wait(lambda: card.state is JobState.DONE)
    assert "It is installed." in texts(card)
    file.touch()
    desk.press("Begin the first training")
    assert desk.dialog(TrainDialog).isVisible()


# ---- the window


def test_closing_asks_about_a_training_and_can_pause_it(desk: PageHarness) -> None:
    add_version(desk.folder, standing=VersionStatus.TRAINING)
    where = desk.folder.folder("v1")
    write_log(where, state="running")
    closed: list[bool] = []
    with FileLock(where / LOCK, role="training", subject="it"):
        desk.show("v1")
        assert desk.page.ready_to_close(lambda: closed.append(True))  # not begun here: it goes on
        desk.page.orders.started.add((FROG, "v1"))
        assert not desk.page.ready_to_close(lambda: closed.append(True))
        desk.press("Do not close", desk.dialog(ClosingQuestion))
        assert not desk.page.ready_to_close(lambda: closed.append(True))
        assert "pond/frog v1 is being trained" in texts(desk.dialog(ClosingQuestion))
        desk.press("Close, and pause", desk.dialog(ClosingQuestion))
        desk.wait(lambda: bool(closed))
        assert read_control(where) == "pause"
        assert desk.page.ready_to_close(lambda: None)


def test_closing_says_that_a_draft_is_kept(desk: PageHarness) -> None:
    add_version(desk.folder)
    desk.show("v1")
    QTest.keyClicks(desk.page.changes.code, "#")
    assert not desk.page.ready_to_close(lambda: None)
    dialog = desk.dialog(ClosingQuestion)
    assert "Your text is kept for the next time" in texts(dialog)
    dialog.reject()


def test_a_real_training_begins_shows_its_curve_and_is_stopped(
    screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    assert screen
    data = DataFolder(tmp_path)
    folder = ModuleFolder(data, Registry(data).load("flappy"), "fly")
    page = _page_on(data, qapp)
    qtbot.waitUntil(lambda: page.contents is not None, timeout=_WAIT_MS)
    desk = PageHarness(page, folder, qtbot)
    desk.show("rules", ModuleKey("flappy", "fly"))
    desk.press("New training")
    dialog = desk.dialog(TrainDialog)
    for name, value in (
        ("steps", 60_000),
        ("environments", 4),
        ("learn_from", 200),
        ("evaluate_every", 50_000),
    ):
        dialog.box(name).setValue(value)
    desk.press("Begin training", dialog)
    desk.wait(lambda: page.version is not None and page.version.name == "v1" and page.version.live)
    try:
        desk.wait(lambda: page.charts.run is not None and page.charts.run.curves.count > 2)
        assert page.charts.curves.chips.shown()[0].version == "v1"
        assert "of 60,000 steps" in page.head.shown_text
        assert not page.ready_to_close(lambda: None)
        desk.press("Do not close", desk.dialog(ClosingQuestion))
    finally:
        desk.press("Stop the training of v1")
        desk.wait(lambda: page.version is not None and not page.version.live)
    assert folder.about("v1").steps > 0
    assert button(page, "Resume the training of v1").isVisible()
    _end(page, qtbot)
