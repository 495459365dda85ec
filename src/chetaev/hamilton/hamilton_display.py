"""Momenta, Hamiltonian and canonical equations as text and as formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError
from chetaev.expr.print import name_latex, to_latex
from chetaev.hamilton.long_formulas import readable

if TYPE_CHECKING:
    from chetaev.hamilton.momenta import Hamilton


def text(found: Hamilton) -> str:
    """What is known of the momenta of a system."""
    if found.exists is False:
        names = [c for c in found.system.coordinates if c not in found.independent]
        where = ", ".join(f"{c}'" for c in names)
        return f"no nonholonomic momenta with {where} dependent: condition (89) fails: {found.condition}"
    try:
        lines = [f"{name} = {readable(e)}" for name, e in found.momenta.items()]
    except ModelError as error:
        return error.message
    try:
        lines.append(f"H = {readable(found.hamiltonian)}")
        lines += [f"{name}' = {readable(e)}" for name, e in found.equations.items()]
    except ModelError as error:
        lines.append(error.message)
    return "\n".join(lines)


def latex(found: Hamilton) -> str:
    """The same as an aligned display: P_l = ∂L̄/∂q̇^l, H̄, then dq/dt and dP/dt."""
    stem, bar = (
        (r"\bar L", r"\bar H") if len(found.independent) < len(found.system.coordinates) else ("L", "H")
    )
    if found.exists is False:
        left, right = (
            rf"\frac{{\partial \bar B_{{l{a}}}}}{{\partial \dot q^{b}}}" for a, b in (("s", "r"), ("r", "s"))
        )
        return rf"{left} \neq {right}"
    try:
        momenta = list(found.momenta.items())
    except ModelError as error:
        return rf"\text{{{error.message}}}"
    rows = []
    for c, (name, e) in zip(found.independent, momenta, strict=True):
        origin = rf" = \frac{{\partial {stem}}}{{\partial \dot{{{name_latex(c)}}}}}" if found.affine else ""
        rows.append(rf"{name_latex(name)}{origin} &= {to_latex(e)}")
    try:
        rows.append(rf"{bar} &= {to_latex(found.hamiltonian)}")
        for name, e in found.equations.items():
            rows.append(rf"\frac{{d {name_latex(name)}}}{{dt}} &= {to_latex(e)}")
    except ModelError:
        pass
    return r"\begin{aligned}" + " \\\\\n".join(rows) + r"\end{aligned}"


def plain_data(found: Hamilton) -> dict[str, Any]:
    """The same for programs."""
    data: dict[str, Any] = {"exists": found.exists, "condition": str(found.condition), "regular": None}
    if found.exists is False:
        return data
    try:
        data |= {"momenta": {n: str(e) for n, e in found.momenta.items()}, "regular": found.regular}
        data["hamiltonian"] = str(found.hamiltonian)
        data["equations"] = {n: str(e) for n, e in found.equations.items()}
    except ModelError as error:
        data["not_closed"] = error.message
    try:
        data["energy_form"] = found.energy_form.to_json()
    except ModelError:
        data["energy_form"] = None
    return data
