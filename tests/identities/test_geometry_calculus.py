"""Cartan's calculus on random fields, forms and maps: the identities that define it."""

from __future__ import annotations

from itertools import combinations

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chetaev.geometry import Chart, Endomorphism, Form, Map, Tensor, VectorField, lie_bracket
from chetaev.geometry.calculus.endomorphism import evaluate_vector_form

SPACE = Chart(["x", "y", "z"])
IMAGE = Chart(["u", "v", "w"], SPACE.field)
few = settings(max_examples=15, phases=(Phase.explicit, Phase.reuse, Phase.generate))


@st.composite
def functions(draw, chart=SPACE, trig=True):
    f = chart.field.zero
    for _ in range(draw(st.integers(1, 2))):
        term = chart.field(draw(st.integers(-3, 3)))
        for i in draw(st.lists(st.integers(0, chart.dimension - 1), max_size=2)):
            term = term * chart.coordinates[i]
        kind = draw(st.sampled_from(["", "", "sin", "cos"])) if trig else ""
        if kind:
            angle = chart.coordinates[draw(st.integers(0, chart.dimension - 1))]
            term = term * (chart.field.sin(angle) if kind == "sin" else chart.field.cos(angle))
        f = f + term
    return f


@st.composite
def fields(draw, chart=SPACE, trig=True):
    return VectorField(chart, [draw(functions(chart, trig)) for _ in chart.symbols])


@st.composite
def forms(draw, degree, chart=SPACE, trig=True):
    keys = list(combinations(range(chart.dimension), degree))
    return Form(chart, degree, {k: draw(functions(chart, trig)) for k in keys})


@st.composite
def endomorphisms(draw, chart=SPACE):
    n = chart.dimension
    return Endomorphism(chart, [[draw(functions(chart, trig=False)) for _ in range(n)] for _ in range(n)])


@st.composite
def diffeomorphisms(draw, source=SPACE, target=IMAGE):
    """u = x + a, v = y + p(x), w = z + q(x, y): polynomial with polynomial inverse.

    Sines go with x only: that of a long polynomial is long in normal form.
    """
    x, y, z = source.coordinates
    u, v, w = target.coordinates
    a, b, c, d, e = (draw(st.integers(-2, 2)) for _ in range(5))
    p = b * x**2 + c * x
    q = d * x * y + e * y**2
    back_x = u - a
    back_y = v - (b * back_x**2 + c * back_x)
    back_z = w - (d * back_x * back_y + e * back_y**2)
    return Map(source, target, [x + a, y + p, z + q], inverse=[back_x, back_y, back_z])


@given(functions(), forms(1), forms(2))
@few
def test_d_squared_is_zero(f, alpha, beta):
    assert Form.function(SPACE, f).d().d().is_zero
    assert alpha.d().d().is_zero
    assert beta.d().d().is_zero


@given(forms(1), forms(1), forms(1))
@few
def test_wedge_is_associative_and_anticommutes(a, b, c):
    assert (a ^ b) == -(b ^ a)
    assert ((a ^ b) ^ c) == (a ^ (b ^ c))
    assert (a ^ (b ^ c)) == ((b ^ c) ^ a)


@given(functions(), forms(1), forms(1))
@few
def test_d_is_an_antiderivation(f, a, b):
    assert (a ^ b).d() == (a.d() ^ b) - (a ^ b.d())
    assert (f * a).d() == (SPACE.d(f) ^ a) + f * a.d()


@given(fields(), fields(), fields())
@few
def test_jacobi_identity(X, Y, Z):
    total = X.bracket(Y.bracket(Z)) + Y.bracket(Z.bracket(X)) + Z.bracket(X.bracket(Y))
    assert total.is_zero
    assert lie_bracket(X, Y) == X.bracket(Y) == -Y.bracket(X)


@given(fields(), fields(), functions())
@few
def test_bracket_is_the_commutator_of_derivations(X, Y, f):
    assert X.bracket(Y)(f) == X(Y(f)) - Y(X(f))
    assert X.bracket(f * Y) == X(f) * Y + f * X.bracket(Y)


@given(fields(), fields(), forms(1))
@few
def test_d_of_a_form_on_two_fields(X, Y, alpha):
    assert alpha.d()(X, Y) == X(alpha(Y)) - Y(alpha(X)) - alpha(X.bracket(Y))


@given(fields(trig=False), fields(trig=False), fields(), forms(2, trig=False))
@few
def test_cartan_formula_against_the_flow_definition(X, Y, Z, beta):
    """(L_X β)(Y, Z) = X(β(Y, Z)) − β([X, Y], Z) − β(Y, [X, Z])."""
    left = beta.lie(X)(Y, Z)
    assert left == X(beta(Y, Z)) - beta(X.bracket(Y), Z) - beta(Y, X.bracket(Z))


@given(fields(trig=False), fields(trig=False), forms(2))
@few
def test_commutators_of_lie_derivatives_and_interior_products(X, Y, beta):
    assert beta.interior(Y).lie(X) - beta.lie(X).interior(Y) == beta.interior(X.bracket(Y))
    assert beta.lie(Y).lie(X) - beta.lie(X).lie(Y) == beta.lie(X.bracket(Y))
    assert beta.lie(X).d() == beta.d().lie(X)
    assert beta.interior(X).interior(X).is_zero


@given(st.data())
@few
def test_pullback_commutes_with_d_and_wedge(data):
    """The map need not be a diffeomorphism."""
    phi = Map(SPACE, IMAGE, [data.draw(functions()) for _ in range(3)])
    a, b = data.draw(forms(1, IMAGE, trig=False)), data.draw(forms(1, IMAGE, trig=False))
    assert phi.pullback(a.d()) == phi.pullback(a).d()
    assert phi.pullback(a ^ b) == (phi.pullback(a) ^ phi.pullback(b))


@given(st.data())
@few
def test_pushforward_is_natural(data):
    phi = data.draw(diffeomorphisms())
    wave = SPACE.field.sin(SPACE.coordinates[0])
    X, Y = data.draw(fields(trig=False)) * wave, data.draw(fields(trig=False))
    alpha = data.draw(forms(2, IMAGE, trig=False))
    X_image, Y_image = phi.pushforward(X), phi.pushforward(Y)
    assert phi.are_related(X, X_image)
    assert phi.pushforward(X.bracket(Y)) == X_image.bracket(Y_image)
    assert phi.pullback(alpha.interior(Y_image)) == phi.pullback(alpha).interior(Y)
    assert phi.pullback(alpha.lie(Y_image)) == phi.pullback(alpha).lie(Y)
    assert phi.inverse.pushforward(X_image) == X
    assert phi.then(phi.inverse).components == SPACE.coordinates


@given(endomorphisms(), fields(trig=False), fields(trig=False), functions())
@few
def test_nijenhuis_torsion_is_a_tensor(R, X, Y, f):
    """It is function-linear in both fields, although each of its terms is not."""

    def torsion(A, B):
        return R(A).bracket(R(B)) - R(R(A).bracket(B)) - R(A.bracket(R(B))) + R(R(A.bracket(B)))

    N = R.nijenhuis()
    assert evaluate_vector_form(N, X, Y) == torsion(X, Y)
    assert torsion(f * X, Y) == f * torsion(X, Y)
    assert torsion(X, Y) == -torsion(Y, X)


@given(endomorphisms(), endomorphisms())
@few
def test_frolicher_nijenhuis_bracket(R, S):
    identity = Endomorphism.identity(SPACE)
    assert R.frolicher_nijenhuis(R) == 2 * R.nijenhuis()
    assert R.frolicher_nijenhuis(S) == S.frolicher_nijenhuis(R)
    assert R.frolicher_nijenhuis(identity).is_zero


@given(endomorphisms(), fields(trig=False), fields(trig=False))
@few
def test_lie_derivative_of_an_endomorphism(R, X, Y):
    assert R.lie(X)(Y) == X.bracket(R(Y)) - R(X.bracket(Y))


@given(st.data())
@few
def test_tensors_are_pulled_back_naturally(data):
    phi = data.draw(diffeomorphisms())
    R = data.draw(endomorphisms(IMAGE))
    X = data.draw(fields(trig=False))
    pulled = phi.pull_tensor(R)
    matrix = Endomorphism.make(SPACE, pulled.terms)
    assert phi.pushforward(matrix(X)) == R(phi.pushforward(X))
    assert phi.pull_tensor(R.nijenhuis()) == matrix.nijenhuis()
    assert matrix.lie(X) == Endomorphism.make(SPACE, phi.pull_tensor(R.lie(phi.pushforward(X))).terms)


@given(forms(1), fields(), fields(trig=False))
@few
def test_lie_derivative_of_tensors_agrees_with_that_of_forms(alpha, X, Y):
    tensor = Tensor.of(SPACE, 0, 1, alpha.terms)
    assert tensor.lie(X).terms == alpha.lie(X).terms
    vector = Tensor.of(SPACE, 1, 0, {(i,): a for i, a in enumerate(Y.components)})
    bracket = X.bracket(Y)
    assert all(vector.lie(X)[(i,)] == a for i, a in enumerate(bracket.components))
