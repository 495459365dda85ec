"""What a system is, as plain data: for ``chetaev show --json`` and for reports.

>>> from chetaev.model.file.loader import load
>>> facts(load("knife-edge"))["coordinates"]
['x', 'y', 'phi']
"""

from __future__ import annotations

from typing import Any

from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.print import to_text
from chetaev.model.file.writer import thaw
from chetaev.model.model_checks import LEVELS
from chetaev.model.states.stack_of_constraints import levels
from chetaev.model.system import System


def facts(system: System) -> dict[str, Any]:
    """Coordinates, parameters, dynamics, constraints, forces and the initial state."""
    data: dict[str, Any] = {
        "name": system.name,
        "summary": system.summary,
        "source": system.source,
        "time": system.time,
        "coordinates": list(system.coordinates),
        "velocities": [key_name(c, 1) for c in system.coordinates],
        "degrees_of_freedom": system.degrees_of_freedom,
        "parameters": {
            name: {"expression": to_text(expr), "value": system.parameter_values[name]}
            for name, expr in system.parameters.items()
        },
        "definitions": {name: to_text(node.args[0]) for name, node in system.definitions.items()},
        "units": dict(system.units),
        "dynamics": system.dynamics.kind,
        "lagrangian": None if system.dynamics.lagrangian is None else to_text(system.lagrangian),
        "kinetic": None if system.kinetic is None else to_text(system.kinetic),
        "potential": None if system.potential is None else to_text(system.potential),
        "forces": {name: to_text(force) for name, force in system.forces.items()},
        "constraints": {
            name: [str(e) for e in level] for name, level in zip(LEVELS, levels(system), strict=True)
        },
        "quasi": {name: to_text(u) for name, u in system.quasi.items()},
        "initial": None,
        "run": {"until": system.until_value},
        "view": thaw(system.view),
        "claims": [thaw(c) for c in system.claims],
    }
    if system.initial is not None:
        data["initial"] = _initial(system)
    return data


def _initial(system: System) -> dict[str, Any]:
    state = system.state
    count = len(system.position_constraints)
    return {
        "t": state.t,
        "position": dict(state.position),
        "velocity": dict(state.velocity),
        "solved": [n.rstrip("'") + "_dot" * n.endswith("'") for n in state.solved],
        "residuals": {
            "position": list(state.residuals[:count]),
            "velocity": list(state.residuals[count:]),
        },
        "branches": [{key_name(n, 1): x for n, x in branch.items()} for branch in state.branches],
    }
