"""Constraint forces: their matrices, their limits, what they cost, and Pinocchio's joint forces."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import ceil, log2
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import sympy

from mbsym.codegen.build import compile_c
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.interface import render
from mbsym.codegen.load import c_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.write import write_files
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.block_system import BlockSystem, factorise, solve
from mbsym.formulations.constraint_force.elimination_order import leaf_to_root, rake_and_compress
from mbsym.formulations.constraint_force.in_parts import CFA_PARALLEL_FUNCTIONS
from mbsym.formulations.constraint_force.kkt import CFA_KKT_FUNCTIONS
from mbsym.formulations.constraint_force.leaf_to_root import CFA_BIAS_FUNCTIONS, CFA_FUNCTIONS
from mbsym.formulations.constraint_force.matrices import cfa_matrices
from mbsym.formulations.constraint_force.odd_even_elimination import CFA_ELIMINATION_FUNCTIONS, odd_even_elimination
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS, level_schedule
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.body import Body, Placement
from mbsym.model.system import Model
from mbsym.pipeline import optimise
from mbsym.reference import Reference
from mbsym.symbolic.equality import compare, is_zero
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program, count_operations
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.values.parameter import Parameter, Value
from mechanisms.block_condition import block_condition, condition
from mechanisms.examples import some
from mechanisms.kane_spatial import recursion_matrices
from mechanisms.mechanism import mechanism_of
from mechanisms.programs import make_program
from mechanisms.told import assert_as_told
from mechanisms.trees import arms, binary, chain, comb, tree_model

Functions = dict[str, Callable[[Mechanism], Program]]


def tree(parents: tuple[int, ...], kind: str) -> Mechanism:
    return mechanism_of(tree_model(parents, (kind,) * len(parents)), order="input")


# ---- operation counts ------------------------------------------------------------------------------------------------


def motion_and_wrenches(functions: Functions, mechanism: Mechanism) -> int:
    """Operations of vdot and all joint wrenches together."""
    programs = [functions[name](mechanism) for name in ("forward_dynamics", "joint_wrenches")]
    refs = [ref for program in programs for ref in program.output_references]
    return count_operations(mechanism.graph, mechanism.graph.reachable(refs)).arithmetic


PRINTED_COUNTS = {"revolute": (780, 1161), "cylindrical": (757, 1346), "spherical": (640, 689)}
"""Operations per added body of a chain, all wrenches included: the inertia form, and A with its L D L^T."""

REACHED_COUNTS = {"revolute": 767, "cylindrical": 731, "spherical": 538}
"""What the absolute form needs today; more is a loss."""


@pytest.mark.parametrize("kind", PRINTED_COUNTS)
def test_operations_per_added_body_of_a_chain(kind: str) -> None:
    first, second = (motion_and_wrenches(CFA_FUNCTIONS, tree(chain(n), kind)) for n in (6, 7))
    assert_as_told(second - first, REACHED_COUNTS[kind])
    assert second - first <= min(PRINTED_COUNTS[kind])


def test_operations_per_added_body_of_a_binary_tree() -> None:
    first, second = (motion_and_wrenches(CFA_FUNCTIONS, tree(binary(n), "revolute")) for n in (7, 15))
    assert (second - first) / 8 <= 1450


def symbolic_system(parents: tuple[int, ...], size: int = 5) -> tuple[BlockSystem, list[Scalar]]:
    """A and X of dense symbols with the coupling of a tree."""
    graph = Graph()
    n = len(parents)
    coupled = [(j, j) for j in range(1, n + 1)] + [(p, j) for j, p in enumerate(parents, start=1) if p]
    coupled += [
        (a, b) for b in range(1, n + 1) for a in range(1, b) if parents[a - 1] == parents[b - 1] and parents[b - 1]
    ]

    def entry(i: int, j: int, r: int, c: int) -> Scalar:
        r, c = (min(r, c), max(r, c)) if i == j else (r, c)
        return symbol(graph, f"A{i}_{j}_{r}_{c}")

    blocks = {(i, j): tuple(tuple(entry(i, j, r, c) for c in range(size)) for r in range(size)) for i, j in coupled}
    right = [symbol(graph, f"X{k}") for k in range(n * size)]
    return BlockSystem(graph, tuple(map(str, range(1, n + 1))), (size,) * n, blocks), right


def counts_of_solutions(parents: tuple[int, ...]) -> list[float]:
    """Operations per body: leaf to root, odd-even elimination, rake and compress."""
    found = []
    for way in ("root", "elimination", "reduction"):
        system, right = symbolic_system(parents)
        if way == "elimination":
            values = odd_even_elimination(system, parents, right)
        else:
            values = solve(system, leaf_to_root(parents) if way == "root" else rake_and_compress(parents), right)
        nodes = system.graph.reachable(x.ref for x in values)
        found.append(count_operations(system.graph, nodes).arithmetic / len(parents))
    return found


PRINTED_SOLUTIONS = {
    "chain 16": (chain(16), (654, 4778, 1079)),
    "chain 64": (chain(64), (682, 8042, 1373)),
    "arms 17": (arms(17), (1015, 3225, 1215)),
    "arms 65": (arms(65), (776, 5986, 1352)),
    "binary 15": (binary(15), (1048, 2.0e4, 1048)),
    "comb 16": (comb(16), (1026, 1.8e4, 1132)),
}
"""Printed operations per body of solving A F = X with five unknowns a joint."""


@pytest.mark.parametrize("name", some(PRINTED_SOLUTIONS, set(PRINTED_SOLUTIONS) - {"chain 64", "arms 65"}))
def test_operations_of_the_solution(name: str) -> None:
    parents, printed = PRINTED_SOLUTIONS[name]
    for found, bound in zip(counts_of_solutions(parents), printed, strict=True):
        assert found <= bound


@pytest.mark.more
def test_elimination_grows_with_the_chain_and_the_others_do_not() -> None:
    """Odd-even elimination touches every row in every round; its printed growth from 16 to 64 joints is 1.68."""
    short, long = counts_of_solutions(chain(16)), counts_of_solutions(chain(64))
    growth = [b / a for a, b in zip(short, long, strict=True)]
    assert growth[0] == pytest.approx(682 / 654, abs=0.05)
    assert growth[1] == pytest.approx(8042 / 4778, abs=0.05)
    assert growth[2] == pytest.approx(1373 / 1079, abs=0.05)
    assert long[1] > 6 * long[2] > 6 * long[0]


def test_rounds_of_the_reduction() -> None:
    assert len(rake_and_compress(chain(1023))) == 10
    assert len(rake_and_compress(comb(512))) <= 11
    assert len(rake_and_compress(binary(1023))) == 19
    for n in range(1, 40):
        assert len(rake_and_compress(chain(n))) <= ceil(log2(n + 1)) + 1


@pytest.mark.parametrize("parents", [chain(30), comb(30), binary(31), arms(29), (0,) + (1,) * 9])
def test_leaf_to_root_has_no_fill(parents: tuple[int, ...]) -> None:
    system, right = symbolic_system(parents, size=1)
    factorisation, _ = factorise(system, leaf_to_root(parents), [right])
    below = {(min(k, i) + 1, max(k, i) + 1) for k, column in factorisation.factors.items() for i in column}
    assert below == {pair for pair in system.blocks if pair[0] != pair[1]}


@pytest.mark.parametrize("parents", [chain(33), comb(40), binary(31), arms(29), (0, 0, 1, 1, 2, 2, 3)])
def test_rounds_hold_every_joint_once_and_are_independent(parents: tuple[int, ...]) -> None:
    rounds = rake_and_compress(parents)
    assert sorted(joint for joints in rounds for joint in joints) == list(range(1, len(parents) + 1))
    system, right = symbolic_system(parents, size=1)
    factorisation, _ = factorise(system, rounds, [right])
    for joints in rounds:
        for joint in joints:
            assert not {i + 1 for i in factorisation.factors[joint - 1]} & set(joints)
    fill = sum(len(column) for column in factorisation.factors.values()) - len(
        [pair for pair in system.blocks if pair[0] != pair[1]]
    )
    assert fill <= len(parents)


@pytest.mark.parametrize(
    ("functions", "nodes", "operations", "lines"),
    [(CFA_FUNCTIONS, 40239, 26427, 14462), (CFA_SERIAL_FUNCTIONS, 44229, 30431, 12555)],
    ids=["cfa", "cfa-serial"],
)
def test_what_deriving_and_compiling_thirty_bodies_takes(
    functions: Functions, nodes: int, operations: int, lines: int
) -> None:
    """Nodes that are made, operations and lines of C, none of whose functions is long; benchmarks have the seconds."""
    mechanism = tree((0, 1, 1, 2, 2, 3, *(k - 5 for k in range(7, 31))), "revolute")
    program = functions["forward_dynamics"](mechanism)
    assert_as_told(len(mechanism.graph.kinds), nodes)
    assert_as_told(program.operation_count().arithmetic, operations)
    (source,) = (file.text for file in render(ModuleDescription("tree", (program,)), ("c",)) if file.name == "tree.c")
    assert_as_told(source.count("\n"), lines)
    assert max(body.count("\n") for body in source.split("\n}\n")) < 2200


# ---- the matrices ----------------------------------------------------------------------------------------------------


def test_schedule_is_named_and_printed() -> None:
    mechanism = tree(chain(6), "revolute")
    assert level_schedule(mechanism) == (("J1", "J3", "J6"), ("J2", "J5"), ("J4",))
    program = CFA_SERIAL_FUNCTIONS["forward_dynamics"](mechanism)
    sections = {mechanism.graph.sections[mechanism.graph.section_of[node]] for node in program.nodes()}
    for number, joints in enumerate(((1, 3, 6), (2, 5), (4,)), start=1):
        for joint in joints:
            for stage in ("elimination", "substitution"):
                assert f"constraint forces, round {number}, {stage}: joint {joint}" in sections


@pytest.mark.more
def test_equal_joints_of_a_round_share_a_loop(tmp_path: Path) -> None:
    """A chain of equal links: inner joints of the first rounds are lanes, and the values are those of the recursion."""
    n = 20
    model = tree_model(chain(n), ("revolute",) * n)
    placement = Placement((0.3, 0.1, 0.05), (("x", 0.5), ("y", 0.2)))
    model = replace(
        model,
        bodies=tuple(replace(model.bodies[0], name=body.name) for body in model.bodies),
        joints=tuple(replace(joint, predecessor_placement=placement) for joint in model.joints),
    )
    mechanism = mechanism_of(model, order="input")
    program, _ = optimise(CFA_SERIAL_FUNCTIONS["forward_dynamics"](mechanism))
    write_files(tmp_path, render(ModuleDescription("links", (program,))))
    text = (tmp_path / "links.c").read_text()
    for stage in ("elimination", "substitution"):
        assert re.search(rf"round 1, {stage}:( joint)? 3, 5, 7, 9, 11, 13, 15, 17(, 19)?: [89] lanes", text)
    rng = np.random.default_rng(0)
    arguments = {name: rng.uniform(-1, 1, n) for name in ("q", "v", "tau")}
    module = c_module(compile_c(tmp_path, "links"), read_manifest(tmp_path))
    found = module.functions["forward_dynamics"](*arguments.values())
    expected = interpret(TREE_FUNCTIONS["forward_dynamics"](mechanism), arguments)["vdot"]
    # 1e-12 relative, times the condition of M.
    scale = 1e-12 * np.linalg.cond(interpret(TREE_FUNCTIONS["mass_matrix"](mechanism), {"q": arguments["q"]})["M"])
    np.testing.assert_allclose(found, expected, rtol=0, atol=scale * np.abs(expected).max())


def test_matrices_in_sympy_are_what_their_formulas_say() -> None:
    mechanism = mechanism_of(tree_model((0, 1, 1), ("revolute", "prismatic", "universal")), order="input")
    matrices = cfa_matrices(mechanism)
    assert isinstance(matrices.to_sympy("A"), sympy.BlockMatrix)
    state = {name: 0.1 + 0.2 * k for k, name in enumerate(("q_J1", "q_J2", "q_J3_1", "q_J3_2"))}
    names = [str(x) for x in matrices.to_sympy("A").as_explicit().free_symbols]
    assert set(names) <= set(state)

    def dense(name: str) -> np.ndarray:
        explicit = matrices.to_sympy(name).as_explicit()  # type: ignore[arg-type]
        return np.array(explicit.subs(state).evalf(30), dtype=float)

    H, H_bar, W, X, P, I = (dense(name) for name in ("H", "H_bar", "W", "X", "P", "I"))
    np.testing.assert_array_equal(P, np.eye(18) - X)
    np.testing.assert_allclose(H.T @ H_bar, np.eye(4), atol=1e-14)
    np.testing.assert_allclose(H.T @ W, 0, atol=1e-14)
    np.testing.assert_allclose(W.T @ W, np.eye(14), atol=1e-14)
    inner = P.T @ np.linalg.inv(I) @ P
    for name, left, right in (("A", W, W), ("B", W, H_bar), ("C", H_bar, H_bar)):
        expected = left.T @ inner @ right
        np.testing.assert_allclose(dense(name), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_d_has_the_rotors_and_nothing_else() -> None:
    model = tree_model((0, 1), ("revolute", "prismatic"))
    model = replace(model, joints=(replace(model.joints[0], armature=0.5), model.joints[1]))
    found = cfa_matrices(mechanism_of(model, order="input")).to_sympy("D").as_explicit()
    # Five directions that the first joint holds, its rotor's freedom with 1/a, five of the second.
    assert found == sympy.diag(*[0] * 5, 2, *[0] * 5)


def test_blocks_of_a_single_free_body() -> None:
    matrices = cfa_matrices(mechanism_of(tree_model((0,), ("free",)), order="input"))
    with pytest.raises(DerivationError, match="no entries"):
        matrices.to_sympy("A")
    assert matrices.block("C", 1, 1).shape == (6, 6)
    assert matrices.block("W", 1, 1).shape == (6, 0)


def test_recursion_matrix_is_minus_s_times_u6() -> None:
    mechanism = tree((0, 1, 1, 3, 3), "revolute")
    P, inverse = recursion_matrices(mechanism)
    assert P * inverse == sympy.eye(30)
    assert P[:6, :6] == sympy.eye(6)
    assert P[:6, 6:12] == -sympy.eye(6)


# ---- rotors, massless bodies, errors ---------------------------------------------------------------------------------


def test_rotor_inertias_join_the_constraint_side() -> None:
    model = tree_model((0, 1, 1, 3), ("revolute", "cylindrical", "helical", "universal"))
    joints = tuple(replace(joint, armature=0.1 * k) for k, joint in enumerate(model.joints, start=1))
    mechanism = mechanism_of(replace(model, joints=joints), order="input")
    assert cfa_matrices(mechanism).system.sizes == (6, 6, 6, 6)
    for functions in (CFA_FUNCTIONS, CFA_BIAS_FUNCTIONS, CFA_SERIAL_FUNCTIONS, CFA_ELIMINATION_FUNCTIONS):
        for name in ("forward_dynamics", "joint_wrenches"):
            assert compare(functions[name](mechanism), TREE_FUNCTIONS[name](mechanism))


MASSLESS = Body("B2")
POINT = Body("B2", 1.0, (0.1, 0, 0.2))
ROD = Body("B2", 1.0, (0.1, 0, 0.2), (0.1, 0, 0.1, 0, 0, 0))

BY_INVERSES = {
    "absolute": CFA_FUNCTIONS,
    "bias": CFA_BIAS_FUNCTIONS,
    "serial": CFA_SERIAL_FUNCTIONS,
    "elimination": CFA_ELIMINATION_FUNCTIONS,
    "parallel": CFA_PARALLEL_FUNCTIONS,
}


@pytest.mark.parametrize("body", [MASSLESS, POINT, ROD], ids=["massless", "point", "rod"])
def test_bodies_without_an_inverse_inertia_use_the_inertia_form(body: Body) -> None:
    model = tree_model((0, 1, 2, 2), ("revolute", "revolute", "spherical", "revolute"))
    mechanism = mechanism_of(replace(model, bodies=(model.bodies[0], body, *model.bodies[2:])), order="input")
    for functions in (CFA_FUNCTIONS, CFA_SERIAL_FUNCTIONS):
        for name in ("forward_dynamics", "joint_wrenches"):
            program = functions[name](mechanism)
            assert "inertia form, for body B2 has no inverse inertia" in program.description
            assert compare(program, KANE_FUNCTIONS[name](mechanism))
    reason = "it has no mass" if body is MASSLESS else "zero principal value"
    with pytest.raises(DerivationError, match=reason) as error:
        cfa_matrices(mechanism)
    assert error.value.where == "body B2"
    assert "give it mass and inertia" in error.value.remedy


@pytest.mark.parametrize("name", BY_INVERSES)
@pytest.mark.parametrize(("angle", "moment"), [(0.8, 0), (1.4, "k"), (1.5, 1e-9)], ids=["point", "symbolic", "rod"])
def test_points_and_rods_in_frames_that_are_turned(name: str, angle: float, moment: Value) -> None:
    """Turned by rounded sines, a moment about the centre that is zero is what rounding leaves of larger ones."""
    body = Body("B2", 2.8, (0.144, 0.099, 0.05), (moment, moment, 0, 0, 0, 0))
    model = tree_model((0, 1, 2), ("revolute", "revolute", "universal"))
    hinge = replace(
        model.joints[1],
        predecessor="B2",
        successor="B1",
        predecessor_placement=Placement((-0.2, 0.1, 0), (("z", angle), ("x", 0.7))),
        armature="2*a",
    )
    parameters = tuple(Parameter(name, value, symbolic=True) for name, value in (("a", 0.04), ("k", 0)))
    model = replace(
        model,
        bodies=(model.bodies[0], body, model.bodies[2]),
        joints=(model.joints[0], hinge, model.joints[2]),
        parameters=parameters,
    )
    mechanism = mechanism_of(model, order="input")
    state = {name: np.linspace(-0.7, 0.9, 4) for name in ("q", "v", "tau")}
    for function in ("forward_dynamics", "joint_wrenches"):
        (found,) = interpret(BY_INVERSES[name][function](mechanism), state).values()
        (expected,) = interpret(TREE_FUNCTIONS[function](mechanism), state).values()
        # Systems of a few unknowns with condition numbers of some thousands are solved.
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("name", BY_INVERSES)
@pytest.mark.parametrize("part", [1e-2, 1e-5, 1e-9])
def test_light_bodies_that_carry_heavy_ones(name: str, part: float) -> None:
    """More than seven digits are left, however light the first body of a chain is: the root in many robot files."""
    model = tree_model((0, 1, 2, 3), ("revolute",) * 4)
    moments = tuple(part * moment for moment in (0.1, 0.12, 0.11, 0, 0, 0))
    light = Body("B1", part, (0.1, 0.099, 0.05), moments)
    mechanism = mechanism_of(replace(model, bodies=(light, *model.bodies[1:])), order="input")
    state = {name: np.linspace(-0.7, 0.9, 4) for name in ("q", "v", "tau")}
    (found,) = interpret(BY_INVERSES[name]["forward_dynamics"](mechanism), state).values()
    (expected,) = interpret(TREE_FUNCTIONS["forward_dynamics"](mechanism), state).values()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())


SLIDES = (1, 100, 1000, 10000)
"""In metres, of the second joint of a chain."""


@cache
def slid(slide: float, count: int = 20) -> tuple[Mechanism, dict[str, np.ndarray], np.ndarray]:
    """Equal bodies whose second joint has slid so far, states, and conditions by the reference."""
    model = tree_model((0, 1, 2), ("revolute", "prismatic", "revolute"))
    placement = Placement((0.3, 0.1, 0.05), (("x", 0.4), ("y", 0.2)))
    model = replace(
        model,
        bodies=tuple(Body(body.name, 1, (0.1, 0.05, 0.2), (0.1, 0.1, 0.1, 0, 0, 0)) for body in model.bodies),
        joints=tuple(replace(joint, predecessor_placement=placement) for joint in model.joints),
    )
    mechanism = mechanism_of(model, order="input")
    rng = np.random.default_rng(5)
    state = {name: rng.uniform(-1, 1, (count, mechanism.nv)) for name in ("q", "v", "tau")}
    state["q"][:, 1] += slide
    reference = Reference(mechanism.model, mechanism.labelling)
    return mechanism, state, np.array([condition(reference, q) for q in state["q"]])


def off(functions: Functions, name: str, mechanism: Mechanism, state: dict[str, np.ndarray]) -> np.ndarray:
    """By how much a function departs from the recursion, of its largest entry, by states."""
    (found,), (expected,) = (interpret(each[name](mechanism), state).values() for each in (functions, TREE_FUNCTIONS))
    axes = tuple(range(1, expected.ndim))
    return np.abs(found - expected).max(axis=axes) / np.abs(expected).max(axis=axes)


@pytest.mark.parametrize("name", BY_INVERSES)
@pytest.mark.parametrize("function", ["forward_dynamics", "joint_wrenches"])
def test_digits_are_lost_as_the_condition_tells(name: str, function: str) -> None:
    """A joint's slide is an arm: beside the m L^2 that a body carries its own moments are nothing."""
    power = 2 if name == "elimination" else 1
    for slide in SLIDES:
        mechanism, state, conditions = slid(slide)
        found = off(BY_INVERSES[name], function, mechanism, state)
        # In 400 states of each slide it was 3 times and less, and a twentieth of the square.
        assert (found < 4 * 2.0**-52 * conditions**power).all(), slide
        # It is no bound that is never met.
        assert (found / conditions).max() > 0.01 * 2.0**-52, slide
        assert off(CFA_KKT_FUNCTIONS, function, mechanism, state).max() < 1e-12, slide
        if slide == 1000:  # what the page says
            assert found.max() < (1e-3 if name == "elimination" else 1e-7)


def test_that_condition_is_of_the_matrix_that_is_solved_and_of_no_choice_of_points() -> None:
    for slide in SLIDES:
        mechanism, state, conditions = slid(slide, 2)
        matrices = cfa_matrices(mechanism)
        entries = [entry for row in matrices.rows("A") for entry in row]
        sizes = matrices.row_sizes["A"]
        shape = (sum(sizes), sum(sizes))
        program = make_program(mechanism, "A", (mechanism.q,), [("A", shape, entries, "", "")], "")
        rng = np.random.default_rng(6)
        for q, expected in zip(state["q"], conditions, strict=True):
            matrix = interpret(program, {"q": q})["A"]
            other = np.zeros(shape)
            for first, last in pairwise(np.cumsum([0, *sizes])):
                other[first:last, first:last] = rng.normal(size=(last - first, last - first))
            for each in (matrix, other.T @ matrix @ other):
                assert block_condition(each, sizes) == pytest.approx(expected, rel=1e-2)


def test_rank_deficient_inertia_of_symbols_is_found() -> None:
    model = tree_model((0, 1), ("revolute", "revolute"))
    rod = Body("B2", "m", ("c", 0, 0.2), ("k*m", "k*m", "2*k*m - k*m*2", 0, 0, 0))
    parameters = tuple(Parameter(name, 0.5, symbolic=True) for name in ("m", "c", "k"))
    mechanism = mechanism_of(replace(model, bodies=(model.bodies[0], rod), parameters=parameters), order="input")
    with pytest.raises(DerivationError, match="body B2"):
        cfa_matrices(mechanism)


def test_symbolic_parameters_agree_with_the_recursion() -> None:
    model = tree_model((0, 1), ("revolute", "spherical"))
    link = Body("B2", "m", ("c", 0.1, 0.2), ("J1", "J2", "J3", "J4", 0, "J5"))
    parameters = tuple(Parameter(name, 0.5, symbolic=True) for name in ("m", "c", "J1", "J2", "J3", "J4", "J5"))
    mechanism = mechanism_of(replace(model, bodies=(model.bodies[0], link), parameters=parameters), order="input")
    for name in ("forward_dynamics", "joint_wrenches"):
        assert compare(CFA_FUNCTIONS[name](mechanism), TREE_FUNCTIONS[name](mechanism))


def test_a_massless_end_is_named() -> None:
    model = tree_model((0, 1), ("revolute", "revolute"))
    mechanism = mechanism_of(replace(model, bodies=(model.bodies[0], MASSLESS)), order="input")
    with pytest.raises(DerivationError, match="joint J2: nothing resists") as error:
        CFA_FUNCTIONS["forward_dynamics"](mechanism)
    assert "B2" in error.value.remedy


def test_singular_systems_name_the_joint() -> None:
    graph = Graph()
    zero, one = Scalar(graph, 0), Scalar(graph, 1)
    system = BlockSystem(graph, ("hinge",), (2,), {(1, 1): ((one, one), (one, one))})
    for way in (
        lambda: solve(system, leaf_to_root((0,)), [one, zero]),
        lambda: odd_even_elimination(system, (0,), [one, zero]),
    ):
        with pytest.raises(DerivationError, match="joint hinge"):
            way()


def test_a_welded_tree_is_held_by_its_welds() -> None:
    """Three bodies welded to ground: no freedom, and the welds carry the weight."""
    mechanism = mechanism_of(tree_model((0, 1, 1), ("fixed", "fixed", "fixed")), order="input")
    program = CFA_FUNCTIONS["joint_wrenches"](mechanism)
    wrenches = interpret(program, {"q": [], "v": [], "tau": []})["wrenches"]
    assert np.linalg.norm(wrenches[0, 3:]) == pytest.approx(9.81 * (1.5 + 2.0 + 2.5), rel=1e-12)
    assert compare(program, TREE_FUNCTIONS["joint_wrenches"](mechanism))


def test_constraint_matrix_is_symmetric_and_exactly_what_pivots_say() -> None:
    """A F - X = 0 for the F of each order, decided exactly."""
    mechanism = tree((0, 1, 1, 2), "revolute")
    system = cfa_matrices(mechanism).system
    graph = mechanism.graph
    right = [symbol(graph, f"x{k}") for k in range(system.starts[-1])]
    rows: list[dict[int, Scalar]] = [{} for _ in right]
    for pair in system.blocks:
        system.enter(pair, rows)
    parents = mechanism.labelling.inboard
    for values in (
        solve(system, leaf_to_root(parents), right),
        solve(system, rake_and_compress(parents), right),
        odd_even_elimination(system, parents, right),
    ):
        for row, x in zip(rows, right, strict=True):
            total = -x
            for k, entry in row.items():
                total = total + entry * values[k]
            assert is_zero(graph, total.ref)


# ---- Pinocchio -------------------------------------------------------------------------------------------------------

PIN_TYPES: tuple[str, ...] = ("revolute", "prismatic", "helical", "spherical", "free", "fixed")


def pinocchio_model(model: Model, parents: tuple[int, ...]) -> tuple[pin.Model, dict[int, int]]:
    """The same tree, bodies numbered alike; welded bodies are lumped, so they have no joint there."""
    twin = pin.Model()
    joint_of = {0: 0}
    placed = {0: pin.SE3.Identity()}
    for i, (joint, body, parent) in enumerate(zip(model.joints, model.bodies, parents, strict=True), start=1):
        turn = np.eye(3)
        for axis, angle in joint.predecessor_placement.rotation:
            turn = turn @ pin.AngleAxis(float(angle), np.eye(3)["xyz".index(axis)]).toRotationMatrix()
        frame = placed[parent] * pin.SE3(turn, np.array(joint.predecessor_placement.translation, dtype=float))
        makers = {
            "revolute": pin.JointModelRZ,
            "prismatic": pin.JointModelPZ,
            "spherical": pin.JointModelSpherical,
            "free": pin.JointModelFreeFlyer,
            "helical": lambda pitch=joint.pitch: pin.JointModelHZ(float(pitch)),
        }
        inertia = pin.Inertia(float(body.mass), np.array(body.center_of_mass, dtype=float), np.diag(body.inertia[:3]))
        if joint.type == "fixed":
            joint_of[i], placed[i] = joint_of[parent], frame
            twin.appendBodyToJoint(joint_of[i], inertia, frame)
            continue
        joint_of[i] = twin.addJoint(joint_of[parent], makers[joint.type](), frame, joint.name)
        placed[i] = pin.SE3.Identity()
        twin.appendBodyToJoint(joint_of[i], inertia, pin.SE3.Identity())
    return twin, joint_of


@pytest.mark.parametrize("seed", some(range(20), range(8)))
def test_wrenches_against_pinocchio(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    parents = tuple(int(rng.integers(max(0, i - 3), i)) for i in range(1, n + 1))
    kinds = tuple(str(rng.choice(PIN_TYPES, p=(0.3, 0.15, 0.15, 0.15, 0.1, 0.15))) for _ in range(n))
    model = tree_model(parents, kinds)  # type: ignore[arg-type]
    mechanism = mechanism_of(model, order="input")
    twin, joint_of = pinocchio_model(model, parents)
    data = twin.createData()
    q, v, tau = np.zeros(mechanism.nq), rng.uniform(-1, 1, mechanism.nv), rng.uniform(-2, 2, mechanism.nv)
    pin_q, pin_v, pin_tau = np.zeros(twin.nq), np.zeros(twin.nv), np.zeros(twin.nv)
    rates = np.zeros(mechanism.nv, dtype=int)
    for body in mechanism.bodies:
        number = int(body.name[1:])
        if body.joint.type == "fixed":
            continue
        here, there = slice(*body.q_range), twin.joints[joint_of[number]]
        speeds = np.arange(*body.v_range)
        columns = np.arange(there.idx_v, there.idx_v + there.nv)
        if body.joint.type in ("spherical", "free"):
            quaternion = rng.normal(size=4)
            quaternion /= np.linalg.norm(quaternion)
            position = rng.uniform(-1, 1, 3) if body.joint.type == "free" else np.zeros(0)
            q[here] = np.concatenate((quaternion, position))
            pin_q[there.idx_q : there.idx_q + there.nq] = np.concatenate((position, quaternion[1:], quaternion[:1]))
            if body.joint.type == "free":
                columns = np.roll(columns, 3)
        else:
            q[here] = pin_q[there.idx_q : there.idx_q + there.nq] = rng.uniform(-1, 1, there.nq)
        pin_v[columns], pin_tau[columns], rates[speeds] = v[speeds], tau[speeds], columns
    expected_rates = pin.aba(twin, data, pin_q, pin_v, pin_tau)
    scale = 1e-10 * np.linalg.cond(interpret(TREE_FUNCTIONS["mass_matrix"](mechanism), {"q": q})["M"])
    pin.rnea(twin, data, pin_q, pin_v, expected_rates)
    for functions in (CFA_FUNCTIONS, CFA_SERIAL_FUNCTIONS, KANE_FUNCTIONS):
        arguments = {"q": q, "v": v, "tau": tau}
        vdot = interpret(functions["forward_dynamics"](mechanism), arguments)["vdot"]
        np.testing.assert_allclose(vdot, expected_rates[rates], rtol=scale, atol=scale)
        wrenches = interpret(functions["joint_wrenches"](mechanism), arguments)["wrenches"]
        for body in mechanism.bodies:
            if body.joint.type != "fixed":
                force = data.f[joint_of[int(body.name[1:])]]
                expected = np.concatenate((force.angular, force.linear))
                size = max(1.0, float(np.abs(expected).max()))
                np.testing.assert_allclose(wrenches[body.label - 1], expected, rtol=0, atol=size * max(scale, 1e-10))


def test_norm_of_a_helical_joint_does_not_matter() -> None:
    """W of a helical joint is not normalised; the wrench is."""
    mechanism = tree((0, 1), "helical")
    H, W = (cfa_matrices(mechanism).rows(name) for name in ("H", "W"))  # type: ignore[arg-type]
    products = [
        sum((a[r] * b[c] for a, b in zip(H, W, strict=True)), Scalar(mechanism.graph, 0))
        for r in range(len(H[0]))
        for c in range(len(W[0]))
    ]
    program = make_program(mechanism, "p", (), [("p", (len(products),), products, "", "")], "")
    assert not interpret(program, {})["p"].any()
