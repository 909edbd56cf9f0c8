"""Applies edits of the memory that arrive as commands, in an engine or in `pitwall memory-keeper`.

`pitwall memory-keeper --channel FD --data DIR` holds the memory's lock until its channel ends or Quit
arrives.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pitwall.core import commands, telemetry
from pitwall.core.errors import ChannelClosed, PitwallError, ProtocolError
from pitwall.core.memories import EditResult, Provenance
from pitwall.core.paths import DataFolder
from pitwall.link.channel import CHANNEL_OPTION, Channel
from pitwall.link.child_process import inherited
from pitwall.link.engine_session import COMMANDS, TELEMETRY
from pitwall.memory.store import MemoryStore

ROLE = "memory-keeper"
_MOST_IDS = 5_000
"""If more entries change at once, views are told to read everything again."""

Answer = telemetry.MemoryEdited | telemetry.MemoryChanged


class MemoryEditHandler:
    """Answers edits from a store."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def answer(self, command: commands.EditMemory) -> list[Answer]:
        """Do edits, all or none: `MemoryEdited` always, then `MemoryChanged` where entries did."""
        try:
            result = self._store.apply(command.edits, Provenance(author=command.author))
        except PitwallError as error:
            result = EditResult(what=error.what, fix=error.fix)
        answers: list[Answer] = [telemetry.MemoryEdited(edit_id=command.edit_id, result=result)]
        if result.done and result.entry_ids:
            answers.append(self.changed(result.entry_ids, command.author))
        return answers

    def changed(self, entry_ids: Sequence[int], author: str = "operator") -> telemetry.MemoryChanged:
        """Return the message to views that these entries were committed."""
        return telemetry.MemoryChanged(
            entry_ids=tuple(entry_ids) if len(entry_ids) <= _MOST_IDS else (),
            kinds=tuple(self._store.kinds(entry_ids)),
            author=author,
        )

    def opened(self, game_id: str = "", *, snapshot: str = "") -> telemetry.MemoryOpened:
        """Return the size of a game's memory (empty: of all games'), with the notices of its opening."""
        return telemetry.MemoryOpened(
            game_id=game_id,
            counts=self._store.counts(game_id),
            forgotten=self._store.forgotten(game_id),
            embedder=self._store.embedder(),
            snapshot=snapshot,
            text=" ".join(self._store.notices),
        )


def main(argv: Sequence[str]) -> int:
    """Hold the memory until the channel ends; return the exit status."""
    parser = argparse.ArgumentParser(prog=f"pitwall {ROLE}", description=__doc__)
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int, required=True, metavar="FD")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="data folder")
    options = parser.parse_args(argv)
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format=f"%(asctime)s {ROLE} %(levelname)s %(message)s"
    )
    channel: Channel[Any, Any] = Channel(inherited(options.channel), TELEMETRY, COMMANDS)
    try:
        return _serve(channel, DataFolder(options.data))
    except ChannelClosed:
        return 0
    except ProtocolError as error:
        logging.getLogger(__name__).error("%s", error.what)
        return 1
    finally:
        channel.close()


def _serve(channel: Channel[Any, Any], data: DataFolder) -> int:
    try:
        store = MemoryStore.open(data, role=ROLE)
    except PitwallError as error:
        fault = telemetry.Fault.of(error)
        channel.send(fault)
        return 1
    with store:
        desk = MemoryEditHandler(store)
        channel.send(desk.opened())
        while True:
            for command, _ in channel.wait(None):
                if isinstance(command, commands.Quit):
                    return 0
                if isinstance(command, commands.EditMemory):
                    for answer in desk.answer(command):
                        channel.send(answer)
