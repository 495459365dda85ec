"""The equations of motion in quasi-velocities, written in (t, q, u) alone (SCOPE D1, D5, L6).

The frame is that of ``[quasi]`` in the model, or a natural one that is found (:mod:`..quasi.natural_frame`):
forward speed and turning rate for a blade or wheels, components of the angular velocity for a rolling body.
With the velocities v = V(t, q, u) that the constraints admit, d'Alembert's principle on the frame is

    (∂V/∂u)ᵀ (M a + h − F) = 0,   a = ∂V/∂u u' + d_u V,      q' = V(t, q, u),

all at v = V(t, q, u) (:mod:`..quasi.quasi_frame`): a system of first order, n equations u' = … and m
equations q' = …, whose solutions satisfy the constraints whatever the numbers are. For Carathéodory's sleigh
with u along the edge and
ω = φ':   u' = a ω²,   (m a² + J) ω' = −m a u ω,   x' = u cos φ,   y' = u sin φ,   φ' = ω.

The constraints must be affine in the velocities: W is then a frame of ker ∂f/∂v on configurations and time
(:mod:`..quasi.applies` says what is lost otherwise).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup
from chetaev.equations.quasi.given_quasi_velocities import expect_frame, frame_of_model, given_frame, named
from chetaev.equations.quasi.quasi_frame import QuasiFrame, law_in
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System


def applies(s: Setup) -> None:
    """Raise unless the constraints are independent and affine in the velocities."""
    expect_frame(s)


def derive(
    system: System,
    quasi_velocities: Sequence[str | Expr] | Mapping[str, str | Expr] | None = None,
    chart: Around = None,
) -> Equations:
    """The equations in quasi-velocities: unknowns are their derivatives.

    `system`: the system, constraints affine in the velocities; `quasi_velocities`: as many expressions as
    there are degrees of freedom, affine in the velocities, by name or in a list, those of ``[quasi]``, or
    natural ones, if left out.

    >>> import chetaev as ch
    >>> sleigh = derive(ch.load("knife-edge"), {"u": "x'*cos(phi) + y'*sin(phi)", "omega": "phi'"})
    >>> sleigh.unknowns, [str(V) for V in sleigh.quasi_frame.velocities]
    (("u'", "omega'"), ['u*cos(phi)', 'u*sin(phi)', 'omega'])
    """
    s = Setup(system, chart=chart)
    applies(s)
    frame: QuasiFrame | None
    if quasi_velocities is None:
        frame = frame_of_model(system)
    else:
        own = named(system, quasi_velocities)
        assert own is not None
        frame = given_frame(s, *own)
    if frame is None:
        raise ModelError(
            "the quasi-velocities are not affine in the velocities",
            remedy="use form='hamel' or 'gibbs-appell', which take any",
        )
    law = law_in(s, frame.velocities, frame.symbols)
    matrix, right, recover, offset = s.matrices(law.matrix, law.right, law.recover, law.offset)

    def rows(table: list[list[Expr]]) -> list[list[Expr]]:
        return [frame.on_states(row) for row in table]

    def column(table: list[list[Expr]]) -> list[Expr]:
        return frame.on_states([e for (e,) in table])

    return Equations(
        form="quasi",
        system=system,
        unknowns=frame.unknowns,
        matrix=rows(matrix),
        right=column(right),
        recover=rows(recover),
        offset=column(offset),
        objects={
            "quasi_frame": frame,
            "velocities": dict(zip(system.coordinates, frame.velocities, strict=True)),
            "quasi_velocities": dict(zip(frame.labels, frame.functions, strict=True)),
        },
        source="d'Alembert's principle on a frame of the admissible directions; D1, D5, L6",
    )
