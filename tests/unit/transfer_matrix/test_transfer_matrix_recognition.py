"""From models to transfer matrix elements: what is covered, what is merged, what is refused and in which words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import load_c, load_numpy
from mbsym.codegen.write import write_files
from mbsym.errors import DerivationError, SimulationError
from mbsym.forces import Actuator, JointDamper, JointSpring, PointSpringDamper
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.own_units import Units, in_units
from mbsym.model.system import Model
from mbsym.transfer_matrix.module import stepping_module
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.settings import Status
from mbsym.transfer_matrix.stepper import TransferMatrixStepper
from mbsym.transfer_matrix.system import TransferSystem
from mbsym.values.numbers import evaluate_reference
from mbsym.values.parameter import ControlInput, Parameter
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import BAR, one_joint
from mechanisms.stepped import simulate_transfer_matrix


def recognised(model: Model, rotation: Any = None) -> TransferSystem:
    return transfer_system(mechanism_of(model), rotation)


def pendulum(**changes: Any) -> Model:
    return replace(one_joint("revolute", BAR), **changes)


def pair(second: Joint, **changes: Any) -> Model:
    bodies = (BAR, replace(BAR, name="b"))
    return replace(Model("pair", bodies, (Joint("j", "revolute", "ground", "a"), second)), **changes)


def test_planar_system_of_the_six_bars() -> None:
    system = recognised(examples.load("rhombus_planar"))
    assert system.is_planar
    assert [body.parent for body in system.bodies] == [0, 1, 2, 3, 2, 1]
    assert [(cut.name, cut.first, cut.second) for cut in system.cuts] == [("closing_hinge", 4, 0)]
    assert system.unknowns == 2
    assert [float(x.constant or 0) for x in system.gravity] == [0, -9.8]


def test_spatial_system_of_the_six_bars() -> None:
    system = recognised(examples.load("rhombus_spatial"))
    assert (system.rotation, system.layout.dimension, system.unknowns) == ("incremental", 3, 3)
    assert recognised(examples.load("rhombus_spatial"), "cardan").rotation == "cardan"


@pytest.mark.parametrize(
    ("axis", "gravity"),
    [((0, 0, 1), (1, 2)), ((0, 0, -1), (1, 2)), ((1, 0, 0), (2, 3)), ((0, 3, 0), (3, 1))],
)
def test_the_plane_has_cyclic_axes(axis: tuple[int, int, int], gravity: tuple[int, int]) -> None:
    system = recognised(pendulum(joints=(Joint("j", "revolute", "ground", "a", axis=axis),), gravity=(1, 2, 3)))
    assert tuple(float(x.constant or 0) for x in system.gravity) == gravity


def test_fixed_joints_make_one_element() -> None:
    """Two halves welded into the bar of a pendulum, one body on ground for good."""
    half = {"mass": 0.5, "center_of_mass": (0.25, 0, 0), "inertia": (0, 0, 0.5 * 0.25 / 12, 0, 0, 0)}
    bodies = (Body("stand", 7), Body("inner", **half), Body("outer", **half))
    joints = (
        Joint("foot", "fixed", "ground", "stand", predecessor_placement=Placement((0, 1, 0))),
        Joint("pin", "revolute", "stand", "inner", initial=(0.4,)),
        Joint("weld", "fixed", "outer", "inner", successor_placement=Placement((0.5, 0, 0))),
    )
    system = recognised(Model("welded", bodies, joints))
    (body,) = system.bodies
    assert body.members == ("inner", "outer")
    assert (body.parent, float(body.mass.constant or 0)) == (0, 1)
    assert [float(x.constant or 0) for x in body.center] == [0.5, 0]
    assert float(body.inertia[0].constant or 0) == pytest.approx(1 / 12, rel=1e-15)
    assert [float(x.constant or 0) for x in body.hinge.attachment] == [0, 1]


@pytest.mark.parametrize("axis", ["x", "y", "-y", (0.6, 0.8, 0)])
def test_a_body_that_slides_on_an_arm_turns_about_the_normal_of_the_plane(axis: Any) -> None:
    """Whatever axis its own joint has, along which the frame of the equations lies."""
    bob = Body("b", 2, (0.1, 0.2, 0), (0.3, 0.4, 0.7, 0.05, 0, 0))
    along = {"x": (1, 0, 0), "y": (0, 1, 0), "-y": (0, -1, 0)}.get(axis, axis)
    system = recognised(replace(pair(Joint("k", "prismatic", "a", "b", axis=along)), bodies=(BAR, bob)))
    (inertia,) = system.bodies[1].inertia
    assert inertia.constant == pytest.approx(0.7, rel=1e-15)


def test_a_turned_weld_moves_the_inertia_along() -> None:
    """A weld by a quarter turn about z."""
    bodies = (BAR, Body("b", 2, (1, 0, 0), (0, 0.3, 0.3, 0, 0, 0)))
    joints = (
        Joint("j", "spherical", "ground", "a"),
        Joint("w", "fixed", "a", "b", predecessor_placement=Placement((0, 0, 0), (("z", "pi/2"),))),
    )
    (body,) = recognised(Model("welded", bodies, joints)).bodies
    centre = np.array([0.5, 2.0, 0]) / 3
    assert [float(x.constant or 0) for x in body.center] == pytest.approx(list(centre), abs=1e-15)
    points = [(1, np.array([0.5, 0, 0]), np.diag([0.01, 0.1, 0.1])), (2, np.array([0, 1, 0]), np.diag([0.3, 0, 0.3]))]
    J = sum(
        own + mass * (np.dot(p - centre, p - centre) * np.eye(3) - np.outer(p - centre, p - centre))
        for mass, p, own in points
    )
    expected = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    assert [float(x.constant or 0) for x in body.inertia] == pytest.approx(expected, abs=1e-14)


def test_a_weld_turned_by_a_run_time_parameter_follows_it() -> None:
    bodies = (BAR, Body("b", 2, (1, 0, 0), (0, 0.3, 0.3, 0, 0, 0)))
    joints = (
        Joint("j", "revolute", "ground", "a"),
        Joint("w", "fixed", "a", "b", predecessor_placement=Placement(rotation=(("z", "bend"),))),
    )
    model = Model("bent", bodies, joints, parameters=(Parameter("bend", 0.3, symbolic=True),))
    system = recognised(model)
    (body,) = system.bodies
    center = [evaluate_reference(x.graph, x.ref, {"bend": 0.8}) for x in body.center]
    assert center == pytest.approx([(0.5 + 2 * np.cos(0.8)) / 3, 2 * np.sin(0.8) / 3], abs=1e-15)


def test_angles_are_those_of_the_body_axes() -> None:
    """Placements turned about the normal count."""
    model = pendulum(
        joints=(
            Joint(
                "j", "revolute", "ground", "a",
                predecessor_placement=Placement(rotation=(("z", 0.3),)),
                successor_placement=Placement(rotation=(("z", 0.1),)),
            ),
        )
    )  # fmt: skip
    run = simulate_transfer_matrix(model, 0, 0.01, q=[0.5], engine="numpy")
    assert run.attitudes[0, 0, 0] == pytest.approx(0.7, abs=1e-15)
    assert run.q[0] == pytest.approx([0.5], abs=1e-15)


SPRING = JointSpring("s", "j", 10)
REFUSED = {
    "a type without an element": (
        pair(Joint("k", "helical", "a", "b", numbers={"pitch": 0.1})),
        "joint k: the transfer matrix method has no element for a helical joint; it covers revolute, prismatic and",
    ),
    "a cut pin in space": (
        pair(
            Joint("k", "revolute", "a", "b", axis=(0, 1, 0)),
            joints=(
                Joint("j", "revolute", "ground", "a"),
                Joint("k", "revolute", "a", "b", axis=(0, 1, 0)),
                Joint("i", "revolute", "b", "ground", cut="cut"),
            ),
        ),
        "joint i: the motion is spatial, where loops are cut at spherical joints, and this one is revolute",
    ),
    "no mass": (pendulum(bodies=(Body("a"),)), "needs bodies with mass, but for those between two joints at one place"),
    "no mass between joints that lie apart": (
        pair(
            Joint("k", "revolute", "a", "b", predecessor_placement=Placement((1, 0, 0))),
            bodies=(Body("a"), replace(BAR, name="b")),
        ),
        "needs bodies with mass, but for those between two joints at one place",
    ),
    "a spring on a body without mass": (
        pair(
            Joint("k", "revolute", "a", "b"),
            bodies=(Body("a"), replace(BAR, name="b")),
            forces=(PointSpringDamper("p", "ground", "a", 5),),
        ),
        "needs bodies with mass, but for those between two joints at one place",
    ),
    "no mass but inertia": (
        pair(
            Joint("k", "revolute", "a", "b"),
            bodies=(Body("a", 0, (0, 0, 0), (1, 1, 1, 0, 0, 0)), replace(BAR, name="b")),
        ),
        "needs bodies with mass, but for those between two joints at one place",
    ),
    "a direction that a run-time parameter turns": (
        pair(
            Joint("k", "universal", "a", "b", (1, 0, 0), (0, 1, 0), Placement(rotation=(("x", "bend"),))),
            parameters=(Parameter("bend", 0.3, symbolic=True),),
        ),
        "joint k: the direction of this joint depends on a run-time parameter",
    ),
    "a sprung direction in the plane that a run-time parameter turns": (
        pendulum(
            joints=(Joint("j", "revolute", "ground", "a", predecessor_placement=Placement(rotation=(("z", "bend"),))),),
            forces=(SPRING,),
            parameters=(Parameter("bend", 0.3, symbolic=True),),
        ),
        "joint j: the direction of this joint depends on a run-time parameter",
    ),
    "a ball on a body without mass": (
        pair(Joint("k", "spherical", "a", "b"), bodies=(Body("a"), replace(BAR, name="b"))),
        "joint k: a spherical or free joint holds bodies with mass; give body a a mass",
    ),
    "nothing moves": (pendulum(joints=(Joint("j", "fixed", "ground", "a"),)), "nothing moves"),
    "a coupling": (
        pair(Joint("k", "revolute", "a", "b"), couplings=(Coupling("k", "j", 2),)),
        "no element for couplings",
    ),
    "an actuator": (
        pendulum(forces=(Actuator("m", "j", "u"),), inputs=(ControlInput("u"),)),
        "force m: the transfer matrix method has no element for an actuator",
    ),
    "a spring on a cut joint that holds nothing": (
        pair(
            Joint("k", "revolute", "a", "b", predecessor_placement=Placement((1, 0, 0))),
            joints=(
                Joint("j", "planar", "ground", "a", cut="cut"),
                Joint("i", "revolute", "ground", "a"),
            ),
            bodies=(BAR,),
            forces=(SPRING,),
        ),
        "on a cut joint are not covered",
    ),
    "a spring on a cut joint": (
        pair(
            Joint("k", "revolute", "a", "b", predecessor_placement=Placement((1, 0, 0))),
            joints=(
                Joint("j", "revolute", "ground", "a", cut="cut"),
                Joint("i", "revolute", "ground", "a"),
            ),
            bodies=(BAR,),
            forces=(SPRING,),
        ),
        "on a cut joint are not covered",
    ),
    "a loop out of plane": (
        pendulum(
            joints=(
                Joint("j", "revolute", "ground", "a"),
                Joint("i", "revolute", "a", "ground", predecessor_placement=Placement((1, 0, 0.2)), cut="cut"),
            )
        ),
        "lie in different planes",
    ),
    "a spring out of plane": (
        pendulum(forces=(PointSpringDamper("p", "ground", "a", 5, first_point=(0, 1, 0.1)),)),
        "if it lies in the plane",
    ),
    "a spring on a free joint": (
        pendulum(joints=(Joint("j", "free", "ground", "a"),), forces=(JointDamper("d", "j", 1),)),
        "use springs between points",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_covered_is_refused_in_words(case: str) -> None:
    model, words = REFUSED[case]
    with pytest.raises(DerivationError) as caught:
        recognised(model)
    assert words in str(caught.value)


@pytest.mark.parametrize("case", ["a loop out of plane", "a spring out of plane"])
def test_what_lies_out_of_plane_is_seen_at_any_size(case: str) -> None:
    """In nanometres, as in metres."""
    model, words = REFUSED[case]
    with pytest.raises(DerivationError, match=words):
        recognised(in_units(model, Units(Fraction(10**9))))


@pytest.mark.parametrize(
    ("rotation", "words"), [("cardan", "the motion is planar"), ("angle", "the motion is spatial")]
)
def test_a_rotation_variable_of_the_other_kind_is_refused(rotation: Any, words: str) -> None:
    joint = Joint("j", "revolute" if rotation == "cardan" else "spherical", "ground", "a")
    with pytest.raises(DerivationError, match=words):
        recognised(pendulum(joints=(joint,)), rotation)


def test_an_open_loop_is_refused() -> None:
    model = examples.load("rhombus_regular")
    q = np.zeros(6)
    with pytest.raises(SimulationError, match=r"a loop is open by 3\.6 m at the start"):
        simulate_transfer_matrix(model, 1, 0.01, q=q, engine="numpy")
    with pytest.raises(SimulationError, match=r"a loop is open by 3\.6e-09 m at the start"):
        simulate_transfer_matrix(in_units(model, Units(Fraction(10**9))), 1, 0.01, q=q, engine="numpy")


def test_a_singular_start_is_refused() -> None:
    """A rhombus folded flat has no unique accelerations: the closure rows are dependent."""
    model = examples.load("rhombus_symmetric")
    q = np.array([0, np.pi, -np.pi, np.pi, 0, 0])
    order = ("hinge_1", "hinge_3", "hinge_5", "hinge_7", "hinge_of_9", "hinge_of_10")
    mechanism = mechanism_of(model)
    by_name = dict(zip(order, q, strict=True))
    with pytest.raises(SimulationError, match="no accelerations fit"):
        simulate_transfer_matrix(
            replace(model, gravity=(0, 0, 0)),
            1,
            0.01,
            q=[by_name[body.joint.name] for body in mechanism.bodies],
            engine="numpy",
        )


@pytest.mark.parametrize("angle", [1e-3, np.pi])
def test_attitudes_that_a_hinge_cannot_have_are_refused(angle: float) -> None:
    """In space attitudes and coordinates are both given: off by little, or by half a turn."""
    model = pair(Joint("k", "revolute", "a", "b", axis=(0, 1, 0)))
    stepper = TransferMatrixStepper(model, engine="numpy")
    attitudes, omegas, *coordinates = stepper.coordinates.to_elements(np.array([0.3, 0.4]), np.zeros(2))
    stepper.start_elements(attitudes, omegas, *coordinates)
    attitudes[1] = [np.cos(angle / 2), np.sin(angle / 2), 0, 0]
    with pytest.raises(SimulationError, match="no accelerations fit"):
        stepper.start_elements(attitudes, omegas, *coordinates)


def test_generated_code_takes_run_time_parameters_and_reports_a_zero_step(tmp_path: Path) -> None:
    """Compiled without a warning, with a structure of parameters as the first argument."""
    model = examples.load("double_pendulum")
    stepping = stepping_module(transfer_system(mechanism_of(model)))
    description = ModuleDescription(
        model.name,
        stepping.programs,
        constants=stepping.constants,
        runtime=stepping.runtime,
        manifest=stepping.manifest,
    )
    write_files(tmp_path, render(description))
    modules = [load_c(tmp_path, model.name), load_numpy(tmp_path / f"{model.name}.py")]
    nothing, angles = np.zeros((2, 4)), np.array([[0.4], [0.9]])
    ends = []
    for module in modules:
        call = module.functions
        place = (angles, np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 1)), nothing)
        for parameters in ({}, {"l1": 0.7, "m2": 2.0}):
            state, report, _ = call["transfer_matrix_start"](*place, parameters=parameters)
            for _ in range(3):
                state, report, _ = call["step"](state, 0.01, 0.8, nothing, parameters=parameters)
            assert report[0] == 0
            ends.append(call["transfer_matrix_observe"](state, parameters=parameters)[0])
        unchanged, report, _ = call["step"](state, 0.0, 0.8, nothing)
        assert report[0] == Status.IMPOSSIBLE_STEP
        np.testing.assert_array_equal(unchanged, state)
    np.testing.assert_allclose(ends[0], ends[2], rtol=0, atol=1e-13)
    np.testing.assert_allclose(ends[1], ends[3], rtol=0, atol=1e-13)
    assert np.abs(ends[0] - ends[1]).max() > 1e-4
    assert modules[0].manifest["transfer_matrix"]["rotation"] == "angle"
    state, report, _ = modules[1].functions["transfer_matrix_start"](np.stack([angles, 2 * angles]), *place[1:])
    assert state.shape[0] == report.shape[0] == 2
