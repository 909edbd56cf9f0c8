"""`pitwall --version`: the version, its build, and the schemas that it reads and writes."""

from __future__ import annotations

import subprocess
from typing import Any

from pitwall import __version__
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import resources_dir
from pitwall.games.schema.profile import Profile
from pitwall.memory.migrations import REVISIONS as MEMORY_REVISIONS
from pitwall.store.migrations import REVISIONS as RUN_REVISIONS


def show_version(json: bool) -> None:
    """Print the version."""
    body: dict[str, Any] = {
        "version": __version__,
        "build": built_from(),
        "schemas": {
            "run log": RUN_REVISIONS[-1],
            "memory": MEMORY_REVISIONS[-1],
            "plugin.toml": str(Profile.model_fields["schema_version"].default),
        },
    }
    schemas = ", ".join(f"{name} {schema}" for name, schema in body["schemas"].items())
    Reporter(json).result(body, (f"Pitwall {__version__} (build {body['build']}; schemas: {schemas})",))


def built_from() -> str:
    """Return the short commit of a wheel or a checkout; "unknown" without either."""
    kept = resources_dir().with_name("build.txt")
    if kept.is_file():
        return kept.read_text(encoding="ascii").strip()
    command = ["git", "-C", str(resources_dir()), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
