"""A host process of its own for each test that asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.engine.host_link import HostLink


@pytest.fixture
def link(tmp_path: Path) -> Iterator[HostLink]:
    """A link whose host starts at the first request; closed afterwards."""
    link = HostLink(tmp_path / "logs")
    yield link
    link.close()
