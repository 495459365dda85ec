"""The graph: interning, immutability, exact arithmetic, substitution, flattening, linear passes."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from fractions import Fraction

import pytest
from hypothesis import given
from tests.strategies import exact_numbers, graphs, leaves

from chetaev.errors import TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr, add, call, define, div, mul, neg, number, power, sub, symbol

X, Y, V = symbol("x"), symbol("y"), symbol("x", 1)


def test_equal_nodes_are_one_object():
    assert add(X, mul(number(2), Y)) is add(X, mul(number(2), Y))
    assert symbol("x", 1) is V
    assert symbol("x", 1) is not X
    assert define("d", X) is not define("d", Y)
    assert number(Fraction(2, 4)) is number(Fraction(1, 2))
    assert number(1) is graph.ONE


@given(graphs())
def test_copy_and_pickle_keep_identity(expr):
    assert copy.copy(expr) is expr
    assert copy.deepcopy([expr])[0] is expr
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(expr, protocol)) is expr


@given(graphs())
def test_rebuild_inverts_flatten(expr):
    flat = graph.flatten(expr)
    assert graph.rebuild(flat) is expr
    assert len(flat) == graph.size(expr)
    assert all(a < i for i, (_, args, _) in enumerate(flat) for a in args)


@given(graphs())
def test_make_builds_every_node_again(expr):
    for node in graph.postorder(expr):
        assert graph.make(node.op, node.args, node.value) is node


@given(graphs())
def test_postorder_meets_each_node_once_and_arguments_first(expr):
    seen: set[int] = set()
    for node in graph.postorder(expr):
        assert id(node) not in seen
        assert all(id(a) in seen for a in node.args)
        seen.add(id(node))
    assert len(seen) == graph.size(expr) >= graph.depth(expr) >= 1


def test_a_node_does_not_change():
    with pytest.raises(AttributeError, match="does not change"):
        X.op = "number"
    with pytest.raises(AttributeError, match="does not change"):
        del X.args
    with pytest.raises(AttributeError):
        X.other = 1


@given(exact_numbers, exact_numbers)
def test_operations_on_numbers_are_carried_out_exactly(a, b):
    p, q = number(a), number(b)
    assert add(p, q).value == a + b
    assert sub(p, q).value == a - b
    assert mul(p, q).value == a * b
    assert neg(p).value == -a
    if b:
        assert div(p, q).value == a / b
    else:
        with pytest.raises(ZeroDivisionError):
            div(p, q)


@pytest.mark.parametrize(
    ("base", "exponent", "value"),
    [
        (2, 10, 1024),
        (2, -2, Fraction(1, 4)),
        (0, 0, 1),
        (0, 7, 0),
        (1, 10**30, 1),
        (-1, 10**30 + 1, -1),
        (-1, -1, -1),
    ],
)
def test_powers_of_numbers(base, exponent, value):
    assert power(number(base), number(exponent)).value == value


def test_a_root_of_a_number_is_not_carried_out():
    assert power(number(4), number(Fraction(1, 2))).op == "pow"


@pytest.mark.parametrize("exponent", [10**4, -(10**4), 10**300, -(10**300)])
def test_a_power_too_large_is_refused_at_once(exponent):
    with pytest.raises(TooLargeError):
        power(number(3), number(exponent))


@pytest.mark.parametrize("value", [10**308 * 2, -(10**400), Fraction(1, 10**400), Fraction(-2, 10**324)])
def test_numbers_outside_double_range_are_refused(value):
    with pytest.raises(TooLargeError, match=r"double precision|bits"):
        number(value)


@pytest.mark.parametrize("value", [sys.float_info.max, sys.float_info.min, 5e-324, -1e308, 1e-310])
def test_every_double_is_a_number(value):
    assert float(number(Fraction(value)).value) == value
    assert float(number(Fraction(repr(value))).value) == value


def test_nothing_else_is_simplified():
    assert sub(X, X).op == "add"
    assert div(X, X).op == "div"
    assert mul(number(0), X).op == "mul"
    assert neg(neg(X)) is not X


def test_numbers_fold_only_side_by_side():
    assert add(number(1), X, number(2), number(3)) is add(number(1), X, number(5))
    assert mul(number(2), number(3), X) is mul(number(6), X)


def test_arithmetic_reads_like_formulas():
    assert (X + 1) * 2 - V / 3 is sub(mul(add(X, number(1)), number(2)), div(V, number(3)))
    assert 1 - X is sub(number(1), X)
    assert 2 / X**2 is div(number(2), power(X, number(2)))
    assert 1 + -X is add(number(1), neg(X))
    assert Fraction(1, 2) * X is mul(number(Fraction(1, 2)), X)


@pytest.mark.parametrize("other", [0.5, True, None, "x", 1j])
def test_arithmetic_takes_exact_numbers_only(other):
    with pytest.raises(TypeError, match="exact number"):
        _ = X + other


def test_builders_refuse_what_is_no_function():
    with pytest.raises(ValueError, match="unknown function"):
        call("gamma", X)
    with pytest.raises(ValueError, match="two arguments"):
        call("atan2", X)
    with pytest.raises(ValueError, match="unknown constant"):
        graph.constant("tau")


@given(graphs(), leaves)
def test_substitution_of_a_symbol_by_itself_changes_nothing(expr, leaf):
    assert graph.substitute([expr], {leaf: leaf})[0] is expr


@given(graphs(definitions=False, functions=("sin", "min"), powers=False))
def test_substitution_there_and_back(expr):
    fresh = symbol("fresh")
    there = graph.substitute([expr], {X: fresh})[0]
    assert ("x", 0) not in graph.symbols(there)
    assert graph.substitute([there], {fresh: X})[0] is expr


def test_substitution_computes_with_numbers():
    result = graph.substitute([add(mul(number(2), X), number(1))], {X: number(3)})[0]
    assert result.value == 7


def test_a_definition_whose_meaning_changes_loses_its_name():
    d = define("d", add(X, Y))
    expr = mul(d, call("sin", d))
    moved = add(V, Y)
    assert graph.substitute([expr], {X: V})[0] is mul(moved, call("sin", moved))
    assert graph.substitute([expr], {V: X})[0] is expr


def test_symbols_and_definitions():
    inner = define("inner", mul(X, V))
    outer = define("outer", add(inner, symbol("y", 2)))
    assert graph.symbols(outer) == {("x", 0), ("x", 1), ("y", 2)}
    assert graph.definitions(mul(outer, inner)) == [inner, outer]


def chain(length: int) -> Expr:
    expr = X
    for _ in range(length):
        expr = call("sin", add(expr, mul(expr, expr)))
    return expr


def test_shared_parts_are_counted_once():
    """As a tree this has 3**200 leaves."""
    assert graph.size(chain(200)) == 1 + 3 * 200
    assert graph.depth(chain(200)) == 1 + 3 * 200
    assert len(graph.flatten(chain(400))) == 1 + 3 * 400


def test_a_very_deep_graph_needs_no_stack():
    expr = chain(8_000)
    assert graph.depth(expr) == 24_001
    assert graph.rebuild(graph.flatten(expr)) is expr
    del expr
    gc.collect()


def test_threads_get_the_same_nodes():
    made: list[list[Expr]] = []

    def work() -> None:
        made.append([add(symbol(f"s{i % 50}"), number(i)) for i in range(2000)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert all(a is b for other in made[1:] for a, b in zip(made[0], other, strict=True))


def test_nodes_that_nobody_uses_are_forgotten():
    before = len(graph._table)
    made = [add(symbol("passing", i), number(i)) for i in range(2, 200)]
    assert len(graph._table) > before + 300
    del made
    gc.collect()
    assert len(graph._table) <= before


def test_a_node_is_one_object_while_threads_drop_it_and_make_it_anew():
    differences: list[int] = []
    start = threading.Barrier(3)

    def work() -> None:
        start.wait()
        for i in range(3000):
            first = add(symbol("fleeting"), symbol("other", 1))
            if add(symbol("fleeting"), symbol("other", 1)) is not first:
                differences.append(i)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not differences
