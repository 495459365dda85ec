"""`ch.bodies.rolling`: a convex body on a plane, from its support function (SCOPE M2).

With h(γ) the height of the centre of mass (:mod:`chetaev.bodies.support_function`), ρ = −grad h from it to
the point of contact, ω the angular velocity and γ the upward vertical, all in the frame of the body, the
centre moves with u = ρ × ω. Full equations: x, y of the centre of mass, three angles, z = h eliminated,

    L = m/2 (x'² + y'² + (γ·u)²) + ω·Iω/2 − m g h,      (x', y') = horizontal part of A u,      A = R_z R R.

Reduced equations, by Newton and Euler about the point of contact, J = I + m (ρ² − ρρᵀ), ρ̇ = ∂ρ/∂γ (γ×ω):

    J ω̇ = Jω × ω − m ρ × (ω × ρ̇) + m g ρ × γ,      γ̇ = γ × ω.

That ω and γ move so along the motions of the full equations is proved by :meth:`RollingBody.agreement`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from chetaev.bodies.convexity import convexity
from chetaev.bodies.rolling_body import ANGLES, OWN, UPPER, RollingBody
from chetaev.bodies.support_function import Support, read_support
from chetaev.checked_arguments import choice, listed, shown, table
from chetaev.errors import ModelError
from chetaev.expr.graph.node import ZERO, Expr, symbol, symbols
from chetaev.expr.language.scope import normal_name
from chetaev.expr.print import to_text
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System


def rolling(
    *,
    support: Any,
    inertia: Any,
    mass: Any = 1,
    centre: Sequence[Any] = (0, 0, 0),
    gravity: Any = None,
    parameters: Mapping[str, Any] | None = None,
    angles: str | None = None,
    initial: Mapping[str, Any] | None = None,
    until: Any = None,
    name: str = "Rolling body",
) -> RollingBody:
    """A convex body that rolls without sliding on a horizontal plane.

    Parameters
    ----------
    support
        h as a function of the vertical ``g1, g2, g3`` in the frame of the body: the height of the frame's
        origin above the plane. A ball is ``"R"``, an ellipsoid ``"sqrt(a^2*g1^2 + b^2*g2^2 + c^2*g3^2)"``.
    inertia
        About the centre of mass, in the frame of the body: three numbers or expressions (axes are
        principal), or a symmetric matrix, three rows of three.
    mass
        A number or an expression in the parameters.
    centre
        The centre of mass in the frame of the support function.
    gravity
        The acceleration g; 9.81 if neither this nor a parameter `g` is given.
    parameters
        Values by name.
    angles
        Turns about the body's own axes that take the frame at rest to the body: ``"zxz"`` (Euler's angles
        psi, theta, phi; the default for bodies of revolution; singular where the third axis is vertical),
        ``"zyz"``, ``"zxy"`` (psi, alpha, beta; the default for others; singular where the second axis is
        vertical), ``"zyx"``.
    initial, until, name
        As for `ch.System`.

    Returns
    -------
    RollingBody
        `.system` has the full equations, `.reduced` those of ω = (w1, w2, w3) and γ = (g1, g2, g3).

    Examples
    --------
    >>> import chetaev as ch
    >>> egg = ch.bodies.rolling(
    ...     support="sqrt(a^2*(g1^2 + g2^2) + c^2*g3^2)",
    ...     inertia=["A", "A", "C"],
    ...     parameters={"a": 1, "c": 2, "A": 3, "C": 2},
    ... )
    >>> egg.revolution, egg.system.coordinates
    (True, ('x', 'y', 'psi', 'theta', 'phi'))
    """
    values = _parameters(parameters, gravity)
    on = read_support(0, values).on
    m = _given(on, values, mass, "m", "the mass")
    moments = _inertia(on, values, inertia)
    on = read_support(0, values).on
    offset = _centre(on, values, centre)
    own = read_support(support, values)
    centred = Support(own.on, own.function, offset)
    convex = convexity(own)
    if convex.holds is False:
        raise ModelError(
            f"the support function {to_text(own.function)[:100]} is that of a body that is {convex}",
            expected="a convex body",
            remedy="a body that is not convex rolls on its convex hull: give the support function of that",
        )
    draft = RollingBody(centred, moments, m, values, "zxz", convex, None, None, name)
    sequence = ("zxz" if draft.revolution else "zxy") if angles is None else choice(angles, "angles", ANGLES)
    taken = [n for n in (*OWN, *ANGLES[sequence]) if n in values]
    if taken:
        raise ModelError(
            f"a parameter is called {taken[0]!r}, a name that the equations use themselves",
            remedy="give it another name",
        )
    found = RollingBody(centred, moments, m, values, sequence, convex, initial, until, name)
    _expect_upper(found)
    return found


def _expect_upper(body: RollingBody) -> None:
    """A sentence if the data are wrong, or outside the range of Euler's angles."""
    system = body.system
    theta = ANGLES[body.angles][1]
    if body.by_euler and system.initial is not None and not math.sin(system.state.position[theta]) > 0:
        raise ModelError(
            f"{theta} is {system.state.position[theta]:.6g} at the start",
            expected=f"0 < {theta} < pi, where Euler's angles are regular",
            remedy='angles="zxy" is regular where the third axis is vertical',
        )


def _parameters(given: Any, gravity: Any) -> dict[str, Any]:
    """The parameters with g among them."""
    values = {}
    for key, value in table(given, "parameters").items():
        if not isinstance(key, str):
            raise ModelError(f"a parameter is called {shown(key)}", expected="a name")
        values[normal_name(key)] = value
    if gravity is not None:
        if "g" in values:
            raise ModelError("gravity is given twice, as gravity and as the parameter 'g'")
        values["g"] = gravity
    values.setdefault("g", 9.81)
    return values


def _centre(on: System, values: dict[str, Any], given: Any) -> tuple[Expr, Expr, Expr]:
    place = listed(given, "the centre of mass", "three components")
    if len(place) != 3:
        raise ModelError(f"the centre of mass is {shown(given)}", expected="three components")
    a, b, c = (_given(on, values, e, f"c{i}", "the centre of mass") for i, e in enumerate(place, start=1))
    return a, b, c


def _given(on: System, values: dict[str, Any], given: Any, name: str, what: str) -> Expr:
    """A parameter or an expression in parameters as it is; a number becomes a parameter of its own."""
    if isinstance(given, str | Expr) or hasattr(given, "free_symbols"):
        found = function_on(on, given, what, 0)
        strange = [n for n, _ in symbols(found) if n not in on.parameters]
        if strange:
            raise ModelError(f"{what} contains {strange[0]!r}", expected="an expression in the parameters")
        if found.op != "number":
            return found
        given = found.value
    if (
        isinstance(given, int | float | Fraction)
        and given == 0
        and not isinstance(given, bool)
        and name != "m"
    ):
        return ZERO
    if name in values:
        raise ModelError(
            f"{what} is {shown(given)}, and a parameter is called {name!r}",
            remedy=f"give it as {name!r}, or call the parameter otherwise",
        )
    System(coordinates=["q"], lagrangian="q'^2", parameters={name: given})  # a sentence if it is no number
    values[name] = given
    return symbol(name)


def _inertia(on: System, values: dict[str, Any], given: Any) -> tuple[tuple[Expr, ...], ...]:
    """A symmetric matrix from three principal moments or three rows."""
    expected = "three principal moments, or a symmetric matrix of three rows"
    rows = listed(given, "the inertia", expected)
    if len(rows) != 3:
        raise ModelError(f"the inertia is {shown(given)}", expected=expected)
    found: list[list[Expr]] = [[ZERO] * 3 for _ in range(3)]
    if not any(hasattr(r, "__len__") and not isinstance(r, str | bytes) for r in rows):
        for i, e in enumerate(rows):
            same = next((j for j in range(i) if type(rows[j]) is type(e) and rows[j] == e), None)
            one = (
                found[same][same]
                if same is not None
                else _given(on, values, e, f"I{i + 1}", "a moment of inertia")
            )
            found[i][i] = one
        return tuple(tuple(row) for row in found)
    rows = [listed(row, "a row of the inertia", expected) for row in rows]
    if any(len(row) != 3 for row in rows):
        raise ModelError(f"the inertia is {shown(given)}", expected=expected)
    for i, j in UPPER:
        if i != j and not (_same(rows[i][j], rows[j][i])):
            raise ModelError(
                f"the inertia is not symmetric: {shown(rows[i][j])} and {shown(rows[j][i])} in places "
                f"({i + 1}, {j + 1}) and ({j + 1}, {i + 1})",
                expected=expected,
            )
        found[i][j] = found[j][i] = _given(
            on, values, rows[i][j], f"I{i + 1}{j + 1}", "a component of inertia"
        )
    return tuple(tuple(row) for row in found)


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # foreign objects compare as they like
        return False
