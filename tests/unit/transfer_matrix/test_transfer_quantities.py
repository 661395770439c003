"""Transfer matrices by name: elements, products from point to point, the overall equation, and what there is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from sympy.polys.matrices import DomainMatrix

import mbsym
from mbsym import examples
from mbsym.cli import main
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.model.system import Model
from mbsym.report.document import document
from mbsym.report.equations import Equations
from mbsym.symbolic.interpret import interpret
from mbsym.testing import assert_same_equations
from mechanisms.in_field import FIELD, at_one_point


def derive(model: Model | str) -> Equations:
    return mbsym.derive(model, "transfer-matrix")


def in_field(of: Equations, *names: str) -> Mapping[str, DomainMatrix]:
    """Quantities at one point, never in SymPy."""
    programs = [of.quantity(name)(of.mechanism) for name in names]  # type: ignore[misc]
    return at_one_point(of, {}, programs)


def column(*entries: object) -> DomainMatrix:
    return DomainMatrix([[FIELD(0) + entry] for entry in entries], (len(entries), 1), FIELD)


# ---- products --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("T", ["T", "T_a"])
def test_transfers_lead_on_from_where_others_end(T: str) -> None:
    """Past branches that end free, and into one of them."""
    ways = ("ground, body_2", "body_2, body_4", "body_4, body_6", "body_4, body_9", "ground, body_6", "ground, body_9")
    found = in_field(derive("rhombus_planar"), *(f"{T}({way})" for way in ways))
    first, second, third, into, whole, whole_into = (found[f"{T}({way})"] for way in ways)
    assert whole == third * second * first
    assert whole_into == into * second * first
    assert into.extract([3, 4, 5], range(7)) == DomainMatrix.zeros((3, 7), FIELD).to_dense()  # it ends free


def moved_rhombus() -> Model:
    """Its ends lie anywhere on ground."""
    model = examples.load("rhombus_regular")
    first = replace(model.joints[0], predecessor_placement=mbsym.Placement(("3/10", "1/5", 0)))
    last = next(joint for joint in model.joints if joint.name == "closing_hinge")
    moved = replace(last, successor_placement=mbsym.Placement(("11/10", "-1/10", 0)))
    joints = (first, *(moved if joint is last else joint for joint in model.joints[1:]))
    return replace(model, joints=joints)


def test_the_overall_equation_puts_the_ends_where_they_are() -> None:
    of = derive(moved_rhombus())
    found = in_field(of, "overall", "T", "overall_a", "T_a")
    tenth = FIELD(1) / FIELD(10)
    for suffix, root, end in (("", (3, 2), (11, -1)), ("_a", (0, 0), (0, 0))):
        rows = found[f"overall{suffix}"]
        Q = rows.extract([0, 1], [0, 1]).lu_solve(-rows.extract([0, 1], [2])).to_list_flat()
        state = found[f"T{suffix}"] * column(*(tenth * x for x in root), 0, 0, *Q, 1)
        assert state.extract([0, 1], [0]) == column(*(tenth * x for x in end))
    assert of.told("overall")[1].endswith("at closing_hinge, the end of body_8, the position is its place.")


@pytest.mark.parametrize("suffix", ["", "_a"])
def test_nothing_is_left_at_a_free_end(suffix: str) -> None:
    of = derive("planar_3r")
    found = in_field(of, f"overall{suffix}", f"T{suffix}")
    rows = found[f"overall{suffix}"]
    Q = rows.extract([0, 1], [0, 1]).lu_solve(-rows.extract([0, 1], [2])).to_list_flat()
    state = found[f"T{suffix}"] * column(0, 0, 0, 0, *Q, 1)
    assert state.extract([3, 4, 5], [0]) == column(0, 0, 0)
    assert "at the free end of link3" in of.told(f"T{suffix}")[1]


def test_signs_as_they_are_printed() -> None:
    found = in_field(derive("double_pendulum"), "T", "T_printed")
    signs = DomainMatrix.diag([FIELD(x) for x in (1, 1, 1, 1, -1, -1, 1)], FIELD).to_dense()
    assert found["T_printed"] == signs * found["T"]


def forked() -> Model:
    """A tree with forces whose branches fork, with joints and axes of both senses, and bodies welded together."""

    def body(name: str, k: int) -> mbsym.Body:
        return mbsym.Body(name, k, ("1/5", f"{k}/30", 0), (0, 0, f"{k}/7", 0, 0, 0))

    def joint(name: str, inner: str, outer: str, x: str, z: int = 1) -> mbsym.Joint:
        at = mbsym.Placement((x, "1/10", 0))
        return mbsym.Joint(name, "revolute", inner, outer, axis=(0, 0, z), predecessor_placement=at)

    backwards = mbsym.Joint(
        "j5", "revolute", "e", "b", axis=(0, 0, 1), successor_placement=mbsym.Placement((1, "1/10", 0))
    )
    weld = mbsym.Joint("weld", "fixed", "c", "tool", predecessor_placement=mbsym.Placement(("1/2", 0, 0)))
    joints = (
        joint("j1", "ground", "a", "1/4"), joint("j2", "a", "b", "2"), joint("j3", "a", "c", "2", -1),
        joint("j4", "b", "d", "1"), backwards, joint("j6", "e", "f", "1/2"), joint("j7", "tool", "g", "1/2"), weld,
    )  # fmt: skip
    bodies = tuple(body(name, k) for k, name in enumerate((*"abcdefg", "tool"), start=1))
    forces = (
        mbsym.JointSpring("spring", "j3", 3, "1/5"),
        mbsym.JointDamper("damper", "j5", 2),
        mbsym.PointSpringDamper("rope", "ground", "g", 20, 1, "3/10", (1, 2, 0), ("1/2", 0, 0)),
        mbsym.JointForce("push", "j2", "3*q_j2**2"),
    )
    return Model("forked", bodies, joints, forces=forces, gravity=(0, "-9.8", 0))


def test_forks_welds_and_joints_both_ways_have_the_accelerations_of_the_recursion() -> None:
    of = derive(forked())
    m = of.mechanism
    turning = [f"T_a(ground, {name})" for name in "abcdefg"]
    found = in_field(of, "overall_a", *turning)
    rows = found["overall_a"]
    Q = rows.extract([0, 1], [0, 1]).lu_solve(-rows.extract([0, 1], [2])).to_list_flat()
    root = column(0, 0, 0, 0, *Q, 1)
    alpha = {name: (found[T] * root)[2, 0].element for name, T in zip("abcdefg", turning, strict=True)}
    vdot = at_one_point(of, {}, [TREE_FUNCTIONS["forward_dynamics"](m)])["forward_dynamics"].to_list_flat()
    ends = {"j1": ("", "a", 1), "j2": ("a", "b", 1), "j3": ("a", "c", -1), "j4": ("b", "d", 1), "j5": ("e", "b", 1)}
    ends |= {"j6": ("e", "f", 1), "j7": ("c", "g", 1)}
    for name, rate in zip(m.speed_names, vdot, strict=True):
        inner, outer, sign = ends[name.removeprefix("v_")]
        assert rate == FIELD(sign) * (alpha[outer] - alpha.get(inner, FIELD(0)))
    # Welded bodies are one element, by either name.
    both = in_field(of, "U_a(c)", "U_a(tool)")
    assert both["U_a(c)"] == both["U_a(tool)"]


# ---- elements --------------------------------------------------------------------------------------------------------


def sprung(holds_rotation: bool = True) -> Model:
    """A mass on a bushing and a rod on a hinge, each with spring and damper, one of rotation too."""
    bodies = tuple(mbsym.Body(name, 2, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for name in ("mass", "rod"))
    joints = (
        mbsym.Joint("bushing", "planar", "ground", "mass"),
        mbsym.Joint("pin", "revolute", "mass", "rod", axis=(0, 0, 1)),
    )
    springs = tuple(mbsym.JointSpring(f"s{k}", "bushing", 300, 0.1 * k, k) for k in (0, 1))
    dampers = tuple(mbsym.JointDamper(f"d{k}", "bushing", 7, k) for k in (0, 1))
    on_pin = mbsym.JointSpring("torsion", "pin", 5, 0.2), mbsym.JointDamper("brake", "pin", 2)
    turning = (mbsym.JointSpring("turning", "bushing", 4, 0, 2),) if holds_rotation else ()
    return Model("sprung", bodies, joints, forces=(*springs, *dampers, *on_pin, *turning))


def test_springs_and_dampers_are_elements_of_steps() -> None:
    of = derive(sprung())
    rng = np.random.default_rng(3)
    state, scheme = rng.uniform(-1, 1, 7), {"A": 30.0}

    def element(name: str) -> np.ndarray:
        program = of.quantity(name)(of.mechanism)  # type: ignore[misc]
        point = {item.name: np.zeros(item.shape) for item in program.inputs}
        names = [str(program.graph.arguments[ref][0]) for ref in program.inputs[-1].symbols]
        for each in names:
            scheme.setdefault(each, float(rng.uniform(-1, 1)))
        point["scheme"] = np.array([scheme[each] for each in names])
        (U,) = interpret(program, point).values()
        return U

    state[6] = 1
    x, theta, M, Q = state[:2], state[2], state[3], state[4:6]
    behind = element("U(pin)") @ state
    turning = 30 * (behind[2] - theta) + scheme["B_rod_theta"] - scheme["B_mass_theta"]
    assert pytest.approx(-5 * (behind[2] - theta - 0.2) - 2 * turning, rel=1e-12) == M
    behind = element("U(bushing)") @ state
    assert pytest.approx(-4 * behind[2] + 4 * theta, rel=1e-12) == M
    moving = 30 * (behind[:2] - x) + [scheme["B_mass_input_x"], scheme["B_mass_input_y"]]
    np.testing.assert_allclose(Q, -300 * (behind[:2] - x - [0, 0.1]) - 7 * moving, rtol=1e-12)


def test_quantities_by_hand_are_those_of_the_model() -> None:
    m, l, q, v, tau = sp.symbols("m2 l2 q_elbow v_elbow tau_elbow")
    angle, speed = q + sp.Symbol("q_shoulder"), v + sp.Symbol("v_shoulder")
    # In the axes z and x of the plane, about y; it swings about -y.
    rho = sp.Matrix([-sp.cos(angle), sp.sin(angle)]) * l / 2
    across, g = sp.Matrix([-rho[1], rho[0]]), sp.Matrix([sp.Rational("-9.81"), 0])
    U = sp.eye(7)
    U[0:2, 2], U[0:2, 6] = across, -(speed**2) * rho
    U[3, 2], U[3, 4], U[3, 5], U[3, 6] = -m * l**2 / 12, rho[1], -rho[0], -tau
    U[4:6, 0:2], U[4:6, 2], U[4:6, 6] = -m * sp.eye(2), -m * across, m * (g + speed**2 * rho)
    mine = {"U_a(lower_rod)": U}
    assert_same_equations(mine, "double_pendulum", formulation="transfer-matrix")
    U[5, 2] = -U[5, 2]
    with pytest.raises(AssertionError, match=r"U_a\(lower_rod\)\[5, 2\] is different"):
        assert_same_equations(mine, "double_pendulum", formulation="transfer-matrix")


# ---- what there is not -----------------------------------------------------------------------------------------------


def with_rotor(place: int = 0) -> Model:
    model = examples.load("double_pendulum")
    joints = tuple(replace(joint, armature=0.1 * (k == place)) for k, joint in enumerate(model.joints))
    return replace(model, joints=joints)


def roped() -> Model:
    """Of steps the rope is an element, at an end of its own."""
    model = examples.load("double_pendulum")
    rope = mbsym.PointSpringDamper("rope", "ground", "upper_rod", 20, 1, 0.3, (1, 0, 0.5), (0, 0, -0.1))
    return replace(model, forces=(rope,))


def percussion(kind: str) -> Model:
    """A dumbbell hinged at one end and loaded at the other, J = m l^2 / 4."""
    bodies = (
        mbsym.Body("dumbbell", 2, (1, 0, 0), (1, 2, 2, 0, 0, 0)),
        mbsym.Body("load", 1, (0.2, 0, 0), (1, 1, 1, 0, 0, 0)),
    )
    end, axis = mbsym.Placement((2, 0, 0)), {"axis": (0, 0, 1)} if kind == "revolute" else {}
    joints = (
        mbsym.Joint("root", kind, "ground", "dumbbell", **axis),
        mbsym.Joint("end", kind, "dumbbell", "load", predecessor_placement=end, **axis),
    )
    return Model("percussion", bodies, joints)


@pytest.mark.parametrize(
    ("model", "name", "said"),
    [
        ("double_pendulum", "T(lower_rod, upper_rod)", "upper_rod is not outboard of lower_rod.*start from ground"),
        ("rhombus_planar", "T_a(body_9, body_10)", "no transfer leads there: .*start from ground, body_2"),
        ("rhombus_planar", "T(body_4, body_4)", "body_4 is not outboard of body_4"),
        ("rhombus_planar", "T(body_4, ground)", "ground is not outboard of body_4.*end at a body"),
        ("rhombus_planar", "T(body_4)", r"'body_4' is no two of them; say T\(FROM, TO\)"),
        ("rhombus_planar", "U(closing_hinge)", "closing_hinge closes a loop and is no element"),
        ("rhombus_planar", "U(body_5)", "no element is called 'body_5'; there are hinge_1, body_2"),
        ("rhombus_planar", "overall(body_4)", r"overall has no part \(body_4\); ask for overall as a whole"),
        ("rhombus_planar", "U(body_4", "U has no part"),
        ("rhombus_spatial", "U(body_2)", "in space the matrices of a step hold the rotation variable.*such as U_a"),
        ("five_bar", "overall", "there is no overall: products are shown for one loop, cut at ground"),
        ("cart_pole", "U", "joint rail: there is a closed form of pins, of balls and of bushings"),
        (with_rotor(), "U_a(shoulder)", "the closed form of a hinge has no rotor inertia"),
        (with_rotor(), "T_a", "there is no T_a: products are shown for hinges without rotor inertia"),
        (sprung(), "T", "there is no T: products are shown for systems of pins, or of balls"),
        (
            sprung(holds_rotation=False),
            "U(bushing)",
            "the next hinge, pin, carries a moment, so that M = 0 tells no angle",
        ),
        (with_rotor(1), "U_a(shoulder)", "the next hinge, elbow, carries a moment"),
        (roped(), "U(upper_rod)", "upper_rod has several output ends, whose forces no one matrix takes"),
        (sprung(), "U_a(bushing)", "what gives way passes no position on: its force is a load"),
        (percussion("revolute"), "U_a(root)", "this hinge is at its body's centre of percussion"),
        (percussion("spherical"), "T_a", "this hinge is at its body's centre of percussion"),
    ],
)
def test_what_there_is_not_says_why(model: Model | str, name: str, said: str) -> None:
    with pytest.raises(DerivationError, match=said):
        derive(model).matrix(name)


def test_the_command_line_asks_for_elements_and_ways(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["derive", "double_pendulum", "--formulation", "transfer-matrix", "--quantity"]
    assert main([*line, "U_a(lower_rod),T(ground, upper_rod)", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert list(content["quantities"]) == ["U_a(lower_rod)", "T(ground, upper_rod)"]
    assert content["quantities"]["U_a(lower_rod)"]["shape"] == [7, 7]
    assert (
        "The way is ground -> upper_rod -> lower_rod." in content["quantities"]["T(ground, upper_rod)"]["description"]
    )
    assert main([*line, "T(lower_rod, upper_rod)"]) == 2
    assert "is not outboard of" in capsys.readouterr().err


@pytest.mark.parametrize(("form", "name"), [("latex", r"ground, upper\_rod"), ("html", "ground, upper_rod")])
def test_documents_show_a_part_under_its_name(form: str, name: str) -> None:
    text = document(derive("double_pendulum"), form, ("T(ground, upper_rod)",))
    assert f"Transfer T along the path, in steps: {name}" in text
