"""The Hamiltonian side of a study: momenta, Hamiltonian, brackets, Dirac's outcome (SCOPE K9, K24, B7, B13).

Blocks of formulas under a heading, and sentences; which ones depends on what the system has: a Poisson
bracket of its own, a Lagrangian that leaves accelerations open (Dirac's algorithm), or momenta.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.graph.node import ZERO, Expr, symbol
from chetaev.expr.print import to_latex, to_text
from chetaev.model.system import System

Data = dict[str, Any]
Pair = tuple[Expr, Expr]
EFFORT = 1_000_000
"""What each question of zero may cost if nothing else is said."""


class Told:
    """Blocks and sentences as they are found."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.blocks: list[tuple[str, list[Pair]]] = []
        self.words: list[str] = []
        self.freedom: list[str] = []
        """Degrees of freedom that Dirac's algorithm leaves, branch by branch."""

    def block(self, title: str, pairs: Mapping[str, Expr] | list[Pair]) -> None:
        """Formulas under a heading; names of a mapping stand on their left sides."""
        rows = [(symbol(n), e) for n, e in pairs.items()] if isinstance(pairs, Mapping) else pairs
        if rows:
            self.blocks.append((title, rows))

    def data(self) -> Data:
        """Plain data, and the blocks as values for the report."""
        plain = [
            {
                "title": title,
                "equations": [[to_latex(left), to_latex(right)] for left, right in pairs],
                "texts": [f"{to_text(left)} = {to_text(right)}" for left, right in pairs],
            }
            for title, pairs in self.blocks
        ]
        found = {"kind": self.kind, "blocks": plain, "words": list(self.words), "values": list(self.blocks)}
        return found | ({"freedom": list(self.freedom)} if self.freedom else {})


def hamilton(system: System, effort: int | None) -> Iterator[Data]:
    """Momenta, Hamiltonian and canonical equations; or constraints on phase space; or a Poisson bracket."""
    from chetaev.hamilton.dirac.dirac_run import undetermined

    if system.dynamics.hamiltonian is not None:
        yield _poisson(system).data()
    elif system.dynamics.lagrangian is None:
        told = Told("none")
        told.words.append(system.dynamics.lacks("Lagrangian"))
        yield told.data()
    elif undetermined(system):
        yield _dirac(system, effort).data()
    else:
        yield from _momenta(system, effort)


def _poisson(system: System) -> Told:
    from chetaev.hamilton.poisson import poisson

    found, told = poisson(system), Told("poisson")
    told.words.append(f"the Poisson bracket has the rank {found.rank} on {len(found.coordinates)} variables")
    told.words.append("Jacobi's identity was checked when the model was read")
    told.block("Casimir functions", _numbered("C", found.casimirs))
    if system.dynamics.relations:
        told.block("Multipliers of the constraints", _numbered("lambda", found.multipliers))
        if not found.multipliers:
            told.words.append("the motion keeps the constraints by itself: their multipliers vanish")
    return told


def _dirac(system: System, effort: int | None) -> Told:
    from chetaev.hamilton.dirac.dirac import EFFORT as MOST
    from chetaev.hamilton.dirac.dirac import dirac
    from chetaev.hamilton.dirac.dirac_result import OUTCOMES

    told = Told("dirac")
    told.words.append("the Lagrangian is degenerate: the equations of motion leave accelerations open")
    try:
        found = dirac(system, effort=effort or MOST)
    except ModelError as error:
        told.words.append(error.message)
        return told
    told.block("Momenta", found.momenta)
    told.block("Hamiltonian", {"H": found.hamiltonian})
    many = len(found.branches) > 1
    for i, branch in enumerate(found.branches, 1):
        place = f" of branch {i}" if many else ""
        told.words.append(f"Dirac's algorithm ends{place}: {branch.outcome}, {OUTCOMES[branch.outcome]}")
        told.block(f"Primary constraints{place}", _vanishing(branch.primary))
        told.block(f"Secondary constraints{place}", _vanishing(branch.secondary))
        told.words += branch.notes
        if branch.contradiction is not None:
            told.words.append(branch.impossible)
            continue
        told.block(f"Multipliers{place}", branch.multipliers)
        if branch.free:
            told.words.append(f"nothing determines {', '.join(branch.free)}: a choice of gauge is left")
        freedom = branch.degrees_of_freedom
        told.freedom.append(str(freedom))
        told.words.append(f"degrees of freedom{place}: {freedom}")
    return told


def _momenta(system: System, effort: int | None) -> Iterator[Data]:
    from chetaev.hamilton.momenta import hamilton as transform

    told = Told("momenta")
    try:
        found = transform(system, effort=effort or EFFORT)
        if found.exists is False:
            known = found.condition.evidence.replace("-", "−")
            told.words.append(
                "there are no nonholonomic momenta, since condition (89) fails: "
                f"the derivatives of B̄ by the velocities are not symmetric ({known})"
            )
        else:
            told.block("Momenta", found.momenta)
            told.block("Hamiltonian", {"H": found.hamiltonian})
            told.block("Canonical equations", _rates(found.equations))
    except ModelError as error:
        told.words.append(error.message)
    yield told.data()
    try:
        told.words.append(_jacobi(system, effort or EFFORT))
    except ModelError as error:
        told.words.append(f"the nonholonomic bracket: {error.message}")
    yield told.data()


def _jacobi(system: System, effort: int) -> str:
    from chetaev.hamilton.nonholonomic_bracket import bracket

    answer = bracket(system, effort=effort).jacobi
    if answer is None:
        return "whether Jacobi's identity holds for the bracket on Q is not decided"
    return f"Jacobi's identity {'holds' if answer else 'fails'} for the bracket on Q"


def _numbered(stem: str, functions: Any) -> list[Pair]:
    return [(symbol(f"{stem}_{i}"), e) for i, e in enumerate(functions, 1)]


def _vanishing(functions: Any) -> list[Pair]:
    """Constraints f = 0."""
    return [(e, ZERO) for e in functions]


def _rates(equations: Mapping[str, Expr]) -> list[Pair]:
    return [(symbol(name.rstrip("'"), 1), e) for name, e in equations.items()]
