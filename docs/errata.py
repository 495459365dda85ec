"""The page of errata: every published claim of the gallery counted, and those that fail set right."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import chetaev as ch
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.claims import everything
from chetaev.study.claims.judgement import Judgement
from chetaev.study.claims.of_identity import completed

HEAD = """\
# Errata

<!-- Written by docs/errata.py from the claims of the model files; `make docs` writes it anew. -->

What is published about the systems of the [gallery](gallery.md), and general theory for all functions,
[judged](claims.md): {count} claims, of which {failing} do not hold as printed. Formulas are in the language
of the models, with their names; those of general theory have [endings](claims.md#general-theory) for
derivatives.
`chetaev claims MODEL` and `chetaev claims PAPER` show every verdict with its evidence.

The inventory of the papers, `docs/inventory.toml`, has a line for every displayed formula or group of
formulas: the claims that state it, or why there is none. The table counts its lines, those with claims among
them, and the claims.

| paper | section | lines | stated | claims | hold | fail | undecided |
|---|---|---:|---:|---:|---:|---:|---:|
"""
INVENTORY = Path(__file__).with_name("inventory.toml")
OUTCOMES = (True, False, None)


def page() -> str:
    """Counts by paper and section, then what fails: as printed, as corrected, how it is known."""
    found = [one for one in ch.claims() if one.claim.source]
    sections: dict[tuple[str, str], Counter[bool | None]] = {}
    for one in found:
        where = (one.claim.paper or one.claim.source, one.claim.section)
        sections.setdefault(where, Counter())[one.holds] += 1
    lines = {_place(name): found for name, found in tomllib.loads(INVENTORY.read_text("utf-8")).items()}
    rows = []
    for where in sorted({*sections, *lines}, key=_by_number):
        listed = lines.get(where, {}).values()
        counts = [sections.get(where, Counter())[outcome] for outcome in OUTCOMES]
        stated = sum(isinstance(one, list) for one in listed)
        rows.append(f"| {' | '.join(map(str, (*where, len(listed), stated, sum(counts), *counts)))} |")
    failing = (one for one in found if one.holds is False)
    wrong = sorted(failing, key=lambda one: _by_number((one.claim.paper, one.claim.section)))
    head = HEAD.format(count=len(found), failing=len(wrong))
    named = _names()
    entries = [_entry(one, named.get((one.model, one.claim.number), "")) for one in wrong]
    return head + "\n".join(rows) + "\n\n" + "\n".join(entries)


def _names() -> dict[tuple[str, int], str]:
    """What the names of an identity stand for, by model and number."""
    claims = {
        (system.name, i + 1): completed(ClaimData.of(system, i)).data
        for system in everything()
        for i, claim in enumerate(system.claims)
        if "identity" in claim
    }
    return {
        key: ", ".join(
            [f"`{name}` is a function of `{of}`" for name, of in data.get("functions", {}).items()]
            + [
                f"`{name}` is `{of}`"
                for name, of in {**data.get("put", {}), **data.get("define", {})}.items()
            ]
        )
        for key, data in claims.items()
    }


def _place(name: str) -> tuple[str, str]:
    """The paper and the section of a table of the inventory."""
    paper, _, section = name.rpartition(", ")
    return paper, section


def _by_number(where: tuple[str, str]) -> tuple[str, list[tuple[int, str]]]:
    """Sections in the order of their numbers: 5.9 before 5.10."""
    paper, section = where
    return paper, [(int(part) if part.isdigit() else 0, part) for part in re.split("[. ]", section)]


def _entry(one: Judgement, named: str) -> str:
    claim = one.claim
    lines = [f"## {claim.source}: {claim.says}", "", f"{one.model}. As printed:", "", *_formulas(one)]
    if one.correction is not None:
        known = "proved" if one.correction.proved else "by a run"
        lines += ["", f"Corrected ({known}):", "", *_formulas(one.correction)]
    if claim.note:
        lines += ["", claim.note]
    if named:
        lines += ["", f"Here {named}."]
    return "\n".join(lines) + "\n"


def _formulas(one: Judgement) -> Iterable[str]:
    """What is stated, part by part; of a claim of several parts what fails is marked."""
    if one.stated:
        return [f"- `{text}`" for text in one.stated]
    many = len(one.parts) > 1
    return [f"- `{p.text}`" + (" (fails)" if many and p.holds is False else "") for p in one.parts]
