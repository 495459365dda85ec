"""Labels of units: validated, written back, carried to data sets and axes; nothing is computed with them."""

from __future__ import annotations

from pathlib import Path

import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.model.reading.unit_labels import unit_of
from chetaev.view import figures, plots

MODEL = {
    "coordinates": ["x", "phi", "s"],
    "parameters": {"m": 2, "k": 3},
    "lagrangian": "m*(x'^2 + phi'^2 + s'^2)/2 - k*x^2/2",
    "initial": {"x": 1, "x_dot": 0, "phi_dot": 1, "s_dot": 0},
    "until": 1,
}
UNITS = {"x": "m", "phi": "rad", "m": "kg", "k": "N/m", "s": "km/h"}


def test_labels_reach_the_data_set_and_energy_is_not_invented(tmp_path: Path) -> None:
    system = ch.System(**MODEL, units=UNITS)
    motion = ch.simulate(system, at=5)
    found = {name: motion[name].attrs.get("units") for name in motion.variables}
    assert found == {
        **{"x": "m", "x_dot": "m/s", "x_ddot": "m/s^2"},
        **{"phi": "rad", "phi_dot": "rad/s", "phi_ddot": "rad/s^2"},
        **{"s": "km/h", "s_dot": "(km/h)/s", "s_ddot": "(km/h)/s^2"},
        **{"time": "s", "energy": None, "power": None},
    }
    other = ch.System(**MODEL, units={**UNITS, "t": "hours", "energy": "J"})
    motion = ch.simulate(other, at=5)
    assert motion["energy"].attrs["units"] == "J"
    assert motion["x_ddot"].attrs["units"] == "m/hours^2"
    import xarray

    from chetaev.flow.data.save import save

    save(motion, tmp_path / "motion.nc")
    with xarray.open_dataset(tmp_path / "motion.nc") as back:  # a label is no calendar
        assert back["time"].dtype == float
        assert back["x"].attrs["units"] == "m"


def test_without_labels_nothing_is_labelled() -> None:
    motion = ch.simulate(ch.System(**MODEL), at=5)
    assert all("units" not in motion[name].attrs for name in motion.variables)


def test_labels_are_written_and_read_back_and_kept() -> None:
    system = ch.System(**MODEL, units=UNITS)
    again = ch.loads(system.to_toml())
    assert again == system
    assert dict(again.units) == UNITS
    assert dict(system.with_parameters(m=3).with_initial(x=2).units) == UNITS
    assert system != ch.System(**MODEL)
    assert ch.compare(system, samples=4).agree
    with pytest.raises(TypeError):
        system.units["x"] = "km"  # type: ignore[index]


@pytest.mark.parametrize(
    ("units", "told"),
    [
        ({"y": "m"}, "a unit is given for 'y', which is not a name of the model"),
        ({"phy": "m"}, "did you mean 'phi'"),
        ({"x_dot": "m/s"}, "it follows from the units of 'x' and of time"),
        ({"x": 1}, "the unit of 'x' is the number 1"),
        ({"x": " "}, "the unit of 'x' is empty"),
        ({"x": "m\n"}, "not printable"),
        ({"x": "m" * 100}, "too long"),
        ("m", "units is 'm'"),
    ],
)
def test_wrong_labels_are_refused(units: object, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        ch.System(**MODEL, units=units)
    assert told in str(caught.value)


def test_a_wrong_label_in_a_file_has_its_place() -> None:
    text = ch.System(**MODEL).to_toml() + '[units]\nx = "m"\nz = "m"\n'
    with pytest.raises(ModelError) as caught:
        ch.loads(text)
    assert caught.value.line == text.count("\n")


def test_a_coordinate_called_energy_has_its_own_label() -> None:
    system = ch.System(
        coordinates=["energy"],
        lagrangian="energy'^2",
        units={"energy": "J"},
        initial={"energy_dot": 1},
        until=1,
    )
    motion = ch.simulate(system, at=3)
    assert motion["energy"].attrs["units"] == "J"
    assert "units" not in motion["energy_"].attrs
    assert unit_of(system, "energy", 1) == "J/s"


def test_axes_carry_labels() -> None:
    import matplotlib.pyplot as plt

    system = ch.System(**MODEL, units={**UNITS, "x": "$m<b>", "energy": "J"})
    motion = ch.simulate(system, at=5)
    ax = plots.phase_portrait(motion, coordinate="phi")
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\phi$ [rad]", r"$\dot{\phi}$ [rad/s]")
    ax = plots.coordinates(motion)
    assert ax.get_xlabel() == "$t$ [s]"
    ax.figure.canvas.draw()  # a dollar in a label is no formula
    plt.close("all")
    found = figures(motion)
    assert found["coordinates"].layout.xaxis.title.text == "t [s]"
    assert found["coordinates"].data[0].name == "x [$m&lt;b&gt;]"
    assert found["phase"].layout.yaxis.title.text.endswith("/s]")
    assert found["energy"].layout.yaxis.title.text == "[J]"
