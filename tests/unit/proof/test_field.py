"""Derivations at a point of the field give what the graph gives there; residues side by side are whole numbers."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import mbsym
from mbsym.errors import SymbolicError
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.proof.field import Field, at_random_point
from mbsym.proof.side_by_side import Residues
from mbsym.registry import available_functions
from mbsym.symbolic.finite_field import PRIME, prepare, signed


def mechanism_of(name: str) -> Mechanism:
    """With nothing simplified."""
    model = mbsym.examples.load(name)
    return build_mechanism(model, model.label())


@pytest.mark.parametrize(("name", "formulation"), [("puma560", "newton-euler"), ("quadruped", "kane")])
def test_derivations_run_over_residues(name: str, formulation: str) -> None:
    mechanism = mechanism_of(name)
    point = at_random_point(mechanism, trial=0)
    for function in ("inverse_dynamics", "kinetic_energy", "body_poses"):
        program, there = (
            available_functions(each, formulation).functions[function](each) for each in (mechanism, point)
        )
        # The same point, at which symbols have the values of their names.
        (values,) = prepare((program,)).evaluate(0, 0)
        expected = [signed({0: 0, **values}, ref) for ref in program.output_references]
        assert [ref % PRIME for ref in there.output_references] == expected
        assert any(expected)


def test_what_residues_cannot_say_is_refused() -> None:
    field = Field(0)
    for asked in (lambda: field.function("sin", 5), lambda: field.function("sqrt", 4), lambda: field.pi()):
        with pytest.raises(SymbolicError):
            asked()
    with pytest.raises(SymbolicError):
        field.reachable((3,))


def test_residues_side_by_side_are_whole_numbers() -> None:
    """Also where halves carry: at the ends of their ranges."""
    random = Random(3)
    edges = [0, 1, PRIME - 1, (1 << 31) - 1, 1 << 31, 1 << 60, PRIME - (1 << 31)]
    a = edges * len(edges) + [random.randrange(PRIME) for _ in range(100)]
    b = [y for y in edges for _ in edges] + [random.randrange(PRIME) for _ in range(100)]
    x, y = (Residues(np.array(each, dtype=np.uint64)) for each in (a, b))
    found = (-(x * y) - x + y * y * 3 - 5) % PRIME
    # Sums and differences of what was not reduced all the way.
    found = 7 - (found - x - x) * (x + y)
    expected = [(7 - (-p * q - p + 3 * q * q - 5 - 2 * p) * (p + q)) % PRIME for p, q in zip(a, b, strict=True)]
    assert [entry % PRIME for entry in found.array.tolist()] == expected
    with pytest.raises(SymbolicError):
        pow(x, -1, PRIME)
