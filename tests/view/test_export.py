"""Files appear whole or not at all."""

import sys

import numpy as np
import pytest

import chetaev as ch
from chetaev import output_files as whole
from chetaev.view import export, save_frames, save_gif, save_html, save_mp4, save_png, scene
from chetaev.view.painted import render
from view.motions import motion, system

SMALL = (120, 80)


@pytest.fixture(scope="module")
def show():
    return scene(system("rolling-disc"), motion("rolling-disc"))


def test_png_and_gif(show, tmp_path):
    from PIL import Image

    png = save_png(show, tmp_path / "a.png", time=3.0, size=SMALL)
    gif = save_gif(show, tmp_path / "a.gif", size=SMALL, most=6)
    with Image.open(png) as image:
        assert image.size == SMALL
        assert np.asarray(image).std() > 3
    with Image.open(gif) as image:
        assert image.n_frames == 6
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.gif", "a.png"]


def test_frames(show, tmp_path):
    files = save_frames(show, tmp_path / "frames", count=3, size=SMALL)
    assert [f.name for f in files] == ["0000.png", "0001.png", "0002.png"]
    with pytest.raises(ch.ModelError, match="exists already"):
        save_frames(show, tmp_path / "frames", count=3, size=SMALL)


def test_mp4(show, tmp_path):
    film = save_mp4(show, tmp_path / "a.mp4", size=SMALL, most=5)
    assert film.read_bytes()[4:8] == b"ftyp"
    assert [p.name for p in tmp_path.iterdir()] == ["a.mp4"]


def test_mp4_without_ffmpeg(show, tmp_path, monkeypatch):
    monkeypatch.setattr(export.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ch.ModelError, match="needs the program ffmpeg"):
        save_mp4(show, tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


def test_html_is_one_file_that_asks_for_nothing(show, tmp_path):
    page = save_html(show, tmp_path / "a.html").read_text(encoding="utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert page.count("<html") == 1


@pytest.mark.parametrize("save", [save_html, save_png, save_gif])
def test_what_cannot_be_written_leaves_nothing(show, tmp_path, save):
    options = {} if save is save_html else {"size": SMALL} | ({"most": 2} if save is save_gif else {})
    for target in (tmp_path / "none" / "a.x", tmp_path):
        with pytest.raises(ch.ModelError, match="cannot be written"):
            save(show, target, **options)
    assert not list(tmp_path.iterdir())


def test_an_interrupted_writer_leaves_the_old_file(show, tmp_path, monkeypatch):
    target = tmp_path / "a.html"
    target.write_text("old", encoding="utf-8")

    def stop(file, text):
        file.write_text(text[:100], encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr(whole, "_write", stop)
    with pytest.raises(KeyboardInterrupt):
        save_html(show, target, force=True)
    assert target.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]


def test_a_full_disk_is_a_sentence(show, tmp_path, monkeypatch):
    def full(file, text):
        file.write_text("half", encoding="utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole, "_write", full)
    with pytest.raises(ch.ModelError, match="No space left"):
        save_html(show, tmp_path / "a.html")
    assert not list(tmp_path.iterdir())


def test_sizes_are_checked(show, tmp_path):
    with pytest.raises(ch.ModelError, match="the size is"):
        save_png(show, tmp_path / "a.png", size=(0, 10))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["car-with-trailers-2", "disc-on-incline", "pursuit", "suslov", "semiholonomic-cone"]
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_rendered_frames_differ(name, theme):
    show = scene(system(name), motion(name))
    first, last = (np.asarray(render(show, k, SMALL, theme), dtype=int) for k in (0, len(show.times) // 2))
    assert np.abs(first - last).max() > 40
