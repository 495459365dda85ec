"""Stores: whole chunks or none, resumed after any end, refused where they are another sweep's."""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.ensemble.store_places import Directory, locked
from portions import SOAK, parts

DISC = ch.load("rolling-disc")
OVER = {"theta": "0.1:0.5:4", "psi_dot": [2, 8]}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills are signals")


def contents(store: Path) -> dict[str, str]:
    """Every file of a store but its lock, by a hash."""
    return {
        str(file.relative_to(store)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(store.rglob("*"))
        if file.is_file() and file.name != "lock"
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    store = tmp_path_factory.mktemp("whole") / "out.zarr"
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    return contents(store)


@pytest.mark.slow
def test_a_lost_or_damaged_chunk_is_computed_again_and_nothing_else(
    tmp_path: Path, whole: dict[str, str]
) -> None:
    store = tmp_path / "out.zarr"
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    assert contents(store) == whole
    (store / ".chetaev/chunks/00000000.json").unlink()
    damaged = store / "final/1.0"
    damaged.write_bytes(damaged.read_bytes()[:-8] + b"\0" * 8)
    before = (store / "final/2.0").stat().st_ino
    seen: list[float] = []
    ch.ensemble(DISC, OVER, until=1.0, store=store, progress=seen.append)
    assert seen[0] == 2 / 8  # the third chunk has two members
    assert contents(store) == whole
    assert (store / "final/2.0").stat().st_ino == before


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"until": 2.0}, "another until: there it is 1.0, here 2.0"),
        ({"over": {"theta": "0.1:0.6:4", "psi_dot": [2, 8]}}, "over other members"),
        ({"tolerance": 1e-8}, "another tolerance"),
        ({"parameters": {"m": 2}}, "another model"),
        ({"keep": ["initial"]}, "another keep"),
        ({"chunk": 5}, "in other chunks"),
        ({"seed": 1}, "over other members"),
        ({"over": dict(reversed(OVER.items()))}, "over other members"),
        ({"laws": {"b": "phi", "a": "theta"}}, "another laws"),
    ],
)
def test_the_store_of_another_sweep_is_refused(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    store = tmp_path / "out.zarr"
    asked = {"over": OVER, "until": 1.0, "store": store}
    ch.ensemble(DISC, **{**asked, **_undone(changed)})  # type: ignore[arg-type]
    before = contents(store)
    with pytest.raises(ch.ModelError, match=said):
        ch.ensemble(DISC, **{**asked, **changed})  # type: ignore[arg-type]
    assert contents(store) == before


def _undone(changed: dict[str, object]) -> dict[str, object]:
    """What was asked for first."""
    plain: dict[str, object] = {
        "tolerance": None, "parameters": None, "keep": ["final"], "chunk": 3, "seed": 0, "until": 1.0,
        "over": OVER, "laws": {"a": "theta", "b": "phi"},
    }  # fmt: skip
    return {key: plain[key] for key in changed}


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "out.zarr"
    ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)
    manifest = store / ".chetaev/manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": "0.0.1"}))
    with pytest.raises(ch.ModelError, match="another version of chetaev"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)
    manifest.write_text('{"format": 1}')
    with pytest.raises(ch.ModelError, match="format"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)


DAMAGE = {
    ".zmetadata": [b"", b'{"metadata": {', b"{}"],
    ".chetaev/manifest.json": [b"", b'{"format": 2, "chu', b"[]"],
    "final/.zarray": [None, b"", b'{"zarr_format": 2}'],
    ".zattrs": [b"{}", None],
    "final/.zattrs": [b"{}"],
    "state/0": [None, b"", b"zeros"],
    ".zgroup": [None],
}


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("name", "content"), [(name, one) for name, every in DAMAGE.items() for one in every]
)
def test_damaged_metadata_are_written_anew_and_no_chunk_is(
    tmp_path: Path, whole: dict[str, str], name: str, content: bytes | None
) -> None:
    store = tmp_path / "out.zarr"
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    if content is None:
        (store / name).unlink()
    else:
        (store / name).write_bytes(content)
    before = written(store)
    seen: list[float] = []
    again = ch.ensemble(DISC, OVER, until=1.0, store=store, progress=seen.append)
    assert seen[0] == 1.0
    assert contents(store) == whole
    assert written(store) == before
    assert again.final.shape == (8, 10)
    assert again.attrs["members"] == 8


def test_a_damaged_manifest_over_chunks_of_another_sweep_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "out.zarr"
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    (store / ".chetaev/manifest.json").write_bytes(b'{"format"')
    before = contents(store)
    for other in ({"until": 2.0}, {"chunk": 5}):
        with pytest.raises(ch.ModelError, match="damaged"):
            ch.ensemble(DISC, OVER, store=store, **{"until": 1.0, **other})
        assert contents(store) == before


def test_what_others_added_to_the_metadata_stays(tmp_path: Path) -> None:
    store = tmp_path / "out.zarr"
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    known = json.loads((store / ".zattrs").read_text())
    (store / ".zattrs").write_text(json.dumps({**known, "note": "for the thesis"}))
    ch.ensemble(DISC, OVER, until=1.0, store=store)
    assert json.loads((store / ".zattrs").read_text())["note"] == "for the thesis"


def test_what_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    with pytest.raises(ch.ModelError, match="no sweep"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=tmp_path / "letters")
    with pytest.raises(ch.ModelError, match=r"no sweep|cannot be"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=tmp_path / "letters" / "a.txt")


def test_what_others_put_into_a_store_is_never_written_to(tmp_path: Path) -> None:
    """No file is known by its name alone, no link is written through, no pipe is waited for."""
    precious = tmp_path / "precious"
    precious.write_text("dear")

    def refused(store: Path, words: str) -> None:
        with pytest.raises(ch.ModelError, match=words):
            ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)

    linked = tmp_path / "linked"
    (linked / ".chetaev").mkdir(parents=True)
    (linked / ".chetaev/lock").symlink_to(precious)
    refused(linked, "cannot be written")
    assert precious.read_text() == "dear"
    piped = tmp_path / "piped"
    (piped / ".chetaev").mkdir(parents=True)
    os.mkfifo(piped / ".chetaev/manifest.json")
    refused(piped, "no file")
    locked = tmp_path / "locked"
    (locked / ".chetaev").mkdir(parents=True)
    os.mkfifo(locked / ".chetaev/lock")
    refused(locked, "no file")
    foreign = tmp_path / "foreign"
    (foreign / ".chetaev").mkdir(parents=True)
    (foreign / ".chetaev/lock").write_text("")
    (foreign / ".zattrs").write_text("{}")
    refused(foreign, "no sweep")
    assert (foreign / ".zattrs").read_text() == "{}"


def test_a_sweep_that_ended_while_it_began_goes_on(tmp_path: Path, whole: dict[str, str]) -> None:
    store = tmp_path / "out.zarr"
    with locked(Directory(store)):
        pass
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    (store / ".zmetadata").unlink()
    (store / "final/.zarray").unlink()
    (store / "notes.part2").write_text("mine")
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    assert (store / "notes.part2").read_text() == "mine"
    (store / "notes.part2").unlink()
    assert contents(store) == whole


def test_two_sweeps_on_one_store_are_refused_and_no_lock_stays(tmp_path: Path) -> None:
    store = tmp_path / "out.zarr"
    with locked(Directory(store)), pytest.raises(ch.ModelError, match=f"process {os.getpid()}"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)
    ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=store)


@contextmanager
def as_one_who_is_not_root() -> Iterator[None]:
    """Root may write everywhere, so that root asks as nobody."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_directory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=tmp_path / "out.zarr")
    held_directory = Path(tempfile.mkdtemp())
    try:
        held_directory.chmod(0o555)
        with as_one_who_is_not_root(), pytest.raises(ch.ModelError, match="cannot be written"):
            ch.ensemble(DISC, {"theta": [0.1]}, until=0.1, store=held_directory / "out.zarr")
    finally:
        held_directory.rmdir()


def test_a_full_disk_is_a_sentence_and_costs_one_chunk(
    tmp_path: Path, whole: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, real, written = tmp_path / "out.zarr", os.fsync, []

    def full(number: int) -> None:
        written.append(number)
        if len(written) == 45:
            raise OSError(28, "No space left on device")
        real(number)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ch.ModelError, match="No space left"):
        ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    monkeypatch.undo()
    assert not list(store.rglob("*-part-*"))
    assert contents(store) != whole
    ch.ensemble(DISC, OVER, until=1.0, store=store, chunk=3)
    assert contents(store) == whole


COMMAND = [
    "sweep", "rolling-disc", "--grid", "theta=0.1:0.5:40", "--grid", "psi_dot=2,8", "--until", "5",
    "--chunk", "2", "-o", "out.zarr",
]  # fmt: skip


INTERRUPTED = "signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGINT)); "


def command(directory: Path, after: float = 0.0, interrupted: bool = False) -> int:
    """Run the command, to its end or until it has used so many seconds of its processor: not of any clock.

    The signal that comes then ends it at once, wherever it is, and leaves it no last words; or it is Ctrl-C.
    """
    timer, entry = f"signal.setitimer(signal.ITIMER_PROF, {after}); ", "from chetaev.cli import main; "
    run = "import os, signal, sys; sys.argv[0] = 'chetaev'; "
    run += (entry + INTERRUPTED + timer if interrupted else timer + entry) + "main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", run, *COMMAND], cwd=directory, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return done.returncode


def killed_and_resumed(directory: Path, moments: list[float], interrupted: bool = False) -> dict[str, str]:
    """The store after so many ends of the command, each at a moment, and one that is left to itself."""
    store = directory / "out.zarr"
    finished: dict[str, tuple[int, float]] = {}
    for moment in moments:
        command(directory, moment, interrupted)
        records = written(store)
        assert finished.items() <= records.items()  # nothing that was finished is lost or computed again
        finished = records
    assert command(directory) == 0
    assert finished.items() <= written(store).items()
    return contents(store)


def written(store: Path) -> dict[str, tuple[int, float]]:
    """The files of finished chunks, each with what tells it from one that is written again."""
    files = [
        name
        for record in store.glob(".chetaev/chunks/*.json")
        for name in (str(record.relative_to(store)), *json.loads(record.read_bytes())["files"])
    ]
    return {name: (found.st_ino, found.st_mtime) for name in files for found in [(store / name).stat()]}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], float]:
    """The store of the command that is left to itself, and how much of a processor it took."""
    directory = tmp_path_factory.mktemp("uninterrupted")
    assert command(directory) == 0
    whole = contents(directory / "out.zarr")
    shutil.rmtree(directory / "out.zarr")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert command(directory) == 0  # with all that is compiled
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert contents(directory / "out.zarr") == whole
    return whole, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("interrupted", parts([True, False], 1))
def test_killed_and_resumed_is_the_uninterrupted_store(
    tmp_path: Path, uninterrupted: tuple[dict[str, str], float], interrupted: bool
) -> None:
    (whole, used), draw = uninterrupted, random.Random(int(interrupted))
    moments = [draw.uniform(0, used) for _ in range(2)]
    assert killed_and_resumed(tmp_path, moments, interrupted) == whole


@pytest.mark.parametrize("part", range(3))
@pytest.mark.slow
@SOAK[1]
def test_thirty_kills_at_random_moments(
    tmp_path: Path, uninterrupted: tuple[dict[str, str], float], part: int
) -> None:
    (whole, used), draw = uninterrupted, random.Random(part)
    assert killed_and_resumed(tmp_path, [draw.uniform(0, used) for _ in range(10)]) == whole
