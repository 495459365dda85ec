"""The inventory of the papers and the ledger: what either has, the other has."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from chetaev.study.claims.claims import everything, read

INVENTORY = tomllib.loads((Path(__file__).parents[3] / "docs/inventory.toml").read_text(encoding="utf-8"))
THEORY = Path(__file__).parents[3] / "src/chetaev/study/claims/theory"


@cache
def ledger() -> dict[str, tuple[str, str]]:
    """Every claim with a paper, by model and number: paper and section, and where it was found."""
    from chetaev.model.gallery import names

    stems = [*names(), *(f"theory/{path.stem}" for path in sorted(THEORY.glob("*.toml")))]
    return {
        f"{stem}/{claim.number}": (f"{claim.paper}, {claim.section}", claim.source)
        for stem, system in zip(stems, everything(), strict=True)
        for claim, *_ in read(system)
        if claim.paper
    }


def test_every_line_of_the_inventory_has_claims_that_exist_or_a_reason() -> None:
    known = ledger()
    for section, lines in INVENTORY.items():
        for line, found in lines.items():
            assert found, f"{section}: {line}"
            for name in found if isinstance(found, list) else ():
                where, _ = known.get(name, ("nothing, ", ""))
                assert where.rpartition(", ")[0] == section.rpartition(", ")[0], f"{section}: {line}: {name}"


def test_every_claim_of_a_paper_is_in_the_inventory() -> None:
    """Of the papers that are there; a formula from elsewhere has the address where it was found."""
    named = {
        name
        for lines in INVENTORY.values()
        for found in lines.values()
        if isinstance(found, list)
        for name in found
    }
    papers = {section.rpartition(", ")[0] for section in INVENTORY}
    inside = {name for name, (where, _) in ledger().items() if where.rpartition(", ")[0] in papers}
    found = {name for name, (_, source) in ledger().items() if source}
    assert named <= inside <= named | found
    assert ledger().keys() - inside <= found
