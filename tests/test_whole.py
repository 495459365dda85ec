"""Files appear whole or not at all: errors, interrupts, full disks, links, directories in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.flow.data.save import save
from chetaev.output_files import reason, whole


def names(place: Path) -> list[str]:
    return sorted(file.name for file in place.iterdir())


@pytest.mark.parametrize(
    "content", ["Größe", "Größe".encode(), lambda path: path.write_text("Größe", "utf-8")]
)
def test_what_is_written_stands_there_alone(content: object, tmp_path: Path) -> None:
    assert whole(tmp_path / "a.txt", content) == tmp_path / "a.txt"  # type: ignore[arg-type]
    assert (tmp_path / "a.txt").read_text("utf-8") == "Größe"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()]
)
def test_what_fails_leaves_what_stood_there(error: BaseException, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")

    def write(path: Path) -> None:
        path.write_text("half")
        raise error

    with pytest.raises((ch.ModelError, KeyboardInterrupt, MemoryError)):
        whole(tmp_path / "a.txt", write, force=True)
    assert names(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_link_is_followed_if_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("a.txt")
    with pytest.raises(ch.ModelError, match=r"is a link to 'a\.txt'"):
        whole(tmp_path / "link.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "old"
    whole(tmp_path / "link.txt", "new", force=True)
    assert (tmp_path / "a.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 251 + ".txt")
    assert whole(path, "x").read_text() == "x"


def test_what_cannot_be_written_is_said_in_words_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(ch.ModelError, match="cannot be written: No such file or directory\n") as caught:
        whole(tmp_path / "no" / "a.nc", lambda path: 1 / 0)
    assert "nothing was left" in caught.value.remedy
    with pytest.raises(ch.ModelError, match="it is a directory"):
        whole(tmp_path, "x")
    assert reason(OSError("(errno = 28, error message = 'No space left on device', buf = 0x1)")) == (
        "No space left on device"
    )


def test_a_directory_of_the_user_is_not_replaced(tmp_path: Path) -> None:
    motion = ch.simulate(ch.load("knife-edge"), until=0.1, at=3)
    for name in ("motion.nc", "motion.zarr"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.txt").write_text("years of work")
        with pytest.raises(ch.ModelError, match="directory"):
            save(motion, tmp_path / name)
        assert names(tmp_path / name) == ["thesis.txt"]


@pytest.mark.slow
def test_a_store_is_replaced_by_a_store(tmp_path: Path) -> None:
    import xarray

    for until in (0.1, 0.2):
        save(ch.simulate(ch.load("knife-edge"), until=until, at=3), tmp_path / "motion.zarr")
    assert names(tmp_path) == ["motion.zarr"]
    assert float(xarray.open_zarr(tmp_path / "motion.zarr").time[-1]) == 0.2


FULL = """
import resource, signal, sys
import chetaev as ch
from chetaev.flow.data.save import save
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
motion = ch.simulate(ch.load("knife-edge"), until=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
try:
    save(motion, sys.argv[1])
except ch.ModelError as error:
    print(error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize("suffix", [".nc", ".zarr", ".csv", ".json"])
@pytest.mark.slow
def test_a_full_disk_is_a_sentence(suffix: str, tmp_path: Path) -> None:
    environment = {**os.environ, "CHETAEV_CACHE": "off"}
    command = [sys.executable, "-c", FULL, str(tmp_path / f"motion{suffix}")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "cannot be written: File too large" in done.stdout
    assert names(tmp_path) == []
