"""The constraint submanifold: its geometry, and which kind it is (SCOPE K13, K16–K18, K23, Sa2).

>>> from chetaev.constraint import Constraint, classify
>>> Q = Constraint.of(["z' = y*x'"], coordinates=["x", "y", "z"])
>>> print(classify(Q.given).kind)
nonholonomic, linear, skleronomic
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chetaev.constraint.adapted import AdaptedChart as AdaptedChart
    from chetaev.constraint.canonical import canonical_distribution as canonical_distribution
    from chetaev.constraint.canonical import canonical_fields as canonical_fields
    from chetaev.constraint.canonical import canonical_forms as canonical_forms
    from chetaev.constraint.canonical import chetaev_field as chetaev_field
    from chetaev.constraint.canonical import contact_forms as contact_forms
    from chetaev.constraint.classification import Classification as Classification
    from chetaev.constraint.classification import Integral as Integral
    from chetaev.constraint.classifier import classify as classify
    from chetaev.constraint.given import Given as Given
    from chetaev.constraint.normal_form import NormalForm as NormalForm
    from chetaev.constraint.prolong import constrained_prolongation as constrained_prolongation
    from chetaev.constraint.submanifold import Constraint as Constraint

_HOMES = {
    "AdaptedChart": "adapted",
    "Classification": "classification",
    "Constraint": "submanifold",
    "Given": "given",
    "Integral": "classification",
    "NormalForm": "normal_form",
    "canonical_distribution": "canonical",
    "canonical_fields": "canonical",
    "canonical_forms": "canonical",
    "chetaev_field": "canonical",
    "classify": "classifier",
    "constrained_prolongation": "prolong",
    "contact_forms": "canonical",
}

__all__ = [
    "AdaptedChart",
    "Classification",
    "Constraint",
    "Given",
    "Integral",
    "NormalForm",
    "canonical_distribution",
    "canonical_fields",
    "canonical_forms",
    "chetaev_field",
    "classify",
    "constrained_prolongation",
    "contact_forms",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chetaev.constraint' has no attribute {name!r}")
    return getattr(import_module(f"chetaev.constraint.{_HOMES[name]}"), name)
