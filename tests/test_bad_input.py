"""Bad input: what a user can get wrong is a ModelError with its place and advice, at once, in little memory.

A case replaces a line of a good model. The offending text stands between « and »; the error must name its
line and column, and the caret must stand below it. Every case goes through `ch.loads` and through the
command line.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.errors import ModelError, TooLargeError
from chetaev.model.file.toml_source import MAX_BYTES
from counted import counted

GOOD = """\
name = "Sleigh"
coordinates = ["x", "y", "phi"]

[parameters]
m = 1
J = 0.5

[define]
speed2 = "x'^2 + y'^2"

[dynamics]
lagrangian = "m/2*speed2 + J/2*phi'^2"

[dynamics.forces]
phi = "-0.1*phi'"

[constraints]
velocity = ["x'*sin(phi) = y'*cos(phi)"]

[initial.position]
phi = 0.5

[initial.velocity]
x = 1
phi = 0.2

[run]
until = 10
"""
LAGRANGIAN = 'lagrangian = "m/2*speed2 + J/2*phi\'^2"'
VELOCITY = "velocity = [\"x'*sin(phi) = y'*cos(phi)\"]"
FORCE = 'phi = "-0.1*phi\'"'
COORDINATES = 'coordinates = ["x", "y", "phi"]'
DEFINE = "speed2 = \"x'^2 + y'^2\""
EFFORT = 1_000_000
"""Calls that the search for an initial state may make; what is only read makes a few for each letter."""


@dataclass(frozen=True)
class Case:
    """A line of the good model, what stands in its place, what the error says and what helps."""

    name: str
    old: str
    new: str
    message: str
    help: str

    @property
    def marked(self) -> str:
        assert GOOD.count(f"{self.old}\n") == 1, self.old
        return GOOD.replace(f"{self.old}\n", f"{self.new}\n")

    @property
    def text(self) -> str:
        return self.marked.replace("«", "").replace("»", "")

    @property
    def place(self) -> tuple[int, int, str]:
        """Line and column, from 1, and the offending text."""
        before, _, rest = self.marked.partition("«")
        return before.count("\n") + 1, len(before) - before.rfind("\n"), rest.partition("»")[0]


def lagrangian(name: str, new: str, message: str, advice: str) -> Case:
    return Case(name, LAGRANGIAN, f'lagrangian = "{new}"', message, advice)


def velocity(name: str, new: str, message: str, advice: str) -> Case:
    return Case(name, VELOCITY, f"velocity = {new}", message, advice)


CASES = [
    # names
    lagrangian("unknown name", "m/2*«sped2» + phi'^2", "unknown name 'sped2'", "did you mean 'speed2'"),
    lagrangian("unknown name, other case", "«M»/2*speed2 + phi'^2", "unknown name 'M'", "did you mean 'm'"),
    lagrangian("unknown velocity", "m/2*«z'»^2 + speed2*phi'^2", "unknown name 'z'", "declare it"),
    lagrangian(
        "unknown function", "m/2*speed2 + «cso»(phi)*phi'", "unknown function 'cso'", "did you mean 'cos'"
    ),
    lagrangian(
        "velocity of a parameter", "«m'»/2*speed2 + phi'^2", "'m' is not a coordinate", "prime|did you"
    ),
    lagrangian("velocity of time", "«t'»*speed2 + phi'^2", "'t' is not a coordinate", "prime"),
    lagrangian("acceleration in the Lagrangian", "speed2 + «phi''»", "may not contain an acceleration", ""),
    lagrangian("third derivative", "speed2 + «phi'''»", "order 3", "two primes"),
    lagrangian("look-alike letter", "m/2*speed2 + «ph\u0456'»^2", "unknown name", "did you mean 'phi'"),
    Case(
        "velocity forgotten",
        LAGRANGIAN,
        'lagrangian = «"m/2*x^2 + J/2*phi^2"»',
        "contains no velocity",
        "prime",
    ),
    Case(
        "velocity of one coordinate forgotten",
        LAGRANGIAN,
        'lagrangian = «"m/2*speed2 + J/2*phi^2"»',
        "the velocity of 'phi' occurs nowhere",
        "phi'",
    ),
    # expressions
    lagrangian(
        "too many arguments", "speed2 + «sin»(phi, x)*phi'", "sin is given 2 arguments", "one argument"
    ),
    lagrangian(
        "too few arguments", "speed2 + «atan2»(phi)*phi'", "atan2 is given 1 argument", "two arguments"
    ),
    lagrangian("no argument", "speed2 + «sin»()*phi'", "sin is given 0 arguments", "one argument"),
    lagrangian("function without brackets", "speed2 + sin «phi»*phi'", "follows 'sin'", r"write sin\(phi\)"),
    lagrangian("bracket not closed", "m/2*«(»speed2 + phi'^2", "never closed", r"missing '\)'"),
    lagrangian("bracket not opened", "m/2*speed2 + phi'^2«)»", "without its opening one", "remove it"),
    lagrangian("square brackets", "m/2*«[»speed2 + phi'^2]", r"unexpected character '\['", "round brackets"),
    lagrangian("empty expression", "«»", "is empty", "an expression"),
    lagrangian("blank expression", "« »  ", "is empty", "an expression"),
    lagrangian("empty brackets", "speed2 + («)»*phi'^2", "empty brackets", "a number"),
    lagrangian("operator at the end", "speed2 + phi'^2 +«»", "ends too early", "a number"),
    lagrangian("two operators", "speed2 * «/» phi'^2", "unexpected '/'", "a number"),
    lagrangian("implicit product", "2 «speed2» + phi'^2", "without an operator", r"2\*speed2"),
    lagrangian("product of brackets", "(m)«(»speed2) + phi'^2", "without an operator", r"\*"),
    lagrangian("comma for a decimal point", "0«,»5*speed2 + phi'^2", "unexpected ','", "with a point"),
    lagrangian("equation for an expression", "speed2 + phi'^2 «=» 0", "'=' in an expression", "one side"),
    lagrangian("division by zero", "speed2«/»0 + phi'^2", "division by zero", "denominator"),
    lagrangian(
        "division by a vanishing number", "speed2«/»(1-1) + phi'^2", "division by zero", "denominator"
    ),
    lagrangian("tower of powers", "9^9«^»9^9*speed2 + phi'^2", "too large|outside", "units|bits|digits"),
    lagrangian("huge exponent", "speed2*2«^»99999999 + phi'^2", "too large", "bits"),
    lagrangian("number overflows", "«1e999»*speed2 + phi'^2", "double precision", "units"),
    lagrangian("number underflows", "«1e-999»*speed2 + phi'^2", "double precision", "units"),
    lagrangian("exponent of many digits", "«1e99999999999999999999»*speed2 + phi'^2", "double", "units"),
    lagrangian("infinity", "«inf»*speed2 + phi'^2", "unknown name 'inf'", ""),
    lagrangian("not a number", "«nan»*speed2 + phi'^2", "unknown name 'nan'", ""),
    lagrangian("zero-width space", "m«\u200b»*speed2 + phi'^2", r"U\+200B", "numbers, names"),
    lagrangian("right-to-left mark", "m«\u200f»*speed2 + phi'^2", r"U\+200F", "numbers, names"),
    lagrangian("non-breaking space", "m«\u00a0»*speed2 + phi'^2", "unexpected character", "numbers, names"),
    lagrangian("byte order mark inside", "m«\ufeff»*speed2 + phi'^2", r"U\+FEFF", "numbers, names"),
    lagrangian("non-character", "m«\ufffe»*speed2 + phi'^2", r"U\+FFFE", "numbers, names"),
    lagrangian("full-width digits", "«m２»*speed2 + phi'^2", "unknown name", "did you mean 'm'"),
    lagrangian("emoji", "m*«🙂» + speed2", "unexpected character '🙂'", "numbers, names"),
    lagrangian(
        "a sign after a power of a tower", "m^m^-9^9«^»9^9 + speed2", "too large|outside", "bits|digits"
    ),
    # ways to Python
    lagrangian("import", "«_»_import__('os') + speed2", "unexpected character '_'", "letter"),
    lagrangian("class of a tuple", "(«)».__class__", "empty brackets|unexpected", ""),
    lagrangian("attribute", "x«.»__class__", r"unexpected character '\.'", "no attributes"),
    lagrangian("lambda", "«lambda :» x", "there is no lambda", "behind the colon"),
    lagrangian("f-string", "f'«{»x}'", "unexpected character", "round brackets"),
    lagrangian("eval", "«eval»(x)", "unknown function 'eval'", "one of"),
    lagrangian("eval of a text", "eval(«'»x')", "prime", "x'"),
    lagrangian("exec", "«exec»(x)", "unknown function 'exec'", "one of"),
    lagrangian("open", "«open»(x)", "unknown function 'open'", "one of"),
    lagrangian("list comprehension", "«[»x for x in y]", r"unexpected character '\['", "round brackets"),
    lagrangian("conditional", "x «if» y else phi", "no conditions", "sign"),
    lagrangian("walrus", "x «:»= 1", "unexpected character ':'", ""),
    lagrangian("semicolon", "x«;» y", "unexpected character ';'", "one expression"),
    lagrangian("matrix product", "x «@» y", "unexpected character '@'", "matrix"),
    lagrangian("subscript", "«x[0]»", "no index", "x_0"),
    lagrangian("comment", "x«#»y", "unexpected character '#'", ""),
    lagrangian("hexadecimal", "0«x10»*speed2", "without an operator|unknown name", ""),
    lagrangian("underscore in a number", "«1_000»*speed2", "digits", "write 1000"),
    lagrangian("imaginary unit", "1«j»*speed2", "without an operator|unknown name", ""),
    # constraints
    velocity("equals missing", "[\"x'*sin(phi) - y'*cos(phi)«»\"]", "there is no '='", "= 0"),
    velocity("equals doubled", "[\"x' =«=» y'\"]", "'==' is not an operator", "single '='"),
    velocity("two equals signs", "[\"x' = y' «=» 0\"]", "second '='", "one equation for each"),
    velocity("right side missing", '["x\' =«»"]', "ends too early", "a number"),
    velocity("left side missing", '["«=» x\'"]', "operand was expected", "a number"),
    velocity("empty constraint", '["«»"]', "is empty", "an expression"),
    velocity(
        "no velocity", '[«"x*sin(phi) = y*cos(phi)"»]', "contains no velocity", "did you mean.*'position'"
    ),
    velocity("only numbers", '[«"1 = 2"»]', "contains no velocity", "velocity"),
    velocity(
        "dependent constraints",
        "[\"x' = y'\", «\"x' = y' + x*phi'\"»]",
        "dependent at the initial state",
        "start where",
    ),
    velocity(
        "contradictory constraints", "[\"x' = y'\", «\"x' = y' + 1\"»]", "contradict each other", "remove"
    ),
    velocity("constraint outside its domain", "[«\"x'/x = y'\"»]", "no finite value", "division by 0"),
    velocity(
        "constraint of a negative root", "[«\"x'*sqrt(-1 - x) = y'\"»]", "no finite value", "negative number"
    ),
    velocity(
        "acceleration in a velocity constraint",
        "[\"«x''» = y'\"]",
        "may not contain an acceleration",
        "move the constraint to 'acceleration'",
    ),
    Case(
        "velocity in a position constraint",
        VELOCITY,
        'position = ["x^2 = «y\'»"]',
        "may not contain a velocity",
        "move the constraint to 'velocity'",
    ),
    Case(
        "velocity in a position constraint through a definition",
        VELOCITY,
        'position = [«"x = speed2"»]',
        "through a definition",
        "move the constraint",
    ),
    Case(
        "position constraint without a coordinate",
        VELOCITY,
        'position = [«"m = J"»]',
        "contains no coordinate",
        "coordinate",
    ),
    Case(
        "acceleration constraint without one",
        VELOCITY,
        "acceleration = [«\"x' = y'\"»]",
        "contains no acceleration",
        "'velocity'",
    ),
    Case(
        "acceleration constraint not linear",
        VELOCITY,
        "acceleration = [«\"x''^2 = y''\"»]",
        "not linear in the accelerations",
        "coefficients",
    ),
    velocity("not a list", "«\"x' = y'\"»", "'constraints.velocity' is the text", "a list"),
    velocity("not a text", "[«3»]", "the constraint is the number 3", "equation in quotes"),
    velocity("boolean", "[«true»]", "the constraint is true", "equation in quotes"),
    velocity("nested list", "[«[\"x' = y'\"]»]", "not a list", "in quotes"),
    # definitions, parameters, names
    Case("circular definition", DEFINE, 'speed2 = "x\'^2 + «speed2»"', "used in its own meaning", ""),
    Case("forward definition", DEFINE, 'speed2 = "x\'^2 + «later»"\nlater = "y\'^2"', "made only later", ""),
    Case("mutual definitions", DEFINE, 'speed2 = "«b»"\nb = "speed2"', "made only later", ""),
    Case(
        "definition with an acceleration", DEFINE, "speed2 = \"x'^2 + «y''»\"", "may not contain an acc", ""
    ),
    Case("definition is a table", DEFINE, "speed2 = «{a = 1}»", "not a table", "in quotes"),
    Case("circular parameter", "J = 0.5", 'J = "m*«J»"', "used in its own meaning", ""),
    Case("forward parameter", "m = 1", 'm = "2*«J»"', "made only later", ""),
    Case("parameter of a coordinate", "J = 0.5", 'J = "2*«x»"', "is a coordinate", ""),
    Case("parameter of time", "J = 0.5", 'J = "2*«t»"', "is a time variable", ""),
    Case("duplicate name", "J = 0.5", "«phi» = 0.5", "'phi' is used twice", "rename"),
    Case(
        "duplicate coordinate", COORDINATES, 'coordinates = ["x", "y", "phi", «"x"»]', "used twice", "rename"
    ),
    Case(
        "duplicate after normalisation",
        COORDINATES,
        'coordinates = ["x", "é", «"e\u0301"»]',
        "twice",
        "rename",
    ),
    Case("reserved function name", "J = 0.5", "«sin» = 0.5", "'sin' is reserved", "choose another"),
    Case("reserved constant", "J = 0.5", "«pi» = 3", "'pi' is reserved", "choose another"),
    Case("reserved suffix", "J = 0.5", "«x_dot» = 0.5", "'x_dot' is reserved", "choose another"),
    Case("reserved suffix of accelerations", "J = 0.5", "«J_ddot» = 0.5", "reserved", "choose another"),
    Case("reserved definition", DEFINE, '«max» = "x\'^2"', "'max' is reserved", "choose another"),
    Case(
        "time clashes with a coordinate",
        COORDINATES,
        'time = "x"\ncoordinates = [«"x"», "y", "phi"]',
        "twice",
        "",
    ),
    Case("parameter named as time", "J = 0.5", "«t» = 0.5", "'t' is used twice", "rename"),
    Case(
        "name with a prime",
        COORDINATES,
        'coordinates = [«"x\'"», "y", "phi"]',
        "cannot be the name",
        "letter",
    ),
    Case("name with a blank", COORDINATES, 'coordinates = [«"x y"», "phi"]', "cannot be the name", "letter"),
    Case("empty name", COORDINATES, 'coordinates = [«""», "y", "phi"]', "cannot be the name", "letter"),
    Case("name of a number", COORDINATES, 'coordinates = [«1», "y", "phi"]', "needs a name", "in quotes"),
    Case(
        "invisible name",
        COORDINATES,
        'coordinates = [«"x\u200b"», "y", "phi"]',
        "cannot be the name",
        "letter",
    ),
    Case("no coordinates", COORDINATES, "coordinates = «[]»", "no coordinates", "at least one"),
    Case("coordinates in one text", COORDINATES, 'coordinates = «"x y phi"»', "is the text", "a list"),
    Case("coordinates as a table", COORDINATES, "coordinates = «{x = 1}»", "is a table", "a list"),
    Case("parameter without value", "J = 0.5", '«J» = ""', "has no value", "a number"),
    Case("parameter is a boolean", "J = 0.5", "J = «true»", "not true", "a number"),
    Case("parameter is a list", "J = 0.5", "J = «[1]»", "not a list", "a number"),
    Case("parameter is a date", "J = 0.5", "J = «1979-05-27»", "type date", "a number"),
    Case("parameter infinite", "J = 0.5", "J = «inf»", "not a finite number", "finite"),
    Case("parameter undefined", "J = 0.5", "J = «nan»", "not a finite number", "finite"),
    Case("parameter minus infinity", "J = 0.5", "J = «-inf»", "not a finite number", "finite"),
    Case("parameter overflows", "J = 0.5", "J = «1e400»", "double precision", "units"),
    Case("parameter of huge exponent", "J = 0.5", "J = «1e999999999»", "double precision", "units"),
    Case("parameter of tiny exponent", "J = 0.5", "J = «1e-999999999»", "double precision", "units"),
    Case("integer of many digits", "J = 0.5", f"J = «{'9' * 500}»", "double precision", "units"),
    Case(
        "parameter computed beyond all bounds", "J = 0.5", 'J = «"exp(1000*m)"»', "no finite real value", ""
    ),
    Case(
        "number beyond all bounds",
        "J = 0.5",
        'J = "«exp»(1000)"',
        r"exp\(1000\) is outside the range",
        "units",
    ),
    Case(
        "number without a value",
        "J = 0.5",
        'J = "m*«log»(0)"',
        r"log\(0\) has no real value",
        "positive number",
    ),
    Case("complex parameter", "J = 0.5", 'J = «"sqrt(-m)"»', "no finite real value", "finite"),
    Case("complex number", "J = 0.5", 'J = «"(-1)^0.5"»', "no finite real value", "finite"),
    Case("parameter without a limit", "J = 0.5", 'J = «"log(m - m)"»', "no finite real value", "finite"),
    Case("a string where a number belongs", "until = 10", 'until = "«ten»"', "unknown name 'ten'", ""),
    Case("run without end", "until = 10", "until = «inf»", "not a finite number", "finite"),
    Case("run ends nowhere", "until = 10", 'until = «"log(-m)"»', "run ends at", ""),
    Case("tolerance zero", "until = 10", "tolerance = «0»", "the tolerance is 0", "positive"),
    Case("tolerance undefined", "until = 10", 'tolerance = «"log(-m)"»', "the tolerance is nan", "positive"),
    # keys
    Case(
        "unknown key",
        LAGRANGIAN,
        f"«lagrangean» = 1\n{LAGRANGIAN}",
        "unknown key 'lagrangean'",
        "'lagrangian'",
    ),
    Case("unknown table", "[define]", "«[defines]»", "unknown key 'defines'", "did you mean 'define'"),
    Case(
        "unknown key at the top",
        'name = "Sleigh"',
        'name = "Sleigh"\n«cordinates» = []',
        "unknown key",
        "'coord",
    ),
    Case(
        "misplaced key",
        'name = "Sleigh"',
        'name = "Sleigh"\n«lagrangian» = "1"',
        "unknown key",
        r"\[dynamics\]",
    ),
    Case("unknown constraint level", VELOCITY, "«velocities» = []", "unknown key 'velocities'", "'velocity'"),
    Case("force on no coordinate", FORCE, '«psi» = "1"', "'psi', which is not a coordinate", "'phi'"),
    Case("position of no coordinate", "phi = 0.5", "«ph» = 0.5", "'ph', which is not a coordinate", "'phi'"),
    Case("velocity of no coordinate", "x = 1", "«z» = 1", "'z', which is not a coordinate", "one of x, y"),
    Case(
        "both Lagrangian and kinetic energy", LAGRANGIAN, f'{LAGRANGIAN}\n«kinetic» = "1"', "both", "either"
    ),
    Case("no Lagrangian", f"[dynamics]\n{LAGRANGIAN}", "«[dynamics]»", "no Lagrangian", "kinetic"),
    Case(
        "only a potential",
        f"[dynamics]\n{LAGRANGIAN}",
        '«[dynamics]»\npotential = "x"',
        "no Lagrangian",
        "kinetic",
    ),
    Case(
        "parameters as a text",
        f"{COORDINATES}\n\n[parameters]\nm = 1\nJ = 0.5",
        f'{COORDINATES}\n«parameters» = "m = 1"',
        "is the text",
        "a table",
    ),
    Case("name is a number", 'name = "Sleigh"', "name = «3»", "'name' is the number 3", "in quotes"),
    Case("time is a number", 'name = "Sleigh"', "time = «3»", "'time' is the number 3", "in quotes"),
    Case(
        "degenerate is no boolean",
        LAGRANGIAN,
        f"{LAGRANGIAN}\ndegenerate = «1»",
        "the number 1",
        "true or false",
    ),
    Case("claims as a table", 'name = "Sleigh"', "claims = «{a = 1}»", "'claims' is a table", "list"),
    Case(
        "claim as a number", 'name = "Sleigh"', "claims = [«1»]", "a claim is the number 1", r"\[\[claims\]\]"
    ),
    Case("view as a text", 'name = "Sleigh"', '«view» = "x"', "'view' is the text", "a table"),
    Case("dotted key", 'name = "Sleigh"', "«initial.velocty.x» = 1", "unknown key 'velocty'", "'velocity'"),
    # TOML
    Case("string not closed", LAGRANGIAN, 'lagrangian = "m/2*speed2«»', "not valid TOML", ""),
    Case("value missing", "J = 0.5", "J = «»", "not valid TOML", "value after"),
    Case("expression without quotes", "J = 0.5", "J = «m»*2", "not valid TOML", "in quotes"),
    Case("key without quotes", "J = 0.5", "«θ» = 0.5", "not valid TOML", "in quotes"),
    Case("key with a prime", "x = 1", "x«'» = 1", "not valid TOML", "without primes"),
    Case("duplicate key", "J = 0.5", "«m» = 0.5", "not valid TOML: m is given twice", "remove one"),
    Case("table twice", "[run]", "«[define]»", r"not valid TOML: \[define\] is given twice", "remove one"),
    Case("control character", 'name = "Sleigh"', 'name = "Sl«\x07»eigh"', "not valid TOML", ""),
    Case("NUL", 'name = "Sleigh"', 'name = "Sl«\x00»eigh"', "NUL", "remove it"),
    Case("key of many parts", 'name = "Sleigh"', "«a.a.a.a.a.a.a.a.a.a» = 1", "dotted parts", ""),
    Case("escape of nothing", 'name = "Sleigh"', 'name = "a\\q«"»', "not valid TOML", ""),
    Case("lone surrogate escape", 'name = "Sleigh"', 'name = "\\ud800«"»', "not valid TOML", ""),
    # initial data
    Case(
        "undetermined", "[initial.velocity]\nx = 1", "«[initial.velocity]»", "x', y' are free", "values for 1"
    ),
    Case(
        "inconsistent",
        "[initial.velocity]\nx = 1",
        "«[initial.velocity]»\nx = 1\ny = 0",
        "misses the constraint .* by 0.479",
        "leave one of the values out",
    ),
    Case(
        "inconsistent by more than roundoff",
        "[initial.velocity]\nx = 1",
        "«[initial.velocity]»\nx = 1\ny = 0.546302494",
        "misses the constraint",
        "below 1e-09",
    ),
    Case(
        "no branch",
        f"{VELOCITY}\n\n[initial.position]\nphi = 0.5\n\n[initial.velocity]",
        "velocity = [\"x'^2 + y'^2 = 1/2\"]\n\n«[initial.velocity]»",
        "no value of y' satisfies",
        "change",
    ),
    Case(
        "no position",
        f"{VELOCITY}\n\n[initial.position]",
        'position = ["x^2 + y^2 = -1"]\n\n«[initial.position]»',
        "no choice of the positions left out helps",
        "lhs",
    ),
    Case(
        "position given off the constraint",
        f"{VELOCITY}\n\n[initial.position]\nphi = 0.5",
        'position = ["x^2 + y^2 = 1"]\n\n«[initial.position]»\nphi = 0.5\nx = 1\ny = 1e-4',
        "misses the constraint",
        "leave one",
    ),
    Case(
        "initial value overflows",
        "phi = 0.5",
        '«phi» = "exp(1000*m)"',
        "the initial value of phi is inf",
        "finite",
    ),
    Case(
        "initial time undefined",
        "[initial.position]",
        '[initial]\n«t» = "log(-m)"\n[initial.position]',
        "the initial value of t is nan",
        "finite",
    ),
    Case("initial value infinite", "x = 1", "x = «inf»", "not a finite number", "finite"),
    Case("initial value is a text", "x = 1", 'x = "«fast»"', "unknown name 'fast'", ""),
    Case("initial value of a coordinate", "x = 1", 'x = "«phi»"', "unknown name 'phi'", "one of m, J"),
    Case("initial value is a boolean", "x = 1", "x = «true»", "not true", "a number"),
    Case("initial value empty", "x = 1", 'x = "«»"', "is empty", "an expression"),
    Case(
        "Lagrangian singular at the start",
        LAGRANGIAN,
        'lagrangian = «"speed2/x + phi\'^2"»',
        "no finite value at the initial state",
        "division by 0",
    ),
    Case(
        "force singular at the start",
        FORCE,
        'phi = «"1/x"»',
        "the force on phi has no finite value",
        "division",
    ),
]
IDS = [c.name for c in CASES]


def run_cli(*arguments: str, memory: int | None = None, cwd: Path | None = None) -> tuple[int, str, str]:
    """Exit status, output and errors of ``python -m chetaev`` in a process with a limit on its memory."""

    def limit() -> None:
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    done = subprocess.run(
        [sys.executable, "-m", "chetaev", *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONUTF8": "1", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=limit,
        timeout=600,
        check=False,
        cwd=cwd,
    )
    return done.returncode, done.stdout, done.stderr


def refused(text: str) -> ModelError:
    """The error that reading a model raises; the effort grows with the length of the text, not faster."""
    with counted() as count, pytest.raises(ModelError) as caught:
        ch.loads(text, "model.toml")
    assert count.calls < EFFORT + 5 * len(text)
    return caught.value


def test_the_good_model_is_good():
    assert ch.loads(GOOD).degrees_of_freedom == 2


def test_the_names_of_the_cases_differ():
    assert len(set(IDS)) == len(IDS) > 100


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_place_message_and_advice(case):
    error = refused(case.text)
    line, column, part = case.place
    assert re.search(case.message, error.message), str(error)
    assert error.file == "model.toml"
    assert (error.line, error.column) == (line, column), str(error)
    assert error.expected or error.remedy, str(error)
    assert re.search(case.help, f"{error.expected} {error.remedy}", re.DOTALL), str(error)
    place = error.place
    assert place is not None
    if part and part.isprintable() and len(part) < 80:
        assert place.excerpt[place.caret :].startswith(part), str(error)
        assert place.width <= len(part)
    picture = str(error).split("\n")
    assert picture[0].startswith(f"model.toml:{line}:{column}: ")
    assert picture[2].strip().strip("^") == ""
    assert "Traceback" not in str(error)


@pytest.mark.few(20)
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_command_line_says_the_same(case, tmp_path, capsys):
    from chetaev.cli import run

    path = tmp_path / "model.toml"
    path.write_text(case.text, encoding="utf-8", newline="")
    assert run(["show", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    line, column, _ = case.place
    assert f"{path}:{line}:{column}: " in shown.err
    assert "^" in shown.err
    assert "Traceback" not in shown.err


# --- texts that are refused as a whole ------------------------------------------------------------

BOMBS = {
    "100,000 nested brackets": GOOD.replace("m/2*speed2", "(" * 100_000 + "m" + ")" * 100_000),
    "100,000 opening brackets": GOOD.replace("m/2*speed2", "(" * 100_000),
    "100,000 nested functions": GOOD.replace("m/2*speed2", "sin(" * 100_000 + "m" + ")" * 100_000),
    "200,000 signs": GOOD.replace("m/2*speed2", "-" * 2 * 10**5 + "m"),
    "a power tower of 200,000": GOOD.replace("m/2*speed2", "m^" * 2 * 10**5 + "m"),
    "a power tower of numbers": GOOD.replace("m/2*speed2", "9^" * 10**5 + "9"),
    "200,000 primes": GOOD.replace("phi'^2", "phi" + "'" * 2 * 10**5),
    "200,000 superscripts": GOOD.replace("phi'^2", "phi" + "²" * 2 * 10**5),
    "200,000 digits": GOOD.replace("J = 0.5", "J = " + "9" * 2 * 10**5),
    "200,000 decimals": GOOD.replace("J = 0.5", "J = 0." + "3" * 2 * 10**5),
    "200,000 digits in an expression": GOOD.replace("m/2*", "3" * 2 * 10**5 + "*"),
    "5,000 digits": GOOD.replace("J = 0.5", "J = " + "9" * 5000),
    "a name of 200,000 letters": GOOD.replace('"x", "y", "phi"', f'"{"x" * 2 * 10**5}"'),
    "an unknown name of 200,000 letters": GOOD.replace("m/2*speed2", "x" * 2 * 10**5),
    "nested arrays": "x = " + "[" * 100_000 + "]" * 100_000,
    "nested arrays, open": "x = " + "[" * 100_000,
    "nested inline tables": "x = " + "{a = " * 50_000 + "1" + "}" * 50_000,
    "many dotted keys": "a" + ".a" * 100_000 + " = 1",
    "many dotted tables": "[a" + ".a" * 100_000 + "]",
    "many dotted keys in an inline table": "x = {a" + ".a" * 50_000 + " = 1}",
    "quoted dotted keys": '"a"' + '."a"' * 50_000 + " = 1",
    "blanks around dots": "a" + " . a" * 50_000 + " = 1",
    "too long": "# " + "x" * MAX_BYTES,
    "too long in bytes": "# " + "θ" * (MAX_BYTES // 2),
    "an unknown key of 200,000 letters": "k" * 2 * 10**5 + " = 1",
    "a string that never ends": 'name = "' + "x" * 2 * 10**5,
    "a multi-line string that never ends": 'name = """' + "x\n" * 2 * 10**5,
    "quotes": '"' * 2 * 10**5,
    "equals signs": "=" * 2 * 10**5,
    "newlines": "\n" * 2 * 10**5,
    "nothing": "",
    "blank": " \n\t\n",
    "a comment": "# nothing here",
    "a byte order mark twice": "\ufeff\ufeff" + GOOD,
    "carriage returns alone": GOOD.replace("\n", "\r"),
    "NUL": "\0" * 1000,
    "many wrong terms": GOOD.replace("m/2*speed2", "+".join(f"a{i}" for i in range(50_000))),
    "10,001 coordinates": "coordinates = [" + ", ".join(f'"x{i}"' for i in range(10_001)) + "]",
    "forward definitions": GOOD.replace(
        "[define]", '[define]\na = "' + "+".join(f"b{i}" for i in range(9999)) + '"'
    ),
}


@pytest.mark.few(11)
@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused_at_once(text):
    error = refused(text)
    assert len(str(error)) < 3000
    assert error.expected or error.remedy or "TOML" in error.message, str(error)


@pytest.mark.slow
def test_the_worst_are_refused_by_the_command_line_in_little_memory(tmp_path):
    for name in (
        "100,000 nested brackets",
        "200,000 digits",
        "nested inline tables",
        "too long in bytes",
        "quotes",
    ):
        path = tmp_path / "bomb.toml"
        path.write_text(BOMBS[name], encoding="utf-8")
        status, out, err = run_cli("show", str(path), memory=2 * 2**30)
        assert (status, out) == (2, ""), err
        assert "Traceback" not in err
        assert err.startswith("chetaev: ")


# --- bytes ------------------------------------------------------------------------------------------

BYTES = {
    "invalid UTF-8": (b'name = "\xff"', 1, 9, "0xff is not valid UTF-8"),
    "cut in a character": ('name = "θ'.encode()[:-1], 1, 9, "not valid UTF-8"),
    "Latin-1": ("# é\nname = 'é'".encode("latin-1"), 1, 3, "0xe9 is not valid UTF-8"),
    "UTF-16": (GOOD.encode("utf-16"), 1, 1, "0xff is not valid UTF-8"),
    "UTF-16 without mark": (GOOD.encode("utf-16-le"), 1, 2, "NUL"),
    "NUL": (b'a = 1\nname = "x\0"', 2, 10, "NUL"),
    "overlong encoding": (b'name = "\xc0\xaf"', 1, 9, "not valid UTF-8"),
    "encoded surrogate": (b'name = "\xed\xa0\x80"', 1, 9, "not valid UTF-8"),
    "second line": (b"# one\n# \xfe", 2, 3, "0xfe"),
}


@pytest.mark.parametrize(("raw", "line", "column", "message"), BYTES.values(), ids=BYTES)
def test_bytes_that_are_no_text(raw, line, column, message, tmp_path):
    path = tmp_path / "model.toml"
    path.write_bytes(raw)
    with pytest.raises(ModelError, match=message) as caught:
        ch.load(path)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(path), line, column)
    assert error.remedy


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    path = tmp_path / "model.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert ch.load(path) == ch.loads(GOOD)
    path.write_bytes(GOOD.replace("\n", "\r\n").replace("speed2 +", "sped2 +").encode())
    with pytest.raises(ModelError) as caught:
        ch.load(path)
    assert (caught.value.line, caught.value.column) == (12, 19)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("no-such-model", "no/such.toml", "a\0b", "", ".", str(tmp_path), "x" * 5000, "rolling-disk"):
        with pytest.raises(ModelError) as caught:
            ch.load(name)
        assert "Traceback" not in str(caught.value)
    assert "rolling-disc" in caught.value.remedy
    with pytest.raises(ModelError, match="a name or a path"):
        ch.load(b"rolling-disc")
    for wrong in (None, 3, ["rolling-disc"]):
        with pytest.raises((ModelError, TypeError)):
            ch.load(wrong)
    for wrong in (None, 3, b"name = 'x'", Path("x")):
        with pytest.raises(ModelError):
            ch.loads(wrong)


def test_an_endless_file_is_not_read_to_its_end():
    if not Path("/dev/zero").exists():
        pytest.skip("there is no /dev/zero")
    with counted() as count, pytest.raises(TooLargeError):
        ch.load("/dev/zero")
    assert count.calls < 1000


def test_the_size_of_a_file_is_limited_to_the_byte(tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(GOOD + "#" * (MAX_BYTES - len(GOOD.encode())), encoding="utf-8")
    assert ch.load(path) == ch.loads(GOOD)
    path.write_text(GOOD + "#" * (MAX_BYTES + 1 - len(GOOD.encode())), encoding="utf-8")
    with pytest.raises(TooLargeError, match="bytes"):
        ch.load(path)


# --- multi-line strings, escapes, arrays: the place is that in the file ------------------------------


@pytest.mark.parametrize(
    ("marked", "name"),
    [
        ('lagrangian = """\nm/2*speed2\n  + J/2*«fi\'»^2"""', "multi-line string"),
        ('lagrangian = """m/2*speed2 + \\\n   J/2*«fi\'»^2"""', "line continuation"),
        ('lagrangian = "m/2*speed2 + \\u004A/2*«fi\'»^2"', "escape before it"),
        ("lagrangian = 'm/2*speed2 + «fi»'", "literal string"),
        ("lagrangian = '''\nm/2*speed2 +\n«fi»'''", "multi-line literal string"),
        ('lagrangian = "m/2*speed2 + \\t«fi»"', "tab escape"),
        ('"lagrangian" = "m/2*speed2 + «fi»"', "quoted key"),
        ('lagrangian    =\t"m/2*speed2 + «fi»" # comment', "blanks and a comment"),
    ],
)
def test_places_inside_strings(marked, name):
    case = Case(name, LAGRANGIAN, marked, "unknown name", "")
    error = refused(case.text)
    line, column, part = case.place
    assert "unknown name 'fi'" in error.message
    assert (error.line, error.column) == (line, column), str(error)
    assert error.place is not None
    assert error.place.excerpt[error.place.caret :].startswith(part)


def test_the_place_of_the_third_constraint_of_an_array_over_lines():
    new = 'velocity = [\n  "x\' = 0", # first\n\n  "y\' = «zz»",\n]'
    case = Case("array", VELOCITY, new, "", "")
    error = refused(case.text)
    assert (error.line, error.column) == case.place[:2]


def test_tables_written_inline_have_places_too():
    text = 'coordinates = ["x"]\ndynamics = { lagrangian = "x\'^2 + zz" }\n'
    error = refused(text)
    assert (error.line, error.column) == (2, text.split("\n")[1].index("zz") + 1)
    text = 'coordinates = ["x"]\ndynamics.lagrangian = "x\'^2 + zz"\n'
    error = refused(text)
    assert (error.line, error.column) == (2, text.split("\n")[1].index("zz") + 1)


def test_errors_travel_between_processes():
    import pickle

    error = refused(CASES[0].text)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.place == error.place
