"""Small systems, each of which needs one part of chetaev to be right: what mutants are shown to."""

from __future__ import annotations

import chetaev as ch

FUNCTIONS = {
    "sin": "sin(x)", "cos": "cos(x)", "tan": "tan(x/5)", "asin": "asin(x/9)", "acos": "acos(x/9)",
    "atan": "atan(x)", "sinh": "sinh(x/3)", "cosh": "cosh(x/3)", "tanh": "tanh(x)", "asinh": "asinh(x)",
    "acosh": "acosh(9 + x)", "atanh": "atanh(x/9)", "exp": "exp(x/3)", "log": "log(9 + x)",
    "sqrt": "sqrt(9 + x)", "abs": "abs(x - 1/7)*x", "sign": "sign(x - 1/7)*x", "atan2": "atan2(x, 2 + x^2)",
    "min": "min(x, x^2/3 + 1/5, 4)*x", "max": "max(x, 1/3, x^2/4)*x", "power": "(9 + x)^(5/2)/50 + 3^x/9",
    "quotient": "x/(7 + x^2)", "constants": "pi*x^2/7 - e*x/5", "sum": "x - 3*x^2 - (1 - x)*x/7",
}  # fmt: skip

SYSTEMS = {
    "forces": {
        "coordinates": ["x", "y"],
        "lagrangian": "(x'^2 + 3*y'^2)/2 + x*y*x' - x*y^2",
        "forces": {"y": "-y'/7 + x*x'", "x": "3 + x*y"},
    },
    "time": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(2 + cos(t))*(x'^2 + y'^2 + z'^2)/2 + t*x*y'",
        "constraints": ["z' = t*y*x' + cos(t)"],
    },
    "position": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 + 2*y'^2 + z'^2)/2 - 9.81*y",
        "constraints": {"position": ["x^2 + (y - t/3)^2 = 4"]},
        "initial": {"x": 2, "y_dot": 1, "z_dot": 1},
    },
    "nonlinear": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - z*x",
        "constraints": ["z'^3 + z' = x*x'^2 + y'^2 + y"],
    },
    "acceleration": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 + y'^2 + 2*z'^2)/2 - x*y",
        "constraints": {"velocity": ["x' = y*z'"], "acceleration": ["z*y'' + x*z'' = x'*y' + t"]},
    },
    "many": {
        "coordinates": ["a", "b", "c", "d", "f"],
        "lagrangian": "(a'^2 + 2*b'^2 + 3*c'^2 + 4*d'^2 + 5*f'^2)/2 + a'*b'/3 + sin(a)*c'*d'/2 + b*f'"
        " - a*b + c^2*d",
        "constraints": ["d' - f'/3 = a*b' + c*a'", "f' + d' = b*c' + a*b'/2"],
        "forces": {"c": "d - a'/3"},
    },
    "coupled": {
        "coordinates": ["x", "y", "z", "w"],
        "lagrangian": "(x'^2 + 2*y'^2 + 3*z'^2 + w'^2)/2 + x'*z'/4 - x*y*w",
        "constraints": ["x' + y*y' + 2*z' - w' = t", "2*x' - y' + (3 + x)*z' + 3*w' = z"],
    },
    "redundant": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - x*z",
        "constraints": ["z' = y*x'", "exp(x)*(z' - y*x') + 2*(z' - y*x') = 0"],
    },
    "branches": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - x*z + y*z",
        "constraints": ["(x' - y*z')*(y' - z*z' - 1) = 0"],
    },
    "indefinite": {
        "coordinates": ["x", "y", "z"],
        "lagrangian": "(x'^2 - y'^2 + z'^2)/2 + x*y'*z' - x*z",
        "constraints": ["z' = y*x' + t"],
    },
    "form": {
        "coordinates": ["x", "y", "z"],
        "dynamics": {
            "form": {"F": ["-x - x'/5", "y*z'", "t"], "Pi": ["3*x' + y'^3/9", "2*y' - x'", "z' + x*y'"]}
        },
        "constraints": ["z' + z'^3/3 = x*y'^2 + t"],
        "forces": {"y": "x - y'/3"},
    },
    "mixed": {
        "coordinates": ["s", "x", "u"],
        "dynamics": {
            "accelerations": {"u": "-u + t*s'", "s": "-s*x - s'/3"},
            "velocities": {"x": "u*s'^2 + cos(t)*u'"},
        },
    },
    "on Q": {
        "coordinates": ["x", "y", "z"],
        "dynamics": {
            "A": {"x": "-x*y'^2 + t", "z": "z'/3 - x"},
            "B": [["-2 - x^2", "y/3"], ["-1", "-3"]],
        },
        "constraints": ["y' + y'^3/5 = x*z' + t"],
    },
    "poisson": {
        "coordinates": ["x", "y", "p", "q"],
        "poisson": {
            "bracket": {"x, p": "1", "y, q": "2 + y^2", "p, q": "0"},
            "hamiltonian": "p^2/2 + (2 + x^2)*q^2/3 + p*q/5 + x*y*t",
            "forces": {"q": "-q*x/4"},
            "constraints": ["q = x*p + t"],
            "momenta": ["p", "q"],
        },
        "initial": {"x": 1, "y": 0.5, "p": 1, "q": 1},
    },
    "texts": {
        "coordinates": ["x", "θ"],
        "kinetic": "m*x_dot**2/2 + 0.3·θ'²/2 - -x'*θ'/7/2",
        "potential": "-x^2*k/3/2 + 2^-1*u^2^1 - 2*(k - m - 0.1)*x^3 − .5e-1×θ²",
        "define": {"w": "x - θ", "u": "w*w + w/3"},
        "parameters": {"k": 0.3, "m": "2*k + sqrt(k)"},
        "forces": {"θ": "-x'^2 + 1/3*x"},
    },
}


def probe(name: str) -> ch.System:
    """The system of a name, a model of the gallery among them; ``function f`` has f in L and in the force."""
    if name in SYSTEMS:
        return ch.System(**SYSTEMS[name], name=name)
    kind, _, function = name.partition(" ")
    if kind == "function":
        text = FUNCTIONS[function]
        return ch.System(
            coordinates=["x"],
            lagrangian=f"(3 + ({text})^2)*x'^2/2 + {text}",
            forces={"x": f"({text})/3"},
            name=name,
        )
    return ch.load(name)


NAMES = [*SYSTEMS, *(f"function {name}" for name in FUNCTIONS)]
