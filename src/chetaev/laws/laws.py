"""Several laws: a list that a notebook shows as a table."""

from __future__ import annotations

from chetaev.expr.print import mathml, page, to_text
from chetaev.expr.print.broken_lines import pieces
from chetaev.laws.law import Law
from chetaev.tables import Formula, Table

VERDICTS = {True: "conserved", False: "not conserved", None: "undecided"}
WIDTH = 50
"""Letters in a line of a formula in a table."""
LONG = 1000
"""Longer expressions are cut in a table."""


class LawTable(list[Law]):
    """Laws in a list; a notebook shows a table, `ch.save` writes it as .csv, .html or .json."""

    def _table_(self) -> Table:
        rows = tuple(
            (law.name, _shown(law), VERDICTS[law.conserved], law.evidence, law.origin) for law in self
        )
        return Table(
            ("quantity", "expression", "verdict", "evidence", "why"),
            rows,
            "" if self else "no conserved quantity",
        )

    def _repr_html_(self) -> str:
        return self._table_().html()


def _shown(law: Law) -> Formula:
    text = to_text(law.expression)
    if len(text) > LONG:
        return Formula(text, f"<code>… {len(text)} letters</code>")
    lines = pieces(page(law.expression)[0], WIDTH)
    return Formula(text, "<br>".join(mathml(line) for line in lines))
