"""Derivatives of closed loops in independent coordinates.

Exact means in the field of 2^61 - 1 elements, as functions of all q, v and tau, whether they close loops or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from physics.test_loop_derivatives import (
    LOOPS,
    SEEDS,
    Vectors,
    difference,
    mechanism_named,
    outputs_of,
    passes,
    state_of,
    substituted,
    times,
    vanish,
)

from mbsym import examples
from mbsym.cli.application import main
from mbsym.codegen.load import load_numpy
from mbsym.codegen.statuses import Status
from mbsym.derivatives.loop_functions import INDEPENDENT_DERIVATIVES
from mbsym.derivatives.tangent import along, along_speeds
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.analysis import linearise
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.independent import independent_at_start
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.loops.wrenches import dense
from mbsym.pipeline import generate, optimise
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar
from mbsym.verification.certificate import verify
from mbsym.verification.evidence import Companions
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.overconstrained import parallel_cranks
from mechanisms.told import assert_as_told
from mechanisms.wrong_entries import with_wrong_entries

MOTION, MULTIPLIERS = (function.name for function in INDEPENDENT_DERIVATIVES)


def programs(mechanism: Mechanism, loops: LoopAnalysis) -> tuple[Program, dict[str, Vectors]]:
    found = [function(mechanism, loops) for function in INDEPENDENT_DERIVATIVES]
    return found[0], {**outputs_of(found[0]), **outputs_of(found[1])}


@pytest.mark.parametrize("name", [*LOOPS[:-3], *SEEDS[:2], *SEEDS[5:7], *further(LOOPS[-3], *SEEDS[2:4], *SEEDS[7:9])])
def test_they_are_the_formal_derivatives_along_motions_of_the_loops(name: str | int) -> None:
    """``tests/benchmarks/loop_derivatives_exact.py`` does the Stewart platform and a hundred random mechanisms."""
    assert exact(*mechanism_named(name))


def exact(mechanism: Mechanism, loops: LoopAnalysis) -> bool:
    """Of vdot and lambda, which are those of constrained_dynamics, along N and N'; and N' of N v_i along N."""
    graph = mechanism.graph
    program, found = programs(mechanism, loops)
    own = independent_at_start(mechanism, loops)
    N, turned = found["N"], found["dv_dq"]
    entries = [x for row in times([dense(mechanism, row.jacobian) for row in loops.rows], N, graph) for x in row]
    entries += [N[k][j] - (1 if i == j else 0) for i, k in enumerate(own) for j in range(len(own))]
    solved = outputs_of(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, loops, "sparse"))
    for key, letter in (("vdot", "vdot"), ("lambda", "lambda")):
        entries += flat(difference(found[key], solved[key]))
        refs = [row[0].ref for row in solved[key]]
        by_q, by_v = along_speeds(mechanism, refs), along(mechanism, refs, mechanism.v.symbols)
        moved = [
            [x + y for x, y in zip(*rows, strict=True)]
            for rows in zip(times(by_q, N, graph), times(by_v, turned, graph), strict=True)
        ]
        entries += flat(difference(found[f"d{letter}_dq"], moved))
        entries += flat(difference(found[f"d{letter}_dv"], times(by_v, N, graph)))
        entries += flat(difference(found[f"d{letter}_dtau"], along(mechanism, refs, mechanism.tau.symbols)))
    v = mechanism.entries(mechanism.v)
    speeds = [row[0] for row in times(N, [[v[k]] for k in own], graph)]
    rates = times(along_speeds(mechanism, [x.ref for x in speeds]), N, graph)
    refs = [x.ref for x in speeds]
    closed = [substituted(mechanism, row, mechanism.v.symbols, refs) for row in turned]
    entries += flat(difference(closed, rates))
    return vanish(mechanism, entries, program.inputs)


def flat(matrix: Vectors) -> list[Scalar]:
    return [x for row in matrix for x in row]


def test_they_are_what_linearise_says(tmp_path: Path) -> None:
    generate("five_bar", tmp_path, functions=[MOTION], languages=["numpy"])
    found = linearise("five_bar", {"v_left_motor": 0.7, "v_right_motor": -0.3}, inputs="tau")
    own = list(found.freedom.independent)
    state = found.state
    vdot, N, turned, by_q, by_v, by_tau = load_numpy(tmp_path / "five_bar.py").functions[MOTION](
        state.q, state.v, state.tau, state.t, state.u
    )
    assert np.allclose(N, found.freedom.motion, rtol=0, atol=1e-12)
    assert np.allclose(turned, found.freedom.change, rtol=0, atol=1e-12)
    A = np.block([[turned[own], N[own]], [by_q[own], by_v[own]]])
    assert np.allclose(A, found.A, rtol=0, atol=1e-10 * np.abs(A).max())
    assert np.allclose(by_tau[own], found.B[len(own) :], rtol=0, atol=1e-10 * np.abs(by_tau).max())
    assert np.allclose(vdot[own], found.rates[len(own) :], rtol=0, atol=1e-10 * max(1.0, np.abs(vdot).max()))


@pytest.mark.parametrize(
    ("name", "functions"), [("four_bar", (MOTION, MULTIPLIERS)), *further(("stewart_platform", (MOTION,)))]
)
def test_the_certificate_covers_them(name: str, functions: Sequence[str], tmp_path: Path) -> None:
    generate(name, tmp_path, functions=functions)
    certificate = verify(tmp_path, states=1)
    assert certificate.passed, certificate.summary()
    against = {(check.function, check.against) for check in certificate.checks if check.language == "c"}
    assert against >= {(MOTION, "motions of independent speeds"), (MOTION, "difference along independent motions")}
    if MULTIPLIERS in functions:
        assert (MULTIPLIERS, "difference of multipliers along independent motions") in against


def test_single_precision_is_checked_too(tmp_path: Path) -> None:
    generate("five_bar", tmp_path, functions=[MOTION, MULTIPLIERS], languages=["c"], real="float")
    certificate = verify(tmp_path, states=3)
    assert certificate.passed, certificate.summary()


@pytest.mark.parametrize("name", ["four_bar", *further("five_bar")])
def test_an_error_in_any_entry_fails_the_certificate(name: str, tmp_path: Path) -> None:
    model = examples.load(name)
    generate(model, tmp_path, functions=[MOTION, MULTIPLIERS], languages=["numpy"])
    module, mechanism = load_numpy(tmp_path / f"{name}.py"), mechanism_of(model)
    numbers = state_of(model, mechanism, np.array(analyse_loops(mechanism).configuration))
    companions = Companions(mechanism)
    for function in (MOTION, MULTIPLIERS):
        assert passes(module, function, numbers, companions)
        for damaged, output, entry in with_wrong_entries(module, function, 1e-4):
            assert not passes(damaged, function, numbers, companions), (output, entry)


def test_singular_positions_say_so(tmp_path: Path) -> None:
    """A parallel crank linkage laid flat: other motions begin there, and its dependent speeds do not follow."""
    model = parallel_cranks(2, 0.0)
    generate(model, tmp_path, functions=[MOTION])
    loaded = load_numpy(tmp_path / f"{model.name}.py").functions[MOTION]
    n = loaded.inputs[1].size
    _, status = loaded.with_status(np.zeros((2, n)), np.zeros((2, n)), np.ones((2, n)))
    assert list(status) == [Status.SINGULAR] * 2
    assert verify(tmp_path, states=2).passed


def test_they_are_there_only_where_they_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate("four_bar", tmp_path / "all", languages=["numpy"])
    assert MOTION not in load_numpy(tmp_path / "all" / "four_bar.py").functions
    assert main(["generate", "cart_pole", "-o", str(tmp_path), "--function", MOTION]) == 2
    assert f"has no function '{MOTION}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "most"), [("four_bar", 675), ("five_bar", 882), *further(("stewart_platform", 50892))]
)
def test_operations(name: str, most: int) -> None:
    mechanism, loops = mechanism_named(name)
    assert_as_told(optimise(INDEPENDENT_DERIVATIVES[0](mechanism, loops))[0].operation_count().arithmetic, most)
