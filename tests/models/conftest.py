"""A server of files for the tests of downloads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.models.file_server import FileServer, serving


@pytest.fixture
def file_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A server on loopback, reached without any proxy and asked without any token."""
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with serving() as files:
        yield files
