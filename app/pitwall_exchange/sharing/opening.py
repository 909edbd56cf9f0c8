"""Opens a bundle from anybody: names, sizes and hashes are checked before anything is shown."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from pitwall.core.bounded_reading import open_regular, parse_json, read_at_most
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.memories import ImportMemory, Provenance, RestoreSnapshot
from pitwall.core.paths import DataFolder
from pitwall.core.validation import first_fault
from pitwall.memory.store import MemoryStore
from pitwall.store.database import SqliteError, raw_connection
from pitwall.store.preparation import find_damage
from pitwall.store.run_reader import RunReader
from pitwall_exchange.sharing.contents import CONTENTS, KIND, MEMORY, RUN_LOG, VERSION, Contents, may_contain

_MOST_FILES = 1_000_000
_MOST_CONTENTS = 256 * 1024 * 1024
_FREE_BYTES, _MOST_RATIO = 64 * 1024 * 1024, 60
"""So many bytes may come of any bundle, and beyond them so many for each byte of it."""
_PIECE = 1 << 20
_FIX = "Ask for the bundle again: this copy cannot be trusted."
_UNZIP_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError)
"""What the library raises on hostile archives (RuntimeError: an entry is encrypted)."""
Told = Callable[[int, int], bool | None]


def unpack_bundle(file: Path, into: Path, *, progress: Told | None = None) -> Contents:
    """Check a bundle completely, and unpack it into a data folder of its own.

    Args:
        into: a new or empty folder; it stays empty if the bundle is refused.
        progress: called with the bytes done and their number; returning False cancels.

    Raises:
        PitwallError: the file is missing, was made by a newer Pitwall, or the folder is not empty.
        DamagedFile: it is not a bundle, or its content does not match its hashes.
        DataFolderError: the folder cannot be written.
    """
    if into.exists() and any(into.iterdir()):
        raise PitwallError(f"{into} holds other files.", "Name a folder that is new or empty.")
    into.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with open_regular(file, fix=_FIX) as stream:
            try:
                with zipfile.ZipFile(stream) as archive:
                    contents = _contents(file, archive)
                    _unpack(file, archive, contents, into, progress)
            except _UNZIP_FAULTS as error:
                message = " ".join(str(error).split())[:120] or type(error).__name__
                raise DamagedFile(file, f"is damaged: {message}", expected="a bundle", fix=_FIX) from None
        _check_run_log(file, into, contents)
        _take_memory(into, contents)
    except FileNotFoundError:
        shutil.rmtree(into, ignore_errors=True)
        raise PitwallError(f"{file} is not there.", "Make one with: pitwall bundle RUN") from None
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise
    return contents


def _contents(file: Path, archive: zipfile.ZipFile) -> Contents:
    """Read the bundle's contents, and compare its list of files with the archive."""
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(entries) > _MOST_FILES or len(set(names)) != len(names):
        raise DamagedFile(file, "names a file twice, or too many", expected="a bundle", fix=_FIX)
    if CONTENTS not in names:
        raise DamagedFile(file, f"is no bundle: it holds no {CONTENTS}", fix="Make one: pitwall bundle RUN")
    text = _read_contents(file, archive)
    plain = parse_json(text, f"{file}: {CONTENTS}", fix=_FIX)
    manifest = plain if isinstance(plain, dict) else {}
    if manifest.get("kind") != KIND:
        raise DamagedFile(file, "is no bundle", expected=f"kind {KIND!r} in {CONTENTS}", fix=_FIX)
    version = manifest.get("v")
    if isinstance(version, int) and version > VERSION:
        raise PitwallError(
            f"{file} was made by a newer Pitwall: its form is {version}, this one reads {VERSION}.",
            "Upgrade Pitwall, or ask for the run as an export.",
        )
    try:
        contents = Contents.model_validate_json(text)
    except ValidationError as error:
        where, problem = first_fault(error)
        raise DamagedFile(file, problem, key=f"{CONTENTS}: {where}", fix=_FIX) from None
    _check_entries(file, entries, contents)
    return contents


def _read_contents(file: Path, archive: zipfile.ZipFile) -> str:
    with archive.open(CONTENTS) as stream:
        content = read_at_most(stream, _MOST_CONTENTS + 1)
    if len(content) > _MOST_CONTENTS:
        raise DamagedFile(file, f"has a {CONTENTS} that is too big", fix=_FIX)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise DamagedFile(file, f"has a {CONTENTS} that is no text", fix=_FIX) from None


def _check_entries(file: Path, entries: list[zipfile.ZipInfo], contents: Contents) -> None:
    listed = {entry.filename: entry for entry in entries if entry.filename != CONTENTS}
    for name, entry in listed.items():
        shown = ascii(name[:120])
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if not may_contain(
            entry.orig_filename, contents.run_id
        ):  # Windows exchanges \ for / in the other name
            raise DamagedFile(file, f"holds a file that leads elsewhere: {shown}", fix=_FIX)
        if entry.is_dir() or kind not in (0, stat.S_IFREG):
            raise DamagedFile(file, f"holds {shown}, which is a link or no file", fix=_FIX)
        if entry.flag_bits & 1:
            raise DamagedFile(file, f"holds {shown}, which is encrypted", fix=_FIX)
    for name in sorted(listed.keys() ^ contents.files.keys()):
        where = "is missing" if name in contents.files else "is not in its list"
        raise DamagedFile(file, f"is damaged: {name[:120]!a} {where}", fix=_FIX)
    if RUN_LOG not in listed:
        raise DamagedFile(file, f"is damaged: {RUN_LOG} is missing", fix=_FIX)
    for name, packed in contents.files.items():
        if listed[name].file_size != packed.bytes:
            raise DamagedFile(file, f"is damaged: {name} has another size than its list says", fix=_FIX)
    if contents.content_hash() != contents.sha256:
        raise DamagedFile(file, "is damaged: its list of files has another hash than it says", fix=_FIX)
    whole = sum(packed.bytes for packed in contents.files.values())
    if whole > _FREE_BYTES + _MOST_RATIO * file.stat().st_size:
        raise DamagedFile(
            file,
            f"would unpack to {whole:,} bytes, more than a bundle of its size can hold",
            expected=f"at most {_MOST_RATIO} times its size",
            fix=_FIX,
        )


def _unpack(
    file: Path, archive: zipfile.ZipFile, contents: Contents, into: Path, progress: Told | None
) -> None:
    whole = sum(packed.bytes for packed in contents.files.values())
    if shutil.disk_usage(into).free < whole + _FREE_BYTES:
        raise PitwallError(f"{file} needs {whole:,} bytes; the disk has less.", "Free some space.")
    done = 0
    for name, packed in contents.files.items():
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        digest, left = hashlib.sha256(), packed.bytes
        with archive.open(name) as source, target.open("xb") as out:
            while piece := source.read(min(_PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise DamagedFile(file, f"is damaged: {name} is longer than it says", fix=_FIX)
                digest.update(piece)
                out.write(piece)
                done += len(piece)
                if progress is not None and progress(done, whole) is False:
                    raise PitwallError("opening the bundle was cancelled.")
        if left or digest.hexdigest() != packed.sha256:
            raise DamagedFile(file, f"is damaged: {name} has another hash than it says", fix=_FIX)


def _check_run_log(file: Path, into: Path, contents: Contents) -> None:
    """Refuse a file that is not a run log, or that would run code when it is read."""
    database = into / RUN_LOG
    if damage := find_damage(database):
        raise DamagedFile(file, f"holds a run log that is damaged: {damage}", fix=_FIX)
    try:
        with contextlib.closing(raw_connection(database, "ro")) as connection:
            wanted = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            if connection.execute(wanted).fetchone() is not None:
                raise DamagedFile(file, "holds a run log with triggers, which Pitwall never makes", fix=_FIX)
    except SqliteError as error:
        raise DamagedFile(file, f"holds a run log that cannot be read: {error}", fix=_FIX) from None
    with contextlib.closing(RunReader(DataFolder(into))) as reader:
        row = reader.run(contents.run_id)
    if row.manifest.game_id != contents.game_id:
        raise DamagedFile(file, "holds another run than it says", fix=_FIX)


def _take_memory(into: Path, contents: Contents) -> None:
    """Import the bundle's entries as a memory, and check its hash."""
    file = into / MEMORY
    if not file.is_file():
        return
    with MemoryStore.open(DataFolder(into), role="bundle") as store:
        taking = ImportMemory(path=str(file), format="jsonl", as_snapshot=True)
        by = Provenance(author="import", reason=f"of run {contents.run_id}'s bundle")
        kept = store.apply([taking, RestoreSnapshot(content_hash=contents.memory)], by)
    if kept.what:
        raise DamagedFile(f"{file.name} of the bundle", f"is damaged: {kept.what}", fix=_FIX)
