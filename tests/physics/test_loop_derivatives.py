"""Derivatives with closed loops: exact where the code is straight-line, against differences where it is not.

Exact means in the field of 2^61 - 1 elements, at positions that close no loop as well as at others: what is compared
are functions of q, v and tau (or vdot and lambda) as they are defined everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.cli.application import main
from mbsym.codegen.load import LoadedModule, load_c, load_numpy
from mbsym.codegen.statuses import Status
from mbsym.derivatives.tangent import along, along_speeds
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.pipeline import generate, optimise
from mbsym.reference import Reference
from mbsym.registry import LOOP_DERIVATIVE_TERMS, contracts_of
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.verification.certificate import verify
from mbsym.verification.checks import Worst, check_function
from mbsym.verification.evidence import Companions, Evidence, Numbers
from mechanisms.examples import further, some
from mechanisms.mechanism import mechanism_of
from mechanisms.overconstrained import parallel_cranks
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.told import assert_as_told
from mechanisms.wrong_entries import with_wrong_entries

NAME, TERMS = "constrained_dynamics_derivatives", "constrained_derivative_terms"

LOOPS = (
    "four_bar",
    "five_bar",
    "slider_crank",
    "rhombus_planar",
    "rhombus_symmetric",
    "rhombus_regular",
    "rhombus_spatial",
    "stewart_platform",
)

SEEDS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 14, 16)
"""Random mechanisms; together they have every joint type in the tree and as what closes loops, rods and slots."""

SMALL_SEEDS = (21, 54, 69, 83, 101, 140, 155, 382, 458, 690, 149)
"""Small ones that together have every joint type in both places, rods, slots and all force elements."""

POINTS = ("distance", "point_on_line")
"""Constraints that leave as many coordinates as speeds free."""

Vectors = Sequence[Sequence[Scalar]]


def mechanism_named(name: str | int) -> tuple[Mechanism, LoopAnalysis]:
    if isinstance(name, int):
        model, _ = random_closed_loops(name, bodies=(2, 4), loops=(1, 2), constraints=POINTS)
    else:
        model = examples.load(name)
    mechanism = mechanism_of(model)
    return mechanism, analyse_loops(mechanism)


def outputs_of(program: Program) -> dict[str, Vectors]:
    found = {}
    for output in program.outputs:
        columns = output.shape[1] if len(output.shape) > 1 else 1
        flat = [Scalar(program.graph, ref) for ref in output.values]
        found[output.name] = [flat[k : k + columns] for k in range(0, len(flat), columns)]
    return found


def times(a: Vectors, b: Vectors, graph: Any) -> Vectors:
    zero = Scalar(graph, 0)
    return [
        [sum((x * row[j] for x, row in zip(left, b, strict=True) if x), zero) for j in range(len(b[0]) if b else 0)]
        for left in a
    ]


def difference(a: Vectors, b: Vectors) -> Vectors:
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def transposed(a: Vectors) -> Vectors:
    return [list(column) for column in zip(*a, strict=True)]


def vanish(mechanism: Mechanism, entries: Sequence[Scalar], inputs: Sequence[Input]) -> bool:
    """Whether all entries are zero for all values of the inputs, quaternions of unit length."""
    nothing = Scalar(mechanism.graph, 0).ref
    sides = (
        Program("side", mechanism.graph, tuple(inputs), (Output("entries", (len(refs),), refs),), mechanism.parameters)
        for refs in (tuple(x.ref for x in entries), (nothing,) * len(entries))
    )
    return bool(compare(*sides))


def balance(mechanism: Mechanism, loops: LoopAnalysis, vdot: Sequence[Scalar], multipliers: Sequence[Scalar]) -> Any:
    """ID - G^T lambda and G vdot - gamma as graphs."""
    graph = mechanism.graph
    program = TREE_FUNCTIONS["inverse_dynamics"](mechanism)
    forces = [row[0] for row in outputs_of(program)["tau"]]
    excess = []
    for row, multiplier in zip(loops.rows, multipliers, strict=True):
        total = -row.bias
        for k, entry in row.jacobian.items():
            forces[k] = forces[k] - entry * multiplier
            total = total + entry * vdot[k]
        excess.append(total)
    assert program.graph is graph
    return [force.ref for force in forces], [entry.ref for entry in excess]


@pytest.mark.parametrize(("seeds", "fewest"), [(SEEDS, 5), (SMALL_SEEDS, len(JOINT_TYPES))])
def test_the_random_mechanisms_have_everything(seeds: Sequence[int], fewest: int) -> None:
    found = [mechanism_named(seed) for seed in seeds]
    tree = {body.joint.type for mechanism, _ in found for body in mechanism.bodies}
    cut = {item.joint.type for mechanism, _ in found for item in mechanism.cut_joints}
    assert set(JOINT_TYPES) - {"fixed"} <= tree
    assert len(cut) >= fewest
    assert {type(item).__name__ for mechanism, _ in found for item in mechanism.model.constraints} >= {
        "DistanceConstraint",
        "PointOnLineConstraint",
    }


@pytest.mark.parametrize("name", LOOPS)
def test_the_terms_are_exact(name: str | int) -> None:
    """M free = -d(ID - G^T lambda), right + G free = d(gamma - G vdot), for all q, v, vdot and lambda."""
    mechanism, loops = mechanism_named(name)
    graph, n = mechanism.graph, mechanism.nv
    program = LOOP_DERIVATIVE_TERMS(mechanism, loops)
    found = outputs_of(program)
    given = program.inputs[3]
    assert given.name == "lambda"
    rates, multipliers = mechanism.entries(mechanism.vdot), [Scalar(graph, ref) for ref in given.symbols]
    forces, excess = balance(mechanism, loops, rates, multipliers)
    M = outputs_of(TREE_FUNCTIONS["mass_matrix"](mechanism))["M"]
    zero, one = Scalar(graph, 0), Scalar(graph, 0) + 1
    G = [[row.jacobian.get(k, zero) for k in range(n)] for row in loops.rows]
    entries = [x for row in difference(times(M, found["M_inverse"], graph), [[one if i == k else zero for k in range(n)]
               for i in range(n)]) for x in row]  # fmt: skip
    for letter in "qv":
        slopes = [
            along_speeds(mechanism, refs) if letter == "q" else along(mechanism, refs, mechanism.v.symbols)
            for refs in (forces, excess)
        ]
        free = found[f"free_d{letter}"]
        entries += [
            x + y for row in zip(times(M, free, graph), slopes[0], strict=True) for x, y in zip(*row, strict=True)
        ]
        left = times(G, free, graph)
        for rows in zip(found[f"right_d{letter}"], left, slopes[1], strict=True):
            entries += [x + y + z for x, y, z in zip(*rows, strict=True)]
    assert vanish(mechanism, entries, program.inputs)


@pytest.mark.parametrize("seed", some(range(30), SEEDS[:8]))
def test_the_terms_of_random_mechanisms_are_exact(seed: int) -> None:
    test_the_terms_are_exact(seed)


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "slider_crank", "rhombus_planar"])
def test_the_equations_solved_are_those_of_the_formal_derivatives(name: str) -> None:
    """The straight-line constrained_dynamics differentiated as a graph: M dvdot - G^T dlambda + d(...) = dtau."""
    mechanism, loops = mechanism_named(name)
    graph, n = mechanism.graph, mechanism.nv
    program = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, loops)
    solution = outputs_of(program)
    vdot, multipliers = ([row[0] for row in solution[key]] for key in ("vdot", "lambda"))
    given = tuple(symbol(graph, f"held[{k}]") for k in range(len(multipliers)))
    rates = mechanism.entries(mechanism.vdot)
    forces, excess = balance(mechanism, loops, rates, given)
    M = outputs_of(TREE_FUNCTIONS["mass_matrix"](mechanism))["M"]
    zero, one = Scalar(graph, 0), Scalar(graph, 0) + 1
    G = [[row.jacobian.get(k, zero) for k in range(n)] for row in loops.rows]
    held = (*mechanism.vdot.symbols, *(item.ref for item in given))
    values = [x.ref for x in (*vdot, *multipliers)]
    entries: list[Scalar] = []
    for letter in ("q", "v", "tau"):

        def slopes(refs: Sequence[int], letter: str = letter) -> Vectors:
            if letter == "q":
                return along_speeds(mechanism, refs)
            return along(mechanism, refs, {"v": mechanism.v, "tau": mechanism.tau}[letter].symbols)

        moved = slopes(values)
        partial = [substituted(mechanism, row, held, values) for row in (*slopes(forces), *slopes(excess))]
        motion, pull = moved[:n], moved[n:]
        balanced = difference(times(M, motion, graph), times(transposed(G), pull, graph))
        unit = [[one if i == k and letter == "tau" else zero for k in range(n)] for i in range(n)]
        for rows in zip(balanced, partial[:n], unit, strict=True):
            entries += [x + y - z for x, y, z in zip(*rows, strict=True)]
        for rows in zip(times(G, motion, graph), partial[n:], strict=True):
            entries += [x + y for x, y in zip(*rows, strict=True)]
    assert vanish(mechanism, entries, (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs))


def substituted(
    mechanism: Mechanism, row: Sequence[Scalar], symbols: Sequence[int], values: Sequence[int]
) -> list[Scalar]:
    """Entries with values in the place of symbols."""
    refs = substitute(mechanism.graph, [entry.ref for entry in row], dict(zip(symbols, values, strict=True)))
    return [Scalar(mechanism.graph, ref) for ref in refs]


# ---- generated code --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four_bar", *further(115)])
def test_the_certificate_covers_them(name: str | int, tmp_path: Path) -> None:
    """The random one has a spherical joint, whose turns do not commute."""
    generate(mechanism_named(name)[0].model, tmp_path, functions=[NAME, TERMS])
    certificate = verify(tmp_path, states=2)
    assert certificate.passed, certificate.summary()
    against = {check.against for check in certificate.checks if check.function == NAME and check.language == "c"}
    assert against >= {"difference of constrained dynamics", "difference of closed motions"}


@pytest.mark.parametrize("name", ["four_bar", *further("five_bar")])
def test_single_precision_is_checked_too(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, functions=[NAME], languages=["c"], real="float")
    assert verify(tmp_path, states=3).passed


@pytest.mark.parametrize("seed", some(SMALL_SEEDS, (21, 458)))
def test_random_mechanisms_agree_with_maximal_coordinates(seed: int, tmp_path: Path) -> None:
    """Loops of all kinds of joints, rods and slots, in NumPy."""
    model, q = random_closed_loops(seed, bodies=(2, 4), loops=(1, 2), constraints=POINTS)
    generate(model, tmp_path, functions=[NAME, TERMS], languages=["numpy"])
    module, mechanism = load_numpy(tmp_path / f"{model.name}.py"), mechanism_of(model)
    bench = state_of(model, mechanism, q)
    for function in (NAME, TERMS):
        assert passes(module, function, bench, Companions(mechanism)), function


def state_of(model: Any, mechanism: Mechanism, q: Any, seed: int = 5) -> Numbers:
    reference = Reference(model, mechanism.labelling)
    rng = np.random.default_rng(seed)
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, reference.nv))
    state: dict[str, Any] = {"q": q, "v": v, "t": 0.3, "u": rng.uniform(-1, 1, len(model.inputs))}
    state |= {item: rng.uniform(0.5, 2, reference.nv) for item in ("tau", "vdot")}
    return Numbers(reference, {**state, "lambda": rng.uniform(0.5, 2, len(analyse_loops(mechanism).rows))})


def passes(module: LoadedModule, function: str, numbers: Numbers, companions: Companions) -> bool:
    worst = Worst()
    evidence = Evidence(function, module, numbers, companions)
    condition = float(np.linalg.cond(numbers["mass_matrix"]))
    check_function(worst, contracts_of(companions.mechanism)[function], evidence, condition, 0)
    return bool(worst.found) and all(check.passed for check in worst.found.values())


@pytest.mark.parametrize("function", [TERMS, *further(NAME)])
def test_an_error_in_any_entry_fails_the_certificate(function: str, tmp_path: Path) -> None:
    model = examples.load("four_bar")
    generate(model, tmp_path, functions=[function], languages=["numpy"])
    module, mechanism = load_numpy(tmp_path / "four_bar.py"), mechanism_of(model)
    numbers = state_of(model, mechanism, np.array(analyse_loops(mechanism).configuration))
    companions = Companions(mechanism)
    assert passes(module, function, numbers, companions)
    for damaged, output, entry in with_wrong_entries(module, function, 1e-4):
        assert not passes(damaged, function, numbers, companions), (output, entry)


def test_batches_and_c_say_the_same_and_singular_positions_say_so(tmp_path: Path) -> None:
    """A parallel crank linkage laid flat is singular: C and NumPy find the same derivatives there."""
    model = parallel_cranks(2, 0.0)
    generate(model, tmp_path, functions=[NAME])
    certificate = verify(tmp_path, states=2)
    assert certificate.passed
    assert any(c.against == "status of a singular position" and c.function == NAME for c in certificate.checks)
    module = load_numpy(tmp_path / f"{model.name}.py")
    loaded = module.functions[NAME]
    n = module.manifest["nv"]
    found, status = loaded.with_status(np.zeros((2, n)), np.zeros((2, n)), np.ones((2, n)))
    assert list(status) == [Status.SINGULAR] * 2
    assert all(np.isfinite(array).all() for array in found)
    rng = np.random.default_rng(7)
    moving = np.zeros(n), rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    compiled, code = load_c(tmp_path).functions[NAME].with_status(*moving)
    expected, _ = loaded.with_status(*moving)
    assert code == Status.SINGULAR
    for one, other in zip(compiled, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * max(1.0, float(np.abs(other).max())))
    _, status = loaded.with_status(np.full(n, np.nan), np.zeros(n), np.ones(n))
    assert status == Status.NOT_FINITE


def test_derivatives_of_reactions_follow_by_the_chain_rule(tmp_path: Path) -> None:
    """W_q + W_vdot dvdot_dq + W_lambda dlambda_dq, by the general door, against differences of joint_wrenches."""
    by = "constrained_wrenches_by_q_vdot_lambda"
    derivatives = [("constrained_wrenches", ("q", "vdot", "lambda"))]
    generate("four_bar", tmp_path, functions=[NAME, "joint_wrenches"], derivatives=derivatives, languages=["numpy"])
    functions = load_numpy(tmp_path / "four_bar.py").functions
    model = examples.load("four_bar")
    reference, mechanism = Reference(model), mechanism_of(model)
    rng = np.random.default_rng(4)
    q = np.array(analyse_loops(mechanism).configuration)
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, 3))
    tau, along_q = rng.uniform(-1, 1, (2, 3))
    vdot, multipliers = functions["constrained_dynamics"](q, v, tau)
    dvdot_dq, _, _, dlambda_dq, _, _ = functions[NAME](q, v, tau)
    W_q, W_vdot, W_lambda = functions[by](q, v, vdot, multipliers)
    found = (W_q + W_vdot @ dvdot_dq + W_lambda @ dlambda_dq) @ along_q
    h = 1e-3
    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    expected = sum(
        sign * weight / h * functions["joint_wrenches"](q + sign * k * h * along_q, v, tau)
        for k, weight in weights
        for sign in (1, -1)
    )
    assert np.allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_they_are_there_only_where_they_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate("four_bar", tmp_path / "all", languages=["numpy"])
    assert NAME not in load_numpy(tmp_path / "all" / "four_bar.py").functions
    assert main(["generate", "four_bar", "-o", str(tmp_path), "--function", "forward_dynamics_derivatives"]) == 2
    assert "ask for constrained_dynamics_derivatives" in capsys.readouterr().err
    assert main(["generate", "cart_pole", "-o", str(tmp_path), "--function", NAME]) == 2
    assert f"has no function '{NAME}'" in capsys.readouterr().err
    door = ["--derivative-of", "constrained_dynamics", "--with-respect-to", "q"]
    assert main(["generate", "four_bar", "-o", str(tmp_path), *door]) == 2
    assert f"constrained_dynamics iterates and has no derivative; ask for {NAME}" in capsys.readouterr().err


# ---- operations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "most"), [("four_bar", 509), *further(("stewart_platform", 22656))])
def test_operations_of_the_terms(name: str, most: int) -> None:
    mechanism, loops = mechanism_named(name)
    assert_as_told(optimise(LOOP_DERIVATIVE_TERMS(mechanism, loops))[0].operation_count().arithmetic, most)
