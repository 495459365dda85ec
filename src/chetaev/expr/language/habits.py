r"""What people write elsewhere, and what to write here: dx/dt, \dot x, sin^2(x), 30 deg, |x|, np.sin(x), …

The parser stumbles over one token; what helps depends on the phrase around it. Each row of the table below
knows one habit (of a textbook, LaTeX, Python, MATLAB, a keyboard): its phrase, what is wrong with it and what
to write. Only a bounded part of the text around the mistake is searched; what is valid does not change.

>>> from chetaev.expr.language.scope import Scope
>>> scope = Scope.of(coordinates=["x", "theta"], parameters=["m"])
>>> habit("m*sin^2(theta)", 2, scope).remedy
'write sin(theta)^2'
>>> habit("(dx/dt)^2", 1, scope).remedy
"write x'"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from chetaev.expr.graph.node import CONSTANTS, FUNCTIONS
from chetaev.expr.language.conditions import STEP, condition
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.unknown_names import DEGREES, GREEK, is_unit, plain_spelling

REACH = 300
"""So many characters on both sides of a mistake are looked at."""
_NAME = r"[^\W\d_]\w*"
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SQUARE = r"(?:\s*(?:\^|\*\*)\s*2|²)"
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_UNITS_REMEDY = "units are not part of expressions; give numbers in one system of units, and label them "


@dataclass(frozen=True)
class Phrase:
    """A phrase of another language: where it stands, what is wrong with it, what to write."""

    start: int
    width: int
    message: str
    remedy: str


Finder = Callable[[str, int, Scope], Phrase | None]
Remedy = Callable[[re.Match[str], Scope], str | None]


def habit(text: str, offset: int, scope: Scope) -> Phrase | None:
    """The phrase at a mistake, if it is known."""
    left = max(0, offset - REACH)
    for finder in HABITS:
        phrase = finder(text[left : offset + REACH], offset - left, scope)
        if phrase is not None:
            return replace(phrase, start=phrase.start + left)
    return None


def _row(pattern: str, message: str, remedy: str | Remedy) -> Finder:
    """A habit: a pattern that covers the mistake, what is wrong, what to write; None if it does not apply.

    The mistake is at the group ``at`` if there is one, and the phrase is the group ``phrase`` or the whole.
    """
    compiled = re.compile(pattern)

    def find(text: str, at: int, scope: Scope) -> Phrase | None:
        for m in compiled.finditer(text):
            groups = m.groupdict()
            if not m.start() <= at < m.end() or ("at" in groups and m.start("at") != at):
                continue
            said = remedy if isinstance(remedy, str) else remedy(m, scope)
            if said is not None:
                mark = "phrase" if "phrase" in groups else 0
                whole = m[mark].rstrip()
                shown = message.format(**groups | {"phrase": " ".join(whole.split())})
                return Phrase(m.start(mark), len(whole), shown, said)
        return None

    return find


def closing(text: str, opened: int) -> int | None:
    """Where the bracket that opens there is closed."""
    depth = 0
    for m in re.finditer(r"[()]", text[opened:]):
        depth += 1 if m[0] == "(" else -1
        if not depth:
            return opened + m.start()
    return None


# --- derivatives: dx/dt, d/dt x, x.diff(t), der(x), x(t) ------------------------------------------


def _coordinate(written: str | None, scope: Scope) -> str:
    """The coordinate that a name spells, in Greek letters or in words; empty if none."""
    if not written or written in scope.coordinates:
        return written or ""
    return next((c for c in sorted(scope.coordinates) if plain_spelling(c) == plain_spelling(written)), "")


def _primed(written: str | None, scope: Scope, order: int) -> str | None:
    name = _coordinate(written, scope)
    return f"write {name}{chr(39) * order}" if name else None


def _quotient(m: re.Match[str], scope: Scope) -> str | None:
    written = m["inner"] or m["name"]
    return None if f"d{written}" in scope.values else _primed(written, scope, 2 if m["twice"] else 1)


def _operator(m: re.Match[str], scope: Scope) -> str | None:
    if "d" in scope.values:
        return None
    return _primed(m["name"], scope, 2 if m["twice"] else 1) or "carry it out, and write x' for dx/dt"


def _method(m: re.Match[str], scope: Scope) -> str | None:
    twice = m["calls"].count(".") > 1 or re.search(r"ddot|,", m["calls"])
    return _primed(m["name"], scope, 2 if twice else 1)


def _derivative_call(m: re.Match[str], scope: Scope) -> str | None:
    twice = m["what"] == "ddot" or re.search(r",\s*2|,[^,]*,", m["rest"])
    return None if m["what"] in scope.values else _primed(m["name"], scope, 2 if twice else 1)


def _of_time(m: re.Match[str], scope: Scope) -> str | None:
    name = _coordinate(m["name"], scope)
    primes = "'" * (m["suffix"] or "").count("d") + m["primes"]
    return f"write {name}{primes}" if name and m["inner"] == (scope.time or "t") else None


_NOT_WRITTEN = "a derivative is not written {phrase!r}"
_DERIVATIVES = (
    _row(
        rf"(?<!\w)d(?P<twice>{_SQUARE})?\s*(?:\(\s*(?P<inner>{_NAME})\s*\)|(?P<name>{_NAME}))(?:\(\w+\))?\s*"
        rf"/\s*d\s*{_NAME}(?(twice){_SQUARE}|)",
        _NOT_WRITTEN,
        _quotient,
    ),
    _row(
        rf"(?<!\w)d(?P<twice>{_SQUARE})?\s*/\s*d{_NAME}{_SQUARE}?\s*\(?\s*(?P<name>{_NAME})?",
        "derivatives are not carried out here",
        _operator,
    ),
    _row(
        rf"(?<!\w)(?P<name>{_NAME})(?:\(\w+\))?\s*"
        r"(?P<calls>(?:\.\s*(?:diff|dot|ddot|dt|derivative)\b(?:\([^()]*\))?)+)",
        _NOT_WRITTEN,
        _method,
    ),
    _row(
        r"(?<!\w)(?P<what>[dD]iff|[dD]erivative|D|Dt|dot|ddot|der|d|dt|deriv)"
        rf"\(\s*(?P<name>{_NAME})(?:\(\w+\))?\s*(?P<rest>(?:,[^()]*(?:\([^()]*\)\s*)?)?)\)",
        _NOT_WRITTEN,
        _derivative_call,
    ),
    _row(
        rf"(?<!\w)(?P<name>{_NAME}?)(?P<suffix>_d?dot)?(?P<primes>['’′″]*)\s*\(\s*(?P<inner>{_NAME})\s*\)",
        "a coordinate is written without its argument {inner}, not {phrase!r}",
        _of_time,
    ),
)
_DOT_ABOVE = _row(
    rf"(?<!\w)(?P<name>{_NAME})\s*(?:\^\s*)?(?P<at>[.˙])(?![*/^\w])",
    _NOT_WRITTEN,
    lambda m, scope: _primed(m["name"], scope, 1),
)


# --- LaTeX: \dot x, \frac{a}{b}, \sin\theta, $ ------------------------------------------------------


def _open_name(written: str, scope: Scope) -> str:
    """The name of the model that is spelled like this, else the name as written."""
    same = (n for n in scope.values if plain_spelling(n) == plain_spelling(written))
    return written if written in scope.values else next(same, written)


def _tex_dot(m: re.Match[str], scope: Scope) -> str:
    written = m["inner"] or m["name"]
    return f"write {_coordinate(written, scope) or written}{chr(39) * m['dots'].count('d')}"


def _tex_function(m: re.Match[str], scope: Scope) -> str | None:
    inner = m["inner"] or m["name"] or m["word"] or "…"
    return f"write {m['f']}({_open_name(inner.strip(), scope)})" if m["f"] in FUNCTIONS else None


_TEX_SIGNS = {"cdot": "*", "times": "*", "ast": "*", "div": "/", "left": "nothing", "right": "nothing"}


def _tex_word(m: re.Match[str], scope: Scope) -> str:
    word = m["word"] or ""
    if word in _TEX_SIGNS:
        return f"write {_TEX_SIGNS[word]} in its place"
    if word in CONSTANTS or word in GREEK.values() or word in scope.values:
        return f"write {_open_name(word, scope)}"
    return "write sin(x), sqrt(x), a/b" if word.isalpha() else "remove it"


_NO_TEX = "LaTeX is not read"
_TEX = (
    _row(r"(?P<at>\$)", _NO_TEX, "remove the '$'"),
    _row(
        rf"(?P<at>\\)(?P<dots>d+ot)\s*(?:\{{\s*\\?(?P<inner>{_NAME})\s*\}}|\\?(?P<name>{_NAME}))",
        _NO_TEX,
        _tex_dot,
    ),
    _row(
        r"(?P<at>\\)[dt]?frac\s*\{(?P<above>[^{}]*)\}\s*\{(?P<below>[^{}]*)\}",
        _NO_TEX,
        lambda m, _: f"write ({m['above'].strip()})/({m['below'].strip()})",
    ),
    _row(
        rf"(?P<at>\\)(?P<f>[a-z]+)\s*(?:\{{\s*\\?(?P<inner>[^{{}}]*)\}}|\\(?P<name>{_NAME})|\s(?P<word>{_NAME}))?",
        _NO_TEX,
        _tex_function,
    ),
    _row(r"(?P<at>\\)(?P<word>[A-Za-z]+|.)?", _NO_TEX, _tex_word),
)


# --- functions and names: sin^2(x), np.sin(x), x[0], |x|, √x -------------------------------------------

OUR_NAMES = {
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh"},
    **{"arccosh": "acosh", "arctanh": "atanh", "absolute": "abs", "fabs": "abs", "ln": "log", "E": "e"},
    **{"maximum": "max", "minimum": "min", "fmax": "max", "fmin": "min"},
}
"""Functions and constants that bear another name here."""
OTHER_FUNCTIONS = {
    **{other: f"write {here}(…)" for other, here in OUR_NAMES.items() if here != "e"},
    **{"ln": "the natural logarithm is log(…)", "log2": "write log(…)/log(2)", "log1p": "write log(1 + …)"},
    **dict.fromkeys(("lg", "log10"), "write log(…)/log(10)"),
    **{"expm1": "write exp(…) - 1", "cbrt": "write sign(x)*abs(x)^(1/3)", "arctan2": "write atan2(…, …)"},
    **{"cot": "write 1/tan(…)", "ctg": "write 1/tan(…)", "sec": "write 1/cos(…)", "csc": "write 1/sin(…)"},
    **{"tg": "write tan(…)", "arctg": "write atan(…)", "sgn": "write sign(…)", "signum": "write sign(…)"},
    **dict.fromkeys(("pow", "power"), "write a^b"),
    **dict.fromkeys(("hypot", "norm"), "write sqrt(x^2 + y^2)"),
    **dict.fromkeys(("diff", "derivative", "ddot", "dot", "der", "d", "dt"), "a derivative is x' or x''"),
    **dict.fromkeys(("heaviside", "step", "unitstep", "stepfun"), "write (1 + sign(…))/2"),
    **dict.fromkeys(("sqr", "square"), "write (…)^2"),
    **dict.fromkeys(("radians", "deg2rad", "torad"), "write …*pi/180"),
    **dict.fromkeys(("degrees", "rad2deg", "todeg"), "write …*180/pi"),
    **dict.fromkeys(("deg", "rad"), "angles are in radians; multiply degrees by pi/180"),
    **dict.fromkeys(
        ("integral", "integrate", "int", "sum", "limit"), "it is not carried out here; write the result"
    ),
    **dict.fromkeys(("floor", "ceil", "round", "mod", "fmod"), "there are no whole numbers in this language"),
    **dict.fromkeys(("rational", "float", "symbol"), "write the number or the name alone"),
    **dict.fromkeys(("clip", "clamp", "sat", "saturate"), "write min(max(x, low), high)"),
}
"""What people call elsewhere, in small letters, and what to write here."""


def _power_of_function(text: str, at: int, scope: Scope) -> Phrase | None:
    """sin^2(x), sin²x, sin^-1(x)."""
    for m in _FUNCTION_POWER.finditer(text):
        f = OUR_NAMES.get(m["f"], m["f"])
        if not m.start() <= at < m.end() or f not in FUNCTIONS or m["f"] in scope.values:
            continue
        end, argument = m.end(), m["argument"]
        if argument == "(":
            end = (closing(text, m.end() - 1) or len(text) - 1) + 1
            argument = text[m.end() : end - 1]
        exponent = (m["raised"] or m["exponent"]).translate(_RAISED).strip("{}() ").replace("−", "-")
        remedy = f"write {f}({argument})^{exponent}"
        if exponent == "-1":
            has_inverse = f in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
            inverse = f"a{f}({argument}) for the inverse function, " if has_inverse else ""
            remedy = f"write {inverse}1/{f}({argument}) for the reciprocal"
        message = f"the function {f!r} stands without its argument"
        return Phrase(m.start(), end - m.start() if argument else len(m["f"]), message, remedy)
    return None


_FUNCTION_POWER = re.compile(
    rf"(?<!\w)(?P<f>{_NAME})\s*(?:(?:\^|\*\*)\s*"
    r"(?P<exponent>[-−]?\s*\d+|\{\s*-?\d+\s*\}|\(\s*[-−]?\d+\s*\))|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))\s*"
    rf"(?P<argument>\(|{_NAME}['’′″]*)"
)


def _exponential(m: re.Match[str], scope: Scope) -> str | None:
    inside = m["name"] or m.string[m.end() : closing(m.string, m.end() - 1) or len(m.string)]
    return None if "exp" in scope.values else f"write exp({inside})"


def _module(m: re.Match[str], scope: Scope) -> str | None:
    name = OUR_NAMES.get(m["f"], m["f"])
    name = name if name in (*FUNCTIONS, *CONSTANTS) else name.casefold()
    return f"write {name}(…)" if name in FUNCTIONS else f"write {name}" if name in CONSTANTS else None


def _not_in_a_module(m: re.Match[str], scope: Scope) -> str:
    if m["f"] in ("where", "select", "piecewise", "Piecewise"):
        return STEP
    return OTHER_FUNCTIONS.get(m["f"].casefold()) or "expressions are not Python"


def _attribute(m: re.Match[str], scope: Scope) -> str | None:
    product = f"{m['holder']}*" if m["holder"] in scope.values else ""
    return f"write {product}{m['name']}" if m["name"] in scope.values else None


def _key(m: re.Match[str], scope: Scope) -> str | None:
    key = m["index"].strip().strip("'\"")
    return f"write {key}" if key != m["index"].strip() and key in scope.values else None


def _unit_of_name(m: re.Match[str], scope: Scope) -> str | None:
    unit = m["index"].strip()
    return f"{_UNITS_REMEDY}{scope.speech.units}" if is_unit(unit) and unit not in scope.values else None


def _index(m: re.Match[str], scope: Scope) -> str | None:
    index = m["index"].strip()
    names = [n for n in (f"{m['name']}{index}", f"{m['name']}_{index}") if n in scope.values]
    if not re.fullmatch(r"\w+", index):
        return None
    return f"write {names[0]}" if names else f"give each its own name, such as {m['name']}_{index}"


def _root(m: re.Match[str], scope: Scope) -> str:
    end = closing(m.string, m.end() - 1) if m["bracket"] else None
    inside = m["name"] or (m.string[m.end() : end] if end else "…")
    return f"write sqrt({inside})" if m["phrase"] == "√" else f"write ({inside})^(1/3)"


_MODULES = r"np|numpy|math|cmath|mpmath|sympy|sp|sm|jnp|jax|scipy|ca|casadi|Math|torch|tf"
_INDEXED = rf"(?<!\w)(?P<name>{_NAME})\s*(?P<at>\[)\s*(?P<index>[^\[\]]{{0,30}})\s*\]"
_FUNCTIONS = (
    _row(
        rf"(?<!\w)(?P<phrase>exp)\s*(?:\^|\*\*)\s*(?:(?P<name>{_NAME}['’′″]*|{_NUMBER})(?!\s*\()|\((?=[^()]*[^()\d]))",
        "the function 'exp' stands without its argument",
        _exponential,
    ),
    _power_of_function,
    _row(
        rf"(?<!\w)(?P<phrase>(?:{_MODULES})\s*\.\s*(?P<f>{_NAME}))\(?",
        "functions and constants stand without a module, not as {phrase!r}",
        _module,
    ),
    _row(
        rf"(?<!\w)(?P<phrase>(?:{_MODULES})\s*\.\s*(?P<f>{_NAME}))\(?",
        "there is no {f!r} in this language",
        _not_in_a_module,
    ),
    _row(
        rf"(?<!\w)(?P<holder>{_NAME})\s*\.\s*(?P<name>{_NAME})",
        "there are no attributes, as in {phrase!r}",
        _attribute,
    ),
    _row(_INDEXED, "names stand alone, not as in {phrase!r}", _key),
    _row(_INDEXED, "a unit follows a name, in {phrase!r}", _unit_of_name),
    _row(_INDEXED, "names have no index, as in {phrase!r}", _index),
)
_BARS = (
    _row(
        r"(?P<at>\|)(?P<inside>[^|]+)\|",
        "unexpected character '|'",
        lambda m, _: f"write abs({m['inside'].strip()})",
    ),
    _row(
        rf"(?P<phrase>(?P<at>[√∛]))(?:\s*(?:(?P<name>{_NAME}['’′″]*|{_NUMBER})|(?P<bracket>\()))?",
        "unexpected character {phrase!r}",
        _root,
    ),
)


# --- units and numbers: 30 deg, 1 kg, 9.81 m/s^2, 0,5, 1 000 --------------------------------------------


def _degrees(m: re.Match[str], scope: Scope) -> str | None:
    known = (m["unit"] in DEGREES or m["unit"] in "°º") and m["unit"] not in scope.values
    return f"write {m['number']}*pi/180" if known else None


def _units(text: str, at: int, scope: Scope) -> Phrase | None:
    """A number followed by units; the phrase ends with the last of them."""
    for m in _QUANTITY.finditer(text):
        if not m.start("units") <= at < m.end():
            continue
        names = re.findall(_NAME, m["units"])
        count = next((i for i, n in enumerate(names) if not is_unit(n)), len(names))
        strange = [n for n in names[:count] if n not in scope.values]
        if not strange or ("*" in m["blank"] and all(len(n) == 1 for n in strange)):
            continue
        end = m.start("units") + [*re.finditer(_UNIT, m["units"])][count - 1].end()
        written = " ".join(text[m.start() : end].split())
        single = count == 1 and len(strange[0]) == 1
        more = f"; for a parameter {strange[0]!r} write {m['number']}*{strange[0]}" if single else ""
        message = f"a unit follows the number {m['number']}, in '{written}'"
        return Phrase(m.start(), end - m.start(), message, f"{_UNITS_REMEDY}{scope.speech.units}{more}")
    return None


_UNIT = rf"(?:{_NAME}|Ω)(?:\s*(?:\^|\*\*)\s*-?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
_QUANTITY = re.compile(
    rf"(?<![\w.])(?P<number>{_NUMBER})(?P<blank>\s*\*?\s*)(?P<units>{_UNIT}(?:\s*[*/·]\s*{_UNIT})*)"
)


def _decimal_comma(m: re.Match[str], scope: Scope) -> str:
    thousands = f", and thousands without a comma: {m['whole']}{m['rest']}"
    is_thousands = len(m["rest"]) == 3 and m["whole"] != "0"
    return f"write decimals with a point: {m['whole']}.{m['rest']}{thousands if is_thousands else ''}"


_AFTER = rf"[\w'’′″)]\s+(?P<phrase>(?P<at>{_NAME}))"
_UNITS = (
    _row(
        rf"(?<![\w.])(?P<number>{_NUMBER})\s*\*?\s*(?P<unit>[°º]|{_NAME})",
        "angles are in radians, not {phrase!r}",
        _degrees,
    ),
    _row(r"(?P<at>[°º])", "angles are in radians", "multiply degrees by pi/180"),
    _units,
    _row(
        _AFTER,
        "angles are in radians, not in {phrase!r}",
        lambda m, s: "multiply degrees by pi/180" if m["at"] in DEGREES and m["at"] not in s.values else None,
    ),
    _row(
        _AFTER,
        "{phrase!r} is a unit",
        lambda m, s: (
            f"{_UNITS_REMEDY}{s.speech.units}"
            if len(m["at"]) > 1 and is_unit(m["at"]) and m["at"] not in s.values
            else None
        ),
    ),
    _row(
        r"(?<![\w.,])(?P<whole>\d+)(?P<phrase>(?P<at>,))(?P<rest>\d+)(?![\w,])",
        "unexpected ','",
        _decimal_comma,
    ),
    _row(
        r"(?<![\w.])\d+(?:[ _\u00a0\u202f'’]\d{3})+(?!\d)(?:\.\d+)?",
        "digits stand without anything between them, not as {phrase!r}",
        lambda m, _: f"write {re.sub(r'[^0-9.]', '', m[0])}",
    ),
)


# --- signs of other keyboards and languages: //, .^, ÷, –, ∂; events that are no expressions --------------

_MEANT = {
    **{"//": "/", "^^": "^", "***": "^", ".^": "^", ".*": "*", "./": "/", "*^": "e, as in 1e3"},
    **dict.fromkeys("÷∕⁄∶", "/"),
    **dict.fromkeys("∗∙•⨯✕✖⊗⊙＊", "*"),
    **dict.fromkeys("–—‐‑‒﹣－", "-"),
    **dict.fromkeys("ˆ∧＾", "^"),
    **dict.fromkeys("`´‘", "'"),
    **dict.fromkeys("＝≡", "="),
    **{"＋": "+", "（": "(", "）": ")", "，": ","},
}
_CALCULUS = {
    "∂": "derivatives",
    "∫": "integrals",
    "∑": "sums",
    "∏": "products over an index",
    "∇": "gradients",
}


def _event(text: str, at: int, scope: Scope) -> Phrase | None:
    """An event is where an expression is zero, not an equation or an inequality."""
    m = _SIDES.fullmatch(text.strip()) if scope.kind == "event" else None
    if m is None or text[at : at + 1] not in "<>=≤≥":
        return None
    left, right = m["left"].strip(), m["right"].strip()
    right = right if re.fullmatch(r"[\w.'*/^]+", right) else f"({right})"
    difference = left if right == "0" else f"{left} - {right}"
    return Phrase(at, len(m["sign"]), "an event is where an expression is zero", f"write {difference}")


_SIDES = re.compile(r"(?P<left>[^<>=≤≥!]+?)\s*(?P<sign>[<>≤≥]=?|==?)\s*(?P<right>[^<>=≤≥!]+)")


def _condition(text: str, at: int, scope: Scope) -> Phrase | None:
    """Conditions and inequalities; in a constraint, an equation is wanted."""
    said = condition(text, at, scope.values, scope.kind == "constraint")
    return Phrase(*said) if said else None


HABITS: tuple[Finder, ...] = (
    _event,
    *_TEX,
    _row(
        rf"(?<!\w)lambda(?:\s+{_NAME}(?:\s*,\s*{_NAME})*)?\s*:",
        "there is no lambda here, as in {phrase!r}",
        "write what is behind the colon",
    ),
    _condition,
    *_DERIVATIVES,
    *_FUNCTIONS,
    _DOT_ABOVE,
    *_UNITS,
    *_BARS,
    _row(r"//|\^\^|\*\*\*|\.\^|\.\*|\./|\*\^", "unexpected {phrase!r}", lambda m, _: f"write {_MEANT[m[0]]}"),
    _row(
        rf"(?P<at>[{''.join(c for c in _MEANT if len(c) == 1)}])",
        "unexpected character {phrase!r}",
        lambda m, _: f"write {_MEANT[m[0]]}",
    ),
    _row(
        "(?P<at>[∂∫∑∏∇])",
        "unexpected character {phrase!r}",
        lambda m, _: f"{_CALCULUS[m[0]]} are not carried out; write the result",
    ),
)
"""The first that knows the phrase answers."""
