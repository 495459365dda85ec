"""Pictures in files are painted by the script that paints in pages."""

import numpy as np
import pytest

import chetaev as ch
from browser import Page
from chetaev.view import scene, standalone_html
from chetaev.view.painted import Painter, color, render
from view.motions import motion, system


def test_the_script_draws_every_body():
    show = scene(system("double-pendulum"), motion("double-pendulum"))
    orders = Painter(show, (400, 300), "light").orders(5)
    drawn = {name for name, *_ in orders}
    assert {"fill", "stroke", "ball"} <= drawn
    assert sum(name == "ball" for name, *_ in orders) == sum(b.kind == "dot" for b in show.bodies)


def test_shadows_fall_on_the_plane_and_not_beside_it():
    orders = Painter(scene(system("rolling-disc"), motion("rolling-disc")), (400, 300), "light").orders(5)
    names = [name for name, *_ in orders]
    assert names.index("save") < names.index("clip") < names.index("restore")


@pytest.mark.parametrize(
    ("style", "alpha", "expected"),
    [
        ("#010203", 1.0, (1, 2, 3, 255)),
        ("rgb(9,8,7)", 0.5, (9, 8, 7, 128)),
        ("rgba(0,0,0,.38)", 1.0, (0, 0, 0, 97)),
    ],
)
def test_colours(style, alpha, expected):
    assert color(style, alpha) == expected


def test_dark_colours_are_lifted_on_a_dark_page():
    show = scene(system("double-pendulum"), motion("double-pendulum"))
    ink = {
        theme: {style for name, style, *_ in Painter(show, (300, 200), theme).orders(3) if name == "stroke"}
        for theme in ("light", "dark")
    }
    assert ink["light"] != ink["dark"]


@pytest.mark.slow
@pytest.mark.browser
def test_page_and_export_are_the_same_picture(tmp_path):
    show = scene(system("rolling-disc"), motion("rolling-disc"))
    file = tmp_path / "page.html"
    file.write_text(standalone_html(show, autoplay=False), encoding="utf-8")
    with Page(file, tmp_path / "profile", 900, 700) as page:
        page.run("chetaevPlayers['chetaev-player'].seek(3)")
        width, height, *rest = page.run("""(() => { const c = chetaevPlayers['chetaev-player'].canvas;
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            return [c.width, c.height, ...d]; })()""")
    seen = np.array(rest, dtype=float).reshape(height, width, 4)[..., :3]
    frame = int(np.argmin(abs(show.times - 3)))
    ours = np.asarray(render(show, frame, (width, height)), dtype=float)
    assert np.abs(seen - ours).mean() < 3, "of 255: fonts, seams and edges differ"
    assert np.abs(seen - 251).mean() > 5, "there is something to see"


def test_a_scene_is_said_in_one_line():
    show = ch.animate(motion("knife-edge"))
    assert "\n" not in repr(show)
    assert len(repr(show)) < 120
