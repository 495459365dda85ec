"""Write the generated pages, and the site.

python docs/build.py                 write docs/gallery.md, docs/errata.md and the picture of docs/analysis.md
python docs/build.py --check         only say whether they are up to date (exit status 1 if not)
python docs/build.py --html DIR      write all pictures and, as HTML, all pages into DIR (docs extra needed)

The site needs nothing from outside when it is read: no fonts and no scripts from other servers.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import disc_stability
import errata

import chetaev as ch

HERE = Path(__file__).resolve().parent
NAVIGATION = {
    "Start": {
        "All pages": "index.md",
        "The model language": "model-language.md",
        "Dynamics": "dynamics.md",
        "The gallery": "gallery.md",
        "The study": "study.md",
        "Published claims": "claims.md",
        "Errata": "errata.md",
    },
    "Equations": {
        "Classification": "classification.md",
        "Equations": "equations.md",
        "Quasi-velocities": "quasi.md",
        "Words": "glossary.md",
        "Signs": "signs.md",
        "Variations": "variations.md",
        "Field equations": "field-equations.md",
    },
    "Motions": {
        "Simulation": "simulate.md",
        "Schemes": "schemes.md",
        "Ensembles": "ensembles.md",
        "Clusters": "clusters.md",
        "Play": "play.md",
        "Plotting": "plotting.md",
        "Views": "views.md",
        "Habits": "python.md",
    },
    "Laws": {
        "Laws": "laws.md",
        "Symmetries": "symmetries.md",
        "Momenta and brackets": "hamilton.md",
        "Running degenerate systems": "dirac.md",
        "Phase spaces": "poisson.md",
    },
    "Reduction": {
        "Reduction": "reduction.md",
        "Reduction with a Lagrangian": "chaplygin.md",
        "Lie algebras": "algebra.md",
        "The sleigh": "sleigh.md",
        "Rolling bodies": "bodies.md",
    },
    "Analysis": {
        "Steady motions and stability": "analysis.md",
        "Periodic orbits": "orbits.md",
        "Control": "control.md",
    },
    "Reference": {
        "Exactness": "exactness.md",
        "Geometry": "geometry.md",
        "Prolongations": "prolongations.md",
        "The calculus along ρ": "along-rho.md",
        "Compiled loops": "compiled.md",
        "Benchmarks": "benchmarks.md",
        "Scope": "scope.md",
    },
}
GALLERY_HEAD = """\
# The gallery

<!-- Written by docs/build.py from the model files; `make docs` writes it anew. -->

These {count} systems come with the package. `chetaev show NAME` shows one, `ch.load("NAME")` loads it. Each
file says in its comments what its coordinates are. In the table m is the number of coordinates;
constraints are counted by the level at which they are given: p for positions, v for velocities, a for
accelerations. The kind is what [classification](classification.md) says. The ids in the sources are those of
the [ledger](scope.md).

"""


def gallery_page() -> str:
    """The page of the gallery: a table, then each system with its summary and source."""
    rows = ["| name | system | m | constraints | forces | kind |", "|---|---|---:|---|---|---|"]
    sections = []
    names = ch.gallery()
    for name in names:
        system = ch.load(name)
        levels = (
            ("p", system.position_constraints),
            ("v", system.velocity_constraints),
            ("a", system.acceleration_constraints),
        )
        counts = " ".join(f"{len(equations)}{letter}" for letter, equations in levels if equations)
        forces = "yes" if system.forces else ""
        size = len(system.coordinates)
        kind = "phase space" if system.dynamics.hamiltonian is not None else ch.classify(system).kind
        rows.append(f"| [`{name}`](#{name}) | {system.name} | {size} | {counts} | {forces} | {kind} |")
        text = f"## {name}\n\n**{system.name}.** {system.summary}\n\n"
        shown = levels if system.dynamics.hamiltonian is None else levels[:1]
        listed = [f"`{equation}`" for _, equations in shown for equation in equations]
        if listed:
            text += f"Constraint{'s' if len(listed) > 1 else ''}: " + ", ".join(listed) + "\n\n"
        sections.append(text + f"Source: {system.source}\n")
    return GALLERY_HEAD.format(count=len(names)) + "\n".join(rows) + "\n\n" + "\n".join(sections)


def pictures() -> None:
    """The moving picture of the first page, and a page to play with as a browser shows it."""
    disc = ch.load("rolling-disc")
    motion = ch.simulate(disc, until=4.0, at=161)
    ch.animate(motion, HERE / "figures" / "rolling-disc.gif", size=(520, 300), fps=16, force=True)
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("no chromium: docs/figures/play.png is left as it is", file=sys.stderr)
        return
    with TemporaryDirectory() as place:
        page = Path(place) / "play.html"
        made = ch.play(disc)
        made.save(page)
        picture = f"--screenshot={HERE / 'figures' / 'play.png'}"
        options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1200,1060")
        wait = "--virtual-time-budget=2500"  # milliseconds of the page's clock: the motion has begun
        subprocess.run(
            [browser, *options, wait, picture, f"{page.as_uri()}#t=1.4"], check=True, capture_output=True
        )


def html(target: Path) -> None:
    """Build the site with MkDocs; a page or a link that is missing is an error."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    config = load_config(
        config_file=io.BytesIO(),
        site_name="chetaev",
        docs_dir=str(HERE),
        site_dir=str(target.resolve()),
        nav=[
            {group: [{title: page} for title, page in pages.items()]} for group, pages in NAVIGATION.items()
        ],
        theme={"name": "mkdocs", "highlightjs": False},
        exclude_docs="*.py\n",
        use_directory_urls=False,
        strict=True,
    )
    build(config)


def main() -> int:
    """Do what the arguments ask."""
    parser = argparse.ArgumentParser(description="Write the generated pages, and the site.")
    parser.add_argument("--check", action="store_true", help="only say whether the pages are up to date")
    parser.add_argument("--html", type=Path, metavar="DIR", help="write the site into DIR")
    arguments = parser.parse_args()
    stale = []
    pages = {
        "gallery.md": gallery_page,
        "errata.md": errata.page,
        "disc-stability.svg": disc_stability.picture,
    }
    for name, text in ((name, write()) for name, write in pages.items()):
        page = HERE / name
        if arguments.check:
            if not page.exists() or page.read_text(encoding="utf-8") != text:
                stale.append(f"docs/{name}")
        else:
            page.write_text(text, encoding="utf-8")
    if stale:
        print(f"{' and '.join(stale)} not up to date; run: make docs", file=sys.stderr)
        return 1
    if arguments.html and not arguments.check:
        pictures()
        html(arguments.html)
    return 0


if __name__ == "__main__":
    sys.exit(main())
