"""Scenes: poses are rotations, what rolls does not slide, the data are finite and small."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import chetaev as ch
from chetaev.view import scene
from chetaev.view.poses import about, quaternions
from chetaev.view.shapes import ball_mesh, box_mesh, disc_mesh, wheel_mesh
from portions import some
from view.motions import motion, system


def over(track, n):
    return np.broadcast_to(track, (n, *track.shape[1:]))


def finite(value):
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or np.isfinite(value)


@pytest.mark.few(5, 5)
@pytest.mark.parametrize("name", some(ch.gallery(), 3))
def test_every_gallery_model_has_a_view_that_builds(name):
    model = system(name)
    assert model.view.get("body"), "a gallery model has a view"
    assert ch.loads(model.to_toml()) == model
    show = scene(model, motion(name))
    text = show.json()
    assert len(text) < 3_000_000
    assert finite(json.loads(text))
    assert (show.box[1] > show.box[0]).any()
    for body in show.bodies:
        if "rotation" in body.tracks:
            turns = body.tracks["rotation"]
            assert np.abs(np.swapaxes(turns, 1, 2) @ turns - np.eye(3)).max() < 1e-9
            assert np.allclose(np.linalg.det(turns), 1)
    moves = [b for b in show.bodies if any(len(t) > 1 for t in b.tracks.values())]
    assert moves, "something moves"


def test_default_scenes_are_small():
    for name in ("rolling-disc", "car-with-trailers-2", "snakeboard"):
        show = scene(system(name), motion(name, 1001))
        assert len(show.times) <= 601
        assert len(show.json()) < 3_000_000


def lowest(body, radius, normal):
    """The material point of a disc (or ball) that is lowest, in the axes of the body."""
    turns = body.tracks["rotation"]
    if body.mesh is not None and np.ptp(body.mesh.vertices[:, 1]) < 1.9 * radius:
        axle = turns[:, :, 1]
        down = -normal + axle * (axle @ normal)[:, None]
        down /= np.linalg.norm(down, axis=1)[:, None]
    else:
        down = np.broadcast_to(-normal, (len(turns), 3))
    return radius * np.einsum("nji,nj->ni", turns, down)


def slip(show, body, radius, normal=(0, 0, 1)):
    """Where the lowest material point is, and its velocity by central differences."""
    normal = np.array(normal, dtype=float)
    n = len(show.times)
    p, r = over(body.tracks["position"], n), over(body.tracks["rotation"], n)
    b = lowest(body, radius, normal)
    contact = p + np.einsum("nij,nj->ni", r, b)
    after = p[2:] + np.einsum("nij,nj->ni", r[2:], b[1:-1])
    before = p[:-2] + np.einsum("nij,nj->ni", r[:-2], b[1:-1])
    return contact[1:-1], (after - before) / (show.times[2:] - show.times[:-2])[:, None]


ROLLING = [
    ("rolling-disc", "disc", "R"),
    ("rolling-disc-swaczyna", "disc", "R"),
    ("vertical-rolling-disc", "disc", "R"),
    ("vertical-disc-torques", "disc", "R"),
    ("vertical-disc-torques-delphenich", "disc", "R"),
    ("semiholonomic-disc", "disc", "R"),
    ("rolling-ball", "ball", "R"),
    ("appell-hamel", "wheel", "a"),
    ("appell-hamel-linear", "wheel", "a"),
    ("differential-drive", "right", "R"),
    ("differential-drive", "left", "R"),
    ("car-with-trailers-2", "rear left wheel", 0.35),
    ("car-with-trailers-2", "front left wheel", 0.35),
    ("car-with-trailers-2", "front right wheel", 0.35),
    ("car-with-trailers-2", "second right wheel", 0.35),
    ("snakeboard", "front left wheel", 0.022),
    ("snakeboard", "rear right wheel", 0.022),
]


@pytest.mark.few(11)
@pytest.mark.parametrize(("name", "body", "radius"), ROLLING)
def test_what_rolls_touches_the_plane_and_does_not_slide(name, body, radius):
    model = system(name)
    radius = model.parameter_values.get(radius, radius)
    start = model.state.t
    show = scene(model, motion(name, 1001, start + min(1.0, model.until_value - start)), frames=1001)
    place, velocity = slip(show, show.body(body), radius)
    assert np.abs(place[:, 2]).max() < 1e-9, "the lowest point is on the plane"
    speed = np.abs(np.gradient(show.body(body).tracks["position"], show.times, axis=0)).max()
    assert np.abs(velocity).max() < 1e-3 * max(1.0, speed)


def test_the_disc_on_the_incline_touches_the_slope_and_does_not_slide():
    model = system("disc-on-incline")
    alpha, radius = model.parameter_values["alpha"], model.parameter_values["R"]
    show = scene(model, motion("disc-on-incline", 1001, 1.0), frames=1001)
    normal = np.array([np.sin(alpha), 0, np.cos(alpha)])
    place, velocity = slip(show, show.body("disc"), radius, normal)
    assert np.abs(place @ normal).max() < 1e-9
    assert np.abs(velocity).max() < 1e-3


@pytest.mark.parametrize("name", ["ball-on-rotating-table", "ball-on-accelerated-table"])
def test_the_ball_moves_with_the_table_where_it_touches_it(name):
    model = system(name)
    show = scene(model, motion(name, 1001, 1.0), frames=1001)
    place, velocity = slip(show, show.body("ball"), model.parameter_values["R"])
    table = next(b for b in show.bodies if b.name == "table")
    turned = np.unwrap(np.arctan2(table.tracks["rotation"][:, 1, 0], table.tracks["rotation"][:, 0, 0]))
    rate = np.gradient(turned, show.times)[1:-1]
    with_table = np.column_stack([-rate * place[:, 1], rate * place[:, 0], 0 * rate])
    assert np.abs(velocity - with_table).max() < 1e-3


@pytest.mark.parametrize("name", ["caratheodory-sleigh", "damped-sleigh"])
def test_the_blade_of_a_sleigh_moves_along_itself(name):
    show = scene(system(name), motion(name, 1001, 2.0), frames=1001)
    blade = show.body("blade")
    velocity = np.gradient(blade.tracks["position"], show.times, axis=0)[1:-1]
    across = blade.tracks["rotation"][1:-1, :, 1]
    assert np.abs(np.einsum("ni,ni->n", velocity, across)).max() < 1e-4


def test_the_mesh_of_the_disc_stands_on_the_plane():
    model = system("rolling-disc")
    show = scene(model, motion("rolling-disc"))
    disc = show.body("disc")
    placed = np.einsum("nij,vj->nvi", disc.tracks["rotation"], disc.mesh.vertices)
    heights = (disc.tracks["position"][:, None] + placed)[..., 2].min(axis=1)
    # 48 corners miss the lowest point of the circle by at most R (1 − cos(π/48))
    assert (heights > -1e-9).all()
    assert (heights < 0.5 * (1 - np.cos(np.pi / 48)) + 1e-9).all()


def test_reactions_are_multipliers_times_the_constraint_matrix():
    model, run = system("knife-edge"), motion("knife-edge")
    show = scene(model, run, view={"body": [
        {"shape": "vector", "at": [0, 0, 0], "of": ["reaction_x", "reaction_y", "reaction_phi"], "scale": 1},
    ]})  # fmt: skip
    mu, phi = run["multiplier"].values[:, 0], run["phi"].values
    expected = np.column_stack([mu * np.sin(phi), -mu * np.cos(phi), 0 * mu])
    assert np.allclose(show.bodies[0].tracks["tip"], expected)


def test_integrals_of_a_view():
    model, run = system("pendulum-cartesian"), motion("pendulum-cartesian", 1001)
    view = {"integrate": {"s": "x'"}, "body": [{"shape": "point", "position": ["s", "x - 3/5*l", 0]}]}
    track = scene(model, run, view=view).bodies[0].tracks["position"]
    assert np.allclose(track[:, 0], track[:, 1], atol=1e-4)


def test_quaternions_and_meshes():
    rng = np.random.default_rng(0)
    turns = (
        about("z", rng.uniform(-7, 7, 50))
        @ about("x", rng.uniform(-7, 7, 50))
        @ about("y", np.linspace(0, 9, 50))
    )
    w, *xyz = quaternions(turns).T
    assert np.allclose(Rotation.from_quat(np.column_stack([*xyz, w])).as_matrix(), turns)
    assert (
        np.einsum(
            "ij,ij->i",
            *[quaternions(about("z", np.linspace(0, 20, 99)))[s] for s in (slice(1, None), slice(-1))],
        )
        > 0
    ).all()
    for mesh in (
        ball_mesh(1, "#0072b2"),
        box_mesh([1, 2, 3], "#0072b2"),
        disc_mesh(1, 0.1, "#0072b2"),
        wheel_mesh(1, 0.3, "#0072b2"),
    ):
        volume = sum(
            np.linalg.det(mesh.vertices[[face[0], face[i], face[i + 1]]])
            for face in mesh.faces
            for i in range(1, len(face) - 1)
        )
        assert volume > 0, "faces look outward"


def auto(coordinates, **more):
    kinetic = " + ".join(f"{c}'^2/2" for c in coordinates)
    initial = dict.fromkeys(coordinates, 0.1) | {f"{c}_dot": 0.5 for c in coordinates}
    return ch.System(coordinates=coordinates, lagrangian=kinetic, initial=initial, **more)


@pytest.mark.parametrize(
    ("coordinates", "kinds"),
    [
        (["x", "y"], {"plane", "trace", "arrow", "dot"}),
        (["x", "y", "z"], {"plane", "trace", "arrow", "dot"}),
        (["x", "y", "phi"], {"plane", "trace", "arrow", "dot"}),
        (["x1", "y1", "x2", "y2"], {"plane", "trace", "arrow", "dot"}),
        (["theta", "phi"], {"mesh", "dot", "label"}),
        (["q"], {"trace", "dot", "arrow", "label"}),
        (["p", "q", "r"], {"trace", "dot", "arrow", "label"}),
    ],
)
def test_automatic_scenes(coordinates, kinds):
    model = auto(coordinates)
    show = scene(model, ch.simulate(model, until=1.0, at=11))
    assert {b.kind for b in show.bodies} == kinds
    assert finite(show.data())


def test_a_view_without_bodies_keeps_its_title():
    model = auto(["x", "y"], view={"title": "Free", "speed": 2})
    show = scene(model, ch.simulate(model, until=1.0, at=3))
    assert (show.title, show.speed) == ("Free", 2.0)


def test_values_that_are_not_finite_are_held():
    model = auto(["x"], view={"body": [{"shape": "point", "position": ["sqrt(0.35 - x)", 0, 0]}]})
    show = scene(model, ch.simulate(model, until=1.0, at=21))
    assert np.isfinite(show.bodies[0].tracks["position"]).all()


def test_a_motion_at_rest_and_a_single_time():
    model = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", initial={"x_dot": 0, "y_dot": 0})
    assert finite(scene(model, ch.simulate(model, until=1.0, at=5)).data())
    assert len(scene(model, ch.simulate(model, until=1.0, at=1)).times) == 1


def test_a_motion_backwards():
    show = scene(system("pendulum-cartesian"), ch.simulate(system("pendulum-cartesian"), until=-1.0, at=11))
    assert show.times[0] > show.times[-1]
    assert finite(show.data())
