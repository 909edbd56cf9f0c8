"""One holder at a time, across real processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.store.lease import Lease, holder_of

_HOLDER = """
import sys, time
from pathlib import Path
from pitwall.core.paths import DataFolder
from pitwall.store.lease import Lease
lease = Lease(DataFolder(Path(sys.argv[1])), role="console")
lease.acquire()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def _holding(data: DataFolder) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(data.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_console_is_told_who_holds_the_folder(data: DataFolder) -> None:
    with _holding(data) as holder:
        with pytest.raises(
            DataFolderError, match=rf"in use by console with process id {holder.pid}\."
        ) as caught:
            Lease(data).acquire()
        assert str(data.root) in caught.value.what
        named = holder_of(data.lease)
        assert named is not None
        assert (named.pid, named.role) == (holder.pid, "console")


def test_a_killed_holder_leaves_nothing_to_clean_up(data: DataFolder) -> None:
    with _holding(data) as holder:
        holder.kill()
        holder.wait(60)
        assert str(holder.pid) in data.lease.read_text()
        assert holder_of(data.lease) is None
        with Lease(data) as lease:
            assert lease.held
            assert str(holder.pid) not in data.lease.read_text()


def test_a_released_lease_is_free_at_once(data: DataFolder) -> None:
    first, second = Lease(data), Lease(data)
    first.acquire()
    first.acquire()
    with pytest.raises(DataFolderError):
        second.acquire()
    assert not second.held
    first.release()
    first.release()
    assert holder_of(data.lease) is None
    second.acquire()
    second.release()


def test_a_holder_that_did_not_sign_is_another_program(data: DataFolder) -> None:
    with Lease(data):
        data.lease.write_text("gibberish")
        with pytest.raises(DataFolderError, match="in use by another program"):
            Lease(data).acquire()


def test_looking_does_not_take(data: DataFolder) -> None:
    assert holder_of(data.lease) is None
    with Lease(data):
        assert holder_of(data.lease) is not None
    assert holder_of(data.lease) is None
    assert not data.root.with_name("other").exists()
