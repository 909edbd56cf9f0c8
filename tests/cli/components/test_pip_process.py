"""pip's own words become steps and shares; what fails says why, and nothing it started lives on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.cli.components.pip_process import PipFailed, run_pip


def test_a_package_is_installed_and_what_pip_does_is_told(tmp_path: Path) -> None:
    package = tmp_path / "tiny"
    package.mkdir()
    (package / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "tiny"\nversion = "1"\n[tool.hatch.build.targets.wheel]\n'
        'only-include = ["tiny.py"]\n'
    )
    (package / "tiny.py").write_text("ANSWER = 42\n")
    steps: list[str] = []
    arguments = ["install", "--no-deps", "--no-build-isolation", "--target", str(tmp_path / "into")]
    run_pip([*arguments, str(package)], lambda doing, _share: steps.append(doing))
    assert (tmp_path / "into" / "tiny.py").is_file()
    assert list(dict.fromkeys(steps)) == ["asking for packages", "building tiny", "unpacking"]


def test_what_cannot_be_installed_says_why(tmp_path: Path) -> None:
    with pytest.raises(PipFailed, match=r"pip could not install it: .*nowhere") as failed:
        run_pip(["install", "--no-index", str(tmp_path / "nowhere")], lambda *_: None)
    assert "finished parts are kept" in failed.value.fix
