"""Functions as rational functions of generators: what can be evaluated modulo a prime.

    sin x, cos x      2t/(1 + t²), (1 − t²)/(1 + t²) with t for tan(x/2); of k₁x + k₂y + … by turning
    exp x             E, and powers of it for multiples of x; sinh, cosh, tanh by E; u^(k₁x + …) likewise
    √u                r with r² = u
    log u, atan u, …  a letter for each argument, as it is written

Whatever vanishes as a rational function of the generators, and of the roots as elements of an algebraic
extension, vanishes wherever it is defined: relations that the letters may have besides (log xy = log x +
log y) can only make fewer functions vanish here than do in truth. No function that has pieces (abs, sign,
min, max) or comes as a table has such a form, nor a root of another order than two.

Equations f = 0 are solved for one velocity (or acceleration) v each, in which f is affine or quadratic with a
coefficient a that no velocity is in,

    v = −b/a      or      v = (−b + r)/(2a),   r² = b² − 4ac.

Where a is zero, f is of a lower rank or the part of f = 0 has a lower dimension, so that a function that
vanishes for these v vanishes on all of f = 0 where the rank of ∂f/∂v is that of the equations. An equation
between positions alone is not solved: it may have parts on which a is zero.

>>> from chetaev.expr.graph.node import call, symbol
>>> x = symbol("x")
>>> form = RationalForm([call("sin", 2 * x) - 2 * call("sin", x) * call("cos", x)])
>>> [name for name, _ in form.names], form.roots
(['½x'], [])
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

from chetaev.errors import ExhaustedError
from chetaev.expr.graph.node import (
    ONE,
    PI,
    ZERO,
    E,
    Expr,
    ImplicitNumber,
    div,
    mul,
    neg,
    number,
    postorder,
    substitute,
    symbol,
)
from chetaev.expr.graph.node import add as graph_sum
from chetaev.expr.graph.program import Arithmetic, GraphProgram, Name, run
from chetaev.expr.graph.table import DataTable

LARGEST = 200_000
"""Steps of a program that is evaluated."""
MOST_POWER = 1_000
"""Of an angle or an exponential."""
OPAQUE = ("log", "asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh")

Pair = tuple[Expr, Expr]


class NoResidueError(ExhaustedError):
    """A function that has no value modulo a prime."""


class RationalForm:
    """Functions, on equations, in generators.

    Attributes
    ----------
    functions
        As rational functions of the generators.
    roots
        Letters and the radicands that they are roots of; each contains earlier letters only.
    """

    def __init__(self, functions: Sequence[Expr], on: Sequence[Expr] = ()) -> None:
        self.roots: list[tuple[Expr, Expr]] = []
        self._letters: dict[Any, Expr] = {}
        self._moving = set[Name]()  # letters with velocities in them
        self._multiples: dict[tuple[Expr, int], Pair] = {}
        nodes = list(postorder(*functions, *on))
        self._units = _common_denominators(nodes)
        self._forms: dict[Expr, Expr] = {}
        for node in nodes:
            self._forms[node] = self._form(node)
        self.functions = [self._forms[f] for f in functions]
        self._solve([self._forms[f] for f in on])
        if len(self.program) > LARGEST:
            raise NoResidueError(f"a program of {len(self.program)} steps is not evaluated")

    @property
    def program(self) -> GraphProgram:
        """The radicands and the functions, in this order."""
        return GraphProgram([*(u for _, u in self.roots), *self.functions])

    @property
    def names(self) -> list[Name]:
        """The generators that are free."""
        found = {
            node.value
            for node in postorder(*self.functions, *(u for _, u in self.roots))
            if node.op == "symbol"
        }
        return sorted(found - {r.value for r, _ in self.roots})

    # -- functions ---------------------------------------------------------------------------------------
    def _form(self, node: Expr) -> Expr:
        args = [self._forms[a] for a in node.args]
        match node.op:
            case "number" | "symbol":
                return node
            case "constant":
                if isinstance(node.value, ImplicitNumber):
                    raise NoResidueError("a number that is known by what it solves has no residue")
                return self._exponential(E, ONE) if node is E else self._letter(node, "pi")
            case "define":
                return args[0]
            case "add":
                return graph_sum(*args)
            case "mul":
                return mul(*args)
            case "neg":
                return neg(args[0])
            case "div":
                return div(*args)
            case "pow":
                return self._power(node, args[0])
            case "sqrt":
                return self._root(args[0])
            case "exp":
                return self._exponential(E, node.args[0])
            case "sin" | "cos" | "tan":
                c, s = self._turn(node.args[0])
                return {"sin": s, "cos": c}[node.op] if node.op != "tan" else s / c
            case "sinh" | "cosh" | "tanh":
                up = self._exponential(E, node.args[0])
                down = 1 / up
                sums = {"sinh": (up - down) / 2, "cosh": (up + down) / 2}
                return sums[node.op] if node.op != "tanh" else (up - down) / (up + down)
        if node.op in OPAQUE:
            return self._letter((node.op, *args), node.op)
        raise NoResidueError(f"{'a table of data' if node.op == 'table' else node.op} has no residue")

    def _letter(self, key: Any, word: str) -> Expr:
        """A generator, the same one for the same key; no name of the model language begins so."""
        if key not in self._letters:
            name = f"½{word}"
            taken = sum(1 for e in self._letters.values() if e.value[0].startswith(name))
            letter = self._letters[key] = symbol(name + "′" * taken)
            inside = [e for e in (key if isinstance(key, tuple) else (key,)) if isinstance(e, Expr)]
            if any(n.op == "symbol" and (n.value[1] or n.value in self._moving) for n in postorder(*inside)):
                self._moving.add(letter.value)
        return self._letters[key]

    def _root(self, radicand: Expr) -> Expr:
        for r, u in self.roots:
            if u is radicand:
                return r
        r = self._letter(("sqrt", radicand), "root")
        self.roots.append((r, radicand))
        return r

    def _power(self, node: Expr, base: Expr) -> Expr:
        exponent = node.args[1]
        if exponent.op != "number":
            return self._exponential(node.args[0], exponent)
        return self._raised(base, exponent.value)

    def _raised(self, base: Expr, n: Fraction) -> Expr:
        if n.denominator > 2:
            raise NoResidueError(f"a root of order {n.denominator} has no residue here")
        return base**n if n.denominator == 1 else self._root(base) ** n.numerator

    def _exponential(self, base: Expr, exponent: Expr) -> Expr:
        """base^exponent by powers of a letter for each part of the exponent."""
        factors = []
        for atom, q in _linear(exponent).items():
            if atom is ONE and base is not E:
                factors.append(self._raised(self._forms[base], q))
                continue
            unit = self._units["pow" if base is not E else "exp", base, atom]
            factors.append(self._letter((base, atom), "exp") ** _multiple(q * unit))
        return mul(*factors) if factors else ONE

    def _turn(self, angle: Expr) -> Pair:
        """Cosine and sine of an angle."""
        c, s = ONE, ZERO
        for atom, q in _linear(angle).items():
            if atom is PI and (2 * q).denominator == 1:
                a, b = ((ONE, ZERO), (ZERO, ONE), (number(-1), ZERO), (ZERO, number(-1)))[int(2 * q) % 4]
            else:
                a, b = self._multiple(atom, _multiple(q * self._units["angle", E, atom]))
            c, s = c * a - s * b, s * a + c * b
        return c, s

    def _multiple(self, atom: Expr, n: int) -> Pair:
        """Cosine and sine of a multiple of the unit of an atom."""
        if (atom, n) not in self._multiples:
            if n < 0:
                c, s = self._multiple(atom, -n)
                found = c, neg(s)
            elif n < 2:
                t = self._letter(("angle", atom), atom.value[0] if atom.op == "symbol" else "angle")
                below = 1 + t * t
                found = ((1 - t * t) / below, 2 * t / below) if n else (ONE, ZERO)
            else:
                (a, b), (c, s) = self._multiple(atom, n // 2), self._multiple(atom, n - n // 2)
                found = a * c - b * s, b * c + a * s
            self._multiples[atom, n] = found
        return self._multiples[atom, n]

    # -- equations ---------------------------------------------------------------------------------------
    def _solve(self, equations: list[Expr]) -> None:
        """Each equation for one symbol, put into all that follows."""
        left = [f for f in equations if f is not ZERO]
        while left:
            choices = [choice for k, f in enumerate(left) for choice in self._choices(f, k)]
            if not choices:
                raise NoResidueError("the constraint is neither affine nor quadratic in a velocity")
            degree, name, place = min(choices)
            v = symbol(*name)
            f = left.pop(place)
            at = [substitute([f], {v: number(x)})[0] for x in ((0, 1) if degree == 1 else (0, 1, -1))]
            if degree == 1:
                solved = -at[0] / (at[1] - at[0])
            else:
                a, b = (at[1] + at[2]) / 2 - at[0], (at[1] - at[2]) / 2
                solved = (self._root(b * b - 4 * a * at[0]) - b) / (2 * a)
            left = substitute(left, {v: solved})
            self.functions = substitute(self.functions, {v: solved})
            self.roots = [(r, substitute([u], {v: solved})[0]) for r, u in self.roots]
            self._order_roots()

    def _choices(self, f: Expr, place: int) -> Iterator[tuple[int, Name, int]]:
        """The velocities that an equation can be solved for, with its degree in them."""
        degrees: _Degree = run([f], _Degrees(self._moving), {})[0]
        for name, d in degrees.of.items():
            if name[1] and d == degrees.beside[name] and d in (1, 2):
                yield d, name, place

    def _order_roots(self) -> None:
        """Radicands after the letters that they contain."""
        letters, done, waiting = {r for r, _ in self.roots}, set[Expr](), list(self.roots)
        self.roots = []
        while waiting:
            ready = [(r, u) for r, u in waiting if not (letters & set(postorder(u))) - done]
            if not ready:
                raise NoResidueError("the constraint is not solved by roots one after the other")
            self.roots += ready
            done |= {r for r, _ in ready}
            waiting = [pair for pair in waiting if pair not in ready]


def _multiple(q: Fraction) -> int:
    if abs(q) > MOST_POWER:
        raise NoResidueError(f"a {abs(int(q))}-fold angle or power is not evaluated")
    return int(q)


def _common_denominators(nodes: Sequence[Expr]) -> dict[tuple[str, Expr, Expr], int]:
    """By which number each angle and exponent is divided, so that all of them are multiples."""
    found: dict[tuple[str, Expr, Expr], int] = {("exp", E, ONE): 1}
    for node in nodes:
        if node.op in ("sin", "cos", "tan"):
            kind, base, exponent = "angle", E, node.args[0]
        elif node.op in ("exp", "sinh", "cosh", "tanh"):
            kind, base, exponent = "exp", E, node.args[0]
        elif node.op == "pow" and node.args[1].op != "number":
            kind, base, exponent = ("pow" if node.args[0] is not E else "exp"), *node.args
        else:
            continue
        for atom, q in _linear(exponent).items():
            key = kind, base, atom
            found[key] = lcm(found.get(key, 1), q.denominator)
    return found


def _linear(e: Expr, times: Fraction = Fraction(1)) -> dict[Expr, Fraction]:
    """Σ q_i a_i, the number with the atom 1."""
    found: dict[Expr, Fraction] = {}
    todo = [(e, times)]
    while todo:
        node, q = todo.pop()
        numbers = [a.value for a in node.args if a.op == "number"]
        if node.op == "define":
            todo.append((node.args[0], q))
        elif node.op == "neg":
            todo.append((node.args[0], -q))
        elif node.op == "add":
            todo += [(a, q) for a in node.args]
        elif node.op == "mul" and len(numbers) and len(node.args) - len(numbers) <= 1:
            for value in numbers:
                q = q * value
            rest = [a for a in node.args if a.op != "number"]
            todo.append((rest[0] if rest else ONE, q))
        elif node.op == "div" and node.args[1].op == "number":
            todo.append((node.args[0], q / node.args[1].value))
        elif node.op == "number":
            found[ONE] = found.get(ONE, Fraction(0)) + q * node.value
        else:
            found[node] = found.get(node, Fraction(0)) + q
    return {a: q for a, q in found.items() if q}


TOO_HIGH = 99
"""The degree in a symbol of what is divided by it."""


@dataclass(frozen=True)
class _Degree:
    """Degrees of a polynomial: in each symbol; in all velocities; in these, of the terms with a symbol."""

    of: dict[Name, int]
    total: int
    beside: dict[Name, int]


class _Degrees(Arithmetic):
    """Degrees of polynomials with coefficients that may be anything without velocities."""

    def __init__(self, moving: Collection[Name]) -> None:
        self.moving = moving

    def number(self, value: Fraction) -> _Degree:
        """No symbols."""
        return _Degree({}, 0, {})

    def symbol(self, name: str, order: int) -> _Degree:
        """One symbol."""
        moves = int(order > 0 or (name, order) in self.moving)
        return _Degree({(name, order): 1}, moves, {(name, order): moves})

    def sum(self, terms: Sequence[_Degree]) -> _Degree:
        """The largest."""
        of, beside = dict[Name, int](), dict[Name, int]()
        for a in terms:
            for n, d in a.of.items():
                of[n] = max(d, of.get(n, 0))
                beside[n] = max(a.beside[n], beside.get(n, 0))
        return _Degree(of, max(a.total for a in terms), beside)

    def product(self, factors: Sequence[_Degree]) -> _Degree:
        """The sums."""
        of, total = dict[Name, int](), sum(a.total for a in factors)
        beside = dict[Name, int]()
        for a in factors:
            for n, d in a.of.items():
                of[n] = d + of.get(n, 0)
                beside[n] = max(total - a.total + a.beside[n], beside.get(n, 0))
        return _Degree(of, total, beside)

    def negative(self, a: _Degree) -> _Degree:
        """The same."""
        return a

    def quotient(self, a: _Degree, b: _Degree) -> _Degree:
        """Too high in what is divided by, where velocities are in that."""
        return self.product([a, self.power(b, None, None)] if b.total else [a, replace(b, of={}, beside={})])

    def power(self, base: _Degree, exponent: Any, written: Fraction | None) -> _Degree:
        """So many times as high."""
        if base.total and (written is None or written < 0):
            return _Degree(dict.fromkeys(base.of, TOO_HIGH), TOO_HIGH, dict.fromkeys(base.of, TOO_HIGH))
        return self.product([base] * max(1, abs(int(written or 1))))

    def constant(self, name: Any) -> Any:
        """None: constants are letters."""
        raise NoResidueError("a constant has been given a letter")

    def function(self, name: str, args: Sequence[Any]) -> Any:
        """None: functions are letters or rational."""
        raise NoResidueError(f"{name} has been given a letter")

    def table(self, data: DataTable, u: Any) -> Any:
        """None."""
        raise NoResidueError("a table of data has no residue")
