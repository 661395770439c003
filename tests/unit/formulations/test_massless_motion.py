"""Where some motion moves no inertia, forward dynamics are refused with the names of what moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.massless_motion import massless_motion
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, generate_files
from mbsym.report.document import document
from mbsym.symbolic.interpret import interpret
from mbsym.values.parameter import Parameter
from mbsym.verification.random_state import random_state
from mechanisms.random_trees import random_tree

SOLID = Body("solid", 1, (0.1, 0, 0), (1, 2, 2.5, 0, 0, 0))
TILTED = Placement((0.3, 0.2, 0.1), (("x", "0.1"), ("y", "0.2")))


def carried(armature: float = 0, mass: float = 0) -> Model:
    """A body on a free joint that carries another by a revolute joint."""
    sky = Joint("sky", "free", "ground", "frame", armature=armature)
    hinge = Joint("hinge", "revolute", "frame", "solid", axis=(1, 2, 3), predecessor_placement=TILTED)
    return Model("carried", (Body("frame", mass), SOLID), (sky, hinge))


def test_a_massless_body_on_a_free_joint_that_carries_another_by_a_hinge() -> None:
    found = massless_motion(express(carried(), GenerationOptions()))
    assert found is not None
    assert (found.joints, found.bodies, found.count) == (("sky", "hinge"), ("frame",), 1)
    with pytest.raises(DerivationError) as caught:
        generate_files(carried())
    for words in ("singular in every configuration", "'sky'", "'hinge'", "'frame'", "armature", "`functions`"):
        assert words in str(caught.value)


@pytest.mark.parametrize("model", [carried(armature=0.1), carried(mass=1e-3)])
def test_an_armature_or_a_mass_resists(model: Model) -> None:
    assert massless_motion(express(model, GenerationOptions())) is None


def test_without_accelerations_a_singular_model_is_derived() -> None:
    for name in ("inverse_dynamics", "mass_matrix", "body_poses"):
        options = GenerationOptions(functions=(name,))
        assert derive(express(carried(), options), options).programs
    options = GenerationOptions(functions=("joint_wrenches",))
    with pytest.raises(DerivationError, match="singular in every configuration"):
        derive(express(carried(), options), options)


@pytest.mark.parametrize("formulation", ["auto", "newton-euler", "kane", "cfa", "cfa-kkt", "transfer-matrix"])
def test_every_formulation_refuses(formulation: str) -> None:
    options = GenerationOptions(formulation=formulation)
    with pytest.raises(DerivationError):
        derive(express(carried(), options), options)


def test_so_do_transfer_matrices_of_bodies_that_they_cover() -> None:
    """Two hinges about one line, of which the sum of the angles alone moves what has inertia."""
    joints = (Joint("first", "revolute", "ground", "frame"), Joint("second", "revolute", "frame", "solid"))
    options = GenerationOptions(formulation="transfer-matrix")
    solid = Body("solid", 1, (0.1, 0, 0), (1, 1, 2, 0, 0, 0))
    with pytest.raises(DerivationError, match="singular in every configuration"):
        derive(express(Model("line", (Body("frame", 1), solid), joints), options), options)
    assert derive(express(Model("line", (replace(solid, name="frame"), solid), joints), options), options).fixed


def four_bar(mass: float) -> Model:
    model = mbsym.examples.load("four_bar")
    bodies = tuple(
        Body("coupler", mass, inertia=(mass, mass, mass, 0, 0, 0)) if body.name == "coupler" else body
        for body in model.bodies
    )
    cut = tuple(replace(joint, cut="cut") if joint.name == "C" else joint for joint in model.joints)
    return replace(model, bodies=bodies, joints=cut)


def test_a_loop_names_the_body(tmp_path: Path) -> None:
    with pytest.raises(DerivationError) as caught:
        mbsym.generate(four_bar(0), tmp_path)
    assert caught.value.where == "joint B"
    assert "joint 'B' can move body 'coupler' without" in str(caught.value)
    assert "constraint of distance, or cut other joints" in str(caught.value)
    assert not list(tmp_path.iterdir())
    with pytest.raises(DerivationError, match="'coupler'"):
        document(mbsym.derive(four_bar(0)), "text")
    generate_files(four_bar(1))


def test_symbolic_masses_are_not_zero() -> None:
    model = replace(carried(), parameters=(Parameter("m", 1, "kg", True),), bodies=(Body("frame", "m"), SOLID))
    assert massless_motion(express(model, GenerationOptions())) is None
    gone = replace(model, bodies=(Body("frame", "m - m"), SOLID))
    assert massless_motion(express(gone, GenerationOptions())) is not None


def test_a_body_that_cancels_in_every_configuration_is_found_though_no_entry_is_zero() -> None:
    """Two hinges about one line: only the sum of their angles moves the solid."""
    first = Joint("first", "revolute", "ground", "frame", predecessor_placement=TILTED, axis=(1, 2, 2))
    second = Joint("second", "revolute", "frame", "solid", axis=(1, 2, 2))
    model = Model("line", (Body("frame"), SOLID), (first, second))
    found = massless_motion(express(model, GenerationOptions()))
    assert found is not None and found.joints == ("first", "second") and found.bodies == ("frame",)
    geared = replace(model, couplings=(Coupling("second", "first", -1),))
    stuck = massless_motion(express(geared, GenerationOptions()))
    assert stuck is not None and stuck.count == 1 and stuck.joints == ("first",) and stuck.bodies == ("frame",)
    turning = replace(model, couplings=(Coupling("second", "first", 2),))
    assert massless_motion(express(turning, GenerationOptions())) is None


@pytest.mark.parametrize("k", range(10))
def test_what_rounded_sines_leave_of_zero_moves_no_inertia(k: int) -> None:
    """Hinges about one line, told by one angle and by the sum of two; a point on a ball joint, about its direction."""
    a, b = round(0.1 + 0.17 * k, 3), round(0.3 + 0.13 * k, 3)
    one, two = (Placement((0.2, 0.1, 0.3), turns) for turns in ((("x", round(a + b, 3)),), (("x", a), ("x", b))))
    hinges = (
        Joint("first", "revolute", "ground", "frame", successor_placement=one),
        Joint("second", "revolute", "frame", "solid", predecessor_placement=two),
    )
    found = massless_motion(express(Model("line", (Body("frame"), SOLID), hinges), GenerationOptions()))
    assert found is not None
    assert (found.joints, found.bodies, found.count) == (("first", "second"), ("frame",), 1)
    point = Body("point", 1.5, (0.1 + 0.01 * k, 0.21, -0.17))
    ball = Joint(
        "ball", "spherical", "point", "solid", predecessor_placement=Placement((0.3, 0.1, 0), (("z", a), ("x", b)))
    )
    hung = Model("hung", (point, SOLID), (Joint("hinge", "revolute", "ground", "solid"), ball))
    found = massless_motion(express(hung, GenerationOptions()))
    assert found is not None and (found.joints, found.bodies, found.count) == (("ball",), ("point",), 1)


@pytest.mark.parametrize("part", [1e-9, 1e-12])
def test_light_is_not_massless(part: float) -> None:
    light = Body("frame", part, inertia=(part, part, part, 0, 0, 0))
    assert massless_motion(express(replace(carried(), bodies=(light, SOLID)), GenerationOptions())) is None


@pytest.mark.parametrize("seed", range(40))
def test_as_many_motions_as_the_mass_matrix_lacks_rank(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_tree(seed, bodies=(2, 6), forces=False)
    bodies = tuple(Body(body.name) if rng.random() < 0.6 else body for body in model.bodies)
    if all(body.mass == 0 for body in bodies):
        bodies = (model.bodies[0], *bodies[1:])
    model = replace(model, bodies=bodies, joints=tuple(replace(joint, armature=0) for joint in model.joints))
    labelling = model.label()
    mechanism = build_mechanism(model, labelling)
    found = massless_motion(mechanism)
    q, _, _ = random_state(model, labelling, rng)
    M = np.array(interpret(TREE_FUNCTIONS["mass_matrix"](mechanism), {"q": q})["M"], dtype=float)
    sizes = np.linalg.eigvalsh(M) / max(np.abs(M).max(), 1e-300)
    assert (found.count if found is not None else 0) == int(np.sum(np.abs(sizes) < 1e-11))
