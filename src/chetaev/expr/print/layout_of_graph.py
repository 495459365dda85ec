r"""Layouts from a graph: where brackets, signs and fractions stand, in a line of text or on a page.

A line is the model language: reading it back gives the same graph. A page has fractions, roots and powers of
functions, and a product needs no sign, but a factor after sin x needs its brackets: sin(x) y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from chetaev.expr.graph.node import Expr, postorder
from chetaev.expr.print import layout as tree
from chetaev.expr.print.layout import Layout
from chetaev.expr.print.names import is_word, number_text, parted

SUM, PRODUCT, SIGNED, POWER, ATOM = range(5)
"""How tightly the outermost operation of a layout binds."""
_BINDS = {tree.Sum: SUM, tree.Product: PRODUCT, tree.Over: PRODUCT, tree.Minus: SIGNED, tree.Power: POWER}
_POWERED = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
"""Functions whose powers are written before the argument."""
_OPERATORS = ("atan2", "asinh", "acosh", "atanh", "sign")
"""Functions that TeX has no command for; they keep their distance like words."""

Rule = Callable[[Expr, list[Layout]], Layout]


def page(*roots: Expr) -> list[Layout]:
    """Layouts for a page; definitions by their name."""
    return _laid_out(roots, _on_page)


def relation(left: Expr, right: Expr, sign: str = "=") -> tree.Relation:
    """left = right for a page, or with another sign."""
    sides = page(left, right)
    return tree.Relation(sides[0], sides[1], sign)


def line(*roots: Expr) -> list[Layout]:
    """Layouts for a line of the model language; definitions by their name."""
    return _laid_out(roots, _in_line)


def _laid_out(roots: Iterable[Expr], rule: Rule) -> list[Layout]:
    roots = tuple(roots)
    done: dict[int, Layout] = {}
    for node in postorder(*roots, through_definitions=False):
        leaf = _LEAVES.get(node.op)
        done[id(node)] = leaf(node) if leaf else rule(node, [done[id(a)] for a in node.args])
    return [done[id(r)] for r in roots]


def _number(node: Expr) -> Layout:
    """A number, with its sign."""
    return tree.Minus(tree.Number(-node.value)) if node.value.numerator < 0 else tree.Number(node.value)


_LEAVES: dict[str, Callable[[Expr], Layout]] = {
    "number": _number,
    "symbol": lambda node: tree.Name(*node.value),
    "define": lambda node: tree.Name(node.value),
    "constant": lambda node: tree.Name("pi") if node.value == "pi" else tree.Word(str(node.value)),
}


def _bracketed(layout: Layout, unless: bool) -> Layout:
    return layout if unless else tree.Bracketed(layout)


# --- a page -----------------------------------------------------------------------------------------


def _binding(layout: Layout) -> int:
    if isinstance(layout, tree.Number):
        return ATOM if layout.value.denominator == 1 else PRODUCT
    if isinstance(layout, tree.Call):  # sin x may be a factor, not a base
        return ATOM if layout.brackets == "fit" and layout.exponent is None else POWER
    return _BINDS.get(type(layout), ATOM)


def _on_page(node: Expr, args: list[Layout]) -> Layout:
    match node.op:
        case "add":
            return tree.Sum(tuple(_bracketed(a, _binding(a) != SUM) for a in args))
        case "mul":
            return _product(args)
        case "div":
            return tree.Over(*args)
        case "neg":
            return tree.Minus(_bracketed(args[0], _binding(args[0]) not in (SUM, SIGNED)))
        case "pow":
            return _power(node, *args)
        case "sqrt":
            return tree.Radical(*args)
        case "abs":
            return tree.Bars(*args)
    if node.op == "table":
        return tree.Call(node.value.label, tuple(args), "()")
    bare = len(args) == 1 and node.args[0].op in ("symbol", "define")
    return tree.Call(node.op, tuple(args), "" if bare else "fit")


def _power(node: Expr, base: Layout, exponent: Layout) -> Layout:
    number = node.args[1]
    if node.args[0].op in _POWERED and number.op == "number" and number.value > 0:
        assert isinstance(base, tree.Call)
        return replace(base, exponent=exponent)
    return tree.Power(_bracketed(base, _binding(base) == ATOM), exponent)


def _product(args: list[Layout]) -> Layout:
    """A product of all factors, those of products among them too; a sign stands before the whole."""
    first = args[0]
    signed = isinstance(first, tree.Minus)
    factors: list[Layout] = []
    for a in [first.inside, *args[1:]] if isinstance(first, tree.Minus) else args:
        if isinstance(a, tree.Product):
            factors += a.members
        else:
            factors.append(_bracketed(a, _binding(a) not in (SUM, SIGNED)))
    whole = product(factors)
    return tree.Minus(whole) if signed else whole


def product(factors: Iterable[Layout]) -> Layout:
    """A product in which no factor looks like the argument of a function before it."""
    found: list[Layout] = []
    for factor in factors:
        last = found[-1] if found else None
        if isinstance(last, tree.Call) and last.brackets == "" and not _is_function(factor):
            found[-1] = replace(last, brackets="()")
        found.append(factor)
    return found[0] if len(found) == 1 else tree.Product(tuple(found))


def _is_function(layout: Layout) -> bool:
    return isinstance(layout, tree.Call) and layout.function not in _OPERATORS


def starts_with_digit(layout: Layout) -> bool:
    """Whether a factor needs a dot before it: it begins with a number."""
    return isinstance(layout.base if isinstance(layout, tree.Power) else layout, tree.Number)


def is_upright(layout: Layout) -> bool:
    """Whether a factor is a word, from which others keep their distance."""
    if isinstance(layout, tree.Power):
        return is_upright(layout.base)
    if isinstance(layout, tree.Name):
        return is_word(parted(layout.name)[0])
    return isinstance(layout, tree.Word) or (isinstance(layout, tree.Call) and layout.function in _OPERATORS)


# --- a line -----------------------------------------------------------------------------------------


def _tight(layout: Layout) -> int:
    if isinstance(layout, tree.Number):
        fraction = layout.value.denominator != 1 and "/" in number_text(layout.value)
        return PRODUCT if fraction else ATOM
    return _BINDS.get(type(layout), ATOM)


def _in_line(node: Expr, args: list[Layout]) -> Layout:
    match node.op:
        case "add":
            return _line_sum(node, args)
        case "mul":
            first, *rest = args
            first = _bracketed(first, _tight(first) >= PRODUCT and not isinstance(first, tree.Product))
            return tree.Product((first, *(_bracketed(a, _tight(a) >= POWER) for a in rest)))
        case "div":
            above, below = args
            return tree.Over(
                _bracketed(above, _tight(above) >= PRODUCT), _bracketed(below, _tight(below) >= POWER)
            )
        case "neg":
            joins = node.args[0].op in ("mul", "div") and _leads_with_number(node.args[0])
            return tree.Minus(_bracketed(args[0], _tight(args[0]) >= PRODUCT and not joins))
        case "pow":
            base, exponent = args
            return tree.Power(
                _bracketed(base, _tight(base) == ATOM), _bracketed(exponent, _tight(exponent) >= POWER)
            )
        case "table":
            return tree.Call(node.value.label, tuple(args))
    return tree.Call(node.op, tuple(args))


def _leads_with_number(node: Expr) -> bool:
    """Whether the text of a product starts with a number, so that a sign before it would join it."""
    while node.op in ("mul", "div"):
        node = node.args[0]
    return node.op == "number"


def _line_sum(node: Expr, args: list[Layout]) -> Layout:
    terms = [_bracketed(args[0], _tight(args[0]) != SUM)]
    for term, a in zip(node.args[1:], args[1:], strict=True):
        if term.op == "neg":  # a binary minus takes the whole product after it, numbers included
            assert isinstance(a, tree.Minus)
            inner = a.inside
            if isinstance(inner, tree.Bracketed) and term.args[0].op in ("mul", "div"):
                inner = inner.inside
            a = tree.Minus(_bracketed(inner, not isinstance(inner, tree.Minus)))
        elif term.op != "number":
            a = _bracketed(a, _tight(a) != SUM and not _starts_with_minus(a))
        terms.append(a)
    return tree.Sum(tuple(terms))


def _starts_with_minus(layout: Layout) -> bool:
    while isinstance(layout, tree.Product | tree.Over):
        layout = layout.parts[0]
    return isinstance(layout, tree.Minus)
