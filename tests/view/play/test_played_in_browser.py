"""A model that is played with in a real browser: it computes what the compiled integrators compute."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from browser import Page
from chetaev.view.play.play_page import SCRIPTS, coefficients, play_library_html
from chetaev.view.play.played_system import PlayedSystem, cannot_play
from chetaev.view.player import embedded, page_html

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@contextmanager
def opened(html: str, place: Path, width: int = 1200) -> Iterator[Any]:
    """A page in a browser of its own; nothing goes wrong there and nothing is asked of the network."""
    file = place / "page.html"
    file.write_text(html, encoding="utf-8")
    with Page(file, place / "profile", width, 900) as page:
        yield page
        assert page.errors == []
        assert page.requests == [file.as_uri()]


@contextmanager
def played(system: ch.System, place: Path, **options: Any) -> Iterator[Any]:
    with opened(ch.play(system, laws=[], **options).html(), place) as page:
        page.run("chetaev.player.pause()")
        yield page


def asked(page: Any, expression: str) -> Any:
    return json.loads(page.run(f"JSON.stringify({expression})"))


def test_every_gallery_model_moves_as_the_compiled_one(tmp_path: Path) -> None:
    """Another elimination, in another language: one number in a million, at the same tolerance."""
    differ, kept, short = {}, [], {"pendulum-moving-support": 1.0}  # chaotic ones over a shorter time
    with opened(f"<!doctype html><title>x</title>{play_library_html()}", tmp_path) as page:
        for name in ch.gallery():
            system = ch.load(name)
            if cannot_play(system):
                kept.append(name)
                continue
            one = PlayedSystem(system)
            end = system.state.t + min(system.until_value or 3.0, short.get(name, 3.0))
            motion = ch.simulate(system, until=end, tolerance=1e-11)
            programs = "{" + ",".join(f"{k}:{text}" for k, text in one.programs.items()) + "}"
            last = page.run(
                f"(() => {{ const m = chetaevMechanics({json.dumps(one.data)},{programs},{coefficients()});"
                f"m.parameters = {json.dumps([float(x) for x in one.model.values()])};"
                f"return Array.from(m.run(m.start({json.dumps(one.data['start'])}, [], []),"
                f"{float(motion.time[-1])!r}, {{tolerance: 1e-11}}).last); }})()"
            )
            names = [*system.coordinates, *(f"{c}_dot" for c in system.coordinates)]
            own = np.array([motion[n].values[-1] for n in names])
            differ[name] = np.abs(np.array(last[: len(own)]) - own).max() / max(1.0, np.abs(own).max())
    assert {"bouncing-ball", "stick-slip"} <= set(kept)
    assert len(differ) > 50
    assert {n: e for n, e in differ.items() if not e < 1e-6} == {}


def test_a_slider_moves_the_motion_and_asks_nobody(tmp_path: Path) -> None:
    disc = ch.load("rolling-disc")
    with played(disc, tmp_path) as page:
        before = asked(page, "chetaev.at(1)")
        page.run("""(() => { const s = document.querySelector('input[type=range][name=theta]');
          s.value = '0.2'; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); })()""")
        after = asked(page, "chetaev.at(1)")
        assert asked(page, "chetaev.until") == 10
    assert before["theta"] != after["theta"]
    for values, initial in ((before, {}), (after, {"theta": 0.2})):
        own = ch.simulate(disc, until=1.0, initial=initial, tolerance=1e-11)
        assert values == pytest.approx({n: float(own[n][-1]) for n in values}, abs=1e-6)


def test_a_parameter_moves_those_that_depend_on_it(tmp_path: Path) -> None:
    disc = ch.load("rolling-disc")
    with played(disc, tmp_path) as page:
        assert page.run("chetaev.set({R: 0.7, psi_dot: 4})")
        found = asked(page, "chetaev.at(2)")
    own = ch.simulate(disc, until=2.0, parameters={"R": 0.7}, initial={"psi_dot": 4}, tolerance=1e-11)
    assert found == pytest.approx({n: float(own[n][-1]) for n in found}, abs=1e-6)


def test_a_second_motion_is_seen_beside_the_first(tmp_path: Path) -> None:
    skate = ch.load("knife-edge")
    with played(skate, tmp_path) as page:
        page.run("chetaev.keep(); chetaev.set({phi_dot: 3})")
        assert page.run("chetaev.player.scene.bodies.some((b) => b.ghost)")
        states = "[chetaev.motions.main, chetaev.motions.beside].map((m) => Array.from(m.last))"
        one, other = asked(page, states)
        assert np.abs(np.array(one) - other).max() > 0.1
        page.run("chetaev.set({phi_dot: 1}); chetaev.beside('vakonomic')")
        end = page.run("chetaev.motions.beside.end")
        found = asked(page, "Array.from(chetaev.motions.beside.last)")
        start = asked(page, "chetaev.at(0)")
    initial = {n: start[n] for n in ("x", "y", "phi")} | {"phi_dot": start["phi_dot"]}
    initial |= {n: start[n] for n in ("x_dot",) if n in skate.initial.velocity}
    own = ch.vakonomic(skate, until=end, multipliers=[0], initial=initial, tolerance=1e-11)
    assert found[:3] == pytest.approx([float(own[c][-1]) for c in skate.coordinates], abs=1e-5)


def test_plots_and_scene_have_one_clock(tmp_path: Path) -> None:
    with played(ch.load("double-pendulum"), tmp_path) as page:
        page.run("chetaev.player.seek(0)")
        page.run("""(() => { const c = document.querySelector('.chetaev-plot canvas');
          const r = c.getBoundingClientRect(), place = {clientX: r.left + 0.6 * r.width, clientY: r.top + 40};
          c.dispatchEvent(new MouseEvent('click', place)); })()""")
        time = page.run("chetaev.player.time")
        assert 0.3 * page.run("chetaev.until") < time < 0.8 * page.run("chetaev.until")
        before = page.run("document.querySelector('.chetaev-plot output').textContent")
        page.run("chetaev.player.seek(0.1)")
        assert page.run("document.querySelector('.chetaev-plot output').textContent") != before


def test_a_body_is_dragged_to_a_new_start(tmp_path: Path) -> None:
    with played(ch.load("double-pendulum"), tmp_path) as page:
        before = asked(page, "chetaev.at(0)")
        page.run("""(() => { const p = chetaev.player, [w, h] = p.size; p.seek(0);
          const look = chetaevLook(p.scene, p.view, 0, 0, w, h);
          const b = p.scene.bodies.filter((x) => x.recipe && x.kind === 'dot').pop();
          const [x, y] = look.project(look.placed(b)), r = p.canvas.getBoundingClientRect();
          const fire = (type, dx, dy) => p.canvas.dispatchEvent(new PointerEvent(type,
            {pointerId: 1, clientX: r.left + x + dx, clientY: r.top + y + dy, bubbles: true}));
          p.canvas.setPointerCapture = () => {};
          fire('pointerdown', 0, 0); for (let k = 1; k < 9; k++) fire('pointermove', -4 * k, -3 * k);
          fire('pointerup', -32, -24); })()""")
        after = asked(page, "chetaev.at(0)")
    moved = {n for n in before if abs(before[n] - after[n]) > 1e-3}
    assert moved
    assert moved <= set(ch.load("double-pendulum").coordinates)


def test_what_cannot_be_is_a_sentence_and_the_last_motion_stays(tmp_path: Path) -> None:
    """On the rod of length 1 the abscissa 3 has no place; the law of x² y' is singular at x = 0."""
    rod = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - 9.8*y",
        constraints={"position": ["x^2 + y^2 = 1"]},
        initial={"x": 0.6, "x_dot": 0},
    )
    with played(rod, tmp_path, until=2.0) as page:
        before = asked(page, "chetaev.at(1)")
        assert not page.run("chetaev.set({x: 3})")
        assert "satisfy the constraints" in page.run("document.querySelector('.chetaev-status').textContent")
        assert page.run("chetaev.set({x: 0.6})")
        assert asked(page, "chetaev.at(1)") == pytest.approx(before, abs=1e-9)
        assert "there is no q" in page.run(
            "(() => { try { chetaev.set({q: 1}); } catch (e) { return e.message; } })()"
        )
        assert "not a finite number" in page.run(
            "(() => { try { chetaev.set({x: 'a'}); } catch (e) { return e.message; } })()"
        )
        assert page.run("chetaev.at(99)") is None


def test_a_motion_that_ends_says_where_and_why(tmp_path: Path) -> None:
    fall = ch.System(coordinates=["x"], lagrangian="x'^2/2 + 1/x", initial={"x": 1, "x_dot": 0})
    with played(fall, tmp_path, until=1.0) as page:
        page.run("chetaev.set({until: 3})")
        assert page.run("chetaev.until") == pytest.approx(np.pi / np.sqrt(8), abs=1e-4)
        assert "The motion ends at" in page.run("document.querySelector('.chetaev-status').textContent")


def test_a_link_restores_values_and_time(tmp_path: Path) -> None:
    html = ch.play(ch.load("rolling-disc"), laws=[]).html()
    with opened(html, tmp_path) as page:
        page.run("location.hash = '#theta=0.25&t=1.5'; location.reload()")
        page.until("window.chetaev && Math.abs(chetaev.player.time - 1.5) < 1e-9")
        assert asked(page, "chetaev.at(0)")["theta"] == pytest.approx(0.25, abs=1e-12)
        page.requests[1:] = []


def test_the_wheel_scrolls_the_page_and_ctrl_zooms(tmp_path: Path) -> None:
    with played(ch.load("knife-edge"), tmp_path) as page:
        turn = """(ctrlKey) => { const e = new WheelEvent('wheel', {deltaY: 99, ctrlKey, cancelable: true});
          chetaev.player.canvas.dispatchEvent(e); return e.defaultPrevented; }"""
        assert not page.run(f"({turn})(false)")
        assert page.run(f"({turn})(true)")
        assert page.run("getComputedStyle(chetaev.player.canvas).touchAction") == "pan-y"


def test_the_linearised_motion_of_a_pendulum(tmp_path: Path) -> None:
    """About rest: 1.2 cos t, while the pendulum itself is slower."""
    rest = ch.System(coordinates=["a"], lagrangian="a'^2/2 + cos(a)", initial={"a": 0, "a_dot": 0})
    with played(rest, tmp_path, until=6.0) as page:
        page.run("chetaev.set({a: 1.2}); chetaev.beside('linear')")
        found = asked(page, "Array.from(chetaev.motions.beside.last)")
        assert abs(asked(page, "chetaev.at(6)")["a"] - found[0]) > 0.3
    assert found == pytest.approx([1.2 * np.cos(6), -1.2 * np.sin(6)], abs=1e-6)


def test_a_map_of_stability_has_the_present_point_and_a_click_moves_it(tmp_path: Path) -> None:
    spring = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2 - k*x^2/2",
        forces={"x": "-c*x'"},
        parameters={"k": 1, "c": 0.5},
        initial={"x": 1, "x_dot": 0},
    )  # fmt: skip
    regions = ch.stability_map(spring, {"x": 0}, {"k": (-1, 2), "c": (-1, 1)}, points=9)
    with opened(ch.play(spring, laws=[], until=3.0, stability=regions).html(), tmp_path) as page:
        page.until("!!document.querySelector('#chetaev-player-map canvas')")
        page.run("""(() => { const c = document.querySelector('#chetaev-player-map canvas'),
          r = c.getBoundingClientRect(), X = r.left + 52 + 0.25 * (r.width - 60);
          const Y = r.top + 6 + 0.5 * (r.height - 26);
          c.dispatchEvent(new MouseEvent('click', {clientX: X, clientY: Y})); })()""")
        values = asked(page, "chetaev.values")
        assert values["k"] == pytest.approx(-0.25, abs=0.01)
        assert abs(values["c"]) < 0.02
        own = ch.simulate(spring, until=2.0, parameters={n: values[n] for n in "kc"}, tolerance=1e-11)
        assert asked(page, "chetaev.at(2)")["x"] == pytest.approx(float(own["x"][-1]), abs=1e-8)
        assert not page.errors
    regions.names = ("k", "q")
    elsewhere = ch.play(spring, laws=[], until=3.0, stability=regions)
    with pytest.raises(ch.ModelError, match="cannot vary"):
        elsewhere.html()


def test_traits_of_the_widget_move_sliders_and_sliders_set_traits(tmp_path: Path) -> None:
    """The script of the widget with a model like that of a notebook."""
    pytest.importorskip("anywidget")
    from chetaev.view.play.widget import SCRIPT

    disc = ch.load("rolling-disc")
    widget = ch.play(disc, laws=[], until=2.0).widget
    widget.R = 0.7
    assert widget.system.parameter_values["R"] == 0.7
    state = {name: getattr(widget, name) for name in ("page", "names", *widget.names)}
    script = SCRIPT.replace("export default", "window.widget =")
    html = f"""<!doctype html><title>x</title><link rel="icon" href="data:,"><div id="el"></div>
      <script type="application/json" id="state">{embedded(state)}</script><script>{script}
      const values = JSON.parse(document.getElementById("state").textContent), heard = {{}};
      window.model = {{ get: (n) => values[n], set: (n, x) => {{ values[n] = x; }},
        save_changes: () => {{ window.saved = 1; }}, on: (e, f) => {{ heard[e] = f; }},
        change: (n, x) => {{ values[n] = x; heard["change:" + n](); }} }};
      widget.render({{ model, el: document.getElementById("el") }});</script>"""
    with opened(html, tmp_path) as page:
        page.until("frames.length && frames[0].chetaev && frames[0].chetaev.values.R === 0.7")
        page.run("model.change('theta', 0.25)")
        assert page.run("frames[0].chetaev.at(0).theta") == pytest.approx(0.25)
        page.run("frames[0].chetaev.set({m: 2})")
        assert page.run("model.get('m')") == 2
        assert page.run("window.saved") == 1
        assert not page.errors


def test_a_finger_scrolls_the_page_over_the_picture(tmp_path: Path) -> None:
    with played(ch.load("knife-edge"), tmp_path) as page:
        page.send(
            "Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True
        )
        page.send("Emulation.setTouchEmulationEnabled", enabled=True)
        page.frames(3)
        assert page.run("document.documentElement.scrollWidth") == 390
        before = page.run("scrollY")
        top = page.run("chetaev.player.canvas.getBoundingClientRect().top")
        start, view = asked(page, "chetaev.at(0)"), asked(page, "chetaev.player.view")
        for kind, moved in (("touchStart", 0), *(("touchMove", 15 * k) for k in range(1, 11))):
            place = {"x": 150, "y": top + 250 - moved}
            page.send("Input.dispatchTouchEvent", type=kind, touchPoints=[place])
            page.frames(1)
        page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        page.until(f"scrollY > {before} + 100")
        assert asked(page, "chetaev.at(0)") == start
        assert asked(page, "chetaev.player.view") == view


def test_reduced_motion_waits_and_keys_step(tmp_path: Path) -> None:
    html = ch.play(ch.load("knife-edge"), laws=[], until=3.0).html()
    with opened(html, tmp_path) as page:
        page.send(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}]
        )
        page.send("Page.reload")
        page.until(
            "window.chetaev && chetaev.player && matchMedia('(prefers-reduced-motion: reduce)').matches"
        )
        page.frames(5)
        assert page.run("chetaev.player.time") == 0
        key = (
            "chetaev.player.canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', cancelable: true}))"
        )
        page.run(key % ".")
        assert page.run("chetaev.player.time") == pytest.approx(3 / 480)
        page.run(key % ",")
        assert page.run("chetaev.player.time") == 0
        page.requests[1:] = []


def test_without_scripts_there_is_a_sentence_and_a_picture(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    ch.play(ch.load("knife-edge"), laws=[]).save(file)
    with Page(file, tmp_path / "profile") as page:
        page.send("Emulation.setScriptExecutionDisabled", value=True)
        page.send("Page.reload")
        while not (root := page.send("DOM.getDocument", depth=-1))["root"].get("children"):
            pass
        search = page.send("DOM.querySelector", nodeId=root["root"]["nodeId"], selector="noscript img")
        box = page.send("DOM.getBoxModel", nodeId=search["nodeId"])["model"]
    assert box["width"] > 300
    assert box["height"] > 150


def test_all_scripts_are_brought_along() -> None:
    text = play_library_html()
    assert all(name in text for name in ("chetaevMechanics", "chetaevTracks", "chetaevPlots", "chetaevPlay"))
    assert len(SCRIPTS) == 4


def test_a_missed_escape_is_harmless(tmp_path: Path) -> None:
    """What is no script of ours is not run: the policy names those by their hashes."""
    page = ch.play(ch.load("knife-edge"), laws=[])
    wrong = '<img src="x" onerror="window.bad = 1"><script>window.bad = 2</script>'
    broken = page_html(page.scene, wrong + page.fragment())
    file = tmp_path / "page.html"
    file.write_text(broken, encoding="utf-8")
    with Page(file, tmp_path / "profile", 900, 700) as opened:
        assert opened.run("window.bad") is None
        assert opened.run("chetaev.until") == pytest.approx(12)
        assert any("Content Security Policy" in error for error in opened.errors)
