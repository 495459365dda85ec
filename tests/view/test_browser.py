"""The player in a real browser: no errors, no requests, it moves, its controls work."""

from contextlib import contextmanager

import pytest

from browser import Page
from chetaev.view import library_html, player_html, scene, standalone_html
from view.motions import motion, system

pytestmark = pytest.mark.browser


@contextmanager
def opened(html, tmp_path):
    """A page in a browser of its own; nothing goes wrong there and nothing is asked of the network."""
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    with Page(file, tmp_path / "profile", 900, 700) as page:
        yield page
        assert page.errors == []
        assert page.requests == [file.as_uri()]


@pytest.mark.slow
def test_the_player_moves_and_obeys(tmp_path):
    show = scene(system("rolling-disc"), motion("rolling-disc"))
    script = """new Promise((done) => {
      const p = chetaevPlayers["chetaev-player"], bar = document.querySelector(".chetaev-bar");
      p.pause(); p.seek(0); const a = p.canvas.toDataURL();
      p.seek(5); const b = p.canvas.toDataURL(), sought = p.time;
      const slider = bar.querySelector("input");
      slider.value = "0.25"; slider.dispatchEvent(new Event("input"));
      const scrubbed = p.time;
      const press = (key) => p.canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
      press("ArrowLeft"); press("+"); const turned = p.view; bar.querySelectorAll("button")[2].click();
      const back = p.view;
      p.canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, ctrlKey: true }));
      const nearer = p.view.zoom;
      p.seek(0); p.play();
      const look = () => { const moved = p.time;
        if (moved == 0) return requestAnimationFrame(look);
        const playing = p.playing; p.pause();
        done({ differ: a !== b, sought, scrubbed, turned, back, nearer, moved, playing, paused: !p.playing,
               buttons: [...bar.querySelectorAll("button")].map((x) => x.textContent) }); };
      look(); })"""
    with opened(standalone_html(show), tmp_path) as page:
        result = page.run(script)
    assert result["differ"], "two frames differ"
    assert result["sought"] == 5
    assert result["scrubbed"] == pytest.approx(2.5)
    assert result["turned"]["azimuth"] != result["back"]["azimuth"] == show.camera.azimuth
    assert result["turned"]["zoom"] > result["back"]["zoom"] == 1
    assert result["nearer"] > 1
    assert result["moved"] > 0
    assert result["playing"]
    assert result["paused"]
    assert result["buttons"][:4] == ["Play", "Loop", "Reset", "Picture"]


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_several_players_on_a_page(tmp_path, dark):
    names = [
        "ball-on-rotating-table",
        "car-with-trailers-2",
        "disc-on-incline",
        "pursuit",
        "suslov",
        "semiholonomic-cone",
    ]
    parts = [player_html(scene(system(n), motion(n)), f"p{i}", library=False) for i, n in enumerate(names)]
    page = "<!DOCTYPE html><html><head></head><body>" + library_html() + "".join(parts) + "</body></html>"
    script = """({ all: Object.keys(chetaevPlayers).map((k) => { const p = chetaevPlayers[k]; p.pause();
        const t = p.scene.times, end = t[t.length - 1]; p.seek(t[0]); const a = p.canvas.toDataURL();
        p.seek(end / 2); return a !== p.canvas.toDataURL(); }),
      paper: getComputedStyle(document.querySelector(".chetaev-player")).backgroundColor })"""
    with opened(page, tmp_path) as shown:
        shown.prefer("dark" if dark else "light")
        result = shown.run(script)
    assert result["all"] == [True] * len(names)
    assert (result["paper"] == "rgb(23, 27, 32)") == dark
