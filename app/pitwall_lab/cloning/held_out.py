"""Compares versions with recorded play that they have not learned from."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace

from pitwall.core.model_telemetry import Agreement
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.reader import DemonstrationReader, Episode
from pitwall.gsm.agreement import PressComparison
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.host_client import HostClient
from pitwall_lab.cloning.demonstrated import DemonstrationShadow
from pitwall_lab.training_log import LOG, HeldOut, TrainingLog

HELD_OUT_TOLERANCE_MS = 100.0
"""Tolerance on held-out play, where the module sees the same frames as the person: wide enough for a late
frame. With more, a player who taps at random would agree as well."""


def held_out_agreements(data: DataFolder, folder: ModuleFolder, version: str) -> dict[str, Agreement]:
    """Compare a version, and the one that drives now, with play that the version has not learned from.

    Returns:
        Version → agreement on the same play; empty if no such play is kept.

    Raises:
        DamagedVersion, DamagedFile, BadPolicy: a version or a demonstration cannot be read.
    """
    play = _held_out(data, folder, version)
    if not play:
        return {}
    with contextlib.ExitStack() as stack:
        agreements = {}
        for name in filter(None, dict.fromkeys((version, folder.driving()))):
            host = None
            if isinstance(folder.about(name).learned, PixelSpace):
                host = stack.enter_context(contextlib.closing(HostClient(data.logs)))
            agreements[name] = _beside(folder, name, play, host).agreement()
        return agreements


def _held_out(
    data: DataFolder, folder: ModuleFolder, version: str
) -> list[tuple[DemonstrationReader, list[HeldOut]]]:
    """Return play that a version did not learn from: its held-out part, or all if it was made elsewhere."""
    log = TrainingLog(folder.folder(version) / LOG)
    log.follow()
    kept = log.cloned.held_out if log.cloned is not None else ()
    elsewhere = isinstance(folder.about(version).learned, PixelSpace)
    play = []
    for entry in DemonstrationFolder(data).all():
        if entry.manifest is None or entry.recording or entry.manifest.game != folder.game.game_id:
            continue
        spans = [span for span in kept if span.demonstration == entry.id]
        if elsewhere and log.cloned is None:
            spans = [HeldOut(demonstration=entry.id, from_ns=0, to_ns=sys.maxsize)]
        if spans:
            play.append((DemonstrationReader(DemonstrationFolder(data).path(entry.id)), spans))
    return play


def _beside(
    folder: ModuleFolder,
    version: str,
    play: list[tuple[DemonstrationReader, list[HeldOut]]],
    host: HostClient | None,
) -> PressComparison:
    comparison = PressComparison(tolerance_ms=HELD_OUT_TOLERANCE_MS)
    for reader, spans in play:
        shadow = DemonstrationShadow(reader, folder, version, comparison=comparison, host=host)
        for episode in shadow.episodes:
            for span in spans:
                if (part := _part(reader, episode, span)).moments:
                    shadow.follow(part)
    return comparison


def _part(reader: DemonstrationReader, episode: Episode, span: HeldOut) -> Episode:
    start, end = max(episode.start_ns, span.from_ns), min(episode.end_ns, span.to_ns)
    return replace(
        episode,
        start_ns=start,
        end_ns=end,
        moments=tuple(moment for moment in episode.moments if start <= moment.at_ns < end),
        events=tuple(event for event in episode.events if start <= event.at_ns < end),
        pictures=lambda: reader.pictures(start, end),
    )
