"""The expression graph: small, immutable, shared.

An :class:`Expr` is a node of a directed acyclic graph. Equal nodes are one object (they are
interned), so equality is identity, a subexpression that occurs a thousand times is stored once, and
every pass over a graph that visits each node once is linear in the text it came from. A definition is
a node of its own that carries its name; it is never expanded.

Nodes
-----
``number``      value: an exact :class:`~fractions.Fraction`
``constant``    value: ``"pi"`` or ``"e"``
``symbol``      value: ``(name, order)``; order 0 a name as written, 1 its velocity, 2 its acceleration
``define``      value: the name; one argument, its meaning
``add``         two or more arguments            ``mul``  two or more arguments
``neg``         one argument                     ``div``  numerator, denominator
``pow``         base, exponent                   a function, e.g. ``sin``, ``atan2``: its arguments
``table``       value: a :class:`~chetaev.expr.graph.table.DataTable` of data; one argument

Nothing is simplified: only operations on exact numbers are carried out, and the sign of a first factor or
of a numerator is written before the whole product, as people do. What a user wrote is what is
printed.

>>> x, y = symbol("x"), symbol("x", 1)
>>> add(x, y) is add(x, y)
True
>>> add(number(1), number(2), x)
Expr('3 + x')
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import ref

from chetaev.errors import DivisionByZeroError
from chetaev.expr.graph.number_range import FAR, exact_power, expect_in_range

if TYPE_CHECKING:
    from flint import arb

    from chetaev.expr.graph.table import DataTable


FUNCTIONS: dict[str, int] = {
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2,
    "sinh": 1, "cosh": 1, "tanh": 1, "asinh": 1, "acosh": 1, "atanh": 1,
    "exp": 1, "log": 1, "sqrt": 1, "abs": 1, "sign": 1, "min": -2, "max": -2,
}  # fmt: skip
"""Function names and their number of arguments; −2 means two or more."""

CONSTANTS = ("pi", "e")

_table: dict[tuple[Any, ...], _Interned] = {}
"""All nodes that are in use, by what they are made of."""
_table_lock = RLock()


class Expr:
    """One node of the graph; made by the functions of this module, never changed."""

    __slots__ = ("__weakref__", "args", "depth", "op", "value")

    op: str
    args: tuple[Expr, ...]
    value: Any
    depth: int

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an Expr does not change; build a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("an Expr does not change; build a new one")

    def __reduce__(self) -> tuple[object, ...]:
        return rebuild, (flatten(self),)

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self

    def __str__(self) -> str:
        from chetaev.expr.print import to_text

        return to_text(self)

    def __repr__(self) -> str:
        return f"Expr({str(self)!r})"

    def _repr_latex_(self) -> str:
        from chetaev.expr.print.latex import broken_formula

        return f"$\\displaystyle {broken_formula(self)}$"

    def _repr_html_(self) -> str:
        """MathML, which needs nothing from the network."""
        from chetaev.expr.print import mathml, page
        from chetaev.expr.print.broken_lines import pieces

        return "<br>".join(map(mathml, pieces(page(self)[0])))

    def to_sympy(self, *, expand: bool = False) -> Any:
        """The SymPy expression: a velocity ``x'`` is the symbol ``x_dot``, all symbols are real.

        Names of definitions stay symbols, and tables of data functions of their names, unless `expand` is
        set: tables are then piecewise polynomials. ``sympy.sympify`` gives the same.
        """
        from chetaev.expr.language.sympy_bridge import to_sympy

        return to_sympy(self, expand=expand)

    def _sympy_(self) -> Any:
        return self.to_sympy()

    # Arithmetic, so that derivations read like formulas.
    def __add__(self, other: Expr | int | Fraction) -> Expr:
        return add(self, as_expr(other))

    def __radd__(self, other: int | Fraction) -> Expr:
        return add(as_expr(other), self)

    def __sub__(self, other: Expr | int | Fraction) -> Expr:
        return sub(self, as_expr(other))

    def __rsub__(self, other: int | Fraction) -> Expr:
        return sub(as_expr(other), self)

    def __mul__(self, other: Expr | int | Fraction) -> Expr:
        return mul(self, as_expr(other))

    def __rmul__(self, other: int | Fraction) -> Expr:
        return mul(as_expr(other), self)

    def __truediv__(self, other: Expr | int | Fraction) -> Expr:
        return div(self, as_expr(other))

    def __rtruediv__(self, other: int | Fraction) -> Expr:
        return div(as_expr(other), self)

    def __pow__(self, other: Expr | int | Fraction) -> Expr:
        return power(self, as_expr(other))

    def __neg__(self) -> Expr:
        return neg(self)


_set_op, _set_args, _set_value, _set_depth = (
    vars(Expr)[name].__set__ for name in ("op", "args", "value", "depth")
)


class _Interned(ref[Expr]):
    """A node in the table. Python's own dictionary of weak references takes three times as long."""

    __slots__ = ("key",)

    key: tuple[Any, ...]


def _forget(
    gone: _Interned, table: dict[tuple[Any, ...], _Interned] = _table, lock: Any = _table_lock
) -> None:
    with lock:  # another thread may have put a new node in its place
        if table.get(gone.key) is gone:
            del table[gone.key]


def _intern(op: str, args: tuple[Expr, ...], value: Any) -> Expr:
    key = (op, value.as_integer_ratio() if op == "number" else value, args)
    kept = _table.get(key)
    found = None if kept is None else kept()
    if found is not None:
        return found
    node = object.__new__(Expr)
    _set_op(node, op)
    _set_args(node, args)
    _set_value(node, value)
    depth = 0
    for a in args:
        if a.depth > depth:
            depth = a.depth
    _set_depth(node, depth + 1)
    interned = _Interned(node, _forget)
    interned.key = key
    with _table_lock:
        kept = _table.get(key)
        found = None if kept is None else kept()
        if found is not None:  # another thread was faster
            return found
        _table[key] = interned
    return node


def as_expr(value: Expr | int | Fraction) -> Expr:
    """An Expr as it is, an exact number as a node."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return number(value)
    raise TypeError(f"expected an Expr or an exact number, got {type(value).__name__}")


def number(value: int | Fraction) -> Expr:
    """An exact number; outside double range or beyond `MAX_NUMBER_BITS` it is refused."""
    value = value if type(value) is Fraction else Fraction(value)
    if -FAR < value.numerator < FAR and value.denominator < FAR:  # most numbers: nothing can be wrong
        return _intern("number", (), value)
    expect_in_range(value)
    return _intern("number", (), value)


def constant(name: str | ImplicitNumber) -> Expr:
    """The constant ``pi`` or ``e``, or a number that is known by what it solves."""
    if name not in CONSTANTS and not isinstance(name, ImplicitNumber):
        raise ValueError(f"unknown constant {name!r}")
    return _intern("constant", (), name)


def symbol(name: str, order: int = 0) -> Expr:
    """A name, its velocity (order 1) or its acceleration (order 2)."""
    return _intern("symbol", (), (name, order))


def define(name: str, meaning: Expr) -> Expr:
    """A named subexpression: it keeps its name and is never expanded."""
    return _intern("define", (meaning,), name)


def add(*terms: Expr) -> Expr:
    """The sum; exact numbers that stand side by side are added."""
    return _fold("add", terms, ZERO)


def mul(*factors: Expr) -> Expr:
    """The product; exact numbers side by side are multiplied, a leading sign stands before the whole."""
    if len(factors) > 1 and factors[0].op == "neg":
        return neg(mul(factors[0].args[0], *factors[1:]))
    return _fold("mul", factors, ONE)


def _fold(op: str, args: Sequence[Expr], neutral: Expr) -> Expr:
    folded: list[Expr] = []
    for a in args:
        if folded and a.op == "number" and folded[-1].op == "number":
            last = folded.pop()
            a = number(last.value + a.value if op == "add" else last.value * a.value)
        folded.append(a)
    if len(folded) == 1:
        return folded[0]
    return _intern(op, tuple(folded), None) if folded else neutral


def neg(a: Expr) -> Expr:
    """Minus a."""
    if a.op == "number":
        return number(-a.value)
    return _intern("neg", (a,), None)


def sub(a: Expr, b: Expr) -> Expr:
    """a minus b."""
    return add(a, neg(b))


def div(a: Expr, b: Expr) -> Expr:
    """a over b; division by the number 0 raises :class:`~chetaev.errors.DivisionByZeroError`."""
    if b.op == "number":
        if b.value == 0:
            raise DivisionByZeroError("division by zero")
        if a.op == "number":
            return number(a.value / b.value)
    if a.op == "neg":
        return neg(div(a.args[0], b))
    return _intern("div", (a, b), None)


def power(base: Expr, exponent: Expr) -> Expr:
    """base to the exponent; a power of exact numbers is computed when it is exact."""
    if base.op == "number" and exponent.op == "number" and exponent.value.denominator == 1:
        return number(exact_power(base.value, int(exponent.value)))
    return _intern("pow", (base, exponent), None)


def call(name: str, *args: Expr) -> Expr:
    """A function of its arguments."""
    arity = FUNCTIONS.get(name)
    if arity is None:
        raise ValueError(f"unknown function {name!r}")
    if len(args) != arity if arity >= 0 else len(args) < -arity:
        raise ValueError(f"{name} takes {arity_words(name)}, got {len(args)}")
    return _intern(name, args, None)


def table(data: DataTable, u: Expr) -> Expr:
    """A table of data as a function."""
    if data.degree < 0:
        return ZERO
    if u.op == "number":
        return number(data.exact(u.value))
    return _intern("table", (u,), data)


def arity_words(name: str) -> str:
    """How many arguments a function takes, in words."""
    arity = FUNCTIONS[name]
    return {1: "one argument", 2: "two arguments", -2: "two or more arguments"}[arity]


ZERO = number(0)
ONE = number(1)
PI = constant("pi")
E = constant("e")


def postorder(*roots: Expr, through_definitions: bool = True) -> Iterator[Expr]:
    """Every node below the roots once, arguments before what uses them; no recursion."""
    seen: set[Expr] = set()
    stack: list[Expr | None] = [*reversed(roots)]
    pop = stack.pop
    while stack:
        node = pop()
        if node is None:  # the arguments of the node below are done
            yield pop()  # type: ignore[misc]
        elif node not in seen:
            seen.add(node)
            args = node.args
            if not args or (node.op == "define" and not through_definitions):
                yield node
            else:
                stack += (node, None)
                stack += args[::-1]


def size(*roots: Expr) -> int:
    """The number of different nodes."""
    return sum(1 for _ in postorder(*roots))


def depth(*roots: Expr) -> int:
    """The longest way from a root to a leaf, in nodes."""
    return max((r.depth for r in roots), default=0)


def symbols(*roots: Expr) -> set[tuple[str, int]]:
    """All ``(name, order)`` that occur, also inside definitions."""
    return {n.value for n in postorder(*roots) if n.op == "symbol"}


def is_implicit(e: Expr) -> bool:
    """Whether a number occurs that is known by what it solves only: it has no text."""
    return any(n.op == "constant" and isinstance(n.value, ImplicitNumber) for n in postorder(e))


def definitions(*roots: Expr) -> list[Expr]:
    """All definition nodes that occur, each after those it uses."""
    return [n for n in postorder(*roots) if n.op == "define"]


def make(op: str, args: Sequence[Expr], value: Any = None) -> Expr:
    """A node from its parts, with the exact arithmetic of the builders above."""
    match op:
        case "number":
            return number(value)
        case "constant":
            return constant(value)
        case "symbol":
            return symbol(*value)
        case "define":
            return define(value, args[0])
        case "add":
            return add(*args)
        case "mul":
            return mul(*args)
        case "neg":
            return neg(*args)
        case "div":
            return div(*args)
        case "pow":
            return power(*args)
        case "table":
            return table(value, args[0])
        case function:
            return call(function, *args)


def substitute(roots: Iterable[Expr], values: dict[Expr, Expr]) -> list[Expr]:
    """Replace nodes by others everywhere, keeping everything else shared.

    A definition whose meaning changes becomes a plain subexpression: its name would lie.
    """
    roots = list(roots)
    new: dict[int, Expr] = {}
    for node in postorder(*roots):
        if node in values:
            new[id(node)] = values[node]
            continue
        args = [new[id(a)] for a in node.args]
        if all(a is b for a, b in zip(args, node.args, strict=True)):
            new[id(node)] = node
        elif node.op == "define":
            new[id(node)] = args[0]
        else:
            new[id(node)] = make(node.op, args, node.value)
    return [new[id(r)] for r in roots]


Flat = list[tuple[str, tuple[int, ...], Any]]


def flatten(root: Expr) -> Flat:
    """The graph below a node as a list that names arguments by their index."""
    return flatten_all([root])[0]


def flatten_all(roots: Sequence[Expr]) -> tuple[Flat, list[int]]:
    """The graph below several nodes as such a list, and their places in it."""
    index: dict[int, int] = {}
    flat: Flat = []
    for node in postorder(*roots):
        index[id(node)] = len(flat)
        flat.append((node.op, tuple(index[id(a)] for a in node.args), node.value))
    return flat, [index[id(r)] for r in roots]


def rebuild(flat: Flat) -> Expr:
    """The inverse of :func:`flatten`."""
    return rebuild_all(flat)[-1]


def rebuild_all(flat: Flat) -> list[Expr]:
    """Every node of a list made by :func:`flatten_all`."""
    nodes: list[Expr] = []
    for op, args, value in flat:
        nodes.append(_intern(op, tuple(nodes[i] for i in args), value))
    return nodes


class ImplicitNumber(ABC):
    """A real number with an enclosure of any precision; equal ones are one number."""

    @abstractmethod
    def ball(self) -> arb:
        """A ball around it, of the working precision."""

    def nearby(self, bits: int) -> tuple[int, int]:
        """A whole number m and an exponent e with m·2^e in the middle of a ball of so many bits."""
        from flint import ctx

        with ctx.workprec(bits):
            mantissa, exponent = self.ball().mid().man_exp()
        return int(mantissa), int(exponent)

    @cached_property
    def double(self) -> float:
        """As a double."""
        from flint import ctx

        with ctx.workprec(128):
            return float(self.ball().mid())

    def __str__(self) -> str:
        return f"{self.double:.10g}"
