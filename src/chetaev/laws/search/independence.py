"""Is a function on Q a function of others? By the rank of differentials at a random point of Q modulo a
prime.

>>> import chetaev as ch
>>> from chetaev.expr.language.parser import parse
>>> system = ch.load("heisenberg")
>>> energy, p, speed = (parse(f, system.scope) for f in ("x'^2 + y'^2 + z'^2", "y'", "x'*sqrt(1 + y^2)"))
>>> is_new(system, p, [energy]), is_new(system, speed, [energy, p])
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact import Element, answer, ask
from chetaev.expr.graph.node import Expr
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.written_integral import shaped
from chetaev.model.system import System


def is_new(system: System, function: Expr, known: Sequence[Expr]) -> bool:
    """Whether dF is independent on Q of the differentials of what is known; True where that is not seen.

    At the model's values of the parameters, or at random ones where constants such as √k exist modulo no
    prime.
    """

    def seen() -> bool | None:
        motion = Motion(system)
        return grows(motion, [motion.function(f) for f in (*known, function)])

    return answer(ask(seen)) is not False


def grows(motion: Motion, elements: Sequence[Element]) -> bool | None:
    """Whether the differential of the last function is independent on Q of those before it; None if no point
    shows it.
    """
    motion.meet([])

    def at(special: bool) -> bool:
        stack = Differentials(motion, motion.points(seed=5, special=special).draw(), elements[:-1])
        return stack.grows(stack.of(elements[-1]))

    given = answer(ask(at, True))  # constants such as √k may exist modulo p at other values only
    return answer(ask(at, False)) if given is None else given


def rewritten(system: System, function: Expr) -> Expr:
    """A function as people write it (:mod:`chetaev.laws.search.written_integral`); as it is where that costs
    too much.
    """

    def written() -> Expr:
        motion = Motion(system)
        return shaped(motion, motion.function(function))

    return answer(ask(written)) or function
