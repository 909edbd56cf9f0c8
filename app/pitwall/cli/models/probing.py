"""Probes a newly added model, prints its card, and saves both in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pitwall.cli.models.format import report_added
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import raising_on_stop
from pitwall.core.errors import ChildDied, RequestFailed
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.models.entry import ModelEntry
from pitwall.models.probed import PROBING
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import SOURCE as SHIPPED

if TYPE_CHECKING:
    from pitwall.models.host_client import HostClient

ProbeOption = Annotated[
    bool,
    typer.Option(
        "--probe/--no-probe",
        help="Ask it short questions to find out what it can do, the best form of prompt, and its speed.",
    ),
]


class _ProbeStopped(KeyboardInterrupt):
    """The operator stopped a probe; not an Exception, so that no handler on the way treats it as an error."""

    what = "The probe was stopped."


def finish_adding(
    entry: ModelEntry, folder: DataFolder, report: Reporter, *, probe: bool, **more: object
) -> None:
    """Probe a newly added model if wanted, and report it with its card.

    A model whose probe is stopped or fails stays added, and the report says so.
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


def with_click_test(
    client: HostClient, entry: ModelEntry, folder: DataFolder, report: Reporter
) -> ModelEntry:
    """Find out in which scale a model that sees writes places, and save it; any other model stays as it is.

    Raises:
        RequestFailed: it could not be asked. ChildDied: it crashed the host.
    """
    from pitwall.models.click_test import click_test

    def clicked(done: int, most: int) -> None:
        report.progress(done, most, f"click test: {done} of {most} pictures", stage=PROBING)

    if not entry.sees or not entry.writes_text:
        return entry
    longest_px = load_settings(folder.settings).models.image_px
    return ModelRegistry(folder).clicked(entry.name, click_test(client, entry.spec, longest_px, clicked))


def probe_model(entry: ModelEntry, folder: DataFolder, report: Reporter, *, once: bool = True) -> ModelEntry:
    """Probe and measure a model, and save the results; the shipped model, which is known, is only measured.

    Args:
        once: measure its speed by one prompt; otherwise by several.

    Raises:
        RequestFailed: it could not be asked, or writes nothing. ChildDied: it crashed the host.
    """
    from pitwall.models.host_client import HostClient
    from pitwall.models.probe import probe
    from pitwall.models.speed import measure

    def asked(done: int, most: int) -> None:
        report.progress(done, most, f"probing: {done} of at most {most} questions", stage=PROBING)

    def timed(done: int, most: int) -> None:
        report.progress(done, most, f"measuring: {done} of {most} prompts", stage=PROBING)

    registry = ModelRegistry(folder)
    with HostClient(folder.logs, data=folder.root) as client, raising_on_stop(_ProbeStopped):
        if entry.source != SHIPPED:
            has_template = entry.has_chat_template or entry.kind == "remote"
            abilities = probe(client, entry.spec, template=has_template, progress=asked)
            entry = registry.probed(entry.name, abilities)
        entry = with_click_test(client, entry, folder, report)
        speed = measure(client, entry.spec, timed, once=once)
    figures = speed.model_dump(exclude={"tokens_per_s", "measured_at"})
    return registry.measured(entry.name, speed.tokens_per_s, **figures)
