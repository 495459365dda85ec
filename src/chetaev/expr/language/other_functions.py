"""Functions and constants that people know from elsewhere: their names here, or what to write for them."""

from __future__ import annotations

SPELLED = {
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh"},
    **{"arccosh": "acosh", "arctanh": "atanh", "absolute": "abs", "fabs": "abs", "ln": "log", "E": "e"},
    **{"maximum": "max", "minimum": "min", "fmax": "max", "fmin": "min"},
}
"""Functions and constants that bear another name here."""

_CLIP = "write min(max(x, low), high)"
_NOT_CARRIED_OUT = "it is not carried out here; write the result"
_DERIVATIVE = "a derivative is x' or x''"
ELSEWHERE = {
    **{"ln": "the natural logarithm is log(…)", "log2": "write log(…)/log(2)", "log1p": "write log(1 + …)"},
    **dict.fromkeys(("lg", "log10"), "write log(…)/log(10)"),
    **{"expm1": "write exp(…) - 1", "cbrt": "write sign(x)*abs(x)^(1/3)", "arctan2": "write atan2(…, …)"},
    **{"cot": "write 1/tan(…)", "ctg": "write 1/tan(…)", "sec": "write 1/cos(…)", "csc": "write 1/sin(…)"},
    **{"tg": "write tan(…)", "arctg": "write atan(…)", "sgn": "write sign(…)", "signum": "write sign(…)"},
    **dict.fromkeys(("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"), ""),
    **dict.fromkeys(("pow", "power"), "write a^b"),
    **dict.fromkeys(("hypot", "norm"), "write sqrt(x^2 + y^2)"),
    **dict.fromkeys(("diff", "derivative", "ddot", "dot", "der", "d", "dt"), _DERIVATIVE),
    **dict.fromkeys(("heaviside", "step", "unitstep", "stepfun"), "write (1 + sign(…))/2"),
    **dict.fromkeys(("sqr", "square"), "write (…)^2"),
    **dict.fromkeys(("radians", "deg2rad", "torad"), "write …*pi/180"),
    **dict.fromkeys(("degrees", "rad2deg", "todeg"), "write …*180/pi"),
    **dict.fromkeys(("deg", "rad"), "angles are in radians; multiply degrees by pi/180"),
    **dict.fromkeys(("integral", "integrate", "int", "sum", "limit"), _NOT_CARRIED_OUT),
    **dict.fromkeys(("floor", "ceil", "round", "mod", "fmod"), "there are no whole numbers in this language"),
    **dict.fromkeys(("rational", "float", "symbol"), "write the number or the name alone"),
    **dict.fromkeys(("clip", "clamp", "sat", "saturate"), _CLIP),
}
"""What people call elsewhere, in small letters, and what to write here."""
ELSEWHERE |= {
    name: f"write {here}(…)" for name, here in SPELLED.items() if not ELSEWHERE.get(name) and here != "e"
}
