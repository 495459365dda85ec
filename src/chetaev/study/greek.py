r"""Greek letters by their names in TeX."""

from __future__ import annotations

LETTERS: dict[str, str] = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "zeta": "ζ", "eta": "η"},
    **{"theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π"},
    **{"rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "ϕ", "chi": "χ", "psi": "ψ"},
    **{"omega": "ω", "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varrho": "ϱ", "varsigma": "ς"},
    **{"varpi": "ϖ", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π"},
    **{"Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω"},
}
"""As they stand in formulas, where phi and varphi differ."""

SPOKEN = LETTERS | {"phi": "φ", "epsilon": "ε"}
"""As they stand in sentences, where fonts have one form of each letter."""
