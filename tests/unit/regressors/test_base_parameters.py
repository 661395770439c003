"""Base parameters: exact, as few as the rank of the regressor, as many as published, and written like an engineer's."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.cli.application import main
from mbsym.codegen.load import load_numpy
from mbsym.errors import DerivationError
from mbsym.formats.registry import LoadOptions
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, generate, read
from mbsym.regressors import base_parameters as room
from mbsym.regressors import grouping
from mbsym.regressors.base_parameters import base_parameters_of, require_unseen
from mbsym.regressors.columns import force_columns
from mbsym.regressors.functions import REGRESSOR_FUNCTIONS
from mbsym.regressors.grouping import Unseen
from mbsym.regressors.invariants import invariants
from mbsym.regressors.parameters import with_symbols
from mbsym.regressors.relations_text import relation, relations_text
from mbsym.regressors.sampled import dependencies, loop_rows, random_rows
from mbsym.symbolic.field_matrix import Echelon, rational
from mbsym.symbolic.finite_field import PRIME
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.verification.certificate import verify
from mechanisms.delta import delta
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree
from mechanisms.symbolic_parameters import SEEDS, Symbolic, model_named
from mechanisms.told import assert_as_told

TREES = ("double_pendulum", "cart_pole", "planar_3r", "spinning_top", "puma560", "floating_two_arm", "quadruped")
ROUGH = (2, 20)
"""Seeds whose relations are no short fractions."""

ROBOTS = {Path(str(item)).stem: Path(str(item.locate())) for item in files("example-robot-data") or ()
          if item.suffix == ".urdf"}  # fmt: skip

LOOPS = {"four_bar": 8, "slider_crank": 7, "five_bar": 13, "stewart_platform": 82, "rhombus_planar": 14,
         "rhombus_symmetric": 14, "rhombus_regular": 17, "rhombus_spatial": 53}  # fmt: skip
"""Bundled loops and their base parameters, dampers and motors included."""


def numeric_rank(mechanism: Mechanism, loops: LoopAnalysis | None = None) -> int:
    """Of the regressor of all standard parameters, by singular values of columns of length one."""
    columns = force_columns(mechanism)
    rows = (random_rows(mechanism, columns) if loops is None else loop_rows(mechanism, loops, columns)).matrix
    sizes = np.linalg.norm(rows, axis=0)
    felt = sizes > 1e-8 * sizes.max()
    values = np.linalg.svd(rows[:, felt] / sizes[felt], compute_uv=False)
    return int(np.sum(values > 1e-8 * values[0]))


@pytest.mark.parametrize("name", [*TREES, *(seed for seed in SEEDS if seed not in (*ROUGH, 26)), *further(26)])
def test_forces_are_the_base_regressor_times_the_base_parameters(
    name: str | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In GF(p), with a symbol for each standard parameter and for geometry that is symbolic; no number is rounded."""
    monkeypatch.setattr(grouping, "_LONG", 1 << 30)
    model, names = with_symbols(model_named(name))
    mechanism = mechanism_of(model)
    found = base_parameters_of(mechanism)
    assert found.exact
    one = constant(mechanism.graph, 1)
    values = [mechanism.names[each] if each else one for each in names]
    base = tuple(
        sum((number * values[column] for column, number in item.terms.items()), Scalar(mechanism.graph, 0))
        for item in found.base
    )
    case = Symbolic(mechanism, base)
    assert case.same(case.times(REGRESSOR_FUNCTIONS["base_regressor"](mechanism), "Y"), case.of("inverse_dynamics"))


@pytest.mark.parametrize("name", [*TREES, *SEEDS])
def test_they_are_as_many_as_the_numeric_rank(name: str | int) -> None:
    mechanism = mechanism_of(model_named(name))
    assert len(base_parameters_of(mechanism)) == numeric_rank(mechanism)


@pytest.mark.parametrize("name", [2, 20])
def test_rounded_relations_hold_in_floating_point(name: int) -> None:
    mechanism = mechanism_of(model_named(name))
    found = base_parameters_of(mechanism)
    assert not found.exact
    columns = force_columns(mechanism)
    rows = random_rows(mechanism, columns).matrix
    kept = rows[:, [item.column for item in found.base]]
    assert np.allclose(kept @ found.matrix(), rows, atol=1e-8 * np.abs(rows).max())


@pytest.mark.parametrize(
    "robot", ["ur5_robot", "panda", "solo12", *further("xarm7", "talos_left_arm", "z1", "tiago_pro")]
)
@pytest.mark.parametrize("floating", [False, True])
def test_robots_have_as_many_as_their_numeric_rank(robot: str, floating: bool) -> None:
    model = read(ROBOTS[robot], LoadOptions(floating=floating))
    mechanism = mechanism_of(model)
    assert len(base_parameters_of(mechanism)) == numeric_rank(mechanism)


@pytest.mark.parametrize("name", LOOPS)
def test_closed_loops_have_as_many_as_their_numeric_rank(name: str) -> None:
    mechanism = mechanism_of(examples.load(name))
    loops = analyse_loops(mechanism)
    found = base_parameters_of(mechanism, loops)
    assert len(found) == numeric_rank(mechanism, loops) == LOOPS[name]
    least, most = found.gap
    assert least > 1e6 * most, "what counts stands far above what does not"


def test_a_delta_robot_has_34() -> None:
    """On the branch where its platform keeps its orientation: there the rods of an arm move alike."""
    mechanism = mechanism_of(delta())
    loops = analyse_loops(mechanism)
    assert loops.mobility == 3
    found = base_parameters_of(mechanism, loops)
    assert len(found) == numeric_rank(mechanism, loops) == 34
    lines = [relation(found, item) for item in found.base]
    assert sum(line.startswith("right") and "_hy + left" in line for line in lines) == 3
    assert {found.columns[place].name for place in found.without_effect} >= {"platform_Izz", "platform_hx", "arm0_Ixx"}


# ---- published counts ------------------------------------------------------------------------------------------------


def arm(n: int, *, gravity: tuple[float, float, float], floating: bool = False) -> Model:
    """An arm of revolute joints in general position, its first axis along z."""
    bodies = tuple(Body(f"link{k}", 1, (0.1, 0.2, 0.3), (1, 2, 2.5, 0.1, 0.2, 0.3)) for k in range(1, n + 1))
    joints = tuple(
        Joint(
            f"joint{k}", "revolute", f"link{k - 1}" if k > 1 else "base" if floating else "ground", f"link{k}",
            predecessor_placement=Placement() if k == 1 else
            Placement((Fraction(k, 10), Fraction(3, 10), Fraction(1, 5)), (("x", Fraction(7 + k, 10)), ("z", 0.3))),
        )
        for k in range(1, n + 1)
    )  # fmt: skip
    if floating:
        bodies += (Body("base", 3, (0.1, 0, 0), (1, 2, 2.5, 0, 0, 0)),)
        joints += (Joint("free", "free", "ground", "base"),)
    return Model("arm", bodies, joints, gravity=gravity)


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (arm(7, gravity=(0, 0, -9.81)), 43),
        (arm(6, gravity=(0, 0, -9.81)), 36),
        (arm(7, gravity=(0, -9.81, 0)), 45),
        (arm(7, gravity=(0, 0, 0)), 43),
        (arm(6, gravity=(0, 0, -9.81), floating=True), 10 + 6 * 7),
    ],
    ids=["7R", "6R", "7R, first axis not along gravity", "7R without gravity", "6R on a floating base"],
)
def test_published_counts_of_general_arms(model: Model, count: int) -> None:
    """7 n - 4, less 2 where the first axis is along gravity (Mayeda, Yoshida, Osuka 1990); 7 n + 10 on a free base."""
    assert len(base_parameters_of(mechanism_of(model))) == count


def test_the_puma_560_has_the_published_ones() -> None:
    """36 of rigid links (Mayeda, Yoshida, Osuka 1990), and the rotors of joints 3 to 6."""
    found = mbsym.base_parameters("puma560")
    rotors = [item.name for item in found.base if item.name.endswith("armature")]
    assert (len(found), rotors) == (40, [f"joint{k}_armature" for k in (3, 4, 5, 6)])
    lines = [relation(found, item) for item in found.base]
    assert "link4_Izz_R = link4_Izz + link5_Iyy" in lines
    assert "link3_hx_R = link3_hx - 0.0203*(link4_mass + link5_mass + link6_mass)" in lines
    assert "link6_Ixx_R = link6_Ixx - link6_Iyy" in lines


def test_relations_are_expressions_of_the_geometry() -> None:
    found = mbsym.base_parameters("planar_3r")
    assert [relation(found, item) for item in found.base] == [
        "link1_Izz_R = link1_Izz + l1**2*(link2_mass + link3_mass)",
        "link2_hx_R = link2_hx + l2*link3_mass",
        "link2_hy",
        "link2_Izz_R = link2_Izz + l2**2*link3_mass",
        "link3_hx",
        "link3_hy",
        "link3_Izz",
    ]
    numbers = mbsym.base_parameters("planar_3r", symbolic_parameters="none")
    assert np.allclose(found.matrix(), numbers.matrix())
    assert found.matrix({"l1": 3.0})[0].max() == 9.0


def test_rounding_of_angles_is_not_printed() -> None:
    """The panda's axes are parallel but for the last digits of its file."""
    found = mbsym.base_parameters(read(ROBOTS["panda"]))
    text = relations_text(found)
    assert "e-1" not in text and "1*(" not in text.replace("1*(", "", 0).replace(".1*(", "")
    assert "printed numbers are rounded to 6 digits" in text
    assert "printed numbers" not in relations_text(mbsym.base_parameters("puma560"))


def test_what_joints_cannot_tell_apart() -> None:
    """Mass and first moment on a hinge's axis and a ring about it; everything across a weld; nothing of a free body."""
    model = random_tree(2, bodies=(1, 4))
    sizes = {"revolute": 3, "prismatic": 6, "helical": 1, "cylindrical": 1, "planar": 1, "universal": 1,
             "spherical": 1, "free": 0, "fixed": 10}  # fmt: skip
    seen = set()
    for seed in SEEDS:
        mechanism = mechanism_of(random_tree(seed, bodies=(1, 4)))
        for body in mechanism.bodies:
            seen.add(body.joint.type)
            assert len(invariants(mechanism, body)) == sizes[body.joint.type], body.joint
    assert seen == set(sizes)
    assert model.bodies


# ---- how it is decided -----------------------------------------------------------------------------------------------


def test_a_change_that_is_seen_is_refused() -> None:
    mechanism = mechanism_of(examples.load("planar_3r"))
    one = constant(mechanism.graph, 1)
    with pytest.raises(DerivationError, match="should show is seen"):
        require_unseen(mechanism, (Unseen(1, {11: one}),))


def test_ranks_and_relations_modulo_a_prime() -> None:
    echelon = Echelon((2, 0, 1))
    assert echelon.add({0: 1, 1: 2, 2: 3})
    assert echelon.add({0: 2, 1: 4, 2: 1})
    assert not echelon.add({0: 3, 1: 6, 2: 4})
    assert (echelon.rank, echelon.pivots, echelon.combination(1)) == (2, (2, 0), {0: 2})
    assert rational(pow(7, -1, PRIME) * 3 % PRIME) == Fraction(3, 7)
    assert rational(-5 % PRIME) == -5
    assert rational(123456789012345678) is None


def test_columns_that_stand_clear_are_kept_first() -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 50))
    found = dependencies(np.column_stack([a, a + 1e-7 * b, b, c, 2 * a - c]), range(5))
    assert found.pivots == (0, 2, 3)
    assert found.relations[4] == pytest.approx({0: 2.0, 3: -1.0})
    assert found.relations[1] == pytest.approx({0: 1.0, 2: 1e-7}, abs=1e-12)


def test_axes_that_only_rounding_parts_count_as_one() -> None:
    model = arm(3, gravity=(0, -9.81, 0))
    level = replace(
        model, joints=tuple(replace(joint, predecessor_placement=Placement((0.5, 0, 0))) for joint in model.joints)
    )
    tilted = replace(
        level,
        joints=tuple(
            replace(joint, predecessor_placement=Placement((0.5, 0, 0), (("x", 3e-11),))) for joint in level.joints
        ),
    )
    plain, found = (base_parameters_of(mechanism_of(each)) for each in (level, tilted))
    assert len(found) == len(plain) == 9
    assert (plain.blurred, plain.exact) == (0, True)


# ---- in modules and on the command line ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cart_pole", "four_bar", *further("puma560")])
def test_certificates_check_the_base_regressor_and_its_relations(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, functions=["base_regressor"])
    assert (found := verify(tmp_path, states=3)).passed, found.summary()
    manifest = load_numpy(tmp_path / f"{name}.py").manifest
    header = (tmp_path / f"{name}.h").read_text()
    entries = manifest["base_parameters"]["base"]
    assert f"{name}_NBASE = {len(entries)}" in header
    assert f"{name}_BASE_{entries[0]['name']} = 0" in header
    assert f"Base parameters, {len(entries)} of" in header


def test_operations_of_the_base_regressor() -> None:
    options = GenerationOptions(functions=("base_regressor",))
    (program,) = derive(express(examples.load("puma560"), options), options).programs
    assert_as_told(program.operation_count().arithmetic, 710)


def test_the_command_line_tells_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "planar_3r"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(
        "planar_3r: 7 base parameters of 30 standard ones\nas many as the rank of the regressor at 3"
    )
    assert "  link2_hx_R = link2_hx + l2*link3_mass\n" in text
    assert "without effect on any force: link1_mass" in text
    assert main(["identify", "four_bar"]) == 0
    assert "along the motions that the loops leave" in capsys.readouterr().out
    assert main(["identify", "planar_3r", "--symbolic-parameters", "l9"]) == 2


def test_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "puma560", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["count"], found["standard"], found["proof"]["rank"]) == (40, 66, room.PROVED)
    first = found["base"][0]
    assert first["name"] == "link1_Izz_R"
    assert {"parameter": "link4_mass", "coefficient": "10469667/50000000", "value": 0.20939334} in first["terms"]
