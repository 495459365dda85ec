"""Scenes to files: HTML, PNG, GIF, MP4; a file appears whole or not at all.

A file that chetaev did not write is overwritten only with ``force=True``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from chetaev.checked_arguments import count, number, shown
from chetaev.errors import ModelError
from chetaev.output_files import whole
from chetaev.view.player import standalone_html
from chetaev.view.scenes import Scene

SIZE = (800, 500)
MOST = 10**6
"""Most frames of a film."""
FPS = 25


def save_html(scene: Scene, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """A page with the animation."""
    return whole(path, standalone_html(_expected(scene)), force=force)


def save_png(
    scene: Scene,
    path: str | os.PathLike[str],
    *,
    time: float | None = None,
    size: tuple[int, int] = SIZE,
    theme: str = "light",
    force: bool = False,
) -> Path:
    """One frame as a PNG: the one next to a time, or the last one."""
    from chetaev.view.painted import render

    times = _expected(scene).times
    asked = times[-1] if time is None else number(time, "the time")
    if abs(asked - np.clip(asked, min(times), max(times))) > 1e-9 * np.ptp(times):
        raise ModelError(
            f"there is no frame at {asked:g}", expected=f"one from {times[0]:g} to {times[-1]:g}"
        )
    frame = int(np.argmin(np.abs(times - asked)))
    image = render(scene, frame, _checked(size), theme)
    return whole(path, lambda file: image.save(file, format="PNG"), force=force)


def save_frames(
    scene: Scene,
    directory: str | os.PathLike[str],
    *,
    count: int = 60,
    size: tuple[int, int] = SIZE,
    theme: str = "light",
) -> list[Path]:
    """Frames ``0000.png``, ``0001.png``, … in a directory that is made for them and must not exist."""
    target = Path(directory)
    if target.exists():
        raise ModelError(f"{str(directory)!r} exists already", remedy="name a directory that does not")
    images = enumerate(_images(scene, _evenly(scene, count), size, theme))

    def write(folder: Path) -> None:
        folder.mkdir()
        for i, image in images:
            image.save(folder / f"{i:04d}.png", format="PNG")

    whole(target, write, parents=True)
    return sorted(target.iterdir())


def save_gif(
    scene: Scene,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = (560, 350),
    fps: int = 20,
    most: int = 160,
    theme: str = "light",
    force: bool = False,
) -> Path:
    """A moving GIF at the speed of the scene, of at most so many frames."""
    images = list(_images(scene, _clock(scene, fps, most), size, theme))
    palette = _palette(images)
    few = [image.quantize(palette=palette, dither=0) for image in images]
    span = _duration(scene) / max(1, len(few) - 1)
    duration = max(20, round(1000 * min(span, 0.5)))

    def write(file: Path) -> None:
        few[0].save(
            file,
            format="GIF",
            save_all=True,
            append_images=few[1:],
            duration=duration,
            loop=0,
            optimize=False,
        )

    return whole(path, write, force=force)


def _palette(images: list[Any]) -> Any:
    """Colours for all frames: those of some of them, one below the other."""
    from PIL import Image

    some = [images[i] for i in np.unique(np.linspace(0, len(images) - 1, 12).round().astype(int))]
    width, height = some[0].size
    sheet = Image.new("RGB", (width, height * len(some)))
    for i, image in enumerate(some):
        sheet.paste(image, (0, i * height))
    # which keeps the colour of the paper
    return sheet.quantize(colors=255, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def save_mp4(
    scene: Scene,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = SIZE,
    fps: int = FPS,
    most: int = 1500,
    theme: str = "light",
    force: bool = False,
) -> Path:
    """A film; needs the program ffmpeg (see :func:`ffmpeg`)."""
    program = ffmpeg()
    size = (size[0] // 2 * 2, size[1] // 2 * 2)  # the codec wants even numbers
    frames = _clock(scene, fps, most)
    shape, rate = f"{size[0]}x{size[1]}", str(fps)
    command = f"-loglevel error -y -f rawvideo -pix_fmt rgb24 -s {shape} -r {rate} -i -".split()
    command = [program, *command, *["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]]

    def write(file: Path) -> None:
        with tempfile.TemporaryFile() as complaints:
            process = subprocess.Popen([*command, str(file)], stdin=subprocess.PIPE, stderr=complaints)
            assert process.stdin is not None
            try:
                for image in _images(scene, frames, size, theme):
                    process.stdin.write(image.tobytes())
                process.stdin.close()
            except BrokenPipeError:
                pass
            except BaseException:
                process.kill()
                raise
            finally:
                status = process.wait()
            if status:
                complaints.seek(0)
                said = complaints.read().decode("utf-8", "replace").strip().splitlines()
                raise OSError(None, f"ffmpeg failed: {said[-1] if said else status}")

    return whole(path, write, force=force)


def ffmpeg() -> str:
    """The program that makes films: that of the system, or the one that comes with ``chetaev[video]``."""
    found = shutil.which("ffmpeg")
    if found is not None and os.path.isabs(found):  # never one that lies in the current directory
        return found
    try:
        import imageio_ffmpeg

        found = str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError, OSError):
        found = None
    if found is None or not os.path.isabs(found):
        raise ModelError(
            "a film in MP4 needs the program ffmpeg, which is not there",
            remedy="install it with: pip install 'chetaev[video]'; or write a .gif or .html file",
        )
    return found


def _checked(size: tuple[int, int]) -> tuple[int, int]:
    if not all(isinstance(s, int) and 16 <= s <= 8000 for s in size):
        raise ModelError(f"the size is {size!r}", expected="width and height in pixels, from 16 to 8000")
    return size


def _images(scene: Scene, frames: list[int], size: tuple[int, int], theme: str) -> Iterator[Any]:
    from chetaev.view.painted import rendered

    return rendered(scene, frames, _checked(size), theme)


def _duration(scene: Scene) -> float:
    """Seconds that the showing takes."""
    return abs(float(scene.times[-1] - scene.times[0])) / scene.speed


def _evenly(scene: Scene, many: int) -> list[int]:
    times = _expected(scene).times
    many = min(count(many, "the number of frames", 1, MOST), len(times))
    return [int(i) for i in np.linspace(0, len(times) - 1, many).round()]


def _clock(scene: Scene, fps: int, most: int) -> list[int]:
    """The frames nearest to the ticks of the film's clock."""
    times = _expected(scene).times
    fps, most = count(fps, "fps", 1, 1000), count(most, "the most frames", 2, MOST)
    ticks = np.linspace(times[0], times[-1], int(np.clip(round(_duration(scene) * fps) + 1, 2, most)))
    return [int(np.argmin(np.abs(times - t))) for t in ticks]


def _expected(value: Any) -> Scene:
    if not isinstance(value, Scene):
        raise ModelError(f"a scene is {shown(value)}", expected="what chetaev.view.scene or ch.animate gives")
    return value
