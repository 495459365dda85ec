"""Conditions, which the language does not have, by what it has: min, max and sign.

    a if l > r else b   =   a (1 + sign(l − r))/2 + b (1 − sign(l − r))/2   wherever l ≠ r

>>> condition("x if x > 0 else 0", 2, ())[3]
'write max(x, 0)'
>>> condition("k*x if x < a else 0", 4, ())[3]
'write k*x*(1 - sign(x - a))/2'
"""

from __future__ import annotations

import re
from collections.abc import Container

_COMPARED = re.compile(r"(?P<left>.*?)\s*(?P<sign><=|>=|<|>|≤|≥|⩽|⩾)\s*(?P<right>.*)", re.DOTALL)
_CONDITIONAL = re.compile(r"(?P<yes>.*?)(?<!\w)if(?!\w)(?P<test>.*?)(?<!\w)else(?!\w)(?P<no>.*)", re.DOTALL)
_TERNARY = re.compile(r"(?P<test>[^?]*)\?(?P<yes>[^:]*):(?P<no>.*)", re.DOTALL)
_CHOOSING = re.compile(r"(?<!\w)(?P<f>if|where|ifelse|if_else|cond|select|iif|Piecewise|piecewise)\s*$")
_LOGIC = re.compile(r"&&?|\|\||(?<!\w)(?:and|or|not|AND|OR|NOT)(?!\w)|[∧∨¬]")
_WORDS = re.compile(r"(?<!\w)(?:if|else|then|elif)(?!\w)")

Found = tuple[int, int, str, str]
"""Start, width, message, remedy."""
STEP = "(1 + sign(a - b))/2 is 1 where a > b and 0 where a < b; there are also min, max and abs"


_NO_CONDITIONS = "there are no conditions here"
_EQUATION = "a constraint is an equation, not an inequality", "write = for what always holds"


def condition(text: str, at: int, names: Container[str], constraint: bool = False) -> Found | None:
    """What to write for the condition that a mistake at this place belongs to; None if there is none."""
    if norm := re.match(r"\|\|([^|]+)\|\|", text[at:]):
        inside = norm[1].strip()
        return (
            at,
            len(norm[0]),
            f"unexpected {norm[0]!r}",
            f"write abs({inside}), or sqrt(x^2 + y^2) of components",
        )
    sign = _LOGIC.match(text, at)
    if sign and sign[0] not in names and not (sign[0] == "|" and "||" not in text[at : at + 2]):
        return (
            at,
            len(sign[0]),
            f"there is no logic here, as in {sign[0]!r}",
            "products of conditions do it: " + STEP,
        )
    before = re.search(r"(?<!\w)(?:not|NOT|if)\s*$", text[:at])
    if before and before[0].strip() not in names:
        word_before = before[0].strip()
        said = _NO_CONDITIONS if word_before == "if" else "there is no logic here, as in 'not'"
        return before.start(), len(word_before), said, STEP
    if piecewise := re.search(r"(?<!\w)[pP]iecewise\(", text[:at]):
        return piecewise.start(), len(piecewise[0]) - 1, _NO_CONDITIONS, STEP
    if text[at : at + 2] in ("!=", "<>", "=>", "=<"):
        said = f"an inequality has no place here: {text[at : at + 2]!r}"
        return at, 2, *(_EQUATION if constraint else (said, STEP))
    here = text[at : at + 1]
    word = _WORDS.match(text, at)
    if here not in "<>≤≥⩽⩾?≠" and not (word and word[0] not in names):
        return None
    if not here:
        return None
    start, end = _surroundings(text, at)
    inside = text[start:end]
    for pattern in (_CONDITIONAL, _TERNARY):
        if m := pattern.fullmatch(inside):
            return _written(text, at, m["test"], m["yes"], m["no"])
    call = (
        _CHOOSING.search(text[:start].rstrip().removesuffix("("))
        if text[:start].rstrip().endswith("(")
        else None
    )
    if call is None and word and text[at + len(word[0]) :].lstrip().startswith("("):
        opened = text.index("(", at) + 1
        start, end = _surroundings(text, opened)
        call, inside = word, text[start:end]
    parts = _arguments(inside)
    if call is not None and len(parts) == 3:
        return _written(text, at, *parts)
    message = _NO_CONDITIONS if word else f"an inequality has no place here: {here!r}"
    width, remedy = len(word[0]) if word else 1, STEP
    if _WORDS.search(inside):
        return at, width, _NO_CONDITIONS, STEP
    if m := _COMPARED.fullmatch(inside.strip()):
        step = _step(m["left"], m["sign"], m["right"])
        if step and len(step) < 80 and not _LOGIC.search(inside):
            width, remedy = len(m["sign"]), f"for 1 where it holds and 0 where not, write {step}"
    return at, width, *(_EQUATION if constraint and not word else (message, remedy))


def _surroundings(text: str, at: int) -> tuple[int, int]:
    """The part of the text inside the brackets, or the side of the equation, that a place belongs to."""
    depth, start = 0, at
    while start > 0:
        c = text[start - 1]
        depth += (c == ")") - (c == "(")
        if depth < 0 or (c == "=" and not depth and text[start - 2 : start - 1] not in ("<", ">", "!", "=")):
            break
        start -= 1
    depth, end = 0, at
    while end < len(text):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth < 0:
            break
        end += 1
    return start, end


def _arguments(text: str) -> list[str]:
    """The text between commas that stand in no bracket."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def _written(text: str, at: int, test: str, yes: str, no: str) -> Found:
    yes, no = yes.strip(), no.strip()
    message, width = _NO_CONDITIONS, 2 if text[at : at + 2] == "if" else 1
    m = _COMPARED.fullmatch(test.strip())
    if m is None or _LOGIC.search(test) or not yes or not no or _WORDS.search(yes + " " + no):
        return at, width, message, STEP
    left, right = m["left"].strip(), m["right"].strip()
    larger, smaller = (left, right) if m["sign"] in (">", ">=", "≥", "⩾") else (right, left)
    if (yes, no) == (larger, smaller):
        return at, width, message, f"write max({left}, {right})"
    if (yes, no) == (smaller, larger):
        return at, width, message, f"write min({left}, {right})"
    holds, fails = _step(left, m["sign"], right), _step(right, m["sign"], left)
    parts = [p for p in (_times(yes, holds), _times(no, _complement(holds))) if p]
    remedy = "write " + (" + ".join(parts) or "0")
    return at, width, message, remedy if len(remedy) < 200 and holds and fails else STEP


def _step(left: str, sign: str, right: str) -> str:
    """The function that is 1 where the inequality holds and 0 where it does not."""
    left, right = left.strip(), right.strip()
    if not left or not right or any(c in left + right for c in "<>≤≥⩽⩾"):
        return ""
    simple = re.fullmatch(r"[\w.]+", right)
    difference = left if right == "0" else f"{left} - {right}" if simple else f"{left} - ({right})"
    return f"(1 {'+' if sign in ('>', '>=', '≥', '⩾') else '-'} sign({difference}))/2"


def _complement(step: str) -> str:
    return step.replace("(1 +", "(1 -", 1) if step.startswith("(1 +") else step.replace("(1 -", "(1 +", 1)


def _times(value: str, step: str) -> str:
    if value in ("0", "0.0"):
        return ""
    if value in ("1", "1.0"):
        return step
    return f"{value}*{step}" if re.fullmatch(r"[\w.*'^]+", value) else f"({value})*{step}"
