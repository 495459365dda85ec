r"""Where equations hold as they are printed (SCOPE K16, K19).

A law in a chart is a law where the chart is one; what is printed also needs what it divides by. So printed
rows hold, and with the constraints determine the motion as the law does, where none of these functions is 0:

* what the printed rows, and the meanings of names in them, divide by;
* the denominators of a = R x + r, by which all accelerations follow from the unknowns x: a minor of ∂f/∂v
  for the chart of a reduced form; for quasi-velocities what makes their frame one;
* what all entries of a row of ∂f/∂v have in common: where it vanishes, the constraint has no reaction;
* what rows of the law were multiplied or divided by, unless law and printed rows both determine the motion
  where it vanishes: r²θ'' = r s says nothing at r = 0, and r θ'' = s does;
* the arguments of abs and sign, and the differences of those of min and max, in what the law differentiates:
  L or the fundamental form, and the constraints. At a kink they have no derivative.

The law determines the motion where Δ = det(C_D)² det B̄ ≠ 0 (:mod:`chetaev.constraint.kind.regularity`).
Factors that vanish nowhere on Q, at the values of the parameters, are left out: by
:mod:`chetaev.constraint.submanifold.empty_set`; and so are those that vanish only where others do. If nothing
is left, the equations hold everywhere on Q.

>>> import chetaev as ch
>>> print(ch.equations(ch.load("caratheodory-sleigh"), "reduced").valid)
valid where cos(phi) != 0
>>> print(ch.equations(ch.load("caratheodory-sleigh"), "chetaev").valid)
holds everywhere on Q (proved)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from chetaev.equations.law.validity_search import ValiditySearch
from chetaev.expr.graph.node import ZERO, Expr, call, postorder, sub
from chetaev.expr.language.parser import Equation
from chetaev.expr.print import latex, relation
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations
    from chetaev.equations.law.normal_law import OnConstraint


@dataclass(frozen=True)
class Validity:
    """Where printed equations hold.

    Attributes
    ----------
    conditions
        Functions, none of which may vanish.
    complete
        Whether these are all; else what the equations divide by was not looked through, or is too long.
    independent
        Whether they also ask for constraints that are independent: a frame of admissible velocities misses
        some of them where the rank of ∂f/∂v drops, which is not proved to be nowhere.
    impossible
        Whether a row says 0 = 1: no motion satisfies the equations.
    """

    conditions: tuple[Expr, ...]
    complete: bool = True
    independent: bool = False
    impossible: bool = False

    @property
    def everywhere(self) -> bool | None:
        """True if it is proved that the equations hold on all of Q, False if they hold nowhere; None where
        that is not known.
        """
        if self.impossible:
            return False
        return True if self.complete and not self.conditions and not self.independent else None

    @property
    def words(self) -> list[str]:
        """What else is asked for, in words."""
        told = ["the constraints are independent"] if self.independent else []
        return told if self.complete else [*told, "nothing that is divided by vanishes"]

    @property
    def relations(self) -> list[Any]:
        """The conditions as layouts."""
        return [relation(e, ZERO, "!=") for e in self.conditions]

    def __str__(self) -> str:
        if self.everywhere:
            return "holds everywhere on Q (proved)"
        if self.impossible:
            return "holds nowhere: no motion satisfies these equations (proved)"
        return "valid where " + " and ".join([*(f"{e} != 0" for e in self.conditions), *self.words])

    def latex(self) -> str:
        """As LaTeX, for a line in mathematics; empty if it holds everywhere."""
        if self.everywhere:
            return ""
        if self.impossible:
            return r"\text{no motion satisfies these equations}"
        told = [*(latex(r) for r in self.relations), *(rf"\text{{{words}}}" for words in self.words)]
        return r"\text{valid where } " + r" \text{ and } ".join(told)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "everywhere": self.everywhere,
            "conditions": [f"{e} != 0" for e in self.conditions],
            "conditions_latex": [latex(r) for r in self.relations],
            "words": str(self),
        }


def validity(law: Equations, rows: Sequence[Equation], on_q: OnConstraint) -> Validity:
    """Where rows, as they are printed, say what the law says; `on_q` is what they were made with."""
    if any(row.lhs.op == row.rhs.op == "number" and row.lhs is not row.rhs for row in rows):
        return Validity((), impossible=True)
    search = ValiditySearch(law, on_q)
    frame = law.objects.get("quasi_frame")
    search.look([b for row in rows for b in _below(row.lhs, row.rhs)])
    search.look(_kinks(law.system))
    if frame is None or not (frame.regular or frame.vanishing):
        search.denominators([e for row in law.recover for e in row] + list(law.offset))
    elif not frame.regular:
        search.look(frame.vanishing)
    search.constraints()
    if frame is not None:
        search.ask_for_rank()
    own = dict(search.found)
    search.denominators([e for row in law.matrix for e in row] + list(law.right))
    search.contents([[*row, right] for row, right in zip(law.matrix, law.right, strict=True)], rows)
    scaled = {text: e for text, e in search.found.items() if text not in own}
    search.found = own | search.harmful(scaled, rows)
    return Validity(*search.result())


def _below(*exprs: Expr) -> Iterator[Expr]:
    """What expressions divide by."""
    for node in postorder(*exprs):
        if node.op == "div" and node.args[1].op != "number":
            yield node.args[1]
        elif node.op == "pow" and (node.args[1].op != "number" or node.args[1].value < 0):
            yield node.args[0]
        elif node.op == "tan":
            yield call("cos", node.args[0])


def _kinks(system: System) -> Iterator[Expr]:
    """What vanishes where a function that is differentiated has a kink."""
    functions = [e.residual for e in every_constraint(system)]
    if system.dynamics.constraints_react:
        functions += [part.expr for part in system.dynamics.parts]
    for node in postorder(*functions):
        if node.op in ("abs", "sign"):
            yield node.args[0]
        elif node.op in ("min", "max"):
            yield from (sub(a, b) for a, b in combinations(node.args, 2))
