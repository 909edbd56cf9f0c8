"""The data folder of the answerers' tests: a recorded run without a screen."""

from __future__ import annotations

import pytest
from tests.pitwall_exam.recorded_runs import recorded

from pitwall.core.paths import DataFolder


@pytest.fixture
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = DataFolder(tmp_path_factory.mktemp("study") / "data")
    recorded(folder, 40)
    return folder
