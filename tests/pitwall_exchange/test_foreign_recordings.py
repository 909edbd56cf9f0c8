"""MCAP recordings of others: cut off, damaged, packed as bombs, with other topics, or with odd numbers."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from mcap.records import Chunk, Message
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer
from tests.demonstrations.made import demonstrated

from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall_exchange import mcap_chunk
from pitwall_exchange.demonstrations.transfer import export_demonstrations, import_demonstration

_START_NS = 1_700_000_000_000_000_000
_PNG = cv2.imencode(".png", np.zeros((12, 16, 3), np.uint8))[1].tobytes()


@pytest.fixture
def kept(tmp_path: Path) -> DemonstrationFolder:
    return DemonstrationFolder(DataFolder(tmp_path / "data"))


def _quiet(*_: Any) -> None:
    pass


def _picture(**changed: Any) -> dict[str, Any]:
    return {"data": base64.b64encode(_PNG).decode(), "format": "png", **changed}


def _recording(file: Path, messages: list[tuple[str, int, Any]], *, finish: bool = True, **how: Any) -> Path:
    """Write messages (topic, milliseconds, body) in this order; without `finish` as a killed recorder."""
    with file.open("wb") as stream:
        writer = Writer(stream, **how)
        writer.start(profile="", library="other")
        channels: dict[str, int] = {}
        for topic, at_ms, body in messages:
            if topic not in channels:
                schema = writer.register_schema("foxglove.CompressedImage", "jsonschema", b"{}")
                channels[topic] = writer.register_channel(topic, "json", schema)
            at_ns = _START_NS + at_ms * 1_000_000
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            writer.add_message(channels[topic], at_ns, data, at_ns)
        if finish:
            writer.finish()  # type: ignore[no-untyped-call]
    return file


def _pictures(count: int) -> list[tuple[str, int, Any]]:
    return [("/screen", 100 * at, _picture()) for at in range(count)]


def _refused(kept: DemonstrationFolder, file: Path, message: str) -> None:
    with pytest.raises(PitwallError, match=message):
        import_demonstration(kept, file, _quiet)
    assert list(kept.root.glob("*")) + list(kept.root.glob(".*")) == []


def _cut(file: Path, share: float) -> Path:
    content = file.read_bytes()
    file.write_bytes(content[: round(len(content) * share)])
    return file


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
@pytest.mark.parametrize("how", [{"chunk_size": 2000}, {"use_chunking": False}])
def test_a_cut_off_recording_is_taken_in_as_far_as_it_is_whole(
    kept: DemonstrationFolder, tmp_path: Path, how: dict[str, Any], share: float
) -> None:
    file = _cut(_recording(tmp_path / "a.mcap", _pictures(60), **how), share)
    manifest = import_demonstration(kept, file, _quiet)
    assert 5 <= manifest.pictures < 60
    assert f"a.mcap was cut off: {round(manifest.seconds)} s of it were whole" in manifest.note
    assert kept.open(manifest.id).check() == []


def test_a_large_chunk_that_is_cut_off_is_taken_in_as_far_as_it_goes(
    kept: DemonstrationFolder, tmp_path: Path
) -> None:
    noise = np.random.default_rng(1)
    messages = [
        (
            "/screen",
            at * 100,
            _picture(
                data=base64.b64encode(
                    cv2.imencode(".png", noise.integers(0, 255, (90, 90, 3), np.uint8))[1].tobytes()
                ).decode()
            ),
        )
        for at in range(20)
    ]
    file = _cut(_recording(tmp_path / "a.mcap", messages, chunk_size=1 << 24), 0.8)
    assert 3 <= import_demonstration(kept, file, _quiet).pictures < 20


def test_zeros_after_a_power_loss_count_as_cut_off(kept: DemonstrationFolder, tmp_path: Path) -> None:
    file = _recording(tmp_path / "a.mcap", _pictures(60), chunk_size=2000, finish=False)
    file.write_bytes(file.read_bytes() + bytes(4096))
    assert "cut off" in import_demonstration(kept, file, _quiet).note


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x89MCAP0\r\n", "was cut off, and holds no pictures; it has no topics.*mcap recover"),
        (b"\x89MCAP0\r\n" * 2, "was cut off|is damaged"),
        (b"\x89MCAP0\r\n\x3c" + bytes(40), "record 60 at byte"),
        (b"PK\x03\x04" + bytes(99), "does not begin as an MCAP recording"),
    ],
)
def test_what_is_no_whole_recording_is_a_sentence(
    kept: DemonstrationFolder, tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "a.mcap"
    file.write_bytes(content)
    _refused(kept, file, message)


def _flipped(content: bytes) -> bytes:
    """Damage the packed data of the second chunk."""
    at = content.index(b"zstd", content.index(b"zstd") + 4) + 40
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def test_damage_in_the_middle_is_refused_and_names_the_tool(
    kept: DemonstrationFolder, tmp_path: Path
) -> None:
    file = _recording(tmp_path / "a.mcap", _pictures(60), chunk_size=2000)
    file.write_bytes(_flipped(file.read_bytes()))
    _refused(kept, file, r"is damaged near byte .*mcap recover a\.mcap")


@pytest.mark.parametrize("lie", [False, True])
def test_a_bomb_is_refused_before_it_unpacks(
    kept: DemonstrationFolder, tmp_path: Path, lie: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chunk that says how much it unpacks to, and a chunk that says less."""
    monkeypatch.setattr(mcap_chunk, "MOST_BYTES", 1 << 20)
    file = _recording(
        tmp_path / "a.mcap", [*_pictures(2), ("/screen", 900, bytes(1 << 22))], chunk_size=1 << 26
    )
    if lie:
        content = bytearray(file.read_bytes())
        with file.open("rb") as stream:
            records = StreamReader(stream, emit_chunks=True).records
            chunk = next(record for record in records if isinstance(record, Chunk))
        at = content.index(chunk.uncompressed_size.to_bytes(8, "little"))
        content[at : at + 8] = (5000).to_bytes(8, "little")
        file.write_bytes(content)
    _refused(kept, file, "promises 5,000 bytes" if lie else "claims to unpack to 4,1")


def test_chunks_of_another_packing_are_named(kept: DemonstrationFolder, tmp_path: Path) -> None:
    file = _recording(tmp_path / "a.mcap", _pictures(3), compression=CompressionType.ZSTD)
    file.write_bytes(file.read_bytes().replace(b"zstd", b"lz4x"))
    _refused(kept, file, "packed with lz4x; expected zstd or none")


def test_the_topics_of_a_foreign_recording_are_named(kept: DemonstrationFolder, tmp_path: Path) -> None:
    messages = [("/camera/image/compressed", 1, _picture()), ("/odom", 2, {})]
    file = _recording(tmp_path / "a.mcap", messages)
    _refused(kept, file, r"/camera/image/compressed \(foxglove.CompressedImage\), /odom .*on /screen")


def test_messages_come_in_order_of_time_whatever_their_order_in_the_file(
    kept: DemonstrationFolder, tmp_path: Path
) -> None:
    presses = [("/input", 100 * at + 50, {"kind": "key_down", "key": "Space"}) for at in range(60)]
    shuffled = [*reversed(_pictures(60)), *presses]
    for name, how in (("a", {"chunk_size": 2000}), ("b", {"use_chunking": False})):
        manifest = import_demonstration(kept, _recording(tmp_path / f"{name}.mcap", shuffled, **how), _quiet)
        times = [at_ns for at_ns, _ in kept.open(manifest.id).pictures()]
        assert times == sorted(times) and len(times) == 60 and manifest.keys == {"Space": 60}


def test_statistics_that_count_other_messages_are_a_fault(kept: DemonstrationFolder, tmp_path: Path) -> None:
    file = _recording(tmp_path / "a.mcap", _pictures(5))
    content = file.read_bytes()
    counts = (1).to_bytes(2, "little") + (5).to_bytes(8, "little")
    assert content.count(counts) == 1
    file.write_bytes(content.replace(counts, (1).to_bytes(2, "little") + (9).to_bytes(8, "little")))
    _refused(kept, file, "/screen: holds 5 messages; expected 9")


_ODD: list[tuple[str, Callable[[], Any], str]] = [
    ("/screen", lambda: {"format": "png"}, "picture cannot be decoded"),
    ("/screen", lambda: _picture(data="AAAA"), "picture cannot be decoded"),
    ("/screen", lambda: b"[1, 2]", "it is no JSON object"),
    ("/screen", lambda: b'{"data": ' + b"[" * 4000 + b"]" * 4000 + b"}", "screen, message at"),
    ("/input", lambda: {"kind": "wish"}, "kind: found 'wish'; expected"),
    ("/input", lambda: {"kind": "key_down", "key": 7}, "key: found 7; expected text"),
    ("/moment", lambda: {"episode": 1 << 40}, "its episode is"),
    ("/moment", lambda: b"\xff\xfe", "moment, message at"),
]


@pytest.mark.parametrize(("topic", "body", "message"), _ODD)
def test_an_odd_message_is_refused_with_its_topic_and_time(
    kept: DemonstrationFolder, tmp_path: Path, topic: str, body: Callable[[], Any], message: str
) -> None:
    file = _recording(tmp_path / "a.mcap", [*_pictures(2), (topic, 5000, body())])
    with pytest.raises(DamagedFile, match=message):
        import_demonstration(kept, file, _quiet)
    assert kept.all() == []


def test_numbers_that_are_not_finite_are_absent_and_the_export_is_strict_json(
    kept: DemonstrationFolder, tmp_path: Path
) -> None:
    messages = [
        *_pictures(3),
        (
            "/moment",
            150,
            b'{"episode": 0, "status": "playing \\ud800", "fields": {"speed": NaN, "far": 1e999}}',
        ),
        ("/input", 160, b'{"kind": "scroll", "x": Infinity, "y": null, "dx": 99999999999}'),
    ]
    manifest = import_demonstration(kept, _recording(tmp_path / "a.mcap", messages), _quiet)
    reader = kept.open(manifest.id)
    assert [moment.fields for moment in reader.moments()] == [{"speed": None, "far": None}]
    assert next(iter(reader.events())).x is None
    export_demonstrations([reader], "mcap", tmp_path / "out", _quiet)
    with next((tmp_path / "out").iterdir()).open("rb") as stream:
        records = list(StreamReader(stream).records)
    bodies = [record.data for record in records if isinstance(record, Message)]
    assert len(bodies) == 5
    for body in bodies:
        json.loads(body, parse_constant=pytest.fail)


def test_a_full_memory_is_a_sentence(
    kept: DemonstrationFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a chunk takes is asked of the system, which may refuse."""
    file = _recording(tmp_path / "a.mcap", _pictures(3))

    def full(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("pitwall_exchange.mcap_reading.records_in", full)
    _refused(kept, file, "does not fit into the memory")


def test_a_demonstration_of_ours_still_comes_back_whole(kept: DemonstrationFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "source")
    demonstrated(data, seconds=4)
    export_demonstrations([DemonstrationFolder(data).open("2026")], "mcap", tmp_path / "out", _quiet)
    manifest = import_demonstration(kept, next((tmp_path / "out").iterdir()), _quiet)
    assert (manifest.episodes, manifest.pictures, manifest.note) == (2, 40, "")
