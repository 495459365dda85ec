"""The answer to "is D involutive?", with the bracket that leaves D as evidence if it is not.

>>> from chetaev.geometry import Chart, Distribution
>>> chart = Chart(["x", "y", "z"])
>>> print(Distribution.annihilated_by([chart.d("x")]).involutivity)
involutive: the brackets of all fields in it lie in it
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.expr.exact import Element
from chetaev.geometry.vector_field import VectorField


@dataclass(frozen=True)
class Involutivity:
    """The answer to "is D involutive?", with evidence.

    Attributes
    ----------
    holds
        The answer; ``bool()`` of this object is the same.
    first, second, bracket
        If it fails: two fields of D and their bracket, which is not in D; else None.
    witness
        A component of the bracket outside D that is not zero.
    proved
        Whether the answer is proved; if not, it was tested at points of the submanifold.
    """

    holds: bool
    first: VectorField | None = None
    second: VectorField | None = None
    bracket: VectorField | None = None
    witness: Element | None = None
    proved: bool = True

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return "involutive: the brackets of all fields in it lie in it"
        return f"not involutive: [{self.first}, {self.second}] = {self.bracket} is not in it"
