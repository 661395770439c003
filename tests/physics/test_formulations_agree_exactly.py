"""Kane, constraint forces (four ways) and the recursive formulations are one and the same, exactly, on random trees.

All outputs of a tree are evaluated together at a random point of GF(2^61 - 1), where rotations are orthogonal exactly;
rational functions that differ agree there with a probability below degree / 2^61, here below 1e-13.
"""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.leaf_to_root import (
    CFA_BIAS_FUNCTIONS,
    CFA_FUNCTIONS,
    Form,
    Solver,
    derive_motion,
    motion_functions,
)
from mbsym.formulations.constraint_force.matrices import inverse_mass_matrix
from mbsym.formulations.constraint_force.odd_even_elimination import odd_even_elimination
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS, reduction
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.formulations.recursive.composite_body import mass_matrix
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.symbolic.equality import compare
from mbsym.symbolic.finite_field import PRIME, evaluate
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.verification.random_state import random_state
from mechanisms.examples import some
from mechanisms.kane_spatial import spatial_bias, spatial_mass_matrix
from mechanisms.mechanism import mechanism_of
from mechanisms.programs import make_program
from mechanisms.random_mechanisms import random_tree

CFA_WAYS: dict[str, tuple[Solver | None, Form]] = {
    "absolute form": (None, "absolute"),
    "bias form": (None, "bias"),
    "reduction": (reduction, "absolute"),
    "elimination": (odd_even_elimination, "absolute"),
}


def programs_of(mechanism: Mechanism) -> dict[str, Program]:
    """What each way derives; the key ends with the function's name."""
    programs = {f"kane {name}": derive(mechanism) for name, derive in KANE_FUNCTIONS.items()}
    for way, (solver, form) in CFA_WAYS.items():
        found, _ = derive_motion(mechanism, solver, form)
        for name, function in motion_functions(lambda _, found=found, way=way: (found, way)).items():
            programs[f"{way} {name}"] = function(mechanism)
    return programs


def joined(mechanism: Mechanism, programs: dict[str, Program]) -> Program:
    """All outputs in one program, named after the keys."""
    inputs = {item.name: item for program in programs.values() for item in program.inputs}
    outputs = [Output(key, item.shape, item.values) for key, p in programs.items() for item in p.outputs]
    return Program("joined", mechanism.graph, tuple(inputs.values()), tuple(outputs), mechanism.parameters)


def drawn(seed: int, **options: object) -> Mechanism:
    model = random_tree(seed, **options)  # type: ignore[arg-type]
    return mechanism_of(model)


def size_of(seed: int) -> tuple[int, int]:
    return (2, 5) if seed % 10 == 0 else (1, 3)


@pytest.mark.parametrize("block", some(range(10), range(1)))
def test_all_formulations_agree_on_random_trees(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        mechanism = drawn(seed, bodies=size_of(seed), forces=seed % 3 == 0, couplings=False)
        programs = programs_of(mechanism)
        reference = {name: TREE_FUNCTIONS[name](mechanism) for name in KANE_FUNCTIONS}
        (values,) = evaluate([joined(mechanism, programs | reference)], seed=seed)
        for key in programs:
            expected = values[key.rpartition(" ")[2]]
            assert values[key] == expected, f"tree {seed}: {key} differs from the recursive formulation"


@pytest.mark.parametrize("seed", range(12))
def test_spatial_form_and_inverse_mass_matrix_on_random_trees(seed: int) -> None:
    mechanism = drawn(300 + seed, bodies=(1, 4), couplings=False)
    n = mechanism.nv
    spatial = [entry for row in spatial_mass_matrix(mechanism) for entry in row]
    bias = spatial_bias(mechanism)
    programs = {
        "M": TREE_FUNCTIONS["mass_matrix"](mechanism),
        "h": TREE_FUNCTIONS["bias_force"](mechanism),
        "spatial M": make_program(mechanism, "m", (mechanism.q,), [("M", (n, n), spatial, "", "")], ""),
        "spatial h": make_program(mechanism, "h", (mechanism.q, mechanism.v), [("h", (n,), bias, "", "")], ""),
        "inverse": inverse_mass_matrix(mechanism),
    }
    (values,) = evaluate([joined(mechanism, programs)], seed=seed)
    assert values["spatial M"] == values["M"]
    assert values["spatial h"] == values["h"]
    M, inverse = values["M"], values["inverse"]
    for r in range(n):
        for c in range(n):
            entry = sum(M[r * n + k] * inverse[k * n + c] for k in range(n)) % PRIME
            assert entry == int(r == c)


@pytest.mark.parametrize("seed", some(range(12), range(3)))
def test_rounding_of_larger_trees(seed: int) -> None:
    """All ways agree to 1e-12 relative in floating point; 2.2e-13 is the largest on forty such trees."""
    model = random_tree(400 + seed, bodies=(6, 12), forces=False, couplings=False)
    labelling = model.label()
    mechanism = build_mechanism(model, labelling)
    q, v, tau = random_state(model, labelling, np.random.default_rng(seed))
    arguments = {"q": q, "v": v, "tau": tau}
    for name, output in (("forward_dynamics", "vdot"), ("joint_wrenches", "wrenches")):
        expected = interpret(TREE_FUNCTIONS[name](mechanism), arguments)[output]
        size = max(1.0, float(np.abs(expected).max(initial=0)))
        for functions in (KANE_FUNCTIONS, CFA_FUNCTIONS, CFA_BIAS_FUNCTIONS, CFA_SERIAL_FUNCTIONS):
            found = interpret(functions[name](mechanism), arguments)[output]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * size)


def test_kane_covers_couplings() -> None:
    found = 0
    for seed in range(40):
        mechanism = drawn(seed, bodies=(2, 4), joint_types=("revolute", "prismatic", "helical"))
        if not mechanism.is_coupled:
            continue
        found += 1
        for name, derive in KANE_FUNCTIONS.items():
            assert compare(derive(mechanism), TREE_FUNCTIONS[name](mechanism), trials=1)
        spatial = [entry for row in spatial_mass_matrix(mechanism) for entry in row]
        n = mechanism.nv
        program = make_program(mechanism, "mass_matrix", (mechanism.q,), [("M", (n, n), spatial, "", "")], "")
        assert compare(program, make_program(
            mechanism, "mass_matrix", (mechanism.q,),
            [("M", (n, n), [entry for row in mass_matrix(mechanism) for entry in row], "", "")], "",
        ))  # fmt: skip
        with pytest.raises(DerivationError, match="couplings; use the formulation"):
            CFA_FUNCTIONS["forward_dynamics"](mechanism)
    assert found >= 5


def test_the_random_trees_have_every_joint_type() -> None:
    seen = {
        joint.type for seed in range(200) for joint in random_tree(seed, bodies=size_of(seed), couplings=False).joints
    }
    assert seen == set(JOINT_TYPES)
