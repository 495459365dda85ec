"""Studies from end to end: their files, what stands in them, and that nothing in a model can break out."""

import json
import re
from pathlib import Path

import pytest
import xarray

import chetaev as ch
from chetaev.cli import run
from chetaev.study.study import study
from portions import parts

FILES = ["equations.tex", "manifest.json", "report.html", "study.json", "trajectory.nc"]
LARGEST = 900_000
REPORTS = (
    "ball-on-rotating-table",
    "decelerated-particle",
    "pendulum-cartesian",
    "semiholonomic-cone",
    "sleigh-on-q",
)
"""Models of many kinds: affine, rheonomic, holonomic, integrable, without a Lagrangian."""


def names(directory):
    return sorted(path.name for path in Path(directory).iterdir())


def check_files(directory):
    """Every file of a study that exists is whole."""
    directory = Path(directory)
    assert not [n for n in names(directory) if n.startswith(".")]
    report = (directory / "report.html").read_text(encoding="utf-8")
    assert report.startswith("<!DOCTYPE html>")
    assert report.rstrip().endswith("</html>")
    assert len(report) < LARGEST
    outside = re.sub(r"<script[ >].*?</script>", "", report, flags=re.DOTALL)
    assert not [
        link
        for link in re.findall(r"<[^<>]*?\s(?:src|href)=(\S+)", outside)
        if link[1:2] != "#" and link[1:6] != "data:"
    ]
    data = json.loads((directory / "study.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    if (directory / "equations.tex").exists():
        tex = (directory / "equations.tex").read_text(encoding="utf-8")
        assert tex.rstrip().endswith(r"\end{document}")
        check_tex(tex)
    if (directory / "trajectory.nc").exists():
        with xarray.open_dataset(directory / "trajectory.nc", engine="h5netcdf") as motion:
            assert motion.sizes["time"] > 0
    return report, data


def check_tex(tex):
    """Braces, brackets and environments are balanced; no dollar is open."""
    bare = re.sub(r"\\[{}$%#&_\\]", "", re.sub(r"(?<!\\)%.*", "", tex))
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") % 2 == 0
    assert re.findall(r"\\begin\{(.*?)\}", bare).count("align*") == re.findall(r"\\end\{(.*?)\}", bare).count(
        "align*"
    )
    assert len(re.findall(r"\\left\b", bare)) == len(re.findall(r"\\right\b", bare))
    for block in re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", bare, re.DOTALL):
        assert block.strip()
        assert "\n\n" not in block


@pytest.fixture(scope="module")
def disc(tmp_path_factory):
    return study(ch.load("rolling-disc"), tmp_path_factory.mktemp("disc"), budget=600)


@pytest.mark.slow
def test_the_disc(disc):
    assert disc.complete
    assert disc.agree
    assert names(disc.directory) == FILES
    report, data = check_files(disc.directory)
    assert [data["stages"][name]["status"] for name in data["stages"]] == ["done"] * 10
    assert data["classification"]["holonomy"] == "nonholonomic"
    assert data["agreement"]["agree"]
    energy, *momenta = data["laws"]["laws"]
    assert energy["conserved"]
    assert energy["relative_drift"] < 1e-8
    assert [law["coordinate"] for law in momenta] == ["x", "y", "psi"]
    assert data["motion"]["check_error"] < 1e-6
    assert data["motion"]["largest_residual"] < 1e-9  # a bound that holds on every processor
    with xarray.open_dataset(disc.directory / "trajectory.nc", engine="h5netcdf") as motion:
        assert float(abs(motion["residual"]).max()) < 1e-12
    assert data["system"]["name"] == "Rolling disc"
    assert ch.loads(data["model"]) == disc.system
    assert disc.motion.sizes["time"] == data["motion"]["points"]
    for words in (
        "This is a nonholonomic system",
        "Energy is conserved because",
        "d’Alembert",
        "BibTeX",
        "seed 0",
    ):
        assert words in report
    assert "not done yet" not in report
    assert "did not come out" not in report


@pytest.mark.slow
def test_every_section_is_there_and_has_something_in_it(disc):
    report = disc.report.read_text(encoding="utf-8")
    sections = dict(re.findall(r'<section id="(\w+)">(.*?)</section>', report, re.DOTALL))
    assert list(sections) == [
        "animation",
        "model",
        "classification",
        "equations",
        "agreement",
        "laws",
        "symmetries",
        "hamilton",
        "steady",
        "claims",
        "motion",
        "provenance",
    ]
    for name, text in sections.items():
        assert len(re.sub(r"<[^>]*>", "", text).split()) > 5, name
    assert report.count("<math>") > 100
    assert "<code>" not in sections["equations"]


@pytest.mark.slow
def test_plots_are_those_of_the_issue(disc):
    assert [plot.key for plot in disc.pictures.plots] == [
        "path", "multipliers", "reactions", "laws",
    ]  # fmt: skip
    assert [plot.key for plot in disc.pictures.plots if plot.logarithmic] == ["laws"]
    data = disc.pictures.data
    assert len(data["panels"]) == len(data["columns"]) == 4
    assert all(len(column) == len(data["times"]) for panel in data["columns"] for column in panel)


@pytest.mark.slow
def test_a_notebook_shows_the_summary_and_a_link(disc):
    html = disc._repr_html_()
    assert "<h3>Rolling disc</h3>" in html
    assert f'href="{disc.report.as_posix()}"' in html
    assert str(disc).endswith(f"report: {disc.report}")


@pytest.mark.slow
def test_a_second_study_leaves_nothing_of_the_first(tmp_path):
    particle = ch.load("nonholonomic-particle")
    study(particle, tmp_path, budget=600)
    assert names(tmp_path) == FILES
    bare = ch.System(coordinates=["x"], lagrangian="x'^2/2")
    made = study(bare, tmp_path, budget=600)
    assert names(tmp_path) == ["equations.tex", "manifest.json", "report.html", "study.json"]
    assert made.complete
    assert made.outcomes["motion"].status == "left out"
    report, _ = check_files(tmp_path)
    assert "The model has no initial state" in report
    assert "chetaevMount(" not in report


HOSTILE = r"""
name = "<script>alert(1)</script> & größe \\frac{a}{b} $x$ %#_ 轮子 {{7*7}} </title>"
summary = "<img src=x onerror=alert(1)> </script><script>document.title='bad'</script> \"quotes\" \\input{x}"
source = "</style><b>bold</b> {% raw %} https://example.org/paper?x=1&y=2 50% of $100_x^2"
coordinates = ["größe", "θ₁", "x_a_b", "速度"]
[parameters]
"Ω" = 2
[dynamics]
lagrangian = "(größe'^2 + θ₁'^2 + x_a_b'^2 + 速度'^2)/2 - Ω*größe^2 - x_a_b"
[constraints]
velocity = ["x_a_b' = θ₁*größe' + 速度"]
[initial.velocity]
"θ₁" = 1
"größe" = 0.1
"速度" = 0.2
[run]
until = 1
"""


@pytest.mark.slow
def test_nothing_in_a_model_breaks_out(tmp_path):
    made = study(ch.loads(HOSTILE), tmp_path, budget=600)
    assert made.outcomes["motion"].status == made.outcomes["pictures"].status == "done"
    report, data = check_files(tmp_path)
    assert data["system"]["name"].startswith("<script>alert")
    for text in ("<script>alert", "<img src=x", "document.title='bad'</script>", "<b>bold", "</style><b>"):
        assert text not in report
    assert "{{7*7}}" in report
    head = report.partition("</head>")[0]
    assert head.count("<title>") == head.count("</title>") == 1
    assert head.count("<style>") == head.count("</style>") == 1
    assert "<script>" not in made._repr_html_()


@pytest.mark.slow
def test_a_run_that_ends_early_is_kept_and_said(tmp_path):
    text = """
    name = "Blow-up"
    coordinates = ["x"]
    [dynamics]
    lagrangian = "x'^2/2 + x^4/4"
    [initial.position]
    x = 1
    [initial.velocity]
    x = 1
    [run]
    until = 50
    """
    made = study(ch.loads(text), tmp_path, budget=600)
    assert made.complete
    report, data = check_files(tmp_path)
    assert data["motion"]["status"] != "done"
    assert "It ended early" in report
    assert "The motion ended early" in made.summary()[-1]


@pytest.mark.slow
def test_a_singular_lagrangian_is_said(tmp_path):
    text = """
    coordinates = ["x", "y"]
    [dynamics]
    degenerate = true
    lagrangian = "x'^2/2 + y*x'"
    """
    made = study(ch.loads(text), tmp_path, budget=600)
    report, _ = check_files(tmp_path)
    assert "singular" in report
    assert "The equations leave 1 of 2 accelerations open" in report
    assert "with a degenerate Lagrangian, which leaves 1 of 2 degrees of freedom" in made.summary()[0]
    assert not any("constraints depend" in said for said in made.summary())
    assert made.outcomes["equations"].fine
    assert made.agree


@pytest.mark.slow
def test_a_small_budget_still_gives_a_report(tmp_path, capsys):
    status = run(["study", "rolling-disc", "-o", str(tmp_path / "out"), "--budget", "1", "--json"])
    printed = capsys.readouterr()
    data = json.loads(printed.out)
    stopped = [s for s in data["stages"].values() if s["status"] == "out of time"]
    assert status == (1 if stopped else 0)
    assert all("larger budget" in s["message"] for s in stopped)
    assert data["stages"]["motion"]["status"] == "done"
    assert "classification" in printed.err
    report, _ = check_files(tmp_path / "out")
    assert 'id="scene"' in report


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf"), "1", True])
def test_a_wrong_budget_is_refused(tmp_path, budget):
    with pytest.raises(ch.ModelError, match="budget"):
        study(ch.load("knife-edge"), tmp_path / "out", budget=budget)
    assert not (tmp_path / "out").exists()


def test_only_systems_are_studied(tmp_path):
    with pytest.raises(ch.ModelError, match=r"ch\.study was given 'rolling-disc'"):
        study("rolling-disc", tmp_path)


@pytest.mark.parametrize("name", parts([*REPORTS, *sorted({*ch.gallery()} - {*REPORTS})], 2))
def test_every_model_of_the_gallery_has_a_report(tmp_path, name):
    made = study(ch.load(name), tmp_path, budget=600)
    check_files(tmp_path)
    assert made.outcomes["pictures"].status == "done"
    assert made.agree


@pytest.mark.slow
def test_an_energy_of_zero_is_steady_and_has_no_relative_drift(tmp_path):
    system = ch.System(
        name="Zero",
        coordinates=["x", "z"],
        lagrangian="(x'^2 + z'^2)/2 - z*(1 + z)",
        constraints=["x' = z*z'"],
        initial={"x": 0, "z": -1, "z_dot": 0},
        until=3,
    )
    done = study(system, tmp_path, budget=600)
    energy = done.data("laws")["laws"][0]
    assert energy["first"] == 0
    report = done.report.read_text(encoding="utf-8")
    assert "(relative 1)" not in report
    keys = [plot.key for plot in done.pictures.plots]
    assert "energy" not in keys
