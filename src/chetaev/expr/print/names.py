"""Names and exact numbers as people write them: Greek letters, indices, decimals.

>>> parted("theta_1"), parted("speed2"), parted("a_1_2"), letter("phi")
(('theta', ('1',)), ('speed', ('2',)), ('a', ('1', '2')), 'ϕ')
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from chetaev.expr.graph.number_range import LARGEST, MAX_DIGITS, MAX_EXPONENT

LETTERS: dict[str, str] = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "zeta": "ζ", "eta": "η"},
    **{"theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π"},
    **{"rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "ϕ", "chi": "χ", "psi": "ψ"},
    **{"omega": "ω", "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varrho": "ϱ", "varsigma": "ς"},
    **{"varpi": "ϖ", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π"},
    **{"Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω"},
}
"""Greek letters by their names in TeX, as they stand in formulas, where phi and varphi differ."""
SPOKEN = LETTERS | {"phi": "φ", "epsilon": "ε"}
"""As they stand in sentences, where fonts have one form of each letter."""
_NAMES = {greek: name for name, greek in LETTERS.items()}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

FUNCTIONS = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arsinh",
    "acosh": "arcosh", "atanh": "artanh",
}  # fmt: skip
"""Functions that mathematicians give another name than programmers."""


@lru_cache(maxsize=4096)
def parted(name: str) -> tuple[str, tuple[str, ...]]:
    """The letter or word of a name, and its indices."""
    stem, *indices = name.translate(_SUBSCRIPTS).split("_")
    digits = re.fullmatch(r"(.*?)(\d+)", stem, re.DOTALL)
    if digits and digits[1]:
        stem, indices = digits[1], [digits[2], *indices]
    return stem, tuple(i for i in indices if i)


def greek(stem: str) -> str:
    """The name in TeX of a Greek letter, however it is written; empty for anything else."""
    return stem if stem in LETTERS else _NAMES.get(stem, "")


def letter(stem: str) -> str:
    """The letter itself, if it is a Greek one; else the stem as it is."""
    return LETTERS.get(stem, stem)


def is_word(stem: str) -> bool:
    """Whether a stem is set upright: a name of several letters, or one that is neither Latin nor Greek."""
    return not greek(stem) and not (len(stem) == 1 and stem.isascii())


def between(first: str, second: str) -> bool:
    """Whether two indices are words one after the other, between which there is a space and no comma."""
    return all(len(i) > 1 and i.isalpha() and i not in LETTERS for i in (first, second))


def number_text(value: Fraction) -> str:
    """An exact number: an integer or a quotient, whose parts are scaled where they leave double range.

    >>> number_text(Fraction(-1, 3)), number_text(Fraction(3, 10**310))
    ('-1/3', '3e-310')
    """
    if value.denominator == 1:
        return str(value.numerator)
    if abs(value.numerator) < LARGEST and value.denominator < LARGEST:
        return f"{value.numerator}/{value.denominator}"
    places = decimal_places(value.denominator)
    if places is not None:
        digits = str(value.numerator * 10**places // value.denominator)
        if places <= MAX_EXPONENT and len(digits) < MAX_DIGITS:
            return f"{digits}e-{places}"
    places = len(str(value.denominator)) - (abs(value) < 2**1000)  # both parts stay in range
    return f"{value.numerator}e-{places}/{value.denominator}e-{places}"


def decimal_places(denominator: int) -> int | None:
    """How many digits follow the point in a decimal with this denominator; None if they do not end."""
    twos = (denominator & -denominator).bit_length() - 1
    denominator >>= twos
    fives = 0
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None


def decimal_text(value: Fraction) -> str | None:
    """The finite decimal of an exact number, or None if it has none.

    >>> decimal_text(Fraction(1, 40)), decimal_text(Fraction(1, 3))
    ('0.025', None)
    """
    places = decimal_places(value.denominator)
    if places is None:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
