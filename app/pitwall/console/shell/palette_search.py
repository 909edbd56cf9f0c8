"""Finds settings, runs and items of pages by typed words, for the command palette."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pitwall.console.kit.command import Command
from pitwall.console.kit.page_search import PageSearch
from pitwall.console.kit.setting_fields import declared_sections
from pitwall.console.services.background import RunLogWorker
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import local_time

if TYPE_CHECKING:  # the run log's library is loaded on the reading thread
    from pitwall.store.run_log import RunRow

_MOST = 8
"""Lines of each kind: who wants more types another word."""
_FEWEST_LETTERS = 2


class PaletteSearch(QObject):
    """Searches beside the window; every answer is a signal.

    Args:
        show_setting, show_run: bring a setting (by its key) or a run into view.
        searches: make the searches of the pages, when words are first searched for.

    Signals:
        answered(words, commands): the commands that lead to what holds the words.
    """

    answered = Signal(str, object)

    def __init__(
        self,
        data: DataFolder,
        *,
        show_setting: Callable[[str], object] | None,
        show_run: Callable[[int], object],
        searches: Callable[[], Sequence[PageSearch]],
    ) -> None:
        super().__init__()
        self._runs = RunLogWorker(data, self)
        self._show_setting, self._show_run = show_setting, show_run
        self._make_searches = searches
        self._searches: Sequence[PageSearch] | None = None

    def ask(self, words: str) -> None:
        """Search for entries that hold every word."""
        if len(words.strip()) < _FEWEST_LETTERS:
            return
        self.answered.emit(words, self._settings(words))
        self._runs.ask(
            lambda reader: reader.runs(_MOST, search=words),
            lambda rows: self.answered.emit(words, [self._run(row) for row in rows]),
        )
        if self._searches is None:
            self._searches = self._make_searches()
            for search in self._searches:
                search.answered.connect(self.answered)
        for search in self._searches:
            search.ask(words, _MOST)

    def close(self) -> None:
        """Read no more."""
        self._runs.close()
        for search in self._searches or ():
            search.close()

    def _settings(self, words: str) -> Sequence[Command]:
        show = self._show_setting
        if show is None:
            return ()
        fields = (field for section in declared_sections() for field in section.fields)
        matches = [field for field in fields if field.matches(words)]
        return [
            Command(name=f"Setting · {field.title}", run=partial(show, field.key))
            for field in matches[:_MOST]
        ]

    def _run(self, row: RunRow) -> Command:
        name = f"Run {row.run_id} · {row.manifest.game_name} · {local_time(row.manifest.started_at)}"
        return Command(name=name, run=partial(self._show_run, row.run_id))
