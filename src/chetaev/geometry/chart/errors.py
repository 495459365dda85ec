"""Mistakes in geometry, as sentences: two charts mixed, wrong degrees, fields that cannot be prolonged.

>>> from chetaev.geometry import Chart
>>> Chart(["x", "y"]).d("z")
Traceback (most recent call last):
...
chetaev.geometry.chart.errors.GeometryError: 'z' is not a coordinate of the chart (x, y)
  expected one of x, y
"""

from __future__ import annotations

from chetaev.errors import ModelError


class GeometryError(ModelError):
    """A geometric object used where it has no meaning."""
