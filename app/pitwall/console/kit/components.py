"""Components that are still to be installed: a `pitwall components install` job that can be paused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from PySide6.QtCore import QTimer, Signal

from pitwall.console.kit.job import JobCard, JobList, JobOrder, JobState
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import share
from pitwall.store.components import (
    Component,
    can_install,
    component,
    missing_components,
    missing_on_demand,
)

_AGAIN_MS = 5_000
"""Interval, in milliseconds, at which waiting cards look for components that another process installed."""


class ComponentsPanel(JobList):
    """Shows the job that installs the missing components; takes no room where none is missing.

    Args:
        only: keys of the components that are offered, each by its own button; none: all.

    Signals:
        progressed(text, more): its progress, in two words for the bottom bar and in full; empty: none.
        came(): components were installed.
    """

    progressed = Signal(str, str)
    came = Signal()

    def __init__(self, data: DataFolder, only: Collection[str] = ()) -> None:
        super().__init__("Not yet installed", data=data)
        self._only = only
        self._card: JobCard | None = None
        self._offered: tuple[Component, ...] = ()
        self._again = QTimer(self, interval=_AGAIN_MS)
        self._again.timeout.connect(self._look_again)
        self.ended.connect(self._ended)

    def offer(self, *, begin: bool) -> None:
        """List the missing components, and with `begin` start to install them."""
        if not can_install():
            return
        self._again.start()
        self._offer_singly(begin=begin)
        missing = () if self._only else missing_components()
        if not missing or self._card is not None:
            return
        self._offered = missing
        self._card = card = self.add(_order([missing_component.title for missing_component in missing]))
        card.job.line.connect(lambda _: self._tell())
        if begin:
            card.start()

    def _offer_singly(self, *, begin: bool) -> None:
        """List each missing component that has its own button; begin only those of `only`."""
        listed = {card.order.arguments[-1]: card for card in self.cards}
        for entry in missing_components(self._only) if self._only else missing_on_demand():
            card = listed.get(entry.key) or self.add(_order_of_one(entry))
            if begin and self._only:
                card.start()

    def _look_again(self) -> None:
        """Take cards away whose components another process installed; offer the rest."""
        waiting = [card for card in self.cards if card.state in (JobState.PAUSED, JobState.FAILED)]
        stale = [card for card in waiting if self._is_stale(card)]
        for card in stale:
            self._remove(card)
            if card is self._card:
                self._card = None
                self.progressed.emit("", "")
        if stale:
            self.came.emit()
            self.offer(begin=False)

    def _is_stale(self, card: JobCard) -> bool:
        """Return whether some of its components were installed since it was offered."""
        if card is self._card:
            return missing_components() != self._offered
        return component(card.order.arguments[-1]).present

    def _tell(self) -> None:
        assert self._card is not None
        progress = self._card.progress
        running = self._card.job.running
        short = f"Installing {share(progress.share)}" if progress.total else "Installing"
        self.progressed.emit(short if running else "", f"{short}: {progress.doing}")

    def _ended(self, _order: JobOrder, _answer: Any) -> None:
        self.progressed.emit("", "")
        self.came.emit()


def _order(titles: list[str]) -> JobOrder:
    return JobOrder(
        title=f"{len(titles)} components" if len(titles) > 1 else titles[0],
        subject=", ".join(titles),
        arguments=["components", "install"],
        unit="%",
        outcome=_outcome,
        goes_on=True,
        stages={"": "▶ being installed"},
    )


def _order_of_one(entry: Component) -> JobOrder:
    return JobOrder(
        title=f"{entry.title} ({entry.size_mb} MB)",
        subject=entry.meanwhile,
        arguments=["components", "install", entry.key],
        unit="%",
        outcome=_outcome,
        goes_on=True,
        stages={"": "▶ being installed"},
        begin="Install",
    )


def _outcome(answer: Mapping[str, Any]) -> str:
    """Return the installed components: "Installed: Text reading, Local models. Each is used from now on."

    Another process may have installed them meanwhile.
    """
    came = [component(key).title for key in answer.get("installed", ())]
    return f"Installed: {', '.join(came)}. Each is used from now on." if came else "It is installed."
