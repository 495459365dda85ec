"""`ch.integrals`: the conserved quantities of a system, found, explained and judged.

>>> import chetaev as ch
>>> laws = ch.integrals(ch.load("knife-edge"))
>>> [law.name for law in laws]
['energy', 'momentum of phi', 'integral 1', 'integral 2', 'integral 3']
>>> print(laws[4].expression, "|", laws[4].evidence)
t*phi' - phi | proved for every value of the parameters
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chetaev.checked_arguments import count, flag, shown, table
from chetaev.effort import expect_effort
from chetaev.equations.law.sharp_constraints import branch_words, sharp
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.graph.node import ZERO, Expr, symbols
from chetaev.expr.language.parser import parse
from chetaev.laws.coefficient.equations import CoefficientEquations, coefficient_equations
from chetaev.laws.energy import energy_law
from chetaev.laws.jumps_of_signs import continuous, kinks
from chetaev.laws.law import Law, LawTable, Reason
from chetaev.laws.momenta import momenta
from chetaev.laws.parameter_signs import without_signs
from chetaev.laws.rate import EFFORT
from chetaev.laws.reality import real_verdict, realness
from chetaev.laws.reasons import reasons
from chetaev.laws.search.independence import is_new, rewritten
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.nullspace import independent
from chetaev.laws.search.parameter_relations import Relations
from chetaev.laws.search.proposals import proposals
from chetaev.laws.search.relations import relations
from chetaev.laws.search.special_values import SpecialValues, integrals_in_space, special_values
from chetaev.laws.search.suited_space import Searched
from chetaev.laws.special_systems import entries_of, free_names, where
from chetaev.laws.standpoint import VALUES_GIVEN, standpoints
from chetaev.laws.symmetry.affine_symmetries import affine_symmetries, new_ones
from chetaev.laws.symmetry.noether import charges
from chetaev.laws.undefined import undefined
from chetaev.model.system import System, expect_system

MOST_DEGREE = 8
NONE_EXPLAINS = "found by the search; none of the theorems that are tried explains it"


class Laws(LawTable):
    """Laws, and the space of functions in which others were looked for.

    Attributes
    ----------
    searched
        Which space was searched and how large it is; None if none was.
    special
        The special values that were found of the parameter in `free`, or the relations between several.
    by_equation
        Integrals with coefficients that are defined by a differential equation in one coordinate.
    """

    def __init__(
        self,
        laws: Iterable[Law] = (),
        searched: Searched | None = None,
        special: Iterable[SpecialValues | Relations] = (),
        by_equation: Iterable[CoefficientEquations] = (),
    ) -> None:
        super().__init__(laws)
        self.searched = searched
        self.special = tuple(special)
        self.by_equation = tuple(by_equation)

    def __str__(self) -> str:
        found = [super().__str__(), *map(str, self.special), *map(str, self.by_equation)]
        return "\n".join([*found, *([] if self.searched is None else [f"searched: {self.searched}"])])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "laws": [law.to_json() for law in self],
            "searched": None if self.searched is None else self.searched.to_json(),
            "special": [values.to_json() for values in self.special],
            "by_equation": [found.to_json() for found in self.by_equation],
        }


def _named(candidates: Mapping[str, str | Expr] | None) -> Mapping[str, str | Expr]:
    """The candidates, if they are expressions by name."""
    found = table(candidates, "the candidates", 'expressions by name, such as {"area": "x*y\' - y*x\'"}')
    for name in found:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a law has the name {shown(name)}", expected="a text")
    return found


def unjudged(system: System) -> dict[str, str]:
    """Quantities that the system does not have, each with the sentence why; empty for a Lagrangian system.

    >>> import chetaev as ch
    >>> unjudged(ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}}))["energy"]
    'this system has no Lagrangian: its dynamics is given by accelerations and velocities (a mixed system)'
    """
    dynamics = system.dynamics
    missing = {}
    if not dynamics.has_energy:
        missing["energy"] = dynamics.lacks("Lagrangian")
    if not dynamics.constraints_react:
        missing["momenta"] = dynamics.lacks("momenta")
    return missing


def judged(
    system: System, candidates: Mapping[str, str | Expr] | None = None, *, effort: int = EFFORT
) -> list[Law]:
    """All quantities that theory or the user proposes, conserved or not: energy, momenta, and the
    candidates given.

    What the system does not have is told by :func:`unjudged`.
    """
    expect_system(system, "ch.integrals")
    branch, system = branch_words(system), sharp(system)
    effort = expect_effort(effort)
    missing = unjudged(system)

    def known() -> list[Law]:
        energy = [] if "energy" in missing else [energy_law(system, effort)]
        return energy if "momenta" in missing else [*energy, *momenta(system, effort)]

    found = ask(known)
    if isinstance(found, GivenUp):
        if not found.undefined:
            raise ModelError(f"energy and momenta were not judged: {found.reason}")
        raise ModelError(
            f"the model has no real value anywhere: {found.reason}",
            remedy="look for the function that is undefined",
        )
    laws = Laws(found)
    for name, given in _named(candidates).items():
        if not isinstance(given, str | Expr):
            raise ModelError(f"the law {name!r} is {shown(given)}", expected="a text in the model language")
        scope = system.scope.but(purpose="a law", kind="law")
        expression = parse(given, scope) if isinstance(given, str) else given
        verdict, words = real_verdict(system, expression, effort)
        nowhere = undefined(expression, system)
        laws.append(Law(name, expression, "given by the user", verdict, words, undefined=nowhere))
    return Laws(_on_branch(branch, _between_impacts(system, laws)))


def _on_branch(branch: str, laws: Iterable[Law]) -> list[Law]:
    """Laws of a system whose constraint is a product are those of one branch, which is said."""
    return [replace(law, cause=f"{law.cause}, {branch}" if branch else law.cause) for law in laws]


def _between_impacts(system: System, laws: Iterable[Law]) -> list[Law]:
    """Laws of a system with stops hold between impacts: their rates say nothing of the jumps."""
    if not system.stops:
        return list(laws)
    between = ", between impacts on the stops"
    return [replace(law, cause=law.cause + between) if law.conserved else law for law in laws]


def searched_laws(
    system: System,
    known: Sequence[Law],
    *,
    degree: int = 2,
    functions: Sequence[Expr] = (),
    rational: bool = False,
    effort: int = EFFORT,
) -> Laws:
    """First integrals in the space that suits the system, beyond those known, each proved and explained.

    Exponentials of t and of the potential are tried where the energy is lost, or with `rational`.
    """
    constant = [law.expression for law in known if law.conserved]
    found, searched = proposals(
        system,
        constant,
        degree=degree,
        functions=functions,
        exponentials=not any(law.row == "B4" and law.conserved for law in known),
        rational=rational,
        effort=effort,
    )
    laws = Laws(searched=searched)
    taken = {law.name for law in known}
    for expression in continuous(system, found, constant, effort):
        _join(system, laws, expression, taken, effort, constant)
    constant += [law.expression for law in laws]
    for law in _by_noether(system, constant, effort):
        laws.append(_numbered(law, len(laws) + 1, taken))
        constant.append(law.expression)
    for expression in continuous(system, charges(system, effort), constant, effort):
        if is_new(system, expression, constant):
            before = len(laws)
            _join(system, laws, rewritten(system, expression), taken, effort)
            constant += [law.expression for law in laws[before:]]
    by_equation = []
    for equation in coefficient_equations(system, constant, effort, degree):
        closed = [solution.expression for solution in equation.solutions if solution.expression is not None]
        before = len(laws)
        for expression in continuous(system, closed, constant, effort):
            if is_new(system, expression, constant):
                _join(system, laws, rewritten(system, expression), taken, effort)
                constant = [*constant, *(law.expression for law in laws[-1:])]
        if len(laws) - before < equation.new and not kinks(system, *equation.velocities):
            by_equation.append(equation)
    laws[:] = _between_impacts(system, laws)
    laws.by_equation = tuple(by_equation)
    return laws


def _verified(system: System, found: Iterable[Expr], known: Sequence[Law], effort: int) -> list[Law]:
    """Of what a search proposes, the laws, with names and reasons."""
    laws: list[Law] = []
    taken = {law.name for law in known}
    for expression in found:
        _join(system, laws, expression, taken, effort)
    return _between_impacts(system, laws)


def _join(
    system: System,
    laws: list[Law],
    expression: Expr,
    taken: set[str],
    effort: int,
    known: Sequence[Expr] = (),
) -> None:
    """Judge what is proposed; one more law, explained, if it is constant."""
    for written in dict.fromkeys((without_signs(system, expression), expression)):
        verdict, words = real_verdict(system, written, effort)
        if verdict.is_zero:
            break
    else:
        return
    law = Law("", written, "", verdict, words, undefined=undefined(written, system))
    constant = [*known, *(one.expression for one in laws)]
    laws.append(explained(system, _numbered(law, len(laws) + 1, taken), effort, constant))


def _numbered(law: Law, n: int, taken: set[str]) -> Law:
    """A law with the name that its number gives."""
    name = next(text for text in (f"integral {n}", f"integral {n} of the search") if text not in taken)
    return replace(law, name=name, number=n)


def _by_noether(system: System, known: Sequence[Expr], effort: int) -> Iterator[Law]:
    """The charges of affine symmetries of L that are proved and new; none beside constraints and forces, nor
    where L is degenerate: some are zero on all motions.
    """
    held = (system.velocity_constraints, system.position_constraints, system.acceleration_constraints)
    if any(held) or system.degenerate or any(f is not ZERO for f in system.forces.values()):
        return
    for one in new_ones(system, affine_symmetries(system, effort), known):
        if not one.verdict.is_zero:
            continue
        view = standpoints(system)[0]
        written = rewritten(system, one.charge)
        reason = Reason("Noether", one.words, "K10", one.verdict.proved)
        nowhere = undefined(written, system)
        yield Law("", written, str(reason), one.verdict, view.words, undefined=nowhere, reasons=(reason,))


def explained(system: System, law: Law, effort: int = EFFORT, known: Sequence[Expr] = ()) -> Law:
    """A law with every theorem that gives it; one that was found by the search says in its cause which."""
    found = reasons(system, law, effort, known)
    if any(reason.theorem == "Noether" and reason.proved for reason in found) and not law.proof.proved:
        law = replace(law, proof=replace(law.proof, proved=True, limit=0))  # the theorem proves it
    cause = law.cause or ("; ".join(map(str, found)) if found else NONE_EXPLAINS)
    return replace(law, reasons=found, cause=cause)


def looked_at(
    system: System,
    candidates: Mapping[str, str | Expr] | None = None,
    *,
    degree: int = 2,
    functions: Iterable[str | Expr] | None = None,
    rational: bool = False,
    free: Iterable[str] = (),
    effort: int = EFFORT,
) -> Laws:
    """All quantities that were looked at, conserved or not, and those that the search found."""
    expect_system(system, "ch.integrals")
    branch, system = branch_words(system), sharp(system)
    degree = count(degree, "the degree", 0, MOST_DEGREE)
    effort = expect_effort(effort)
    flag(rational, "rational")
    chosen = _functions(system, functions)
    names = free_names(system, free)
    laws = [explained(system, law, effort) for law in judged(system, candidates, effort=effort)]
    found = searched_laws(system, laws, degree=degree, functions=chosen, rational=rational, effort=effort)
    laws += found
    special: list[SpecialValues | Relations] = []
    lasting = [law.expression for law in _compared(system, laws)]
    if len(names) == 1:
        values = special_values(system, names[0], lasting, degree=degree, functions=chosen, effort=effort)
        special.append(values)
        for root in values.roots:
            laws += laws_where(system, {names[0]: root}, laws, degree=degree, functions=chosen, effort=effort)
    elif names:
        several = relations(system, names, lasting, degree=degree, functions=chosen, effort=effort)
        special.append(several)
        everywhere = list(laws)
        for relation in several.found:
            for solved in relation.solutions:
                laws += laws_where(system, solved, everywhere, degree=degree, functions=chosen, effort=effort)
    return Laws(_on_branch(branch, laws), found.searched, special, found.by_equation)


def _compared(system: System, laws: Sequence[Law]) -> list[Law]:
    """The laws for all parameters of which special ones are to have more.

    Integrals with time in them can be as many as the states have coordinates, as for every linear system;
    where the motion itself does not contain time, those without it are compared.
    """
    lasting = [law for law in laws if law.conserved and law.parameters != VALUES_GIVEN]
    return lasting if _moves_with_time(system) else _without_time(system, lasting)


def _without_time(system: System, laws: Iterable[Law]) -> list[Law]:
    return [law for law in laws if (system.time, 0) not in symbols(law.expression)]


def _moves_with_time(system: System) -> bool:
    """Whether dynamics, forces or constraints contain time."""
    functions = [part.expr for part in system.dynamics.parts]
    functions += [*system.forces.values(), *(e.residual for e in system.velocity_constraints)]
    functions += [e.residual for e in (*system.position_constraints, *system.acceleration_constraints)]
    return (system.time, 0) in symbols(*functions)


def laws_where(
    system: System,
    solved: Mapping[str, Expr],
    known: Sequence[Law],
    *,
    degree: int = 2,
    functions: Sequence[Expr] = (),
    effort: int = EFFORT,
) -> list[Law]:
    """The laws that a system has where some parameters have special values, beyond those known."""
    try:
        at = where(system, solved)
    except ModelError:  # values that the model does not allow
        return []
    lasting = _compared(system, known)
    here = judged(at, {law.name: law.expression for law in lasting if not law.row}, effort=effort)
    words = " and ".join(f"{name} = {value}" for name, value in sorted(solved.items()))
    laws: list[Law] = searched_laws(at, here, degree=degree, functions=functions, effort=effort)
    before = {law.name for law in lasting}
    laws = [*(explained(at, law, effort) for law in here if law.conserved and law.name not in before), *laws]
    if not laws:  # the space in which the rank drops has fewer functions of more factors
        constant = [law.expression for law in here if law.conserved]
        again = integrals_in_space(at, constant, list(solved), degree, functions, effort)
        laws = _verified(at, again, here, effort)
    found = []
    for law in laws if _moves_with_time(system) else _without_time(system, laws):
        given = law.parameters == VALUES_GIVEN and len(system.parameters) > len(solved)
        condition = "" if law.parameters == VALUES_GIVEN else realness(at, law.expression).words
        others = f"for {words} and the other values given" if given else f"for {words}{condition}"
        found.append(replace(law, name=f"{law.name}, {words}", parameters=others))
    return found


def integrals(
    system: System,
    candidates: Mapping[str, str | Expr] | None = None,
    *,
    degree: int = 2,
    functions: Iterable[str | Expr] | None = None,
    rational: bool = False,
    free: Iterable[str] = (),
    effort: int = EFFORT,
) -> Laws:
    """The conserved quantities: energy, momenta of cyclic coordinates, candidates, and what a search finds.

    Parameters
    ----------
    system
        The system.
    candidates
        Further quantities to judge, by name, in the model language: ``{"area": "x*y' - y*x'"}``.
    degree
        The largest degree in the velocities of what is searched.
    functions
        Functions of t and q that join those of which coefficients are made: ``["cos(theta/3)"]``.
    rational
        Whether quotients are searched too, by Darboux polynomials.
    free
        A parameter whose special values, at which there are more integrals, are searched; or several, of
        which relations are searched. The other parameters keep their values.
    effort
        What the verdict on each, and the search, may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Laws
        A list of :class:`~chetaev.laws.law.Law`; its ``searched`` says in which space, so that "none" means
        something.
    """
    found = looked_at(
        system,
        candidates,
        degree=degree,
        functions=functions,
        rational=rational,
        free=free,
        effort=effort,
    )
    conserved = [law for law in found if law.conserved]
    return Laws(conserved, found.searched, found.special, found.by_equation)


def _functions(system: System, given: Iterable[str | Expr] | None) -> list[Expr]:
    """Functions of t and q for the coefficients, if they are that and independent."""
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ModelError(
            f"the functions are {shown(given)}", expected='a list of texts, such as ["cos(theta/3)"]'
        )
    found = []
    for item in entries_of(given, "the functions"):
        if not isinstance(item, str | Expr):
            raise ModelError(f"a function is {shown(item)}", expected="a text in the model language")
        scope = system.scope.but(order=0, purpose="a function of t and the coordinates")
        f = parse(item, scope) if isinstance(item, str) else item
        if any(order for _, order in symbols(f)):
            raise ModelError(
                f"the function {f} depends on velocities", expected="functions of t and the coordinates"
            )
        found.append(f)
    return _independent(system, found)


def _independent(system: System, functions: Sequence[Expr]) -> list[Expr]:
    """The functions that are no combinations on Q of 1 and those before them: the others add nothing."""
    if not functions:
        return []

    def found() -> list[int]:
        motion = Motion(system)
        elements = [motion.field.one, *(motion.function(f) for f in functions)]
        source = motion.points()
        points = [source.draw() for _ in range(len(elements) + 6)]
        return independent([[point.value(e) for e in elements] for point in points], len(elements), source.p)

    pivots = answer(ask(found))
    return [f for n, f in enumerate(functions, start=1) if pivots is None or n in pivots]
