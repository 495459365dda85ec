r"""Long formulas over several lines, broken before the signs of sums, as people write them.

Widths are counted in letters. A sum is broken between its terms; a term that is itself too wide is opened at
its widest bracket or fraction: ``\frac{a + b}{2}`` becomes ``\frac{1}{2} (a + b)``, and ``(a + b) / (c + d)``
where what is below is wide, too.

>>> lines(r"\ddot{x} + \frac{a}{b}", "c", 6)
['\\ddot{x} + \\frac{a}{b}', '= c']
"""

from __future__ import annotations

import re

WIDTH = 92
"""Letters in a line of the report."""

_TOKEN = re.compile(r"\\(?:left|right|bigl|bigr).|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_NO_WIDTH = {"\\dot", "\\ddot", "\\bar", "\\mathrm", "\\text", "\\operatorname", "{", "}", "^", "_"}
_NAMES = {"\\sin", "\\cos", "\\tan", "\\sinh", "\\cosh", "\\tanh", "\\exp", "\\log", "\\arcsin", "\\arccos"}


def lines(left: str, right: str, width: int = WIDTH) -> list[str]:
    """An equation as lines that are about as wide as asked; one line if it fits."""
    if measure(left) + measure(right) + 3 <= width:
        return [f"{left} = {right}"]
    first, *rest = pieces(right, width)
    return _fill([*pieces(left, width), f"= {first}", *rest], width)


def _fill(parts: list[str], width: int) -> list[str]:
    """Parts put together to lines."""
    made = [parts[0]]
    for part in parts[1:]:
        if measure(made[-1]) + measure(part) + 1 <= width:
            made[-1] += " " + part
        else:
            made.append(part)
    return made


def pieces(formula: str, width: int) -> list[str]:
    """The parts between which a formula may be broken."""
    found: list[str] = []
    for term in terms(formula):
        found += [term] if measure(term) <= width else _opened(term, width)
    return found


def terms(formula: str) -> list[str]:
    """The terms of a sum, each with its sign."""
    found, depth, start = [], 0, 0
    previous = ""
    for token in _TOKEN.finditer(formula):
        depth += _step(token[0])
        if depth == 0 and token[0] in "+-" and token.start() > start and previous not in ("", "=", "("):
            found.append(formula[start : token.start()].strip())
            start = token.start()
        if not token[0].isspace():
            previous = token[0]
    return [*found, formula[start:].strip()]


def _step(token: str) -> int:
    if token in ("{", "(") or token.startswith(("\\left", "\\bigl")):
        return 1
    return -1 if token in ("}", ")") or token.startswith(("\\right", "\\bigr")) else 0


def _opened(term: str, width: int) -> list[str]:
    """A wide term, opened at its widest bracket or fraction; whole if it has none that helps."""
    best: tuple[int, int, int, str] = (width // 3, 0, 0, "")
    for start, end, kind in _groups(term):
        body, below = _inside(term[start:end], kind)
        wide = max(measure(body), measure(below))
        if wide > best[0] and (kind == "fraction" or len(terms(body)) > 1):
            best = (wide, start, end, kind)
    _, start, end, kind = best
    if not kind:
        return [term]
    body, below = _inside(term[start:end], kind)
    if measure(below) > width - 6:
        return [*_grouped(term[:start], body, "", width), *_grouped("/ ", below, term[end:], width)]
    opening, closing = term[:start] + (rf"\frac{{1}}{{{below}}} " if below else ""), term[end:]
    if len(terms(body)) == 1:
        return _opened(opening + body + closing, width)
    return _grouped(opening, body, closing, width)


def _grouped(opening: str, body: str, closing: str, width: int) -> list[str]:
    """The pieces of a body in brackets, between what stands before and after it."""
    inner = pieces(body, width)
    if len(inner) == 1 and len(terms(body)) == 1 and not closing:
        return [opening + body]
    inner[0] = rf"{opening}\bigl({inner[0]}"
    inner[-1] = rf"{inner[-1]}\bigr){closing}"
    return inner


def _inside(group: str, kind: str) -> tuple[str, str]:
    """What is in a bracket, or above and below in a fraction."""
    return _arguments(group) if kind == "fraction" else (group[len("\\left(") : -len("\\right)")], "")


def _groups(term: str) -> list[tuple[int, int, str]]:
    """Brackets and fractions that are not inside of others: start, end, kind."""
    found = []
    depth, start, fraction = 0, 0, 0
    kind = ""
    for token in _TOKEN.finditer(term):
        text = token[0]
        if depth == 0 and not fraction:
            if text == "\\frac":
                start, fraction = token.start(), 2
            elif text == "\\left(":
                start, kind = token.start(), "bracket"
        change = _step(text)
        depth += change
        if depth == 0 and change < 0:
            if fraction:
                fraction -= 1
                if not fraction:
                    found.append((start, token.end(), "fraction"))
            elif kind:
                if not term.startswith(("^", "_"), token.end()):
                    found.append((start, token.end(), kind))
                kind = ""
    return found


def _arguments(fraction: str) -> tuple[str, str]:
    """Above and below."""
    depth = 0
    for token in _TOKEN.finditer(fraction):
        depth += _step(token[0])
        if depth == 0 and token[0] == "}":
            return fraction[len("\\frac{") : token.start()], fraction[token.end() + 1 : -1]
    raise ValueError(fraction)


def measure(formula: str) -> int:
    """About how many letters wide a formula is."""
    total = 0
    at = 0
    while at < len(formula):
        token = _TOKEN.match(formula, at)
        assert token is not None
        text = token[0]
        at = token.end()
        if text == "\\frac" and formula[at : at + 1] == "{":
            end = _end(formula, _end(formula, at))
            above, below = _arguments(formula[token.start() : end])
            total += max(measure(above), measure(below))
            at = end
        elif text in _NAMES:
            total += len(text)
        elif text not in _NO_WIDTH and not text.isspace():
            total += len(text) if text[0].isdigit() else 3 if text in ("+", "-", "=") else 1
    return total


def _end(formula: str, start: int) -> int:
    """Where the group in braces that starts here ends."""
    depth = 0
    for token in _TOKEN.finditer(formula, start):
        depth += _step(token[0]) if token[0] in "{}" else 0
        if depth == 0:
            return token.end()
    return len(formula)
