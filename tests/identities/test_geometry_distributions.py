"""Laws on random distributions, frames, metrics and connections."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from chetaev.geometry import (
    AdaptedFrame,
    Chart,
    Connection,
    Distribution,
    Frame,
    GeometryError,
    Map,
    Metric,
    SecondFundamentalForm,
    VectorField,
)
from chetaev.geometry.calculus.endomorphism import evaluate_vector_form
from identities_of_frames import bianchi_defects, maurer_cartan_defect

SPACE = Chart(["x", "y", "z"])
FIELD = SPACE.field
BIG = Chart(["x", "y", "z", "w"], FIELD)
IMAGE = Chart(["a", "b", "c", "d"], FIELD)
few = settings(max_examples=12, phases=(Phase.explicit, Phase.reuse, Phase.generate))
fewer = settings(few, max_examples=6)


@st.composite
def functions(draw, chart, trig=False):
    f = chart.field(draw(st.integers(-2, 2)))
    for _ in range(draw(st.integers(0, 2))):
        term = chart.field(draw(st.integers(-2, 2)))
        for i in draw(st.lists(st.integers(0, chart.dimension - 1), min_size=1, max_size=2)):
            term = term * chart.coordinates[i]
        if trig and draw(st.booleans()):
            term = term * chart.field.cos(chart.coordinates[draw(st.integers(0, 1))])
        f = f + term
    return f


@st.composite
def fields(draw, chart, trig=False):
    return VectorField(chart, [draw(functions(chart, trig)) for _ in chart.symbols])


@st.composite
def frames(draw, chart=SPACE):
    """Unipotent frames: always independent, with polynomial coframe."""
    n = chart.dimension
    zero, one = chart.field.zero, chart.field.one
    rows = [
        [one if i == j else draw(functions(chart, trig=True)) if j > i else zero for j in range(n)]
        for i in range(n)
    ]
    order = draw(st.permutations(range(n)))
    return Frame([VectorField(chart, rows[i]) for i in order])


@st.composite
def metrics(draw, chart=SPACE):
    """AᵀDA with A unipotent and D of any signature."""
    n = chart.dimension
    A = [[chart.field(int(i == j)) for j in range(n)] for i in range(n)]
    i, j = draw(st.sampled_from([(0, 1), (0, 2), (1, 2)]))
    A[i][j] = draw(functions(chart))
    D = [draw(st.sampled_from([-1, 1, 2])) for _ in range(n)]
    D[0] = D[0] * (1 + chart.coordinates[2] ** 2)
    matrix = [
        [sum((A[k][a] * D[k] * A[k][b] for k in range(n)), chart.field.zero) for b in range(n)]
        for a in range(n)
    ]
    return Metric(chart, matrix)


@st.composite
def diffeomorphisms(draw):
    """Triangular polynomial diffeomorphisms of R⁴ with polynomial inverse."""
    k = [draw(st.integers(-2, 2)) for _ in range(6)]
    x, y, z, w = BIG.coordinates
    a, b, c, d = IMAGE.coordinates
    forward = [x + k[0], y + k[1] * x**2, z + k[2] * x * y + k[3] * y, w + k[4] * z * x + k[5] * y**2]
    x_back = a - k[0]
    y_back = b - k[1] * x_back**2
    z_back = c - k[2] * x_back * y_back - k[3] * y_back
    w_back = d - k[4] * z_back * x_back - k[5] * y_back**2
    return Map(BIG, IMAGE, forward, inverse=[x_back, y_back, z_back, w_back])


@given(st.lists(fields(BIG, trig=True), min_size=1, max_size=3))
@fewer
def test_annihilator_of_annihilator(spanning):
    D = Distribution.spanned_by(spanning)
    assert D.rank + len(D.annihilator) == 4
    again = Distribution.annihilated_by(D.annihilator, chart=BIG)
    assert again == D
    assert all(w(X).is_zero for w in D.annihilator for X in spanning)
    assert all(D.contains(X) for X in spanning)


@pytest.mark.slow
@given(st.lists(fields(BIG), min_size=2, max_size=2), diffeomorphisms())
@fewer
def test_verdicts_do_not_depend_on_the_chart(spanning, phi):
    D = Distribution.spanned_by(spanning)
    E = Distribution.spanned_by([phi.pushforward(X) for X in spanning])
    assert D.rank == E.rank
    assert D.is_involutive == E.is_involutive
    assert D.growth_vector() == E.growth_vector()
    assert D.growth_vector(big=True) == E.growth_vector(big=True)
    cauchy = D.cauchy_characteristics
    assert cauchy.rank == E.cauchy_characteristics.rank
    assert all(E.cauchy_characteristics.contains(phi.pushforward(X)) for X in cauchy.generators)


@given(st.lists(fields(BIG), min_size=2, max_size=3), st.data())
@fewer
def test_verdicts_do_not_depend_on_the_basis(spanning, data):
    D = Distribution.spanned_by(spanning)
    f, g = data.draw(functions(BIG)), data.draw(functions(BIG))
    first, second, *rest = spanning
    changed = [(1 + f**2) * first, second + g * first, *rest, f * first]
    E = Distribution.spanned_by(changed)
    assert D == E
    assert D.growth_vector() == E.growth_vector()
    assert D.small_flag.last == D.derived_flag.last
    assert D.small_flag.last.is_involutive


@given(functions(BIG), functions(BIG), st.data())
@few
def test_random_integrable_distributions_are_recognised(p, q, data):
    """ker of a random invertible matrix times (d(z + p), d(w + q)), p and q functions of x, y."""
    _, _, z, w = BIG.coordinates
    u = z + p.subs({"z": 0, "w": 0})
    v = w + q.subs({"z": 0, "w": 0})
    a, b = data.draw(functions(BIG)), data.draw(functions(BIG))
    forms = [BIG.d(u) + a * BIG.d(v), b * BIG.d(u) + (1 + a * b) * BIG.d(v)]
    D = Distribution.annihilated_by(forms)
    assert D.is_involutive
    assert D.growth_vector() == (2,)
    assert D.small_flag.integrals == 2
    assert AdaptedFrame.of(D).is_integrable
    assert D.annihilates(BIG.d(u))


@given(functions(BIG), st.data())
@few
def test_random_nonintegrable_distributions_are_recognised(p, data):
    """ker of a matrix times (dz − y dx, d(w + p)): a mixture with one integral; the bracket is evidence."""
    _, y, _, w = BIG.coordinates
    v = w + p.subs({"w": 0})
    a = data.draw(functions(BIG))
    contact = BIG.d("z") - y * BIG.d("x")
    D = Distribution.annihilated_by([contact + a * BIG.d(v), BIG.d(v)])
    answer = D.involutivity
    assert not answer
    assert not D.contains(answer.bracket)
    assert answer.first.bracket(answer.second) == answer.bracket
    assert D.growth_vector() == (2, 3)
    assert D.small_flag.integrals == 1
    assert D.small_flag.last.annihilates(BIG.d(v))


@given(st.lists(fields(BIG), min_size=2, max_size=3))
@fewer
def test_cauchy_characteristics(spanning):
    D = Distribution.spanned_by(spanning)
    C = D.cauchy_characteristics
    assert C <= D
    assert C.is_involutive
    assert all(D.contains(X.bracket(Z)) for X in C.generators for Z in D.generators)
    assert (C.rank == D.rank) == D.is_involutive


@pytest.mark.slow
@given(st.lists(fields(BIG, trig=True), min_size=2, max_size=2), functions(BIG))
@fewer
def test_a_submanifold_given_implicitly_is_like_its_own_chart(spanning, p):
    """Fields on R⁴ lifted to the graph s = p in R⁵: the same verdicts with on=[s − p]."""
    five = Chart(["x", "y", "z", "w", "s"], FIELD)
    equation = five("s") - p
    lifted = [VectorField(five, [*X.components, X(p)]) for X in spanning]
    D, E = Distribution.spanned_by(spanning), Distribution.spanned_by(lifted, on=[equation])
    assert E.dimension == 4
    assert D.rank == E.rank
    assert D.is_involutive == E.is_involutive
    assert D.growth_vector() == E.growth_vector()
    assert len(D.annihilator) == len(E.annihilator)
    assert D.cauchy_characteristics.rank == E.cauchy_characteristics.rank
    assert E.proved


@given(frames())
@few
def test_D1_structure_functions_against_brackets_and_coframe(frame):
    for i, j in combinations(range(3), 2):
        bracket = frame.fields[i].bracket(frame.fields[j])
        assert frame.combine([frame.structure(i, j, k) for k in range(3)]) == bracket
        for k in range(3):
            assert frame.coframe[k].d()(frame.fields[i], frame.fields[j]) == -frame.structure(i, j, k)
    assert all(defect.is_zero for defect in maurer_cartan_defect(frame))
    for i, j in product(range(3), repeat=2):
        assert frame.coframe[i](frame.fields[j]) == int(i == j)
    assert Frame.from_coframe(frame.coframe).fields == frame.fields


@given(st.lists(functions(BIG, trig=True), min_size=4, max_size=4))
@few
def test_D2_adapted_frame_of_chaplygin_form(a):
    """e_i = ∂_i + a_i^α ∂_α is semi-holonomic, c^α_ij = e_i(a_j^α) − e_j(a_i^α); integrable iff all are 0."""
    first = VectorField(BIG, [1, 0, a[0], a[1]])
    second = VectorField(BIG, [0, 1, a[2], a[3]])
    frame = AdaptedFrame([first, second, BIG.partial("z"), BIG.partial("w")], 2)
    assert frame.is_semi_holonomic
    assert frame.structure(0, 1, 2) == first(a[2]) - second(a[0])
    assert frame.structure(0, 1, 3) == first(a[3]) - second(a[1])
    D = Distribution.spanned_by([first, second])
    assert frame.is_integrable == D.is_involutive
    adapted = AdaptedFrame.of(D)
    assert adapted.is_semi_holonomic
    assert adapted.is_integrable == D.is_involutive


@given(frames(), fields(SPACE), fields(SPACE))
@few
def test_D3_connection_of_a_frame(frame, X, Y):
    flat = Connection.of_frame(frame)
    assert flat.curvature.is_zero
    assert all(flat(X, e).is_zero for e in frame.fields)
    for i, j in combinations(range(3), 2):
        c = frame.combine([frame.structure(i, j, k) for k in range(3)])
        assert flat.torsion_of(frame.fields[i], frame.fields[j]) == -c
    for theta, k in zip(frame.coframe, range(3), strict=True):
        assert theta(flat.torsion_of(X, Y)) == theta.d()(X, Y), k
    in_coordinates = flat.in_frame(Frame.coordinate(SPACE))
    assert in_coordinates(X, Y) == flat(X, Y)
    assert in_coordinates.in_frame(frame).coefficients == {}


@given(frames(), st.data())
@fewer
def test_connection_axioms_and_bianchi_identities(frame, data):
    keys = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=3))
    nabla = Connection(frame, {k: data.draw(functions(SPACE)) for k in keys})
    X, Y, Z = SPACE.partials()
    f = data.draw(functions(SPACE))
    assert nabla(f * X, Y) == f * nabla(X, Y)
    assert nabla(X, f * Y) == X(f) * Y + f * nabla(X, Y)
    first, second = bianchi_defects(nabla, X, Y, Z)
    assert first.is_zero
    assert second.is_zero
    W = data.draw(fields(SPACE))
    direct = nabla(X, nabla(Y, W)) - nabla(Y, nabla(X, W)) - nabla(X.bracket(Y), W)
    assert nabla.curvature_of(X, Y, W) == direct
    differentials = nabla.differential(W)
    assert [w(Y) for w in differentials] == list(frame.components(nabla(Y, W)))
    theta = SPACE.d("x") + f * SPACE.d("z")
    assert nabla.form_derivative(Y, theta)(W) == Y(theta(W)) - theta(nabla(Y, W))


@given(metrics(), fields(SPACE), st.data())
@few
def test_levi_civita_is_metric_and_torsion_free(g, X, data):
    nabla = g.levi_civita
    assert nabla.torsion.is_zero
    assert nabla.tensor_derivative(X, g.tensor).is_zero
    Y, Z = SPACE.partial("y"), SPACE.partial("z")
    assert X(g(Y, Z)) == g(nabla(X, Y), Z) + g(Y, nabla(X, Z))
    assert g.sharp(g.flat(X)) == X


@pytest.mark.slow
@given(metrics())
@few
def test_curvature_of_a_metric_has_its_symmetries(g):
    nabla = g.levi_civita
    X, Y, Z = SPACE.partials()
    assert all(defect.is_zero for defect in bianchi_defects(nabla, X, Y, Z))
    assert g(nabla.curvature_of(X, Y, X), X).is_zero
    assert g(nabla.curvature_of(X, Y, Y), X) == -g(nabla.curvature_of(X, Y, X), Y)
    ricci = nabla.ricci()
    assert ricci(X, Y) == ricci(Y, X)


@given(metrics(), st.integers(-2, 2), st.integers(-2, 2))
@fewer
def test_curvature_does_not_depend_on_the_chart(g, k, m):
    other = Chart(["a", "b", "c"], FIELD)
    x, y, z = SPACE.coordinates
    a, b, c = other.coordinates
    phi = Map(other, SPACE, [a, b + k * a**2, c + m * a], inverse=[x, y - k * x**2, z - m * x])
    pulled = phi.pull_tensor(g.tensor)
    h = Metric(other, [[pulled[i, j] for j in range(3)] for i in range(3)])
    assert h.levi_civita.curvature == phi.pull_tensor(g.levi_civita.curvature)


@given(metrics(), functions(SPACE), functions(SPACE))
@fewer
def test_L2_second_fundamental_form(g, a, b):
    D = Distribution.spanned_by([VectorField(SPACE, [1, 0, a]), VectorField(SPACE, [0, 1, b])])
    assume(g.is_nondegenerate_on(D))
    S = SecondFundamentalForm(g, D)
    P = S.projector
    assert P.is_projector
    X, Y = D.fields
    assert S(X, Y) - S(Y, X) == -P(X.bracket(Y))
    assert S.is_symmetric == D.is_involutive
    f = 1 + a**2
    assert S(f * X, Y) == f * S(X, Y)
    assert S(X, f * Y) == f * S(X, Y)
    nabla_P = g.levi_civita.tensor_derivative(X, P)
    assert evaluate_vector_form(nabla_P, Y) == S(X, Y)
    assert g.orthogonal(D).rank == 1
    assert all(g(Z, W).is_zero for Z in D.fields for W in g.orthogonal(D).fields)


def test_B9_metric_degenerate_on_a_distribution():
    plane = Chart(["t", "x"])
    lorentz = Metric(plane, [[-1, 0], [0, 1]])
    light = Distribution.spanned_by([VectorField(plane, [1, 1])])
    assert not lorentz.is_nondegenerate_on(light)
    assert lorentz.orthogonal(light) == light
    with pytest.raises(GeometryError, match="degenerate on the distribution"):
        lorentz.projector(light)
