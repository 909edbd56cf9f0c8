"""The memories of a suite: what runs begin with and hand on, kept as snapshots by their hashes.

suites/ID/memory/ is a data folder of its own: `pitwall memory snapshots`, `diff` and `export` read it. A
chain is a row of runs that share a memory. A run's memory is on the disk before its result; so a result whose
memory is missing, or has other contents, was changed by hand.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.memories import ImportMemory, Provenance, TakeSnapshot
from pitwall.core.paths import DataFolder
from pitwall.memory.database.faults import ImportRefused, UnknownSnapshot
from pitwall.memory.reader import DiffRow, MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall.memory.transfer.files import snapshot_file
from pitwall.memory.transfer.portable import CanonicalHash
from pitwall_bench.suites.results import MemoryLink, TaskRun

EMPTY = CanonicalHash().hexdigest()
"""The hash of a memory without entries."""
MEMORY = "memory"
_ROLE = "suite"
_START = "as the suite began"
_ANEW = "Put it back as it was, or start over with --fresh."


class BrokenChain(PitwallError):
    """The results of a suite and the memories that belong to them do not fit."""


class SuiteMemories:
    """The snapshots of one suite. Reading makes no folder.

    Args:
        root: the suite's folder.
    """

    def __init__(self, root: Path) -> None:
        self.data = DataFolder(root / MEMORY)
        self._suite = root.name

    def keep(self, file: Path, content_hash: str) -> None:
        """Keep a snapshot's file under its hash; it is on the disk when this returns.

        Raises:
            BrokenChain: the file has other contents. DataFolderError: it cannot be kept.
        """
        with self._refused(content_hash):
            stated, head = snapshot_file(file)
        if stated != content_hash:
            raise BrokenChain(f"{file} holds the memory {stated[:12]}, not {content_hash[:12]}.", _ANEW)
        source = Provenance(author="import", source=str(head.get("name") or _START))
        edits = (TakeSnapshot(name="empty"), ImportMemory(path=str(file), format="jsonl", as_snapshot=True))
        with MemoryStore.open(self.data, role=_ROLE) as store:
            result = store.apply(edits, source)
        if result.what:
            raise BrokenChain(result.what, result.fix)

    def lend(self, content_hash: str, file: Path) -> Path | None:
        """Write a snapshot into a file for a run; None for the empty memory.

        Raises:
            BrokenChain: the snapshot is missing, or was changed by hand.
        """
        if content_hash == EMPTY:
            return None
        with contextlib.closing(MemoryReader(self.data)) as reader, self._refused(content_hash):
            reader.export(file, "jsonl", snapshot=content_hash)
            snapshot_file(file)
        return file

    def has(self, content_hash: str) -> bool:
        """Return whether a snapshot is kept."""
        with contextlib.closing(MemoryReader(self.data)) as reader:
            return any(row.content_hash == content_hash for row in reader.snapshots())

    def diff(self, before: str, after: str) -> list[DiffRow]:
        """Return the differences of one snapshot from another."""
        with contextlib.closing(MemoryReader(self.data)) as reader:
            return reader.diff(before, after)

    @contextlib.contextmanager
    def _refused(self, content_hash: str) -> Iterator[None]:
        try:
            yield
        except (ImportRefused, UnknownSnapshot) as error:
            raise BrokenChain(
                f"the memory {content_hash[:12]} of the suite {self._suite!r} is not as it was kept: "
                f"{error.what}",
                _ANEW,
            ) from None


def keep_snapshot(data: DataFolder, game_id: str, file: Path | None, *, role: str, name: str = "") -> str:
    """Keep a snapshot of a game's memory, write it into the file if there is one, and return its hash.

    Raises:
        DataFolderError: it cannot be kept or written.
    """
    with MemoryStore.open(data, role=role) as store:
        content_hash = store.keep_snapshot(game_id, name)
    if file is not None:
        with contextlib.closing(MemoryReader(data)) as reader:
            reader.export(file, "jsonl", snapshot=content_hash)
    return content_hash


def chains_of(runs: Iterable[TaskRun]) -> dict[str, list[TaskRun]]:
    """Return the finished runs of each chain, in the order in which they handed the memory on."""
    chains: dict[str, list[TaskRun]] = {}
    for run in runs:
        if run.memory is not None and run.memory.chain:
            chains.setdefault(run.memory.chain, []).append(run)
    for chain in chains.values():
        chain.sort(key=_position)
    return chains


def check_chains(
    runs: Iterable[TaskRun], begun_with: Mapping[str, str], memories: SuiteMemories, scratch: Path
) -> None:
    """Check that every chain is whole: each run began with what the last one left, and that is still there.

    Args:
        begun_with: agent → hash of its first memory. scratch: file for a memory that is checked.

    Raises:
        BrokenChain: a link is missing, out of order or of another memory, or a memory was changed by hand.
    """
    for name, chain in chains_of(runs).items():
        before = begun_with.get(chain[0].cell.agent, EMPTY)
        for position, run in enumerate(chain):
            link = run.memory
            assert link is not None
            if (link.position, link.before) != (position, before):
                raise BrokenChain(
                    f"run {position + 1} of the chain {name} is missing, or did not begin with the memory "
                    f"{before[:12]} that the run before it left.",
                    "Put results.jsonl back as it was, or start over with --fresh.",
                )
            before = link.after
        memories.lend(before, scratch)
        scratch.unlink(missing_ok=True)


def next_link(runs: Iterable[TaskRun], chain: str, begun_with: str) -> MemoryLink:
    """Return the link of the next run of a chain, as if it taught nothing."""
    links = [run.memory for run in runs if run.memory is not None and run.memory.chain == chain]
    last = max(links, default=None, key=lambda link: link.position)
    position, before = (0, begun_with) if last is None else (last.position + 1, last.after)
    return MemoryLink(chain=chain, position=position, before=before, after=before)


def _position(run: TaskRun) -> int:
    return run.memory.position if run.memory is not None else 0
