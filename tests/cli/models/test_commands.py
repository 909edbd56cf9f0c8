"""`pitwall models`, as a person and as the console run it: real files, a real host, a real server."""

from __future__ import annotations

import contextlib
import hashlib
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from tests.host.backends import endpoint_server
from tests.host.model_files import with_damaged_numbers
from tests.models.file_server import FileServer, serving

from pitwall.cli.main import main
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.models.downloads.partial_file import part_of
from pitwall.models.registry import ModelRegistry
from pitwall.models.search import matching, searchable
from workshop.fixtures.tiny_models import tiny_policy, tiny_projector, tiny_text_model

Models = Callable[..., tuple[int, list[Any]]]


@contextlib.contextmanager
def serving_models(name: str) -> Iterator[str]:
    """An endpoint of this machine that serves one model."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"data": [{"id": name}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def models(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Models:
    """Runs `pitwall models … --json`; gives its status and every JSON line."""

    def run(*words: object) -> tuple[int, list[Any]]:
        arguments = ["pitwall", "models", *map(str, words), "--data", str(data.root), "--json"]
        monkeypatch.setattr(sys, "argv", arguments)
        status = main()
        return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return tiny_text_model(tmp_path / "tiny.gguf")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FileServer]:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    with serving() as files:
        files.content = tiny_text_model(tmp_path / "served.gguf", seed=3).read_bytes()
        yield files


def test_a_model_is_added_listed_chosen_changed_and_forgotten(
    models: Models, data: DataFolder, tiny: Path
) -> None:
    status, lines = models("add", tiny, "--context", 1024, "--no-probe")
    added = lines[-1]
    assert status == 0
    assert (added["entry"]["name"], added["entry"]["context"], added["fits"]) == ("tiny", 1024, True)
    assert added["entry"]["need"]["total_bytes"] > 0
    assert lines[0]["progress"] == lines[0]["of"] == tiny.stat().st_size
    _, [chosen] = models("use", "tiny", "--tier", "fast", "--tier", "strategic")
    assert chosen["tiers"] == {"fast": "tiny", "strategic": "tiny", "analysis": "", "evolution": ""}
    assert load_settings(data.settings).models.strategic == "tiny"
    _, [listed] = models("list")
    assert [row["tiers"] for row in listed["models"]] == [["fast", "strategic"]]
    assert listed["models"][0]["need"]["slots"] == 2
    assert listed["free"]["ram_bytes"] > 0
    _, [changed] = models("set", "tiny", "--context", 2048, "--threads", 1)
    assert (changed["entry"]["context"], changed["entry"]["threads"]) == (2048, 1)
    before = changed["entry"]["need"]["compute_bytes"]
    _, [changed] = models("set", "tiny", "--flash-attention", "on")
    assert changed["entry"]["flash_attention"] == "on"
    assert changed["entry"]["need"]["compute_bytes"] < before
    assert models("set", "tiny", "--flash-attention", "sometimes")[0] == 2
    _, [shown] = models("show", "tiny")
    assert shown["largest_context"] == 4096
    _, [gone] = models("remove", "tiny", "--delete-file")
    assert gone["tiers_without_model"] == ["fast", "strategic"]
    assert load_settings(data.settings).models.fast == ""
    assert not tiny.exists()


def test_a_tier_can_be_left_without_a_model(models: Models, data: DataFolder, tiny: Path) -> None:
    models("add", tiny, "--no-probe")
    models("use", "tiny", "--tier", "analysis")
    models("use", "none", "--tier", "analysis")
    assert load_settings(data.settings).models.analysis == ""


def test_an_endpoint_is_added_and_changed(models: Models) -> None:
    *_, added = models("add-remote", "far", "http://127.0.0.1:9/v1", "--model", "big", "--sees")[1]
    assert (added["entry"]["kind"], added["entry"]["sees"]) == ("remote", True)
    assert "It is added without its card; for that: pitwall models bench far" in added["note"]
    _, [changed] = models("set", "far", "--model", "bigger", "--blind")
    assert (changed["entry"]["remote_model"], changed["entry"]["sees"]) == ("bigger", False)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["show", "tinny"], "UnknownModel"),
        (["add", "no.gguf"], "BadModelFile"),
        (["set", "tiny"], "SettingsError"),
        (["set", "tiny", "--context", "999999"], "SettingsError"),
        (["use", "policy", "--tier", "fast"], "SettingsError"),
        (["bench", "policy"], "SettingsError"),
        (["test", "tiny", "--prompt", "x", "--image", "a.png"], "SettingsError"),
        (["download", "nothing"], "DownloadFailed"),
    ],
)
def test_what_cannot_be_is_said_in_json(
    models: Models, tiny: Path, tmp_path: Path, words: list[str], error: str
) -> None:
    models("add", tiny, "--no-probe")
    models("add", tiny_policy(tmp_path / "policy.onnx"))
    status, lines = models(*words)
    assert (status, lines[-1]["error"]) == (1, error)
    assert lines[-1]["what"]


def test_the_words_for_a_person(
    models: Models,
    data: DataFolder,
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    models("add", tiny, "--no-probe")
    for words, expected in (
        (["list"], "llama F32"),
        (["show", "tiny"], "trained for 4,096 tokens"),
        (["use", "tiny", "--tier", "fast"], "fast       tiny"),
        (["remove", "tiny"], "The fast tier has no model now."),
        ([], "No models yet"),
    ):
        monkeypatch.setattr(sys, "argv", ["pitwall", "models", *words, "--data", str(data.root)])
        assert main() == 0
        assert expected in capsys.readouterr().out


@pytest.mark.usefixtures("llama")
def test_a_chat_streams_its_replies_refuses_a_picture_and_remembers(
    models: Models, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models("add", tiny, "--no-probe", "--context", 512)
    typed = tmp_path / "typed"
    typed.write_text('Hello\n{"text": "See?", "image": "a.png"}\n{"text": "And now?"}\n:q\nnever asked\n')
    with typed.open() as lines_in:
        monkeypatch.setattr("sys.stdin", lines_in)
        status, lines = models("chat", "tiny", "--max-tokens", 8)
    assert status == 0
    assert lines[0]["loaded"] == "tiny"
    first, second = [line for line in lines if "reply" in line]
    assert second["prompt_tokens"] > first["prompt_tokens"], "the second is asked with the first before it"
    assert second["cached_tokens"] > 0, "the model stays loaded"
    assert lines[1]["tokens"] >= 1
    assert [line["refused"]["what"] for line in lines if "refused" in line] == ["tiny takes no pictures."]


def test_a_search_finds_what_is_installed_on_the_disk_served_and_known(
    models: Models, data: DataFolder, tiny: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    beside = tmp_path / ".lmstudio" / "models" / "me" / "other-tiny.gguf"
    beside.parent.mkdir(parents=True)
    beside.write_bytes(tiny.read_bytes())
    models("add", tiny, "--no-probe")
    _, [matches] = models("search", "tiny")
    by_source = {match["source"]: match for match in matches["models"] if "tiny" in match["name"].lower()}
    assert by_source["installed"]["name"] == "tiny"
    assert by_source["file"]["add"] == f"pitwall models add {beside}"
    _, [known] = models("search", "sees", "apache")
    assert known["models"] and {match["source"] for match in known["models"]} == {"known"}
    assert models("search", "no", "such", "model")[1] == [{"models": []}]
    with serving_models("zippy") as url:
        [served] = matching(searchable(data, (), (), endpoints=[("LM Studio", url)]), "zippy")
    assert (served.source, served.where, served.about) == ("endpoint", url, "served by LM Studio")


@pytest.mark.usefixtures("llama")
def test_a_model_is_tried_and_measured(models: Models, data: DataFolder, tiny: Path) -> None:
    _, lines = models("add", tiny, "--threads", 1, "--context", 512)
    assert lines[-2]["stage"] == "probing"
    card = lines[-1]["entry"]["probed"]
    assert not card["language"] and not card["free_text"] and "not language" in card["why_no_text"]
    assert set(card["right_by_form"]) >= {"template", "folded", "plain", "raw"}, "none was good enough"
    assert lines[-1]["entry"]["measured"]["prompt_tokens_per_s"] > 0
    status, lines = models("test", "tiny", "--prompt", "what now?", "--max-tokens", 30, "--temperature", 1)
    assert status == 0
    assert "".join(line["streamed"] for line in lines[:-1]) == lines[-1]["text"]
    assert lines[-1]["output_tokens"] <= 30
    status, lines = models("bench", "tiny")
    assert status == 0
    assert lines[-1]["tokens_per_s"] > 0
    assert ModelRegistry(data).get("tiny").tokens_per_s == lines[-1]["tokens_per_s"]
    assert "not language" in models("show", "tiny")[1][-1]["doubt"], "its weights are chance"


@pytest.mark.usefixtures("llama")
def test_a_model_whose_weights_are_no_numbers_is_added_and_told(
    models: Models, tiny: Path, tmp_path: Path
) -> None:
    status, lines = models("add", with_damaged_numbers(tiny, tmp_path / "nan.gguf", "output.weight"))
    assert (status, lines[-1]["entry"]["probed"]) == (0, None)
    assert "weights are damaged" in lines[-1]["note"]
    assert "It is added without its card" in lines[-1]["note"]


@pytest.mark.usefixtures("signals", "llama")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_probe_that_is_stopped_leaves_the_model_added(
    data: DataFolder, tmp_path: Path, number: signal.Signals
) -> None:
    slow = tiny_text_model(tmp_path / "slow.gguf", ends=False, layers=12, width=512)
    command = [
        sys.executable,
        "-m",
        "pitwall",
        "models",
        "add",
        str(slow),
        "--json",
        "--data",
        str(data.root),
    ]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        if '"probing"' in line:
            break
    child.send_signal(number)
    last = json.loads(child.communicate(timeout=60)[0].splitlines()[-1])
    assert (child.returncode, last["entry"]["name"], last["entry"]["probed"]) == (0, "slow", None)
    assert "The probe was stopped." in last["note"]
    assert ModelRegistry(data).get("slow").probed is None


def test_a_file_that_is_not_what_was_published_is_refused(models: Models, tiny: Path) -> None:
    published = hashlib.sha256(tiny.read_bytes()).hexdigest()
    content = bytearray(tiny.read_bytes())
    content[-1000] ^= 1
    tiny.write_bytes(content)
    status, lines = models("add", tiny, "--sha256", published)
    assert (status, lines[-1]["error"]) == (1, "BadModelFile")
    assert "is not the file that was published" in lines[-1]["what"]
    published = hashlib.sha256(content).hexdigest().upper()
    assert models("add", tiny, "--no-probe", "--sha256", published)[0] == 0


@pytest.mark.usefixtures("llama")
def test_a_picture_larger_than_may_be_sent_is_made_smaller(
    models: Models, tiny: Path, tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "wide.png"), np.full((300, 2000, 3), 120, np.uint8))
    models("add", tiny, "--projector", tiny_projector(tmp_path / "p.gguf"), "--threads", 1, "--no-probe")
    words = ("test", "tiny", "--prompt", "what is it?", "--max-tokens", 8)
    status, lines = models(*words, "--image", tmp_path / "wide.png")
    assert (status, lines[-1]["prompt_tokens"] > 16) == (0, True)
    status, lines = models(*words, "--image", tiny)
    assert (status, lines[-1]["what"]) == (1, f"{tiny} is no picture.")


@pytest.mark.usefixtures("llama")
def test_a_damaged_file_is_told_and_the_command_lives(models: Models, tiny: Path) -> None:
    models("add", tiny, "--no-probe")
    tiny.write_bytes(tiny.read_bytes()[:-1000])
    status, lines = models("test", "tiny", "--prompt", "x")
    assert (status, lines[-1]["error"]) == (1, "RequestFailed")
    assert "tiny.gguf" in lines[-1]["what"]


def test_a_model_is_downloaded_and_added(models: Models, data: DataFolder, server: FileServer) -> None:
    status, lines = models(
        "download", server.url, "--sha256", server.sha256, "--name", "fetched", "--no-probe"
    )
    done = lines[-1]
    assert status == 0
    assert (done["state"], done["entry"]["name"], done["sha256"]) == ("done", "fetched", server.sha256)
    assert done["entry"]["source"] == server.url
    assert lines[0].keys() == {"progress", "of", "stage", "bytes_per_s"}
    assert Path(done["file"]).parent == data.models
    assert ModelRegistry(data).get("fetched").sha256 == server.sha256


def test_a_downloaded_projector_is_kept_for_its_model(
    models: Models, data: DataFolder, server: FileServer, tmp_path: Path
) -> None:
    server.content = tiny_projector(tmp_path / "p.gguf").read_bytes()
    status, lines = models("download", server.url)
    assert (status, lines[-1]["entry"]) == (0, None)
    assert "--projector" in lines[-1]["note"]
    assert ModelRegistry(data).all() == ()


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_download_pauses_and_goes_on(
    models: Models, data: DataFolder, server: FileServer, number: signal.Signals
) -> None:
    server.content += bytes(2_000_000)
    server.bytes_per_s = 200_000
    command = [sys.executable, "-m", "pitwall", "models", "download", server.url, "--json"]
    child = subprocess.Popen([*command, "--data", str(data.root)], stdout=subprocess.PIPE, text=True)
    part = part_of(data.models / server.name)
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size):
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(number)
    out, _ = child.communicate(timeout=30)
    last = json.loads(out.splitlines()[-1])
    assert (child.returncode, last["state"]) == (130, "paused")
    have = part.stat().st_size
    server.bytes_per_s = 0
    status, lines = models("download", server.url)
    assert (status, lines[-1]["state"], lines[-1]["resumed_at"]) == (0, "done", have)


def test_a_paused_download_can_be_forgotten(models: Models, data: DataFolder, server: FileServer) -> None:
    data.models.mkdir(parents=True)
    part_of(data.models / server.name).write_bytes(b"GGUF")
    status, [answer] = models("download", server.url, "--forget")
    assert (status, answer) == (0, {"forgotten": "model.gguf", "was_there": True})
    assert list(data.models.iterdir()) == []


def test_a_test_whose_reply_is_empty_is_no_success(models: Models, tiny: Path, llama: str) -> None:
    assert llama and models("add", tiny, "--name", "tiny", "--no-probe")[0] == 0
    with endpoint_server.serving() as endpoint:
        assert models("add-remote", "far", f" {endpoint.address} ", "--model", "m", "--no-probe")[0] == 0
        assert models("test", "far", "--prompt", "hi")[0] == 0
        endpoint.way = lambda _: endpoint_server.reply("", "length", reasoning_content="hm")
        status, answers = models("test", "far", "--prompt", "hi")
    assert status == 1 and "on thinking, none on the reply" in answers[-1]["what"]
