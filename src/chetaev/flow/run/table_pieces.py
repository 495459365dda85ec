"""Tables while a motion runs: each is one polynomial, until its argument comes to a knot.

A table enters the programs as the coefficients of the piece that its argument is in, beside the parameters.
The ends of pieces are watched like events; there the coefficients of the next piece take their place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.flow.derive.lookups import looked_up
from chetaev.flow.kernels import integration, walk
from chetaev.flow.run.array_calls import Array

if TYPE_CHECKING:
    from chetaev.flow.run.session import Session


class TablePieces:
    """In which pieces of its tables a session is."""

    def __init__(self, session: Session, state: Array) -> None:
        self.session = session
        self.lookups = session.programs.model.lookups
        self.pieces = [0] * len(self.lookups)
        if self.lookups:
            self._begin(state)
        self.watch()

    def _begin(self, state: Array) -> None:
        """The arguments of tables at the initial state."""
        s = self.session
        model = s.programs.model
        values: dict[Any, float] = {(n, 0): float(x) for n, x in zip(model.parameters, s.p, strict=False)}
        values[model.time, 0] = float(s.begun)
        for i, c in enumerate(model.coordinates):
            values[c, 0], values[c, 1] = float(state[i]), float(state[s.n + i])
        row, pieces = looked_up(self.lookups, values)
        first = len(model.parameters)
        s.p[first : first + len(row)] = row
        self.pieces = [int(piece) for piece in pieces]

    def watch(self) -> None:
        """Tell the loops on which side of the ends of its piece each argument is."""
        s = self.session
        for e in range(len(s.switches), s.first_event):
            side = 1.0 if (e - len(s.switches)) % 2 == 0 or e >= s.first_stop else -1.0
            s.watch[e * integration.WATCH + walk.SIGN] = side

    def goes_on(self, edge: int) -> bool:
        """Go on in the next piece of a table; whether the constraints say there what they said here."""
        return self.session.keeps_constraints(lambda: self._next(edge))

    def _next(self, edge: int) -> None:
        """The argument of a table has come to the end of its piece."""
        s = self.session
        number, upper = divmod(edge, 2)
        self.pieces[number] += 1 if upper else -1
        first = len(s.programs.model.parameters) + sum(len(x.names) for x in self.lookups[:number])
        row = self.lookups[number].values(self.pieces[number])
        s.p[first : first + len(row)] = row
        s.restart()
        self.watch()
