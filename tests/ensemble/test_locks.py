"""One sweep at a time: the kernel's lock where there is one, elsewhere a file with the owner's name."""

from __future__ import annotations

import errno
import json
import os
import platform
from pathlib import Path

import filelock
import pytest

import chetaev as ch
from chetaev.ensemble.store_places import OWNER, Directory, Remote, locked

DISC = ch.load("rolling-disc")


@pytest.fixture(params=["directory", "without locks", "address"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Directory | Remote:
    def none_here(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    if request.param == "without locks":
        monkeypatch.setattr(filelock.FileLock, "acquire", none_here)
    return Remote(f"memory://{tmp_path.name}") if request.param == "address" else Directory(tmp_path)


def test_an_owner_at_work_is_named_and_no_lock_stays(place: Directory | Remote) -> None:
    with locked(place), pytest.raises(ch.ModelError, match=f"process {os.getpid()}"), locked(place):
        pass
    assert place.read(OWNER) is None
    with locked(place):
        pass


def test_the_owner_of_a_lost_machine_has_to_be_removed_where_no_kernel_locks(
    place: Directory | Remote, request: pytest.FixtureRequest
) -> None:
    place.write(OWNER, json.dumps({"host": "elsewhere", "process": 1}).encode())
    if request.node.callspec.params["place"] != "directory":
        with pytest.raises(ch.ModelError, match="process 1 on elsewhere") as caught, locked(place):
            pass
        assert "remove .chetaev/owner" in caught.value.remedy
        place.remove(OWNER)
    with locked(place):
        pass
    assert place.read(OWNER) is None


def test_a_lock_of_a_process_that_is_gone_is_none(place: Directory | Remote) -> None:
    gone = os.posix_spawn("/bin/true", ["/bin/true"], {})
    os.waitpid(gone, 0)
    place.write(OWNER, json.dumps({"host": platform.node(), "process": gone}).encode())
    with locked(place):
        pass
    assert place.read(OWNER) is None


def test_a_signature_that_cannot_be_read_is_somebody_s(tmp_path: Path) -> None:
    place = Remote(f"memory://{tmp_path.name}/damaged")
    for content in (b"", b"[]", b'{"host": 3}'):
        place.write(OWNER, content)
        with pytest.raises(ch.ModelError, match="another process"), locked(place):
            pass


def test_a_sweep_goes_on_where_no_kernel_locks(place: Directory | Remote) -> None:
    url = f"{place.url}/out.zarr"
    found = ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=url)
    assert found.status.values.tolist() == ["done"]
    again = ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=url)
    assert again.identical(found)
