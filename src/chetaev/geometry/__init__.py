"""Geometry on charts, exact: jets, forms, vector fields, distributions, frames and connections.

No mechanics lives here. All coefficients are elements of one :class:`~chetaev.expr.exact.Field`, so every
identity is decided by normal form.

>>> from chetaev.geometry import Chart, Distribution
>>> chart = Chart(["x", "y", "z"])
>>> Distribution.annihilated_by([chart.d("z") - chart("y") * chart.d("x")]).growth_vector()
(2, 3)
"""

from chetaev.geometry.chart import Chart, JetChart
from chetaev.geometry.connection import Connection
from chetaev.geometry.contact import (
    adapted_basis,
    adapted_latex,
    contact_forms,
    contact_part,
    contact_parts,
    horizontal_part,
    is_contact,
    is_horizontal,
)
from chetaev.geometry.distribution import Distribution
from chetaev.geometry.dynamical import DynamicalForm, contact_distribution
from chetaev.geometry.endomorphism import Endomorphism, tensor_product, vertical_endomorphism
from chetaev.geometry.errors import GeometryError
from chetaev.geometry.flag import Flag
from chetaev.geometry.form import Form, one_form, volume
from chetaev.geometry.frame import AdaptedFrame, Frame
from chetaev.geometry.involutivity import Involutivity
from chetaev.geometry.maps import Map, section
from chetaev.geometry.metric import Metric
from chetaev.geometry.mixed import AlongRho, FormAlongRho, MixedSpace
from chetaev.geometry.prolongation import is_projectable, is_vertical, projected, prolong
from chetaev.geometry.second_fundamental import SecondFundamentalForm
from chetaev.geometry.spencer import is_integrable_section, spencer
from chetaev.geometry.tensor import Tensor
from chetaev.geometry.variation import (
    FirstVariation,
    are_equivalent,
    euler_lagrange_form,
    first_variation,
    is_lepage,
    lepage_equivalent,
)
from chetaev.geometry.vector_field import VectorField, lie_bracket

__all__ = [
    "AdaptedFrame",
    "AlongRho",
    "Chart",
    "Connection",
    "Distribution",
    "DynamicalForm",
    "Endomorphism",
    "FirstVariation",
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
