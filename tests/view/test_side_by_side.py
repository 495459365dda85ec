"""Several motions in one picture."""

import matplotlib
import numpy as np
import pytest

import chetaev as ch
from chetaev.view.side_by_side import MOST
from view.motions import motion

matplotlib.use("agg")


@pytest.fixture(scope="module")
def pair():
    skate = ch.load("knife-edge")
    return {"slow": ch.simulate(skate, at=51), "fast": ch.simulate(skate, at=81, initial={"phi_dot": 3})}


def test_a_line_for_each_motion_in_every_panel(pair):
    figure = ch.plot(pair)
    labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes]
    assert labels == [("$x$", "$y$"), ("$t$", "$x$"), ("$t$", "$y$"), ("$t$", r"$\phi$")]
    assert all(len(ax.lines) == 2 for ax in figure.axes)
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["slow", "fast"]
    drawn = figure.axes[1].lines[1].get_ydata()
    assert np.array_equal(drawn, pair["fast"]["x"].values)


def test_a_list_of_motions_and_chosen_variables(pair):
    figure = ch.plot(list(pair.values()), "x", ("phi", "phi_dot"))
    assert [ax.get_ylabel() for ax in figure.axes] == ["$x$", r"$\dot{\phi}$"]
    assert figure.axes[0].get_legend().get_texts()[0].get_text() == "motion 1"


def test_motions_of_different_systems_share_what_they_have(pair):
    figure = ch.plot([pair["slow"], motion("leibniz-particle")])
    assert ("$t$", "$y$") in [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes]
    assert len(figure.axes) == 3


def test_the_others_are_grey_in_a_scene(pair):
    show = ch.animate(pair)
    alone = ch.animate(pair["slow"])
    assert len(show.times) == len(alone.times)
    more = show.bodies[len(alone.bodies) :]
    assert more
    assert all(body.opacity < 0.5 and not body.shadow for body in more)


@pytest.mark.parametrize(
    ("change", "what", "words"),
    [
        (lambda two: two, ["energie"], "has no 'energie'"),
        (lambda two: two, [3], "a name, or two names"),
        (lambda two: [two["slow"], motion("double-pendulum")], [], "no coordinate in common"),
        (lambda two: [two["slow"]] * (MOST + 1), [], f"at most {MOST}"),
        (lambda two: [two["slow"], 3], [], "ch.plot was given"),
    ],
)
def test_mistakes_are_sentences(pair, change, what, words):
    with pytest.raises(ch.ModelError, match=words):
        ch.plot(change(pair), *what)
