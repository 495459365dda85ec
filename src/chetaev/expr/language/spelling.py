"""One name, several spellings: θ and theta, θ₁ and theta_1.

>>> plain_spelling("θ₁"), plain_spelling("theta_1"), plain_spelling("Δ")
('theta1', 'theta1', 'Delta')
"""

from __future__ import annotations

import unicodedata

_WORDS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lamda", "mu"),
    *("nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
GREEK = {
    letter: (word if case == "SMALL" else word.capitalize())
    .replace("lamda", "lambda")
    .replace("Lamda", "Lambda")
    for case in ("SMALL", "CAPITAL")
    for word in _WORDS
    for letter in (unicodedata.lookup(f"GREEK {case} LETTER {word.upper()}"),)
}
"""Greek letters and how they are spelled."""


def plain_spelling(name: str) -> str:
    """The name with Greek letters spelled out, small digits as digits and without underscores."""
    plain = unicodedata.normalize("NFKC", name).replace("ς", "σ")
    return "".join(GREEK.get(c, c) for c in plain).replace("_", "")
