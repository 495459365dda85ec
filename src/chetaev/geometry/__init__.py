"""Geometry on charts, exact: jets, forms, vector fields, distributions, frames and connections.

No mechanics lives here. All coefficients are elements of one :class:`~chetaev.expr.exact.Field`, so every
identity is decided by normal form.

    chart/         coordinates, functions, exact matrices of functions, ranks, zeros
    calculus/      vector fields, forms, tensors, maps, jets and prolongations
    distribution/  distributions, frames, flags; dynamical forms and their distributions
    connection/    linear connections, metrics, second fundamental forms

A room imports only those above it; a chart hands out its own coordinate fields and forms.

>>> from chetaev.geometry import Chart, Distribution
>>> chart = Chart(["x", "y", "z"])
>>> Distribution.annihilated_by([chart.d("z") - chart("y") * chart.d("x")]).growth_vector()
(2, 3)
"""

from chetaev.geometry.calculus.contact import (
    adapted_basis,
    adapted_latex,
    contact_forms,
    contact_part,
    contact_parts,
    horizontal_part,
    is_contact,
    is_horizontal,
    is_integrable_section,
    is_projectable,
    is_vertical,
    projected,
    prolong,
    spencer,
)
from chetaev.geometry.calculus.endomorphism import Endomorphism, tensor_product, vertical_endomorphism
from chetaev.geometry.calculus.form import Form, one_form, volume
from chetaev.geometry.calculus.maps import Map, section
from chetaev.geometry.calculus.mixed_calculus import AlongRho, FormAlongRho, MixedSpace
from chetaev.geometry.calculus.second_order_geometry import EndomorphismAlongRho, SecondOrderGeometry
from chetaev.geometry.calculus.tensor import Tensor
from chetaev.geometry.calculus.vector_field import VectorField, lie_bracket
from chetaev.geometry.chart.chart import Chart, JetChart
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.connection.connection import Connection, SecondFundamentalForm
from chetaev.geometry.connection.metric import Metric
from chetaev.geometry.distribution.distribution import Distribution
from chetaev.geometry.distribution.dynamical_form import (
    DynamicalForm,
    FirstVariationFormula,
    are_equivalent,
    contact_distribution,
    euler_lagrange_form,
    first_variation,
    is_lepage,
    lepage_equivalent,
)
from chetaev.geometry.distribution.flag import Flag, Involutivity
from chetaev.geometry.distribution.frame import AdaptedFrame, Frame

__all__ = [
    "AdaptedFrame",
    "AlongRho",
    "Chart",
    "Connection",
    "Distribution",
    "DynamicalForm",
    "Endomorphism",
    "EndomorphismAlongRho",
    "FirstVariationFormula",
    "Flag",
    "Form",
    "FormAlongRho",
    "Frame",
    "GeometryError",
    "Involutivity",
    "JetChart",
    "Map",
    "Metric",
    "MixedSpace",
    "SecondFundamentalForm",
    "SecondOrderGeometry",
    "Tensor",
    "VectorField",
    "adapted_basis",
    "adapted_latex",
    "are_equivalent",
    "contact_distribution",
    "contact_forms",
    "contact_part",
    "contact_parts",
    "euler_lagrange_form",
    "first_variation",
    "horizontal_part",
    "is_contact",
    "is_horizontal",
    "is_integrable_section",
    "is_lepage",
    "is_projectable",
    "is_vertical",
    "lepage_equivalent",
    "lie_bracket",
    "one_form",
    "projected",
    "prolong",
    "section",
    "spencer",
    "tensor_product",
    "vertical_endomorphism",
    "volume",
]
