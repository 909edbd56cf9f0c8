"""Writes down the conditions of a run as it begins."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping
from datetime import UTC, datetime

from pitwall import __version__
from pitwall.core.runs import RunManifest
from pitwall.core.settings import Settings
from pitwall.engine.session.game_session import GameSession

_LIBRARIES = ("numpy", "opencv-python", "xcffib", "pynput", "sqlalchemy", "pydantic", "rapidocr")


def run_manifest(
    session: GameSession, settings: Settings, *, memory: str = "", modules: Mapping[str, str]
) -> RunManifest:
    """The manifest of a run that begins now.

    Args:
        memory: content hash of the memory it begins with. modules: game sense module → version that drives.
    """
    profile = session.game.profile
    window = session.view.window
    return RunManifest(
        game_id=profile.game.id,
        game_name=profile.game.name,
        game_version=profile.game.version,
        profile_hash=session.game.profile_hash,
        role=session.role,
        planner=session.planner,
        seed=session.seed,
        started_at=datetime.now(UTC).isoformat(timespec="microseconds"),
        settings=settings.model_dump(mode="json"),
        thresholds=session.thresholds.model_dump(mode="json"),
        versions={**_versions(), **{f"module {name}": version for name, version in modules.items()}},
        memory=memory,
        screen=(window.rect.width, window.rect.height) if window is not None else (0, 0),
    )


def _versions() -> dict[str, str]:
    versions = {"pitwall": __version__, "python": platform.python_version(), "platform": platform.platform()}
    for name in _LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions
