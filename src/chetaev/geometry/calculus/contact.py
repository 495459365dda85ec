r"""Contact forms, the adapted basis, the horizontal part h and the i-contact parts p_i.

On J^r Y the forms ω^σ_k = dq^σ_k − q^σ_{k+1} dt (k < r) vanish along every prolonged section (5); with dt
and dq_r they are a basis (6). On J^{r+1} Y the pullback of a k-form has, in that basis, only terms with k
or k − 1 contact forms, because dt occurs at most once:

    π*η = p_{k−1} η + p_k η,      π*η = h η + p_1 η  for k = 1,       h df = (df/dt) dt        (7).

SCOPE K3.

>>> J = JetChart(["x"], order=1)
>>> h, p = contact_parts(J.d("x'"))
>>> print(h); print(p)
x''*dt
-x''*dt + dx'

The Spencer operator: is a section of the jet bundle the jet of something?

A section s of J¹(O; M) over a parameter space O with coordinates t^a is given by functions x^μ(t) and
x^μ_a(t), and

    D s = (∂x^μ/∂t^a − x^μ_a) dt^a ⊗ ∂_μ        (3.24),         D s = 0  ⟺  s = j¹x is integrable.

For mechanics O has one dimension. SCOPE D7.

>>> from chetaev.geometry import Chart
>>> time = Chart(["t"])
>>> spencer(time, ["cos(t)"], [["-sin(t)"]])[0][0].is_zero
True

Prolongation of projectable vector fields to jets.

A field on Y is projectable if its flow takes sections to sections: ξ = ξ⁰(t) ∂/∂t + ξ^σ(t, q) ∂/∂q^σ (1).
Then

    J^r ξ = ξ⁰ ∂/∂t + Σ_{k=0}^r ξ^σ_k ∂/∂q^σ_k,   ξ_k^σ = dξ^σ_{k−1}/dt − q^σ_k dξ⁰/dt   (2),

the only field over ξ that keeps the contact ideal; [J^r ξ, J^r η] = J^r [ξ, η].

SCOPE K2.

>>> Y = JetChart(["x", "y"], order=0)
>>> rotation = VectorField(Y, {"x": "-y", "y": "x"})
>>> print(prolong(rotation, 1))
-y*∂/∂x + x*∂/∂y - y'*∂/∂x' + x'*∂/∂y'
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.expr.print import name_latex
from chetaev.geometry.calculus.form import Form, Index
from chetaev.geometry.calculus.maps import Map
from chetaev.geometry.calculus.vector_field import VectorField, combination_latex
from chetaev.geometry.chart.chart import Chart, Function, JetChart
from chetaev.geometry.chart.functions import GeometryError

Adapted = dict[Index, Element]
"""Coefficients in the basis (dt, ω, ω̇, …): the index of q_k stands for the contact form of q_k."""


def contact_forms(jet: JetChart) -> tuple[Form, ...]:
    """The basic contact forms ω^σ_k, k = 0 … r − 1, (5)."""
    forms = []
    for k in range(jet.order):
        for n in jet.names:
            slope = jet.field.symbol(n, k + 1)
            forms.append(Form.of(jet, 1, {(jet.index((n, k)),): jet.field.one, (0,): -slope}))
    return tuple(forms)


def adapted_basis(jet: JetChart) -> tuple[Form, ...]:
    """The basis (dt, ω^σ, …, ω^σ_{r−1}, dq^σ_r) of 1-forms on J^r Y, (6)."""
    top = tuple(jet.d(n + "'" * jet.order) for n in jet.names)
    return (jet.d(jet.time_name), *contact_forms(jet), *top)


def _jet_of(form: Form) -> JetChart:
    so = ", so its forms have no contact parts"
    return JetChart.of(form.chart, so, "make the form on JetChart(coordinates, order)")


def _exchange(jet: JetChart, terms: Adapted, sign: int) -> Adapted:
    """Replace each basis form e of q_k by e ± q_{k+1} dt, for q_k below the highest order of the chart."""
    result: Adapted = dict(terms)
    for index, f in terms.items():
        if index and index[0] == 0:
            continue
        for place, i in enumerate(index):
            name, k = jet.symbols[i]
            if k == jet.order:
                continue
            value = f * jet.field.symbol(name, k + 1)
            if (place % 2 == 0) != (sign > 0):
                value = -value
            key = (0, *index[:place], *index[place + 1 :])
            result[key] = result[key] + value if key in result else value
    return {k: f for k, f in result.items() if not f.is_blank}


def to_adapted(form: Form) -> Adapted:
    """The coefficients of a form in the adapted basis (6) of its own jet chart."""
    return _exchange(_jet_of(form), form.terms, +1)


def from_adapted(jet: JetChart, degree: int, terms: Adapted) -> Form:
    """The form with these coefficients in the adapted basis."""
    return Form.of(jet, degree, _exchange(jet, terms, -1))


def contact_part(form: Form, i: int) -> Form:
    """The i-contact part p_i η, a form on J^{r+1} Y; zero unless i is k or k − 1."""
    jet = _jet_of(form)
    upper = jet.at_order(jet.order + 1)
    if i < 0:
        raise GeometryError(f"contact parts are numbered from 0, got {i}")
    adapted = to_adapted(upper.lift(form))
    chosen = {k: f for k, f in adapted.items() if len(k) - (1 if k and k[0] == 0 else 0) == i}
    return from_adapted(upper, form.degree, chosen)


def contact_parts(form: Form) -> tuple[Form, ...]:
    """All parts (p_0 η, …, p_k η); their sum is the pullback of η to J^{r+1} Y."""
    return tuple(contact_part(form, i) for i in range(form.degree + 1))


def horizontal_part(form: Form) -> Form:
    """h η = p_0 η: what is left along prolonged sections; zero for degrees above 1."""
    return contact_part(form, 0)


def is_contact(form: Form) -> bool | None:
    """Whether J^r γ* η = 0 for every section γ, (4); true of all forms of degree 2 and higher."""
    return horizontal_part(form).is_zero


def is_horizontal(form: Form, over: int | None = None) -> bool:
    """Whether η is π_r-horizontal, or π_{r,s}-horizontal with s = `over`.

    >>> J = JetChart(["x"], order=1)
    >>> is_horizontal(J.d("x")), is_horizontal(J.d("x"), over=0)
    (False, True)
    """
    jet = _jet_of(form)
    highest = -1 if over is None else over
    return all(i == 0 or jet.symbols[i][1] <= highest for index in form.terms for i in index)


def project(form: Form, order: int) -> Form:
    """The form on J^s Y whose pullback this is; an error sentence if there is none."""
    jet = _jet_of(form)
    lower = jet.at_order(order)
    for index, f in form.terms.items():
        high = [jet.symbols[i] for i in index if jet.symbols[i][1] > order]
        high += [s for s in f.symbols if s in jet._index and s[1] > order]
        if high:
            name = high[0][0] + "'" * high[0][1]
            raise GeometryError(f"the form is not projectable to order {order}: it contains {name}")
    move = {i: lower.index(s) for i, s in enumerate(jet.symbols) if s[1] <= order}
    return Form.of(lower, form.degree, {tuple(move[i] for i in k): f for k, f in form.terms.items()})


def adapted_latex(form: Form) -> str:
    r"""LaTeX in the adapted basis.

    >>> J = JetChart(["x"], order=1)
    >>> adapted_latex(J.d("x"))
    '\\dot{x} \\, dt + \\omega^{x}'
    """
    jet = _jet_of(form)
    dots = ("", r"\dot", r"\ddot")

    def basis(i: int) -> str:
        name, k = jet.symbols[i]
        if i == 0 or k == jet.order:
            return f"d{name_latex(name, k)}"
        if k > 2:
            return rf"\omega^{{{name_latex(name)}}}_{{{k}}}"
        letter = rf"{dots[k]}{{\omega}}" if k else r"\omega"
        return rf"{letter}^{{{name_latex(name)}}}"

    terms = sorted(to_adapted(form).items())
    return combination_latex((f, r" \wedge ".join(basis(i) for i in index)) for index, f in terms)


def spencer(
    base: Chart, positions: Sequence[Function], slopes: Sequence[Sequence[Function]]
) -> list[list[Element]]:
    """The components ∂x^μ/∂t^a − x^μ_a of D s, one row for each μ."""
    if len(slopes) != len(positions) or any(len(row) != base.dimension for row in slopes):
        raise GeometryError(
            f"a section of the jet bundle over ({base.describe()}) has one row of {base.dimension} slopes "
            f"for each of its {len(positions)} functions"
        )
    result = []
    for x, row in zip(positions, slopes, strict=True):
        f = base(x)
        result.append([f.diff(s) - base(v) for s, v in zip(base.symbols, row, strict=True)])
    return result


def is_integrable_section(section: Map) -> bool | None:
    """Whether a section t ↦ J^r Y is the jet J^r γ of a section γ: all contact forms vanish along it."""
    return all_zero(spencer_forms(section))


def spencer_forms(section: Map) -> tuple[Form, ...]:
    """The pulled back contact forms s*ω^σ_k = (dq^σ_k/dt − q^σ_{k+1}) dt of a section of J^r Y."""
    jet = section.target
    if not isinstance(jet, JetChart):
        raise GeometryError(f"the target ({jet.describe()}) is no jet chart")
    if section.source.dimension != 1 or section.components[0] != section.source.coordinates[0]:
        raise GeometryError(
            f"a section leads from ({jet.time_name}) to jets over the same {jet.time_name}",
            remedy=f"let its first component be {jet.time_name}",
        )
    return tuple(section.pullback(w) for w in contact_forms(jet))


def _jet_of_field(field: VectorField) -> JetChart:
    return JetChart.of(field.chart, remedy="make the field on JetChart(coordinates, order=0)")


def is_projectable(field: VectorField, onto: int | None = None) -> bool:
    """Whether the field is π_r-projectable, or π_{r,s}-projectable with s = `onto`."""
    return _obstacle(field, onto) is None


def _obstacle(field: VectorField, onto: int | None) -> tuple[str, str] | None:
    """A component and a coordinate on which it may not depend."""
    jet = _jet_of_field(field)
    highest = -1 if onto is None else onto
    lower = {s for i, s in enumerate(jet.symbols) if i == 0 or s[1] <= highest}
    for s in jet.symbols:
        if s in lower:
            for other in sorted(field[s].symbols):
                if other in jet._index and other not in lower:
                    return s[0] + "'" * s[1], other[0] + "'" * other[1]
    return None


def is_vertical(field: VectorField, over: int | None = None) -> bool | None:
    """Whether the field is π_r-vertical, or π_{r,s}-vertical with s = `over`."""
    jet = _jet_of_field(field)
    highest = -1 if over is None else over
    return all_zero(field[s] for i, s in enumerate(jet.symbols) if i == 0 or s[1] <= highest)


def projected(field: VectorField, onto: int) -> VectorField:
    """The projection of a π_{r,s}-projectable field to J^s Y."""
    obstacle = _obstacle(field, onto)
    if obstacle is not None:
        raise GeometryError(
            f"the field is not projectable to order {onto}: "
            f"its component at ∂/∂{obstacle[0]} depends on {obstacle[1]}"
        )
    lower = _jet_of_field(field).at_order(onto)
    return VectorField.of(lower, [field[s] for s in lower.symbols])


def prolong(field: VectorField, order: int) -> VectorField:
    """J^r ξ of a projectable field on Y, (2)."""
    jet = _jet_of_field(field)
    if jet.order != 0:
        raise GeometryError(
            f"a field on Y is prolonged, this one lives on jets of order {jet.order}",
            remedy="make it on JetChart(coordinates, order=0)",
        )
    obstacle = _obstacle(field, None)
    if obstacle is not None:
        raise GeometryError(
            f"the field is not projectable: its component at ∂/∂{obstacle[0]} depends on {obstacle[1]}, "
            "so its flow does not take sections to sections and it has no prolongation",
            expected=f"a component at ∂/∂{jet.time_name} that depends on {jet.time_name} alone",
        )
    if order < 0:
        raise GeometryError(f"the order of a prolongation is 0, 1, 2, …; got {order}")
    upper = jet.at_order(order)
    xi0 = field.components[0]
    speed = xi0.diff((jet.time_name, 0))
    level: list[Element] = list(field.components[1:])
    components = [xi0, *level]
    for k in range(1, order + 1):
        here = jet.at_order(k - 1)
        level = [here.total_derivative(f) - q * speed for f, q in zip(level, jet.q(k), strict=True)]
        components += level
    return VectorField.of(upper, components)
