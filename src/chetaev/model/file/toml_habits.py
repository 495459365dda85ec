"""What people write in a model file that is not TOML, and what to write.

>>> remedy("m = 1 kg")
'a number stands without its unit; label it under [units]: m = "kg"'
>>> remedy("x = .5"), remedy("alpha = 30 deg")
('write 0.5', 'write "30*pi/180", in quotes')
"""

from __future__ import annotations

import re

from chetaev.expr.language.unknown_names import DEGREES

_NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_ENTRY = re.compile(r"\s*(?P<key>[\w.\"-]+)\s*=\s*(?P<value>.*)")
_COLON = re.compile(r"\s*(?P<key>\w+)\s*:\s*(?P<value>\S.*)")
_UNIT = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>[°º]|[^\W\d_][^\s#]*)\s*(?:#.*)?")
_COMMA = re.compile(r"(?P<whole>[+-]?\d+),(?P<rest>\d+)\s*(?:#.*)?")
_NAMES = re.compile(r"\[?\s*(?P<names>[^\W\d]\w*(?:\s*[,\s]\s*[^\W\d]\w*)*)\s*\]?\s*(?:#.*)?")
OTHER = "see the model language page for the form of a model file"


def remedy(line: str) -> str:
    """What helps on a line that TOML does not understand."""
    if named := re.match(r"\s*(?P<key>\w*[^\W\x00-\x7f]\w*)\s*=\s*(?P<value>.*)", line):
        return f'a key with letters outside ASCII stands in quotes: "{named["key"]}" = {named["value"]}'
    if table := re.fullmatch(r"\s*\[(?P<name>[\w.-]+)\s*", line):
        return f"write [{table['name']}]"
    if re.match(r"\s*(?:\{|import\s|from\s)", line):
        return 'a model is a TOML file, with lines such as coordinates = ["x"]; chetaev new NAME writes one'
    if re.match(r"\s*\w+'+\s*=", line):
        return "keys are names without primes; velocities stand in [initial.velocity]"
    colon = _COLON.fullmatch(line)
    if colon:
        return f"write {colon['key']} = {colon['value'].strip()}"
    entry = _ENTRY.fullmatch(line)
    if not entry:
        return OTHER
    key, value = entry["key"], entry["value"].strip()
    return "give the value after '='" if not value else _value(key, value)


def _value(key: str, value: str) -> str:
    """What helps for the value of a key."""
    if re.fullmatch(rf"(?:{_NUMBER}|\"[^\"]*\"|\[[^\[\]]*\])\s*(?://|%|;|--).*", value):
        return "a comment starts with #"
    if comma := _COMMA.fullmatch(value):
        return f"write {comma['whole']}.{comma['rest']}"
    if re.fullmatch(r"[+-]?\.\d+", value):
        return f"write {value.replace('.', '0.', 1)}"
    if re.fullmatch(r"[+-]?\d+\.", value):
        return f"write {value}0"
    unit = _UNIT.fullmatch(value)
    if unit and (unit["unit"] in DEGREES or unit["unit"] in "°º"):
        return f'write "{unit["number"]}*pi/180", in quotes'
    if unit and re.fullmatch(r"[\w°Ω/^*·²³⁻¹.-]+", unit["unit"]):
        return f'a number stands without its unit; label it under [units]: {key} = "{unit["unit"]}"'
    if re.match(r'"[^"]*\\[A-Za-z]', value):
        return "LaTeX is not read: write theta, x' for a derivative, (a)/(b) for a fraction"
    if re.fullmatch(r'"[^"]*', value):
        return 'close the text with "; a text of several lines stands between three of them'
    if value.startswith("'"):
        return "texts with primes stand in double quotes"
    names = _NAMES.fullmatch(value)
    if names and (value.startswith("[") or "," in value):
        parts = re.split(r"[,\s]+", names["names"])
        return "names stand in quotes, in a list: [" + ", ".join(f'"{p}"' for p in parts) + "]"
    if re.match(r"[^\"'{\[]", value) or re.match(r"\[\s*[^\"'\[\]{\s]", value):
        return "expressions stand in quotes"
    return OTHER
