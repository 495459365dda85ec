"""The equations of a study as a LaTeX document that compiles by itself, with any LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chetaev.expr.graph.node import Expr, definitions
from chetaev.expr.print import latex, page
from chetaev.expr.print.broken_lines import lines
from chetaev.expr.print.layout import Layout, Name
from chetaev.expr.print.names import LETTERS
from chetaev.model.system_display import ModelFormula, rows
from chetaev.study.report_formulas import multiplier_rule

if TYPE_CHECKING:
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


NONE_LEFT = "\nNo equation is left: the constraints determine the motion.\n"


def equations_tex(study: Study) -> str:
    """The model and its equations of motion, formulation by formulation."""
    from chetaev import __version__

    system, data = study.system, study.data("equations")
    parts = [_HEAD.format(version=__version__), f"\\section*{{{escape(system.name)}}}"]
    parts += [escape(system.summary), "", escape(system.source), ""]
    parts.append("\\subsection*{The model}")
    parts.append(_block([_model_row(row) for row in rows(system)]))
    if (rule := multiplier_rule(system)) is not None:
        told = f"The sign of the multipliers: ${latex(rule)}$, where $f$ is left side minus right side.\n"
        parts.append(told)
    values = study.values("equations") or {"forms": [], "solution": []}
    for form, (shown, valid) in zip(data["forms"], values["forms"], strict=True):
        pairs = [(*page(e.lhs), e.rhs) for e in shown]
        head = f"\\subsection*{{{escape(form['form'])}}}\n{escape(form['source'])}\n"
        below = f"${valid.latex()}$\n" if valid.latex() else ""
        body = _equations(pairs, *(e.lhs for e in shown)) if pairs or form["letters"] else NONE_LEFT
        parts.append(head + body + below)
    if data.get("solution"):
        parts.append(f"\\subsection*{{Solved for the accelerations ({escape(data['solution']['form'])})}}")
        parts.append(_equations(values["solution"]))
    for title, pairs in study.values("hamilton") or []:
        parts.append(f"\\subsection*{{{escape(title)}}}\n" + _equations([(*page(f), e) for f, e in pairs]))
    parts.append("\\end{document}\n")
    return "\n".join(parts)


def _model_row(row: ModelFormula) -> list[str]:
    made = _lines(row.left, row.right)
    return [*made[:-1], made[-1] + (rf" \qquad ({latex(row.label)})" if row.label else "")]


def _lines(left: Layout, right: Layout) -> list[str]:
    return [latex(line) for line in lines(left, right, WIDTH)]


def _equations(pairs: Sequence[tuple[Layout, Expr]], *others: Expr) -> str:
    """Equations, and below them what their names mean; `others` are expressions on their left sides."""
    if not pairs:
        return "\nToo long to be read, and left out here.\n"
    meanings = [(Name(d.value), d.args[0]) for d in definitions(*others, *(right for _, right in pairs))]
    blocks = [[(left, *page(right)) for left, right in part] for part in (pairs, meanings)]
    size = sum(len(latex(side)) for block in blocks for pair in block for side in pair)
    if size > LONGEST:
        return (
            f"\nLeft out here, since it is too long to be read ({size} letters); it stands in study.json.\n"
        )
    text, where = ("".join([_block([_lines(*pair) for pair in block])] if block else []) for block in blocks)
    return f"{text}where\n{where}" if where else text


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
