"""Downloads over a real connection: cut, killed, resumed, refused, and never a wrong file under its name."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from tests.models.file_server import FileServer

from pitwall.core.errors import DataFolderError, DownloadFailed, DownloadPaused
from pitwall.models.downloads.download import Downloaded, DownloadProgress, Tell, download
from pitwall.models.downloads.hub import look_up
from pitwall.models.downloads.origin import Origin
from pitwall.models.downloads.partial_file import forget, part_of
from workshop.fixtures.processes import KILLED, kill
from workshop.fixtures.tiny_models import tiny_text_model

_SPEC = "hf:somebody/tiny-model/model.gguf"


@pytest.fixture
def server(file_server: FileServer, tmp_path: Path) -> FileServer:
    file_server.content = tiny_text_model(tmp_path / "source.gguf").read_bytes()
    return file_server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def _get(origin: Origin, folder: Path, tell: Tell | None = None) -> Downloaded:
    return download(origin, folder, tell, retry_wait_s=0.01)


def _on_hub(server: FileServer, spec: str = _SPEC) -> Origin:
    return look_up(spec, endpoint=server.address)


def _left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def _stop_after(count: int) -> Tell:
    def tell(progress: DownloadProgress) -> None:
        if progress.stage == "downloading" and progress.done >= count:
            raise DownloadPaused("paused.")

    return tell


def test_a_file_comes_whole_with_progress(server: FileServer, folder: Path) -> None:
    reports: list[DownloadProgress] = []
    got = _get(look_up(server.url, sha256=server.sha256.upper()), folder, reports.append)
    size = len(server.content)
    assert got == Downloaded(path=folder / "model.gguf", sha256=server.sha256, size_bytes=size, resumed_at=0)
    assert got.path.read_bytes() == server.content
    assert _left(folder) == {"model.gguf"}
    assert (reports[-1].stage, reports[-1].done, reports[-1].total) == ("checking", size, size)
    assert any(progress.stage == "downloading" and progress.done == size for progress in reports)


def test_the_hub_tells_size_and_hash_and_leads_to_the_bytes(
    server: FileServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    origin = _on_hub(server, f"{_SPEC}@v2")
    assert (origin.sha256, origin.size_bytes) == (server.sha256, len(server.content))
    assert _get(origin, folder).sha256 == server.sha256
    paths = [path for _, path, _, _ in server.asked]
    assert paths[0] == "/somebody/tiny-model/resolve/v2/model.gguf"
    led = [authorised for _, path, _, authorised in server.asked if path.startswith("/files/")]
    asked = [authorised for _, path, _, authorised in server.asked if "/resolve/" in path]
    assert set(asked) == {"Bearer hf_secret"}
    assert set(led) == {""}, "the token went to another host"


def test_a_cut_connection_is_taken_up_again_by_itself(server: FileServer, folder: Path) -> None:
    server.cut_after, server.cuts = 100_000, 3
    got = _get(_on_hub(server), folder)
    assert got.path.read_bytes() == server.content
    spans = [int(span.removeprefix("bytes=").removesuffix("-") or 0) for span in server.gets]
    assert len(spans) == 4
    assert all(0 < later - sooner <= 100_000 for sooner, later in pairwise(spans))


def test_a_server_that_cuts_for_ever_is_given_up_but_nothing_is_lost(
    server: FileServer, folder: Path
) -> None:
    origin = _on_hub(server)
    with pytest.raises(DownloadPaused):
        _get(origin, folder, _stop_after(1))
    have = part_of(folder / "model.gguf").stat().st_size
    server.cut_after, server.cuts = 0, 100
    with pytest.raises(DownloadFailed, match="broke off") as caught:
        _get(origin, folder)
    assert "kept" in caught.value.fix
    assert part_of(folder / "model.gguf").stat().st_size == have
    server.cuts = 0
    assert _get(origin, folder).resumed_at == have


def test_a_pause_keeps_the_part_and_the_next_call_goes_on(server: FileServer, folder: Path) -> None:
    origin = look_up(server.url)
    with pytest.raises(DownloadPaused):
        _get(origin, folder, _stop_after(1))
    have = part_of(folder / "model.gguf").stat().st_size
    assert 0 < have < len(server.content)
    assert _left(folder) == {"model.gguf.part", "model.gguf.part.json"}
    got = _get(origin, folder)
    assert (got.resumed_at, got.path.read_bytes()) == (have, server.content)
    assert server.gets == ["", f"bytes={have}-"]
    assert _left(folder) == {"model.gguf"}


def test_a_file_that_changed_meanwhile_starts_anew(server: FileServer, folder: Path, tmp_path: Path) -> None:
    origin = look_up(server.url)
    with pytest.raises(DownloadPaused):
        _get(origin, folder, _stop_after(1))
    server.content = tiny_text_model(tmp_path / "new.gguf", seed=5).read_bytes()
    server.etag = '"two"'
    got = _get(origin, folder)
    assert (got.resumed_at, got.path.read_bytes()) == (0, server.content)


def test_another_revision_s_part_is_not_gone_on_with(
    server: FileServer, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(DownloadPaused):
        _get(_on_hub(server), folder, _stop_after(1))
    server.content = tiny_text_model(tmp_path / "new.gguf", seed=5).read_bytes()
    got = _get(_on_hub(server), folder)
    assert (got.resumed_at, got.sha256) == (0, server.sha256)


def test_a_server_without_ranges_starts_anew(server: FileServer, folder: Path) -> None:
    server.ranges = False
    origin = _on_hub(server)
    with pytest.raises(DownloadPaused):
        _get(origin, folder, _stop_after(1))
    got = _get(origin, folder)
    assert (got.resumed_at, got.path.read_bytes()) == (0, server.content)


def test_without_any_sign_of_sameness_a_part_is_not_trusted(server: FileServer, folder: Path) -> None:
    server.etag = ""
    origin = look_up(server.url)
    with pytest.raises(DownloadPaused):
        _get(origin, folder, _stop_after(1))
    assert _get(origin, folder).resumed_at == 0


def test_a_part_that_is_whole_already_only_gets_its_name(server: FileServer, folder: Path) -> None:
    origin = look_up(server.url)
    with pytest.raises(DownloadPaused):
        _get(origin, folder, _stop_after(len(server.content)))
    got = _get(origin, folder)
    assert got.resumed_at == len(server.content)
    assert got.path.read_bytes() == server.content


def test_a_wrong_hash_keeps_nothing(server: FileServer, folder: Path) -> None:
    with pytest.raises(DownloadFailed, match=f"{server.sha256}, not {'0' * 64}"):
        _get(look_up(server.url, sha256="0" * 64), folder)
    assert _left(folder) == set()


def test_a_part_that_rotted_on_disk_is_found_out(server: FileServer, folder: Path) -> None:
    origin = _on_hub(server)
    with pytest.raises(DownloadPaused):
        _get(origin, folder, _stop_after(1))
    part = part_of(folder / "model.gguf")
    content = bytearray(part.read_bytes())
    content[100] ^= 1
    part.write_bytes(content)
    with pytest.raises(DownloadFailed, match="SHA-256"):
        _get(origin, folder)
    assert _left(folder) == set()
    assert _get(origin, folder).resumed_at == 0


def test_a_hub_that_breaks_its_promise_is_not_followed(server: FileServer, folder: Path) -> None:
    server.promised = ("1" * 64, 77)
    with pytest.raises(DownloadFailed, match="not the 77 that the hub promised"):
        _get(_on_hub(server), folder)
    assert "model.gguf" not in _left(folder)
    with pytest.raises(DownloadFailed, match="has the SHA-256 111"):
        look_up(_SPEC, sha256="2" * 64, endpoint=server.address)


def test_a_web_page_is_refused_before_it_is_all_there(server: FileServer, folder: Path) -> None:
    server.content = b"<!DOCTYPE html><title>Sign in</title>" + b" " * 2_000_000
    with pytest.raises(DownloadFailed, match="is a web page"):
        _get(look_up(server.url), folder)
    assert _left(folder) == set()


def test_a_full_disk_is_said_before_the_first_byte(
    server: FileServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=(64 << 20) + 1_000))
    with pytest.raises(DataFolderError, match=f"{len(server.content) - 1_000:,} are missing"):
        _get(look_up(server.url), folder)
    assert "model.gguf" not in _left(folder)


@pytest.mark.parametrize(
    ("status", "code", "problem"),
    [
        (403, "GatedRepo", "accept its terms"),
        (401, "RepoNotFound", "keeps it private"),
        (404, "EntryNotFound", "has no such file"),
        (404, "RevisionNotFound", "no such revision"),
        (500, "", "HTTP 500"),
    ],
)
def test_a_hub_s_refusal_is_told_in_words(server: FileServer, status: int, code: str, problem: str) -> None:
    server.status, server.error_code = status, code
    with pytest.raises(DownloadFailed, match=problem):
        _on_hub(server)


@pytest.mark.parametrize(
    ("status", "problem"), [(401, "HTTP 401"), (404, "has no http"), (418, "HTTP 418"), (503, "broke off")]
)
def test_a_server_s_refusal_is_told_in_words(
    server: FileServer, folder: Path, status: int, problem: str
) -> None:
    server.status = status
    with pytest.raises(DownloadFailed, match=problem):
        _get(look_up(server.url), folder)


@pytest.mark.usefixtures("file_server")
def test_no_network_is_told_at_once(folder: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(DownloadFailed, match="cannot be reached: connection refused"):
            _get(look_up(f"{address}/model.gguf"), folder)
        with pytest.raises(DownloadFailed, match="the hub cannot be reached"):
            look_up(_SPEC, endpoint=address)


@pytest.mark.parametrize(
    "spec",
    ["", "model.gguf", "ftp://host/m.gguf", "http://host/", "http://host/..", "hf:a/m.gguf", "hf:a/b/"],
)
def test_what_names_no_file_is_refused(spec: str) -> None:
    with pytest.raises(DownloadFailed, match="names no file"):
        look_up(spec)


def test_a_hash_that_is_none_is_refused() -> None:
    with pytest.raises(DownloadFailed, match="is no SHA-256"):
        look_up("http://host/m.gguf", sha256="abc")


def test_a_file_that_is_there_is_not_fetched_again(server: FileServer, folder: Path) -> None:
    origin = _on_hub(server)
    first = _get(origin, folder)
    asked = len(server.gets)
    assert _get(origin, folder).sha256 == first.sha256
    assert len(server.gets) == asked
    first.path.write_bytes(b"mine")
    with pytest.raises(DownloadFailed, match="is another file"):
        _get(origin, folder)
    assert first.path.read_bytes() == b"mine"


def test_what_was_given_up_can_be_forgotten(server: FileServer, folder: Path) -> None:
    with pytest.raises(DownloadPaused):
        _get(look_up(server.url), folder, _stop_after(1))
    assert forget(folder / "model.gguf")
    assert _left(folder) == set()
    assert not forget(folder / "model.gguf")


_CHILD = (
    "import sys; from pathlib import Path; from pitwall.models.downloads.download import download;"
    "from pitwall.models.downloads.hub import look_up;"
    "download(look_up(sys.argv[1]), Path(sys.argv[2]))"
)


@pytest.fixture
def start(server: FileServer, folder: Path) -> Callable[[], subprocess.Popen[bytes]]:
    """Starts a slow download in a process of its own, and returns when some of it has come."""

    def begin() -> subprocess.Popen[bytes]:
        server.bytes_per_s = 200_000
        child = subprocess.Popen([sys.executable, "-c", _CHILD, server.url, str(folder)])
        part = part_of(folder / "model.gguf")
        deadline = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size):
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return child

    return begin


def test_a_killed_download_goes_on_where_it_was(
    server: FileServer, folder: Path, start: Callable[[], subprocess.Popen[bytes]]
) -> None:
    server.content += bytes(2_000_000)
    child = start()
    kill(child.pid)
    assert child.wait(60) == KILLED
    server.bytes_per_s = 0
    have = part_of(folder / "model.gguf").stat().st_size
    got = _get(look_up(server.url), folder)
    assert (got.resumed_at, got.path.read_bytes()) == (have, server.content)


def test_the_same_download_runs_once(
    server: FileServer, folder: Path, start: Callable[[], subprocess.Popen[bytes]]
) -> None:
    server.content += bytes(2_000_000)
    child = start()
    try:
        with pytest.raises(DownloadFailed, match=f"process id {child.pid}"):
            _get(look_up(server.url), folder)
    finally:
        child.kill()
        child.wait(60)
