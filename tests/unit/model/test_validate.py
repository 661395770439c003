"""Checks of models built in Python: what is wrong is found at its entry, what is right passes."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.constraints import DistanceConstraint, GearConstraint, PointOnLineConstraint
from mbsym.errors import ModelError
from mbsym.forces import (
    Actuator,
    AppliedWrench,
    ForceElement,
    JointForce,
    JointFriction,
    JointSpring,
    PointSpringDamper,
)
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Body, Placement
from mbsym.model.geometry import principal_moments
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.model.validate import require_valid, validate
from mbsym.values.diagnostic import Diagnostic
from mbsym.values.parameter import ControlInput, Parameter
from mechanisms.one_joint import one_joint

SOLID = (1, 1, 1, 0, 0, 0)


def chain(*types: str, **attributes: object) -> Model:
    """Solid bodies b1, b2, ... on joints j1, j2, ..., the last with the given attributes."""
    bodies = tuple(Body(f"b{k}", 1, inertia=SOLID) for k in range(1, len(types) + 1))
    joints = [
        Joint(f"j{k}", kind, f"b{k - 1}" if k > 1 else "ground", f"b{k}")  # type: ignore[arg-type]
        for k, kind in enumerate(types, 1)
    ]
    joints[-1] = replace(joints[-1], **attributes)  # type: ignore[arg-type]
    return Model("chain", bodies, tuple(joints))


def errors(model: Model, strict: bool = False) -> list[Diagnostic]:
    return [item for item in validate(model, strict) if item.severity == "error"]


def the_error(model: Model) -> Diagnostic:
    (error,) = errors(model)
    assert error.remedy
    return error


@pytest.mark.parametrize("kind", sorted(JOINT_TYPES))
def test_solid_bodies_on_any_joint_are_sound(kind: str) -> None:
    model = chain("revolute", kind)
    driven, joint = model.joints
    if joint.kind.numbers:
        assert errors(model)[0].what == "helical joint 'j2' has no pitch"
        joint = replace(joint, pitch="0.01")
    assert validate(replace(model, joints=(driven, joint))) == ()


@pytest.mark.parametrize(
    ("attributes", "path", "what"),
    [
        ({"axis": (0, 0, 0)}, ("joints", 1, "axis"), "is zero"),
        ({"axis": (0, 0)}, ("joints", 1, "axis"), "are not 3 numbers"),
        ({"axis": 3}, ("joints", 1, "axis"), "are not 3 numbers"),
        ({"axis": (0, 0, math.nan)}, ("joints", 1, "axis", 2), "nan"),
        ({"type": "helical", "pitch": math.inf}, ("joints", 1, "pitch"), "inf"),
        ({"pitch": 0.1}, ("joints", 1, "pitch"), "'pitch' means nothing for revolute joint 'j2'"),
        ({"numbers": (("lead", "0.1"),)}, ("joints", 1, "lead"), "'lead' means nothing for revolute joint 'j2'"),
        ({"second_axis": (1, 0, 0)}, ("joints", 1, "second_axis"), "means nothing for revolute joint 'j2'"),
        ({"armature": "-0.1"}, ("joints", 1, "armature"), "negative"),
        ({"lower": (1, 2)}, ("joints", 1, "lower"), "1 coordinates but 2 entries"),
        ({"effort": (1, 2)}, ("joints", 1, "effort"), "1 speeds but 2 entries"),
        ({"initial": ("x",)}, ("joints", 1, "initial", 0), "unknown name x"),
        ({"cut": "perhaps"}, ("joints", 1, "cut"), "'perhaps'"),
        ({"cut": "cut"}, ("joints", 1), "forced to be cut but lies in no loop"),
        ({"coordinates": ("a", "b")}, ("joints", 1, "coordinates"), "2 names"),
        ({"coordinates": ("2a",)}, ("joints", 1, "coordinates", 0), "is no identifier"),
        ({"coordinates": ("q",), "speeds": ("q",)}, ("joints", 1, "speeds", 0), "has the name of a coordinate"),
        ({"name": "j1"}, ("joints", 1, "name"), "named 'j1'"),
        ({"name": ""}, ("joints", 1, "name"), "is empty"),
        ({"name": 3}, ("joints", 1, "name"), "is 3, no text"),
        ({"name": "a\nb"}, ("joints", 1, "name"), "holds the character"),
        ({"type": "hinge"}, ("joints", 1, "type"), "no joint type 'hinge'"),
        ({"predecessor": "b3"}, ("joints", 1, "predecessor"), "does not exist"),
        ({"predecessor": "b2"}, ("joints", 1, "successor"), "with itself"),
        (
            {"predecessor_placement": Placement((0, 0, "nan"))},
            ("joints", 1, "predecessor_placement", "translation", 2),
            "nan",
        ),
        (
            {"successor_placement": Placement(quaternion=(0, 0, 0, 0))},
            ("joints", 1, "successor_placement", "quaternion"),
            "is zero",
        ),
        (
            {"successor_placement": Placement(rotation=(("z", 1),), quaternion=(1, 0, 0, 0))},
            ("joints", 1, "successor_placement", "quaternion"),
            "both a rotation and a quaternion",
        ),
        (
            {"successor_placement": Placement(rotation=(("w", 1),))},  # type: ignore[arg-type]
            ("joints", 1, "successor_placement", "rotation", 0),
            "is no rotation",
        ),
    ],
)
def test_mistakes_in_joints_are_found(attributes: dict[str, object], path: tuple[object, ...], what: str) -> None:
    error = the_error(chain("revolute", "revolute", **attributes))
    assert error.path == path
    assert what in error.what


def test_axes_of_a_universal_joint_are_perpendicular() -> None:
    assert validate(chain("universal", axis=(1, 1, 0), second_axis=(1, -1, 0))) == ()
    assert validate(chain("universal")) == ()  # takes a second axis of its own
    error = the_error(chain("universal", axis=(1, 1, 0), second_axis=(1, 0, 0)))
    assert error.path == ("joints", 0, "second_axis")
    assert "zero" in the_error(chain("universal", second_axis=(0, 0, 0))).what


def test_a_quaternion_to_start_from_is_not_zero() -> None:
    assert the_error(chain("spherical", initial=(0, 0, 0, 0))).path == ("joints", 0, "initial")
    assert the_error(chain("free", initial=(0, 0, 0, 0, 1, 2, 3))).path == ("joints", 0, "initial")


@pytest.mark.parametrize(
    "inertia",
    [
        (0, 1, 1, 0, 0, 0),  # thin rod
        ("1/3", "1/3", "2/3", 0, 0, 0),  # thin plate
        ("0.1", "0.2", "0.3", 0, 0, 0),  # thin plate of unequal sides
        (2, 2, 2, "0.5", "0.5", "0.5"),
        (1, 1, "1e-9", 0, 0, 0),
        ("1e-12", "1e-12", "1e-12", 0, 0, 0),
    ],
)
def test_limit_cases_of_inertia_are_accepted(inertia: tuple[object, ...]) -> None:
    assert validate(one_joint("spherical", Body("b", 1, (0, 0, 1), inertia))) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("inertia", "what"),
    [
        ((1, 1, 5, 0, 0, 0), "of which the largest exceeds"),
        ((1, 1, -1, 0, 0, 0), "negative principal moment"),
        ((1, 1, 1, 2, 0, 0), "negative principal moment"),
        ((1, 1, 1, "0.9", 0, 0), "of which the largest exceeds"),
    ],
)
def test_impossible_inertias_are_errors_but_in_measured_robots(inertia: tuple[object, ...], what: str) -> None:
    model = one_joint("spherical", Body("b", 1, (0, 0, 1), inertia))  # type: ignore[arg-type]
    error = the_error(model)
    assert error.path == ("bodies", 0, "inertia")
    assert what in error.what and "'b'" in error.what
    measured = replace(model, accept_impossible_inertia=True)
    (warning,) = validate(measured)
    assert warning == replace(error, severity="warning")
    assert errors(measured, strict=True) == [error]


def test_inertias_rounded_in_print_are_warnings() -> None:
    (warning,) = validate(one_joint("spherical", Body("b", 1, (0, 0, 1), ("0.0208", "0.0208", "0.0417", 0, 0, 0))))
    assert warning.severity == "warning" and "by 0.24 %" in warning.what


def test_inertia_may_refer_to_the_frame() -> None:
    about_frame = Body("b", 2, (0, 0, 3), (19, 19, 1, 0, 0, 0), "frame")
    assert validate(one_joint("spherical", about_frame)) == ()
    assert (
        "negative principal"
        in the_error(one_joint("spherical", replace(about_frame, inertia=(17, 19, 1, 0, 0, 0)))).what
    )


def test_planar_models_need_one_moment_only() -> None:
    flat = (0, 0, 1, 0, 0, 0)
    bodies = (Body("a", 1, (1, 0, 0), flat), Body("b", 1, (1, 0, 0), flat), Body("c", 1, (0, 1, 0), (0, 1, 0, 0, 0, 0)))
    turned = Placement(rotation=(("x", "pi/2"),))
    joints = (
        Joint("x", "prismatic", "ground", "a", (1, 0, 0)),
        Joint("y", "revolute", "a", "b"),
        # the third body's own y axis is the normal of the plane
        Joint("z", "revolute", "c", "b", (0, 1, 0), successor_placement=turned, cut="tree"),
    )
    assert validate(Model("planar", bodies, joints)) == ()
    spatial = replace(joints[1], axis=(0, 1, 0))
    found = validate(Model("spatial", bodies, (joints[0], spatial, joints[2])))
    assert {item.severity for item in found} == {"warning"}
    assert all("inertia about one axis only" in item.what for item in found)


@pytest.mark.parametrize(
    ("body", "kind", "sound"),
    [
        (Body("b", 1), "prismatic", True),
        (Body("b", 1), "revolute", False),
        (Body("b", 1, (1, 0, 0)), "revolute", True),
        (Body("b", 1, (0, 0, 1)), "revolute", False),
        (Body("b", 1, (1, 0, 0)), "spherical", False),
        (Body("b", 1, (1, 0, 0), (1, 1, 1, 0, 0, 0)), "spherical", True),
        (Body("b", 1, (1, 0, 0), (0, 1, 1, 0, 0, 0)), "spherical", False),
        (Body("b", 1, (0, 1, 0), (0, 1, 1, 0, 0, 0)), "spherical", True),
        (Body("b", 1), "free", False),
        (Body("b", 0, inertia=(1, 1, 1, 0, 0, 0)), "prismatic", False),
        (Body("b", 0, inertia=(1, 1, 1, 0, 0, 0)), "revolute", True),
        (Body("b", 1), "helical", True),
        (Body("b"), "helical", False),
        (Body("b", 1, (0, 0, 1), (0, 0, 1, 0, 0, 0)), "planar", True),
        (Body("b", 1, (0, 0, 1)), "planar", False),
        (Body("b", 1, (1, 0, 0)), "cylindrical", True),
        (Body("b", 1, (0, 1, 0)), "universal", True),
        (Body("b", 1, (0, 0, 1)), "universal", False),
    ],
)
def test_zero_inertia_matters_where_it_makes_the_mass_matrix_singular(body: Body, kind: str, sound: bool) -> None:
    other = Body("other", 1, inertia=SOLID)
    pitch = "0.1" if kind == "helical" else 0
    joints = (Joint("k", "free", "ground", "other"), Joint("j", kind, "other", "b", pitch=pitch))  # type: ignore[arg-type]
    model = Model("m", (other, body), joints)
    found = [item for item in errors(model) if "no inertia against a motion" in item.what]
    assert (found == []) == sound
    backward = replace(joints[1], predecessor="b", successor="other")
    found = [item for item in errors(replace(model, joints=(joints[0], backward))) if "no inertia" in item.what]
    assert (found == []) == sound
    armature = replace(joints[1], armature=1)
    assert not [item for item in errors(replace(model, joints=(joints[0], armature))) if "no inertia" in item.what]


def test_massless_bodies_are_accepted_between_others() -> None:
    bodies = (Body("a"), Body("b"), Body("c", 1, (1, 1, 1), SOLID), Body("d"))
    joints = (
        Joint("1", "revolute", "ground", "a", (1, 0, 0)),
        Joint("2", "revolute", "a", "b", (0, 1, 0)),
        Joint("3", "revolute", "b", "c"),
        Joint("4", "fixed", "c", "d"),
    )
    assert validate(Model("wrist", bodies, joints)) == ()
    loose = replace(joints[3], type="revolute")
    error = the_error(Model("wrist", bodies, (*joints[:3], loose)))
    assert error.path == ("bodies", 3, "mass")


def test_a_body_counts_with_what_is_fixed_to_it() -> None:
    bodies = (Body("a"), Body("b", 1, (0, 0, 0)))
    joints = (
        Joint("1", "revolute", "ground", "a"),
        Joint("2", "fixed", "a", "b", predecessor_placement=Placement((1, 0, 0))),
    )
    assert validate(Model("m", bodies, joints)) == ()
    on_the_axis = replace(joints[1], predecessor_placement=Placement((0, 0, 1)))
    assert the_error(Model("m", bodies, (joints[0], on_the_axis))).path == ("bodies", 0, "mass")


def test_negative_masses_are_errors_even_in_imports() -> None:
    model = one_joint("spherical", Body("b", -1, inertia=SOLID))
    assert the_error(replace(model, accept_impossible_inertia=True)).path == ("bodies", 0, "mass")


def test_topology_alone_is_a_warning() -> None:
    (warning,) = validate(one_joint("spherical", Body("b")))
    assert warning.severity == "warning" and "topology" in warning.what


@pytest.mark.parametrize(
    ("changes", "path", "what"),
    [
        ({"name": "a/b"}, ("name",), "holds the character '/'"),
        ({"name": "x*/"}, ("name",), "holds the character '*'"),
        ({"ground": "b1"}, ("bodies", 0, "name"), "has the name of ground"),
        ({"gravity": (0, 0)}, ("gravity",), "are not 3 numbers"),
        ({"gravity": (0, 0, "g")}, ("gravity", 2), "unknown name g"),
        ({"parameters": (Parameter("a", "b"), Parameter("b", 1))}, ("parameters", 0, "value"), "unknown name b"),
        ({"parameters": (Parameter("a", 1), Parameter("a", 1))}, ("parameters", 1, "name"), "the name of a parameter"),
        ({"parameters": (Parameter("class", 1),)}, ("parameters", 0, "name"), "a word of the expression language"),
        ({"parameters": (Parameter("a", 1),), "inputs": (ControlInput("a"),)}, ("inputs", 0, "name"), "a parameter"),
        ({"inputs": (ControlInput("t"),)}, ("inputs", 0, "name"), "has a meaning of its own"),
        ({"couplings": (Coupling("j1", "j9"),)}, ("couplings", 0, "source"), "does not exist"),
        ({"couplings": (Coupling("j2", "j1"),)}, ("couplings", 0, "joint"), "has 3 degrees of freedom"),
        ({"couplings": (Coupling("j1", "j1"),)}, ("couplings", 0, "source"), "in a circle: j1 <- j1"),
        ({"couplings": (Coupling("j1", "j3"), Coupling("j1", "j3"))}, ("couplings", 1, "joint"), "coupled twice"),
        ({"couplings": (Coupling("j1", "j3"), Coupling("j3", "j1"))}, ("couplings", 0, "source"), "j1 <- j3 <- j1"),
    ],
)
def test_mistakes_in_models_are_found(changes: dict[str, object], path: tuple[object, ...], what: str) -> None:
    error = the_error(replace(chain("revolute", "spherical", "prismatic"), **changes))  # type: ignore[arg-type]
    assert error.path == path
    assert what in error.what


@pytest.mark.parametrize(
    ("force", "path", "what"),
    [
        (JointSpring("f", "j9", 1), "joint", "does not exist"),
        (JointSpring("f", "j1", "k1"), "stiffness", "unknown name k1"),
        (JointSpring("f", "j1", "q_j1"), "stiffness", "unknown name q_j1"),
        (JointSpring("f", "j2", 1), "joint", "no rates of coordinates"),
        (JointSpring("f", "j1", 1, index=1), "index", "acts on speed 1"),
        (JointForce("f", "j2", "1", index=-1), "index", "acts on speed -1"),
        (JointForce("f", "j1", "q_j3"), "expression", "unknown name q_j3"),
        (JointForce("f", "j1", "import os"), "expression", "no expression"),
        (JointFriction("f", "j1", 1, 0), "transition_speed", "not positive"),
        (Actuator("f", "j1", "w"), "input", "does not exist"),
        (PointSpringDamper("f", "b1", "b9"), "second_body", "does not exist"),
        (PointSpringDamper("f", "b1", "b1"), "second_body", "with itself"),
        (AppliedWrench("f", "ground"), "body", "acts on ground"),
        (AppliedWrench("f", "b1", axes="world"), "axes", "no axes"),  # type: ignore[arg-type]
    ],
)
def test_mistakes_in_forces_are_found(force: ForceElement, path: str, what: str) -> None:
    model = replace(chain("revolute", "spherical"), inputs=(ControlInput("u"),), forces=(force,))
    error = the_error(model)
    assert error.path[:3] == ("forces", 0, path)
    assert what in error.what


def test_force_expressions_know_all_names() -> None:
    law = "k*q_j1 - v_j2_x*u + sin(t)*q_j2_w + (1 if v_j1 > 0 else -1)"
    model = replace(
        chain("revolute", "spherical"),
        parameters=(Parameter("k", 1),),
        inputs=(ControlInput("u"),),
        forces=(JointForce("f", "j1", law), AppliedWrench("w", "b2", ("u*t", "k", 0))),
    )
    assert validate(model) == ()


@pytest.mark.parametrize(
    ("constraint", "path"),
    [
        (DistanceConstraint("c", "b1", "b9", 1), "second_body"),
        (DistanceConstraint("c", "b1", "b1", 1), "second_body"),
        (DistanceConstraint("c", "b1", "b2", 0), "length"),
        (PointOnLineConstraint("c", "b1", "b2", line_direction=(0, 0, 0)), "line_direction"),
        (GearConstraint("c", "j1", "j2"), "second_joint"),
        (GearConstraint("c", "j1", "j7"), "second_joint"),
    ],
)
def test_mistakes_in_constraints_are_found(constraint: DistanceConstraint, path: str) -> None:
    assert the_error(replace(chain("revolute", "spherical"), constraints=(constraint,))).path[2] == path


def test_loose_bodies_are_errors_unless_roots_are_free() -> None:
    model = chain("revolute")
    loose = replace(model, bodies=(*model.bodies, Body("x", 1, inertia=SOLID), Body("y", 1, inertia=SOLID)))
    assert [item.path for item in errors(loose)] == [("bodies", 1), ("bodies", 2)]
    assert validate(replace(loose, free_roots=True)) == ()


def test_numbers_of_every_kind_are_values() -> None:
    import sympy

    l = sympy.Symbol("l")
    body = Body("b", Decimal("1.5"), (Fraction(1, 3), 0.1, l / 2), (l**2, l**2, sympy.Rational(1, 3) * l**2, 0, 0, 0))
    assert validate(replace(one_joint("spherical", body), parameters=(Parameter("l", 2.0),))) == ()


def test_require_valid_raises_all_errors_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        require_valid(chain("revolute", "revolute", axis=(0, 0, 0), armature=-1))
    first, second = str(caught.value).splitlines()
    assert first.startswith("chain: joints[1].axis: the axis of revolute joint 'j2' is zero")
    assert second.startswith("chain: joints[1].armature: the armature of revolute joint 'j2' is negative")
    assert require_valid(chain("revolute")) == ()


@given(st.tuples(*[st.floats(-10, 10)] * 6))
def test_principal_moments_are_eigenvalues(entries: tuple[float, float, float, float, float, float]) -> None:
    import numpy as np

    xx, yy, zz, xy, xz, yz = entries
    expected = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    # Backward stable both: a few units in the last place of the norm.
    assert principal_moments(*entries) == pytest.approx(tuple(expected), abs=1e-13)


def test_a_rotor_needs_a_speed() -> None:
    joint = Joint("weld", "fixed", "ground", "b", armature=1)
    (found,) = validate(Model("m", (Body("b", 1, inertia=(1, 1, 1, 0, 0, 0)),), (joint,)))
    assert found.what == "fixed joint 'weld' has an armature but no speed"
