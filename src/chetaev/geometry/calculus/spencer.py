r"""The Spencer operator: is a section of the jet bundle the jet of something?

A section s of J¹(O; M) over a parameter space O with coordinates t^a is given by functions x^μ(t) and
x^μ_a(t), and

    D s = (∂x^μ/∂t^a − x^μ_a) dt^a ⊗ ∂_μ        (3.24),         D s = 0  ⟺  s = j¹x is integrable.

For mechanics O has one dimension. SCOPE D7.

>>> from chetaev.geometry import Chart
>>> time = Chart(["t"])
>>> spencer(time, ["cos(t)"], [["-sin(t)"]])[0][0].is_zero
True
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.geometry.calculus.contact import contact_forms
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.maps import Map
from chetaev.geometry.chart.chart import Chart, Function, JetChart
from chetaev.geometry.chart.errors import GeometryError


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
