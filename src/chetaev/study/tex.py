"""The equations of a study as a LaTeX document that compiles by itself."""

from __future__ import annotations

from typing import Any

from chetaev.model.display import system_latex
from chetaev.model.system import System

_HEAD = r"""\documentclass{article}
\usepackage{amsmath}
\usepackage[margin=2cm]{geometry}
\allowdisplaybreaks
\begin{document}
"""


def equations_tex(system: System, data: dict[str, Any]) -> str:
    """The model and its equations of motion, formulation by formulation."""
    parts = [_HEAD, f"\\section*{{{escape(system.name)}}}\n", escape(system.summary), "\n"]
    parts.append(system_latex(system).replace("$$", "").join(("\\[\n", "\n\\]\n")))
    for form in data["forms"]:
        parts.append(f"\\subsection*{{{escape(form['form'])}}}\n{escape(form['source'])}\n")
        parts.append(f"\\[\n{form['latex']}\n\\]\n")
    parts.append("\\end{document}\n")
    return "\n".join(parts)


_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    c: "\\" + c for c in "&%$#_{}"
}


def escape(text: str) -> str:
    """Plain text for LaTeX."""
    return "".join(_SPECIAL.get(c, c) for c in text)
