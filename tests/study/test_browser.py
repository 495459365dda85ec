"""Reports in a real browser: no errors, no requests, equations that can be seen, an animation that moves."""

import base64

import pytest

import chetaev as ch
from browser import Page
from chetaev.study.study import study
from portions import parts
from study.test_study import HOSTILE, LARGEST

pytestmark = [pytest.mark.slow, pytest.mark.browser]

MODELS = [
    *parts(
        [
            "leibniz-particle",
            "pendulum-moving-support",
            "snakeboard",
            "rolling-disc",
            "appell-hamel",
            "relativistic-particle-homogeneous",
        ],
        1,
    ),
]


@pytest.fixture(scope="module", params=MODELS)
def page(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    made = study(ch.load(request.param), place / "out", budget=600)
    with Page(made.report, place / "profile") as opened:
        opened.study = made
        yield opened


def test_nothing_goes_wrong_and_nothing_is_asked_of_the_network(page):
    assert page.run("document.title") == f"{page.study.system.name} – chetaev"
    assert page.errors == []
    assert page.requests == [page.study.report.resolve().as_uri()]
    assert page.study.report.stat().st_size < LARGEST


def test_equations_can_be_seen(page):
    sizes = page.run("""[...document.querySelectorAll("section math")].filter((m) => m.checkVisibility())
        .map((m) => { const r = m.getBoundingClientRect(); return [r.width, r.height]; })""")
    assert len(sizes) > 20
    assert min(width for width, _ in sizes) > 3
    assert min(height for _, height in sizes) > 5
    fractions = page.run("""[...document.querySelectorAll("mfrac")].filter((m) => m.checkVisibility())
        .map((m) => [...m.children].map((c) => c.getBoundingClientRect()))
        .map(([above, below]) => above.bottom <= below.top + 2)""")
    assert all(fractions)


@pytest.mark.parametrize("width", [1200, 768, 360])
def test_nothing_is_wider_than_the_window(page, width):
    page.resize(width)
    page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.until(f"document.documentElement.scrollWidth <= {width}")  # plots follow the window a little later
    page.resize(1200)


def test_the_animation_moves_and_obeys(page):
    page.run("window.player = chetaevPlayers.scene; player.pause()")
    first, last = page.run("[player.scene.times[0], player.scene.times.at(-1)]")
    frames = [
        page.run(f"(player.seek({first + share * (last - first)}), player.canvas.toDataURL())")
        for share in (0, 0.4)
    ]
    assert frames[0] != frames[1], "two frames differ"
    page.run("player.seek(player.scene.times[0]); document.querySelector('.chetaev-play').click()")
    stopped = page.run("""new Promise((done) => { const first = player.time, look = () => {
        if (player.time == first) return requestAnimationFrame(look);
        const playing = player.playing; document.querySelector('.chetaev-play').click();
        done({ playing, after: player.playing, time: player.time }); }; look(); })""")
    assert stopped["playing"]
    assert not stopped["after"]
    page.frames(3)
    assert page.run("player.time") == stopped["time"] != first
    page.run("""(() => { const bar = document.querySelector('.chetaev-bar input[type=range]');
        bar.value = 0.5; bar.dispatchEvent(new Event('input')); })()""")
    assert page.run("player.time") == pytest.approx((first + last) / 2)


def test_every_plot_is_drawn(page):
    drawn = page.run("""[...document.querySelectorAll(".chetaev-plot")].map((p) => {
        const c = p.querySelector("canvas"), r = c.getBoundingClientRect();
        const ink = new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size;
        return [p.id, r.width, r.height, ink]; })""")
    static = [name for name, *_ in drawn if name]
    assert [f"plot-{p.key}" for p in page.study.pictures.plots] == static
    assert len(drawn) > len(static), "those beside the animation follow the sliders"
    assert all(width > 200 and height >= 150 and ink > 20 for _, width, height, ink in drawn)


def test_dark_and_light(page):
    paper = "getComputedStyle(document.body).backgroundColor"
    ink = "document.querySelector('.chetaev-plot canvas').toDataURL()"
    page.prefer("light")
    page.until(f"{paper} == 'rgb(255, 255, 255)'")
    page.frames()
    light = page.run(ink)
    page.prefer("dark")
    page.until(f"{paper} == 'rgb(20, 24, 31)'")
    page.until(f"{ink} != {light!r}")  # plots follow a little later
    page.prefer("light")
    page.until(f"{ink} == {light!r}")
    assert page.errors == []


def test_print(page):
    folded = "document.querySelectorAll('details:not([open]):not(.screen)').length"
    page.run("document.querySelectorAll('details').forEach((d, i) => { d.open = i == 0; })")
    before = page.run(folded)
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert page.run(folded) == 0
    page.run("window.dispatchEvent(new Event('afterprint'))")
    assert page.run(folded) == before
    printed = base64.b64decode(page.send("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF")
    assert len(printed) > 50_000
    assert page.errors == []


def test_on_paper_the_animation_is_light(page):
    middle = """(() => { const c = chetaevPlayers.scene.canvas, g = c.getContext("2d");
        return [...g.getImageData(2, 2, 1, 1).data].slice(0, 3); })()"""
    page.prefer("dark")
    page.run("chetaevPlayers.scene.pause(); window.dispatchEvent(new Event('beforeprint'))")
    assert page.run(middle) == [255, 255, 255]
    page.run("window.dispatchEvent(new Event('afterprint'))")
    assert max(page.run(middle)) < 100
    page.prefer("light")


def test_words_are_not_cut_off_in_a_narrow_window(page):
    page.resize(390)
    page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    wide = page.run("""[...document.querySelectorAll(".stack td")].filter((d) => !d.querySelector("math"))
        .filter((d) => d.getBoundingClientRect().right > window.innerWidth).map((d) => d.textContent)""")
    assert wide == []
    page.resize(1200)


def test_a_hostile_model_runs_nothing(tmp_path):
    made = study(ch.loads(HOSTILE), tmp_path / "out", budget=600)
    with Page(made.report, tmp_path / "profile") as opened:
        assert opened.run("document.title") == f"{made.system.name} – chetaev"
        assert opened.run("document.querySelector('h1').textContent") == made.system.name
        assert opened.run("document.querySelectorAll('main img, main b b, header b').length") == 0
        assert opened.errors == []
        assert len(opened.requests) == 1
