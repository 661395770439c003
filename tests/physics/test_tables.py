"""Forces by tables: those of the formulas that the tables are exact for, in every formulation, and certified."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

import mbsym
from mbsym import Body, ExpressionConstraint, Joint, JointForce, Model, NamedExpression, PrescribedMotion, Table
from mbsym.codegen.load import load_numpy
from mbsym.errors import ModelError
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.names import expression_names
from mbsym.reference import Reference
from mbsym.reference.motions import prescribed_motions
from mbsym.symbolic.interpret import interpret
from mbsym.values.frame_quantities import FrameQuantity
from mechanisms.examples import further, some
from mechanisms.mechanism import mechanism_of
from mechanisms.motions import as_labelled_now
from mechanisms.random_trees import random_tree

FUNCTIONS = ("project_position", "closure_gap", "closure_scale")
POINTS = (-3.0, -1.5, -0.25, 0.0, 1.0, 1.75, 3.0)
"""Uneven, and wider than the motions."""

CUBIC = Table("curve", POINTS, [1.5 * x**3 - x**2 + 4 * x for x in POINTS], between="spline")
LINE = Table("curve", POINTS, [4 * x - 0.5 for x in POINTS], between="cubic", outside="extrapolate")
EVEN = Table("curve", np.linspace(-3, 3, 25), [4 * x - 0.5 for x in np.linspace(-3, 3, 25)])
MAP = Table("curve", POINTS, (-40.0, 1.0, 30.0), [[2 * x * v + 5 * v + x for v in (-40, 1, 30)] for x in POINTS])


def swing(force: str, *tables: Table) -> Model:
    """A pendulum of two bars, with a moment between them by an expression."""
    bars = (Body("upper", 1.5, (0, 0, -0.2), (0.02, 0.02, 0.01)), Body("lower", 1, (0, 0, -0.15), (0.01, 0.01, 0.01)))
    joints = (
        Joint("pin", "revolute", "ground", "upper", axis=(0, 1, 0), coordinates=("a",), speeds=("w",)),
        Joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), coordinates=("b",), speeds=("z",)),
    )
    law, output = JointForce("law", "elbow", force), NamedExpression("y", force)
    return Model("swing", bars, joints, (law,), outputs=(output,), tables=tables)


@pytest.mark.parametrize(
    ("table", "by_table", "by_formula"),
    [
        (CUBIC, "-curve(b)", "-(1.5*b**3 - b**2 + 4*b)"),
        (LINE, "-curve(b) - 0.2*z", "-(4*b - 0.5) - 0.2*z"),
        (EVEN, "-curve(b + a/8)", "-(4*(b + a/8) - 0.5)"),
        (MAP, "-curve(b, z)/20 - 4*b", "-(2*b*z + 5*z + b)/20 - 4*b"),
    ],
    ids=["spline", "monotone cubics", "even lines", "two arguments"],
)
def test_motions_are_those_by_the_formula(table: Table, by_table: str, by_formula: str) -> None:
    accuracy = mbsym.Accuracy(rtol=1e-12, atol=1e-12)
    motions = [
        mbsym.simulate(model, 2.0, initial={"a": 0.7, "b": -0.4}, output_step=0.1, accuracy=accuracy)
        for model in (swing(by_table, table), swing(by_formula))
    ]
    assert 0.4 <= np.abs(motions[0].q[:, 1]).max() < 3
    np.testing.assert_allclose(motions[0].q, motions[1].q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motions[0].y, motions[1].y, rtol=0, atol=1e-8)


def test_stiffness_about_a_state_is_the_slope_of_the_table() -> None:
    at = {"a": 0.1, "b": 0.3}
    tables, formula = (
        mbsym.linearise(model, at=at).A for model in (swing("-curve(b)", CUBIC), swing("-(1.5*b**3 - b**2 + 4*b)"))
    )
    np.testing.assert_allclose(tables, formula, rtol=0, atol=1e-11 * np.abs(formula).max())


@pytest.mark.parametrize("formulation", ["auto", "articulated-body", *further("kane", "lagrange", "cfa")])
def test_every_kind_is_certified_in_every_formulation(tmp_path: Path, formulation: str) -> None:
    named = [replace(each, name=f"c{k}") for k, each in enumerate((CUBIC, LINE, EVEN, MAP))]
    held = replace(CUBIC, name="short", x=POINTS[2:4], y=(1, 2), between="linear")
    model = swing("c0(b) - c1(a) + c2(a - b) + c3(b, z) - short(a)", *named, held)
    requests = (("outputs", ("q", "v")), ("inverse_dynamics", ("q", "v")))
    mbsym.generate(model, tmp_path, formulation=formulation, derivatives=requests)
    certificate = mbsym.verify(tmp_path, states=8)
    assert certificate.passed, certificate


def test_a_loop_driven_by_a_table(tmp_path: Path) -> None:
    """A four-bar whose crank is pushed by a pressure over its angle."""
    model = mbsym.load("four_bar")
    joint = model.joints[0]
    pressure = Table("pressure", np.linspace(-7, 7, 57), np.sin(np.linspace(-7, 7, 57)) + 2, between="cubic")
    push = JointForce("push", joint.name, f"0.1*pressure(q_{joint.name})")
    mbsym.generate(replace(model, forces=(*model.forces, push), tables=(pressure,)), tmp_path)
    assert mbsym.verify(tmp_path, states=4).passed


def test_a_cam_with_a_level_piece_is_closed_there_as_elsewhere(tmp_path: Path) -> None:
    """On the piece nothing that the constraint names has a share in it but the stem, of which sizes know nothing."""
    lift = Table("lift", (-4, -1.2, -0.6, 0, 0.6, 1.2, 4), (0, 0, 4e-3, 1e-2, 4e-3, 0, 0), between="cubic")
    bodies = (Body("cam", 1, inertia=(1e-3, 1e-3, 1e-3)), Body("valve", 0.1))
    joints = (
        Joint("shaft", "revolute", "ground", "cam", axis="y"),
        Joint("stem", "prismatic", "ground", "valve", axis="-z"),
    )
    held = ExpressionConstraint("contact", "q_stem - lift(q_shaft) - 0.03")
    mbsym.generate(Model("cam", bodies, joints, constraints=(held,), tables=(lift,)), tmp_path, functions=FUNCTIONS)
    module = load_numpy(tmp_path / "cam.py")
    for angle in (2.5, 0.3, -3.1):
        near = module.functions["project_position"](np.array([angle, 0.034]))
        assert np.abs(module.functions["closure_gap"](near)).max() < 1e-16
    certificate = mbsym.verify(tmp_path, states=4)
    assert certificate.passed, certificate


@pytest.mark.parametrize(
    "options", [{"style": "shared"}, *further({"style": "straight", "batch": ("mass_matrix",)})], ids=str
)
def test_chains_have_them_in_steps_and_in_few_functions(tmp_path: Path, options: dict[str, Any]) -> None:
    """Steps that bars share look tables up; texts for many states have those that they use."""
    bars = tuple(Body(f"b{k}", 1, (0, 0, -0.1), (0.01, 0.01, 0.01)) for k in range(5))
    joints = tuple(
        Joint(
            f"j{k}",
            "revolute",
            f"b{k - 1}" if k else "ground",
            f"b{k}",
            axis=(0, 1, 0),
            predecessor_placement=(0, 0, -0.2),
        )
        for k in range(5)
    )
    springs = tuple(JointForce(f"f{k}", f"j{k}", f"-curve(q_j{k}) - 0.1*even(v_j{k})") for k in range(5))
    model = Model("chain", bars, joints, springs, tables=(CUBIC, replace(EVEN, name="even")))
    wanted = ("forward_dynamics", "inverse_dynamics", "mass_matrix")
    mbsym.generate(model, tmp_path, languages=("c", "numpy", "batch"), functions=wanted, **options)
    certificate = mbsym.verify(tmp_path, states=4)
    assert certificate.passed, certificate


def test_straight_lines_stand_beside_a_motion() -> None:
    """Laws are differentiated twice, and tables of which nobody asks that are left alone."""
    model = replace(swing("-curve(b)", EVEN), motions=(PrescribedMotion("drive", "pin", "0.1*sin(3*t)"),))
    (driven,) = prescribed_motions(Reference(model).mechanism, 0.2)
    assert driven.values == pytest.approx((0.1 * np.sin(0.6), 0.3 * np.cos(0.6), -0.9 * np.sin(0.6)))


# ---- cams ------------------------------------------------------------------------------------------------------------

CAM = Table("cam", np.linspace(-7, 7, 29), 0.3 * np.sin(np.linspace(-7, 7, 29)), between="spline")


@pytest.mark.parametrize("seed", some(range(50), range(6)))
def test_bodies_of_random_trees_that_a_table_holds(seed: int) -> None:
    """The distance of two bodies follows a table of an angle or a way: accelerations are those of the reference."""
    model = random_tree(seed, bodies=(3, 5), free_roots=False)
    reference = Reference(model, model.label())
    rng = np.random.default_rng(seed)
    q = reference.integrate_position(reference.neutral, rng.uniform(-1, 1, reference.nv), 1.0)
    names = expression_names(model)
    name, place = next(
        (names.coordinates[joint.name][-1], joint.coordinates.stop - 1)
        for joint in reference.mechanism.tree_joints
        if joint.coordinates and names.coordinates[joint.name]
    )
    table = CAM if seed % 2 else replace(CAM, between="cubic")
    value = (CubicSpline if seed % 2 else PchipInterpolator)(table.x, table.y)(q[place])
    first, last = model.bodies[0].name, model.bodies[-1].name
    ends = [reference.poses(q)[model.label().body_labels[body] - 1][:3, 3] for body in (first, last)]
    gap = float(np.linalg.norm(ends[1] - ends[0]) - value)
    quantity = FrameQuantity("distance", (first, last)).name
    held = ExpressionConstraint("cam", f"{quantity} - cam({name}) - ({gap!r})")
    whole = replace(model, constraints=(held,), tables=(table,))
    reference, mechanism = Reference(whole), mechanism_of(whole)
    q = as_labelled_now(model, q, whole)
    state = {"q": q, "v": reference.consistent_velocity(q, rng.uniform(-1, 1, reference.nv)), "t": 0.3}
    state |= {"tau": rng.uniform(-1, 1, reference.nv), "u": rng.uniform(-1, 1, len(whole.inputs))}
    program = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analyse_loops(mechanism))
    known = {item.name for item in program.inputs}
    found = interpret(program, {name: value for name, value in state.items() if name in known})["vdot"]
    expected = reference.solve(**state).vdot
    bound = 1e-10 * np.linalg.cond(reference.mass_matrix(q)) * (1 + np.abs(expected).max())
    assert np.abs(found - expected).max() <= bound


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("a - line(b)", "'line', which is linear, so that its speed jumps"),
        ("a - map(b, b)", "'map', which takes two arguments"),
    ],
)
def test_tables_that_hold_no_place(expression: str, sentence: str) -> None:
    tables = (replace(EVEN, name="line"), replace(MAP, name="map"))
    model = replace(swing("0*b", *tables), outputs=(), constraints=(ExpressionConstraint("held", expression, "rad"),))
    with pytest.raises(ModelError, match=sentence):
        mbsym.generate(model, "nowhere")
