"""The lab's left column: modules, versions of the chosen module, and its recent actions."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal

from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, holder
from pitwall.console.kit.game_filter import GameFilter
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import PAD, Look
from pitwall.core.quantities import compact
from pitwall_lab.console.charts.bars import Bar, ShareBars
from pitwall_lab.console.format import PLACES, ScorePlace
from pitwall_lab.console.versions.lists import ModulesList, VersionTree
from pitwall_lab.console.view_model import LabContents, ModuleViewModel, VersionViewModel

_NOTHING = "nothing new"
"""The name of the action that begins nothing."""


class VersionsColumn(ScrollPane):
    """The left column. Signals: module_chosen(key). version_chosen(name). menu_wanted(point)."""

    module_chosen = Signal(object)
    version_chosen = Signal(str)
    menu_wanted = Signal(QPoint)

    def __init__(self, look: Look) -> None:
        super().__init__("Modules and versions")
        self.modules = ModulesList(look)
        self.versions = VersionTree(look)
        self.use = ShareBars(look, "Action use", ground="panel")
        self.where: ScorePlace = "twin"
        self._place = Button("", self._other_place, kind="link", name="Where the scores are from")
        self.games = GameFilter()
        self.games.chosen.connect(lambda _: self._show_modules())
        self._contents: LabContents | None = None
        self._count = SectionTitle("Modules")
        self._versions = SectionTitle("Versions", "", self._place)
        self._faults = Label("", wrap=True)
        self._fault_card = Card(self._faults, tone="stop")
        self._use_title = SectionTitle("Action use")
        self._nothing = Label("", "dim", wrap=True)
        self.modules.chosen.connect(self.module_chosen)
        self.versions.chosen.connect(self.version_chosen.emit)
        self.versions.menu_wanted.connect(self.menu_wanted)
        above = (self._count, self.games, self.modules, self._versions, self.versions, self._fault_card)
        below = (self._use_title, self.use, self._nothing)
        self.setWidget(holder(column(*above, *below, None, margins=PAD)))
        self._shown: tuple[ModuleViewModel | None, VersionViewModel | None] = (None, None)
        self._show_place()

    @property
    def faults(self) -> str:
        """Return the shown faults of games and module; empty without any."""
        return self._faults.full_text() if not self._fault_card.isHidden() else ""

    def show_read(
        self, read: LabContents, module: ModuleViewModel | None, version: VersionViewModel | None
    ) -> None:
        """Show every module, and the chosen one's versions."""
        self._shown = (module, version)
        self._contents = read
        self.games.show_games({each.key.game_id: each.game.profile.game.name for each in read.modules})
        self._show_modules()
        versions = module.versions if module is not None else ()
        self.versions.show_versions(versions, version.name if version is not None else "", self.where)
        faults = [*read.unread, *(str(fault) for fault in (module.faults if module is not None else ()))]
        self._faults.set_text("\n".join(faults))
        self._fault_card.setVisible(bool(faults))
        self._show_use(module, version)

    # ---- inside

    def _show_modules(self) -> None:
        """List the modules of the chosen game, or of all games; the module in view stays in the list."""
        if self._contents is None:
            return
        module = self._shown[0]
        key = module.key if module is not None else None
        shown = [
            each for each in self._contents.modules if self.games.shows(each.key.game_id) or each.key == key
        ]
        self._count.set_note(f"{len(shown)}" if shown else "")
        self.modules.show_modules(shown, key)

    def _show_use(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        counts = version.choices if version is not None else ()
        learned = version.about.learned if version is not None else None
        names = learned.actions if learned is not None else []
        total = sum(counts)
        bars = [
            Bar(name or _NOTHING, count / total) for name, count in zip(names, counts, strict=False) if total
        ]
        self.use.show_bars(bars)
        shown = bool(bars)
        self._use_title.set_note(f"last {compact(version.choices_steps)} steps" if version and shown else "")
        self.use.setVisible(shown)
        self._nothing.setVisible(not shown)
        self._nothing.set_text(
            "The shares of the chosen actions appear here while a policy is trained."
            if module is None or version is None or version.learned or module.learns
            else "Rules are not trained, so there is nothing to count; the run log records their actions."
        )

    def _other_place(self) -> None:
        self.where = "screen" if self.where == "twin" else "twin"
        self._show_place()
        module, version = self._shown
        if module is not None:
            self.versions.show_versions(module.versions, version.name if version else "", self.where)

    def _show_place(self) -> None:
        self._place.setText(f"held-out, {self.where}")
        other: ScorePlace = "screen" if self.where == "twin" else "twin"
        self._place.setToolTip(f"Mean on held-out seeds {PLACES[self.where]}; show those {PLACES[other]}")
        self._place.setAccessibleName(f"Held-out scores {PLACES[self.where]}; show those {PLACES[other]}")
