"""Tests that recompute an object from its definition do so with sixty digits."""

import pytest
from mpmath import mp


@pytest.fixture(autouse=True)
def _sixty_digits(request):
    if "test_objects" not in request.module.__name__:
        yield
        return
    with mp.workdps(60):
        yield
