"""The console's way to the memory: edits go to the process that holds it, the engine or a keeper.

While a game is open its engine holds the memory and takes the edits. Otherwise a keeper process is started
for them. It ends before an engine opens a game, or when it is idle for a while, so that a `pitwall memory`
command can open the memory too. Nothing here waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part, Phase
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.memories import EditResult, MemoryEdit
from pitwall.core.telemetry import Fault, MemoryChanged, MemoryEdited, MemoryOpened, Retrieved
from pitwall_memory_editor.console.keeper import Keeper

OnEditResult = Callable[[EditResult], object]
EditTarget = Literal["engine", "keeper", "later"]

_IDLE_MS = 60_000
_FLUSH_MS = 20


@dataclass(slots=True)
class _Asked:
    """An unanswered edit. `sent` is empty while it waits for a process that takes it."""

    edits: tuple[MemoryEdit, ...]
    done: OnEditResult | None
    sent: Literal["", "engine", "keeper"] = ""


class MemoryPort(QObject):
    """Edits the memory of the bridge's data folder.

    Args:
        idle_ms: how long an idle keeper is kept.

    Signals:
        edited(result): every `EditResult`. changed(ids, kinds, author): entries were committed by anybody;
            all entries if `ids` is empty. opened(note): a `MemoryOpened`.
        retrieved(note): a `Retrieved` while the agent plays. moved(): `place` or `busy` changed.
        failed(error): the keeper could not start, or ended unexpectedly.
    """

    edited = Signal(object)
    changed = Signal(object, object, str)
    opened = Signal(object)
    retrieved = Signal(object)
    moved = Signal()
    failed = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None, *, idle_ms: int = _IDLE_MS) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._keeper = Keeper(bridge.data, self)
        self._asked: dict[int, _Asked] = {}
        self._number = 0
        self._fault: Fault | None = None
        self._idle = QTimer(self, singleShot=True, interval=idle_ms)
        self._idle.timeout.connect(self._rest)
        self._flush = QTimer(self, interval=_FLUSH_MS)
        self._flush.timeout.connect(self._send_on)
        self._keeper.received.connect(self._take_from_keeper)
        self._keeper.ready.connect(self._pump)
        self._keeper.failed.connect(self._keeper_failed)
        bridge.received.connect(self._take)
        bridge.changed.connect(self._look_at_engine)
        bridge.before_opening(self._release)

    @property
    def place(self) -> EditTarget:
        """Return who takes an edit now; "later" while a game opens or closes."""
        state = self._bridge.state
        if state.phase in IN_VIEW:
            return "engine"
        if state.phase is Phase.FAILED:
            return "engine" if state.memory is not None else "keeper"
        return "later" if state.phase in (Phase.OPENING, Phase.CLOSING) else "keeper"

    @property
    def busy(self) -> bool:
        """Return whether an edit is still unanswered."""
        return bool(self._asked)

    @property
    def holds(self) -> bool:
        """Return whether this console's own engine or keeper has the memory, or is about to."""
        return self._bridge.connected or self._keeper.wanted

    def edit(self, edits: Sequence[MemoryEdit], done: OnEditResult | None = None) -> int:
        """Request edits, all of them or none, without waiting; return the request's number.

        Args:
            done: takes the `EditResult` before `edited` is emitted.
        """
        self._number += 1
        self._asked[self._number] = _Asked(tuple(edits), done)
        self._pump()
        self.moved.emit()
        return self._number

    def prepare(self) -> None:
        """Start a keeper because an edit is likely soon."""
        if self.place == "keeper":
            self._keeper.start()
            self._idle.start()

    def close(self) -> None:
        """End the keeper and wait for its work; for the end of the program."""
        self._idle.stop()
        self._flush.stop()
        self._bridge.before_opening(lambda: None)
        self._keeper.close()

    def _pump(self) -> None:
        """Send waiting edits to the process that takes them now."""
        place = self.place
        waiting = [(number, asked) for number, asked in self._asked.items() if not asked.sent]
        if not waiting or place == "later":
            return
        self._idle.start()
        if place == "keeper" and self._keeper.session is None:
            self._keeper.start()
            return
        for number, asked in waiting:
            command = commands.EditMemory(edit_id=number, edits=asked.edits)
            if place == "engine":
                asked.sent = "engine"
                self._bridge.send(command)
            elif self._keeper.session is not None:
                asked.sent = "keeper"
                self._keeper.session.send(command)
                self._flush.start()

    def _send_on(self) -> None:
        if self._keeper.session is None or self._keeper.session.flush():
            self._flush.stop()

    def _take(self, record: Any) -> None:
        match record:
            case MemoryEdited(edit_id=number, result=result):
                self._answer(number, result)
            case MemoryChanged(entry_ids=ids, kinds=kinds, author=author):
                self.changed.emit(ids, kinds, author)
            case MemoryOpened():
                self.opened.emit(record)
                self._pump()
            case Retrieved():
                self.retrieved.emit(record)

    def _take_from_keeper(self, record: Any) -> None:
        if isinstance(record, Fault):
            self._fault = record
        else:
            self._take(record)

    def _answer(self, number: int, result: EditResult) -> None:
        asked = self._asked.pop(number, None)
        if asked is None:
            return
        self._idle.start()
        self.moved.emit()
        if asked.done is not None:
            asked.done(result)
        self.edited.emit(result)

    def _look_at_engine(self, changed: Part) -> None:
        if not changed & Part.PHASE:
            return
        if not self._bridge.connected:
            self._give_up(
                "engine",
                "The engine ended before it answered, so it is not known whether the change was made.",
                "Look at the entry's history.",
            )
        self._pump()
        self.moved.emit()

    def _keeper_failed(self, error: PitwallError) -> None:
        if self._fault is not None:
            error = PitwallError(self._fault.what, self._fault.fix)
            self._fault = None
        self.failed.emit(error)
        self._give_up("keeper", error.what, error.fix)
        if self.place == "keeper":
            self._give_up("", error.what, error.fix)

    def _give_up(self, sent: str, message: str, fix: str) -> None:
        for number in [number for number, asked in self._asked.items() if asked.sent == sent]:
            self._answer(number, EditResult(what=message, fix=fix))

    def _rest(self) -> None:
        if self._asked:
            self._idle.start()
        else:
            self._keeper.end()

    def _release(self) -> Future[None] | None:
        self._idle.stop()
        return self._keeper.end()
