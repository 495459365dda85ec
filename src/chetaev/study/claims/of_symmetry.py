"""Claims about symmetries: fields on the space of time and coordinates (SCOPE K10, K22, Sa7).

symmetry = { x = "-y", y = "x" }       # components; those left out are zero
of = ["motion", "lagrangian"]          # of what; of the motion if left out
"""

from __future__ import annotations

from chetaev.errors import ModelError, did_you_mean
from chetaev.laws.symmetry.examine import examine
from chetaev.laws.symmetry.given_fields import Components
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.judgement import Judge, Statement

ASKED = {
    "motion": "dynamics",
    "lagrangian": "lagrangian",
    "constraint": "constraint",
    "connection": "connection",
}
"""What a field may be a symmetry of, and where the answer stands."""


def symmetry(given: ClaimData) -> Judge:
    """Whether a field is a symmetry."""
    system = given.system
    claimed = given.table("symmetry", '{ x = "-y", y = "x" }')
    given.only((system.time, *system.coordinates), claimed, "a field")
    scope = system.scope.but(order=0, purpose="a component of a field")
    read = {name: given.expression("symmetry", text, scope) for name, text in claimed.items()}
    field = Components.of(system, read)
    of = given.texts("of", '"motion"') if "of" in given.data else ["motion"]
    for one in of:
        if one not in ASKED:
            near = did_you_mean(one, ASKED)
            given.fail(f"a symmetry of {one!r}", "of", expected="one of " + ", ".join(ASKED), remedy=near)

    def judge(effort: int) -> tuple[Statement, ...]:
        texts = [f"{field} is a symmetry of the {one}" for one in of]
        try:
            found = examine(system, field, effort)
        except ModelError as error:
            return tuple(Statement(text, None, error.message) for text in texts)
        answers = [getattr(found, ASKED[one]) for one in of]
        return tuple(
            Statement(text, answer.holds, answer.evidence, answer.proved)
            for text, answer in zip(texts, answers, strict=True)
        )

    return judge
