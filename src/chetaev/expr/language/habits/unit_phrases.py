"""Units and numbers: 30 deg, 1 kg, 9.81 m/s^2, 0,5, 1 000."""

from __future__ import annotations

import re

from chetaev.expr.language.habits.phrase import NAME, NUMBER, UNITS_REMEDY, Phrase, covering, said
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.units import DEGREES, is_unit

_DEGREES = re.compile(rf"(?<![\w.])(?P<number>{NUMBER})\s*\*?\s*(?P<unit>[°º]|{NAME})")
_UNIT = rf"(?:{NAME}|Ω)(?:\s*(?:\^|\*\*)\s*-?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
_UNITS = re.compile(
    rf"(?<![\w.])(?P<number>{NUMBER})(?P<blank>\s*\*?\s*)(?P<units>{_UNIT}(?:\s*[*/·]\s*{_UNIT})*)"
)
_COMMA = re.compile(r"(?<![\w.,])(?P<whole>\d+),(?P<rest>\d+)(?![\w,])")
_GROUPS = re.compile(r"(?<![\w.])\d+(?:[ _\u00a0\u202f'’]\d{3})+(?!\d)(?:\.\d+)?")


def degrees(text: str, at: int, scope: Scope) -> Phrase | None:
    """30 deg, 30°: angles are in radians."""
    for m in covering(_DEGREES, text, at):
        if (m["unit"] in DEGREES or m["unit"] in "°º") and m["unit"] not in scope.values:
            return said(m, "angles are in radians, not …", f"write {m['number']}*pi/180")
    if text[at : at + 1] in ("°", "º") and text[at : at + 1]:
        return Phrase(at, 1, "angles are in radians", "multiply degrees by pi/180")
    return None


def units(text: str, at: int, scope: Scope) -> Phrase | None:
    """A number followed by units: 1 kg, 9.81 m/s^2."""
    for m in covering(_UNITS, text, at):
        if at < m.start("units"):
            continue
        units = m["units"]
        names = re.findall(NAME, units)
        take = 0
        while take < len(names) and is_unit(names[take]):
            take += 1
        strange = [n for n in names[:take] if n not in scope.values]
        if not strange or ("*" in m["blank"] and all(len(n) == 1 for n in strange)):
            continue
        end = m.start("units")
        for piece in list(re.finditer(_UNIT, units))[:take]:
            end = m.start("units") + piece.end()
        written = " ".join(text[m.start() : end].split())
        single = take == 1 and len(strange[0]) == 1
        more = f"; for a parameter {strange[0]!r} write {m['number']}*{strange[0]}" if single else ""
        message = f"a unit follows the number {m['number']}, in '{written}'"
        return Phrase(m.start(), end - m.start(), message, f"{UNITS_REMEDY}{scope.speech.units}{more}")
    return None


_UNIT_AFTER = re.compile(rf"[\w'’′″)]\s+(?P<unit>{NAME})")


def unit_after(text: str, at: int, scope: Scope) -> Phrase | None:
    """A unit behind a name or a bracket: x kg, (a + b) deg."""
    for m in covering(_UNIT_AFTER, text, at):
        unit = m["unit"]
        if unit in scope.values or m.start("unit") != at or len(unit) == 1:
            continue
        if unit in DEGREES:
            return Phrase(
                at, len(unit), f"angles are in radians, not in {unit!r}", "multiply degrees by pi/180"
            )
        if is_unit(unit):
            return Phrase(at, len(unit), f"{unit!r} is a unit", f"{UNITS_REMEDY}{scope.speech.units}")
    return None


def numbers(text: str, at: int, scope: Scope) -> Phrase | None:
    """0,5 and 1 000."""
    for m in covering(_COMMA, text, at):
        if text[at] == ",":
            remedy = f"write decimals with a point: {m['whole']}.{m['rest']}"
            if len(m["rest"]) == 3 and m["whole"] != "0":
                remedy += f", and thousands without a comma: {m['whole']}{m['rest']}"
            return Phrase(at, 1, "unexpected ','", remedy)
    for m in covering(_GROUPS, text, at):
        digits = re.sub(r"[^\d.]", "", m[0])
        return said(m, "digits stand without anything between them, not as …", f"write {digits}")
    return None
