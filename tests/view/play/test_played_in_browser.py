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
from chetaev.view.player import page_html

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
