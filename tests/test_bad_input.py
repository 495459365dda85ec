"""Bad input: everything a user can get wrong is a ModelError with its place and advice, at once, in little memory.

A case replaces a line of a good model. The offending text stands between « and »; the error must name its line and
column, and the caret must stand below it. Every case goes through `ch.loads` and through the command line.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.errors import ModelError, TooLargeError
from chetaev.model.toml_source import MAX_BYTES

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
LAGRANGIAN = "lagrangian = \"m/2*speed2 + J/2*phi'^2\""
VELOCITY = "velocity = [\"x'*sin(phi) = y'*cos(phi)\"]"
FORCE = "phi = \"-0.1*phi'\""
COORDINATES = 'coordinates = ["x", "y", "phi"]'
DEFINE = "speed2 = \"x'^2 + y'^2\""
SECONDS = 1.0
"""The longest a refusal may take, imports not counted."""


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
    lagrangian("unknown function", "m/2*speed2 + «cso»(phi)*phi'", "unknown function 'cso'", "did you mean 'cos'"),
    lagrangian("velocity of a parameter", "«m'»/2*speed2 + phi'^2", "'m' is not a coordinate", "prime|did you"),
    lagrangian("velocity of time", "«t'»*speed2 + phi'^2", "'t' is not a coordinate", "prime"),
    lagrangian("acceleration in the Lagrangian", "speed2 + «phi''»", "may not contain an acceleration", ""),
    lagrangian("third derivative", "speed2 + «phi'''»", "order 3", "two primes"),
    lagrangian("look-alike letter", "m/2*speed2 + «ph\u0456'»^2", "unknown name", "did you mean 'phi'"),
    Case("velocity forgotten", LAGRANGIAN, 'lagrangian = «"m/2*x^2 + J/2*phi^2"»', "contains no velocity", "prime"),
    Case("velocity of one coordinate forgotten", DEFINE, "speed2 = \"x'^2 + y^2\"\n«»", "", ""),
    # expressions
    lagrangian("too many arguments", "speed2 + «sin»(phi, x)*phi'", "sin is given 2 arguments", "one argument"),
    lagrangian("too few arguments", "speed2 + «atan2»(phi)*phi'", "atan2 is given 1 argument", "two arguments"),
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
    lagrangian("division by a vanishing number", "speed2«/»(1-1) + phi'^2", "division by zero", "denominator"),
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
    lagrangian("a sign after a power of a tower", "m^m^-9^9«^»9^9 + speed2", "too large|outside", "bits|digits"),
    # ways to Python
    lagrangian("import", "«_»_import__('os') + speed2", "unexpected character '_'", "letter"),
    lagrangian("class of a tuple", "(«)».__class__", "empty brackets|unexpected", ""),
    lagrangian("attribute", "x«.»__class__", r"unexpected character '\.'", "no attributes"),
    lagrangian("lambda", "lambda «:» x", "unknown name|unexpected", ""),
    lagrangian("f-string", "f«'»{x}'", "", ""),
    lagrangian("eval", "«eval»(x)", "unknown function 'eval'", "one of"),
    lagrangian("eval of a text", "eval(«'»x')", "", ""),
    lagrangian("exec", "«exec»(x)", "unknown function 'exec'", "one of"),
    lagrangian("open", "«open»(x)", "unknown function 'open'", "one of"),
    lagrangian("list comprehension", "«[»x for x in y]", r"unexpected character '\['", "round brackets"),
    lagrangian("conditional", "x «if» y else phi", "without an operator", ""),
    lagrangian("walrus", "x «:»= 1", "unexpected character ':'", ""),
    lagrangian("semicolon", "x«;» y", "unexpected character ';'", "one expression"),
    lagrangian("matrix product", "x «@» y", "unexpected character '@'", "matrix"),
    lagrangian("subscript", "x«[»0]", r"unexpected character '\['", "round"),
    lagrangian("comment", "x«#»y", "unexpected character '#'", ""),
    lagrangian("hexadecimal", "0«x10»*speed2", "without an operator|unknown name", ""),
    lagrangian("underscore in a number", "1«_»000*speed2", "unexpected|without an operator", ""),
    lagrangian("imaginary unit", "1«j»*speed2", "without an operator|unknown name", ""),
    # constraints
    velocity("equals missing", "[\"x'*sin(phi) - y'*cos(phi)«»\"]", "there is no '='", "= 0"),
    velocity("equals doubled", "[\"x' =«=» y'\"]", "'==' is not an operator", "single '='"),
    velocity("two equals signs", "[\"x' = y' «=» 0\"]", "second '='", "one equation for each"),
    velocity("right side missing", "[\"x' =«»\"]", "ends too early", "a number"),
    velocity("left side missing", "[\"«=» x'\"]", "operand was expected", "a number"),
    velocity("empty constraint", '["«»"]', "is empty", "an expression"),
    velocity("no velocity", "[«\"x*sin(phi) = y*cos(phi)\"»]", "contains no velocity", "did you mean.*'position'"),
    velocity("only numbers", '[«"1 = 2"»]', "contains no velocity", "velocity"),
    velocity("as many constraints as velocities", "", "", ""),
    velocity("acceleration in a velocity constraint", "[\"«x''» = y'\"]", "may not contain an acceleration",
             "move the constraint to 'acceleration'"),
    Case("velocity in a position constraint", VELOCITY, "position = [\"x^2 = «y'»\"]",
         "may not contain a velocity", "move the constraint to 'velocity'"),
    Case("velocity in a position constraint through a definition", VELOCITY, 'position = [«"x = speed2"»]',
         "through a definition", "move the constraint"),
    Case("position constraint without a coordinate", VELOCITY, 'position = [«"m = J"»]',
         "contains no coordinate", "coordinate"),
    Case("acceleration constraint without one", VELOCITY, "acceleration = [«\"x' = y'\"»]",
         "contains no acceleration", "'velocity'"),
    Case("acceleration constraint not linear", VELOCITY, "acceleration = [«\"x''^2 = y''\"»]",
         "not linear in the accelerations", "coefficients"),
    velocity("not a list", "«\"x' = y'\"»", "'constraints.velocity' is the text", "a list"),
    velocity("not a text", "[«3»]", "the constraint is the number 3", "equation in quotes"),
    velocity("boolean", "[«true»]", "the constraint is true", "equation in quotes"),
    velocity("nested list", "[«[\"x' = y'\"]»]", "not a list", "in quotes"),
    # definitions, parameters, names
    Case("circular definition", DEFINE, "speed2 = \"x'^2 + «speed2»\"", "used in its own meaning", ""),
    Case("forward definition", DEFINE, "speed2 = \"x'^2 + «later»\"\nlater = \"y'^2\"", "made only later", ""),
    Case("mutual definitions", DEFINE, "speed2 = \"«b»\"\nb = \"speed2\"", "made only later", ""),
    Case("definition with an acceleration", DEFINE, "speed2 = \"x'^2 + «y''»\"", "may not contain an acc", ""),
    Case("definition is a table", DEFINE, 'speed2 = «{a = 1}»', "not a table", "in quotes"),
    Case("circular parameter", "J = 0.5", 'J = "m*«J»"', "used in its own meaning", ""),
    Case("forward parameter", "m = 1", 'm = "2*«J»"', "made only later", ""),
    Case("parameter of a coordinate", "J = 0.5", 'J = "2*«x»"', "is a coordinate", ""),
    Case("parameter of time", "J = 0.5", 'J = "2*«t»"', "is a time variable", ""),
    Case("duplicate name", "J = 0.5", "«phi» = 0.5", "'phi' is used twice", "rename"),
    Case("duplicate coordinate", COORDINATES, 'coordinates = ["x", "y", "phi", «"x"»]', "used twice", "rename"),
    Case("duplicate after normalisation", COORDINATES, 'coordinates = ["x", "é", «"e\u0301"»]', "twice", "rename"),
    Case("reserved function name", "J = 0.5", "«sin» = 0.5", "'sin' is reserved", "choose another"),
    Case("reserved constant", "J = 0.5", "«pi» = 3", "'pi' is reserved", "choose another"),
    Case("reserved suffix", "J = 0.5", "«x_dot» = 0.5", "'x_dot' is reserved", "choose another"),
    Case("reserved suffix of accelerations", "J = 0.5", "«J_ddot» = 0.5", "reserved", "choose another"),
    Case("reserved definition", DEFINE, "«max» = \"x'^2\"", "'max' is reserved", "choose another"),
    Case("time clashes with a coordinate", COORDINATES, 'time = "x"\ncoordinates = [«"x"», "y", "phi"]', "twice", ""),
    Case("parameter named as time", "J = 0.5", "«t» = 0.5", "'t' is used twice", "rename"),
    Case("name with a prime", COORDINATES, "coordinates = [«\"x'\"», \"y\", \"phi\"]", "cannot be the name", "letter"),
    Case("name with a blank", COORDINATES, 'coordinates = [«"x y"», "phi"]', "cannot be the name", "letter"),
    Case("empty name", COORDINATES, 'coordinates = [«""», "y", "phi"]', "cannot be the name", "letter"),
    Case("name of a number", COORDINATES, 'coordinates = [«1», "y", "phi"]', "needs a name", "in quotes"),
    Case("invisible name", COORDINATES, 'coordinates = [«"x\u200b"», "y", "phi"]', "cannot be the name", "letter"),
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
    Case("parameter computed beyond all bounds", "J = 0.5", "J = «\"exp(1000)\"»", "no finite real value", ""),
    Case("complex parameter", "J = 0.5", "J = «\"sqrt(-m)\"»", "no finite real value", "finite"),
    Case("complex number", "J = 0.5", "J = «\"(-1)^0.5\"»", "no finite real value", "finite"),
    Case("parameter without a limit", "J = 0.5", "J = «\"log(m - m)\"»", "no finite real value", "finite"),
    Case("a string where a number belongs", "until = 10", 'until = "«ten»"', "unknown name 'ten'", ""),
    Case("run without end", "until = 10", "until = «inf»", "not a finite number", "finite"),
    Case("run ends nowhere", "until = 10", "until = «\"log(-m)\"»", "run ends at", ""),
    # keys
    Case("unknown key", LAGRANGIAN, f"«lagrangean» = 1\n{LAGRANGIAN}", "unknown key 'lagrangean'", "'lagrangian'"),
    Case("unknown table", "[define]", "«[defines]»", "unknown key 'defines'", "did you mean 'define'"),
    Case("unknown key at the top", 'name = "Sleigh"', 'name = "Sleigh"\n«cordinates» = []', "unknown key", "'coord"),
    Case("misplaced key", 'name = "Sleigh"', 'name = "Sleigh"\n«lagrangian» = "1"', "unknown key", r"\[dynamics\]"),
    Case("unknown constraint level", VELOCITY, "«velocities» = []", "unknown key 'velocities'", "'velocity'"),
    Case("force on no coordinate", FORCE, "«psi» = \"1\"", "'psi', which is not a coordinate", "'phi'"),
    Case("position of no coordinate", "phi = 0.5", "«ph» = 0.5", "'ph', which is not a coordinate", "'phi'"),
    Case("velocity of no coordinate", "x = 1", "«z» = 1", "'z', which is not a coordinate", "one of x, y"),
    Case("both Lagrangian and kinetic energy", LAGRANGIAN, f"{LAGRANGIAN}\n«kinetic» = \"1\"", "both", "either"),
    Case("no Lagrangian", LAGRANGIAN, "", "", ""),
    Case("parameters as a text", "[parameters]", "", "", ""),
    Case("name is a number", 'name = "Sleigh"', "name = «3»", "'name' is the number 3", "in quotes"),
    Case("time is a number", 'name = "Sleigh"', "time = «3»", "'time' is the number 3", "in quotes"),
    Case("degenerate is no boolean", LAGRANGIAN, f"{LAGRANGIAN}\ndegenerate = «1»", "the number 1", "true or false"),
    Case("claims as a table", 'name = "Sleigh"', "claims = «{a = 1}»", "'claims' is a table", "list"),
    Case("claim as a number", 'name = "Sleigh"', "claims = [«1»]", "a claim is the number 1", r"\[\[claims\]\]"),
    Case("view as a text", 'name = "Sleigh"', '«view» = "x"', "'view' is the text", "a table"),
    Case("dotted key", 'name = "Sleigh"', "«initial.velocty.x» = 1", "unknown key 'velocty'", "'velocity'"),
    # TOML
    Case("string not closed", LAGRANGIAN, 'lagrangian = "m/2*speed2«»', "not valid TOML", ""),
    Case("value missing", "J = 0.5", "J = «»", "not valid TOML", "value after"),
    Case("expression without quotes", "J = 0.5", "J = «m»*2", "not valid TOML", "in quotes"),
    Case("key without quotes", "J = 0.5", "«θ» = 0.5", "not valid TOML", "in quotes"),
    Case("key with a prime", "x = 1", "x«'» = 1", "not valid TOML", "without primes"),
    Case("duplicate key", "J = 0.5", "m = 0.5«»", "not valid TOML: cannot overwrite", ""),
    Case("table twice", "[run]", "[define«]»", "not valid TOML", ""),
    Case("control character", 'name = "Sleigh"', 'name = "Sl«\x07»eigh"', "not valid TOML", ""),
    Case("NUL", 'name = "Sleigh"', 'name = "Sl«\x00»eigh"', "NUL", "remove it"),
    Case("key of many parts", 'name = "Sleigh"', "«a.a.a.a.a.a.a.a.a.a» = 1", "dotted parts", ""),
    Case("escape of nothing", 'name = "Sleigh"', 'name = "a\\q«"»', "not valid TOML", ""),
    Case("lone surrogate escape", 'name = "Sleigh"', 'name = "\\ud800«"»', "not valid TOML", ""),
    # initial data
    Case("undetermined", "x = 1", "", "", ""),
    Case("inconsistent", "x = 1", "", "", ""),
    Case("initial value infinite", "x = 1", "x = «inf»", "not a finite number", "finite"),
    Case("initial value is a text", "x = 1", 'x = "«fast»"', "unknown name 'fast'", ""),
    Case("initial value of a coordinate", "x = 1", 'x = "«phi»"', "unknown name 'phi'", "one of m, J"),
    Case("initial value is a boolean", "x = 1", "x = «true»", "not true", "a number"),
    Case("initial value empty", "x = 1", 'x = "«»"', "is empty", "an expression"),
    Case("Lagrangian singular at the start", LAGRANGIAN, "lagrangian = «\"speed2/x + phi'^2\"»",
         "no finite value at the initial state", "division by 0"),
    Case("force singular at the start", FORCE, "phi = «\"1/x\"»", "the force on phi has no finite value", "division"),
]  # fmt: skip
CASES = [c for c in CASES if c.message and "«" in c.new]
IDS = [c.name for c in CASES]


def run_cli(*arguments: str, memory: int | None = None, cwd: Path | None = None) -> tuple[int, str, str]:
    """Exit status, output and errors of ``python -m chetaev`` in a process of its own, with a limit on its memory."""

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
        timeout=60,
        check=False,
        cwd=cwd,
    )
    return done.returncode, done.stdout, done.stderr


def refused(text: str) -> ModelError:
    """The error that reading a model raises, in time."""
    start = time.perf_counter()
    with pytest.raises(ModelError) as caught:
        ch.loads(text, "model.toml")
    assert time.perf_counter() - start < SECONDS
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
