"""Probes a model when it is added, prints its card, and keeps both in the registry."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Annotated

import typer

from pitwall.cli.models.format import report_added
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import ChildDied, RequestFailed
from pitwall.core.paths import DataFolder
from pitwall.models.entry import ModelEntry
from pitwall.models.probed import PROBING
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import SOURCE as SHIPPED

ProbeOption = Annotated[
    bool,
    typer.Option(
        "--probe/--no-probe",
        help="Ask it a few short things: what it can do, in which form of prompt, and how fast.",
    ),
]


class _ProbeStopped(KeyboardInterrupt):
    """The operator stopped a probe; nothing on the way takes it for a fault."""

    what = "The probe was stopped."


def finish_adding(
    entry: ModelEntry, folder: DataFolder, report: Reporter, *, probe: bool, **more: object
) -> None:
    """Probe a model that was just added, where that is wanted, and report it with its card.

    A probe that is stopped or fails leaves the model added, and says so.
    """
    trouble = ""
    if probe and entry.writes_text:
        try:
            entry = probe_model(entry, folder, report)
        except (RequestFailed, ChildDied, _ProbeStopped) as error:
            entry = ModelRegistry(folder).get(entry.name)
            lacks = "its speed" if entry.probed is not None else "its card"
            trouble = f"{error.what} It is added without {lacks}; for that: pitwall models bench {entry.name}"
    report_added(entry, folder, report, trouble=trouble, **more)


def probe_model(entry: ModelEntry, folder: DataFolder, report: Reporter, *, once: bool = True) -> ModelEntry:
    """Ask and measure a model, and note what was found. The shipped one is measured alone: it is known.

    Args:
        once: measure its speed by one prompt; else by several.

    Raises:
        RequestFailed: it could not be asked, or writes nothing. ChildDied: it killed the host.
    """
    from pitwall.models.host_client import HostClient
    from pitwall.models.probe import probe
    from pitwall.models.speed import measure

    def told(done: int, most: int) -> None:
        report.progress(done, most, f"probing: {done} of at most {most} questions", stage=PROBING)

    def timed(done: int, most: int) -> None:
        report.progress(done, most, f"measuring: {done} of {most} prompts", stage=PROBING)

    registry = ModelRegistry(folder)
    with HostClient(folder.logs, data=folder.root) as client, _stopping():
        if entry.source != SHIPPED:
            has_template = entry.has_chat_template or entry.kind == "remote"
            found = probe(client, entry.spec, template=has_template, progress=told)
            entry = registry.probed(entry.name, found)
        speed = measure(client, entry.spec, timed, once=once)
    figures = speed.model_dump(exclude={"tokens_per_s", "measured_at"})
    return registry.measured(entry.name, speed.tokens_per_s, **figures)


@contextlib.contextmanager
def _stopping() -> Iterator[None]:
    """Interrupt and termination stop what runs inside, and not the command."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _ProbeStopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
