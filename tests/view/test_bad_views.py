"""Mistakes in a view: a sentence with the place, what was expected and the nearest right name."""

import pytest

import chetaev as ch
from chetaev.view import player_html, scene
from view.motions import motion, system

TEXT = """
name = "Sled"
coordinates = ["x", "y", "phi"]
[parameters]
R = 1
[dynamics]
lagrangian = "x'^2/2 + y'^2/2 + phi'^2/2"
[initial.velocity]
x = 1
y = 0
phi = 0
[run]
until = 1
"""


def error_of(view):
    with pytest.raises(ch.ModelError) as caught:
        scene(system("rolling-disc"), motion("rolling-disc"), view=view)
    return str(caught.value)


def body(**entries):
    return {"body": [{"shape": "point", "position": [0, 0, 0]}, entries]}


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (body(shape="dsic", radius=1), ("'dsic'", "did you mean 'disc'?")),
        (body(radius=1), ("view.body[1]", "no shape")),
        (body(shape="disc"), ("view.body[1]", "needs 'radius'")),
        (body(shape="disc", radius="Q"), ("view.body[1].radius", "unknown name 'Q'")),
        (body(shape="disc", radius="x"), ("'x' changes with time",)),
        (body(shape="disc", radius="-R"), ("view.body[1].radius is -0.5", "positive")),
        (body(shape="disc", radius="R", position=["x", "thta", 0]), ("'thta'", "did you mean 'theta'?")),
        (body(shape="disc", radius="R", position=["x"]), ("1 entries", "three expressions")),
        (body(shape="disc", radius="R", rotation=["z"]), ("rotation", "axis and angle")),
        (body(shape="disc", radius="R", rotation=["w", "phi"]), ("'w'", "x, y, z")),
        (body(shape="disc", radius="R", frame=[[1, 0, 0], [0, 2, 0], [0, 0, 1]]), ("not a rotation",)),
        (body(shape="disc", radius="R", frame=[[1, 0, 0], [0, 1, 0], [0, 0, -1]]), ("not a rotation",)),
        (body(shape="disc", radius="R", rotation=[], frame=[]), ("a rotation and a frame",)),
        (body(shape="disc", radius="R", colour="blue"), ("no key 'colour'", "did you mean 'color'?")),
        (body(shape="disc", radius="R", color="blu"), ("'blu'", "did you mean 'blue'?")),
        (body(shape="disc", radius=True), ("view.body[1].radius", "a number or an expression")),
        (body(shape="vector", at=[0, 0, 0], of=["mu_3", 0, 0]), ("'mu_3'", "'mu_1'")),
        (body(shape="surface", point=["u", "v", "log(u)"], u=[-1, 1], v=[0, 1]), ("not finite",)),
        (body(shape="surface", point=["u", "v", "x"], u=[-1, 1], v=[0, 1]), ("'x' changes with time",)),
        (body(shape="trace", of=["log(-1 - x^2)", 0, 0]), ("view.body[1].of[0]", "no finite value")),
        (body(shape="box", size=[1, 0, 1]), ("view.body[1].size", "positive")),
        (body(shape="trace", of=[0, 0, 0], whole="yes"), ("'whole'", "true or false")),
        ({"body": "disc"}, ("view.body", "a list of tables")),
        ({"body": [{"shape": "ball", "radius": 1, "opacity": 7}]}, ("opacity is 7", "at most 1")),
        ({"body": [{"shape": "ball", "radius": 1e300}]}, ("radius is 1e+300", "at most 1e+12")),
        ({"body": [{"shape": "trace", "of": ["x", "y", 0], "fade": -1}]}, ("fade is -1", "positive")),
        (
            {"body": [{"shape": "spring", "from": [0, 0, 0], "to": ["x", "y", 0], "coils": 1e9}]},
            ("coils is 1e+09", "at most 200"),
        ),
        ({"body": [{"shape": "ball", "radius": 1}] * 3000}, ("3000 bodies", "at most 300")),
        ({"body": ["disc"]}, ("no shape",)),
        ({"camra": "top"}, ("no key 'camra'", "did you mean 'camera'?")),
        ({"camera": "tpo"}, ("'tpo'", "did you mean 'top'?")),
        ({"camera": {"projection": "round"}}, ("'round'", "perspective, flat")),
        ({"camera": {"zoom": 0}, "body": []}, ("view.camera.zoom is 0",)),
        ({"up": "w"}, ("'w'", "x, y, z")),
        ({"up": [0, 0, 0]}, ("view.up is zero",)),
        ({"speed": -1}, ("view.speed is -1",)),
        ({"title": 3}, ("view.title", "a text")),
        ({"define": {"R": "1"}}, ("'R' is a name already",)),
        ({"define": {"sin": "1"}}, ("'sin' is reserved",)),
        ({"integrate": 3}, ("[view.integrate]",)),
    ],
)
def test_mistakes(view, words):
    text = error_of(view)
    assert all(word in text for word in words), text


def test_the_place_is_that_of_the_file():
    text = TEXT + '[[view.body]]\nshape = "disc"\nradius = "R"\nposition = ["x", "yy", 0]\n'
    with pytest.raises(ch.ModelError) as caught:
        scene(ch.loads(text))
    assert caught.value.line == text[: text.index('"yy"')].count("\n") + 1
    assert "did you mean 'y'" in str(caught.value)
    for wrong in ('shape = "disc"\nradius = "-R"\n', 'shape = "disk"\n', "radius = 1\n"):
        with pytest.raises(ch.ModelError) as caught:
            scene(ch.loads(TEXT + "[[view.body]]\n" + wrong))
        assert caught.value.line is not None


def test_a_motion_of_another_system_is_refused():
    with pytest.raises(ch.ModelError, match="has no variable"):
        scene(system("rolling-disc"), motion("knife-edge"))


def test_a_body_of_a_scene_by_name():
    show = scene(system("rolling-disc"), motion("rolling-disc"))
    with pytest.raises(ch.ModelError, match="did you mean 'disc'"):
        show.body("dics")


def test_the_id_of_a_player_is_checked():
    show = scene(system("knife-edge"), motion("knife-edge"))
    with pytest.raises(ch.ModelError, match="cannot be the id"):
        player_html(show, 'a" onload="x')


def test_texts_of_a_model_cannot_leave_their_script():
    nasty = "</script><script>alert(1)</script><!--"
    view = {"title": nasty, "body": [{"shape": "label", "position": [0, 0, 0], "text": nasty}]}
    page = player_html(scene(system("knife-edge"), motion("knife-edge"), view=view), "p", library=False)
    assert "<script>alert" not in page
    assert page.count("</script>") == 2
