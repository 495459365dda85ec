"""The equations of a study as a LaTeX document that compiles by itself, with any LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.model.display import latex_rows, sides
from chetaev.study.breaking import lines
from chetaev.study.greek import LETTERS

if TYPE_CHECKING:
    from chetaev.model.system import System
    from chetaev.study.study import Study

_HEAD = r"""% Written by chetaev {version}. Letters beyond Latin and Greek need lualatex or xelatex.
\documentclass[a4paper]{{article}}
\usepackage{{amsmath}}
\usepackage[margin=2cm]{{geometry}}
\allowdisplaybreaks
\setlength{{\parindent}}{{0pt}}
\begin{{document}}
"""
WIDTH = 80
LONGEST = 20_000
"""Formulations with longer LaTeX are left out: TeX takes minutes for them, and no one reads them."""


def equations_tex(study: Study) -> str:
    """The model and its equations of motion, formulation by formulation."""
    from chetaev import __version__

    system, data = study.system, study.data("equations")
    parts = [_HEAD.format(version=__version__), f"\\section*{{{escape(system.name)}}}"]
    parts += [escape(system.summary), "", escape(system.source), ""]
    parts.append("\\subsection*{The model}")
    parts.append(_block([_model_row(*row) for row in latex_rows(system)]))
    if system.position_constraints or system.velocity_constraints or system.acceleration_constraints:
        rule = multiplier_rule(system)
        parts.append(f"The sign of the multipliers: ${rule}$, where $f$ is left side minus right side.\n")
    for form in data["forms"]:
        parts.append(_form(form))
    if data.get("solution"):
        parts.append(f"\\subsection*{{Solved for the accelerations ({escape(data['solution']['form'])})}}")
        parts.append(_equations(data["solution"]["latex"], data["solution"]["definitions_latex"]))
    parts.append("\\end{document}\n")
    return "\n".join(parts)


def multiplier_rule(system: System) -> str:
    r"""The equations with multipliers: reactions from ∂f/∂v, those of acceleration constraints from ∂f/∂a.

    >>> from chetaev import load
    >>> print(multiplier_rule(load("acceleration-constraint")).partition("= ")[2])
    F + \mu_{a} \frac{\partial f^{a}}{\partial a}
    """
    levels = [("v", [*system.position_constraints, *system.velocity_constraints])]
    levels.append(("a", [*system.acceleration_constraints]))
    left = "\\frac{d}{d t} \\frac{\\partial L}{\\partial v} - \\frac{\\partial L}{\\partial q} = F"
    for index, (by, _) in zip("ab", [level for level in levels if level[1]], strict=False):
        left += f" + \\mu_{{{index}}} \\frac{{\\partial f^{{{index}}}}}{{\\partial {by}}}"
    return left


def _model_row(label: str, formula: str) -> list[str]:
    left, right, number = sides(label, formula)
    made = lines(left, right, WIDTH)
    return [*made[:-1], made[-1] + (rf" \qquad ({number})" if number else "")]


def _form(form: dict[str, Any]) -> str:
    head = f"\\subsection*{{{escape(form['form'])}}}\n{escape(form['source'])}\n"
    return head + _equations(form["equations_latex"], form["definitions_latex"])


def _equations(pairs: list[list[str]], meanings: list[list[str]]) -> str:
    size = sum(len(a) + len(b) for a, b in [*pairs, *meanings])
    if not pairs:
        return "\nToo long to be read, and left out here.\n"
    if size > LONGEST:
        return (
            f"\nLeft out here, since it is too long to be read ({size} letters); it stands in study.json.\n"
        )
    text = _block([lines(left, right, WIDTH) for left, right in pairs])
    if meanings:
        text += "where\n" + _block([lines(left, right, WIDTH) for left, right in meanings])
    return text


def _block(rows: list[list[str]]) -> str:
    """Equations one below the other; the further lines of one are indented."""
    body = []
    for row in rows:
        body.append(f"& {row[0]}")
        body += [f"& \\qquad {{}} {line}" for line in row[1:]]
    joined = " \\\\\n".join(body)
    return f"\\begin{{align*}}\n{joined}\n\\end{{align*}}\n"


_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL |= {c: "\\" + c for c in "&%$#_{}"}
_SPECIAL |= {"–": "--", "—": "---", "“": "``", "”": "''", "’": "'", "…": r"\dots{}", "²": "$^2$", "³": "$^3$"}
_SPECIAL |= {"<": r"\textless{}", ">": r"\textgreater{}", "∂": r"$\partial$", "×": r"$\times$"}
_SPECIAL |= {"−": "$-$", "·": r"$\cdot$"} | {letter: f"$\\{name}$" for name, letter in LETTERS.items()}


def escape(text: str) -> str:
    r"""Plain text for LaTeX.

    >>> print(escape("50% of α_1"))
    50\% of $\alpha$\_1
    """
    return "".join(_SPECIAL.get(c, c) for c in text if c.isprintable() or c in "\n\t")
