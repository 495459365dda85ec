"""An explicit scheme where the system is not stiff, an implicit one where it is.

A run begins with the explicit scheme. After fifteen steps that stability held back, and not accuracy (the
test of DOP853's authors: |h| |λ| near the end of the method's region of stability; Hairer and Wanner,
Solving Ordinary Differential Equations II, IV.2), the implicit one goes on from the state that is reached;
after fifteen steps of |h| ‖J‖ < 1 the explicit one takes over again. Steps are counted, no clock is read: the
same run changes at the same times.
"""

from __future__ import annotations

from chetaev.flow.schemes.scheme import Scheme

SCHEME = Scheme(
    name="auto",
    module=__name__,
    summary="dop853, and radau where the system is stiff",
    order=5,
    dense_order=3,
    estimate=4,
    stages=5,
    end_stage=4,
    chooses=("dop853", "radau"),
)
