"""Runs every folder of cases from public bug reports, and judges what each `try.sh` shows by its `right.txt`.

    .venv/bin/python -m tests.cases.run_all ../shared/cases [--only 12,15] [--json] [--keep FOLDER]

Each case gets a screen, a temporary folder and this tree's `pitwall` of its own. It exits with 1 where a
case is wrong. It needs Xvfb, openbox, setxkbmap, xdotool, Chromium, Wine, ImageMagick, and the extras gym and
exchange.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.cases.judges import JUDGES, Evidence

from pitwall.link.virtual_screen import variables_of, virtual_screen

_ROOT = Path(__file__).resolve().parents[2]
_APP = _ROOT / "app"
_LONGEST_S = 600
_SCREEN = "1400x900x24"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Holds one case's faults; none: it is right."""

    case: str
    faults: list[str]
    seconds: float


def main() -> int:
    """Run the cases that the arguments name; return 1 where one is wrong."""
    parser = argparse.ArgumentParser(description="Run the cases from public bug reports.")
    parser.add_argument("cases", type=Path, help="folder of the cases")
    parser.add_argument("--only", default="", help="numbers of cases, with commas")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--keep", type=Path, help="folder for each case's output")
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    folders = sorted(folder for folder in options.cases.glob("[0-9]*") if (folder / "try.sh").is_file())
    verdicts = []
    for folder in folders:
        if wanted and folder.name.partition("-")[0] not in wanted:
            continue
        verdicts.append(_judged(folder, options.keep))
        if not options.json:
            _print(verdicts[-1])
    right = sum(not verdict.faults for verdict in verdicts)
    if options.json:
        _write(json.dumps([asdict(verdict) for verdict in verdicts], indent=2))
    else:
        _write(f"{right} of {len(verdicts)} cases are right.")
    return 0 if verdicts and right == len(verdicts) else 1


def _print(verdict: Verdict) -> None:
    outcome = "WRONG" if verdict.faults else "right"
    _write(f"{verdict.case:28} {outcome} {verdict.seconds:5.0f} s")
    for fault in verdict.faults:
        _write(f"    {fault}")


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _judged(folder: Path, keep: Path | None) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="pitwall-case-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        began = time.monotonic()
        output = _output(folder, place)
        seconds = time.monotonic() - began
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{folder.name}.txt").write_text(output, encoding="utf-8")
        judge = JUDGES.get(folder.name.partition("-")[0])
        evidence = Evidence(output, place / "tmp")
        return Verdict(
            folder.name,
            [*evidence.common_faults(), *judge(evidence)] if judge else ["no judge knows this case"],
            seconds,
        )


def _output(folder: Path, place: Path) -> str:
    """Return what a case's script prints. It runs in a copy of its folder, since some scripts write there."""
    shutil.copytree(folder, place / "cases" / folder.name)
    if (folder.parent / "lib").is_dir():
        shutil.copytree(folder.parent / "lib", place / "cases/lib")
    subprocess.run(["chmod", "-R", "u+w", place / "cases"], check=True)
    (place / "tmp").mkdir()
    with virtual_screen(_SCREEN) as display, (place / "output").open("wb") as sink:
        process = subprocess.Popen(
            ["bash", "try.sh"],
            cwd=place / "cases" / folder.name,
            env=_environment(place, display),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            ending = f"\n[the script ended with {process.wait(_LONGEST_S)}]\n"
        except subprocess.TimeoutExpired:
            ending = f"\n[the script was ended after {_LONGEST_S} s]\n"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return (place / "output").read_bytes().decode("utf-8", "replace") + ending


def _environment(place: Path, display: str) -> dict[str, str]:
    """Return a case's environment: commands that run this tree's code, whatever PYTHONPATH the case sets."""
    programs = place / "bin"
    programs.mkdir()
    python = _program(programs / "python", "")
    _program(programs / "python3", "")
    pitwall = _program(programs / "pitwall", " -m pitwall")
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("PITWALL_")}
    return {
        **inherited,
        **variables_of(display),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(place),
        "TMPDIR": str(place / "tmp"),
        "PITWALL": str(pitwall),
        "P": str(pitwall),
        "PY": str(python),
        "GPY": str(python),
        "PITWALL_PYTHON": str(python),
        "PITWALL_APP": str(_APP),
        "PITWALL_SHIPPED_MODEL": "off",
    }


def _program(file: Path, arguments: str) -> Path:
    lines = ("#!/bin/sh", f'export PYTHONPATH="{_APP}${{PYTHONPATH:+:$PYTHONPATH}}"')
    file.write_text("\n".join((*lines, f'exec "{sys.executable}"{arguments} "$@"', "")))
    file.chmod(0o755)
    return file


if __name__ == "__main__":
    sys.exit(main())
