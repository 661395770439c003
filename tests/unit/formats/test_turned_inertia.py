"""Mass properties in turned axes: each of the six entries of an inertia keeps its place, in every format."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.rigid_frames import text
from mbsym.formats.sdf import read_sdf
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.model.body import Body
from mbsym.values.numbers import evaluate

ENTRIES = {"ixx": 0.2, "iyy": 0.3, "izz": 0.4, "ixy": 0.01, "ixz": -0.02, "iyz": 0.03}
J = np.array([[0.2, 0.01, -0.02], [0.01, 0.3, 0.03], [-0.02, 0.03, 0.4]])
TURNS = [
    (0.0, 0.0, 0.0),
    (0.3, 0.0, 0.0),
    (0.0, -0.5, 0.0),
    (0.0, 0.0, 0.7),
    (0.3, -0.5, 0.7),
    (np.pi / 2, 0.0, np.pi / 2),
]
"""Roll, pitch and yaw about fixed axes."""


def inertia_of(body: Body) -> np.ndarray:
    """About the centre of mass in the axes of the body."""
    xx, yy, zz, xy, xz, yz = map(evaluate, body.inertia)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def read(form: str, turn: tuple[float, float, float]) -> Body:
    """A body of mass 2 with the inertia J at (0.1, 0.2, 0.3), turned; mjcf turns a frame around it."""
    angles = " ".join(map(repr, turn))
    if form == "urdf":
        attributes = " ".join(f'{key}="{value}"' for key, value in ENTRIES.items())
        text = f"""<robot name="r"><link name="base"/><link name="arm">
        <inertial><origin xyz="0.1 0.2 0.3" rpy="{angles}"/>
        <mass value="2"/><inertia {attributes}/></inertial></link>
        <joint name="pin" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
        return read_urdf(TextSource("r.urdf", text)).body("arm")
    if form == "sdf":
        elements = "".join(f"<{key}>{value}</{key}>" for key, value in ENTRIES.items())
        text = f"""<sdf version="1.9"><model name="r"><link name="arm"><inertial><pose>0.1 0.2 0.3 {angles}</pose>
        <mass>2</mass><inertia>{elements}</inertia></inertial></link></model></sdf>"""
        return read_sdf(TextSource("r.sdf", text)).body("arm")
    full = " ".join(map(str, ENTRIES.values()))
    text = f"""<mujoco model="r"><compiler angle="radian" eulerseq="XYZ"/><worldbody><body name="arm"><freejoint/>
    <frame pos="0.1 0.2 0.3" euler="{angles}"><inertial pos="0 0 0" mass="2" fullinertia="{full}"/></frame>
    </body></worldbody></mujoco>"""
    return read_mjcf(TextSource("r.xml", text)).body("arm")


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("form", ["urdf", "sdf", "mjcf"])
def test_inertias_turn_with_their_axes(form: str, turn: tuple[float, float, float]) -> None:
    body = read(form, turn)
    R = Rotation.from_euler("xyz", turn).as_matrix()
    assert [evaluate(value) for value in body.center_of_mass] == pytest.approx([0.1, 0.2, 0.3])
    assert inertia_of(body) == pytest.approx(R @ J @ R.T, abs=1e-15)  # entries of 0.4 at most, in doubles


def test_what_is_fixed_together_is_one_body() -> None:
    """By Steiner's theorem, with numbers of its own."""
    inertial = '<inertial><origin xyz="{}"/><mass value="{}"/><inertia {}/></inertial>'
    attributes = " ".join(f'{key}="{value}"' for key, value in ENTRIES.items())
    text = f"""<robot name="r"><link name="base"/>
    <link name="arm">{inertial.format("0.1 0.2 0.3", 2, attributes)}</link>
    <link name="hand">{inertial.format("-0.1 0.4 0.2", 3, attributes)}</link>
    <joint name="pin" type="continuous"><parent link="base"/><child link="arm"/></joint>
    <joint name="weld" type="fixed"><parent link="arm"/><child link="hand"/>
    <origin xyz="0.5 -0.6 0.7" rpy="0.3 -0.5 0.7"/></joint></robot>"""
    body = read_urdf(TextSource("r.urdf", text)).body("arm")
    R = Rotation.from_euler("xyz", (0.3, -0.5, 0.7)).as_matrix()
    places = [np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.6, 0.7]) + R @ [-0.1, 0.4, 0.2]]
    center = (2 * places[0] + 3 * places[1]) / 5
    total = J + R @ J @ R.T
    for mass, place in zip((2, 3), places, strict=True):
        arm = place - center
        total = total + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert evaluate(body.mass) == 5
    assert [evaluate(value) for value in body.center_of_mass] == pytest.approx(center, rel=1e-14)
    assert inertia_of(body) == pytest.approx(total, abs=1e-14)  # entries of three at most


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (Fraction(10**18), "1000000000000000000"),
        (Fraction(-2 * 10**19), "-20000000000000000000"),
        (Fraction(10**30), "1e+30"),
        (Fraction(-1, 40), "-0.025"),
        (Fraction(1, 3), "0.3333333333333333"),
        (Fraction(7), 7),
    ],
)
def test_numbers_keep_their_size_where_they_are_written(number: Fraction, written: int | str) -> None:
    assert text(number) == written


def test_heavy_bodies_that_are_fixed_together_weigh_what_both_do() -> None:
    inertial = '<inertial><mass value="1e19"/><inertia ixx="1e19" iyy="1e19" izz="1e19"/></inertial>'
    model = read_urdf(
        TextSource(
            "r.urdf",
            f"""<robot name="r"><link name="base"/><link name="a">{inertial}</link><link name="b">{inertial}</link>
            <joint name="hinge" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
            <joint name="weld" type="fixed"><parent link="a"/><child link="b"/></joint></robot>""",
        )
    )
    assert [evaluate(body.mass) for body in model.bodies] == [2e19]
    assert [evaluate(moment) for moment in model.bodies[0].inertia] == [2e19, 2e19, 2e19, 0, 0, 0]
