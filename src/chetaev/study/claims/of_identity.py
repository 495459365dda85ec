"""Claims of general theory: identities between free functions and their derivatives (SCOPE K2–K12, Sa1–Sa9).

    functions = { L = "t q1 q2 q1' q2'", g = "t q1 q2 q1'" }   # any functions of these
    put = { "q2'" = "g", "q2''" = "g_Dt" }                     # what an ending _on puts in, in this order
    define = { Lbar = "L_on" }
    given = ["q1'' = -L_q1"]                                   # equations that are supposed
    identity = "Lbar_q1 = L_q1_on + L_q2_dot_on*g_q1"

The endings of a name are operations, from left to right: _q1, _q1_dot, _q1_ddot and _t are partial
derivatives, _Dt is d/dt = ∂/∂t + q'∂/∂q + q''∂/∂q' + …, _on puts in. A free function stands for its jet: F,
F_q1, F_q1_q2, … are independent variables, with ∂F_α/∂x = F_αx. Since every jet is that of a function, an
identity between jets is one for all functions, and a jet that refutes it is that of a function that does.
F∘ι has jets of its own, with ∂(F_α∘ι)/∂x = F_αx∘ι + Σ F_αw∘ι ∂(put w)/∂x.

Formulas with indices are written as in papers: `{i}` takes every value of `indices = { i = "1 2" }`,
`sum{i,j}[…]` adds, and `delta[{i},{j}]` is 1 or 0. `like = "(12)"` takes over the entries of the claim of
that equation.

>>> import chetaev as ch
>>> chain = {"functions": {"L": "q q'", "g": "t q"}, "put": {"q'": "g"}}
>>> right = {**chain, "identity": "L_on_q = L_q_on + L_q_dot_on*g_q"}
>>> wrong = {**chain, "identity": "L_on_q = L_q_on"}
>>> system = ch.System(coordinates=["q"], lagrangian="q'^2/2", claims=[right, wrong])
>>> [judged.holds for judged in ch.claims(system)]
[True, False]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.exact.vanishing import zero_tests
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.node import ONE, ZERO, Expr, add, mul, substitute, symbol, symbols
from chetaev.expr.language.parser import Equation
from chetaev.expr.language.scope import Scope, check_name
from chetaev.laws.standpoint import decisive
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.judgement import Judge, Statement

ENTRIES = ("functions", "variables", "indices", "put", "define", "given", "like")
SUM = re.compile(r"sum\{([\w,\s]+)\}\[")
INDEX = re.compile(r"\{(\w+)\}")
DELTA = re.compile(r"delta\[(\w+),\s*(\w+)\]")


def identity(given: ClaimData) -> Judge:
    """Whether equations hold for all functions."""
    given = completed(given)
    names = _names(given)
    scope = given.system.scope.but(order=2, purpose="an identity", values=names)
    read = _Read(given, _indices(given), scope)
    names.define(read)
    supposed = [e.residual for text in read.given for e in read.equations("given", text)]
    stated = [(text, read.equations("identity", text)) for text in given.texts("identity", '"L_q1 = 0"')]
    words = "for all functions" if names.jets.of else ""

    def judged(effort: int) -> tuple[Statement, ...]:
        verdicts = [zero_tests([e.residual for e in found], supposed, effort=effort) for _, found in stated]
        found = [decisive(all_of) for all_of in verdicts]
        return tuple(
            Statement.of(text, verdict, words if verdict.is_zero else "")
            for (text, _), verdict in zip(stated, found, strict=True)
        )

    return judged


@dataclass
class FreeFunctions:
    """Free functions: the symbols of their derivatives, and how these are differentiated."""

    time: Expr
    flow: tuple[tuple[Expr, Expr], ...]
    """Coordinates and velocities, each with its rate."""
    of: dict[Expr, tuple[str, tuple[Expr, ...], bool]] = field(default_factory=dict)
    """A symbol: the function, by what it is differentiated, whether at what is put in."""
    arguments: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    put: dict[Expr, Expr] = field(default_factory=dict)

    def free(self, name: str, arguments: Sequence[Expr]) -> Expr:
        """A free function."""
        self.arguments[name] = tuple(arguments)
        return self._jet(name, (), False)

    def _jet(self, name: str, by: tuple[Expr, ...], on: bool) -> Expr:
        by = tuple(sorted(by, key=lambda e: e.value))
        endings = [f"{e.value[0]}{('', '_dot', '_ddot')[e.value[1]]}" for e in by]
        found = symbol("_".join([name, *endings, *(["on"] if on else [])]))
        self.of[found] = (name, by, on)
        return found

    def by(self, function: Expr, variable: Expr) -> Expr:
        """The partial derivative by a variable."""
        used = [symbol(*name) for name in sorted(symbols(function))]
        inner = [(u, self._inner(u, variable)) for u in used]
        inner = [(u, d) for u, d in inner if d is not ZERO]
        if not inner:
            return ZERO
        calculus = Calculus()
        outer = calculus.graphs(calculus.gradient(function, [u for u, _ in inner]))
        return add(*(mul(o, d) for o, (_, d) in zip(outer, inner, strict=True)))

    def _inner(self, used: Expr, variable: Expr) -> Expr:
        """The derivative of a symbol by a variable."""
        if used is variable:
            return ONE
        if used not in self.of:
            return ZERO
        name, by, on = self.of[used]
        arguments, terms = self.arguments[name], []
        if variable in arguments and not (on and variable in self.put):
            terms.append(self._jet(name, (*by, variable), on))
        for w in arguments if on else ():
            if w in self.put and (d := self.by(self.put[w], variable)) is not ZERO:
                terms.append(mul(self._jet(name, (*by, w), True), d))
        return add(*terms) if terms else ZERO

    def rate(self, function: Expr) -> Expr:
        """d/dt."""
        terms = [mul(self.by(function, x), v) for x, v in self.flow]
        return add(self.by(function, self.time), *(t for t in terms if t is not ZERO))

    def on(self, function: Expr) -> Expr:
        """The function with what is put in."""
        put = dict(self.put)
        for name in symbols(function):
            used = symbol(*name)
            if used in self.of:
                of, by, _ = self.of[used]
                if any(w in self.put for w in self.arguments[of]):
                    put[used] = self._jet(of, by, True)
        return substitute([function], put)[0]


class _Names(Mapping[str, Expr]):
    """Names, and names with endings, made when they are looked up."""

    def __init__(self, known: dict[str, Expr], ends: Mapping[str, Expr], jets: FreeFunctions) -> None:
        self.known, self.jets = known, jets
        self.ends = {n.replace("''", "_ddot").replace("'", "_dot"): e for n, e in ends.items()}
        self.places = ends

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __getitem__(self, name: str) -> Expr:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def _find(self, name: str) -> Expr | None:
        """The value of a name; the last ending is applied to what stands before it."""
        if name in self.known:
            return self.known[name]
        for ending in ("Dt", "on", *sorted(self.ends, key=len, reverse=True)):
            base = name.removesuffix(f"_{ending}")
            function = None if base == name else self._find(base)
            if function is not None:
                operation = {"Dt": self.jets.rate, "on": self.jets.on}.get(ending)
                self.known[name] = (
                    operation(function) if operation else self.jets.by(function, self.ends[ending])
                )
                return self.known[name]
        return None

    def define(self, read: _Read) -> None:
        """Free functions, what is put in, and definitions, in this order."""
        for name, text in read.table("functions", '{ g = "t q1 q2\'" }'):
            arguments = [read.known(a, "functions", self.places) for a in text.split()]
            self.known[read.name(name, "functions")] = self.jets.free(name, arguments)
        for name, text in read.table("put", '{ "q2\'" = "g" }'):
            self.jets.put[read.known(name, "put", self.places)] = self.jets.on(read.expression("put", text))
        for name, text in read.table("define", '{ E = "L_q1" }'):
            self.known[read.name(name, "define")] = read.expression("define", text)


def _names(given: ClaimData) -> _Names:
    """Time, coordinates and their derivatives, parameters and variables of the claim."""
    system = given.system
    variables = given.texts("variables", '["u"]') if "variables" in given.data else []
    own = {_checked(given, n, "variables"): symbol(n) for n in variables}
    places = {
        f"{c}{mark}": symbol(c, k) for k, mark in enumerate(("", "'", "''")) for c in system.coordinates
    }
    places = {**places, system.time: symbol(system.time), **own}
    flow = tuple((symbol(c, k), symbol(c, k + 1)) for c in system.coordinates for k in range(3))
    jets = FreeFunctions(symbol(system.time), flow)
    return _Names({**system.scope.values, **own}, {**places, **dict(_symbols(system.parameters))}, jets)


def _checked(given: ClaimData, name: str, key: str) -> str:
    try:
        return check_name(name, "name of the claim")
    except ModelError as error:
        given.fail(error.message, key, expected=error.expected, remedy=error.remedy)


def _symbols(names: Iterable[str]) -> Iterator[tuple[str, Expr]]:
    return ((name, symbol(name)) for name in names)


@dataclass(frozen=True)
class _Read:
    """The texts of the claim, with their indices written out."""

    claim: ClaimData
    indices: Mapping[str, list[str]]
    scope: Scope

    def table(self, key: str, example: str) -> Iterator[tuple[str, str]]:
        """Names and texts, for every value of the indices."""
        for template, text in _table(self.claim, key, example).items():
            for written in expand(self.claim, f"{template} = {text}", self.indices):
                name, _, of = written.partition(" = ")
                yield name, of

    @property
    def given(self) -> list[str]:
        return self.claim.texts("given", "\"q1'' = 0\"") if "given" in self.claim.data else []

    def expression(self, key: str, text: str) -> Expr:
        return self.claim.expression(key, text, self.scope)

    def equations(self, key: str, text: str) -> list[Equation]:
        """An equation for every value of its indices."""
        return [self.claim.equation(key, one, self.scope) for one in expand(self.claim, text, self.indices)]

    def name(self, name: str, key: str) -> str:
        """A name that may be given to something."""
        return _checked(self.claim, name, key)

    def known(self, name: str, key: str, places: Mapping[str, Expr]) -> Expr:
        """The variable of a name."""
        if name not in places:
            self.claim.fail(f"{name!r} is no variable", key, remedy=did_you_mean(name, places))
        return places[name]


def completed(given: ClaimData) -> ClaimData:
    """The claim with the entries of the one that it is `like`."""
    if "like" not in given.data:
        return given
    label = given.words("like")
    claims = given.system.claims
    found = next(
        (c for c in claims if c.get("equation") == label and "identity" in c and "like" not in c), None
    )
    if found is None:
        given.fail(f"there is no identity with the equation {label!r}", "like")
    tables = {
        key: {**found.get(key, {}), **given.data.get(key, {})}
        for key in ("functions", "indices", "put", "define")
        if key in found or key in given.data
    }
    variables = {"variables": found["variables"]} if "variables" in found else {}
    return replace(given, data={**variables, **given.data, **tables})


def _table(given: ClaimData, key: str, example: str) -> Mapping[str, str]:
    """A table of texts, empty if it is left out."""
    if key not in given.data:
        return {}
    table = given.table(key, example)
    for value in table.values():
        if not isinstance(value, str):
            given.fail(f"{key!r} has {shown(value)}", key, expected=f"texts, such as {example}")
    return table


def _indices(given: ClaimData) -> dict[str, list[str]]:
    return {name: text.split() for name, text in _table(given, "indices", '{ i = "1 2" }').items()}


def expand(given: ClaimData, text: str, indices: Mapping[str, list[str]]) -> list[str]:
    """The text for every value of its free indices, sums written out."""
    free, summed = _indices_of(text)
    for name in (*free, *summed):
        if name not in indices:
            given.fail(f"the index {name!r} has no values", expected="indices = { " + name + ' = "1 2" }')
    values = product(*(indices[i] for i in free))
    return [_written(text, dict(zip(free, chosen, strict=True)), indices) for chosen in values]


def _first_sum(text: str) -> tuple[str, list[str], str, str] | None:
    """What stands before the first sum, its indices, its terms, and what follows it."""
    found = SUM.search(text)
    if found is None:
        return None
    depth, end = 1, found.end()
    while depth and end < len(text):
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        end += 1
    return text[: found.start()], re.findall(r"\w+", found[1]), text[found.end() : end - 1], text[end:]


def _indices_of(text: str) -> tuple[list[str], list[str]]:
    """The free indices of a text, and those that are summed over."""
    parts = _first_sum(text)
    if parts is None:
        return list(dict.fromkeys(INDEX.findall(text))), []
    before, names, inner, after = parts
    free, summed = _indices_of(inner)
    rest, others = _indices_of(after)
    found = [*INDEX.findall(before), *(i for i in free if i not in names), *rest]
    return list(dict.fromkeys(found)), [*names, *summed, *others]


def _written(text: str, chosen: Mapping[str, str], indices: Mapping[str, list[str]]) -> str:
    """The text with its indices replaced."""
    parts = _first_sum(text)
    if parts is None:
        plain = INDEX.sub(lambda m: chosen[m[1]], text)
        return DELTA.sub(lambda m: "1" if m[1] == m[2] else "0", plain)
    before, names, inner, after = parts
    terms = [
        _written(inner, {**chosen, **dict(zip(names, values, strict=True))}, indices)
        for values in product(*(indices[i] for i in names))
    ]
    start = _written(before, chosen, indices)
    return f"{start}(({') + ('.join(terms)})){_written(after, chosen, indices)}"
