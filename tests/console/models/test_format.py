"""Models in words and figures: sizes, speeds, shares of memory, progress, what a file left behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import BYTES, progress_text
from pitwall.console.models.downloads import download_outcome, unfinished_downloads
from pitwall.console.models.format import listed, speed
from pitwall.console.models.memory_share import MemoryShare
from pitwall.console.models.view_model import ModelViewModel, Presence, gather
from pitwall.console.services.job import JobProgress
from pitwall.core.calls import Tier
from pitwall.core.errors import BadModelFile, ChildDied, UnknownModel
from pitwall.core.telemetry import ControllersNote, ModelHeld
from pitwall.models.entry import ModelEntry
from pitwall.models.entry_from_file import entry_of_file
from pitwall.models.memory_estimate import FreeMemory
from workshop.fixtures.tiny_models import tiny_text_model

GIB = 1 << 30


@pytest.fixture
def entry(tmp_path: Path) -> ModelEntry:
    return entry_of_file(tiny_text_model(tmp_path / "tiny.gguf"), "tiny")


def test_figures_have_units() -> None:
    assert speed(None) == "not measured"
    assert speed(41.26) == "41.3 tok/s"
    assert [listed([]), listed(["a"]), listed("abc")] == ["", "a", "a, b and c"]


def test_an_error_speaks_in_its_own_sentences() -> None:
    assert error_sentence(BadModelFile("a.gguf", "is empty", fix="Download it again.")) == (
        "a.gguf is empty. Download it again."
    )
    assert error_sentence(UnknownModel("there is no model 'x'.")) == "There is no model 'x'."
    assert error_sentence(ChildDied("`pitwall models` ended.", "", "Traceback …\nValueError: x")).endswith(
        "ValueError: x"
    )


def test_a_share_says_what_is_missing_and_what_is_held() -> None:
    fits = MemoryShare(memory="RAM", weights=GIB, kv=GIB, free=4 * GIB)
    assert (fits.short, fits.words()) == (0, "2.0 of 4.0 GiB free")
    short = MemoryShare(memory="VRAM", weights=6 * GIB, free=4 * GIB)
    assert short.short == 2 * GIB
    assert "2.0 GiB more than is free" in short.sentence()
    held = MemoryShare(memory="RAM", weights=3 * GIB, free=GIB, held=2 * GIB)
    assert (held.short, held.words()) == (0, "2.0 GiB, loaded now, up to 3.0 GiB in use")
    assert replace(held, held=4 * GIB).words() == "4.0 GiB, loaded now"
    unknown = MemoryShare(memory="RAM", weights=GIB)
    assert (unknown.short, unknown.words()) == (0, "1.0 GiB, free is not known")


def test_without_a_gpu_all_of_it_is_ram_and_with_one_the_layers_decide(entry: ModelEntry) -> None:
    on_cpu = ModelViewModel(entry=entry, free=FreeMemory(ram_bytes=8 * GIB))
    assert [share.memory for share in on_cpu.shares] == ["RAM"]
    with_gpu = ModelViewModel(entry=entry, free=FreeMemory(ram_bytes=8 * GIB, vram_bytes=4 * GIB))
    assert [share.memory for share in with_gpu.shares] == ["VRAM", "RAM"]
    none = with_gpu.shares_with({"gpu_layers": 0})
    assert [share.memory for share in none] == ["RAM"]
    longer = with_gpu.shares_with({"context": 2 * entry.context})
    assert longer[0].kv == 2 * with_gpu.shares[0].kv


def test_each_tier_on_a_model_is_a_slot_of_its_own(entry: ModelEntry) -> None:
    free = FreeMemory(ram_bytes=8 * GIB)
    facts = ModelViewModel(entry=entry, free=free, tiers=(Tier.FAST,))
    two = ModelViewModel(entry=entry, free=free, tiers=(Tier.FAST, Tier.STRATEGIC))
    assert two.shares[0].kv == 2 * facts.shares[0].kv
    assert two.shares[0].weights == facts.shares[0].weights


def test_what_does_not_fit_says_by_how_much_and_what_helps(entry: ModelEntry) -> None:
    weights_alone = ModelViewModel(entry=entry, free=FreeMemory(ram_bytes=100_000))
    assert "RAM missing" in weights_alone.note
    assert "shorter context" not in weights_alone.note
    assert weights_alone.trouble
    need = ModelViewModel(entry=entry, free=FreeMemory(ram_bytes=GIB)).shares[0].total
    barely = ModelViewModel(entry=entry, free=FreeMemory(ram_bytes=need - 2_000))
    assert barely.note.startswith("2 KiB of RAM missing")
    assert "shorter context" in barely.note
    assert barely.state_lines[1] == "! does not fit"


def test_where_a_model_is(entry: ModelEntry) -> None:
    chosen = {Tier.STRATEGIC: "tiny"}
    free = FreeMemory(ram_bytes=GIB)

    def presence(mind: ControllersNote | None, *, there: bool = True) -> ModelViewModel:
        return gather(entry, there=there, chosen=chosen, mind=mind, free=free)

    held = ModelHeld(name="tiny", device="CUDA 0: a GPU", memory_bytes=5, note="A fallback was taken.")
    loaded = presence(ControllersNote(planner="model", reactive="rules", held=(held,)))
    assert presence(None).presence is Presence.NOT_LOADED
    assert presence(None, there=False).presence is Presence.GONE
    assert presence(ControllersNote(planner="", reactive="", loading="tiny")).presence is Presence.LOADING
    assert (loaded.presence, loaded.on_gpu) == (Presence.LOADED, True)
    assert loaded.state_chip == ("● loaded on CUDA 0", "ok")
    assert loaded.note == "A fallback was taken."
    assert not loaded.trouble
    assert loaded.tiers == (Tier.STRATEGIC,)


def test_progress_tells_rate_and_time_left() -> None:
    progress = JobProgress()
    assert progress_text(progress, BYTES) == ""
    progress.read(
        {"progress": GIB, "of": 3 * GIB, "stage": "downloading", "bytes_per_s": float(100 << 20)}, 1.0
    )
    assert progress_text(progress, BYTES) == "1.0 of 3.0 GiB · 100 MiB/s · 20 s left"
    assert progress.share == pytest.approx(1 / 3)
    progress.read({"progress": 3 * GIB, "of": 3 * GIB, "stage": "checking"}, 2.0)
    assert (progress.stage, progress_text(progress, BYTES)) == ("checking", "3.0 of 3.0 GiB")
    progress.read({"progress": 5_000, "of": None, "bytes_per_s": None}, 3.0)
    assert (progress_text(progress, BYTES), progress.share) == ("5 KiB", 0.0)


def test_what_came_says_whose_hash_was_checked() -> None:
    answer = {"entry": {"name": "small"}, "sha256": "ab" * 32}
    assert download_outcome(answer, expected="", on_hub=True).endswith("was checked against the hub.")
    assert "states none to compare" in download_outcome(answer, expected="", on_hub=False)
    assert "asked for" in download_outcome(answer, expected="ab" * 32, on_hub=False)
    assert "Added as small." in download_outcome(answer, expected="", on_hub=True)


def test_broken_notes_of_parts_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.gguf.part").write_bytes(b"12345")
    (tmp_path / "a.gguf.part.json").write_text('{"spec": "http://h/a.gguf", "size_bytes": 9}', "utf-8")
    (tmp_path / "b.gguf.part.json").write_text("{", "utf-8")
    ((order, progress),) = unfinished_downloads(tmp_path)
    assert (order.subject, progress.done, progress.total) == ("http://h/a.gguf", 5, 9)
    assert unfinished_downloads(tmp_path / "none") == []
