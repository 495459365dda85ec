"""What people write elsewhere gets the remedy they need, at its place: a table of phrases and remedies."""

from __future__ import annotations

import pytest

from chetaev.errors import ExpressionError, ModelError
from chetaev.expr.graph.node import symbols
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.remedy_words import PYTHON

SCOPE = Scope.of(coordinates=["x", "theta"], parameters=["m", "R", "g"])

PHRASES = [
    # derivatives
    ("m*«xdot»^2/2", "write x'"),
    ("«xddot»", "write x''"),
    ("«x_t»^2", "write x'"),
    ("«v_x»^2", "write x'"),
    ("«thetadot»", "write theta'"),
    ("«θdot»", "write theta'"),
    ("«ẋ»^2", "write x'"),
    ("(«dx/dt»)^2", "write x'"),
    ("m*«dx/dt»^2", "write x'"),
    ("«d^2x/dt^2»", "write x''"),
    ("«d²x/dt²»", "write x''"),
    ("«dθ/dt»", "write theta'"),
    ("«d(x)/dt»", "write x'"),
    ("«d/dt x»", "write x'"),
    ("«x.diff()»^2", "write x'"),
    ("«x.diff(t, 2)»", "write x''"),
    ("«x.dot»", "write x'"),
    ("m*«diff(x, t)»", "write x'"),
    ("«Derivative(x(t), t)»^2", "write x'"),
    ("«dot(x)»", "write x'"),
    ("«ddot(theta)»", "write theta''"),
    ("«der(x)»", "write x'"),
    ("«x(t)»^2", "write x"),
    ("«x'(t)»^2", "write x'"),
    ("«x^.»", "write x'"),
    ("x«`»", "write '"),
    ("(x + theta)«'»", "not carried out"),
    # LaTeX
    (r"«\dot x»^2", "write x'"),
    (r"«\ddot{x}»", "write x''"),
    (r"«\dot\theta»", "write theta'"),
    (r"«\frac{1}{2}» m", "write (1)/(2)"),
    (r"«\theta»", "write theta"),
    (r"«\sin\theta»", "write sin(theta)"),
    (r"m «\cdot» x", "write *"),
    (r"«$»x$", "remove"),
    (r"«\sqrt{x}»", "write sqrt(x)"),
    # letters
    ("«θ»*x", "'theta'"),
    ("«cosθ»", "write cos(theta)"),
    ("«sintheta»", "write sin(theta)"),
    ("«mg»*x", "write m*g"),
    ("«mgR»", "write m*g*R"),
    ("«½»*m", "write 1/2"),
    ("«Theta»", "'theta'"),
    # functions
    ("m*«sin^2(theta)»", "write sin(theta)^2"),
    ("«sin²(theta + x)»", "write sin(theta + x)^2"),
    ("«cos**2(x)»", "write cos(x)^2"),
    ("«sin^2 theta»", "write sin(theta)^2"),
    ("«tan^{3}(x)»", "write tan(x)^3"),
    ("«sin^-1(x)»", "write asin(x) for the inverse function, 1/sin(x) for the reciprocal"),
    ("sin «x»", "write sin(x)"),
    ("ln «x»", "write log(x)"),
    ("«ln»(x)", "log(…)"),
    ("«arctan»(x)", "write atan(…)"),
    ("«exp»^x", "write exp(x)"),
    ("«|x'|»^2", "write abs(x')"),
    ("«√»(x + 1)", "write sqrt(x + 1)"),
    ("«np.sin»(x)", "write sin(…)"),
    ("«math.pi»*x", "write pi"),
    ("«np.arctan2»(x, m)", "write atan2(…)"),
    ("«params.m»*x", "write m"),
    ("«x[0]»", "x_0"),
    ("«radians»(30)", "pi/180"),
    ("«hypot»(x, m)", "sqrt"),
    # units and numbers
    ("cos(«30 deg»)", "write 30*pi/180"),
    ("sin(«30°»)", "write 30*pi/180"),
    ("«45*degrees»", "write 45*pi/180"),
    ("«1 kg»*x", "units are not part of expressions"),
    ("«9.81 m/s^2»*x", "in one system of units"),
    ("«3 N·m»", "label them in [units]"),
    ("«1e3 N»", "for a parameter 'N' write 1e3*N"),
    ("2 «m»*x", "write 2*m"),
    ("0«,»5*x", "write decimals with a point: 0.5"),
    ("«1_000»*x", "write 1000"),
    ("«1 000»*x", "write 1000"),
    # products, brackets, signs
    ("2«x»", "write 2*x"),
    ("2«x»'", "write 2*x'"),
    ("2«(»x + 1)", "write 2*(x + 1)"),
    ("x «theta»", "write x*theta"),
    ("x«.^»2", "write ^"),
    ("x «//» 2", "write /"),
    ("x «–» 1", "write -"),
    ("x «÷» 2", "write /"),
    ("x «=»= 1", "only constraints"),
    ("«(»x + 1", "missing ')'"),
    ("x«)»", "remove it"),
    # conditions
    ("x «if» x>0 else 0", "write max(x, 0)"),
    ("0 «if» x > 0 else x", "write min(x, 0)"),
    ("m*(R «if» x < 1 else g)", "write R*(1 - sign(x - 1))/2 + g*(1 + sign(x - 1))/2"),
    ("x «>» 0 ? 1 : 0", "write (1 + sign(x))/2"),
    ("where(x «>» 0, x, 0)", "write max(x, 0)"),
    ("if(x «>» theta, x, theta)", "write max(x, theta)"),
    ("m*(x «>» 0)", "write (1 + sign(x))/2"),
    ("x «&&» m", "sign"),
    ("x «and» m", "sign"),
    ("«not» x", "sign"),
    ("«Piecewise»((x, x > 0), (0, True))", "sign"),
    ("«∂»L", "derivatives are not carried out"),
    ("«inf»*x", "finite"),
    ("x «!=» 0", "sign"),
    ("«x(t).diff(t)»", "write x'"),
    ("«theta(t).diff(t).diff(t)»", "write theta''"),
    ("«Derivative(theta(t), (t, 2))»", "write theta''"),
    ("«x_dot(t)»", "write x'"),
    ("2 «sin»(theta)", "write 2*sin(…)"),
    ("sin «2»theta", "write sin(…)"),
    ("max «x», 0", "write max(…, …)"),
    ("(x + 1) «kg»", "units are not part"),
    ("x «deg»", "multiply degrees by pi/180"),
    ("«m [kg]»*x", "units are not part"),
    ("«params['m']»*x", "write m"),
    ("«θ̇»^2", "write theta'"),
    ("«||x||»", "write abs(x)"),
    ("«np.where»(x > 0, x, 0)", "sign"),
    ("«np.heaviside»(x, 0)", "(1 + sign(…))/2"),
    ("1 «if» x > 0 else -1 if x < 0 else 0", "sign(a - b)"),
    ("(x + 1)«(»x)", "write (…)*(x)"),
    ("«lambda x:» x^2", "behind the colon"),
]


@pytest.mark.parametrize(("marked", "remedy"), PHRASES)
def test_phrases_of_other_languages_get_their_remedy(marked: str, remedy: str) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    text = marked.replace("«", "").replace("»", "")
    with pytest.raises(ExpressionError) as caught:
        parse(text, SCOPE)
    error = caught.value
    assert remedy in error.remedy, error
    assert error.place is not None
    assert (error.column, error.place.width) == (start + 1, end - start), error


RELATIVES = {
    "x**.5": "x^(1/2)", "e^x": "e^x", "π*x": "pi*x", "2×x": "2*x", "2·x": "2*x", "x'²": "x'^2",
    "x′^2": "x'^2", "x’": "x'",
}  # fmt: skip


@pytest.mark.parametrize(("text", "meant"), RELATIVES.items())
def test_what_is_read_as_it_is_meant(text: str, meant: str) -> None:
    assert parse(text, SCOPE) is parse(meant, SCOPE)


def test_names_that_the_model_declares_are_never_taken_for_habits() -> None:
    scope = Scope.of(coordinates=["x"], parameters=["dx", "dt", "deg", "kg", "np", "xdot", "π", "lambda"])
    text = "dx/dt + 30*deg + kg*x'^2 + xdot + π*lambda"
    assert symbols(parse(text, scope)) == {
        (n, 0) for n in ("dx", "dt", "deg", "kg", "xdot", "π", "lambda")
    } | {("x", 1)}
    with pytest.raises(ExpressionError, match=r"write 30\*deg"):
        parse("30 deg", scope)


def test_python_is_answered_in_python() -> None:
    with pytest.raises(ExpressionError, match=r"label them in units=\{…\}"):
        parse("1 kg", SCOPE.but(speech=PYTHON))
    with pytest.raises(ExpressionError, match=r"in parameters=\{…\} or in define=\{…\}"):
        parse("k*x", SCOPE.but(speech=PYTHON))


@pytest.mark.parametrize("piece", ["d", "x.", "sin^2", "30 ", "|", "if ", "\\", "1,", "m/", "(", "x>"])
def test_long_texts_are_explained_from_a_part_of_them(piece: str) -> None:
    with pytest.raises(ModelError):
        parse(piece * 4000 + "?", SCOPE)
