"""One sweep at a time: locks of the kernel's where it has them, signs of life where it has none."""

from __future__ import annotations

import errno
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.ensemble import leases, locks
from chetaev.ensemble.leases import NAME, leased
from chetaev.ensemble.store_places import Directory, Remote

DISC = ch.load("rolling-disc")


@pytest.fixture(autouse=True)
def _short_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "BEAT", 0.05)


@pytest.fixture(params=["directory", "address"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Directory | Remote:
    return Directory(tmp_path) if request.param == "directory" else Remote(f"memory://{tmp_path.name}")


@pytest.mark.slow
def test_an_owner_at_work_is_named_and_a_silent_one_is_replaced(place: Directory | Remote) -> None:
    with leased(place), pytest.raises(ch.ModelError, match=f"process {os.getpid()}"), leased(place):
        pass
    assert place.read(NAME) is None
    place.write(NAME, json.dumps({"host": "elsewhere", "process": 1, "token": "a"}).encode())
    with leased(place) as expect_held:
        expect_held()
        assert b"elsewhere" not in (place.read(NAME) or b"")
    assert place.read(NAME) is None


def test_a_lock_of_a_process_that_is_gone_needs_no_waiting(
    place: Directory | Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = os.posix_spawn("/bin/true", ["/bin/true"], {})
    os.waitpid(gone, 0)
    place.write(NAME, json.dumps({"host": platform.node(), "process": gone}).encode())
    monkeypatch.setattr(leases, "BEAT", 1e9)
    with leased(place):
        pass
    assert place.read(NAME) is None


def test_an_owner_that_was_taken_for_lost_stops(place: Directory | Remote) -> None:
    def until_noticed(expect_held: Callable[[], None]) -> None:
        while True:
            place.write(NAME, b'{"host": "elsewhere", "process": 1, "token": "a"}')
            expect_held()

    with leased(place) as expect_held:
        expect_held()
        with pytest.raises(ch.ModelError, match="another sweep has taken"):
            until_noticed(expect_held)
    assert b"elsewhere" in (place.read(NAME) or b"")  # that is not ours to take away


def test_file_systems_without_locks_are_held_by_signs_of_life(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_here(_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locks, "_lock", none_here)
    store = tmp_path / "out.zarr"
    found = ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)
    assert found.status.values.tolist() == ["done"]
    assert not (store / NAME).exists()
    with leased(Directory(store)), pytest.raises(ch.ModelError, match="another sweep works on"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)


def test_a_sweep_whose_machine_was_lost_before_it_wrote_anything_goes_on(tmp_path: Path) -> None:
    url = f"memory://{tmp_path.name}/out.zarr"
    Remote(url).write(NAME, b'{"host": "elsewhere", "process": 1, "token": "a"}')
    found = ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=url)
    assert found.status.values.tolist() == ["done"]
    assert Remote(url).read(NAME) is None
