"""Settings for plays on a busy machine: who is late there is neither hung nor refused for it."""

from __future__ import annotations

import sys

import pytest

from pitwall.core.input_settings import BrokerSettings
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder

PATIENT = Settings(broker=BrokerSettings(heartbeat_ms=5_000, observation_age_ms=5_000))
"""For every play that is not about the watch over a hung engine or about old frames."""
LIGHT = PATIENT.with_value("memory", "embedder", HashingEmbedder.name)
"""And no model is loaded to remember by."""
PATIENT_WORDS = [
    word
    for name, value in PATIENT.broker.model_dump(exclude_defaults=True).items()
    for word in ("--setting", f"broker.{name}={value}")
]
"""The same for a command that plays."""


def needs_hands() -> None:
    """Pass over a test whose person is xdotool where there is none."""
    if sys.platform == "win32":
        pytest.skip("a person's keys and pointer come from xdotool, which is not on Windows")


def patient(data: DataFolder, settings: Settings = PATIENT) -> DataFolder:
    """The data folder, made where it is not there, with these settings in force in it."""
    save_settings(data.settings, settings)
    return data
