"""Whichever joint of a loop is cut, small motions are the same: what acts along joints is never left out."""

from __future__ import annotations

from dataclasses import replace
from math import atan2, pi, sqrt
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.errors import AnalysisError, DerivationError, TopologyError
from mbsym.forces import PointSpringDamper
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes
from mbsym.linear.vibration.placed import VibratingElements
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mechanisms.mechanism import mechanism_of

ALONG = ("A", "B", "C", "D")
"""Joints of every loop here."""

# Legs 0.3 and 0.4 with a hypotenuse of 0.5: the loop closes to round-off in a position without symmetry.
START = {"A": pi / 2, "B": -pi / 2 - atan2(3, 4), "C": atan2(3, 4), "D": 0.4}
SLIDER = """
name: slider
gravity: [0, 0, 0]
bodies:
  crank: {mass: 1, center_of_mass: [0.15, 0, 0], inertia: [0.001, 0.0075, 0.0075]}
  rod: {mass: 2, center_of_mass: [0.25, 0.05, 0], inertia: [0.002, 0.04, 0.04]}
  block: {mass: 3, center_of_mass: [0.1, 0.02, 0], inertia: [0.01, 0.01, 0.01]}
joints:
"""
SLIDER_JOINTS = {
    "A": "type: revolute, from: ground, to: crank",
    "B": "type: revolute, from: crank, to: rod, at: [0.3, 0, 0]",
    "C": "type: revolute, from: rod, to: block, at: [0.5, 0, 0]",
    "D": "type: prismatic, from: ground, to: block, axis: [1, 0, 0]",
}
STIFFNESS = {"A": 2.0, "B": 3.0, "C": 5.0, "D": 70.0}
DAMPING = {"A": 0.01, "B": 0.02, "C": 0.03, "D": 0.4}
ROTORS = {"A": 0.02, "B": 0.03, "C": 0.04, "D": 0.5}


def slider(cut: str, loaded: tuple[str, ...] = ALONG, *, damped: bool = True) -> Model:
    """A crank and a block on a rail, springs that do not pull, dampers and rotors along some joints."""
    lines = [
        f"  {name}: {{{how}, initial: {START[name]!r}, armature: {ROTORS[name] if name in loaded else 0}"
        f"{', cut: cut' if name == cut else ''}}}"
        for name, how in SLIDER_JOINTS.items()
    ]
    lines.append("forces:")
    for name in loaded:
        spring = f"joint: {name}, stiffness: {STIFFNESS[name]}, reference: {START[name]!r}"
        lines.append(f"  k{name}: {{type: joint_spring, {spring}}}")
        if damped:
            lines.append(f"  d{name}: {{type: joint_damper, joint: {name}, damping: {DAMPING[name]}}}")
    return read_native(TextSource("slider.yaml", SLIDER + "\n".join(lines) + "\n"))


def eigenvalue(model: Model) -> complex:
    (mode,) = transfer_matrix_modes(model)
    return mode.eigenvalue


@pytest.mark.parametrize("cut", ALONG)
def test_transfer_matrices_have_the_modes_of_equations_whichever_joint_is_cut(cut: str) -> None:
    """To 1e-8: positions are closed to 1e-10, and a rail that is cut where its block has slid parts its frames."""
    model = slider(cut, tuple(name for name in ALONG if name != cut))
    assert model.label().cut_joints == (cut,)
    (mode,) = mbsym.modes(model)
    assert abs(eigenvalue(model) - mode.eigenvalue) < 1e-8 * abs(mode.eigenvalue)


def work(*, of: dict[str, float]) -> float:
    """A sum over the joints of what acts along each, by the squares of their rates per rate of the crank."""
    # At the start the crank's end moves along -x, so that the rod's other end on the rail does, and the rod rests not:
    # its instantaneous centre is infinitely far only if both move alike. The crank's end moves by -0.3 along x and by
    # nothing along y, the block's along x alone, so that 0.4 w = 0 for the rod's rate w: it translates.
    rates = {"A": 1.0, "B": -1.0, "C": 0.0, "D": -0.3}
    return sum(of[name] * rates[name] ** 2 for name in ALONG)


@pytest.mark.parametrize("cut", ALONG)
def test_what_acts_along_the_cut_joint_counts(cut: str) -> None:
    """The rod translates at the start, so that kinetic energy, stiffness and damping are sums by hand."""
    inertia = 0.0075 + 0.15**2 + (2 + 3) * 0.3**2 + work(of=ROTORS)
    stiffness, damping = work(of=STIFFNESS), work(of=DAMPING)
    expected = complex(-damping, sqrt(4 * inertia * stiffness - damping**2)) / (2 * inertia)
    assert abs(eigenvalue(slider(cut)) - expected) < 1e-9 * abs(expected)
    undamped = eigenvalue(slider(cut, damped=False))
    assert abs(undamped - 1j * sqrt(stiffness / inertia)) < 1e-9 * abs(expected)


@pytest.mark.parametrize("pair", ["AB", "CD"])
def test_responses_do_not_depend_on_the_cut(pair: str) -> None:
    """The point of "rod" is at the joint that leads to it: C where A or B is cut, else B."""

    def of(cut: str) -> Any:
        names = {"inputs": ["rod.x", "rod.rz"], "outputs": ["rod.x", "rod.y", "rod.rz"]}
        return mbsym.frequency_response(slider(cut), [0.3, 0.8], method="transfer-matrix", **names).values

    first, second = (of(cut) for cut in pair)
    assert np.abs(first - second).max() < 1e-9 * np.abs(first).max()


def test_a_loop_of_springs_alone_is_refused_by_methods_that_need_coordinates() -> None:
    """Not left out: equations of motion have no coordinate of a joint that is cut."""
    with pytest.raises(DerivationError, match="acts along joint D, which is cut"):
        mbsym.modes(replace(slider("D"), joints=tuple(replace(joint, armature=0) for joint in slider("D").joints)))
    with pytest.raises(DerivationError, match="is cut and has a rotor inertia"):
        mbsym.modes(slider("D"))


def test_a_spring_that_pulls_along_a_cut_joint_is_refused() -> None:
    forces = tuple(replace(force, reference=0.39) if force.name == "kD" else force for force in slider("D").forces)
    mechanism = mechanism_of(replace(slider("D"), forces=forces))
    with pytest.raises(AnalysisError, match="joint D: a spring along a joint that is cut pulls at rest"):
        VibratingElements(mechanism, initial_coordinates(mechanism))
    # Equations, which would look for another state, have no coordinate of the joint.
    with pytest.raises(DerivationError, match="joint D is cut and has a rotor"):
        transfer_matrix_modes(mechanism.model)


def test_whole_turns_of_a_cut_joint_are_those_it_starts_with() -> None:
    """A spring wound up by a turn is none that does not pull."""
    turned = {joint.name: joint for joint in slider("A").joints}
    first = replace(turned["A"], initial=(START["A"] + 2 * pi,))
    mechanism = mechanism_of(replace(slider("A"), joints=(first, *list(turned.values())[1:])))
    with pytest.raises(AnalysisError, match="pulls at rest"):
        VibratingElements(mechanism, initial_coordinates(mechanism))


@pytest.mark.parametrize("cut", ALONG)
def test_an_open_loop_is_closed_first(cut: str) -> None:
    """Angles that close a loop nearly are no state; modes are those of the position that the loop is closed to."""
    loaded = tuple(name for name in ALONG if name != cut)
    nearly = {name: START[name] + 1e-3 for name in ALONG}
    joints = tuple(replace(joint, initial=(nearly[joint.name],)) for joint in slider(cut, loaded).joints)
    model = replace(slider(cut, loaded), joints=joints)
    mechanism = mechanism_of(model)
    with pytest.raises(AnalysisError, match=f"does not close the loop of {cut}"):
        VibratingElements(mechanism, initial_coordinates(mechanism))
    assert abs(eigenvalue(model) - mbsym.modes(model)[0].eigenvalue) < 1e-8


# ---- which joint is cut ---------------------------------------------------------------------------------------------

BEAM = """
name: b
gravity: [0, 0, 0]
bodies: {e: {}}
joints: {g: {type: fixed, from: ground, to: e, at: [1.2, 0, 0]}}
beams: {b: {from: ground, to: e, length: 1.2, mass: 0.6, bending_stiffness: 2.5}}
"""


def test_no_cut_parts_a_beam() -> None:
    """Clamped at both ends: 34.742 rad/s, cos b cosh b = 1 with b = 4.73004; a free hinge inside gives 27.32."""
    model = read_native(TextSource("b.yaml", BEAM))
    for order in ("weight", "input", "depth-first", "breadth-first"):
        assert model.label(order=order).cut_joints in (("g",), ("b_tip",))
    exact = 4.730040744862704**2 * sqrt(2.5 / (0.6 * 1.2**3))
    assert transfer_matrix_modes(model, count=1).frequencies[0] == pytest.approx(exact, rel=1e-12)
    joints = tuple(replace(joint, cut="cut") if joint.name == "b_3" else joint for joint in model.joints)
    with pytest.raises(TopologyError, match="joint b_3: the joint lies inside beam b"):
        replace(model, joints=joints).label()


def test_joints_along_which_something_acts_stay_in_the_tree() -> None:
    """Revolute joints are cut sooner than a rail, and of them the one that nothing acts along."""
    for free in "ABC":
        loaded = tuple(name for name in ALONG if name != free)
        assert slider("", loaded).label().cut_joints == (free,)
    passive, (first, *others) = slider("", ()), slider("", ()).joints
    assert passive.label().cut_joints == ("A",)
    rotor = replace(passive, joints=(replace(first, armature=0.1), *others))
    assert "A" not in rotor.label().cut_joints


# ---- joints far from where their frames coincide ---------------------------------------------------------------------

ANCHORS = (
    ((1.0, 0.2, 0.3), (0.2, 0.1, 0.0)), ((-0.7, 1.0, 0.1), (-0.1, 0.3, 0.1)), ((0.2, -0.6, 1.1), (0.0, 0.1, 0.4)),
    ((0.3, 0.6, -1.1), (0.3, 0.1, -0.4)), ((1.3, 1.6, -0.1), (0.3, -0.4, -0.4)), ((-1.3, -1.6, -0.1), (0.3, 0.4, -0.4)),
)  # fmt: skip
"""Ends of springs on ground and on the body, so many that each freedom has one."""

PLACES = (Placement((0.1, 0.2, 0.3), (("x", 0.4), ("z", 0.7))), Placement((0.05, -0.1, 0.2), (("y", 0.6),)))


def hung(kind: str, *, outward: bool) -> tuple[Model, Model]:
    """A body on a joint turned and slid far, held by springs that do not pull; and the same with that joint cut."""
    shape, numbers = JOINT_TYPES[kind].shape, JOINT_TYPES[kind].numbers
    start = [float(entry) + 0.9 / (k + 1) for k, entry in enumerate(shape.neutral)]
    ends, places = (("ground", "body"), PLACES) if outward else (("body", "ground"), PLACES[::-1])
    joint = Joint(
        "t", kind, *ends, (0.48, 0.6, 0.64), initial=tuple(start), numbers=tuple((each.name, 0.05) for each in numbers),
        predecessor_placement=places[0], successor_placement=places[1],
    )  # fmt: skip
    plain = Model("hung", (Body("body", 2, (0.1, 0.05, -0.1), (0.02, 0.03, 0.04, 0.001, 0.002, 0.003)),), (joint,),
                  gravity=(0, 0, 0))  # fmt: skip
    pose = Reference(plain).poses(initial_coordinates(mechanism_of(plain)))[-1]
    R, at = pose[:3, :3], pose[:3, 3]
    springs = tuple(
        PointSpringDamper(
            f"s{k}", "ground", "body", 50 + 7 * k, 0, float(np.linalg.norm(np.array(a) - R @ b - at)), a, b
        )
        for k, (a, b) in enumerate(ANCHORS)
    )
    plain = replace(plain, forces=springs)
    w = sqrt(1.0 + np.trace(R)) / 2.0
    turn = (w, *((R - R.T)[(2, 0, 1), (1, 2, 0)] / (4.0 * w)).tolist())
    free = Joint("f", "free", "ground", "body", initial=(*map(float, turn), *at.tolist()))
    return plain, replace(plain, joints=(free, replace(joint, cut="cut")))


@pytest.mark.parametrize("outward", [True, False])
@pytest.mark.parametrize("kind", [name for name, kind in JOINT_TYPES.items() if kind.shape.nv and not kind.is_unbound])
def test_a_cut_joint_holds_the_same_wherever_it_stands(kind: str, outward: bool) -> None:
    """Beside the joint in the tree, whose frequencies know of no cut; or it is refused by name."""
    plain, cut = hung(kind, outward=outward)
    expected = mbsym.modes(plain).frequencies
    try:
        found = transfer_matrix_modes(cut).frequencies
    except AnalysisError as error:
        assert kind == "universal" and "cannot cut a universal joint" in str(error)
        return
    # Springs' rest lengths are rounded, and loops closed to 1e-10.
    assert np.abs(np.sort(found) - np.sort(expected)).max() < 1e-9 * np.max(expected)
