"""`pitwall suite memory` and `adopt`: the memories that a suite's runs handed on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.memories import ImportMemory, Provenance, RestoreSnapshot
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall_bench.suites.folder import SuiteFolder, open_suite
from pitwall_bench.suites.memories import EMPTY, SuiteMemories, chains_of
from pitwall_bench.suites.results import TaskRun

SuiteArgument = Annotated[str, typer.Argument(help="Its id, as `pitwall suite list` says.")]
ChainOption = Annotated[
    str, typer.Option("--chain", help="Runs that share a memory; default: the suite's only chain.")
]
_HASH = 12


def memory(
    suite: SuiteArgument,
    chain: Annotated[str, typer.Option("--chain", help="Only this chain.")] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Read every memory again and compare it with its hash.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the chains of runs that share a memory: hashes before and after each, skills accepted and retired.

    The memories lie in the suite's folder: pitwall memory diff BEFORE AFTER --data SUITE_FOLDER/memory
    """
    folder = open_suite(data_folder(data), suite)
    chains = {name: runs for name, runs in _chains(folder).items() if chain in ("", name)}
    if chain and not chains:
        raise _unknown(folder, chain)
    memories = SuiteMemories(folder.root)
    checked = sum(_checked(memories, runs) for runs in chains.values()) if check else None
    body = {
        "memory": memories.data.root,
        "checked": checked,
        "chains": {name: [_link(run) for run in runs] for name, runs in chains.items()},
    }
    Reporter(json).result(body, _lines(chains, memories.data, checked))


def adopt(
    suite: SuiteArgument,
    chain: ChainOption = "",
    snapshot: Annotated[
        str, typer.Option("--snapshot", help="A memory of the chain by its hash; default: the last one.")
    ] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Take over the memory that a suite's runs learned, in place of your own of that game.

    It is one edit: `pitwall memory undo` takes all of it back.
    """
    where = data_folder(data)
    folder = open_suite(where, suite)
    runs = _only_chain(folder, chain)
    hashes = [run.memory.after for run in runs if run.memory is not None]
    fitting = [known for known in hashes if known.startswith(snapshot)]
    if not fitting or fitting[-1] == EMPTY:
        raise PitwallError(
            f"the chain has no memory {snapshot!r} with entries.", f"See: pitwall suite memory {suite}"
        )
    lent = folder.root / ".adopted.jsonl"
    try:
        SuiteMemories(folder.root).lend(fitting[-1], lent)
        edits = (
            ImportMemory(path=str(lent), format="jsonl", as_snapshot=True),
            RestoreSnapshot(content_hash=fitting[-1]),
        )
        with MemoryStore.open(where, role="pitwall suite") as store:
            result = store.apply(edits, Provenance(author="operator", source=f"suite {suite}"))
    finally:
        lent.unlink(missing_ok=True)
    if result.what:
        raise PitwallError(result.what, result.fix)
    body = {
        "suite": suite,
        "content_hash": fitting[-1],
        "batch": result.batch,
        "entries": len(result.entry_ids),
    }
    count = counted(len(result.entry_ids), "entry", "entries")
    Reporter(json).result(
        body, [f"{count} changed; take it back: pitwall memory undo --batch {result.batch}"]
    )


def _chains(folder: SuiteFolder) -> dict[str, list[TaskRun]]:
    return chains_of(folder.runs().values())


def _only_chain(folder: SuiteFolder, named: str) -> list[TaskRun]:
    chains = _chains(folder)
    if named in chains:
        return chains[named]
    if named or len(chains) != 1:
        raise _unknown(folder, named)
    return next(iter(chains.values()))


def _unknown(folder: SuiteFolder, named: str) -> PitwallError:
    chains = _chains(folder)
    if not chains:
        return PitwallError(
            f"no runs of {folder.suite} share a memory.", "Give an agent of the suite: carry: agent"
        )
    hint = suggestion(named, chains, f"Name one with --chain: {', '.join(chains)}.")
    problem = (
        f"{folder.suite} has no chain {named!r}." if named else f"{folder.suite} has {len(chains)} chains."
    )
    return PitwallError(problem, hint)


def _checked(memories: SuiteMemories, runs: Sequence[TaskRun]) -> int:
    """Read each memory of a chain again; return how many there are."""
    hashes = {run.memory.after for run in runs if run.memory is not None} - {EMPTY}
    file = memories.data.root / ".checked.jsonl"
    for content_hash in hashes:
        memories.lend(content_hash, file)
    file.unlink(missing_ok=True)
    return len(hashes)


def _link(run: TaskRun) -> dict[str, object]:
    assert run.memory is not None
    figures = {"success": run.success, "progress": run.progress, "score": run.score, "ended": run.ended}
    return {"run": run.cell.key, "run_id": run.run_id, **run.memory.model_dump(), **figures}


def _lines(chains: dict[str, list[TaskRun]], memories: DataFolder, checked: int | None) -> Iterator[str]:
    with contextlib.closing(MemoryReader(memories)) as reader:
        counts = {row.content_hash: sum(row.counts.values()) for row in reader.snapshots()}
    for name, runs in chains.items():
        yield f"{name}: {counted(len(runs), 'run')}"
        for run in runs:
            link = run.memory
            assert link is not None
            skills = [f"+{skill}" for skill in link.accepted] + [f"-{skill}" for skill in link.retired]
            yield (
                f"  {link.position + 1:4d}  {link.before[:_HASH]} → {link.after[:_HASH]}  "
                f"{counts.get(link.after, 0):6d} entries  {run.cell.key}  {', '.join(skills)}".rstrip()
            )
    if not chains:
        yield "No runs share a memory here: give an agent of the suite `carry: agent`."
    elif checked is not None:
        yield f"{counted(checked, 'memory', 'memories')} read again; each has its hash."
    else:
        yield f"Two of them beside each other: pitwall memory diff BEFORE AFTER --data {memories.root}"
