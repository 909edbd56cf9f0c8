"""Files that people share: memories, suites, exams; damaged, or with hostile values."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from pitwall.core.paths import DataFolder, resources_dir
from workshop.campaigns.command_trial import ends_in_words
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.campaigns.mutation import damaged_bytes, damaged_file, damaged_text
from workshop.campaigns.played_data import GAME, SUITE, pitwall, played_data

Words = tuple[str, ...]
_TABLE = "name,what,when\nchop,face a tree,sapling > 1\ndrink,face water,drink < 3\n"


def _damaged(file: Path, case: Case, assign: str) -> None:
    way = case.chance.random()
    if way < 0.15:
        damaged_file(file, case.chance)
    elif way < 0.5:
        file.write_bytes(damaged_bytes(file.read_bytes() or b"\0", case.chance))
    else:
        text = file.read_text(encoding="utf-8")
        file.write_text(damaged_text(text, case.chance, assign), encoding="utf-8", errors="surrogatepass")


def _files(
    make: Callable[[DataFolder], dict[str, tuple[Words, ...]]], assign: str
) -> Callable[[Path], AbstractContextManager[Trial]]:
    """Make a rig for files in a data folder: path → the commands that read it, with {file} filled in."""

    @contextmanager
    def rig(_shared: Path) -> Iterator[Trial]:
        whole = played_data()
        readers = make(whole)

        def trial(case: Case) -> str:
            data = case.folder / "data"
            shutil.copytree(whole.root, data, symlinks=True)
            name = case.chance.choice(sorted(readers))
            _damaged(data / name, case, assign)
            ends = []
            for words in readers[name]:
                filled = [word.replace("{file}", str(data / name)) for word in words]
                ends.append(ends_in_words(data, *filled, names=(Path(name).name, Path(name).parent.name)))
            sound = ends_in_words(data, "games", "list", "--json")
            if sound.status:
                raise FellShort(f"with {name} damaged, games list fails: {sound.sentence[:300]}")
            return "refused" if any(ran.status for ran in ends) else "taken"

        yield trial

    return rig


def _imports(data: DataFolder) -> dict[str, tuple[Words, ...]]:
    (data.root / "in").mkdir(exist_ok=True)
    for name in ("in/memory.jsonl", "in/memory.graphml"):
        pitwall(data, "memory", "export", str(data.root / name), "--force")
    (data.root / "in/skills.csv").write_text(_TABLE, encoding="utf-8")
    table = ("memory", "import", "{file}", "--kind", "skill", "--game", GAME, "--map", "what=subgoal")
    take: tuple[Words, ...] = (("memory", "import", "{file}"), ("memory", "--json"))
    return {
        "in/memory.jsonl": take,
        "in/memory.graphml": take,
        "in/skills.csv": (table, ("memory", "--json")),
    }


def _suites(data: DataFolder) -> dict[str, tuple[Words, ...]]:
    (data.root / "in").mkdir(exist_ok=True)
    written: dict[str, tuple[Words, ...]] = {}
    for file in sorted((resources_dir() / "suites").glob("*.yaml")):
        shutil.copyfile(file, data.root / "in" / file.name)
        written[f"in/{file.name}"] = (("suite", "check", "{file}"), ("suite", "cells", "{file}", "--json"))
    kept: tuple[Words, ...] = (
        ("suite", "list"),
        ("suite", "show", SUITE, "--json"),
        ("suite", "compare", SUITE, SUITE),
    )
    return {**written, f"suites/{SUITE}/suite.yaml": kept, f"suites/{SUITE}/results.jsonl": kept}


def _exams(data: DataFolder) -> dict[str, tuple[Words, ...]]:
    exam = next(data.exams.iterdir())
    commands: tuple[Words, ...] = (
        ("exam", "list"),
        ("exam", "show", exam.name),
        ("exam", "score", exam.name),
        ("exam", "answer", exam.name, "--fresh"),
    )
    return {f"exams/{exam.name}/{file.name}": commands for file in exam.glob("*.json")}


IMPORTS = Campaign(
    tries="a damaged file of memories (JSON Lines, GraphML, a table) is imported: all of it or none, told in "
    "a sentence that names it",
    rig=_files(_imports, ":"),
)
SUITES = Campaign(
    tries="a damaged suite's file or results: checked, listed, shown and compared, or refused in a sentence",
    rig=_files(_suites, ":"),
)
EXAMS = Campaign(
    tries="a damaged exam or answer sheet: listed, shown, answered and marked, or refused in a sentence",
    rig=_files(_exams, ":"),
)
