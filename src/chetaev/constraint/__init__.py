"""The constraint submanifold: its geometry, and which kind it is (SCOPE K13, K16–K18, K23, Sa2).

    submanifold/    its equations, points, charts, normal forms, canonical distribution, where its rank drops
    integrability/  Theorem 7, curvature, growth vectors, functions that it keeps constant
    kind/           verdict after verdict, and all of them together

A room imports only those above it.

>>> from chetaev.constraint import Constraint, classify
>>> Q = Constraint.of(["z' = y*x'"], coordinates=["x", "y", "z"])
>>> print(classify(Q.given).kind)
nonholonomic, linear, scleronomic
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chetaev.constraint.kind.classification import Classification as Classification
    from chetaev.constraint.kind.classification import Integral as Integral
    from chetaev.constraint.kind.classifier import classify as classify
    from chetaev.constraint.submanifold.adapted_chart import AdaptedChart as AdaptedChart
    from chetaev.constraint.submanifold.canonical_distribution import (
        canonical_distribution as canonical_distribution,
    )
    from chetaev.constraint.submanifold.canonical_distribution import canonical_fields as canonical_fields
    from chetaev.constraint.submanifold.canonical_distribution import canonical_forms as canonical_forms
    from chetaev.constraint.submanifold.canonical_distribution import chetaev_field as chetaev_field
    from chetaev.constraint.submanifold.canonical_distribution import (
        constrained_prolongation as constrained_prolongation,
    )
    from chetaev.constraint.submanifold.canonical_distribution import contact_forms as contact_forms
    from chetaev.constraint.submanifold.constraint_data import ConstraintData as ConstraintData
    from chetaev.constraint.submanifold.normal_form import NormalForm as NormalForm
    from chetaev.constraint.submanifold.submanifold import Constraint as Constraint

_HOMES = {
    "AdaptedChart": "submanifold.adapted_chart",
    "Classification": "kind.classification",
    "Constraint": "submanifold.submanifold",
    "ConstraintData": "submanifold.constraint_data",
    "Integral": "kind.classification",
    "NormalForm": "submanifold.normal_form",
    "canonical_distribution": "submanifold.canonical_distribution",
    "canonical_fields": "submanifold.canonical_distribution",
    "canonical_forms": "submanifold.canonical_distribution",
    "chetaev_field": "submanifold.canonical_distribution",
    "classify": "kind.classifier",
    "constrained_prolongation": "submanifold.canonical_distribution",
    "contact_forms": "submanifold.canonical_distribution",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chetaev.constraint' has no attribute {name!r}")
    return getattr(import_module(f"chetaev.constraint.{_HOMES[name]}"), name)
