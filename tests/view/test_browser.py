"""The player in a real browser: no errors, no requests, it moves, its controls work."""

import json
import re
import shutil
import subprocess

import pytest

from chetaev.view import library_html, player_html, scene, standalone_html
from view.motions import motion, system

pytestmark = pytest.mark.browser

CATCH = """<script>window.complaints = [];
window.addEventListener("error", (e) => complaints.push(String(e.message)));
for (const k of ["error", "warn"]) console[k] = (...a) => complaints.push(a.join(" "));</script>"""
PROBE = """<script>
const done = (result) => { result.complaints = complaints;
  const asked = performance.getEntriesByType("resource").map((e) => e.name);
  result.requests = asked.filter((name) => !name.startsWith("data:"));
  const out = document.createElement("pre"); out.id = "result"; out.textContent = JSON.stringify(result);
  document.body.append(out); };
try { %s } catch (e) { complaints.push("probe: " + e); done({}); }
</script>"""


def ask(page, script, tmp_path, *flags):
    """What a script says about a page, in a browser of its own."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    file = tmp_path / "page.html"
    page = page.replace("<head>", "<head>" + CATCH, 1).replace("</body>", PROBE % script + "</body>", 1)
    file.write_text(page, encoding="utf-8")
    command = [
        chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}", "--window-size=900,700", "--virtual-time-budget=3000",
        *flags, "--dump-dom", file.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    found = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    result = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert not result["complaints"]
    assert not result["requests"]
    return result


def test_the_player_moves_and_obeys(tmp_path):
    show = scene(system("rolling-disc"), motion("rolling-disc"))
    script = """
      const p = chetaevPlayers["chetaev-player"], bar = document.querySelector(".chetaev-bar");
      p.pause(); p.seek(0); const a = p.canvas.toDataURL();
      p.seek(5); const b = p.canvas.toDataURL(), sought = p.time;
      const slider = bar.querySelector("input");
      slider.value = "0.25"; slider.dispatchEvent(new Event("input"));
      const scrubbed = p.time;
      const press = (key) => p.canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
      press("ArrowLeft"); press("+"); const turned = p.view; bar.querySelectorAll("button")[2].click();
      const back = p.view;
      p.canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -200 })); const nearer = p.view.zoom;
      p.seek(0); p.play();
      setTimeout(() => { const moved = p.time; p.pause();
        done({ differ: a !== b, sought, scrubbed, turned, back, nearer, moved, playing: p.playing,
               buttons: [...bar.querySelectorAll("button")].map((x) => x.textContent) }); }, 800);
    """
    result = ask(standalone_html(show), script, tmp_path)
    assert result["differ"], "two frames differ"
    assert result["sought"] == 5
    assert result["scrubbed"] == pytest.approx(2.5)
    assert result["turned"]["azimuth"] != result["back"]["azimuth"] == show.camera.azimuth
    assert result["turned"]["zoom"] > result["back"]["zoom"] == 1
    assert result["nearer"] > 1
    assert result["moved"] > 0
    assert result["playing"] is False
    assert result["buttons"] == ["Play", "Loop", "Reset"]


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
    script = """
      const all = Object.keys(chetaevPlayers).map((k) => { const p = chetaevPlayers[k]; p.pause();
        const t = p.scene.times, end = t[t.length - 1]; p.seek(t[0]); const a = p.canvas.toDataURL();
        p.seek(end / 2); return a !== p.canvas.toDataURL(); });
      done({ all, paper: getComputedStyle(document.querySelector(".chetaev-player")).backgroundColor });
    """
    flags = ["--blink-settings=preferredColorScheme=0"] if dark else []
    result = ask(page, script, tmp_path, *flags)
    assert result["all"] == [True] * len(names)
    assert (result["paper"] == "rgb(23, 27, 32)") == dark
