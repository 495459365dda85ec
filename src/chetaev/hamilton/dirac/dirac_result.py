"""What Dirac's algorithm found, as values (SCOPE B7, B8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, GivenUp, answer, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.graph.node import Expr, symbols
from chetaev.expr.print import to_latex
from chetaev.hamilton.dirac.algorithm import Branch, PhaseRates
from chetaev.hamilton.dirac.first_and_second_class import Classes
from chetaev.hamilton.dirac.rank_of_hessian import words_on_rank
from chetaev.hamilton.dirac.total_hamiltonian import Total
from chetaev.hamilton.horizontal import within
from chetaev.hamilton.long_formulas import readable
from chetaev.results import PlainData, plain

if TYPE_CHECKING:
    import xarray

    from chetaev.model.system import System

Result = TypeVar("Result")
OUTCOMES = {
    "regular": "no constraints on phase space but those on velocities: the motion is determined",
    "second class": "there are constraints, and all multipliers are determined: so is the motion",
    "gauge": "all constraints are of the first class: the motion is not unique",
    "mixed": "constraints of both classes: the motion is not unique",
    "inconsistent": "the conditions contradict each other: there is no motion",
}
WITHOUT: dict[str, Any] = {"first_class": None, "second_class": None}
WITHOUT |= {"second_class_set": [], "free": [], "rank_changes": [], "equations": {}}
"""What is said of these where there is no motion."""


LONG = 400
"""Places where the rank drops are not printed where their functions are longer."""
LATE_EFFORT = 2_000_000
"""What each thing may cost that is computed when it is asked for."""


@dataclass(frozen=True)
class Gauge(PlainData):
    """A constraint of the first class and the change that it generates, {z, G} for every z that it moves."""

    generator: Expr
    moves: Mapping[str, Expr]

    def __str__(self) -> str:
        moved = ", ".join(f"{name} by {change}" for name, change in self.moves.items())
        return f"{self.generator} moves {moved}" if moved else f"{self.generator} moves nothing"


@dataclass(frozen=True)
class DiracBranch(PlainData):
    """One branch of the algorithm.

    Attributes
    ----------
    outcome
        ``"regular"``, ``"second class"``, ``"gauge"``, ``"mixed"`` or ``"inconsistent"``.
    primary, secondary
        The constraints, expressions in t, q and momenta, in the order in which they came.
    notes
        Remarks on the way, such as a constraint that was given as a square.
    contradiction
        What would have to be 0 and is nowhere; None where the branch has motions.
    """

    motion: PhaseRates
    branch: Branch

    facts = "outcome primary secondary contradiction notes multipliers gauge degrees_of_freedom"

    @cached_property
    def _classes(self) -> Classes:
        return Classes(self.motion, self.branch)

    @cached_property
    def primary(self) -> tuple[Expr, ...]:
        """Constraints that hold by p = ∂L/∂v."""
        return tuple(c.function.to_expr() for c in self.branch.conditions if c.origin == "primary")

    @cached_property
    def secondary(self) -> tuple[Expr, ...]:
        """Constraints that follow, because the others must go on to hold; and those that were given."""
        return tuple(c.function.to_expr() for c in self.branch.conditions if c.origin != "primary")

    @property
    def contradiction(self) -> Expr | None:
        """What would have to vanish, and does not."""
        found = self.branch.contradiction
        return None if found is None else self._on_all_sheets(found)

    @property
    def impossible(self) -> str:
        """The contradiction in words: what depends on time alone may be 0, but not go on to be."""
        time = self.motion.space.system.time
        timed = self.contradiction is not None and (time, 0) in symbols(self.contradiction)
        return f"{self.contradiction} would have to {'stay 0' if timed else 'be 0, and is nowhere here'}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the way, where motions were not looked for, and where Dirac's conjecture fails."""
        return (*self.branch.surface.notes, *words_on_rank(self.motion), *self._conjecture)

    @cached_property
    def _conjecture_fails(self) -> bool:
        """Whether not all constraints of the first class change what is free."""
        if self.contradiction is not None or self._forced or not self.free:
            return False
        if len(self.free) >= self.first_class:  # each is that of a primary constraint of the first class
            return False
        return self._classes.reached < self.first_class

    @property
    def _conjecture(self) -> tuple[str, ...]:
        if self.contradiction is None and self._forced and len(self.gauge) < self._classes.reached:
            return (
                f"what is not determined moves {self._classes.reached} independent directions of phase "
                "space: forces carry it further than constraints generate",
            )
        if not self._conjecture_fails:
            return ()
        reached = self._classes.reached
        return (
            f"Dirac's conjecture fails here: of {self.first_class} constraints of the first class only "
            f"{reached} generate changes that the free multipliers make; the others tell motions apart",
        )

    @cached_property
    def multipliers(self) -> Mapping[str, Expr]:
        """Multipliers that are determined: u of primary constraints, λ of constraint forces."""
        with self.motion.space.field.limit(Budget.of(LATE_EFFORT)):
            listed = self.branch.multipliers.items()
            return within(lambda: {n: self._on_all_sheets(x) for n, x in listed}, "the multipliers")

    def _on_all_sheets(self, function: Element) -> Expr:
        """A function on the surface as it holds on every sheet of the roots that were taken."""
        return self.branch.surface.lifted(function).to_expr()

    @property
    def free(self) -> tuple[str, ...]:
        """Multipliers that nothing determines: arbitrary functions of time. Those of constraint forces only
        where they change the motion.
        """
        return self._classes.free

    @property
    def _forced(self) -> bool:
        """Whether forces act, given ones or those of constraints: then the motion is not Hamiltonian."""
        return bool(self.motion.l_names) or any(not e.is_zero for e in self.motion.forces)

    @cached_property
    def second_class(self) -> int:
        """How many constraints are not of the first class: without forces, the rank of their brackets."""
        return len(self.branch.conditions) - self.first_class

    @cached_property
    def first_class(self) -> int:
        """How many independent combinations of constraints are of the first class: their bracket with all
        constraints vanishes. Forces, given ones or those of constraints, are not Hamiltonian; with them only
        those are counted that generate changes which the undetermined multipliers make.
        """
        return len(self._classes.generators if self._forced else self._classes.first_class)

    @property
    def outcome(self) -> str:
        """What came out, in a word or two."""
        if self.contradiction is not None:
            return "inconsistent"
        if self.free if self._forced else self.first_class:
            return "mixed" if self.second_class else "gauge"
        origins = {c.origin for c in self.branch.conditions}
        return "second class" if "primary" in origins else "regular"

    @property
    def degrees_of_freedom(self) -> Fraction | int | None:
        """Half the dimension of what can be told apart: (2m − 2·first − second)/2, where Dirac's conjecture
        holds; None without motions.

        With forces, (2m − constraints − directions in which undetermined multipliers move)/2, and under
        constraints on velocities half of those directions on it that are virtual displacements.
        """
        if self.contradiction is not None:
            return None
        first = self._classes.reached + self._classes.unseen_forms if self._forced else self.first_class
        left = 2 * len(self.motion.space.q) - len(self.branch.conditions) - first
        return left // 2 if left % 2 == 0 else Fraction(left, 2)

    @cached_property
    def gauge(self) -> tuple[Gauge, ...]:
        """Constraints of the first class as generators of changes that no observation sees; with forces, and
        where Dirac's conjecture fails, those that are such.
        """
        if self.contradiction is not None:
            return ()
        some = self._forced or self._conjecture_fails
        with self.motion.space.field.limit(Budget.of(LATE_EFFORT)):
            listed = answer(ask(lambda: self._classes.generators if some else self._classes.first_class))
            found = [answer(ask(self._generated, G)) for G in listed or ()]
        return tuple(g for g in found if g is not None)

    def _generated(self, G: Element) -> Gauge:
        """What a generator changes, on the surface."""
        space, on = self.motion.space, self.branch.surface.restrict
        names = (*space.system.coordinates, *space.momenta)
        moves = {n: on(space.bracket(z, G)) for n, z in zip(names, (*space.q, *space.p), strict=True)}
        shown = {n: self._on_all_sheets(e) for n, e in moves.items() if not e.is_zero}
        return Gauge(self._on_all_sheets(G), shown)

    @cached_property
    def second_class_set(self) -> tuple[Expr, ...]:
        """The constraints that Dirac's bracket is made with."""
        return tuple(self._classes.functions[j].to_expr() for j in self._classes.second_class_set)

    @cached_property
    def rank_changes(self) -> tuple[Expr, ...]:
        """Functions: where one of them vanishes the brackets of the constraints have a smaller rank."""
        with self.motion.space.field.limit(Budget.of(LATE_EFFORT)):
            return tuple(self._on_all_sheets(e) for e in self._classes.rank_drops)

    def bracket(self, F: Any, G: Any) -> Expr:
        """Dirac's bracket {F, G}_D on the surface, of functions of t, q and momenta (text or expressions)."""
        space = self.motion.space
        left, right = space.read(F, "the first function of a bracket"), space.read(G, "the second function")
        return self._on_all_sheets(self._classes.bracket(left, right))

    @cached_property
    def equations(self) -> Mapping[str, Expr]:
        """q' and p' by name on the surface; free multipliers stand in them."""
        on, known = self.branch.surface.restrict, self.branch.multipliers

        def written() -> dict[str, Expr]:
            rates = {n: e.subs(known) if known else e for n, e in self.motion.equations.items()}
            return {n: self._on_all_sheets(on(e)) for n, e in rates.items()}

        with self.motion.space.field.limit(Budget.of(LATE_EFFORT)):
            return within(written, "the equations on the surface")

    def system(self, gauge: Any = None) -> System:
        """The motion on phase space as a System with a table [poisson], its constraints beside it.

        Parameters
        ----------
        gauge
            A function of t, q, p for every multiplier in `free`, by name; or a list of conditions on phase
            space, ``["z = 0"]``, from which the free multipliers follow.
        """
        return Total(self, gauge).system()

    def simulate(
        self,
        until: float | None = None,
        initial: Mapping[str, Any] | None = None,
        gauge: Any = None,
        **options: Any,
    ) -> xarray.Dataset:
        """A motion on phase space, from coordinates and momenta that satisfy all constraints, or from
        coordinates and velocities.

        Parameters
        ----------
        until
            When it ends; the model's own time if left out.
        initial
            Values by name, as in ``ch.simulate``; momenta by their names too. What is left out of coordinates
            and momenta is solved from the constraints.
        gauge
            See :meth:`system`.
        **options
            Those of ``ch.simulate``.
        """
        from chetaev.hamilton.dirac.dirac_run import run

        return run(self, until, initial, gauge, **options)

    def __str__(self) -> str:
        return self._late(self._text)

    def _late(self, compute: Callable[[], Result]) -> Result:
        """What is computed when it is asked for has an effort of its own."""
        with self.motion.space.field.limit(Budget.of(LATE_EFFORT)):
            return within(compute, "what is shown of Dirac's algorithm")

    def _text(self) -> str:
        if self.contradiction is not None:
            lines = [f"inconsistent: {self.impossible}"]
        else:
            lines = [f"{self.outcome}: {OUTCOMES[self.outcome]}"]
        lines += [f"  primary    {e} = 0" for e in self.primary]
        lines += [f"  secondary  {e} = 0" for e in self.secondary]
        lines += [f"  {note}" for note in self.notes]
        if self.contradiction is not None:
            return "\n".join(lines)
        if self.branch.conditions and not self._forced:
            lines.append(f"  {self.first_class} of the first class, {self.second_class} of the second class")
            if self.first_class and self.second_class:
                chosen = ", ".join(map(str, self.second_class_set))
                lines.append(f"  Dirac's bracket is that of the set {chosen}")
        try:
            lines += [f"  {name} = {e}" for name, e in self.multipliers.items()]
        except ModelError as error:
            lines.append(f"  those that are determined were not written down: {error.message}")
        if self.free:
            lines.append(f"  not determined: {', '.join(self.free)}")
        lines += [f"  gauge: {g}" for g in self.gauge]
        missing = 0 if self._forced or self._conjecture_fails else self.first_class - len(self.gauge)
        if missing:
            lines.append(f"  gauge: {missing} more, not written down within the effort")
        if not self._forced:
            changes = ask(lambda: self.rank_changes)
            if isinstance(changes, GivenUp):
                lines.append(f"  where there are fewer of the second class was not found: {changes.reason}")
            else:
                lines += [f"  fewer of the second class where {readable(e, LONG)} = 0" for e in changes]
        lines.append(f"  degrees of freedom: {self.degrees_of_freedom}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        ended, parts = self.contradiction is None, super().to_json
        return self._late(
            lambda: parts() | {n: plain(getattr(self, n)) if ended else x for n, x in WITHOUT.items()}
        )


@dataclass(frozen=True)
class Dirac(PlainData):
    """The answer of Dirac's algorithm: its branches, and those with motions first.

    Attributes
    ----------
    hamiltonian
        H(t, q, p), determined up to multiples of the primary constraints.
    momenta
        p = ∂L/∂v, expressions in t, q, v by name.
    parameters
        For which parameters this holds, in words.
    branches
        All branches; ask the first one by its attributes, which this object has too.
    """

    hamiltonian: Expr
    momenta: Mapping[str, Expr]
    parameters: str
    branches: tuple[DiracBranch, ...]

    facts = "hamiltonian momenta parameters branches"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.branches[0], name)

    def __str__(self) -> str:
        lines = [f"H = {self.hamiltonian}"] + [f"{n} = {e}" for n, e in self.momenta.items()]
        many = len(self.branches) > 1
        for i, branch in enumerate(self.branches):
            lines += [f"branch {i + 1} of {len(self.branches)}:"] if many else []
            lines.append(str(branch))
        return "\n".join([*lines, *([self.parameters] if self.parameters else [])])

    def to_json(self) -> dict[str, Any]:
        """Plain data: the first branch, and all of them."""
        return self.branches[0].to_json() | super().to_json()

    def _repr_latex_(self) -> str:
        rows = [f"H &= {to_latex(self.hamiltonian)}"]
        rows += [
            rf"{to_latex(e)} &\approx 0" for e in (*self.branches[0].primary, *self.branches[0].secondary)
        ]
        return "$$\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}$$"
