"""Files that chetaev did not write are neither overwritten nor deleted; what it wrote it knows."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import xarray

import chetaev as ch
from chetaev.cli import run
from chetaev.flow.data.save import SUFFIXES, save
from chetaev.output_files import Manifest, content_hash, whole
from chetaev.view import save_gif, save_html, save_png, scene
from portions import some

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such files here")
KNIFE = ["simulate", "knife-edge", "--until", "0.1", "-o"]


@pytest.fixture(scope="module")
def motion() -> xarray.Dataset:
    return ch.simulate(ch.load("knife-edge"), until=0.1, at=3)


def tree(path: Path) -> str:
    return content_hash(path)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_chetaev_wrote_is_replaced(suffix: str, tmp_path: Path, motion: xarray.Dataset) -> None:
    path = save(motion, tmp_path / f"motion{suffix}")
    first = tree(path)
    later = ch.simulate(ch.load("knife-edge"), until=0.2, at=3)
    save(later, path)
    assert tree(path) != first
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    save(later, path)


@pytest.mark.parametrize("suffix", [".nc", ".csv", ".json"])
def test_what_chetaev_did_not_write_is_kept(suffix: str, tmp_path: Path, motion: xarray.Dataset) -> None:
    path = tmp_path / f"motion{suffix}"
    path.write_text("years of work")
    with pytest.raises(ch.ModelError, match="exists already") as caught:
        save(motion, path)
    assert "--force" in caught.value.remedy
    assert "force=True" in caught.value.remedy
    assert path.read_text() == "years of work"
    save(motion, path, force=True)
    assert path.read_bytes() != b"years of work"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_was_changed_by_hand_is_kept(suffix: str, tmp_path: Path, motion: xarray.Dataset) -> None:
    path = save(motion, tmp_path / f"motion{suffix}")
    file = path / "notes.txt" if path.is_dir() else path
    with file.open("ab") as stream:
        stream.write(b"my own line")
    before = tree(path)
    with pytest.raises(ch.ModelError, match="exists already"):
        save(motion, path)
    assert tree(path) == before
    save(motion, path, force=True)
    assert tree(path) != before


@pytest.mark.slow
def test_a_directory_that_merely_looks_like_a_store_is_kept(tmp_path: Path, motion: xarray.Dataset) -> None:
    for mark in (".zgroup", "zarr.json"):
        store = tmp_path / f"{mark[1:3]}.zarr"
        store.mkdir()
        (store / mark).write_text("{}")
        (store / "thesis.txt").write_text("years of work")
        with pytest.raises(ch.ModelError, match="exists already"):
            save(motion, store)
        assert (store / "thesis.txt").read_text() == "years of work"
        save(motion, store, force=True)
        assert not (store / "thesis.txt").exists()


def test_a_directory_that_is_no_store_is_kept_even_with_force(tmp_path: Path, motion: xarray.Dataset) -> None:
    for name in ("motion.nc", "motion.zarr", "motion.csv"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.txt").write_text("years of work")
        with pytest.raises(ch.ModelError, match="it is a directory"):
            save(motion, tmp_path / name, force=True)
        assert (tmp_path / name / "thesis.txt").read_text() == "years of work"


@posix
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("kind", "linked"),
    [("pipe", False), ("pipe", True), ("socket", False), ("socket", True), ("device", True)],
)
def test_devices_pipes_and_sockets_are_never_replaced(
    kind: str, force: bool, linked: bool, tmp_path: Path, motion: xarray.Dataset
) -> None:
    path = tmp_path / "there"
    server = socket.socket(socket.AF_UNIX)
    with server:
        match kind:
            case "pipe":
                os.mkfifo(path)
            case "socket":
                old = Path.cwd()
                os.chdir(tmp_path)  # the name of a socket must be short
                try:
                    server.bind("there")
                finally:
                    os.chdir(old)
            case "device":
                path = Path("/dev/full") if Path("/dev/full").exists() else Path("/dev/null")
        target = tmp_path / "motion.csv"
        if linked:
            target.symlink_to(path)
        else:  # but for devices, which have no suffix of ours
            path.rename(target)
        before = os.stat(target)
        with pytest.raises(ch.ModelError, match=kind if force or not linked else "is a link to"):
            save(motion, target, force=force)
        after = os.stat(target)
        assert (before.st_mode, before.st_rdev, before.st_ino) == (after.st_mode, after.st_rdev, after.st_ino)
        assert target.is_symlink() == linked


@posix
def test_a_link_is_not_followed_without_being_asked(tmp_path: Path, motion: xarray.Dataset) -> None:
    victim, link = tmp_path / "victim.csv", tmp_path / "link.csv"
    victim.write_text("years of work")
    link.symlink_to(victim)
    with pytest.raises(ch.ModelError, match="is a link to"):
        save(motion, link)
    assert victim.read_text() == "years of work"
    own = save(motion, tmp_path / "own.csv")
    link.unlink()
    link.symlink_to(own)
    with pytest.raises(ch.ModelError, match="is a link to"):
        save(motion, link)
    link.unlink()
    link.symlink_to(tmp_path / "nothing.csv")
    with pytest.raises(ch.ModelError, match="is a link to"):
        save(motion, link)
    save(motion, link, force=True)
    assert link.is_symlink()
    assert (tmp_path / "nothing.csv").exists()


def test_the_command_line_asks_before_it_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "motion.csv"
    assert run([*KNIFE, str(target)]) == 0
    assert run([*KNIFE, str(target)]) == 0
    target.write_text("mine")
    with monkeypatch.context() as patch:
        patch.setattr("chetaev.flow.data.simulate.simulate", None)  # it is not even run
        assert run([*KNIFE, str(target)]) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run([*KNIFE, str(target), "--force"]) == 0
    assert target.read_text() != "mine"


def test_without_a_home_nothing_is_known_and_nothing_is_written_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    whole("a.txt", "one")
    with pytest.raises(ch.ModelError, match="exists already"):
        whole("a.txt", "two")
    whole("a.txt", "two", force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.few(1)
@pytest.mark.parametrize("save_scene", [save_html, save_png, save_gif])
def test_pictures_are_treated_alike(save_scene: Callable[..., Path], tmp_path: Path) -> None:
    system = ch.load("knife-edge")
    show = scene(system, ch.simulate(system, until=0.1, at=3))
    path = tmp_path / "picture"
    path.write_text("a photograph")
    with pytest.raises(ch.ModelError, match="exists already"):
        save_scene(show, path)
    assert path.read_text() == "a photograph"
    save_scene(show, path, force=True)
    save_scene(show, path)


@pytest.mark.parametrize("path", [None, 7, 1.5, ["a.nc"], "", "a\0.nc", "..", "x" * 5000 + ".nc"])
def test_what_is_no_name_is_a_sentence(path: object, motion: xarray.Dataset) -> None:
    with pytest.raises(ch.ModelError):
        save(motion, path)  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError):
        whole(path, "text")  # type: ignore[arg-type]


# --- a study's directory ------------------------------------------------------------------------------------


def bare() -> ch.System:
    return ch.System(coordinates=["x"], lagrangian="x'^2/2", name="free")


@pytest.mark.slow
def test_a_study_replaces_what_a_study_wrote(tmp_path: Path) -> None:
    for _ in range(2):
        assert ch.study(bare(), tmp_path, budget=600).complete
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    shutil.copytree(tmp_path, moved)
    assert ch.study(bare(), moved, budget=600).complete, "the manifest goes with the directory"


@pytest.mark.slow
@pytest.mark.parametrize("name", some(["equations.tex", "report.html", "study.json", "trajectory.nc"], 4))
def test_a_study_keeps_what_it_did_not_write(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("written by hand")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ch.ModelError, match="exists already"):
        ch.study(bare(), tmp_path, budget=600)
    assert (tmp_path / name).read_text() == "written by hand"
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, "notes.txt"])
    assert run(["study", "nonholonomic-particle", "-o", str(tmp_path), "--budget", "600"]) == 2
    assert "--force" in capsys.readouterr().err
    ch.study(bare(), tmp_path, budget=600, force=True)
    assert not (tmp_path / name).exists() or (tmp_path / name).read_bytes() != b"written by hand"
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_a_file_of_a_study_that_was_changed_by_hand_is_kept(tmp_path: Path) -> None:
    ch.study(bare(), tmp_path, budget=600)
    with (tmp_path / "equations.tex").open("a") as file:
        file.write("% my notes")
    with pytest.raises(ch.ModelError, match=r"equations\.tex"):
        ch.study(bare(), tmp_path, budget=600)
    assert (tmp_path / "equations.tex").read_text().endswith("% my notes")


@pytest.mark.slow
def test_a_study_does_not_follow_links(tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("mine")
    directory = tmp_path / "study"
    directory.mkdir()
    (directory / "report.html").symlink_to(tmp_path / "mine.html")
    with pytest.raises(ch.ModelError, match="is a link to"):
        ch.study(bare(), directory, budget=600)
    ch.study(bare(), directory, budget=600, force=True)
    assert (tmp_path / "mine.html").read_text() == "mine"


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "7", '{"files": {}}', '{"written by": "chetaev", "files": 7}', "[" * 100_000, "\x00"],
)
def test_a_manifest_of_somebody_else_is_kept(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ch.ModelError, match="manifest"):
        ch.study(bare(), tmp_path, budget=600)
    assert (tmp_path / "manifest.json").read_text() == text
    assert Manifest(tmp_path).read() is None


@posix
def test_a_manifest_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(ch.ModelError, match="manifest"):
        ch.study(bare(), tmp_path, budget=600)


def test_a_store_of_pickles_is_not_opened(tmp_path: Path) -> None:
    """Reading a pickle can run any program; the word may be hidden by an escape."""
    store = ch.save(ch.simulate(ch.load("knife-edge"), until=0.1, at=2), tmp_path / "motion.zarr")
    assert ch.read(store).sizes["time"] == 2
    entry = json.loads((store / "x/.zarray").read_text())
    entry["filters"] = [{"id": "pickle"}]
    (store / "x/.zarray").write_text(json.dumps(entry).replace("pickle", "\\u0070ickle"))
    with pytest.raises(ch.ModelError, match="pickled objects"):
        ch.read(store)
