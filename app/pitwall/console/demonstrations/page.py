"""The Demonstrations page: recordings of a person's play, to watch, trim and learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu

from pitwall.console.demonstrations import dialogs
from pitwall.console.demonstrations.columns import columns
from pitwall.console.demonstrations.detail import DemonstrationDetail
from pitwall.console.demonstrations.film import Film
from pitwall.console.kit import places
from pitwall.console.kit.command import Command
from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.elements import Button, EmptyState, PrimaryButton, column
from pitwall.console.kit.game_filter import GameFilter
from pitwall.console.kit.job import JobList, JobOrder
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.page import Page
from pitwall.console.kit.page_head import PageHead
from pitwall.console.kit.panes import Pane, Panes, ReadStack, stacked
from pitwall.console.kit.table.model import TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.console.services.background import BackgroundWorker, RepeatedReading
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import PitwallError, UnknownGame
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size, counted, duration_text
from pitwall.demonstrations.folder import DemonstrationFolder, Kept, trimmed
from pitwall.demonstrations.manifest import Demonstration
from pitwall.games.registry import Registry

_LIST_PX, _ROW_PX = 470, 44
_EMPTY = (
    "No demonstrations yet",
    "Play a game yourself while Pitwall watches: each picture and each press is kept here, to learn from.",
)


class DemonstrationsPage(Page):
    """Demonstrations of the bridge's data folder."""

    place = places.DEMONSTRATIONS

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._kept = DemonstrationFolder(bridge.data)
        self._worker = BackgroundWorker("demonstrations", self)
        self._reading = RepeatedReading(self._worker, self._kept.all, self)
        self._reading.took.connect(self._show)
        self.table = Table(
            look,
            TableModel(columns(), lambda kept: kept.id),
            "Demonstrations",
            "Enter plays the film",
            row_height=_ROW_PX,
            several=True,
            first=True,
        )
        self.detail = DemonstrationDetail(look, self._worker)
        self.detail.trim_wanted.connect(self._trim)
        self.detail.restore_wanted.connect(self._restore)
        self._fault = EmptyState("", "")
        self._undone: Demonstration | None = None
        self._right = stacked(self.detail, self._fault)
        self.table.chosen.connect(self._choose)
        self.table.opened.connect(lambda _: self.detail.toggle())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._offer())
        self.jobs = JobList(data=bridge.data)
        self.jobs.ended.connect(lambda *_: self.read())
        self.notifications = NotificationBar(self)
        self.notifications.undo_wanted.connect(self._undo)
        self._head = PageHead("Demonstrations")
        self._rows: list[Kept] = []
        self.games = self._head.add_choice(GameFilter())
        self.games.chosen.connect(lambda _: self._show(self._rows))
        self.train = self._head.add_action(PrimaryButton("Train from these…", self.ask_training))
        self._head.add_action(Button("Import…", self._ask_import, name="Import a dataset's folder"))
        self.menu = QMenu(self)
        self._actions: dict[str, QAction] = {}
        for name, action in self._menu_items():
            self._actions[name] = self.menu.addAction(name, action)
        self._head.add_menu("More", "More of the chosen demonstrations", self.menu)
        both = Panes(Pane("Recorded", self.table, _LIST_PX), Pane("Film", self._right), front=self._right)
        go = PrimaryButton("Go to the Live page", lambda: self.page_wanted.emit(places.LIVE.key))
        self._empty, self._both = EmptyState(*_EMPTY, go), both
        self._stack = ReadStack("Reading the demonstrations …", self._empty, both, again=self.read)
        self._reading.failed.connect(self._stack.show_error)
        self.setLayout(column(self._head, self.jobs, self._stack, gap=0, stretch=2))
        self._offer()

    # ---- the window's calls

    def opened(self) -> None:
        self._reading.start()

    def closed(self) -> None:
        self._reading.stop()
        self.detail.pause()

    def commands(self) -> Sequence[Command]:
        here = self.isVisible
        return (
            Command(
                name="Train from these demonstrations…",
                run=self.ask_training,
                possible=lambda: bool(self.chosen),
            ),
            Command(name="Import a demonstration…", run=self._ask_import, possible=here),
            *(
                Command(name=f"Demonstrations: {name}", run=action.trigger, possible=action.isEnabled)
                for name, action in self._actions.items()
            ),
        )

    def close_reading(self) -> None:
        """Stop reading and end the jobs, before the data folder goes away."""
        self._reading.stop()
        self.detail.pause()
        self.jobs.close_jobs()
        self._worker.close()

    def read(self) -> None:
        """Read the list again; the selection stays."""
        self._reading.now()

    # ---- the selection

    @property
    def chosen(self) -> list[Demonstration]:
        """Return the manifests of the selected rows, without damaged ones."""
        return [row.manifest for row in self.table.selected_rows() if row.manifest is not None]

    def _show(self, rows: list[Kept]) -> None:
        size = sum(row.manifest.size_bytes for row in rows if row.manifest)
        self._head.set_note(f"{counted(len(rows), 'session')} · {byte_size(size)}" if rows else "")
        self._rows = rows
        played = {row.manifest.game for row in rows if row.manifest and row.manifest.game}
        names = {entry.game_id: entry.name for entry in self.bridge.games()}
        self.games.show_games({game: names.get(game, game) for game in played})
        self.table.show_rows(
            [row for row in rows if self.games.shows(row.manifest.game if row.manifest else "")]
        )
        self._stack.setCurrentWidget(self._both if rows else self._empty)
        self._offer()

    def _choose(self, kept: Kept | None) -> None:
        if kept is None:
            return
        if kept.manifest is None:
            self._fault.say("This demonstration cannot be read", kept.fault)
            self._right.setCurrentWidget(self._fault)
            return
        shown = self.detail.film
        if shown is not None and shown.manifest == kept.manifest:
            self._right.setCurrentWidget(self.detail)
            return
        folder = self._kept.root / kept.id
        self._worker.ask(lambda: Film(folder), partial(self._show_film, kept.id), self._show_fault)

    def _show_film(self, name: str, film: Film) -> None:
        current = self.table.current
        if current is not None and current.id == name:
            self._right.setCurrentWidget(self.detail)
            self.detail.show_film(film)

    def _show_fault(self, error: PitwallError) -> None:
        self._fault.say("This demonstration cannot be read", f"{error.what} {error.fix}".strip())
        self._right.setCurrentWidget(self._fault)

    # ---- actions

    def _menu_items(self) -> tuple[tuple[str, Callable[[], object]], ...]:
        return (
            ("Export…", self._ask_export),
            ("Merge into one", self._merge),
            ("Tags and note…", self._ask_tags),
            ("Delete trimmed parts from the disk…", self._ask_purge),
            ("Import an MCAP file…", self._ask_import_file),
            ("Delete…", self._ask_delete),
        )

    def _offer(self) -> None:
        chosen = self.chosen
        rest = bool(chosen) and not any(row.recording for row in self.table.selected_rows())
        games = {manifest.game for manifest in chosen}
        self.train.setEnabled(rest and len(games) == 1 and games != {""})
        bare = "Add the window as a game first: a module belongs to a game"
        why = bare if games == {""} else "Choose demonstrations of one game"
        self.train.setToolTip("" if self.train.isEnabled() else why)
        for name, possible in (
            ("Export…", rest),
            ("Merge into one", rest and len(chosen) > 1),
            ("Tags and note…", rest and len(chosen) == 1),
            ("Delete trimmed parts from the disk…", rest and len(chosen) == 1 and bool(chosen[0].trims)),
            ("Delete…", bool(self.table.selected_rows())),
        ):
            self._actions[name].setEnabled(possible)

    def ask_training(self) -> None:
        """Ask which module to train on the chosen demonstrations."""
        chosen = self.chosen
        if not chosen:
            return
        game = chosen[0].game

        def ask(modules: Sequence[str]) -> None:
            dialog = dialogs.TrainDialog(chosen, game, modules, self)
            dialog.ordered.connect(self._train)
            dialog.open()

        self._worker.ask(partial(_modules, self.bridge.data, game), ask, self._tell)

    def _train(self, order: dialogs.TrainOrder) -> None:
        title = f"Training {order.game}/{order.module}"
        done = f"{order.game}/{order.module} learns; the GSM lab shows how."
        leads = ("Open the GSM lab", lambda: self.page_wanted.emit(places.LEARNING_PAGE))
        self.jobs.start(
            JobOrder(title=title, arguments=order.arguments(), outcome=lambda _: done, leads=leads)
        )

    def _ask_export(self) -> None:
        dialog = dialogs.ExportDialog([manifest.id for manifest in self.chosen], self)
        dialog.ordered.connect(self._export)
        dialog.open()

    def _export(self, order: dialogs.ExportOrder) -> None:
        done = f"Written to {order.folder}."
        self.jobs.start(JobOrder(title="Exporting", arguments=order.arguments(), outcome=lambda _: done))

    def _ask_import(self) -> None:
        self.take_in(QFileDialog.getExistingDirectory(self, "Import a dataset or a demonstration"))

    def _ask_import_file(self) -> None:
        file, _ = QFileDialog.getOpenFileName(self, "Import a recording", "", "MCAP (*.mcap)")
        self.take_in(file)

    def take_in(self, path: str) -> None:
        """Import the file or folder at a path; nothing if it is empty."""
        if path:
            title = f"Importing {Path(path).name}"
            self.jobs.start(JobOrder(title=title, arguments=["teach", "import", path]))

    def _merge(self) -> None:
        ids = sorted(manifest.id for manifest in self.chosen)
        self.jobs.start(JobOrder(title=f"Merging {len(ids)}", arguments=["teach", "merge", *ids]))

    def _ask_tags(self) -> None:
        (shown,) = self.chosen
        dialog = dialogs.TagsDialog(shown, self)
        dialog.ordered.connect(partial(self._tag, shown.id))
        dialog.open()

    def _tag(self, name: str, order: tuple[tuple[str, ...], str]) -> None:
        tags, note = order
        self._change(name, lambda manifest: manifest.model_copy(update={"tags": tags, "note": note}), "")

    def _trim(self, from_s: float, to_s: float, cut: bool) -> None:
        if (film := self.detail.film) is not None:
            self.detail.lanes.part = (0.0, film.seconds)
            self._undone = film.manifest
            done = "Trimmed; the pictures stay on the disk until you delete them."
            self._change(film.manifest.id, lambda manifest: trimmed(manifest, from_s, to_s, cut=cut), done)

    def _restore(self) -> None:
        if (film := self.detail.film) is not None:
            self._undone = film.manifest
            done = "Nothing is trimmed any more."
            self._change(film.manifest.id, lambda manifest: manifest.model_copy(update={"trims": ()}), done)

    def _undo(self) -> None:
        if (before := self._undone) is not None:
            self._change(before.id, lambda manifest: manifest.model_copy(update={"trims": before.trims}), "")

    def _change(self, name: str, changed: Callable[[Demonstration], Demonstration], done: str) -> None:
        def after(_: Demonstration) -> None:
            if done:
                self.notifications.notify(Notification(done, offers="undo"))
            self.read()

        self._worker.ask(lambda: self._kept.change(name, changed), after, self._tell)

    def _tell(self, error: PitwallError) -> None:
        self.notifications.notify(Notification.of_error(error))

    def _ask_purge(self) -> None:
        (shown,) = self.chosen
        left_s = shown.seconds - shown.kept_seconds
        text = (
            f"{duration_text(left_s)} of {shown.title} are left out. Their pictures and presses are deleted."
        )
        question = Confirm("Delete the trimmed parts?", [text], "Delete them", "Keep them", self)
        arguments = ["teach", "trim", shown.id, "--purge"]
        question.confirmed.connect(lambda: self.jobs.start(JobOrder(title="Rewriting", arguments=arguments)))
        question.open()

    def _ask_delete(self) -> None:
        rows = self.table.selected_rows()
        names = ", ".join(row.id for row in rows[:6]) + (" …" if len(rows) > 6 else "")
        subject = "this demonstration" if len(rows) == 1 else f"{len(rows)} demonstrations"
        text = "Its pictures and presses are deleted; versions that learned from it stay."
        question = Confirm(f"Delete {subject}?", [names, text], "Delete", "Keep", self)
        question.confirmed.connect(lambda: self._delete([row.id for row in rows]))
        question.open()

    def _delete(self, names: Sequence[str]) -> None:
        def work() -> None:
            for name in names:
                self._kept.delete(name)

        self._worker.ask(work, lambda _: self.read(), self._tell)


def _modules(data: DataFolder, game: str) -> tuple[str, ...]:
    """Return the names of the modules that a game declares; none if the game is unknown here."""
    try:
        return tuple(module.name for module in Registry(data).load(game).profile.modules)
    except UnknownGame:
        return ()
